"""Quotes and the places where a document says them: found, refused, and never an error."""
# ruff: noqa: E501, RUF001

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingather.extraction.findings import Span, Verdict
from ingather.extraction.ground import Grounding, Index, Method, ground
from tests.extraction import cases_ground as cases

VERIFIED = {Verdict.VERIFIED}
FUZZY = {Verdict.VERIFIED_FUZZY}
ACCEPTED = VERIFIED | FUZZY
REFUSED = {Verdict.QUOTE_NOT_FOUND, Verdict.NUMBER_MISMATCH, Verdict.POLARITY_MISMATCH}
NUMBER = {Verdict.NUMBER_MISMATCH}
POLARITY = {Verdict.POLARITY_MISMATCH}

ENGLISH = [
    """Efficacy of metformin in adults: a randomised controlled trial
We enrolled 1,248 patients between March 2019 and May 2021 at twelve centres. Overall mortality did not differ signiﬁ-
cantly between groups (12.4% vs 13.1%; P = 0.34). The mean change in systolic blood pressure was −5.2 mmHg
(95% CI −7.9 to −2.5) in the metformin group and 1.3 mmHg in the placebo group.
Patients with no history of stroke were included. There was a notable increase in nausea (n = 124).
The median dose was 10.5 mg per day (IQR 7.5–12.5). Serum cortisol was higher in men than in women at week 12.
The trial was stopped early without evidence of harm. Viral load fell from 3×10⁵ to 2.1×10³ copies/mL.
Treatment was well tolerated and p<0·001 for all comparisons. BMI was 27.3 kg/m2.
Hypotension was seen in 5 10-minute episodes. In total 51 0 mg tablets were counted. Table 1 2 shows doses.
A non-significant trend was found in group B. Insignificant differences were seen. Phase III results are awaited.
The regimen was ineffective in 37 of 90 patients. Followup was 6 months; adherence wasnot assessed in cohort two.
We found that rivaroxaban reduced stroke¹² in trials. Loss to follow-up was low (3/120).  Dose was 1½ tablets.
There were 12. 4 patients withdrew consent later. Severe pain occurred in 0. 05 of cases; women were excluded.
The values were 0.52,0.91 respectively and 1 234 were screened. Neither drug improved survival beyond 30 days.
""",
    """BMJ 2019;364:l123 2
The hazard ratio for death was 0.72 (95% CI 0.58 to 0.89), favouring surgery over medical therapy in the long
BMJ 2019;364:l123 3
""",
    """BMJ 2019;364:l123 3
term, and this effect was consistent across all subgroups at 24 months.
Adverse events were less common with aspirin (8 of 412, 1.9%) than with clopidogrel (21 of 409, 5.1%).
""",
]
CHINESE = [
    """本研究共纳入患者１２４８例，其中治疗组624例，对照组
624例。两组患者年龄差异无统计学意义（P＝0．34）。治疗后，治疗组收缩压
较治疗前降低（12.4±3.1）mmHg，明显低于对照组。治疗组有效率为92．5％，对照组为78.3%，差异有统计学意义
（P＜0.05）。随访12个月，未发现严重不良反应。血清白蛋白水平升高，肌酐水平无明显变化。
①12例患者退出研究，②3例失访。剂量为1，234单位。术前给药者不纳入分析。"""
]
MORTALITY = "Overall mortality did not differ significantly between groups (12.4% vs 13.1%; P = 0.34)"
PRESSURE = "systolic blood pressure was −5.2 mmHg (95% CI −7.9 to −2.5) in the metformin group"
ADVERSE = "Adverse events were less common with aspirin (8 of 412, 1.9%) than with clopidogrel (21 of 409, 5.1%)"

