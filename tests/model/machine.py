"""Everybody who uses the engine's verbs, everything that can go wrong, and what must hold all the same."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tests.model.explorer import Blocked, Call, Insert, Key, Lock, Move, Read, Rows, Server
from tests.model.verbs import (
    BATCH,
    QUEUE,
    TALLY,
    Batch,
    Bounds,
    Design,
    Hand,
    ItemReport,
    Verbs,
    ids_of,
    is_ripe,
    leases_of,
)


class Worker(NamedTuple):
    id: str
    is_alive: bool
    hands: tuple[Hand, ...] = ()
    reports: tuple[ItemReport, ...] = ()


class State(NamedTuple):
    db: int
    serial: int
    slots: tuple[int, ...]
    """The session of each actor: a program's number, or -1."""
    orphans: tuple[int, ...]
    """Sessions whose client is gone."""
    workers: tuple[Worker, ...]
    budgets: tuple[int, ...]
    client: str


BUDGETS: Final = (
    "crashes", "silences", "breaks", "failures", "backs", "dismissals", "retries", "adds", "cancels", "events",
)  # fmt: skip
REST: Final = -1
SAYINGS: Final = ("settle", "put_back")


class Machine:
    """Workers, aggregators, an operator and a client; a state is where each of them stands and what is committed."""

    def __init__(self, bounds: Bounds, design: Design | None = None) -> None:
        self.bounds = bounds
        self.design = design or Design()
        self.verbs = Verbs(bounds, self.design)
        self.server = Server(lambda call: getattr(self.verbs, call.verb)(*call.args))
        self._names = [
            *(f"worker {chr(ord('A') + n)}" for n in range(bounds.workers)),
            *("aggregator" for _ in range(bounds.aggregators)),
            "operator",
            "client",
        ]
        self._operator = len(self._names) - 2
        self._client = len(self._names) - 1
        self._verdicts: dict[int, str] = {}

    def initial(self) -> State:
        workers = tuple(Worker(f"{chr(ord('A') + n)}1", is_alive=True) for n in range(self.bounds.workers))
        rows: Rows = {QUEUE: ()} | {("worker", worker.id): False for worker in workers}
        if not self.bounds.scatters:
            rows |= self.verbs.scattered()
        return State(
            db=self.server.database.number(rows),
            serial=0,
            slots=(REST,) * len(self._names),
            orphans=(),
            workers=workers,
            budgets=tuple(getattr(self.bounds, name) for name in BUDGETS),
            client="asking" if self.bounds.scatters else "answered",
        )

    # --- who uses them ---------------------------------------------------------------------------------------------

    def moves(self, state: State) -> Iterator[Move]:
        rows = self.server.database[state.db]
        yield from self._session_moves(state)
        for n, worker in enumerate(state.workers):
            yield from self._worker_moves(state, rows, n, worker)
        for n in range(self.bounds.workers, self._operator):
            if state.slots[n] == REST:
                yield from self._aggregator_moves(state, rows, n)
        if state.slots[self._operator] == REST and BATCH in rows:
            yield from self._operator_moves(state, rows)
        if state.slots[self._client] == REST and state.client == "asking":
            yield from self._begin(state, self._client, Call("scatter"))

    def _begin(self, state: State, slot: int, call: Call, *, cost: str = "") -> Iterator[Move]:
        """Ask for a verb. Its first request is answered at once: before that, there is nothing others could notice."""
        program = self.server.programs.begin(call)
        others = [other for other in (*state.slots, *state.orphans) if other != REST]
        try:
            begun = self._advance(self._spend(state, cost), slot, program, others)
        except Blocked:
            begun = self._seat(self._spend(state, cost), slot, program)
        made = " ".join(f"{report.item} {report.state}" for report in call.args[1]) if call.verb in SAYINGS else ""
        yield Move(self._names[slot], f"{call.verb} {made}".rstrip(), begun, not cost)

    def _seat(self, state: State, slot: int, program: int) -> State:
        """Put a session in its place. Aggregators are all alike, so which of them is which makes no difference."""
        slots = [*state.slots[:slot], program, *state.slots[slot + 1 :]]
        first, last = self.bounds.workers, self._operator
        slots[first:last] = sorted(slots[first:last], reverse=True)
        return state._replace(slots=tuple(slots))

    @staticmethod
    def _spend(state: State, cost: str) -> State:
        if not cost:
            return state
        n = BUDGETS.index(cost)
        *budgets, events = state.budgets
        return state._replace(budgets=(*budgets[:n], budgets[n] - 1, *budgets[n + 1 :], events - 1))

    @staticmethod
    def _may(state: State, cost: str) -> bool:
        return state.budgets[-1] > 0 and state.budgets[BUDGETS.index(cost)] > 0

    def _session_moves(self, state: State) -> Iterator[Move]:
        sessions = [program for program in state.slots if program != REST]
        everybody = sessions + list(state.orphans)
        for slot, program in enumerate(state.slots):
            if program == REST:
                continue
            yield from self._step(state, slot, program, [other for other in everybody if other != program])
            if self._may(state, "breaks") and not self.bounds.unlucky <= slot < self.bounds.workers:
                after = self._spend(self._orphaned(self._seat(state, slot, REST), program), "breaks")
                if self.server.programs[program].call.verb == "dismiss":
                    after = self._dead(after, slot)  # it does not say farewell twice
                yield Move(self._names[slot], "loses its connection", after, is_expected=False)
        for n, program in enumerate(state.orphans):
            rest = state.orphans[:n] + state.orphans[n + 1 :]
            gone = state._replace(orphans=rest)
            yield from self._step(gone, None, program, sessions + list(rest))
            name = f"orphaned {self.server.programs[program].call.verb}"
            yield Move(name, "is rolled back", gone, is_expected=False)

    @staticmethod
    def _orphaned(state: State, program: int) -> State:
        return state._replace(orphans=tuple(sorted((*state.orphans, program))))

    def _step(self, state: State, slot: int | None, program: int, others: list[int]) -> Iterator[Move]:
        own = self.server.programs[program]
        who = self._names[slot] if slot is not None else f"orphaned {own.call.verb}"
        match own.request:
            case None:
                what = "commits"
            case Read(name=name):
                what = name
            case Lock(key=key):
                what = f"locks {key[0]} {key[1]}"
            case _:
                what = "writes"
        try:
            after = self._advance(state, slot, program, others)
        except Blocked:
            return
        yield Move(who, f"{own.call.verb} {what}", after, is_expected=True)

    def _advance(self, state: State, slot: int | None, program: int, others: list[int]) -> State:
        """One step of a session: to its next request, or through its commit."""
        own = self.server.programs[program]
        if own.request is not None:
            program, serial = self.server.step(state.db, state.serial, program, others)
            own = self.server.programs[program]
            if own.request is not None or own.locks or own.broken:
                after = state._replace(serial=serial)
                return self._orphaned(after, program) if slot is None else self._seat(after, slot, program)
        after = state._replace(db=self.server.database.commit(state.db, program))
        if slot is None:
            return after
        return self._reply(self._seat(after, slot, REST), slot, own.call, own.result)

    def _reply(self, state: State, slot: int, call: Call, result: Any) -> State:
        if slot == self._client:
            return state._replace(client="answered")
        if slot >= self.bounds.workers:
            return state
        worker = state.workers[slot]
        match call.verb:
            case "claim":
                worker = worker._replace(hands=worker.hands + result)
            case "settle" | "put_back":
                made = set(call.args[1])
                reports = tuple(
                    report for report in worker.reports if report not in made and report.token not in result
                )
                busy = {report.token for report in reports}
                hands = tuple(h for h in worker.hands if h.token not in result and (h.todo or h.token in busy))
                worker = worker._replace(reports=reports, hands=hands)
            case "dismiss":
                worker = worker._replace(is_alive=False, hands=(), reports=())
        return state._replace(workers=(*state.workers[:slot], worker, *state.workers[slot + 1 :]))

    def _worker_moves(self, state: State, rows: Rows, slot: int, worker: Worker) -> Iterator[Move]:
        name = self._names[slot]
        is_registered = ("worker", worker.id) in rows
        is_resting = state.slots[slot] == REST

        def become(changed: Worker) -> State:
            return state._replace(workers=(*state.workers[:slot], changed, *state.workers[slot + 1 :]))

        if is_resting and not is_registered:
            again = Worker(f"{worker.id[0]}{int(worker.id[1:]) + 1}", is_alive=True)
            db = self.server.database.changed(state.db, {("worker", again.id): False})
            yield Move(name, "starts over under another id", become(again)._replace(db=db), is_expected=True)
        if not worker.is_alive:
            return
        if is_registered:
            yield from self._signs_of_life(state, rows, slot, worker)
        if is_resting:
            yield from self._work(state, rows, slot, worker, become)

    def _signs_of_life(self, state: State, rows: Rows, slot: int, worker: Worker) -> Iterator[Move]:
        """Beats, and the lack of them. Nothing of this while a sweep has the row."""
        row: Key = ("worker", worker.id)
        is_free = all(
            self.server.programs[other].locks.get(row, True)
            for other in (*state.slots, *state.orphans)
            if other != REST
        )
        if not is_free or slot >= self.bounds.unlucky:
            return
        if rows[row]:
            awake = self.server.database.changed(state.db, {row: False})
            yield Move(self._names[slot], "beats", state._replace(db=awake), is_expected=True)
            return
        if self._may(state, "silences"):
            silent = state._replace(db=self.server.database.changed(state.db, {row: True}))
            yield Move(self._names[slot], "falls silent, alive", self._spend(silent, "silences"), is_expected=False)
        if self._may(state, "crashes"):
            program = state.slots[slot]
            crashed = self._dead(self._seat(state, slot, REST), slot)
            if program != REST:
                crashed = self._orphaned(crashed, program)
            yield Move(self._names[slot], "is killed", self._spend(crashed, "crashes"), is_expected=False)

    def _dead(self, state: State, slot: int) -> State:
        worker = state.workers[slot]
        row: Key = ("worker", worker.id)
        is_registered = row in self.server.database[state.db]
        return state._replace(
            db=self.server.database.changed(state.db, {row: True}) if is_registered else state.db,
            workers=(*state.workers[:slot], Worker(worker.id, is_alive=False), *state.workers[slot + 1 :]),
        )

    def _work(self, state: State, rows: Rows, slot: int, worker: Worker, become: Any) -> Iterator[Move]:
        todo = [ItemReport(hand.token, hand.serial, item, "completed") for hand in worker.hands for item in hand.todo]
        ends = tuple(report for report in worker.reports if report.state != "back")
        backs = tuple(report for report in worker.reports if report.state == "back")

        def say(verb: str, made: tuple[ItemReport, ...], new: list[ItemReport], cost: str = "") -> Iterator[Move]:
            items = {(report.token, report.item) for report in new}
            hands = tuple(
                hand._replace(todo=tuple(item for item in hand.todo if (hand.token, item) not in items))
                for hand in worker.hands
            )
            speaking = become(worker._replace(hands=hands, reports=(*worker.reports, *new)))
            yield from self._begin(speaking, slot, Call(verb, (worker.id, (*made, *new))), cost=cost)

        if ends:
            yield from say("settle", ends, [])
        if todo:
            yield from say("settle", ends, todo)
            if len(todo) > 1:
                yield from say("settle", ends, todo[:1])
            if self._may(state, "failures"):
                yield from say("settle", ends, [todo[0]._replace(state="error")], "failures")
            if self._may(state, "backs"):
                yield from say("put_back", backs, [todo[0]._replace(state="back")], "backs")
        if backs:
            yield from say("put_back", backs, [])
        if len(worker.hands) < self.bounds.hands and not worker.reports and self._is_work(rows):
            yield from self._begin(state, slot, Call("claim", (worker.id,)))
        known = {hand.token for hand in worker.hands}
        strange = tuple(t for t, lease in leases_of(rows) if lease.worker == worker.id and t not in known)
        if strange:
            yield from self._begin(state, slot, Call("release", (worker.id, strange)))
        if self._may(state, "dismissals") and slot < self.bounds.unlucky:
            yield from self._begin(state, slot, Call("dismiss", (worker.id,)), cost="dismissals")

    @staticmethod
    def _is_work(rows: Rows) -> bool:
        return any(key[0] == "waiting" or (key[0] == "segment" and row.next <= row.last) for key, row in rows.items())

    def _aggregator_moves(self, state: State, rows: Rows, slot: int) -> Iterator[Move]:
        if not self.design.never_sweeps:
            for worker in ids_of(rows, "worker"):
                if rows["worker", worker]:
                    yield from self._begin(state, slot, Call("sweep", (worker,)))
        if is_ripe(rows):
            yield from self._begin(state, slot, Call("close"))

    def _operator_moves(self, state: State, rows: Rows) -> Iterator[Move]:
        is_open = rows[BATCH].state == "open"
        has_failures = self._may(state, "failures") or rows[TALLY][1] > 0
        if self._may(state, "retries") and has_failures:
            yield from self._begin(state, self._operator, Call("retry_failed"), cost="retries")
        if self._may(state, "adds") and is_open:
            yield from self._begin(state, self._operator, Call("add"), cost="adds")
        if self._may(state, "cancels") and is_open:
            yield from self._begin(state, self._operator, Call("cancel"), cost="cancels")

    # --- what must hold --------------------------------------------------------------------------------------------

    def is_goal(self, state: State) -> bool:
        rows = self.server.database[state.db]
        batch: Batch | None = rows.get(BATCH)
        if batch is None or batch.state != "closed" or state.client != "answered":
            return False
        return batch.gather is None or ("outcome", batch.gather) in rows

    def violation(self, state: State) -> str:
        verdict = self._verdicts.get(state.db)
        if verdict is None:
            verdict = self._verdicts[state.db] = judge(self.server.database[state.db], self.bounds)
        if verdict:
            return verdict
        sessions = [program for program in (*state.slots, *state.orphans) if program != REST]
        for program in sessions:
            if broken := self.server.programs[program].broken:
                return broken
        return "deadlock" if len(sessions) > 1 and self._is_deadlocked(state, sessions) else ""

    def _is_deadlocked(self, state: State, sessions: list[int]) -> bool:
        waits: dict[int, int] = {}
        for program in sessions:
            own = self.server.programs[program]
            if not isinstance(own.request, Lock | Insert):
                continue
            try:
                self.server.step(state.db, state.serial, program, [other for other in sessions if other != program])
            except Blocked as blocked:
                waits[program] = blocked.by
        for start in waits:
            at: int | None = start
            for _ in waits:
                at = waits.get(at) if at is not None else None
                if at == start:
                    return True
        return False


