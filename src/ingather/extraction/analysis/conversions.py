"""From what a paper prints to what an analysis needs: each conversion with its formula and its published source. Pure.

A converted number is never a reported one: it carries the formula and the
numbers that went into it, and whoever shows it shows these beside it.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingather.extraction.analysis.distributions import normal_quantile, t_quantile
from ingather.notice import notice

# Up to this many people in a group an interval is taken to be made with Student's t, above it with the normal
# distribution, as the Cochrane Handbook has it. At the border both differ by 1 %.
LARGEST_SMALL_GROUP: Final = 100


class Formula(StrEnum):
    """How a number was computed. `FORMULA_TEXTS` has the formula as it is printed beside the number."""

    SD_FROM_SE = "sd_from_se"
    SD_FROM_CI = "sd_from_ci"
    SE_FROM_CI = "se_from_ci"
    SE_FROM_T = "se_from_t"
    SE_FROM_P = "se_from_p"
    SD_FROM_SE_OF_DIFFERENCE = "sd_from_se_of_difference"
    FROM_RANGE = "from_range"
    FROM_QUARTILES = "from_quartiles"
    FROM_QUARTILES_AND_RANGE = "from_quartiles_and_range"
    EVENTS_FROM_PERCENT = "events_from_percent"
    SD_FROM_P = "sd_from_p"
    SD_FROM_T = "sd_from_t"
    MEAN_OF_CHANGE = "mean_of_change"
    SD_OF_CHANGE = "sd_of_change"
    COMBINED_ARMS = "combined_arms"
    SHARED_CONTROL = "shared_control"


HANDBOOK: Final = "Cochrane Handbook for Systematic Reviews of Interventions, version 6.5"
FORMULA_TEXTS: Final[dict[Formula, tuple[str, str]]] = {
    Formula.SD_FROM_SE: ("SD = SE * √n", f"{HANDBOOK}, 6.5.2.2"),
    Formula.SD_FROM_CI: ("SD = √n * (high - low) ÷ (2 * quantile)", f"{HANDBOOK}, 6.5.2.2"),
    Formula.SE_FROM_CI: ("SE = (high - low) ÷ (2 * quantile)", f"{HANDBOOK}, 6.5.2.3"),
    Formula.SE_FROM_T: ("SE = difference ÷ t", f"{HANDBOOK}, 6.5.2.3"),
    Formula.SE_FROM_P: ("SE = difference ÷ quantile of p ÷ 2", f"{HANDBOOK}, 6.5.2.3"),
    Formula.SD_FROM_SE_OF_DIFFERENCE: ("SD = SE ÷ √(1 ÷ n1 + 1 ÷ n2)", f"{HANDBOOK}, 6.5.2.3"),
    Formula.FROM_RANGE: ("mean and SD from median, minimum, maximum and n", "Luo 2018, formula 7; Wan 2014, formula 9"),
    Formula.FROM_QUARTILES: ("mean and SD from median, quartiles and n", "Luo 2018, formula 11; Wan 2014, formula 16"),
    Formula.FROM_QUARTILES_AND_RANGE: (
        "mean and SD from median, quartiles, minimum, maximum and n",
        "Luo 2018, formula 15; Wan 2014, formula 13",
    ),
    Formula.EVENTS_FROM_PERCENT: ("events = n * per cent ÷ 100, where one whole number fits", HANDBOOK),
    Formula.SD_FROM_P: (
        "SD = |mean1 - mean2| ÷ t, ÷ √(1 ÷ n1 + 1 ÷ n2); t = quantile of p ÷ 2 with n1 + n2 - 2",
        f"{HANDBOOK}, 6.5.2.3",
    ),
    Formula.SD_FROM_T: ("SD = |mean1 - mean2| ÷ |t|, ÷ √(1 ÷ n1 + 1 ÷ n2)", f"{HANDBOOK}, 6.5.2.3"),
    Formula.MEAN_OF_CHANGE: ("mean = final mean - baseline mean", f"{HANDBOOK}, 6.5.2.8"),
    Formula.SD_OF_CHANGE: ("SD = √(SD1² + SD2² - 2 * r * SD1 * SD2)", f"{HANDBOOK}, 6.5.2.8"),
    Formula.COMBINED_ARMS: ("one group of two, by n, mean and SD of each", f"{HANDBOOK}, table 6.5.a"),
    Formula.SHARED_CONTROL: ("the control divided by the number of comparisons that share it", f"{HANDBOOK}, 23.3.4"),
}


class Unusable(ValueError):
    """The numbers cannot be converted. The sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """A continuous result of one group."""

    n: int
    mean: float
    sd: float


