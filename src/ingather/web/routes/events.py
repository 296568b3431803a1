"""A task, live: server-sent events that can be resumed where they broke off. Polling stays correct without them."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from ingather.extraction.journal import Journal, Line
from ingather.web import schemas as wire
from ingather.web import shapes
from ingather.web.access import Here, Who, caller, task_for
from ingather.web.accounts import Caller
from ingather.web.problems import Refused
from ingather.web.rooms import Rooms

router = APIRouter(prefix="/extraction/tasks", tags=["tasks"])

LOOK_S = 0.5
STILL_THERE_S = 15.0
RIGHTS_S = 20.0
MOST_PER_ACCOUNT = 20
_open: Counter[int] = Counter()


@router.get("/{task_id}/events", response_class=StreamingResponse)
async def events(
    task_id: wire.Id,
    request: Request,
    here: Here,
    who: Who,
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> StreamingResponse:
    """`status` when counts change, `line` for each call and each finished document, `end` when the task is closed."""
    await run_in_threadpool(task_for, here, who, task_id)
    if _open[who.account_id] >= MOST_PER_ACCOUNT:
        raise Refused(429, "Too many live views are open. Close some, or poll.", {"Retry-After": "10"})
    journal = Journal(here.engine, task_id, after=last_event_id)
    return StreamingResponse(
        _stream(request, here, who, task_id, journal),
        media_type="text/event-stream",
        headers={"x-accel-buffering": "no"},
    )


async def _stream(request: Request, here: Rooms, who: Caller, task_id: int, journal: Journal) -> AsyncIterator[str]:
    _open[who.account_id] += 1
    try:
        before: dict[str, Any] | None = None
        spoke = checked = time.monotonic()
        while not await request.is_disconnected():
            if time.monotonic() - checked > RIGHTS_S:
                # A session may have ended and a token been revoked since.
                try:
                    who = await run_in_threadpool(caller, request, here)
                    await run_in_threadpool(task_for, here, who, task_id)
                except Refused:
                    return
                checked = time.monotonic()
            status = await run_in_threadpool(here.extraction.status, task_id)
            for line in await run_in_threadpool(journal.read):
                yield _event("line", _line(line), line.id)
                spoke = time.monotonic()
            now = shapes.task(status).model_dump(mode="json")
            if now != before:
                yield _event("status", now)
                before, spoke = now, time.monotonic()
            if status.progress.is_closed:
                yield _event("end", {"task_id": task_id})
                return
            if time.monotonic() - spoke > STILL_THERE_S:
                yield ": still there\n\n"
                spoke = time.monotonic()
            await asyncio.sleep(LOOK_S)
    finally:
        _open[who.account_id] -= 1


def _event(name: str, data: dict[str, Any], event_id: str = "") -> str:
    number = f"id: {event_id}\n" if event_id else ""
    return f"event: {name}\n{number}data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _line(line: Line) -> dict[str, Any]:
    return {
        "at": line.at.isoformat(),
        "ordinal": line.ordinal,
        "file_name": line.file_name,
        "what": line.what,
        "detail": line.detail,
    }
