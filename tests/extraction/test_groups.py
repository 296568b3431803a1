"""A figure and the groups of its sentence: true and false bindings in sentences of our own."""

# ruff: noqa: E501, RUF001
import pytest

from ingather.extraction.findings import Answer, Row, State, Value, Verdict
from ingather.extraction.proof.assess import assess_answers
from ingather.extraction.template import load_builtin_template

RCT = load_builtin_template("rct")
Binding = tuple[str, Value, int, int]  # a field, a value, the place of the arm, the place of the outcome; -1 for none
# Arms, outcomes, a sentence, what it proves, and what it does not.
SENTENCES: list[tuple[list[str], list[str], str, list[Binding], list[Binding]]] = [
    (
        ["laparoscopic repair", "open repair"],
        ["wound infection", "hernia recurrence"],
        "Wound infection developed in 4 of 88 patients (4.5%) after laparoscopic repair and in 11 of 91 (12.1%) after open repair.",
        [("r_pct", 4.5, 0, 0), ("r_pct", 12.1, 1, 0), ("r_events", 4, 0, 0)],
        [("r_pct", 12.1, 0, 0), ("r_events", 11, 0, 0), ("r_events", 88, 0, 0)],
    ),
    (
        ["laparoscopic repair", "open repair"],
        ["operating time"],
        "Mean operating time was 62 (SD 14) min in the laparoscopic group versus 48 (SD 11) min in the open group.",
        [("r_mean", 62, 0, 0), ("r_mean", 48, 1, 0), ("r_sd", 14, 0, 0)],
        [("r_mean", 48, 0, 0), ("r_sd", 11, 0, 0), ("r_mean", 14, 0, 0)],
    ),
    (
        ["escitalopram", "placebo"],
        ["remission"],
        "Remission was reached by 41% of those on escitalopram compared with 27% of those on placebo.",
        [("r_pct", 41, 0, 0), ("r_pct", 27, 1, 0)],
        [("r_pct", 27, 0, 0)],
    ),
    (
        ["cognitive behavioural therapy", "waiting list"],
        ["HAM-D score"],
        "HAM-D scores fell to 9.8 in the CBT arm and 14.1 in the waiting-list arm at 12 weeks.",
        [("r_mean", 9.8, 0, 0)],
        [("r_mean", 14.1, 0, 0)],
    ),
    (
        ["cognitive behavioural therapy", "waiting list"],
        ["dropout"],
        "Dropout was higher with cognitive behavioural therapy than on the waiting list (22% v 9%).",
        [("r_pct", 22, 0, 0), ("r_pct", 9, 1, 0)],
        [("r_pct", 9, 0, 0)],
    ),
    (
        ["bed nets", "no nets"],
        ["malaria episodes"],
        "In intervention villages 310 children had malaria episodes, against 502 in control villages.",
        [],
        [("r_events", 502, 0, 0)],
    ),
    (
        ["salbutamol", "formoterol"],
        ["FEV1"],
        "In random order, FEV1 rose by 0.21 L after salbutamol and by 0.34 L after formoterol.",
        [("r_mean", 0.21, 0, 0)],
        [("r_mean", 0.34, 0, 0)],
    ),
    (
        ["warfarin", "apixaban"],
        ["major bleeding", "stroke"],
        "Major bleeding occurred in 3.1% and 2.1%, and stroke in 1.6% and 1.3%, of the warfarin and apixaban groups, respectively.",
        [("r_pct", 3.1, 0, 0), ("r_pct", 2.1, 1, 0), ("r_pct", 1.6, 0, 1)],
        [("r_pct", 1.6, 0, 0), ("r_pct", 3.1, 0, 1), ("r_pct", 2.1, 0, 0)],
    ),
    (
        ["warfarin", "apixaban"],
        ["major bleeding"],
        "A total of 900 patients were randomly assigned to warfarin (n = 448) or apixaban (n = 452).",
        [("n_randomised", 900, -1, -1), ("arm_n_randomised", 448, 0, -1)],
        [("arm_n_randomised", 452, 0, -1), ("n_randomised", 448, -1, -1), ("arm_n_randomised", 900, 1, -1)],
    ),
    (
        ["ketamine", "midazolam"],
        ["response"],
        "Compared with midazolam, ketamine produced more responses (64% vs 28%).",
        [("r_pct", 64, 0, 0)],
        [("r_pct", 64, 1, 0)],
    ),
    (
        ["yoga", "stretching"],
        ["pain score"],
        "Pain scores were 3.2 ± 1.1 and 4.0 ± 1.3 in the yoga and stretching groups.",
        [("r_mean", 3.2, 0, 0), ("r_mean", 4.0, 1, 0)],
        [("r_sd", 1.1, 0, 0), ("r_mean", 4.0, 0, 0), ("r_mean", 1.1, 0, 0)],
    ),
    (
        ["statin users", "non-users"],
        ["pneumonia"],
        "During follow-up pneumonia was diagnosed in 112 statin users and 140 non-users.",
        [],
        [("r_events", 140, 0, 0)],
    ),
    (
        ["drug-eluting stent", "bare-metal stent"],
        ["restenosis", "death"],
        "Restenosis was seen in 9.1% with the drug-eluting stent, while death occurred in 2.4% with it.",
        [("r_pct", 9.1, 0, 0)],
        [("r_pct", 2.4, 0, 0)],
    ),
    (
        ["drug-eluting stent", "bare-metal stent"],
        ["restenosis"],
        "The hazard ratio for restenosis with the drug-eluting stent was 0.48 (95% CI 0.31 to 0.74; 9.1% v 18.0% with the bare-metal stent).",
        [],
        [("r_pct", 95, 0, 0), ("r_pct", 18.0, 0, 0)],
    ),
    (
        ["olanzapine", "haloperidol"],
        ["weight gain"],
        "Median weight gain was 4.5 kg (IQR 2.0-7.1) for olanzapine and 0.9 kg (IQR -0.5-2.2) for haloperidol.",
        [("r_median", 4.5, 0, 0)],
        [("r_median", 0.9, 0, 0), ("r_mean", 4.5, 0, 0), ("r_median", 2.0, 0, 0)],
    ),
    (
        ["针刺组", "对照组"],
        ["总有效率"],
        "针刺组总有效率为93.3%，对照组为76.7%。",
        [("r_pct", 93.3, 0, 0), ("r_pct", 76.7, 1, 0)],
        [("r_pct", 76.7, 0, 0)],
    ),
    (
        ["治疗组", "对照组"],
        ["不良反应"],
        "治疗组和对照组不良反应发生率分别为5.0%和11.7%。",
        [("r_pct", 5.0, 0, 0)],
        [("r_pct", 11.7, 0, 0)],
    ),
    (
        ["治疗组", "对照组"],
        ["收缩压"],
        "治疗后治疗组收缩压为(128.4±9.2)mmHg，低于对照组的(137.5±10.1)mmHg。",
        [("r_mean", 128.4, 0, 0)],
        [("r_mean", 137.5, 0, 0), ("r_sd", 9.2, 0, 0), ("r_mean", 9.2, 0, 0)],
    ),
    (
        ["治疗组", "对照组"],
        ["总有效率"],
        "将120例患者随机分为治疗组62例和对照组58例。",
        [("arm_n_randomised", 62, 0, -1)],
        [("arm_n_randomised", 58, 0, -1), ("n_randomised", 62, -1, -1)],
    ),
    (
        ["group A", "group B"],
        ["stone-free rate"],
        "The stone-free rate was 84% in groups A and 79% in B.",
        [],
        [("r_pct", 79, 0, 0)],
    ),
    (
        ["tranexamic acid", "saline"],
        ["blood loss"],
        "Blood loss was lower (312 ml v 455 ml) with tranexamic acid than with saline.",
        [],
        [("r_mean", 455, 0, 0)],
    ),
    (
        ["vitamin D", "placebo"],
        ["falls"],
        "Vitamin D did not reduce falls: 58 fallers of 120, against 55 of 118 with placebo.",
        [("r_events", 55, 1, 0)],
        [("r_events", 55, 0, 0)],
    ),
    (
        ["exercise", "usual care"],
        ["depression"],
        "Neither depression (12% v 15%) nor anxiety (20% v 22%) differed between exercise and usual care.",
        [("r_pct", 12, 0, 0)],
        [("r_pct", 20, 0, 0), ("r_pct", 15, 0, 0)],
    ),
    (
        ["early surgery", "late surgery"],
        ["death"],
        "Death within 30 days: early surgery, 6 (5%); late surgery, 13 (11%).",
        [("r_events", 6, 0, 0), ("r_pct", 11, 1, 0)],
        [("r_events", 13, 0, 0), ("r_pct", 5, 1, 0)],
    ),
    (
        ["early surgery", "late surgery"],
        ["death"],
        "Six patients died after early surgery and thirteen after late surgery.",
        [("r_events", 6, 0, 0), ("r_events", 13, 1, 0)],
        [("r_events", 13, 0, 0)],
    ),
    (
        ["dose 10 mg", "dose 20 mg"],
        ["response"],
        "Response rates were 33% with 10 mg and 47% with 20 mg.",
        [("r_pct", 33, 0, 0)],
        [("r_pct", 47, 0, 0)],
    ),
    (
        ["infliximab", "adalimumab", "placebo"],
        ["remission"],
        "Remission rates for infliximab, adalimumab and placebo were 39%, 33% and 14%, respectively.",
        [("r_pct", 39, 0, 0), ("r_pct", 33, 1, 0), ("r_pct", 14, 2, 0)],
        [("r_pct", 33, 0, 0), ("r_pct", 14, 1, 0)],
    ),
    (
        ["infliximab", "adalimumab", "placebo"],
        ["remission"],
        "Remission was more common with infliximab (39%) and adalimumab (33%) than with placebo (14%).",
        [("r_pct", 39, 0, 0), ("r_pct", 33, 1, 0), ("r_pct", 14, 2, 0)],
        [("r_pct", 14, 0, 0), ("r_pct", 39, 1, 0)],
    ),
    (
        ["intervention", "control"],
        ["vaccination coverage"],
        "Coverage of vaccination in the 12 intervention clusters was 81%; in the 12 control clusters it was 64%.",
        [("r_pct", 81, 0, 0)],
        [("r_pct", 64, 0, 0), ("r_events", 12, 0, 0)],
    ),
    (
        ["metformin", "insulin"],
        ["birth weight"],
        "Birth weight did not differ (3412 g [SD 512] v 3398 g [SD 533]) between metformin and insulin.",
        [("r_mean", 3412, 0, 0), ("r_sd", 533, 1, 0)],
        [("r_mean", 3398, 0, 0), ("r_sd", 533, 0, 0)],
    ),
    (
        ["nivolumab", "docetaxel"],
        ["overall survival"],
        "Median overall survival was 9.2 months (95% CI, 7.3 to 13.3) with nivolumab versus 6.0 months (95% CI, 5.1 to 7.3) with docetaxel.",
        [("r_median", 9.2, 0, 0), ("r_median", 6.0, 1, 0)],
        [("r_median", 6.0, 0, 0), ("r_median", 7.3, 0, 0)],
    ),
    (
        ["nivolumab", "docetaxel"],
        ["overall survival", "response"],
        "At 1 year, the overall survival rate was 42% with nivolumab versus 24% with docetaxel, and the response rate was 20% versus 9%.",
        [("r_pct", 42, 0, 0), ("r_pct", 20, 0, 1)],
        [("r_pct", 24, 0, 0), ("r_pct", 9, 0, 1), ("r_pct", 20, 0, 0)],
    ),
    (
        ["home visits", "standard care"],
        ["readmission"],
        "Readmission fell from 31% to 18% with home visits but stayed at 30% with standard care.",
        [],
        [("r_pct", 30, 0, 0)],
    ),
    (
        ["aspirin", "no aspirin"],
        ["preeclampsia"],
        "Preeclampsia occurred in 13 of 798 women given aspirin and in 35 of 822 given none.",
        [],
        [("r_events", 35, 0, 0), ("r_n", 822, 0, 0)],
    ),
    (
        ["mindfulness", "relaxation"],
        ["PSS score"],
        "The mindfulness group scored 15.1 (SE 0.8) on the PSS, the relaxation group 18.3 (SE 0.9).",
        [],
        [("r_sd", 0.8, 0, 0), ("r_se", 0.9, 0, 0)],
    ),
    (
        ["stapled", "hand-sewn"],
        ["anastomotic leak"],
        "Leak of the anastomosis: 7/140 stapled, 9/138 hand-sewn.",
        [("r_events", 7, 0, 0)],
        [("r_events", 9, 0, 0)],
    ),
    (
        ["lithium", "lamotrigine"],
        ["relapse"],
        "Relapse was half as common on lithium (15 of 60) as on lamotrigine (31 of 61).",
        [("r_events", 15, 0, 0)],
        [("r_events", 31, 0, 0), ("r_events", 60, 0, 0)],
    ),
    (
        ["ECT", "sham ECT"],
        ["response"],
        "Of the 34 patients who received ECT, 20 responded; of the 33 who received sham ECT, 8 did.",
        [("r_events", 20, 0, 0)],
        [("r_events", 8, 0, 0), ("r_events", 33, 1, 0)],
    ),
    (
        ["probiotic", "placebo"],
        ["diarrhoea"],
        "Diarrhoea lasted 2.1 days less with the probiotic than with placebo.",
        [],
        [("r_mean", 2.1, 0, 0), ("r_mean", 2.1, 1, 0)],
    ),
    (
        ["single-dose", "multiple-dose"],
        ["infection"],
        "Infection rates (single-dose 2.2%, multiple-dose 1.9%) were alike.",
        [("r_pct", 2.2, 0, 0), ("r_pct", 1.9, 1, 0)],
        [("r_pct", 1.9, 0, 0)],
    ),
]


