"""Tables of a paper as files for people: CSV and Excel."""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from typing import Any, BinaryIO

import xlsxwriter  # type: ignore[import-untyped]

from ingather.extraction.export.text import clean, is_formula_like
from ingather.library.table import Cell, Table

# Excel shows no more characters of a cell, and no more of a sheet's name.
_MOST_CHARACTERS = 32_767
_MOST_OF_NAME = 31

# No rows or columns beyond these are kept by Excel.
_MOST_ROWS = 1_048_576
_MOST_COLUMNS = 16_384

# A file has no clock in it: the same tables give the same bytes.
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)

_PICTURE = "This table is a picture: its cells are not read."


def write_tables_csv(out: BinaryIO, tables: Sequence[Table]) -> None:
    """Tables one below the other: caption, rows, footnotes, an empty line."""
    text = TextIOWrapper(out, "utf-8-sig", newline="", write_through=True)
    sheet = csv.writer(text)
    for number, table in enumerate(tables):
        if number:
            sheet.writerow([])
        sheet.writerow(
            [_guarded_text_of_table_file(line) for line in [table.caption or f"Table on page {table.page + 1}"]]
        )
        for row in rows_for_table_file(table):
            sheet.writerow([_guarded_text_of_table_file(value) for value in row])
        for note in (*table.footnotes, *((_PICTURE,) if table.is_picture else ())):
            sheet.writerow([_guarded_text_of_table_file(note)])
    text.detach()


def rows_for_table_file(table: Table) -> list[list[str]]:
    """The texts of a table row by row; what spans several cells stands in the first of them."""
    height = max((cell.row + cell.row_span for cell in table.cells), default=0)
    width = max((cell.column + cell.column_span for cell in table.cells), default=0)
    rows = [[""] * width for _ in range(height)]
    for cell in table.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def _guarded_text_of_table_file(text: str) -> str:
    text = clean(text)
    return "'" + text if is_formula_like(text) else text


def write_tables_xlsx(out: BinaryIO, tables: Sequence[Table]) -> None:
    """A workbook with a sheet for each table: caption, cells with their spans, footnotes."""
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(out, options)
    book.set_properties({"title": "Tables", "created": _CREATED})
    body = {"text_wrap": True, "valign": "top"}
    looks = {
        False: book.add_format(body),
        True: book.add_format({**body, "bold": True, "bg_color": "#D9E2EC"}),
    }
    for number, table in enumerate(tables, 1):
        sheet = book.add_worksheet(f"{number} page {table.page + 1}"[:_MOST_OF_NAME])
        _put_string_in_table_file(sheet, 0, 0, table.caption, looks[False])
        for cell in table.cells:
            _put_cell_in_table_file(sheet, cell, looks[cell.is_header])
        end = 2 + max((cell.row + cell.row_span for cell in table.cells), default=0)
        for place, note in enumerate((*table.footnotes, *((_PICTURE,) if table.is_picture else ()))):
            _put_string_in_table_file(sheet, end + place, 0, note, looks[False])
    if not tables:
        _put_string_in_table_file(book.add_worksheet("no tables"), 0, 0, "No tables were found.", looks[False])
    book.close()


def _put_string_in_table_file(sheet: Any, row: int, column: int, text: str, look: Any) -> None:
    if row < _MOST_ROWS and column < _MOST_COLUMNS:
        sheet.write_string(row, column, clean(text)[:_MOST_CHARACTERS], look)


def _put_cell_in_table_file(sheet: Any, cell: Cell, look: Any) -> None:
    top, left = cell.row + 2, cell.column
    bottom, right = top + cell.row_span - 1, left + cell.column_span - 1
    if (bottom, right) == (top, left):
        _put_string_in_table_file(sheet, top, left, cell.text, look)
        return
    try:
        sheet.merge_range(top, left, bottom, right, clean(cell.text)[:_MOST_CHARACTERS], look)
    except xlsxwriter.exceptions.OverlappingRange:
        _put_string_in_table_file(sheet, top, left, cell.text, look)
