"""The review's questions in a task: a model names cells, code reads them, and answers hang on the arms of the paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingather.extraction.conversation.interview import Ask
from ingather.extraction.findings import DocumentArm, Finding, Row
from ingather.extraction.numbers.answering import answer_numbers
from ingather.extraction.numbers.as_findings import answer_as_findings, arms_as_finding, rows_as_findings
from ingather.extraction.numbers.by_model import (
    FAILED,
    OF_THIS_ANSWER,
    NamedCells,
    model_request,
    question_groups_for_model,
)
from ingather.extraction.numbers.inventory import inventory_of
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.provider import ModelError
from ingather.extraction.template import ReviewQuestions
from ingather.library.port import Table

Named = Mapping[str, Mapping[str, Any]]
"""What a model said to each question: the cells it named, and the numbers it typed beside them."""

ContextTokens = Callable[[], int | None]
"""How much the model takes in one call, as far as that is known by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersReading:
    """The answers to all questions about one document, the arms they hang on, and what a model named for them."""

    rows: tuple[Row, ...] = ()
    findings: tuple[Finding, ...] = ()
    arms: tuple[DocumentArm, ...] = ()
    named: Named


NO_QUESTIONS = NumbersReading(named={})


def read_numbers(
    questions: ReviewQuestions,
    pages: Sequence[str],
    tables: Sequence[Table],
    named: Named,
    *,
    model: str | None,
    known_arms: Sequence[DocumentArm] = (),
) -> NumbersReading:
    """Read the answers from cells and sentences. The same arguments give the same answers: nobody is asked."""
    paper = NumbersPaper(pages, tables, known_arms=known_arms)
    rows = rows_as_findings(questions)
    wanted = [row.question for row in rows]
    answers = answer_numbers(wanted, paper, NamedCells(named) if named else None)
    arms = inventory_of(wanted, paper)
    return NumbersReading(
        rows=tuple(row.row for row in rows),
        findings=(
            arms_as_finding(arms),
            *(
                finding
                for row, answer in zip(rows, answers, strict=True)
                for finding in answer_as_findings(row, answer, model=model)
            ),
        ),
        arms=arms,
        named=named,
    )


async def ask_for_cells(
    questions: ReviewQuestions, pages: Sequence[str], tables: Sequence[Table], ask: Ask, context_tokens: ContextTokens
) -> dict[str, dict[str, Any]]:
    """What a model names for each question; its calls are kept and paid for like all others of a task."""
    paper = NumbersPaper(pages, tables)
    wanted = [row.question for row in rows_as_findings(questions)]
    named: dict[str, dict[str, Any]] = {}
    for number, (group, index) in enumerate(question_groups_for_model(wanted, paper, context_tokens), 1):
        request = model_request(group, index)
        try:
            answer = await ask(f"numbers/{number}", request.messages, dict(request.schema or {}), request.max_tokens)
        except ModelError as error:
            if error.kind not in OF_THIS_ANSWER:
                raise  # the next question would meet the same
            named |= {question.id: {FAILED: str(error)} for question in group}
            continue
        given = answer.object.get("answers")
        mine = {question.id for question in group}
        for one in given if isinstance(given, list) else ():
            if isinstance(one, dict) and one.get("id") in mine:
                named[str(one["id"])] = {key: value for key, value in one.items() if key != "id"}
    return named