HARD: list[tuple[str, set[Verdict]]] = [
    (MORTALITY, VERIFIED),
    (MORTALITY.upper().replace("%", " %"), VERIFIED),
    (f"“{MORTALITY}.”", VERIFIED),
    (MORTALITY.replace("did not differ", "did differ"), POLARITY),
    (MORTALITY.replace("did not differ", "differed"), REFUSED),
    (MORTALITY.replace("did not", "didn't"), FUZZY),
    (MORTALITY.replace("did not", "not did"), REFUSED),
    (MORTALITY.replace("did not differ", "did not improve"), REFUSED),
    (MORTALITY.replace("significantly ", ""), FUZZY),
    (MORTALITY.replace("mortality", "mortaliyt").replace("between", "betwen"), FUZZY),
    (MORTALITY.replace("13.1", "13.2"), NUMBER),
    (MORTALITY.replace("12.4", "1.24"), NUMBER),
    (MORTALITY.replace("P =", "P <"), NUMBER),
    (MORTALITY.replace("%", ""), NUMBER),
    (MORTALITY.replace("12.4% vs 13.1%", "13.1% vs 12.4%"), NUMBER),
    (MORTALITY.replace("12.4% vs 13.1%; ", ""), NUMBER),
    ("We enrolled 1248 patients between March 2019 and May 2021 at twelve centres", ACCEPTED),
    ("We enrolled 1,248 patients between March 2019 and May 2021 at 12 centres", ACCEPTED),
    ("We enrolled 1,248 patients between March 2019 and May 2021 at ten centres", NUMBER),
    ("We enrolled 1,248 patients between May 2019 and March 2021 at twelve centres", NUMBER),
    ("We enrolled 1.248 patients between March 2019 and May 2021 at twelve centres", NUMBER),
    ("We enrolled 12,48 patients between March 2019 and May 2021 at twelve centres", NUMBER),
    ("We enrolled 1, 248 patients between March 2019 and May 2021 at twelve centres", NUMBER),
    (PRESSURE, VERIFIED),
    (PRESSURE.replace("−", "-"), VERIFIED),
    (PRESSURE.replace("−", "– "), VERIFIED),
    (PRESSURE.replace("−5.2", "5.2"), NUMBER),
    (PRESSURE.replace("−2.5", "2.5"), NUMBER),
    (PRESSURE.replace("5.2 mmHg", "5.2 cmHg"), REFUSED),
    (PRESSURE.replace("−5.2", "−52"), NUMBER),
    (PRESSURE.replace("systolic", "diastolic"), POLARITY),
    ("5.2 mmHg (95% CI −7.9 to −2.5)", NUMBER),
    ("Patients with history of stroke were included", POLARITY),
    ("Patients with no history of stroke were excluded", POLARITY),
    ("There was no table increase in nausea (n = 124)", REFUSED),
    ("There was a notable increase in nausea (n = 12", NUMBER),
    ("n = 12", NUMBER),
    ("n = 124", VERIFIED),
    (".5 mg per day", NUMBER),
    ("dose was 10", NUMBER),
    ("The median dose was 10.5 mg per day (IQR 7.5-12.5)", VERIFIED),
    ("The median dose was 10.5 mg per day (IQR 7.5 12.5)", NUMBER),
    ("The median dose was 10.5 g per day (IQR 7.5–12.5)", NUMBER),
    ("The median dose was 10.5 mg per week (IQR 7.5–12.5)", NUMBER),
    ("Serum cortisol was lower in men than in women at week 12", POLARITY),
    ("Serum cortisol was higher in women than in men at week 12", POLARITY),
    ("The trial was stopped early with evidence of harm", POLARITY),
    ("The trial was stopped early without evidence of benefit", POLARITY),
    ("Viral load fell from 3×10⁵ to 2.1×10³ copies/mL", VERIFIED),
    ("Viral load fell from 3 x 10^5 to 2.1 x 10^3 copies/mL", ACCEPTED),
    ("Viral load fell from 3×105 to 2.1×103 copies/mL", NUMBER),
    ("Viral load rose from 3×10⁵ to 2.1×10³ copies/mL", POLARITY),
    ("well tolerated and p < 0.001 for all comparisons", VERIFIED),
    ("well tolerated and p > 0.001 for all comparisons", NUMBER),
    ("well tolerated and p<0.01 for all comparisons", NUMBER),
    ("BMI was 27.3 kg/m²", VERIFIED),
    ("BMI was 27.3 kg/m³", REFUSED),
    ("Hypotension was seen in 51 0-minute episodes", NUMBER),
    ("Hypotension was seen in 510-minute episodes", NUMBER),
    ("Hypertension was seen in 5 10-minute episodes", POLARITY),
    ("In total 510 mg tablets were counted", NUMBER),
    ("Table 12 shows doses", NUMBER),
    ("A significant trend was found in group B", POLARITY),
    ("significant trend was found in group B", POLARITY),
    ("A nonsignificant trend was found in group B", ACCEPTED),
    ("A non-significant trend was found in group A", REFUSED),
    ("Significant differences were seen", POLARITY),
    ("Phase II results are awaited", NUMBER),
    ("The regimen was effective in 37 of 90 patients", POLARITY),
    ("Follow-up was 6 months; adherence was not assessed in cohort two", ACCEPTED),
    ("Follow-up was 6 months; adherence was assessed in cohort two", POLARITY),
    ("We found that rivaroxaban reduced stroke in trials", ACCEPTED),
    ("We found that rivaroxaban reduced stroke¹³ in trials", NUMBER),
    ("Dose was 1 1/2 tablets", VERIFIED),
    ("Dose was 11/2 tablets", NUMBER),
    ("There were 12.4 patients withdrew consent later", NUMBER),
    ("Severe pain occurred in 0.05 of cases", VERIFIED),
    ("men were excluded", REFUSED),
    ("values were 0.52, 0.91 respectively", VERIFIED),
    ("Either drug improved survival beyond 30 days", POLARITY),
    ("Drug improved survival beyond 30 days", REFUSED),
    (ADVERSE.replace("less", "more"), POLARITY),
    (ADVERSE.replace("aspirin", "X").replace("clopidogrel", "aspirin").replace("X", "clopidogrel"), REFUSED),
    ("Adverse events were less common with aspirin ... than with clopidogrel (21 of 409, 5.1%)", VERIFIED),
    ("Overall mortality did … differ significantly between groups", REFUSED),
    ("The trial was stopped early [...] evidence of harm", POLARITY),
    ("The quick brown fox jumps over the lazy dog", {Verdict.QUOTE_NOT_FOUND}),
]
HARD_CHINESE: list[tuple[str, set[Verdict]]] = [
    ("本研究共纳入患者1248例，其中治疗组624例，对照组624例", VERIFIED),
    ("本研究共纳入患者1284例，其中治疗组624例，对照组624例", NUMBER),
    ("本研究共纳入患者例，其中治疗组624例，对照组624例", NUMBER),
    ("48例，其中治疗组624例", NUMBER),
    ("两组患者年龄差异无统计学意义(P=0.34)", VERIFIED),
    ("两组患者年龄差异有统计学意义（P=0.34）", POLARITY),
    ("两组患者年龄差异无统计学意义（P>0.34）", NUMBER),
    ("治疗组收缩压较治疗前降低（12.4±3.1）mmHg，明显低于对照组", VERIFIED),
    ("治疗组收缩压较治疗前升高（12.4±3.1）mmHg，明显低于对照组", POLARITY),
    ("治疗组收缩压较治疗后降低（12.4±3.1）mmHg，明显低于对照组", POLARITY),
    ("治疗组收缩压较治疗前降低（12.9±3.1）mmHg，明显低于对照组", NUMBER),
    ("对照组收缩压较治疗前降低（12.4±3.1）mmHg，明显低于对照组", REFUSED),
    ("治疗组有效率为92.5%，对照组为78.3%，差异有统计学意义(P<0.05)", VERIFIED),
    ("治疗组有效率为9.25%，对照组为78.3%，差异有统计学意义(P<0.05)", NUMBER),
    ("随访１２个月，未发现严重不良反应。", VERIFIED),
    ("随访12个月，发现严重不良反应", POLARITY),
    ("随访2个月，未发现严重不良反应", NUMBER),
    ("血清白蛋白水平升高，肌酐水平有明显变化", POLARITY),
    ("12例患者退出研究", VERIFIED),
    ("112例患者退出研究", REFUSED),
    ("剂量为1234单位", REFUSED),
    ("术前给药者纳入分析", POLARITY),
    ("术后给药者不纳入分析", POLARITY),
]


