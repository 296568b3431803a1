"""Questions about numbers in tables that are more than a header, a column of labels and numbers beside them."""

from dataclasses import replace

from ingather.extraction.numbers.answer import AnswerState
from ingather.extraction.numbers.question import NumbersKind
from tests.extraction.papers import a_table, ask_paper, numbers_in

_MEANS = NumbersKind.CONTINUOUS
_ARMS = ["", "Aspirin (n = 45)", "Placebo (n = 44)"]


def test_a_percentage_on_a_line_of_its_own_belongs_to_the_count_above_it() -> None:
    table = a_table(_ARMS, ["Stroke", "12", "9"], ["", "(26.7%)", "(20.5%)"])
    assert numbers_in(ask_paper("stroke", table)) == ("12", "45", "9", "44")


def test_an_sd_in_a_row_of_its_own_belongs_to_the_mean_above_it() -> None:
    table = a_table(_ARMS, ["Mean length of stay (days)", "8.2", "7.9"], ["SD", "3.1", "2.8"], ["Age", "61", "60"])
    assert numbers_in(ask_paper("length of stay", table, kind=_MEANS)) == ("8.2", "3.1", "45", "7.9", "2.8", "44")


def test_a_line_with_one_text_is_the_title_of_the_rows_below_it() -> None:
    table = a_table(
        ["Weeks", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["", "Cortisol, mean (SD)", ""],
        ["0", "10.2 (6.5)", "10.3 (5.4)"],
        ["12", "9.1 (5.2)", "8.6 (4.2)"],
        ["", "Insulin, mean (SD)", ""],
        ["0", "5.2 (2.5)", "5.3 (2.4)"],
        ["12", "4.1 (2.2)", "4.6 (2.1)"],
    )
    assert numbers_in(ask_paper("insulin", table, kind=_MEANS)) == ("4.1", "2.2", "45", "4.6", "2.1", "44")
    assert numbers_in(ask_paper("cortisol", table, kind=_MEANS)) == ("9.1", "5.2", "45", "8.6", "4.2", "44")


def test_rows_above_the_first_title_are_of_nothing_that_the_caption_names() -> None:
    table = a_table(
        ["Weeks", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["12", "9.1 (5.2)", "8.6 (4.2)"],
        ["", "Insulin, mean (SD)", ""],
        ["12", "4.1 (2.2)", "4.6 (2.1)"],
        caption="Cortisol and insulin, mean (SD).",
    )
    assert ask_paper("cortisol", table, kind=_MEANS).state is not AnswerState.REPORTED


def test_names_that_come_again_under_a_header_over_their_first_column() -> None:
    table = a_table(
        ["", "Aspirin (n = 45)", "", "Placebo (n = 44)", ""],
        ["EQ-5D", "Pre", "Post", "Pre", "Post"],
        ["Walking, mean (SD)", "10.2 (6.5)", "9.1 (5.2)", "10.3 (5.4)", "8.6 (4.2)"],
        ["MLHFQ", "Pre", "Post", "Pre", "Post"],
        ["Walking, mean (SD)", "5.2 (2.5)", "4.1 (2.2)", "5.3 (2.4)", "4.6 (2.1)"],
    )
    assert numbers_in(ask_paper("walking (MLHFQ)", table, kind=_MEANS)) == ("4.1", "2.2", "45", "4.6", "2.1", "44")


def test_an_arm_that_is_indented_below_another_arm_is_not_part_of_it() -> None:
    table = a_table(["", "Stroke, n (%)"], ["Placebo, n = 44", "9 (20.5)"], ["Aspirin, n = 45", "12 (26.7)"])
    nested = replace(
        table,
        cells=tuple(
            replace(cell, row_path=("Placebo, n = 44", "Aspirin, n = 45"))
            if (cell.row, cell.column) == (2, 1)
            else cell
            for cell in table.cells
        ),
    )
    assert numbers_in(ask_paper("stroke", nested)) == ("12", "45", "9", "44")


def test_letters_alone_are_groups() -> None:
    size = a_table(["Group", "N", "Age, mean (SD)"], ["A", "45", "61 (9)"], ["B", "44", "60 (8)"], label="Table 1")
    table = a_table(["", "Group A", "Group B"], ["Pulse, mean (SD)", "79.8 (8.3)", "84.8 (9.8)"], label="Table 2")
    answer = ask_paper("pulse", size, table, kind=_MEANS, text="Group A received aspirin and group B received placebo.")
    assert numbers_in(answer) == ("79.8", "8.3", "45", "84.8", "9.8", "44")


def test_hours_behind_a_number_are_no_mark_of_a_footnote() -> None:
    table = a_table(
        _ARMS, ["Pulse at 3 h, mean (SD)", "79.8 (8.3)", "84.8 (9.8)"], ["Pulse at 6 h, mean (SD)", "70 (8)", "74 (9)"]
    )
    answer = ask_paper("pulse 3 hours after surgery", table, kind=_MEANS)
    assert numbers_in(answer) == ("79.8", "8.3", "45", "84.8", "9.8", "44")


def test_the_first_hours_are_a_time_and_no_name() -> None:
    table = a_table(_ARMS, ["Patients with nausea during first 24 h (%)", "12 (26.7)", "9 (20.5)"])
    assert numbers_in(ask_paper("nausea during the first 24 hours", table)) == ("12", "45", "9", "44")


def test_the_unit_of_a_question_is_no_part_of_its_outcome() -> None:
    table = a_table(_ARMS, ["VO2peak (mL/min/kg), mean (SD)", "20.4 (4.3)", "21.3 (3.7)"])
    answer = ask_paper("peak oxygen uptake (mL/min/kg)", table, kind=_MEANS, text="Peak oxygen uptake (VO2peak) rose.")
    assert numbers_in(answer) == ("20.4", "4.3", "45", "21.3", "3.7", "44")


def test_a_number_behind_a_short_form_is_the_time_of_the_question() -> None:
    rows = [[f"VAS{minutes}", f"{minutes}.2 (1.1)", f"{minutes}.5 (1.2)"] for minutes in (5, 10, 30)]
    table = a_table(_ARMS, *rows, notes=["Values are mean (SD)."])
    answer = ask_paper("pain after 10 minutes", table, kind=_MEANS)
    assert numbers_in(answer) == ("10.2", "1.1", "45", "10.5", "1.2", "44")


def test_a_scale_goes_by_its_name_with_or_without_the_number_of_its_items() -> None:
    table = a_table(
        _ARMS, ["Anxiety (GHQ), mean (SD)", "5.4 (2.7)", "7 (4.9)"], ["Sleep (PSQI), mean (SD)", "3 (1)", "4 (1)"]
    )
    answer = ask_paper("anxiety subscale of the GHQ-28", table, kind=_MEANS)
    assert numbers_in(answer) == ("5.4", "2.7", "45", "7", "4.9", "44")


def test_a_table_of_those_who_kept_to_the_protocol_does_not_answer_for_all() -> None:
    everyone = a_table(_ARMS, ["Trauma, n (%)", "12 (26.7)", "9 (20.5)"], caption="Baseline characteristics.")
    part = a_table(
        ["", "Aspirin (n = 30)", "Placebo (n = 30)"], ["Trauma, n (%)", "8 (26.7)", "6 (20.0)"],
        caption="Per-protocol analysis.", label="Table 2",
    )  # fmt: skip
    assert ask_paper("trauma", everyone, part).state is AnswerState.UNCLEAR


def test_what_does_not_change_is_answered_from_the_beginning() -> None:
    table = a_table(_ARMS, ["Age, mean (SD)", "61.2 (9.1)", "60.4 (8.8)"], caption="Baseline characteristics.")
    assert numbers_in(ask_paper("age", table, kind=_MEANS)) == ("61.2", "9.1", "45", "60.4", "8.8", "44")


def test_of_captions_the_one_that_names_nothing_else() -> None:
    both = a_table(
        _ARMS, ["Whole cohort", "20 (44.4)", "15 (34.1)"], caption="Diarrhoea, nausea or rash after treatment."
    )
    alone = a_table(
        _ARMS, ["Whole cohort", "12 (26.7)", "9 (20.5)"], caption="Diarrhoea after treatment.", label="Table 2"
    )
    assert numbers_in(ask_paper("diarrhoea", both, alone)) == ("12", "45", "9", "44")


def test_the_whole_is_not_the_answer_about_one_sex() -> None:
    rows = ["Whole cohort", "12 (26.7)", "9 (20.5)"], ["Male", "5 (11.1)", "4 (9.1)"]
    table = a_table(_ARMS, *rows, caption="Diarrhoea after treatment.")
    assert numbers_in(ask_paper("diarrhoea in males", table)) != ("12", "45", "9", "44")


def test_the_placebo_is_neither_of_two_kinds_of_people_with_one_treatment() -> None:
    table = a_table(["", "Placebo (n = 44)", "Aspirin (n = 45)"], ["Stroke, n (%)", "9 (20.5)", "12 (26.7)"])
    answer = ask_paper(
        "stroke", table, intervention="aspirin in smokers", comparator="aspirin in nonsmokers",
        text="Placebo was given to smokers. Aspirin was given to nonsmokers.",
    )  # fmt: skip
    assert answer.state is not AnswerState.REPORTED


def test_people_allocated_to_one_thing_and_to_another() -> None:
    table = a_table(["", "Walking", "Control"], ["Distance, mean (SD)", "500 (68)", "372.9 (46.9)"])
    answer = ask_paper(
        "distance", table, kind=_MEANS, intervention="walking", comparator="control",
        text="Ten patients were allocated to walking and twelve to placebo groups.",
    )  # fmt: skip
    assert numbers_in(answer) == ("500", "68", "10", "372.9", "46.9", "12")


def test_a_label_in_the_first_of_two_columns_goes_on_below_itself() -> None:
    table = a_table(
        ["", "", "Aspirin (n = 45)", "Placebo (n = 44)"],
        ["Stone side", "left kidney", "12 (26.7)", "9 (20.5)"],
        ["", "right kidney", "33 (73.3)", "35 (79.5)"],
        ["Hydronephrosis", "left kidney", "5 (11.1)", "4 (9.1)"],
        ["", "right kidney", "7 (15.6)", "6 (13.6)"],
    )
    assert numbers_in(ask_paper("hydronephrosis in right kidney", table)) == ("7", "45", "6", "44")


def test_a_header_border_read_one_column_off_is_put_right_by_the_names_below() -> None:
    table = a_table(
        ["", "Placebo (n = 44)", "Aspirin (n = 45)", "", ""],
        ["", "Pre", "Post", "Pre", "Post"],
        ["Walking, mean (SD)", "10.3 (5.4)", "8.6 (4.2)", "10.2 (6.5)", "9.1 (5.2)"],
        headers=2,
    )
    answer = ask_paper("walking", table, kind=_MEANS)
    assert numbers_in(answer) == ("9.1", "5.2", "45", "8.6", "4.2", "44")


def test_the_mean_of_some_people_has_not_the_size_of_the_arm() -> None:
    table = a_table(_ARMS, ["Depression, mean (SD)", "", ""], [" Patients with mania", "8.2 (3.1)", "7.9 (2.8)"])
    answer = ask_paper("depression in patients with mania", table, kind=_MEANS)
    assert answer.state is not AnswerState.REPORTED


def test_a_dose_that_was_not_asked_for_is_no_placebo() -> None:
    table = a_table(
        ["", "Placebo (n = 12)", "Camicinal", ""],
        ["", "", "50 mg (n = 15)", "75 mg (n = 6)"],
        ["Vomiting, n (%)", "2 (17)", "1 (7)", "0 (0)"],
        headers=2,
    )
    answer = ask_paper("vomiting", table, intervention="camicinal 50 mg", comparator="placebo")
    assert answer.state is not AnswerState.REPORTED or numbers_in(answer) == ("1", "15", "2", "12")
