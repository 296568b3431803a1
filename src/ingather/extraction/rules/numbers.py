"""Numbers, dates and durations as papers print them."""

import re
from typing import Final

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {word: n for n, word in enumerate(_UNITS)} | {word: 20 + 10 * n for n, word in enumerate(_TENS)}
_WORD: Final = "|".join(sorted(_WORDS, key=len, reverse=True))

# A count in digits (1,204 or 1 204 or 1204), or in words up to the hundreds.
COUNT: Final = (
    rf"(?:(?<![\d.,/-])\d{{1,3}}(?:,\d{{3}}){{1,2}}|(?<![\d.,/-])\d{{1,7}}(?![\d%]|[.,]\d)"
    rf"|\b(?:{_WORD})(?:[ -](?:hundred|{_WORD}|and)){{0,6}}\b)"
)
DECIMAL: Final = r"-?\d{1,6}(?:\.\d{1,6})?"

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
DATE: Final = (
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?{_MONTH}(?: \d{{1,2}},)? \d{{4}}"
    rf"|\d{{4}} ?年 ?\d{{1,2}} ?月(?: ?\d{{1,2}} ?日)?)"
)
_ENGLISH_DATE: Final = re.compile(rf"({_MONTH})(?: \d{{1,2}},)? (\d{{4}})", re.IGNORECASE)
_CHINESE_DATE: Final = re.compile(r"(\d{4}) ?年 ?(\d{1,2}) ?月")

SPAN: Final = rf"(?:{COUNT}|\d{{1,3}}\.\d{{1,2}})[ -]?(?:days?|weeks?|months?|years?|天|周|个月|年)"
_SPAN: Final = re.compile(r"(.+?)[ -]?(day|week|month|year|天|周|个月|年)s?$", re.IGNORECASE)
_SPAN_UNITS: Final = {"天": "days", "周": "weeks", "个月": "months", "年": "years"}


def count(text: str) -> int | None:
    """The whole number that digits or words stand for."""
    digits = text.replace(",", "")
    if digits.isascii() and digits.isdigit():
        return int(digits)
    total = 0
    for word in re.split(r"[ -]", text.lower()):
        if word == "hundred":
            total = max(total, 1) * 100
        elif word in _WORDS:
            total += _WORDS[word]
        elif word != "and":
            return None
    return total or None


def decimal(text: str) -> float | None:
    """The number as a float; None for what is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def month(text: str) -> str | None:
    """The month of a date as YYYY-MM."""
    if found := _CHINESE_DATE.search(text):
        year, number = int(found[1]), int(found[2])
    elif found := _ENGLISH_DATE.search(text):
        name = found[1].lower().rstrip(".")
        number = next((n for n, full in enumerate(MONTHS, 1) if full.startswith(name[:3])), 0)
        year = int(found[2])
        if not MONTHS[number - 1].startswith(name) and name != "sept":
            return None
    else:
        return None
    return f"{year:04}-{number:02}" if 1 <= number <= 12 and 1900 <= year <= 2100 else None


def span(text: str) -> str | None:
    """A duration as a number and a plural unit, such as `12 weeks`."""
    found = _SPAN.match(text.strip())
    if found is None:
        return None
    value = found[1].strip()
    number = count(value)
    unit = found[2].lower()
    if number is None and decimal(value) is None:
        return None
    return f"{value if number is None else number} {_SPAN_UNITS.get(unit, unit + 's')}"


def days(text: str) -> float:
    """How long a duration made by `span` is, for choosing the longest."""
    value, unit = text.split(" ", 1)
    return float(value) * {"days": 1, "weeks": 7, "months": 30.4, "years": 365}[unit]
