"""Binding: where a value stands in its quote, and what makes it this value."""

from dataclasses import replace

import pytest

from ingather.extraction.findings import Answer, Finding, Reason, Row, State, Value, Verdict
from ingather.extraction.proof.assess import assess
from ingather.extraction.template import Template, load_builtin_template

RCT = load_builtin_template("rct")
ARMS = [
    Row(scope="arm", key="arm/1", label="Metformin", parts={}),
    Row(scope="arm", key="arm/2", label="Placebo", parts={}),
]
OUTCOMES = [
    Row(scope="outcome", key="outcome/1", label="All-cause mortality", parts={}),
    Row(scope="outcome", key="outcome/2", label="Stroke", parts={}),
    Row(scope="outcome", key="outcome/3", label="HbA1c", parts={}),
]


def result(outcome: int, arm: int, timepoint: str = "") -> Row:
    parts = {"outcome": f"outcome/{outcome}", "arm": f"arm/{arm}"} | ({"timepoint": timepoint} if timepoint else {})
    return Row(scope="arm_result", key="arm_result/1", label="a result", parts=parts)


def judged(
    field: str, value: Value, quote: str, *, row: Row | None = None, template: Template = RCT, page: str = ""
) -> Finding:
    """The finding of one answer about a paper of one page: the quote alone, unless a page is given."""
    rows = [*ARMS, *OUTCOMES, *([row] if row and row not in ARMS + OUTCOMES else [])]
    answer = Answer(field=field, row=row.key if row else "", state=State.REPORTED, value=value, quote=quote)
    findings, _ = assess(template, [page or quote], rows, [answer], source="test")
    return next(finding for finding in findings if finding.field == field and finding.row == answer.row)


def own_characters(finding: Finding, page: str) -> list[str]:
    return [page[span.start : span.end] for span in finding.value_spans]


TOTALS = [
    (1086, "1086 M1 patients were randomised.", "1086"),
    (16000, "16 000 women were randomized.", "16 000"),
    (1234, "One thousand two hundred thirty-four patients were randomized.", "One thousand two hundred thirty-four"),
    (520, "A total of 520 patients were randomised (260 to A and 260 to B).", "520"),
    (79, "Of 79 patients who were randomly assigned, 78 were analysed.", "79"),
    (224, "After surgery, 224 patients were randomly assigned: 112 to high dose, and 112 to standard dose.", "224"),
    (385, "Of the 385 randomised, 192 received metformin and 193 placebo.", "385"),
    (1248, "1,248 participants underwent randomisation.", "1,248"),
    (120, "共纳入120例患者，随机分为两组，各60例。", "120"),  # noqa: RUF001
]


@pytest.mark.parametrize(("value", "quote", "characters"), TOTALS)
def test_a_number_has_a_place_of_its_own(value: int, quote: str, characters: str) -> None:
    finding = judged("n_randomised", value, quote)
    assert (finding.verdict, finding.reason) == (Verdict.VERIFIED, None)
    assert own_characters(finding, quote) == [characters]
    assert finding.subject_spans


@pytest.mark.parametrize(
    ("value", "quote", "reason"),
    [
        (1, "1086 M1 patients were randomised.", Reason.PART_OF_NAME),
        (0, "16 000 women were randomized.", Reason.PART_OF_NAME),
        (715, "In the trial S0715, 120 patients were randomised.", Reason.PART_OF_NAME),
        (2, "In all, 120 patients with DM2 were randomised.", Reason.PART_OF_NAME),
        (3, "In this phase 3 trial, 120 patients were randomised.", Reason.PART_OF_NAME),
        (12, "In all, 120 patients were randomised as described.12", Reason.PART_OF_NAME),
        (525, "525 were randomly assigned to apalutamide and 527 to placebo.", Reason.OTHER_ARM),
        (78, "Of 79 patients who were randomly assigned, 78 were analysed.", Reason.OTHER_MEASURE),
        (200, "Of 200 patients screened, 120 were randomised.", Reason.OTHER_MEASURE),
        (60, "将120例患者随机分为治疗组60例和对照组60例。", Reason.OTHER_MEASURE),
        (95, "120 were randomised (risk ratio 0.8, 95% CI 0.7 to 0.9).", Reason.OTHER_MEASURE),
        (12, "120 patients were randomised and treated for 12 weeks.", Reason.OTHER_MEASURE),
    ],
)
def test_another_number_of_the_sentence_is_not_the_total(value: int, quote: str, reason: Reason) -> None:
    finding = judged("n_randomised", value, quote)
    assert finding.verdict in {Verdict.UNBOUND, Verdict.UNSUPPORTED_VALUE}
    assert finding.reason in {reason, Reason.PART_OF_NAME, Reason.OTHER_MEASURE, Reason.OTHER_ARM}


