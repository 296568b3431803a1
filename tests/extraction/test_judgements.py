"""Judgements: every answer to every question of RoB 2 against an oracle written the other way round, and the rest."""

from itertools import product

import pytest

from ingather.extraction.findings import Finding, Row, State, Value, Verdict
from ingather.extraction.judgements import rob2
from ingather.extraction.judgements.judgements import NOS_ITEMS, ROBINS_DOMAINS, RULES, compute_judgements
from ingather.extraction.template import load_builtin_template, remove_field, template_with_fields_selected
from ingather.extraction.template.editing import cloned_template
from ingather.extraction.template.model import Label

QC = load_builtin_template("qc")
ANSWERS = ("Y", "PY", "PN", "N", "NI", "NA")
QUESTIONS = {
    "rob2_d1": ("1_1", "1_2", "1_3"),
    "rob2_d2": ("2_1", "2_2", "2_3", "2_4", "2_5", "2_6", "2_7"),
    "rob2_d3": ("3_1", "3_2", "3_3", "3_4"),
    "rob2_d4": ("4_1", "4_2", "4_3", "4_4", "4_5"),
    "rob2_d5": ("5_1", "5_2", "5_3"),
}
DOMAINS = {domain.field: domain for domain in rob2.DOMAINS}


# The oracle: the published flow charts walked as nested questions, answers as given; None where the walk gets stuck.
YES, NO = {"Y", "PY"}, {"N", "PN"}


def stuck(*answers: str) -> bool:
    return any(answer == "NA" for answer in answers)


def oracle_d1(q1: str, q2: str, q3: str) -> str | None:
    if stuck(q1, q2, q3):
        return None
    if q2 in YES:
        return "low" if q1 not in NO and q3 not in YES else "some_concerns"
    if q2 == "NI":
        return "some_concerns" if q3 not in YES else "high"
    return "high"


def oracle_d2(q1: str, q2: str, q3: str, q4: str, q5: str, q6: str, q7: str) -> str | None:
    if stuck(q1, q2, q6):
        return None
    first: str | None = None
    if {q1, q2} <= NO or q3 in NO:
        first = "low"
    elif q3 == "NI" or (q3 in YES and (q4 in NO or (q4 in YES | {"NI"} and q5 in YES))):
        first = "some_concerns"
    elif q3 in YES and q4 in YES | {"NI"} and q5 in NO | {"NI"}:
        first = "high"
    second = "low" if q6 in YES else {"NA": None, "N": "some_concerns", "PN": "some_concerns"}.get(q7, "high")
    if first is None or second is None:
        return None
    return next(level for level in ("high", "some_concerns", "low") if level in (first, second))


def oracle_d3(q1: str, q2: str, q3: str, q4: str) -> str | None:
    if q1 in YES or (q1 != "NA" and q2 in YES):
        return "low"
    if stuck(q1, q2, q3):
        return None
    if q3 in NO:
        return "low"
    return None if stuck(q4) else "some_concerns" if q4 in NO else "high"


def oracle_d4(q1: str, q2: str, q3: str, q4: str, q5: str) -> str | None:
    if stuck(q1, q2):
        return None
    if YES & {q1, q2}:
        return "high"
    if stuck(q3) or (q3 not in NO and stuck(q4)):
        return None
    if q3 in NO or q4 in NO:
        return "some_concerns" if q2 == "NI" else "low"
    return None if stuck(q5) else "some_concerns" if q5 in NO else "high"


def oracle_d5(q1: str, q2: str, q3: str) -> str | None:
    if stuck(q1, q2, q3):
        return None
    if {q2, q3} & YES:
        return "high"
    return "low" if {q2, q3} <= NO and q1 in YES else "some_concerns"


ORACLES = {
    "rob2_d1": oracle_d1,
    "rob2_d2": oracle_d2,
    "rob2_d3": oracle_d3,
    "rob2_d4": oracle_d4,
    "rob2_d5": oracle_d5,
}


@pytest.mark.parametrize("domain", QUESTIONS)
def test_a_domain_is_judged_as_the_oracle_judges_it_for_every_combination_of_answers(domain: str) -> None:
    questions, oracle = QUESTIONS[domain], ORACLES[domain]
    judged = 0
    for combination in product(ANSWERS, repeat=len(questions)):
        expected = oracle(*combination)  # type: ignore[operator]
        ruling = rob2.rob2_rule(DOMAINS[domain], dict(zip(questions, combination, strict=True)))
        if ruling.judgement != expected:
            pytest.fail(f"{combination} is judged {ruling.judgement}, not {expected}")
        judged += expected is not None
    assert judged > 100


