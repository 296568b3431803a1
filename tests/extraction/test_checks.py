"""Checks: each rule of the built-in templates broken and kept, missing answers, hostile values, and the language."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingather.extraction.findings import Finding, Flag, Row, State, Value, Verdict
from ingather.extraction.judgements import checks
from ingather.extraction.judgements.checks import CUT_SHORT, run_template_checks
from ingather.extraction.judgements.evaluation import (
    Missing,
    evaluate,
    evaluated_days,
    evaluated_p_bounds,
    evaluation_step,
)
from ingather.extraction.template import (
    CheckRule,
    Label,
    Level,
    Scope,
    Template,
    TemplateError,
    builtin_templates,
    cloned_template,
    load_builtin_template,
)
from ingather.extraction.template.editing import fields_named
from ingather.extraction.template.expressions import FUNCTIONS, ExpressionError, parse_expression
from ingather.extraction.template.validation import validate_template

RCT, COHORT, QC = (load_builtin_template(name) for name in ("rct", "cohort", "qc"))

ROWS = (
    Row(scope="arm", key="arm/1", label="A", parts={}),
    Row(scope="arm", key="arm/2", label="B", parts={}),
    Row(scope="outcome", key="outcome/1", label="Pain", parts={}),
    Row(scope="outcome", key="outcome/2", label="Death", parts={}),
    Row(scope="arm_result", key="arm_result/1", label="", parts={"outcome": "outcome/1", "arm": "arm/1"}),
    Row(scope="arm_result", key="arm_result/2", label="", parts={"outcome": "outcome/1", "arm": "arm/2"}),
    Row(scope="arm_result", key="arm_result/3", label="", parts={"outcome": "outcome/2", "arm": "arm/1"}),
    Row(
        scope="contrast",
        key="contrast/1",
        label="",
        parts={"outcome": "outcome/1", "arm": "arm/1", "against": "arm/2"},
    ),
    Row(scope="domain", key="domain/1", label="", parts={}),
)
HOME = {
    "study": "",
    "arm": "arm/1",
    "outcome": "outcome/1",
    "arm_result": "arm_result/1",
    "contrast": "contrast/1",
    "domain": "domain/1",
}


def reported(field: str, value: Value, row: str, state: State = State.REPORTED) -> Finding:
    return Finding(
        field=field, row=row, state=state, value=value, quote="", verdict=Verdict.NO_QUOTE, spans=(), source="a model"
    )


def findings(template: Template, answers: dict[str, Value]) -> list[Finding]:
    """Answers by field, in the first row of its scope; `field@2` is in the second."""
    found = []
    for place, value in answers.items():
        field, _, number = place.partition("@")
        home = HOME[template.field(field).scope]
        found.append(reported(field, value, home.replace("/1", f"/{number}") if number else home))
    return found


def broken(template: Template, answers: dict[str, Value]) -> set[str]:
    return {flag.rule for flag in run_template_checks(template, ROWS, findings(template, answers))}


RATIO: dict[str, Value] = {"c_measure": "RR", "c_ci_level": 95.0}
MD: dict[str, Value] = {"c_measure": "MD", "c_ci_level": 95.0}
CASES: list[tuple[Template, str, dict[str, Value], dict[str, Value]]] = [
    (RCT, "events_within_n", {"r_events": 12, "r_n": 12}, {"r_events": 13, "r_n": 12}),
    (
        RCT,
        "arms_add_up",
        {"n_randomised": 100, "arm_n_randomised": 49, "arm_n_randomised@2": 51},
        {"n_randomised": 100, "arm_n_randomised": 49, "arm_n_randomised@2": 50},
    ),
    (RCT, "randomised_within_screened", {"n_randomised": 9, "n_screened": 9}, {"n_randomised": 10, "n_screened": 9}),
    (RCT, "analysed_within_randomised", {"n_analysed": 9, "n_randomised": 9}, {"n_analysed": 10, "n_randomised": 9}),
    (
        RCT,
        "losses_explain_the_difference",
        {"n_randomised": 200, "n_analysed": 180, "arm_n_lost": 10, "arm_n_lost@2": 12},
        {"n_randomised": 200, "n_analysed": 180, "arm_n_lost": 10, "arm_n_lost@2": 1},
    ),
    (
        RCT,
        "arm_analysed_within_randomised",
        {"arm_n_analysed": 50, "arm_n_randomised": 50},
        {"arm_n_analysed": 51, "arm_n_randomised": 50},
    ),
    (
        RCT,
        "arm_received_within_randomised",
        {"arm_n_received": 50, "arm_n_randomised": 50},
        {"arm_n_received": 51, "arm_n_randomised": 50},
    ),
    (
        RCT,
        "arm_lost_within_randomised",
        {"arm_n_lost": 50, "arm_n_randomised": 50},
        {"arm_n_lost": 51, "arm_n_randomised": 50},
    ),
    (RCT, "female_within_arm", {"female_n": 5, "arm_n_randomised": 5}, {"female_n": 6, "arm_n_randomised": 5}),
    (
        RCT,
        "female_pct_agrees",
        {"female_pct": 33.3, "female_n": 10, "arm_n_randomised": 30},
        {"female_pct": 35.0, "female_n": 10, "arm_n_randomised": 30},
    ),
    (RCT, "scale_in_order", {"scale_min": 0.0, "scale_max": 10.0}, {"scale_min": 10.0, "scale_max": 10.0}),
    (RCT, "result_n_within_arm", {"r_n": 40, "arm_n_randomised": 40}, {"r_n": 41, "arm_n_randomised": 40}),
    (
        RCT,
        "pct_agrees",
        {"r_pct": 12.4, "r_events": 15, "r_n": 121},
        {"r_pct": 13.1, "r_events": 15, "r_n": 121},
    ),
    (RCT, "pct_is_percent", {"r_pct": 100.0}, {"r_pct": 100.1}),
    (RCT, "se_not_negative", {"r_se": 0.0}, {"r_se": -0.1}),
    (RCT, "sd_not_negative", {"r_sd": 0.0}, {"r_sd": -0.1}),
    (RCT, "sd_differs_from_se", {"r_sd": 2.0, "r_se": 0.2, "r_n": 100}, {"r_sd": 2.0, "r_se": 2.0, "r_n": 100}),
    (
        RCT,
        "sd_equals_se_of_another",
        {"r_sd": 21.0, "r_se@2": 2.0, "r_n@2": 100},
        {"r_sd": 20.0, "r_se@2": 2.0, "r_n@2": 100},
    ),
    (
        RCT,
        "sd_looks_like_se",
        {"r_sd": 19.0, "r_n": 100, "r_sd@2": 20.0},
        {"r_sd": 2.0, "r_n": 100, "r_sd@2": 20.1},
    ),
    (
        RCT,
        "quartiles_in_order",
        {"r_q1": 1.0, "r_median": 1.0, "r_q3": 4.0},
        {"r_q1": 1.0, "r_median": 4.1, "r_q3": 4.0},
    ),
    (
        RCT,
        "mean_within_range",
        {"r_min": 1.0, "r_mean": 2.0, "r_max": 3.0},
        {"r_min": 1.0, "r_mean": 4.0, "r_max": 3.0},
    ),
    (
        RCT,
        "mean_within_ci",
        {"r_ci_low": 1.0, "r_mean": 2.0, "r_ci_high": 3.0},
        {"r_ci_low": 2.1, "r_mean": 2.0, "r_ci_high": 3.0},
    ),
    (
        RCT,
        "mean_within_scale",
        {"scale_min": 0.0, "scale_max": 10.0, "r_mean": 10.0, "r_value_kind": "endpoint"},
        {"scale_min": 0.0, "scale_max": 10.0, "r_mean": 10.5, "r_value_kind": "endpoint"},
    ),
    (RCT, "se_of_estimate_not_negative", {"c_se": 0.2}, {"c_se": -0.2}),
    (
        RCT,
        "ci_in_order",
        {"c_ci_low": 0.5, "c_estimate": 0.8, "c_ci_high": 1.2},
        {"c_ci_low": 0.5, "c_estimate": 1.8, "c_ci_high": 1.2},
    ),
    (
        RCT,
        "ratio_ci_positive",
        RATIO | {"c_ci_low": 0.0, "c_estimate": 0.8},
        RATIO | {"c_ci_low": -0.5, "c_estimate": 0.8},
    ),
    (
        RCT,
        "ratio_ci_symmetric",
        RATIO | {"c_estimate": 0.75, "c_ci_low": 0.58, "c_ci_high": 0.97},
        RATIO | {"c_estimate": 0.75, "c_ci_low": 0.58, "c_ci_high": 0.79},
    ),
    (
        RCT,
        "p_agrees_with_ratio_ci",
        RATIO | {"c_p": "0.03", "c_ci_low": 0.58, "c_ci_high": 0.97},
        RATIO | {"c_p": "0.03", "c_ci_low": 0.58, "c_ci_high": 1.97},
    ),
    (
        RCT,
        "p_agrees_with_ratio_ci",
        RATIO | {"c_p": "P = 0.30", "c_ci_low": 0.58, "c_ci_high": 1.97},
        RATIO | {"c_p": "P = 0.30", "c_ci_low": 0.58, "c_ci_high": 0.97},
    ),
    (
        RCT,
        "p_agrees_with_difference_ci",
        MD | {"c_p": "<0.001", "c_ci_low": -3.0, "c_ci_high": -1.0},
        MD | {"c_p": "<0.001", "c_ci_low": -3.0, "c_ci_high": 1.0},
    ),
    (
        RCT,
        "md_agrees_with_means",
        MD | {"c_adjusted": "no", "c_estimate": -1.8, "r_mean": 5.2, "r_mean@2": 7.0},
        MD | {"c_adjusted": "no", "c_estimate": -2.4, "r_mean": 5.2, "r_mean@2": 7.1},
    ),
    (RCT, "ci_level_is_percent", {"c_ci_level": 95.0}, {"c_ci_level": 950.0}),
    (RCT, "female_pct_is_percent", {"female_pct": 0.0}, {"female_pct": -1.0}),
    (RCT, "age_sd_not_negative", {"age_sd": 3.0}, {"age_sd": -3.0}),
    (RCT, "person_time_positive", {"r_person_time": "1,200 person_years"}, {"r_person_time": "0 person_years"}),
    (
        RCT,
        "recruitment_in_order",
        {"recruit_start": "2019-03", "recruit_end": "2019"},
        {"recruit_start": "2019-03", "recruit_end": "2019-02-28"},
    ),
    (
        RCT,
        "recruitment_before_publication",
        {"recruit_end": "2019-12", "publication_year": 2019},
        {"recruit_end": "2020-01", "publication_year": 2019},
    ),
    (COHORT, "included_within_source", {"n_included": 9, "n_source": 9}, {"n_included": 10, "n_source": 9}),
    (COHORT, "analysed_within_included", {"n_included": 9, "n_analysed": 9}, {"n_included": 9, "n_analysed": 10}),
    (COHORT, "lost_within_included", {"n_included": 9, "n_lost": 9}, {"n_included": 9, "n_lost": 10}),
    (
        COHORT,
        "losses_explain_the_difference",
        {"n_included": 1000, "n_analysed": 900, "n_lost": 90},
        {"n_included": 1000, "n_analysed": 900, "n_lost": 9},
    ),
    (
        COHORT,
        "groups_add_up",
        {"n_included": 100, "n_analysed": 90, "group_n": 40, "group_n@2": 50},
        {"n_included": 100, "n_analysed": 90, "group_n": 40, "group_n@2": 55},
    ),
    (
        COHORT,
        "total_person_time_positive",
        {"person_time_total": "3 person_days"},
        {"person_time_total": "-3 person_days"},
    ),
    (
        COHORT,
        "follow_up_after_recruitment",
        {"recruit_start": "2001", "followup_end": "2001"},
        {"recruit_start": "2002", "followup_end": "2001-12"},
    ),
    (
        COHORT,
        "follow_up_before_publication",
        {"followup_end": "2018-01", "publication_year": 2018},
        {"followup_end": "2019-01", "publication_year": 2018},
    ),
    (
        COHORT,
        "group_person_time_positive",
        {"group_person_time": "1.5 person_years"},
        {"group_person_time": "0 person_years"},
    ),
    (COHORT, "result_n_within_group", {"r_n": 5, "group_n": 5}, {"r_n": 6, "group_n": 5}),
    (COHORT, "rate_not_negative", {"r_rate": 0.0}, {"r_rate": -2.0}),
    (COHORT, "events_within_n", {"r_events": 1, "r_n": 1}, {"r_events": 2, "r_n": 1}),
    (
        COHORT,
        "p_agrees_with_difference_ci",
        {"c_measure": "beta", "c_ci_level": 95.0, "c_p": "0.2", "c_ci_low": -1.0, "c_ci_high": 1.0},
        {"c_measure": "beta", "c_ci_level": 95.0, "c_p": "0.2", "c_ci_low": 0.1, "c_ci_high": 1.0},
    ),
    (
        COHORT,
        "md_agrees_with_means",
        {"c_measure": "MD", "c_model": "crude", "c_estimate": 2.0, "r_mean": 5.0, "r_mean@2": 7.0},
        {"c_measure": "MD", "c_model": "crude", "c_estimate": 4.5, "r_mean": 5.5, "r_mean@2": 7.2},
    ),
]
POINTLESS: dict[str, dict[str, Value]] = {
    "2_3": {"rob2_2_1": "N", "rob2_2_2": "PN"},
    "2_4": {"rob2_2_3": "NI"},
    "2_5": {"rob2_2_4": "PN"},
    "2_7": {"rob2_2_6": "PY"},
    "3_2": {"rob2_3_1": "Y"},
    "3_3": {"rob2_3_2": "Y"},
    "3_4": {"rob2_3_3": "N"},
    "4_3": {"rob2_4_1": "Y", "rob2_4_2": "N"},
    "4_4": {"rob2_4_3": "N"},
    "4_5": {"rob2_4_4": "N"},
}
CASES += [
    (QC, f"question_{question}_not_reached", before | {f"rob2_{question}": "NA"}, before | {f"rob2_{question}": "Y"})
    for question, before in POINTLESS.items()
]


@pytest.mark.parametrize(("template", "rule", "kept", "wrong"), CASES, ids=[f"{c[0].id}-{c[1]}" for c in CASES])
def test_a_rule_is_quiet_where_it_is_kept_and_speaks_where_it_is_broken(
    template: Template, rule: str, kept: dict[str, Value], wrong: dict[str, Value]
) -> None:
    assert rule not in broken(template, kept)
    assert rule in broken(template, wrong)
    needed = fields_named(next(check for check in template.checks if check.id == rule))
    for place in (place for place in wrong if place.partition("@")[0] in needed):
        assert rule not in broken(template, {name: value for name, value in wrong.items() if name != place})


def test_every_rule_of_the_rct_and_qc_templates_has_a_case_and_every_rule_of_the_cohort_one_too() -> None:
    tested = {(template.id, rule) for template, rule, _, _ in CASES}
    shared = {rule.id for rule in RCT.checks if rule in COHORT.checks}
    for template in builtin_templates():
        for rule in template.checks:
            assert (template.id, rule.id) in tested or (template is COHORT and ("rct", rule.id) in tested), rule.id
    assert len(shared) > 5


def test_a_flag_names_its_row_its_fields_and_the_values_in_the_language_asked_for() -> None:
    given = findings(RCT, {"r_events@2": 13, "r_n@2": 12})
    assert run_template_checks(RCT, ROWS, given) == [
        Flag(
            rule="events_within_n",
            row="arm_result/2",
            fields=("r_events", "r_n"),
            message="Events (13) exceed the number analysed (12).",
        )
    ]
    (chinese,) = run_template_checks(RCT, ROWS, given, language="zh")
    assert chinese.message == "事件数（13）大于分析人数（12）。"  # noqa: RUF001


def test_a_result_finds_the_arm_and_the_outcome_it_belongs_to() -> None:
    given = [
        reported("r_n", 60, "arm_result/2"),
        reported("arm_n_randomised", 50, "arm/2"),
        reported("arm_n_randomised", 70, "arm/1"),
    ]
    assert [(flag.rule, flag.row) for flag in run_template_checks(RCT, ROWS, given)] == [
        ("result_n_within_arm", "arm_result/2")
    ]


def test_rows_of_another_outcome_are_not_compared() -> None:
    same = [
        reported("r_sd", 2.0, "arm_result/1"),
        reported("r_n", 100, "arm_result/1"),
        reported("r_sd", 20.0, "arm_result/2"),
    ]
    apart = [replace(finding, row=finding.row.replace("/2", "/3")) for finding in same]
    assert [flag.rule for flag in run_template_checks(RCT, ROWS, same)] == ["sd_looks_like_se"]
    assert run_template_checks(RCT, ROWS, apart) == []


def test_means_of_another_time_are_not_taken_for_a_contrast() -> None:
    parts = {"outcome": "outcome/1", "arm": "arm/1"}
    times = [
        Row(scope="arm_result", key="late/1", label="", parts=parts | {"timepoint": "late"}),
        Row(scope="arm_result", key="late/2", label="", parts=parts | {"timepoint": "late", "arm": "arm/2"}),
        Row(scope="arm_result", key="soon/1", label="", parts=parts | {"timepoint": "soon"}),
        Row(scope="contrast", key="c", label="", parts=parts | {"timepoint": "late", "against": "arm/2"}),
    ]
    rows = [row for row in ROWS if row.scope == "arm"] + times
    given = [reported("c_measure", "MD", "c"), reported("c_adjusted", "no", "c"), reported("r_mean", 9.5, "soon/1")]
    given += [reported("r_mean", 5.5, "late/1"), reported("r_mean", 7.5, "late/2")]
    assert run_template_checks(RCT, rows, [*given, reported("c_estimate", 2.0, "c")]) == []
    assert [f.rule for f in run_template_checks(RCT, rows, [*given, reported("c_estimate", 4.1, "c")])] == [
        "md_agrees_with_means"
    ]


def test_rows_nobody_listed_are_checked_by_their_findings() -> None:
    (flag,) = run_template_checks(RCT, (), [reported("r_events", 3, "x"), reported("r_n", 2, "x")])
    assert (flag.rule, flag.row) == ("events_within_n", "x")


@pytest.mark.parametrize("state", [state for state in State if state != State.REPORTED])
def test_only_reported_answers_take_part(state: State) -> None:
    assert (
        run_template_checks(
            RCT, ROWS, [reported("r_events", 3, "arm_result/1"), reported("r_n", 2, "arm_result/1", state)]
        )
        == []
    )


def test_two_different_answers_to_a_field_are_none_and_two_equal_ones_are_one() -> None:
    given = findings(RCT, {"r_events": 13, "r_n": 12})
    assert run_template_checks(RCT, ROWS, [*given, reported("r_n", 14, "arm_result/1")]) == []
    assert len(run_template_checks(RCT, ROWS, [*given, reported("r_n", 12, "arm_result/1")])) == 1


def test_one_arm_without_a_number_and_there_is_no_sum() -> None:
    assert run_template_checks(RCT, ROWS, findings(RCT, {"n_randomised": 100, "arm_n_randomised": 49})) == []


def test_intention_to_treat_with_everyone_analysed_may_have_losses() -> None:
    answers: dict[str, Value] = {"n_randomised": 100, "n_analysed": 100, "arm_n_lost": 10, "arm_n_lost@2": 10}
    assert broken(RCT, answers) == set()


HOSTILE: list[Value] = [
    0, -1, 10**400, -(10**400), 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, True, None, "", "x", "NaN",
    "1e999 weeks", "9" * 5000, "2019-99", "0000", "2019-02-31", [], ["a"], "<", "p<0.0.1", "\x00", "\ud800", "٣",
]  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_nothing_in_the_values_makes_a_check_raise(data: st.DataObject) -> None:
    template = data.draw(st.sampled_from([RCT, COHORT, QC]))
    named = sorted({field for rule in template.checks for field in parse_expression(rule.expression).fields})
    value = st.one_of(st.sampled_from(HOSTILE), st.floats(), st.integers(), st.text(max_size=8))
    keys = st.sampled_from([row.key for row in ROWS] + ["", "nowhere"])
    given = [
        reported(
            field, data.draw(value), data.draw(keys) if data.draw(st.booleans()) else HOME[template.field(field).scope]
        )
        for field in data.draw(st.lists(st.sampled_from(named), max_size=25))
    ]
    for flag in run_template_checks(template, ROWS, given):
        assert flag.message
        assert len(flag.message) < 2_000


@pytest.mark.parametrize("value", HOSTILE)
def test_every_numeric_field_holding_the_same_hostile_value_raises_nothing(value: Value) -> None:
    for template in builtin_templates():
        places = [
            reported(field.id, value, row.key) for field in template.fields for row in ROWS if row.scope == field.scope
        ]
        run_template_checks(template, ROWS, places + [reported(f.id, value, "") for f in template.fields_of("study")])


def test_too_many_rows_are_not_compared_for_ever_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MOST_LOOKS", 50)
    rows = [Row(scope="arm_result", key=f"r/{n}", label="", parts={"outcome": "outcome/1"}) for n in range(20)]
    given = [reported("r_sd", 2.0, row.key) for row in rows] + [reported("r_n", 100, row.key) for row in rows]
    flags = run_template_checks(RCT, rows, given)
    assert [flag.rule for flag in flags] == [CUT_SHORT]
    assert "not finished" in flags[0].message


def test_a_custom_template_brings_its_own_check() -> None:
    mine = cloned_template(RCT, "mine", Label(en="Mine", zh="Mine"))
    rule = CheckRule(
        id="young",
        scope=Scope.ARM,
        level=Level.WARN,
        expression="age_mean <= 18 or age_mean >= 60",
        message=Label(en="{age_mean} is neither young nor old.", zh="{age_mean}"),
        when="arm_role == 'placebo'",
    )
    mine = validate_template(replace(mine, checks=(rule,)))
    assert [
        f.message for f in run_template_checks(mine, ROWS, findings(mine, {"age_mean": 40.0, "arm_role": "placebo"}))
    ] == ["40 is neither young nor old."]
    assert run_template_checks(mine, ROWS, findings(mine, {"age_mean": 40.0, "arm_role": "sham"})) == []


# The language itself.


@pytest.mark.parametrize(
    "text",
    [
        "", "r_n", "1 +", "r_n <= ", "__import__('os')", "r_n.__class__ == 'x'", "other.r_n > 1", "(lambda: 1)() > 0",
        "[x for x in (1,)] == 1", "r_n ** 99 > 1", "r_n % 2 == 0", "r_n // 2 == 0", "r_n if r_n else r_n", "r_n is r_n",
        "r_n := 3", "f'{r_n}' == 'x'", "b'x' == r_n", "1j < 2", "True == 1", "None == r_n", "eval('1') > 0",
        "abs() > 0",
        "abs(r_n, r_n) > 0", "abs(x=r_n) > 0", "abs(*r_n) > 0", "sum(1 + r_n) > 0", "first('a') > 0", "r_n in r_n",
        "r_n in ()", "r_n in (1, 2)", "any_other(any_other(r_n > 1))", "year('2019') > 0", "r_n < 1e99", "r_n > 1; 2",
        "r_n[0] > 1", "{1: 2} == 1", "r_n > 1 # x", "r_n\n> 1 \x00", "r_n & 1 > 0", "~r_n > 0", "\uff52_n > 0", "… > 0",
        "(" * 240 + "r_n" + ")" * 240 + " > 0", "1and r_n > 0", "0x10 > r_n",
        "-" * 490 + "r_n > 0", "r_n > 0 and " * 40 + "r_n > 0", "not " * 120 + "r_n",
    ],
)  # fmt: skip
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    check = CheckRule(id="x", scope=Scope.ARM_RESULT, level=Level.WARN, expression=text, message=Label(en="x", zh="x"))
    with pytest.raises(TemplateError, match="has an expression that"):
        validate_template(replace(RCT, checks=(check,)))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="rn_109.,()'<>=!+*/- andotis", max_size=60))
def test_any_text_is_read_or_refused_with_an_expression_error(text: str) -> None:
    try:
        expression = parse_expression(text)
    except ExpressionError:
        return
    assert set(expression.fields) <= {use.field for use in expression.uses}


class Answers:
    """A row with these answers and nothing around it."""

    def __init__(self, **answers: float | str) -> None:
        self.answers = answers

    def here(self, field: str) -> float | str:
        if field not in self.answers:
            raise Missing
        return self.answers[field]

    def total(self, field: str) -> float:
        raise Missing

    def of_arm(self, position: int, field: str) -> float | str:
        raise Missing

    def other(self, field: str) -> float | str:
        raise Missing

    def others(self) -> list["Answers"]:
        return []


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("a + b == 0.3", True),
        ("a < 0.1", False),
        ("a <= 0.1", True),
        ("-a < 0 < b", True),
        ("1 < 3 > 2", True),
        ("a * 3 - b / 2 == 0.2", True),
        ("min(a, b) == 0.1 and max(a, b) == 0.2", True),
        ("abs(-2) == 2 and sqrt(9) == 3 and ln(1) == 0", True),
        ("near(1, 1.1, 0.1)", True),
        ("near(1, 1.11, 0.1)", False),
        ("not near(1, 2, 0.1)", True),
        ("word == 'x' and word != 'y' and word in ('x', 'z') and word not in ('y',)", True),
        ("a / 0 > 1", None),
        ("ln(0) < 1", None),
        ("ln(-1) < 1", None),
        ("sqrt(-1) < 1", None),
        ("big * big > 1", None),
        ("big * big - big * big == 0", None),
        ("nothing > 1", None),
        ("a > 1 and nothing > 1", None),
        ("a < 1 or nothing > 1", None),
        ("any_other(other.a > 0)", False),
        ("earliest(day) == 20190301 and latest(day) == 20190331 and year(day) == 2019", True),
        ("p_high(word) < 1", None),
    ],
)
def test_an_expression_is_true_false_or_says_nothing(text: str, truth: bool | None) -> None:
    assert evaluate(parse_expression(text), Answers(a=0.1, b=0.2, word="x", big=1e300, day="2019-03")) is truth


@pytest.mark.parametrize(
    ("printed", "low", "high"),
    [
        ("0.05", 0.045, 0.055),
        ("0.049", 0.0485, 0.0495),
        ("<0.001", 0, 0.001),
        ("P < .001", 0, 0.001),
        ("p=0·03", 0.025, 0.035),
        ("> 0.05", 0.05, 1),
        ("NS", 0.05, 1),
        ("p-value = 0.2", 0.15, 0.25),
        ("1", 1, 1),
    ],
)
def test_a_printed_p_value_has_bounds(printed: str, low: float, high: float) -> None:
    assert evaluated_p_bounds(printed) == pytest.approx((low, high))


@pytest.mark.parametrize("printed", ["", "0.03 for trend", "significant", "1.2", "12", "0.01-0.05", "<", "p"])
def test_a_p_value_that_cannot_be_read_is_missing(printed: str) -> None:
    with pytest.raises(Missing):
        evaluated_p_bounds(printed)


def test_a_date_means_its_first_and_last_day() -> None:
    assert evaluated_days("2020") == (20200101, 20201231)
    assert evaluated_days("2020-02") == (20200201, 20200229)
    assert evaluated_days("2020-02-03") == (20200203, 20200203)


@pytest.mark.parametrize(("number", "expected"), [(7.2, 0.1), (7.0, 1), (120.0, 1), (0.25, 0.01), (0.0, 1), (1e22, 1)])
def test_the_step_of_a_number_is_its_last_place(number: float, expected: float) -> None:
    assert evaluation_step(number) == pytest.approx(expected)


def test_every_function_of_the_language_is_in_the_document() -> None:
    text = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    for function in FUNCTIONS:
        assert f"`{function}(" in text, function
    for template in builtin_templates():
        for rule in template.checks:
            name = "question_" if rule.id.startswith("question_") else rule.id
            assert f"`{name}" in text, rule.id
