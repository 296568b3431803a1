"""The interview of a model about one document, with the model's lines written here."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from ingather.extraction.findings import Answer, State
from ingather.extraction.interview import Interview, Told, merged
from ingather.extraction.provider import Kind, Message, ModelError, Reply
from ingather.extraction.template import Template, load_builtin, select

PAGES = ["A trial of exercise. We randomised 120 people.", "Pain fell by 2.1 points."]
Script = Callable[[str, tuple[Message, ...], dict[str, Any]], dict[str, Any]]


class Model:
    """Answers by a function, and remembers what it was asked."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.steps: list[str] = []
        self.asked: list[tuple[Message, ...]] = []

    async def __call__(self, step: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> Told:
        self.steps.append(step)
        self.asked.append(messages)
        told = self._script(step, messages, schema)
        return Told(object=told, text=json.dumps(told))


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
    told = {"field": field, "state": "not_reported", "value": None, "quote": "", "page": None}
    return told | {"row": row} if row else told


def small(*fields: str) -> Template:
    return select(load_builtin("rct"), fields)


def interview(template: Template, model: Model, pages: list[str] | None = None, budget: int = 60_000) -> Any:
    return asyncio.run(Interview(template, pages or PAGES, model, budget=budget).run())


def test_arms_are_listed_first_and_then_filled() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if step == "list":
            return {
                "arms": [
                    {"label": "Exercise", "is_reference": False, "quote": "exercise", "page": 1},
                    {"label": "Usual care", "is_reference": True, "quote": "", "page": None},
                ]
            }
        told = nothing(schema)
        if step.startswith("arm/"):
            told["rows"][0] |= {"quote": "We randomised 120 people.", "page": 1}
            told["rows"][0]["answers"][0] |= {"state": "reported", "value": "120"}
        return told

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
        told = nothing(schema)
        if step.startswith("contrast/"):
            told["rows"][1]["answers"][0] |= {"state": "reported", "value": "-2.1"}
            told["rows"][1] |= {"quote": "Pain fell by 2.1 points.", "page": 2}
        return told

    rows, answers = interview(small("c_estimate", "r_mean"), Model(script))
    made = [row for row in rows if row.scope == "contrast"]
    assert [(row.label, row.parts["timepoint"]) for row in made] == [("Pain, 12 w, A / B", "12 w")]
    assert not [row for row in rows if row.scope == "arm_result"]
    assert {answer.row for answer in answers if answer.field == "c_estimate"} == {made[0].key}


def test_a_wrong_answer_gets_one_chance_and_then_fails_alone() -> None:
    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        told = nothing(schema)
        if step == "study/1":
            told["answers"][1] |= {"state": "reported", "value": "many"}
            del told["answers"][0]
        elif step == "study/1, again":
            told["answers"][1] |= {"state": "reported", "value": "a lot"}
        return told

    model = Model(script)
    _, answers = interview(small("n_randomised", "title"), model)
    assert model.steps == ["study/1", "study/1, again"]
    repair = model.asked[1][-1].content
    assert "`n_randomised`" in repair
    assert "`title` has no answer" in repair
    assert model.asked[1][:2] == model.asked[0][:2], "the cached beginning of a call must not change"
    by_field = {answer.field: answer for answer in answers}
    assert by_field["title"].state is State.NOT_REPORTED
    assert by_field["n_randomised"].state is State.FAILED
    assert "a lot" in by_field["n_randomised"].note


def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_goes_and_the_rest_is_asked_in_halves() -> None:
    fields = ("title", "journal", "countries", "setting", "n_randomised")

    def script(step: str, _: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        told = nothing(schema)
        if step == "study/1":
            whole = json.dumps(told)
            cut = whole[: whole.index(told["answers"][2]["field"]) + 5]
            raise ModelError(Kind.TRUNCATED, "It was cut off.", reply=Reply(text=cut, finish="length"))
        return told

    model = Model(script)
    _, answers = interview(small(*fields), model)
    assert {answer.field for answer in answers} == set(fields)
    assert all(answer.state is State.NOT_REPORTED for answer in answers)
    assert len(answers) == len(fields)
    again = [message[-1].content for message in model.asked[1:]]
    asked_again = [name for name in fields if any(f"- `{name}`" in content for content in again)]
    assert len(asked_again) == 3, "two answers were whole and are not paid for again"


def test_a_model_that_never_makes_sense_fails_the_document() -> None:
    def script(*_: Any) -> dict[str, Any]:
        raise ModelError(Kind.BAD_JSON, "The answer is no JSON.")

    with pytest.raises(ModelError, match="no JSON"):
        interview(small("title"), Model(script))


def test_a_document_that_is_too_long_for_the_model_is_asked_in_parts() -> None:
    long = [f"{word} " * 2_000 for word in ("alpha", "beta", "gamma", "delta")]

    def script(_: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> dict[str, Any]:
        if len(messages[1].content) > 30_000:
            raise ModelError(Kind.TOO_LONG, "Too long.")
        told = nothing(schema)
        if "gamma" in messages[1].content:
            told["answers"][0] |= {"state": "reported", "value": "240", "quote": "gamma", "page": 3}
        return told

    model = Model(script)
    _, [answer] = interview(small("n_randomised"), model, long)
    assert (answer.state, answer.value, answer.page) == (State.REPORTED, 240, 2)
    marks = [int(mark) for messages in model.asked for mark in re.findall(r"⟦p(\d+)⟧", messages[1].content)]
    assert set(marks) == {1, 2, 3, 4}


def test_parts_that_contradict_each_other_make_it_unclear() -> None:
    said = [
        [Answer(field="n", state=State.REPORTED, value=120, quote="120")],
        [Answer(field="n", state=State.NOT_REPORTED)],
        [Answer(field="n", state=State.REPORTED, value=121, quote="121")],
    ]
    [answer] = merged(said)
    assert (answer.state, answer.value) == (State.UNCLEAR, None)
    assert "121" in answer.note
    [silent] = merged([said[1], [Answer(field="n", state=State.FAILED)]])
    assert silent.state is State.FAILED, "a part that was not read may hold it: nobody can say it is not reported"
