"""A document in as few parts as a model's budget allows. Pure; one part, the whole, is the usual case."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingather.extraction.provider import estimate_tokens

LONGEST_PIECE = 8_000  # characters; longer ones are cut, at a blank line if there is one
SHORTEST_PIECE = 500  # characters; a smaller one would hold no sentence with its context
MOST_REFERENCES = 0.5  # of a document; more than that is no list of references, whatever stands above it

_HEADINGS = (
    r"abstract|summary|introduction|background|methods?|materials? and methods|patients and methods|results?|findings"
    r"|discussion|conclusions?|limitations?|funding|references|bibliography|literature cited"
    r"|appendix(?:[ \t]+\w{1,3})?|acknowledge?ments?|supplementary (?:material|information|data|appendix)s?"
    r"|supporting information|tables?|figures?|figure legends?|tables and figures|figures and tables"
    r"|摘\s*要|引\s*言|前\s*言|背\s*景|方\s*法|资料与方法|材料与方法|结\s*果|讨\s*论|结\s*论|参\s*考\s*文\s*献|附\s*录|附\s*表|致\s*谢"
)
_HEADING = re.compile(rf"(?im)^[ \t]*(?:\d{{1,2}}(?:\.\d{{1,2}})*\.?[ \t]+)?(?P<name>{_HEADINGS})[ \t]*:?[ \t]*$")
# Manuscripts have their tables and figures after the references.
_CAPTION = re.compile(
    r"(?im)^[ \t]*(?:supplementary[ \t]+|e)?(?:table|fig(?:ure|\.)?)[ \t]*s?\d{1,2}[ \t]*(?:[.:|]|[ \t][A-Z]|$)"
    r"|^[ \t]*[表图][ \t]*\d{1,2}"
)
_LISTS_OTHERS = re.compile(r"(?i)references|bibliography|literature cited|参\s*考\s*文\s*献")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePiece:
    """A stretch of a page, the whole page as a rule."""

    page: int
    text: str


def document_parts(pages: Sequence[str], budget: int) -> list[list[PagePiece]]:
    """The whole document; without its list of references if only that fits; else sections, as many to a part as fit."""
    whole = [PagePiece(page=page, text=text) for page, text in enumerate(pages)]
    if _tokens_of_part_pieces(whole) <= budget:
        return [whole]
    kept = _part_without_references(pages)
    if _tokens_of_part_pieces(kept) <= budget:
        return [kept]
    found: list[list[PagePiece]] = [[]]
    size = 0
    # A character is a token at most, so that a piece fits whatever script it is in.
    for piece, is_heading in _part_pieces_of_pages(kept, max(SHORTEST_PIECE, min(LONGEST_PIECE, budget))):
        tokens = estimate_tokens(piece.text)
        # A section begins a new part when the part before it is well filled: better a whole section than a full part.
        if found[-1] and (size + tokens > budget or (is_heading and size > 0.6 * budget)):
            found.append([])
            size = 0
        found[-1].append(piece)
        size += tokens
    return [_joined_part_pieces(part) for part in found]


def _tokens_of_part_pieces(pieces: Sequence[PagePiece]) -> int:
    return sum(estimate_tokens(piece.text) for piece in pieces)


def _part_without_references(pages: Sequence[str]) -> list[PagePiece]:
    """All but the last list of references; tables, figures and sections that follow it stay."""
    whole = [PagePiece(page=page, text=text) for page, text in enumerate(pages)]
    headings = [(page, match) for page, text in enumerate(pages) for match in _HEADING.finditer(text)]
    lists = [(page, match.start(), match.end()) for page, match in headings if _LISTS_OTHERS.fullmatch(match["name"])]
    if not lists:
        return whole
    first, start, heading_end = lists[-1]
    captions = ((page, match) for page, text in enumerate(pages[first:], first) for match in _CAPTION.finditer(text))
    ends = [
        (page, match.start()) for page, match in (*headings, *captions) if (page, match.start()) >= (first, heading_end)
    ]
    last, end = min(ends, default=(len(pages), 0))
    kept = []
    for page, text in enumerate(pages):
        before = text[:start] if page == first else text if page < first else ""
        after = text[end:] if page == last else text if page > last else ""
        if (before + after).strip():
            kept.append(PagePiece(page=page, text=before + after))
    return kept if _tokens_of_part_pieces(kept) >= MOST_REFERENCES * _tokens_of_part_pieces(whole) else whole


def _part_pieces_of_pages(pages: Sequence[PagePiece], longest: int) -> Iterator[tuple[PagePiece, bool]]:
    """The pages, cut at headings and where they are very long; and whether a section begins there."""
    for whole in pages:
        starts = sorted({0, *(match.start() for match in _HEADING.finditer(whole.text))})
        for first, end in zip(starts, [*starts[1:], len(whole.text)], strict=True):
            start, is_heading = first, first > 0 or _HEADING.match(whole.text) is not None
            while start < end:
                cut = end if end - start <= longest else _part_cut_of_page(whole.text, start, longest)
                yield PagePiece(page=whole.page, text=whole.text[start:cut]), is_heading
                start, is_heading = cut, False


def _part_cut_of_page(text: str, start: int, longest: int) -> int:
    """Where to cut: at the end of a paragraph, a line, a sentence or a word, so that no number is cut in two."""
    for mark in ("\n\n", "\n", "。", ". ", " "):
        place = text.rfind(mark, start + longest // 2, start + longest)
        if place > 0:
            return place + len(mark)
    return start + longest


def _joined_part_pieces(pieces: Sequence[PagePiece]) -> list[PagePiece]:
    """Neighbours from one page are one piece again."""
    joined: list[PagePiece] = []
    for piece in pieces:
        if joined and joined[-1].page == piece.page:
            joined[-1] = PagePiece(page=piece.page, text=joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined
