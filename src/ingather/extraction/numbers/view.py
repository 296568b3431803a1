"""A table as its numbers see it: each cell with its content and the labels of its row and column, taken apart. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from ingather.extraction.numbers.cell import CellContent, Form, cell_content_of, is_whole_number_in_cell, plain_cell
from ingather.extraction.numbers.header_blocks import header_blocks_of
from ingather.extraction.numbers.headers_again import (
    Contents,
    header_paths_again,
    is_header_again,
    panel_headers,
)
from ingather.extraction.numbers.label import TableLabel, label_of
from ingather.extraction.numbers.table_rows import table_rows_of, unlabelled_table_rows
from ingather.library.port import Cell, Table

_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_ONLY_MARKS: Final = re.compile(r"[a-k](?: ?, ?[a-k])*|[*\u2020\u2021\u00a7#\u00b6]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ONLY_N: Final = re.compile(r"[(\[]?\s?n ?[=:] ?(\d[\d,]*)\s?[)\]]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ViewEntry:
    """A cell with numbers, and the labels that speak of it, outermost first.

    `record` is the number of the row that says which thing the cell is of, where an SD stands in a row below its mean.
    """

    cell: Cell
    content: CellContent
    rows: tuple[TableLabel, ...]
    columns: tuple[TableLabel, ...]
    record: int = -1

    @property
    def labels(self) -> tuple[TableLabel, ...]:
        """All labels, those next to the cell first: those of its row, then those of its column."""
        return (*reversed(self.rows), *reversed(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableView:
    """A table with its entries; `column_n` is the number of people that stands in a column of its own header row."""

    table: Table
    entries: tuple[ViewEntry, ...]
    column_n: Mapping[int, str]


def numbers_view_of(table: Table) -> TableView:
    """The entries of a table. Rows that are headers again, in the middle of it, count as headers of what follows."""
    again: dict[int, tuple[str, ...]] = {}
    is_below = False
    column_n: dict[int, str] = {}
    entries: list[ViewEntry] = []
    rows = table_rows_of(table)
    nameless = unlabelled_table_rows(table, rows)
    stub = _stub_of_view(rows)
    units = _time_units_of_view(table, stub)
    blocks = header_blocks_of(table, stub)
    above = _stub_labels_above(rows, stub)
    panels = panel_headers(table, rows, stub)
    panel = panels.get(-1, "")
    for row in rows:
        body = [cell for cell in row if not cell.is_header and cell.column > stub]
        contents = [(cell, cell_content_of(cell.text)) for cell in body]
        own_n = _column_n_of_view(row, contents)
        column_n.update(own_n)
        if is_header_again(row, contents):
            again = header_paths_again(contents, again if is_below else {})
            is_below, panel = True, panels.get(row[0].row, panel)
            continue
        is_below = False
        if row[0].row in panels:
            panel = panels[row[0].row]
            continue
        if not _is_row_of_view(row, body, nameless):
            continue
        entries += [
            _view_entry(
                cell, content, {**blocks, **again}, (panel, *_row_labels_in_view(cell, row, above, stub, units))
            )
            for cell, content in _contents_with_numbers(contents)
            if cell.column not in own_n
        ]
    if panels:
        # Rows above the first title have a title too, which was read as something else: their outcome is not known.
        entries = [entry for entry in entries if any(label.core for label in entry.rows)]
    return TableView(table=table, entries=tuple(_view_entries_with_records(entries)), column_n=column_n)


def _is_row_of_view(row: Sequence[Cell], body: Sequence[Cell], nameless: frozenset[int]) -> bool:
    """Whether it is known which row this is: not where it has no label, or a footnote's mark was taken for one."""
    texts = [cell.text for cell in row if cell_content_of(cell.text).form is Form.TEXT and _LETTERS.search(cell.text)]
    if row[0].row in nameless and not texts:
        return False
    return not any(_ONLY_MARKS.fullmatch(text) for cell in body for text in cell.row_path)


def _contents_with_numbers(contents: Contents) -> Contents:
    labels = {cell.text for cell, _ in contents if cell.text in cell.row_path}
    return [
        (cell, content)
        for cell, content in contents
        if content.form not in {Form.EMPTY, Form.TEXT} and cell.text not in labels
    ]


def _view_entry(
    cell: Cell, content: CellContent, again: Mapping[int, tuple[str, ...]], row_labels: Sequence[str]
) -> ViewEntry:
    return ViewEntry(
        cell=cell,
        content=content,
        rows=tuple(label_of(text) for text in row_labels if text),
        columns=tuple(label_of(text) for text in again.get(cell.column, cell.column_path) if text.strip()),
    )


