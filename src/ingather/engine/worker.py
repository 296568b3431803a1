"""The worker: slots that run handlers, a feeder that brings items, a sentinel that beats, an aggregator that ticks."""

import asyncio
import logging
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from ingather.engine import aggregator, verbs
from ingather.engine import statements as sql
from ingather.engine.batch import Batch
from ingather.engine.children import Children
from ingather.engine.codec import Unstorable, decode_payload, encode_result
from ingather.engine.connection import PASSING_ERRORS, aconnect, is_direct
from ingather.engine.errors import DatabaseUnavailable, HandlerSignal, LeaseLost, RetryLater, ShuttingDown
from ingather.engine.feeder import Feeder, backoff_s
from ingather.engine.holdings import Assignment, Lease
from ingather.engine.model import Item, Overdue, Verdict, describe, verdict
from ingather.engine.script import Row, Script, Statement, aplay, arun
from ingather.engine.sentinel import Post, Sentinel
from ingather.engine.slots import Slots
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

log = logging.getLogger("ingather.worker")

YIELD_EVERY = 50
WATCH_S = 0.1
BELL_S = 0.005
STALE_AFTER_S = 2.0
GRACE_S = 25.0
FAREWELL_S = 5.0
STUBBORN_S = 1.0
NO_GATHER_S = 5.0
VOUCH_S = 10.0
CHILD_START_S = 30.0
DRAIN_HORIZON = timedelta(seconds=60)


class _Slot:
    """One place to run a handler, and what runs in it."""

    __slots__ = ("deadline", "lease", "number", "started", "stopped_for", "task")

    def __init__(self, number: int) -> None:
        self.number = number
        self.task: asyncio.Task[None] | None = None
        self.lease: Lease | None = None
        self.started = 0.0
        self.deadline = 0.0
        self.stopped_for: Exception | None = None

    def stop(self, why: Exception) -> None:
        """Cancel the handler in this slot, telling it why; the slot itself lives on."""
        if self.task is not None and self.lease is not None:
            self.stopped_for = why
            self.task.cancel(why)

    def calm_down(self) -> None:
        """The handler is done, whether it heeded its cancel or not: none of that may reach the next one."""
        self.stopped_for = None
        while self.task is not None and self.task.cancelling():
            self.task.uncancel()


