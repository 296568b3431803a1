"""Sentences of the kind that misled the rules on real papers: what they say of something else is no answer."""

from typing import Any

import pytest

from ingather.extraction.findings import State
from ingather.extraction.rules import extract
from ingather.extraction.template.builtin import load_builtin

FIELDS = load_builtin("rct").fields
HEAD = """Zinc for the common cold: a randomised trial

Abstract
We compared zinc with placebo in a randomised trial of adults with a cold.

Methods
"""


def answer(name: str, methods: str, more: str = "") -> Any:
    """The value reported for a field of the study, or the state of its answer."""
    answers = extract(FIELDS, [f"{HEAD}{methods}\n\n{more}"])[1]
    [found] = [one for one in answers if one.field == name and not one.row]
    return found.value if found.state is State.REPORTED else found.state


def labels(scope: str, methods: str) -> list[str]:
    return [row.label for row in extract(FIELDS, [f"{HEAD}{methods}"])[0] if row.scope == scope]


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
    [found] = [one for one in extract(FIELDS, pages)[1] if one.field == "countries"]

    assert found.state is State.UNCLEAR


def test_a_conclusion_is_taken_whole_where_it_fits_into_a_quote() -> None:
    conclusion = "Zinc shortened the cold. It did not make it milder."
    pages = [f"{HEAD.split('Methods', maxsplit=1)[0]}\nConclusions\n{conclusion}\n\nIntroduction\nColds are common."]
    [found] = [one for one in extract(FIELDS, pages)[1] if one.field == "conclusions"]

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
