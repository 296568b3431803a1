"""Lexing: folded text as the words and numbers that the gates compare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from ingather.extraction.ground import terms
from ingather.extraction.ground.folding import UNSPACED

_TOKEN: Final = re.compile(
    r"(?P<before>(?:[-<>\u2264\u2265\u00b1~/^_=\u0338][ =]?|(?<=[0-9]):){0,4})"
    r"(?P<number>(?<![\w)\]])\.[0-9]+|[0-9]+(?:[.,][0-9]+)*)"
    r"(?P<percent> ?(?:%|\u2030|per ?cent\b))?"
    rf"|(?P<han>[{UNSPACED}])"
    rf"|(?P<letters>(?:[^\W\d_{UNSPACED}])+(?:'[^\W\d_]+)?)"
    r"|(?P<sign>[<>\u2264\u2265\u00b1\u0338%\u2030])"
)
_THOUSANDS: Final = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SPLIT_ZERO: Final = re.compile(r"(?<![0-9.,])0\. (?=0[0-9])")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is compared: `-12.4%`. A mark is a note or a reference: a superscript, or figures in its place."""

    text: str
    is_mark: bool = field(default=False, compare=False)
    spelt: str = field(default="", compare=False)  # as written, where it was written as a word


Token = str | Number


@lru_cache(maxsize=64)
def lexed_tokens(text: str) -> tuple[Token, ...]:
    """The words and numbers of a folded text, in order. Signs and percent belong to their number."""
    return tuple(_lexed_tokens(_SPLIT_ZERO.sub("0.", text)))


# Figures that refer to a list of references, where a text layer has them as plain characters: `[12]`, `[3-5,9]`.
_BRACKETED: Final = re.compile(r"(?<![0-9%)])(?P<figures> ?\[ ?[0-9]{1,3}(?: ?[,-] ?[0-9]{1,3})* ?\])")
# `as shown.12 We`, `the placebo,12,13 which`, `as described previously12 and`.
_GLUED: Final = re.compile(
    r"(?:(?<=[a-z]{3}[.,;])|(?<=[a-z]\)[.,;])|(?<=[a-z]{6}))(?P<figures>[0-9]{1,3}(?:[,-][0-9]{1,3})*)(?=[ .,;:)]|$)"
)
# Terms whose figures behind them are theirs.
_TAKES_FIGURES: Final = re.compile(
    r"(?:ci|iqr|range|sd|se|mean|median|n|age|aged|weeks?|months?|days?|years?|hours?|group|groups|phase|grade|stage"
    r"|type"
    r"|class|table|tables|figure|figures|fig|visit|cycle|level|version|section|appendix|vs|no|vol|pp?|nr|ref|interval"
    r"|approx|ca|chapter|protein|interleukin|factor|vitamin|score|scores|patients|total|protocol|schedule|cohort"
    r"|interval"
    r"|quartiles|percentiles|deviation|women|men|number|season|participants|children|subjects)[.,;]? ?\[?$"
)


def _lexed_marks(text: str) -> list[tuple[int, int]]:
    """Where figures stand that are references and no numbers of the text."""
    found = [*_BRACKETED.finditer(text), *_GLUED.finditer(text)]
    return [one.span() for one in found if not _TAKES_FIGURES.search(text, max(0, one.start() - 16), one.start())]


def _lexed_tokens(text: str) -> Iterator[Token]:
    marks = _lexed_marks(text)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in {"letters", "han"}:
            term = match[0]
            value = terms.number_of_term(term)
            if term.endswith("n't") and len(term) > 3:
                yield from (term[:-3], "not")
                continue
            yield Number(value, spelt=term) if value else term
        elif kind == "sign":
            yield Number(match[0])
        else:
            is_mark = any(start <= match.start("number") < end for start, end in marks)
            yield from _lexed_numbers(match, text, is_mark=is_mark)


def _lexed_numbers(match: re.Match[str], text: str, *, is_mark: bool) -> Iterator[Number]:
    before = match["before"].replace(" ", "").replace("=", "")
    behind = text[match.start() - 1] if match.start() else ""
    if behind.isdigit() or behind == "%":
        before = before.replace("~", "-")
    is_mark = is_mark or (before == "^" and not behind.isdigit())
    whole = match["number"]
    if whole.startswith("."):
        whole = "0" + whole
    parts = [whole.replace(",", "")] if _THOUSANDS.fullmatch(whole) else whole.split(",")
    percent = "" if match["percent"] is None else "\u2030" if "\u2030" in match["percent"] else "%"
    for n, part in enumerate(parts):
        yield Number((before if n == 0 else "") + part + (percent if n == len(parts) - 1 else ""), is_mark)
