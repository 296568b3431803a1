"""Where people enrolled count as randomised: in the abstract of a paper that says it is a randomised trial. Pure.

Abstracts say how many were enrolled, and say in another sentence, or in the title, that they were randomised.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ingather.extraction.proof.cues import Cue, Cues, cue
from ingather.extraction.proof.passage import QuotedPassage

FIELD: Final = "n_randomised"
# A document of no more characters is an abstract without headings; the shortest articles have several times as many.
_LONGEST_ABSTRACT: Final = 6_000

_ENROLLED: Final[tuple[Cue, ...]] = tuple(
    map(
        cue,
        [
            "enrol*", "recruit*", "were included", "was included", "study|trial .. included|involved|comprised",
            "entered", "were accrued", "accrued", "participated", "took part", "trial|study .. among|in|of",
        ],
    )
)  # fmt: skip
# Those who were treated may be fewer than those who were randomised, where the sentence speaks of an analysis.
_TREATED: Final[tuple[Cue, ...]] = tuple(map(cue, ["received", "were treated"]))
_RANDOMISED: Final = re.compile(
    r"\brandomi[sz]ed\b[^.]{0,60}\b(?:trial|study|experiment)\b|\brandomly (?:assigned|allocated|divided|selected to"
    r"|received)\b|\b(?:were|was) (?:\w+ )?randomi[sz]ed\b|\brandom(?:i[sz]ation| assignment| allocation)\b",
    re.IGNORECASE,
)
# A part of a trial, a paper about records, and one that looks back give numbers of other people.
_OTHER_PEOPLE: Final = re.compile(
    r"\b(?:sub-?(?:study|group|set|sample|analysis|protocol)|post[- ]hoc|retrospective\w*|secondary analysis|pooled"
    r"|cohort study|case[- ]control|meta-analys\w+|non-?randomi[sz]ed|not randomi[sz]ed)\b",
    re.IGNORECASE,
)
_ANALYSED: Final = re.compile(r"(?<![a-z])(?:analys|analyz|evaluable|assessable|completed|eligible for)")


def with_enrolment(cues: Cues, pages: Sequence[str], text: QuotedPassage) -> Cues | None:
    """The cues of the number randomised with those of enrolment, where these may stand for them; else None."""
    abstract = _abstract_with_enrolment(pages, text)
    if not abstract or not _RANDOMISED.search(abstract) or _OTHER_PEOPLE.search(abstract):
        return None
    treated = () if _ANALYSED.search(text.text, *text.sentence(text.start)) else _TREATED
    return replace(cues, speaks=(*cues.speaks, *_ENROLLED, *treated))


def _abstract_with_enrolment(pages: Sequence[str], text: QuotedPassage) -> str:
    """The title and the abstract in which a quote stands; nothing where it does not stand there."""
    if sum(map(len, pages)) <= _LONGEST_ABSTRACT:
        return "\n".join(pages)
    if not text.place.in_abstract:
        return ""
    return pages[0][:_LONGEST_ABSTRACT]
