"""What may stand in a cell: text made harmless without being changed, and numbers only where no digit is lost."""

import re
from datetime import UTC, datetime

from ingather.extraction.findings import CellPlace, Value

CELL_LIMIT = 32_767  # of Excel, counted in UTF-16 units
CUT_MARK = "…[cut, full text in the JSON export]"
REPLACEMENT = "\ufffd"

_LINE_BREAK = re.compile(r"\r\n?")
# Control characters but tab and line feed, lone surrogates, and what XML forbids: none can stand in a cell.
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Spreadsheets look past white space, and some past characters without width or in full width.
_FORMULA = re.compile(
    "'*(?:[\\s\u200b-\u200f\u2060\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]|[\t\r\n])"
)


def clean(text: str) -> str:
    """Every line break a line feed, and U+FFFD where a character cannot be written."""
    if "\r" in text:
        text = _LINE_BREAK.sub("\n", text)
    return _UNWRITABLE.sub(REPLACEMENT, text)


def without_surrogates(text: str) -> str:
    """The text, with U+FFFD for what UTF-8 cannot say."""
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def cut(text: str) -> str:
    """As much of a clean text as a cell can hold, with a mark that says so."""
    if len(text) <= CELL_LIMIT // 2 or _utf16_units(text) <= CELL_LIMIT:
        return text
    room = (CELL_LIMIT - _utf16_units(CUT_MARK)) * 2
    return text.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + CUT_MARK


def is_formula_like(text: str) -> bool:
    """Whether a spreadsheet might take the text for a formula, or has been kept from it by an apostrophe."""
    return _FORMULA.match(text) is not None


def exact_number(value: Value) -> int | float | None:
    """The value, where Excel keeps all its digits: 15 of them, and no extremes."""
    match value:
        case bool():
            return None
        case int():
            return value if -(10**15) < value < 10**15 else None
        case float():
            is_kept = value == 0 or 1e-300 < abs(value) < 1e300  # false for NaN and infinity
            return value if is_kept and float(f"{value:.15g}") == value else None
        case _:
            return None


def text_of(value: Value) -> str:
    """A value as words: lists joined with a semicolon, numbers with all their digits."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list():
            return "; ".join(value)
        case _:
            return str(value)


def time_of(at: datetime) -> str:
    """A time to the second, with its zone: UTC."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _utf16_units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def cell_texts(cell: CellPlace | None) -> tuple[str, str, str, str]:
    """The table of a value, the labels of its row, the headers of its column, and its box on the page."""
    if cell is None:
        return "", "", "", ""
    box = " ".join(f"{edge:.1f}" for edge in cell.box) if cell.box else ""
    return cell.label, " > ".join(cell.row_path), " > ".join(cell.column_path), box
