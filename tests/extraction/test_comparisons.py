"""Comparisons are made of what stands in a document, each number with its state; what is not sound is refused."""

from dataclasses import replace
from typing import Any

import pytest

from ingather.extraction.analysis.cells import CellState
from ingather.extraction.analysis.choices import Choices, SharedGroups
from ingather.extraction.analysis.comparisons import Comparison, ComparisonKind
from ingather.extraction.analysis.conversions import Formula
from ingather.extraction.analysis.effects import Measure
from ingather.extraction.analysis.pools import pool_questions, pools_of
from ingather.extraction.analysis.study_numbers import USUAL, StudyNumbers, comparisons_of
from ingather.extraction.findings import DocumentResult, Finding, Row, Span, State, Value, Verdict

ROLES = {"arm/1": "experimental", "arm/2": "placebo"}
LABELS = {"arm/1": "Drug", "arm/2": "Placebo", "arm/3": "Half the drug"}


def cell(row: str, field: str, value: Value, verdict: Verdict = Verdict.VERIFIED, **more: object) -> Finding:
    plain = {"state": State.REPORTED, "quote": "", "spans": (), "source": "embedded"} | more
    return Finding(field=field, row=row, value=value, verdict=verdict, **plain)  # type: ignore[arg-type]


def study(
    *groups: dict[str, Value],
    roles: dict[str, str] = ROLES,
    when: str | None = "12 weeks",
    outcome: bool = True,
    extra: tuple[Finding, ...] = (),
    choices: Choices = USUAL,
) -> StudyNumbers:
    """A document with one outcome, whose groups have these numbers, in the order of the arms."""
    rows = [Row(scope="arm", key=key, label=label, parts={}) for key, label in LABELS.items()]
    rows.append(Row(scope="outcome", key="outcome/1", label="Pain", parts={}))
    findings = [cell(arm, "arm_role", role) for arm, role in roles.items()]
    for number, numbers in enumerate(groups, 1):
        key = f"arm_result/{number}"
        parts = {"arm": f"arm/{number}"} | ({"outcome": "outcome/1"} if outcome else {})
        rows.append(Row(scope="arm_result", key=key, label=f"Pain, {LABELS[f'arm/{number}']}", parts=parts))
        findings += [cell(key, field, value) for field, value in numbers.items()]
        if when:
            findings.append(cell(key, "r_timepoint", when))
    return read(rows, [*findings, *extra], choices)


def read(rows: list[Row], findings: list[Finding], choices: Choices = USUAL) -> StudyNumbers:
    return comparisons_of(
        DocumentResult(
            ordinal=0, document_id=7, file_name="Smith 2021.pdf", sha256="", state="completed",
            rows=tuple(rows), findings=tuple(findings),
        ),
        choices,
    )  # fmt: skip


def only(found: StudyNumbers) -> Comparison:
    assert found.refused == ()
    (comparison,) = found.comparisons
    return comparison


EVENTS: tuple[dict[str, Value], ...] = ({"r_events": 12, "r_n": 45}, {"r_events": 9, "r_n": 44})


def test_events_of_two_groups_are_one_comparison_with_its_effects() -> None:
    found = only(study(*EVENTS))
    assert (found.study, found.outcome, found.timepoint) == ("Smith 2021", "Pain", "12 weeks")
    assert (found.intervention, found.comparator, found.kind) == ("Drug", "Placebo", ComparisonKind.BINARY)
    assert {name: figure.value for name, figure in found.figures.items()} == {
        "events1": 12, "n1": 45, "events2": 9, "n2": 44,
    }  # fmt: skip
    assert set(found.effects) == {Measure.RR, Measure.OR, Measure.RD}
    assert found.effects[Measure.RD].estimate == pytest.approx(12 / 45 - 9 / 44)


def test_the_group_that_is_compared_stands_first_whatever_its_order() -> None:
    found = only(study(*EVENTS, roles={"arm/1": "placebo", "arm/2": "experimental"}))
    assert (found.intervention, found.figures["events1"].value) == ("Placebo", 9)


def test_what_is_computed_says_from_what_and_never_looks_reported() -> None:
    found = only(study({"r_mean": 8.2, "r_se": 0.5, "r_n": 36}, {"r_median": 7, "r_q1": 5, "r_q3": 10, "r_n": 40}))
    sd, mean = found.figures["sd1"], found.figures["mean2"]
    assert (sd.value, sd.state, sd.formula, sd.quote) == (3.0, CellState.DERIVED, Formula.SD_FROM_SE, "")
    assert [(one.field, one.value) for one in sd.inputs] == [("r_se", 0.5), ("r_n", 36)]
    assert (mean.state, mean.formula) == (CellState.DERIVED, Formula.FROM_QUARTILES)
    assert found.figures["mean1"].state is CellState.VERIFIED
    assert found.state is CellState.DERIVED


