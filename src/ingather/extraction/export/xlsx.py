"""Sheets as an Excel workbook, written row by row: memory does not grow with the results."""

import re
from collections.abc import Iterable
from datetime import datetime
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import xlsxwriter  # type: ignore[import-untyped]

from ingather.extraction.export.closing import closing_lines
from ingather.extraction.export.form import TemplateLike, label_of
from ingather.extraction.export.sheets import Entry, SheetHeading, Sheets
from ingather.extraction.export.tally import Emphasis, Tally
from ingather.extraction.export.text import clean, cut, exact_number, is_formula_like
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, TaskSummary

# The limits of Excel: what goes beyond would be lost when the file is opened.
MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 16_384

_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "use_zip64": True,
}
_BODY = {"text_wrap": True, "valign": "top"}
_LOOKS: dict[Emphasis, dict[str, Any]] = {
    Emphasis.PLAIN: {},
    Emphasis.ATTENTION: {"bg_color": "#FFE5B4", "font_color": "#7A3E00"},
    Emphasis.ABSENT: {"font_color": "#767676", "italic": True},
    Emphasis.FAILED: {"bg_color": "#F8D0D0", "font_color": "#8B0000", "bold": True},
}
_HEAD = {**_BODY, "bold": True, "bg_color": "#1F4E79", "font_color": "#FFFFFF", "border": 1, "border_color": "#FFFFFF"}
_SECTION = {**_BODY, "bold": True, "bg_color": "#D9E2EC"}
_ID = {**_BODY, "font_size": 9, "font_color": "#595959", "bg_color": "#F2F2F2"}
# Excel reads _x0041_ as A. The writer escapes that, but not where two of them share an underscore.
_ESCAPES_IN_A_ROW = re.compile(r"_x[0-9A-Fa-f]{4}_x[0-9A-Fa-f]{4}_")
_INSIDE_ESCAPE = re.compile(r"(?<=_)(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    wording: Wording,
    *,
    max_rows: int = MAX_ROWS,
) -> None:
    """One pass over the results; every sheet grows in a file of its own until the workbook is put together."""
    tables, tally = Sheets(template, wording, summary.task_id), Tally()
    with TemporaryDirectory(prefix="ingather-export-") as folder:
        book = xlsxwriter.Workbook(out, {**_OPTIONS, "tmpdir": folder})
        # Without a given date the file would hold the clock's, and the same results would give other bytes each time.
        book.set_properties({"title": clean(label_of(template, wording.language)), "created": _workbook_date(summary)})
        looks = _Looks(book)
        sheets = {table.key: _Sheet(book, table, looks, max_rows) for table in tables.all}
        for document in results:
            tally.add(document)
            for key, cells in tables.lines(document):
                sheets[key].add(cells)
        for key, cells in closing_lines(summary, template, tally, wording):
            sheets[key].add(cells)
        for sheet in sheets.values():
            sheet.finish()
        book.close()


class _Looks:
    """The formats of a workbook. Quoted ones keep text from becoming a formula when somebody edits its cell."""

    def __init__(self, book: Any) -> None:
        self.head, self.section, self.id = (book.add_format(look) for look in (_HEAD, _SECTION, _ID))
        self.text = {mark: book.add_format({**_BODY, **look}) for mark, look in _LOOKS.items()}
        self.quoted = {mark: book.add_format({**_BODY, **look, "quote_prefix": True}) for mark, look in _LOOKS.items()}


class _Sheet:
    """A table on one sheet, and on more of the same name once that is full."""

    def __init__(self, book: Any, table: SheetHeading, looks: _Looks, max_rows: int) -> None:
        if len(table.columns) > MAX_COLUMNS:
            raise ValueError(
                f"An Excel sheet has {MAX_COLUMNS:,} columns and “{table.title}” needs {len(table.columns):,}. "
                "Export as CSV or JSON instead."
            )
        self._book, self._table, self._looks, self._max_rows = book, table, looks, max_rows
        self._count = 0
        self._open()

    def add(self, cells: Iterable[Entry]) -> None:
        if self._row == self._max_rows:
            self.finish()
            self._open()
        for column, cell in enumerate(cells):
            if cell.value != "":
                self._write(column, cell)
        self._row += 1

    def finish(self) -> None:
        """The filter covers the rows there are, so it is set last."""
        self._sheet.autofilter(
            self._first_row - 1, 0, max(self._row, self._first_row) - 1, len(self._table.columns) - 1
        )

    def _open(self) -> None:
        self._count += 1
        name = self._table.title if self._count == 1 else f"{self._table.title} {self._count}"
        self._sheet = self._book.add_worksheet(name)
        self._row = 0
        for at, column in enumerate(self._table.columns):
            self._sheet.set_column(at, at, column.width)
        if self._table.is_wide:
            self._sheet.set_default_row(45)
            self._heading([column.section for column in self._table.columns], self._looks.section, height=18)
        self._heading([column.title for column in self._table.columns], self._looks.head, height=32)
        if self._table.is_wide:
            self._heading([column.id for column in self._table.columns], self._looks.id, height=18)
        self._first_row = self._row
        self._sheet.freeze_panes(self._first_row, 2 if self._table.is_wide else 0)

    def _heading(self, titles: list[str], look: Any, *, height: int) -> None:
        self._sheet.set_row(self._row, height)
        before = ""
        for column, title in enumerate(titles):
            if title and not (look is self._looks.section and title == before):
                self._put(column, cut(clean(title)), look)
            else:
                self._sheet.write_blank(self._row, column, None, look)
            before = title
        self._row += 1

    def _write(self, column: int, cell: Entry) -> None:
        value = cell.value
        if not isinstance(value, str):
            if (number := exact_number(value)) is not None:
                self._sheet.write_number(self._row, column, number, self._looks.text[cell.mark])
                return
            value = str(value)
        text = cut(clean(value))
        looks = self._looks.quoted if is_formula_like(text) else self._looks.text
        self._put(column, text, looks[cell.mark])

    def _put(self, column: int, text: str, look: Any) -> None:
        # A string that opens with <r> and ends with </r> would be written as markup, formulas in it and all.
        # Given in pieces it is text, and escapes cut in two are none.
        is_markup = text.startswith("<r>") and text.endswith("</r>")
        if is_markup or ("_x" in text and _ESCAPES_IN_A_ROW.search(text)):
            pieces = _INSIDE_ESCAPE.split(text)
            if is_markup:
                pieces[:1] = ["<", "r", pieces[0][2:]]
            self._sheet.write_rich_string(self._row, column, *pieces, look)
        else:
            self._sheet.write_string(self._row, column, text, look)


def _workbook_date(summary: TaskSummary) -> datetime:
    try:
        return datetime.fromisoformat(summary.closed_at or summary.created_at).replace(tzinfo=None)
    except ValueError:
        return datetime(2000, 1, 1)  # noqa: DTZ001 (Excel's dates have no zone)
