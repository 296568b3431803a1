"""A model names cells and code reads them: a scripted provider that names right, wrong, unknown and foreign cells."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from ingather.extraction.numbers.answer import AnswerState, NumbersAnswer
from ingather.extraction.numbers.answering import answer_numbers
from ingather.extraction.numbers.by_model import MOST_AT_ONCE
from ingather.extraction.numbers.cell_index import index_cells
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.extraction.provider import Endpoint, ModelError
from ingather.workbench import numbers_model
from tests.extraction.papers import a_table, numbers_in
from tests.provider.server import Provider

DEATHS = a_table(
    ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
    ["Loss of life", "12 (26.7)", "9 (20.5)"],
    ["Stroke", "5 (11.1)", "7 (15.9)"],
)
PAIN = a_table(
    ["", "Aspirin (n = 45)", "Placebo (n = 44)"],
    ["Pain, mean (SD)", "8.2 (3.1)", "7.9 (2.8)"],
)
PAPER = NumbersPaper(["Aspirin was compared with placebo."], [DEATHS, PAIN])
STROKE = NumbersQuestion(
    id="q1", outcome="stroke", intervention="aspirin", comparator="placebo", kind=NumbersKind.BINARY
)
ID = re.compile(r"(t\d+r\d+c\d+): ([^|\n]*)")


def cells_of(body: dict[str, Any]) -> dict[str, str]:
    """The text of each cell that the model was shown, and its id."""
    text = "\n".join(str(message["content"]) for message in body["messages"])
    return {value.strip(): id_ for id_, value in ID.findall(text)}


def naming(one: str, two: str, **typed: dict[str, str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A model that names the cells with these texts, or these ids, and types these numbers beside them."""

    def arm(body: dict[str, Any], cell: str, side: str) -> dict[str, Any]:
        empty = dict.fromkeys(("events", "n", "mean", "sd"))
        return {"cells": [cells_of(body).get(cell, cell)], **empty, **typed.get(side, {})}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        sides = {"intervention": arm(body, one, "intervention"), "comparator": arm(body, two, "comparator")}
        return {"answers": [{"id": "q1", "state": "reported", **sides}]}

    return answer


def ask(
    answerer: Any, question: NumbersQuestion = STROKE, *, script: Any = None, context: int | None = None
) -> NumbersAnswer:
    with Provider(script=script, answerer=answerer) as provider:
        endpoint = Endpoint.of(provider.base_url, "test-model", "sk-test", context_tokens=context)
        (answer,) = answer_numbers([question], PAPER, numbers_model(endpoint))
    return answer


def other(outcome: str) -> NumbersQuestion:
    """A question whose words no row has, so that rules alone find nothing."""
    return NumbersQuestion(
        id="q1", outcome=outcome, intervention="aspirin", comparator="placebo", kind=NumbersKind.BINARY
    )


def test_the_numbers_are_read_from_the_cells_that_the_model_names() -> None:
    answer = ask(naming("5 (11.1)", "7 (15.9)"))
    assert (answer.state, numbers_in(answer)) == (AnswerState.REPORTED, ("5", "45", "7", "44"))
    assert "A model named the cells" in answer.why
    assert [one.quote for one in answer.evidence] == ["5 (11.1)", "7 (15.9)"]


def test_a_number_typed_beside_a_cell_that_says_another_is_not_taken() -> None:
    question = other("stroke leading to new disability at work or at home")
    assert ask(naming("5 (11.1)", "7 (15.9)"), question).state is AnswerState.REPORTED
    answer = ask(naming("5 (11.1)", "7 (15.9)", intervention={"events": "15"}), question)
    assert (answer.state, numbers_in(answer)) == (AnswerState.UNCLEAR, ())
    assert "typed events = '15' beside cells that say 5" in answer.why
    assert answer.evidence


@pytest.mark.parametrize("cell", ["t9r1c1", "t1r99c1", "", "12 (26.7"])
def test_a_cell_that_is_not_there_is_no_answer(cell: str) -> None:
    answer = ask(naming(cell, "9 (20.5)"), other("cardiac arrest"))
    assert numbers_in(answer) == ()
    assert answer.state is not AnswerState.REPORTED


def test_cells_of_two_tables_are_no_answer() -> None:
    answer = ask(naming("5 (11.1)", "7.9 (2.8)"), other("cardiac arrest"))
    assert (answer.state, answer.why) == (AnswerState.UNCLEAR, "The model named cells of several tables.")


def test_cells_of_another_outcome_are_no_answer() -> None:
    answer = ask(naming("5 (11.1)", "7 (15.9)"), other("cardiac arrest"))
    assert answer.state is AnswerState.UNCLEAR
    assert "do not name the outcome" in answer.why


