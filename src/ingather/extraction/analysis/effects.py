"""The effect of one comparison with its variance, as `escalc` of R's metafor computes it. Pure."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingather.extraction.analysis.conversions import GroupMean, Unusable, se_from_ci
from ingather.extraction.analysis.distributions import log_gamma, normal_quantile
from ingather.notice import notice

# Added to all four cells of a table that has an empty one, so that its logarithm exists: metafor's and RevMan's value.
# A larger one pulls effects of rare events further towards none.
EMPTY_CELL: Final = 0.5


class Measure(StrEnum):
    """What is compared. Ratios are pooled as logarithms and shown as ratios."""

    RR = "RR"
    OR = "OR"
    RD = "RD"
    HR = "HR"
    MD = "MD"
    SMD = "SMD"

    @property
    def is_ratio(self) -> bool:
        return self in {Measure.RR, Measure.OR, Measure.HR}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEvents:
    """A binary result of one group. Numbers need not be whole: a shared control is divided."""

    events: float
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An estimate and its variance, on the scale on which it is pooled: the logarithm for ratios."""

    measure: Measure
    estimate: float
    variance: float

    def interval(self, level: float = 95) -> tuple[float, float]:
        reach = normal_quantile(0.5 + level / 200) * math.sqrt(self.variance)
        return self.estimate - reach, self.estimate + reach


def shown(measure: Measure, value: float) -> float:
    """A value of the pooled scale as people read it."""
    return math.exp(value) if measure.is_ratio else value


def binary_effect(measure: Measure, intervention: GroupEvents, control: GroupEvents) -> Effect:
    a, b = _events_and_without(intervention)
    c, d = _events_and_without(control)
    if measure is not Measure.RD and (a + c == 0 or b + d == 0):
        raise Unusable(
            notice(
                "analysis.no_ratio",
                "No group or every member of both groups had the event, which says nothing of a ratio.",
            )
        )
    if 0 in {a, b, c, d}:
        a, b, c, d = (cell + EMPTY_CELL for cell in (a, b, c, d))
    n1, n2 = a + b, c + d
    match measure:
        case Measure.RR:
            return Effect(
                measure=measure, estimate=math.log(a / n1 / (c / n2)), variance=1 / a - 1 / n1 + 1 / c - 1 / n2
            )
        case Measure.OR:
            return Effect(measure=measure, estimate=math.log(a * d / (b * c)), variance=1 / a + 1 / b + 1 / c + 1 / d)
        case Measure.RD:
            return Effect(measure=measure, estimate=a / n1 - c / n2, variance=a * b / n1**3 + c * d / n2**3)
    raise Unusable(
        notice("analysis.measure_of_events", "{measure} is not computed from events.", measure=measure.value)
    )


def continuous_effect(measure: Measure, intervention: GroupMean, control: GroupMean) -> Effect:
    one, two = intervention, control
    if min(one.n, two.n) < 2 or min(one.sd, two.sd) <= 0:
        raise Unusable(
            notice(
                "analysis.no_difference",
                "A difference of means needs two people or more in each group, and an SD above 0.",
            )
        )
    difference = one.mean - two.mean
    match measure:
        case Measure.MD:
            return Effect(measure=measure, estimate=difference, variance=one.sd**2 / one.n + two.sd**2 / two.n)
        case Measure.SMD:
            n, df = one.n + two.n, one.n + two.n - 2
            pooled_sd = math.sqrt(((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / df)
            # Hedges' correction for small samples, exact: the usual 1 - 3 ÷ (4 * df - 1) is its approximation.
            correction = math.exp(log_gamma(df / 2) - log_gamma((df - 1) / 2)) / math.sqrt(df / 2)
            estimate = correction * difference / pooled_sd
            return Effect(measure=measure, estimate=estimate, variance=1 / one.n + 1 / two.n + estimate**2 / (2 * n))
    raise Unusable(notice("analysis.measure_of_means", "{measure} is not computed from means.", measure=measure.value))


def reported_effect(measure: Measure, estimate: float, low: float, high: float, level: float = 95) -> Effect:
    """From a printed estimate and its interval."""
    if not low <= estimate <= high or low == high:
        raise Unusable(notice("analysis.estimate_outside", "The estimate does not lie within its interval."))
    estimate, low, high = (on_pooled_scale(measure, value) for value in (estimate, low, high))
    return Effect(measure=measure, estimate=estimate, variance=se_from_ci(low, high, level=level) ** 2)


def on_pooled_scale(measure: Measure, value: float) -> float:
    """A printed value on the scale on which it is pooled."""
    if not measure.is_ratio:
        return value
    if value <= 0:
        raise Unusable(notice("analysis.ratio_not_positive", "A ratio and its interval are above 0."))
    return math.log(value)


def effect_with_se(measure: Measure, estimate: float, se: float) -> Effect:
    """From a printed estimate and a standard error on the scale on which it is pooled."""
    if se <= 0:
        raise Unusable(notice("analysis.se_not_positive", "The standard error of an effect is above 0."))
    return Effect(measure=measure, estimate=on_pooled_scale(measure, estimate), variance=se**2)


def _events_and_without(group: GroupEvents) -> tuple[float, float]:
    """Those with the event and those without."""
    if not 0 <= group.events <= group.n or group.n <= 0:
        raise Unusable(notice("analysis.more_events_than_people", "There are more events than people, or no people."))
    return group.events, group.n - group.events