def test_events_come_from_a_percentage_only_where_one_count_fits() -> None:
    found = only(study({"r_pct": 26.7, "r_n": 45}, {"r_events": 9, "r_n": 44}))
    assert (found.figures["events1"].value, found.figures["events1"].state) == (12, CellState.DERIVED)
    (refused,) = study({"r_pct": 27.0, "r_n": 4500}, {"r_events": 9, "r_n": 44}).refused
    assert (refused.row, refused.field) == ("arm_result/1", "r_events")
    assert "may be" in refused.why


def test_a_control_that_two_comparisons_share_is_said_to_be_shared() -> None:
    found = study(*EVENTS, {"r_events": 8, "r_n": 43}, roles=ROLES | {"arm/3": "dose_variant"})
    (question,) = pool_questions(found.comparisons)
    places = [(member.comparison.intervention, member.parts) for member in question.members]
    assert places == [("Drug", (1, 2)), ("Half the drug", (1, 2))]


@pytest.mark.parametrize(
    ("found", "cell_to_mend", "why"),
    [
        (study(*EVENTS, outcome=False), ("arm_result/1", ""), "which outcome"),
        (study(*EVENTS, when=None), ("arm_result/1", "r_timepoint"), "when this was measured"),
        (study(*EVENTS, roles={"arm/1": "experimental"}), ("arm/2", "arm_role"), "compared, or compared to"),
        (study(*EVENTS, roles=dict.fromkeys(ROLES, "placebo")), ("arm_result/1", ""), "no group that is compared"),
        (study({"r_events": 12, "r_n": 45}, {"r_events": 9}), ("arm_result/2", "r_n"), "no number in this cell"),
        (study({"r_events": 50, "r_n": 45}, {"r_events": 9, "r_n": 44}), ("arm_result/1", ""), "more events than"),
        (study(*EVENTS, extra=(cell("arm_result/2", "r_n", 41),)), ("arm_result/2", "r_n"), "Several values"),
    ],
    ids=["no outcome", "no time", "no role", "no group compared", "no people", "too many events", "two values"],
)
def test_what_is_not_sound_is_refused_with_the_cell_to_mend(
    found: StudyNumbers, cell_to_mend: tuple[str, str], why: str
) -> None:
    assert (found.refused[0].row, found.refused[0].field) == cell_to_mend
    assert why in found.refused[0].why
    assert all(one.outcome and one.timepoint for one in found.comparisons)


def test_a_comparison_without_a_time_of_its_own_passes_once_a_person_has_said_so() -> None:
    no_time = tuple(cell(f"arm_result/{number}", "r_timepoint", None, state=State.NOT_APPLICABLE) for number in (1, 2))
    assert only(study(*EVENTS, when=None, extra=no_time)).timepoint == ""


def test_a_number_keeps_the_digits_that_the_paper_prints() -> None:
    quote = "mean pain 19.0 (SD 3.10)"
    at: dict[str, Any] = {"quote": quote, "spans": (Span(page=0, start=100, end=100 + len(quote)),)}
    mean = cell("arm_result/1", "r_mean", 19.0, value_spans=(Span(page=0, start=110, end=114),), **at)
    sd = cell("arm_result/1", "r_sd", 3.1, value_spans=(Span(page=0, start=119, end=123),), **at)
    found = only(study({"r_n": 30}, {"r_mean": 17.5, "r_sd": 3.0, "r_n": 31}, extra=(mean, sd)))
    assert (found.figures["mean1"].printed, found.figures["sd1"].printed) == ("19.0", "3.10")


def contrast(**changes: Value) -> StudyNumbers:
    cells: dict[str, Value] = {
        "c_measure": "HR", "c_estimate": 0.72, "c_ci_low": 0.55, "c_ci_high": 0.94, "c_ci_level": 95,
        "c_arms": "Drug vs Placebo", "c_timepoint": "5 years",
    }  # fmt: skip
    findings = [cell("contrast/1", field, value) for field, value in (cells | changes).items() if value is not None]
    rows = [Row(scope="outcome", key="outcome/1", label="Death", parts={})]
    rows.append(Row(scope="contrast", key="contrast/1", label="Death, HR", parts={"outcome": "outcome/1"}))
    return read(rows, findings)


