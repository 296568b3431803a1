"""The total randomised in plain abstracts: never an arm, a subset, a plan, or a figure of a name."""

import pytest

from ingather.extraction.findings import State
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template.builtin import load_builtin_template

FIELDS = [field for field in load_builtin_template("rct").fields if field.id == "n_randomised"]
BEFORE = "Lozenges for the common cold in adults. We compared two kinds of lozenge in a randomised trial. "
AFTER = " The cold was over earlier in those who took them. We think that they are of use."


def total(sentence: str) -> object:
    [answer] = extract_by_rules(FIELDS, [BEFORE + sentence + AFTER])[1]
    return answer.value if answer.state is State.REPORTED else answer.state


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        (1086, "1086 M1 patients were randomised."),
        (16_000, "16 000 women were randomized to one of two schedules."),
        (412, "In S0715, 412 patients were randomly assigned to zinc or placebo."),
        (88, "88 DM2 patients were randomly allocated to two groups."),
        (1234, "One thousand two hundred thirty-four patients were randomised."),
        (278, "Two-hundred seventy-eight patients were randomly assigned to either arm."),
        (400, "Four hundred inactive but healthy women aged 50-74 years of age were randomized to 150 or 300 minutes."),
        (159, "Consenting participants (N = 159) were randomly assigned to zinc (n = 81) or control (n = 78)."),
        (335, "We screened 436 patients, of whom 335 were randomly assigned to zinc or placebo."),
        (418, "Four hundred and eighteen patients were randomised, 207 were allocated to zinc, and 211 to placebo."),
        (403, "403 patients were enrolled; 201 were assigned to zinc and 202 to placebo."),
        (68, "68 (62%) of 109 patients with colds were randomised to zinc or placebo."),
        (101, "Six hospitals randomized 101 women undergoing surgery to zinc or placebo."),
        (60, "Sixty patients were enrolled in this study."),
        (96, "Patients with colds were randomised (n = 96) to zinc or placebo."),
        (420, "420 adults who were having a cold were randomly assigned zinc, placebo, or tea."),
        (669, "Of 669 patients enrolled, 446 (median age 59) received zinc and 223 (median age 62) placebo."),
        (928, "928 patients were given zinc (n = 465) or placebo (n = 463)."),
        (160, "Randomisation of 160 patients allocated 79 to zinc and 81 to placebo."),
    ],
)  # fmt: skip
def test_the_total_is_read(expected: int, sentence: str) -> None:
    assert total(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "525 were randomly assigned to zinc and 527 to placebo.",
        "In the end, 49 patients were randomised to placebo.",
        "A total of 300 patients will be randomised to zinc or placebo.",
        "The first 100 patients were randomised to zinc or placebo.",
        "We planned to randomise 72 patients to zinc or placebo.",
        "About 620 patients were randomised to zinc or placebo.",
        "Pain fell by 2 points at 12 months among women randomly assigned to zinc versus placebo.",
        "The study included 44,970 women in the zinc group and 44,961 in the placebo group.",
        "24 villages were randomised to zinc or placebo.",
        "Of those with stage T2N1, 30% were randomised to zinc or placebo.",
        "In 2004 patients were randomised to zinc or placebo.",
        "A total of 40 males and 40 females were randomly assigned to zinc or placebo.",
        "In each part, 46 patients were randomised to zinc or placebo.",
        "Patients with a median age of 70 were randomised to zinc or placebo.",
        "Of 83 patients randomly assigned to zinc during the first two weeks only, 30 had a cold.",
    ],
)
def test_what_is_no_total_is_not_taken_for_one(sentence: str) -> None:
    assert total(sentence) in {State.UNCLEAR, State.NOT_REPORTED}


def test_two_totals_are_unclear() -> None:
    both = "300 patients were randomised to zinc or placebo. Later 420 patients were randomised to tea or water."

    assert total(both) is State.UNCLEAR
