"""An uploaded file as sheets of cells: a workbook, a CSV file, or a zip of CSV files, whatever spreadsheet saved it."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zipfile import BadZipFile, ZipFile

from ingather.engine.errors import UsageError
from ingather.notice import notice

# Bytes of a file once it is unpacked. The workbook of a thousand papers has a tenth of it; a bomb has more.
MOST_UNPACKED: Final = 300_000_000
# Spreadsheets of some countries part cells by a semicolon, some programs by a tab.
_DELIMITERS: Final = ",;\t"

UploadedCell = str | float | int | bool | date | time | datetime | timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedSheet:
    """The cells of a sheet, row by row, with the headings among them."""

    name: str
    rows: list[list[UploadedCell]]


def sheets_of_upload(name: str, content: bytes) -> list[UploadedSheet]:
    """Every sheet of the file, or a sentence that says why it is none."""
    if not content:
        raise UsageError(notice("read_back.empty", "The file is empty."))
    if not content.startswith(b"PK"):
        return [UploadedSheet(name=name, rows=_rows_of_csv(content))]
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
                raise UsageError(notice("read_back.too_large", "The file is too large to be read back."))
            if "[Content_Types].xml" in names:
                return list(_sheets_of_workbook(content))
            return [
                UploadedSheet(name=entry, rows=_rows_of_csv(archive.read(entry)))
                for entry in names
                if entry.lower().endswith(".csv")
            ]
    except BadZipFile:
        raise _unreadable() from None


def _sheets_of_workbook(content: bytes) -> Iterator[UploadedSheet]:
    from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415  seldom needed, and a compiled file

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for name in book.sheet_names:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
            yield UploadedSheet(name=name, rows=[list(row) for row in rows])
    except CalamineError:
        raise _unreadable() from None


def _rows_of_csv(content: bytes) -> list[list[UploadedCell]]:
    """In UTF-8, or in UTF-16, as spreadsheets save “Unicode text”. Other encodings would change letters silently."""
    encoding = "utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(
            notice("read_back.encoding", "The file is not in UTF-8. Save it as “CSV UTF-8” or as a workbook.")
        ) from None
    if "\0" in text:
        raise _unreadable()
    heading = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=heading.count)
    try:
        return [list(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error:
        raise _unreadable() from None


def _unreadable() -> UsageError:
    return UsageError(
        notice(
            "read_back.unreadable",
            "This is neither a workbook nor a CSV file that can be read. Save it as .xlsx or as “CSV UTF-8”.",
        )
    )