def verdict_of(arms: list[str], outcomes: list[str], quote: str, binding: Binding) -> Verdict:
    """What the checks say of one value of a sentence that is the whole paper."""
    field, value, arm, outcome = binding
    rows = [Row(scope="arm", key=f"arm/{n}", label=label, parts={}) for n, label in enumerate(arms)]
    rows += [Row(scope="outcome", key=f"outcome/{n}", label=label, parts={}) for n, label in enumerate(outcomes)]
    key = "" if arm < 0 else f"arm/{arm}"
    if outcome >= 0:
        key = "arm_result/1"
        parts = {"outcome": f"outcome/{outcome}", "arm": f"arm/{arm}"}
        rows.append(Row(scope="arm_result", key=key, label=f"{outcomes[outcome]}, {arms[arm]}", parts=parts))
    answer = Answer(field=field, row=key, state=State.REPORTED, value=value, quote=quote)
    return assess_answers(RCT, [quote], rows, [answer], source="test")[0].verdict


@pytest.mark.parametrize(("arms", "outcomes", "quote", "truths", "lies"), SENTENCES)
def test_a_value_is_of_the_group_that_its_sentence_gives_it(
    arms: list[str], outcomes: list[str], quote: str, truths: list[Binding], lies: list[Binding]
) -> None:
    assert [one for one in truths if verdict_of(arms, outcomes, quote, one) is not Verdict.VERIFIED] == []
    assert [one for one in lies if verdict_of(arms, outcomes, quote, one) is Verdict.VERIFIED] == []


