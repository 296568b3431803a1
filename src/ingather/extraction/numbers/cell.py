"""The grammar of cells: what a cell of a table holds, as its own text says it. Pure."""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from ingather.extraction.numbers.spread import Spread, spread_in


class Form(StrEnum):
    """The shapes of cells. What the numbers mean is often said by labels only."""

    NUMBER = "x"
    PERCENT = "x%"
    FRACTION = "x/N"  # with or without a percentage
    COUNT_PERCENT = "x (y%)"
    PLUS_MINUS = "x ± y"
    BRACKET = "x (y)"
    PAIR = "x/y"  # at least one of them is no whole number
    INTERVAL = "x (y-z)"
    P = "p"
    EMPTY = ""
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellContent:
    """What a cell holds. `first` and `second` are its numbers as printed, `n` one that stands behind `n =`.

    A fraction has events first and the total second; a percentage stands in `percent`. `spread` is what the cell
    itself calls its second number, as in `8.2 (SD 3.1)`.
    """

    form: Form
    first: str = ""
    second: str = ""
    percent: str = ""
    n: str = ""
    spread: Spread | None = None


def decimal_in_cell(number: str) -> Decimal:
    """The value of a number as printed here."""
    return Decimal(number.replace(",", ""))


def is_whole_number_in_cell(number: str) -> bool:
    return "." not in number and not number.startswith("-")


_N: Final = r"-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
# Marks of footnotes behind a number or a closing bracket: signs, and single letters that no digit follows.
_MARKS: Final = re.compile(
    r"(?<=[\d)%\]])\s?(?:[*\u2020\u2021\u00a7\u00b6#\u2225\u2318\u2217^]+|[a-k](?:,\s?[a-k])*(?![a-z\d%]))+"
)
# The same before a bracket, where a space tells the letter from the number: `247 a (4.1%)`.
_MARK_INSIDE: Final = re.compile(r"(?<=\d)\s?[a-k*\u2020\u2021\u00a7]{1,2}(?= ?[(\[])")
_LEADING_MARKS: Final = re.compile(r"^[*\u2020\u2021\u00a7\u00b6#\u2217]+\s?")
# A comma with one or two digits behind it, in a cell that is one number or two about a plus or minus.
_DECIMAL_COMMA: Final = re.compile(
    r"^-?\d+,\d{1,2}$|(?<!\d)\d+,\d{1,2}(?!\d) ?(?:\u00b1|\+ ?/ ?-)|(?:\u00b1|\+ ?/ ?-) ?\d+,\d{1,2}(?!\d)"
)
_DASH: Final = re.compile(r"[\u2010-\u2015\u2212\u2043\ufe63\uff0d]")
_EMPTY: Final = re.compile(r"^(?:-+|\.{2,}|\u2026|n/?[are]\.?|n\.[as]\.|nil|none|not (?:applicable|reported|available"
                           r"|done|measured|calculated|estimable)|ref(?:erence)?\.?|/)?$", re.IGNORECASE)  # fmt: skip
_WITH_N: Final = re.compile(r"[,;]?\s?[(\[]?\bn ?= ?(\d[\d,]*)[)\]]?", re.IGNORECASE)
_UNIT: Final = r"(?: ?[a-zA-Zµμ°/]{1,7}\d?)?"
_SAYS: Final = (
    r"(?:(?P<says>s\.?d\.?|s\.?e\.?m?\.?|standard deviation|standard error|95 ?% ?c\.?i\.?|iqr|range) ?[:=]? ?)?"
)
_P: Final = re.compile(
    r"^(?:p(?:[- ]?value)? ?)?[<>=\u2264\u2265] ?(?:0?\.\d+|\d+(?:\.\d+)?)$|^p ?=|^n\.?s\.?$", re.IGNORECASE
)

_ALONE_IN_BRACKETS: Final = re.compile(rf"[(\[] ?({_N} ?%?) ?[)\]]")

