"""Two sessions at once, made to meet where it hurts. Deterministic: every interleaving is spelled out."""

import asyncio
import itertools
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import psycopg.sql
import pytest

from ingather.engine import parameters, verbs
from ingather.engine import statements as sql
from ingather.engine.engine import Engine
from ingather.engine.errors import BatchClosed, KeyReused, UnknownBatch
from ingather.engine.item import Item, Offspring
from ingather.engine.model import ScatterRequest
from ingather.engine.outbox import SHORTEST_RUN, Ended, Hold, OutboxParcel, runs_in_outbox
from ingather.engine.parameters import sparse_milliseconds_as_parameter
from ingather.engine.round_trip import RoundTripLine, steps_of_round_trip
from ingather.engine.script import Script, Statement, run_script
from tests.conftest import Clock
from tests.engine.actors import (
    Actor,
    Held,
    assert_sound,
    claim,
    close,
    close_ripe,
    enlist,
    lines,
    look,
    ours,
    put_back,
    request,
    scatter,
    settle,
    settle_run,
    stage,
    state_of,
)

Enter = Callable[[], Actor]


@pytest.fixture
def enter(url: str) -> Iterator[Enter]:
    with stage(url) as enter:
        yield enter


@pytest.fixture
def ann(enter: Enter) -> Actor:
    return enter()


@pytest.fixture
def bob(enter: Enter) -> Actor:
    return enter()


@pytest.fixture(autouse=True)
def sound(db: psycopg.Connection[Any]) -> Iterator[None]:
    """Whatever happens in a test here: at its end every item is in one place, every count right, and no deadlock."""
    yield
    assert_sound(db)
    assert deadlocks(db) == 0


def deadlocks(conn: psycopg.Connection[Any]) -> int:
    row = conn.execute("select deadlocks from pg_stat_database where datname = current_database()").fetchone()
    assert row is not None
    return int(row[0])


def count(conn: psycopg.Connection[Any], table: str) -> int:
    row = conn.execute(f"select count(*) from ingather.{table}").fetchone()
    assert row is not None
    return int(row[0])


# --- the reply that never came (10) ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scattering", [verbs.scatter, verbs.scatter_few])
def test_a_scatter_repeated_with_its_key_is_the_batch_that_was_committed(
    scattering: Any, ann: Actor, bob: Actor
) -> None:
    scattered = request(idempotency_key="once")
    first, is_new = ann.run(scattering(scattered, lines(3)))
    assert is_new
    assert bob.run(scattering(scattered, lines(3))) == (first, False)
    assert count(ann.conn, "batch") == 1
    assert count(ann.conn, "payload") == 3


