"""The time that a label or a question names: baseline, a length of time, or simply afterwards. Pure."""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from ingather.extraction.ground.folding import fold_text


class When(IntEnum):
    """How times follow each other."""

    BEFORE = 0
    DURING = 1
    AT = 2
    AFTER = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of measurement; `days` since the start where it is a length of time."""

    when: When
    days: float = 0.0


_DAYS: Final = {"second": 1 / 86400, "minute": 1 / 1440, "min": 1 / 1440, "hour": 1 / 24, "hr": 1 / 24, "h": 1 / 24,
                "day": 1.0, "d": 1.0, "week": 7.0, "wk": 7.0, "month": 30.4, "mo": 30.4, "year": 365.0, "yr": 365.0,
                "天": 1.0, "周": 7.0, "月": 30.4, "年": 365.0}  # fmt: skip
_SPELT: Final = {name: number for number, name in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve".split())}  # noqa: SIM905  # fmt: skip
_UNIT: Final = r"(?P<{0}>minutes?|mins?|hours?|hrs?|h|days?|weeks?|wks?|months?|mo|years?|yrs?|天|周|个?月|年)"
_NUMBER: Final = (
    rf"(?:(?:\d+(?:\.\d+)?|{'|'.join(_SPELT)}) ?(?:-|to|and) ?)?(?P<{{0}}>\d+(?:\.\d+)?|{'|'.join(_SPELT)})"
)
_LENGTH: Final = re.compile(
    r"(?:(?<![a-z])(?:at|after|by|within|until|to|through|during|over|in) (?:the )?(?:first |last |following )?)?"
    rf"(?<![a-z0-9.]){_NUMBER.format('a')}(?:st|nd|rd"
    rf"|th)?[- ]?(?:post-?operative |study |treatment )?{_UNIT.format('u')}(?![a-z])"
    r"(?:[- ]?(?:of |after )?(?:follow-?\s?up|post-?\s?(?:treatment|intervention|operati(?:on|vely|ve)|surgery|test"
    r"|partum)?"
    r"|after (?:the )?(?:treatment|intervention|surgery|operation|randomi[sz]ation|baseline)))?"
    rf"|(?:(?<![a-z])(?P<v>days?|weeks?|months?|years?|wk|w(?=[- ]?[0-9]))[- ]?|(?P<t>第) ?)"
    rf"{_NUMBER.format('b')}(?P<w>天|周|个?月"
    rf"|年)?(?![0-9a-z.])"
)
_BEFORE: Final = re.compile(
    r"(?<![a-z])(?:(?:at )?baseline(?! (?:adjusted|to)\b)|pre-?\s?(?:test|treatment|intervention|op(?:erati(?:ve"
    r"|on(?:al)?))?|training|study|phase)?(?![a-z])"
    r"|before (?:the )?(?:[a-z-]+ ){0,3}(?:treatment|intervention|therapy|surgery|operation|program(?:me)?|training)"
    r"|before(?![a-z])"
    r"|initial(?:ly)?|(?:at )?(?:study )?(?:entry|enrol?ment|admission|inclusion)|t0|0 (?:weeks?|months?|days?))"
    r"|基线|治疗前|术前|干预前"
)
_AFTER: Final = re.compile(
    r"(?<![a-z])(?:(?:at )?(?:the )?(?:end ?-?point|end of (?:the )?(?:study|treatment|intervention|trial"
    r"|follow-?up))|final|follow-?\s?ups?"
    r"|post-?\s?(?:test|treatment|intervention|operati(?:ve|on)(?:ly)?|training|study|phase)?(?![a-z])"
    r"|after (?:the )?(?:[a-z-]+ ){0,3}(?:treatment|intervention|therapy|surgery|operation|program(?:me)?|training)"
    r"|after(?![a-z])"
    r"|at discharge|(?:at|by|on|after|study|trial) completion|endline)|治疗后|术后|干预后"
)
_POINT: Final = re.compile(r"(?<![a-z0-9])t ?([0-9])(?![a-z0-9.])")
# Numbered times follow each other by less than any length of time that a label would give, in days.
_POINT_STEP: Final = 0.0001
_LETTER: Final = re.compile(r"[^\W\d_]{2}")
_AFTER_LENGTH: Final = re.compile(r"\d.*(?:after|post|follow)")
_AT: Final = re.compile(r"^(?:at|after|by|within|until|post)\b|\b(?:at|after|post) ?$")
_CHANGE: Final = re.compile(
    r"(?<![a-z])(?:(?:mean |absolute |percent(?:age)? |% )?(?:changes?|differences? (?:from|between) (?:baseline"
    r"|before|pre)"
    r"|delta|gains?|improvements?|reductions?|decreases?|increases?|increments?|loss from)(?: (?:from|since"
    r"|over) (?:baseline|time))?)(?![a-z])"
    r"|[\u0394\u2206δ]|变化|差值"
)


def moment_in(text: str) -> tuple[Moment | None, str]:
    """The time that a text names, and the text without it. The latest length of time counts where there are several."""
    plain = fold_text(text).text
    before, after = _BEFORE.search(plain), _AFTER.search(plain)
    lengths = [(_days_of_moment(found), found) for found in _LENGTH.finditer(plain)]
    rest = _AFTER.sub(" ", _BEFORE.sub(" ", _LENGTH.sub(" ", plain)))
    if lengths and max(days for days, _ in lengths) < 1 and _LETTER.search(rest) and not _says_moment(plain, lengths):
        # `6-minute walk distance`, `3 h group`: the length of a test, and no time of measurement.
        lengths, rest = [], _AFTER.sub(" ", _BEFORE.sub(" ", plain))
    if (point := _POINT.search(plain)) and not (before or after or lengths):
        # `T0`, `T1`: only their order is known.
        number = int(point[1])
        rest = _POINT.sub(" ", plain)
        return (Moment(When.AT, number * _POINT_STEP) if number else Moment(When.BEFORE)), rest
    if lengths and max(days for days, _ in lengths) == 0:
        return Moment(When.BEFORE), rest  # `week 0`
    if before and not lengths and not after:
        return Moment(When.BEFORE), rest
    if lengths and not before:
        return Moment(When.AT, max(days for days, _ in lengths)), rest
    if after and not before:
        return Moment(When.AFTER), rest
    return None, plain if not (before or after or lengths) else rest


def lengths_of_moments(text: str) -> set[float]:
    """All lengths of time that a text names, in days."""
    return {_days_of_moment(found) for found in _LENGTH.finditer(fold_text(text).text)}


def _says_moment(plain: str, lengths: list[tuple[float, re.Match[str]]]) -> bool:
    return all(
        _AT.search(found[0]) or _AFTER_LENGTH.search(found[0]) or _AT.search(plain, 0, found.start())
        for _, found in lengths
    )


def is_change_not_moment(text: str) -> bool:
    """Whether a text speaks of a change and not of what was measured at a time."""
    return _CHANGE.search(fold_text(text).text) is not None


def _days_of_moment(found: re.Match[str]) -> float:
    number = found["a"] or found["b"]
    unit = (found["u"] or found["v"] or found["w"] or "day").replace("个", "")
    unit = {"w": "week", "m": "month", "y": "year"}.get(unit, unit)
    unit = unit if unit in _DAYS else unit.rstrip("s")
    return (float(_SPELT[number]) if number in _SPELT else float(number)) * _DAYS.get(unit, 1.0)
