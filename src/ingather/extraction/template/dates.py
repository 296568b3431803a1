"""Dates as papers print them, kept as precisely as they were reported: 2019, 2019-03 or 2019-03-15."""

import re
from calendar import monthrange
from typing import Final

from ingather.extraction.template.errors import ValueProblem
from ingather.extraction.template.number_values import plain_number_value
from ingather.notice import notice

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_Y, _M, _D, _NAME = r"(?P<y>[0-9]{4})", r"(?P<m>[0-9]{1,2})", r"(?P<d>[0-9]{1,2})", r"(?P<name>[a-z]+)\.?"
# 03/04/2019 is not here: it is March in one country and April in another.
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_Y}",
        rf"{_Y}[-/.]{_M}",
        rf"{_Y}([-/.]){_M}\2{_D}(?:T00:00:00(?:\.0+)?Z?)?",
        rf"{_M}[-/]{_Y}",
        rf"{_NAME},?\s*{_Y}",
        rf"{_Y}\s+{_NAME}",
        rf"{_D}(?:st|nd|rd|th)?\s+{_NAME},?\s*{_Y}",
        rf"{_NAME}\s+{_D}(?:st|nd|rd|th)?,?\s+{_Y}",
        rf"{_Y}\s*年(?:\s*{_M}\s*月(?:\s*{_D}\s*日)?)?",
    )
)


def read_date(raw: object) -> str:
    """The date in ISO form, or ValueProblem."""
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        raise ValueProblem(notice("value.date_text_such_2019_03", "A date is a text such as 2019-03."))
    text = plain_number_value(str(raw) if isinstance(raw, str) or 0 <= raw <= 9999 else "")
    for form in _FORMS if len(text) <= 40 else ():
        if found := form.fullmatch(text):
            return _date_in_iso(found.groupdict(), text)
    raise ValueProblem(
        notice(
            "value.no_date_read_way_only",
            "{value} is no date that can be read in one way only; write it as 2019-03 or 2019-03-15.",
            value=f"{text[:40]!r}",
        )
    )


def _date_in_iso(parts: dict[str, str | None], text: str) -> str:
    year, day = int(parts["y"] or 0), parts.get("d")
    name, digits = parts.get("name"), parts.get("m")
    month = _MONTHS.get(name.casefold(), 0) if name else int(digits) if digits else None
    if not 1800 <= year <= 2100 or (month is not None and not 1 <= month <= 12):
        raise ValueProblem(
            notice("value.no_date_between_1800_2100", "{value} is no date between 1800 and 2100.", value=f"{text!r}")
        )
    if month is None:
        return f"{year:04}"
    if day is None:
        return f"{year:04}-{month:02}"
    if not 1 <= int(day) <= monthrange(year, month)[1]:
        raise ValueProblem(notice("value.no_day_calendar", "{value} is no day of the calendar.", value=f"{text!r}"))
    return f"{year:04}-{month:02}-{int(day):02}"
