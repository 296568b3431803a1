"""A document in as few parts as a model's budget allows. Pure; one part, the whole, is the usual case."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingather.extraction.provider import estimate_tokens

BUDGET_TOKENS = 60_000
SHARE_OF_CONTEXT = 0.6
LONGEST_PIECE = 8_000  # characters; longer ones are cut at a blank line, or anywhere

_HEADINGS = (
    r"abstract|summary|introduction|background|methods?|materials? and methods|patients and methods|results?|findings"
    r"|discussion|conclusions?|limitations?|funding|references|bibliography|literature cited|appendix"
    r"|摘\s*要|引\s*言|前\s*言|背\s*景|方\s*法|资料与方法|材料与方法|结\s*果|讨\s*论|结\s*论|参\s*考\s*文\s*献"
)
_HEADING = re.compile(rf"(?im)^[ \t]*(?:\d{{1,2}}(?:\.\d{{1,2}})*\.?[ \t]+)?(?P<name>{_HEADINGS})[ \t]*:?[ \t]*$")
_LISTS_OTHERS = re.compile(r"(?i)references|bibliography|literature cited|参\s*考\s*文\s*献")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a page, the whole page as a rule."""

    page: int
    text: str


def budget_for(context_tokens: int | None) -> int:
    """How many tokens of a document go into one call."""
    return BUDGET_TOKENS if context_tokens is None else int(SHARE_OF_CONTEXT * context_tokens)


def parts(pages: Sequence[str], budget: int) -> list[list[Piece]]:
    """The whole document; without its list of references if only that fits; else sections, as many to a part as fit."""
    whole = [Piece(page=page, text=text) for page, text in enumerate(pages)]
    if _tokens(whole) <= budget:
        return [whole]
    kept = _without_references(pages)
    if _tokens(kept) <= budget:
        return [kept]
    found: list[list[Piece]] = [[]]
    size = 0
    for piece, is_heading in _pieces(kept):
        tokens = estimate_tokens(piece.text)
        # A section begins a new part when the part before it is well filled: better a whole section than a full part.
        if found[-1] and (size + tokens > budget or (is_heading and size > 0.6 * budget)):
            found.append([])
            size = 0
        found[-1].append(piece)
        size += tokens
    return [_joined(part) for part in found]


def _tokens(pieces: Sequence[Piece]) -> int:
    return sum(estimate_tokens(piece.text) for piece in pieces)


def _without_references(pages: Sequence[str]) -> list[Piece]:
    """All but the last list of references; what follows it under a heading of its own stays."""
    headings = [(page, match) for page, text in enumerate(pages) for match in _HEADING.finditer(text)]
    lists = [n for n, (_, match) in enumerate(headings) if _LISTS_OTHERS.fullmatch(match["name"])]
    if not lists:
        return [Piece(page=page, text=text) for page, text in enumerate(pages)]
    first, match = headings[lists[-1]]
    start = match.start()
    rest = headings[lists[-1] + 1] if lists[-1] + 1 < len(headings) else None
    last, end = (rest[0], rest[1].start()) if rest else (len(pages), 0)
    kept = []
    for page, text in enumerate(pages):
        before = text[:start] if page == first else text if page < first else ""
        after = text[end:] if page == last else text if page > last else ""
        if (before + after).strip():
            kept.append(Piece(page=page, text=before + after))
    return kept


def _pieces(pages: Sequence[Piece]) -> Iterator[tuple[Piece, bool]]:
    """The pages, cut at headings and where they are very long; and whether a section begins there."""
    for whole in pages:
        starts = sorted({0, *(match.start() for match in _HEADING.finditer(whole.text))})
        for first, end in zip(starts, [*starts[1:], len(whole.text)], strict=True):
            start, is_heading = first, first > 0 or _HEADING.match(whole.text) is not None
            while start < end:
                cut = end if end - start <= LONGEST_PIECE else _cut(whole.text, start)
                yield Piece(page=whole.page, text=whole.text[start:cut]), is_heading
                start, is_heading = cut, False


def _cut(text: str, start: int) -> int:
    blank = text.rfind("\n\n", start + LONGEST_PIECE // 2, start + LONGEST_PIECE)
    return blank + 2 if blank > 0 else start + LONGEST_PIECE


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours from one page are one piece again."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and joined[-1].page == piece.page:
            joined[-1] = Piece(page=piece.page, text=joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined
