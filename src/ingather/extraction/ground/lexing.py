"""Lexing: folded text as the words and numbers that the gates compare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from ingather.extraction.ground import words
from ingather.extraction.ground.folding import UNSPACED

_TOKEN: Final = re.compile(
    r"(?P<before>(?:[-<>\u2264\u2265\u00b1~/^_=\u0338][ =]?|(?<=[0-9]):){0,4})"
    r"(?P<number>(?<![\w)\]])\.[0-9]+|[0-9]+(?:[.,][0-9]+)*)"
    r"(?P<percent> ?(?:%|\u2030|per ?cent\b))?"
    rf"|(?P<han>[{UNSPACED}])"
    rf"|(?P<word>(?:[^\W\d_{UNSPACED}])+(?:'[^\W\d_]+)?)"
    r"|(?P<sign>[<>\u2264\u2265\u00b1\u0338])"
)
_THOUSANDS: Final = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SPLIT_ZERO: Final = re.compile(r"(?<![0-9.,])0\. (?=0[0-9])")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is compared: `-12.4%`. A mark is a superscript behind a word: a note or a reference."""

    text: str
    is_mark: bool = False
    word: str = field(default="", compare=False)  # as written, where it was written as a word


Token = str | Number


@lru_cache(maxsize=64)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and numbers of a folded text, in order. Signs and percent belong to their number."""
    return tuple(_lex(_SPLIT_ZERO.sub("0.", text)))


def _lex(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in {"word", "han"}:
            word = match[0]
            value = words.number_of(word)
            yield Number(value, word=word) if value else word
        elif kind == "sign":
            yield Number(match[0])
        else:
            yield from _numbers(match, text)


def _numbers(match: re.Match[str], text: str) -> Iterator[Number]:
    before = match["before"].replace(" ", "").replace("=", "")
    behind = text[match.start() - 1] if match.start() else ""
    if behind.isdigit() or behind == "%":
        before = before.replace("~", "-")
    is_mark = before == "^" and not behind.isdigit()
    whole = match["number"]
    if whole.startswith("."):
        whole = "0" + whole
    parts = [whole.replace(",", "")] if _THOUSANDS.fullmatch(whole) else whole.split(",")
    percent = "" if match["percent"] is None else "\u2030" if "\u2030" in match["percent"] else "%"
    for n, part in enumerate(parts):
        yield Number((before if n == 0 else "") + part + (percent if n == len(parts) - 1 else ""), is_mark)
