"""Tables of plain text: rows between the bars of Markdown, and table elements of HTML. Their cells have no boxes."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate

from ingather.library.parse.tables.captions import caption_label_of
from ingather.library.parse.tables.row_labels import RowLabel, row_label_paths
from ingather.library.table import Cell, Table

_DIVIDER = re.compile(r"^\s*\|?(?:\s*:?-{1,}:?\s*\|)+\s*(?::?-{1,}:?)?\s*\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"(\*\*|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1")
_ELEMENT = re.compile(r"<table\b.*?</table\s*>", re.IGNORECASE | re.DOTALL)

# A span in a file may be any number; no table has more rows or columns than this.
_MOST_SPAN = 1_000

# A caption stands within so many lines above or below its table.
_NEAR_LINES = 2


@dataclass(slots=True)
class _Cell:
    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    is_header: bool


def tables_of_text(pages: Sequence[str]) -> tuple[Table, ...]:
    """The tables of a text file, in its order."""
    text = "".join(pages)
    starts = list(accumulate((len(page) for page in pages), initial=0))
    found = [*_markup_between_bars(text), *_markup_table_elements(text)]
    found.sort(key=lambda one: one[0])
    return tuple(
        _markup_table(cells, _caption_of_markup(text, start, end), max(bisect_right(starts[:-1], start) - 1, 0))
        for start, end, cells in found
        if cells
    )


def _markup_between_bars(text: str) -> Iterator[tuple[int, int, list[_Cell]]]:
    lines = text.splitlines(keepends=True)
    places = list(accumulate((len(line) for line in lines), initial=0))
    number = 0
    while number + 1 < len(lines):
        if not (_BAR.search(lines[number]) and _DIVIDER.match(lines[number + 1])):
            number += 1
            continue
        end = number + 2
        while end < len(lines) and lines[end].strip() and _BAR.search(lines[end]):
            end += 1
        rows = [lines[number], *lines[number + 2 : end]]
        cells = [
            _Cell(row, column, 1, 1, own, row == 0)
            for row, line in enumerate(rows)
            for column, own in enumerate(_markup_parts_of_pipe_row(line))
            if own
        ]
        yield places[number], places[end], cells
        number = end


def _markup_parts_of_pipe_row(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    parts = (part.replace("\\|", "|").replace("<br>", " ").replace("<br/>", " ") for part in _BAR.split(line))
    return [" ".join(_MARKS.sub(r"\2", part).split()) for part in parts]


def _markup_table_elements(text: str) -> Iterator[tuple[int, int, list[_Cell]]]:
    for found in _ELEMENT.finditer(text):
        reader = _MarkupReader()
        reader.feed(found[0])
        reader.close()
        reader.end_cell()
        yield found.start(), found.end(), reader.cells


@dataclass(slots=True)
class _Open:
    """A cell whose text is still to come."""

    row_span: int
    column_span: int
    is_header: bool
    parts: list[str] = field(default_factory=list)


class _MarkupReader(HTMLParser):
    """The cells of one table element, placed as a browser places them."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[_Cell] = []
        self._taken: set[tuple[int, int]] = set()
        self._row = -1
        self._column = 0
        self._open: _Open | None = None
        self._is_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        match tag:
            case "thead":
                self._is_head = True
            case "tr":
                self.end_cell()
                self._row, self._column = self._row + 1, 0
            case "td" | "th":
                self.end_cell()
                spans = dict(attrs)
                row_span, column_span = (
                    _markup_span_attribute(spans.get("rowspan")),
                    _markup_span_attribute(spans.get("colspan")),
                )
                is_header = self._is_head or (tag == "th" and self._row == 0)
                self._open = _Open(row_span, column_span, is_header)
            case "br" | "p" | "li" if self._open:
                self._open.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "thead":
            self._is_head = False
        elif tag in {"td", "th", "tr"}:
            self.end_cell()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open.parts.append(data)

    def end_cell(self) -> None:
        """Places the open cell in the first free column of its row."""
        cell, self._open = self._open, None
        if cell is None:
            return
        row = max(self._row, 0)
        while (row, self._column) in self._taken:
            self._column += 1
        for lower in range(row + 1, row + cell.row_span):
            self._taken.update((lower, self._column + n) for n in range(cell.column_span))
        text = " ".join("".join(cell.parts).split())
        if text:
            self.cells.append(_Cell(row, self._column, cell.row_span, cell.column_span, text, cell.is_header))
        self._column += cell.column_span


def _markup_span_attribute(value: str | None) -> int:
    return min(int(value), _MOST_SPAN) if value and value.isascii() and value.isdigit() and int(value) > 0 else 1


def _caption_of_markup(text: str, start: int, end: int) -> tuple[str, str]:
    """The label and the caption of a table: the nearest line above it, or else below it, that begins with a label."""
    above = [line for line in text[:start].splitlines()[-2 * _NEAR_LINES :] if line.strip()]
    below = [line for line in text[end : end + 2_000].splitlines()[: 2 * _NEAR_LINES] if line.strip()]
    for line in (*reversed(above[-_NEAR_LINES:]), *below[:_NEAR_LINES]):
        plain = _MARKS.sub(r"\2", line.strip().lstrip("#").strip())
        if (found := caption_label_of(plain)) is not None:
            return found[0], plain
    return "", ""


def _markup_table(cells: list[_Cell], caption: tuple[str, str], page: int) -> Table:
    heads = [cell for cell in cells if cell.is_header]
    body = sorted({cell.row for cell in cells if not cell.is_header})
    by_row = {row: [cell for cell in cells if cell.row == row and not cell.is_header] for row in body}
    firsts = {row: next((cell for cell in own if cell.column == 0), None) for row, own in by_row.items()}
    labels = [
        RowLabel(first.text, 0.0, is_alone=len(by_row[row]) == 1) if (first := firsts[row]) else None for row in body
    ]
    paths = dict(zip(body, row_label_paths(labels), strict=True))
    finished = tuple(
        Cell(
            row=cell.row,
            column=cell.column,
            row_span=cell.row_span,
            column_span=cell.column_span,
            text=cell.text,
            row_path=_markup_row_path(cell, paths, firsts),
            column_path=tuple(head.text for head in heads if _markup_is_head_over(head, cell)),
            is_header=cell.is_header,
            page=page,
        )
        for cell in sorted(cells, key=lambda cell: (cell.row, cell.column))
    )
    return Table(page=page, label=caption[0], caption=caption[1], cells=finished)


def _markup_row_path(
    cell: _Cell, paths: dict[int, tuple[str, ...]], firsts: dict[int, _Cell | None]
) -> tuple[str, ...]:
    first = firsts.get(cell.row)
    above = paths.get(cell.row, ())
    return (*above, first.text) if first is not None and cell is not first else above


def _markup_is_head_over(head: _Cell, cell: _Cell) -> bool:
    return (
        head.row < cell.row
        and head.column <= cell.column
        and head.column + head.column_span >= cell.column + cell.column_span
    )
