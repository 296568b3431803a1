"""Whether the words that prove a value have its figures in them. Pure; asked of every value that has figures.

A value may be right and its quote true, and the quote may still say nothing
about the value. Words cannot be checked so simply; figures can.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from ingather.extraction.findings import Value
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.named_dates import named_dates
from ingather.extraction.proof.number_terms import HAN_RUN, han_number_term, spelt_number_terms

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

_ISO: Final = re.compile(r"([0-9]{4})(?:[-/.]([0-9]{1,2}))?(?:[-/.]([0-9]{1,2}))?(?:t.*)?")


def text_supports_value(value: Value, text: str, *, type: str = "text", enum: Sequence[str] = ()) -> bool:
    """Whether the figures of a value occur in the text that is quoted for it, sign and decimals included.

    Values without figures are supported by anything: choices, truth values,
    plain words. `enum` is the list of choices of a field that has one.
    """
    if value is None or isinstance(value, bool) or type in _EXEMPT or enum:
        return True
    if isinstance(value, list):
        return all(text_supports_value(one, text, type=type) for one in value)
    source = fold_text(text).text
    wanted = fold_text(value).text if isinstance(value, str) else format(Decimal(str(value)), "f")
    if type == "date" and (date := _ISO.fullmatch(wanted)):
        year, month, day = (int(part) if part else None for part in date.groups())
        return any(one.says((year or 0, month, day)) for one in named_dates(source))
    if type in {"text", "longtext", "multi_text", "id"} and _is_text_in_support(wanted, source):
        return True
    figures = {*_figures_of_support(wanted)}
    if isinstance(value, str) and not {*_COMPARED.findall(wanted)} <= {*_COMPARED.findall(source)}:
        return False
    return figures <= {*_figures_of_support(source), *_spelt_support(source)}


def _is_text_in_support(wanted: str, source: str) -> bool:
    """Whether a text is part of another, letter by letter, and no number of it is cut."""
    wanted, source = "".join(wanted.split()), "".join(source.split())
    return re.search(rf"(?<![0-9])(?<![0-9][.,]){re.escape(wanted)}(?![0-9]|[.,][0-9])", source) is not None


def _figures_of_support(text: str) -> Iterator[Decimal]:
    """The numbers of a folded text as they can be read."""
    for match in _FIGURES.finditer(text):
        number = Decimal(match["number"].replace(",", "").replace(" ", ""))
        if match["power"]:
            number = number.scaleb(int(match["power"]))
        if match["scale"]:
            number *= _SCALES[match["scale"].strip()]
        yield from _signed_numbers_of_support(
            number, match["sign"] or "", text[max(0, match.start() - 2) : match.start()]
        )
        # A group of three behind a space may be a number of its own.
        if " " in match["number"]:
            yield from map(Decimal, match["number"].replace(",", "").split())
    for match in _DECIMAL_COMMA.finditer(text):
        yield Decimal(f"{match[1]}.{match[2]}")
        yield Decimal(match[1])
        yield Decimal(match[2])


def _signed_numbers_of_support(number: Decimal, sign: str, before: str) -> Iterator[Decimal]:
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
    for _, number in spelt_number_terms(text):
        yield Decimal(number)
    for term, times in _TIMES.items():
        if re.search(rf"\b{term}\b", text):
            yield Decimal(times)
    for run in HAN_RUN.findall(text):
        if (value := han_number_term(run)) is not None:
            yield Decimal(value)