def sd_from_se(se: float, n: int) -> float:
    _check_usable(se >= 0, notice("analysis.se_negative", "A standard error is not negative."))
    return se * math.sqrt(_at_least_two_people(n))


def sd_from_ci(low: float, high: float, n: int, level: float = 95) -> float:
    """From the interval of one group's mean."""
    return math.sqrt(_at_least_two_people(n)) * se_from_ci(
        low, high, df=n - 1 if n <= LARGEST_SMALL_GROUP else None, level=level
    )


def se_from_ci(low: float, high: float, *, df: int | None = None, level: float = 95) -> float:
    """From any interval that is symmetric about its estimate; `df` where it was made with Student's t."""
    _check_usable(low <= high, notice("analysis.interval_ends", "The lower end of the interval is above the upper."))
    return (high - low) / (2 * _quantile_of_level(level, df))


def se_from_t(difference: float, t: float) -> float:
    _check_usable(
        t != 0 and difference != 0,
        notice("analysis.t_zero", "A difference of 0 or a t of 0 says nothing of the standard error."),
    )
    return abs(difference / t)


def se_from_p(difference: float, p: float, df: int | None = None) -> float:
    """From the exact p of a test of the difference; `p < 0.05` is not enough."""
    _check_usable(0 < p < 1, notice("analysis.p_outside", "An exact p lies between 0 and 1."))
    _check_usable(
        difference != 0, notice("analysis.difference_zero", "A difference of 0 says nothing of the standard error.")
    )
    return abs(difference) / _quantile_of_level(100 * (1 - p), df)


def sd_from_se_of_difference(se: float, n1: int, n2: int) -> float:
    """The average SD of two groups, from the standard error of the difference of their means."""
    return se / math.sqrt(1 / _at_least_two_people(n1) + 1 / _at_least_two_people(n2))


def sd_from_p(difference: float, p: float, n1: int, n2: int) -> float:
    """The average SD of two groups, from the exact p of a t test of their means."""
    return sd_from_se_of_difference(se_from_p(difference, p, _df_of_groups(n1, n2)), n1, n2)


def sd_from_t(difference: float, t: float, n1: int, n2: int) -> float:
    """The average SD of two groups, from the t of a t test of their means."""
    return sd_from_se_of_difference(se_from_t(difference, t), n1, n2)


def mean_sd_from_range(low: float, median: float, high: float, n: int) -> GroupMean:
    _check_usable(
        low <= median <= high,
        notice("analysis.median_outside_range", "The median does not lie between minimum and maximum."),
    )
    weight = 4 / (4 + _at_least_two_people(n) ** 0.75)
    mean = weight * (low + high) / 2 + (1 - weight) * median
    return GroupMean(n=n, mean=mean, sd=(high - low) / (2 * _range_quantile(n)))


def mean_sd_from_quartiles(q1: float, median: float, q3: float, n: int) -> GroupMean:
    _check_usable(
        q1 <= median <= q3,
        notice("analysis.median_outside_quartiles", "The median does not lie between the quartiles."),
    )
    weight = 0.7 + 0.39 / _at_least_two_people(n)
    mean = weight * (q1 + q3) / 2 + (1 - weight) * median
    return GroupMean(n=n, mean=mean, sd=(q3 - q1) / (2 * _quartile_quantile(n)))


