"""Which kinds of quantity a field may be answered with. Pure; from the field's type, unit, id and label."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ingather.extraction.proof.figure_kind import FigureKind
from ingather.extraction.template.model import Field, FieldType, Scope

M = FigureKind
_PLAIN: Final = frozenset((M.PLAIN,))
_COUNTS: Final = frozenset((M.COUNT, M.PLAIN, M.EVENTS, M.TOTAL))
_THINGS: Final = frozenset((M.THINGS, M.PLAIN, M.COUNT))
_ANY_NUMBER: Final = frozenset((M.PLAIN, M.COUNT, M.THINGS, M.AMOUNT, M.MEAN, M.STATISTIC, M.ESTIMATE, M.EVENTS, M.AGE))

# The first that is found in a field's id and English label decides. Parts of words count in ids only.
_BOUND: Final = r"[_ -](?:end[ _](?:of[ _])?)?(?:ci|confidence|bound|limit)"
_EFFECTS: Final = r"(?:estimate|effect size|odds ratio|hazard ratio|risk ratio|relative risk|difference)"
_BY_NAME: Final = (
    (rf"\bci[_ -]?(?:low|lower)|(?:low|lower)\w*{_BOUND}", frozenset((M.CI_LOW,))),
    (rf"\bci[_ -]?(?:high|upper|up)|(?:high|upper){_BOUND}", frozenset((M.CI_HIGH,))),
    (r"\bci[_ -]?level|confidence level", frozenset((M.CI_LEVEL,))),
    (r"\bp[_ -]?value\b|(?:^|_)p(?:$|\b)", frozenset((M.P,))),
    (r"(?:^|_|\b)q1\b|lower quartile|25th", frozenset((M.Q1,))),
    (r"(?:^|_|\b)q3\b|upper quartile|75th", frozenset((M.Q3,))),
    (r"(?:^|_|\b)s\.?d\.?(?:$|_|\b)|standard deviation", frozenset((M.SD,))),
    (r"(?:^|_|\b)s\.?e\.?m?\.?(?:$|_|\b)|standard error", frozenset((M.SE,))),
    (r"(?:^|_|\b)median", frozenset((M.MEDIAN,))),
    (r"(?:^|_|\b)(?:mean|average)", frozenset((M.MEAN, M.PLAIN, M.AMOUNT))),
    (rf"(?:^|_|\b){_EFFECTS}", frozenset((M.ESTIMATE, M.PLAIN, M.PERCENT, M.AMOUNT, M.MEAN))),
    (r"(?:^|_|\b)min(?:imum)?(?:$|_|\b)", frozenset((M.MIN,))),
    (r"(?:^|_|\b)max(?:imum)?(?:$|_|\b)", frozenset((M.MAX,))),
    (r"(?:^|_)events?\b|^(?:\w+_)?(?:cases?|deaths?)\b", frozenset((M.EVENTS, M.COUNT, M.PLAIN))),
)
_PEOPLE_UNIT: Final = re.compile(r"participants?|patients?|people|persons?|subjects?|人|例")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a field takes: a figure must be one of `measures` and none of `barred`."""

    measures: frozenset[FigureKind]
    barred: frozenset[FigureKind] = frozenset()
    is_whole: bool = False
    is_percent: bool = False
    is_people: bool = False


_BARS: Final = {
    M.MEAN: frozenset((M.MEDIAN, M.SD, M.SE, M.P, M.CI_LOW, M.CI_HIGH)),
    M.SD: frozenset((M.MEAN,)),
    M.ESTIMATE: frozenset((M.P, M.CI_LEVEL, M.SD, M.SE, M.CI_LOW, M.CI_HIGH, M.MEDIAN)),
    M.EVENTS: frozenset((M.MEAN, M.MEDIAN, M.AGE)),
}


@lru_cache(maxsize=2_000)
def kinds_wanted(field: Field) -> Wanted:
    """The kinds of quantity that may answer a number field."""
    unit = field.unit if isinstance(field.unit, str) else ""
    if field.id == "publication_year" or unit == "year":
        return Wanted(measures=frozenset((M.DATE,)), is_whole=True)
    if field.type is FieldType.PERCENT and not _kinds_wanted_by_field_name(field) & {M.CI_LEVEL, M.CI_LOW, M.CI_HIGH}:
        return Wanted(measures=frozenset((M.PERCENT,)), is_percent=True)
    named = _kinds_wanted_by_field_name(field)
    if field.type is FieldType.INT:
        if field.id in {"r_n", "arm_n_randomised", "group_n"} or (field.scope is Scope.ARM_RESULT and not named):
            barred = frozenset((M.EVENTS,)) if field.id == "r_n" else frozenset[FigureKind]()
            return Wanted(measures=frozenset((M.TOTAL, M.COUNT, M.PLAIN)), barred=barred, is_whole=True, is_people=True)
        if M.EVENTS in named:
            return Wanted(measures=named, barred=_BARS[M.EVENTS] | {M.TOTAL}, is_whole=True, is_people=True)
        if _PEOPLE_UNIT.search(unit) or re.search(r"(?:^|_)n_|_n$", field.id):
            is_people = not re.search(r"n_(?:cent|clust|site|arm|group)", field.id)
            if _PEOPLE_UNIT.search(unit) or is_people:
                barred = frozenset((M.MEAN, M.MEDIAN, M.THINGS))
                return Wanted(measures=_COUNTS, barred=barred, is_whole=True, is_people=True)
        return Wanted(measures=_THINGS | _COUNTS, is_whole=True)
    if named:
        barred = frozenset().union(*(_BARS.get(one, frozenset()) for one in named))
        return Wanted(measures=named, barred=barred - named)
    return Wanted(measures=_ANY_NUMBER, barred=frozenset((M.P, M.CI_LEVEL)))


def _kinds_wanted_by_field_name(field: Field) -> frozenset[FigureKind]:
    name = f"{field.id} {field.label.en}".casefold()
    return next((kinds for pattern, kinds in _BY_NAME if re.search(pattern, name)), frozenset())
