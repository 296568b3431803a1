"""The engine's front door: handlers are registered on it, work is scattered through it, workers come from it."""

import asyncio
import inspect
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import chain, islice
from math import ceil
from types import EllipsisType
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.batch import Batch
from ingather.engine.codec import PAYLOAD_HARD_CAP, encode_payload
from ingather.engine.connection import (
    PASSING_ERRORS,
    acheck,
    aconfigure,
    check,
    configure,
    connect,
    options,
    unavailable,
)
from ingather.engine.cron import CatchUp, Cron
from ingather.engine.errors import EmptyBatch, UnknownBatch, UnknownKind, UsageError, checked_delay
from ingather.engine.migrations import check as check_schema
from ingather.engine.migrations import migrate
from ingather.engine.model import Handler, Offspring, Progress, Queue, ScatterRequest, WorkerRecord
from ingather.engine.script import Script, aplay, arun, play, run
from ingather.engine.worker import Worker

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
POOL_SIZE = 10
POOL_TIMEOUT_S = 15.0


class Engine:
    """One application: its handlers, its database, its batches.

    Opening is lazy: nothing connects until the first verb, so a module may
    make one at import time. `url` may be a function, called once, for
    databases that have to be started first.
    """

    def __init__(
        self,
        url: str | Callable[[], str],
        *,
        lease: float = 30.0,
        max_payload: int = 1024,
        keep: timedelta | None = None,
    ) -> None:
        if not 1 <= lease <= 3600:
            raise UsageError(f"A lease lasts from 1 s to 3,600 s, not {lease:g} s.")
        if not 1 <= max_payload <= PAYLOAD_HARD_CAP:
            raise UsageError(f"The payload limit lies between 1 and {PAYLOAD_HARD_CAP:,} bytes, not {max_payload:,}.")
        if keep is not None:
            _check_keep(keep)
        self.lease = timedelta(seconds=lease)
        self.max_payload = max_payload
        self.keep = keep
        self.handlers: dict[str, Handler] = {}
        self.gathers: dict[str, Handler] = {}
        self._url = url
        self._lock = threading.Lock()
        self._is_checked = False
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._apools: dict[asyncio.AbstractEventLoop, AsyncConnectionPool[AsyncConnection[Any]]] = {}
        _forget_connections_after_fork(self)

    # --- registering -----------------------------------------------------------------------------------------------

    def handler(
        self, kind: str, *, queue: str = "default", max_attempts: int = 4, timeout: float = 1800
    ) -> Callable[[F], F]:
        """Register the code for a kind of item. `async def` runs on the worker's loop, `def` in a child process."""
        return self._register(self.handlers, kind, queue, max_attempts, timeout)

    def gather(self, kind: str, *, max_attempts: int = 4, timeout: float = 1800) -> Callable[[F], F]:
        """Register what runs once after a batch of that kind closed; what it returns is the batch's result."""
        return self._register(self.gathers, kind, "default", max_attempts, timeout)

    def _register(
        self, registry: dict[str, Handler], kind: str, queue: str, max_attempts: int, timeout: float
    ) -> Callable[[F], F]:
        checked = Handler(
            kind=_name("kind", kind),
            function=_nothing,
            queue=_name("queue", queue),
            max_attempts=_attempts(max_attempts),
            timeout_s=_timeout(timeout),
            is_async=False,
        )
        if kind in registry:
            raise UsageError(f"Kind {kind!r} has a function already: {registry[kind].function.__qualname__}.")

        def register(function: F) -> F:
            is_async = inspect.iscoroutinefunction(function)
            registry[kind] = replace(checked, function=function, is_async=is_async)
            return function

        return register

    # --- scattering ------------------------------------------------------------------------------------------------

    def scatter(
        self,
        kind: str,
        payloads: Iterable[Any],
        *,
        idempotency_key: str | None = None,
        queue: str | None = None,
        priority: int = 0,
        delay: float | timedelta = 0,
        max_attempts: int | None = None,
        timeout: float | None = None,
        conn: Connection[Any] | None = None,
    ) -> Batch:
        """A batch of one item per payload, in one transaction; with `conn`, in the caller's.

        Payloads may be any iterable: they are streamed, never held.
        """
        request = self._request(kind, idempotency_key, queue, priority, delay, max_attempts, timeout)
        script, is_whole = self._scattering(request, payloads)
        if conn is not None:
            self._ready()
            return Batch(self, run(conn, script)[0])
        return Batch(self, self.run(script, rings=True, is_whole=is_whole)[0])

    async def ascatter(
        self,
        kind: str,
        payloads: Iterable[Any],
        *,
        idempotency_key: str | None = None,
        queue: str | None = None,
        priority: int = 0,
        delay: float | timedelta = 0,
        max_attempts: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # the handlers' deadline, not this call's
        conn: AsyncConnection[Any] | None = None,
    ) -> Batch:
        """`scatter`, for a caller with an event loop."""
        request = self._request(kind, idempotency_key, queue, priority, delay, max_attempts, timeout)
        script, is_whole = self._scattering(request, payloads)
        if conn is not None:
            await asyncio.to_thread(self._ready)
            return Batch(self, (await arun(conn, script))[0])
        return Batch(self, (await self.arun(script, rings=True, is_whole=is_whole))[0])

    def _scattering(self, request: ScatterRequest, payloads: Iterable[Any]) -> tuple[Script[tuple[int, bool]], bool]:
        """The script for so many payloads, and whether its one statement is the whole of it."""
        lines = self.encoded(payloads)
        first = list(islice(lines, verbs.FEW_ITEMS + 1))
        if 0 < len(first) <= verbs.FEW_ITEMS and not request.delay:
            return verbs.scatter_few(request, first), True
        return verbs.scatter(request, chain(first, lines)), False

    def submit(self, kind: str, payload: Any, **options: Any) -> Batch:
        """One job: a batch of one. Takes the options of `scatter`."""
        return self.scatter(kind, [payload], **options)

    async def asubmit(self, kind: str, payload: Any, **options: Any) -> Batch:
        return await self.ascatter(kind, [payload], **options)

    def encoded(self, payloads: Iterable[Any]) -> Iterator[bytes]:
        """Payloads as the lines they are stored as, refused one by one as they come."""
        if isinstance(payloads, str | bytes | dict) or not hasattr(payloads, "__iter__"):
            raise UsageError(
                f"Payloads must be a list or another iterable with one payload per item, "
                f"not a {type(payloads).__name__}. For a single item use submit()."
            )
        return (encode_payload(payload, max_bytes=self.max_payload) for payload in payloads)

    def plan(
        self, kind: str | None, payloads: Iterable[Any], *, parent_id: int | None = None, **options: Any
    ) -> Offspring:
        """Work for `Item.scatter` and `Item.add`: checked now, scattered when the item settles."""
        lines = list(self.encoded(payloads))
        if not lines:
            raise EmptyBatch("An item cannot scatter or add nothing: the payloads were empty.")
        return Offspring(None if kind is None else self._request(kind, parent_id=parent_id, **options), lines)

    def _request(
        self,
        kind: str,
        idempotency_key: str | None = None,
        queue: str | None = None,
        priority: int = 0,
        delay: float | timedelta = 0,
        max_attempts: int | None = None,
        timeout: float | None = None,
        parent_id: int | None = None,
    ) -> ScatterRequest:
        handler = self.handlers.get(_name("kind", kind))
        if handler is None:
            known = ", ".join(sorted(self.handlers)) or "none"
            raise UnknownKind(f"There is no handler for kind {kind!r} in this app. Known kinds: {known}.")
        if not _is_whole(priority, -100, 100):
            raise UsageError(f"A priority is a whole number from -100 to 100, not {priority!r}.")
        if idempotency_key is not None and not _is_key(idempotency_key):
            raise UsageError("An idempotency key is 1 to 255 printable characters.")
        return ScatterRequest(
            kind=kind,
            queue=handler.queue if queue is None else _name("queue", queue),
            priority=priority,
            delay=checked_delay(delay),
            max_attempts=handler.max_attempts if max_attempts is None else _attempts(max_attempts),
            timeout_s=handler.timeout_s if timeout is None else _timeout(timeout),
            gathers=kind in self.gathers,
            idempotency_key=idempotency_key,
            parent_id=parent_id,
        )

    # --- looking and operating -------------------------------------------------------------------------------------

    def batch(self, batch_id: int) -> Batch:
        """A handle on a batch that was scattered earlier."""
        if not _is_whole(batch_id, 1, 2**63 - 1):
            raise UnknownBatch(f"There is no batch {batch_id!r}: an id is a whole number.")
        return Batch(self, batch_id)

    def batches(
        self, *, state: str | None = None, kind: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[Progress]:
        """Batches with their progress, newest first; `before` takes the last id of the page before."""
        _check_listing(state, limit)
        return self.run(verbs.list_batches(state=state, kind=kind, before=before, limit=limit))

    async def abatches(
        self, *, state: str | None = None, kind: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[Progress]:
        _check_listing(state, limit)
        return await self.arun(verbs.list_batches(state=state, kind=kind, before=before, limit=limit))

    def queues(self) -> list[Queue]:
        return self.run(verbs.list_queues())

    async def aqueues(self) -> list[Queue]:
        return await self.arun(verbs.list_queues())

    def workers(self) -> list[WorkerRecord]:
        return self.run(verbs.list_workers())

    async def aworkers(self) -> list[WorkerRecord]:
        return await self.arun(verbs.list_workers())

    def set_queue(
        self,
        queue: str,
        *,
        max_running: int | EllipsisType | None = ...,
        rate: tuple[int, timedelta] | EllipsisType | None = ...,
    ) -> None:
        """Limit a queue over the whole fleet. `rate` is (items, window). None lifts a limit, `...` leaves it."""
        self.run(_set_queue(queue, max_running, rate), rings=True)

    async def aset_queue(
        self,
        queue: str,
        *,
        max_running: int | EllipsisType | None = ...,
        rate: tuple[int, timedelta] | EllipsisType | None = ...,
    ) -> None:
        await self.arun(_set_queue(queue, max_running, rate), rings=True)

    def pause_queue(self, queue: str) -> None:
        self.run(verbs.pause_queue(_name("queue", queue), paused=True))

    async def apause_queue(self, queue: str) -> None:
        await self.arun(verbs.pause_queue(_name("queue", queue), paused=True))

    def resume_queue(self, queue: str) -> None:
        self.run(verbs.pause_queue(_name("queue", queue), paused=False), rings=True)

    async def aresume_queue(self, queue: str) -> None:
        await self.arun(verbs.pause_queue(_name("queue", queue), paused=False), rings=True)

    def hold_queue(self, queue: str, delay: float | timedelta) -> None:
        """Let no item of a queue start for so long, on any machine: what `RetryLater(queue=True)` does, at once."""
        self.run(verbs.hold_queue(_name("queue", queue), checked_delay(delay)))

    async def ahold_queue(self, queue: str, delay: float | timedelta) -> None:
        await self.arun(verbs.hold_queue(_name("queue", queue), checked_delay(delay)))

    def prune(self, keep: timedelta) -> None:
        """Remove batches that closed longer ago than `keep`, a few thousand rows at a time."""
        _check_keep(keep)
        while self.run(verbs.prune(keep)):
            pass

    # --- schedules -------------------------------------------------------------------------------------------------

    def schedule(
        self,
        name: str,
        *,
        cron: str,
        kind: str,
        payload: Any = None,
        tz: str = "UTC",
        seconds: bool = False,
        catch_up: CatchUp = "one",
        queue: str | None = None,
        priority: int = 0,
    ) -> Cron:
        """Scatter a job at every firing of a cron expression, once over the whole fleet.

        Declaring it again changes it. `catch_up` says what becomes of firings
        that were missed: none, the newest, or all (at most a hundred).
        """
        checked = Cron.parse(cron, tz=tz, seconds=seconds)
        if catch_up not in ("skip", "one", "all"):
            raise UsageError(f"catch_up is 'skip', 'one' or 'all', not {catch_up!r}.")
        request = self._request(kind, queue=queue, priority=priority)
        line = encode_payload(payload, max_bytes=self.max_payload)
        self.run(verbs.put_schedule(_name("schedule", name), checked, request, line, catch_up))
        return checked

    def unschedule(self, name: str) -> bool:
        """Forget a schedule. False when there was none."""
        return self.run(verbs.drop_schedule(name))

    def pause_schedule(self, name: str) -> bool:
        """Let a schedule rest. False when there is none of that name."""
        return self.run(verbs.pause_schedule(name, paused=True))

    def resume_schedule(self, name: str) -> bool:
        """Go on with a schedule; what it missed is caught up with by its policy."""
        return self.run(verbs.pause_schedule(name, paused=False))

    def schedules(self) -> list[verbs.ScheduleRecord]:
        return self.run(verbs.list_schedules())

    # --- working ---------------------------------------------------------------------------------------------------

    def worker(self, *, concurrency: int = 10, queues: Iterable[str] | None = None) -> Worker:
        """A worker for the kinds registered here: `async with` it in a loop of your own, or `drain()` it."""
        if not _is_whole(concurrency, 1, 10_000):
            raise UsageError(f"A worker runs 1 to 10,000 items at once, not {concurrency!r}.")
        if isinstance(queues, str) or (queues is not None and not (queues := list(queues))):
            raise UsageError("queues is a list with at least one name; leave it out to serve all queues.")
        return Worker(self, concurrency, None if queues is None else [_name("queue", queue) for queue in queues])

    # --- the database ----------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The database's address. Asking for it starts a database that has to be started."""
        with self._lock:
            if not isinstance(self._url, str):
                self._url = self._url()
            return self._url

    def migrate(self) -> list[str]:
        """Bring the tables up to date; returns what was applied."""
        return migrate(self.url)

    def run(self, script: Script[T], *, rings: bool = False, is_whole: bool = False) -> T:
        """Play a script on a connection of the pool; with `rings`, wake idle workers after its commit. One that is
        whole by its first statement, and only looks after it, needs no transaction."""
        try:
            with self._ready().connection() as conn:
                result = (play if is_whole else run)(conn, script)
                # The work is done and committed; a bell that does not ring only costs a moment.
                with suppress(psycopg.Error):
                    if rings:
                        conn.execute(sql.RING)
                return result
        except (PoolTimeout, *PASSING_ERRORS) as error:
            raise unavailable(self.url, error) from error

    async def arun(self, script: Script[T], *, rings: bool = False, is_whole: bool = False) -> T:
        """`run`, for a caller with an event loop."""
        pool = await self._aready()
        try:
            async with pool.connection() as conn:
                result = await (aplay if is_whole else arun)(conn, script)
                with suppress(psycopg.Error):
                    if rings:
                        await conn.execute(sql.RING)
                return result
        except (PoolTimeout, *PASSING_ERRORS) as error:
            raise unavailable(self.url, error) from error

    async def aplay(self, script: Script[T]) -> T:
        """Play a script that only looks, for a caller with an event loop."""
        pool = await self._aready()
        try:
            async with pool.connection() as conn:
                return await aplay(conn, script)
        except (PoolTimeout, *PASSING_ERRORS) as error:
            raise unavailable(self.url, error) from error

    def check(self) -> None:
        """Fail fast and clearly before a pool would try for long and quietly."""
        if not self._is_checked:
            with connect(self.url) as conn:
                check_schema(conn)
            self._is_checked = True

    def _ready(self) -> ConnectionPool[Connection[Any]]:
        self.check()
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    str(self._url),
                    kwargs=options("ingather"),
                    configure=configure,
                    check=check,
                    min_size=0,
                    max_size=POOL_SIZE,
                    timeout=POOL_TIMEOUT_S,
                    open=True,
                )
                # Left to the end of the interpreter, its threads would be waited for in vain: 20 s from Python 3.13 on.
                weakref.finalize(self, _close_own, self._pool, os.getpid())
            return self._pool

    async def _aready(self) -> AsyncConnectionPool[AsyncConnection[Any]]:
        if not self._is_checked:
            await asyncio.to_thread(self.check)
        loop = asyncio.get_running_loop()
        # Pools hold on to their loops; those of loops that are over go, and their connections with them.
        for over in [known for known in self._apools if known.is_closed()]:
            del self._apools[over]
        pool = self._apools.get(loop)
        if pool is None:
            pool = self._apools[loop] = AsyncConnectionPool(
                str(self._url),
                kwargs=options("ingather"),
                configure=aconfigure,
                check=acheck,
                min_size=0,
                max_size=POOL_SIZE,
                timeout=POOL_TIMEOUT_S,
                open=False,
            )
            await pool.open()
        return pool

    def close(self) -> None:
        """Close the connections of callers without a loop. Workers close their own."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    async def aclose(self) -> None:
        """Close all connections of this loop, and those of `close`."""
        pool = self._apools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()
        await asyncio.to_thread(self.close)

    def forget_connections(self) -> None:
        """In a forked child: leave the parent's connections alone and start with none."""
        _PARENTS_POOLS.append((self._pool, self._apools))
        self._lock = threading.Lock()
        self._pool = None
        self._apools = {}


def _close_own(pool: ConnectionPool[Connection[Any]], pid: int) -> None:
    """Close a pool in the process that opened it: in a forked child its connections are the parent's."""
    if os.getpid() == pid:
        pool.close()


# Kept, so that a child never collects, and thereby closes, what belongs to its parent.
_PARENTS_POOLS: list[object] = []


def _forget_connections_after_fork(engine: Engine) -> None:
    # Held weakly: hooks cannot be taken back, and an engine should not live for ever because of one.
    this = weakref.ref(engine)

    def forget() -> None:
        if (engine := this()) is not None:
            engine.forget_connections()

    os.register_at_fork(after_in_child=forget)


def _nothing() -> None:
    """Stands in until a decorator has its function."""


def _name(what: str, name: str) -> str:
    if not NAME.fullmatch(str(name)):
        raise UsageError(
            f"A {what} is named with lower-case letters, digits and underscores, a letter first, "
            f"63 characters at most; {str(name)[:80]!r} is not."
        )
    return name


def _is_whole(number: object, least: int, most: int) -> bool:
    """Types are only hints: a caller's number may come from a form or a file."""
    return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most


def _set_queue(
    queue: str, max_running: int | EllipsisType | None, rate: tuple[int, timedelta] | EllipsisType | None
) -> Script[None]:
    if max_running not in (None, ...) and not _is_whole(max_running, 1, 1_000_000):
        raise UsageError(
            f"max_running is a whole number from 1 to 1,000,000, not {max_running!r}. To stop a queue, pause it."
        )
    if rate not in (None, ...) and not _is_rate(rate):
        raise UsageError(
            "A rate is a pair such as (60, timedelta(minutes=1)): 1 to 1,000,000 items in 1 second to 1 day."
        )
    return verbs.set_queue(_name("queue", queue), max_running=max_running, rate=rate)


def _check_keep(keep: object) -> None:
    if not isinstance(keep, timedelta) or keep < timedelta(0):
        raise UsageError(f"keep is a timedelta of 0 or more, such as timedelta(days=30), not {keep!r}.")


def _check_listing(state: str | None, limit: int) -> None:
    if state not in (None, "open", "closed"):
        raise UsageError(f"A batch is 'open' or 'closed', not {state!r}.")
    if not _is_whole(limit, 1, 10_000):
        raise UsageError(f"A page holds 1 to 10,000 batches, not {limit!r}.")


def _is_rate(rate: object) -> bool:
    match rate:
        case (items, timedelta() as window):
            return _is_whole(items, 1, 1_000_000) and timedelta(seconds=1) <= window <= timedelta(days=1)
    return False


def _is_key(key: object) -> bool:
    return isinstance(key, str) and 0 < len(key) <= 255 and key.isprintable()


def _attempts(number: int) -> int:
    if not _is_whole(number, 1, 100):
        raise UsageError(f"max_attempts lies between 1 and 100, not {number!r}.")
    return number


def _timeout(seconds: float) -> int:
    """Whole seconds, rounded up: promising a handler less than it asked for would be worse than a little more."""
    try:
        whole = ceil(seconds)
    except (TypeError, ValueError, OverflowError):
        whole = 0
    if not _is_whole(whole, 1, 86_400):
        raise UsageError(f"A timeout lies between 1 s and 86,400 s (24 h), not {seconds!r}.")
    return whole