_SHAPES: Final = tuple(
    (form, re.compile(pattern, re.IGNORECASE))
    for form, pattern in (
        (
            Form.FRACTION,
            rf"(?P<a>\d[\d,]*) ?(?:/|of|out of) ?(?P<b>\d[\d,]*)(?:[ ,;]*[(\[]? ?(?P<pct>{_N}) ?%? ?[)\]]?)?",
        ),
        (Form.FRACTION, rf"(?P<pct>{_N}) ?%? ?[(\[] ?(?P<a>\d[\d,]*) ?(?:/|of) ?(?P<b>\d[\d,]*) ?[)\]]"),
        (Form.COUNT_PERCENT, rf"(?P<a>\d[\d,]*)[ (\[,;/]{{1,3}}(?P<pct>{_N}) ?% ?[)\]]?"),
        (Form.COUNT_PERCENT, rf"(?P<pct>{_N}) ?% ?[(\[,;/] ?(?P<a>\d[\d,]*) ?[)\]]?"),
        (Form.PLUS_MINUS, rf"(?P<a>{_N}){_UNIT} ?(?:\u00b1|\+ ?/ ?-|\+-) ?(?P<b>{_N}){_UNIT}(?: ?[(\[][^()]*[)\]])?"),
        (Form.PLUS_MINUS, rf"(?P<a>{_N}){_UNIT} ?[(\[] ?(?:\u00b1|\+ ?/ ?-) ?{_SAYS}(?P<b>{_N}) ?[)\]]"),
        (
            Form.INTERVAL,
            rf"(?P<a>{_N}){_UNIT}[ ,]*[(\[] ?{_SAYS}{_N} ?%? ?(?:-|,|;|to|~|:) ?{_N} ?%? ?[)\]]?",
        ),
        (Form.BRACKET, rf"(?P<a>{_N}){_UNIT} ?[(\[] ?{_SAYS}(?P<b>{_N}) ?[)\]]"),
        (Form.BRACKET, rf"(?P<a>{_N}){_UNIT}[ ,;]+(?P<says>s\.?d\.?|s\.?e\.?m?\.?) ?[:=]? ?(?P<b>{_N})"),
        # A count, its percentage, and the interval of the percentage: `42 (17 %; 13 to 22)`.
        (
            Form.COUNT_PERCENT,
            rf"(?P<a>\d[\d,]*) ?[(\[] ?(?P<pct>{_N}) ?% ?[;,] ?{_N} ?%? ?(?:-|to|,|;) ?{_N} ?%? ?[)\]]",
        ),
        (Form.PERCENT, rf"(?P<pct>{_N}) ?%"),
        (Form.NUMBER, rf"(?:\u00b1|\+ ?/ ?-)? ?(?P<a>{_N}){_UNIT}"),
        (Form.PAIR, rf"(?P<a>{_N}) ?(?:/|[,;] ) ?(?P<b>{_N})"),
    )
)


def cell_content_of(text: str) -> CellContent:
    """What a cell holds, by the shape of its text. Marks of footnotes are taken off first."""
    plain = plain_cell(text)
    if _EMPTY.match(plain):
        return CellContent(form=Form.EMPTY)
    if _P.match(plain):
        return CellContent(form=Form.P)
    with_n = _WITH_N.search(plain)
    n = with_n[1] if with_n else ""
    if with_n:
        plain = (plain[: with_n.start()] + plain[with_n.end() :]).strip()
    if alone := _ALONE_IN_BRACKETS.fullmatch(plain):
        plain = alone[1]  # a percentage in a column of its own
    for form, shape in _SHAPES:
        if found := shape.fullmatch(plain):
            parts = found.groupdict()
            says = spread_in(parts.get("says") or "")
            return CellContent(
                form=form, first=_cell_number(parts.get("a")), second=_cell_number(parts.get("b")),
                percent=_cell_number(parts.get("pct")), n=n, spread=says,
            )  # fmt: skip
    return CellContent(form=Form.TEXT, n=n)


def _cell_number(text: str | None) -> str:
    text = text or ""
    return f"0{text}" if text.startswith(".") else text.replace("-.", "-0.")


def plain_cell(text: str) -> str:
    """A cell's text with plain dashes and single spaces, without marks of footnotes."""
    text = _DASH.sub("-", text.replace("\u00b7", ".").replace("\u2044", "/").replace("\uff05", "%"))
    text = text.replace("\uff08", "(").replace("\uff09", ")").replace("\u00a0", " ").replace("\u2009", " ")
    text = re.sub(r"\s+", " ", text).strip()
    if _DECIMAL_COMMA.search(text):
        text = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text)
    text = re.sub(r"(?<=\d)\. (?=\d)", ".", text)  # a space that the type set behind a point: `0. 90`
    text = re.sub(r"(?<=[(\[]) | (?=[)\],])", "", text)
    text = re.sub(r"(?:(?<=^)|(?<=[(\[,; ]))- (?=\d)", "-", text)
    return _LEADING_MARKS.sub("", _MARKS.sub("", _MARK_INSIDE.sub("", text))).strip()
