"""The worker: slots that run handlers, a feeder that brings items, a sentinel that beats, and regular rounds."""

import asyncio
import logging
import signal
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from psycopg import AsyncConnection

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.children import Children
from ingather.engine.connection import aconnect
from ingather.engine.errors import DatabaseUnavailable, ShuttingDown
from ingather.engine.feeder import Feeder
from ingather.engine.jobs import NO_LIMITS, ChildLimits
from ingather.engine.observer import WorkerObserver, WorkerState
from ingather.engine.refusals import PASSING_ERRORS
from ingather.engine.registration import Registration
from ingather.engine.round_trip import RoundTripLine
from ingather.engine.rounds import Rounds
from ingather.engine.runner import Runner
from ingather.engine.script import Script, Statement, arun_script
from ingather.engine.slot_table import SlotTable
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

log: Final = logging.getLogger("ingather.worker")

# How long handlers may go on once a stop has begun. Service managers kill after 30 s as a rule; it must end before.
GRACE_S: Final = 25.0
# How long a stop tries to store the last outcomes and to give the rest back. Longer would outlast the service manager's
# patience; when it is over, the sweep takes back what is left.
FAREWELL_S: Final = 5.0
# How long a stop waits for tasks that do not heed their cancel. They are left behind: their items run elsewhere.
STUBBORN_S: Final = 1.0
# How often a stop looks whether all outcomes are stored, and a drain whether nothing is left. Longer delays both.
LOOK_S: Final = 0.02
# A drain waits for items that are due within this time. Longer would make a script wait for what was meant for later;
# shorter would leave the retries of its own items.
DRAIN_HORIZON: Final = timedelta(seconds=60)