def test_a_settle_repeated_after_a_lost_reply_counts_as_done(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    assert ann.run(settle(worker, lease.pairs)) == 3
    assert bob.run(settle(worker, lease.pairs)) == 0
    assert bob.run(ours(lease.pairs)) == lease.ids
    assert look(bob.conn, batch_id).completed == 3


def test_a_settle_repeated_within_a_lease_that_is_still_open_counts_once(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    for _ in range(2):
        ann.run(settle(worker, lease.pairs[:2]))
    seen = look(ann.conn, batch_id)
    assert (seen.completed, seen.running, seen.pending) == (2, 1, 0)
    assert ann.run(settle(worker, lease.pairs[2:])) == 1
    assert count(ann.conn, "lease") == 0


def test_a_fresh_settle_of_what_has_ended_is_refused_whole_and_said_again(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    lost = ann.play(settle(worker, lease.pairs[:2], is_fresh=True)).steps()
    again = bob.has_to_wait(lambda: bob.run(settle(worker, lease.pairs, is_fresh=True)))
    lost.commit()
    with pytest.raises(psycopg.errors.UniqueViolation):
        again.result()
    seen = look(ann.conn, batch_id)
    assert (seen.completed, seen.running, seen.pending) == (2, 1, 0)
    assert bob.run(settle(worker, lease.pairs)) == 1
    assert count(ann.conn, "lease") == 0


def test_a_run_is_settled_in_parts_and_frees_its_lease_with_the_last(ann: Actor) -> None:
    batch_id = ann.run(scatter(5))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    assert ann.run(settle_run(worker, lease.pairs[:3])) == 3
    seen = look(ann.conn, batch_id)
    assert (seen.completed, seen.running, seen.pending) == (3, 2, 0)
    assert ann.run(settle_run(worker, lease.pairs[3:], took_s=0.0074)) == 2
    assert count(ann.conn, "lease") == 0
    rows = ann.conn.execute("select item_id, state, took_ms, result from ingather.outcome order by item_id").fetchall()
    assert rows == [(item_id, "c", 0 if n < 3 else 7, 1) for n, item_id in enumerate(lease.ids)]


def test_a_run_is_fenced_by_its_lease_and_by_what_it_covers(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(6))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker, 4))
    token, last = lease.pairs[-1]
    assert ann.run(settle_run(worker, [(token + 1, item_id) for item_id in lease.ids])) == 0
    assert ann.run(settle_run(worker, [(token, last), (token, last + 1)])) == 0
    assert bob.run(put_back(lease.pairs[1:2])) == lease.ids[1:2]
    assert ann.run(settle_run(worker, lease.pairs)) == 0
    assert ann.run(settle_run(worker, lease.pairs[2:])) == 2
    seen = look(ann.conn, batch_id)
    assert (seen.completed, seen.running, seen.pending) == (2, 1, 3)


def test_a_run_of_which_one_has_ended_is_refused_whole(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    first = ann.play(settle_run(worker, lease.pairs[:1])).steps()
    again = bob.has_to_wait(lambda: bob.run(settle_run(worker, lease.pairs)))
    first.commit()
    with pytest.raises(psycopg.errors.UniqueViolation):
        again.result()
    seen = look(ann.conn, batch_id)
    assert (seen.completed, seen.running, seen.pending) == (1, 2, 0)
    assert bob.run(settle_run(worker, lease.pairs[1:])) == 2
    assert count(ann.conn, "lease") == 0


@pytest.mark.parametrize(
    ("took_s", "sent"),
    [
        ([0.0, 0.0009], "{}"),
        ([0.0, 0.0012, 0.0, 0.5, 0.0], "[2:4]={1,0,500}"),
        ([2.0], "[1:1]={2000}"),
    ],
)
def test_times_are_told_from_the_first_to_the_last_that_took_any(took_s: list[float], sent: str) -> None:
    assert sparse_milliseconds_as_parameter(took_s) == sent


def test_words_that_overtook_each_other_or_failed_make_no_runs() -> None:
    def pairs(*ends: tuple[int, int, str]) -> list[Ended]:
        return [(token, item_id, state, 0.0, b"1", b"") for token, item_id, state in ends]

    one, other = ([(token, 100 * token + n, "c") for n in range(SHORTEST_RUN)] for token in (1, 2))
    assert runs_in_outbox(pairs(*one, *other)) == [pairs(*one), pairs(*other)]
    assert runs_in_outbox(pairs(*one[:3])) == [pairs(*one[:3])]
    assert runs_in_outbox(pairs(*one[:2], *other[:2])) == []  # two commits for four items
    assert runs_in_outbox([]) == []
    assert runs_in_outbox(pairs((1, 11, "c"), (1, 10, "c"))) == []
    assert runs_in_outbox(pairs((1, 10, "c"), (1, 12, "c"))) == []
    assert runs_in_outbox(pairs((1, 10, "c"), (1, 11, "e"))) == []
    assert (
        runs_in_outbox(pairs(*((token, 1000 * token + n, "c") for token in range(9) for n in range(SHORTEST_RUN))))
        == []
    )


def test_a_worker_whose_settle_was_heard_but_not_answered_goes_on_with_the_rest_of_its_lease(
    app: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    both = asyncio.Event()
    lost: list[int] = []
    exchange = RoundTripLine.exchange

    async def without_an_answer(self: RoundTripLine, steps: Any) -> Any:
        reply = await exchange(self, steps)
        if reply.settled and not lost:
            lost.append(reply.settled)
            both.set()
            raise psycopg.OperationalError("the line broke under the reply")
        return reply

    monkeypatch.setattr(RoundTripLine, "exchange", without_an_answer)

    @app.handler("read")
    async def read(item: Item) -> int:
        if item.ordinal:
            await both.wait()
        return item.ordinal

    async def live() -> list[Any]:
        batch = app.scatter("read", [1, 2])
        async with app.worker(concurrency=2):
            await batch.await_(timeout=60)
        return [result async for result in batch.results()]

    assert asyncio.run(live()) == [0, 1]
    assert lost == [1]
    assert not [record for record in caplog.records if "no longer ours" in record.message]


def test_a_settle_that_waits_for_its_lost_twin_frees_the_lease_when_nothing_is_left(ann: Actor, bob: Actor) -> None:
    """The line broke, the first settle is still under way in the server, and the second carries one item more."""
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    lost = ann.play(settle(worker, lease.pairs[:2])).steps()
    again = bob.has_to_wait(lambda: bob.run(settle(worker, lease.pairs)))
    lost.commit()
    assert again.result() == 1
    assert count(ann.conn, "lease") == 0
    assert look(ann.conn, batch_id).running == 0


def test_a_put_back_that_waits_for_a_settle_of_its_lease_frees_the_lease_when_nothing_is_left(
    ann: Actor, bob: Actor
) -> None:
    ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    settling = ann.play(settle(worker, lease.pairs[:1])).steps()
    back = bob.has_to_wait(lambda: bob.run(put_back(lease.pairs[1:])))
    settling.commit()
    assert back.result() == lease.ids[1:]
    assert count(ann.conn, "lease") == 0


def test_a_put_back_repeated_after_a_lost_reply_changes_nothing(ann: Actor) -> None:
    ann.run(scatter(1))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    assert ann.run(put_back(lease.pairs, delay_s=60)) == lease.ids
    before = ann.conn.execute("select * from ingather.waiting").fetchall()
    assert ann.run(put_back(lease.pairs, delay_s=600)) == []
    assert ann.conn.execute("select * from ingather.waiting").fetchall() == before


def test_a_put_back_repeated_while_its_lease_holds_other_items_changes_nothing(ann: Actor) -> None:
    ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    assert ann.run(put_back(lease.pairs[:1])) == lease.ids[:1]
    assert ann.run(put_back(lease.pairs[:1])) == []
    # Nor may it settle what it has returned.
    assert ann.run(settle(worker, lease.pairs[:1])) == 0
    assert state_of(ann.conn, lease.first_id) == "pending"


def test_a_put_back_repeated_after_another_worker_claimed_the_item_changes_nothing(ann: Actor, bob: Actor) -> None:
    ann.run(scatter(2))
    slow, quick = ann.run(enlist()), bob.run(enlist())
    [lease] = ann.run(claim(slow))
    ann.run(put_back(lease.pairs[:1]))
    [theirs] = bob.run(claim(quick))
    assert theirs.ids == lease.ids[:1]
    assert ann.run(put_back(lease.pairs[:1])) == []
    assert bob.run(settle(quick, theirs.pairs)) == 1
    assert ann.run(put_back(lease.pairs[:1])) == []
    assert state_of(ann.conn, theirs.first_id) == "completed"


def test_a_failure_repeated_after_an_operators_retry_does_not_end_the_second_life(ann: Actor, bob: Actor) -> None:
    """The error was written, its reply was lost, an operator sent the item back: the worker's echo must not count."""
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    assert ann.run(settle(worker, lease.pairs[:1], "e")) == 1
    assert bob.run(verbs.retry_failed(batch_id)) == 1
    assert ann.run(settle(worker, lease.pairs[:1], "e")) == 0
    assert state_of(ann.conn, lease.first_id) == "pending"
    assert ann.run(settle(worker, lease.pairs[1:])) == 1


def test_a_claim_whose_reply_was_lost_is_given_back_by_its_worker(app: Engine, db: psycopg.Connection[Any]) -> None:
    ran: list[int] = []

    @app.handler("read")
    async def read(item: Item) -> None:
        ran.append(item.attempt)

    async def live() -> None:
        async with app.worker(concurrency=1):
            worker_id = app.workers()[0].id
            # A claim in the worker's name that it never hears of: as if the line had broken under the reply.
            batch = app.scatter("read", [1, 2], conn=db, queue="elsewhere")
            assert len(run_script(db, claim(worker_id, queue="elsewhere"))) == 1
            await batch.await_(timeout=60)

    asyncio.run(live())
    assert ran == [1, 1]


# --- one lock order (11) ---------------------------------------------------------------------------------------------


class World:
    """A batch in the middle of life, or at its end, and the workers around it."""

    def __init__(self, conn: psycopg.Connection[Any], stands: str) -> None:
        self.conn = conn
        self.silent, self.busy, self.eager = (run_script(conn, enlist()) for _ in range(3))
        queue = f"q{self.silent}"
        self.queue = queue
        items = 4 if stands != "busy" else 16
        self.batch_id = run_script(conn, scatter(items, queue=queue, gathers=True))
        self.leases: list[Held] = []
        if stands == "busy":
            for worker in (self.silent, self.silent, self.busy):
                self.leases += run_script(conn, claim(worker, 4, queue=queue))
            run_script(conn, settle(self.silent, self.leases[0].pairs[:1], "e"))
            run_script(conn, put_back(self.leases[1].pairs[:2]))
        else:
            [done] = run_script(conn, claim(self.silent, queue=queue))
            run_script(conn, settle(self.silent, done.pairs[:1], "e"))
            run_script(conn, settle(self.silent, done.pairs[1:]))
            if stands == "gathering":
                run_script(conn, close([self.batch_id]))
                self.leases += run_script(conn, claim(self.silent, queue=queue))
        conn.execute("update ingather.worker set beat_at = beat_at - interval '1 minute' where id = %s", [self.silent])

    def script(self, verb: str) -> Script[Any]:
        held = [pair for lease in self.leases for pair in lease.pairs]
        scripts: dict[str, Callable[[], Script[Any]]] = {
            # A worker says one thing about an item, though it may say it twice.
            "settle": lambda: settle(self.silent, held[::2]),
            "settle_some": lambda: settle(self.silent, held[::4]),
            "settle_run": lambda: settle_run(self.silent, self.leases[0].pairs[1:] or self.leases[0].pairs),
            "put_back": lambda: put_back(held[1::2]),
            "sweep": lambda: verbs.take_back(self.silent),
            "release": lambda: verbs.release(self.silent),
            "dismiss": lambda: verbs.dismiss(self.busy),
            "cancel": lambda: verbs.cancel(self.batch_id),
            "close": lambda: close([self.batch_id]),
            "claim": lambda: claim(self.eager, 3, queue=self.queue),
            "claim_again": lambda: claim(self.silent, 3, queue=self.queue, is_locked=True),
            "retry": lambda: verbs.retry_failed(self.batch_id),
            "add": lambda: verbs.add(self.batch_id, lines(2)),
            "pause": lambda: verbs.pause(self.batch_id, paused=True),
            "limit": lambda: verbs.set_queue(self.queue, max_running=1, rate=...),
        }
        return scripts[verb]()


REFUSALS = (BatchClosed, psycopg.errors.UniqueViolation)  # the latter for a run of which one has ended
OPERATING = ("sweep", "cancel", "close", "claim", "retry", "add", "pause")
SETTLING = ("settle", "settle_run", "settle_some", "put_back", "release", "dismiss", "claim_again", "limit")


@pytest.mark.parametrize(
    ("stands", "doing"),
    [("busy", SETTLING + OPERATING), ("ripe", OPERATING), ("gathering", SETTLING[:5] + OPERATING)],
    ids=["busy", "ripe", "gathering"],
)
def test_no_two_verbs_ever_deadlock_wherever_the_first_is_when_the_second_comes(
    db: psycopg.Connection[Any], enter: Enter, stands: str, doing: tuple[str, ...]
) -> None:
    """Every pair, the first held after each of its statements while the second runs as far as it can."""
    first, second = enter(), enter()
    for one, other in itertools.product(doing, repeat=2):
        statements = 1
        while meet(World(db, stands), first, one, statements, second, other):
            statements += 1
        assert_sound(db)
        # Other rows do not matter to the next pair, but would have to be looked at again.
        for table in ("segment", "batch", "payload", "outcome", "lease", "waiting", "tally", "worker"):
            db.execute(f"delete from ingather.{table}")


def meet(world: World, first: Actor, one: str, statements: int, second: Actor, other: str) -> bool:
    """Let two verbs meet after so many statements of the first. Returns whether it has more."""
    play = first.play(world.script(one))
    try:
        for _ in range(statements):
            play.step()
    except REFUSALS:
        play.abort()
        return False
    has_more = not play.is_over
    meeting = second.begin(lambda: second.run(world.script(other)))
    while not (meeting.done() or is_waiting(world.conn, second)):
        time.sleep(0.0005)
    play.commit()
    with suppress(*REFUSALS):
        meeting.result(timeout=60)
    return has_more


def is_waiting(conn: psycopg.Connection[Any], actor: Actor) -> bool:
    return conn.execute("select pg_blocking_pids(%s) <> '{}'", [actor.conn.info.backend_pid]).fetchone() == (True,)


def test_cancel_takes_leases_in_the_order_in_which_a_settle_takes_them(
    ann: Actor, bob: Actor, enter: Enter, db: psycopg.Connection[Any]
) -> None:
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    # The row that was written first has the higher token, so that by place and by token are two different orders.
    [high], [low] = ann.run(claim(worker, 1, token=2000)), ann.run(claim(worker, 1, token=1000))
    carl, dora = enter(), enter()
    for blocker, lease in ((carl, low), (dora, high)):
        blocker.conn.execute("begin")
        blocker.conn.execute("select from ingather.lease where token = %s for update", [lease.token])
    settling = ann.has_to_wait(lambda: ann.run(settle(worker, high.pairs + low.pairs)))
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    carl.conn.execute("commit")
    dora.conn.execute("commit")
    assert settling.result(timeout=60) in (0, 2)
    assert cancelling.result(timeout=60)


def test_two_workers_that_block_the_same_queues_take_them_in_one_order(
    app: Engine, db: psycopg.Connection[Any], enter: Enter
) -> None:
    for queue in ("east", "west"):
        run_script(db, scatter(1, queue=queue))
    blockers = {queue: enter() for queue in ("east", "west")}
    for queue, blocker in blockers.items():
        blocker.conn.execute("begin")
        blocker.conn.execute(sql.LOCK_QUEUE, {"queue": queue})

    async def meet() -> None:
        parcels = [
            OutboxParcel([], [], [Hold("east", 60.0), Hold("west", 60.0)]),
            OutboxParcel([], [], [Hold("west", 90.0), Hold("east", 30.0), Hold("west", 20.0)]),
        ]
        workers = [RoundTripLine(app.url) for _ in parcels]
        talks = [
            asyncio.create_task(line.exchange(steps_of_round_trip(0, parcel, no_batches)))
            for line, parcel in zip(workers, parcels, strict=True)
        ]
        while len(waiting(db)) < 2:
            await asyncio.sleep(0.002)
        for blocker in blockers.values():
            blocker.conn.execute("commit")
        await asyncio.gather(*talks)
        for line in workers:
            await line.close()

    asyncio.run(meet())
    held = db.execute("select name, extract(epoch from blocked_until - clock_timestamp()) from ingather.queue")
    seconds = {name: float(left) for name, left in held.fetchall()}
    assert seconds["east"] == pytest.approx(60, abs=5)
    assert seconds["west"] == pytest.approx(90, abs=5)


def no_batches(_tokens: object) -> set[int]:
    return set()


def claim_two(worker_id: int) -> Statement:
    token = secrets.randbits(62)
    return parameters.parameters_to_claim(
        worker_id, queue="default", kinds=["read"], k=2, token=token, from_waiting=2, is_locked=True
    )


def waiting(conn: psycopg.Connection[Any]) -> list[int]:
    rows = conn.execute(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    )
    return [pid for (pid,) in rows.fetchall()]


class Fray:
    """Sessions that do everything to a few batches at once."""

    def __init__(self, url: str, batches: list[int]) -> None:
        self.url = url
        self.batches = batches
        self.over = threading.Event()
        self.broken: list[BaseException] = []

    def rage(self, seconds: float) -> None:
        acts = [self.work] * 5 + [self.meddle] * 3
        threads = [threading.Thread(target=self.guarded, args=(act, seed)) for seed, act in enumerate(acts)]
        for thread in threads:
            thread.start()
        self.over.wait(seconds)
        self.over.set()
        for thread in threads:
            thread.join()

    def guarded(self, act: Callable[[psycopg.Connection[Any], random.Random], None], seed: int) -> None:
        try:
            with psycopg.connect(self.url, autocommit=True) as conn:
                dice = random.Random(seed)
                while not self.over.is_set():
                    act(conn, dice)
        except BaseException as error:  # noqa: BLE001  # the test shows it
            self.broken.append(error)
            self.over.set()

    def work(self, conn: psycopg.Connection[Any], dice: random.Random) -> None:
        """A worker's life, short or long."""
        worker = run_script(conn, enlist(lease_s=3600))
        for _ in range(dice.randrange(20)):
            leases = run_script(conn, claim(worker, dice.choice([1, 3, 10]), is_locked=dice.random() < 0.5))
            pairs = [pair for lease in leases for pair in lease.pairs]
            dice.shuffle(pairs)
            cut = dice.randrange(len(pairs) + 1)
            run_script(conn, put_back(pairs[:cut], attempt=dice.randrange(3)))
            run_script(conn, settle(worker, pairs[cut:], dice.choice("cce")))
            if dice.random() < 0.2:
                run_script(conn, settle(worker, pairs))
            if dice.random() < 0.3:
                run_script(conn, close(self.batches))
        pairs = [pair for lease in run_script(conn, claim(worker, 5)) for pair in lease.pairs]
        if dice.random() < 0.5:
            run_script(conn, verbs.dismiss(worker))
        else:
            run_script(conn, verbs.take_back(worker, started=[item_id for _, item_id in pairs[:1]], death="died"))
        assert run_script(conn, settle(worker, pairs)) == 0

    def meddle(self, conn: psycopg.Connection[Any], dice: random.Random) -> None:
        """An operator without mercy."""
        place = dice.randrange(len(self.batches))
        batch_id = self.batches[place]
        match dice.randrange(12):
            case 0 | 1 | 2:
                try:
                    run_script(conn, verbs.add(batch_id, lines(dice.choice([1, 5, 30]))))
                except BatchClosed:
                    self.batches[place] = run_script(conn, scatter(40, gathers=dice.random() < 0.5))
            case 3:
                run_script(conn, verbs.cancel(batch_id))
            case 4 | 5 | 6:
                run_script(conn, verbs.retry_failed(batch_id))
            case 7:
                run_script(conn, verbs.pause(batch_id, paused=dice.random() < 0.3))
            case 8:
                run_script(conn, verbs.set_queue("default", max_running=dice.choice([None, 5, 20]), rate=...))
            case 9:
                run_script(conn, close_ripe())
            case _:
                seen = look(conn, batch_id)
                assert min(seen.pending, seen.running) >= 0
                assert seen.pending + seen.running + seen.finished == seen.total


def test_nothing_is_lost_or_done_twice_when_everyone_does_everything_at_once(
    url: str, db: psycopg.Connection[Any]
) -> None:
    """Eight sessions, all verbs, a few batches, three seconds. Then one worker finishes, and everything is counted."""
    fray = Fray(url, [run_script(db, scatter(60, gathers=n % 2 == 0)) for n in range(4)])
    fray.rage(seconds=3)
    assert fray.broken == []
    assert_sound(db)
    finish(db)
    assert db.execute("select count(*) from ingather.batch where state = 'open'").fetchone() == (0,)
    assert count(db, "lease") + count(db, "waiting") + count(db, "tally") == 0
    assert db.execute("select count(*) > 100 from ingather.outcome where state = 'c'").fetchone() == (True,)


def finish(conn: psycopg.Connection[Any]) -> None:
    """Take everything back, and work until nothing is left."""
    for (worker,) in conn.execute("select id from ingather.worker").fetchall():
        run_script(conn, verbs.take_back(worker, started=[], death="the end"))
    run_script(conn, verbs.set_queue("default", max_running=None, rate=None))
    for (batch_id,) in conn.execute("select id from ingather.batch where paused").fetchall():
        run_script(conn, verbs.pause(batch_id, paused=False))
    conn.execute("update ingather.waiting set run_at = clock_timestamp()")
    worker = run_script(conn, enlist())
    while True:
        while leases := run_script(conn, claim(worker)):
            run_script(conn, settle(worker, [pair for lease in leases for pair in lease.pairs]))
        if not run_script(conn, close_ripe()) and not count(conn, "waiting"):
            break
    run_script(conn, verbs.dismiss(worker))


# --- closing (21 d, e) -----------------------------------------------------------------------------------------------


@pytest.fixture
def ripe(ann: Actor) -> int:
    """A batch whose items have ended, one of them as error, and that nobody has closed yet."""
    batch_id = ann.run(scatter(3, gathers=True))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs[:1], "e"))
    ann.run(settle(worker, lease.pairs[1:]))
    return batch_id


def test_a_batch_that_is_being_added_to_is_not_closed(ann: Actor, bob: Actor, ripe: int) -> None:
    adding = ann.play(verbs.add(ripe, lines(1))).steps()
    # The closer finds the batch ripe in its own snapshot, and must not trust that.
    assert bob.run(close([ripe])) == []
    adding.commit()
    assert bob.run(close([ripe])) == []
    seen = look(bob.conn, ripe)
    assert (seen.state, seen.total, seen.pending) == ("open", 4, 1)


def test_an_add_that_waits_for_a_close_is_refused_and_leaves_nothing(ann: Actor, bob: Actor, ripe: int) -> None:
    closing = ann.play(close([ripe])).steps()
    adding = bob.has_to_wait(lambda: bob.run(verbs.add(ripe, lines(1))))
    closing.commit()
    with pytest.raises(BatchClosed):
        adding.result()
    assert count(bob.conn, "payload") == 3
    assert count(bob.conn, "segment") == 1


def test_an_add_that_waits_for_a_close_that_rolls_back_goes_on(ann: Actor, bob: Actor, ripe: int) -> None:
    closing = ann.play(close([ripe])).steps()
    adding = bob.has_to_wait(lambda: bob.run(verbs.add(ripe, lines(2))))
    closing.abort()
    assert adding.result() == 2
    assert look(bob.conn, ripe).pending == 2


def test_a_close_decides_again_after_it_has_the_lock(ann: Actor, bob: Actor, ripe: int) -> None:
    """Between the look that said ripe and the lock, an operator sent the failed item back."""
    [(found,)] = ann.conn.execute(sql.RIPE, {"batch_ids": [ripe]}).fetchall()
    assert found == ripe
    assert bob.run(verbs.retry_failed(ripe)) == 1
    assert ann.run(close([ripe])) == []
    assert look(ann.conn, ripe).pending == 1


def test_a_batch_whose_failures_are_being_retried_is_not_closed(ann: Actor, bob: Actor, ripe: int) -> None:
    retrying = ann.play(verbs.retry_failed(ripe)).steps()
    assert bob.run(close([ripe])) == []
    assert retrying.commit() == 1
    seen = look(bob.conn, ripe)
    assert (seen.state, seen.version, seen.pending) == ("open", 1, 1)


def test_a_retry_that_waits_for_a_close_opens_the_batch_again_with_a_higher_version(
    ann: Actor, bob: Actor, ripe: int
) -> None:
    closing = ann.play(close([ripe])).steps()
    retrying = bob.has_to_wait(lambda: bob.run(verbs.retry_failed(ripe)))
    assert closing.commit() == [ripe]
    assert retrying.result() == 1
    seen = look(bob.conn, ripe)
    assert (seen.state, seen.version, seen.pending, seen.error) == ("open", 2, 1, 0)
    assert bob.conn.execute("select count(*) from ingather.waiting where is_gather").fetchone() == (0,)


def test_two_closers_close_once(ann: Actor, bob: Actor, ripe: int) -> None:
    closing = ann.play(close([ripe])).steps()
    assert bob.run(close([ripe])) == []
    assert closing.commit() == [ripe]
    assert bob.run(close([ripe])) == []
    assert count(bob.conn, "waiting") == 1


def test_the_closer_after_one_that_died_closes(ann: Actor, bob: Actor, ripe: int) -> None:
    ann.play(close([ripe])).steps().abort()
    assert bob.run(close_ripe()) == [ripe]


def test_a_batch_is_not_closed_over_a_settle_that_has_not_committed(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs[:1]))
    settling = ann.play(settle(worker, lease.pairs[1:])).steps()
    bob.run(close([batch_id]))
    assert look(bob.conn, batch_id).state == "open"
    settling.commit()
    bob.run(close([batch_id]))
    assert look(bob.conn, batch_id).state == "closed"