@pytest.mark.parametrize("domain", QUESTIONS)
def test_a_missing_answer_is_as_good_as_not_applicable(domain: str) -> None:
    for combination in product(("Y", "N", "NI", "NA"), repeat=len(QUESTIONS[domain])):
        given = dict(zip(QUESTIONS[domain], combination, strict=True))
        without = {question: answer for question, answer in given.items() if answer != "NA"}
        assert rob2.rob2_rule(DOMAINS[domain], given) == rob2.rob2_rule(DOMAINS[domain], without)


# Which answer speaks for bias; the others do by their absence.
WORSE_WHEN_YES = {
    "1_3",
    "2_1",
    "2_2",
    "2_3",
    "2_4",
    "2_7",
    "3_3",
    "3_4",
    "4_1",
    "4_2",
    "4_3",
    "4_4",
    "4_5",
    "5_2",
    "5_3",
}


@pytest.mark.parametrize("domain", QUESTIONS)
def test_a_worse_answer_never_makes_a_better_judgement(domain: str) -> None:
    compared = 0
    for combination in product(("Y", "NI", "N"), repeat=len(QUESTIONS[domain])):
        answers = dict(zip(QUESTIONS[domain], combination, strict=True))
        before = rob2.rob2_rule(DOMAINS[domain], answers).judgement
        for question in QUESTIONS[domain]:
            scale = ("N", "NI", "Y") if question in WORSE_WHEN_YES else ("Y", "NI", "N")
            for worse in scale[scale.index(answers[question]) + 1 :]:
                after = rob2.rob2_rule(DOMAINS[domain], answers | {question: worse}).judgement
                assert before is not None
                assert after is not None
                assert rob2.ORDER.index(after) >= rob2.ORDER.index(before), (answers, question, worse)
                compared += 1
    assert compared > 50


def test_the_overall_judgement_is_high_with_any_high_and_low_only_with_all_low() -> None:
    for judgements in product(rob2.ORDER, repeat=5):
        expected = "high" if "high" in judgements else "low" if set(judgements) == {"low"} else "some_concerns"
        assert rob2.rob2_overall(list(judgements)) == expected


def reported(
    field: str, value: Value, *, row: str = "", state: State = State.REPORTED, verdict: Verdict = Verdict.VERIFIED
) -> Finding:
    return Finding(
        field=field, row=row, state=state, value=value, quote="q", verdict=verdict, spans=(), source="a model"
    )


ALL_LOW = {
    "1_1": "Y", "1_2": "PY", "1_3": "N",
    "2_1": "N", "2_2": "PN", "2_3": "NA", "2_4": "NA", "2_5": "NA", "2_6": "Y", "2_7": "NA",
    "3_1": "Y", "3_2": "NA", "3_3": "NA", "3_4": "NA",
    "4_1": "N", "4_2": "N", "4_3": "N", "4_4": "NA", "4_5": "NA",
    "5_1": "Y", "5_2": "N", "5_3": "N",
}  # fmt: skip


def rob2_answers(row: str = "", **changes: str) -> list[Finding]:
    given = ALL_LOW | {question.removeprefix("q"): answer for question, answer in changes.items()}
    return [reported(f"rob2_{question}", answer, row=row) for question, answer in given.items()]


def judged(findings: list[Finding], rows: tuple[Row, ...] = ()) -> dict[tuple[str, str], Finding]:
    return {(finding.field, finding.row): finding for finding in compute_judgements(QC, rows, findings)}


def test_each_row_is_judged_by_its_own_answers() -> None:
    rows = tuple(Row(scope="domain", key=f"domain/{n}", label="", parts={}) for n in (1, 2, 3))
    found = judged(rob2_answers("domain/1") + rob2_answers("domain/2", q5_2="Y"), rows)
    assert {key: finding.value for key, finding in found.items() if key[0] == "rob2_overall"} == {
        ("rob2_overall", "domain/1"): "low",
        ("rob2_overall", "domain/2"): "high",
        ("rob2_overall", "domain/3"): None,
    }
    assert found["rob2_d5", "domain/2"].value == "high"
    assert found["rob2_d5", "domain/1"].value == "low"
    assert found["rob2_d1", "domain/3"].state == State.UNCLEAR


