"""Follow-ups: what a task takes over from an earlier one about a document, and what it asks again. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from ingather.engine.errors import UsageError
from ingather.extraction.conversation.interview import Earlier, InterviewResult
from ingather.extraction.conversation.questions import NAMES, askable_question_fields
from ingather.extraction.findings import Answer, DocumentArm, Finding, Flag, Row, State
from ingather.extraction.template import (
    QUESTION_FIELDS,
    Field,
    Scope,
    Template,
    template_with_fields_selected,
    template_with_question_fields,
    template_without_question_fields,
    with_instructions,
)
from ingather.notice import notice

Place = tuple[str, str]  # row and field

# Flags that come from the conversation and not from a rule: they hold for as long as the rows do.
_OF_ROWS = "rows_left_out"


class OpenCells(StrEnum):
    """Which cells without an answer are asked again."""

    FAILED = "failed"  # no usable answer was had
    MISSING = "missing"  # these, and what was not reported or unclear


_OPEN = {
    OpenCells.FAILED: frozenset({State.FAILED}),
    OpenCells.MISSING: frozenset({State.FAILED, State.NOT_REPORTED, State.UNCLEAR}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What a caller wants of a follow-up: fields to ask again, open cells, other instructions, further documents.

    `document_ids` are the documents that are asked about, with those that
    join; without, all that the earlier task has.
    """

    task_id: int
    field_ids: tuple[str, ...] = ()
    only: OpenCells | None = None
    instructions: tuple[tuple[str, str], ...] = ()
    document_ids: tuple[int, ...] | None = None

    @property
    def again(self) -> dict[str, object]:
        """What a task keeps of it."""
        return {"fields": sorted({*self.field_ids, *dict(self.instructions)}), "only": self.only}


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """What is known of a document from the earlier task.

    `has_questions`: something of it is asked again; `open_cells` counts the
    cells that are, as far as their rows are known. `from_cells` are the
    answers to the review's questions, with their rows: they are never asked
    again.
    """

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    earlier: Earlier
    parser: str
    has_questions: bool
    open_cells: int
    from_cells: tuple[Finding, ...] = ()
    question_rows: tuple[Row, ...] = ()
    arms: tuple[DocumentArm, ...] = ()
    named: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def follow_up_template(before: Template, whole: Template, wanted: FollowUp) -> Template:
    """What a follow-up asks: the template of the earlier task, with fields of the whole one and other instructions."""
    own = template_without_question_fields(before)
    have = {field.id for field in own.fields}
    new = [name for name in wanted.field_ids if name not in have]
    template = own
    if new:
        added = template_with_fields_selected(
            whole, [*(name for name in have if name in {field.id for field in whole.fields}), *new]
        )
        kept = {field.id: field for field in own.fields}
        template = replace(added, fields=tuple(kept.get(field.id, field) for field in added.fields))
    unknown = [name for name, _ in wanted.instructions if name not in {field.id for field in template.fields}]
    if unknown:
        raise UsageError(
            notice(
                "follow_up.no_such_field",
                "The task does not ask {fields}; an instruction can be changed of a field that is asked.",
                fields=", ".join(unknown),
            )
        )
    return template_with_question_fields(with_instructions(template, dict(wanted.instructions)), before.questions)


