"""The kinds of quantity that papers print, as far as the text tells them apart."""

from enum import StrEnum


class FigureKind(StrEnum):
    """The kinds of quantity that papers print. `PLAIN` is a number of which the text says nothing more."""

    P = "p"
    CI_LEVEL = "ci_level"
    CI_LOW = "ci_low"
    CI_HIGH = "ci_high"
    Q1 = "q1"
    Q3 = "q3"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"
    SD = "sd"
    SE = "se"
    MEDIAN = "median"
    ESTIMATE = "estimate"  # of a comparison: an odds ratio, a difference
    PERCENT = "percent"
    EVENTS = "events"  # the numerator of a fraction, or a count with its percentage
    TOTAL = "total"  # the denominator of a fraction, or what follows `n =`
    COUNT = "count"  # of people
    THINGS = "things"  # a count of something else: centres, weeks of treatment, items
    TIME = "time"
    AGE = "age"
    DATE = "date"
    AMOUNT = "amount"  # with a unit such as mmHg
    DOSE = "dose"  # with a unit in which drugs are given
    STATISTIC = "statistic"  # a test statistic, its degrees of freedom, a power, an error rate
    PLAIN = "plain"