MORE = [
    """Randomisation was computer generated and allocation was concealed. Neither participants nor assessors were blinded.
The primary outcome was all-cause mortality at 28 days. COVID-19 patients were eligible if SpO2 was <94% on room air.
IL-6 levels increased from 12.1 to 15.3 pg/mL (P=0.02), whereas CRP did not change (P = 0.75).
Median (IQR) age was 54 (45-63) years; 60% were male. HbA1c fell by 1.2% (13 mmol/mol) in group A and 0.4% in group B.
We could not exclude a clinically important difference. Vitamin B12 deficiency was uncommon. The drug was unable to prevent relapse.
There is no evidence that aspirin reduces mortality. Only 12 of 60 patients completed follow-up.
Of 200 patients, 100 were assigned to surgery and 100 to usual care. In 2019, 12 centres took part; 1,012 women were screened.
Between-group difference: 3.4 kg (95% CI: 1.2-5.6). Systolic pressure ≥140 mmHg and/or diastolic pressure ≥ 90 mmHg.
Fig. 2. Kaplan–Meier curves. Treatment was discontinued in 5 (4.2%) patients. The odds ratio was 0.45 (0.21, 0.96).
The intervention was not inferior to usual care. Pain was reduced, but not abolished, by morphine.
The tablet contained 500 mg of paracetamol and 65 mg of caffeine. Sensitivity was 0.91 and specificity 0.87.
Patients taking anticoagulants were excluded. Pre-treatment scores were similar. In-hospital death occurred in 3.0%.
Some authors report that the risk is not higher in smokers. The authors declare no conflict of interest.
Adults aged 18-65 years were recruited. Mean follow-up 2.5 years. p-values below 0.05 were considered significant.
Table 2 Baseline characteristics
Age, years 54.2 (10.1) 53.8 (9.9)
Male, n (%) 61 (60.4) 59 (59.0)
Smoker, n (%) 21 (20.8) 24 (24.0)
Weight (kg) −2.1 −0.3
""",
    """The risk ratio was 1.05 (0.98 to 1.12); there was no signi cant heterogeneity (I2 = 0%). The e ect was small.
Results were not affected by age or sex. We did not find that patients who were treated did better than controls.""",
]
TRUE_OF_MORE = [
    "COVID-19 patients were eligible if SpO2 was <94% on room air",
    "COVID-19 patients were eligible if SpO₂ was < 94 % on room air",
    "Median (IQR) age was 54 (45–63) years; 60% were male",
    "HbA1c fell by 1.2% (13 mmol/mol) in group A and 0.4% in group B",
    "Vitamin B12 deficiency was uncommon",
    "aspirin reduces mortality",
    "12 of 60 patients completed follow-up",
    "Only 12 of 60 patients completed followup",
    "In 2019, 12 centres took part; 1012 women were screened",
    "In 2019,12 centres took part; 1,012 women were screened",
    "In 2019 12 centres took part; 1,012 women were screened",
    "Between-group difference: 3.4 kg (95% CI: 1.2-5.6)",
    "Between-group difference: 3.4 kg (95% CI: 1.2 - 5.6)",
    "Systolic pressure >=140 mmHg and/or diastolic pressure >= 90 mmHg",
    "The odds ratio was 0.45 (0.21,0.96)",
    "The tablet contained 500mg of paracetamol and 65mg of caffeine",
    "Pretreatment scores were similar",
    "Adults aged 18–65 years were recruited",
    "Male, n (%) | 61 (60.4) | 59 (59.0)",
    "Weight (kg) −2.1 −0.3",
    "Age, years 54.2 (10.1) 53.8 (9.9) Male, n (%) 61 (60.4)",
    "there was no significant heterogeneity (I² = 0%)",
    "The effect was small",
    "The risk ratio was 1.05 (0.98 to 1.12); there was no significant heterogeneity (I2 = 0%). The effect was small. Results were not affected by age or sex.",
    "Randomization was computer generated and allocation was concealed",
    "The primary outcome was all-cause mortality at 28 days",
]
FALSE_OF_MORE = [
    "19 patients were eligible if SpO2 was <94% on room air",
    "COVID-19 patients were eligible if SpO2 was >94% on room air",
    "COVID-19 patients were eligible if SpO2 was 94% on room air",
    "COVID-19 patients were ineligible if SpO2 was <94% on room air",
    "6 levels increased from 12.1 to 15.3 pg/mL",
    "IL-6 levels decreased from 12.1 to 15.3 pg/mL (P=0.02)",
    "IL-6 levels increased from 15.3 to 12.1 pg/mL (P=0.02)",
    "IL-8 levels increased from 12.1 to 15.3 pg/mL (P=0.02)",
    "IL-6 levels increased from 12.1 to 15.3 ng/mL (P=0.02)",
    "whereas CRP did change (P = 0.75)",
    "whereas IL-6 did not change (P = 0.75)",
    "Median (IQR) age was 54 (45 to 63) years; 60% were male",
    "Median (IQR) age was 54 (45-63) years; 60% were female",
    "Median (IQR) age was 54 (45-63) years; 40% were male",
    "HbA1c fell by 1.2% (13 mmol/mol) in group B and 0.4% in group A",
    "HbA1c rose by 1.2% (13 mmol/mol) in group A and 0.4% in group B",
    "HbA1c fell by 1.2% (13 mmol/L) in group A and 0.4% in group B",
    "We could exclude a clinically important difference",
    "We could not include a clinically important difference",
    "Vitamin B12 deficiency was common",
    "12 deficiency was uncommon",
    "The drug was able to prevent relapse",
    "There is evidence that aspirin reduces mortality",
    "There is no evidence that aspirin increases mortality",
    "Of 200 patients, 100 were assigned to usual care and 100 to surgery",
    "In 201,912 centres took part; 1,012 women were screened",
    "In 2019, 12 centres took part; 1,012 men were screened",
    "Between-group difference: 3.4 kg (95% CI: -1.2-5.6)",
    "Between-group difference: 3.4 kg (90% CI: 1.2-5.6)",
    "Between-group difference: 34 kg (95% CI: 1.2-5.6)",
    "Within-group difference: 3.4 kg (95% CI: 1.2-5.6)",
    "Systolic pressure >140 mmHg and/or diastolic pressure ≥ 90 mmHg",
    "Systolic pressure ≤140 mmHg and/or diastolic pressure ≥ 90 mmHg",
    "Treatment was continued in 5 (4.2%) patients",
    "Treatment was discontinued in 5 (42%) patients",
    "Treatment was discontinued in 4.2% (5) patients",
    "The odds ratio was 0.45 (0.21-0.96)",
    "The odds ratio was 0.45 (-0.21, 0.96)",
    "The intervention was inferior to usual care",
    "The intervention was not superior to usual care",
    "Pain was reduced, but abolished, by morphine",
    "Pain was not reduced, but abolished, by morphine",
    "The tablet contained 500 mg of caffeine and 65 mg of paracetamol",
    "The tablet contained 500 g of paracetamol and 65 mg of caffeine",
    "Sensitivity was 0.87 and specificity 0.91",
    "Specificity was 0.91 and sensitivity 0.87",
    "Patients taking coagulants were excluded",
    "Patients taking anticoagulants were included",
    "treatment scores were similar",
    "Post-treatment scores were similar",
    "Out-of-hospital death occurred in 3.0%",
    "In-hospital death occurred in 30%",
    "In-hospital death occurred in 3%",
    "the risk is higher in smokers",
    "the risk is not higher in non-smokers",
    "the risk is not lower in smokers",
    "The authors declare conflict of interest",
    "The authors declare a conflict of interest",
    "Adults aged 1865 years were recruited",
    "Adults aged 18-56 years were recruited",
    "Mean follow-up 25 years",
    "Mean follow-up 2.5 months",
    "p-values above 0.05 were considered significant",
    "p-values below 0.05 were considered insignificant",
    "p-values below 0.05 were not considered significant",
    "Male, n (%) 59 (59.0) 61 (60.4)",
    "Female, n (%) 61 (60.4) 59 (59.0)",
    "Weight (kg) 2.1 0.3",
    "Weight (kg) −2.1 0.3",
    "there was significant heterogeneity (I2 = 0%)",
    "Results were affected by age or sex",
    "Results were not affected by age and sex",
    "We did find that patients who were treated did better than controls",
    "We did not find that patients who were treated did worse than controls",
    "patients who were not treated did better than controls",
    "patients who were untreated did better than controls",
    "Neither participants nor assessors were unblinded",
    "Participants and assessors were blinded",
    "allocation was not concealed",
    "allocation was unconcealed",
    "The secondary outcome was all-cause mortality at 28 days",
    "The primary outcome was all-cause mortality at 28 weeks",
    "The primary outcome was all-cause mortality at 2.8 days",
    "The primary outcome was cardiovascular mortality at 28 days",
    "The primary outcome was all-cause mortality at day 28",
    "COVID 19 patients were eligible if SpO2 was <94% on room air",
]


