"""Reviews: what people say of findings, and who said what before."""

from typing import Annotated

from fastapi import APIRouter, Query

from ingather.extraction.findings import Action
from ingather.extraction.reviewing.reviewing import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.web import schemas as wire
from ingather.web import shapes
from ingather.web.access import Here, Who, task_for
from ingather.web.accounts import Caller, Role
from ingather.web.answers import Written

router = APIRouter(prefix="/extraction/tasks/{task_id}", tags=["reviews"])


@router.get("/results/{ordinal}", response_model=None, responses={200: {"model": wire.Result}})
def result(task_id: wire.Id, ordinal: wire.Cursor, here: Here, who: Who) -> Written:
    """One document with what stands in it."""
    task_for(here, who, task_id)
    return Written(shapes.result(here.extraction.result(task_id, ordinal)))


@router.post(
    "/results/{ordinal}/reviews", status_code=201, response_model=None, responses={201: {"model": wire.Result}}
)
def review(task_id: wire.Id, ordinal: wire.Cursor, asked: wire.NewReview, here: Here, who: Who) -> Written:
    """Judge one value. Answers with the document as it stands then; 409 if somebody else was quicker."""
    task_for(here, who, task_id, Role.REVIEWER)
    decision = Decision(
        row=asked.row,
        field=asked.field,
        action=Action(asked.action),
        value=asked.value,
        note=asked.note,
        seen=asked.seen,
        seen_value=(asked.seen_value,) if "seen_value" in asked.model_fields_set else (),
    )
    return Written(shapes.result(here.extraction.review(task_id, ordinal, decision, _reviewer(who))), status_code=201)


@router.get("/results/{ordinal}/reviews")
def reviews(
    task_id: wire.Id,
    ordinal: wire.Cursor,
    here: Here,
    who: Who,
    field: Annotated[str | None, Query(max_length=200)] = None,
    row: Annotated[str | None, Query(max_length=500)] = None,
    after: wire.Cursor = 0,
    limit: wire.Limit = 100,
) -> wire.Reviews:
    """All reviews of a document there ever were, oldest first; with `field` and `row`, those of a field or a cell.

    `after` takes `next` of the page before.
    """
    task_for(here, who, task_id)
    page, following = here.extraction.review_page(task_id, ordinal, field=field, row=row, after=after, limit=limit)
    return wire.Reviews(reviews=[shapes.review(one) for one in page], next=following)


@router.post("/reviews/accept-verified")
def accept_verified(task_id: wire.Id, asked: wire.AcceptVerified, here: Here, who: Who) -> wire.Accepted:
    """Accept all values whose quotes were found and that no check speaks against. What is reviewed stays as it is."""
    task_for(here, who, task_id, Role.REVIEWER)
    rows = None if asked.rows is None else dict(zip(asked.ordinals, asked.rows, strict=True))
    accepted, left = here.extraction.accept_verified(
        task_id, asked.ordinals, _reviewer(who), rows=rows, field_ids=asked.field_ids
    )
    return wire.Accepted(accepted=accepted, left=left)


def _reviewer(who: Caller) -> Reviewer:
    return Reviewer(name=who.name, account_id=who.account_id)
