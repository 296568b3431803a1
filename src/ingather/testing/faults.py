"""Faults on demand: what is to go wrong once in a drain, and the parts of a worker that it goes wrong in."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

import psycopg

from ingather.engine.database import Database
from ingather.engine.model import Handler
from ingather.engine.round_trip import Reply, RoundTripLine, Step
from ingather.engine.script import Script
from ingather.engine.verdict import Died, Overdue

What = Literal["process dies", "worker dies", "deadline passes"]

LOST_REPLY: Final = "the connection was lost before the answer came (a fault on demand)"


class FaultOnDemand(NamedTuple):
    """What is to happen to the next attempt of an item of a kind."""

    kind: str
    what: What
    is_after: bool
    """After the handler has done its work, and before that is stored; else before it begins."""


class WorkerKilled(Exception):
    """The whole worker is to be gone at this point."""


class Faults:
    """Those that are still to come, in one test."""

    def __init__(self) -> None:
        self._pending: list[FaultOnDemand] = []
        self.lost_replies = 0
        self.worker_killed = asyncio.Event()

    def add(self, fault: FaultOnDemand) -> None:
        self._pending.append(fault)

    @property
    def is_any_left(self) -> bool:
        return bool(self._pending) or self.lost_replies > 0

    def describe(self) -> str:
        parts = [f"{fault.what} ({fault.kind})" for fault in self._pending]
        return ", ".join(parts + ["a reply is lost"] * self.lost_replies)

    async def run(self, kind: str, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call a handler, with whatever is to happen to it."""
        fault = next((fault for fault in self._pending if fault.kind == kind), None)
        if fault is None:
            return await call()
        self._pending.remove(fault)
        if fault.is_after:
            await call()
        if fault.what == "process dies":
            raise Died("the handler's process died (a fault on demand)")
        if fault.what == "deadline passes":
            raise Overdue("the handler ran longer than its deadline (a fault on demand)")
        self.worker_killed.set()
        # Nothing of this worker goes on from here; the drain ends it.
        return await asyncio.get_running_loop().create_future()

    @contextmanager
    def around(self, handlers: dict[str, Handler]) -> Iterator[None]:
        """While this lasts, handlers that run on the loop meet their faults. Others meet them where they are called."""
        before = dict(handlers)
        kinds = {fault.kind for fault in self._pending}
        try:
            for kind in kinds & set(before):
                if (handler := before[kind]).is_async:
                    handlers[kind] = replace(handler, function=self._wrapped(handler))
            yield
        finally:
            handlers.update(before)

    def _wrapped(self, handler: Handler) -> Callable[[Any], Awaitable[Any]]:
        async def with_faults(item: Any) -> Any:
            return await self.run(handler.kind, lambda: handler.function(item))

        return with_faults


class LosingLine(RoundTripLine):
    """A worker's connection that loses the reply to outcomes which the database has stored."""

    def __init__(self, url: str, faults: Faults) -> None:
        super().__init__(url)
        self._faults = faults

    async def exchange(self, steps: Iterable[Step]) -> Reply:
        reply = await super().exchange(steps)
        # A claim that was lost with it would keep its items for a second: that is another fault.
        if self._faults.lost_replies and reply.settled and not reply.claimed:
            self._faults.lost_replies -= 1
            await self.close()
            raise psycopg.OperationalError(LOST_REPLY)
        return reply


class LosingDatabase(Database):
    """A caller's database that loses the reply to whatever was committed."""

    def run(self, script: Script[Any], *, rings: bool = False, is_one_statement: bool = False) -> Any:
        super().run(script, rings=rings, is_one_statement=is_one_statement)
        with self._in_sentences():
            raise psycopg.OperationalError(LOST_REPLY)

    async def arun_script(self, script: Script[Any], *, rings: bool = False, is_one_statement: bool = False) -> Any:
        await super().arun(script, rings=rings, is_one_statement=is_one_statement)
        with self._in_sentences():
            raise psycopg.OperationalError(LOST_REPLY)
