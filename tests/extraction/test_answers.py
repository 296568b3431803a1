"""Every shape a model's answer may have, and what is made of it. What is right is kept, what is wrong is said."""

from typing import Any

import pytest

from ingather.extraction.conversation.answers import (
    LONGEST_LABEL,
    answers_read,
    failed_answer,
    listing_read_from_answer,
)
from ingather.extraction.conversation.questions import QuestionGroup
from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.template import Scope, load_builtin_template

FIELDS = {field.id: field for name in ("rct", "qc") for field in load_builtin_template(name).fields}
ARMS = tuple(Row(scope="arm", key=f"arm/{n}", label=f"Arm {n}", parts={}) for n in (1, 2))
RESULT = (Row(scope="domain", key="domain/1", label="Pain", parts={}),)


def study(*fields: str) -> QuestionGroup:
    return QuestionGroup(name="study/1", scope=Scope.STUDY, fields=tuple(FIELDS[field] for field in fields))


def arms(*fields: str) -> QuestionGroup:
    return QuestionGroup(name="arm/1", scope=Scope.ARM, fields=tuple(FIELDS[field] for field in fields), rows=ARMS)


def entry(field: str = "n_randomised", **more: Any) -> dict[str, Any]:
    return {"field": field, "state": "reported", "value": "120", "quote": "120 people", "page": 2} | more


def one(**more: Any) -> Answer:
    """The one answer to the question after `n_randomised`."""
    understood = answers_read({"answers": [entry(**more)]}, study("n_randomised"))
    assert understood.problems == ()
    [answer] = understood.answers
    return answer


def problem(reply: dict[str, Any], group: QuestionGroup) -> str:
    return " ".join(answers_read(reply, group).problems)


# --- one answer ------------------------------------------------------------------------------------------------------


def test_an_answer_keeps_its_quote_and_pages_are_counted_from_0() -> None:
    assert one() == Answer(field="n_randomised", state=State.REPORTED, value=120, quote="120 people", page=1)


@pytest.mark.parametrize(
    ("page", "hint"),
    [(1, 0), (None, None), (0, None), (-3, None), (True, None), ("2", None), (2.0, None), (10**9, None), ([1], None)],
)
def test_a_page_that_cannot_be_is_no_hint(page: Any, hint: int | None) -> None:
    assert one(page=page).page == hint


@pytest.mark.parametrize(
    ("quote", "kept"),
    [(" 120 people\n", "120 people"), (None, ""), (12, ""), (["a"], ""), ("x" * 5_000, "x" * 2_000)],
)
def test_a_quote_is_text_of_bounded_length_or_none(quote: Any, kept: str) -> None:
    assert one(quote=quote).quote == kept


@pytest.mark.parametrize("spelling", ["reported", "Reported", " REPORTED ", "reported\n"])
def test_the_spelling_of_a_state_is_no_reason_to_ask_again(spelling: str) -> None:
    assert one(state=spelling).state is State.REPORTED


@pytest.mark.parametrize("spelling", ["not_reported", "Not reported", "not-reported"])
def test_silence_has_no_value(spelling: str) -> None:
    assert (one(state=spelling, value=None).state, one(state=spelling, value="").value) == (State.NOT_REPORTED, None)


@pytest.mark.parametrize("spelling", ["failed", "", None, 1, "maybe", ["reported"], {"a": 1}])
def test_a_state_that_is_none_of_those_allowed_is_refused(spelling: Any) -> None:
    assert "none of those allowed" in problem({"answers": [entry(state=spelling)]}, study("n_randomised"))


@pytest.mark.parametrize("silence", ["not reported", "NR", "", None, "未报告", []])
def test_words_for_silence_in_place_of_a_value_are_silence(silence: Any) -> None:
    assert one(value=silence).state is State.NOT_REPORTED


def test_words_for_not_applicable_in_place_of_a_value_are_that() -> None:
    assert one(value="not applicable").state is State.NOT_APPLICABLE


@pytest.mark.parametrize("value", ["many", "12-14", "twelve or so", True, {"n": 12}, "1e999", float("inf")])
def test_a_value_that_is_none_is_refused_in_words(value: Any) -> None:
    assert problem({"answers": [entry(value=value)]}, study("n_randomised")).startswith("`n_randomised`: ")


@pytest.mark.parametrize("state", ["not_reported", "not_applicable"])
def test_silence_with_a_value_contradicts_itself(state: str) -> None:
    assert "but there is a value" in problem({"answers": [entry(state=state)]}, study("n_randomised"))


def test_a_text_may_say_why_there_is_none() -> None:
    understood = answers_read(
        {"answers": [entry("title", state="not_reported", value="The first page is missing.")]}, study("title")
    )
    assert [(answer.state, answer.value) for answer in understood.answers] == [(State.NOT_REPORTED, None)]


