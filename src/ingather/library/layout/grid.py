"""A grid of cells as layout parsers give it, made into a table with the paths of its labels. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingather.library.table import Box, Cell, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCell:
    """A cell of the parser's answer. Where it says nothing of headers, the caller has to."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1
    text: str
    is_column_header: bool = False
    is_row_header: bool = False
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTable:
    """One table of the parser's answer. `box` is where it stands on its page, in points, if that is said."""

    page: int
    caption: str
    footnotes: tuple[str, ...]
    cells: tuple[ParsedCell, ...]
    box: Box | None


def as_table(grid: ParsedTable, label: str) -> Table:
    """The same cells with the headers above them and the labels left of them."""
    headers = [cell for cell in grid.cells if cell.is_column_header]
    labels = [cell for cell in grid.cells if cell.is_row_header or (cell.column == 0 and not cell.is_column_header)]
    return Table(
        page=grid.page,
        label=label,
        caption=grid.caption,
        footnotes=grid.footnotes,
        cells=tuple(
            Cell(
                row=cell.row,
                column=cell.column,
                row_span=cell.row_span,
                column_span=cell.column_span,
                text=cell.text,
                row_path=_grid_texts(one for one in labels if _is_left_of(one, cell)),
                column_path=_grid_texts(one for one in headers if _is_above(one, cell)),
                is_header=cell.is_column_header,
                page=grid.page,
                box=cell.box,
            )
            for cell in grid.cells
        ),
    )


def with_headers(cells: Sequence[ParsedCell]) -> tuple[ParsedCell, ...]:
    """For a parser that marks none: the first row is a header, and those that its spanning cells reach into."""
    last = max((cell.row_span - 1 for cell in cells if cell.row == 0), default=0)
    is_spread = any(cell.row == 0 and cell.column_span > 1 for cell in cells)
    # A header that spans columns has their own headers in the row below it.
    last = max(last, 1 if is_spread and max(cell.row for cell in cells) > 1 else 0)
    return tuple(
        ParsedCell(
            row=cell.row,
            column=cell.column,
            row_span=cell.row_span,
            column_span=cell.column_span,
            text=cell.text,
            is_column_header=cell.row <= last,
            box=cell.box,
        )
        for cell in cells
    )


def _is_above(header: ParsedCell, cell: ParsedCell) -> bool:
    covers = header.column <= cell.column < header.column + header.column_span
    return covers and header.row + header.row_span <= cell.row


def _is_left_of(label: ParsedCell, cell: ParsedCell) -> bool:
    covers = label.row <= cell.row < label.row + label.row_span
    return covers and label.column + label.column_span <= cell.column and not cell.is_column_header


def _grid_texts(cells: Iterable[ParsedCell]) -> tuple[str, ...]:
    ordered = sorted(cells, key=lambda cell: (cell.row, cell.column))
    return tuple(cell.text for cell in ordered if cell.text)