@pytest.fixture
def gathering(ann: Actor, ripe: int) -> int:
    """A batch that closed with one error and whose gather waits to be claimed."""
    assert ann.run(close([ripe])) == [ripe]
    return ripe


def test_a_gather_that_is_being_claimed_is_dropped_by_a_retry(ann: Actor, bob: Actor, gathering: int) -> None:
    worker = ann.run(enlist())
    claiming = ann.play(claim(worker)).steps()
    retrying = bob.has_to_wait(lambda: bob.run(verbs.retry_failed(gathering)))
    [gather] = claiming.commit()
    assert gather.is_gather
    assert retrying.result() == 1
    assert count(bob.conn, "lease") == 0
    assert ann.run(settle(worker, gather.pairs)) == 0


def test_a_gather_that_is_being_put_back_is_dropped_by_a_retry(ann: Actor, bob: Actor, gathering: int) -> None:
    worker = ann.run(enlist())
    [gather] = ann.run(claim(worker))
    returning = ann.play(put_back(gather.pairs)).steps()
    retrying = bob.has_to_wait(lambda: bob.run(verbs.retry_failed(gathering)))
    returning.commit()
    assert retrying.result() == 1
    assert bob.conn.execute("select count(*) from ingather.waiting where is_gather").fetchone() == (0,)


