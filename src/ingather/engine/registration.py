"""A worker's row in the database, and the sentinel that beats for it."""

import asyncio
import os
import socket
import time
from typing import TYPE_CHECKING, Any, Final

from psycopg import AsyncConnection

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement, arun_script
from ingather.engine.sentinel import Post, Sentinel
from ingather.engine.slot_table import SlotTable

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

# For so long after a sentinel was started, the worker beats for itself too: on a busy machine a new process may need
# longer than a short lease to start. Longer would let a worker beat although its loop is all that works of it.
VOUCH_S: Final = 10.0


class Registration:
    """Who this worker is to the others."""

    def __init__(self, engine: "Engine", table: SlotTable, slots: int, *, kills_stuck: bool) -> None:
        self._engine = engine
        self._table = table
        self._slots = slots
        self._kills_stuck = kills_stuck
        self._sentinel: Sentinel | None = None
        self._vouches_until = 0.0
        self.worker_id = 0

    async def begin(self, conn: AsyncConnection[Any]) -> int:
        """Register under a new id, with a sentinel of its own."""
        self.worker_id = await arun_script(conn, self._register())
        await self.post_sentinel()
        return self.worker_id

    def _register(self) -> Script[int]:
        params = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "kinds": sorted(self._engine.registry.handlers),
            "lease": self._engine.lease,
        }
        [(worker_id,)] = yield Statement(sql.REGISTER, params)
        return int(worker_id)

    async def post_sentinel(self) -> None:
        """Start a sentinel, in place of one that is gone."""
        self._table.tick()
        post = Post(
            url=self._engine.url,
            worker_id=self.worker_id,
            worker_pid=os.getpid(),
            lease_s=self._engine.lease.total_seconds(),
            slots_fd=self._table.fd,
            slots_count=self._slots,
            kills_stuck=self._kills_stuck,
        )
        self._sentinel = await asyncio.to_thread(Sentinel, post)
        self._vouches_until = time.monotonic() + VOUCH_S

    @property
    def has_sentinel(self) -> bool:
        return self._sentinel is not None and self._sentinel.is_alive

    def vouching(self) -> Statement | None:
        """A beat by the worker itself, while its sentinel may not be up yet."""
        if time.monotonic() >= self._vouches_until:
            return None
        return Statement(sql.BEAT, {"worker_id": self.worker_id, "running": self._table.started()})

    async def end_sentinel(self) -> None:
        if self._sentinel is not None:
            await asyncio.to_thread(self._sentinel.dismiss)
