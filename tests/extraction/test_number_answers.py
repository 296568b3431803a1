"""Questions about numbers, answered from tables of many layouts, or left open with the reason."""

import json

import pytest

from ingather.extraction.numbers.answer import AnswerState
from ingather.extraction.numbers.arms import arms_of
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, QuestionsUnreadable, numbers_questions_from_json
from tests.extraction.papers import a_table, ask_paper, numbers_in


def test_a_count_with_its_percentage_and_n_in_the_header() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)", "P"], ["Stroke", "12 (26.7)", "9 (20.5)", "0.49"])
    answer = ask_paper("stroke", table)
    assert (answer.state, numbers_in(answer)) == (AnswerState.REPORTED, ("12", "45", "9", "44"))
    assert [(one.table, one.row, one.column, one.quote, one.boxes) for one in answer.evidence] == [
        ("Table 1", "Stroke", "Aspirin (n = 45)", "12 (26.7)", ((1, 1, 2, 2),)),
        ("Table 1", "Stroke", "Placebo (n = 44)", "9 (20.5)", ((2, 1, 3, 2),)),
    ]


def test_the_arms_keep_their_places_whatever_their_order() -> None:
    table = a_table(["", "Placebo (n = 44)", "Aspirin (n = 45)"], ["Stroke, n (%)", "9 (20.5)", "12 (26.7)"])
    assert numbers_in(ask_paper("stroke", table)) == ("12", "45", "9", "44")
    assert numbers_in(ask_paper("stroke", table, intervention="placebo", comparator="aspirin")) == (
        "9",
        "44",
        "12",
        "45",
    )


def test_a_percentage_that_does_not_fit_leaves_the_answer_open() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke, n (%)", "12 (33.3)", "9 (20.5)"])
    answer = ask_paper("stroke", table)
    assert answer.state is AnswerState.UNCLEAR
    assert numbers_in(answer) == ()
    assert "12 of 45 is not 33.3 %" in answer.why
    assert answer.evidence


def test_a_percentage_of_somewhat_fewer_people_leaves_n_what_the_table_says() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke, n (%)", "12 (27.9)", "9 (20.5)"])
    answer = ask_paper("stroke", table)
    assert numbers_in(answer) == ("12", "45", "9", "44")
    assert "12 is 27.9 % of fewer than the 45 of the arm" in answer.why


def test_a_bare_nought_beside_counts_is_a_count() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke", "0", "9 (20.5)"])
    assert numbers_in(ask_paper("stroke", table)) == ("0", "45", "9", "44")


def test_a_count_with_its_percentage_and_the_interval_of_that() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke", "12 (27%; 16 to 41)", "9 (20%; 11 to 34)"])
    assert numbers_in(ask_paper("stroke", table)) == ("12", "45", "9", "44")


def test_an_arm_under_a_short_name_that_nobody_explains() -> None:
    table = a_table(["", "CT (n = 9)", "HIT (n = 8)"], ["Peak pulse, mean (SD)", "132 (24)", "125 (15)"])
    long, other = "high-intensity interval training", "continuous training"
    answer = ask_paper("peak pulse", table, kind=NumbersKind.CONTINUOUS, intervention=long, comparator=other)
    assert numbers_in(answer) == ("125", "15", "8", "132", "24", "9")


def test_an_arm_made_of_two_others_is_neither_of_them() -> None:
    table = a_table(["", "Care arms (1 + 2) (n = 45)", "Control (n = 44)"], ["Stroke, n (%)", "12 (26.7)", "9 (20.5)"])
    answer = ask_paper("stroke", table, intervention="care 1", comparator="control")
    assert answer.state is not AnswerState.REPORTED


def test_times_in_a_column_of_their_own_are_labels_and_no_numbers() -> None:
    table = a_table(
        ["", "Period", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Cortisol, mean (SD)", "0 weeks", "10.2 (6.5)", "10.3 (5.4)"],
        ["Cortisol, mean (SD)", "4 weeks", "9.1 (5.2)", "8.6 (4.2)"],
    )
    answer = ask_paper("cortisol", table, kind=NumbersKind.CONTINUOUS)
    assert numbers_in(answer) == ("9.1", "5.2", "45", "8.6", "4.2", "44")


def test_a_mistyped_word_of_the_question_is_the_word() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Recurrent stone", "12 (26.7)", "9 (20.5)"],
        ["First stone", "5 (11.1)", "7 (15.9)"],
    )
    assert numbers_in(ask_paper("reurrent stone", table)) == ("12", "45", "9", "44")


