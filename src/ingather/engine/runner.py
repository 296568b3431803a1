"""The slots of a worker: each takes items from the buffer, runs their handlers, and hands on what became of them."""

import asyncio
import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from ingather.engine.batch import Batch
from ingather.engine.children import Children
from ingather.engine.codec import decode_payload, encode_result
from ingather.engine.errors import LeaseLost, RetryLater
from ingather.engine.failures import Failures
from ingather.engine.feeder import Feeder
from ingather.engine.holdings import Assignment, Lease
from ingather.engine.item import Item, Offspring
from ingather.engine.item_context import running_item
from ingather.engine.slot_table import SlotTable
from ingather.engine.verdict import Overdue
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

log: Final = logging.getLogger("ingather.worker")

# Items that a slot runs one after the other before it lets the loop turn. More would keep the feeder waiting behind
# handlers that never wait; fewer cost quick handlers a part of their pace.
YIELD_EVERY: Final = 50
# How often deadlines are looked at. A handler may run longer than its deadline by this much; shorter costs the loop.
DEADLINE_LOOK_S: Final = 0.1
# Items that have waited in the buffer for so long go back, as another worker may have a free slot. Shorter would send
# items to and fro at every pause of the loop; longer keeps them from others.
STALE_AFTER_S: Final = 2.0
# A gather that this worker has no code for goes back for so long. Shorter asks the database more often for nothing;
# longer delays the gather after a deployment.
NO_GATHER_S: Final = 5.0
# A child's deadline runs from its start. The slot's own deadline adds this much for the start, as a backstop only.
CHILD_START_S: Final = 30.0
# Handlers that do not heed their cancel are waited for so long before their items are given back all the same.
STUBBORN_S: Final = 1.0
# How often a stop looks whether handlers have ended. Longer delays the stop; shorter costs the loop.
STOP_LOOK_S: Final = 0.01


LEASE_TAKEN: Final = notice(
    "engine.lease_taken_away", "its lease was taken away: cancelled, or given to another worker"
)


class RunnerSlot:
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
        """Cancel the handler in this slot, with the reason; the slot itself lives on."""
        if self.task is not None and self.lease is not None:
            self.stopped_for = why
            self.task.cancel(why)

    def is_cancelled_by(self, error: BaseException) -> bool:
        """Whether an error in the handler means that the slot itself has to end."""
        is_cancel = isinstance(error, asyncio.CancelledError) and self.stopped_for is None
        return is_cancel and self.task is not None and bool(self.task.cancelling())

    def clear_cancellation(self) -> None:
        """The handler is done, whether it heeded its cancel or not: none of that may reach the next one."""
        self.stopped_for = None
        while self.task is not None and self.task.cancelling():
            self.task.uncancel()


