"""From the text of pages to sentences and table rows, each with its place and the part of the paper it stands in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingather.extraction.rules.figures import FIGURE
from ingather.extraction.rules.headings import REFERENCES
from ingather.extraction.rules.pieces import LineReader, Piece, pieces, repeated_lines
from ingather.extraction.rules.plain_text import Plain, clip_plain_text, plain_text

# A sentence longer than this, in characters, is cut: patterns need a bounded text. Real sentences are far shorter.
LONGEST_SENTENCE: Final = 1_500
# So many characters before the end of a sentence hold any abbreviation and the works cited behind it.
_BEFORE_END: Final = 24
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|al|dr|mr|mrs|ms|prof|fig|figs|no|nos|approx|st|ca|cf|ref|refs|vol|pp|inc|ltd|co|eq|dept"
    r"|resp)"
    r"|(?:^|[\s(.])[A-Z])\.$",
    re.IGNORECASE,
)
# Behind the full stop may stand the raised numbers of the works cited: `lack of efficacy.12 Patients`.
_CITED: Final = r"(?<=[a-z]{3}\.)\d{1,3}(?:[,\u2013-]\d{1,3}){0,5}(?= [A-Z][a-z])"
_END: Final = re.compile(r"[.!?](?:[\"')\]]{0,2})(?= [A-Z0-9\"'(\[\u4e00-\u9fff])|[。!?](?=[^\s\"')])|" + _CITED)


_OTHERS: Final = re.compile(
    r"\b(?:previous|prior|earlier|older|recent|other|another|existing|household) (?:\w+ )?(?:trials?|stud(?:y|ies)"
    r"|work|cohorts?"
    r"|reviews?|reports?|research|meta-analys[ei]s)\b|\bet al\b|\band (?:colleagues|co-?workers|others)\b"
    r"|\bin (?:that|their|these) (?:study|trial|review|cohort)|\bothers have\b|\bmeta-analys|\bpooled\b"
    r"|\bsystematic review"
    r"|既往|以往研究|文献报道|前期研究",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence or a row of a table. `text` is made for patterns; `quote` gives the words as they stand on the page.

    `part` is the part of the paper, `topic` the heading above it, and
    `is_row` says that it is a line of a table, `is_about_others` that it
    speaks of other studies.
    """

    page: int
    page_text: str
    text: str
    places: tuple[int, ...]
    part: str
    topic: str
    in_abstract: bool
    is_row: bool = False
    table: int = 0
    is_about_others: bool = False

    def quote(self, start: int = 0, end: int | None = None) -> str:
        """The sentence as printed; the part around the characters given, if it is longer than a quote may be."""
        last = len(self.places) - 1
        first = min(start, last)
        until = last if end is None else min(max(end - 1, first), last)
        around = self.places[first], self.places[until] + 1
        return clip_plain_text(self.page_text, self.places[0], self.places[-1] + 1, around)


def joined_sentences(first: Sentence, last: Sentence) -> Sentence | None:
    """All that stands from one sentence to a later one of the same page, as one sentence; None where it cannot be."""
    if last.page != first.page or last.places[-1] < first.places[0]:
        return None
    made = plain_text(first.page_text, first.places[0], last.places[-1] + 1)
    return replace(first, text=made.text, places=made.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What rules read: the pages, the lines at the top of the first page, and all sentences in their order."""

    pages: tuple[str, ...]
    front: tuple[Sentence, ...]
    sentences: tuple[Sentence, ...]

    def characters(self, part: str) -> int:
        """How much prose was read in a part of the paper itself, without its abstract."""
        if part == "first_page":
            return len(self.pages[0]) if self.pages else 0
        return sum(
            len(one.text) for one in self.sentences if one.part == part and not one.in_abstract and not one.is_row
        )


def sentences_of_pages(pages: Sequence[str]) -> Document:
    """Read pages in their order. The list of references is left out; so are lines repeated on every page."""
    repeated = repeated_lines(pages)
    reader = LineReader()
    front: list[Sentence] = []
    sentences: list[Sentence] = []
    for number, page in enumerate(pages):
        for piece in pieces(page, reader, repeated):
            if piece.part in {REFERENCES, FIGURE}:
                continue
            whole = plain_text(page, piece.start, piece.end)
            is_prose = not piece.table and piece.part != "front"
            for bit in _split(whole) if is_prose else _bounded_sentences(whole, 0, len(whole.text)):
                if bit.text:
                    sentence = Sentence(
                        page=number, page_text=page, text=bit.text, places=bit.places, part=piece.part,
                        topic=piece.topic, in_abstract=piece.in_abstract, is_row=piece.table > 0, table=piece.table,
                        is_about_others=_is_about_others(piece, bit.text),
                    )  # fmt: skip
                    (front if piece.part == "front" else sentences).append(sentence)
    return Document(pages=tuple(pages), front=tuple(front), sentences=tuple(sentences))


def _is_about_others(piece: Piece, text: str) -> bool:
    """Whether a sentence speaks of other studies. In its own methods and results a paper speaks of itself."""
    is_own = piece.part in {"methods", "results", "end"} and not piece.in_abstract
    return not is_own and _OTHERS.search(text) is not None


def _split(block: Plain) -> Iterator[Plain]:
    """The sentences of a piece of prose. Abbreviations and initials do not end one."""
    start = 0
    for found in _END.finditer(block.text):
        end = found.end()
        if _ABBREVIATION.search(block.text[max(start, end - _BEFORE_END) : end].rstrip("0123456789,-\u2013")):
            continue
        yield from _bounded_sentences(block, start, end)
        start = end + (block.text[end : end + 1] == " ")
    yield from _bounded_sentences(block, start, len(block.text))


def _bounded_sentences(block: Plain, start: int, end: int) -> Iterator[Plain]:
    first = start
    while first < end:
        last = min(end, first + LONGEST_SENTENCE)
        if last < end and (space := block.text.rfind(" ", first + 1, last)) > 0:
            last = space
        yield Plain(text=block.text[first:last], places=block.places[first:last])
        first = last + (block.text[last : last + 1] == " ")
