"""A worker's regular look at the database: is it still registered, what does it hold, what is due for everybody."""

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.aggregator import Aggregator
from ingather.engine.connection import aconnect, is_direct_connection
from ingather.engine.feeder import Feeder, feeder_backoff_s
from ingather.engine.refusals import refusal_is_passing
from ingather.engine.registration import Registration
from ingather.engine.script import Row, Script, Statement, aplay_script, arun_script

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

log = logging.getLogger("ingather.worker")

# After a ring, others that follow within this time are taken together with it. Longer delays the look for new queues;
# shorter looks once per scatter when many come at once.
BELL_S: Final = 0.005
# A stop waits so long for a registration that is under way. Longer holds up a stop while the database hangs; shorter
# may leave a row behind that lives until its lease is over.
REGISTERING_S: Final = 2.0


class Rounds:
    """Looks around on a connection of its own, twice a second and whenever somebody rings."""

    def __init__(self, engine: "Engine", feeder: Feeder, registration: Registration, queues: list[str] | None) -> None:
        self._engine = engine
        self._feeder = feeder
        self._registration = registration
        self._queues = queues
        self._aggregator = Aggregator(engine.keep)
        self._strangers: set[int] = set()
        self._missing: set[int] = set()
        self._task: asyncio.Task[None] | None = None
        self._registering = asyncio.Lock()

    # --- begin and end ---------------------------------------------------------------------------------------------

    async def enlist(self, conn: AsyncConnection[Any]) -> None:
        """Register, and learn which queues there are."""
        self._feeder.worker_id = await self._registration.begin(conn)
        self._feeder.set_queues(await arun_script(conn, self.known_queues()))

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="ingather rounds")

    async def stop(self) -> None:
        """Look no more. A registration that is under way is completed first, so that its row is known and removed."""
        if self._task is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(REGISTERING_S), self._registering:
                self._task.cancel()
        self._task.cancel()
        await asyncio.wait([self._task])

    # --- looking ---------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        failures = 0
        conn: AsyncConnection[Any] | None = None
        try:
            while True:
                try:
                    if conn is None or conn.closed or conn.broken:
                        conn = await self._connect()
                    next_look_s = await self._look(conn)
                    failures = 0
                    await self._listen(conn, next_look_s)
                except Exception as error:
                    if refusal_is_passing(error):
                        log.debug("the database does not serve the aggregator: %s", error)
                    else:
                        log.exception("the aggregator failed, trying again")
                    failures += 1
                    if conn is not None:
                        await conn.close()
                    await asyncio.sleep(feeder_backoff_s(failures))
        finally:
            if conn is not None:
                await conn.close()

    async def _connect(self) -> AsyncConnection[Any]:
        conn = await aconnect(self._engine.url, application_name="ingather aggregator")
        if is_direct_connection(conn):
            await conn.execute(sql.LISTEN)
        return conn

    async def _listen(self, conn: AsyncConnection[Any], seconds: float) -> None:
        if not is_direct_connection(conn):
            await asyncio.sleep(seconds)
            return
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if [ring async for ring in conn.notifies(timeout=left, stop_after=1)]:
                self._feeder.ring()
                # The ring may be for a queue that is new. That look comes after the claim it would slow down, and once
                # for all rings of this moment.
                async for _ in conn.notifies(timeout=BELL_S):
                    self._feeder.ring()
                self._feeder.set_queues(await aplay_script(conn, self.known_queues()))

    async def _look(self, conn: AsyncConnection[Any]) -> float:
        """One round. Returns in how many seconds the next one is due."""
        async with conn.cursor(row_factory=tuple_row) as cursor:
            if (beat := self._registration.vouching()) is not None:
                await cursor.execute(beat.sql, beat.params)
            await cursor.execute(sql.WHAT_IS_MINE, {"worker_id": self._registration.worker_id})
            [(is_registered, tokens, names, are_limited)] = await cursor.fetchall()
        self._feeder.set_queues(self._served(zip(names, are_limited, strict=True)))
        if not is_registered:
            await self._start_over(conn)
        else:
            if not self._registration.has_sentinel:
                log.warning("the sentinel is gone; posting another")
                await self._registration.post_sentinel()
            await self._reconcile(conn, set(tokens))
        self._feeder.look_again()
        has_news, next_look_s = await self._aggregator.tick(conn)
        if has_news:
            self._feeder.ring()
        return next_look_s

    def known_queues(self) -> Script[list[tuple[str, bool]]]:
        """The queues that this worker serves, and which of them are limited."""
        return self._served((yield Statement(sql.QUEUES)))

    def _served(self, queues: Iterable[Row]) -> list[tuple[str, bool]]:
        return [(name, is_limited) for name, is_limited in queues if self._queues is None or name in self._queues]

    # --- what the look finds ---------------------------------------------------------------------------------------

    async def _start_over(self, conn: AsyncConnection[Any]) -> None:
        """Nothing that this worker holds is its own any more; begin again under another id."""
        async with self._registering:
            log.warning(
                "worker %s is not registered any more: it was declared dead, or the database went back to an earlier "
                "state; it drops what it holds and registers anew",
                self._registration.worker_id,
            )
            self._feeder.forget_everything()
            await self._registration.end_sentinel()
            self._strangers, self._missing = set(), set()
            await self.enlist(conn)

    async def _reconcile(self, conn: AsyncConnection[Any], tokens: set[int]) -> None:
        """Stop handlers whose lease was taken away, and give back leases of a claim whose reply was lost.

        Claims and settles may be on their way just now, so a difference counts only when seen twice.
        """
        held = set(self._feeder.holdings.leases)
        for token in (held - tokens) & self._missing:
            self._feeder.holdings.lose(token)
        if orphans := (tokens - held) & self._strangers:
            items = await arun_script(conn, verbs.release(self._registration.worker_id, sorted(orphans)))
            log.info("%s items of a claim whose reply was lost were given back", items)
            self._feeder.ring()
        self._missing, self._strangers = held - tokens, tokens - held
