"""Reads the tables of an answer of MinerU: its list of contents, whose tables are HTML. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

from ingather.library.layout.grid import ParsedCell, ParsedTable, with_headers

# MinerU gives places in thousandths of the page.
SCALE: Final = 1000
# A cell that says it spans more than this is not believed: no printed table has so many rows or columns.
MOST_SPAN: Final = 500


def grids_of(answer: Mapping[str, Any], sizes: Sequence[tuple[float, float]]) -> Iterator[ParsedTable]:
    """`sizes` are width and height of the pages. Raises KeyError, TypeError or ValueError for another form."""
    [result] = answer["results"].values()
    contents = result["content_list"]
    for item in json.loads(contents) if isinstance(contents, str) else contents:
        if item["type"] != "table":
            continue
        page = int(item["page_idx"])
        width, height = sizes[page]
        left, top, right, bottom = (float(value) / SCALE for value in item["bbox"])
        cells = _Cells.of(item.get("table_body") or "")
        if cells:
            yield ParsedTable(
                page=page,
                caption=_mineru_text(item.get("table_caption")),
                footnotes=tuple(text for note in item.get("table_footnote") or () if (text := _mineru_text([note]))),
                cells=with_headers(cells),
                box=(left * width, top * height, right * width, bottom * height),
            )


def _mineru_text(texts: Sequence[str] | None) -> str:
    return " ".join(" ".join(texts or ()).split())


class _Cells(HTMLParser):
    """The cells of one HTML table, each at its place in the grid."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[ParsedCell] = []
        self._row = -1
        self._taken: set[tuple[int, int]] = set()
        self._open: dict[str, int] | None = None
        self._text: list[str] = []

    @classmethod
    def of(cls, html: str) -> list[ParsedCell]:
        parser = cls()
        parser.feed(html)
        parser.close()
        return parser.cells

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._row += 1
        elif tag in {"td", "th"}:
            self._end_cell()
            given = dict(attrs)
            self._open = {name: _mineru_span(given.get(name)) for name in ("rowspan", "colspan")}

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "tr", "table"}:
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._text.append(data)

    def _end_cell(self) -> None:
        if self._open is None:
            return
        column = 0
        while (self._row, column) in self._taken:
            column += 1
        rows, columns = self._open["rowspan"], self._open["colspan"]
        self._taken |= {(self._row + down, column + across) for down in range(rows) for across in range(columns)}
        text = " ".join("".join(self._text).split())
        self.cells.append(
            ParsedCell(row=max(self._row, 0), column=column, row_span=rows, column_span=columns, text=text)
        )
        self._open, self._text = None, []


def _mineru_span(text: str | None) -> int:
    number = int(text) if text and text.strip().isdigit() else 1
    if not 1 <= number <= MOST_SPAN:
        raise ValueError(f"a cell spans {number} rows or columns")
    return number