def quoted(pages: list[str], found: Grounding) -> list[str]:
    return [pages[span.page][span.start : span.end] for span in found.spans]


@pytest.mark.parametrize(("quote", "verdicts"), HARD)
def test_hard_quotes_get_the_verdict_that_a_careful_reader_would_give(quote: str, verdicts: set[Verdict]) -> None:
    assert ground(quote, ENGLISH).verdict in verdicts


@pytest.mark.parametrize(("quote", "verdicts"), HARD_CHINESE)
def test_hard_chinese_quotes_get_the_verdict_that_a_careful_reader_would_give(
    quote: str, verdicts: set[Verdict]
) -> None:
    assert ground(quote, CHINESE).verdict in verdicts


@pytest.mark.parametrize("quote", TRUE_OF_MORE)
def test_quotes_that_say_what_the_text_says_are_accepted(quote: str) -> None:
    assert ground(quote, MORE).verdict in ACCEPTED


@pytest.mark.parametrize("quote", FALSE_OF_MORE)
def test_quotes_that_say_something_else_are_refused(quote: str) -> None:
    assert ground(quote, MORE).verdict in REFUSED


def test_a_negation_cut_off_before_a_quote_is_only_seen_where_the_quote_is_not_exact() -> None:
    """A known limit: an exact copy is taken as it is, wherever it begins."""
    assert ground("aspirin reduces mortality", MORE).verdict is Verdict.VERIFIED
    assert ground("evidence that aspirin reduces mortality", MORE).verdict is Verdict.VERIFIED
    assert ground("Evidence that aspirin reduces mortality", MORE).verdict is Verdict.POLARITY_MISMATCH