def judge(rows: Rows, bounds: Bounds) -> str:
    """What is wrong with these committed rows: the promises, read off the tables."""
    batches = ids_of(rows, "batch")
    if not batches:
        return ""
    if len(batches) > 1:
        return "two batches for one key"
    return _judge_items(rows) or _judge_leases(rows, bounds) or _judge_counts(rows)


def _items(rows: Rows) -> tuple[set[int], set[int]]:
    """All items, and those never claimed."""
    segments = [row for key, row in rows.items() if key[0] == "segment"]
    fresh = {item for segment in segments for item in range(segment.next, segment.last + 1)}
    return {item for segment in segments for item in range(segment.last + 1)}, fresh


def _judge_items(rows: Rows) -> str:
    """Every item is in exactly one place."""
    items, fresh = _items(rows)
    for item in sorted(items):
        is_ended = ("outcome", item) in rows
        holders = 0 if is_ended else sum(item in lease.covered for _, lease in leases_of(rows))
        places = (item in fresh) + (("waiting", item) in rows) + is_ended + holders
        if places != 1:
            return f"item {item} is in {places} places" if places else f"item {item} is lost"
    if not all(row.is_own for key, row in rows.items() if key[0] == "outcome"):
        return "a worker settled an item under another's lease"
    return ""


