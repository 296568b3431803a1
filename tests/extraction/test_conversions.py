"""Conversions equal their published formulas, written a second time in R; what cannot be converted is refused."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from ingather.extraction.analysis import conversions
from ingather.extraction.analysis.conversions import FORMULA_TEXTS, Formula, GroupMean, Unusable, events_from_percent

FILE = Path(__file__).parent / "metafor" / "conversions.csv"


def mean_sd(group: GroupMean) -> list[float]:
    return [group.mean, group.sd]


def combined(n1: float, mean1: float, sd1: float, n2: float, mean2: float, sd2: float) -> list[float]:
    both = conversions.combined(GroupMean(n=int(n1), mean=mean1, sd=sd1), GroupMean(n=int(n2), mean=mean2, sd=sd2))
    return [both.n, both.mean, both.sd]


CONVERT: dict[str, Callable[..., list[float]]] = {
    "sd_from_se": lambda se, n: [conversions.sd_from_se(se, int(n))],
    "sd_from_ci": lambda low, high, n, level: [conversions.sd_from_ci(low, high, int(n), level)],
    "se_from_t": lambda difference, t: [conversions.se_from_t(difference, t)],
    "se_from_p": lambda difference, p, df: [conversions.se_from_p(difference, p, int(df))],
    "sd_from_se_of_difference": lambda se, n1, n2: [conversions.sd_from_se_of_difference(se, int(n1), int(n2))],
    "from_range": lambda low, median, high, n: mean_sd(conversions.mean_sd_from_range(low, median, high, int(n))),
    "from_quartiles": lambda q1, m, q3, n: mean_sd(conversions.mean_sd_from_quartiles(q1, m, q3, int(n))),
    "from_quartiles_and_range": lambda low, q1, m, q3, high, n: mean_sd(
        conversions.mean_sd_from_quartiles_and_range(low, q1, m, q3, high, int(n))
    ),
    "sd_from_p": lambda difference, p, n1, n2: [conversions.sd_from_p(difference, p, int(n1), int(n2))],
    "sd_from_t": lambda difference, t, n1, n2: [conversions.sd_from_t(difference, t, int(n1), int(n2))],
    "se_from_ci": lambda low, high, df, level: [conversions.se_from_ci(low, high, df=int(df) or None, level=level)],
    "events_from_percent": lambda percent, n: [events_from_percent(f"{percent:.1f}", int(n))],
    "mean_of_change": lambda final, baseline: [final - baseline],
    "sd_of_change": lambda before, after, r: [conversions.sd_of_change(before, after, r)],
    "combined_arms": combined,
    "shared_control": lambda count, comparisons: [conversions.share_of_control(int(count), int(comparisons))],
}


def cases() -> list[tuple[str, list[float], list[float]]]:
    with FILE.open(newline="") as lines:
        return [
            (
                row["formula"],
                [float(part) for part in row["inputs"].split()],
                [float(p) for p in row["outputs"].split()],
            )
            for row in csv.DictReader(lines)
        ]


@pytest.mark.parametrize(("formula", "inputs", "outputs"), cases())
def test_a_conversion_equals_its_formula(formula: str, inputs: list[float], outputs: list[float]) -> None:
    assert CONVERT[formula](*inputs) == pytest.approx(outputs, rel=1e-9, abs=1e-12)


def test_every_formula_has_cases_and_a_source() -> None:
    tried = {formula for formula, _, _ in cases()}
    assert len(cases()) >= 30
    assert tried == set(Formula) == set(FORMULA_TEXTS)


@pytest.mark.parametrize(
    ("percent", "n", "events"), [("27", 45, 12), ("26.7", 45, 12), ("0", 40, 0), ("100.0", 12, 12), ("33.3", 3, 1)]
)
def test_events_come_from_a_percentage_that_fits_one_count(percent: str, n: int, events: int) -> None:
    assert events_from_percent(percent, n) == events


@pytest.mark.parametrize(
    ("percent", "n", "sentence"),
    [
        ("27", 450, "27 % of 450 people may be 120 to 123"),
        ("26.7", 12, "No number of 12 people is 26.7 %"),
        ("127", 45, "between 0 and 100"),
        ("27", 1, "two people or more"),
    ],
)
def test_a_percentage_that_fits_several_counts_or_none_is_refused(percent: str, n: int, sentence: str) -> None:
    with pytest.raises(Unusable, match=sentence):
        events_from_percent(percent, n)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "ends exchanged": (lambda: conversions.sd_from_ci(5, 4, 30), "above the upper"),
    "median outside": (lambda: conversions.mean_sd_from_quartiles(10, 30, 20, 60), "between the quartiles"),
    "five out of order": (lambda: conversions.mean_sd_from_quartiles_and_range(5, 4, 6, 7, 8, 60), "ascending"),
    "a p of 0": (lambda: conversions.se_from_p(1.0, 0.0), "between 0 and 1"),
    "a t of 0": (lambda: conversions.se_from_t(1.0, 0.0), "says nothing"),
    "one person": (lambda: conversions.sd_from_se(1.0, 1), "two people"),
    "a correlation of 2": (lambda: conversions.sd_of_change(1, 1, 2), "between -1 and 1"),
    "a level of 100": (lambda: conversions.se_from_ci(1, 2, level=100), "level of confidence"),
    "a control for nobody": (lambda: conversions.share_of_control(4, 0), "at least"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_that_cannot_be_converted_are_refused_with_a_sentence(name: str) -> None:
    attempt, sentence = REFUSED[name]
    with pytest.raises(Unusable, match=sentence):
        attempt()