@pytest.mark.parametrize("quote", ["", " ", "\n\t\u3000", '""', "\u00a0"])
def test_a_blank_quote_is_no_quote(quote: str) -> None:
    assert ground(quote, ENGLISH) == Grounding(verdict=Verdict.NO_QUOTE)


def test_each_step_says_how_it_found_the_quote() -> None:
    pages = ["The treat-\nment was given to 45 men (mean age = 54.2 years) without any delay at the clinic."]
    methods = {
        "given to 45 men": Method.EXACT,
        "The treatment was given to 45 men": Method.NORMALISED,
        "45 men(mean age=54.2 years)": Method.SQUASHED,
        "The treatment was given ... without any delay": Method.SPLIT,
        "The treatmnt was given to 45 men (mean age = 54.2 years)": Method.FUZZY,
    }
    assert {quote: ground(quote, pages).method for quote in methods} == methods


def test_a_mismatch_shows_the_nearest_place() -> None:
    assert quoted(ENGLISH, ground("n = 12", ENGLISH)) == ["n = 124"]
    found = ground("Patients with history of stroke were included", ENGLISH)
    assert quoted(ENGLISH, found) == ["Patients with no history of stroke were included"]


def test_a_quote_over_a_page_break_has_a_span_on_each_page_and_none_on_the_running_heads() -> None:
    quote = "favouring surgery over medical therapy in the long term, and this effect was consistent"
    found = ground(quote, ENGLISH)
    assert found.verdict in ACCEPTED
    assert [span.page for span in found.spans] == [1, 2]
    assert quoted(ENGLISH, found) == [
        "favouring surgery over medical therapy in the long",
        "term, and this effect was consistent",
    ]


