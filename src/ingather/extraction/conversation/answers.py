"""A model's JSON, read as answers. Pure: right answers are kept, and each wrong one becomes a sentence.

The sentences go back to the model once. What is still wrong after that ends as
a failed cell with its reason; its neighbours stay.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingather.extraction.conversation.questions import LIST_NAMES, MOST_TIMEPOINTS, Listed, QuestionGroup
from ingather.extraction.findings import Answer, State, Value
from ingather.extraction.template import Field, Scope, ValueProblem, coerce_value
from ingather.extraction.template.field_types import TRAITS
from ingather.notice import edited, notice

# A label goes into every later question about its row. A longer one would cost more than it explains.
LONGEST_LABEL = 200
LONGEST_QUOTE = 2_000  # more than the prompt allows: a long quote that stands in the paper is still proof
# Entries of one list that are read. Real papers have fewer than 40 rows of a scope; this bounds a broken answer.
MOST_LISTED = 500
_SILENT = {State.NOT_REPORTED, State.NOT_APPLICABLE}
_NOTHING = {"no information", "not reported", "not applicable"}
# Our own marks, and what could end the line or the name that a label stands in.
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029⟦⟧`]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The answers that can be used, and sentences for the model about the others."""

    answers: tuple[Answer, ...]
    problems: tuple[str, ...]


def listing_read_from_answer(answer_object: dict[str, Any], scopes: Sequence[Scope]) -> tuple[list[Listed], list[str]]:
    """The rows a model listed, and what is wrong with the others. A label given twice is one row."""
    listed: list[Listed] = []
    problems: list[str] = []
    for scope in scopes:
        name = LIST_NAMES[scope]
        entries = answer_object.get(name)
        if not isinstance(entries, list):
            problems.append(f"`{name}` must be a list.")
            continue
        seen: set[str] = set()
        for entry in entries[:MOST_LISTED]:
            label = _answer_label_read(entry.get("label")) if isinstance(entry, dict) else ""
            if not label:
                problems.append(f"Every entry of `{name}` must be an object with a `label`.")
            elif label.casefold() not in seen:
                seen.add(label.casefold())
                listed.append(_listed_row_of_answer(scope, label, entry))
    return listed, problems


def _listed_row_of_answer(scope: Scope, label: str, entry: dict[str, Any]) -> Listed:
    times = entry.get("timepoints")
    return Listed(
        scope=scope,
        label=label,
        quote=_answer_quote_read(entry.get("quote")),
        page=_answer_page_read(entry.get("page")),
        is_reference=entry.get("is_reference") is True,
        timepoints=tuple(filter(None, map(_answer_label_read, times[:MOST_TIMEPOINTS])))
        if isinstance(times, list)
        else (),
    )


def answers_read(answer_object: dict[str, Any], group: QuestionGroup) -> Understood:
    """The answers to a group's questions. Each question must have one answer, for each row where there are rows."""
    fields = {field.id: field for field in group.fields}
    rows = [row.key for row in group.rows] or [""]
    open_places = set(group.places)
    answers: dict[tuple[str, str], Answer] = {}
    wrong: dict[tuple[str, str], str] = {}
    problems: list[str] = []
    for entry in _entries_of_answer(answer_object, group, problems):
        field = fields.get(str(entry.get("field")))
        row = str(entry.get("row", "")) if group.rows else ""
        if field is None or row not in rows:
            problems.append(f"There is no question {entry.get('field')!r:.60}{f' of row {row!r:.60}' if row else ''}.")
            continue
        if (row, field.id) not in open_places:
            continue
        try:
            answer = _answer_read(entry, field, row)
        except ValueProblem as problem:
            wrong.setdefault(
                (row, field.id),
                notice(
                    "model.problem_of_field",
                    "{code}: {problem}",
                    code=_place_of_answer(field.id, row),
                    problem=str(problem),
                ),
            )
            continue
        known = answers.setdefault((row, field.id), answer)
        if (known.state, known.value) != (answer.state, answer.value):
            wrong[row, field.id] = notice(
                "model.two_different_answers", "{code} has two different answers.", code=_place_of_answer(field.id, row)
            )
    usable = {place: answer for place, answer in answers.items() if place not in wrong}
    for place in group.places:
        if place not in usable:
            wrong.setdefault(
                place, notice("model.no_answer", "{code} has no answer.", code=_place_of_answer(place[1], place[0]))
            )
    # Answers to questions that were not put do no harm, and a second call would cost.
    found = (*wrong.values(), *problems) if wrong else ()
    return Understood(answers=tuple(usable.values()), problems=found)