EVENTS = "All-cause mortality was 45 of 120 patients (37.5%) in the metformin group and 30 of 118 (25.4%) with placebo."


@pytest.mark.parametrize(
    ("field", "value", "arm", "verdict"),
    [
        ("r_events", 45, 1, Verdict.VERIFIED),
        ("r_events", 30, 2, Verdict.VERIFIED),
        ("r_events", 30, 1, Verdict.UNBOUND),
        ("r_events", 120, 1, Verdict.UNBOUND),
        ("r_n", 120, 1, Verdict.VERIFIED),
        ("r_n", 118, 1, Verdict.UNBOUND),
        ("r_n", 45, 1, Verdict.UNBOUND),
        ("r_pct", 37.5, 1, Verdict.VERIFIED),
        ("r_pct", 25.4, 1, Verdict.UNBOUND),
        ("r_pct", 45, 1, Verdict.UNBOUND),
    ],
)
def test_a_result_is_of_its_arm_and_of_its_kind(field: str, value: float, arm: int, verdict: Verdict) -> None:
    assert judged(field, value, EVENTS, row=result(1, arm)).verdict is verdict


@pytest.mark.parametrize(
    ("field", "value", "quote", "row", "reason"),
    [
        ("r_pct", 5, "Mortality: 10% on metformin, 12% on placebo; stroke 5% and 6%.", result(1, 1), "other_outcome"),
        ("r_mean", 7.2, "HbA1c fell from 7.2 to 6.1 with metformin.", result(3, 1, "12 weeks"), "other_time"),
        ("r_mean", 7.0, "On metformin, HbA1c was 7.0 at 4 weeks, 6.1 at 12.", result(3, 1, "12 weeks"), "other_time"),
        ("r_mean", 7.0, "Median HbA1c with metformin was 7.0.", result(3, 1), "other_measure"),
        ("r_sd", 0.3, "Mean (SE) HbA1c with metformin was 7.0 (0.3).", result(3, 1), "other_measure"),
        ("r_sd", 0.3, "HbA1c with metformin was 7.0 ± 0.3 (mean ± standard error).", result(3, 1), "other_measure"),
        ("r_events", 25, "Death from any cause, mortality, was 25% with metformin.", result(1, 1), "other_measure"),
        ("r_pct", 5, "The rate was 5% with metformin.", result(1, 1), "no_subject"),
        ("r_pct", 5, "Mortality was 5%.", result(1, 1), "no_subject"),
    ],
)  # fmt: skip
def test_a_figure_beside_another_subject_is_caught(field: str, value: float, quote: str, row: Row, reason: str) -> None:
    finding = judged(field, value, quote, row=row)
    assert (finding.verdict, finding.reason) == (Verdict.UNBOUND, Reason(reason))


@pytest.mark.parametrize(
    ("field", "value", "quote"),
    [
        ("blind_assessors", "yes", "Outcome assessors were blinded to allocation."),
        ("blind_assessors", "no", "Outcome assessors were not blinded."),
        ("framework", "non_inferiority", "This was a non-inferiority trial."),
        ("design", "parallel", "We did a randomised, parallel-group trial."),
        ("aim", "to test metformin", "The aim was to test metformin."),
        ("funding_source", "Wellcome Trust", "Funded by the Wellcome Trust."),
        ("recruit_start", "2010-03", "Patients were recruited between March 2010 and May 2012."),
        ("recruit_end", "2012-05", "Patients were recruited between March 2010 and May 2012."),
        ("followup_planned", "12 months", "Patients were treated for 6 weeks and followed up for 12 months."),
        ("registration_id", ["NCT01234567"], "The trial is registered (NCT01234567)."),
        ("n_centres", 12, "The study took place in 12 centres in 3 countries."),
    ],
)
def test_words_that_carry_a_value_bind_it(field: str, value: Value, quote: str) -> None:
    finding = judged(field, value, quote)
    assert (finding.verdict, finding.reason) == (Verdict.VERIFIED, None)
    assert finding.value_spans