def test_every_computed_field_has_one_finding_per_row_and_says_where_it_came_from() -> None:
    rows = tuple(Row(scope="domain", key=f"domain/{n}", label="", parts={}) for n in (1, 2))
    findings = compute_judgements(QC, rows, rob2_answers("domain/1"))
    computed = [field for field in QC.fields if field.computed]
    places = [(finding.field, finding.row) for finding in findings]
    assert len(places) == len(set(places)) == sum(2 if field.scope == "domain" else 1 for field in computed)
    for finding in findings:
        assert (finding.source, finding.verdict, finding.quote, finding.spans) == ("computed", Verdict.NO_QUOTE, "", ())
        assert finding.note
        assert (finding.value is None) == (finding.state != State.REPORTED)


def test_there_is_a_rule_for_every_computed_field_and_a_computed_field_for_every_rule() -> None:
    assert {field.id for field in QC.fields if field.computed} == set(RULES)


def test_the_note_names_the_answers_on_the_way_and_no_others() -> None:
    note = judged(rob2_answers(q2_1="Y", q2_3="N"))["rob2_d2", ""].note
    assert note == "Computed from rob2_2_1 = Y, rob2_2_2 = PN, rob2_2_3 = N, rob2_2_6 = Y."


def test_the_note_counts_the_answers_whose_quotes_were_not_verified() -> None:
    findings = rob2_answers()
    findings[0] = reported("rob2_1_1", "Y", verdict=Verdict.QUOTE_NOT_FOUND)
    findings[1] = reported("rob2_1_2", "PY", verdict=Verdict.VERIFIED_FUZZY)
    found = judged(findings)
    assert found["rob2_d1", ""].value == "low"
    assert found["rob2_d1", ""].note.endswith(" Not verified: the quotes of 1 of 3 answers.")
    assert "1 of 13 answers" in found["rob2_overall", ""].note
    assert "Not verified" not in found["rob2_d5", ""].note


@pytest.mark.parametrize(
    "question", ["1_1", "1_2", "1_3", "2_1", "2_2", "2_6", "3_1", "4_1", "4_2", "4_3", "5_1", "5_2"]
)
def test_without_a_needed_answer_there_is_no_judgement_and_the_note_names_it(question: str) -> None:
    findings = [finding for finding in rob2_answers() if finding.field != f"rob2_{question}"]
    found = judged(findings)
    domain = found[f"rob2_d{question[0]}", ""]
    assert (domain.state, domain.value) == (State.UNCLEAR, None)
    assert f"rob2_{question}" in domain.note
    assert (found["rob2_overall", ""].state, found["rob2_overall", ""].value) == (State.UNCLEAR, None)


@pytest.mark.parametrize("state", [State.NOT_REPORTED, State.NOT_APPLICABLE, State.UNCLEAR, State.FAILED])
def test_an_answer_that_was_not_given_is_never_taken_for_no_information(state: State) -> None:
    findings = [reported(f"rob2_{question}", None, state=state) for question in ALL_LOW]
    assert {finding.value for finding in compute_judgements(QC, (), findings)} == {None}


def test_two_different_answers_to_a_question_are_none() -> None:
    found = judged([*rob2_answers(), reported("rob2_1_1", "N")])
    assert found["rob2_d1", ""].state == State.UNCLEAR
    assert "rob2_1_1" in found["rob2_d1", ""].note
    assert judged([*rob2_answers(), reported("rob2_1_1", "Y")])["rob2_d1", ""].value == "low"


@pytest.mark.parametrize("value", ["yes", "", 1, None, ["Y"], "y"])
def test_an_answer_that_is_no_option_is_none(value: Value) -> None:
    findings = [finding for finding in rob2_answers() if finding.field != "rob2_1_2"]
    assert judged([*findings, reported("rob2_1_2", value)])["rob2_d1", ""].state == State.UNCLEAR


def test_what_a_model_says_of_a_computed_field_is_not_looked_at() -> None:
    found = judged([*rob2_answers(q5_2="Y"), reported("rob2_d5", "low"), reported("rob2_overall", "low")])
    assert (found["rob2_d5", ""].value, found["rob2_overall", ""].value) == ("high", "high")


def test_the_effect_of_adherence_has_no_rules_here() -> None:
    found = judged([*rob2_answers(), reported("qc_effect", "adherence_pp")])
    assert found["rob2_d2", ""].state == State.UNCLEAR
    assert "assignment" in found["rob2_d2", ""].note
    assert found["rob2_d1", ""].value == "low"
    assert found["rob2_overall", ""].value is None