def test_serious_events_are_not_all_events() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Adverse events", "12 (26.7)", "9 (20.5)"])
    assert ask_paper("serious adverse events", table).state is not AnswerState.REPORTED


def test_an_arm_against_itself_before_is_not_answered_with_two_arms() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke, n (%)", "12 (26.7)", "9 (20.5)"])
    assert ask_paper("stroke", table, comparator="baseline").state is AnswerState.NOT_FOUND


def test_letters_inside_the_name_of_an_arm_are_no_se() -> None:
    table = a_table(
        ["", "D-serine (n = 45), mean (SD)", "Placebo (n = 44), mean (SD)"], ["Errors", "8.2 (3.1)", "7.9 (2.8)"]
    )
    answer = ask_paper("errors", table, kind=NumbersKind.CONTINUOUS, intervention="D-serine")
    assert numbers_in(answer) == ("8.2", "3.1", "45", "7.9", "2.8", "44")


def test_the_arms_of_a_paper_with_their_sizes_names_and_roles() -> None:
    first = a_table(["Group", "N", "Age"], ["Aspirin", "45", "61"], ["Placebo", "44", "60"])
    again = a_table(["", "Aspirin", "Placebo", "P"], ["Stroke", "12 (26.7)", "9 (20.5)", "0.5"])
    arms = arms_of(NumbersPaper(["Aspirin was compared with placebo."], [first, again]))
    assert [(arm.name, arm.n, arm.is_control) for arm in arms] == [("Aspirin", "45", False), ("Placebo", "44", True)]
    assert arms[0].names == ("Aspirin",)


def test_a_mean_with_its_sd_needs_someone_to_say_that_it_is_an_sd() -> None:
    rows = (["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Pain score", "8.2 ± 3.1", "7.9 ± 2.8"])
    answers = ask_paper("pain score", a_table(*rows, notes=["Values are mean ± SD."]), kind=NumbersKind.CONTINUOUS)
    assert numbers_in(answers) == ("8.2", "3.1", "45", "7.9", "2.8", "44")
    silent = ask_paper("pain score", a_table(*rows), kind=NumbersKind.CONTINUOUS)
    assert (silent.state, numbers_in(silent)) == (AnswerState.UNCLEAR, ())
    assert "not said" in silent.why


def test_an_se_is_never_an_sd() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Pain score, mean (SE)", "8.2 (0.3)", "7.9 (0.4)"])
    answer = ask_paper("pain score", table, kind=NumbersKind.CONTINUOUS)
    assert (answer.state, numbers_in(answer)) == (AnswerState.UNCLEAR, ())
    assert "SE" in answer.why


def test_a_median_is_never_a_mean() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Pain score, median (IQR)", "8.2 (3.1)", "7 (2)"])
    assert ask_paper("pain score", table, kind=NumbersKind.CONTINUOUS).state is AnswerState.UNCLEAR


def test_n_mean_and_sd_in_columns_of_their_own() -> None:
    table = a_table(
        ["", "Aspirin", "", "", "Placebo", "", ""],
        ["", "N", "Mean", "SD", "N", "Mean", "SD"],
        ["Pain", "45", "8.2", "3.1", "44", "7.9", "2.8"],
        ["Function", "43", "50.1", "9.9", "41", "47.3", "8.8"],
        headers=2,
    )
    assert numbers_in(ask_paper("pain", table, kind=NumbersKind.CONTINUOUS)) == ("8.2", "3.1", "45", "7.9", "2.8", "44")


def test_arms_as_rows_and_outcomes_as_columns() -> None:
    table = a_table(
        ["Group", "Pain, mean (SD)", "Function, mean (SD)"],
        ["Aspirin (n = 45)", "8.2 (3.1)", "50.1 (9.9)"],
        ["Placebo (n = 44)", "7.9 (2.8)", "47.3 (8.8)"],
    )
    assert numbers_in(ask_paper("function", table, kind=NumbersKind.CONTINUOUS)) == (
        "50.1",
        "9.9",
        "45",
        "47.3",
        "8.8",
        "44",
    )


def test_the_last_time_is_taken_and_never_the_baseline() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Pain, mean (SD)", "", ""],
        [" Baseline", "9.9 (3.3)", "9.8 (3.2)"],
        [" Week 6", "8.8 (3.2)", "8.9 (2.9)"],
        [" Week 12", "8.2 (3.1)", "7.9 (2.8)"],
    )
    assert numbers_in(ask_paper("pain", table, kind=NumbersKind.CONTINUOUS)) == ("8.2", "3.1", "45", "7.9", "2.8", "44")
    assert numbers_in(ask_paper("pain at 6 weeks", table, kind=NumbersKind.CONTINUOUS)) == (
        "8.8",
        "3.2",
        "45",
        "8.9",
        "2.9",
        "44",
    )
    assert ask_paper("pain at 1 year", table, kind=NumbersKind.CONTINUOUS).state is AnswerState.UNCLEAR