def test_a_word_may_be_cut_by_a_page_break() -> None:
    found = ground("the treatment of adults", ["We describe the treat-", "ment of adults."])
    assert found.spans == (Span(page=0, start=12, end=21), Span(page=1, start=0, end=14))


def test_the_parts_of_a_quote_with_an_ellipsis_have_a_span_each() -> None:
    found = ground("We enrolled 1,248 patients … at twelve centres", ENGLISH)
    assert found.verdict is Verdict.VERIFIED
    assert quoted(ENGLISH, found) == ["We enrolled 1,248 patients", "at twelve centres"]


@pytest.mark.parametrize(
    "quote",
    [
        "We enrolled 1,248 patients … Neither drug improved survival",
        "Neither drug improved survival … We enrolled 1,248 patients",
        "Treatment was well tolerated … BMI was 27.3 kg/m2",
    ],
)
def test_parts_of_several_sentences_are_shown_as_joined_with_all_their_places(quote: str) -> None:
    found = ground(quote, ENGLISH)
    assert (found.verdict, found.is_joined, len(found.spans)) == (Verdict.UNBOUND, True, 2)


KINDS = [
    """The median survival was 12.3 months (SE 1.4) and the mean dose 5.2 mg. The odds ratio was 0.71 and the HR 0.66.
Patients received prednisolone and nitrate tablets. Infarction of the ileum was rare; mediation analysis was planned.
The mean (SD) age was 54 (10). Adherence was assessed as described previously.12 We used a scale [13,14] for pain.
Pain was rated daily[3-5] and the placebo,15 which was identical, was given for 12 weeks to each group 4 times.""",
    """主要结局为治疗12周后的疼痛评分，次要结局为随访6个月的生活质量。患者年龄18～65岁，住院7天。中位数为5.2，均数为6.1。""",
]


