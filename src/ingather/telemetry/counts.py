"""What one worker counts: per round trip and not per item, in plain numbers that any thread may read."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from typing import Final

import orjson

from ingather.engine.holdings import Lease
from ingather.engine.outbox import Ended, PutBack

# The upper ends of the histograms' buckets in seconds. Handlers take from microseconds to hours; more buckets make more
# series for every kind.
RUN_BUCKETS_S: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1_800)
SETTLE_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
# Queues that have series of their own. Callers make queues by naming them; without an end Prometheus would fill up.
MOST_QUEUES: Final = 100
OTHER: Final = "other"


class Buckets:
    """A histogram: how many fell under each upper end, and what they add up to."""

    def __init__(self, ends_s: tuple[float, ...]) -> None:
        self.ends_s = ends_s
        self.counts = [0] * (len(ends_s) + 1)
        self.sum_s = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(self.ends_s, seconds)] += 1
        self.sum_s += seconds


class WorkerCounts:
    """Told by the worker what its database has confirmed. Kinds are those of the code, so their number has an end."""

    def __init__(self) -> None:
        self.items: Counter[tuple[str, str, str]] = Counter()
        """By queue, kind and state."""
        self.returned: Counter[tuple[str, str, str]] = Counter()
        """By queue, kind and reason."""
        self.failed: Counter[tuple[str, str, str]] = Counter()
        """Of the items that ended as error, by queue, kind and reason."""
        self.claimed = 0
        self.refused = 0
        self.run_s: dict[str, Buckets] = {}
        self.settle_s = Buckets(SETTLE_BUCKETS_S)
        self._queues: set[str] = set()

    def ended(self, leases: dict[int, Lease], ended: Iterable[Ended]) -> None:
        """Outcomes that are stored under these leases."""
        for token, _, state, took_s, _, error in ended:
            if (lease := leases.get(token)) is None:
                continue
            queue, kind = self._queue_label(lease.queue), lease.kind
            if lease.is_gather:
                kind = f"{kind} (gather)"
            self.items[queue, kind, "completed" if state == "c" else "error"] += 1
            if error:
                self.failed[queue, kind, orjson.loads(error).get("reason", OTHER)] += 1
            if (histogram := self.run_s.get(kind)) is None:
                histogram = self.run_s[kind] = Buckets(RUN_BUCKETS_S)
            histogram.add(took_s)

    def put_back(self, leases: dict[int, Lease], put_backs: Iterable[PutBack]) -> None:
        """Items that went back."""
        for back in put_backs:
            if (lease := leases.get(back.token)) is not None:
                reason = orjson.loads(back.error).get("reason", OTHER) if back.error else "not_started"
                self.returned[self._queue_label(lease.queue), lease.kind, reason] += 1

    def round_trip(self, seconds: float, claimed: int) -> None:
        self.settle_s.add(seconds)
        self.claimed += claimed

    def refuse(self, items: int) -> None:
        """Outcomes that came too late: the lease was no longer this worker's."""
        self.refused += items

    def _queue_label(self, queue: str) -> str:
        if queue not in self._queues:
            if len(self._queues) >= MOST_QUEUES:
                return OTHER
            self._queues.add(queue)
        return queue
