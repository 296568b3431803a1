"""What operators do through an application: queues, workers, schedules and retention."""

from datetime import timedelta
from types import EllipsisType
from typing import Any

from ingather.engine import verbs
from ingather.engine.arguments import check_limit_arguments, checked_keep, checked_name
from ingather.engine.codec import encode_payload
from ingather.engine.cron import CatchUp, Cron
from ingather.engine.database import Database
from ingather.engine.errors import UsageError, checked_delay_of_error
from ingather.engine.model import Queue, ScheduleRecord, WorkerRecord
from ingather.engine.registry import Registry
from ingather.engine.script import Script


class Operations:
    """The part of an application that steers the fleet. `Engine` is the whole of it."""

    database: Database
    registry: Registry

    # --- queues ----------------------------------------------------------------------------------------------------

    def queues(self) -> list[Queue]:
        """Every queue with its limits, its switches, and how many of its items run and wait."""
        return self.database.run(verbs.list_queues())

    async def aqueues(self) -> list[Queue]:
        """`queues`, for a caller with an event loop."""
        return await self.database.arun(verbs.list_queues())

    def set_queue(
        self,
        queue: str,
        *,
        max_running: int | EllipsisType | None = ...,
        rate: tuple[int, timedelta] | EllipsisType | None = ...,
    ) -> None:
        """Limit a queue over the whole fleet. `rate` is (items, window). None lifts a limit, `...` leaves it."""
        self.database.run(_set_queue_operation(queue, max_running, rate), rings=True)

    async def aset_queue(
        self,
        queue: str,
        *,
        max_running: int | EllipsisType | None = ...,
        rate: tuple[int, timedelta] | EllipsisType | None = ...,
    ) -> None:
        """`set_queue`, for a caller with an event loop."""
        await self.database.arun(_set_queue_operation(queue, max_running, rate), rings=True)

    def pause_queue(self, queue: str) -> None:
        """Claim nothing more from a queue; what runs goes on."""
        self.database.run(verbs.pause_queue(checked_name("queue", queue), paused=True))

    async def apause_queue(self, queue: str) -> None:
        """`pause_queue`, for a caller with an event loop."""
        await self.database.arun(verbs.pause_queue(checked_name("queue", queue), paused=True))

    def resume_queue(self, queue: str) -> None:
        """Claim from a queue again; a hold ends too."""
        self.database.run(verbs.pause_queue(checked_name("queue", queue), paused=False), rings=True)

    async def aresume_queue(self, queue: str) -> None:
        """`resume_queue`, for a caller with an event loop."""
        await self.database.arun(verbs.pause_queue(checked_name("queue", queue), paused=False), rings=True)

    def hold_queue(self, queue: str, delay: float | timedelta) -> None:
        """Let no item of a queue start for so long, on any machine: what `RetryLater(queue=True)` does, at once."""
        self.database.run(verbs.hold_queue(checked_name("queue", queue), checked_delay_of_error(delay)))

    async def ahold_queue(self, queue: str, delay: float | timedelta) -> None:
        """`hold_queue`, for a caller with an event loop."""
        await self.database.arun(verbs.hold_queue(checked_name("queue", queue), checked_delay_of_error(delay)))

    # --- workers and retention -------------------------------------------------------------------------------------

    def workers(self) -> list[WorkerRecord]:
        """Every registered worker, its last beat, and how many items it has in hand."""
        return self.database.run(verbs.list_workers())

    async def aworkers(self) -> list[WorkerRecord]:
        """`workers`, for a caller with an event loop."""
        return await self.database.arun(verbs.list_workers())

    def prune(self, keep: timedelta) -> None:
        """Remove batches that closed longer ago than `keep`, a few thousand rows at a time."""
        place = self.database.run(verbs.prune(checked_keep(keep)))
        while place is not None:
            place = self.database.run(verbs.prune(keep, place))

    async def aprune(self, keep: timedelta) -> None:
        """`prune`, for a caller with an event loop."""
        place = await self.database.arun(verbs.prune(checked_keep(keep)))
        while place is not None:
            place = await self.database.arun(verbs.prune(keep, place))

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

        Declaring it again changes it. `catch_up` decides what becomes of firings
        that were missed: none, the newest, or all (at most a hundred).
        """
        checked = Cron.parse(cron, tz=tz, seconds=seconds)
        self.database.run(self._put_schedule(name, checked, kind, payload, catch_up, queue, priority))
        return checked

    async def aschedule(
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
        """`schedule`, for a caller with an event loop."""
        checked = Cron.parse(cron, tz=tz, seconds=seconds)
        await self.database.arun(self._put_schedule(name, checked, kind, payload, catch_up, queue, priority))
        return checked

    def _put_schedule(
        self, name: str, cron: Cron, kind: str, payload: Any, catch_up: CatchUp, queue: str | None, priority: int
    ) -> Script[None]:
        if catch_up not in ("skip", "one", "all"):
            raise UsageError(f"catch_up is 'skip', 'one' or 'all', not {catch_up!r}.")
        request = self.registry.request(kind, queue=queue, priority=priority)
        line = encode_payload(payload, max_bytes=self.registry.max_payload)
        return verbs.put_schedule(checked_name("schedule", name), cron, request, line, catch_up)

    def unschedule(self, name: str) -> bool:
        """Forget a schedule. False when there was none."""
        return self.database.run(verbs.drop_schedule(name))

    async def aunschedule(self, name: str) -> bool:
        """`unschedule`, for a caller with an event loop."""
        return await self.database.arun(verbs.drop_schedule(name))

    def pause_schedule(self, name: str) -> bool:
        """Fire a schedule no more until it is resumed. False when there is none of that name."""
        return self.database.run(verbs.pause_schedule(name, paused=True))

    async def apause_schedule(self, name: str) -> bool:
        """`pause_schedule`, for a caller with an event loop."""
        return await self.database.arun(verbs.pause_schedule(name, paused=True))

    def resume_schedule(self, name: str) -> bool:
        """Fire a schedule again; what it missed is caught up with by its policy."""
        return self.database.run(verbs.pause_schedule(name, paused=False))

    async def aresume_schedule(self, name: str) -> bool:
        """`resume_schedule`, for a caller with an event loop."""
        return await self.database.arun(verbs.pause_schedule(name, paused=False))

    def schedules(self) -> list[ScheduleRecord]:
        """Every schedule, when it fired last and when it fires next."""
        return self.database.run(verbs.list_schedules())

    async def aschedules(self) -> list[ScheduleRecord]:
        """`schedules`, for a caller with an event loop."""
        return await self.database.arun(verbs.list_schedules())


def _set_queue_operation(
    queue: str, max_running: int | EllipsisType | None, rate: tuple[int, timedelta] | EllipsisType | None
) -> Script[None]:
    check_limit_arguments(max_running, rate)
    return verbs.set_queue(checked_name("queue", queue), max_running=max_running, rate=rate)
