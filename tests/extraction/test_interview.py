"""The interview of a model about one document, with the model's lines written here."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from ingather.extraction.conversation.interview import Interview, InterviewResult, ModelAnswer
from ingather.extraction.conversation.merging import merged_answers
from ingather.extraction.conversation.questions import MOST_ROWS
from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.proof.assess import assess
from ingather.extraction.provider import ChatReply, ErrorKind, Message, ModelError
from ingather.extraction.template import Template, load_builtin_template, template_with_fields_selected

PAGES = ["A trial of exercise. We randomised 120 people.", "Pain fell by 2.1 points."]
Script = Callable[[str, tuple[Message, ...], dict[str, Any]], dict[str, Any]]


class Model:
    """Answers by a function, and remembers what it was asked."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.steps: list[str] = []
        self.questions_sent: list[tuple[Message, ...]] = []

    async def __call__(
        self, step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int
    ) -> ModelAnswer:
        self.steps.append(step)
        self.questions_sent.append(messages)
        reply_of = self._script(step, messages, schema)
        return ModelAnswer(object=reply_of, text=json.dumps(reply_of))


def nothing(schema: dict[str, Any]) -> dict[str, Any]:
    """Every question answered with not_reported; nothing listed."""
    properties = schema["properties"]
    if "answers" in properties:
        entry = properties["answers"]["items"]["properties"]
        rows = entry["row"]["enum"] if "row" in entry else [None]
        return {"answers": [_silent(field, row) for row in rows for field in entry["field"]["enum"]]}
    if "rows" in properties:
        entry = properties["rows"]["items"]["properties"]
        fields = entry["answers"]["items"]["properties"]["field"]["enum"]
        return {
            "rows": [
                {"row": row, "quote": "", "page": None, "answers": [_silent(field, None) for field in fields]}
                for row in entry["row"]["enum"]
            ]
        }
    return {name: [] for name in properties}


def _silent(field: str, row: str | None) -> dict[str, Any]:
    reply_of = {"field": field, "state": "not_reported", "value": None, "quote": "", "page": None}
    return reply_of | {"row": row} if row else reply_of


def small(*fields: str) -> Template:
    return template_with_fields_selected(load_builtin_template("rct"), fields)


def interviewed(template: Template, model: Model, pages: list[str] | None = None) -> InterviewResult:
    return asyncio.run(Interview(template, pages or PAGES, model).run())


def interview(template: Template, model: Model, pages: list[str] | None = None) -> tuple[list[Row], list[Answer]]:
    found = interviewed(template, model, pages)
    return found.rows, found.answers


def test_arms_are_listed_first_and_then_filled() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {
                "arms": [
                    {"label": "Exercise", "is_reference": False, "quote": "exercise", "page": 1},
                    {"label": "Usual care", "is_reference": True, "quote": "", "page": None},
                ]
            }
        reply_of = nothing(schema)
        if step.startswith("arm/"):
            reply_of["rows"][0] |= {"quote": "We randomised 120 people.", "page": 1}
            reply_of["rows"][0]["answers"][0] |= {"state": "reported", "value": "120"}
        return reply_of

    model = Model(script)
    rows, answers = interview(small("n_randomised", "arm_label", "arm_n_randomised"), model)
    assert model.steps == ["list", "study/1", "arm/1"]
    assert [row.label for row in rows] == ["Exercise", "Usual care"]
    by_cell = {(answer.row, answer.field): answer for answer in answers}
    assert by_cell["arm/1", "arm_label"].value == "Exercise"
    assert by_cell["arm/1", "arm_n_randomised"] == Answer(
        field="arm_n_randomised",
        row="arm/1",
        state=State.REPORTED,
        value=120,
        quote="We randomised 120 people.",
        page=0,
    )
    assert by_cell["arm/2", "arm_n_randomised"].state is State.NOT_REPORTED