def mean_sd_from_quartiles_and_range(low: float, q1: float, median: float, q3: float, high: float, n: int) -> GroupMean:
    _check_usable(
        low <= q1 <= median <= q3 <= high,
        notice("analysis.five_out_of_order", "The five numbers are not in ascending order."),
    )
    of_range = 2.2 / (2.2 + _at_least_two_people(n) ** 0.75)
    of_quartiles = 0.7 - 0.72 / n**0.55
    mean = of_range * (low + high) / 2 + of_quartiles * (q1 + q3) / 2 + (1 - of_range - of_quartiles) * median
    sd = (high - low) / (4 * _range_quantile(n)) + (q3 - q1) / (4 * _quartile_quantile(n))
    return GroupMean(n=n, mean=mean, sd=sd)


def events_from_percent(percent: str, n: int) -> int:
    """The one count of n people that is printed as this percentage, digits and all; refused where several are."""
    digits = len(percent.partition(".")[2])
    _check_usable(
        0 <= float(percent) <= 100, notice("analysis.percent_outside", "A percentage lies between 0 and 100.")
    )
    # A count is printed as this percentage if it lies within half of the last printed digit of it.
    half = 0.5 * 10**-digits * (1 + 1e-9)
    first = math.ceil(_at_least_two_people(n) * (float(percent) - half) / 100)
    last = math.floor(n * (float(percent) + half) / 100)
    fitting = range(max(first, 0), min(last, n) + 1)
    _check_usable(
        len(fitting) > 0,
        notice("analysis.percent_fits_none", "No number of {n} people is {percent} %.", n=n, percent=percent),
    )
    _check_usable(
        len(fitting) == 1,
        notice(
            "analysis.percent_fits_several",
            "{percent} % of {n} people may be {first} to {last}.",
            percent=percent,
            n=n,
            first=fitting.start,
            last=fitting.stop - 1,
        ),
    )
    return fitting[0]


def sd_of_change(sd_baseline: float, sd_final: float, correlation: float) -> float:
    """The correlation is the analyst's: papers seldom print it."""
    _check_usable(
        -1 <= correlation <= 1, notice("analysis.correlation_outside", "A correlation lies between -1 and 1.")
    )
    return math.sqrt(sd_baseline**2 + sd_final**2 - 2 * correlation * sd_baseline * sd_final)


def combined(one: GroupMean, other: GroupMean) -> GroupMean:
    """Two groups as one, as if nobody had divided them."""
    n = one.n + other.n
    mean = (one.n * one.mean + other.n * other.mean) / n
    between = one.n * other.n / n * (one.mean - other.mean) ** 2
    return GroupMean(
        n=n, mean=mean, sd=math.sqrt(((one.n - 1) * one.sd**2 + (other.n - 1) * other.sd**2 + between) / (n - 1))
    )


def share_of_control(count: float, comparisons: int) -> float:
    """What one of several comparisons may use of a control group's people, or of its events."""
    _check_usable(
        comparisons >= 1, notice("analysis.shared_by_none", "A control group is shared by one comparison at least.")
    )
    return count / comparisons


def _df_of_groups(n1: int, n2: int) -> int:
    return _at_least_two_people(n1) + _at_least_two_people(n2) - 2


def _quantile_of_level(level: float, df: int | None) -> float:
    _check_usable(0 < level < 100, notice("analysis.level_outside", "A level of confidence lies between 0 and 100."))
    probability = 0.5 + level / 200
    if df is None:
        return normal_quantile(probability)
    _check_usable(df >= 1, notice("analysis.too_few_for_t", "There are too few people for Student's t."))
    return t_quantile(probability, df)


def _range_quantile(n: int) -> float:
    """How many SDs the largest of n values lies above the mean, as a rule."""
    return normal_quantile((n - 0.375) / (n + 0.25))


def _quartile_quantile(n: int) -> float:
    """How many SDs the upper quartile of n values lies above the mean, as a rule."""
    return normal_quantile((0.75 * n - 0.125) / (n + 0.25))


def _at_least_two_people(n: int) -> int:
    _check_usable(n >= 2, notice("analysis.too_few_for_spread", "A spread needs a group of two people or more."))
    return n


def _check_usable(is_usable: bool, sentence: str) -> None:  # noqa: FBT001  the first word of an assertion
    if not is_usable:
        raise Unusable(sentence)