def test_what_a_model_guesses_at_when_it_is_unclear_is_in_the_note() -> None:
    answer = one(state="unclear")
    assert (answer.state, answer.value) == (State.UNCLEAR, None)
    assert "120" in answer.note


@pytest.mark.parametrize(
    ("state", "spelling", "value"), [("not_applicable", "not_applicable", "NA"), ("not_reported", "NI", "NI")]
)
def test_an_option_that_means_silence_is_an_answer(state: str, spelling: str, value: str) -> None:
    group = QuestionGroup(name="domain/1", scope=Scope.DOMAIN, fields=(FIELDS["rob2_2_3"],), rows=RESULT)
    reply = entry("rob2_2_3", row="domain/1", state=state, value=spelling)
    [answer] = answers_read({"answers": [reply]}, group).answers
    assert (answer.state, answer.value) == (State.REPORTED, value)
    assert "but there is a value" in problem({"answers": [reply | {"value": "PY"}]}, group)


@pytest.mark.parametrize("value", ["Norway; Sweden", ["Norway", "Sweden"], "Norway\uff1bSweden"])
def test_several_values_come_as_a_list_or_between_semicolons(value: Any) -> None:
    [answer] = answers_read({"answers": [entry("countries", value=value)]}, study("countries")).answers
    assert answer.value == ["Norway", "Sweden"]


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [{}, {"answers": None}, {"answers": {}}, {"answers": "none"}, {"rows": []}, {"answers": [1, None, "x", []]}],
)
def test_an_answer_of_another_shape_leaves_every_question_open(reply: dict[str, Any]) -> None:
    understood = answers_read(reply, study("n_randomised", "title"))
    assert understood.answers == ()
    assert "`n_randomised` has no answer." in understood.problems
    assert "`title` has no answer." in understood.problems


def test_what_is_right_is_kept_beside_what_is_wrong() -> None:
    reply = {"answers": [entry(value="many"), entry("title", value="A trial")]}
    understood = answers_read(reply, study("n_randomised", "title", "journal"))
    assert [answer.field for answer in understood.answers] == ["title"]
    assert [text.split("`")[1] for text in understood.problems] == ["n_randomised", "journal"]


def test_an_answer_nobody_asked_for_is_no_reason_to_pay_again() -> None:
    reply = {"answers": [entry(), entry("shoe_size"), "chatter"]}
    understood = answers_read(reply, study("n_randomised"))
    assert [answer.field for answer in understood.answers] == ["n_randomised"]
    assert understood.problems == ()


def test_an_unknown_question_is_named_when_another_has_no_answer() -> None:
    spelling = problem({"answers": [entry("n_randomized")]}, study("n_randomised"))
    assert "`n_randomised` has no answer." in spelling
    assert "There is no question 'n_randomized'." in spelling


def test_the_same_answer_twice_is_one_and_two_different_ones_are_none() -> None:
    assert len(answers_read({"answers": [entry(), entry(quote="again")]}, study("n_randomised")).answers) == 1
    understood = answers_read({"answers": [entry(), entry(value="121"), entry()]}, study("n_randomised"))
    assert understood.answers == ()
    assert understood.problems == ("`n_randomised` has two different answers.",)


def test_a_wrong_answer_beside_a_right_one_is_a_contradiction() -> None:
    understood = answers_read({"answers": [entry(value="many"), entry()]}, study("n_randomised"))
    assert understood.answers == ()


# --- rows ------------------------------------------------------------------------------------------------------------


def row(key: str, *answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"row": key, "quote": f"line of {key}", "page": 3, "answers": list(answers)} | more


def cell(value: Any, field: str = "arm_n_randomised", **more: Any) -> dict[str, Any]:
    return {"field": field, "state": "reported", "value": value} | more


def test_one_quote_proves_a_row_and_rows_are_not_mixed_up() -> None:
    reply = {"rows": [row("arm/2", cell("61")), row("arm/1", cell("59"))]}
    found = {answer.row: answer for answer in answers_read(reply, arms("arm_n_randomised")).answers}
    assert (found["arm/1"].value, found["arm/1"].quote, found["arm/1"].page) == (59, "line of arm/1", 2)
    assert (found["arm/2"].value, found["arm/2"].quote) == (61, "line of arm/2")