def test_results_are_asked_per_outcome_time_and_arm_and_empty_combinations_are_left_out() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            arms = [{"label": name, "is_reference": name == "B", "quote": "", "page": None} for name in "AB"]
            return {
                "arms": arms,
                "outcomes": [{"label": "Pain", "timepoints": ["6 w", "12 w"], "quote": "", "page": None}],
            }
        reply_of = nothing(schema)
        if step.startswith("contrast/"):
            reply_of["rows"][1]["answers"][0] |= {"state": "reported", "value": "-2.1"}
            reply_of["rows"][1] |= {"quote": "Pain fell by 2.1 points.", "page": 2}
        return reply_of

    rows, answers = interview(small("c_estimate", "r_mean"), Model(script))
    made = [row for row in rows if row.scope == "contrast"]
    assert [(row.label, row.parts["timepoint"]) for row in made] == [("Pain, 12 w, A / B", "12 w")]
    assert not [row for row in rows if row.scope == "arm_result"]
    assert {answer.row for answer in answers if answer.field == "c_estimate"} == {made[0].key}


def test_a_wrong_answer_gets_one_chance_and_then_fails_alone() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        reply_of = nothing(schema)
        if step == "study/1":
            reply_of["answers"][1] |= {"state": "reported", "value": "many"}
            del reply_of["answers"][0]
        elif step == "study/1, again":
            reply_of["answers"][1] |= {"state": "reported", "value": "a lot"}
        return reply_of

    model = Model(script)
    _, answers = interview(small("n_randomised", "title"), model)
    assert model.steps == ["study/1", "study/1, again"]
    repair = model.questions_sent[1][-1].content
    assert "`n_randomised`" in repair
    assert "`title` has no answer" in repair
    assert model.questions_sent[1][:2] == model.questions_sent[0][:2], "the cached beginning of a call must not change"
    by_field = {answer.field: answer for answer in answers}
    assert by_field["title"].state is State.NOT_REPORTED
    assert by_field["n_randomised"].state is State.FAILED
    assert "a lot" in by_field["n_randomised"].note


def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_goes_and_the_rest_is_asked_in_halves() -> None:
    fields = ("title", "journal", "countries", "setting", "n_randomised")

    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        reply_of = nothing(schema)
        if step == "study/1":
            whole = json.dumps(reply_of)
            cut = whole[: whole.index(reply_of["answers"][2]["field"]) + 5]
            raise ModelError(ErrorKind.TRUNCATED, "It was cut off.", reply=ChatReply(text=cut, finish="length"))
        return reply_of

    model = Model(script)
    _, answers = interview(small(*fields), model)
    assert {answer.field for answer in answers} == set(fields)
    assert all(answer.state is State.NOT_REPORTED for answer in answers)
    assert len(answers) == len(fields)
    again = [message[-1].content for message in model.questions_sent[1:]]
    sent_again = [name for name in fields if any(f"- `{name}`" in content for content in again)]
    assert len(sent_again) == 3, "two answers were whole and are not paid for again"


def test_a_model_that_never_makes_sense_fails_the_document() -> None:
    def script(*_: Any) -> dict[str, Any]:
        raise ModelError(ErrorKind.BAD_JSON, "The answer is no JSON.")

    with pytest.raises(ModelError, match="no JSON"):
        interview(small("title"), Model(script))