def _view_entries_with_records(entries: Sequence[ViewEntry]) -> Iterator[ViewEntry]:
    """Entries in a row labelled `SD` alone, and those of the row above it, whose means these are, share a record."""
    labels = {entry.cell.row: entry.rows for entry in entries}
    numbers = sorted(labels)
    heads: dict[int, int] = {}
    for above, row in pairwise(numbers):
        is_alone, above_is_alone = (_view_label_is_spread_alone(labels[one]) for one in (row, above))
        if is_alone and not above_is_alone and len(labels[above]) == 1:
            heads[row] = heads[above] = above
    for entry in entries:
        head = heads.get(entry.cell.row, -1)
        rows = entry.rows if head in {-1, entry.cell.row} else (*labels[head], *entry.rows)
        yield replace(entry, record=head, rows=rows) if head >= 0 else entry


def _view_label_is_spread_alone(labels: Sequence[TableLabel]) -> bool:
    return len(labels) == 1 and labels[0].is_spread and not (labels[0].core or labels[0].is_mean or labels[0].is_median)


_TIME_UNIT: Final = re.compile(
    r"(?:time|period|visit)?\s?[(,]?\s?(?:in )?(weeks?|days?|months?|years?|hours?|h|minutes?|min)\s?\)?", re.IGNORECASE
)
_BARE_NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d)?")


def _time_units_of_view(table: Table, stub: int) -> Mapping[int, str]:
    """The units of columns of row labels that hold bare numbers under a unit of time, such as `Weeks`."""
    heads = [(cell.column, _TIME_UNIT.fullmatch(cell.text.strip())) for cell in table.cells if cell.is_header]
    return {column: found[1] for column, found in heads if found and column <= stub}


def _column_n_of_view(row: Sequence[Cell], contents: Sequence[tuple[Cell, CellContent]]) -> dict[int, str]:
    """The numbers of people that a row gives for its columns: `n = 30` in each, or whole numbers behind `N`."""
    found = {cell.column: found[1] for cell in row if (found := _ONLY_N.fullmatch(plain_cell(cell.text)))}
    if len(found) > 1:
        return found
    label = next((cell.text for cell in row if cell.column == 0 and not cell.is_header), "")
    counts = [(cell, content) for cell, content in contents if content.form not in {Form.EMPTY, Form.P}]
    if not label_of(label).is_total_n or len(counts) < 2:
        return {}
    if all(content.form is Form.NUMBER and is_whole_number_in_cell(content.first) for _, content in counts):
        return {cell.column: content.first for cell, content in counts}
    return {}


def _stub_labels_above(rows: Sequence[Sequence[Cell]], stub: int) -> Mapping[int, str]:
    """The labels in the first of several columns of labels that go on over rows with labels in the others only."""
    found: dict[int, str] = {}
    current = ""
    for row in rows:
        first = next((cell for cell in row if cell.column == 0 and cell.text.strip()), None)
        if first is not None:
            current = "" if first.is_header or first.column_span > stub else first.text
        elif current and any(0 < cell.column <= stub and cell.text.strip() for cell in row):
            found[row[0].row] = current
    return found if stub else {}


def _row_labels_in_view(
    cell: Cell, row: Sequence[Cell], above: Mapping[int, str], stub: int, units: Mapping[int, str]
) -> tuple[str, ...]:
    """The labels of a cell's row, with what its stub says and texts that stand left of it before the first number."""
    path = _row_path_in_view(cell, row, stub)
    parent = above.get(row[0].row, "")
    return tuple(
        f"{text} {units[0]}" if 0 in units and _BARE_NUMBER.fullmatch(text) else text
        for text in ((parent, *path) if parent and parent not in path else path)
    )


def _row_path_in_view(cell: Cell, row: Sequence[Cell], stub: int) -> tuple[str, ...]:
    path = [text for text in cell.row_path if _LETTER.search(text)] or [text for text in cell.row_path if text.strip()]
    for other in row:
        is_text = cell_content_of(other.text).form is Form.TEXT
        if other.column >= cell.column or not (is_text or other.column <= stub):
            break
        if (_LETTER.search(other.text) or 0 < other.column <= stub) and other.text not in path and not other.is_header:
            path.append(other.text)
    return tuple(path)


def _stub_of_view(rows: Sequence[Sequence[Cell]]) -> int:
    """The last column of row labels: the first columns whose cells are all texts or times, such as `2 weeks`."""
    by_column: dict[int, list[str]] = {}
    for row in rows:
        for cell in row:
            if not cell.is_header and cell.text.strip():
                by_column.setdefault(cell.column, []).append(cell.text)
    stub = 0
    for column in sorted(by_column):
        if column > stub + 1:
            break
        texts = by_column[column]
        if column and (len(texts) < _FEWEST_IN_STUB or not all(_is_stub_text_in_view(text) for text in texts)):
            break
        stub = column
    return stub if any(column > stub for column in by_column) else 0


# A column with fewer cells than this says nothing about being one of labels.
_FEWEST_IN_STUB: Final = 2


def _is_stub_text_in_view(text: str) -> bool:
    if cell_content_of(text).form is Form.TEXT:
        return True
    label = label_of(text)
    return label.moment is not None and not label.core and _LETTER.search(text) is not None
