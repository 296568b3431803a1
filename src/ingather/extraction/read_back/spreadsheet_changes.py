"""What spreadsheets do to cells by themselves: dates, powers of ten, lost zeros, fractions, errors. Pure."""

import re
from datetime import date, time, timedelta
from typing import Final

from ingather.extraction.export.text import CUT_MARK, clean, cut, is_formula_like, text_of
from ingather.extraction.findings import Value
from ingather.extraction.read_back.uploaded import UploadedCell
from ingather.extraction.template.model import Field, FieldType
from ingather.notice import notice

_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec"
# Forms in which spreadsheets show a date that they have made of `2-9`, `1/2` or `MAR1`.
_DATE: Final = re.compile(
    rf"\d{{1,2}}[-\s](?:{_MONTHS})[a-z]*(?:[-\s]\d{{2,4}})?|(?:{_MONTHS})[a-z]*[-\s]\d{{1,4}}"
    r"|\d{1,4}[/.]\d{1,2}[/.]\d{1,4}|\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?"
    r"|\d{1,2}月\d{1,2}日|\d{4}年\d{1,2}月(?:\d{1,2}日)?",
    re.IGNORECASE,
)
_POWER: Final = re.compile(r"-?\d(?:\.\d+)?E[+-]?\d+", re.IGNORECASE)
_ERROR: Final = re.compile(r"#(?:REF|NAME|VALUE|DIV/0|N/A|NUM|NULL|SPILL|CALC)[!?]?|#{3,}", re.IGNORECASE)
_NUMERIC: Final = frozenset({FieldType.INT, FieldType.FLOAT, FieldType.PERCENT})


def is_same_cell(exported: Value, cell: UploadedCell) -> bool:
    """Whether a cell still says what was written into it; spreadsheets may write 19 for 19.0."""
    if isinstance(cell, bool | date | time | timedelta):
        return False
    number = _as_number(cell)
    if isinstance(exported, int | float) and not isinstance(exported, bool):
        return number is not None and float(exported) == number
    wanted = _comparable(text_of(exported))
    return wanted == _comparable(text_in_cell(cell)) or (isinstance(cell, float | int) and _as_number(wanted) == number)


def text_in_cell(cell: UploadedCell) -> str:
    """The text of a cell, without the apostrophe that kept it from being a formula."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell)
    return text[1:] if text.startswith("'") and is_formula_like(text) else text


def damage(field: Field | None, exported: Value, cell: UploadedCell) -> str:
    """Why a changed cell is not taken for what somebody typed; empty where it may be."""
    text = text_in_cell(cell).strip()
    kind = field.type if field else FieldType.TEXT
    if isinstance(cell, date | time | timedelta):
        return _made_a_date(text) if kind is not FieldType.DATE else _date_of_a_day()
    if _ERROR.fullmatch(text):
        return notice("read_back.error", "The spreadsheet shows an error here: {text}.", text=text)
    if isinstance(cell, bool):
        return notice("read_back.boolean", "The spreadsheet has made true or false of this cell.")
    if kind is not FieldType.DATE and _DATE.fullmatch(text):
        return _made_a_date(text)
    if kind not in _NUMERIC and _POWER.fullmatch(text):
        return notice(
            "read_back.power", "The spreadsheet has written a long number as {text}: digits are lost.", text=text
        )
    if kind is FieldType.PERCENT and isinstance(cell, float) and 0 < abs(cell) < 1:
        return notice(
            "read_back.fraction",
            "{text} may be a percentage that the spreadsheet keeps as a fraction. Write it as text.",
            text=text,
        )
    before = text_of(exported).strip()
    if kind not in _NUMERIC and before != text and before.lstrip("0") == text and before.isdigit():
        return notice("read_back.zeros", "The spreadsheet has dropped the zeros before {text}.", text=text)
    if CUT_MARK in text:
        return notice("read_back.cut", "This text was cut in the export, so it cannot be read back.")
    return ""


def _made_a_date(text: str) -> str:
    return notice("read_back.date", "A spreadsheet has made a date of this cell: {text}.", text=text)


def _date_of_a_day() -> str:
    return notice(
        "read_back.day",
        "A spreadsheet keeps whole days, so 2019-03 and 2019-03-01 look alike. Write the date as text.",
    )


def _as_number(cell: object) -> float | None:
    try:
        return float(cell) if isinstance(cell, str | int | float) else None
    except ValueError:
        return None


def _comparable(text: str) -> str:
    return cut(clean(text)).strip().replace("\r", "")