class Runner:
    """Runs what the feeder brings in so many slots."""

    def __init__(self, engine: "Engine", slots: int, table: SlotTable, children: Children) -> None:
        self._engine = engine
        self._table = table
        self._children = children
        self._slots = [RunnerSlot(number) for number in range(slots)]
        self._idle: deque[asyncio.Future[None]] = deque()
        self._relief: asyncio.Handle | None = None
        self._is_ending = False
        self.busy = 0

    # --- begin and end ---------------------------------------------------------------------------------------------

    def start(self, feeder: Feeder) -> None:
        self._feeder = feeder
        self._failures = Failures(self._engine.registry, feeder.outbox)
        for slot in self._slots:
            slot.task = asyncio.create_task(self._serve(slot), name=f"ingather slot {slot.number}")

    async def finish(self, grace_s: float) -> None:
        """Let handlers end by themselves for so long, then interrupt those that still run."""
        deadline = time.monotonic() + grace_s
        while self.running and time.monotonic() < deadline:
            await asyncio.sleep(STOP_LOOK_S)
        self._is_ending = True

    def interrupt(self, why: Exception) -> None:
        for slot in self.running:
            slot.stop(why)

    async def wait_for_stubborn(self) -> None:
        until = time.monotonic() + STUBBORN_S
        while self.running and time.monotonic() < until:
            await asyncio.sleep(STOP_LOOK_S)

    @property
    def running(self) -> list[RunnerSlot]:
        return [slot for slot in self._slots if slot.lease is not None]

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        return [slot.task for slot in self._slots if slot.task is not None]

    # --- waking ----------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """There are items in the buffer: one idle slot begins, and wakes others as it goes."""
        while self._idle:
            resting = self._idle.popleft()
            if not resting.done():
                resting.set_result(None)
                return

    def _relieve(self) -> None:
        """If a handler waits for something while the loop comes by here, two more slots begin. Handlers that never
        wait are served by one slot alone, and the loop stays quick for the feeder."""
        self._relief = None
        if self.busy and self._feeder.holdings.buffer:
            self.wake()
            self.wake()

    def stop_handlers_of(self, lease: Lease) -> None:
        for slot in self._slots:
            if slot.lease is lease:
                slot.stop(LeaseLost(LEASE_TAKEN))

    # --- one slot --------------------------------------------------------------------------------------------------

    async def _serve(self, slot: RunnerSlot) -> None:
        """A slot's life: it runs items as long as there are any, then rests, until the worker leaves."""
        loop, buffer = asyncio.get_running_loop(), self._feeder.holdings.buffer
        while not self._is_ending:
            if buffer:
                await self._run_several(slot, loop)
                # Handlers that never wait would keep the feeder from talking, and deadlines from passing.
                await asyncio.sleep(0)
            else:
                await self._wait_for_items(loop)

    async def _run_several(self, slot: RunnerSlot, loop: asyncio.AbstractEventLoop) -> None:
        """Run items until the loop should turn or none is left. Each further call would be a part of a quick item's
        time, so all of its way stands here."""
        feeder, table, number, offspring_of = self._feeder, self._table, slot.number, self._engine.registry.offspring
        buffer, outbox, line = feeder.holdings.buffer, feeder.outbox, feeder.line
        for _ in range(YIELD_EVERY):
            if not buffer or self._is_ending:
                return
            assignment = buffer.popleft()
            lease, item_id, ordinal, payload, _came_at = assignment
            if lease.is_lost:
                continue
            if self._relief is None and buffer and self._idle:
                self._relief = loop.call_soon(self._relieve)
            self.busy += 1
            slot.lease = lease
            slot.started = started = time.monotonic()
            slot.deadline = deadline = started + lease.timeout_s
            function = lease.function
            table.begin(number, item_id, deadline, is_aside=function is None)
            try:
                if function is None:
                    result, offspring = await self._call_aside(slot, assignment)
                else:
                    item = Item(item_id, ordinal, decode_payload(payload), lease.source, offspring_of)
                    running_item.set(item)
                    result = encode_result(await function(item))
                    offspring = item.offspring
            except BaseException as error:
                # User code may raise anything; the slot must survive it.
                if slot.is_cancelled_by(error):
                    raise
                self._failures.record(error, slot.stopped_for, lease, item_id, ordinal, time.monotonic() - started)
            else:
                outbox.completed(lease, item_id, time.monotonic() - started, result, offspring)
            finally:
                slot.lease = None
                if slot.stopped_for is not None:
                    slot.clear_cancellation()
                table.end(number)
                self.busy -= 1
            if line.is_sending:
                return

    async def _wait_for_items(self, loop: asyncio.AbstractEventLoop) -> None:
        resting = loop.create_future()
        self._idle.append(resting)
        await resting

    async def _call_aside(self, slot: RunnerSlot, assignment: Assignment) -> tuple[bytes, list[Offspring] | None]:
        """Run a gather, or in a child what is a `def` or has killed before."""
        lease, item_id, ordinal, payload, _ = assignment
        if lease.is_gather:
            return await self._call_gather(slot, lease, item_id), None
        args = {"id": item_id, "ordinal": ordinal, "payload": decode_payload(payload), "source": lease.source}
        self._leave_deadline_to_pool(slot, lease.timeout_s)
        return await self._children.call(is_gather=False, args=args, timeout_s=lease.timeout_s)

    async def _call_gather(self, slot: RunnerSlot, lease: Lease, item_id: int) -> bytes:
        gather = self._engine.registry.gathers.get(lease.kind)
        if gather is None:
            log.warning("batch %s waits for a gather of kind %s, which this worker has not", lease.batch_id, lease.kind)
            raise RetryLater(NO_GATHER_S, f"this worker has no gather for kind {lease.kind!r}")
        slot.deadline = slot.started + gather.timeout_s
        is_aside = lease.lost > 0 or not gather.is_async
        self._table.begin(slot.number, item_id, slot.deadline, is_aside=is_aside)
        if not is_aside:
            running_item.set(Item(item_id, 0, None, lease.source, self._engine.registry.offspring))
            return encode_result(await gather.function(Batch(self._engine, lease.batch_id, gather.payloads)))
        self._leave_deadline_to_pool(slot, gather.timeout_s)
        args = {"id": item_id, "ordinal": 0, "payload": None, "source": lease.source}
        result, _ = await self._children.call(is_gather=True, args=args, timeout_s=gather.timeout_s)
        return result

    def _leave_deadline_to_pool(self, slot: RunnerSlot, timeout_s: float) -> None:
        """A child's time runs from when it starts, which the pool knows; the slot's own deadline is a backstop."""
        slot.deadline = slot.started + timeout_s + CHILD_START_S

    # --- deadlines -------------------------------------------------------------------------------------------------

    async def keep_time(self) -> None:
        """Stop handlers that outran their deadline, and notice when work has become slow."""
        while True:
            self._table.tick()
            now = time.monotonic()
            ages_s = []
            for slot in self.running:
                ages_s.append(now - slot.started)
                if now > slot.deadline + DEADLINE_LOOK_S:
                    slot.stop(Overdue(_handler_ran_too_long_in_runner(slot.deadline - slot.started)))
            if ages_s:
                self._feeder.pace.at_least(sum(ages_s) / len(ages_s))
            self._feeder.return_unstarted(older_than_s=STALE_AFTER_S)
            await asyncio.sleep(DEADLINE_LOOK_S)


def _handler_ran_too_long_in_runner(seconds: float) -> str:
    return notice("engine.handler_ran_too_long", "the handler ran longer than its {seconds} s", seconds=f"{seconds:g}")
