"""A handle on one batch: what a caller holds after a scatter, and what a gather is given."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.codec import decode
from ingather.engine.errors import Failed, NotReady, UnknownBatch, UsageError
from ingather.engine.model import ItemRecord, ItemState, Progress
from ingather.engine.script import Rows, Script, Statement

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

T = TypeVar("T")

PAGE_SIZE = 1_000
CODES = {"completed": "c", "error": "e", "cancelled": "x"}
FIRST_LOOK_S, LONGEST_LOOK_S = 0.02, 0.5


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


class Batch:
    """One batch, by its id. Holds no state: every answer is read from the database when asked."""

    __slots__ = ("_engine", "id")

    def __init__(self, engine: "Engine", batch_id: int) -> None:
        self._engine = engine
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
        return self._found(await self._engine.database.arun(verbs.progress([self.id])))

    def _found(self, found: list[Progress]) -> Progress:
        if not found:
            raise UnknownBatch(f"There is no batch {self.id}. It may have been pruned.")
        return found[0]

    def wait(self, timeout: float | None = None) -> Progress:
        """Block until the batch is closed and gathered; `TimeoutError` after `timeout` seconds."""
        deadline = _deadline(timeout)
        look = FIRST_LOOK_S
        while not (seen := self.progress()).is_gathered:
            time.sleep(_pause(look, deadline, seen))
            look = min(look * 1.5, LONGEST_LOOK_S)
        return seen

    async def await_(self, timeout: float | None = None) -> Progress:  # noqa: ASYNC109  # as the blocking twin
        deadline = _deadline(timeout)
        look = FIRST_LOOK_S
        while not (seen := await self.aprogress()).is_gathered:
            await asyncio.sleep(_pause(look, deadline, seen))
            look = min(look * 1.5, LONGEST_LOOK_S)
        return seen

    def result(self) -> Any:
        """What the gather returned; for a batch of one without a gather, what its handler returned."""
        return self._result(self._engine.database.run(_result(self.id)))

    async def aresult(self) -> Any:
        return self._result(await self._engine.database.arun(_result(self.id)))

    def _result(self, rows: Rows) -> Any:
        if not rows:
            raise NotReady(f"Batch {self.id} has no result yet, or no gather. Wait for it, or read `results()`.")
        [(state, result, error)] = rows
        if state != "c":
            raise Failed(decode(error)["message"])
        return decode(result)

    def results(self) -> Stream[Any]:
        """The results of completed items in the order they were scattered, streamed."""

        def page(after: int) -> Script[Rows]:
            return (yield Statement(sql.RESULTS_PAGE, {"batch_id": self.id, "after": after, "limit": PAGE_SIZE}))

        return Stream(self._engine, page, lambda _, result: decode(result))

    def items(self, state: ItemState | None = None) -> Stream[ItemRecord]:
        """The items with their payloads, states and errors, streamed; of one state if asked."""
        _check_state(state)
        return Stream(self._engine, lambda after: self._page(state, after, PAGE_SIZE), _record)

    def page(self, *, state: ItemState | None = None, after: int = 0, limit: int = 100) -> list[ItemRecord]:
        """One page of the items; `after` takes the last id of the page before."""
        _check_state(state)
        if not 1 <= limit <= PAGE_SIZE:
            raise UsageError(f"A page holds 1 to {PAGE_SIZE:,} items, not {limit!r}.")
        return [_record(*row) for row in self._engine.database.run(self._page(state, after, limit))]

    def _page(self, state: ItemState | None, after: int, limit: int) -> Script[Rows]:
        asked = {"batch_id": self.id, "after": after, "limit": limit}
        if state is None:
            return (yield Statement(sql.PAGE, asked))
        if state in CODES:
            return (yield Statement(sql.PAGE_OF_ENDED, asked | {"code": CODES[state]}))
        return (yield Statement(sql.PAGE_OF_OPEN, asked | {"state": state}))

    def cancel(self) -> bool:
        """End what is not finished as cancelled and close the batch. False when it was closed already."""
        return self._engine.database.run(verbs.cancel(self.id), rings=True)

    async def acancel(self) -> bool:
        return await self._engine.database.arun(verbs.cancel(self.id), rings=True)

    def pause(self) -> None:
        """Let no more items start; those running go on."""
        self._engine.database.run(verbs.pause(self.id, paused=True))

    async def apause(self) -> None:
        await self._engine.database.arun(verbs.pause(self.id, paused=True))

    def resume(self) -> None:
        self._engine.database.run(verbs.pause(self.id, paused=False), rings=True)

    async def aresume(self) -> None:
        await self._engine.database.arun(verbs.pause(self.id, paused=False), rings=True)

    def retry_failed(self) -> int:
        """Send failed items back with all their attempts; a closed batch opens again. Returns how many."""
        return self._engine.database.run(verbs.retry_failed(self.id), rings=True)

    async def aretry_failed(self) -> int:
        return await self._engine.database.arun(verbs.retry_failed(self.id), rings=True)

    def add(self, payloads: Iterable[Any]) -> int:
        """More items for an open batch, in one transaction. Returns how many."""
        return self._engine.database.run(verbs.add(self.id, self._engine.registry.encoded(payloads)), rings=True)

    async def aadd(self, payloads: Iterable[Any]) -> int:
        return await self._engine.database.arun(verbs.add(self.id, self._engine.registry.encoded(payloads)), rings=True)


def _check_state(state: ItemState | None) -> None:
    if state not in (None, "pending", "running", *CODES):
        raise UsageError(f"An item is pending, running, completed, error or cancelled, not {state!r}.")


def _result(batch_id: int) -> Script[Rows]:
    rows = yield Statement(sql.RESULT, {"batch_id": batch_id})
    if not rows and not (yield from verbs.progress([batch_id])):
        raise UnknownBatch(f"There is no batch {batch_id}. It may have been pruned.")
    return rows


def _record(*row: Any) -> ItemRecord:
    record = dict(zip((field.name for field in fields(ItemRecord)), row, strict=True))
    for name in ("payload", "result", "error"):
        if record[name] is not None:
            record[name] = decode(record[name])
    return ItemRecord(**record)


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _pause(look: float, deadline: float | None, seen: Progress) -> float:
    if deadline is None:
        return look
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError(
            f"Batch {seen.batch_id} is not done yet: {seen.finished:,} of {seen.total:,} items finished, "
            f"{seen.running:,} running, {seen.pending:,} pending."
        )
    return min(look, left)
