"""Edited exports: read back as proposed reviews, and those that a person accepts written all together."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ingather.extraction.findings import Action
from ingather.extraction.read_back.proposals import Proposal, ReadBack
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.library.names import clean_file_name
from ingather.web import shapes
from ingather.web.access import Here, Who, task_for_access
from ingather.web.accounts import Caller, Role
from ingather.web.limits import Limiting
from ingather.web.problems import Refused
from ingather.web.schemas.forms import Done, Id
from ingather.web.schemas.read_back import (
    AcceptProposals,
    ProposalView,
    ProposedReview,
    ReadBackView,
    UnplacedView,
)
from ingather.web.uploaded import uploaded_form

router = APIRouter(prefix="/extraction/tasks/{task_id}/read-back", tags=["reviews"])
_FILE = {"type": "object", "required": ["file"], "properties": {"file": {"type": "string", "format": "binary"}}}


@router.post(
    "",
    openapi_extra={"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FILE}}}},
)
async def read_back(task_id: Id, request: Request, here: Here, who: Who, limiters: Limiting) -> ReadBackView:
    """What an export of this task proposes that was edited in a spreadsheet. Nothing is written."""
    await run_in_threadpool(task_for_access, here, who, task_id, Role.REVIEWER)
    with limiters.uploads.holding(who.account_id):
        async with uploaded_form(request) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise Refused(422, "There is no file in the form: send it as `file`, multipart/form-data.")
            name = clean_file_name(file.filename or "")
            content = await file.read()
            found = await run_in_threadpool(here.extraction.read_back, task_id, name, content, _reader(who))
    return _read_back_view(name, found)


@router.post("/accept", status_code=201)
def accept_proposals(task_id: Id, body: AcceptProposals, here: Here, who: Who) -> Done:
    """Write proposals that a person accepted: all of them, or none if one cannot be; 409 if somebody was quicker."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    decisions = [(one.ordinal, _decision_of(one)) for one in body.proposals]
    return Done(changed=here.extraction.accept_proposals(task_id, body.file_name, decisions, _reader(who)))


def _decision_of(one: ProposedReview) -> Decision:
    return Decision(
        row=one.row, field=one.field, action=Action(one.action), value=one.value, note=one.note, seen=one.seen
    )


def _read_back_view(name: str, found: ReadBack) -> ReadBackView:
    return ReadBackView(
        file_name=name,
        proposals=[_proposal_view(one) for one in found.proposals],
        unplaced=[
            UnplacedView(
                sheet=one.sheet, line=one.line, column=one.column, text=one.text, why=shapes.sentence_shape(one.why)
            )
            for one in found.unplaced
        ],
        unchanged=found.unchanged,
    )


def _proposal_view(one: Proposal) -> ProposalView:
    decision = one.decision
    return ProposalView(
        proposed=ProposedReview.model_validate(
            {
                "ordinal": one.ordinal,
                "row": decision.row,
                "field": decision.field,
                "action": decision.action.value,
                "value": decision.value,
                "note": decision.note,
                "seen": decision.seen,
            }
        ),
        file_name=one.file_name,
        row_label=one.row_label,
        was=one.was,
        was_state=one.was_state.value if one.was_state else None,
        sheet=one.sheet,
        line=one.line,
    )


def _reader(who: Caller) -> Reviewer:
    return Reviewer(name=who.name, account_id=who.account_id)
