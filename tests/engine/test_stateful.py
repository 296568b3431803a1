"""Long random stories on the real SQL, told twice: once to PostgreSQL, once to a tiny oracle. Both must agree.

Workers here are ids and the leases they were given: any of them may speak at
any time, twice, or long after it was declared dead. Seeded mutants, the
engine's own statements with one thought missing, must be told apart.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure, FlakyStrategyDefinition
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.errors import BatchClosed
from ingather.engine.script import run_script
from ingather.engine.verdict import MAX_LOST
from tests.conftest import Clock
from tests.engine.actors import Held, claim, close, close_ripe, enlist, lines, put_back, request, settle, settle_run

if TYPE_CHECKING:
    from collections.abc import Callable

WORKERS: Final = 3
LEASE_S: Final = 30
MOMENT_S: Final = 20  # two of them outlast a lease and every delay
RECENT: Final = st.sampled_from([0, 0, 0, 1, 1, 2, STALE := 9, STALE])  # leases, the newest first
# The actions that may happen next, as often as they stand here.
ACTS: Final = (
    ["claim"] * 10 + ["settle"] * 8 + ["settle a run"] * 4 + ["put back"] * 4 + ["settle several", "release"] * 2
    + ["retry"] * 3 + ["scatter", "add"] * 3 + ["cancel", "limit"] * 2 + ["resume", "lift the limit", "pause"]
    + ["close"] * 4 + ["time passes", "sweep", "die"] * 2 + ["dismiss"]
)  # fmt: skip
SOME: Final = st.sampled_from([0b1, 0b10, 0b11, 0b101, 0b1111])  # items of a lease
ENDED: Final = ("completed", "error", "cancelled")


@dataclass
class Item:
    """What the oracle knows of an item."""

    batch_id: int
    is_gather: bool = False
    state: str = "pending"
    token: int | None = None
    worker_id: int | None = None
    attempts: int = 0
    lost: int = 0
    due_at: int = 0
    died_with: int | None = None
    """The worker that it died with last."""

    def back(self, *, attempts: int, lost: int, due_at: int) -> None:
        self.state, self.token, self.worker_id = "pending", None, None
        self.attempts, self.lost, self.due_at = attempts, lost, due_at

    def end(self, state: str) -> None:
        self.state, self.token, self.worker_id = state, None, None


@dataclass
class Batch:
    is_open: bool = True
    is_paused: bool = False
    version: int = 1
    gathers: bool = False
    gather_id: int | None = None


@dataclass
class Oracle:
    """The engine in a few dictionaries. Its clock is a number."""

    batches: dict[int, Batch] = field(default_factory=dict)
    items: dict[int, Item] = field(default_factory=dict)
    beats: dict[int, int] = field(default_factory=dict)
    now: int = 0
    max_running: int | None = None

    def of(self, batch_id: int) -> dict[int, Item]:
        return {id_: item for id_, item in self.items.items() if item.batch_id == batch_id and not item.is_gather}

    def claimable(self) -> set[int]:
        return {
            id_
            for id_, item in self.items.items()
            if item.state == "pending"
            and item.due_at <= self.now
            and (item.is_gather or not self.batches[item.batch_id].is_paused)
        }

    def held(self, worker_id: int) -> dict[int, Item]:
        return {id_: item for id_, item in self.items.items() if item.worker_id == worker_id}

    def room(self) -> int:
        running = sum(item.state == "running" for item in self.items.values())
        return 10_000 if self.max_running is None else max(0, self.max_running - running)


class Story(RuleBasedStateMachine):
    """Everything that can happen, in any order."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        super().__init__()
        self.conn = conn
        self.clock = Clock(conn)
        self.oracle = Oracle()
        self.leases: list[tuple[int, Held]] = []

    @initialize()
    def begin(self) -> None:
        for table in ("lease", "waiting", "outcome", "tally", "payload", "segment", "batch", "worker", "queue"):
            self.conn.execute(f"delete from ingather.{table}")
        for _ in range(WORKERS):
            self.enlist()
        self.scatter(4, gathers=False, key=None)

    def enlist(self) -> None:
        self.oracle.beats[run_script(self.conn, enlist(lease_s=LEASE_S))] = self.oracle.now

    # One rule for all, since hypothesis would choose evenly between rules, and leave some out for a whole story.
    @rule(
        act=st.sampled_from(ACTS),
        number=st.integers(0, 9),
        recent=RECENT,
        mask=SOME,
        items=st.integers(1, 4),
        is_odd=st.booleans(),
    )
    def happen(self, act: str, number: int, recent: int, mask: int, items: int, is_odd: bool) -> None:
        batch_id, batch = self.pick_batch(number)
        acts: dict[str, Callable[[], None]] = {
            "scatter": lambda: self.scatter(items + 1, gathers=is_odd, key=[None, "a", "b"][number % 3]),
            "add": lambda: self.add(batch_id, batch, items),
            "retry": lambda: self.retry_failed(batch_id, batch),
            "cancel": lambda: self.cancel(batch_id, batch),
            "pause": lambda: self.pause(batch_id, batch, paused=True),
            "resume": lambda: self.pause(batch_id, batch, paused=False),
            "limit": lambda: self.set_limit(3),
            "lift the limit": lambda: self.set_limit(None),
            "claim": lambda: self.claim(self.pick_worker(number), k=items + 1),
            "dismiss": lambda: self.dismiss(self.pick_worker(number)),
            "die": lambda: self.die(self.pick_worker(number), mask),
            "time passes": lambda: self.time_passes(items % 3, self.pick_worker(number)),
            "sweep": self.sweep,
            "close": lambda: self.close(batch_id, is_alone=is_odd),
        }
        if self.leases:
            state = "ce"[is_odd]
            acts |= {
                "settle": lambda: self.settle(recent, mask, state),
                "settle a run": lambda: self.settle_run(recent, number),
                "settle several": lambda: self.settle_several(mask, state),
                "put back": lambda: self.put_back(recent, mask, delay_s=is_odd * 3 * MOMENT_S // 2),
                "release": lambda: self.release(recent),
            }
        if act in acts:
            acts[act]()

    # --- clients and operators -------------------------------------------------------------------------------------

    def scatter(self, items: int, *, gathers: bool, key: str | None) -> None:
        if len(self.oracle.batches) == 6:
            return
        wanted = request(gathers=gathers, idempotency_key=key and f"{key} {items} {gathers}")
        batch_id, is_new = run_script(self.conn, verbs.scatter(wanted, lines(items)))
        assert is_new == (batch_id not in self.oracle.batches)
        if is_new:
            self.oracle.batches[batch_id] = Batch(gathers=gathers)
            self.learn(batch_id, items)

    def add(self, batch_id: int, batch: Batch, items: int) -> None:
        if not batch.is_open:
            with pytest.raises(BatchClosed):
                run_script(self.conn, verbs.add(batch_id, lines(items)))
        elif len(self.oracle.of(batch_id)) < 12:
            assert run_script(self.conn, verbs.add(batch_id, lines(items))) == items
            self.learn(batch_id, items)

    def pause(self, batch_id: int, batch: Batch, *, paused: bool) -> None:
        run_script(self.conn, verbs.pause(batch_id, paused=paused))
        batch.is_paused = paused

    def set_limit(self, limit: int | None) -> None:
        run_script(self.conn, verbs.set_queue("default", max_running=limit, rate=...))
        self.oracle.max_running = limit

    def cancel(self, batch_id: int, batch: Batch) -> None:
        assert run_script(self.conn, verbs.cancel(batch_id)) == batch.is_open
        if batch.is_open:
            for item in self.oracle.of(batch_id).values():
                if item.state not in ENDED:
                    item.end("cancelled")
                    item.attempts = item.lost = 0
            self.closed(batch_id)

    def retry_failed(self, batch_id: int, batch: Batch) -> None:
        failed = [item for item in self.oracle.of(batch_id).values() if item.state == "error"]
        assert run_script(self.conn, verbs.retry_failed(batch_id)) == len(failed)
        for item in failed:
            item.back(attempts=0, lost=0, due_at=self.oracle.now)
            item.died_with = None
        if failed and not batch.is_open:
            batch.is_open, batch.version = True, batch.version + 1
            if batch.gather_id is not None:
                del self.oracle.items[batch.gather_id]
                batch.gather_id = None

    # --- workers ---------------------------------------------------------------------------------------------------

    def claim(self, worker_id: int, k: int) -> None:
        could = self.oracle.claimable() if worker_id in self.oracle.beats else set()
        expected = min(k, len(could), self.oracle.room())
        # All items of a story are of one share, so both forms of a claim must bring the same.
        is_locked, is_of_one_share = self.oracle.max_running is not None, len(self.leases) % 2 == 1
        came = run_script(self.conn, claim(worker_id, k, is_locked=is_locked, is_of_one_share=is_of_one_share))
        ids = [id_ for lease in came for id_ in lease.ids]
        assert len(ids) == expected
        assert set(ids) <= could
        for lease in came:
            self.leases.append((worker_id, lease))
            for id_ in lease.ids:
                item = self.oracle.items[id_]
                assert (lease.batch_id, lease.is_gather) == (item.batch_id, item.is_gather)
                item.state, item.token, item.worker_id = "running", lease.token, worker_id
                item.attempts += 1
                assert (lease.attempt, lease.lost) == (item.attempts, item.lost)

    def settle(self, which: int, mask: int, state: str) -> None:
        worker_id, pairs, items = self.pick_pairs(which, mask)
        assert run_script(self.conn, settle(worker_id, pairs, state)) == len(items)
        for item in items.values():
            item.end("completed" if state == "c" else "error")

    def settle_several(self, mask: int, state: str) -> None:
        """Words about several leases travel together."""
        worker_id = self.leases[-1][0]
        several = [lease for who, lease in self.leases if who == worker_id][-3:]
        pairs = [pair for lease in several for pair in self.some(lease, mask)]
        items = self.still_held(pairs)
        assert run_script(self.conn, settle(worker_id, pairs, state)) == len(items)
        for item in items.values():
            item.end("completed" if state == "c" else "error")

    def settle_run(self, which: int, part: int) -> None:
        """A lease, or a part of its beginning or end. All of the run is written, or nothing."""
        worker_id, lease = self.pick_lease(which)
        pairs = [lease.pairs, lease.pairs[:2], lease.pairs[1:] or lease.pairs][part % 3]
        items = self.still_held(pairs)
        try:
            written = run_script(self.conn, settle_run(worker_id, pairs))
        except psycopg.errors.UniqueViolation:
            written = 0  # one of them had ended before
        assert written == (len(pairs) if len(items) == len(pairs) else 0)
        if written:
            for item in items.values():
                item.end("completed")

    def put_back(self, which: int, mask: int, delay_s: int) -> None:
        _, pairs, items = self.pick_pairs(which, mask)
        lease = next(lease for _, lease in self.leases if lease.token == pairs[0][0])
        went = run_script(self.conn, put_back(pairs, delay_s=delay_s, attempt=lease.attempt, lost=lease.lost))
        assert went == sorted(items)
        for item in items.values():
            item.back(attempts=item.attempts, lost=item.lost, due_at=self.oracle.now + delay_s)

    def release(self, which: int) -> None:
        worker_id, lease = self.pick_lease(which)
        items = self.still_held(lease.pairs)
        assert run_script(self.conn, verbs.release(worker_id, [lease.token])) == len(items)
        self.unworked(items)

    def dismiss(self, worker_id: int) -> None:
        items = self.oracle.held(worker_id)
        assert run_script(self.conn, verbs.dismiss(worker_id)) == len(items)
        self.unworked(items)
        self.replace(worker_id)

    def die(self, worker_id: int, mask: int) -> None:
        """Killed, and its sentinel saw which items had started."""
        items = self.oracle.held(worker_id)
        started = [id_ for n, id_ in enumerate(sorted(items)) if mask >> n & 1]
        taken = run_script(self.conn, verbs.take_back(worker_id, started=started, death="killed"))
        if worker_id not in self.oracle.beats:
            assert taken is None
            return
        assert taken is not None
        assert taken[0] == len(items)
        blamed = self.blamed({id_: items[id_] for id_ in started})
        for id_, item in items.items():
            item.lost += id_ in blamed
            if id_ in blamed and item.lost >= MAX_LOST:
                item.end("error")
            else:
                item.back(attempts=item.attempts - 1, lost=item.lost, due_at=self.oracle.now)
            if id_ in started:
                item.died_with = worker_id
        # A spared item comes back at a random moment; here it does at once.
        self.conn.execute("update ingather.waiting set run_at = clock_timestamp() where item_id = any(%s)", [started])
        self.replace(worker_id)

    @staticmethod
    def blamed(started: dict[int, Item]) -> set[int]:
        """The first loss is anybody's. Later ones are of what was alone, or met nobody again; a gather's, if alone."""
        company = Counter(item.died_with for item in started.values())
        return {
            id_
            for id_, item in started.items()
            if item.lost == 0
            or len(started) == 1
            or (not item.is_gather and (item.died_with is None or company[item.died_with] == 1))
        }

    # --- the aggregator and the clock ------------------------------------------------------------------------------

    def time_passes(self, moments: int, worker_id: int) -> None:
        """All but one worker are silent meanwhile."""
        self.clock.advance(moments * MOMENT_S)
        self.oracle.now += moments * MOMENT_S
        came = self.conn.execute(sql.BEAT, {"worker_id": worker_id, "running": []}).fetchone()
        assert (came is not None) == (worker_id in self.oracle.beats)
        if came is not None:
            self.oracle.beats[worker_id] = self.oracle.now

    def sweep(self) -> None:
        for worker_id, beat_at in list(self.oracle.beats.items()):
            taken = run_script(self.conn, verbs.take_back(worker_id))
            if self.oracle.now - beat_at < LEASE_S:
                assert taken is None
                continue
            items = self.oracle.held(worker_id)
            assert taken is not None
            assert taken[0] == len(items)
            self.unworked(items)
            self.replace(worker_id)

    def close(self, batch_id: int, *, is_alone: bool) -> None:
        """One batch, by whoever settled last, or all that are ripe."""
        ripe = [
            id_
            for id_, batch in self.oracle.batches.items()
            if batch.is_open and all(item.state in ENDED for item in self.oracle.of(id_).values())
        ]
        if is_alone:
            ripe = [id_ for id_ in ripe if id_ == batch_id]
            gathering = run_script(self.conn, close([batch_id]))
        else:
            gathering = run_script(self.conn, close_ripe())
        assert sorted(gathering) == [id_ for id_ in ripe if self.oracle.batches[id_].gathers]
        for id_ in ripe:
            self.closed(id_)

    # --- what must hold after each of them -------------------------------------------------------------------------

    @invariant()
    def items_are_as_the_oracle_has_them(self) -> None:
        seen = self.conn.execute("select id, batch_id, state, attempt, lost from ingather.item order by id").fetchall()
        as_the_oracle_has_it = [
            (id_, item.batch_id, item.state, item.attempts, item.lost)
            for id_, item in sorted(self.oracle.items.items())
            if not item.is_gather
        ]
        assert seen == as_the_oracle_has_it

    @invariant()
    def progress_is_as_the_oracle_has_it(self) -> None:
        for seen in run_script(self.conn, verbs.progress(list(self.oracle.batches))):
            batch = self.oracle.batches[seen.batch_id]
            states = Counter(item.state for item in self.oracle.of(seen.batch_id).values())
            parts = {state: getattr(seen, state) for state in ("pending", "running", *ENDED)}
            assert sum(parts.values()) == seen.total
            assert parts == {state: states[state] for state in parts}
            assert (seen.is_closed, seen.version) == (not batch.is_open, batch.version)
            gather = self.oracle.items[batch.gather_id].state if batch.gather_id is not None else None
            assert seen.gather == gather

    # --- small words -----------------------------------------------------------------------------------------------

    # Chance alone would rarely strike where it hurts, so half of the picks look for a sore spot.

    def pick_batch(self, which: int) -> tuple[int, Batch]:
        known = sorted(self.oracle.batches)
        failed = sorted({item.batch_id for item in self.oracle.items.values() if item.state == "error"})
        picked = failed if failed and which % 2 else known
        batch_id = picked[which % len(picked)]
        return batch_id, self.oracle.batches[batch_id]

    def pick_worker(self, who: int) -> int:
        """One that holds something, one that is registered, or now and then one that is no more."""
        if who == 9 and self.leases:
            return self.leases[-1][0]
        known = sorted(self.oracle.beats)
        busy = [worker_id for worker_id in known if self.oracle.held(worker_id)]
        picked = busy if busy and who % 2 else known
        return picked[who % len(picked)]

    def pick_lease(self, which: int) -> tuple[int, Held]:
        """One that holds something; or one that has lost items to others, or some of its items and not all."""
        sore = self.is_stale if which == STALE else lambda lease: bool(self.still_held(lease.pairs))
        picked = [(who, lease) for who, lease in self.leases if sore(lease)] or self.leases
        return picked[-1 - which % len(picked)]

    def is_stale(self, lease: Held) -> bool:
        holders = {self.oracle.items[id_].token for id_ in lease.ids if id_ in self.oracle.items}
        return bool(holders - {None, lease.token}) or (lease.token in holders and len(holders) > 1)

    def pick_pairs(self, which: int, mask: int) -> tuple[int, list[tuple[int, int]], dict[int, Item]]:
        worker_id, lease = self.pick_lease(which)
        pairs = self.some(lease, mask)
        return worker_id, pairs, self.still_held(pairs)

    @staticmethod
    def some(lease: Held, mask: int) -> list[tuple[int, int]]:
        return [pair for n, pair in enumerate(lease.pairs) if mask >> n & 1] or lease.pairs

    def still_held(self, pairs: list[tuple[int, int]]) -> dict[int, Item]:
        return {
            id_: self.oracle.items[id_]
            for token, id_ in pairs
            if id_ in self.oracle.items and self.oracle.items[id_].token == token
        }

    def unworked(self, items: dict[int, Item]) -> None:
        for item in items.values():
            item.back(attempts=item.attempts - 1, lost=item.lost, due_at=self.oracle.now)

    def replace(self, worker_id: int) -> None:
        if self.oracle.beats.pop(worker_id, None) is not None:
            self.enlist()

    def learn(self, batch_id: int, items: int) -> None:
        """Generated ids are not foretold: the newest of the batch are the new ones."""
        wanted = "select id from ingather.item where batch_id = %s order by id desc limit %s"
        for (id_,) in self.conn.execute(wanted, [batch_id, items]).fetchall():
            assert id_ not in self.oracle.items
            self.oracle.items[id_] = Item(batch_id, due_at=self.oracle.now)

    def closed(self, batch_id: int) -> None:
        batch = self.oracle.batches[batch_id]
        batch.is_open = False
        row = self.conn.execute("select gather_id from ingather.batch where id = %s", [batch_id]).fetchone()
        assert row is not None
        assert (row[0] is not None) == batch.gathers
        if row[0] is not None:
            batch.gather_id = row[0]
            self.oracle.items[row[0]] = Item(batch_id, is_gather=True, due_at=self.oracle.now)


QUICK: Final = settings(
    max_examples=25,
    stateful_step_count=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
# A mutant need only be found, not explained: nothing is shrunk.
HUNT: Final = settings(
    QUICK, max_examples=200, stateful_step_count=120, phases=[Phase.generate], report_multiple_bugs=False
)


def play_stories(conn: psycopg.Connection[Any], how: settings, found: list[BaseException] | None = None) -> None:
    """Plays stories until one fails. `found` is given what failed: hypothesis may raise something else for it."""

    class Played(Story):
        def __init__(self) -> None:
            super().__init__(conn)

        def teardown(self) -> None:
            error = sys.exc_info()[1]
            if found is not None and isinstance(error, AssertionError | psycopg.Error):
                found.append(error)
            super().teardown()

    run_state_machine_as_test(Played, settings=how)


def test_every_story_is_the_oracles(db: psycopg.Connection[Any]) -> None:
    play_stories(db, QUICK)


# Name of the statement, and what to replace in it by what.
MUTANTS: Final[dict[str, tuple[str, list[tuple[str, str]]]]] = {
    "settle without the token": (
        "SETTLE",
        [
            (
                "where token = any(%(tokens)s::bigint[])",
                "where exists (select from unnest(%(ids)s::bigint[]) as i where i between first_id and last_id)",
            ),
            ("join done d on d.token = h.token", "join done d on d.item_id between h.first_id and h.last_id"),
        ],
    ),
    "settle of what went back": ("SETTLE", [("and d.item_id <> all (h.returned)", "")]),
    "settle that does not count": (
        "SETTLE",
        [("set completed = t.completed + excluded.completed", "set completed = t.completed")],
    ),
    "settle of a run without the token": ("SETTLE_RUN", [("where token = %(token)s\n       and", "where")]),
    "settle of a run of which one went back": (
        "SETTLE_RUN",
        [("where gone.id between %(first_id)s and %(first_id)s + %(items)s - 1", "where false")],
    ),
    "settle of a run that does not count": (
        "SETTLE_RUN",
        [("set completed = t.completed + excluded.completed", "set completed = t.completed")],
    ),
    "settle of a run that keeps its lease": ("SETTLE_RUN", [("h.open <= %(items)s", "false")]),
    "put back that stays in the lease": ("PUT_BACK", [("returned = h.returned || g.ids", "returned = h.returned")]),
    "take back of what has ended": (
        "TAKE_BACK",
        [("and not exists (select from ingather.outcome o where o.item_id = item_id.item_id offset 0)", "")],
    ),
    "take back of what went back": ("TAKE_BACK", [("item_id <> all (g.returned)\n       and ", "")]),
    "close without counting again": ("CLOSE", [("and b.total = f.completed + f.error + f.cancelled", "")]),
    "retry of the same version": ("RETRY_FAILED", [("b.version + (b.state = 'closed')::int", "b.version")]),
    "retry that leaves the item in its lease": (
        "RETRY_FAILED",
        [("returned = l.returned || f.ids", "returned = l.returned")],
    ),
    "cancel that leaves the cursor": ("DRAIN_SEGMENTS", [("queue is not null", "false")]),
    "claim beyond the limit": (
        "CLAIM_LIMITED",
        [("q.max_running - (select coalesce(sum(open), 0)", "q.max_running - (select coalesce(count(*), 0)")],
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_told_apart(name: str, db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    statement, changes = MUTANTS[name]
    text = getattr(sql, statement)
    for old, new in changes:
        assert text.count(old) == 1, f"{statement} has changed; the mutant must follow"
        text = text.replace(old, new)
    monkeypatch.setattr(sql, statement, text)
    # A story told again may go otherwise, since a claim may take other items; hypothesis then wraps what it found.
    found: list[BaseException] = []
    with pytest.raises((AssertionError, psycopg.Error, FlakyFailure, FlakyStrategyDefinition)) as caught:
        play_stories(db, HUNT, found)
    assert found
    print(f"{name}: {type(caught.value).__name__}: {str(caught.value).splitlines()[0]}")
