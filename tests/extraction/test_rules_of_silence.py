"""Sentences of the kind that misled the rules on real papers: what they say of something else is no answer."""

from typing import Any

import pytest

from ingather.extraction.findings import State
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template.builtin import load_builtin_template

FIELDS = load_builtin_template("rct").fields
HEAD = """Zinc for the common cold: a randomised trial

Abstract
We compared zinc with placebo in a randomised trial of adults with a cold.

Methods
"""


def answer(name: str, methods: str, more: str = "") -> Any:
    """The value reported for a field of the study, or the state of its answer."""
    answers = extract_by_rules(FIELDS, [f"{HEAD}{methods}\n\n{more}"])[1]
    [found] = [one for one in answers if one.field == name and not one.row]
    return found.value if found.state is State.REPORTED else found.state


def labels(scope: str, methods: str) -> list[str]:
    return [row.label for row in extract_by_rules(FIELDS, [f"{HEAD}{methods}"])[0] if row.scope == scope]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("statistical_model", "Age, weight and height among groups were compared with one-way analysis of variance."),
        ("statistical_model", "The terminal rate constant was estimated by linear regression models of the logarithm."),
        ("statistical_model", "Propensity scores were estimated with a logistic regression model."),
        ("n_centres", "Fluid was collected at 6 sites per tooth."),
        ("n_centres", "Patients were recruited at 3 health centres and a general hospital."),
        ("setting", "Women with risk factors are referred for further care in so-called high-risk clinics."),
        ("framework", "A pilot study was done before to find the most suitable lozenge."),
        ("framework", "The sample size was based on our pilot study."),
        ("blind_participants", "Those who finished were offered an open-label extension of 32 days."),
        ("blind_participants", "The watch was sealed so that participants were blinded to the activity reading."),
        ("blind_participants", "Though the participants were randomised, the teachers who marked were not blinded."),
        ("blind_personnel", "Study personnel conducting psychological assessments were masked to allocation."),
        ("blinding_detail", "Controls wore the sensor, too; its data were blinded and not used."),
        ("concealment_method", "Emergency envelopes were kept for each patient who was randomised."),
        ("concealment_method", "An open randomised study was conducted of adults."),
        ("concealment_method", "Participants were randomised to one of two internet-based programmes."),
        ("analysis_set", "The data of three patients were excluded from the per-protocol analysis."),
        ("design", "The crossover between study arms was documented."),
        ("exclusion_criteria", "Individuals with any of the following medical conditions were excluded:"),
        ("inclusion_criteria", "The inclusion criteria were: 1) an adequate state of health as judged before surgery."),
        ("sample_size_planned", "We planned to enrol 440 adults per treatment group."),
        ("countries", "The study was conducted in a hospital with devices of the Canada-US study."),
    ],
)  # fmt: skip
def test_what_is_said_of_something_else_is_no_answer(name: str, sentence: str) -> None:
    assert isinstance(answer(name, sentence), State)


def test_of_two_models_the_one_of_the_main_result_is_taken() -> None:
    methods = (
        "The primary outcome was compared between groups with a linear regression model. "
        "The days off work were compared with a Poisson regression model."
    )

    assert answer("statistical_model", methods) == methods.split(". ", maxsplit=1)[0]


def test_of_two_models_none_is_taken_where_neither_is_said_to_be_of_the_main_result() -> None:
    methods = (
        "The length of the cold was compared with a linear regression model. "
        "The days off work were compared with a Poisson regression model."
    )

    assert answer("statistical_model", methods) is State.UNCLEAR


def test_countries_are_open_where_the_abstract_names_another() -> None:
    head = HEAD.replace("a cold.", "a cold. Colds are as common in Kenya.")
    pages = [f"{head}The study was conducted in rural parts of Ghana."]
    [found] = [one for one in extract_by_rules(FIELDS, pages)[1] if one.field == "countries"]

    assert found.state is State.UNCLEAR


def test_a_conclusion_is_taken_whole_where_it_fits_into_a_quote() -> None:
    conclusion = "Zinc shortened the cold. It did not make it milder."
    pages = [f"{HEAD.split('Methods', maxsplit=1)[0]}\nConclusions\n{conclusion}\n\nIntroduction\nColds are common."]
    [found] = [one for one in extract_by_rules(FIELDS, pages)[1] if one.field == "conclusions"]

    assert found.value == conclusion


def test_columns_of_events_are_no_arms() -> None:
    rows = "Table 1. Baseline characteristics\nHip fracture (n = 106) Other fracture (n = 2021)\nAge 71 72\n"

    assert labels("arm", rows) == []


def test_people_described_before_they_are_divided_are_no_arms() -> None:
    sentence = "Patients after bypass surgery (n = 32) or valve surgery (n = 8) were randomised to zinc or placebo."

    assert labels("arm", sentence) == []


def test_a_list_of_heads_names_no_outcomes() -> None:
    assert labels("outcome", "Secondary outcomes were the incidence, severity, and duration of colds.") == []


def test_interests_declared_in_one_short_word_are_read() -> None:
    assert isinstance(answer("conflicts_of_interest", "Adults took part.", "Competing interests\nNo\n"), str | State)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("statistical_model", "With a Cox model 240 events would give 90% power for a hazard ratio of 0.7."),
        ("statistical_model", "A logistic regression model gave the weights of those who came back."),
        ("statistical_model", "A supplementary analysis used a linear regression model."),
        ("recruit_end", "The model covered adults enrolled from October 2016 to September 2041 under each strategy."),
        ("recruit_end", "This 3-year study of adults was conducted between May 1993 and May 1998."),
        ("design", "All of the identified trials were double-blind, parallel-group trials of zinc."),
        ("unit_of_allocation", "In the included trials patients were randomised to zinc or placebo."),
    ],
)  # fmt: skip
def test_plans_projections_and_what_several_trials_share_are_no_answer(name: str, sentence: str) -> None:
    assert answer(name, sentence) is State.UNCLEAR