def test_a_change_answers_a_question_about_a_change_only() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "", "Placebo (n = 44)", ""],
        ["", "Week 12", "Change from baseline", "Week 12", "Change from baseline"],
        ["Pain, mean (SD)", "8.2 (3.1)", "-1.7 (2.2)", "7.9 (2.8)", "-1.9 (2.3)"],
        headers=2,
    )
    follow_up = ask_paper("pain", table, kind=NumbersKind.CONTINUOUS)
    change = ask_paper("change in pain", table, kind=NumbersKind.CONTINUOUS)
    assert numbers_in(follow_up) == ("8.2", "3.1", "45", "7.9", "2.8", "44")
    assert numbers_in(change) == ("-1.7", "2.2", "45", "-1.9", "2.3", "44")


def test_three_arms_and_the_two_that_are_meant() -> None:
    table = a_table(
        ["", "Aspirin 100 mg (n = 45)", "Aspirin 300 mg (n = 46)", "Placebo (n = 44)"],
        ["Stroke, n (%)", "12 (26.7)", "10 (21.7)", "9 (20.5)"],
    )
    assert numbers_in(ask_paper("stroke", table, intervention="300 mg aspirin")) == ("10", "46", "9", "44")
    assert ask_paper("stroke", table, intervention="Aspirin").state is not AnswerState.REPORTED


def test_letters_for_arms_are_explained_by_the_text() -> None:
    table = a_table(["", "Group A (n = 45)", "Group B (n = 44)"], ["Stroke, n (%)", "12 (26.7)", "9 (20.5)"])
    text = "Patients in group A received daily ibuprofen tablets. Patients in group B received a talking therapy."
    explained = ask_paper("stroke", table, text=text, intervention="Talking therapy", comparator="Ibuprofen")
    assert numbers_in(explained) == ("9", "44", "12", "45")
    bare = ask_paper("stroke", table, intervention="Talking therapy", comparator="Ibuprofen")
    assert bare.state is not AnswerState.REPORTED


def test_n_comes_from_the_text_where_the_table_has_none() -> None:
    table = a_table(["", "Aspirin", "Placebo"], ["Stroke, n (%)", "12 (26.7)", "9 (20.5)"])
    text = "We randomly assigned 45 patients to the aspirin group and 44 patients to the placebo group."
    assert numbers_in(ask_paper("stroke", table, text=text)) == ("12", "45", "9", "44")
    assert ask_paper("stroke", table).state is AnswerState.UNCLEAR


def test_rows_that_name_the_outcome_as_well_as_each_other_are_shown_and_none_is_taken() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Ischaemic stroke, n (%)", "12 (26.7)", "9 (20.5)"],
        ["Haemorrhagic stroke, n (%)", "2 (4.4)", "1 (2.3)"],
    )
    answer = ask_paper("stroke", table)
    assert answer.state is AnswerState.UNCLEAR
    assert {one.row for one in answer.evidence} == {"Ischaemic stroke, n (%)", "Haemorrhagic stroke, n (%)"}


def test_an_outcome_that_no_table_names_is_not_found() -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], ["Stroke, n (%)", "12 (26.7)", "9 (20.5)"])
    assert ask_paper("headache", table).state is AnswerState.NOT_FOUND


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("no", "not JSON"),
        ("{}", "must be a JSON list"),
        ("[]", "at least one question"),
        ("[1]", "Question 1 is no JSON object"),
        ('[{"id": "a"}]', "Question 1 has no outcome"),
        (json.dumps([{"id": "a", "outcome": "o", "intervention": "i", "comparator": "c", "kind": "ratio"}]), "'ratio'"),
        (
            json.dumps(2 * [{"id": "a", "outcome": "o", "intervention": "i", "comparator": "c", "kind": "binary"}]),
            "Two questions have the id 'a'",
        ),
    ],
)
def test_questions_of_another_form_are_refused_with_a_sentence(given: str, sentence: str) -> None:
    with pytest.raises(QuestionsUnreadable, match=sentence):
        numbers_questions_from_json(given.encode())


