"""Numbers, dates and durations as papers print them."""

import re
from typing import Final

_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NAMED: Final = {name: n for n, name in enumerate(_ONES)} | {name: 20 + 10 * n for n, name in enumerate(_TENS)}
_SCALES: Final = {"thousand": 1_000, "million": 1_000_000}
_SMALL: Final = "|".join(sorted(_NAMED, key=len, reverse=True))
_LARGE: Final = "hundred|thousand|million"

# A count in digits (1,204 or 1 204 or 1204), or in English of any size (`one thousand two hundred and four`). A figure
# that is part of a name (S0715, DM2, M1), of a range, of a decimal or of a share is none.
COUNT: Final = (
    r"(?:(?<![\w.,/%+-])(?<!\d )\d{1,3}(?:(?:,\d{3}){1,3}|(?: \d{3}){1,3})(?![\w%]|[.,-]\d)"
    r"|(?<![\w.,/%+-])\d{1,7}(?![\w%]| ?%|[.,-]\d)"
    rf"|\b(?:(?:an? )(?=hundred|thousand))?(?:{_SMALL}|{_LARGE})(?:(?:[ -]|,? and |, )(?:{_LARGE}"
    rf"|{_SMALL})\b){{0,14}}\b)"
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


def printed_count(text: str) -> int | None:
    """The whole number that digits or English number names stand for; None for names that make no number."""
    digits = text.replace(",", "").replace(" ", "")
    if digits.isascii() and digits.isdigit():
        return int(digits)
    total = group = 0
    last = 0  # the value of the name before: names of one group must fall, as in `forty two`
    for name in re.findall(r"[a-z]+", text.lower()):
        value = _NAMED.get(name)
        if value is not None:
            if last and not (last >= 100 or (last >= 20 and value < 10)):
                return None
            group, last = group + value, value or 1
        elif name == "hundred" and last < 100:
            group, last = max(group, 1) * 100, 100
        elif name in _SCALES and group < 1_000:
            total, group, last = total + max(group, 1) * _SCALES[name], 0, 1_000
        elif name not in {"a", "an", "and"}:
            return None
    return total + group or None


def printed_decimal(text: str) -> float | None:
    """The number as a float; None for what is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def printed_month(text: str) -> str | None:
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


def printed_span(text: str) -> str | None:
    """A duration as a number and a plural unit, such as `12 weeks`."""
    found = _SPAN.match(text.strip())
    if found is None:
        return None
    value = found[1].strip()
    number = printed_count(value)
    unit = found[2].lower()
    if number is None and printed_decimal(value) is None:
        return None
    return f"{value if number is None else number} {_SPAN_UNITS.get(unit, unit + 's')}"


def printed_days(text: str) -> float:
    """How long a duration made by `printed_span` is, for choosing the longest."""
    value, unit = text.split(" ", 1)
    return float(value) * {"days": 1, "weeks": 7, "months": 30.4, "years": 365}[unit]
