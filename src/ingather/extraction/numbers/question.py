"""The questions a review asks of a paper's numbers, and how they are read from JSON."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from ingather.engine.errors import UsageError

# More questions about one paper than any review has. A longer list is most likely the wrong file.
MOST_QUESTIONS: Final = 1_000
# A text longer than this, in characters, is no name of an outcome or an arm.
_LONGEST_TEXT: Final = 4_000
_TEXTS: Final = ("id", "outcome", "intervention", "comparator")


class QuestionsUnreadable(UsageError):
    """The questions are not of the form that is asked for; the sentence says which one and why."""


class NumbersKind(StrEnum):
    """What an outcome is counted in: events of people, or a mean with its SD."""

    BINARY = "binary"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersQuestion:
    """One outcome in two arms, in the words of the review. `other_names` are of the outcome."""

    id: str
    outcome: str
    intervention: str
    comparator: str
    kind: NumbersKind
    other_names: tuple[str, ...] = ()
    timepoint: str = ""

    @property
    def wordings(self) -> tuple["NumbersQuestion", ...]:
        """The same question under each name of its outcome, with the time as a part of the words."""
        at = f" at {self.timepoint}" if self.timepoint else ""
        return tuple(
            replace(self, outcome=f"{name}{at}", other_names=(), timepoint="")
            for name in (self.outcome, *self.other_names)
        )


def numbers_questions_from_json(data: bytes) -> tuple[NumbersQuestion, ...]:
    """The questions in a JSON file, or a sentence that says what is wrong with it."""
    try:
        given = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise QuestionsUnreadable(f"The questions are not JSON: {error}.") from error
    if not isinstance(given, list) or not given:
        raise QuestionsUnreadable("The questions must be a JSON list with at least one question in it.")
    if len(given) > MOST_QUESTIONS:
        raise QuestionsUnreadable(f"These are {len(given):,} questions. Ask at most {MOST_QUESTIONS:,} at a time.")
    questions = tuple(_numbers_question_from_json(one, number) for number, one in enumerate(given, start=1))
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise QuestionsUnreadable(f"Two questions have the id {question.id!r}. Give each question its own.")
        seen.add(question.id)
    return questions


def _numbers_question_from_json(given: Any, number: int) -> NumbersQuestion:
    if not isinstance(given, dict):
        raise QuestionsUnreadable(f"Question {number} is no JSON object.")
    texts = {name: _text_in_numbers_question(given.get(name), name, number) for name in _TEXTS}
    if unknown := sorted(set(given) - {*_TEXTS, "kind"}):
        raise QuestionsUnreadable(
            f"Question {number} has {unknown[0]!r}, which is not known. A question has {', '.join(_TEXTS)} and kind."
        )
    try:
        kind = NumbersKind(str(given.get("kind")))
    except ValueError:
        raise QuestionsUnreadable(
            f"Question {number} has the kind {given.get('kind')!r}. There are {' and '.join(NumbersKind)}."
        ) from None
    return NumbersQuestion(
        id=texts["id"],
        outcome=texts["outcome"],
        intervention=texts["intervention"],
        comparator=texts["comparator"],
        kind=kind,
    )


def _text_in_numbers_question(value: Any, name: str, number: int) -> str:
    # Ids are often numbers in a table of questions.
    if name == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise QuestionsUnreadable(f"Question {number} has no {name}.")
    if len(value) > _LONGEST_TEXT:
        raise QuestionsUnreadable(f"The {name} of question {number} is longer than {_LONGEST_TEXT:,} characters.")
    return value.strip()
