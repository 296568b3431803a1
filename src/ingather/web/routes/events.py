"""A task, live: server-sent events that can be resumed where they broke off. Polling stays correct without them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool

from ingather.engine.errors import IngatherError
from ingather.extraction.tasks.journal import Journal, Line
from ingather.notice import notice_to_json
from ingather.web import schemas as wire
from ingather.web import shapes
from ingather.web.access import Here, Who, caller, status_for
from ingather.web.answers import Lent
from ingather.web.limits import Door, Limits
from ingather.web.problems import Refused

router = APIRouter(prefix="/extraction/tasks", tags=["tasks"])

MEDIA_TYPE = "text/event-stream"
READ_ANYWAY_S = 5.0


@router.get(
    "/{task_id}/events",
    status_code=200,
    response_class=Lent,
    responses={200: {"description": "Events.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def events(
    task_id: wire.Id,
    request: Request,
    here: Here,
    who: Who,
    door: Door,
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> Lent:
    """`status` when counts change, `line` for each call and each finished document, `end` when the task is closed.

    A line's id, sent back as `Last-Event-ID`, goes on behind that line.
    """
    await status_for(here, who, task_id)

    async def look(*, is_asked_again: bool) -> dict[str, Any]:
        # A session may have ended and a token been revoked since.
        asking = await caller(request, here) if is_asked_again else who
        return shapes.task(await status_for(here, asking, task_id)).model_dump(mode="json")

    door.live_views.take(who.account_id)
    return Lent(
        _stream(look, Journal(here.engine, task_id, after=last_event_id), door.limits),
        lambda: door.live_views.leave(who.account_id),
        media_type=MEDIA_TYPE,
        headers={"x-accel-buffering": "no"},
    )


async def _stream(
    look: Callable[..., Awaitable[dict[str, Any]]], journal: Journal, limits: Limits
) -> AsyncIterator[str]:
    before: dict[str, Any] = {}
    spoke = checked = read = time.monotonic()
    while True:
        now_s = time.monotonic()
        is_asked_again = now_s - checked >= limits.rights_s
        checked = now_s if is_asked_again else checked
        try:
            # The task before its lines: once it is closed, they are all there.
            task = await look(is_asked_again=is_asked_again)
            is_over = task["state"] == "closed"
            while task != before or journal.is_behind or now_s - read >= READ_ANYWAY_S:
                lines = await run_in_threadpool(journal.read, is_last=is_over)
                read = now_s = time.monotonic()
                for line in lines:
                    yield _event("line", _line(line), line.id)
                    spoke = now_s
                if not lines or not journal.is_behind:
                    break
        except (Refused, IngatherError):
            # Whoever comes again is told what it is.
            return
        if task != before:
            yield _event("status", task)
            before, spoke = task, time.monotonic()
        if is_over:
            yield _event("end", {"task_id": task["task_id"]})
            return
        if time.monotonic() - spoke >= limits.still_there_s:
            yield ": still there\n\n"
            spoke = time.monotonic()
        await asyncio.sleep(limits.look_s)


def _event(name: str, data: dict[str, Any], event_id: str = "") -> str:
    number = f"id: {event_id}\n" if event_id else ""
    return f"event: {name}\n{number}data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _line(line: Line) -> dict[str, Any]:
    return {
        "at": line.at.isoformat(),
        "ordinal": line.ordinal,
        "file_name": line.file_name,
        "what": line.what,
        "detail": notice_to_json(line.detail),
    }
