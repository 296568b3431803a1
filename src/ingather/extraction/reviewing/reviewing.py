"""What stands once people have looked: reviews laid over findings, and all that follows from them. Pure.

Findings are outcomes and never change, so nothing is written back to them.
Judgements that are computed, and the flags of the checks, are worked out anew
from the answers that stand.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.errors import NotFound, Outrun
from ingather.extraction.findings import (
    CHECKS_VERSION,
    Action,
    DocumentResult,
    Extracted,
    Finding,
    Review,
    Row,
    State,
    Value,
    Verdict,
)
from ingather.extraction.judgements.checks import CUT_SHORT, check
from ingather.extraction.judgements.judgements import TRUSTED, judge
from ingather.extraction.limits import cleaned
from ingather.extraction.proof.assess import in_order
from ingather.extraction.template import Template
from ingather.extraction.template.errors import TemplateError, ValueProblem
from ingather.extraction.template.model import Field, Scope
from ingather.extraction.template.values import coerce
from ingather.notice import notice

REVIEWER = "reviewer"  # the source of what a person gave
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

Place = tuple[str, str]  # row and field: a cell of one document
Cells = Mapping[Place, Sequence[Finding]]

_STATES = {
    Action.EDITED: State.REPORTED,
    Action.NOT_REPORTED: State.NOT_REPORTED,
    Action.NOT_APPLICABLE: State.NOT_APPLICABLE,
    Action.UNCLEAR: State.UNCLEAR,
    Action.REJECTED: State.REJECTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person wants to say of a cell, and what they saw there.

    `seen` is the revision of the review that stood there, 0 for none.
    `seen_value`, where it has one entry, is the value: what is computed may
    have become another while they were looking at it.
    """

    row: str
    field: str
    action: Action
    value: object = None
    note: str = ""
    seen: int = 0
    seen_value: tuple[Value, ...] = ()


def fingerprint(cell: Iterable[Finding]) -> str:
    """What was found in a cell, by its content; also of nothing."""
    told = [[finding.state, finding.value, finding.quote, finding.verdict, finding.source] for finding in cell]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()


def standing(reviews: Iterable[Review]) -> Review | None:
    """Of all reviews of one cell, in their order, the one that counts: each withdrawal takes one back."""
    kept: list[Review] = []
    for review in reviews:
        if review.action is not Action.WITHDRAWN:
            kept.append(review)
        elif kept:
            kept.pop()
    return kept[-1] if kept else None


def by_cell(reviews: Iterable[Review]) -> dict[Place, list[Review]]:
    cells: dict[Place, list[Review]] = {}
    for review in reviews:
        cells.setdefault((review.row, review.field), []).append(review)
    return cells


# --- reading ---------------------------------------------------------------------------------------------------------


def reviewed(template: Template, found: DocumentResult, reviews: Sequence[Review]) -> DocumentResult:
    """The document as it stands after its reviews."""
    said = {place: review for place, history in by_cell(reviews).items() if (review := standing(history))}
    if not said:
        return replace(found, reviews=tuple(reviews))
    computed = {field.id for field in template.fields if field.computed}
    cells: dict[Place, list[Finding]] = {}
    for finding in found.findings:
        cells.setdefault((finding.row, finding.field), []).append(finding)
    answers = _laid_over(
        {place: cell for place, cell in cells.items() if place[1] not in computed},
        {place: review for place, review in said.items() if place[1] not in computed},
    )
    judged: Cells = {place: cell for place, cell in cells.items() if place[1] in computed}
    about = {place: review for place, review in said.items() if place[1] in computed}
    has_changed = any(finding.is_reviewed for finding in answers)
    if has_changed:
        judged = _judged_again(template, found.rows, answers, judged)
    judgements = _laid_over(judged, about)
    given = {
        (one.row, one.field): str(one.value) if one.state is State.REPORTED else None
        for one in judgements
        if one.is_reviewed
    }
    if given:
        # An overall judgement rests on those of the domains, also where a person gave them.
        judgements = _laid_over(_judged_again(template, found.rows, answers, judged, given), about)
    findings = in_order(template, found.rows, [*answers, *judgements])
    # What was noticed of the paper, or of how it was read, holds whatever people say.
    checks = {CUT_SHORT, *(rule.id for rule in template.checks)}
    flags = [*check(template, found.rows, findings), *(flag for flag in found.flags if flag.rule not in checks)]
    return replace(found, findings=tuple(findings), flags=tuple(flags), reviews=tuple(reviews))


def _laid_over(cells: Cells, said: Mapping[Place, Review]) -> list[Finding]:
    laid: list[Finding] = []
    for place, cell in cells.items():
        review = said.get(place)
        laid += _after(review, cell) if review else cell
    return laid + [finding for place in said if place not in cells for finding in _after(said[place], ())]


def _after(review: Review, cell: Sequence[Finding]) -> list[Finding]:
    """What stands in a cell after a review: one finding, or those that were there if it judged something else."""
    if review.finding_sha256 != fingerprint(cell):
        return [replace(finding, review=review, is_outdated=True) for finding in cell]
    if not cell:
        nothing = Finding(
            field=review.field,
            row=review.row,
            state=_STATES[review.action],
            value=review.value,
            quote="",
            verdict=Verdict.NO_QUOTE,
            spans=(),
            source=REVIEWER,
        )
        return [replace(nothing, review=review)]
    first = replace(cell[0], review=review)
    if review.action is Action.ACCEPTED:
        return [first]
    was = first.extracted or Extracted(state=first.state, value=first.value, source=first.source)
    return [replace(first, state=_STATES[review.action], value=review.value, source=REVIEWER, extracted=was)]