def test_a_gather_that_has_ended_leaves_no_trace_once_its_batch_is_retried(
    ann: Actor, bob: Actor, gathering: int
) -> None:
    """Its outcome belongs to a version that is no more, and nothing would ever prune it."""
    worker = ann.run(enlist())
    [gather] = ann.run(claim(worker))
    assert ann.run(settle(worker, gather.pairs)) == 1
    assert bob.run(verbs.retry_failed(gathering)) == 1
    assert bob.conn.execute("select from ingather.outcome where item_id = %s", [gather.first_id]).fetchall() == []


def test_a_gather_of_a_batch_without_failures_is_left_alone_by_a_retry(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(1, gathers=True))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs))
    ann.run(close([batch_id]))
    [gather] = ann.run(claim(worker))
    assert bob.run(verbs.retry_failed(batch_id)) == 0
    assert ann.run(settle(worker, gather.pairs)) == 1
    assert look(bob.conn, batch_id).gather == "completed"


# --- claiming (21 a, b, c, f) ----------------------------------------------------------------------------------------


def test_two_claimers_of_one_segment_never_share_an_item(ann: Actor, bob: Actor) -> None:
    ann.run(scatter(10))
    first, second = ann.run(enlist()), bob.run(enlist())
    claiming = ann.play(claim(first, 5)).steps()
    assert bob.run(claim(second, 5)) == []
    [mine] = claiming.commit()
    [theirs] = bob.run(claim(second, 50))
    assert sorted(mine.ids + theirs.ids) == list(range(mine.first_id, mine.first_id + 10))


