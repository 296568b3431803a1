"""The engine's front door: handlers are registered on it, work is scattered through it, workers come from it."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from datetime import timedelta
from itertools import chain, islice
from typing import Any, TypeVar, Unpack, overload

from psycopg import AsyncConnection, Connection

from ingather.engine import verbs
from ingather.engine.arguments import (
    check_listing_arguments,
    checked_child_limit,
    checked_concurrency,
    checked_keep,
    checked_labels,
    checked_lease,
    checked_name,
    is_whole_argument,
)
from ingather.engine.batch import Batch
from ingather.engine.database import Database
from ingather.engine.errors import UnknownBatch, UsageError
from ingather.engine.item import Item
from ingather.engine.jobs import ChildLimits
from ingather.engine.migrations import migrate
from ingather.engine.model import Failure, Progress, ScatterOptions, ScatterRequest
from ingather.engine.operations import Operations
from ingather.engine.process_resource import ProcessResource
from ingather.engine.registry import Registry
from ingather.engine.script import Script
from ingather.engine.typed_kind import TypedKind
from ingather.engine.worker import Worker
from ingather.names import LARGEST_ID

F = TypeVar("F", bound=Callable[..., Any])
P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")
H = TypeVar("H", bound=Callable[[Failure], object])


class Engine(Operations):
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
        self.lease = checked_lease(lease)
        self.registry = Registry(max_payload)
        self.keep = None if keep is None else checked_keep(keep)
        self.database = Database(url)

    # --- registering -----------------------------------------------------------------------------------------------

    def handler(
        self,
        kind: str,
        *,
        queue: str = "default",
        max_attempts: int = 4,
        timeout: float = 1800,
        backoff: Callable[[int], float] | None = None,
    ) -> Callable[[F], F]:
        """Register the code for a kind of item. `async def` runs on the worker's loop, `def` in a child process.
        `backoff` gives the seconds to wait after the attempt of that number has failed."""
        return self.registry.handler(kind, queue, max_attempts, timeout, backoff)

    def gather(self, kind: str, *, max_attempts: int = 4, timeout: float = 1800) -> Callable[[F], F]:
        """Register what runs once after a batch of that kind closed; what it returns is the batch's result."""
        return self.registry.gather(kind, max_attempts, timeout)

    def on_failure(self, hook: H) -> H:
        """Register what is called in the worker after every attempt that failed, for metrics and error trackers."""
        self.registry.failure_hooks.append(hook)
        return hook

    def resource(self, make: Callable[[], Iterator[T]]) -> ProcessResource[T]:
        """Register what handlers need once per process: a generator that makes it, yields it, and lets go of it."""
        made = ProcessResource(make)
        self.registry.resources.append(made)
        return made

    @overload
    def typed(self, handler: Callable[[Item[P]], Coroutine[Any, Any, R]]) -> TypedKind[P, R]: ...

    @overload
    def typed(self, handler: Callable[[Item[P]], R]) -> TypedKind[P, R]: ...

    def typed(self, handler: Callable[..., Any]) -> TypedKind[Any, Any]:
        """A kind by its handler instead of its name: type checkers then know its payloads and results."""
        return TypedKind(self, handler)

    @property
    def kinds(self) -> list[str]:
        """The kinds that have a handler here, by name."""
        return sorted(self.registry.handlers)

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
        share: str | None = None,
        max_items: int | None = None,
        labels: Iterable[str] | None = None,
        conn: Connection[Any] | None = None,
    ) -> Batch:
        """A batch of one item per payload, in one transaction; with `conn`, in the caller's.

        Payloads may be any iterable: they are streamed, never held. With `labels`,
        one for each payload, all are held, and of those with one label the first
        is taken.
        """
        request = self.registry.request(
            kind,
            idempotency_key=idempotency_key,
            queue=queue,
            priority=priority,
            delay=delay,
            max_attempts=max_attempts,
            timeout=timeout,
            share=share,
            max_items=max_items,
        )
        script, is_one_statement = self._scattering(request, payloads, labels)
        if conn is not None:
            return Batch(self, self.database.join(conn, script)[0])
        return Batch(self, self.database.run(script, rings=True, is_one_statement=is_one_statement)[0])

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
        share: str | None = None,
        max_items: int | None = None,
        labels: Iterable[str] | None = None,
        conn: AsyncConnection[Any] | None = None,
    ) -> Batch:
        """`scatter`, for a caller with an event loop."""
        request = self.registry.request(
            kind,
            idempotency_key=idempotency_key,
            queue=queue,
            priority=priority,
            delay=delay,
            max_attempts=max_attempts,
            timeout=timeout,
            share=share,
            max_items=max_items,
        )
        script, is_one_statement = self._scattering(request, payloads, labels)
        if conn is not None:
            return Batch(self, (await self.database.ajoin(conn, script))[0])
        return Batch(self, (await self.database.arun(script, rings=True, is_one_statement=is_one_statement))[0])

    def _scattering(
        self, request: ScatterRequest, payloads: Iterable[Any], labels: Iterable[str] | None
    ) -> tuple[Script[tuple[int, bool]], bool]:
        """The script for so many payloads, and whether it writes everything in its first statement."""
        lines = self.registry.encoded(payloads, request.kind)
        if labels is not None:
            held = list(lines)
            return verbs.scatter(request, held, checked_labels(labels, len(held))), False
        first = list(islice(lines, verbs.FEW_ITEMS + 1))
        if 0 < len(first) <= verbs.FEW_ITEMS and not request.delay:
            return verbs.scatter_few(request, first), True
        return verbs.scatter(request, chain(first, lines)), False

    def submit(
        self, kind: str, payload: Any, *, conn: Connection[Any] | None = None, **options: Unpack[ScatterOptions]
    ) -> Batch:
        """One job: a batch of one. Takes the options of `scatter`."""
        return self.scatter(kind, [payload], conn=conn, **options)

    async def asubmit(
        self, kind: str, payload: Any, *, conn: AsyncConnection[Any] | None = None, **options: Unpack[ScatterOptions]
    ) -> Batch:
        """`submit`, for a caller with an event loop."""
        return await self.ascatter(kind, [payload], conn=conn, **options)

    # --- looking ---------------------------------------------------------------------------------------------------

    def batch(self, batch_id: int) -> Batch:
        """A handle on a batch that was scattered earlier."""
        if not is_whole_argument(batch_id, 1, LARGEST_ID):
            raise UnknownBatch(f"There is no batch {batch_id!r}: an id is a whole number.")
        return Batch(self, batch_id)

    def batches(
        self, *, state: str | None = None, kind: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[Progress]:
        """Batches with their progress, newest first; `before` takes the last id of the page before."""
        check_listing_arguments(state, limit)
        return self.database.run(verbs.list_batches(state=state, kind=kind, before=before, limit=limit))

    async def abatches(
        self, *, state: str | None = None, kind: str | None = None, before: int | None = None, limit: int = 50
    ) -> list[Progress]:
        """`batches`, for a caller with an event loop."""
        check_listing_arguments(state, limit)
        return await self.database.arun(verbs.list_batches(state=state, kind=kind, before=before, limit=limit))

    # --- working ---------------------------------------------------------------------------------------------------

    def worker(
        self,
        *,
        concurrency: int = 10,
        queues: Iterable[str] | None = None,
        child_items: int | None = None,
        child_memory_mb: int | None = None,
    ) -> Worker:
        """A worker for the kinds registered here: `async with` it in a loop of your own, or `drain()` it.

        A child process ends after `child_items` items and another takes its
        place; with `child_memory_mb`, what it allocates beyond that fails.
        """
        slots = checked_concurrency(concurrency)
        if isinstance(queues, str) or (queues is not None and not (queues := list(queues))):
            raise UsageError("queues is a list with at least one name; leave it out to serve all queues.")
        limits = ChildLimits(
            checked_child_limit("items", child_items), checked_child_limit("memory_mb", child_memory_mb)
        )
        lanes = None if queues is None else [checked_name("queue", queue) for queue in queues]
        return Worker(self, slots, lanes, limits)

    # --- the database ----------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The database's address. Reading it starts a database that has to be started."""
        return self.database.url

    def migrate(self) -> list[str]:
        """Bring the tables up to date; returns what was applied."""
        return migrate(self.url, self.database.rooms)

    async def amigrate(self) -> list[str]:
        """`migrate`, for a caller with an event loop."""
        return await asyncio.to_thread(self.migrate)

    def check(self) -> None:
        """Raise, with a sentence, unless the database can be reached and its tables fit this code."""
        self.database.check()

    async def acheck(self) -> None:
        """`check`, for a caller with an event loop."""
        await asyncio.to_thread(self.check)

    def close(self) -> None:
        """Close the connections of callers without a loop. Workers close their own."""
        self.database.close()

    async def aclose(self) -> None:
        """Close all connections of this loop, and those of `close`."""
        await self.database.aclose()
