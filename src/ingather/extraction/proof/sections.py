"""Where in a paper a place stands: its part, the heading above it, and whether it speaks of other papers. Pure."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.rules.headings import ABSTRACT, PARTS, REFERENCES, heading

_LINE: Final = re.compile(r"[^\n]+")
# Markdown and numbered headings are read without their marks.
_MARKS: Final = re.compile(r"^\s*#{1,6}\s+")
# One entry of a list of references: initials behind names, a year, a volume and pages.
_REFERENCE: Final = re.compile(
    r"(?:\b[A-Z][\w'-]+,? (?:[A-Z]\.? ?){1,3}(?:,|;| and | et al)).{0,400}?"
    r"(?:(?:19|20)\d\d[a-z]?[;,.]? ?(?:[A-Z][a-z]{2} ?\d{0,2})?[;:,]? ?\d{1,4} ?(?:\([^)]{1,12}\))?[:,] ?[eE]?\d+"
    r"|\d{1,4} ?(?:\([^)]{1,12}\))?[:,] ?[eE]?\d+ ?[-\u2013] ?\d+[.,]? ?\(?(?:19|20)\d\d\)?)",
    re.DOTALL,
)
_OWN: Final = re.compile(
    r"\b(?:we|our|ours|us)\b|\b(?:this|the present|the current|present|current) (?:\w+ )?(?:study|trial|analysis|cohort"
    r"|work|report|paper|article|investigation|research|review)\b|\bherein\b|\bin this\b|本研究|本试验|我们|本文|本组",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?:previous|prior|earlier|older|recent|several|many|most|some|few|numerous|other|another|existing|published"
    r"|large|larger|similar|various|two|three|these) (?:\w+ ){0,3}?(?:(?:trials?|stud(?:y|ies)|cohorts?)\b"
    # `three trial arms` are of this trial.
    r"(?! (?:arms?|groups?|sites?|cent|treatment|drug|medication|visit|phase|period|day|week|medicine))"
    r"|work|reviews?|reports?|research|investigations?|investigators?|authors?|meta-analys[ei]s|data|literature)\b"
    r"|\bet al\b"
    r"|\band (?:colleagues"
    r"|co-?workers|others|associates)\b|\bin (?:that|their) (?:study|trial|review|cohort)|\bothers have\b|\bmeta-analys"
    r"|\bsystematic review|\bcochrane review|\b(?:has|have) been (?:shown|reported|demonstrated|suggested|described)\b"
    r"|\b(?:studies|trials|authors|reports) (?:have|has|had|show|showed|suggest|report|found)"
    r"|既往研究|以往研究|文献报道|前期研究|有研究|等报道|等研究",
    re.IGNORECASE,
)
_CITED: Final = re.compile(r"\[\d{1,3}(?:[,\-\u2013]\s?\d{1,3})*\]|[a-z][.,]\d{1,3}(?:[,\-\u2013]\d{1,3})*(?=\s|$)")
# The parts in which a paper speaks of its own study, and cites others for what it does: `as described before [12]`.
_OWN_PARTS: Final = frozenset({"methods", "results", "aim", "abstract", "end", "keywords"})


@dataclass(frozen=True, slots=True)
class PlaceInPaper:
    """A stretch of a paper under one heading: its page, where it begins there, the part, and the heading as printed."""

    page: int
    start: int
    part: str
    heading: str
    in_abstract: bool = False


class Sections:
    """The parts of a paper, found by its headings. Built once for a document."""

    def __init__(self, pages: Sequence[str]) -> None:
        self._pages = pages
        self._places = [PlaceInPaper(0, 0, "front", "")]
        self._in_abstract = False
        self._seen: set[str] = set()
        for page, text in enumerate(pages):
            for line in _LINE.finditer(text):
                self._read(page, line)
        self._keys = [(place.page, place.start) for place in self._places]

    def _read(self, page: int, line: re.Match[str]) -> None:
        text = _MARKS.sub("", line[0]).strip()
        is_marked = text != line[0].strip()
        found = heading(text, in_abstract=self._in_abstract) if text else None
        if found is None or not found[0]:
            if is_marked and len(text) < 100:
                last = self._places[-1]
                self._places.append(PlaceInPaper(page, line.start(), last.part, text, self._in_abstract))
            return
        topic, behind = found
        last = self._places[-1]
        if last.part == REFERENCES and PARTS.get(topic) != "end":
            return
        if topic == ABSTRACT:
            self._in_abstract, self._seen = True, set()
        elif self._in_abstract and (topic in self._seen or (topic in {"introduction", REFERENCES} and self._seen)):
            self._in_abstract = False
        self._seen.add(topic)
        part = PARTS.get(topic) or last.part
        self._places.append(PlaceInPaper(page, line.start(), part, text[:behind], self._in_abstract))

    def at(self, page: int, start: int) -> PlaceInPaper:
        """The stretch that a character belongs to."""
        return self._places[max(0, bisect_right(self._keys, (page, start)) - 1)]

    def is_reference(self, page: int, start: int, end: int) -> bool:
        """Whether the place is in the list of references, or looks like an entry of one on a page after the first."""
        if self.at(page, start).part == REFERENCES:
            return True
        text = self._pages[page]
        around = text[max(0, start - 250) : end + 120]
        return page > 0 and any(
            found.start() <= min(start, 250) + (end - start) and found.end() >= min(start, 250)
            for found in _REFERENCE.finditer(around)
        )


def section_speaks_of_others(sentence: str, place: PlaceInPaper) -> bool:
    """Whether a sentence there speaks of other papers, or of the world at large, and not of this study."""
    if _OWN.search(sentence):
        return False
    if place.part == "introduction":
        return True
    if place.part in _OWN_PARTS:
        return False
    return _OTHERS.search(sentence) is not None or (
        place.part in {"discussion", "conclusions"} and _CITED.search(sentence) is not None
    )
