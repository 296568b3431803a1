"""Whether the words that prove a value have its figures in them. Pure; asked of every value that has figures.

A value may be right and its quote true, and the quote may still say nothing
about the value. Words cannot be checked so simply; figures can.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ingather.extraction.findings import Value
from ingather.extraction.ground.folding import fold
from ingather.extraction.proof.number_terms import HAN_RUN, han_number, spelt_numbers

_EXEMPT: Final = frozenset(("enum", "multi_enum", "bool", "boolean"))

_FIGURES: Final = re.compile(
    r"(?P<sign>[-+] ?)?"
    r"(?P<number>[1-9][0-9]{0,2}(?:[, ][0-9]{3})+(?:\.[0-9]+)?(?![0-9.]*[0-9])"  # 1,234 and 1 234.5
    r"|[0-9]+(?:\.[0-9]+)?|(?<![\w)\]])\.[0-9]+)"
    r"(?: ?x ?10 ?\^ ?(?P<power>-?[0-9]{1,2}))?"
    r"(?P<scale> ?(?:thousand|million|billion|万|亿))?"
)
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}
_DECIMAL_COMMA: Final = re.compile(r"(?<![0-9.,])([0-9]+),([0-9]{1,2})(?![0-9.,]*[0-9])")
_COMPARED: Final = re.compile(r"([<>\u2264\u2265]) ?(-?[0-9.]*[0-9])")
_TIMES: Final = {"once": 1, "twice": 2}

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
_ISO: Final = re.compile(r"([0-9]{4})(?:[-/.]([0-9]{1,2}))?(?:[-/.]([0-9]{1,2}))?(?:t.*)?")

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


def supports(value: Value, text: str, *, type: str = "text", enum: Sequence[str] = ()) -> bool:
    """Whether the figures of a value occur in the text that is quoted for it, sign and decimals included.

    Values without figures are supported by anything: choices, truth values,
    plain words. `enum` is the list of choices of a field that has one.
    """
    if value is None or isinstance(value, bool) or type in _EXEMPT or enum:
        return True
    if isinstance(value, list):
        return all(supports(one, text, type=type) for one in value)
    source = fold(text).text
    wanted = fold(value).text if isinstance(value, str) else format(Decimal(str(value)), "f")
    if type == "date" and (date := _ISO.fullmatch(wanted)):
        year, month, day = (int(part) if part else None for part in date.groups())
        return any(one.says((year or 0, month, day)) for one in dates(source))
    if type in {"text", "longtext", "multi_text", "id"} and _is_in(wanted, source):
        return True
    figures = {*_figures(wanted)}
    if isinstance(value, str) and not {*_COMPARED.findall(wanted)} <= {*_COMPARED.findall(source)}:
        return False
    return figures <= {*_figures(source), *_spelt_support(source)}


def _is_in(wanted: str, source: str) -> bool:
    """Whether a text is part of another, letter by letter, and no number of it is cut."""
    wanted, source = "".join(wanted.split()), "".join(source.split())
    return re.search(rf"(?<![0-9])(?<![0-9][.,]){re.escape(wanted)}(?![0-9]|[.,][0-9])", source) is not None


def _figures(text: str) -> Iterator[Decimal]:
    """The numbers of a folded text as they can be read."""
    for match in _FIGURES.finditer(text):
        number = Decimal(match["number"].replace(",", "").replace(" ", ""))
        if match["power"]:
            number = number.scaleb(int(match["power"]))
        if match["scale"]:
            number *= _SCALES[match["scale"].strip()]
        yield from _signed(number, match["sign"] or "", text[max(0, match.start() - 2) : match.start()])
        # A group of three behind a space may be a number of its own.
        if " " in match["number"]:
            yield from map(Decimal, match["number"].replace(",", "").split())
    for match in _DECIMAL_COMMA.finditer(text):
        yield Decimal(f"{match[1]}.{match[2]}")
        yield Decimal(match[1])
        yield Decimal(match[2])


def _signed(number: Decimal, sign: str, before: str) -> Iterator[Decimal]:
    """A number behind a dash: a minus, a range or a hyphen. A dash between spaces may be a minus or just a dash."""
    is_loose = sign == "- "
    behind = (before.rstrip() if is_loose else before)[-1:]
    is_range = behind.isdigit() or behind in {"%", ")"}
    is_hyphen = behind.isalpha() and behind < "\u0250"
    if sign.startswith("-") and not is_range and (is_loose or not is_hyphen):
        yield -number
    if not sign.startswith("-") or is_range or is_loose or is_hyphen:
        yield number


def _spelt_support(text: str) -> Iterator[Decimal]:
    """The numbers of a folded text that are written as words."""
    for _, number in spelt_numbers(text):
        yield Decimal(number)
    for term, times in _TIMES.items():
        if re.search(rf"\b{term}\b", text):
            yield Decimal(times)
    for run in HAN_RUN.findall(text):
        if (value := han_number(run)) is not None:
            yield Decimal(value)


def _in_digits(text: str) -> tuple[str, list[int]]:
    """A text with its Chinese numerals as digits, and for each of its characters the one it comes from."""
    parts: list[str] = []
    origin: list[int] = []
    at = 0
    for run in HAN_RUN.finditer(text):
        value = han_number(run[0])
        digits = run[0] if value is None else str(value)
        parts += [text[at : run.start()], digits]
        origin += [*range(at, run.start()), *[run.start()] * (len(digits) - 1), *[run.end() - 1] * min(1, len(digits))]
        at = run.end()
    return "".join([*parts, text[at:]]), [*origin, *range(at, len(text))]


def dates(folded: str) -> Iterator[NamedDate]:
    """Every date that a folded text may name, as far as it goes, and where."""
    text, origin = _in_digits(folded)
    for start, end, date in _dates_in_quote(text):
        yield NamedDate(start=origin[start], end=origin[end - 1] + 1, date=date)


def _dates_in_quote(text: str) -> Iterator[tuple[int, int, Date]]:
    for found in re.finditer(r"(?<![0-9.,])([0-9]{4})(?![0-9])", text):
        yield *found.span(), (int(found[1]), None, None)
    for found in _BY_NAME.finditer(text):
        before, name, after, day2, name2, after2, year = found.groups()
        has_two = bool(name2)
        yield (
            found.start(),
            max(found.end(2), found.end(3)) if has_two else found.end(),
            (int(year), _month_number(name), _optional_int(before or after)),
        )
        if has_two:
            start = found.start(4) if day2 else found.start(5)
            yield start, found.end(), (int(year), _month_number(name2), _optional_int(day2 or after2))
    for found in _BY_HAN.finditer(text):
        year, month, day, month2, day2 = found.groups()
        stop = found.end()
        if month2:
            stop = max(found.end(2), found.end(3)) + 1
            yield found.start(4), found.end(), (int(year), int(month2), _optional_int(day2))
        yield found.start(), min(stop, found.end()), (int(year), _optional_int(month), _optional_int(day))
    for found in _YEAR_FIRST.finditer(text):
        year, month, day = found.groups()
        yield *found.span(), (int(year), int(month), _optional_int(day))
    for found in _YEAR_LAST.finditer(text):
        one, two, year = found.groups()
        yield *found.span(), (int(year), int(two), _optional_int(one))
        if one:
            yield *found.span(), (int(year), int(one), int(two))


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _optional_int(text: str | None) -> int | None:
    return int(text) if text else None
