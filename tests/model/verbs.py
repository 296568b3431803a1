"""The engine's verbs as its SQL implements them, over rows that stand for its tables.

They follow `ingather.engine.statements` and `verbs` statement by statement:
what is read from a statement's snapshot, what is locked and in which order,
and what is decided from the newest version of a locked row. Left out is what
no race can turn on: payloads, priorities, clocks (a worker is silent or not),
attempts and backoff (an item that waits is due).

`Design` switches single decisions to a way that looks as good and is not. Each
of these broken twins must fail, or the model proves nothing about the right one.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from tests.model.explorer import Add, Draw, Insert, Key, Lock, Put, Read, Rows, Verb

QUEUE: Final[Key] = ("queue", "")
BATCH: Final[Key] = ("batch", "first")
TALLY: Final[Key] = ("tally", "")
KEY: Final[Key] = ("idempotency key", "")


@dataclass(frozen=True, kw_only=True)
class Design:
    """Every flag is a mistake; the engine's design has none of them set."""

    settles_without_lease: bool = False
    sweeps_without_locking_leases: bool = False
    sweep_forgets_unfinished: bool = False
    sweep_returns_finished: bool = False
    fences_by_attempt: bool = False
    counts_then_closes: bool = False
    closes_in_one_statement: bool = False
    closes_without_total: bool = False
    moves_cursor_unlocked: bool = False
    counts_before_lock: bool = False
    never_sweeps: bool = False
    puts_back_without_returned: bool = False
    scatters_without_key: bool = False
    cancels_in_one_pass: bool = False
    # Mistakes that the engine itself once made.
    retry_leaves_item_in_lease: bool = False
    frees_by_old_count: bool = False
    dismisses_without_lock: bool = False
    cancel_locks_out_of_order: bool = False
    retry_drops_gather_in_one_pass: bool = False
    retry_locks_outcomes_first: bool = False