@pytest.mark.parametrize(
    ("field", "value", "quote", "reason"),
    [
        ("blind_assessors", "no", "Outcome assessors were blinded to allocation.", Reason.OTHER_OPTION),
        ("blind_assessors", "yes", "Outcome assessors were not blinded.", Reason.OTHER_OPTION),
        ("blind_participants", "yes", "Previous trials blinded their patients.", Reason.ELSEWHERE),
        ("framework", "superiority", "This was a non-inferiority trial.", Reason.OTHER_OPTION),
        ("design", "crossover", "Blood was taken at each visit.", Reason.NO_CUE),
        ("conflicts_of_interest", "none declared", "Fictional sample, written to test software", Reason.ECHO),
        ("aim", "Objective/hypothesis in one sentence", "The aim was to test it.", Reason.ECHO),
        ("statistical_model", "model, adjustment variables", "Blood was taken at each visit.", Reason.ECHO),
        ("setting", "not_applicable", "The setting was a hospital.", Reason.STATE),
        ("setting", "two tertiary referral hospitals", "The setting was rural.", Reason.PARAPHRASE),
        ("funding_source", "Blood was taken", "Blood was taken at each visit.", Reason.NO_CUE),
        ("recruit_start", "2012-05", "Patients were recruited between March 2010 and May 2012.", Reason.OTHER_TIME),
        ("followup_planned", "6 weeks", "Treated for 6 weeks and followed up for 12 months.", Reason.OTHER_MEASURE),
        ("n_centres", 3, "The study took place in 12 centres in 3 countries.", Reason.OTHER_MEASURE),
    ],
)  # fmt: skip
def test_a_true_quote_under_another_value_is_unbound(field: str, value: Value, quote: str, reason: Reason) -> None:
    finding = judged(field, value, quote)
    assert (finding.verdict, finding.reason) == (Verdict.UNBOUND, reason)


PAPER = """A trial of metformin

Introduction
Metformin lowers blood sugar. Outcome assessors were blinded in one trial of 40 patients.

Methods
Outcome assessors were blinded. Randomisation was computer generated.

References
1. Smith AB, Jones C. Metformin in adults. Lancet 2004;363:1-9.
"""


def test_the_year_of_a_masthead_is_that_of_the_paper_and_its_other_numbers_are_not() -> None:
    page = "Journal of Trials 2006, 12:34\nReceived 3 May 2005\nA trial of metformin\n"
    years = {2006: "Journal of Trials 2006, 12:34", 12: "Journal of Trials 2006, 12:34", 2005: "Received 3 May 2005"}
    found = {year: judged("publication_year", year, quote, page=page).verdict for year, quote in years.items()}
    assert found[2006] is Verdict.VERIFIED
    assert Verdict.VERIFIED not in {found[12], found[2005]}


def test_sections_that_speak_of_other_papers_verify_nothing() -> None:
    own = judged("blind_assessors", "yes", "Outcome assessors were blinded.", page=PAPER)
    other = judged("blind_assessors", "yes", "Outcome assessors were blinded in one trial of 40 patients.", page=PAPER)
    year = judged("publication_year", 2004, "Lancet 2004;363:1-9", page=PAPER)
    assert (own.reason, other.reason, year.reason) == (None, Reason.ELSEWHERE, Reason.ELSEWHERE)


def test_a_quote_joined_from_two_sentences_proves_nothing_and_shows_both_places() -> None:
    page = "Of 200 patients screened, 120 were eligible. Later, 80 were randomised to metformin."
    finding = judged("n_randomised", 200, "Of 200 patients … were randomised to metformin", page=page)
    assert (finding.verdict, finding.reason) == (Verdict.UNBOUND, Reason.JOINED)
    assert [page[span.start : span.end] for span in finding.spans] == [
        "Of 200 patients",
        "were randomised to metformin",
    ]


