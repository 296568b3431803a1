"""What one worker counts: per round trip and not per item, in plain numbers that any thread may read."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Final

import orjson

from ingather.engine.holdings import Lease
from ingather.engine.outbox import Ended, PutBack, state_of, token_of, took_of

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

    def add_all(self, seconds: list[float]) -> None:
        """`add` for each of them; one look at the longest where all belong into the first bucket."""
        if max(seconds) <= self.ends_s[0]:
            self.counts[0] += len(seconds)
            self.sum_s += sum(seconds)
            return
        for each in seconds:
            self.add(each)


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
        """Outcomes that are stored under these leases, a run of them at a time: quick handlers end by thousands."""
        for token, group in groupby(ended, token_of):
            if (lease := leases.get(token)) is not None:
                run = list(group)
                self._add_run(lease, run, list(map(state_of, run)).count("c"))

    def _add_run(self, lease: Lease, run: list[Ended], completed: int) -> None:
        queue = self._queue_label(lease.queue)
        kind = f"{lease.kind} (gather)" if lease.is_gather else lease.kind
        if completed:
            self.items[queue, kind, "completed"] += completed
        if completed < len(run):
            self.items[queue, kind, "error"] += len(run) - completed
            for *_, error in run:
                if error:
                    self.failed[queue, kind, orjson.loads(error).get("reason", OTHER)] += 1
        if (histogram := self.run_s.get(kind)) is None:
            histogram = self.run_s[kind] = Buckets(RUN_BUCKETS_S)
        histogram.add_all(list(map(took_of, run)))

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
