"""In which cell each number of a candidate stands, with the cells of its row label and its headers. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingather.extraction.findings import CellPlace
from ingather.extraction.numbers.answer import NumberPlace
from ingather.extraction.numbers.cell import cell_content_of
from ingather.extraction.numbers.from_sentences import SentenceAnswer
from ingather.extraction.numbers.from_tables import TableCandidate
from ingather.extraction.numbers.label import label_of
from ingather.extraction.numbers.meaning import Figures
from ingather.extraction.numbers.pairing import Side
from ingather.extraction.numbers.view import ViewEntry
from ingather.library.port import Box, Cell, Table


def number_places_of(candidate: TableCandidate, tables: Sequence[Table]) -> tuple[NumberPlace, ...]:
    """The place of each number that the candidate has; numbers that other parts of the paper give have none."""
    table = candidate.cells.view.table
    at = next(number for number, one in enumerate(tables) if one is table)
    sides = (
        ("intervention", candidate.cells.intervention, candidate.intervention),
        ("comparator", candidate.cells.comparator, candidate.comparator),
    )
    return tuple(
        place for name, side, figures in sides for place in _number_places_of_side(name, side, figures, table, at)
    )


def _number_places_of_side(
    side_name: str, side: Side, figures: Figures, table: Table, at: int
) -> Iterator[NumberPlace]:
    for name in ("events", "n", "mean", "sd"):
        value = getattr(figures, name)
        if not value:
            continue
        cell = _place_of_value(value, figures.cells)
        if cell is None and name == "n":
            cell = _place_of_n(value, side.entries, table)
        is_printed = cell is not None
        if cell is None and name != "n" and figures.cells:
            cell = figures.cells[0].cell  # the number was worked out from what stands here
        if cell is not None:
            yield NumberPlace(
                side=side_name,
                name=name,
                quote=cell.text,
                page=cell.page,
                cell=number_place_of_cell(cell, table, at),
                is_printed=is_printed,
            )


def _place_of_value(value: str, entries: Iterable[ViewEntry]) -> Cell | None:
    """The cell of the arm in which a number is printed."""
    for entry in entries:
        content = entry.content
        if value in (content.first, content.second, content.n):
            return entry.cell
    return None


def _place_of_n(n: str, entries: Sequence[ViewEntry], table: Table) -> Cell | None:
    """The cell that gives a number of people: one of the arm, a header or label of it, a row of N in its columns."""
    if (own := _place_of_value(n, entries)) is not None:
        return own
    columns = {entry.cell.column for entry in entries}
    rows = {entry.cell.row for entry in entries}
    for cell in table.cells:
        is_above = cell.is_header and any(cell.column <= one < cell.column + cell.column_span for one in columns)
        is_beside = (
            cell.column < min(columns) and cell.row <= max(rows) and cell.text in _row_texts_around_place(entries)
        )
        if (is_above or is_beside) and label_of(cell.text).n == n:
            return cell
    below = (cell for cell in table.cells if cell.column in columns)
    return next((cell for cell in below if n in (label_of(cell.text).n, cell_content_of(cell.text).first)), None)


def _row_texts_around_place(entries: Sequence[ViewEntry]) -> set[str]:
    return {label.text for entry in entries for label in entry.rows}


def number_place_of_cell(cell: Cell, table: Table, at: int) -> CellPlace:
    """A cell with the boxes of the labels that lead to it, as far as they stand on its page."""
    return CellPlace(
        table=at,
        label=table.label or table.caption[:60],
        page=cell.page,
        row=cell.row,
        column=cell.column,
        row_path=cell.row_path,
        column_path=cell.column_path,
        box=cell.box,
        row_boxes=tuple(_boxes_of_places(_row_label_places(cell, table))),
        column_boxes=tuple(_boxes_of_places(_header_places(cell, table))),
    )


def _row_label_places(cell: Cell, table: Table) -> Iterator[Cell]:
    """For each label of the row the nearest cell above it, or beside it, with that text."""
    for text in cell.row_path:
        found = [
            one
            for one in table.cells
            if one.text == text and one.column < max(1, cell.column) and one.row <= cell.row and one is not cell
        ]
        yield from (one for one in found[-1:] if one.page == cell.page)


def _header_places(cell: Cell, table: Table) -> Iterator[Cell]:
    for text in cell.column_path:
        found = [
            one
            for one in table.cells
            if one.text == text and one.row <= cell.row and one.column <= cell.column < one.column + one.column_span
        ]
        yield from (one for one in found[-1:] if one.page == cell.page and one is not cell)


def _boxes_of_places(cells: Iterable[Cell]) -> Iterator[Box]:
    return (cell.box for cell in cells if cell.box is not None)


def number_places_in_sentence(found: SentenceAnswer) -> Iterator[NumberPlace]:
    """The sentence as the place of each number that is printed in it."""
    one = found.sentence
    for side, numbers in (("intervention", found.intervention), ("comparator", found.comparator)):
        for name in ("events", "n", "mean", "sd"):
            value = getattr(numbers, name)
            if value is not None and re.search(rf"(?<![\d.]){re.escape(value)}(?!\d|\.\d)", one.text):
                yield NumberPlace(side=side, name=name, quote=one.text, page=one.page, start=one.start, end=one.end)