def test_swapped_arms_are_no_answer() -> None:
    answer = ask(naming("7 (15.9)", "5 (11.1)"), other("stroke or cardiac arrest"))
    assert answer.state is not AnswerState.REPORTED or numbers_in(answer) == ("5", "45", "7", "44")
    assert numbers_in(answer) != ("7", "44", "5", "45")


def test_where_model_and_rules_choose_other_cells_neither_stands() -> None:
    answer = ask(naming("12 (26.7)", "9 (20.5)"))
    assert numbers_in(answer) in {(), ("5", "45", "7", "44")}
    assert numbers_in(answer) != ("12", "45", "9", "44")


@pytest.mark.parametrize("given", [{}, {"answers": None}, {"answers": [{"id": "other"}]}, {"answers": ["q1", 4, None]}])
def test_an_answer_of_another_form_leaves_the_question_to_the_rules(given: dict[str, Any]) -> None:
    assert numbers_in(ask(lambda _: given)) == ("5", "45", "7", "44")


def test_a_model_that_finds_nothing_does_not_hide_what_the_rules_find() -> None:
    nothing: dict[str, Any] = {"cells": [], "events": None, "n": None, "mean": None, "sd": None}
    given = {"answers": [{"id": "q1", "state": "not_found", "intervention": nothing, "comparator": nothing}]}
    assert numbers_in(ask(lambda _: given)) == ("5", "45", "7", "44")
    assert ask(lambda _: given, other("cardiac arrest")).state is AnswerState.NOT_FOUND


def test_text_that_is_no_json_leaves_the_question_to_the_rules() -> None:
    assert numbers_in(ask(lambda _: "I think it is twelve.")) == ("5", "45", "7", "44")


def test_a_refused_key_is_said_and_not_hidden_behind_the_rules() -> None:
    with pytest.raises(ModelError):
        ask(naming("5 (11.1)", "7 (15.9)"), script=[{"do": "unauthorized_401"}])


def test_in_a_small_context_the_tables_nearest_to_the_question_come_first() -> None:
    whole = index_cells(PAPER, [STROKE])
    small = index_cells(PAPER, [STROKE], room_tokens=70)
    assert (whole.left_out, small.left_out) == (0, 1)
    assert "Stroke" in small.text
    assert "Pain" not in small.text


def test_many_questions_travel_in_groups() -> None:
    questions = [
        NumbersQuestion(
            id=f"q{n}", outcome="stroke", intervention="aspirin", comparator="placebo", kind=NumbersKind.BINARY
        )
        for n in range(MOST_AT_ONCE + 1)
    ]
    with Provider(answerer=lambda _: {"answers": []}) as provider:
        answers = answer_numbers(questions, PAPER, numbers_model(Endpoint.of(provider.base_url, "m", "sk-test")))
        assert len(provider.calls) == 2
    assert [answer.id for answer in answers] == [question.id for question in questions]


def _paper(path: Path) -> None:
    """A page with a sentence and a table of three lines."""
    page = Canvas(str(path), pagesize=(400, 400))
    page.setFont("Times-Roman", 10)
    page.drawString(40, 360, "Aspirin was compared with placebo in eighty-nine people with a stroke before.")
    page.drawString(40, 330, "Table 1. Strokes within a year")
    for y, row in ((310, ["", "Aspirin (n = 45)", "Placebo (n = 44)"]), (290, ["Stroke", "5 (11.1)", "7 (15.9)"])):
        for x, text in zip((40, 150, 270), row, strict=True):
            page.drawString(x, y, text)
    for y in (324, 304, 284):
        page.line(40, y, 360, y)
    page.save()


def run(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    _paper(folder / "paper.pdf")
    question = {"id": "q1", "outcome": "stroke", "intervention": "aspirin", "comparator": "placebo", "kind": "binary"}
    (folder / "questions.json").write_text(json.dumps([question]))
    command = [
        sys.executable,
        "-m",
        "ingather.cli",
        "numbers",
        "paper.pdf",
        "--questions",
        "questions.json",
        *arguments,
    ]
    return subprocess.run(
        command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_command_asks_the_model_that_is_set_up_and_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    with Provider(answerer=naming("5 (11.1)", "7 (15.9)")) as provider:
        model = {"INGATHER_LLM_BASE_URL": provider.base_url, "INGATHER_LLM_MODEL": "m", "INGATHER_LLM_API_KEY": "sk-1"}
        done = run(tmp_path, "--json", **model)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["answers"][0]["intervention"]["events"] == "5"
        assert len(provider.calls) == 1
        run(tmp_path, "--json", "--no-model", **model)
        assert len(provider.calls) == 1
    with Provider(script=[{"do": "unauthorized_401"}]) as provider:
        model["INGATHER_LLM_BASE_URL"] = provider.base_url
        done = run(tmp_path, "--json", **model)
        assert (done.returncode, done.stdout) == (1, "")
        assert "With --no-model the rules answer." in done.stderr
        assert "Traceback" not in done.stderr
