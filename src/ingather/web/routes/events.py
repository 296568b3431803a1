"""A task as server-sent events, which a client can resume after a break. Polling stays correct without them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool

from ingather.engine.errors import IngatherError
from ingather.extraction.reviewing.comments import last_comment_at
from ingather.extraction.reviewing.watch import ReviewWatch
from ingather.extraction.tasks.journal import Journal, JournalLine
from ingather.notice import notice_to_json
from ingather.web import shapes
from ingather.web.access import Here, Who, caller_with_access, status_for_access
from ingather.web.limits import Limiting, RequestLimits
from ingather.web.presence import Present, present
from ingather.web.problems import Refused
from ingather.web.responses import ReleasingStreamResponse
from ingather.web.rooms import Rooms
from ingather.web.schemas.forms import Id

router = APIRouter(prefix="/extraction/tasks", tags=["tasks"])

MEDIA_TYPE = "text/event-stream"
# Lines are read at least this often, even if no count has changed: a call ends without changing a count.
READ_ANYWAY_S = 5.0


@router.get(
    "/{task_id}/events",
    status_code=200,
    response_class=ReleasingStreamResponse,
    responses={200: {"description": "Events.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def events_route(
    task_id: Id,
    request: Request,
    here: Here,
    who: Who,
    limiters: Limiting,
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> ReleasingStreamResponse:
    """`status` when counts change, `line` for each call and each finished document, `end` when the task is closed.

    A line's id, sent back as `Last-Event-ID`, goes on behind that line.
    """
    await status_for_access(here, who, task_id)

    async def read_task(*, rechecks_rights: bool) -> dict[str, Any]:
        # A session may have ended and a token been revoked since.
        caller_now = await caller_with_access(request, here) if rechecks_rights else who
        return shapes.task_shape(await status_for_access(here, caller_now, task_id)).model_dump(mode="json")

    limiters.live_views.acquire(who.account_id)
    return ReleasingStreamResponse(
        _task_events(read_task, Journal(here.engine, task_id, after=last_event_id), limiters.limits),
        lambda: limiters.live_views.release(who.account_id),
        media_type=MEDIA_TYPE,
        headers={"x-accel-buffering": "no"},
    )


@router.get(
    "/{task_id}/reviews/events",
    status_code=200,
    response_class=ReleasingStreamResponse,
    responses={200: {"description": "Events.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def review_events_route(
    task_id: Id, request: Request, here: Here, who: Who, limiters: Limiting
) -> ReleasingStreamResponse:
    """`reviewed` with the ordinals of documents that somebody has judged, as it happens; first those just before.

    `present` says who else has a page of the task open, and at which cell, whenever that changes; `commented` that
    somebody has said something.
    """
    await status_for_access(here, who, task_id)

    async def check_rights() -> None:
        await status_for_access(here, await caller_with_access(request, here), task_id)

    limiters.live_views.acquire(who.account_id)
    return ReleasingStreamResponse(
        _events_of_reviews(check_rights, _Company(here, task_id, who.account_id), limiters.limits),
        lambda: limiters.live_views.release(who.account_id),
        media_type=MEDIA_TYPE,
        headers={"x-accel-buffering": "no"},
    )


async def _events_of_reviews(
    check_rights: Callable[[], Awaitable[None]], company: "_Company", limits: RequestLimits
) -> AsyncIterator[str]:
    sent_at = checked_at = time.monotonic()
    while True:
        try:
            if time.monotonic() - checked_at >= limits.recheck_rights_s:
                await check_rights()
                checked_at = time.monotonic()
            news = await company.look()
        except (Refused, IngatherError):
            # The next request of this client gets the error itself.
            return
        for name, data in news:
            yield _event_text(name, data)
            sent_at = time.monotonic()
        if not news and time.monotonic() - sent_at >= limits.keep_alive_s:
            yield ": still there\n\n"
            sent_at = time.monotonic()
        await asyncio.sleep(limits.poll_s)


class _Company:
    """What one viewer of a task hears of the others: what they judge, what they say, and where they are."""

    def __init__(self, here: Rooms, task_id: int, viewer: int) -> None:
        self._here = here
        self._task_id = task_id
        self._viewer = viewer
        self._reviews = ReviewWatch(here.engine.database, task_id)
        self._last_change: object = None
        self._present: list[Present] = []

    async def look(self) -> list[tuple[str, dict[str, Any]]]:
        """The events since the last look."""
        news: list[tuple[str, dict[str, Any]]] = []
        if ordinals := await self._reviews.look():
            news.append(("reviewed", {"ordinals": ordinals}))
        last = await self._here.engine.database.aplay(last_comment_at(self._task_id))
        if last != self._last_change:
            self._last_change = last
            news.append(("commented", {}))
        there = await self._here.engine.database.aplay(present(self._task_id))
        others = [one for one in there if one.account_id != self._viewer]
        if others != self._present:
            self._present = others
            news.append(("present", {"present": [asdict(one) for one in others]}))
        return news


async def _task_events(
    read_task: Callable[..., Awaitable[dict[str, Any]]], journal: Journal, limits: RequestLimits
) -> AsyncIterator[str]:
    before: dict[str, Any] = {}
    sent_at = checked_at = read_at = time.monotonic()
    while True:
        now_s = time.monotonic()
        rechecks_rights = now_s - checked_at >= limits.recheck_rights_s
        checked_at = now_s if rechecks_rights else checked_at
        try:
            # The task before its lines: once it is closed, they are all there.
            task = await read_task(rechecks_rights=rechecks_rights)
            is_over = task["state"] == "closed"
            while task != before or journal.is_behind or now_s - read_at >= READ_ANYWAY_S:
                lines = await run_in_threadpool(journal.read, is_last=is_over)
                read_at = now_s = time.monotonic()
                for line in lines:
                    yield _event_text("line", _event_of_log_line(line), line.id)
                    sent_at = now_s
                if not lines or not journal.is_behind:
                    break
        except (Refused, IngatherError):
            # The next request of this client gets the error itself.
            return
        if task != before:
            yield _event_text("status", task)
            before, sent_at = task, time.monotonic()
        if is_over:
            yield _event_text("end", {"task_id": task["task_id"]})
            return
        if time.monotonic() - sent_at >= limits.keep_alive_s:
            yield ": still there\n\n"
            sent_at = time.monotonic()
        await asyncio.sleep(limits.poll_s)


def _event_text(name: str, data: dict[str, Any], event_id: str = "") -> str:
    number = f"id: {event_id}\n" if event_id else ""
    return f"event: {name}\n{number}data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _event_of_log_line(line: JournalLine) -> dict[str, Any]:
    return {
        "at": line.at.isoformat(),
        "ordinal": line.ordinal,
        "file_name": line.file_name,
        "what": line.what,
        "detail": notice_to_json(line.detail),
    }