def test_a_printed_effect_is_a_comparison_of_its_own_kind() -> None:
    found = only(contrast())
    assert (found.kind, found.intervention, found.comparator) == (ComparisonKind.REPORTED, "Drug", "Placebo")
    assert set(found.effects) == {Measure.HR}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"c_arms": None}, "c_arms"),
        ({"c_timepoint": None}, "c_timepoint"),
        ({"c_measure": "median_difference"}, "c_measure"),
        ({"c_ci_level": None}, "c_ci_level"),
        ({"c_estimate": 1.4}, "c_estimate"),
    ],
)
def test_a_printed_effect_that_is_not_whole_is_refused(changes: dict[str, Value], field: str) -> None:
    (refused,) = contrast(**changes).refused
    assert (refused.row, refused.field) == ("contrast/1", field)


def with_contrast(*groups: dict[str, Value], **test: Value) -> StudyNumbers:
    """Two groups and the test of them that the paper prints."""
    rows = [Row(scope="arm", key=key, label=label, parts={}) for key, label in LABELS.items()]
    rows.append(Row(scope="outcome", key="outcome/1", label="Pain", parts={}))
    findings = [cell(arm, "arm_role", role) for arm, role in ROLES.items()]
    for number, numbers in enumerate(groups, 1):
        key = f"arm_result/{number}"
        parts = {"arm": f"arm/{number}", "outcome": "outcome/1"}
        rows.append(Row(scope="arm_result", key=key, label=f"Pain {number}", parts=parts))
        findings += [cell(key, field, value) for field, value in {"r_timepoint": "12 weeks", **numbers}.items()]
    rows.append(Row(scope="contrast", key="contrast/1", label="Pain", parts={"outcome": "outcome/1"}))
    printed: dict[str, Value] = {"c_timepoint": "12 weeks", "c_arms": "Drug vs Placebo", **test}
    return read(rows, [*findings, *(cell("contrast/1", field, value) for field, value in printed.items())])


MEANS: tuple[dict[str, Value], ...] = ({"r_mean": 12.0, "r_n": 25}, {"r_mean": 8.2, "r_n": 22})


@pytest.mark.parametrize(
    ("test", "formula", "sd"),
    [({"c_p": "P=0.008"}, Formula.SD_FROM_P, 4.6834693), ({"c_t": 2.78}, Formula.SD_FROM_T, 4.6759646)],
)
def test_an_sd_comes_from_the_printed_test_where_neither_group_has_one(
    test: dict[str, Value], formula: Formula, sd: float
) -> None:
    (found,) = with_contrast(*MEANS, **test).comparisons
    assert found.figures["sd1"].value == found.figures["sd2"].value == pytest.approx(sd, abs=1e-6)
    assert found.figures["sd1"].formula is formula
    assert [one.field for one in found.figures["sd1"].inputs] == ["r_mean", "r_mean", "r_n", "r_n", next(iter(test))]


@pytest.mark.parametrize("test", [{"c_p": "<0.05"}, {"c_p": "0.03", "c_arms": "Drug vs Half the drug"}, {}])
def test_no_sd_comes_from_a_test_of_other_groups_or_from_a_p_that_is_not_exact(test: dict[str, Value]) -> None:
    found = with_contrast(*MEANS, **test)
    assert found.comparisons == ()
    assert ("arm_result/1", "r_sd") in {(one.row, one.field) for one in found.refused}


def test_a_printed_sd_is_never_replaced_by_one_from_a_test() -> None:
    groups = ({**MEANS[0], "r_sd": 3.3}, {**MEANS[1], "r_sd": 3.1})
    (found,) = with_contrast(*groups, c_p="0.008").comparisons
    assert (found.figures["sd1"].value, found.figures["sd1"].formula) == (3.3, None)


BEFORE_AND_AFTER: tuple[dict[str, Value], ...] = (
    {"r_mean": 20.0, "r_sd": 4.0, "r_n": 31, "r_value_kind": "baseline"},
    {"r_mean": 21.0, "r_sd": 4.4, "r_n": 30, "r_value_kind": "baseline"},
    {"r_mean": 12.0, "r_sd": 5.0, "r_n": 29, "r_value_kind": "endpoint"},
    {"r_mean": 15.0, "r_sd": 5.2, "r_n": 28, "r_value_kind": "endpoint"},
)


def before_and_after(choices: Choices, *groups: dict[str, Value]) -> StudyNumbers:
    rows = [Row(scope="arm", key=key, label=label, parts={}) for key, label in LABELS.items()]
    rows.append(Row(scope="outcome", key="outcome/1", label="Pain", parts={}))
    findings = [cell(arm, "arm_role", role) for arm, role in ROLES.items()]
    for number, numbers in enumerate(groups):
        key = f"arm_result/{number + 1}"
        parts = {"arm": f"arm/{number % 2 + 1}", "outcome": "outcome/1"}
        rows.append(Row(scope="arm_result", key=key, label=f"Pain {number}", parts=parts))
        when = "baseline" if numbers["r_value_kind"] == "baseline" else "12 weeks"
        findings += [cell(key, field, value) for field, value in {"r_timepoint": when, **numbers}.items()]
    document = DocumentResult(
        ordinal=0, document_id=7, file_name="Smith 2021.pdf", sha256="", state="completed", rows=tuple(rows),
        findings=tuple(findings),
    )  # fmt: skip
    return comparisons_of(document, choices)