def _judged_again(
    template: Template,
    rows: Sequence[Row],
    answers: Sequence[Finding],
    before: Cells,
    given: Mapping[Place, str | None] | None = None,
) -> dict[Place, list[Finding]]:
    """The judgements that follow from the answers that stand, each with what it was where it has become another."""
    cells: dict[Place, list[Finding]] = {}
    for finding in judge(template, rows, answers, given):
        place = finding.row, finding.field
        was = before[place][0] if before.get(place) else None
        if was:
            old = was.extracted or Extracted(state=was.state, value=was.value, source=was.source)
            if (old.state, old.value) != (finding.state, finding.value):
                finding = replace(finding, extracted=old)  # noqa: PLW2901  the same judgement, and what it was
        cells.setdefault(place, []).append(finding)
    return cells


# --- deciding --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A review to be written: the cell, its next revision, and what was judged."""

    ordinal: int
    row: str
    field: str
    revision: int
    finding_sha256: str
    action: Action = Action.ACCEPTED
    value: Value = None
    note: str = ""


def decided(
    template: Template, found: DocumentResult, reviews: Sequence[Review], decision: Decision, *, by: str
) -> Judged | None:
    """The review to write; None where it stands there already, by the same person: the request came twice.

    `found` is the document as extracted. Whoever accepts what a colleague
    gave says the same in their own name.
    """
    field = _field(template, found, decision)
    place = decision.row, decision.field
    history = by_cell(reviews).get(place, [])
    current = standing(history)
    others = [review for review in reviews if (review.row, review.field) != place]
    base = _cell(reviewed(template, found, others), place)
    now = _cell(reviewed(template, found, reviews), place)
    action, value, note = decision.action, _value(field, decision), _note(decision.note)
    if action is Action.ACCEPTED and current and now and now[0].is_reviewed:
        action, value = current.action, current.value
    elif action is Action.EDITED and [(one.state, one.value) for one in base] == [(State.REPORTED, value)]:
        action, value = Action.ACCEPTED, None
    if (current.revision if current else 0) != decision.seen:
        told = (action, value, note, by)
        if current and told == (current.action, current.value, current.note, current.reviewer):
            return None
        if action is Action.WITHDRAWN and history and history[-1].action is action and history[-1].reviewer == by:
            return None
        raise outrun(history)
    if decision.action is Action.ACCEPTED and not (current and now and now[0].is_reviewed):
        _acceptable(base)
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
    return Judged(
        ordinal=found.ordinal,
        row=decision.row,
        field=decision.field,
        revision=len(history) + 1,
        finding_sha256=fingerprint(base),
        action=action,
        value=value,
        note=note,
    )


def verified(
    found: DocumentResult, fields: Collection[str] | None = None, rows: Collection[str] | None = None
) -> tuple[list[Judged], int]:
    """What may be accepted without a look at each, and how many answers are left for one.

    No review of it stands, its quote was found and the value is bound to it,
    and no check speaks against it. A flag that names no field, as that of a
    scan, speaks against all; so do checks of an older version, which bound no
    value to its words. `found` is the document as it stands.
    """
    is_doubtful = found.checks_version < CHECKS_VERSION or any(not flag.fields for flag in found.flags)
    histories = by_cell(found.reviews)
    flagged = {(flag.row, field) for flag in found.flags for field in flag.fields}
    # What a rule says of rows of another kind (the arms that do not add up) it says of the field in every row.
    places = {(finding.row, finding.field) for finding in found.findings}
    elsewhere = {field for row, field in flagged - places}
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
        and place[1] not in elsewhere
        and len(cell) == 1
        and cell[0].state is State.REPORTED
        and cell[0].verdict in TRUSTED
    ]
    reviewed_already = sum(all(finding.is_reviewed for finding in cell) for cell in cells.values())
    return judged, len(cells) - len(judged) - reviewed_already


def outrun(history: Sequence[Review]) -> Outrun:
    """Who was quicker, and what they said."""
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


def _field(template: Template, found: DocumentResult, decision: Decision) -> Field:
    """The field asked about, where the cell is one of the document's."""
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


def _cell(found: DocumentResult, place: Place) -> list[Finding]:
    return [finding for finding in found.findings if (finding.row, finding.field) == place]


def _acceptable(cell: Sequence[Finding]) -> None:
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


def _value(field: Field, decision: Decision) -> Value:
    """The value that a person gave, as the field's type has it."""
    if decision.action is not Action.EDITED:
        if decision.value is not None:
            raise UsageError("A value goes with `edited` only.")
        return None
    try:
        value = coerce(field, decision.value)
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


def _note(note: str) -> str:
    note = cleaned(note)
    if len(note) > LONGEST_NOTE:
        raise UsageError(
            notice(
                "review.note_most_characters_long",
                "A note is at most {most} characters long.",
                most=f"{LONGEST_NOTE:,}",
            )
        )
    return note