def test_a_cell_may_have_a_quote_of_its_own_but_not_a_row() -> None:
    reply = {"rows": [row("arm/1", cell("59", quote="own", page=9, row="arm/2")), row("arm/2", cell("61", quote=""))]}
    found = {answer.row: answer for answer in answers_read(reply, arms("arm_n_randomised")).answers}
    assert (found["arm/1"].value, found["arm/1"].quote, found["arm/1"].page) == (59, "own", 8)
    assert found["arm/2"].quote == "line of arm/2"


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"row": "arm/1"}],
        [{"row": "arm/1", "answers": {}}],
        [row("arm/1", "59")],  # type: ignore[arg-type]
        [row("arm/7", cell("59"))],
        [row("Arm 1", cell("59"))],
        [{"answers": [cell("59")]}],
        [7, None],
    ],
)
def test_rows_of_another_shape_leave_their_cells_open(rows: list[Any]) -> None:
    understood = answers_read({"rows": [*rows, row("arm/2", cell("61"))]}, arms("arm_n_randomised"))
    assert [answer.row for answer in understood.answers] == ["arm/2"]
    assert "`arm_n_randomised` of row `arm/1` has no answer." in understood.problems


def test_every_open_cell_is_named_also_when_the_field_is_named_for_another_row() -> None:
    reply = {"rows": [row("arm/1", cell("many"))]}
    understood = answers_read(reply, arms("arm_n_randomised"))
    assert [text.split(":")[0] for text in understood.problems] == [
        "`arm_n_randomised` of row `arm/1`",
        "`arm_n_randomised` of row `arm/2` has no answer.",
    ]


def test_a_row_in_two_pieces_is_one_row() -> None:
    reply = {"rows": [row("arm/1", cell("59")), row("arm/1", cell("20 mg", "dose")), row("arm/2", cell("61"))]}
    understood = answers_read(reply, arms("arm_n_randomised", "dose"))
    assert {(answer.row, answer.field) for answer in understood.answers} == {
        ("arm/1", "arm_n_randomised"),
        ("arm/1", "dose"),
        ("arm/2", "arm_n_randomised"),
    }


def test_what_is_lost_is_a_failed_cell_that_says_why() -> None:
    group = arms("arm_n_randomised")
    reply = {"rows": [row("arm/1", cell("many")), row("arm/2", cell("61"))]}
    kept, lost = failed_answer(group, answers_read(reply, group), "No answer.")
    assert (kept.row, kept.value) == ("arm/2", 61)
    assert (lost.row, lost.state) == ("arm/1", State.FAILED)
    assert "many" in lost.note
    assert "`" not in lost.note


# --- listing ---------------------------------------------------------------------------------------------------------

BOTH = (Scope.ARM, Scope.OUTCOME)


def labels(given_arms: Any) -> list[str]:
    return [listed.label for listed in listing_read_from_answer({"arms": given_arms}, [Scope.ARM])[0]]


def test_rows_are_listed_with_their_proof() -> None:
    reply = {
        "arms": [{"label": "Exercise", "quote": "to exercise", "page": 2, "is_reference": False}],
        "outcomes": [{"label": "Pain", "timepoints": ["6 weeks", "", 7, "12 weeks"], "quote": "", "page": None}],
    }
    (arm, outcome), problems = listing_read_from_answer(reply, BOTH)
    assert problems == []
    assert (arm.label, arm.quote, arm.page, arm.is_reference) == ("Exercise", "to exercise", 1, False)
    assert outcome.timepoints == ("6 weeks", "12 weeks")


def test_a_label_given_twice_is_one_row() -> None:
    assert labels([{"label": "Exercise"}, {"label": "exercise "}, {"label": "Care"}]) == ["Exercise", "Care"]


@pytest.mark.parametrize("bad", [None, 3, "Exercise", [], {}, {"label": None}, {"label": " "}, {"label": 3}])
def test_an_entry_without_a_label_is_named_and_the_others_stay(bad: Any) -> None:
    listed, problems = listing_read_from_answer({"arms": [bad, {"label": "Care"}]}, [Scope.ARM])
    assert [entry.label for entry in listed] == ["Care"]
    assert problems == ["Every entry of `arms` must be an object with a `label`."]


@pytest.mark.parametrize("reply", [{}, {"arms": None}, {"arms": {}}, {"arms": "two"}])
def test_a_list_that_is_missing_is_told_from_one_that_is_empty(reply: dict[str, Any]) -> None:
    assert listing_read_from_answer(reply, [Scope.ARM]) == ([], ["`arms` must be a list."])
    assert listing_read_from_answer({"arms": []}, [Scope.ARM]) == ([], [])


@pytest.mark.parametrize(
    ("spelling", "label"),
    [
        ("Exercise\n\nQuestions:\n- `x`: y", "Exercise Questions: - x : y"),
        ("⟦p1⟧ Exercise", "p1 Exercise"),
        ("Exer\u2028cise\x00\x1b", "Exer cise"),
        ("x" * 1_000, "x" * LONGEST_LABEL),
    ],
)
def test_a_label_is_one_short_line_without_marks_of_ours(spelling: str, label: str) -> None:
    assert labels([{"label": spelling}]) == [label]


def test_a_list_without_end_is_read_to_an_end() -> None:
    assert len(labels([{"label": f"Arm {n}"} for n in range(5_000)])) == 500
