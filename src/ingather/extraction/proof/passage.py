"""The passage of a quote: its words in the paper, the rest of their sentences, and the way back to the page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Span
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.ground.sentences import SENTENCE_END
from ingather.extraction.proof.sections import PlaceInPaper, Sections

# How far a quote is read on to the ends of its sentences. Longer would bring in sentences it is no part of.
_REACH: Final = 300
# So many characters before the quote are known, too: what `respectively` goes back to.
_BEFORE: Final = 500
_SENTENCE_END: Final = re.compile(
    r"(?<![A-Z. ][A-Z])(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bal)[.!?][\"')\]]{0,2}\s+(?=[A-Z0-9(\[\"'\u2018\u201c])"
    r"|[。\uff01\uff1f]|\n\s*\n"
)
_CLAUSE: Final = re.compile(
    r"[;\u3002\uff1b](?= |$)?|(?<=[a-z0-9)%\]])[.!?] (?=[a-z0-9(])|, (?=(?:and|but|while|whereas|although|with the)\b)"
    r"| (?=(?:while|whereas|but)\b)|[\uff0c](?!\d)"
)
_VERB: Final = re.compile(
    r"(?<![a-z])(?:was|were|is|are|had|has|have|received|used|did|underwent|showed|reported|been|remained|died"
    r"|completed"
    r"|withdrew|occurred|took|gave|provided|included)(?![a-z])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPassage:
    """A quote with its surroundings, folded. `start` to `end` of `text` is the quote; the rest completes its sentences.

    `heading` and `part` are of the place where it begins. `sentence` is as printed.
    """

    text: str
    start: int
    end: int
    places: tuple[tuple[int, int], ...]  # for each character of `text` its page and its character there
    place: PlaceInPaper
    is_reference: bool
    printed: str
    before: str = ""

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Characters of `text` as places in the document; one for each page."""
        found: list[Span] = []
        for page, at in self.places[start:end]:
            if found and found[-1].page == page:
                found[-1] = Span(page=page, start=min(found[-1].start, at), end=max(found[-1].end, at + 1))
            else:
                found.append(Span(page=page, start=at, end=at + 1))
        return tuple(found)

    @property
    def quoted(self) -> str:
        return self.text[self.start : self.end]

    def sentence(self, at: int) -> tuple[int, int]:
        """The sentence that a character of `text` belongs to."""
        start = 0
        for end in self._ends():
            if at < end:
                return start, end
            start = end
        return start, len(self.text)

    def _ends(self) -> list[int]:
        return [found.end() for found in SENTENCE_END.finditer(self.text)]


def quoted_passage(pages: Sequence[str], sections: Sections, spans: Sequence[Span]) -> QuotedPassage:
    """The passage of the first place of a quote; further places (of a quote with gaps) are added as they stand."""
    first, last = spans[0], spans[-1]
    page = pages[first.page]
    before = _passage_sentence_start(page, first.start)
    after_page = pages[last.page]
    after = _passage_sentence_end(after_page, last.end)
    raw: list[str] = [page[before : first.start]]
    places: list[tuple[int, int]] = [(first.page, at) for at in range(before, first.start)]
    lengths = [len(raw[0])]
    for n, span in enumerate(spans):
        if n:
            raw.append("\n")
            places.append((span.page, span.start))
        raw.append(pages[span.page][span.start : span.end])
        places += [(span.page, at) for at in range(span.start, span.end)]
    lengths.append(sum(map(len, raw)))
    raw.append(after_page[last.end : after])
    places += [(last.page, at) for at in range(last.end, after)]
    whole = "".join(raw)
    folded = fold_text(whole)
    return QuotedPassage(
        text=folded.text,
        start=folded.at(lengths[0]),
        end=folded.at(lengths[1]),
        places=tuple(places[origin] for origin in folded.origin),
        place=sections.at(first.page, first.start),
        is_reference=sections.is_reference(first.page, first.start, first.end),
        printed=whole,
        before=fold_text(page[max(0, before - _BEFORE) : before]).text,
    )


def _passage_sentence_start(page: str, start: int) -> int:
    lowest = max(0, start - _REACH)
    ends = [
        found.end() for found in _SENTENCE_END.finditer(page, lowest, min(len(page), start + 1)) if found.end() <= start
    ]
    return ends[-1] if ends else (0 if lowest == 0 else start)


def _passage_sentence_end(page: str, end: int) -> int:
    stop = page[max(0, end - 2) : end].strip()
    if stop.endswith((".", "!", "?", "。", ".)", ".]")):
        return end
    found = _SENTENCE_END.search(page, end, min(len(page), end + _REACH))
    if found is None:
        return len(page) if len(page) - end <= _REACH else end
    return found.start() + 1


def passage_clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The clauses of a sentence. A comma before `and` parts two only where a verb stands on either side."""
    found: list[tuple[int, int]] = []
    at = start
    for cut in _CLAUSE.finditer(text, start, end):
        if cut[0].startswith((",", " ")) and not (
            _VERB.search(text, at, cut.start()) and _VERB.search(text, cut.end(), end)
        ):
            continue
        found.append((at, cut.end()))
        at = cut.end()
    return [*found, (at, end)] if at < end else found