@pytest.mark.parametrize(
    "text",
    [
        "Stroke occurred in 12/45 (26.7%) patients in the aspirin group and in 9/44 (20.5%) in the placebo group.",
        "Stroke was seen with aspirin in 12 of 45 patients versus 9 of 44 patients with placebo.",
        "In the placebo group 9/44 patients had a stroke, and in the aspirin group 12/45 patients had a stroke.",
        "The rates of stroke in the aspirin and placebo groups were 12/45 (26.7%) and 9/44 (20.5%), respectively.",
        "Stroke occurred in 12/45 and 9/44 patients of the aspirin and placebo groups, respectively.",
    ],
)
def test_a_sentence_answers_where_each_number_has_its_arm(text: str) -> None:
    answer = ask_paper("stroke", text=f"We gave aspirin or placebo. {text}")
    assert numbers_in(answer) == ("12", "45", "9", "44")
    assert [(one.table, one.quote) for one in answer.evidence] == [(None, text)]


def test_a_sentence_gives_means_with_their_sds_and_the_text_gives_n() -> None:
    text = (
        "Of the patients, 45 were randomly assigned to the aspirin group and 44 to the placebo group. "
        "Mean pain was 8.2 (SD 3.1) in the aspirin group and 7.9 (SD 2.8) in the placebo group."
    )
    answer = ask_paper("pain", text=text, kind=NumbersKind.CONTINUOUS)
    assert numbers_in(answer) == ("8.2", "3.1", "45", "7.9", "2.8", "44")


@pytest.mark.parametrize(
    "text",
    [
        "Stroke occurred in 12/45 and 9/44 patients of the aspirin and placebo groups.",
        "Stroke occurred in 12/45 patients in the aspirin group, 9/44 in the placebo group and 3/40 in a third group.",
        "At baseline a stroke was known in 12/45 patients in the aspirin group and 9/44 in the placebo group.",
        "Headache occurred in 12/45 patients in the aspirin group and in 9/44 in the placebo group.",
        "Stroke did not differ, but headache occurred in 12/45 patients with aspirin and in 9/44 with placebo.",
        "Stroke or death occurred in 12/45 patients in the aspirin group and in 9/44 in the placebo group.",
        "Death or stroke occurred in 12/45 patients in the aspirin group and in 9/44 in the placebo group.",
    ],
)
def test_a_sentence_that_leaves_it_open_gives_no_number(text: str) -> None:
    assert numbers_in(ask_paper("stroke", text=text)) == ()


def test_two_sentences_that_differ_leave_the_answer_open() -> None:
    text = (
        "Stroke occurred in 12/45 patients in the aspirin group and in 9/44 in the placebo group. "
        "In a second analysis stroke occurred in 11/40 patients in the aspirin group and in 8/39 in the placebo group."
    )
    answer = ask_paper("stroke", text=text)
    assert answer.state is AnswerState.UNCLEAR
    assert len(answer.evidence) == 2


def test_a_row_that_a_narrow_column_broke_is_read_as_one() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Pain, mean (SD)", "8.2", "7.9"],
        ["", "(3.1)", "(2.8)"],
        ["Function, mean ± SD", "50.1 ±", "47.3 ±"],
        ["", "9.9*", "8.8"],
    )
    assert numbers_in(ask_paper("function", table, kind=NumbersKind.CONTINUOUS)) == (
        "50.1",
        "9.9",
        "45",
        "47.3",
        "8.8",
        "44",
    )


def test_numbers_beside_no_label_are_nobodys() -> None:
    """A reader of tables may lose or shift a label: such a row must not pass for its neighbour."""
    table = a_table(
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Stroke, n (%)", "", ""],
        ["", "12 (26.7)", "9 (20.5)"],
        ["Death, n (%)", "4 (8.9)", "3 (6.8)"],
    )
    assert numbers_in(ask_paper("stroke", table)) == ()
    assert numbers_in(ask_paper("death", table)) == ("4", "45", "3", "44")


def test_weight_is_no_week_and_a_bare_number_in_the_headers_is_n() -> None:
    """`weight` begins like week eight, and `m2` like month two."""
    table = a_table(
        ["", "Aspirin (45)", "Placebo (44)"],
        ["Body weight (kg), mean (SD)", "80.2 (9.1)", "79.9 (8.8)"],
        ["Body mass index (kg/m2), mean (SD)", "28.1 (3.1)", "27.9 (2.8)"],
    )
    weight = ask_paper("body weight", table, kind=NumbersKind.CONTINUOUS)
    assert numbers_in(weight) == ("80.2", "9.1", "45", "79.9", "8.8", "44")
    index = ask_paper("body mass index", table, kind=NumbersKind.CONTINUOUS)
    assert numbers_in(index) == ("28.1", "3.1", "45", "27.9", "2.8", "44")


