"""A table as its numbers see it: each cell with its content and the labels of its row and column, taken apart. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.numbers.cell import CellContent, Form, cell_content_of, is_whole_number_in_cell, plain_cell
from ingather.extraction.numbers.label import TableLabel, label_of
from ingather.extraction.numbers.table_rows import table_rows_of, unlabelled_table_rows
from ingather.library.port import Cell, Table

# A header in the middle of a table is shorter than this, in characters; a longer text is a remark.
_LONGEST_HEADER: Final = 60
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_ONLY_MARKS: Final = re.compile(r"[a-k](?: ?, ?[a-k])*|[*\u2020\u2021\u00a7#\u00b6]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
# Numbers with their percentage, or two numbers, are no header: `Female = 29 (29.2 %)`, `50 men, 20 women`.
_DATA: Final = re.compile(r"\d ?%|(?<![nN] )(?<![nN])= ?\d.*\(|\d ?\(\d")
_ONLY_N: Final = re.compile(r"[(\[]?\s?n ?[=:] ?(\d[\d,]*)\s?[)\]]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ViewEntry:
    """A cell with numbers, and the labels that speak of it, outermost first."""

    cell: Cell
    content: CellContent
    rows: tuple[TableLabel, ...]
    columns: tuple[TableLabel, ...]

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
    again: dict[int, str] = {}
    shared: Counter[tuple[str, ...]] = Counter()
    column_n: dict[int, str] = {}
    entries: list[ViewEntry] = []
    rows = table_rows_of(table)
    nameless = unlabelled_table_rows(table, rows)
    stub = _stub_of_view(rows)
    for row in rows:
        body = [cell for cell in row if not cell.is_header and cell.column > stub]
        contents = [(cell, cell_content_of(cell.text)) for cell in body]
        own_n = _column_n_of_view(row, contents)
        column_n.update(own_n)
        if _view_row_is_header_again(row, contents):
            again = {cell.column: cell.text for cell, _ in contents}
            shared = Counter(cell.column_path for cell, _ in contents if cell.column_path)
            continue
        texts = [
            cell.text for cell in row if cell_content_of(cell.text).form is Form.TEXT and _LETTERS.search(cell.text)
        ]
        if row[0].row in nameless and not texts:
            continue
        if any(_ONLY_MARKS.fullmatch(text) for cell in body for text in cell.row_path):
            continue  # a footnote's mark was taken for a label: which row this is, is not known
        labels = {cell.text for cell in body if cell.text in cell.row_path}
        for cell, content in contents:
            if content.form in {Form.EMPTY, Form.TEXT} or cell.column in own_n or cell.text in labels:
                continue
            path = cell.column_path
            if cell.column in again:
                # A header of several columns goes on above those that stand again below it.
                path = (*(path if shared[path] > 1 else path[:-1]), again[cell.column])
            entries.append(
                ViewEntry(
                    cell=cell,
                    content=content,
                    rows=tuple(label_of(text) for text in _row_labels_in_view(cell, row, stub)),
                    columns=tuple(label_of(text) for text in path if text.strip()),
                )
            )
    return TableView(table=table, entries=tuple(entries), column_n=column_n)


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


def _view_row_is_header_again(row: Sequence[Cell], contents: Sequence[tuple[Cell, CellContent]]) -> bool:
    """Two or more texts without a number, beside an empty row label or each of them a way of counting or a time."""
    texts = [cell.text for cell, content in contents if content.form is not Form.EMPTY]
    if len(texts) < 2 or any(cell.is_header for cell in row):
        return False
    if not all(len(text) < _LONGEST_HEADER and _LETTERS.search(text) for text in texts):
        return False
    if any(_DATA.search(text) for text in texts):
        return False
    labels = [label_of(text) for text in texts]
    counting = sum(_label_says_how_in_view(label) for label in labels)
    if any(cell.column == 0 and cell.text.strip() for cell in row):
        times = sum(label.moment is not None and not label.core for label in labels)
        return counting == len(labels) or (
            times > 1
            and counting * 2 >= len(labels)
            and all(content.form in {Form.TEXT, Form.EMPTY} for _, content in contents)
        )
    return counting * 2 >= len(labels) or all(content.form is Form.TEXT for _, content in contents)


def _label_says_how_in_view(label: TableLabel) -> bool:
    return label.moment is not None or label.is_count or label.is_mean or label.is_median or label.is_comparison


def _row_labels_in_view(cell: Cell, row: Sequence[Cell], stub: int) -> tuple[str, ...]:
    """The labels of a cell's row, with what its stub says and texts that stand left of it before the first number."""
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
