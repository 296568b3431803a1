"""What a worker holds: its leases, and the items of them that have not started."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

from ingather.engine.item import Source, item_key
from ingather.engine.model import Handler
from ingather.engine.script import Row, Rows

log = logging.getLogger("ingather.worker")


class Lease:
    """A run of items in hand, and the token that lets this worker settle them."""

    __slots__ = (
        "attempt", "batch_id", "function", "is_gather", "is_lost", "kind", "lost", "max_attempts", "open", "parent_id",
        "queue", "segment_key", "source", "timeout_s", "token",
    )  # fmt: skip

    def __init__(self, row: Row, queue: str, handlers: Mapping[str, Handler]) -> None:
        self.token, first, last, self.batch_id, self.attempt, self.lost, self.is_gather = row[:7]
        self.kind, self.max_attempts, self.timeout_s = row[7:10]
        self.segment_key = row[12] or ""
        self.parent_id = row[13]
        self.source = Source(
            batch_id=self.batch_id, kind=self.kind, attempt=self.attempt, lost=self.lost, segment_key=self.segment_key
        )
        self.open = last - first + 1
        self.queue = queue
        self.is_lost = False
        handler = handlers[self.kind]
        # The event loop may run this itself. Gathers, `def` handlers and items that were lost before run aside.
        self.function = handler.function if handler.is_async and not (self.is_gather or self.lost) else None

    def item_key(self, ordinal: int) -> str:
        return item_key(self.segment_key, ordinal)

    def log_fields(self, item_id: int, ordinal: int) -> dict[str, Any]:
        """What a log record about an item of this lease carries, under the names of `ItemLogFilter`."""
        return {
            "item_id": item_id,
            "item_key": self.item_key(ordinal) or None,
            "batch_id": self.batch_id,
            "kind": self.kind,
            "attempt": self.attempt,
        }


# Lease, item id, ordinal, payload, when it came: an item in hand that has not started yet. The payload is decoded when
# the item starts, so that a bad one harms no other. A plain tuple, as every item passes through one: named parts would
# cost more than the rest of the item's way.
Assignment = tuple[Lease, int, int, str | None, float]


class Holdings:
    """The leases of one worker and the buffer its slots take from.

    Slots read `buffer` and check `is_lost` themselves, item by item; everything
    else goes through the methods.
    """

    def __init__(self, on_lost: Callable[[Lease], None]) -> None:
        self.buffer: deque[Assignment] = deque()
        self.leases: dict[int, Lease] = {}
        self._on_lost = on_lost

    def receive(
        self, claimed: Rows, queue: str, handlers: Mapping[str, Handler], now: float, *, goes_first: bool
    ) -> list[tuple[str, int]]:
        """Take what a claim brought into the buffer, before the others or behind them. Returns the shares and batches
        that fresh items came from, in this order."""
        served: list[tuple[str, int]] = []
        for row in claimed:
            lease = Lease(row, queue, handlers)
            first, last, ordinal, payloads = row[1], row[2], row[10] or 0, row[11]
            if lease.attempt == 1 and not lease.is_gather:
                served.append((row[14] or "", lease.batch_id))
            lines: list[str | None] = [None] if payloads is None else payloads.split("\n")
            if len(lines) != last - first + 1:
                log.error("batch %s has lost payloads between items %s and %s", lease.batch_id, first, last)
                lines = [None] * (last - first + 1)
            self.leases[lease.token] = lease
            ordinals = range(ordinal, ordinal + len(lines))
            assignments = zip(repeat(lease), range(first, last + 1), ordinals, lines, repeat(now))
            if goes_first:
                self.buffer.extendleft(reversed(list(assignments)))
            else:
                self.buffer.extend(assignments)
        return served

    def take_unstarted(self, came_before: float) -> Iterator[tuple[Lease, int]]:
        """Remove items that have waited in the buffer since before that moment, and return those still ours."""
        while self.buffer and self.buffer[0][4] < came_before:
            lease, item_id, *_ = self.buffer.popleft()
            if not lease.is_lost:
                yield lease, item_id

    def cross_off(self, tokens: Iterable[int]) -> None:
        """One item of each of these leases is no longer ours to settle; a lease without items is forgotten."""
        for token, items in Counter(tokens).items():
            lease = self.leases.get(token)
            if lease is not None:
                lease.open -= items
                if lease.open <= 0:
                    del self.leases[token]

    def batch_ids(self, tokens: Iterable[int]) -> set[int]:
        """The batches of those of these leases that are still here."""
        return {self.leases[token].batch_id for token in tokens if token in self.leases}

    def gathered_children(self, tokens: Iterable[int]) -> list[int]:
        """Of the leases that are settled, the batches that a parent waits for and whose gather this was."""
        leases = map(self.leases.get, set(tokens))
        return [lease.batch_id for lease in leases if lease and lease.is_gather and lease.parent_id is not None]

    def lose(self, token: int) -> None:
        """A lease is gone from the database: its results would be refused, so its handlers must stop."""
        if (lease := self.leases.pop(token, None)) is not None:
            lease.is_lost = True
            self._on_lost(lease)

    def lose_all(self) -> None:
        """Nothing here is this worker's any more."""
        for token in list(self.leases):
            self.lose(token)
        self.buffer.clear()

    @property
    def is_empty(self) -> bool:
        return not (self.buffer or self.leases)
