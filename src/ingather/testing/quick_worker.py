"""The worker of a drain in a test: the engine's own without the processes beside it, so that it starts at once.

It claims, settles, closes and gathers by the statements of every other worker.
It has no sentinel, beats for itself, and runs `def` handlers in a thread of the
test's process.
"""

import asyncio
import inspect
import time
from datetime import timedelta
from typing import Any, Final

from psycopg import AsyncConnection

from ingather.engine import verbs
from ingather.engine.aggregator import TICK_S, Aggregator
from ingather.engine.batch import Batch
from ingather.engine.children import Children
from ingather.engine.codec import encode_result
from ingather.engine.engine import Engine
from ingather.engine.item import Item, Offspring
from ingather.engine.item_context import running_item
from ingather.engine.registration import Registration
from ingather.engine.round_trip import RoundTripLine
from ingather.engine.script import Statement, aplay_script, arun_script
from ingather.engine.worker import Worker
from ingather.testing.faults import Faults, LosingLine

# How often a drain looks whether nothing is left. Longer makes every test longer; shorter takes time from the handlers.
QUICK_LOOK_S: Final = 0.002
KILLED: Final = "the worker was killed (a fault on demand)"


class Unwatched(Registration):
    """A worker that beats for itself."""

    async def post_sentinel(self) -> None:
        self._vouches_until = float("inf")

    @property
    def has_sentinel(self) -> bool:
        return True

    def vouching(self) -> Statement | None:
        self._vouches_until = float("inf")
        return super().vouching()


class InlineChildren(Children):
    """Runs in this process what would run in a child: prints, patches and debuggers work, and no deadline kills it."""

    def __init__(self, engine: Engine, faults: Faults) -> None:
        super().__init__(engine, 1)
        self._faults = faults

    async def open(self) -> None:
        pass

    async def call(
        self,
        *,
        is_gather: bool,
        args: dict[str, Any],
        timeout_s: float,  # noqa: ARG002  # nothing is killed here
    ) -> tuple[bytes, list[Offspring] | None]:
        registry = self._engine.registry
        item = Item(**args, offspring_of=registry.offspring)
        handler = (registry.gathers if is_gather else registry.handlers)[item.kind]
        argument = Batch(self._engine, item.batch_id, handler.payloads) if is_gather else item
        running_item.set(item)

        async def call() -> Any:
            # The function may be one that meets its faults by itself.
            if inspect.iscoroutinefunction(handler.function):
                return await handler.function(argument)
            return await asyncio.to_thread(handler.function, argument)

        is_plain = not is_gather and not handler.is_async
        value = await (self._faults.run(item.kind, call) if is_plain else call())
        return encode_result(value), None if is_gather else item.offspring


class QuickWorker(Worker):
    """A worker for one drain of one test."""

    def __init__(self, engine: Engine, concurrency: int, faults: Faults) -> None:
        super().__init__(engine, concurrency, None)
        self._faults = faults

    # A drain in a test waits for nothing: what is due later is reached by moving the clock.
    _horizon = timedelta(0)

    def _new_children(self) -> Children:
        return InlineChildren(self._engine, self._faults)

    def _new_registration(self) -> Registration:
        return Unwatched(self._engine, self._table, self._concurrency, kills_stuck=False)

    def _new_line(self) -> RoundTripLine:
        return LosingLine(self._engine.url, self._faults)

    async def drain_until_killed(self, conn: AsyncConnection[Any]) -> bool:
        """Work until nothing is left to do now. True if a fault killed this worker before.

        What the rounds of a worker look at is looked at here, on the drain's own connection: one more would take
        longer to open than most drains last.
        """
        killed = self._faults.worker_killed = asyncio.Event()
        self._build()
        await self._rounds.enlist(conn)
        self._runner.start(self._feeder)
        self._tasks = [
            asyncio.create_task(self._feeder.run(), name="ingather feeder"),
            asyncio.create_task(self._runner.keep_time(), name="ingather deadlines"),
        ]
        try:
            await self._work_until_idle_or_killed(conn, killed)
        finally:
            started = self._table.started_here()
            await self._end_tasks()
            self._table.close()
            if killed.is_set():
                await arun_script(conn, verbs.take_back(self._feeder.worker_id, started=started, death=KILLED))
            else:
                await arun_script(conn, verbs.dismiss(self._feeder.worker_id))
        return killed.is_set()

    async def _work_until_idle_or_killed(self, conn: AsyncConnection[Any], killed: asyncio.Event) -> None:
        aggregator = Aggregator(self._engine.keep)
        next_round = time.monotonic() + TICK_S
        while not killed.is_set():
            if self._feeder.is_idle:
                if await arun_script(conn, self._is_nothing_left()):
                    return
                # There may be a queue that is new.
                self._feeder.set_queues(await aplay_script(conn, self._rounds.known_queues()))
                self._feeder.ring()
            if time.monotonic() > next_round:
                next_round = time.monotonic() + TICK_S
                if (beat := self._registration.vouching()) is not None:
                    await conn.execute(beat.sql, beat.params)
                self._feeder.look_again()
                await aggregator.tick(conn)
            await asyncio.sleep(QUICK_LOOK_S)