NAMED = (
    "Patients were randomised to docetaxel plus cyclophosphamide (TC, arm A) or doxorubicin plus cyclophosphamide "
    "(AC, arm B). "
)
ARMS = ["docetaxel plus cyclophosphamide", "doxorubicin plus cyclophosphamide"]


@pytest.mark.parametrize(
    "sentence",
    ["Nausea occurred in 31 % with TC and in 44 % with AC.", "Nausea occurred in 31 % in arm A and 44 % in arm B."],
)
def test_a_group_is_known_by_the_name_that_the_paper_gives_it(sentence: str) -> None:
    rows = [Row(scope="arm", key=f"arm/{n}", label=label, parts={}) for n, label in enumerate(ARMS)]
    rows.append(Row(scope="outcome", key="outcome/0", label="nausea", parts={}))
    answers = []
    for n in range(2):
        rows.append(Row(scope="arm_result", key=f"arm_result/{n}", label=f"nausea, {ARMS[n]}",
                        parts={"outcome": "outcome/0", "arm": f"arm/{n}"}))  # fmt: skip
        answers.append(Answer(field="r_pct", row=f"arm_result/{n}", state=State.REPORTED, value=31, quote=sentence))
    verdicts = [one.verdict for one in assess_answers(RCT, [NAMED + sentence], rows, answers, source="test")]
    assert verdicts == [Verdict.VERIFIED, Verdict.UNBOUND]
