"""Queues and workers: limits, pauses, holds and lists."""

from datetime import timedelta
from types import EllipsisType

from ingather.engine import statements as sql
from ingather.engine.errors import UsageError
from ingather.engine.model import Queue, WorkerRecord
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.rows import records_of_rows


def hold_queue(queue: str, delay: timedelta) -> Script[None]:
    yield Statement(sql.BLOCK_QUEUE, {"queue": queue, "delay_s": delay.total_seconds()})


def set_queue(
    queue: str, *, max_running: int | EllipsisType | None, rate: tuple[int, timedelta] | EllipsisType | None
) -> Script[None]:
    """Set a queue's limits; `...` leaves one as it is, None removes it."""
    sets_max, sets_rate = max_running is not ..., rate is not ...
    yield Statement(
        sql.SET_QUEUE,
        {
            "queue": queue,
            "max_running": max_running if sets_max else None,
            "rate_items": rate[0] if isinstance(rate, tuple) else None,
            "rate_window": rate[1] if isinstance(rate, tuple) else None,
            "sets_max": sets_max,
            "sets_rate": sets_rate,
        },
    )


def pause_queue(queue: str, *, paused: bool) -> Script[None]:
    """Stop or resume all claims from a queue. Resuming also ends a hold that a handler caused."""
    rows = yield Statement(sql.PAUSE_QUEUE, {"queue": queue, "paused": paused})
    if not rows:
        raise UsageError(f"There is no queue {queue!r}. See `ingather queue ls`.")


def list_queues() -> Script[list[Queue]]:
    return records_of_rows(Queue, (yield Statement(sql.LIST_QUEUES)))


def list_workers() -> Script[list[WorkerRecord]]:
    return records_of_rows(WorkerRecord, (yield Statement(sql.LIST_WORKERS)))
