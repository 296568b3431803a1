"""A sentence as a row of tokens: names of groups, figures of one kind, and the words that join or part them. Pure.

What says nothing about who a figure belongs to is left out: figures of other kinds, and brackets that hold neither a
name nor a figure of this kind. Brackets with one such figure are opened: `40 (75 %) in A` reads as `75 % in A`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.proof.arm_labels import NamedRow
from ingather.extraction.proof.figures import PrintedFigure


class PieceKind(StrEnum):
    """What a token does in a sentence."""

    NAME = "name"
    FIGURE = "figure"
    AGAINST = "against"  # versus, than, compared with
    AND = "and"  # and, or, a comma, a slash
    BREAK = "break"  # a semicolon, while, whereas, the end of a sentence
    RESPECTIVELY = "respectively"
    GIVES = "gives"  # in, with, for, receiving: what follows is whose the figure is
    OPEN = "open"
    CLOSE = "close"
    LIGHT = "light"  # articles, units, people, forms of be
    TERM = "term"  # any other word


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePiece:
    """A piece of a sentence; `key` is the group that a name names, `term` a word as it is written."""

    kind: PieceKind
    start: int
    end: int
    key: str = ""
    term: str = ""


_PIECE: Final = re.compile(
    rf"(?P<against>vs\.?(?![a-z])|versus\.?|v(?= )|than|against|compared (?:with|to)|in comparison (?:with|to)"
    rf"|relative to|as opposed to|in contrast (?:to|with)|unlike|比较|相比|比)(?![a-z])"
    r"|(?P<break>;|\. (?=[a-z0-9])|while(?![a-z])|whereas(?![a-z])|but(?![a-z])|[。\uff1b])"
    r"|(?P<respectively>respectively|respective|分别)(?![a-z])"
    r"|(?P<light>[a-zμ%]{1,6}/[a-z]{1,5}[0-9]?(?:/[a-z]{1,4})?|the|an?|of|at|from|were|was|had|have|has|been|be|who|whom|that|those|them|patients?|participants?|subjects?"
    r"|women|men|children|people|individuals|adults|infants?|cases?|events?|months?|weeks?|days?|years?|hours?|minutes?"
    r"|mins?|points?|mm|cm|mg|ml|kg|g|dl|l|mmol|mmhg|hg|percent|per|cent|percentage|group|groups|arm|arms|only|about"
    r"|approximately|mean|median|sd|±|n|=|:|%|为|的|组|例)(?![a-z])"
    r"|(?P<and>and|or|to|[,&]|/(?! ?[0-9])|与|和|及|、|\uff0c)(?![a-z])"
    r"|(?P<gives>in|with|for|on|among|by|receiving|received|receive|given|taking|took|assigned|allocated|randomi[sz]ed"
    r"|treated|undergoing|underwent|into|using|in those|from|during|after|under|于)(?![a-z])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    rf"|(?P<term>[a-z][a-z0-9'-]*|[{UNSPACED}])"
)


_INNER: Final = re.compile(r"[(\[{](?:[^()\[\]{}]|\([^()]*\)|\[[^\[\]]*\])*[)\]}]")
# An abbreviation in brackets is an aside; other words may name a group: `5 % (switched) versus 7 % (reference)`.
_SHORT_ASIDE: Final = re.compile(r" ?[a-z]{1,4}[0-9]* ?")


def sentence_tokens_of(
    text: str, sentence: tuple[int, int], peers: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> list[SentencePiece]:
    """The tokens of a sentence, in order."""
    return [*_sentence_tokens(text, sentence, peers, named)]


def _sentence_tokens(
    text: str, sentence: tuple[int, int], peers: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> Iterator[SentencePiece]:
    skipped, opened = _brackets_among_tokens(text, sentence, peers, named)
    # A semicolon in brackets that name no group ends no statement: `(7 % v 6 %; P = .7)`.
    listing = [
        found.span() for found in _INNER.finditer(text, *sentence)
        if not any(found.start() < one.start < found.end() for one in named)
    ]  # fmt: skip
    marked = {one.start: SentencePiece(kind=PieceKind.FIGURE, start=one.start, end=one.end) for one in peers}
    marked |= {
        one.start: SentencePiece(kind=PieceKind.NAME, start=one.start, end=one.end, key=one.key) for one in named
    }
    at, stop = sentence
    starts = sorted(marked)
    while at < stop:
        if (token := marked.get(at)) is not None:
            yield token
            at = token.end
        elif at in skipped:
            at = skipped[at]
        elif at in opened:
            at += 1
        elif found := _PIECE.match(text, at):
            end = next((start for start in starts if at < start < found.end()), found.end())
            is_inside = found["break"] == ";" and any(a < at < b for a, b in listing)
            kind = PieceKind.AND if is_inside else PieceKind(str(found.lastgroup))
            yield SentencePiece(kind=kind, start=at, end=end, term=text[at:end])
            at = end
        else:
            at += 1


def _brackets_among_tokens(
    text: str, sentence: tuple[int, int], peers: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> tuple[dict[int, int], set[int]]:
    """Brackets to leave out, from start to end, and the places of brackets that are opened."""
    skipped: dict[int, int] = {}
    opened: set[int] = set()
    stack: list[int] = []
    for at in range(*sentence):
        if text[at] in "([{":
            stack.append(at)
        elif text[at] in ")]}" and stack:
            start = stack.pop()
            count = sum(start < one.start < at for one in peers)
            is_aside = any(one.isdigit() for one in text[start:at]) or _SHORT_ASIDE.fullmatch(text, start + 1, at)
            if not count and is_aside and not any(start < one.start < at for one in named):
                skipped[start] = at + 1
            elif count <= 1:
                opened |= {start, at}
    return skipped, opened