TWINS: Final = tuple(flag.name for flag in fields(Design))


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much of everything: each number is a budget for the whole run."""

    items: int = 2
    chunk: int = 2
    """Items per claim."""
    hands: int = 1
    """Leases a worker may hold before it claims again."""
    workers: int = 2
    unlucky: int = 1
    """Workers that may crash, fall silent, lose a connection or be dismissed; they are all alike, so one may do."""
    aggregators: int = 2
    max_running: int | None = None
    gathers: bool = False
    scatters: bool = False
    """Begin with nothing, and a client that scatters until it has an answer."""
    crashes: int = 0
    silences: int = 0
    """Workers that are alive and declared dead."""
    breaks: int = 0
    """Connections lost with a transaction under way; the server may go on with it, or not."""
    failures: int = 0
    backs: int = 0
    dismissals: int = 0
    retries: int = 0
    adds: int = 0
    cancels: int = 0
    events: int = 99
    """How many of the above in one run, of whatever kind."""


class Batch(NamedTuple):
    state: str
    version: int
    total: int
    closings: int
    """How often this version was closed."""
    gather: str | None


class Segment(NamedTuple):
    next: int
    last: int


class Lease(NamedTuple):
    first: Any
    last: Any
    open: int
    returned: frozenset[int]
    worker: str
    serial: int
    """Tells leases apart even where the fence under test does not."""

    @property
    def is_gather(self) -> bool:
        return isinstance(self.first, str)

    @property
    def run(self) -> tuple[Any, ...]:
        return (self.first,) if self.is_gather else tuple(range(self.first, self.last + 1))

    @property
    def covered(self) -> tuple[Any, ...]:
        return tuple(item for item in self.run if item not in self.returned)


class Outcome(NamedTuple):
    state: str
    is_own: bool
    """Written by the worker whose lease it was written under."""


class ItemReport(NamedTuple):
    """What a worker has to say about an item: completed, error, or back to waiting."""

    token: Any
    serial: int
    item: Any
    state: str


class Hand(NamedTuple):
    """A lease as its worker knows it."""

    token: Any
    serial: int
    todo: tuple[Any, ...]


def leases_of(rows: Rows) -> list[tuple[Any, Lease]]:
    return sorted(((key[1], row) for key, row in rows.items() if key[0] == "lease"), key=lambda lease: lease[1].serial)


def ids_of(rows: Rows, table: str) -> list[Any]:
    return sorted((key[1] for key in rows if key[0] == table), key=str)


def is_ripe(rows: Rows) -> bool:
    batch: Batch | None = rows.get(BATCH)
    return batch is not None and batch.state == "open" and sum(rows[TALLY]) == batch.total


class Verbs:
    """Every verb of one design, within bounds."""

    def __init__(self, bounds: Bounds, design: Design) -> None:
        self.bounds = bounds
        self.design = design

    def scattered(self) -> Rows:
        items = self.bounds.items
        return {
            BATCH: Batch("open", 1, items, 0, None),
            ("segment", 0): Segment(0, items - 1),
            TALLY: (0, 0, 0),
        }

    def scatter(self) -> Verb:
        if self.design.scatters_without_key:
            first = yield Read(lambda rows: BATCH not in rows)
            if first and (yield Insert(BATCH, self.scattered()[BATCH], may_conflict=True)):
                yield Put(tuple(self.scattered().items()))
            else:
                number = yield Draw()
                yield Insert(("batch", number), self.scattered()[BATCH])
        elif (yield Insert(KEY, "", may_conflict=True)):
            yield Put(tuple(self.scattered().items()))

    def claim(self, worker: str) -> Verb:
        limit = self.bounds.max_running

        def candidates(rows: Rows) -> tuple[int, tuple[Any, ...], tuple[tuple[int, Segment], ...]]:
            running = sum(lease.open for _, lease in leases_of(rows)) if limit is not None else 0
            runs = ((key[1], row) for key, row in rows.items() if key[0] == "segment" and row.next <= row.last)
            return running, tuple(ids_of(rows, "waiting")), tuple(sorted(runs))

        early = None
        if limit is not None:
            if self.design.counts_before_lock:
                early, _, _ = yield Read(candidates, "counts what runs")
            yield Lock(QUEUE)
        running, waiting, segments = yield Read(candidates, "looks for items")
        k = (
            self.bounds.chunk
            if limit is None
            else min(self.bounds.chunk, limit - (running if early is None else early))
        )
        if k <= 0 or (yield Lock(("worker", worker), shares=True)) is None:
            return ()
        runs: list[tuple[Any, Any]] = []
        for item in waiting:
            if k > 0 and (yield Lock(("waiting", item), skips=True, at_once=True)) is not None:
                yield Put(((("waiting", item), None),))
                runs.append((item, item))
                k -= 1
        for number, seen in segments:
            if k <= 0:
                break
            if self.design.moves_cursor_unlocked:
                yield Lock(("segment", number))
                segment = seen
            else:
                segment = yield Lock(("segment", number), skips=True, at_once=True)
                if segment is None or segment.next > segment.last:
                    continue
            last = min(segment.last, segment.next + k - 1)
            yield Put(((("segment", number), Segment(last + 1, segment.last)),))
            runs.append((segment.next, last))
            k -= last - segment.next + 1
        hands = []
        for first, last in runs:
            serial = yield Draw()
            # Nobody counts the attempt of an item that was merely claimed, so every claim is the first.
            token = ("attempt 1 of", first) if self.design.fences_by_attempt else serial
            items = 1 if isinstance(first, str) else last - first + 1
            lease = Lease(first, last, items, frozenset(), worker, serial)
            yield Insert(("lease", token), lease)
            hands.append(Hand(token, serial, lease.run))
        return tuple(hands)

    def settle(self, worker: str, reports: tuple[ItemReport, ...]) -> Verb:
        tokens = sorted({report.token for report in reports}, key=str)
        seen = dict((yield Read(lambda rows: tuple((t, rows.get(("lease", t))) for t in tokens), "looks for leases")))
        held: dict[Any, Lease] = {}
        for token in tokens:
            if seen[token] is not None and (lease := (yield Lock(("lease", token)))) is not None:
                held[token] = lease
        ended: dict[Any, int] = dict.fromkeys(tokens, 0)
        for report in reports:
            lease = held.get(report.token)
            if self.design.settles_without_lease or (lease is not None and report.item in lease.covered):
                outcome = Outcome(report.state, lease is None or lease.serial == report.serial)
                if (yield Insert(("outcome", report.item), outcome, may_conflict=True)):
                    ended[report.token] += 1
                    if not isinstance(report.item, str):
                        yield Add(TALLY, (int(report.state == "completed"), int(report.state == "error"), 0))
        for token, lease in held.items():
            yield from self._shrink(token, seen[token], lease, ended[token], frozenset())
        return tuple(token for token in tokens if token not in held)

    def _shrink(self, token: Any, seen: Lease, lease: Lease, gone: int, returned: frozenset[Any]) -> Verb:
        """Take items off a lease, or free it when they were the last."""
        if not gone:
            return
        old = seen if self.design.frees_by_old_count else lease
        if old.open > gone and lease.open > gone:
            left = lease._replace(open=lease.open - gone, returned=lease.returned | returned)
            yield Put(((("lease", token), left),))
        elif old.open <= gone and lease.open <= gone:
            yield Put(((("lease", token), None),))

    def put_back(self, worker: str, reports: tuple[ItemReport, ...]) -> Verb:
        tokens = sorted({report.token for report in reports}, key=str)

        def look(rows: Rows) -> tuple[Any, ...]:
            ended = frozenset(report.item for report in reports if ("outcome", report.item) in rows)
            return tuple((token, rows.get(("lease", token))) for token in tokens), ended

        leases, ended = yield Read(look, "looks for leases")
        seen = dict(leases)
        held: dict[Any, Lease] = {}
        for token in tokens:
            if seen[token] is not None and (lease := (yield Lock(("lease", token)))) is not None:
                held[token] = lease
        for token, lease in held.items():
            going = {
                report.item for report in reports if report.token == token and report.item in lease.covered
            } - ended
            for item in sorted(going, key=str):
                yield Insert(("waiting", item), ())
            left = frozenset() if self.design.puts_back_without_returned else frozenset(going)
            yield from self._shrink(token, seen[token], lease, len(going), left)
        return tuple(token for token in tokens if token not in held)

    def sweep(self, worker: str) -> Verb:
        is_silent = yield Lock(("worker", worker), skips=True)
        if is_silent:
            yield from self._take_back(worker, None)
            yield Put(((("worker", worker), None),))

    def release(self, worker: str, tokens: tuple[Any, ...]) -> Verb:
        yield from self._take_back(worker, tokens)

    def dismiss(self, worker: str) -> Verb:
        if not self.design.dismisses_without_lock and (yield Lock(("worker", worker))) is None:
            return
        yield from self._take_back(worker, None)
        yield Lock(("worker", worker))
        yield Put(((("worker", worker), None),))

    def _take_back(self, worker: str, tokens: tuple[Any, ...] | None) -> Verb:
        def theirs(rows: Rows) -> tuple[Any, ...]:
            return tuple(
                token for token, lease in leases_of(rows) if lease.worker == worker and (not tokens or token in tokens)
            )

        if not self.design.sweeps_without_locking_leases:
            for token in (yield Read(theirs, "looks for leases")):
                yield Lock(("lease", token))

        def look(rows: Rows) -> tuple[Any, ...]:
            return theirs(rows), frozenset(ids_of(rows, "outcome"))

        found, ended = yield Read(look, "looks for outcomes")
        for token in found:
            lease = yield Lock(("lease", token), at_once=True)
            if lease is None:
                continue
            yield Put(((("lease", token), None),))
            left = [item for item in lease.covered if item not in ended or self.design.sweep_returns_finished]
            for item in left[:1] if self.design.sweep_forgets_unfinished else left:
                yield Insert(("waiting", item), ())

    def close(self) -> Verb:
        if not (yield Read(is_ripe, "sees a ripe batch")):
            return
        if self.design.counts_then_closes:
            batch = yield Lock(BATCH)
            yield from self._closed(batch, (yield Read(lambda rows: rows[TALLY])))
        elif self.design.closes_in_one_statement or self.design.closes_without_total:
            finished = yield Read(lambda rows: rows[TALLY])
            batch = yield Lock(BATCH)
            is_complete = sum(finished) == batch.total or self.design.closes_without_total
            if batch.state == "open" and is_complete:
                yield from self._closed(batch, finished)
        else:
            batch = yield Lock(BATCH, skips=True)
            if batch is not None and batch.state == "open":
                yield from self._close_locked()

    def _close_locked(self) -> Verb:
        batch, finished = yield Read(lambda rows: (rows[BATCH], rows[TALLY]), "counts again")
        if sum(finished) == batch.total:
            yield from self._closed(batch, finished)

    def _closed(self, batch: Batch, finished: tuple[int, ...]) -> Verb:
        gather = f"gather {batch.version}" if self.bounds.gathers else None
        yield Put(((BATCH, batch._replace(state="closed", closings=batch.closings + 1, gather=gather)),))
        if gather is not None:
            yield Insert(("waiting", gather), ())

    def add(self) -> Verb:
        batch = yield Lock(BATCH)
        if batch.state == "open":
            yield Put(((BATCH, batch._replace(total=batch.total + 1)),))
            yield Insert(("segment", 1), Segment(self.bounds.items, self.bounds.items))

    def retry_failed(self) -> Verb:
        batch = yield Lock(BATCH)

        def held(rows: Rows) -> tuple[Any, ...]:
            return tuple(token for token, lease in leases_of(rows) if not lease.is_gather)

        # Settles under way commit first, so that their failures are seen.
        for token in (yield Read(held, "looks for leases")):
            yield Lock(("lease", token))

        def look(rows: Rows) -> tuple[Any, ...]:
            errors = tuple(item for item in ids_of(rows, "outcome") if rows["outcome", item].state == "error")
            return tuple(item for item in errors if not isinstance(item, str)), held(rows)

        failed, tokens = yield Read(look, "looks for errors")
        if not failed:
            return
        # Leases that came since are locked too, and before the outcomes, as a settle does it.
        if not self.design.retry_locks_outcomes_first:
            for token in tokens:
                yield Lock(("lease", token))
        for item in failed:
            yield Lock(("outcome", item), at_once=True)
            yield Put(((("outcome", item), None),))
            yield Insert(("waiting", item), ())
        if not self.design.retry_leaves_item_in_lease:
            for token in tokens:
                lease = yield Lock(("lease", token))
                if lease is not None and not set(failed).isdisjoint(lease.run):
                    retried = lease.returned | (frozenset(lease.run) & frozenset(failed))
                    yield Put(((("lease", token), lease._replace(returned=retried)),))
        yield Add(TALLY, (0, -len(failed), 0))
        is_closed = batch.state == "closed"
        again = Batch("open", batch.version + is_closed, batch.total, 0 if is_closed else batch.closings, None)
        yield Put(((BATCH, again),))
        if batch.gather is not None:
            yield from self._drop_gather(batch.gather)

    def _drop_gather(self, gather: str) -> Verb:
        def look(rows: Rows) -> tuple[Any, ...]:
            leases = tuple(token for token, lease in leases_of(rows) if lease.first == gather)
            return bool(leases) or ("waiting", gather) in rows, leases

        is_left, tokens = yield Read(look, "looks for the gather")
        while is_left:
            yield from self._delete([("waiting", gather)])
            if not self.design.retry_drops_gather_in_one_pass:
                _, tokens = yield Read(look, "looks for the gather")
            yield from self._delete([("lease", token) for token in tokens])
            if self.design.retry_drops_gather_in_one_pass:
                return
            is_left, tokens = yield Read(look, "looks for the gather")

    def cancel(self) -> Verb:
        batch = yield Lock(BATCH)
        if batch.state != "open":
            return
        for number in (yield Read(lambda rows: tuple(ids_of(rows, "segment")), "looks for segments")):
            segment = yield Lock(("segment", number))
            yield Put(((("segment", number), segment._replace(next=segment.last + 1)),))
        while True:
            waiting = yield Read(lambda rows: tuple(ids_of(rows, "waiting")), "looks for waiting items")
            yield from self._delete([("waiting", item) for item in waiting])
            tokens = yield Read(lambda rows: tuple(token for token, _ in leases_of(rows)), "looks for leases")
            in_turn = reversed(tokens) if self.design.cancel_locks_out_of_order else tokens
            yield from self._delete([("lease", token) for token in in_turn])
            if self.design.cancels_in_one_pass:
                break
            if not (yield Read(lambda rows: bool(ids_of(rows, "waiting") or leases_of(rows)), "looks again")):
                break
        ended, total = yield Read(
            lambda rows: (frozenset(ids_of(rows, "outcome")), rows[BATCH].total), "looks for ends"
        )
        for item in range(total):
            if item not in ended and (yield Insert(("outcome", item), Outcome("cancelled", True), may_conflict=True)):
                yield Add(TALLY, (0, 0, 1))
        yield from self._close_locked()

    @staticmethod
    def _delete(keys: list[Key]) -> Verb:
        for key in keys:
            if (yield Lock(key)) is not None:
                yield Put(((key, None),))