def test_a_claim_that_rolls_back_leaves_its_items_to_the_next(ann: Actor, bob: Actor) -> None:
    ann.run(scatter(4))
    first, second = ann.run(enlist()), bob.run(enlist())
    claiming = ann.play(claim(first)).steps()
    claiming.abort()
    [lease] = bob.run(claim(second))
    assert len(lease.ids) == 4


def test_a_claim_with_an_old_snapshot_takes_what_is_there_now(
    ann: Actor, bob: Actor, enter: Enter, db: psycopg.Connection[Any]
) -> None:
    """Its view of the tables is from before another claim; the rows it locks are from after."""
    batch_id = ann.run(scatter(8))
    quick, slow = ann.run(enlist()), bob.run(enlist())
    [lease] = ann.run(claim(quick, 2))
    ann.run(put_back(lease.pairs))
    blocker = enter()
    blocker.conn.execute("begin")
    blocker.conn.execute("select from ingather.worker where id = %s for update", [slow])
    late = bob.has_to_wait(lambda: bob.run(claim(slow, 4)))
    early = ann.run(claim(quick, 4))
    blocker.conn.execute("commit")
    taken = [item_id for held in [*early, *late.result()] for item_id in held.ids]
    assert len(taken) == len(set(taken)) == 8
    assert look(db, batch_id).running == 8


def test_a_claim_never_takes_more_than_it_asked_for(ann: Actor, bob: Actor) -> None:
    for _ in range(5):
        ann.run(scatter(3))
    first, second = ann.run(enlist()), bob.run(enlist())
    holding = ann.play(claim(first, 4)).steps()
    assert sum(len(lease.ids) for lease in bob.run(claim(second, 2))) <= 2
    assert sum(len(lease.ids) for lease in holding.commit()) == 4
    assert sum(len(lease.ids) for lease in bob.run(claim(second, 100))) >= 9


def test_a_claim_passes_by_what_another_holds_and_takes_the_rest(ann: Actor, bob: Actor) -> None:
    held, free = ann.run(scatter(3)), ann.run(scatter(3))
    first, second = ann.run(enlist()), bob.run(enlist())
    holding = ann.play(claim(first, 2)).steps()
    [lease] = bob.run(claim(second, 50))
    assert lease.batch_id == free
    [mine] = holding.commit()
    assert mine.batch_id == held


def test_the_limit_is_counted_under_the_lock(ann: Actor, bob: Actor) -> None:
    ann.run(scatter(10))
    ann.run(verbs.set_queue("default", max_running=3, rate=None))
    first, second = ann.run(enlist()), bob.run(enlist())
    claiming = ann.play(claim(first, 2, is_locked=True)).steps()
    late = bob.has_to_wait(lambda: bob.run(claim(second, 5, is_locked=True)))
    [mine] = claiming.commit()
    [theirs] = late.result()
    assert (len(mine.ids), len(theirs.ids)) == (2, 1)
    assert bob.run(claim(second, 5, is_locked=True)) == []
    ann.run(settle(first, mine.pairs[:1]))
    assert [len(lease.ids) for lease in bob.run(claim(second, 5, is_locked=True))] == [1]


def test_the_rate_is_counted_under_the_lock(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(10))
    ann.run(verbs.set_queue("default", max_running=None, rate=(4, timedelta(minutes=1))))
    first, second = ann.run(enlist()), bob.run(enlist())
    claiming = ann.play(claim(first, 3, is_locked=True)).steps()
    late = bob.has_to_wait(lambda: bob.run(claim(second, 5, is_locked=True)))
    claiming.commit()
    assert [len(lease.ids) for lease in late.result()] == [1]
    clock.advance(61)
    assert [len(lease.ids) for lease in bob.run(claim(second, 9, is_locked=True))] == [4]


async def idle(_item: object) -> None:
    """Nothing runs here."""


def test_the_limit_holds_in_a_database_whose_transactions_keep_their_first_snapshot(
    url: str, app: Engine, db: psycopg.Connection[Any], enter: Enter
) -> None:
    """Under repeatable read the count would be as old as the wait for the lock."""
    name = psycopg.sql.Identifier(db.info.dbname)
    db.execute(psycopg.sql.SQL("alter database {} set default_transaction_isolation = 'repeatable read'").format(name))
    run_script(db, scatter(10))
    run_script(db, verbs.set_queue("default", max_running=3, rate=None))
    app.handler("read")(idle)
    blocker = enter()
    blocker.conn.execute("begin")
    blocker.conn.execute(sql.LOCK_QUEUE, {"queue": "default"})

    async def meet() -> None:
        workers = [RoundTripLine(url) for _ in range(2)]
        talks = []
        for line in workers:
            claims = partial(claim_two, run_script(db, enlist()))
            trip = steps_of_round_trip(0, OutboxParcel([], []), no_batches, claim=claims, limited_queue="default")
            talks.append(asyncio.create_task(line.exchange(trip)))
        while len(waiting(db)) < 2:
            await asyncio.sleep(0.002)
        blocker.conn.execute("commit")
        await asyncio.gather(*talks)
        for line in workers:
            await line.close()

    asyncio.run(meet())
    assert db.execute("select sum(open) from ingather.lease").fetchone() == (3,)


