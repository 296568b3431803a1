"""Extraction tasks: start them, steer them, read what they found."""

import io
import tempfile
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Query, Response

from ingather.extraction.export import FORMATS
from ingather.extraction.task import Task
from ingather.extraction.tasks.follow_up import FollowUp, OpenCells
from ingather.extraction.template import fields_of_sections
from ingather.web import shapes
from ingather.web.access import Here, Who, need_access, status_for_access, task_for_access
from ingather.web.accounts import Role
from ingather.web.limits import Limiting
from ingather.web.responses import ReleasingStreamResponse, WrittenResponse
from ingather.web.routes.analysis import Correlation, Shared, choices_of
from ingather.web.schemas.forms import Cursor, Done, FewAtOnce, Id, Limit
from ingather.web.schemas.library import Rectangle
from ingather.web.schemas.projects import TemplateView
from ingather.web.schemas.results import Results
from ingather.web.schemas.tasks import (
    ChangeTask,
    Differences,
    FollowUpEstimateView,
    NewFollowUp,
    NewTask,
    SpendCap,
    StartedTask,
    Tasks,
    TaskView,
)

router = APIRouter(prefix="/extraction/tasks", tags=["tasks"])

# An export up to this size stays in memory; a larger one goes to the disk. Four exports per person may run at once.
IN_MEMORY = 2_000_000
# The file is sent in pieces of this size. Larger ones hold more memory per client, smaller ones cost more calls.
CHUNK = 64 * 1024


@router.post(
    "",
    status_code=201,
    responses={200: {"model": StartedTask, "description": "Started before, with the same idempotency key."}},
)
def start_task_route(body: NewTask, response: Response, here: Here, who: Who) -> StartedTask:
    """Freeze the template and the documents, and begin. The same idempotency key gives the same task."""
    need_access(who, Role.REVIEWER, body.project_id)
    fields = body.field_ids
    if body.section_ids is not None:
        template = here.extraction.template(body.template_id, body.project_id)
        fields = [*(fields or ()), *fields_of_sections(template, body.section_ids)]
    task, is_new = here.extraction.start_task(
        body.project_id,
        body.template_id,
        body.document_ids,
        field_ids=fields,
        context=body.context,
        spend_cap=body.spend_cap,
        idempotency_key=body.idempotency_key,
        checks_model=True,
    )
    response.status_code = 201 if is_new else 200
    return StartedTask(task_id=task.id)


@router.post(
    "/{task_id}/follow-up",
    status_code=201,
    responses={200: {"model": StartedTask, "description": "Started before, with the same idempotency key."}},
)
def follow_up_task_route(task_id: Id, body: NewFollowUp, response: Response, here: Here, who: Who) -> StartedTask:
    """Begin with the results and reviews of a task that has ended; ask, and pay for, only what is wanted anew."""
    before = task_for_access(here, who, task_id, Role.REVIEWER)
    task, is_new = here.extraction.start_follow_up(
        _wanted_of_task_route(before, body, here),
        spend_cap=body.spend_cap,
        idempotency_key=body.idempotency_key,
        checks_model=True,
    )
    response.status_code = 201 if is_new else 200
    return StartedTask(task_id=task.id)


@router.post("/{task_id}/follow-up/estimate")
def estimate_follow_up_task_route(task_id: Id, body: NewFollowUp, here: Here, who: Who) -> FollowUpEstimateView:
    """What a follow-up would take, as a range, before it is started: nothing is sent anywhere."""
    before = task_for_access(here, who, task_id)
    found = here.extraction.estimate_follow_up(_wanted_of_task_route(before, body, here))
    shown = shapes.estimate_shape(found.estimate, unread=found.unread, unreadable=found.unreadable)
    return FollowUpEstimateView(**dict(shown), cells=found.cells)


def _wanted_of_task_route(before: Task, body: NewFollowUp, here: Here) -> FollowUp:
    template = here.extraction.template(before.template_id, before.project_id) if body.section_ids else None
    sections = fields_of_sections(template, body.section_ids) if template else []
    return FollowUp(
        task_id=before.id,
        field_ids=tuple(dict.fromkeys([*body.field_ids, *sections])),
        only=None if body.only is None else OpenCells(body.only),
        instructions=tuple((one.field, one.instruction) for one in body.instructions),
        document_ids=None if body.document_ids is None else tuple(body.document_ids),
    )


@router.get("/{task_id}/differences")
def differences_of_task_route(
    task_id: Id, here: Here, who: Who, after: Cursor = 0, limit: FewAtOnce = 50
) -> Differences:
    """What a follow-up says otherwise than the task it follows, cell by cell; without reviews."""
    task_for_access(here, who, task_id)
    page, following = here.extraction.differences(task_id, after=after, limit=limit)
    return Differences(differences=[shapes.compared_shape(found) for found in page], next=following)


@router.get("")
def list_tasks_route(
    project_id: Id,
    here: Here,
    who: Who,
    state: Literal["open", "closed"] | None = None,
    search: Annotated[str, Query(max_length=200)] = "",
    before: Id | None = None,
    limit: Limit = 20,
    *,
    is_archived: Annotated[bool | None, Query()] = None,
) -> Tasks:
    """The project's tasks, newest first; `before` takes `next` of the page before.

    `search` is a part of a name or of a template's id, or a task's number.
    """
    need_access(who, Role.READER, project_id)
    page, following = here.extraction.statuses(
        project_id, state=state, is_archived=is_archived, search=search, before=before, limit=limit
    )
    return Tasks(tasks=[shapes.task_shape(status) for status in page], next=following)


