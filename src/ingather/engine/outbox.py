"""The outbox: what has ended in this worker and is not yet stored.

Slots put entries in; a round trip takes a parcel of them. Nothing is held back
by a timer: a parcel leaves as soon as the connection is free, with one outcome
in it or with hundreds that came together meanwhile. An entry leaves the outbox
for good only once the database has answered for it.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from ingather.engine.codec import encode_result
from ingather.engine.holdings import Lease
from ingather.engine.item import Offspring
from ingather.engine.verdict import Consequence

# Outcomes in one round trip. Twice a full claim, so that one round trip can empty what a full buffer made. More would
# keep the lease's row locked, and the next claim waiting, for longer.
MOST_OUTCOMES: Final = 4_000
# Bytes of results in one round trip. One statement's parameters must stay far below PostgreSQL's 1 GB, and all of them
# are in memory three times while they are sent.
MOST_BYTES: Final = 8_000_000
# Runs that are settled one by one, each with a commit of its own. More commits cost more than settling all together.
MOST_RUNS: Final = 3
# Several runs are settled one by one only if they have this many items on average. Shorter ones are not worth a commit.
SHORTEST_RUN: Final = 50

# Token, item id, state, seconds it took, result, error: an item that ended. A plain tuple, as every item becomes one:
# naming its parts would cost more than the rest of its way.
Ended = tuple[int, int, str, float, bytes, bytes]

token_of, item_of, state_of, took_of, result_of = (itemgetter(place) for place in range(5))


class PutBack(NamedTuple):
    """An item that returns to pending."""

    token: int
    item_id: int
    delay_s: float
    attempt: int
    lost: int
    error: bytes


class Hold(NamedTuple):
    """A queue that a handler wants held: `RetryLater(queue=True)`."""

    queue: str
    delay_s: float


class Parent(NamedTuple):
    """An item that ended and has more work to scatter, in the commit that settles it."""

    lease: Lease
    ended: Ended
    offspring: list[Offspring]


@dataclass(slots=True)
class OutboxParcel:
    """What one round trip carries to the database."""

    ended: list[Ended]
    put_backs: list[PutBack]
    holds: list[Hold] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    """Batches whose items were settled outside a parcel: each may be ripe."""

    @property
    def is_empty(self) -> bool:
        return not (self.ended or self.put_backs or self.holds or self.touched)

    @property
    def tokens(self) -> Iterable[int]:
        return map(token_of, self.ended)


class Outbox:
    """What waits to be sent. `wake` is set by every entry that finds no round trip under way."""

    def __init__(self, wake: asyncio.Event) -> None:
        self._wake = wake
        self._ended: list[Ended] = []
        self._put_backs: list[PutBack] = []
        self._holds: list[Hold] = []
        self._touched: set[int] = set()
        self._tried_s: list[float] = []  # how long those took that are to be tried again
        self.parents: deque[Parent] = deque()
        self.is_under_way = False
        """A round trip is under way, and looks here again when it is over: nobody has to be woken."""

    def completed(
        self, lease: Lease, item_id: int, took_s: float, result: bytes, offspring: list[Offspring] | None
    ) -> None:
        ended = (lease.token, item_id, "c", took_s, result, b"")
        if offspring:
            self.parents.append(Parent(lease, ended, offspring))
        else:
            self._ended.append(ended)
        if not self.is_under_way:
            self._wake.set()

    def failed(self, lease: Lease, item_id: int, took_s: float, verdict: Consequence) -> None:
        error = encode_result(verdict.error)
        if verdict.is_over:
            self._ended.append((lease.token, item_id, "e", took_s, b"", error))
        else:
            self._tried_s.append(took_s)
            used = lease.attempt if verdict.counts else lease.attempt - 1
            self._put_backs.append(
                PutBack(lease.token, item_id, verdict.delay_s, used, lease.lost + verdict.lost, error)
            )
        if verdict.blocks_queue:
            self._holds.append(Hold(lease.queue, verdict.delay_s))
        self._wake.set()

    def give_back(self, lease: Lease, item_id: int) -> None:
        """An item that never started: no attempt used, no loss."""
        self._put_backs.append(PutBack(lease.token, item_id, 0.0, lease.attempt - 1, lease.lost, b""))
        self._wake.set()

    def touch(self, batch_ids: Iterable[int]) -> None:
        """Items of these batches were settled outside a parcel: ask with the next one whether they are ripe."""
        self._touched.update(batch_ids)
        if self._touched and not self.is_under_way:
            self._wake.set()

    def durations(self) -> tuple[int, float]:
        """How many items have ended or failed since the last time, and how long they took together. Outcomes that did
        not fit into the last round trip are counted again."""
        ended = len(self._ended) + len(self._tried_s)
        spent_s = sum(map(took_of, self._ended)) + sum(self._tried_s)
        self._tried_s.clear()
        return ended, spent_s

    def take(self) -> OutboxParcel:
        """What the next round trip carries. Outcomes beyond what it may carry stay."""
        ended, self._ended = _cut_outbox_to_one_trip(self._ended)
        parcel = OutboxParcel(ended, self._put_backs, self._holds, self._touched)
        self._put_backs, self._holds, self._touched = [], [], set()
        return parcel

    def restore(self, parcel: OutboxParcel) -> None:
        """Nobody knows whether the parcel arrived. Sending it again is harmless: a token settles an item once, and
        returns it once."""
        self._ended[:0] = parcel.ended
        self._put_backs[:0] = parcel.put_backs
        self._holds[:0] = parcel.holds
        self._touched |= parcel.touched

    def clear(self) -> None:
        """Drop what this worker may no longer settle. Holds and ripe batches depend on no lease of its: they stay."""
        for entries in (self._ended, self._put_backs, self.parents):
            entries.clear()

    @property
    def has_outcomes(self) -> bool:
        """Whether something waits that makes room in a limited queue."""
        return bool(self._ended or self._put_backs)

    @property
    def is_empty(self) -> bool:
        return not (self._ended or self._put_backs or self._holds or self.parents or self._touched)


def runs_in_outbox(ended: list[Ended]) -> list[list[Ended]]:
    """What completed in the order of a few leases, a run for each.

    Empty where handlers wait and overtake each other, and where several runs,
    each a commit, are too short to be worth it.
    """
    found = [list(run) for _, run in groupby(ended, token_of)]
    is_worth_it = len(found) <= MOST_RUNS and (len(found) == 1 or len(ended) >= SHORTEST_RUN * len(found))
    return found if is_worth_it and all(map(_is_run_in_outbox, found)) else []


def _is_run_in_outbox(ended: list[Ended]) -> bool:
    first_id = item_of(ended[0])
    is_gapless = list(map(item_of, ended)) == list(range(first_id, first_id + len(ended)))
    return is_gapless and set(map(state_of, ended)) == {"c"}


def _cut_outbox_to_one_trip(ended: list[Ended]) -> tuple[list[Ended], list[Ended]]:
    """As many outcomes as one round trip may carry, and the rest."""
    if len(ended) <= MOST_OUTCOMES and sum(map(len, map(result_of, ended))) <= MOST_BYTES:
        return ended, []
    size = 0
    for n, one in enumerate(ended):
        size += len(result_of(one))
        if n + 1 >= MOST_OUTCOMES or size > MOST_BYTES:
            return ended[: n + 1], ended[n + 1 :]
    return ended, []