def test_the_arms_are_those_of_the_headers_with_their_sizes() -> None:
    table = a_table(
        ["", "Aspirin 100 mg (n = 45)", "Aspirin 300 mg (n = 46)", "Placebo (n = 44)", "Total (n = 135)", "P"],
        ["Age, mean (SD)", "60 (9)", "61 (8)", "60 (9)", "60 (9)", "0.5"],
    )
    arms = arms_of(NumbersPaper([""], [table]))
    assert [(arm.name, arm.n, arm.is_control) for arm in arms] == [
        ("Aspirin 100 mg", "45", False),
        ("Aspirin 300 mg", "46", False),
        ("Placebo", "44", True),
    ]


def test_a_sentence_without_n_speaks_against_another() -> None:
    text = (
        "We randomly assigned 326 patients to the aspirin group and 320 patients to the placebo group. "
        "In the aspirin group, 6 (1.8%) patients died compared to 4 (1.2%) in the placebo group. "
        "One year later, 45 patients in the aspirin group compared to 58 patients in the placebo group had died."
    )
    found = ask_paper("mortality", text=text)
    assert (found.state, numbers_in(found)) == (AnswerState.UNCLEAR, ())


@pytest.mark.parametrize(
    ("outcome", "row"),
    [
        ("body mass index", "BMI"),
        ("interleukin 6", "IL-6"),
        ("diarrhoea", "Diarrhea"),
        ("anemia", "Anaemia"),
        ("knee flexion", "Knee flexors"),
    ],
)
def test_known_short_forms_and_both_spellings_name_an_outcome(outcome: str, row: str) -> None:
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], [row, "12 (26.7)", "9 (20.5)"])
    assert numbers_in(ask_paper(outcome, table)) == ("12", "45", "9", "44")


def test_arms_that_differ_in_their_length_of_time() -> None:
    table = a_table(["", "SD24W, n/N (%)", "SD48W, n/N (%)"], ["Response", "9/44 (20.5)", "12/45 (26.7)"])
    found = ask_paper("response", table, intervention="ribavirin for 48 weeks", comparator="ribavirin for 24 weeks")
    assert numbers_in(found) == ("12", "45", "9", "44")


def test_the_absence_of_the_intervention_is_the_control() -> None:
    table = a_table(["", "Control (n = 44)", "Intervention (n = 45)"], ["Stroke, n (%)", "9 (20.5)", "12 (26.7)"])
    found = ask_paper("stroke", table, intervention="text message reminders", comparator="no text message")
    assert numbers_in(found) == ("12", "45", "9", "44")


def test_a_question_of_a_questionnaire_is_known_by_its_words() -> None:
    row = "Positive answer to the question: Did you observe adequate relief of symptoms, pain or discomfort? n (%)"
    table = a_table(["", "Aspirin (n = 45)", "Placebo (n = 44)"], [row, "12 (26.7)", "9 (20.5)"])
    outcome = (
        'Subjective improvement by one closed question, yes or no: "Did you observe adequate relief of symptoms, '
        'pain or discomfort?", a positive answer'
    )
    assert numbers_in(ask_paper(outcome, table)) == ("12", "45", "9", "44")


def test_a_row_that_was_completed_in_time_is_no_time_of_measurement() -> None:
    rows = (
        ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Completed treatment, n (%)", "12 (26.7)", "9 (20.5)"],
        ["Timely completion, n (%)", "10 (22.2)", "8 (18.2)"],
    )
    assert numbers_in(ask_paper("adherence", a_table(*rows, caption="Table 1. Adherence"))) == ()


def test_a_known_short_form_names_an_outcome_and_no_arm() -> None:
    text = "We randomly assigned 45 patients to the aspirin group and 44 patients to the standard care group."
    rows = (["", "Aspirin", "Standard care"], ["Pain score, mean (SD)", "8.2 (3.1)", "7.9 (2.8)"])
    other = a_table(["", "ICU stay (n = 628)", "Ward stay (n = 30)"], ["Days", "3", "4"], label="Table 2")
    found = ask_paper(
        "pain score", a_table(*rows), other, comparator="standard care", kind=NumbersKind.CONTINUOUS, text=text
    )
    assert numbers_in(found) == ("8.2", "3.1", "45", "7.9", "2.8", "44")


def test_a_caption_names_no_row_without_a_label_among_others() -> None:
    rows = (["", "Aspirin (n = 45)", "Placebo (n = 44)", "Remark"], ["", "12 (26.7)", "9 (20.5)", "by telephone"])
    other = ["Age over 60, n (%)", "10 (22.2)", "8 (18.2)", "by telephone"]
    assert numbers_in(ask_paper("stroke", a_table(*rows, other, caption="Table 1. Stroke, n (%)"))) == ()
