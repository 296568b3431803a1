"""The fourteen promises of the engine, each by name. Real processes, a real database, a real kill -9."""

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather import embedded
from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.engine import Engine
from ingather.engine.errors import KeyReused, PayloadRefused, Reject, RetryLater
from ingather.engine.item import Item
from ingather.engine.migrations import migrate
from ingather.engine.script import Statement, run_script
from ingather.engine.verdict import Died, Overdue, verdict
from tests.conftest import FAST, Clock
from tests.engine import actors
from tests.engine.workshop import build, children_of, nursery_of, sentinel_of, until, worker_process

TABLES = ("batch", "segment", "payload", "lease", "waiting", "outcome", "tally")


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    engine = build(url)
    yield engine
    engine.close()


def counts(db: psycopg.Connection) -> dict[str, int]:
    return {table: db.execute(f"select count(*) from ingather.{table}").fetchone()[0] for table in TABLES}  # type: ignore[index]


def states(db: psycopg.Connection, batch_id: int) -> Counter[str]:
    rows = db.execute("select state from ingather.item where batch_id = %s", [batch_id]).fetchall()
    return Counter(state for (state,) in rows)


# --- 1. All or nothing ---------------------------------------------------------------------------------------------


def test_promise_1_a_scatter_that_fails_midway_leaves_nothing(shop: Engine, db: psycopg.Connection) -> None:
    def payloads() -> Iterator[Any]:
        yield from ({"n": n} for n in range(20_000))
        raise RuntimeError("the source dried up")

    with pytest.raises(RuntimeError, match="dried up"):
        shop.scatter("echo", payloads(), idempotency_key="k")
    assert set(counts(db).values()) == {0}


def test_promise_1_a_scatter_killed_midway_leaves_nothing(shop: Engine, url: str, db: psycopg.Connection) -> None:
    script = (
        "import sys, itertools; from tests.engine.workshop import build\n"
        "build(sys.argv[1]).scatter('echo', ({'n': n} for n in itertools.count()))"
    )
    with subprocess.Popen([sys.executable, "-c", script, url]) as process:
        copying = (
            "select 1 from pg_stat_activity where query ilike 'copy ingather.payload%' and datname = current_database()"
        )
        until(lambda: db.execute(copying).fetchone())
        time.sleep(0.1)
        process.kill()
    until(lambda: not db.execute(copying).fetchone())
    assert set(counts(db).values()) == {0}


def test_promise_1_a_scatter_joins_the_callers_transaction(shop: Engine, url: str, db: psycopg.Connection) -> None:
    with psycopg.connect(url) as mine:
        mine.execute("create table order_placed (id int)")
        batch = shop.scatter("echo", [{"n": 1}], conn=mine)
        assert counts(db)["batch"] == 0
        mine.rollback()
        assert counts(db)["batch"] == 0
        batch = shop.scatter("echo", [{"n": 1}], conn=mine)
        mine.commit()
    assert batch.progress().pending == 1


async def _scatter_in_transaction(shop: Engine, url: str) -> int:
    async with await psycopg.AsyncConnection.connect(url) as mine:
        batch = await shop.ascatter("echo", [{"n": 1}, {"n": 2}], conn=mine)
        await mine.commit()
    progress = await batch.aprogress()
    await shop.aclose()
    return progress.pending


def test_promise_1_a_caller_with_a_loop_joins_its_transaction_too(shop: Engine, url: str) -> None:
    assert asyncio.run(_scatter_in_transaction(shop, url)) == 2