def taken_over(
    before: Template,
    now: Template,
    stored: tuple[Sequence[Row], Sequence[Finding], Sequence[Flag]],
    *,
    again: Mapping[str, object],
    parser: str,
    is_kept: bool,
) -> TakenOver:
    """What is kept of a document, and which cells are open. `is_kept`: nothing is asked about it."""
    every_row, every_finding, flags = stored
    rows = tuple(row for row in every_row if row.scope != Scope.QUESTION)
    findings = tuple(one for one in every_finding if one.field not in QUESTION_FIELDS)
    fields = askable_question_fields(now)
    names = again.get("fields")
    chosen = {*(names if isinstance(names, list) else ()), *_changed(before, now)}
    only = again.get("only")
    open_states = _OPEN[OpenCells(str(only))] if only else frozenset()
    states = {(finding.row, finding.field): finding.state for finding in findings}
    places = _places_of_fields(rows, fields)
    wanted = set() if is_kept else {one for one in places if _is_wanted(one, chosen, open_states, states)}
    computed = {field.id for field in now.fields if field.computed}
    scopes_before = {field.scope for field in askable_question_fields(before)}
    known = {field.id for field in now.fields}
    kept = tuple(
        one
        for one in findings
        if one.field in known and one.field not in computed and (one.row, one.field) not in wanted
    )
    new_scopes = {field.scope for field in fields} - scopes_before - {Scope.STUDY}
    return TakenOver(
        findings=kept,
        flags=tuple(flag for flag in flags if flag.rule == _OF_ROWS),
        earlier=Earlier(rows=tuple(rows), scopes=frozenset(scopes_before), settled=frozenset(places - wanted)),
        parser=parser,
        has_questions=bool(wanted) or (bool(new_scopes) and not is_kept),
        open_cells=len(wanted),
        from_cells=tuple(one for one in every_finding if one.field in QUESTION_FIELDS),
        question_rows=tuple(row for row in every_row if row.scope == Scope.QUESTION),
    )


def _changed(before: Template, now: Template) -> set[str]:
    """Fields that are new, or ask something else than before."""
    was = {field.id: field for field in before.fields}
    return {field.id for field in now.fields if was.get(field.id) != field}


def _places_of_fields(rows: Sequence[Row], fields: Collection[Field]) -> set[Place]:
    keys: dict[str, list[str]] = {Scope.STUDY.value: [""]}
    for row in rows:
        keys.setdefault(row.scope, []).append(row.key)
    return {(key, field.id) for field in fields for key in keys.get(field.scope.value, ())}


def _is_wanted(
    place: Place, chosen: Collection[str], open_states: Collection[State], states: Mapping[Place, State]
) -> bool:
    name = place[1]
    if name in NAMES:
        # The list of rows has answered it, and rows are not listed anew.
        return False
    return name in chosen or (bool(open_states) and states.get(place, State.FAILED) in open_states)


def beside(result: InterviewResult, taken: TakenOver) -> InterviewResult:
    """What our own rules found, as far as it was asked: rows that are known stay as they are."""
    known = {row.key for row in taken.earlier.rows}
    new = [row for row in result.rows if row.key not in known and row.scope not in taken.earlier.scopes]
    fresh = known | {row.key for row in new} | {""}
    answers = [one for one in result.answers if one.row in fresh and (one.row, one.field) not in taken.earlier.settled]
    return InterviewResult(rows=[*taken.earlier.rows, *new], answers=answers, flags=result.flags)


def as_answer(finding: Finding) -> Answer:
    """A finding as the answer it was made of, so that new ones are judged beside it."""
    page = finding.spans[0].page if finding.spans else None
    return Answer(
        field=finding.field,
        row=finding.row,
        state=finding.state,
        value=finding.value,
        quote=finding.quote,
        page=page,
        note=finding.note,
    )


def joined_findings(found: Iterable[Finding], taken: TakenOver, *, parser: str) -> list[Finding]:
    """The findings, with what was taken over as it was: reviews of it go on speaking of the same words.

    Where another parser has read the text since, places have moved, and what
    was taken over was looked for again; then its source alone stays.
    """
    kept = {(one.row, one.field): one for one in taken.findings}
    joined = []
    for one in found:
        before = kept.get((one.row, one.field))
        if before is not None:
            one = before if parser == taken.parser else replace(one, source=before.source)  # noqa: PLW2901
        joined.append(one)
    return joined


def check_ended(state: str, task_id: int) -> None:
    """Refuse to follow a task that goes on: what it has not answered yet would be asked twice."""
    if state != "closed":
        raise UsageError(
            notice(
                "follow_up.still_open",
                "Task {id} has not ended yet. Wait for it, or cancel it, then ask again.",
                id=task_id,
            )
        )