def test_a_claim_that_has_not_heard_of_a_limit_takes_nothing(ann: Actor) -> None:
    ann.run(scatter(3))
    ann.run(verbs.set_queue("default", max_running=1, rate=None))
    worker = ann.run(enlist())
    assert ann.run(claim(worker)) == []
    assert len(ann.run(claim(worker, is_locked=True))) == 1


def test_a_callers_open_scatter_into_a_limited_queue_does_not_hold_up_its_claims(ann: Actor, bob: Actor) -> None:
    """The new batch holds its queue by a foreign key, in key share; the limiter's lock must be one that allows it."""
    bob.run(scatter(1))
    bob.run(verbs.set_queue("default", max_running=5, rate=None))
    worker = bob.run(enlist())
    scattering = ann.play(scatter(2)).steps()
    assert len(bob.run(claim(worker, is_locked=True))) == 1
    scattering.commit()


def test_a_callers_open_add_does_not_hold_up_claims_and_settles_of_the_batch(ann: Actor, bob: Actor) -> None:
    batch_id = bob.run(scatter(2))
    worker = bob.run(enlist())
    adding = ann.play(verbs.add(batch_id, lines(1))).steps()
    [lease] = bob.run(claim(worker))
    assert bob.run(settle(worker, lease.pairs)) == 2
    adding.commit()
    assert look(bob.conn, batch_id).pending == 1


def test_a_beat_does_not_wait_for_a_claim_of_its_worker(ann: Actor, bob: Actor) -> None:
    ann.run(scatter(1))
    worker = ann.run(enlist())
    claiming = ann.play(claim(worker)).steps()
    assert bob.conn.execute(sql.BEAT, {"worker_id": worker, "running": []}).fetchone() == (worker,)
    claiming.commit()


def test_a_pause_during_a_claim_holds_for_every_claim_after_it(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(4))
    first, second = ann.run(enlist()), bob.run(enlist())
    claiming = ann.play(claim(first, 1)).steps()
    pausing = bob.has_to_wait(lambda: bob.run(verbs.pause(batch_id, paused=True)))
    [lease] = claiming.commit()
    pausing.result()
    assert bob.run(claim(second)) == []
    # Running items go on, and those given back stay put.
    ann.run(put_back(lease.pairs))
    assert bob.run(claim(second)) == []
    bob.run(verbs.pause(batch_id, paused=False))
    assert sum(len(held.ids) for held in bob.run(claim(second))) == 4


# --- the sweep (21, fencing) -----------------------------------------------------------------------------------------


def test_a_sweep_waits_for_a_settle_under_way_and_brings_back_only_the_unfinished(
    ann: Actor, bob: Actor, clock: Clock
) -> None:
    batch_id = ann.run(scatter(4))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    clock.advance(61)
    settling = ann.play(settle(worker, lease.pairs[:3])).steps()
    sweeping = bob.has_to_wait(lambda: bob.run(verbs.take_back(worker)))
    settling.commit()
    assert sweeping.result() == (1, [])
    seen = look(bob.conn, batch_id)
    assert (seen.completed, seen.pending) == (3, 1)


