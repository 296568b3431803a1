"""Whether a figure is of the outcome and of the time that its row stands for. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.labels import NamedRow
from ingather.extraction.proof.outcome_labels import outcome_mentions, share_named
from ingather.extraction.proof.owners import run_of

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LONG_TERM: Final = re.compile(r"(?<![a-z-])[a-z]{4,}(?![a-z])")
# Words that may stand between the figures of one outcome: groups, units, times, verbs of change.
_GLUE: Final = re.compile(
    r"patients?|participants?|subjects?|women|children|infants?|adults?|people|groups?|arms?|with|from|than|versus"
    r"|compared|comparison"
    r"|were|been|have|that|those|these|this|they|their|while|whereas|respectively|receiv\w*|treat\w*|assign\w*|given"
    r"|taking|placebo|controls?|intervention|active|weeks?|months?|days?|years?|hours?|minutes?|baseline|after|before"
    r"|follow\w*"
    r"|mean|median|standard|deviation|error|confidence|interval|range|interquartile|increas\w*|decreas\w*|reduc\w*"
    r"|chang\w*|improv\w*|declin\w*|dropped|fell|rose|gain\w*|lower|higher|greater|less|more|only|into|during|over|also"
    r"|both|each|other|percent|cent|among|between|whom|between|significant\w*|differ\w*|points?|score|scores|mmhg"
    r"|about|approximately|nearly|almost|therapy|alone|plus|standard|usual|care|respective|corresponding|values?|rates?"
    r"|ratio|hazard|odds|relative|risk|adjusted|unadjusted|events?|cases|total|against|same|second|first|third|fourth"
    r"|half|time|study|trial|week|end|showed|observed|found|reported|occurred|noted|experienced|achieved|developed"
    r"|level|levels|phase|period|dose|high|drug|test|used|using|went|stayed|remained|mmol|well|level|units?|very|just"
    r"|even|incidence|proportion|frequency|percentage|number|recipients?|procedures?|nodes?|eyes?|least|slightly"
    r"|overall|average"
)
_TIME_UNITS: Final = {
    "s": 1 / 86400, "min": 1 / 1440, "h": 1 / 24, "d": 1.0, "n": 1.0, "w": 7.0, "mo": 30.4, "y": 365.0,
}  # fmt: skip
_TIME: Final = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)[- ]?(?P<unit>seconds?|minutes?|mins?|hours?|hrs?|h|days?|nights?|d|weeks?|wks?"
    r"|months?|mos?"
    r"|years?|yrs?|分钟|小时|天|日|周|个?星期|个?月|年)(?![a-z])"
    r"|(?P<unit2>hours?|days?|weeks?|months?|years?|第) ?(?P<number2>[0-9]+)(?P<unit3>周|天|月|年)?"
)
_BASELINE: Final = re.compile(
    r"(?<!from )(?<!from the )(?<!adjusted for )(?:at |the |mean |median )?baseline(?! (?:and|to)\b)"
    r"|before (?:the )?(?:treatment|intervention|therapy|surgery|operation)|pre-?(?:treatment|intervention|operative\w*"
    r"|op|test)"
    r"|at (?:study )?(?:entry|enrol\w+|admission|randomi[sz]ation|inclusion)|治疗前|基线|术前|干预前"
)
_AFTER: Final = re.compile(
    r"post-?(?:treatment|intervention|operative\w*|test)|after (?:the )?(?:treatment|intervention|therapy|surgery"
    r"|operation)"
    r"|at (?:the )?(?:end|follow-?up|discharge|completion)|治疗后|术后|干预后"
)
_AT: Final = re.compile(r"(?:(?<![a-z])(?:at|after|by|within|week|month|day|year|and|to)|[或第后时,/-])(?: the)? ?$|^$")
_FROM: Final = re.compile(
    r"(?<![a-z])from (?:an? |the )?(?:mean |median |average |baseline )?(?:of |value of )?$|从 ?$|由 ?$"
)
_TO: Final = re.compile(
    r"[^.;]{0,60}?(?<![a-z])to (?:an? |the )?[^.;]{0,20}[0-9]|[^。\uff1b]{0,30}[至到][^。\uff1b]{0,12}[0-9]"
)


def of_outcome(
    text: str,
    figure: PrintedFigure,
    peers: Sequence[PrintedFigure],
    key: str,
    labels: Mapping[str, str],
    arms: Sequence[NamedRow],
    sentence: tuple[int, int],
) -> NamedRow | Reason:
    """The words that name the outcome of a figure, or why it is not shown to be of this outcome."""
    start, end = sentence
    own = [
        NamedRow(start=one.start + start, end=one.end + start, key=key)
        for one in outcome_mentions(labels[key], key, text[start:end])
    ]
    own = [one for one in own if not _is_rather(text, one, labels[key], labels, sentence)]
    if not own:
        return Reason.NO_SUBJECT
    others = _other_outcomes(text, key, labels, sentence, own, figure)
    run = run_of(text, figure, peers, sentence)
    peers = [one for one in peers if one.start == figure.start or one.start <= figure.start or one not in run]
    left = _last_named_before(own, figure.start)
    other = _last_named_before(others, figure.start)
    bracket = _bracket_of(text, figure)
    if bracket is not None:
        # Text in brackets belongs to the words before them.
        if left is None or (other is not None and other.start > left.start):
            return Reason.OTHER_OUTCOME
        return Reason.OTHER_OUTCOME if _is_behind_brackets(text, left, bracket, peers, arms) else left
    behind = _first_behind(own, figure, peers) or _behind_all(text, own, others, figure, run, arms)
    if left is not None and (other is None or other.start < left.start):
        if behind is not None or not _is_new_subject(text, left, figure, peers, arms):
            return left
        return Reason.OTHER_OUTCOME
    firsts = [one.start for one in run] + [one.start for one in peers if start <= one.start < end]
    if other is not None and left is None and other.end <= min(firsts):
        return Reason.OTHER_OUTCOME  # `bleeding in 3 %, stroke in 2 %`: names stand before their figures
    if behind is not None and (_first_behind(others, figure, peers) or behind).start >= behind.start:
        return behind
    return Reason.OTHER_OUTCOME


def _is_rather(text: str, own: NamedRow, label: str, labels: Mapping[str, str], sentence: tuple[int, int]) -> bool:
    """Whether a place names another outcome more fully: `breast cancer incidence` is not its mortality."""
    mine = share_named(label, text[own.start : own.end])
    for key, other in labels.items():
        if key == own.key or other == label:
            continue
        for one in outcome_mentions(other, key, text[slice(*sentence)]):
            start, end = one.start + sentence[0], one.end + sentence[0]
            is_longer = end - start > own.end - own.start
            if start < own.end and own.start < end:
                theirs = share_named(other, text[start:end])
                if theirs > mine or (theirs == mine and is_longer):
                    return True
    return False


def _bracket_of(text: str, figure: PrintedFigure) -> tuple[int, int] | None:
    return next(
        (found.span() for found in _BRACKETS.finditer(text) if found.start() < figure.start < found.end()), None
    )


def _is_behind_brackets(
    text: str, own: NamedRow, bracket: tuple[int, int], peers: Sequence[PrintedFigure], arms: Sequence[NamedRow]
) -> bool:
    """Whether other brackets with figures of the kind, and then other words, stand between a name and the brackets."""
    for found in _BRACKETS.finditer(text, own.end, bracket[0]):
        if any(found.start() < one.start < found.end() for one in peers):
            gap = _without(text, found.end(), bracket[0], arms)
            return any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap))
    return False


def _other_outcomes(
    text: str, key: str, labels: Mapping[str, str], sentence: tuple[int, int], own: Sequence[NamedRow],
    figure: PrintedFigure,
) -> list[NamedRow]:  # fmt: skip
    """Where the sentence names other outcomes, in words that this one has not."""
    start, end = sentence
    found = [
        NamedRow(start=one.start + start, end=one.end + start, key=other)
        for other, label in labels.items()
        if other != key
        for one in outcome_mentions(label, other, text[start:end])
    ]
    found = [one for one in found if not any(one.start < mine.end and mine.start < one.end for mine in own)]
    # Brackets beside a figure hold an aside: `13 % (two of them fatal) and 29 %`.
    asides = [bracket.span() for bracket in _BRACKETS.finditer(text, start, end)]
    return [one for one in found if not any(a < one.start < b and not a < figure.start < b for a, b in asides)]


def _last_named_before(named: Sequence[NamedRow], at: int) -> NamedRow | None:
    return max((one for one in named if one.end <= at), key=lambda one: one.start, default=None)


def _first_behind(named: Sequence[NamedRow], figure: PrintedFigure, peers: Sequence[PrintedFigure]) -> NamedRow | None:
    """The first name behind a figure with no other figure of its kind before it."""
    stop = min((one.start for one in peers if one.start > figure.start), default=10**9)
    return min((one for one in named if figure.end <= one.start < stop), key=lambda one: one.start, default=None)


def _behind_all(
    text: str, own: Sequence[NamedRow], others: Sequence[NamedRow], figure: PrintedFigure,
    run: Sequence[PrintedFigure], arms: Sequence[NamedRow],
) -> NamedRow | None:  # fmt: skip
    """`More of A (56 %) than of B (40 %) improved`: an outcome behind all figures, with only groups between."""
    behind = next((one for one in own if one.start >= figure.end), None)
    if behind is None or any(one.start < behind.start for one in others):
        return None
    gap = _BRACKETS.sub(" ", _without(text, max(one.end for one in (*run, figure)), behind.start, arms))
    gap = re.sub(r"(?<![a-z])(?:group|arm|of|the)[a-z]*(?![a-z])", " ", gap)
    if re.search(r";|\. |(?<![a-z])(?:while|whereas|but)(?![a-z])", gap):
        return None
    return None if any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap)) else behind


def _is_new_subject(
    text: str, own: NamedRow, figure: PrintedFigure, peers: Sequence[PrintedFigure], arms: Sequence[NamedRow]
) -> bool:
    """Whether, behind the figures of this outcome, something else was named before this figure."""
    before = max((one.end for one in peers if own.end <= one.start and one.end <= figure.start), default=None)
    if before is None:
        return False
    gap = _BRACKETS.sub(" ", _without(text, before, figure.start, arms))
    gap = re.sub(r"^ ?[a-z]+(?= )", "", gap)  # what is counted: `1.6 nodes compared with 2.2 nodes`
    return any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap))


def _without(text: str, start: int, end: int, names: Sequence[NamedRow]) -> str:
    """A stretch of a text with the names of groups left blank."""
    left = list(text[start:end])
    for one in names:
        for at in range(max(one.start, start), min(one.end, end)):
            left[at - start] = " "
    return "".join(left)


def days(text: str) -> float | None:
    """A length of time in days, as far as a folded text begins with one or names one."""
    found = _TIME.search(text)
    if not found:
        return 0.0 if re.search(r"baseline|基线|治疗前", text) else None
    number = float(found["number"] or found["number2"])
    return number * _TIME_UNITS[_time_unit(found["unit"] or found["unit3"] or found["unit2"])]


_HEADS: Final = (
    *(("sec", "s"), ("min", "min"), ("分", "min"), ("h", "h"), ("小时", "h"), ("d", "d"), ("n", "n"), ("天", "d")),
    *(("日", "d"), ("w", "w"), ("周", "w"), ("mo", "mo"), ("y", "y"), ("年", "y")),
)


def _time_unit(unit: str) -> str:
    for head, key in _HEADS:
        if unit.startswith(head):
            return key
    return "w" if "星期" in unit else "mo" if "月" in unit else "d"


def of_time(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], wanted: float, sentence: tuple[int, int]
) -> bool:
    """Whether a figure may be of this time, in days (0 is baseline): false only where the sentence says another."""
    start, end = sentence
    if _is_from(text, figure, sentence):
        return wanted == 0
    marks = [(one.start() + start, one.end() + start, 0.0) for one in _BASELINE.finditer(text[start:end])]
    marks += [(one.start() + start, one.end() + start, -1.0) for one in _AFTER.finditer(text[start:end])]
    marks += [
        (one.start() + start, one.end() + start, days(one[0]) or 0.0)
        for one in _TIME.finditer(text[start:end])
        if one["unit2"] or _AT.search(text, max(0, one.start() + start - 12), one.start() + start)
    ]
    marks = [mark for mark in marks if not mark[0] <= figure.start < mark[1]]
    if not marks:
        return True
    mark = _governing(text, figure, peers, marks)
    if mark is None:
        return True
    time = mark[2]
    if time == -1.0:
        return wanted != 0
    if wanted == 0 or time == 0:
        return wanted == time
    return abs(time - wanted) <= 0.1 * max(time, wanted)


def _is_from(text: str, figure: PrintedFigure, sentence: tuple[int, int]) -> bool:
    """`fell from 7.2 to 6.1`: the first is of the beginning."""
    return (
        _FROM.search(text, sentence[0], figure.start) is not None
        and _TO.match(text, figure.end, sentence[1]) is not None
    )


def _governing(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], marks: Sequence[tuple[int, int, float]]
) -> tuple[int, int, float] | None:
    """The time mark of a figure: right behind it without another figure between, or else the last before it."""
    stop = min((one.start for one in peers if one.start > figure.start), default=10**9)
    behind = [mark for mark in marks if figure.end <= mark[0] < stop]
    before = [mark for mark in marks if mark[1] <= figure.start]
    if behind:
        gap = _BRACKETS.sub(" ", text[figure.end : min(behind)[0]])
        if len(gap.split()) <= 4 and not re.search(r"[,;]|(?<![a-z])(?:and|vs|versus|compared)(?![a-z])", gap):
            return min(behind)
    if before:
        return max(before)
    return min(behind) if behind and len({mark[2] for mark in behind}) == 1 else None
