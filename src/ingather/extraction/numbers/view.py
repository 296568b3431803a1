"""A table as its numbers see it: each cell with its content and the labels of its row and column, taken apart. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingather.extraction.numbers.cell import CellContent, Form, content_of, is_whole, plain_cell
from ingather.extraction.numbers.label import TableLabel, label_of
from ingather.extraction.numbers.table_rows import rows_of, unlabelled
from ingather.library.port import Cell, Table

# A header in the middle of a table is shorter than this, in characters; a longer text is a remark.
_LONGEST_HEADER: Final = 60
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_ONLY_MARKS: Final = re.compile(r"[a-k](?: ?, ?[a-k])*|[*\u2020\u2021\u00a7#\u00b6]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
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


def view_of(table: Table) -> TableView:
    """The entries of a table. Rows that are headers again, in the middle of it, count as headers of what follows."""
    again: dict[int, str] = {}
    column_n: dict[int, str] = {}
    entries: list[ViewEntry] = []
    rows = rows_of(table)
    nameless = unlabelled(table, rows)
    for row in rows:
        body = [cell for cell in row if not cell.is_header and cell.column > 0]
        contents = [(cell, content_of(cell.text)) for cell in body]
        own_n = _column_n(row, contents)
        column_n.update(own_n)
        if _is_header_again(row, contents):
            again = {cell.column: cell.text for cell, _ in contents}
            continue
        texts = [cell.text for cell in row if content_of(cell.text).form is Form.TEXT and _LETTERS.search(cell.text)]
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
                path = (*path[:-1], again[cell.column])
            entries.append(
                ViewEntry(
                    cell=cell,
                    content=content,
                    rows=tuple(label_of(text) for text in _row_labels(cell, row)),
                    columns=tuple(label_of(text) for text in path if text.strip()),
                )
            )
    return TableView(table=table, entries=tuple(entries), column_n=column_n)


def _column_n(row: Sequence[Cell], contents: Sequence[tuple[Cell, CellContent]]) -> dict[int, str]:
    """The numbers of people that a row gives for its columns: `n = 30` in each, or whole numbers behind `N`."""
    found = {cell.column: found[1] for cell in row if (found := _ONLY_N.fullmatch(plain_cell(cell.text)))}
    if len(found) > 1:
        return found
    label = next((cell.text for cell in row if cell.column == 0 and not cell.is_header), "")
    counts = [(cell, content) for cell, content in contents if content.form not in {Form.EMPTY, Form.P}]
    if not label_of(label).is_total_n or len(counts) < 2:
        return {}
    if all(content.form is Form.NUMBER and is_whole(content.first) for _, content in counts):
        return {cell.column: content.first for cell, content in counts}
    return {}


def _is_header_again(row: Sequence[Cell], contents: Sequence[tuple[Cell, CellContent]]) -> bool:
    """Two or more texts without a number, beside an empty row label or each of them a way of counting or a time."""
    texts = [cell.text for cell, content in contents if content.form is not Form.EMPTY]
    if len(texts) < 2 or any(cell.is_header for cell in row):
        return False
    if not all(len(text) < _LONGEST_HEADER and _LETTERS.search(text) for text in texts):
        return False
    labels = [label_of(text) for text in texts]
    counting = sum(_says_how(label) for label in labels)
    if any(cell.column == 0 and cell.text.strip() for cell in row):
        return counting == len(labels)
    return counting * 2 >= len(labels) or all(content.form is Form.TEXT for _, content in contents)


def _says_how(label: TableLabel) -> bool:
    return label.moment is not None or label.is_count or label.is_mean or label.is_median or label.is_comparison


def _row_labels(cell: Cell, row: Sequence[Cell]) -> tuple[str, ...]:
    """The labels of a cell's row, with texts of the row that stand left of it before the first number."""
    path = [text for text in cell.row_path if _LETTER.search(text)] or [text for text in cell.row_path if text.strip()]
    for other in row:
        if other.column >= cell.column or content_of(other.text).form is not Form.TEXT:
            break
        if _LETTER.search(other.text) and other.text not in path and not other.is_header:
            path.append(other.text)
    return tuple(path)


def unmarked(labels: Sequence[TableLabel], vocabulary: frozenset[str]) -> tuple[TableLabel, ...]:
    """Labels without the letters of footnotes that stand right behind a word: `sourcea` where a text knows `source`."""
    return tuple(replace(label, core=tuple(unmarked_term(term, vocabulary) for term in label.core)) for label in labels)


def unmarked_term(term: str, vocabulary: frozenset[str]) -> str:
    if len(term) > 4 and term[-1] in "abcdefghijk" and term not in vocabulary and term[:-1] in vocabulary:
        return term[:-1]
    return term
