"""Sweep, release, dismiss: what a worker held runs elsewhere, or ends as error."""

from typing import Final

import orjson

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement
from ingather.engine.verdict import MAX_LOST, MESSAGE_CAP
from ingather.notice import error_fields, notice

# Items that died together come back within so many seconds at most, each at a moment of its own. Shorter brings the
# same company together again; longer makes the innocent wait.
APART_S: Final = 16.0

_BLOCKED = notice("engine.handler_blocked_worker", "the handler blocked its worker past its deadline")


def take_back(
    worker_id: int,
    *,
    started: list[int] | None = None,
    overdue: list[int] | None = None,
    death: str | None = None,
) -> Script[tuple[int, list[int]] | None]:
    """Take a dead worker's items back. Returns how many, and the batches to look after: those that are ripe, and those
    whose gather has ended.

    With `death` the caller saw the worker die and knows what had `started` in
    its own process. Without it the worker is merely silent: its last beat names what had
    started, and what was claimed into free slots had started too. None when
    the worker is alive after all, or somebody else is at it.
    """
    is_known_dead = death is not None
    locked = yield Statement(sql.LOCK_SILENT_WORKER, {"worker_id": worker_id, "is_known_dead": is_known_dead})
    if not locked:
        return None
    [(host, pid, running)] = locked
    what = death or notice(
        "engine.worker_process_went_silent",
        "worker {id} (process {pid} on {host}) went silent",
        id=worker_id,
        pid=pid,
        host=host,
    )
    taken = yield from _sweep_leases_back(
        worker_id, None, running if started is None else started, overdue or [], what, is_blind=not is_known_dead
    )
    yield Statement(sql.FORGET_WORKER, {"worker_id": worker_id})
    # It may not have closed the batches that it ended last.
    ripe = yield Statement(sql.RIPE_BY, {"worker_id": worker_id})
    items, batch_ids = taken
    return items, sorted({*batch_ids, *(batch_id for (batch_id,) in ripe)})


def release(worker_id: int, tokens: list[int] | None = None) -> Script[int]:
    """Give leases back unworked, all of them or some: no attempt used, no loss counted. Returns how many items."""
    items, _ = yield from _sweep_leases_back(worker_id, tokens, [], [], "", is_blind=False)
    return items


def _sweep_leases_back(
    worker_id: int, tokens: list[int] | None, started: list[int], overdue: list[int], what: str, *, is_blind: bool
) -> Script[tuple[int, list[int]]]:
    yield Statement(sql.LOCK_LEASES, {"worker_id": worker_id, "tokens": tokens})
    lost = {"reason": "lost", "type": "Died", **error_fields(what, MESSAGE_CAP)}
    late = {"reason": "timeout", "type": "Overdue", **error_fields(_BLOCKED, MESSAGE_CAP)}
    [(items, batch_ids)] = yield Statement(
        sql.TAKE_BACK,
        {
            "worker_id": worker_id,
            "tokens": tokens,
            "started": started,
            "overdue": overdue,
            "is_blind": is_blind,
            "max_lost": MAX_LOST,
            "apart_s": APART_S,
            "lost_error": orjson.dumps(lost).decode(),
            "overdue_error": orjson.dumps(late).decode(),
        },
    )
    return items, batch_ids or []


def dismiss(worker_id: int) -> Script[int]:
    """A worker leaves: what it still holds runs elsewhere at once, and its row goes. Returns how many items."""
    yield Statement(sql.LOCK_WORKER, {"worker_id": worker_id})
    items = yield from release(worker_id)
    yield Statement(sql.FORGET_WORKER, {"worker_id": worker_id})
    return items