@pytest.mark.parametrize("items", [1, 100, 101])
def test_promise_1_one_key_makes_one_batch_also_when_two_come_at_once(
    shop: Engine, db: psycopg.Connection, items: int
) -> None:
    barrier = threading.Barrier(4)
    ids: list[int] = []

    def scatter() -> None:
        barrier.wait()
        ids.append(shop.scatter("echo", [{"n": n} for n in range(items)], idempotency_key="once").id)

    threads = [threading.Thread(target=scatter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 4
    assert len(set(ids)) == 1
    assert counts(db)["payload"] == items
    with pytest.raises(KeyReused, match="belongs to batch"):
        shop.scatter("echo", [{"n": n} for n in range(items + 1)], idempotency_key="once")
    with pytest.raises(KeyReused):
        shop.scatter("echo", [{"n": n} for n in range(items)], idempotency_key="once", priority=1)
    assert counts(db)["batch"] == 1


def test_promise_1_a_million_items_are_scattered_in_constant_memory(shop: Engine, url: str) -> None:
    script = """
import resource, sys
from tests.engine import actors
from tests.engine import actors
from tests.engine.workshop import build
app = build(sys.argv[1])
app.scatter("echo", [{"n": 0}])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
batch = app.scatter("echo", ({"n": n, "text": "abcdefghij" * 5} for n in range(1_000_000)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, batch.progress().pending)
"""
    done = subprocess.run([sys.executable, "-c", script, url], capture_output=True, text=True, check=True)
    grown_kb, pending = map(int, done.stdout.split())
    assert pending == 1_000_000
    assert grown_kb < 50_000


# --- 2. One truth --------------------------------------------------------------------------------------------------


def test_promise_2_an_item_has_one_outcome_and_nothing_is_rewritten(shop: Engine, db: psycopg.Connection) -> None:
    batch = shop.scatter("echo", [{"n": n} for n in range(3_000)])
    shop.worker().drain()
    assert states(db, batch.id) == {"completed": 3_000}
    with pytest.raises(psycopg.errors.UniqueViolation):
        db.execute("insert into ingather.outcome select (outcome).* from ingather.outcome limit 1")
    db.execute("select pg_stat_force_next_flush()")
    rewritten = """select relname, n_tup_upd + n_tup_del from pg_stat_user_tables
                    where schemaname = 'ingather' and relname in ('payload', 'outcome')"""
    written = "select n_tup_ins >= 3000 from pg_stat_user_tables where relname = 'outcome'"
    until(lambda: db.execute(written).fetchone() == (True,))
    assert dict(db.execute(rewritten).fetchall()) == {"payload": 0, "outcome": 0}


# --- 3. Fenced -----------------------------------------------------------------------------------------------------


def test_promise_3_a_stopped_worker_that_wakes_up_late_changes_nothing(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    batch = shop.scatter("nap", [{"s": 1.5}])
    with worker_process(url, lease=1) as zombie:
        until(lambda: states(db, batch.id)["running"])
        os.kill(zombie.pid, signal.SIGSTOP)
        with worker_process(url, lease=1) as other:
            batch.wait(15)
            [result] = batch.results()
            # Having been lost once, it ran in a child of the other worker, alone.
            assert (result["session"], result["lost"]) == (other.pid, 1)
            assert result["pid"] != other.pid
            os.kill(zombie.pid, signal.SIGCONT)
            # It notices, stops its handler, and comes back under another id.
            until(lambda: db.execute("select 1 from ingather.worker where pid = %s", [zombie.pid]).fetchone())
        time.sleep(2)
        assert zombie.poll() is None
    assert list(batch.results()) == [result]
    assert states(db, batch.id) == {"completed": 1}


# --- 4. Nothing is lost --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_sentinel_spared", [True, False], ids=["worker alone", "worker and sentinel"])
def test_promise_4_what_a_killed_worker_held_runs_elsewhere_within_lease_and_a_second(
    shop: Engine, url: str, db: psycopg.Connection, *, is_sentinel_spared: bool
) -> None:
    batch = shop.scatter("nap", [{"s": 60} for _ in range(10)])
    # Items of a worker whose sentinel lives come back long before the lease is over.
    with worker_process(url, lease=600 if is_sentinel_spared else 2) as victim:
        until(lambda: states(db, batch.id)["running"] == 10)
        with worker_process(url, lease=2) as other:
            until(lambda: db.execute("select 1 from ingather.worker where pid = %s", [other.pid]).fetchone())
            if not is_sentinel_spared:
                os.kill(sentinel_of(victim.pid), signal.SIGKILL)
            victim.kill()
            heir = """select count(*) from ingather.item i join ingather.worker w on w.id = i.worker_id
                       where w.pid = %s and i.state = 'running' and i.lost = 1"""
            until(lambda: db.execute(heir, [other.pid]).fetchone() == (10,))
            batch.cancel()


def test_promise_4_an_item_that_kills_its_worker_three_times_ends_and_its_neighbours_are_not_blamed(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    batch = shop.scatter("poison", [{"kills": n == 3, "s": 0.2} for n in range(6)])
    with worker_process(url, concurrency=3, lease=1) as first:
        first.wait(15)
        with worker_process(url, concurrency=3, lease=1):
            batch.wait(20)
    [bad] = batch.items("error")
    assert (bad.ordinal, bad.lost, bad.error["reason"] if bad.error else "") == (3, 3, "lost")
    good = list(batch.items("completed"))
    assert [item.ordinal for item in good] == [0, 1, 2, 4, 5]
    # Only those that were running beside it can have seen a loss, and never more than that one.
    assert {item.ordinal: item.lost for item in good if item.ordinal > 4} == {5: 0}
    assert max(item.lost for item in good) <= 1


def test_promise_4_a_child_does_not_wait_for_what_a_thread_of_its_worker_was_at(
    shop: Engine, url: str, db: psycopg.Connection, tmp_path: Path
) -> None:
    """A process forked while a thread imports inherits the lock on that import, and nobody who would open it."""
    lesson = "import time, pathlib; pathlib.Path(__file__ + '.seen').touch(); time.sleep(1); LESSON = 'patience'"
    (tmp_path / "slow_lesson.py").write_text(lesson)
    params = {"folder": str(tmp_path), "module": "slow_lesson"}
    survivor = shop.submit("learn", params, delay=3600)
    with worker_process(url):
        first = shop.submit("learn", params)
        until((tmp_path / "slow_lesson.py.seen").exists)
        # It took a worker down once, so it runs in a child.
        db.execute("update ingather.waiting set lost = 1, run_at = now() where batch_id = %s", [survivor.id])
        assert [batch.wait(15).completed for batch in (first, survivor)] == [1, 1]


def test_promise_4_work_goes_on_when_the_process_that_keeps_the_children_is_killed(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    batch = shop.scatter("nap_aside", [{"s": 1}, {"s": 1}])
    with worker_process(url) as worker:
        until(lambda: states(db, batch.id)["running"] == 2)
        keeper = nursery_of(worker.pid)
        until(lambda: any(children_of(keeper)))
        os.kill(keeper, signal.SIGKILL)
        assert batch.wait(30).completed == 2
    assert [item.lost for item in batch.items()] == [0, 0]  # neither can be blamed more than the other


# --- 5. Alive means alive ------------------------------------------------------------------------------------------


def until_watched(db: psycopg.Connection, workers: int) -> None:
    """Until every worker has its sentinel: with a lease of a second, a busy machine may need longer to start one."""
    standing = """select count(distinct pid) from pg_stat_activity
                   where datname = current_database() and application_name = 'ingather sentinel'"""
    until(lambda: db.execute(standing).fetchone() == (workers,), 30)


def test_promise_5_a_blocked_loop_is_not_a_dead_worker(shop: Engine, url: str, db: psycopg.Connection) -> None:
    with worker_process(url, lease=1) as one, worker_process(url, lease=1) as other:
        until_watched(db, 2)
        batch = shop.scatter("block", [{"s": 2.5}], timeout=30)
        batch.wait(15)
        assert (one.poll(), other.poll()) == (None, None)
    [item] = batch.items()
    assert (item.state, item.lost, item.attempt) == ("completed", 0, 1)


def test_promise_5_a_handler_that_blocks_the_loop_past_its_deadline_costs_it_a_failure(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    with worker_process(url, lease=1), worker_process(url, lease=1):
        until_watched(db, 2)
        batch = shop.scatter("block", [{"s": 3600}])
        batch.wait(30)
    [item] = batch.items()
    assert (item.state, item.attempt, item.lost, item.error and item.error["reason"]) == ("error", 2, 0, "timeout")


@pytest.mark.parametrize("kind", ["nap", "nap_aside"], ids=["async def", "def"])
def test_promise_5_a_hung_handler_is_stopped_at_its_deadline(shop: Engine, kind: str) -> None:
    batch = shop.scatter(kind, [{"s": 3600}], timeout=1, max_attempts=1)
    shop.worker().drain()
    [item] = batch.items()
    assert (item.state, item.attempt, item.error and item.error["reason"]) == ("error", 1, "timeout")


def test_promise_5_time_in_the_queue_does_not_count_against_the_deadline(shop: Engine) -> None:
    batch = shop.scatter("nap", [{"s": 0.4} for _ in range(6)], timeout=1)
    shop.worker(concurrency=1).drain()
    assert batch.progress().completed == 6


# --- 6. Errors are routed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "attempt", "lost", "is_over", "reason", "counts", "delay_s"),
    [
        (Reject("no"), 1, 0, True, "rejected", True, 0),
        (RetryLater(7), 1, 0, False, "retry_later", False, 7),
        (RetryLater(7), 4, 0, False, "retry_later", False, 7),
        (ValueError("x"), 1, 0, False, "failed", True, 2),
        (ValueError("x"), 3, 0, False, "failed", True, 8),
        (ValueError("x"), 4, 0, True, "exhausted", True, 0),
        (Overdue("late"), 1, 0, False, "timeout", True, 2),
        (Overdue("late"), 4, 0, True, "timeout", True, 0),
        (Died("SIGKILL"), 4, 0, False, "lost", False, 0),
        (Died("SIGKILL"), 1, 2, True, "lost", False, 0),
        (SystemExit(0), 1, 0, False, "failed", True, 2),
    ],
)
def test_promise_6_the_table_of_verdicts(
    error: BaseException, *, attempt: int, lost: int, is_over: bool, reason: str, counts: bool, delay_s: float
) -> None:
    ruling = verdict(error, attempt=attempt, max_attempts=4, lost=lost, jitter=lambda _, high: high)
    assert (ruling.is_over, ruling.error["reason"], ruling.counts, ruling.delay_s) == (is_over, reason, counts, delay_s)


def test_promise_6_errors_are_routed(shop: Engine, clock: Clock) -> None:
    calls: Counter[int] = Counter()

    @shop.handler("mixed", max_attempts=2)
    async def mixed(item: Item) -> Any:
        calls[item.ordinal] += 1
        match item.payload["what"], calls[item.ordinal]:
            case "reject", _:
                raise Reject("cannot be read")
            case "later", 1:
                raise RetryLater(0.05)
            case "flaky", 1:
                raise ValueError("once")
            case "broken", _:
                raise ValueError("always")
            case "bad result", _:
                return object()
        return item.attempt

    batch = shop.scatter("mixed", [{"what": w} for w in ("ok", "reject", "later", "flaky", "broken", "bad result")])
    shop.worker().drain()
    ends = [(i.state, i.attempt, i.result, i.error and i.error["reason"]) for i in batch.items()]
    assert ends == [
        ("completed", 1, 1, None),
        ("error", 1, None, "rejected"),
        ("completed", 1, 1, None),
        ("completed", 2, 2, None),
        ("error", 2, None, "exhausted"),
        ("error", 1, None, "bad_result"),
    ]
    assert calls == {0: 1, 1: 1, 2: 2, 3: 2, 4: 2, 5: 1}


# --- 7. Closes exactly once ----------------------------------------------------------------------------------------


def test_promise_7_a_batch_closes_at_once_also_with_failed_items_and_gathers(
    shop: Engine, db: psycopg.Connection
) -> None:
    @shop.handler("half")
    async def half(item: Item) -> Any:
        if item.payload["n"] % 2:
            raise Reject("odd")
        return item.payload["n"]

    @shop.gather("half")
    async def total(batch: Any) -> Any:
        return sum([n async for n in batch.results()])

    batch = shop.scatter("half", [{"n": n} for n in range(10)])
    shop.worker().drain()
    seen = batch.wait(1)
    assert (seen.completed, seen.error, seen.state, seen.gather) == (5, 5, "closed", "completed")
    assert batch.result() == 20
    lag = """select extract(epoch from closed_at - (select max(finished_at) from ingather.item where batch_id = b.id))
               from ingather.batch b where id = %s"""
    assert db.execute(lag, [batch.id]).fetchone()[0] < 0.1  # type: ignore[index]


def test_promise_7_two_closers_close_once(shop: Engine, url: str, db: psycopg.Connection) -> None:
    batches = [shop.scatter("nap", [{"s": 0}]) for _ in range(20)]
    ids = [batch.id for batch in batches]
    # Settle without closing: an outcome by hand under a lease by hand.
    for batch in batches:
        worker_id = run_script(db, _register())
        [lease] = _claim(db, worker_id, after=batch.id - 1)
        _complete(db, worker_id, lease)
    barrier = threading.Barrier(2)
    closed: list[int] = []

    def close() -> None:
        with psycopg.connect(url, autocommit=True) as conn:
            barrier.wait()
            for batch_id in ids:
                closed.extend(run_script(conn, actors.close([batch_id])))

    threads = [threading.Thread(target=close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(closed) == ids
    assert db.execute("select count(*) from ingather.waiting where is_gather").fetchone() == (20,)


def _register() -> Any:
    who = {"host": "here", "pid": 1, "kinds": ["nap"], "lease": timedelta(seconds=60)}
    [(worker_id,)] = yield Statement(sql.REGISTER, who)
    return worker_id


def _claim(db: psycopg.Connection, worker_id: int, after: int = 0, k: int = 1, kinds: str = "nap") -> list[Any]:
    shares = [share for (share,) in db.execute("select distinct share from ingather.segment").fetchall()]
    params = {
        "worker_id": worker_id, "queue": "default", "kinds": [kinds], "k": k, "kw": k, "free": k, "after_share": "",
        "shares": shares, "afters": [after for _ in shares], "token": secrets.randbits(62),
        "is_locked": False,
    }  # fmt: skip
    return db.execute(sql.CLAIM, params).fetchall()


def _complete(db: psycopg.Connection, worker_id: int, lease: Any) -> int:
    token, first_id = lease[:2]
    done = {
        "worker_id": worker_id, "tokens": [token], "token_of": [token], "ids": [first_id], "states": ["c"],
        "took_ms": [1], "results": "1", "errors": "",
    }  # fmt: skip
    return int(db.execute(sql.SETTLE, done).fetchone()[0])  # type: ignore[index]


# --- 8. Exact progress ---------------------------------------------------------------------------------------------


def test_promise_8_progress_adds_up_at_every_read_while_two_workers_drain(shop: Engine, url: str) -> None:
    batch = shop.scatter("echo", [{"n": n} for n in range(30_000)])
    reads = 0
    with worker_process(url), worker_process(url):
        while not (seen := batch.progress()).is_closed:
            assert seen.pending + seen.running + seen.completed + seen.error + seen.cancelled == 30_000
            assert min(seen.pending, seen.running, seen.completed) >= 0
            reads += 1
    assert reads > 50
    assert seen.completed == 30_000


def test_promise_8_reading_progress_costs_the_same_for_a_million_items(shop: Engine, db: psycopg.Connection) -> None:
    def pages(batch_id: int) -> int:
        explain = f"explain (analyze, buffers, format json) {sql.PROGRESS}"
        [[plan]] = db.execute(explain, {"batch_ids": [batch_id]}).fetchone()  # type: ignore[misc]
        return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])

    small = shop.scatter("echo", ({"n": n} for n in range(1_000)))
    large = shop.scatter("echo", ({"n": n} for n in range(1_000_000)))
    worker_id = run_script(db, _register())
    for batch in (small, large):
        [lease] = _claim(db, worker_id, after=batch.id - 1, k=500, kinds="echo")
        _complete(db, worker_id, lease)
    assert 0 < pages(large.id) <= 10 * pages(small.id)


# --- 9. Limits hold for the fleet ----------------------------------------------------------------------------------


def test_promise_9_running_items_never_exceed_the_limit_of_their_queue(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    shop.set_queue("narrow", max_running=7)
    batch = shop.scatter("limited", [{} for _ in range(1_500)])
    observations, most = 0, 0
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(worker_process(url, concurrency=25))
        while not batch.progress().is_closed:
            for _ in range(50):
                [(running,)] = db.execute(
                    "select coalesce(sum(open), 0) from ingather.lease where queue = 'narrow'"
                ).fetchall()
                most = max(most, running)
                observations += 1
    assert observations >= 500
    assert 5 <= most <= 7


def test_promise_9_a_rate_holds_in_every_window(shop: Engine, url: str, db: psycopg.Connection) -> None:
    shop.set_queue("narrow", rate=(10, timedelta(seconds=1)))
    batch = shop.scatter("limited", [{"s": 0} for _ in range(35)])
    with worker_process(url), worker_process(url):
        batch.wait(20)
    starts = sorted(row[0] for row in db.execute("select used_at from ingather.rate_use, generate_series(1, items)"))
    assert len(starts) == 35
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in zip(starts, starts[10:], strict=False))


def test_promise_9_a_small_batch_behind_a_large_one_starts_in_the_next_claim(
    shop: Engine, db: psycopg.Connection
) -> None:
    large = shop.scatter("nap", ({"s": 0} for _ in range(100_000)))
    worker_id = run_script(db, _register())
    assert {row[3] for row in _claim(db, worker_id, after=0, k=100)} == {large.id}
    small = shop.scatter("nap", [{"s": 0} for _ in range(5)])
    rows = _claim(db, worker_id, after=large.id, k=100)
    assert [(row[3], row[2] - row[1] + 1) for row in rows] == [(small.id, 5), (large.id, 95)]


def test_promise_9_a_high_priority_goes_first(shop: Engine) -> None:
    order: list[str] = []

    @shop.handler("note")
    async def note(item: Item) -> None:
        order.append(item.payload)

    for name, priority in (("low", -5), ("middle", 0), ("high", 5)):
        shop.scatter("note", [name] * 3, priority=priority)
    shop.worker(concurrency=1).drain()
    assert order == ["high"] * 3 + ["middle"] * 3 + ["low"] * 3


def test_promise_9_one_retry_later_holds_the_whole_queue_everywhere(
    shop: Engine, url: str, db: psycopg.Connection, tmp_path: Path
) -> None:
    shop.set_queue("provider", max_running=20)
    flag = str(tmp_path / "f")
    with worker_process(url, concurrency=2) as one, worker_process(url, concurrency=2) as two:
        pids = [one.pid, two.pid]
        known = "select count(*) from ingather.worker where pid = any(%s)"
        until(lambda: db.execute(known, [pids]).fetchone() == (2,))
        first = shop.scatter("throttled", [{"is_first": True, "flag": flag}])
        until(
            lambda: db.execute("select blocked_until from ingather.queue where name = 'provider'").fetchone() != (None,)
        )
        rest = shop.scatter("throttled", [{"flag": ""} for _ in range(200)])
        [(blocked_until,)] = db.execute("select blocked_until from ingather.queue where name = 'provider'").fetchall()
        assert rest.progress().pending == 200
        first.wait(15)
        rest.wait(15)
    started = "select min(finished_at - took_ms * interval '1 ms') from ingather.outcome"
    assert db.execute(started).fetchone()[0] >= blocked_until - timedelta(milliseconds=5)  # type: ignore[index]
    [item] = first.items()
    assert (item.state, item.attempt) == ("completed", 1)


# --- 10. Only the database's clock ---------------------------------------------------------------------------------


def test_promise_10_a_worker_whose_clock_is_hours_off_changes_nothing(shop: Engine, url: str, clock: Clock) -> None:
    later = shop.submit("echo", {"n": 1}, delay=3600)
    with worker_process(url, lease=1, is_away=True), worker_process(url, lease=1):
        shop.scatter("nap", [{"s": 1.5} for _ in range(10)]).wait(15)
        assert later.progress().pending == 1
        clock.advance(3600)
        later.wait(15)
    assert all(item.lost == 0 for item in later.items())


# --- 11. No session state: see test_pooler -------------------------------------------------------------------------

# --- 12. Small payloads --------------------------------------------------------------------------------------------


def test_promise_12_a_large_payload_is_refused_with_advice(shop: Engine, db: psycopg.Connection) -> None:
    with pytest.raises(PayloadRefused, match=r"1,024 bytes and this one takes 1,0\d\d\. Store the data elsewhere"):
        shop.scatter("echo", [{"n": 1}, {"text": "x" * 1_020}])
    assert set(counts(db).values()) == {0}


# --- 13. Graceful --------------------------------------------------------------------------------------------------


def test_promise_13_sigterm_finishes_what_runs_and_gives_the_rest_back(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    batch = shop.scatter("nap", [{"s": 0.5} for _ in range(100)])
    with worker_process(url, concurrency=4, lease=30) as leaving:
        until(lambda: batch.progress().completed >= 4)
        leaving.send_signal(signal.SIGTERM)
        assert leaving.wait(10) == 0
    seen = batch.progress()
    assert seen.running == 0
    assert seen.completed + seen.pending == 100
    assert db.execute("select count(*) from ingather.worker").fetchone() == (0,)
    assert all((item.attempt, item.lost) == (0, 0) for item in batch.items("pending"))
    batch.cancel()


def test_promise_13_a_worker_outlives_its_database(tmp_path: Path) -> None:
    home = tmp_path / "own"
    with embedded.start(home, settings=FAST, keep=True) as server:
        migrate(server.url)
        shop = build(server.url, lease=1)
        with worker_process(server.url, lease=2) as worker:
            until(shop.workers)
            before = shop.scatter("nap", [{"s": 0.3} for _ in range(50)])
            until(lambda: before.progress().completed > 0)
            embedded.stop(home)
            time.sleep(1)
            with embedded.start(home, settings=FAST):
                after = shop.scatter("nap", [{"s": 0} for _ in range(5)])
                assert (before.wait(20).completed, after.wait(20).completed) == (50, 5)
                assert worker.poll() is None
                worker.terminate()
                assert worker.wait(10) == 0
        shop.close()
    embedded.stop(home)


# --- 14. Cheap to keep ---------------------------------------------------------------------------------------------


def test_promise_14_closed_batches_are_pruned_in_small_steps_and_open_ones_stay(
    shop: Engine, db: psycopg.Connection, clock: Clock
) -> None:
    old = shop.scatter("nap", [{"s": 0} for _ in range(12_000)])
    shop.worker().drain()
    assert old.wait(1).gather == "completed"
    clock.advance(90_000)
    fresh = shop.scatter("echo", [{"n": 1}])
    shop.worker().drain()
    waiting = shop.scatter("echo", [{"n": 2}])
    steps = 0
    while run_script(db, verbs.prune(timedelta(days=1))):
        steps += 1
        assert counts(db)["payload"] >= 12_002 - steps * verbs.PRUNE_ROWS
    assert steps == 3
    assert counts(db) == {"batch": 2, "segment": 2, "payload": 2, "lease": 0, "waiting": 0, "outcome": 1, "tally": 0}
    assert (fresh.progress().state, waiting.progress().state) == ("closed", "open")