@router.get("/{task_id}")
async def show_task_route(task_id: Id, here: Here, who: Who) -> TaskView:
    """Counts that add up, from one read."""
    return shapes.task_shape(await status_for_access(here, who, task_id))


@router.patch("/{task_id}")
def change_task_route(task_id: Id, body: ChangeTask, here: Here, who: Who) -> TaskView:
    """Give a task a name, null for none, or put it away. Nothing that it found changes."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    if "name" in body.model_fields_set:
        here.extraction.name_task(task_id, body.name)
    if body.is_archived is not None:
        here.extraction.archive_task(task_id, is_archived=body.is_archived)
    return shapes.task_shape(here.extraction.status(task_id))


@router.delete("/{task_id}", status_code=204)
def delete_task_route(task_id: Id, here: Here, who: Who) -> Response:
    """Remove a task that has ended, with its findings, reviews and calls."""
    task_for_access(here, who, task_id, Role.OWNER)
    here.extraction.delete(task_id)
    return Response(status_code=204)


@router.get("/{task_id}/template", response_model=None, responses={200: {"model": TemplateView}})
def template_of_task_route(task_id: Id, here: Here, who: Who) -> dict[str, object]:
    """What the task asks, as it was when it started."""
    return here.extraction.template_of(task_for_access(here, who, task_id)).to_dict()


@router.get("/{task_id}/results", response_model=None, responses={200: {"model": Results}})
def results_of_task_route(
    task_id: Id, here: Here, who: Who, after: Cursor = 0, limit: FewAtOnce = 50
) -> WrittenResponse:
    """Documents with their findings, in their order; `after` takes `next` of the page before."""
    task_for_access(here, who, task_id)
    page, following = here.extraction.seen_results(task_id, who.account_id, after=after, limit=limit)
    return WrittenResponse({"results": [shapes.result_shape(found) for found in page], "next": following})


@router.get("/{task_id}/results/{ordinal}/rectangles")
def rectangles_of_task_route(
    task_id: Id,
    ordinal: Cursor,
    here: Here,
    who: Who,
    page: Cursor,
    start: Cursor,
    end: Cursor,
) -> list[Rectangle]:
    """Where characters of a page stand, line by line: the boxes of a quote."""
    task_for_access(here, who, task_id)
    return [
        Rectangle(
            left=rect.left,
            top=rect.top,
            right=rect.right,
            bottom=rect.bottom,
            page_width=rect.page_width,
            page_height=rect.page_height,
        )
        for rect in here.extraction.rectangles(task_id, ordinal, page, start, end)
    ]


@router.post("/{task_id}/cancel")
def cancel_task_route(task_id: Id, here: Here, who: Who) -> Done:
    """End what is not finished. What was found stays."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    return Done(changed=int(here.extraction.cancel(task_id)))


@router.post("/{task_id}/pause")
def pause_task_route(task_id: Id, here: Here, who: Who) -> Done:
    task_for_access(here, who, task_id, Role.REVIEWER)
    here.extraction.pause(task_id)
    return Done(changed=1)


@router.post("/{task_id}/resume")
def resume_task_route(task_id: Id, here: Here, who: Who) -> Done:
    task_for_access(here, who, task_id, Role.REVIEWER)
    here.extraction.resume(task_id)
    return Done(changed=1)


@router.post("/{task_id}/retry")
def retry_task_route(task_id: Id, here: Here, who: Who) -> Done:
    """Give the documents that failed another chance. Answers that were paid for are used again."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    return Done(changed=here.extraction.retry(task_id))


@router.put("/{task_id}/spend-cap")
def set_spend_cap_of_task_route(task_id: Id, body: SpendCap, here: Here, who: Who) -> Done:
    """Where the task pauses itself; null lifts the cap."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    here.extraction.set_spend_cap(task_id, body.spend_cap)
    return Done(changed=1)


@router.get(
    "/{task_id}/export",
    status_code=200,
    response_class=ReleasingStreamResponse,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind.media_type.partition(";")[0]: {
                    "schema": {"type": "object"} if name in {"json", "eppi"} else {"type": "string", "format": "binary"}
                }
                for name, kind in FORMATS.items()
            },
        }
    },
)
def export_task_route(
    task_id: Id,
    here: Here,
    who: Who,
    limiters: Limiting,
    format: Annotated[
        Literal["xlsx", "csv", "csv-tables", "json", "analysis", "revman", "ris", "eppi", "html"], Query()
    ] = "xlsx",
    language: Annotated[Literal["en", "zh"], Query()] = "en",
    *,
    only_reviewed: Annotated[bool, Query()] = False,
    shared: Shared = "split",
    correlation: Correlation = None,
) -> ReleasingStreamResponse:
    """All findings as a file, or only those that a person has looked at. What is not finished says so in it."""
    task_for_access(here, who, task_id)
    kind = FORMATS[format]
    limiters.exports.acquire(who.account_id)
    out: BinaryIO = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # type: ignore[assignment]  # noqa: SIM115

    def release() -> None:
        out.close()
        limiters.exports.release(who.account_id)

    try:
        choices = choices_of(shared, correlation)
        here.extraction.export(task_id, format, out, language=language, only_reviewed=only_reviewed, choices=choices)
        size = out.seek(0, io.SEEK_END)
        out.seek(0)
    except BaseException:
        release()
        raise
    # The slot is held until the client has taken the file: files that nobody takes would fill the disk.
    return ReleasingStreamResponse(
        iter(lambda: out.read(CHUNK), b""),
        release,
        media_type=kind.media_type,
        headers={
            "content-disposition": f'attachment; filename="ingather-task-{task_id}{kind.suffix}"',
            "content-length": str(size),
            "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        },
    )