# True sentences under values that they do not prove: the kinds of lies that a careless reader tells.
LIES = [
    ("arm_n_randomised", 120, "120 patients were randomised to metformin or placebo.", ARMS[0]),
    ("arm_n_randomised", 62, "They were randomised to metformin (n = 60) or placebo (n = 62).", ARMS[0]),
    ("arm_n_randomised", 80, "Of 80 randomised patients, 78 were treated.", ARMS[0]),
    ("n_randomised", 60, "They were randomised to metformin (30 mg daily; n = 60) or placebo (n = 62).", None),
    ("n_randomised", 274, "Patients were randomised to early (274 patients) or late (277 patients) therapy.", None),
    ("n_randomised", 297, "296 patients were assigned to metformin and 297 patients were assigned to care.", None),
    ("n_randomised", 2012, "Between Dec 22, 2009, and May 12, 2012, we randomly assigned 165 patients.", None),
    ("r_events", 120, "All-cause mortality was 45 (37%) of 120 patients with metformin.", result(1, 1)),
    ("r_events", 120, "There were 45 deaths among 120 patients with metformin; mortality fell.", result(1, 1)),
    ("r_events", 40, "Mortality was 40, 30 and 20 % with metformin, placebo and surgery.", result(1, 1)),
    ("r_mean", 106, "Mortality: 93 deaths occurred with metformin and 106 with placebo.", result(1, 2)),
    ("r_pct", 41, "Mortality was lower with metformin than with placebo (41 vs 73 %).", result(1, 2)),
    ("r_pct", 73, "Mortality was lower with metformin than with placebo (41 vs 73 %).", result(1, 1)),
    ("r_pct", 15, "Compared with placebo, metformin lowered mortality (15 % vs 28 %).", result(1, 2)),
    ("r_pct", 28, "Mortality was 28 % in the no metformin group.", result(1, 1)),
    ("r_pct", 1.4, "Stroke was rare (2.0 %, metformin; 1.4 %, placebo).", result(2, 1)),
    ("r_pct", 18, "Metformin raised mortality to 51 % compared with 18 % for placebo.", result(1, 1)),
    ("r_pct", 39, "Mortality was seen in 40 (75 %) and 19 (39 %) patients with metformin and placebo.", result(1, 1)),
    ("r_sd", 0.3, "HbA1c with metformin was 7.0 (SE 0.3).", result(3, 1)),
]


@pytest.mark.parametrize(("field", "value", "quote", "row"), LIES)
def test_a_true_sentence_under_a_false_value_never_gets_the_mark(
    field: str, value: Value, quote: str, row: Row | None
) -> None:
    assert judged(field, value, quote, row=row).verdict not in {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}


TRUTHS = [
    ("arm_n_randomised", 62, "They were randomised to metformin (n = 60) or placebo (n = 62).", ARMS[1]),
    ("arm_n_randomised", 41, "Of 81 patients, 41 patients received metformin and 40 received placebo.", ARMS[0]),
    ("n_randomised", 669, "Of 669 enrolled, 446 were randomised to metformin and 223 to placebo.", None),
    ("r_pct", 41, "Mortality was lower with metformin than with placebo (41 vs 73 %).", result(1, 1)),
    ("r_pct", 73, "Mortality was lower with metformin than with placebo (41 vs 73 %).", result(1, 2)),
    ("r_pct", 15, "Compared with placebo, metformin lowered mortality (15 % vs 28 %).", result(1, 1)),
    ("r_pct", 28, "Mortality was 28 % in the no metformin group.", result(1, 2)),
    ("r_pct", 1.4, "Stroke was rare (2.0 %, metformin; 1.4 %, placebo).", result(2, 2)),
    ("r_pct", 18, "Metformin raised mortality to 51 % compared with 18 % for placebo.", result(1, 2)),
    ("r_events", 45, "All-cause mortality was 45 (37%) of 120 patients with metformin.", result(1, 1)),
]


@pytest.mark.parametrize(("field", "value", "quote", "row"), TRUTHS)
def test_the_same_sentences_prove_what_they_say(field: str, value: Value, quote: str, row: Row | None) -> None:
    finding = judged(field, value, quote, row=row)
    assert (finding.verdict, finding.reason) == (Verdict.VERIFIED, None)


def test_a_part_of_what_a_field_asks_for_in_full_is_not_marked() -> None:
    text = "One limitation of this study is its small sample."
    answer = Answer(field="limitations", state=State.REPORTED, value=text, quote=text)
    for is_part, expected in ((False, (Verdict.VERIFIED, None)), (True, (Verdict.UNBOUND, Reason.PART))):
        findings, _ = assess(RCT, [text], [], [replace(answer, is_part=is_part)], source="test")
        finding = next(one for one in findings if one.field == "limitations")
        assert (finding.verdict, finding.reason) == expected