def failed_answer(group: QuestionGroup, understood: Understood, why: str) -> tuple[Answer, ...]:
    """An answer for each question of the group: those that were understood, and for the rest one that says why not."""
    have = {(answer.row, answer.field) for answer in understood.answers}
    lost = [
        Answer(
            field=field, row=row, state=State.FAILED, note=_reason_for_answer(field, row, understood.problems) or why
        )
        for row, field in group.places
        if (row, field) not in have
    ]
    return (*understood.answers, *lost)


def _entries_of_answer(
    answer_object: dict[str, Any], group: QuestionGroup, problems: list[str]
) -> Iterator[dict[str, Any]]:
    """Each answer with all that belongs to it, whether its quote stands beside it or once for its row."""
    name = "answers" if group.has_quote_per_field else "rows"
    listed = answer_object.get(name)
    if not isinstance(listed, list):
        problems.append(f"`{name}` must be a list.")
        return
    for entry in listed:
        if not isinstance(entry, dict):
            problems.append(f"Every entry of `{name}` must be an object.")
        elif group.has_quote_per_field:
            yield entry
        elif isinstance(entry.get("answers"), list):
            shared = {key: entry.get(key) for key in ("row", "quote", "page")}
            # A model may give a cell a quote of its own although the row has one.
            yield from (
                answer | shared | _answer_evidence(answer) for answer in entry["answers"] if isinstance(answer, dict)
            )
        else:
            problems.append("Every entry of `rows` must have a list of `answers`.")


def _answer_evidence(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: answer.get(key) for key in ("quote", "page")} if answer.get("quote") else {}


def _answer_read(entry: dict[str, Any], field: Field, row: str) -> Answer:
    state, value, note = _answer_state_and_value(entry, field)
    return Answer(
        field=field.id,
        row=row,
        state=state,
        value=value,
        quote=_answer_quote_read(entry.get("quote")),
        page=_answer_page_read(entry.get("page")),
        note=note,
    )


def _answer_state_and_value(entry: dict[str, Any], field: Field) -> tuple[State, Value, str]:
    """State, value and note. A value such as "not reported" is read as the state that it names."""
    state = _answer_state_read(entry.get("state"))
    try:
        value = coerce_value(field, entry.get("value"))
    except ValueProblem as problem:
        if state is not State.REPORTED:
            return state, None, ""
        if problem.state is State.NOT_APPLICABLE:
            return State.NOT_APPLICABLE, None, ""
        raise
    if state is State.REPORTED:
        return (State.NOT_REPORTED if value is None else state), value, ""
    if state in _SILENT:
        # In a text, the model may explain why there is none.
        if value is None or TRAITS[field.type].is_free_text:
            return state, None, ""
        if value not in _options_of_silent_answer(field):
            raise ValueProblem(
                notice("model.state_but_value", "the state is {state}, but there is a value", state=state.value)
            )
        return State.REPORTED, value, ""
    return (
        state,
        None,
        "" if value is None else notice("model.model_guess", "The model's guess is {value}.", value=f"{value!r:.200}"),
    )


def _options_of_silent_answer(field: Field) -> list[str]:
    """Options that mean the same as a state, as in a risk of bias: `NI`, no information, and `NA`, not applicable."""
    return [option.id for option in field.options if option.label.en.casefold() in _NOTHING]


def _answer_state_read(raw: object) -> State:
    """One of the states that a model may give. Only our code may give `failed`, and only a person `rejected`."""
    normalised = re.sub(r"[\s_-]+", "_", raw.strip().lower()) if isinstance(raw, str) else ""
    if normalised not in {state.value for state in State} - {State.FAILED.value, State.REJECTED.value}:
        raise ValueProblem(
            notice("model.state_none_those_allowed", "the state {state} is none of those allowed", state=f"{raw!r:.60}")
        )
    return State(normalised)


def _place_of_answer(field: str, row: str) -> str:
    if not row:
        return f"`{field}`"
    return notice("model.field_of_row", "{field} of row {row}", field=f"`{field}`", row=f"`{row}`")


def _reason_for_answer(field: str, row: str, problems: Sequence[str]) -> str:
    place = _place_of_answer(field, row)
    return next((edited(problem, _answer_without_backticks) for problem in problems if problem.startswith(place)), "")


def _answer_without_backticks(text: str) -> str:
    return text.replace("`", "")


def _answer_label_read(raw: object) -> str:
    """A name of the model's choosing, in one short line: it goes into later questions."""
    return _UNFIT.sub(" ", raw).strip()[:LONGEST_LABEL].strip() if isinstance(raw, str) else ""


def _answer_quote_read(raw: object) -> str:
    return raw.strip()[:LONGEST_QUOTE] if isinstance(raw, str) else ""


def _answer_page_read(raw: object) -> int | None:
    """Pages are marked from 1 and counted from 0."""
    return raw - 1 if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= 100_000 else None