class Worker:
    """Runs handlers until told to stop: `async with app.worker(): …`, `app.worker().drain()`, or `run()`."""

    def __init__(self, engine: "Engine", concurrency: int, queues: list[str] | None) -> None:
        self._engine = engine
        self._concurrency = concurrency
        self._queues = queues
        self._kills_stuck = False
        self._strangers: set[int] = set()
        self._missing: set[int] = set()

    # --- life ------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Register, and begin to claim. Fails clearly when the database or its tables are not fit."""
        await asyncio.to_thread(self._engine.check)
        self._slots = [_Slot(number) for number in range(self._concurrency)]
        self._idle: deque[asyncio.Future[None]] = deque()
        self._busy = 0
        self._relief: asyncio.Handle | None = None
        self._is_leaving = False
        self._shared = Slots.create(self._concurrency)
        self._children = Children(self._engine, self._concurrency)
        self._feeder = Feeder(
            self._engine.url,
            self._engine.registry.handlers,
            slots=self._concurrency,
            busy=lambda: self._busy,
            on_lost=self._stop_handlers_of,
            on_arrival=self._wake_a_slot,
        )
        try:
            await self._children.open()
            async with await aconnect(self._engine.url, application_name="ingather worker") as conn:
                await self._enlist(conn)
        except BaseException:
            await self._children.stop()
            self._shared.close()
            raise
        for slot in self._slots:
            slot.task = asyncio.create_task(self._fill(slot), name=f"ingather slot {slot.number}")
        self._tasks = [
            asyncio.create_task(self._feeder.run(), name="ingather feeder"),
            asyncio.create_task(self._keep_time(), name="ingather deadlines"),
            asyncio.create_task(self._watch(), name="ingather aggregator"),
        ]

    async def stop(self, grace: float = GRACE_S) -> None:
        """Claim no more, let handlers finish within `grace` seconds, give the rest back, and leave.

        The sentinel beats until the very end, so nothing that is still in
        hand here is stolen while it finishes. Once begun it goes through to
        the end, also when the caller is cancelled meanwhile.
        """
        await asyncio.shield(asyncio.create_task(self._leave(grace), name="ingather farewell"))

    async def _leave(self, grace: float) -> None:
        self._feeder.is_claiming = False
        self._feeder.return_unstarted(older_than_s=-1.0)
        deadline = time.monotonic() + grace
        while self._running() and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        self._is_leaving = True
        self._hurry()
        await self._say_farewell()
        tasks = [*self._tasks, *(slot.task for slot in self._slots if slot.task)]
        for task in tasks:
            task.cancel()
        # A handler that will not be cancelled is left behind: its item runs elsewhere already.
        await asyncio.wait(tasks, timeout=STUBBORN_S)
        await self._children.stop()
        await self._feeder.line.close()
        await asyncio.to_thread(self._sentinel.dismiss)
        self._shared.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def drain(self) -> None:
        """Work until nothing is left to do now, then stop. For tests and scripts.

        Items that are due within a minute (a retry, a short delay) are waited
        for; later ones are left.
        """
        asyncio.run(self.adrain())

    async def adrain(self) -> None:
        """`drain`, for a caller with an event loop."""
        async with self, await aconnect(self._engine.url) as conn:
            while not (self._feeder.is_idle and await arun(conn, self._is_nothing_left())):
                await asyncio.sleep(0.02)

    def run(self, *, grace: float = GRACE_S) -> None:
        """Work until SIGTERM or SIGINT, then stop gracefully. A second signal ends the wait for handlers."""
        self._kills_stuck = True
        asyncio.run(self._run_until_signalled(grace))

    async def _run_until_signalled(self, grace: float) -> None:
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, told.set)
        await self.start()
        await told.wait()
        log.info("stopping: handlers have %g s to finish", grace)
        stopping = asyncio.create_task(self.stop(grace))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._hurry)
        await stopping

    def _hurry(self) -> None:
        for slot in self._running():
            slot.stop(
                ShuttingDown(
                    notice("engine.worker_is_stopping", "this worker is stopping; the item will run elsewhere")
                )
            )

    @property
    def is_connected(self) -> bool:
        """Whether the database answered last time: what a readiness check should ask."""
        return self._feeder.is_connected

    async def _enlist(self, conn: AsyncConnection[Any]) -> None:
        """Register under a fresh id, with a sentinel of its own."""
        self._feeder.worker_id = await arun(conn, self._register())
        self._feeder.set_queues(await arun(conn, self._known_queues()))
        await self._post_sentinel()

    async def _post_sentinel(self) -> None:
        self._shared.tick()
        post = Post(
            url=self._engine.url,
            worker_id=self._feeder.worker_id,
            worker_pid=os.getpid(),
            lease_s=self._engine.lease.total_seconds(),
            slots_fd=self._shared.fd,
            slots_count=self._concurrency,
            kills_stuck=self._kills_stuck,
        )
        self._sentinel = await asyncio.to_thread(Sentinel, post)
        self._vouches_until = time.monotonic() + VOUCH_S

    def _register(self) -> Script[int]:
        who = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "kinds": sorted(self._engine.registry.handlers),
            "lease": self._engine.lease,
        }
        [(worker_id,)] = yield Statement(sql.REGISTER, who)
        return int(worker_id)

    def _known_queues(self) -> Script[list[tuple[str, bool]]]:
        return self._mine((yield Statement(sql.QUEUES)))

    def _mine(self, queues: Iterable[Row]) -> list[tuple[str, bool]]:
        return [(name, is_limited) for name, is_limited in queues if self._queues is None or name in self._queues]

    async def _say_farewell(self) -> None:
        """Let the feeder tell what finished, then hand back the rest. The sweep does it if the database is away."""
        try:
            async with asyncio.timeout(FAREWELL_S):
                stubborn_until = time.monotonic() + STUBBORN_S
                while self._feeder.is_talking or (self._running() and time.monotonic() < stubborn_until):
                    await asyncio.sleep(0.01)
                async with await aconnect(self._engine.url) as conn:
                    if items := await arun(conn, verbs.dismiss(self._feeder.worker_id)):
                        log.info("%s unfinished items given back", items)
                    await conn.execute(sql.RING)
        except (*PASSING_ERRORS, DatabaseUnavailable, TimeoutError) as error:
            log.warning("could not say farewell, the sweep will take back what is left: %s", str(error).strip())

    def _is_nothing_left(self) -> Script[bool]:
        asked = {
            "queues": [name for name, _ in (yield from self._known_queues())],
            "kinds": list(self._engine.registry.handlers),
            "horizon": DRAIN_HORIZON,
            "worker_id": self._feeder.worker_id,
        }
        [(is_idle,)] = yield Statement(sql.IS_IDLE, asked)
        return bool(is_idle)

    # --- slots -----------------------------------------------------------------------------------------------------

    def _running(self) -> list[_Slot]:
        return [slot for slot in self._slots if slot.lease is not None]

    def _wake_a_slot(self) -> None:
        while self._idle:
            resting = self._idle.popleft()
            if not resting.done():
                resting.set_result(None)
                return

    def _relieve(self) -> None:
        """Whoever is busy while the loop comes by here is waiting for something: let others work meanwhile, two for
        one. Handlers that never wait are served by one slot alone, and the loop stays quick for the feeder."""
        self._relief = None
        if self._busy and self._feeder.holdings.buffer:
            self._wake_a_slot()
            self._wake_a_slot()

    def _stop_handlers_of(self, lease: Lease) -> None:
        for slot in self._slots:
            if slot.lease is lease:
                slot.stop(
                    LeaseLost(
                        notice(
                            "engine.lease_taken_away",
                            "its lease was taken away: cancelled, or given to another worker",
                        )
                    )
                )

    async def _fill(self, slot: _Slot) -> None:
        """A slot's life: take the next item, run it, say how it went, until the worker leaves.

        All in one coroutine: a second one for every item would be a good part of a quick item's way.
        """
        shared, loop = self._shared, asyncio.get_running_loop()
        buffer, outbox, line_to_database = self._feeder.holdings.buffer, self._feeder.outbox, self._feeder.line
        since_yield = 0
        while not self._is_leaving:
            if not buffer:
                await self._rest(loop)
                since_yield = 0
                continue
            assignment = buffer.popleft()
            lease, item_id, ordinal, payload, _ = assignment
            if lease.is_lost:
                continue
            if self._relief is None and buffer and self._idle:
                self._relief = loop.call_soon(self._relieve)
            self._busy += 1
            slot.lease = lease
            slot.started = time.monotonic()
            slot.deadline = slot.started + lease.timeout_s
            shared.begin(slot.number, item_id, slot.deadline)
            try:
                if lease.function is None:
                    line, offspring = await self._call(slot, assignment)
                else:
                    given, offspring_of = decode_payload(payload), self._engine.registry.offspring
                    item = Item(
                        item_id, lease.batch_id, lease.kind, ordinal, given, lease.attempt, lease.lost,
                        lease.segment_key, offspring_of,
                    )  # fmt: skip
                    line = encode_result(await lease.function(item))
                    offspring = item.offspring
            except BaseException as error:
                # User code may raise anything; the slot must survive it.
                if not self._take_down(slot, lease, item_id, error):
                    raise
            else:
                outbox.completed(lease, item_id, time.monotonic() - slot.started, line, offspring)
            finally:
                slot.lease = None
                if slot.stopped_for is not None:
                    slot.calm_down()
                shared.end(slot.number)
                self._busy -= 1
            since_yield += 1
            if since_yield >= YIELD_EVERY or line_to_database.is_sending:
                # Handlers that never wait would keep the feeder from talking, and deadlines from passing.
                await asyncio.sleep(0)
                since_yield = 0

    async def _rest(self, loop: asyncio.AbstractEventLoop) -> None:
        """Until there may be items for this slot."""
        resting = loop.create_future()
        self._idle.append(resting)
        await resting

    def _take_down(self, slot: _Slot, lease: Lease, item_id: int, error: BaseException) -> bool:
        """What became of a handler that did not return. False if it is the slot itself that is being cancelled."""
        match error, slot.stopped_for:
            case asyncio.CancelledError(), None if slot.task is not None and slot.task.cancelling():
                return False
            case asyncio.CancelledError(), Overdue() as overdue:
                self._fail(lease, item_id, slot, overdue)
            case asyncio.CancelledError(), LeaseLost() as lost:
                log.warning("item %s is no longer ours; its handler was stopped: %s", item_id, lost)
            case asyncio.CancelledError(), ShuttingDown():
                pass  # the farewell gives it back
            case Unstorable() as bad, _:
                took_s = time.monotonic() - slot.started
                self._feeder.outbox.failed(
                    lease, item_id, took_s, Verdict(is_over=True, error=describe(bad, bad.reason))
                )
            case _:  # also where nobody cancelled this slot: the handler waited for something that was cancelled
                self._fail(lease, item_id, slot, error)
        return True

    def _fail(self, lease: Lease, item_id: int, slot: _Slot, error: BaseException) -> None:
        max_attempts = lease.max_attempts
        if lease.is_gather and lease.kind in self._engine.registry.gathers:
            max_attempts = self._engine.registry.gathers[lease.kind].max_attempts
        log.log(
            logging.DEBUG if isinstance(error, HandlerSignal) else logging.INFO,
            "item %s of kind %s failed in attempt %s: %s",
            item_id,
            lease.kind,
            lease.attempt,
            type(error).__name__,
            exc_info=error,
        )
        ruling = verdict(error, attempt=lease.attempt, max_attempts=max_attempts, lost=lease.lost)
        self._feeder.outbox.failed(lease, item_id, time.monotonic() - slot.started, ruling)

    async def _call(self, slot: _Slot, assignment: Assignment) -> tuple[bytes, list[Any] | None]:
        """Run a gather, or in a child what is a `def` or has killed before."""
        lease, item_id, ordinal, payload, _ = assignment
        if lease.is_gather:
            gather = self._engine.registry.gathers.get(lease.kind)
            if gather is None:
                log.warning(
                    "batch %s waits for its gather, which this worker has not: kind %s", lease.batch_id, lease.kind
                )
                raise RetryLater(NO_GATHER_S, f"this worker has no gather for kind {lease.kind!r}")
            slot.deadline = slot.started + gather.timeout_s
            self._shared.begin(slot.number, item_id, slot.deadline)
            if gather.is_async and not lease.lost:
                return encode_result(await gather.function(Batch(self._engine, lease.batch_id))), None
            self._leave_deadline_to_pool(slot, gather.timeout_s)
            which = {"kind": lease.kind, "batch_id": lease.batch_id}
            return await self._children.call(is_gather=True, args=which, timeout_s=gather.timeout_s)
        args = {
            "id": item_id,
            "batch_id": lease.batch_id,
            "kind": lease.kind,
            "ordinal": ordinal,
            "payload": decode_payload(payload),
            "attempt": lease.attempt,
            "lost": lease.lost,
            "segment_key": lease.segment_key,
        }
        self._leave_deadline_to_pool(slot, lease.timeout_s)
        return await self._children.call(is_gather=False, args=args, timeout_s=lease.timeout_s)

    def _leave_deadline_to_pool(self, slot: _Slot, timeout_s: float) -> None:
        """A child's time runs from when it starts, which the pool knows; the slot's own deadline is a backstop."""
        slot.deadline = slot.started + timeout_s + CHILD_START_S

    # --- clockwork -------------------------------------------------------------------------------------------------

    async def _keep_time(self) -> None:
        """Stop handlers that outran their deadline, and notice when work has become slow."""
        while True:
            self._shared.tick()
            now = time.monotonic()
            ages = []
            for slot in self._slots:
                if slot.lease is not None:
                    ages.append(now - slot.started)
                    if now > slot.deadline + WATCH_S:
                        slot.stop(Overdue(_ran_too_long(slot.deadline - slot.started)))
            if ages:
                self._feeder.pace.at_least(sum(ages) / len(ages))
            self._feeder.return_unstarted(older_than_s=STALE_AFTER_S)
            await asyncio.sleep(WATCH_S)

    async def _watch(self) -> None:
        """The aggregator's rounds, and between them an ear for the doorbell."""
        failures = 0
        conn: AsyncConnection[Any] | None = None
        try:
            while True:
                try:
                    if conn is None or conn.closed or conn.broken:
                        conn = await aconnect(self._engine.url, application_name="ingather aggregator")
                        if is_direct(conn):
                            await conn.execute(sql.LISTEN)
                    next_look_s = await self._look_around(conn)
                    failures = 0
                    await self._listen(conn, next_look_s)
                except (*PASSING_ERRORS, DatabaseUnavailable) as error:
                    log.debug("the aggregator cannot reach the database: %s", error)
                    failures += 1
                    if conn is not None:
                        await conn.close()
                    await asyncio.sleep(backoff_s(failures))
                except Exception:
                    log.exception("the aggregator failed, trying again")
                    failures += 1
                    await asyncio.sleep(backoff_s(failures))
        finally:
            if conn is not None:
                await conn.close()

    async def _listen(self, conn: AsyncConnection[Any], seconds: float) -> None:
        if not is_direct(conn):
            await asyncio.sleep(seconds)
            return
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if [ring async for ring in conn.notifies(timeout=left, stop_after=1)]:
                self._feeder.ring()
                # It may ring for a queue that was not there a moment ago. That look comes after the claim it would slow
                # down, and once for all that ring meanwhile.
                async for _ in conn.notifies(timeout=BELL_S):
                    self._feeder.ring()
                self._feeder.set_queues(await aplay(conn, self._known_queues()))

    async def _look_around(self, conn: AsyncConnection[Any]) -> float:
        async with conn.cursor(row_factory=tuple_row) as cursor:
            if time.monotonic() < self._vouches_until:
                # On a busy machine a fresh sentinel may need longer than a short lease to get up.
                beat = {"worker_id": self._feeder.worker_id, "running": self._shared.started()}
                await cursor.execute(sql.BEAT, beat)
            await cursor.execute(sql.WHAT_IS_MINE, {"worker_id": self._feeder.worker_id})
            [(is_registered, tokens, names, are_limited)] = await cursor.fetchall()
        self._feeder.set_queues(self._mine(zip(names, are_limited, strict=True)))
        if not is_registered:
            await self._start_over(conn)
        else:
            if not self._sentinel.is_alive:
                log.warning("the sentinel is gone; posting another")
                await self._post_sentinel()
            await self._reconcile(conn, set(tokens))
        has_news, next_look_s = await aggregator.tick(conn, keep=self._engine.keep)
        if has_news:
            self._feeder.ring()
        return next_look_s

    async def _start_over(self, conn: AsyncConnection[Any]) -> None:
        """Nothing here is ours now; begin again under another id."""
        log.warning(
            "worker %s is not registered any more: it was declared dead, or the database went back to an earlier "
            "state; it drops what it holds and registers anew",
            self._feeder.worker_id,
        )
        self._feeder.forget_everything()
        await asyncio.to_thread(self._sentinel.dismiss)
        self._strangers, self._missing = set(), set()
        await self._enlist(conn)

    async def _reconcile(self, conn: AsyncConnection[Any], tokens: set[int]) -> None:
        """Stop what was taken from us, and give back what we never heard of: a claim whose reply was lost.

        Claims and settles may be on their way just now, so a difference counts only when seen twice.
        """
        held = set(self._feeder.holdings.leases)
        for token in (held - tokens) & self._missing:
            self._feeder.holdings.lose(token)
        if orphans := (tokens - held) & self._strangers:
            items = await arun(conn, verbs.release(self._feeder.worker_id, sorted(orphans)))
            log.info("%s items of a claim that was never heard were given back", items)
            self._feeder.ring()
        self._missing, self._strangers = held - tokens, tokens - held


def _ran_too_long(seconds: float) -> str:
    return notice("engine.handler_ran_too_long", "the handler ran longer than its {seconds} s", seconds=f"{seconds:g}")