def test_baseline_values_are_compared_nowhere() -> None:
    found = before_and_after(Choices(), *BEFORE_AND_AFTER)
    assert [(one.timepoint, one.is_change) for one in found.comparisons] == [("12 weeks", False)]


def test_a_change_score_is_computed_with_the_correlation_that_the_analyst_gives() -> None:
    found = before_and_after(Choices(correlation=0.5), *BEFORE_AND_AFTER)
    final, change = found.comparisons
    assert (final.is_change, change.is_change) == (False, True)
    assert change.figures["mean1"].value == -8.0
    assert change.figures["sd1"].value == pytest.approx((16 + 25 - 2 * 0.5 * 4 * 5) ** 0.5, abs=1e-12)
    assert change.figures["n1"].value == 29
    states = [(one.field, one.state) for one in change.figures["sd1"].inputs]
    assert states[-1] == ("correlation", CellState.ASSUMED)
    assert {pool.question.number for pool in pools_of(found.comparisons)} == {1, 2}


def test_a_reported_change_is_never_replaced_by_a_computed_one() -> None:
    reported = tuple(group | {"r_value_kind": "change_from_baseline"} for group in BEFORE_AND_AFTER[2:])
    found = before_and_after(Choices(correlation=0.5), *BEFORE_AND_AFTER, *reported)
    assert [one.is_change for one in found.comparisons] == [False, True]
    assert found.comparisons[1].computed == {}


def test_groups_of_means_are_combined_where_the_analyst_wants_it() -> None:
    groups: tuple[dict[str, Value], ...] = (
        {"r_mean": 10.2, "r_sd": 3.1, "r_n": 25},
        {"r_mean": 9, "r_sd": 3, "r_n": 20},
        {"r_mean": 12.4, "r_sd": 2.8, "r_n": 30},
    )
    found = study(*groups, roles=ROLES | {"arm/3": "dose_variant"}, choices=Choices(shared=SharedGroups.COMBINE))
    both = only(found)
    assert (both.intervention, both.figures["n1"].value) == ("Drug + Half the drug", 55)
    assert both.figures["mean1"].value == pytest.approx(11.4)
    assert both.figures["sd1"].value == pytest.approx(3.1150768, abs=1e-6)
    assert {one.field for one in both.figures["sd1"].sources()} == {"r_mean", "r_sd", "r_n"}


def test_the_same_groups_in_two_reports_of_a_study_count_once() -> None:
    one = study(*EVENTS, extra=(cell("", "study_id", "Smith 2021"),)).comparisons
    other = tuple(replace(found, document_id=8, ordinal=1) for found in one)
    (question,) = pool_questions([*one, *other])
    assert (len(question.members), len(question.repeated)) == (1, 1)


def test_an_adjusted_effect_gives_way_to_a_plain_one_of_the_same_groups() -> None:
    (plain,) = study(*EVENTS).comparisons
    (question,) = pool_questions([replace(plain, is_adjusted=True), plain])
    assert [member.comparison.is_adjusted for member in question.members] == [False]


@pytest.mark.parametrize(
    ("printed", "estimate", "se"),
    [
        ({"c_measure": "MD", "c_estimate": -1.5, "c_se": 0.5}, -1.5, 0.5),
        ({"c_measure": "MD", "c_estimate": -1.5, "c_t": -3.0}, -1.5, 0.5),
        ({"c_measure": "HR", "c_estimate": 0.7, "c_p": "0.03"}, -0.356675, 0.164359),
    ],
)
def test_a_printed_effect_may_have_its_uncertainty_from_se_t_or_an_exact_p(
    printed: dict[str, Value], estimate: float, se: float
) -> None:
    found = next(one for one in with_contrast(**printed).comparisons if one.kind is ComparisonKind.REPORTED)
    (effect,) = found.effects.values()
    assert (effect.estimate, effect.variance**0.5) == pytest.approx((estimate, se), abs=1e-5)


@pytest.mark.parametrize("printed", [{"c_se": 0.2}, {"c_p": "p<0.05"}, {}])
def test_a_ratio_with_a_bare_se_or_an_inexact_p_is_refused(printed: dict[str, Value]) -> None:
    found = with_contrast(c_measure="HR", c_estimate=0.7, **printed)
    assert found.comparisons == ()
    assert [(one.row, one.field) for one in found.refused] == [("contrast/1", "c_ci_low")]
