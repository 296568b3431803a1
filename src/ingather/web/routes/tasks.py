"""Extraction tasks: start them, steer them, read what they found."""

import io
import tempfile
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Query, Response

from ingather.extraction.export import FORMATS
from ingather.web import schemas as wire
from ingather.web import shapes
from ingather.web.access import Here, Who, need, status_for, task_for
from ingather.web.accounts import Role
from ingather.web.answers import Lent, Written
from ingather.web.limits import Door

router = APIRouter(prefix="/extraction/tasks", tags=["tasks"])

IN_MEMORY = 2_000_000
CHUNK = 64 * 1024


@router.post(
    "",
    status_code=201,
    responses={200: {"model": wire.StartedTask, "description": "Started before, with the same idempotency key."}},
)
def start(asked: wire.NewTask, response: Response, here: Here, who: Who) -> wire.StartedTask:
    """Freeze the template and the documents, and begin. The same idempotency key gives the same task."""
    need(who, Role.REVIEWER, asked.project_id)
    task, is_new = here.extraction.start_task(
        asked.project_id,
        asked.template_id,
        asked.document_ids,
        field_ids=asked.field_ids,
        context=asked.context,
        spend_cap=asked.spend_cap,
        idempotency_key=asked.idempotency_key,
    )
    response.status_code = 201 if is_new else 200
    return wire.StartedTask(task_id=task.id)


@router.get("")
def list_tasks(
    project_id: wire.Id,
    here: Here,
    who: Who,
    state: Literal["open", "closed"] | None = None,
    before: wire.Id | None = None,
    limit: wire.Limit = 20,
) -> wire.Tasks:
    """The project's tasks, newest first; `before` takes `next` of the page before."""
    need(who, Role.READER, project_id)
    page, following = here.extraction.statuses(project_id, state=state, before=before, limit=limit)
    return wire.Tasks(tasks=[shapes.task(status) for status in page], next=following)


@router.get("/{task_id}")
async def show(task_id: wire.Id, here: Here, who: Who) -> wire.Task:
    """Counts that add up, from one read."""
    return shapes.task(await status_for(here, who, task_id))


@router.get("/{task_id}/template", response_model=None, responses={200: {"model": wire.Template}})
def template(task_id: wire.Id, here: Here, who: Who) -> dict[str, object]:
    """What the task asks, as it was when it started."""
    return here.extraction.template_of(task_for(here, who, task_id)).to_dict()


@router.get("/{task_id}/results", response_model=None, responses={200: {"model": wire.Results}})
def results(task_id: wire.Id, here: Here, who: Who, after: wire.Cursor = 0, limit: wire.FewAtOnce = 50) -> Written:
    """Documents with their findings, in their order; `after` takes `next` of the page before."""
    task_for(here, who, task_id)
    page, following = here.extraction.results(task_id, after=after, limit=limit)
    return Written({"results": [shapes.result(found) for found in page], "next": following})


@router.get("/{task_id}/results/{ordinal}/rectangles")
def rectangles(
    task_id: wire.Id,
    ordinal: wire.Cursor,
    here: Here,
    who: Who,
    page: wire.Cursor,
    start: wire.Cursor,
    end: wire.Cursor,
) -> list[wire.Rectangle]:
    """Where characters of a page stand, line by line: the boxes of a quote."""
    task_for(here, who, task_id)
    return [
        wire.Rectangle(
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
def cancel(task_id: wire.Id, here: Here, who: Who) -> wire.Done:
    """End what is not finished. What was found stays."""
    task_for(here, who, task_id, Role.REVIEWER)
    return wire.Done(changed=int(here.extraction.cancel(task_id)))


@router.post("/{task_id}/pause")
def pause(task_id: wire.Id, here: Here, who: Who) -> wire.Done:
    task_for(here, who, task_id, Role.REVIEWER)
    here.extraction.pause(task_id)
    return wire.Done(changed=1)


@router.post("/{task_id}/resume")
def resume(task_id: wire.Id, here: Here, who: Who) -> wire.Done:
    task_for(here, who, task_id, Role.REVIEWER)
    here.extraction.resume(task_id)
    return wire.Done(changed=1)


@router.post("/{task_id}/retry")
def retry(task_id: wire.Id, here: Here, who: Who) -> wire.Done:
    """Give the documents that failed another chance. Answers that were paid for are used again."""
    task_for(here, who, task_id, Role.REVIEWER)
    return wire.Done(changed=here.extraction.retry(task_id))


@router.put("/{task_id}/spend-cap")
def set_spend_cap(task_id: wire.Id, asked: wire.SpendCap, here: Here, who: Who) -> wire.Done:
    """Where the task pauses itself; null lifts the cap."""
    task_for(here, who, task_id, Role.REVIEWER)
    here.extraction.set_spend_cap(task_id, asked.spend_cap)
    return wire.Done(changed=1)


@router.get(
    "/{task_id}/export",
    status_code=200,
    response_class=Lent,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind.media_type.partition(";")[0]: {
                    "schema": {"type": "object"} if name == "json" else {"type": "string", "format": "binary"}
                }
                for name, kind in FORMATS.items()
            },
        }
    },
)
def export(
    task_id: wire.Id,
    here: Here,
    who: Who,
    door: Door,
    format: Annotated[Literal["xlsx", "csv", "csv-tables", "json", "html"], Query()] = "xlsx",
    language: Annotated[Literal["en", "zh"], Query()] = "en",
) -> Lent:
    """All findings as a file. What is not finished says so in it."""
    task_for(here, who, task_id)
    kind = FORMATS[format]
    door.exports.take(who.account_id)
    out: BinaryIO = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # type: ignore[assignment]  # noqa: SIM115

    def give_back() -> None:
        out.close()
        door.exports.leave(who.account_id)

    try:
        here.extraction.export(task_id, format, out, language=language)
        size = out.seek(0, io.SEEK_END)
        out.seek(0)
    except BaseException:
        give_back()
        raise
    # The seat is held until the file is taken: files that nobody takes would fill the disk.
    return Lent(
        iter(lambda: out.read(CHUNK), b""),
        give_back,
        media_type=kind.media_type,
        headers={
            "content-disposition": f'attachment; filename="ingather-task-{task_id}{kind.suffix}"',
            "content-length": str(size),
            "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        },
    )