@pytest.mark.parametrize(
    "quote",
    [
        "The mean survival was 12.3 months (SE 1.4)",
        "The median survival was 12.3 months (SD 1.4)",
        "The survival was 12.3 months (SE 1.4)",
        "and the median dose 5.2 mg",
        "The hazard ratio was 0.71 and the HR 0.66",
        "The risk ratio was 0.71 and the HR 0.66",
        "The odds ratio was 0.71 and the OR 0.66",
        "Patients received prednisone and nitrate tablets",
        "Patients received prednisolone and nitrite tablets",
        "Infarction of the ilium was rare",
        "Infraction of the ileum was rare",
        "mediation analyses were planned; medication analysis was planned",
        "medication analysis was planned",
        "The mean (SE) age was 54 (10)",
        "主要结局为治疗12月后的疼痛评分",
        "主要结局为治疗12天后的疼痛评分",
        "次要结局为治疗12周后的疼痛评分",
        "主要结局为随访6个月的生活质量",
        "次要结局为随访6个周的生活质量",
        "患者年龄18～65天，住院7天",
        "患者年龄18～65岁，住院7周",
        "患者年龄18～65岁，住院7岁",
        "均数为5.2，均数为6.1",
        "主要结局为治疗12周后的疼痛评分，结局为随访6个月的生活质量",
        "for 12 weeks to each group times",
    ],
)
def test_no_word_passes_as_a_misspelling_of_another(quote: str) -> None:
    assert ground(quote, KINDS).verdict in REFUSED


@pytest.mark.parametrize(
    "quote",
    [
        "Adherence was assessed as described previously. We used a scale",
        "Adherence was assessed as described previously",
        "We used a scale for pain. Pain was rated daily and the placebo",
        "Pain was rated daily and the placebo, which was identical",
        "We used a scale [13,14] for pain",
        "mediaiton analysis was plannned",
        "主要结局为治疗12周后疼痛评分",
    ],
)
def test_a_citation_or_a_letter_left_out_is_no_lie(quote: str) -> None:
    assert ground(quote, KINDS).verdict in ACCEPTED


def test_of_several_places_the_one_on_the_models_page_comes_first() -> None:
    pages = ["There were 45 men.", "Nothing here.", "There were 45 men.", "There  were\n45 men."]
    assert ground("There were 45 men", pages, 2).spans == (Span(page=2, start=0, end=17),)
    found = ground("There were 45 men", pages, 3)
    assert found.spans == (Span(page=3, start=0, end=18),)
    assert {place[0].page for place in found.alternatives} == {0, 2}


@pytest.mark.parametrize("page", [-5, 0, 3, 10**9, None])
def test_a_wrong_page_is_only_a_wrong_hint(page: int | None) -> None:
    assert ground("Neither drug improved survival", ENGLISH, page).verdict is Verdict.VERIFIED


def test_an_index_gives_the_same_answers_as_the_pages() -> None:
    index = Index(ENGLISH)
    for quote, _ in HARD:
        assert ground(quote, index) == ground(quote, ENGLISH)


@pytest.mark.parametrize("pages", [[], [""], ["", "\n", ""], ["\x00"], ["\ud800"]])
def test_documents_without_text_hold_no_quote(pages: list[str]) -> None:
    assert ground("There were 45 men in the study", pages, 0).verdict is Verdict.QUOTE_NOT_FOUND


@pytest.mark.parametrize(
    "quote",
    [
        "\x00",
        "\ud800 lone \udfff",
        r"(?P<x>[a-z]+)*$ \1 [[[",
        "a" * 1_000_000,
        "mortality was 12.4 … " * 50_000,
        "12" * 50_000,
        "(" * 10_000,
        "no not " * 2_000,
        "...",
        "…",
        "-",
        "%",
        "²",
        "\u0338",
    ],
    ids=lambda quote: repr(quote[:12]),
)
def test_no_quote_is_too_strange(quote: str) -> None:
    assert ground(quote, ENGLISH).verdict not in ACCEPTED or quote.strip() in "\n".join(ENGLISH)