def _judge_leases(rows: Rows, bounds: Bounds) -> str:
    """Every lease counts what it holds, none outlives its gather, and all together stay within the limit."""
    batch: Batch = rows[BATCH]
    for _, lease in leases_of(rows):
        still = [item for item in lease.covered if ("outcome", item) not in rows]
        if lease.open != len(still) or not still:
            return f"a lease counts {lease.open} open items and has {len(still)}"
        if lease.is_gather and lease.first != batch.gather:
            return "a gather of an older version is running"
    if any(isinstance(item, str) and item != batch.gather for item in ids_of(rows, "waiting")):
        return "a gather of an older version is waiting"
    if bounds.max_running is not None and sum(lease.open for _, lease in leases_of(rows)) > bounds.max_running:
        return "more items run than the queue allows"
    return ""


def _judge_counts(rows: Rows) -> str:
    """Progress adds up, and closed means ended."""
    batch: Batch = rows[BATCH]
    items, fresh = _items(rows)
    if len(items) != batch.total:
        return "the total is not the number of items"
    ended = [rows["outcome", item].state for item in items if ("outcome", item) in rows]
    if rows[TALLY] != tuple(ended.count(state) for state in ("completed", "error", "cancelled")):
        return "the tally is not the number of outcomes"
    running = sum(lease.open for _, lease in leases_of(rows) if not lease.is_gather)
    pending = len(fresh) + sum(("waiting", item) in rows for item in items)
    if pending + running + len(ended) != batch.total:
        return "progress does not add up"
    if batch.state == "closed" and len(ended) != batch.total:
        return "the batch is closed and has unfinished items"
    return "the batch was closed twice" if batch.closings > 1 else ""
