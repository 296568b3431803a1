"""Effects and pooled estimates are those of R's metafor: its answers are committed, and asked for again where it is."""

import csv
import math
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from ingather.extraction.analysis.conversions import GroupMean, Unusable
from ingather.extraction.analysis.effects import (
    Effect,
    GroupEvents,
    Measure,
    binary_effect,
    continuous_effect,
    reported_effect,
)
from ingather.extraction.analysis.pooling import pool_common, pool_random

FOLDER = Path(__file__).parent / "metafor"
FIGURES = ("estimate", "se", "low", "high", "p", "tau2", "q", "q_p", "i2")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def effect_of(row: dict[str, str], measure: Measure) -> Effect:
    if row["kind"] == "binary":
        one, two = (GroupEvents(events=float(row[f"events{side}"]), n=float(row[f"n{side}"])) for side in (1, 2))
        return binary_effect(measure, one, two)
    if row["kind"] == "continuous":
        first, second = (
            GroupMean(n=int(row[f"n{side}"]), mean=float(row[f"mean{side}"]), sd=float(row[f"sd{side}"]))
            for side in (1, 2)
        )
        return continuous_effect(measure, first, second)
    return reported_effect(measure, float(row["estimate"]), float(row["low"]), float(row["high"]))


def sets() -> dict[str, list[dict[str, str]]]:
    found = defaultdict(list)
    for row in rows(FOLDER / "cases.csv"):
        found[row["set"]].append(row)
    return found


def assert_same_as(folder: Path) -> None:
    cases = sets()
    for known in rows(folder / "effects.csv"):
        row = next(row for row in cases[known["set"]] if row["study"] == known["study"])
        effect = effect_of(row, Measure(known["measure"]))
        assert effect.estimate == pytest.approx(float(known["estimate"]), rel=1e-9, abs=1e-12), known
        assert effect.variance == pytest.approx(float(known["variance"]), rel=1e-9), known
    for known in rows(folder / "pooled.csv"):
        effects = [effect_of(row, Measure(known["measure"])) for row in cases[known["set"]]]
        pooled = {"EE": pool_common, "REML": pool_random}[known["model"]](effects)
        for figure in FIGURES:
            assert getattr(pooled, figure) == pytest.approx(float(known[figure]), rel=1e-6, abs=1e-6), (figure, known)
        assert pooled.weights == pytest.approx([float(weight) for weight in known["weights"].split()], abs=1e-6)


def test_effects_and_pooled_estimates_are_those_that_metafor_gave() -> None:
    assert len(rows(FOLDER / "effects.csv")) >= 20
    assert_same_as(FOLDER)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed; its committed answers were used.")
def test_metafor_still_gives_the_committed_answers(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "cases.csv", tmp_path)
    done = subprocess.run(["Rscript", FOLDER / "answers.R", tmp_path], capture_output=True, text=True, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R is here without metafor; its committed answers were used.")
    assert done.returncode == 0, done.stderr
    assert_same_as(tmp_path)


def test_the_published_estimate_of_the_bcg_trials_comes_out() -> None:
    """Viechtbauer 2010, Journal of Statistical Software 36(3): the same trials, log risk ratios, REML."""
    pooled = pool_random([effect_of(row, Measure.RR) for row in sets()["bcg"]])
    assert (round(pooled.estimate, 4), round(pooled.se, 4), round(pooled.tau2, 4)) == (-0.7145, 0.1798, 0.3132)
    assert (round(pooled.i2, 2), round(pooled.q, 3)) == (92.22, 152.233)


@pytest.mark.parametrize("measure", [Measure.RR, Measure.OR])
@pytest.mark.parametrize(("events", "other"), [(0, 0), (30, 40)])
def test_a_ratio_is_refused_where_nobody_or_everybody_had_the_event(measure: Measure, events: int, other: int) -> None:
    with pytest.raises(Unusable, match="says nothing of a ratio"):
        binary_effect(measure, GroupEvents(events=events, n=30), GroupEvents(events=other, n=40))


def test_numbers_that_cannot_be_are_refused_with_a_sentence() -> None:
    with pytest.raises(Unusable, match="more events than people"):
        binary_effect(Measure.RR, GroupEvents(events=31, n=30), GroupEvents(events=1, n=30))
    with pytest.raises(Unusable, match="SD above 0"):
        continuous_effect(Measure.MD, GroupMean(n=10, mean=1, sd=0), GroupMean(n=10, mean=1, sd=2))
    with pytest.raises(Unusable, match="does not lie within"):
        reported_effect(Measure.HR, 1.5, 0.7, 1.2)
    with pytest.raises(Unusable, match="above 0"):
        reported_effect(Measure.HR, 0.5, -0.7, 1.2)


def test_an_interval_of_another_level_gives_the_same_variance() -> None:
    wide, narrow = (
        reported_effect(Measure.MD, 1.0, 1 - z, 1 + z, level) for z, level in ((1.959964, 95), (1.644854, 90))
    )
    assert math.isclose(wide.variance, narrow.variance, rel_tol=1e-6)