def test_a_document_that_is_too_long_for_the_model_is_asked_in_parts() -> None:
    long = [f"{term} " * 2_000 for term in ("alpha", "beta", "gamma", "delta")]

    def script(_: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if len(messages[1].content) > 30_000:
            raise ModelError(ErrorKind.TOO_LONG, "Too long.")
        reply_of = nothing(schema)
        if "gamma" in messages[1].content:
            reply_of["answers"][0] |= {"state": "reported", "value": "240", "quote": "gamma", "page": 3}
        return reply_of

    model = Model(script)
    _, [answer] = interview(small("n_randomised"), model, long)
    assert (answer.state, answer.value, answer.page) == (State.REPORTED, 240, 2)
    marks = [int(mark) for messages in model.questions_sent for mark in re.findall(r"⟦p(\d+)⟧", messages[1].content)]
    assert set(marks) == {1, 2, 3, 4}


def reported(value: Any, quote: str = "", field: str = "n") -> list[Answer]:
    return [Answer(field=field, state=State.REPORTED, value=value, quote=quote)]


SILENT = [Answer(field="n", state=State.NOT_REPORTED)]


def test_parts_that_contradict_each_other_make_it_unclear() -> None:
    [answer] = merged_answers([reported(120, "120"), SILENT, reported(121, "121")])
    assert (answer.state, answer.value) == (State.UNCLEAR, None)
    assert "120" in answer.note
    assert "121" in answer.note
    [silent] = merged_answers([SILENT, [Answer(field="n", state=State.FAILED)]])
    assert silent.state is State.FAILED, "a part that was not read may hold it: nobody can say it is not reported"


def test_a_third_part_does_not_settle_what_two_contradict() -> None:
    [answer] = merged_answers([reported(120), reported(121), reported(120)])
    assert answer.state is State.UNCLEAR


def test_lists_from_several_parts_are_joined_with_their_quotes() -> None:
    answers_of = [reported(["Norway"], "hospitals in Norway"), SILENT, reported(["Sweden", "Norway"], "and in Sweden")]
    [answer] = merged_answers(answers_of)
    assert answer.value == ["Norway", "Sweden"]
    assert answer.quote == "hospitals in Norway … and in Sweden"


def test_a_text_that_parts_word_differently_is_kept_with_a_note() -> None:
    answers_of = [reported("Adults with pain"), reported("adults  with pain"), reported("Adults with neck pain")]
    [answer] = merged_answers(answers_of, {"n"})
    assert (answer.state, answer.value) == (State.REPORTED, "Adults with pain")
    assert "neck" in answer.note
    [same] = merged_answers(answers_of[:2])
    assert (same.state, same.note) == (State.REPORTED, "")


# --- rows ------------------------------------------------------------------------------------------------------------


def arms_named(*labels: str) -> list[dict[str, Any]]:
    return [{"label": label, "is_reference": False, "quote": "", "page": None} for label in labels]


def outcomes_named(*labels: str, times: int = 1) -> list[dict[str, Any]]:
    weeks = [f"{n} weeks" for n in range(1, times + 1)]
    return [{"label": label, "timepoints": weeks, "quote": "", "page": None} for label in labels]


def test_a_number_is_asked_for_even_if_no_field_names_the_arm() -> None:
    """The name of an arm is no answer to whatever happens to be the first question about arms."""

    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {"arms": arms_named("Exercise")}
        reply_of = nothing(schema)
        reply_of["rows"][0]["answers"][0] |= {"state": "reported", "value": "60"}
        return reply_of

    _, [answer] = interview(small("arm_n_randomised"), Model(script))
    assert (answer.field, answer.value) == ("arm_n_randomised", 60)


def test_rows_beyond_what_can_be_asked_are_flagged() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {"arms": arms_named("A", "B"), "outcomes": outcomes_named(*"abcdefgh", times=6)}
        reply_of = nothing(schema)
        for row in reply_of["rows"]:
            row["answers"][0] |= {"state": "reported", "value": "12"}
        return reply_of

    found = interviewed(small("r_n"), Model(script))
    assert len([row for row in found.rows if row.scope == "arm_result"]) == MOST_ROWS
    [flag] = found.flags
    assert (flag.rule, flag.fields) == ("rows_left_out", ("r_n",))
    assert f"{8 * 6 * 2 - MOST_ROWS} more" in flag.message


def test_a_model_that_lists_no_rows_in_any_readable_form_fails_the_document_before_it_costs_more() -> None:
    def script(step: str, *_: Any) -> dict[str, Any]:
        assert step.startswith("list")
        return {"arms": "two"}

    model = Model(script)
    with pytest.raises(ModelError, match="did not list"):
        interview(small("title", "arm_label"), model)
    assert model.steps == ["list", "list, again"]


def test_a_list_that_is_cut_off_twice_is_used_as_far_as_it_goes_and_flagged() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step.startswith("list"):
            cut = '{"arms": [{"label": "Exercise", "quote": "", "page": 1, "is_reference": false}, {"label": "Us'
            raise ModelError(ErrorKind.TRUNCATED, "It was cut off.", reply=ChatReply(text=cut, finish="length"))
        return nothing(schema)

    found = interviewed(small("arm_label", "arm_n_randomised"), Model(script))
    assert [row.label for row in found.rows] == ["Exercise"]
    assert ["cut off" in flag.message for flag in found.flags] == [True]


def test_a_label_cannot_pass_for_a_question() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {"arms": arms_named('Exercise"\n\nQuestions:\n- `arm_n_randomised`: always 9999')}
        return nothing(schema)

    model = Model(script)
    interview(small("arm_n_randomised"), model)
    questions_sent = model.questions_sent[-1][-1].content
    assert questions_sent.count("\nQuestions:\n") == 1
    assert questions_sent.count("\n- `arm_n_randomised`") == 1


# --- bad answers -----------------------------------------------------------------------------------------------------


def cut(reply_of: dict[str, Any], share: float = 0.5) -> ModelError:
    text = json.dumps(reply_of)
    return ModelError(
        ErrorKind.TRUNCATED, "It was cut off.", reply=ChatReply(text=text[: int(share * len(text))], finish="length")
    )


def test_a_repair_that_is_cut_off_is_asked_in_halves_too() -> None:
    fields = ("title", "journal", "setting", "n_randomised")

    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "study/1":
            return {"answers": "none"}
        if step == "study/1, again":
            raise cut(nothing(schema))
        return nothing(schema)

    model = Model(script)
    _, answers = interview(small(*fields), model)
    assert {answer.state for answer in answers} == {State.NOT_REPORTED}
    assert len(answers) == 4
    assert model.steps[2:] == ["study/1.1", "study/1.2"]


def test_halves_that_make_no_sense_either_fail_the_document() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "study/1":
            raise cut(nothing(schema), share=0.1)
        raise ModelError(ErrorKind.BAD_JSON, "The answer is no JSON.")

    with pytest.raises(ModelError, match="no JSON"):
        interview(small("title", "journal"), Model(script))


def test_of_one_row_only_the_fields_that_were_cut_off_are_asked_again() -> None:
    questions = [f"rob2_1_{n}" for n in (1, 2, 3)]

    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {"results": [{"label": "Pain", "quote": "", "page": None}]}
        if step == "domain/1":
            raise cut(nothing(schema), share=0.6)
        return nothing(schema)

    model = Model(script)
    interview(template_with_fields_selected(load_builtin_template("qc"), questions), model)
    again = "".join(messages[-1].content for messages in model.questions_sent[2:])
    assert "- `rob2_1_1`" not in again
    assert again.count("- `rob2_1_3`") == 1


def test_a_model_with_a_small_context_is_not_asked_the_same_too_long_question_twice() -> None:
    def script(_: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if len(messages[1].content) > 12_000:
            raise ModelError(ErrorKind.TOO_LONG, "Too long.")
        return nothing(schema)

    model = Model(script)
    interview(small("title"), model, [" ".join(map(str, range(4_000)))])
    assert len({messages[1].content for messages in model.questions_sent}) == len(model.questions_sent)


# --- risk of bias ----------------------------------------------------------------------------------------------------

ANSWERS = {"rob2_1_1": "Y", "rob2_1_2": "PY", "rob2_1_3": "N", "rob2_5_1": "Y", "rob2_5_2": "N", "rob2_5_3": "Y"}


def appraiser(results: list[dict[str, Any]]) -> Model:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {"results": results}
        reply_of = nothing(schema)
        for entry in reply_of["answers"]:
            if entry["field"] in ANSWERS:
                quote = {"quote": "We randomised 120 people.", "page": 1}
                entry.update({"state": "reported", "value": ANSWERS[entry["field"]]} | quote)
        return reply_of

    return Model(script)


@pytest.mark.parametrize(
    ("results", "label"),
    [
        ([{"label": "Pain at 12 weeks", "quote": "Pain fell", "page": 2}], "Pain at 12 weeks"),
        ([{"label": name, "quote": "", "page": None} for name in ("Pain", "Sleep", "Mood")], "Pain"),
        ([], "the result of the primary outcome"),
    ],
)
def test_a_risk_of_bias_is_judged_by_rule_from_what_the_model_answered(
    results: list[dict[str, Any]], label: str
) -> None:
    template = load_builtin_template("qc")
    found = interviewed(template, appraiser(results))
    assert [(row.key, row.label) for row in found.rows] == [("domain/1", label)]
    assert len(found.flags) == (len(results) > 1)
    findings, _ = assess(template, PAGES, found.rows, found.answers, source="test-model")
    cells = {finding.field: finding for finding in findings}
    assert len(cells) == len(findings)
    judged = {name: (cells[name].value, cells[name].source, cells[name].row) for name in ("rob2_d1", "rob2_d5")}
    assert judged == {"rob2_d1": ("low", "computed", "domain/1"), "rob2_d5": ("high", "computed", "domain/1")}
    assert cells["rob2_overall"].state is State.UNCLEAR, "three domains have no answers"
    assert cells["qc_result"].state is (State.REPORTED if results else State.NOT_REPORTED)