def test_a_sweep_that_waited_for_the_last_settle_brings_back_nothing(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    clock.advance(61)
    settling = ann.play(settle(worker, lease.pairs)).steps()
    sweeping = bob.has_to_wait(lambda: bob.run(verbs.take_back(worker)))
    settling.commit()
    assert sweeping.result() == (0, [batch_id])  # it ended the last item and did not live to close the batch


def test_a_sweep_forgets_nothing_when_the_settle_it_waited_for_rolls_back(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    clock.advance(61)
    settling = ann.play(settle(worker, lease.pairs)).steps()
    sweeping = bob.has_to_wait(lambda: bob.run(verbs.take_back(worker)))
    settling.abort()
    assert sweeping.result() == (2, [])


def test_a_settle_that_waits_for_a_sweep_writes_nothing(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    clock.advance(61)
    sweeping = bob.play(verbs.take_back(worker)).until(sql.TAKE_BACK)
    settling = ann.has_to_wait(lambda: ann.run(settle(worker, lease.pairs)))
    assert sweeping.commit() == (2, [])
    assert settling.result() == 0
    assert ann.run(ours(lease.pairs)) == []
    assert look(bob.conn, batch_id).pending == 2


def test_a_settle_that_waits_for_a_sweep_that_dies_is_written(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    clock.advance(61)
    sweeping = bob.play(verbs.take_back(worker)).steps()
    settling = ann.has_to_wait(lambda: ann.run(settle(worker, lease.pairs)))
    sweeping.abort()
    assert settling.result() == 2


def test_a_late_worker_cannot_overwrite_the_second_attempt(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(1))
    slow = ann.run(enlist())
    [zombie] = ann.run(claim(slow, free=1))
    clock.advance(61)
    assert bob.run(verbs.take_back(slow)) == (1, [])
    quick = bob.run(enlist())
    [second] = bob.run(claim(quick))
    # Attempts are not what tells them apart: the loss was not counted as one, so both are the first.
    assert (zombie.attempt, second.attempt) == (1, 1)
    assert second.lost == 1
    for state in ("c", "e"):
        assert ann.run(settle(slow, zombie.pairs, state)) == 0
    assert ann.run(put_back(zombie.pairs)) == []
    assert bob.run(settle(quick, second.pairs)) == 1
    assert ann.run(settle(slow, zombie.pairs)) == 0
    assert bob.conn.execute("select worker_id from ingather.outcome").fetchall() == [(quick,)]


def test_a_zombie_is_fenced_although_attempt_and_losses_are_the_same(ann: Actor, bob: Actor) -> None:
    """A released item comes back with the counters it had; only the token is new, even for the same worker."""
    ann.run(scatter(1))
    worker = ann.run(enlist())
    [first] = ann.run(claim(worker))
    assert bob.run(verbs.release(worker)) == 1
    [second] = ann.run(claim(worker))
    assert (first.attempt, first.lost, first.ids) == (second.attempt, second.lost, second.ids)
    assert first.token != second.token
    assert ann.run(settle(worker, first.pairs)) == 0
    assert ann.run(settle(worker, second.pairs)) == 1


def test_a_token_settles_no_item_outside_its_range(ann: Actor) -> None:
    ann.run(scatter(4))
    worker = ann.run(enlist())
    [mine], [other] = ann.run(claim(worker, 2)), ann.run(claim(worker, 2))
    assert ann.run(settle(worker, [(mine.token, item_id) for item_id in other.ids])) == 0
    assert ann.run(put_back([(mine.token, item_id) for item_id in other.ids])) == []
    assert ann.run(settle(worker, mine.pairs + other.pairs)) == 4


def test_a_worker_is_not_swept_while_a_claim_of_it_is_under_way(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(4))
    worker = ann.run(enlist())
    ann.run(claim(worker, 2))
    clock.advance(61)
    claiming = ann.play(claim(worker, 1)).steps()
    assert bob.run(verbs.take_back(worker)) is None
    claiming.commit()
    assert bob.run(verbs.take_back(worker)) == (3, [])
    assert count(bob.conn, "lease") == 0


def test_a_claim_that_waits_for_the_sweep_of_its_worker_takes_nothing(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(4))
    worker = ann.run(enlist())
    ann.run(claim(worker, 2))
    clock.advance(61)
    sweeping = bob.play(verbs.take_back(worker)).steps()
    claiming = ann.has_to_wait(lambda: ann.run(claim(worker, 2)))
    sweeping.commit()
    assert claiming.result() == []
    assert look(ann.conn, batch_id).pending == 4


def test_a_worker_that_beats_in_time_is_not_swept(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(1))
    worker = ann.run(enlist())
    ann.run(claim(worker))
    clock.advance(61)
    ann.conn.execute(sql.BEAT, {"worker_id": worker, "running": []})
    assert bob.run(verbs.take_back(worker)) is None
    assert count(bob.conn, "lease") == 1


def test_a_beat_that_waits_for_its_sweep_learns_that_it_is_dead(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(1))
    worker = ann.run(enlist())
    clock.advance(61)
    sweeping = bob.play(verbs.take_back(worker)).steps()
    beat = {"worker_id": worker, "running": []}
    beating = ann.has_to_wait(lambda: ann.conn.execute(sql.BEAT, beat).fetchone())
    sweeping.commit()
    assert beating.result() is None


def test_of_two_sweepers_one_takes_the_items_back(ann: Actor, bob: Actor, clock: Clock) -> None:
    ann.run(scatter(3))
    worker = ann.run(enlist())
    ann.run(claim(worker))
    clock.advance(61)
    sweeping = ann.play(verbs.take_back(worker)).steps()
    assert bob.run(verbs.take_back(worker)) is None
    assert sweeping.commit() == (3, [])
    assert bob.run(verbs.take_back(worker, started=[], death="seen to die")) is None
    assert count(bob.conn, "waiting") == 3


def test_a_farewell_waits_for_a_claim_under_way_and_leaves_nothing_behind(ann: Actor, bob: Actor) -> None:
    """The line broke during a claim, the worker is told to stop, and says farewell on another line."""
    batch_id = ann.run(scatter(4))
    worker = ann.run(enlist())
    ann.run(claim(worker, 1))
    claiming = ann.play(claim(worker, 1)).steps()
    leaving = bob.has_to_wait(lambda: bob.run(verbs.dismiss(worker)))
    claiming.commit()
    assert leaving.result() == 2
    assert count(bob.conn, "lease") == 0
    assert look(bob.conn, batch_id).pending == 4


def test_a_sweep_after_a_retry_leaves_the_retried_item_where_it_is(ann: Actor, bob: Actor, clock: Clock) -> None:
    """An item failed for good while its neighbours in the lease still run; an operator sends it back; the worker dies.

    The lease's range covers the item, but the item is no longer the lease's.
    """
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs[:1], "e"))
    assert bob.run(verbs.retry_failed(batch_id)) == 1
    assert state_of(bob.conn, lease.first_id) == "pending"
    clock.advance(61)
    assert bob.run(verbs.take_back(worker)) == (2, [])
    assert look(bob.conn, batch_id).pending == 3


def test_a_sweep_does_not_take_a_retried_item_from_the_worker_that_runs_it_now(
    ann: Actor, bob: Actor, clock: Clock
) -> None:
    batch_id = ann.run(scatter(3))
    first = ann.run(enlist())
    second = bob.run(enlist(lease_s=3600))
    [lease] = ann.run(claim(first))
    ann.run(settle(first, lease.pairs[:1], "e"))
    bob.run(verbs.retry_failed(batch_id))
    [theirs] = bob.run(claim(second))
    assert theirs.ids == lease.ids[:1]
    clock.advance(61)
    assert bob.run(verbs.take_back(first)) == (2, [])
    assert state_of(bob.conn, theirs.first_id) == "running"
    assert bob.run(settle(second, theirs.pairs)) == 1


def test_a_retry_that_waits_for_a_sweep_and_a_sweep_that_waits_for_a_retry_lose_no_item(
    ann: Actor, bob: Actor, clock: Clock
) -> None:
    for is_sweep_first in (True, False):
        batch_id = ann.run(scatter(3))
        worker = ann.run(enlist())
        [lease] = [held for held in ann.run(claim(worker)) if held.batch_id == batch_id]
        ann.run(settle(worker, lease.pairs[:1], "e"))
        clock.advance(61)
        scripts: list[Script[Any]] = [verbs.take_back(worker), verbs.retry_failed(batch_id)]
        ahead, behind = scripts if is_sweep_first else reversed(scripts)
        going = ann.play(ahead).steps()
        coming = bob.has_to_wait(lambda script=behind: bob.run(script))  # type: ignore[misc]
        going.commit()
        coming.result()
        assert_sound(bob.conn)
        assert look(bob.conn, batch_id).pending == 3


def test_a_lease_of_a_month_ago_can_still_be_swept(ann: Actor, clock: Clock) -> None:
    """The fleet was off for a summer. Milliseconds since then do not fit into 32 bits."""
    batch_id = ann.run(scatter(1))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker, free=1))
    ann.conn.execute("update ingather.lease set lost = 2, claimed_at = claimed_at - interval '90 days'")
    clock.advance(90 * 86_400)
    assert ann.run(verbs.take_back(worker)) == (1, [batch_id])
    assert state_of(ann.conn, lease.first_id) == "error"


# --- cancelling ------------------------------------------------------------------------------------------------------


def cancelled(conn: psycopg.Connection[Any], batch_id: int) -> int:
    seen = look(conn, batch_id)
    assert seen.is_closed
    assert count(conn, "lease") == 0
    assert count(conn, "waiting") == 0
    return seen.cancelled


def test_a_cancel_that_meets_a_claim_of_fresh_items_takes_them_too(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(4))
    worker = ann.run(enlist())
    claiming = ann.play(claim(worker, 2)).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    [lease] = claiming.commit()
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 4
    assert ann.run(settle(worker, lease.pairs)) == 0


def test_a_cancel_that_meets_a_claim_of_waiting_items_takes_them_too(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(2))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(put_back(lease.pairs))
    claiming = ann.play(claim(worker)).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    claiming.commit()
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 2


@pytest.mark.parametrize("is_partial", [True, False])
def test_a_cancel_that_meets_a_put_back_takes_the_items_too(ann: Actor, bob: Actor, is_partial: bool) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    returning = ann.play(put_back(lease.pairs[:1] if is_partial else lease.pairs)).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    returning.commit()
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 3


def test_a_cancel_that_meets_a_sweep_takes_the_items_too(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    ann.run(claim(worker))
    clock.advance(61)
    sweeping = ann.play(verbs.take_back(worker)).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    assert sweeping.commit() == (3, [])
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 3


def test_a_cancel_that_meets_a_settle_keeps_what_was_finished(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(3))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    settling = ann.play(settle(worker, lease.pairs[:2])).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    settling.commit()
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 1
    assert look(bob.conn, batch_id).completed == 2


def test_a_settle_a_put_back_and_a_sweep_that_wait_for_a_cancel_change_nothing(
    ann: Actor, bob: Actor, clock: Clock
) -> None:
    clock.advance(0)
    for act in ("settle", "put_back", "sweep"):
        batch_id = ann.run(scatter(2))
        worker = ann.run(enlist())
        [lease] = ann.run(claim(worker))
        clock.advance(61)
        scripts: dict[str, Script[Any]] = {
            "settle": settle(worker, lease.pairs),
            "put_back": put_back(lease.pairs),
            "sweep": verbs.take_back(worker),
        }
        cancelling = bob.play(verbs.cancel(batch_id)).steps()
        acting = ann.has_to_wait(lambda script=scripts[act]: ann.run(script))  # type: ignore[misc]
        cancelling.commit()
        assert acting.result() in (0, [], (0, []))
        assert cancelled(ann.conn, batch_id) == 2


def test_a_claim_during_a_cancel_waits_for_nothing_and_takes_nothing(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(4))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker, 2))
    ann.run(put_back(lease.pairs))
    cancelling = bob.play(verbs.cancel(batch_id)).steps()
    assert ann.run(claim(worker)) == []
    cancelling.commit()
    assert ann.run(claim(worker)) == []


