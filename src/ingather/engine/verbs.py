"""What can be done to batches, as scripts: each is one transaction, and none knows a connection.

Two verbs are not here because they run thousands of times a second and are
sent several to a round trip: claim and settle, in `feeder`.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from types import EllipsisType
from typing import TypeVar

import orjson

from ingather.engine import statements as sql
from ingather.engine.cron import CatchUp, Cron, due
from ingather.engine.errors import BatchClosed, BatchTooBig, EmptyBatch, KeyReused, UnknownBatch, UsageError
from ingather.engine.model import (
    MAX_LOST,
    MESSAGE_CAP,
    Offspring,
    Progress,
    Queue,
    ScatterRequest,
    ScheduleRecord,
    WorkerRecord,
)
from ingather.engine.script import Copy, Row, Rows, Script, Statement
from ingather.notice import error_fields, notice

_BLOCKED = notice("engine.handler_blocked_worker", "the handler blocked its worker past its deadline")

N = TypeVar("N", Progress, Queue, WorkerRecord)

MAX_BATCH = 1_000_000
FEW_ITEMS = 100
CHUNK_LINES = 5_000
PRUNE_ROWS = 5_000


# --- scatter -------------------------------------------------------------------------------------------------------


class _Lines:
    """Payload lines on their way into COPY: counted and hashed as they pass, never kept."""

    def __init__(self, lines: Iterable[bytes], first_id: int, request: ScatterRequest | None) -> None:
        self._lines = lines
        self._first_id = first_id
        self._hash = hashlib.sha256(_gist(request)) if request and request.idempotency_key else None
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        chunk: list[bytes] = []
        for line in self._lines:
            if self.count >= MAX_BATCH:
                raise BatchTooBig(
                    f"One scatter may hold {MAX_BATCH:,} items; add the rest to the batch, or scatter twice."
                )
            if self._hash:
                self._hash.update(line + b"\n")
            # COPY's text format gives a meaning to backslashes; JSON has no other character it minds.
            chunk.append(b"%d\t%b\n" % (self._first_id + self.count, line.replace(b"\\", b"\\\\")))
            self.count += 1
            if len(chunk) == CHUNK_LINES:
                yield b"".join(chunk)
                chunk.clear()
        yield b"".join(chunk)

    def drain(self) -> None:
        """Count and hash, without a COPY to go into."""
        for _ in self:
            pass

    @property
    def digest(self) -> bytes | None:
        return self._hash.digest() if self._hash else None


def _gist(request: ScatterRequest) -> bytes:
    """What a key stands for besides the payloads. Not how handlers are run: a new default must not refuse old keys."""
    asked = [request.kind, request.queue, request.priority, request.delay.total_seconds()]
    return orjson.dumps(asked) + b"\n"


def scatter(request: ScatterRequest, lines: Iterable[bytes]) -> Script[tuple[int, bool]]:
    """A batch and its items. Returns its id, and whether it is new: with a known key it is the batch of that key."""
    asked = _asked(request)
    born = yield Statement(sql.NEW_BATCH, asked)
    while not born:
        known = yield Statement(sql.BATCH_OF_KEY, {"key": request.idempotency_key})
        if known:
            return _same_batch(known, request, lines), False
        # It was pruned between the two looks, so the key is free.
        born = yield Statement(sql.NEW_BATCH, asked)
    [(batch_id, segment_id)] = born
    copied = _Lines(lines, segment_id << 20, request)
    yield Copy(sql.COPY_PAYLOADS, copied)
    if not copied.count:
        raise EmptyBatch("A batch needs at least one item: the payloads were empty.")
    yield Statement(sql.SEAL_BATCH, {"batch_id": batch_id, "total": copied.count, "hash": copied.digest})
    yield _new_segment(batch_id, segment_id, 0, copied.count, request.priority, request.queue, request.delay)
    return batch_id, True


def scatter_few(request: ScatterRequest, lines: list[bytes]) -> Script[tuple[int, bool]]:
    """`scatter` of at least one item, few and due: in one statement, which needs no transaction around it."""
    passed = _Lines(lines, 0, request)
    passed.drain()
    asked = _asked(request) | {"total": len(lines), "hash": passed.digest, "lines": b"\n".join(lines).decode()}
    while True:
        if born := (yield Statement(sql.NEW_SMALL_BATCH, asked)):
            return born[0][0], True
        if known := (yield Statement(sql.BATCH_OF_KEY, {"key": request.idempotency_key})):
            return _same_batch(known, request, lines), False
        # It was pruned between the two looks, so the key is free.


def _asked(request: ScatterRequest) -> dict[str, object]:
    return {
        "kind": request.kind,
        "queue": request.queue,
        "priority": request.priority,
        "max_attempts": request.max_attempts,
        "timeout_s": request.timeout_s,
        "gathers": request.gathers,
        "parent_id": request.parent_id,
        "key": request.idempotency_key,
    }


def _same_batch(known: Rows, request: ScatterRequest, lines: Iterable[bytes]) -> int:
    [(batch_id, kind, known_hash)] = known
    same = _Lines(lines, 0, request)
    same.drain()
    if same.digest != known_hash:
        raise KeyReused(
            f"The idempotency key {request.idempotency_key!r} belongs to batch {batch_id} of kind {kind!r}, "
            "which was scattered with other content. Use a new key for new content."
        )
    return int(batch_id)


def _new_segment(
    batch_id: int, segment_id: int, first_ordinal: int, items: int, priority: int, queue: str, delay: timedelta
) -> Statement:
    run: dict[str, object] = {
        "batch_id": batch_id,
        "segment_id": segment_id,
        "first_ordinal": first_ordinal,
        "items": items,
        "priority": priority,
        "queue": queue,
    }
    return Statement(sql.NEW_DELAYED_SEGMENT, run | {"delay": delay}) if delay else Statement(sql.NEW_SEGMENT, run)


def add(batch_id: int, lines: Iterable[bytes]) -> Script[int]:
    """More items for an open batch. Returns how many."""
    found = yield Statement(sql.LOCK_BATCH, {"batch_id": batch_id})
    state, total, priority, queue = _only(found, batch_id)
    if state != "open":
        raise BatchClosed(f"Batch {batch_id} is closed and takes no more items. Scatter a new batch.")
    [(segment_id,)] = yield Statement(sql.NEXT_SEGMENT)
    copied = _Lines(lines, segment_id << 20, None)
    yield Copy(sql.COPY_PAYLOADS, copied)
    if not copied.count:
        raise EmptyBatch("There is nothing to add: the payloads were empty.")
    yield Statement(sql.GROW_BATCH, {"batch_id": batch_id, "items": copied.count})
    yield _new_segment(batch_id, segment_id, total, copied.count, priority, queue, timedelta(0))
    return copied.count


def settle_with_offspring(batch_id: int, settle: Statement, offspring: list[Offspring]) -> Script[bool]:
    """Complete one item and scatter what it asked for. False when the lease was lost: then nothing was written.

    The batch is locked before the lease, as everywhere, and only if the item adds to it. Who must wait for a lock gives
    up soon: this is said by a worker with other things to say.
    """
    yield Statement(sql.WAIT_BRIEFLY)
    if any(more.request is None for more in offspring):
        yield Statement(sql.LOCK_BATCH, {"batch_id": batch_id})
    [(written,)] = yield settle
    if not written:
        return False
    for more in offspring:
        if more.request is None:
            yield from add(batch_id, more.lines)
        else:
            yield from scatter(more.request, more.lines)
    return True


# --- operators -----------------------------------------------------------------------------------------------------


def progress(batch_ids: list[int]) -> Script[list[Progress]]:
    rows = yield Statement(sql.PROGRESS, {"batch_ids": batch_ids})
    return _records(Progress, rows)


def list_batches(*, state: str | None, kind: str | None, before: int | None, limit: int) -> Script[list[Progress]]:
    """Newest first; `before` is the last id of the page before."""
    found = yield from batch_ids(state=state, kind=kind, before=before, limit=limit)
    return (yield from progress(found)) if found else []


def batch_ids(*, state: str | None, kind: str | None, before: int | None, limit: int) -> Script[list[int]]:
    """The ids of `list_batches`. Of these, some may be pruned before they are looked at."""
    rows = yield Statement(sql.LIST_BATCHES, {"state": state, "kind": kind, "before": before, "limit": limit})
    return [batch_id for (batch_id,) in rows]


def pause(batch_id: int, *, paused: bool) -> Script[None]:
    """Stop or resume claiming from a batch; what runs goes on."""
    _only((yield Statement(sql.PAUSE, {"batch_id": batch_id, "paused": paused})), batch_id)


def cancel(batch_id: int) -> Script[bool]:
    """End every unfinished item as cancelled and close the batch. False when it had closed already."""
    this = {"batch_id": batch_id}
    if _only((yield Statement(sql.LOCK_BATCH, this)), batch_id)[0] != "open":
        return False
    yield Statement(sql.DRAIN_SEGMENTS, this)
    yield from _drop(
        Statement(sql.DROP_WAITING, this), Statement(sql.DROP_LEASES, this), Statement(sql.HAS_OPEN_ITEMS, this)
    )
    yield Statement(sql.CANCEL_THE_REST, this)
    yield Statement(sql.CLOSE, {"batch_ids": [batch_id]})
    return True


def retry_failed(batch_id: int) -> Script[int]:
    """Send failed items back to pending with all their attempts; a closed batch opens again. Returns how many."""
    this = {"batch_id": batch_id}
    _only((yield Statement(sql.LOCK_BATCH, this)), batch_id)
    yield Statement(sql.LOCK_BATCH_LEASES, this)
    [(items, gather_id)] = yield Statement(sql.RETRY_FAILED, this)
    if gather_id is not None:
        that = {"gather_id": gather_id}
        yield from _drop(
            Statement(sql.DROP_WAITING_GATHER, that),
            Statement(sql.DROP_GATHER_LEASE, that),
            Statement(sql.IS_GATHER_OPEN, that),
        )
        yield Statement(sql.DROP_GATHER_OUTCOME, that)
    return int(items)


def _drop(waiting: Statement, leases: Statement, is_any_left: Statement) -> Script[None]:
    """Take items out of both places. They can move between the two while we look, so until one snapshot shows none."""
    is_left = True
    while is_left:
        yield waiting
        yield leases
        [(is_left,)] = yield is_any_left


def close(batch_ids: list[int]) -> Script[list[int]]:
    """Close those of these batches that have no unfinished item. Returns the ones that now wait for their gather.

    Two steps, because one statement could decide from a snapshot older than
    the lock it waited for, and close over an item that was just added.
    """
    locked = yield Statement(sql.LOCK_OPEN_BATCHES, {"batch_ids": batch_ids})
    if not locked:
        return []
    closed = yield Statement(sql.CLOSE, {"batch_ids": [batch_id for (batch_id,) in locked]})
    return [batch_id for batch_id, gather_id in closed if gather_id is not None]


def close_ripe() -> Script[list[int]]:
    """Close every batch that is ripe, and drop rates of the past: the backstop for what nobody else came to."""
    [(is_my_turn,)] = yield Statement(sql.THROTTLE)
    if not is_my_turn:
        return []
    yield Statement(sql.PRUNE_RATE_USE)
    ripe = yield Statement(sql.ALL_RIPE)
    return (yield from close([batch_id for (batch_id,) in ripe])) if ripe else []


def take_back(
    worker_id: int,
    *,
    started: list[int] | None = None,
    overdue: list[int] | None = None,
    death: str | None = None,
) -> Script[tuple[int, list[int]] | None]:
    """Take a dead worker's items back. Returns how many, and the batches that may be ripe.

    With `death` the caller saw the worker die and knows what had `started`.
    Without it the worker is merely silent: its last beat says what had
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
    taken = yield from _take_back(
        worker_id, None, running if started is None else started, overdue or [], what, is_blind=not is_known_dead
    )
    yield Statement(sql.FORGET_WORKER, {"worker_id": worker_id})
    return taken


