"""The kit of one test: its database, its drains, its clock, its faults, and a look at what was scattered."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar, cast

from psycopg import AsyncConnection

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.aggregator import Aggregator
from ingather.engine.codec import decode
from ingather.engine.connection import aconnect, connect
from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.engine.script import Script, Statement, aplay_script, arun_script, play_script
from ingather.testing.by_hand import Ran, arun_by_hand, run_by_hand
from ingather.testing.faults import FaultOnDemand, Faults, LosingDatabase
from ingather.testing.quick_worker import QuickWorker

E = TypeVar("E", bound=Engine)

# A jump of the clock goes this much past what is due, so that a rounding does not leave it a moment away.
PAST_DUE_S: Final = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Scattered:
    """A batch as it was scattered."""

    batch_id: int
    kind: str
    queue: str
    priority: int
    idempotency_key: str | None
    parent_id: int | None
    """The batch whose item scattered it."""
    payloads: list[Any]


class Kit:
    """What a test has of the engine. Made by the fixture `ingather_kit`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._apps: list[Engine] = []
        self._given_back = ExitStack()
        self._faults = Faults()
        # How far the clock has been moved; schedules, which fire at times of the day, have no row to move.
        self._ahead = timedelta(0)

    # --- applications ----------------------------------------------------------------------------------------------

    def use(self, app: E) -> E:
        """Let an application work on this test's database until the test ends."""
        if app not in self._apps:
            before = app.database.move_to(self.url)
            self._given_back.callback(app.database.move_to, before)
            self._apps.append(app)
        return app

    def new_app(self) -> Engine:
        """An application without handlers, for tests that bring their own."""
        app = Engine(self.url)
        self._given_back.callback(app.close)
        self._apps.append(app)
        return app

    def close(self) -> None:
        """Give applications back where they were."""
        self._given_back.close()

    @property
    def app(self) -> Engine:
        """The application of this test, if there is one."""
        if len(self._apps) != 1:
            raise UsageError(
                f"This test has {len(self._apps)} applications: begin with `kit.use(app)`, and where there are several "
                "name the one that is meant."
            )
        return self._apps[0]

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self, kind: str, payload: Any = None, *, app: Engine | None = None, **item: Any) -> Ran:
        """Run a kind's handler on an item made by hand: no database, no worker."""
        return run_by_hand(app or self.app, kind, payload, **item)

    async def arun(self, kind: str, payload: Any = None, *, app: Engine | None = None, **item: Any) -> Ran:
        """`run`, for a test with an event loop."""
        return await arun_by_hand(app or self.app, kind, payload, **item)

    def drain(
        self,
        *,
        app: Engine | None = None,
        ahead: float | timedelta = 0,
        concurrency: int = 10,
        in_processes: bool = False,
    ) -> None:
        """Do what this test has scattered and what is due. With `ahead`, the clock jumps from one due moment to the
        next within that time: retries, delays, holds, schedules. With `in_processes`, a real worker with its children
        does it, as in production."""
        asyncio.run(self.adrain(app=app, ahead=ahead, concurrency=concurrency, in_processes=in_processes))

    async def adrain(
        self,
        *,
        app: Engine | None = None,
        ahead: float | timedelta = 0,
        concurrency: int = 10,
        in_processes: bool = False,
    ) -> None:
        """`drain`, for a test with an event loop."""
        engine = app or self.app
        left_s = _seconds(ahead)
        async with await aconnect(self.url) as conn:
            while True:
                since = await aplay_script(conn, _now())
                await self._drain_now(conn, engine, concurrency, in_processes=in_processes)
                due_s = await aplay_script(conn, _next_due(since, self._ahead))
                if due_s is None or due_s > left_s:
                    break
                await aplay_script(conn, self._moved(due_s + PAST_DUE_S))
                left_s -= due_s
        if self._faults.is_any_left:
            raise AssertionError(
                f"This did not happen, because nothing ran that it could happen to: {self._faults.describe()}."
            )

    async def _drain_now(
        self, conn: AsyncConnection[Any], engine: Engine, concurrency: int, *, in_processes: bool
    ) -> None:
        """Do all that is due at this moment of the clock, with as many workers as it takes."""
        is_killed = True
        while is_killed:
            while await arun_script(conn, verbs.fire_schedule([], self._ahead)):
                pass
            await Aggregator(engine.keep).tick(conn)
            if in_processes:
                await engine.worker(concurrency=concurrency).adrain()
                return
            with self._faults.around(engine.registry.handlers):
                is_killed = await QuickWorker(engine, concurrency, self._faults).drain_until_killed(conn)

    # --- time ------------------------------------------------------------------------------------------------------

    def advance(self, time: float | timedelta) -> None:
        """Let that much time pass for everything that waits: retries, delays, holds, rates, schedules, leases,
        retention."""
        with connect(self.url) as conn:
            play_script(conn, self._moved(_seconds(time)))

    def _moved(self, seconds: float) -> Script[None]:
        self._ahead += timedelta(seconds=seconds)
        yield Statement(sql.MOVE_CLOCK, {"seconds": seconds})

    # --- looking ---------------------------------------------------------------------------------------------------

    def scattered(self, kind: str | None = None) -> list[Scattered]:
        """What was scattered in this test, in that order; of one kind, if it is named."""
        with connect(self.url) as conn:
            return play_script(conn, _scattered(kind))

    def payloads(self, kind: str) -> list[Any]:
        """The payloads of all items of a kind, in the order in which they were scattered."""
        return [payload for batch in self.scattered(kind) for payload in batch.payloads]

    # --- faults ----------------------------------------------------------------------------------------------------

    def process_dies(self, kind: str, *, after: bool = False) -> None:
        """In the next drain, the process of the next item of this kind dies: before its handler begins, or `after` it
        has done its work and before that is stored. The item comes back with a loss."""
        self._faults.add(FaultOnDemand(kind, "process dies", after))

    def worker_dies(self, kind: str, *, after: bool = False) -> None:
        """The same for the whole worker, with all that it holds; another one goes on."""
        self._faults.add(FaultOnDemand(kind, "worker dies", after))

    def deadline_passes(self, kind: str, *, after: bool = False) -> None:
        """The next item of this kind is stopped at its deadline."""
        self._faults.add(FaultOnDemand(kind, "deadline passes", after))

    def reply_is_lost(self) -> None:
        """In the next drain, an outcome is stored and the worker does not hear of it."""
        self._faults.lost_replies += 1

    @contextmanager
    def replies_are_lost(self, app: Engine | None = None) -> Iterator[None]:
        """While this lasts, what the application scatters is committed, and the call raises `DatabaseUnavailable`."""
        engine = app or self.app
        before, engine.database = engine.database, LosingDatabase(self.url)
        try:
            yield
        finally:
            engine.database.close()
            engine.database = before


def _seconds(time: float | timedelta) -> float:
    return time.total_seconds() if isinstance(time, timedelta) else float(time)


def _now() -> Script[datetime]:
    [(now,)] = yield Statement(sql.NOW)
    return cast("datetime", now)


def _next_due(since: datetime, ahead: timedelta) -> Script[float | None]:
    [(due_s,)] = yield Statement(sql.NEXT_DUE, {"since": since, "ahead": ahead})
    return None if due_s is None else max(0.0, float(due_s))


def _scattered(kind: str | None) -> Script[list[Scattered]]:
    rows = yield Statement(sql.SCATTERED, {"kind": kind})
    return [
        Scattered(
            batch_id=batch_id,
            kind=kind_of,
            queue=queue,
            priority=priority,
            idempotency_key=key,
            parent_id=parent_id,
            payloads=[decode(line) for line in lines],
        )
        for batch_id, kind_of, queue, priority, key, parent_id, lines in rows
    ]
