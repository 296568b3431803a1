"""Reviews by two people: the project's mode, who looks at what, conflicts, and agreement."""

from dataclasses import asdict

from fastapi import APIRouter, Query, Response

from ingather.extraction.analysis.agreement import Agreement
from ingather.extraction.findings import Action
from ingather.extraction.reviewing.assignments import ReviewerShare
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.review_mode import ReviewMode, ReviewSettings
from ingather.extraction.reviewing.votes import Vote, VotePair
from ingather.notice import notice
from ingather.web import accounts, shapes
from ingather.web.access import Here, Who, need_access, task_for_access
from ingather.web.accounts import Role
from ingather.web.problems import Refused
from ingather.web.responses import WrittenResponse
from ingather.web.rooms import Rooms
from ingather.web.routes.reviews import reviewer_of_caller
from ingather.web.schemas.forms import Cursor, Done, Id, Limit
from ingather.web.schemas.results import CellView, ResultView
from ingather.web.schemas.two_reviewers import (
    AgreementTableView,
    AgreementView,
    Assignments,
    AssignmentView,
    Conflicts,
    ConflictView,
    NewAssignments,
    ReviewModeView,
    Settlement,
    Shares,
    VoteView,
)

router = APIRouter(tags=["two reviewers"])
TASK = "/extraction/tasks/{task_id}"


@router.get("/projects/{project_id}/review-mode")
def show_review_mode(project_id: Id, here: Here, who: Who) -> ReviewModeView:
    """How many people decide about each cell of the project's tasks."""
    need_access(who, Role.READER, project_id)
    found = here.extraction.review_settings(project_id)
    return ReviewModeView(mode=found.mode.value, shows_extractor=found.shows_extractor)


@router.put("/projects/{project_id}/review-mode")
def change_review_mode(project_id: Id, body: ReviewModeView, here: Here, who: Who) -> ReviewModeView:
    """Change it. 409 while votes wait for the other reviewer: the change would show them."""
    need_access(who, Role.OWNER, project_id)
    wanted = ReviewSettings(mode=ReviewMode(body.mode), shows_extractor=body.shows_extractor)
    here.extraction.change_review_settings(project_id, wanted)
    return body


@router.get(TASK + "/assignments")
def list_assignments(task_id: Id, here: Here, who: Who) -> Assignments:
    """Who looks at which document, and how many cells they have judged. Not a word of what they decided."""
    task_for_access(here, who, task_id)
    return Assignments(
        assignments=[AssignmentView.model_validate(asdict(one)) for one in here.extraction.votes_cast(task_id)]
    )


@router.put(TASK + "/assignments", status_code=204)
def assign(task_id: Id, body: NewAssignments, here: Here, who: Who) -> Response:
    """Put a person on a side of documents. Whoever is or was on one side of a document cannot have the other."""
    task = task_for_access(here, who, task_id, Role.OWNER)
    if body.account_id is None:
        here.extraction.unassign(task_id, body.ordinals, body.side)
    else:
        names = _reviewers_in(here, task.project_id)
        here.extraction.assign(task_id, body.ordinals, body.side, body.account_id, _name_of(names, body.account_id))
    return Response(status_code=204)


@router.post(TASK + "/assignments/share")
def assign_by_share(task_id: Id, body: Shares, here: Here, who: Who) -> Done:
    """Share out the documents that nobody has, in whole documents. `changed`: how many sides were given."""
    task = task_for_access(here, who, task_id, Role.OWNER)
    names = _reviewers_in(here, task.project_id)
    people = [
        ReviewerShare(account_id=one.account_id, name=_name_of(names, one.account_id), share=one.share)
        for one in {one.account_id: one for one in body.people}.values()
    ]
    return Done(changed=here.extraction.assign_by_share(task_id, people))


def _reviewers_in(here: Rooms, project_id: int) -> dict[int, str]:
    """Those members of a project who may review, by their accounts."""
    found = here.engine.database.run(accounts.member_accounts(project_id))
    return {account_id: name for account_id, name, role in found if role is not Role.READER}


def _name_of(names: dict[int, str], account_id: int) -> str:
    if account_id not in names:
        raise Refused(
            422,
            notice("web.no_reviewer", "Account {id} is nobody who may review in this project.", id=account_id),
        )
    return names[account_id]


@router.get(TASK + "/conflicts")
def list_conflicts(
    task_id: Id, here: Here, who: Who, after: Cursor = 0, limit: Limit = 100, *, settled: bool = Query(default=False)
) -> Conflicts:
    """Cells about which two reviewers differ, once both have decided; with `settled`, those of before too."""
    task_for_access(here, who, task_id)
    page, following = here.extraction.conflicts(task_id, open_only=not settled, after=after, limit=limit)
    return Conflicts(
        conflicts=[_conflict_view(one) for one in page], open=here.extraction.open_conflicts(task_id), next=following
    )


@router.post(
    TASK + "/results/{ordinal}/settlements",
    status_code=201,
    response_model=None,
    responses={201: {"model": ResultView}},
)
def settle(task_id: Id, ordinal: Cursor, body: Settlement, here: Here, who: Who) -> WrittenResponse:
    """Settle a conflict, with a reason. One of the two may agree with the other; anything else takes an adjudicator."""
    task = task_for_access(here, who, task_id, Role.REVIEWER)
    decision = Decision(row=body.row, field=body.field, action=Action(body.action), value=body.value, note=body.note)
    overrules = who.may(Role.ADJUDICATOR, task.project_id)
    found = here.extraction.settle(task_id, ordinal, decision, reviewer_of_caller(who), overrules=overrules)
    return WrittenResponse(shapes.result_shape(found), status_code=201)


@router.get(TASK + "/agreement")
def show_agreement(task_id: Id, here: Here, who: Who) -> AgreementTableView:
    """How far two reviewers agreed on the cells that both have judged: per cent and Cohen's kappa, with intervals."""
    task_for_access(here, who, task_id)
    found = here.extraction.agreement(task_id)
    return AgreementTableView(
        fields=[_agreement_view(one) for one in found.fields],
        sections=[_agreement_view(one) for one in found.sections],
        whole=_agreement_view(found.whole),
    )


def _agreement_view(found: Agreement) -> AgreementView:
    return AgreementView.model_validate(asdict(found))


def _conflict_view(found: VotePair) -> ConflictView:
    return ConflictView(
        conflict_id=found.id,
        ordinal=found.ordinal,
        file_name=found.file_name,
        row=found.row,
        field=found.field,
        first=_vote_view(found.first),
        second=_vote_view(found.second),
        settled_by=found.settled_by,
        settled_at=found.settled_at,
    )


def _vote_view(found: Vote) -> VoteView:
    review, (state, answer) = found.review, found.outcome
    return VoteView(
        side=found.side,
        action=review.action.value,
        value=review.value,
        state=state.value,
        answer=answer,
        note=review.note,
        by=review.reviewer,
        account_id=found.account_id,
        at=review.reviewed_at,
        cell=None if review.cell is None else CellView.model_validate(asdict(review.cell)),
    )
