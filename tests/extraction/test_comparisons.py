"""Comparisons are made of what stands in a document, each number with its state; what is not sound is refused."""

from typing import Any

import pytest

from ingather.extraction.analysis.cells import CellState
from ingather.extraction.analysis.comparisons import Comparison, ComparisonKind, StudyNumbers, comparisons_of
from ingather.extraction.analysis.conversions import Formula
from ingather.extraction.analysis.effects import Measure
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
    return read(rows, [*findings, *extra])


def read(rows: list[Row], findings: list[Finding]) -> StudyNumbers:
    return comparisons_of(
        DocumentResult(
            ordinal=0, document_id=7, file_name="Smith 2021.pdf", sha256="", state="completed",
            rows=tuple(rows), findings=tuple(findings),
        )
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
    assert [(one.intervention, one.shared_by) for one in found.comparisons] == [("Drug", 2), ("Half the drug", 2)]


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