# Generated cases: see cases_ground.py, which prints the same figures in a table.


@pytest.fixture(scope="module")
def english() -> list[cases.Report]:
    return [cases.report(seed, pages=4) for seed in range(40, 48)]


@pytest.fixture(scope="module")
def chinese() -> list[cases.Report]:
    return [cases.report(seed, pages=4, is_chinese=True) for seed in range(140, 146)]


@pytest.fixture(scope="module")
def indexes() -> dict[int, Index]:
    return {}


def test_honest_quotes_are_found_where_they_stand(english: list[cases.Report], indexes: dict[int, Index]) -> None:
    scores = cases.score(cases.honest_cases(english[:2]), indexes)
    assert set(scores) == {"verbatim", *cases.HONEST}
    assert {name: s.right / s.cases for name, s in scores.items() if s.right < 0.95 * s.cases} == {}


def test_honest_chinese_quotes_are_found_where_they_stand(
    chinese: list[cases.Report], indexes: dict[int, Index]
) -> None:
    scores = cases.score(cases.honest_cases(chinese[:3], is_chinese=True), indexes)
    assert set(scores) == {"Chinese, verbatim", *cases.HONEST_ZH}
    assert {name: s.right / s.cases for name, s in scores.items() if s.right < 0.95 * s.cases} == {}


def test_no_quote_with_a_lie_in_it_is_accepted(
    english: list[cases.Report], chinese: list[cases.Report], indexes: dict[int, Index]
) -> None:
    scores = cases.score(cases.dishonest_cases(english), indexes)
    scores |= cases.score(cases.dishonest_cases(chinese, is_chinese=True), indexes)
    made = {name: sum(s.cases for variant, s in scores.items() if variant.startswith(name)) for name in cases.DISHONEST}
    assert made["ONE DIGIT CHANGED"] >= 1_000
    assert made["NEGATION OR CONTRAST FLIPPED"] >= 1_000
    assert {name: s.accepted for name, s in scores.items() if s.accepted} == {}


def test_quotes_of_another_paper_are_not_found(english: list[cases.Report], indexes: dict[int, Index]) -> None:
    scores = cases.score(cases.foreign_cases(english[:3]), indexes)
    assert [(s.cases > 250, s.accepted) for s in scores.values()] == [(True, 0)]


# Properties.

TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from("abn no t12.,-–−%<>=±/ \n()'\"…ﬁ²½①\u00ad\u200b\u0338未无有例"),
        st.characters(),
    ),
    max_size=60,
)


@settings(max_examples=400, deadline=None)
@given(TEXT, st.lists(TEXT, max_size=4), st.one_of(st.none(), st.integers()))
@example("0", ["0"], None)
@example("a…b", ["a", "b"], 1)
def test_grounding_never_fails_and_its_spans_are_in_the_pages(quote: str, pages: list[str], page: int | None) -> None:
    found = ground(quote, pages, page)
    for span in (*found.spans, *(span for place in found.alternatives for span in place)):
        assert 0 <= span.start < span.end <= len(pages[span.page])
    if found.verdict in ACCEPTED:
        assert found.spans


PIECES = re.compile(r"\S+")


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 30), st.booleans(), st.data())
def test_words_copied_from_a_page_are_verified_where_the_text_is_equal(
    seed: int, is_plain: bool, data: st.DataObject
) -> None:
    made = cases.report(seed, pages=2, sentences_a_page=4)
    pages = [" ".join(s.text for s in made.sentences if s.page == n) for n in range(2)] if is_plain else [*made.pages]
    page = data.draw(st.integers(0, 1))
    pieces = [piece for piece in PIECES.finditer(pages[page]) if not piece[0].endswith("-")]
    first = data.draw(st.integers(0, len(pieces) - 1))
    last = data.draw(st.integers(first, len(pieces) - 1))
    start, end = pieces[first].start(), pieces[last].end()
    if re.search(r"-\s*$", pages[page][:start]):
        return
    quote = pages[page][start:end]
    if not quote.strip(" \"“”'*•"):
        return
    found = ground(quote, pages, page)
    assert found.verdict is Verdict.VERIFIED
    inside = " ".join(quoted(pages, found))
    assert inside.strip("“”") == quote.strip("“”")
