"""Dates bound to their quotes: where the date stands, as the beginning or the end it is asked as. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.proof.bound import Bound, unbound
from ingather.extraction.proof.cues import Cues, cue_mentions
from ingather.extraction.proof.named_dates import Date, NamedDate, named_dates
from ingather.extraction.proof.passage import QuotedPassage
from ingather.extraction.template.model import Field

_RANGE: Final = re.compile(
    r"[\s,]*(?:-|~|to|and|through|until|till|up to|thru|ended (?:in|on)|ending (?:in|on)|the end of"
    r"|至|到|the|of|early|late|mid|起|completed (?:in|on)?|finished (?:in|on)|recruitment|was|enrolment|enrollment"
    r"|[\s,-])*[\s,]*"
)
_BEGINS: Final = re.compile(
    r"(?:since|from|began|begun|start\w*|commenc\w*|opened|starting|initiated|first|自|从|开始)[^.;0-9]{0,40}$"
)
_ENDS: Final = re.compile(
    r"(?:until|through|till|end\w*|clos\w*|up to|complet\w*|finish\w*|last|censor\w*|to|截止|至|到|结束)[^.;0-9]{0,40}$"
)
_PLAIN: Final = re.compile(r"recruit|enrol|accru|began|start|招募|入组|收治|纳入")
# Four figures outside of these years are a number or a time of day.
_OLDEST, _NEWEST = 1950, 2099
_IS_START: Final = re.compile(r"start|begin|from|open|first|开始|起")
_IS_END: Final = re.compile(r"end|until|close|last|complet|结束|截止")


def bind_date(field: Field, value: str, passage: QuotedPassage, cues: Cues) -> Bound:
    """The place of a date, if the sentence speaks of the field and the date is at the right end of its range."""
    year, *rest = (int(part) for part in re.findall(r"[0-9]+", value))
    wanted: Date = (year, rest[0] if rest else None, rest[1] if len(rest) > 1 else None)
    named = sorted(named_dates(passage.text), key=lambda one: (one.start, one.start - one.end))
    named = [
        one
        for n, one in enumerate(named)
        if not any(_is_inside_other_date(one, other) for other in named if other is not one)
    ]
    found = [one for one in named if one.says(wanted) and passage.start <= one.start < passage.end]
    found = [one for one in found if _OLDEST <= one.date[0] <= _NEWEST]
    if not found:
        return unbound(Reason.PART_OF_NAME)
    reasons = [_bind_date(field, one, named, passage, cues) for one in found]
    return next((one for one in reasons if one.reason is None), reasons[0])


def _is_inside_other_date(one: NamedDate, other: NamedDate) -> bool:
    return other.start <= one.start and one.end <= other.end and (other.start, other.end) != (one.start, one.end)


def _bind_date(field: Field, one: NamedDate, named: Sequence[NamedDate], passage: QuotedPassage, cues: Cues) -> Bound:
    text, place = passage.text, (one.start, one.end)
    start, end = passage.sentence(one.start)
    name = f"{field.id} {field.label.en}".casefold()
    edge = _date_edge(text, one, named)
    if _IS_START.search(name) and not _IS_END.search(name) and edge == "end":
        return unbound(Reason.OTHER_TIME, place)
    if _IS_END.search(name) and edge != "end":
        return unbound(Reason.OTHER_TIME, place)
    own = [cue for cue in cue_mentions(cues.speaks, text) if start <= cue.start < end and not cue.is_negated]
    if edge == "":
        # A date that is no end of a range is that of many things: only the plainest words make it this field's.
        own = [cue for cue in own if _PLAIN.search(text, cue.start, cue.end)]
    if cues.speaks and not own:
        return unbound(Reason.NO_CUE, place)
    rivals = [cue for cue in cue_mentions(cues.rivals, text) if start <= cue.start < end]
    near = min((_gap_to_date(cue.start, cue.end, one) for cue in own), default=0)
    if rivals and min(_gap_to_date(cue.start, cue.end, one) for cue in rivals) < near:
        return unbound(Reason.OTHER_TIME, place)
    return Bound(values=(place,), subjects=tuple((cue.start, cue.end) for cue in own[:1]))


def _gap_to_date(start: int, end: int, one: NamedDate) -> int:
    return max(0, one.start - end, start - one.end)


def _date_edge(text: str, one: NamedDate, named: Sequence[NamedDate]) -> str:
    """Whether a date begins or ends a range; empty where it stands alone."""
    for other in _other_dates(one, named):
        if other.start >= one.end and _RANGE.fullmatch(text[one.end : other.start]):
            return "start"
        if other.end <= one.start and _RANGE.fullmatch(text[other.end : one.start]):
            return "end"
        if (
            (other.start, other.end) == (one.start, one.end)
            and other.date != one.date
            and None not in (other.date[1], one.date[1])
        ):
            return "start" if one.date < other.date else "end"
    before = text[max(0, one.start - 50) : one.start]
    if _BEGINS.search(before) and not _ENDS.search(before):
        return "start"
    return "end" if re.search(r"(?:until|through|till|up to|ended|closed|截止|止)[^.;0-9]{0,25}$", before) else ""


def _other_dates(one: NamedDate, named: Sequence[NamedDate]) -> Iterator[NamedDate]:
    return (other for other in named if other is not one)