class Worker:
    """Runs handlers until it is stopped: `async with app.worker(): …`, `app.worker().drain()`, or `run()`."""

    _horizon = DRAIN_HORIZON

    def __init__(
        self, engine: "Engine", concurrency: int, queues: list[str] | None, limits: ChildLimits = NO_LIMITS
    ) -> None:
        self._limits = limits
        self._engine = engine
        self._concurrency = concurrency
        self._queues = queues
        self._kills_stuck = False
        self._is_built = False
        self.observer: WorkerObserver | None = None
        """Who counts what this worker does; set before it starts."""

    # --- life ------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Register, and begin to claim. Fails clearly when the database or its tables are not fit."""
        await asyncio.to_thread(self._engine.check)
        self._build()
        try:
            await self._children.open()
            async with await aconnect(self._engine.url, application_name="ingather worker") as conn:
                await self._rounds.enlist(conn)
        except BaseException:
            await self._children.stop()
            self._table.close()
            raise
        self._runner.start(self._feeder)
        self._rounds.start()
        self._tasks = [
            asyncio.create_task(self._feeder.run(), name="ingather feeder"),
            asyncio.create_task(self._runner.keep_time(), name="ingather deadlines"),
        ]

    def _build(self) -> None:
        engine, slots = self._engine, self._concurrency
        self._table = SlotTable.create(slots)
        self._children = self._new_children()
        self._runner = runner = Runner(engine, slots, self._table, self._children)
        self._feeder = Feeder(
            engine.registry.handlers,
            slots=slots,
            busy=lambda: runner.busy,
            on_lost=runner.stop_handlers_of,
            on_arrival=runner.wake,
            line=self._new_line(),
        )
        self._feeder.settling.observer = self.observer
        self._is_built = True
        self._registration = self._new_registration()
        self._rounds = Rounds(engine, self._feeder, self._registration, self._queues)

    # The worker of the testing kit has others of these three.

    def _new_children(self) -> Children:
        return Children(self._engine, self._concurrency, self._limits)

    def _new_registration(self) -> Registration:
        return Registration(self._engine, self._table, self._concurrency, kills_stuck=self._kills_stuck)

    def _new_line(self) -> RoundTripLine:
        return RoundTripLine(self._engine.url)

    async def stop(self, grace: float = GRACE_S) -> None:
        """Claim no more, let handlers finish within `grace` seconds, give the rest back, and leave.

        The sentinel beats until the very end, so nothing that is still in
        hand here is stolen while it finishes. Once begun it goes through to
        the end, also when the caller is cancelled meanwhile.
        """
        await asyncio.shield(asyncio.create_task(self._leave(grace), name="ingather farewell"))

    async def _leave(self, grace_s: float) -> None:
        self._feeder.stop_claiming()
        await self._runner.finish(grace_s)
        self._interrupt_handlers()
        await self._hand_back()
        await self._end_tasks()
        await self._registration.end_sentinel()
        self._table.close()

    async def _hand_back(self) -> None:
        """Let the feeder store what finished, then give the rest back. The sweep does it if the database is away."""
        try:
            async with asyncio.timeout(FAREWELL_S):
                await self._runner.wait_for_stubborn()
                while self._feeder.is_talking:
                    await asyncio.sleep(LOOK_S)
                # The rounds stop before the row goes: they would find it gone and register anew.
                await self._rounds.stop()
                async with await aconnect(self._engine.url) as conn:
                    if items := await arun_script(conn, verbs.dismiss(self._registration.worker_id)):
                        log.info("%s unfinished items given back", items)
                    await conn.execute(sql.RING)
        except (*PASSING_ERRORS, DatabaseUnavailable, TimeoutError) as error:
            log.warning("could not give items back, the sweep will take what is left: %s", str(error).strip())

    async def _end_tasks(self) -> None:
        await self._rounds.stop()
        tasks = [*self._tasks, *self._runner.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=STUBBORN_S)
        await self._children.stop()
        await asyncio.to_thread(self._engine.registry.close_resources)
        await self._feeder.line.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def is_connected(self) -> bool:
        """Whether the database answered last time: what a readiness check should ask."""
        return self._is_built and self._feeder.is_connected

    def state(self) -> WorkerState:
        """What it has in hand at this moment; any thread may ask."""
        if not self._is_built:
            return WorkerState(slots=self._concurrency, busy=0, buffered=0, leases=0)
        holdings = self._feeder.holdings
        return WorkerState(
            slots=self._concurrency,
            busy=self._runner.busy,
            buffered=len(holdings.buffer),
            leases=len(holdings.leases),
        )

    # --- three ways to run -----------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Work until nothing is left to do now, then stop. For tests and scripts.

        Items that are due within a minute (a retry, a short delay) are waited
        for; later ones are left.
        """
        asyncio.run(self.adrain())

    async def adrain(self) -> None:
        """`drain`, for a caller with an event loop."""
        async with self, await aconnect(self._engine.url) as conn:
            await self._work_until_idle(conn)

    async def _work_until_idle(self, conn: AsyncConnection[Any]) -> None:
        while not (self._feeder.is_idle and await arun_script(conn, self._is_nothing_left())):
            await asyncio.sleep(LOOK_S)

    def _is_nothing_left(self) -> Script[bool]:
        params = {
            "queues": [name for name, _ in (yield from self._rounds.known_queues())],
            "kinds": list(self._engine.registry.handlers),
            "horizon": self._horizon,
            "worker_id": self._registration.worker_id,
        }
        [(is_idle,)] = yield Statement(sql.IS_IDLE, params)
        return bool(is_idle)

    def run(self, *, grace: float = GRACE_S) -> None:
        """Work until SIGTERM or SIGINT, then stop gracefully. A second signal ends the wait for handlers."""
        self._kills_stuck = True
        asyncio.run(self._run_until_signalled(grace))

    async def _run_until_signalled(self, grace_s: float) -> None:
        is_signalled = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, is_signalled.set)
        await self.start()
        await is_signalled.wait()
        log.info("stopping: handlers have %g s to finish", grace_s)
        stopping = asyncio.create_task(self.stop(grace_s))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._interrupt_handlers)
        await stopping

    def _interrupt_handlers(self) -> None:
        why = notice("engine.worker_is_stopping", "this worker is stopping; the item will run elsewhere")
        self._runner.interrupt(ShuttingDown(why))