def release(worker_id: int, tokens: list[int] | None = None) -> Script[int]:
    """Give leases back unworked, all of them or some: no attempt used, no loss counted. Returns how many items."""
    items, _ = yield from _take_back(worker_id, tokens, [], [], "", is_blind=False)
    return items


def _take_back(
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
            "lost_error": orjson.dumps(lost).decode(),
            "overdue_error": orjson.dumps(late).decode(),
        },
    )
    return items, batch_ids or []


def dismiss(worker_id: int) -> Script[int]:
    """A worker's last word: what it still holds runs elsewhere at once, and it is gone. Returns how many items."""
    yield Statement(sql.LOCK_WORKER, {"worker_id": worker_id})
    items = yield from release(worker_id)
    yield Statement(sql.FORGET_WORKER, {"worker_id": worker_id})
    return items


def prune(keep: timedelta) -> Script[bool]:
    """Remove a few thousand rows of the oldest batch that closed longer ago than `keep`. False when there is none."""
    found = yield Statement(sql.OLDEST_CLOSED, {"keep": keep})
    if not found:
        return False
    [(batch_id,)] = found
    [(rows,)] = yield Statement(sql.PRUNE_STEP, {"batch_id": batch_id, "limit": PRUNE_ROWS})
    if rows < PRUNE_ROWS:
        yield Statement(sql.PRUNE_BATCH, {"batch_id": batch_id})
    return True


