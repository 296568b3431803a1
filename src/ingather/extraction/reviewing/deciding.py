"""The review that a decision of a person leads to, or the reason why it cannot be written. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.cell_marks import FlaggedCells
from ingather.extraction.errors import NotFound, Outrun
from ingather.extraction.findings import (
    BELIEVED,
    CHECKS_VERSION,
    Action,
    CellPlace,
    DocumentResult,
    Finding,
    Review,
    State,
    Value,
)
from ingather.extraction.reviewing.standing import Place, by_cell, cell_of, fingerprint, reviewed, standing
from ingather.extraction.template import Template
from ingather.extraction.template.errors import TemplateError, ValueProblem
from ingather.extraction.template.model import Field, Scope
from ingather.extraction.template.values import coerce_value
from ingather.library.port import Passage
from ingather.names import visible_lines
from ingather.notice import notice

# Characters of a note: a paragraph. Longer remarks belong in the report of the review.
LONGEST_NOTE = 2_000

# In the middle of a sentence; each language has its own.
_ACTION_NAMES = {
    Action.ACCEPTED: notice("review.accepted", "accepted"),
    Action.EDITED: notice("review.edited", "edited"),
    Action.NOT_REPORTED: notice("review.not_reported", "not reported"),
    Action.NOT_APPLICABLE: notice("review.not_applicable", "not applicable"),
    Action.UNCLEAR: notice("review.unclear", "unclear"),
    Action.REJECTED: notice("review.rejected", "rejected"),
    Action.WITHDRAWN: notice("review.withdrawn", "withdrawn"),
}
_STATE_NAMES = {
    "pending": notice("review.document_pending", "pending"),
    "running": notice("review.document_running", "running"),
    "error": notice("review.document_error", "error"),
    "cancelled": notice("review.document_cancelled", "cancelled"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's judgement of a cell, and what they saw there.

    `seen` is the revision of the review that stood there, 0 for none.
    `seen_value`, if it has one entry, is the value that stood there: a
    computed value may change while a person looks at it. `cell` or
    `passage`: the value was taken from there.
    """

    row: str
    field: str
    action: Action
    value: object = None
    note: str = ""
    seen: int = 0
    seen_value: tuple[Value, ...] = ()
    cell: CellPlace | None = None
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A review to be written: the cell, its next revision, and what was judged.

    `reread` is what was read anew because of it, in the form in which results
    are stored.
    """

    ordinal: int
    row: str
    field: str
    revision: int
    finding_sha256: str
    action: Action = Action.ACCEPTED
    value: Value = None
    note: str = ""
    reread: Mapping[str, Any] | None = None
    cell: CellPlace | None = None
    passage: Passage | None = None


def decided_review(
    template: Template, found: DocumentResult, reviews: Sequence[Review], decision: Decision, *, by: str
) -> Judged | None:
    """The review to write; None if the same person has written it already: the request came twice.

    `found` is the document as extracted. To accept the review of a colleague
    is to write the same review in one's own name.
    """
    field = _field_of_decision(template, found, decision)
    place = decision.row, decision.field
    history = by_cell(reviews).get(place, [])
    current = standing(history)
    others = [review for review in reviews if (review.row, review.field) != place]
    base = cell_of(reviewed(template, found, others), place)
    now = cell_of(reviewed(template, found, reviews), place)
    action, value, note = decision.action, _value_of_decision(field, decision), _note_of_decision(decision.note)
    if action is Action.ACCEPTED and current and now and now[0].is_reviewed:
        action, value = current.action, current.value
    elif action is Action.EDITED and [(one.state, one.value) for one in base] == [(State.REPORTED, value)]:
        action, value = Action.ACCEPTED, None
    if (current.revision if current else 0) != decision.seen:
        content = (action, value, note, by)
        if current and content == (current.action, current.value, current.note, current.reviewer):
            return None
        if action is Action.WITHDRAWN and history and history[-1].action is action and history[-1].reviewer == by:
            return None
        raise decision_outrun(history)
    stands = bool(current and now and now[0].is_reviewed)
    is_same = current is not None and (action, value) == (current.action, current.value)
    if stands and current and current.reviewer != by and not is_same and not note:
        raise UsageError(_reason_needed_to_decide(current))
    if decision.action is Action.ACCEPTED and not stands:
        _check_decision_acceptable(base)
    _check_decision_possible(action, decision, current, now)
    judged = Judged(
        ordinal=found.ordinal,
        row=decision.row,
        field=decision.field,
        revision=len(history) + 1,
        finding_sha256=fingerprint(base),
    )
    return replace(judged, action=action, value=value, note=note, cell=decision.cell, passage=decision.passage)


def _check_decision_possible(
    action: Action, decision: Decision, current: Review | None, now: Sequence[Finding]
) -> None:
    """Refuse a rejection of nothing, a withdrawal without a review, and a judgement of a value that has changed."""
    if action is Action.REJECTED and not now:
        raise UsageError(notice("review.nothing_here_reject", "There is nothing here to reject."))
    if action is Action.WITHDRAWN and not current:
        raise UsageError(notice("review.no_review_here_take_back", "There is no review here to take back."))
    if decision.seen_value and [one.value for one in now] != list(decision.seen_value):
        raise Outrun(
            notice(
                "review.value_follows_other_answers_those",
                "This value follows from other answers, and one of those has changed. Look again, then decide.",
            )
        )


def decide_on_verified(
    found: DocumentResult, fields: Collection[str] | None = None, rows: Collection[str] | None = None
) -> tuple[list[Judged], int]:
    """The answers that may be accepted together, and the number of those that a person must look at.

    An answer may be accepted if no review of it stands, its quote was found,
    the value is bound to the quote, and no flag names the field. A flag
    without fields, as of a scan, concerns all answers; checks of an older
    version bound no values, so none of their answers may be accepted. `found`
    is the document as it stands.
    """
    is_doubtful = found.checks_version < CHECKS_VERSION or any(not flag.fields for flag in found.flags)
    histories = by_cell(found.reviews)
    flagged = FlaggedCells(found)
    cells: dict[Place, list[Finding]] = {}
    for finding in found.findings:
        if (fields is None or finding.field in fields) and (rows is None or finding.row in rows):
            cells.setdefault((finding.row, finding.field), []).append(finding)
    judged = [
        Judged(
            ordinal=found.ordinal,
            row=place[0],
            field=place[1],
            revision=len(histories.get(place, ())) + 1,
            finding_sha256=fingerprint(cell),
        )
        for place, cell in cells.items()
        if not is_doubtful
        and not standing(histories.get(place, ()))
        and place not in flagged
        and len(cell) == 1
        and cell[0].state is State.REPORTED
        and cell[0].verdict in BELIEVED
    ]
    reviewed_already = sum(all(finding.is_reviewed for finding in cell) for cell in cells.values())
    return judged, len(cells) - len(judged) - reviewed_already


def _reason_needed_to_decide(standing: Review) -> str:
    return notice(
        "review.reason_needed",
        "{reviewer} has judged this value ({action}). Write a note that says why you decide otherwise.",
        reviewer=standing.reviewer,
        action=_ACTION_NAMES[standing.action],
    )


def decision_outrun(history: Sequence[Review]) -> Outrun:
    """The error that names the person who reviewed the cell in the meantime."""
    if not history:
        return Outrun(
            notice("review.review_saw_here_gone_look", "The review you saw here is gone. Look again, then decide.")
        )
    last = history[-1]
    return Outrun(
        notice(
            "review.reviewed_value_meanwhile_look_again",
            "{reviewer} has reviewed this value meanwhile ({action}). Look again, then decide.",
            reviewer=last.reviewer,
            action=_ACTION_NAMES[last.action],
        )
    )


def _field_of_decision(template: Template, found: DocumentResult, decision: Decision) -> Field:
    """The field of the cell, if the document has such a cell."""
    try:
        field = template.field(decision.field)
    except TemplateError:
        raise NotFound(
            notice("review.task_no_field", "This task has no field {field}.", field=f"{decision.field[:100]!r}")
        ) from None
    if found.state != "completed":
        raise NotReady(
            notice(
                "review.document_nothing_review_yet",
                "Document {ordinal} is {state}: there is nothing to review in it yet.",
                ordinal=found.ordinal,
                state=_STATE_NAMES.get(found.state, found.state),
            )
        )
    rows = {row.key for row in found.rows if row.scope == field.scope}
    rows |= {finding.row for finding in found.findings if finding.field == field.id}
    if field.scope == Scope.STUDY:
        rows.add("")
    if decision.row not in rows:
        raise NotFound(
            notice(
                "review.document_no_row_field",
                "Document {ordinal} has no row {row} for the field {field}.",
                ordinal=found.ordinal,
                row=f"{decision.row[:100]!r}",
                field=field.id,
            )
        )
    return field


def _check_decision_acceptable(cell: Sequence[Finding]) -> None:
    if not cell or cell[0].state is State.FAILED:
        raise UsageError(
            notice(
                "review.no_answer_here_accept_give",
                "There is no answer here to accept. Give a value, or say that there is none.",
            )
        )
    if len({(one.state, str(one.value)) for one in cell}) > 1:
        raise UsageError(
            notice(
                "review.several_answers_here_give_value",
                "There are several answers here. Give the value that is right.",
            )
        )


def _value_of_decision(field: Field, decision: Decision) -> Value:
    """The value that a person gave, as the field's type has it."""
    if decision.action is not Action.EDITED:
        if decision.value is not None:
            raise UsageError("A value goes with `edited` only.")
        return None
    try:
        value = coerce_value(field, decision.value)
    except ValueProblem as problem:
        if problem.state is State.NOT_APPLICABLE:
            raise UsageError(
                notice("review.no_value_say_not_applicable", "This is no value. Say that it is not applicable instead.")
            ) from None
        raise UsageError(str(problem)) from None
    if value is None:
        raise UsageError(
            notice("review.no_value_give_say_not", "This is no value. Give one, or say that it is not reported.")
        )
    return value


def _note_of_decision(note: str) -> str:
    note = visible_lines(note)
    if len(note) > LONGEST_NOTE:
        raise UsageError(
            notice(
                "review.note_most_characters_long",
                "A note is at most {most} characters long.",
                most=f"{LONGEST_NOTE:,}",
            )
        )
    return note
