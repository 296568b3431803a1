"""A model's JSON, read as answers. Pure, and patient: what is right is kept, what is wrong is said in words.

The words go back to the model once. What is still wrong after that ends as a
failed cell that says why; its neighbours stay.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingather.extraction.findings import Answer, State
from ingather.extraction.questions import MOST_ROWS, Group, Listed
from ingather.extraction.template import Field, Scope, ValueProblem, coerce

LONGEST_LABEL = 120
LONGEST_QUOTE = 2_000  # more than is asked for: a long quote that stands in the paper is still proof
MOST_TIMEPOINTS = 6
_LISTS = {Scope.ARM: "arms", Scope.OUTCOME: "outcomes", Scope.DOMAIN: "results"}
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The answers that can be used, and what is wrong with the others, in words for the model."""

    answers: tuple[Answer, ...]
    problems: tuple[str, ...]


def read_listing(told: dict[str, Any], scopes: Sequence[Scope]) -> tuple[list[Listed], list[str]]:
    """The rows a model listed. A label given twice is one row."""
    listed: list[Listed] = []
    problems: list[str] = []
    for scope in scopes:
        name = _LISTS[scope]
        entries = told.get(name)
        if not isinstance(entries, list):
            problems.append(f"`{name}` must be a list.")
            continue
        seen: set[str] = set()
        for entry in entries[: 2 * MOST_ROWS]:
            label = _label(entry.get("label")) if isinstance(entry, dict) else ""
            if not label:
                problems.append(f"Every entry of `{name}` must be an object with a `label`.")
            elif label.casefold() not in seen:
                seen.add(label.casefold())
                listed.append(_listed(scope, label, entry))
    return listed, problems


def _listed(scope: Scope, label: str, entry: dict[str, Any]) -> Listed:
    times = entry.get("timepoints")
    return Listed(
        scope=scope,
        label=label,
        quote=_quote(entry.get("quote")),
        page=_page(entry.get("page")),
        is_reference=entry.get("is_reference") is True,
        timepoints=tuple(filter(None, map(_label, times[:MOST_TIMEPOINTS]))) if isinstance(times, list) else (),
    )


def read_answers(told: dict[str, Any], group: Group) -> Understood:
    """The answers to a group's questions. Each question must have one answer, for each row where there are rows."""
    fields = {field.id: field for field in group.fields}
    rows = [row.key for row in group.rows] or [""]
    answers: dict[tuple[str, str], Answer] = {}
    contradicted: set[tuple[str, str]] = set()
    problems: list[str] = []
    for entry in _entries(told, group, problems):
        field = fields.get(str(entry.get("field")))
        row = str(entry.get("row", "")) if group.rows else ""
        if field is None or row not in rows:
            problems.append(f"There is no question {entry.get('field')!r:.60}{f' of row {row!r:.60}' if row else ''}.")
            continue
        try:
            answer = _answer(entry, field, row)
        except ValueProblem as problem:
            problems.append(f"{_place(field.id, row)}: {problem}")
            continue
        known = answers.setdefault((row, field.id), answer)
        if (known.state, known.value) != (answer.state, answer.value):
            contradicted.add((row, field.id))
    for row, field_id in contradicted:
        problems.append(f"{_place(field_id, row)} has two different answers.")
        del answers[row, field_id]
    missing = [(row, field_id) for row in rows for field_id in fields if (row, field_id) not in answers]
    named = " ".join(problems)
    problems += [f"{_place(name, row)} has no answer." for row, name in missing if f"`{name}`" not in named]
    return Understood(answers=tuple(answers.values()), problems=tuple(problems))


def failed(group: Group, understood: Understood, why: str) -> tuple[Answer, ...]:
    """An answer for each question of the group: those that were understood, and for the rest one that says why not."""
    have = {(answer.row, answer.field) for answer in understood.answers}
    rows = [row.key for row in group.rows] or [""]
    lost = [
        Answer(field=field.id, row=row, state=State.FAILED, note=_reason(field.id, row, understood.problems) or why)
        for row in rows
        for field in group.fields
        if (row, field.id) not in have
    ]
    return (*understood.answers, *lost)


def _entries(told: dict[str, Any], group: Group, problems: list[str]) -> Iterator[dict[str, Any]]:
    """Each answer with all that belongs to it, whether its quote stands beside it or once for its row."""
    name = "answers" if group.has_quote_per_field else "rows"
    listed = told.get(name)
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
            yield from (answer | shared | _evidence(answer) for answer in entry["answers"] if isinstance(answer, dict))
        else:
            problems.append("Every entry of `rows` must have a list of `answers`.")


def _evidence(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: answer.get(key) for key in ("quote", "page")} if answer.get("quote") else {}


def _answer(entry: dict[str, Any], field: Field, row: str) -> Answer:
    try:
        state = State(str(entry.get("state")))
    except ValueError:
        raise ValueProblem(f"the state {entry.get('state')!r:.60} is none of those allowed") from None
    raw = entry.get("value")
    try:
        value = coerce(field, raw) if state is State.REPORTED else None
    except ValueProblem as problem:
        if problem.state is not State.NOT_APPLICABLE:
            raise
        state, value = State.NOT_APPLICABLE, None
    if state is State.REPORTED and value is None:
        # Words such as "not reported" in place of a value.
        state = State.NOT_REPORTED
    return Answer(
        field=field.id,
        row=row,
        state=state,
        value=value,
        quote=_quote(entry.get("quote")),
        page=_page(entry.get("page")),
    )


def _place(field: str, row: str) -> str:
    return f"`{field}` of row `{row}`" if row else f"`{field}`"


def _reason(field: str, row: str, problems: Sequence[str]) -> str:
    place = _place(field, row)
    return next((problem.replace("`", "") for problem in problems if problem.startswith(place)), "")


def _label(raw: object) -> str:
    """A name of the model's choosing, in one short line: it goes into later questions."""
    return _BLANKS.sub(" ", raw).strip().strip("⟦⟧`")[:LONGEST_LABEL] if isinstance(raw, str) else ""


def _quote(raw: object) -> str:
    return raw.strip()[:LONGEST_QUOTE] if isinstance(raw, str) else ""


def _page(raw: object) -> int | None:
    """Pages are marked from 1 and counted from 0."""
    return raw - 1 if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= 100_000 else None