# --- queues and workers --------------------------------------------------------------------------------------------


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
    """Stop or resume all claims from a queue. Resuming also lifts a block that a handler asked for."""
    rows = yield Statement(sql.PAUSE_QUEUE, {"queue": queue, "paused": paused})
    if not rows:
        raise UsageError(f"There is no queue {queue!r}. See `ingather queue ls`.")


def list_queues() -> Script[list[Queue]]:
    return _records(Queue, (yield Statement(sql.LIST_QUEUES)))


def list_workers() -> Script[list[WorkerRecord]]:
    return _records(WorkerRecord, (yield Statement(sql.LIST_WORKERS)))


# --- schedules -----------------------------------------------------------------------------------------------------


class BrokenSchedule(Exception):
    """This machine cannot work out when a schedule fires."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def put_schedule(name: str, cron: Cron, request: ScatterRequest, payload: bytes, catch_up: CatchUp) -> Script[None]:
    """Declare a schedule; the same name again changes it, and keeps its place unless the clockwork changed."""
    [(now,)] = yield Statement(sql.NOW)
    yield Statement(
        sql.PUT_SCHEDULE,
        {
            "name": name,
            "kind": request.kind,
            "queue": request.queue,
            "payload": payload.decode(),
            "cron": cron.expression,
            "tz": cron.tz,
            "seconds": cron.seconds,
            "catch_up": catch_up,
            "priority": request.priority,
            "max_attempts": request.max_attempts,
            "timeout_s": request.timeout_s,
            "gathers": request.gathers,
            "next_at": cron.next_after(now),
        },
    )


def fire_schedule(skipping: list[str]) -> Script[tuple[str, int, bool] | None]:
    """Fire the schedule that is most overdue: its batches and its next instant are one commit.

    Returns its name, how many instants fired and whether some were passed over; None when nothing is due.
    The key makes an instant fire once even if its row was restored from a backup.
    """
    found = yield Statement(sql.DUE_SCHEDULE, {"skipping": skipping})
    if not found:
        return None
    [row] = found
    name, kind, queue, payload, expression, tz, seconds, policy, priority, max_attempts, timeout_s, gathers = row[:12]
    next_at, now = row[12:]
    cron = Cron(expression, tz, seconds)
    try:
        # `due` looks strictly after `last`, and next_at itself has not fired.
        firing = due(cron, last=next_at - timedelta(microseconds=1), now=now, policy=policy)
    except Exception as error:
        raise BrokenSchedule(name) from error
    for instant in firing.fire:
        request = ScatterRequest(
            kind=kind,
            queue=queue,
            priority=priority,
            delay=timedelta(0),
            max_attempts=max_attempts,
            timeout_s=timeout_s,
            gathers=gathers,
            idempotency_key=f"schedule:{name}:{instant.isoformat()}",
        )
        with suppress(KeyReused):
            yield from scatter(request, [payload.encode()])
    last_at = firing.fire[-1] if firing.fire else None
    yield Statement(sql.MOVE_SCHEDULE, {"name": name, "last_at": last_at, "next_at": firing.next})
    return name, len(firing.fire), firing.has_skipped


def list_schedules() -> Script[list[ScheduleRecord]]:
    rows = yield Statement(sql.LIST_SCHEDULES)
    return [
        ScheduleRecord(
            name=name,
            kind=kind,
            queue=queue,
            cron=Cron(expression, tz, seconds),
            catch_up=policy,
            paused=paused,
            last_at=last_at,
            next_at=next_at,
        )
        for name, kind, queue, expression, tz, seconds, policy, paused, last_at, next_at in rows
    ]


def pause_schedule(name: str, *, paused: bool) -> Script[bool]:
    """Stop or resume a schedule; instants that pass meanwhile are caught up with by its policy. False: none such."""
    return bool((yield Statement(sql.PAUSE_SCHEDULE, {"name": name, "paused": paused})))


def drop_schedule(name: str) -> Script[bool]:
    return bool((yield Statement(sql.DROP_SCHEDULE, {"name": name})))


def _records(noun: type[N], rows: Rows) -> list[N]:
    """Rows as nouns: the columns of the statement stand in the order of the fields."""
    names = [field.name for field in fields(noun)]
    return [noun(**dict(zip(names, row, strict=True))) for row in rows]


def _only(rows: Rows, batch_id: int) -> Row:
    if not rows:
        raise UnknownBatch(
            notice("engine.no_batch_been_pruned", "There is no batch {id}. It may have been pruned.", id=batch_id)
        )
    return rows[0]