def test_a_cancel_that_waits_for_an_add_cancels_what_was_added(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(1))
    adding = ann.play(verbs.add(batch_id, lines(2))).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    adding.commit()
    assert cancelling.result()
    assert cancelled(bob.conn, batch_id) == 3


def test_of_two_cancels_one_cancels(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(2))
    cancelling = ann.play(verbs.cancel(batch_id)).steps()
    second = bob.has_to_wait(lambda: bob.run(verbs.cancel(batch_id)))
    assert cancelling.commit() is True
    assert second.result() is False
    assert cancelled(bob.conn, batch_id) == 2


def test_a_parent_that_waits_for_the_cancel_of_its_batch_has_no_offspring(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(1))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    settling = next(settle(worker, lease.pairs))
    assert isinstance(settling, Statement)
    more = [Offspring(None, lines(2)), Offspring(request(parent_id=batch_id), lines(2))]
    cancelling = bob.play(verbs.cancel(batch_id)).steps()
    parent = ann.has_to_wait(lambda: ann.run(verbs.settle_with_offspring(batch_id, settling, more)))
    cancelling.commit()
    assert parent.result() is False
    assert count(bob.conn, "batch") == 1
    assert count(bob.conn, "payload") == 1


# --- one key, two scatters -------------------------------------------------------------------------------------------

Scattering = Callable[[ScatterRequest, list[bytes]], Script[tuple[int, bool]]]
both_ways = pytest.mark.parametrize("scattering", [verbs.scatter, verbs.scatter_few])


@both_ways
def test_two_scatters_with_one_key_at_once_make_one_batch(scattering: Scattering, ann: Actor, bob: Actor) -> None:
    scattered = request(idempotency_key="once")
    first = ann.play(scattering(scattered, lines(3))).steps()
    second = bob.has_to_wait(lambda: bob.run(scattering(scattered, lines(3))))
    batch_id, is_new = first.commit()
    assert is_new
    assert second.result() == (batch_id, False)
    assert count(bob.conn, "batch") == 1
    assert count(bob.conn, "payload") == 3


@both_ways
def test_a_scatter_whose_rival_rolls_back_makes_the_batch(scattering: Scattering, ann: Actor, bob: Actor) -> None:
    scattered = request(idempotency_key="once")
    first = ann.play(scattering(scattered, lines(3))).steps()
    second = bob.has_to_wait(lambda: bob.run(scattering(scattered, lines(3))))
    first.abort()
    batch_id, is_new = second.result()
    assert is_new
    assert look(bob.conn, batch_id).total == 3
    assert count(bob.conn, "batch") == 1


@both_ways
def test_a_scatter_of_other_content_under_the_same_key_is_refused_once_the_first_has_committed(
    scattering: Scattering, ann: Actor, bob: Actor
) -> None:
    first = ann.play(scattering(request(idempotency_key="once"), lines(3))).steps()
    second = bob.has_to_wait(lambda: bob.run(scattering(request(idempotency_key="once"), lines(4))))
    first.commit()
    with pytest.raises(KeyReused):
        second.result()
    assert count(bob.conn, "payload") == 3


@both_ways
def test_a_scatter_whose_twin_is_pruned_under_its_eyes_makes_the_batch_anew(
    scattering: Scattering, ann: Actor, bob: Actor, db: psycopg.Connection[Any]
) -> None:
    scattered = request(idempotency_key="once")
    old, _ = ann.run(scattering(scattered, lines(1)))
    ann.run(verbs.cancel(old))
    again = bob.play(scattering(scattered, lines(1))).until(sql.BATCH_OF_KEY)
    db.execute("update ingather.batch set closed_at = closed_at - interval '1 day'")
    assert ann.run(verbs.prune(timedelta(hours=1)))
    batch_id, is_new = again.commit()
    assert is_new
    assert batch_id != old
    assert look(db, batch_id).pending == 1


@pytest.mark.parametrize("is_autocommit", [True, False])
def test_a_scatter_in_the_callers_transaction_comes_and_goes_with_it(
    app: Engine, url: str, db: psycopg.Connection[Any], is_autocommit: bool
) -> None:
    """Also when it is the first statement of a transaction that the driver opens by itself."""

    @app.handler("read")
    async def read(item: Item) -> None: ...

    with psycopg.connect(url, autocommit=is_autocommit) as conn:
        with conn.transaction(force_rollback=True):
            app.scatter("read", [1], conn=conn)
        assert count(db, "batch") == 0
    with psycopg.connect(url) as conn:
        app.scatter("read", [1], conn=conn)
        assert count(db, "batch") == 0
        conn.rollback()
        assert count(db, "batch") == 0
        app.scatter("read", [1, 2], conn=conn)
        conn.commit()
        assert count(db, "payload") == 2


def test_an_async_scatter_in_the_callers_transaction_comes_and_goes_with_it(
    app: Engine, url: str, db: psycopg.Connection[Any]
) -> None:
    @app.handler("read")
    async def read(item: Item) -> None: ...

    async def act() -> None:
        async with await psycopg.AsyncConnection.connect(url) as conn:
            await app.ascatter("read", [1], conn=conn)
            assert count(db, "batch") == 0
            await conn.rollback()
            assert count(db, "batch") == 0
            await app.ascatter("read", [1, 2], conn=conn)
            await conn.commit()
        await app.aclose()

    asyncio.run(act())
    assert count(db, "payload") == 2


# --- pruning ---------------------------------------------------------------------------------------------------------


def test_a_retry_that_waits_for_the_pruning_of_its_batch_finds_no_batch(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(1))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs, "e"))
    ann.run(close([batch_id]))
    clock.advance(3600)
    pruning = ann.play(verbs.prune(timedelta(minutes=1))).steps()
    retrying = bob.has_to_wait(lambda: bob.run(verbs.retry_failed(batch_id)))
    pruning.commit()
    with pytest.raises(UnknownBatch):
        retrying.result()
    for table in ("batch", "segment", "payload", "outcome", "waiting", "tally"):
        assert count(bob.conn, table) == 0


def test_a_batch_that_is_being_retried_is_not_pruned(ann: Actor, bob: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(1))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs, "e"))
    ann.run(close([batch_id]))
    clock.advance(3600)
    retrying = ann.play(verbs.retry_failed(batch_id)).steps()
    assert bob.run(verbs.prune(timedelta(minutes=1))) is None
    assert retrying.commit() == 1
    assert bob.run(verbs.prune(timedelta(minutes=1))) is None
    assert look(bob.conn, batch_id).pending == 1


def test_a_small_scatter_into_a_new_queue_whose_key_is_just_being_pruned_makes_both(
    ann: Actor, bob: Actor, db: psycopg.Connection[Any]
) -> None:
    old, _ = ann.run(verbs.scatter(request(idempotency_key="once"), lines(1)))
    ann.run(verbs.cancel(old))
    db.execute("update ingather.batch set closed_at = closed_at - interval '1 day'")
    pruning = ann.play(verbs.prune(timedelta(hours=1))).steps()
    scattered = request(idempotency_key="once", queue="brand_new")
    again = bob.has_to_wait(lambda: bob.run(verbs.scatter_few(scattered, lines(1))))
    pruning.commit()
    batch_id, is_new = again.result()
    assert is_new
    assert look(db, batch_id).pending == 1
