"""Sheets as CSV that Excel reads as UTF-8, and that no spreadsheet takes for formulas."""

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ingather.extraction.export.closing import closing_lines
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.lookup import Lookup
from ingather.extraction.export.sheets import Entry, SheetHeading, Sheets
from ingather.extraction.export.tally import Tally
from ingather.extraction.export.text import clean, cut, is_formula_like
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, TaskSummary


def write_csv(
    out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult], wording: Wording
) -> None:
    """The Evidence sheet: one row per finding."""
    tables = Sheets(template, wording, summary.task_id)
    with _csv_sheet(out) as sheet:
        sheet.head(tables.evidence)
        for document in results:
            for cells in tables.evidence_rows(Lookup(document)):
                sheet.add(cells)


def write_csv_tables(
    out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult], wording: Wording
) -> None:
    """A zip of all sheets, each a CSV file named as in English; their rows wait in temporary files for their turn."""
    tables, tally, names = Sheets(template, wording, summary.task_id), Tally(), Wording("en")
    spools = {table.key: TemporaryFile() for table in tables.all}  # noqa: SIM115 (closed below, all of them)
    try:
        sheets = {key: _Csv(spool) for key, spool in spools.items()}
        for table in tables.all:
            sheets[table.key].head(table)
        for document in results:
            tally.add(document)
            for key, cells in tables.lines(document):
                sheets[key].add(cells)
        for key, cells in closing_lines(summary, template, tally, wording):
            sheets[key].add(cells)
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            for key, spool in spools.items():
                sheets[key].flush()
                spool.seek(0)
                entry = ZipInfo(f"{names[f'sheet.{key}'].lower()}.csv")
                entry.compress_type = ZIP_DEFLATED
                with archive.open(entry, "w", force_zip64=True) as member:
                    copyfileobj(spool, member)
    finally:
        for spool in spools.values():
            spool.close()


class _Csv:
    """One CSV file: UTF-8 with a byte order mark, CRLF, and an apostrophe before what looks like a formula."""

    def __init__(self, out: BinaryIO) -> None:
        self._text = TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=False)
        self._writer = csv.writer(self._text)

    def head(self, table: SheetHeading) -> None:
        """One row: the id of the column's field where it has one, since ids never change."""
        self._writer.writerow([_safe_csv_value(column.id or column.title) for column in table.columns])

    def add(self, cells: Iterable[Entry]) -> None:
        self._writer.writerow([_safe_csv_value(cell.value) for cell in cells])

    def flush(self) -> None:
        self._text.flush()

    def detach(self) -> None:
        self._text.detach()


@contextmanager
def _csv_sheet(out: BinaryIO) -> Iterator[_Csv]:
    sheet = _Csv(out)
    try:
        yield sheet
    finally:
        sheet.detach()  # else the caller's file would be closed with ours


def _safe_csv_value(value: str | float) -> str:
    if not isinstance(value, str):
        text = repr(value)
        if text.lstrip("-")[:1].isdigit():
            return text
        value = text  # NaN and infinity are words
    text = cut(clean(value))
    return f"'{text}" if is_formula_like(text) else text