def test_the_tools_that_were_not_chosen_do_not_apply() -> None:
    found = judged([*rob2_answers(), reported("qc_tool", "rob2_parallel", verdict=Verdict.NO_QUOTE)])
    assert found["rob2_overall", ""].value == "low"
    assert found["nos_total", ""].state == State.NOT_APPLICABLE
    assert found["rbi_overall", ""].state == State.NOT_APPLICABLE
    assert "rob2_parallel" in found["nos_total", ""].note


def nos(*starred: str) -> list[Finding]:
    return [
        reported(item, next(o.id for o in QC.field(item).options if o.id.endswith("*") == (item in starred)))
        for item in NOS_ITEMS
    ]


def test_nos_counts_the_starred_answers_of_every_combination() -> None:
    for stars in product((True, False), repeat=9):
        starred = [item for item, star in zip(NOS_ITEMS, stars, strict=True) if star]
        assert judged(nos(*starred))["nos_total", ""].value == sum(stars)


def test_nos_stays_within_its_nine_stars_for_every_option() -> None:
    for item in NOS_ITEMS:
        for option in QC.field(item).options:
            findings = [finding for finding in nos(*NOS_ITEMS) if finding.field != item]
            total = judged([*findings, reported(item, option.id)])["nos_total", ""].value
            assert total == (9 if option.id.endswith("*") else 8)


def test_nos_without_one_of_its_items_has_no_total() -> None:
    for item in NOS_ITEMS:
        found = judged([finding for finding in nos(*NOS_ITEMS) if finding.field != item])["nos_total", ""]
        assert (found.state, found.value) == (State.UNCLEAR, None)
        assert item in found.note


def robins(row: str = "", **domains: str) -> list[Finding]:
    return [reported(domain, domains.get(domain, "low"), row=row) for domain in ROBINS_DOMAINS]


@pytest.mark.parametrize(
    ("domains", "overall"),
    [
        ({}, "low"),
        ({"rbi_d3": "moderate"}, "moderate"),
        ({"rbi_d3": "moderate", "rbi_d7": "serious"}, "serious"),
        ({"rbi_d1": "critical", "rbi_d7": "serious"}, "critical"),
        ({"rbi_d1": "no_information"}, "no_information"),
        ({"rbi_d1": "no_information", "rbi_d2": "moderate"}, "no_information"),
        ({"rbi_d1": "no_information", "rbi_d2": "serious"}, "serious"),
        ({"rbi_d4": "not_applicable", "rbi_d2": "moderate"}, "moderate"),
    ],
)
def test_robins_i_is_as_severe_as_its_worst_domain(domains: dict[str, str], overall: str) -> None:
    assert judged(robins(**domains))["rbi_overall", ""].value == overall


def test_robins_i_needs_every_domain_that_its_version_has() -> None:
    for domain in ROBINS_DOMAINS:
        answers = [finding for finding in robins() if finding.field != domain]
        assert judged(answers)["rbi_overall", ""].state == State.UNCLEAR
        second = judged([*answers, reported("qc_tool", "robins_i_v2_draft")])["rbi_overall", ""]
        assert second.value == ("low" if domain == "rbi_d4" else None)
    not_applicable = [finding for finding in robins() if finding.field != "rbi_d4"]
    not_applicable.append(reported("rbi_d4", None, state=State.NOT_APPLICABLE))
    assert judged(not_applicable)["rbi_overall", ""].value == "low"


def test_a_template_without_a_question_judges_what_is_left() -> None:
    mine = remove_field(cloned_template(QC, "my_qc", Label(en="Mine", zh="Mine")), "rob2_4_1")
    found = {finding.field: finding for finding in compute_judgements(mine, (), rob2_answers())}
    assert found["rob2_d4"].state == State.UNCLEAR
    assert found["rob2_d5"].value == "low"


def test_a_template_without_computed_fields_has_no_judgements() -> None:
    assert compute_judgements(template_with_fields_selected(QC, ["rob2_1_1"]), (), rob2_answers()) == []
    assert compute_judgements(load_builtin_template("rct"), (), rob2_answers()) == []


def test_the_rules_name_where_the_official_text_is() -> None:
    assert "riskofbias.info" in QC.note
    assert "riskofbias.info" in (rob2.__doc__ or "")
