"""Every date that a text may name, as far as it goes, and where. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingather.extraction.proof.number_terms import number_terms_in_digits

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_BY_NAME: Final = re.compile(
    rf"(?:\b{_DAY} (?:of )?)?\b{_MONTH},? (?:{_DAY},? )?(?:(?:to|and|through|until|till|-|or) ?"
    rf"(?:{_DAY} )?{_MONTH},? (?:{_DAY},? )?)?([0-9]{{4}})\b"
)
_BY_HAN: Final = re.compile(
    r"([0-9]{4})年(?:([0-9]{1,2})月(?:([0-9]{1,2})[日号])?(?:[至到~-]+([0-9]{1,2})月(?:([0-9]{1,2})[日号])?)?)?"
)
_YEAR_FIRST: Final = re.compile(r"(?<![0-9])([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?(?![0-9])")
_YEAR_LAST: Final = re.compile(r"(?<![0-9])(?:([0-9]{1,2})[-/.])?([0-9]{1,2})[-/.]([0-9]{4})(?![0-9])")
Date = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDate:
    """A date that a folded text names, and where."""

    start: int
    end: int
    date: Date

    def says(self, wanted: Date) -> bool:
        """Whether it says all that the wanted date says."""
        return all(part is None or part == other for part, other in zip(wanted, self.date, strict=True))


def named_dates(folded: str) -> Iterator[NamedDate]:
    """Every date that a folded text may name, as far as it goes, and where."""
    text, origin = number_terms_in_digits(folded)
    for start, end, date in _named_dates_in_quote(text):
        yield NamedDate(start=origin[start], end=origin[end - 1] + 1, date=date)


def _named_dates_in_quote(text: str) -> Iterator[tuple[int, int, Date]]:
    for found in re.finditer(r"(?<![0-9.,])([0-9]{4})(?![0-9])", text):
        yield *found.span(), (int(found[1]), None, None)
    for found in _BY_NAME.finditer(text):
        before, name, after, day2, name2, after2, year = found.groups()
        has_two = bool(name2)
        yield (
            found.start(),
            max(found.end(2), found.end(3)) if has_two else found.end(),
            (int(year), _number_of_named_month(name), _optional_part_of_date(before or after)),
        )
        if has_two:
            start = found.start(4) if day2 else found.start(5)
            yield start, found.end(), (int(year), _number_of_named_month(name2), _optional_part_of_date(day2 or after2))
    for found in _BY_HAN.finditer(text):
        year, month, day, month2, day2 = found.groups()
        stop = found.end()
        if month2:
            stop = max(found.end(2), found.end(3)) + 1
            yield found.start(4), found.end(), (int(year), int(month2), _optional_part_of_date(day2))
        yield (
            found.start(),
            min(stop, found.end()),
            (int(year), _optional_part_of_date(month), _optional_part_of_date(day)),
        )
    for found in _YEAR_FIRST.finditer(text):
        year, month, day = found.groups()
        yield *found.span(), (int(year), int(month), _optional_part_of_date(day))
    for found in _YEAR_LAST.finditer(text):
        one, two, year = found.groups()
        yield *found.span(), (int(year), int(two), _optional_part_of_date(one))
        if one:
            yield *found.span(), (int(year), int(one), int(two))


def _number_of_named_month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _optional_part_of_date(text: str | None) -> int | None:
    return int(text) if text else None
