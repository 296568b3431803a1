"""Reviews: judgements of findings by people, and the history of each cell."""

from typing import Annotated

from fastapi import APIRouter, Query

from ingather.extraction.findings import Action, ArmRole, DocumentArm
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.library.port import PageArea
from ingather.web import shapes
from ingather.web.access import Here, Who, task_for_access
from ingather.web.accounts import Caller, Role
from ingather.web.responses import WrittenResponse
from ingather.web.schemas.forms import Cursor, Id, Limit
from ingather.web.schemas.results import Accepted, AcceptVerified, MendedArms, NewReview, ResultView, Reviews
from ingather.web.schemas.tables import Tables

router = APIRouter(prefix="/extraction/tasks/{task_id}", tags=["reviews"])


@router.get("/results/{ordinal}", response_model=None, responses={200: {"model": ResultView}})
def result_to_review_route(task_id: Id, ordinal: Cursor, here: Here, who: Who) -> WrittenResponse:
    """One document with what stands in it."""
    task_for_access(here, who, task_id)
    return WrittenResponse(shapes.result_shape(here.extraction.seen_result(task_id, ordinal, who.account_id)))


@router.post("/results/{ordinal}/reviews", status_code=201, response_model=None, responses={201: {"model": ResultView}})
def review_route(task_id: Id, ordinal: Cursor, body: NewReview, here: Here, who: Who) -> WrittenResponse:
    """Judge one value. Answers with the document as it stands then; 409 if somebody else was quicker."""
    task = task_for_access(here, who, task_id, Role.REVIEWER)
    overrules = who.may(Role.ADJUDICATOR, task.project_id)
    decision = Decision(
        row=body.row,
        field=body.field,
        action=Action(body.action),
        value=body.value,
        note=body.note,
        seen=body.seen,
        seen_value=(body.seen_value,) if "seen_value" in body.model_fields_set else (),
    )
    if body.area is not None:
        area = PageArea(**body.area.model_dump())
        found = here.extraction.take_passage(
            task_id, ordinal, decision, area, reviewer_of_caller(who), overrules=overrules
        )
    elif body.cell is None:
        found = here.extraction.decide(task_id, ordinal, decision, reviewer_of_caller(who), overrules=overrules)
    else:
        at = body.cell
        found = here.extraction.take_cell(
            task_id, ordinal, decision, (at.table, at.row, at.column), reviewer_of_caller(who), overrules=overrules
        )
    return WrittenResponse(shapes.result_shape(found), status_code=201)


@router.put("/results/{ordinal}/arms", response_model=None, responses={200: {"model": ResultView}})
def mend_arms_in_review_route(task_id: Id, ordinal: Cursor, body: MendedArms, here: Here, who: Who) -> WrittenResponse:
    """Confirm or mend the arms of a document: its numbers are read anew from the same cells, and no model is asked.

    Kept as a review of `question_arms`; taken back with `withdrawn` like every review.
    """
    task_for_access(here, who, task_id, Role.REVIEWER)
    arms = [
        DocumentArm(name=one.name, other_names=tuple(one.other_names), role=ArmRole(one.role), n=one.n)
        for one in body.arms
    ]
    found = here.extraction.decide_arms(task_id, ordinal, arms, reviewer_of_caller(who), note=body.note, seen=body.seen)
    return WrittenResponse(shapes.result_shape(found))


@router.get("/results/{ordinal}/tables")
def tables_to_review_route(task_id: Id, ordinal: Cursor, here: Here, who: Who) -> Tables:
    """The tables of a document as they were read, in the order of its pages."""
    task_for_access(here, who, task_id)
    return Tables(tables=[shapes.table_shape(found) for found in here.extraction.tables(task_id, ordinal)])


@router.get("/results/{ordinal}/reviews")
def reviews_route(
    task_id: Id,
    ordinal: Cursor,
    here: Here,
    who: Who,
    field: Annotated[str | None, Query(max_length=200)] = None,
    row: Annotated[str | None, Query(max_length=500)] = None,
    after: Cursor = 0,
    limit: Limit = 100,
) -> Reviews:
    """All reviews of a document there ever were, oldest first; with `field` and `row`, those of a field or a cell.

    `after` takes `next` of the page before.
    """
    task_for_access(here, who, task_id)
    page, following = here.extraction.review_page(task_id, ordinal, field=field, row=row, after=after, limit=limit)
    return Reviews(reviews=[shapes.review_shape(one) for one in page], next=following)


@router.post("/reviews/accept-verified")
def accept_verified_in_review_route(task_id: Id, body: AcceptVerified, here: Here, who: Who) -> Accepted:
    """Accept all values whose quotes were found and that no check speaks against. What is reviewed stays as it is."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    rows = None if body.rows is None else dict(zip(body.ordinals, body.rows, strict=True))
    accepted, left = here.extraction.decide_verified(
        task_id, body.ordinals, reviewer_of_caller(who), rows=rows, field_ids=body.field_ids
    )
    return Accepted(accepted=accepted, left=left)


def reviewer_of_caller(who: Caller) -> Reviewer:
    return Reviewer(name=who.name, account_id=who.account_id)
