"""Whether a figure is of the time that its row stands for. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.figures import PrintedFigure

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
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


def figure_time_in_days(text: str) -> float | None:
    """A length of time in days, as far as a folded text begins with one or names one."""
    found = _TIME.search(text)
    if not found:
        return 0.0 if re.search(r"baseline|基线|治疗前", text) else None
    number = float(found["number"] or found["number2"])
    return number * _TIME_UNITS[_figure_time_unit(found["unit"] or found["unit3"] or found["unit2"])]


_HEADS: Final = (
    *(("sec", "s"), ("min", "min"), ("分", "min"), ("h", "h"), ("小时", "h"), ("d", "d"), ("n", "n"), ("天", "d")),
    *(("日", "d"), ("w", "w"), ("周", "w"), ("mo", "mo"), ("y", "y"), ("年", "y")),
)


def _figure_time_unit(unit: str) -> str:
    for head, key in _HEADS:
        if unit.startswith(head):
            return key
    return "w" if "星期" in unit else "mo" if "月" in unit else "d"


def figure_is_of_time(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], wanted: float, sentence: tuple[int, int]
) -> bool:
    """Whether a figure may be of this time, in days (0 is baseline): false only where the sentence says another."""
    start, end = sentence
    if _is_figure_time_of_beginning(text, figure, sentence):
        return wanted == 0
    marks = [(one.start() + start, one.end() + start, 0.0) for one in _BASELINE.finditer(text[start:end])]
    marks += [(one.start() + start, one.end() + start, -1.0) for one in _AFTER.finditer(text[start:end])]
    marks += [
        (one.start() + start, one.end() + start, figure_time_in_days(one[0]) or 0.0)
        for one in _TIME.finditer(text[start:end])
        if one["unit2"] or _AT.search(text, max(0, one.start() + start - 12), one.start() + start)
    ]
    marks = [mark for mark in marks if not mark[0] <= figure.start < mark[1]]
    if not marks:
        return True
    mark = _mark_of_figure_time(text, figure, peers, marks)
    if mark is None:
        return True
    time = mark[2]
    if time == -1.0:
        return wanted != 0
    if wanted == 0 or time == 0:
        return wanted == time
    return abs(time - wanted) <= 0.1 * max(time, wanted)


def _is_figure_time_of_beginning(text: str, figure: PrintedFigure, sentence: tuple[int, int]) -> bool:
    """`fell from 7.2 to 6.1`: the first is of the beginning."""
    return (
        _FROM.search(text, sentence[0], figure.start) is not None
        and _TO.match(text, figure.end, sentence[1]) is not None
    )


def _mark_of_figure_time(
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