@pytest.mark.parametrize(
    "sentence",
    [
        "We aimed to randomise approximately 80 adults within a year.",
        "Our aim was to weigh what the clinics could do and to inform the sample size of a later trial.",
        "The aim of this study was to train a model that tells colds apart, * Corresponding author: A. Writer",
    ],
)
def test_a_plan_of_numbers_and_a_sentence_cut_by_a_footnote_are_no_aim(sentence: str) -> None:
    assert answer("aim", sentence) is State.UNCLEAR


def test_a_pooled_analysis_has_no_design_of_its_own() -> None:
    page = HEAD.replace("We compared", "This is a pooled analysis of two trials. We compared")
    text = f"{page}Zinc was tried in a parallel-group trial. Adults were randomised to zinc or placebo."
    found = {one.field: one.state for one in extract_by_rules(FIELDS, [text])[1] if not one.row}

    assert found["design"] is found["unit_of_allocation"] is State.UNCLEAR


def test_the_period_of_a_trial_with_years_of_follow_up_is_not_that_of_recruitment() -> None:
    methods = "The trial was conducted between May 2003 and May 2009. Participants were followed up for 4 years."

    assert answer("recruit_start", methods) is State.UNCLEAR


def test_people_recruited_in_a_period_are_dated_whatever_the_follow_up() -> None:
    methods = "Adults were recruited between May 2003 and May 2005. Participants were followed up for 4 years."

    assert answer("recruit_end", methods) == "2005-05"


def test_who_paid_is_said_by_all_sentences_in_a_row_and_by_none_on_roles() -> None:
    paid = "This trial was supported by the Cold Foundation. The laboratory was funded by the Sneeze Council."
    funding = f"Funding\n{paid} The sponsors had no role in the design of the trial.\n"

    assert answer("funding_source", "Adults took part.", funding) == paid.rstrip(".")


def test_the_role_of_a_sponsor_does_not_say_who_paid() -> None:
    funding = "Funding\nThe sponsor had no role in the design or conduct of the trial.\n"

    assert answer("funding_source", "Adults took part.", funding) is State.UNCLEAR


def test_funders_named_apart_from_each_other_are_left_open() -> None:
    funding = (
        "Funding\nThis trial was supported by the Cold Foundation. Tablets came from a pharmacy. "
        "The first author has a grant of the Sneeze Council.\n"
    )

    assert answer("funding_source", "Adults took part.", funding) is State.UNCLEAR


def sizes(methods: str) -> list[Any]:
    answers = extract_by_rules(FIELDS, [f"{HEAD}{methods}"])[1]
    return [one.value for one in answers if one.field == "arm_n_randomised" and one.state is State.REPORTED]


def test_arms_that_add_up_to_things_have_no_number_of_people() -> None:
    divided = "were randomly assigned to zinc (n = 26) or placebo (n = 28)."

    assert sizes(f"In all, 49 patients with 54 nasal polyps {divided}") == []
    assert sizes(f"In all, 54 patients with nasal polyps {divided}") == [26, 28]


def test_columns_by_sex_are_no_arms() -> None:
    rows = "Table 1. Baseline characteristics\nMales (n = 106) Females (n = 121)\nAge 71 72\n"

    assert labels("arm", f"Males and females were randomised to zinc or placebo.\n\n{rows}") == []


def test_a_doi_is_taken_as_it_stands_without_the_letters_of_a_mark_beside_it() -> None:
    cover = (
        "HAL Id: hal-1\nhttps://doi.org/10.9999/zinc.2020.07ff\nCite this as: A. Writer. Zinc. 10.9999/zinc.2020.07\n"
    )
    answers = extract_by_rules(FIELDS, [cover, HEAD])[1]

    assert [one.value for one in answers if one.field == "doi"] == ["10.9999/zinc.2020.07"]


def conclusion(section: str) -> Any:
    page = HEAD.replace("Methods", "Introduction\nColds are common.\n\nMethods")
    answers = extract_by_rules(FIELDS, [f"{page}Adults took part.\n\nDiscussion\nZinc is a metal.\n\n{section}"])[1]
    [found] = [one for one in answers if one.field == "conclusions"]
    return found.value if found.state is State.REPORTED else found.state


def test_the_background_of_a_section_of_conclusions_is_no_conclusion() -> None:
    section = "Conclusions\nAn overdose of zinc may be fatal. In this study zinc tablets reduced colds by a day.\n"

    assert conclusion(section) == "In this study zinc tablets reduced colds by a day."


def test_a_conclusion_does_not_begin_with_the_rest_of_its_heading() -> None:
    section = "Conclusions\nand Clinical Importance of zinc tablets may be found in shorter colds of adults.\n"

    assert isinstance(conclusion(section), State)


def test_a_follow_up_longer_than_the_time_of_the_primary_outcome_leaves_it_open() -> None:
    methods = "The primary outcome was the score at 12 weeks."

    assert answer("followup_planned", methods) == "12 weeks"
    assert answer("followup_planned", f"{methods} A follow-up visit took place at 12 months.") is State.UNCLEAR


def test_a_limitation_that_refers_to_the_sentence_before_is_taken_with_it() -> None:
    statement = (
        "The nurses knew who had zinc in the second year. This could have biased the results that we found in them."
    )
    section = f"Limitations\n{statement}\n"

    assert answer("limitations", "Adults took part.", f"Discussion\nColds are common.\n\n{section}") == statement
