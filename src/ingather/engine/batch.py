"""A handle on one batch: what a caller holds after a scatter, and what a gather is given."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.arguments import checked_labels
from ingather.engine.codec import decode
from ingather.engine.errors import Failed, NotReady, UnknownBatch, UsageError
from ingather.engine.item_context import running_item
from ingather.engine.model import ItemRecord, ItemState, Progress
from ingather.engine.script import Rows, Script, Statement
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.engine.engine import Engine
    from ingather.engine.shape import Shape

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    R = TypeVarWithDefault("R", default=Any)
else:
    # A type variable with a default is known to Python from 3.13 on, and to type checkers at once.
    R = TypeVar("R")

# Items of one page. A page is one statement and one list in memory; smaller ones cost more round trips.
PAGE_SIZE: Final = 1_000
# The states of items that have ended, as the database writes them.
CODES: Final = {"completed": "c", "error": "e", "cancelled": "x"}
# `wait` reads the progress again after this pause, at first and at most, growing by half each time. Shorter costs the
# server a query per waiting caller; longer delays the answer, most noticeably for quick batches.
FIRST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 0.5
PAUSE_GROWTH: Final = 1.5


class Stream(Generic[T]):
    """Something read page by page, by `for` or by `async for`; every loop over it starts anew."""

    def __init__(self, engine: "Engine", page: Callable[[int], Script[Rows]], make: Callable[..., T]) -> None:
        self._engine = engine
        self._page = page
        self._make = make

    def __iter__(self) -> Iterator[T]:
        after = -1
        while rows := self._engine.database.run(self._page(after)):
            yield from (self._make(*row) for row in rows)
            after = rows[-1][0]

    async def __aiter__(self) -> AsyncIterator[T]:
        after = -1
        while rows := await self._engine.database.arun(self._page(after)):
            for row in rows:
                yield self._make(*row)
            after = rows[-1][0]


class Batch(Generic[R]):
    """One batch, by its id. Holds no state: every call reads the database. `Batch[Receipt]` says what its results
    are."""

    __slots__ = ("_engine", "_shape", "id")

    def __init__(self, engine: "Engine", batch_id: int, shape: "Shape | None" = None) -> None:
        self._engine = engine
        self._shape = shape
        self.id = batch_id

    def __repr__(self) -> str:
        return f"Batch({self.id})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Batch) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def progress(self) -> Progress:
        """The counts at this instant. They add up to the total, and the cost does not grow with it."""
        return self._found(self._engine.database.run(verbs.progress([self.id])))

    async def aprogress(self) -> Progress:
        """`progress`, for a caller with an event loop."""
        return self._found(await self._engine.database.arun(verbs.progress([self.id])))

    def _found(self, found: list[Progress]) -> Progress:
        if not found:
            raise UnknownBatch(
                notice("engine.no_batch_been_pruned", "There is no batch {id}. It may have been pruned.", id=self.id)
            )
        return found[0]

    def wait(self, timeout: float | None = None) -> Progress:
        """Block until the batch is closed and gathered; `TimeoutError` after `timeout` seconds. Not in a handler."""
        deadline = _deadline_of_batch_wait(timeout)
        pause_s = FIRST_PAUSE_S
        while not (progress := self.progress()).is_gathered:
            _refuse_waiting_for_batch_in_handler(self.id)
            time.sleep(_pause_of_batch_wait(pause_s, deadline, progress))
            pause_s = min(pause_s * PAUSE_GROWTH, LONGEST_PAUSE_S)
        return progress

    async def await_(self, timeout: float | None = None) -> Progress:  # noqa: ASYNC109  # as the blocking twin
        """`wait`, for a caller with an event loop."""
        deadline = _deadline_of_batch_wait(timeout)
        pause_s = FIRST_PAUSE_S
        while not (progress := await self.aprogress()).is_gathered:
            _refuse_waiting_for_batch_in_handler(self.id)
            await asyncio.sleep(_pause_of_batch_wait(pause_s, deadline, progress))
            pause_s = min(pause_s * PAUSE_GROWTH, LONGEST_PAUSE_S)
        return progress

    def result(self) -> Any:
        """What the gather returned; for a batch of one without a gather, what its handler returned."""
        return self._result(self._engine.database.run(_batch_result_of_gather(self.id)))

    async def aresult(self) -> Any:
        """`result`, for a caller with an event loop."""
        return self._result(await self._engine.database.arun(_batch_result_of_gather(self.id)))

    def _result(self, rows: Rows) -> Any:
        if not rows:
            raise NotReady(f"Batch {self.id} has no result yet, or no gather. Wait for it, or read `results()`.")
        [(state, result, error)] = rows
        if state != "c":
            raise Failed(decode(error)["message"])
        return decode(result)

    def results(self) -> Stream[R]:
        """The results of completed items in the order they were scattered, streamed."""

        def page(after: int) -> Script[Rows]:
            return (yield Statement(sql.RESULTS_PAGE, {"batch_id": self.id, "after": after, "limit": PAGE_SIZE}))

        shape = self._shape
        return Stream(self._engine, page, lambda _, line: shape.result(decode(line)) if shape else decode(line))

    def items(self, state: ItemState | None = None) -> Stream[ItemRecord]:
        """The items with their payloads, states and errors, streamed; with `state`, those in that state alone."""
        _check_state_of_batch(state)
        return Stream(self._engine, lambda after: self._page(state, after, PAGE_SIZE), _item_record_of_batch)

    def page(self, *, state: ItemState | None = None, after: int = 0, limit: int = 100) -> list[ItemRecord]:
        """One page of the items; `after` takes the last id of the page before."""
        _check_page_of_batch(state, limit)
        return [_item_record_of_batch(*row) for row in self._engine.database.run(self._page(state, after, limit))]

    async def apage(self, *, state: ItemState | None = None, after: int = 0, limit: int = 100) -> list[ItemRecord]:
        """`page`, for a caller with an event loop."""
        _check_page_of_batch(state, limit)
        return [
            _item_record_of_batch(*row) for row in await self._engine.database.arun(self._page(state, after, limit))
        ]

    def _page(self, state: ItemState | None, after: int, limit: int) -> Script[Rows]:
        params = {"batch_id": self.id, "after": after, "limit": limit}
        if state is None:
            return (yield Statement(sql.PAGE, params))
        if state in CODES:
            return (yield Statement(sql.PAGE_OF_ENDED, params | {"code": CODES[state]}))
        return (yield Statement(sql.PAGE_OF_OPEN, params | {"state": state}))

    def cancel(self) -> bool:
        """End what is not finished as cancelled and close the batch. False when it was closed already."""
        return self._engine.database.run(verbs.cancel(self.id), rings=True)

    async def acancel(self) -> bool:
        """`cancel`, for a caller with an event loop."""
        return await self._engine.database.arun(verbs.cancel(self.id), rings=True)

    def pause(self) -> None:
        """Let no more items start; those running go on."""
        self._engine.database.run(verbs.pause(self.id, paused=True))

    async def apause(self) -> None:
        """`pause`, for a caller with an event loop."""
        await self._engine.database.arun(verbs.pause(self.id, paused=True))

    def resume(self) -> None:
        """Let items start again."""
        self._engine.database.run(verbs.pause(self.id, paused=False), rings=True)

    async def aresume(self) -> None:
        """`resume`, for a caller with an event loop."""
        await self._engine.database.arun(verbs.pause(self.id, paused=False), rings=True)

    def retry_failed(self, item_id: int | None = None) -> int:
        """Send failed items, or one, back with all their attempts; a closed batch opens again. Returns how many."""
        return self._engine.database.run(verbs.retry_failed(self.id, item_id), rings=True)

    async def aretry_failed(self, item_id: int | None = None) -> int:
        """`retry_failed`, for a caller with an event loop."""
        return await self._engine.database.arun(verbs.retry_failed(self.id, item_id), rings=True)

    def add(self, payloads: Iterable[Any], *, labels: Iterable[str] | None = None) -> int:
        """More items for an open batch, in one transaction; with `labels`, one for each payload, only those whose label
        it has never had. Returns how many."""
        return self._engine.database.run(self._add(payloads, labels), rings=True)

    async def aadd(self, payloads: Iterable[Any], *, labels: Iterable[str] | None = None) -> int:
        """`add`, for a caller with an event loop."""
        return await self._engine.database.arun(self._add(payloads, labels), rings=True)

    def _add(self, payloads: Iterable[Any], labels: Iterable[str] | None) -> Script[int]:
        lines = self._engine.registry.encoded(payloads)
        if labels is None:
            return verbs.add(self.id, lines)
        held = list(lines)
        return verbs.add(self.id, held, checked_labels(labels, len(held)))

    def children(self) -> "Stream[Batch]":
        """The batches that items of this one have scattered, in the order in which they came."""

        def page(after: int) -> Script[Rows]:
            return (yield Statement(sql.CHILDREN_PAGE, {"batch_id": self.id, "after": after, "limit": PAGE_SIZE}))

        return Stream(self._engine, page, lambda batch_id: Batch(self._engine, batch_id))


def _check_state_of_batch(state: ItemState | None) -> None:
    if state not in (None, "pending", "running", *CODES):
        raise UsageError(f"An item is pending, running, completed, error or cancelled, not {state!r}.")


def _check_page_of_batch(state: ItemState | None, limit: int) -> None:
    _check_state_of_batch(state)
    if not 1 <= limit <= PAGE_SIZE:
        raise UsageError(f"A page holds 1 to {PAGE_SIZE:,} items, not {limit!r}.")


def _batch_result_of_gather(batch_id: int) -> Script[Rows]:
    rows = yield Statement(sql.RESULT, {"batch_id": batch_id})
    if not rows and not (yield from verbs.progress([batch_id])):
        raise UnknownBatch(
            notice("engine.no_batch_been_pruned", "There is no batch {id}. It may have been pruned.", id=batch_id)
        )
    return rows


def _item_record_of_batch(*row: Any) -> ItemRecord:
    record = dict(zip((field.name for field in fields(ItemRecord)), row, strict=True))
    for name in ("payload", "result", "error"):
        if record[name] is not None:
            record[name] = decode(record[name])
    return ItemRecord(**record)


def _refuse_waiting_for_batch_in_handler(batch_id: int) -> None:
    if (item := running_item.get()) is not None:
        raise UsageError(
            f"Item {item.id} must not wait for batch {batch_id}: it holds a slot meanwhile, and once all slots wait, "
            "nothing is left that could work. Scatter with item.scatter() and go on in a gather, which runs when the "
            "children are done."
        )


def _deadline_of_batch_wait(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _pause_of_batch_wait(pause_s: float, deadline: float | None, progress: Progress) -> float:
    if deadline is None:
        return pause_s
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError(
            f"Batch {progress.batch_id} is not done yet: {progress.finished:,} of {progress.total:,} items finished, "
            f"{progress.running:,} running, {progress.pending:,} pending."
        )
    return min(pause_s, left)
