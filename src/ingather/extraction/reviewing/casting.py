"""Casting votes, and settling what two votes differ about: what may be written, and each as one transaction."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ingather.engine.errors import NotReady, UsageError
from ingather.engine.script import Script
from ingather.extraction.errors import NotFound
from ingather.extraction.findings import Action, DocumentResult, Review, State
from ingather.extraction.reviewing import review_mode, reviews, votes
from ingather.extraction.reviewing.assignments import lock_documents, side_of
from ingather.extraction.reviewing.blinding import OwnView, own_view
from ingather.extraction.reviewing.deciding import Decision, Judged, decide_on_verified, decided_review
from ingather.extraction.reviewing.review_mode import ReviewSettings
from ingather.extraction.reviewing.reviews import ReadReread, Reviewer
from ingather.extraction.reviewing.same_answer import is_same_answer
from ingather.extraction.reviewing.standing import Place, cell_of, reviewed
from ingather.extraction.reviewing.votes import Outcome, VotePair, standing_votes
from ingather.extraction.task import Task
from ingather.extraction.template import Template
from ingather.notice import notice

# The database's clock gives the real time once it is written.
NOT_YET = datetime.max.replace(tzinfo=UTC)

Choose = Callable[[OwnView, ReviewSettings], Sequence[Judged]]
"""The votes that a person wants to cast, from what their side sees."""


def chosen_cell(template: Template, found: DocumentResult, decision: Decision, by: Reviewer) -> Choose:
    """One decision about one cell."""

    def choose(view: OwnView, settings: ReviewSettings) -> list[Judged]:
        if (decision.row, decision.field) in view.closed:
            raise NotReady(
                notice("review.both_decided", "Both reviewers have decided this. An adjudicator may change it.")
            )
        if settings.hides_extractor and decision.action in {Action.ACCEPTED, Action.REJECTED}:
            raise UsageError(
                notice(
                    "review.nothing_shown",
                    "Cells start empty in this project. Give a value, or say that there is none.",
                )
            )
        judged = decided_review(template, found, view.reviews, decision, by=by.name)
        return [judged] if judged else []

    return choose


def chosen_verified(
    template: Template, found: DocumentResult, fields: Iterable[str] | None, rows: Iterable[str] | None
) -> Choose:
    """All cells of a document that may be accepted without a look at each; none where people are to look themselves."""
    wanted_fields, wanted_rows = (None if one is None else frozenset(one) for one in (fields, rows))

    def choose(view: OwnView, settings: ReviewSettings) -> list[Judged]:
        if settings.hides_extractor:
            return []
        seen = reviewed(template, found, view.reviews)
        judged, _ = decide_on_verified(seen, wanted_fields, wanted_rows)
        return [one for one in judged if (one.row, one.field) not in view.closed]

    return choose


def cast(
    task: Task,
    template: Template,
    found: DocumentResult,
    by: Reviewer,
    choose: Choose,
    read: ReadReread,
    *,
    claims: bool,
) -> Script[int]:
    """Write the votes of one side of a document, and pair each with that of the other side where it is there.

    `claims`: whoever votes first takes a free side. Returns how many votes.
    """
    settings = yield from review_mode.hold_mode(task.project_id)
    if not settings.is_independent:
        raise NotReady(notice("review.mode_changed", "How this project reviews has changed. Load the page again."))
    yield from lock_documents(task.id, [found.ordinal])
    side = yield from side_of(task.id, found.ordinal, by, claims=claims)
    if side is None:
        return 0
    shared = (yield from reviews.reviews_of_documents(task.id, [found.ordinal], read)).get(found.ordinal, [])
    cast_so_far = (yield from votes.of_documents(task.id, [found.ordinal])).get(found.ordinal, [])
    pairs = yield from votes.pairs(task.id, ordinals=[found.ordinal])
    view = own_view(shared, [one.review for one in cast_so_far if one.side == side], pairs)
    theirs = standing_votes(one for one in cast_so_far if one.side != side)
    judged = choose(view, settings)
    for one, outcome in zip(judged, outcomes_of(template, found, view.reviews, judged, by), strict=True):
        vote_id = yield from votes.add(task.id, side, one, outcome, by)
        place = one.row, one.field
        other = theirs.get((place, 3 - side))
        if other is not None and one.action is not Action.WITHDRAWN:
            ids = (vote_id, other.id) if side == 1 else (other.id, vote_id)
            is_agreed = is_same_answer(outcome, other.outcome)
            yield from votes.pair(task.id, found.ordinal, place, ids, is_agreed=is_agreed)
    return len(judged)


def outcomes_of(
    template: Template, found: DocumentResult, before: Sequence[Review], judged: Sequence[Judged], by: Reviewer
) -> list[Outcome]:
    """What each judged cell says once all of them are laid over the document."""
    if not judged:
        return []
    laid = reviewed(template, found, [*before, *(review_of(one, by) for one in judged)])
    return [_outcome(laid, (one.row, one.field)) for one in judged]


def _outcome(laid: DocumentResult, place: Place) -> Outcome:
    cell = cell_of(laid, place)
    return (cell[0].state, cell[0].value) if cell else (State.UNCLEAR, None)


def review_of(judged: Judged, by: Reviewer) -> Review:
    """A judgement that is not written yet, in the form of those that are."""
    return Review(
        ordinal=judged.ordinal,
        row=judged.row,
        field=judged.field,
        revision=judged.revision,
        action=judged.action,
        value=judged.value,
        note=judged.note,
        reviewer=by.name,
        reviewed_at=NOT_YET,
        finding_sha256=judged.finding_sha256,
        cell=judged.cell,
        passage=judged.passage,
    )


def settle(
    task: Task,
    template: Template,
    found: DocumentResult,
    by: Reviewer,
    decision: Decision,
    read: ReadReread,
    *,
    overrules: bool,
) -> Script[None]:
    """Settle a conflict: both votes become reviews of the cell, and on top of them the decision with its reason.

    One of the two may settle it by agreeing with the other; anything else
    takes a third person, who `overrules`.
    """
    yield from lock_documents(task.id, [found.ordinal])
    place = decision.row, decision.field
    pair = yield from _open_pair(task, found.ordinal, place)
    shared = (yield from reviews.reviews_of_documents(task.id, [found.ordinal], read)).get(found.ordinal, [])
    others = [one for one in shared if (one.row, one.field) != place]
    judged = decided_review(template, found, others, decision, by=by.name)
    assert judged is not None  # nothing stands in an open conflict, so nothing can have come twice
    if not judged.note:
        raise UsageError(notice("review.settle_reason", "Write a note that says why this is the right value."))
    [outcome] = outcomes_of(template, found, others, [judged], by)
    _check_settler(pair, by, outcome, overrules=overrules)
    yield from votes.release(task.id, found.ordinal, place, (pair.first.id, pair.second.id))
    last = max((one.revision for one in shared if (one.row, one.field) == place), default=0)
    yield from reviews.add_review(task.id, [replace(judged, revision=last + 3)], by)
    yield from votes.settle_pair(pair.id, by)


def _open_pair(task: Task, ordinal: int, place: Place) -> Script[VotePair]:
    pairs = yield from votes.pairs(task.id, ordinals=[ordinal], open_only=True)
    found = [pair for pair in pairs if pair.place == place]
    if not found:
        raise NotFound(notice("review.no_conflict", "There is no open conflict here. Somebody may have settled it."))
    return found[0]


def _check_settler(pair: VotePair, by: Reviewer, outcome: Outcome, *, overrules: bool) -> None:
    """Refuse those who are no adjudicator, and one of the two who would put their own vote through."""
    theirs = [one for one in (pair.first, pair.second) if one.account_id != by.account_id]
    if len(theirs) == 2 and not overrules:
        raise NotReady(
            notice(
                "review.settle_who",
                "Only an adjudicator, or one of the two who agrees with the other, may settle this.",
            )
        )
    if len(theirs) == 1 and not is_same_answer(outcome, theirs[0].outcome):
        raise NotReady(
            notice(
                "review.settle_own",
                "You are one of the two. You may agree with {other}; anything else takes another person.",
                other=theirs[0].review.reviewer,
            )
        )
