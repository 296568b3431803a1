"""What handlers can do, and what operators can do to batches: the everyday of the engine."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from ingather.engine import verbs
from ingather.engine.claiming import Claiming
from ingather.engine.engine import Engine
from ingather.engine.errors import BatchClosed, Failed, KeyReused, LeaseLost, NotReady, Reject
from ingather.engine.item import Item
from tests.conftest import Clock
from tests.engine.workshop import build, until


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    engine = build(url)
    yield engine
    engine.close()


def test_a_job_is_a_batch_of_one_and_returns_its_handlers_value(shop: Engine) -> None:
    job = shop.submit("echo", {"word": "one"})
    with pytest.raises(NotReady):
        job.result()
    shop.worker().drain()
    assert job.result() == {"word": "one"}


def test_a_failed_job_raises_what_went_wrong(shop: Engine) -> None:
    job = shop.submit("refuse", {})
    shop.worker().drain()
    with pytest.raises(Failed, match="never"):
        job.result()


def test_a_plain_function_runs_in_a_child_process(shop: Engine) -> None:
    job = shop.submit("nap_aside", {"s": 0})
    shop.worker().drain()
    assert job.result()["pid"] != os.getpid()


def test_results_come_in_the_order_of_the_payloads_and_can_be_read_by_both_kinds_of_loop(shop: Engine) -> None:
    batch = shop.scatter("echo", ({"n": n} for n in range(2_500)))
    shop.worker().drain()
    assert [result["n"] for result in batch.results()] == list(range(2_500))

    async def read() -> list[int]:
        ns = [result["n"] async for result in batch.results()]
        await shop.aclose()
        return ns

    assert asyncio.run(read()) == list(range(2_500))


def test_a_delayed_job_waits_for_its_moment(shop: Engine, clock: Clock) -> None:
    job = shop.submit("echo", {"n": 1}, delay=3600)
    shop.worker().drain()
    assert job.progress().pending == 1
    clock.advance(3600)
    shop.worker().drain()
    assert job.progress().completed == 1


def test_a_handler_scatters_a_child_batch_in_the_commit_that_settles_it(shop: Engine, db: psycopg.Connection) -> None:
    @shop.handler("parent", max_attempts=3)
    async def parent(item: Item) -> str:
        item.scatter("echo", [{"of": item.payload["n"], "n": n} for n in range(3)])
        if item.attempt == 1:
            raise ValueError("after asking for children: they must not be born")
        return "done"

    batch = shop.scatter("parent", [{"n": 1}, {"n": 2}])
    shop.worker().drain()
    assert batch.progress().completed == 2
    children = "select id from ingather.batch where kind = 'echo' and parent_id = %s and state = 'closed'"
    ids = [row[0] for row in db.execute(children, [batch.id])]
    assert len(ids) == 2
    assert [shop.batch(child).progress().completed for child in ids] == [3, 3]


@pytest.mark.parametrize("is_aside", [False, True], ids=["async def", "def"])
def test_a_handler_adds_to_its_own_batch_which_closes_after_all_of_it(shop: Engine, *, is_aside: bool) -> None:
    def step(item: Item) -> int:
        if item.payload["depth"] < 3:
            item.add([{"depth": item.payload["depth"] + 1}] * 2)
        return int(item.payload["depth"])

    async def astep(item: Item) -> int:
        return step(item)

    shop.handler("tree")(step if is_aside else astep)

    @shop.gather("tree")
    async def count(batch: Any) -> int:
        return len([1 async for _ in batch.results()])

    batch = shop.submit("tree", {"depth": 0})
    shop.worker().drain()
    assert batch.progress().total == 15
    assert batch.result() == 15


def test_children_that_cannot_be_scattered_fail_their_parent_for_good(shop: Engine) -> None:
    @shop.handler("clashing")
    async def clashing(item: Item) -> None:
        item.scatter("echo", [{"n": item.ordinal}], idempotency_key="same")

    batch = shop.scatter("clashing", [{}, {}])
    shop.worker().drain()
    ends = sorted((item.state, item.error and item.error["type"]) for item in batch.items())
    assert ends == [("completed", None), ("error", KeyReused.__name__)]


def test_a_batch_takes_more_items_until_it_closes(shop: Engine) -> None:
    batch = shop.scatter("echo", [{"n": 0}])
    assert batch.add([{"n": 1}, {"n": 2}]) == 2
    shop.worker().drain()
    assert [item.ordinal for item in batch.items("completed")] == [0, 1, 2]
    with pytest.raises(BatchClosed, match="takes no more items"):
        batch.add([{"n": 3}])


def test_a_paused_batch_starts_nothing_until_it_is_resumed(shop: Engine) -> None:
    batch = shop.scatter("echo", [{"n": 1}])
    batch.pause()
    shop.worker().drain()
    assert (batch.progress().pending, batch.progress().paused) == (1, True)
    batch.resume()
    shop.worker().drain()
    assert batch.progress().completed == 1


def test_a_paused_queue_starts_nothing_until_it_is_resumed(shop: Engine) -> None:
    batch = shop.scatter("echo", [{"n": 1}])
    shop.pause_queue("default")
    shop.worker().drain()
    assert batch.progress().pending == 1
    shop.resume_queue("default")
    shop.worker().drain()
    assert batch.progress().completed == 1


def test_cancel_stops_running_handlers_closes_the_batch_and_keeps_what_was_finished(shop: Engine) -> None:
    reasons: list[object] = []

    @shop.handler("patient")
    async def patient(item: Item) -> str:
        try:
            await asyncio.sleep(item.payload["s"])
        except asyncio.CancelledError as cancelled:
            reasons.extend(cancelled.args)
            raise
        return "done"

    batch = shop.scatter("patient", [{"s": 0}, {"s": 60}, {"s": 60}, {"s": 60}])

    async def scene() -> None:
        async with shop.worker(concurrency=3):
            while (await batch.aprogress()).completed < 1:
                await asyncio.sleep(0.01)
            assert await batch.acancel()
            assert not await batch.acancel()
            deadline = time.monotonic() + 60
            while len(reasons) < 2 and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
        await shop.aclose()

    asyncio.run(scene())
    seen = batch.progress()
    assert (seen.state, seen.completed, seen.cancelled, seen.error) == ("closed", 1, 3, 0)
    assert [type(why) for why in reasons[:2]] == [LeaseLost, LeaseLost]


def test_retrying_the_failed_reopens_the_batch_with_a_higher_version_and_gathers_again(shop: Engine) -> None:
    is_mended = False

    @shop.handler("shaky")
    async def shaky(item: Item) -> int:
        if item.payload["n"] and not is_mended:
            raise Reject("not yet")
        return int(item.payload["n"])

    @shop.gather("shaky")
    async def total(batch: Any) -> int:
        return sum([n async for n in batch.results()])

    batch = shop.scatter("shaky", [{"n": n} for n in range(4)])
    shop.worker().drain()
    assert (batch.progress().error, batch.result(), batch.progress().version) == (3, 0, 1)
    is_mended = True
    assert batch.retry_failed() == 3
    reopened = batch.progress()
    assert (reopened.state, reopened.pending, reopened.completed, reopened.error) == ("open", 3, 1, 0)
    shop.worker().drain()
    assert (batch.progress().completed, batch.result(), batch.progress().version) == (4, 6, 2)
    assert batch.retry_failed() == 0
    assert batch.progress().is_closed


def test_a_gather_is_retried_like_any_item_and_its_failure_leaves_the_batch_closed(shop: Engine) -> None:
    tries: list[int] = []

    @shop.handler("fine")
    async def fine(item: Item) -> None: ...

    @shop.gather("fine", max_attempts=2)
    def burst(batch: Any) -> None:
        tries.append(1)
        raise ValueError("no room")

    batch = shop.scatter("fine", [{}])
    shop.worker().drain()
    seen = batch.progress()
    assert (seen.state, seen.gather, seen.completed) == ("closed", "error", 1)
    with pytest.raises(Failed, match="no room"):
        batch.result()


def test_a_schedule_fires_once_per_instant_over_the_fleet(shop: Engine, db: psycopg.Connection, clock: Clock) -> None:
    shop.schedule("nightly", cron="0 3 * * *", tz="Asia/Shanghai", kind="echo", payload={"n": 1}, catch_up="all")
    [known] = shop.schedules()
    clock.advance((known.next_at - _now(db)).total_seconds() + 3.5 * 86_400)
    [missed] = shop.schedules()
    instants = missed.cron.firings(missed.next_at - timedelta(microseconds=1), until=_now(db), limit=9)
    assert len(instants) >= 3

    async def scene() -> None:
        workers = [shop.worker() for _ in range(3)]
        for worker in workers:
            await worker.start()
        while len(await asyncio.to_thread(shop.batches)) < len(instants):
            await asyncio.sleep(0.05)
        await asyncio.sleep(1.2)
        for worker in workers:
            await worker.stop()
        await shop.aclose()

    asyncio.run(asyncio.wait_for(scene(), 20))
    keys = {row[0] for row in db.execute("select idempotency_key from ingather.batch")}
    assert keys == {f"schedule:nightly:{instant.isoformat()}" for instant in instants}
    [known] = shop.schedules()
    assert known.next_at > _now(db)


def test_declaring_a_schedule_again_keeps_its_place(shop: Engine, clock: Clock) -> None:
    shop.schedule("hourly", cron="0 * * * *", kind="echo", payload={"n": 1})
    clock.advance(1000)
    [before] = shop.schedules()
    shop.schedule("hourly", cron="0 * * * *", kind="echo", payload={"n": 2})
    [after] = shop.schedules()
    assert after.next_at == before.next_at
    shop.schedule("hourly", cron="30 * * * *", kind="echo", payload={"n": 2})
    assert shop.schedules()[0].next_at != before.next_at
    assert shop.unschedule("hourly")
    assert not shop.unschedule("hourly")


def _now(db: psycopg.Connection) -> Any:
    return db.execute("select clock_timestamp()").fetchone()[0]  # type: ignore[index]


def test_a_worker_runs_inside_an_applications_own_loop(shop: Engine) -> None:
    async def scene() -> Any:
        async with shop.worker(concurrency=2):
            batch = await shop.ascatter("nap", [{"s": 0.01} for _ in range(20)])
            seen = await batch.await_(10)
            result = await batch.aresult()
        await shop.aclose()
        return seen.completed, result

    assert asyncio.run(scene()) == (20, {"naps": 20})


def test_a_job_for_a_queue_nobody_knew_is_picked_up_at_once(shop: Engine, db: psycopg.Connection) -> None:
    async def scene() -> None:
        async with shop.worker():
            for n in range(5):
                job = await shop.asubmit("echo", {"n": n}, queue=f"fresh_{n}")
                await job.await_(5)
        await shop.aclose()

    asyncio.run(scene())
    # One may meet a hiccup of the machine; found by polling alone, several would be as late.
    lag = """select percentile_disc(0.75) within group (order by extract(epoch from o.finished_at - b.created_at))
               from ingather.batch b
               join ingather.segment s on s.batch_id = b.id join ingather.outcome o on o.item_id = s.id << 20"""
    assert db.execute(lag).fetchone()[0] < 0.4  # type: ignore[index]


def test_a_worker_keeps_to_the_queues_it_was_given(shop: Engine) -> None:
    here, elsewhere = shop.submit("echo", {"n": 1}, queue="here"), shop.submit("echo", {"n": 2}, queue="elsewhere")
    shop.worker(queues=["here"]).drain()
    assert (here.progress().completed, elsewhere.progress().pending) == (1, 1)


def test_items_of_a_kind_nobody_knows_stay_pending(shop: Engine, url: str) -> None:
    batch = shop.submit("echo", {"n": 1})
    stranger = Engine(url)

    @stranger.handler("other")
    async def other(item: Item) -> None: ...

    stranger.worker().drain()
    assert batch.progress().pending == 1
    stranger.close()


def test_slow_work_is_not_hoarded(shop: Engine, db: psycopg.Connection) -> None:
    batch = shop.scatter("nap", [{"s": 30} for _ in range(50)])

    async def scene() -> int:
        async with shop.worker(concurrency=5):
            await asyncio.sleep(3)
            running = (await batch.aprogress()).running
            await batch.acancel()
        await shop.aclose()
        return running

    assert asyncio.run(scene()) == 5


def test_work_that_computes_is_not_hoarded_by_slots_that_cannot_run_at_once(
    shop: Engine, db: psycopg.Connection
) -> None:
    """Fifty slots that compute on one event loop are not fifty times as fast as one."""
    held: list[int] = []

    @shop.handler("compute")
    async def compute(item: Item) -> None:
        time.sleep(0.01)  # noqa: ASYNC251  # as if it computed
        held.append(db.execute("select sum(open)::int from ingather.lease").fetchone()[0])  # type: ignore[index]

    shop.scatter("compute", range(300))
    shop.worker(concurrency=50).drain()
    assert max(held) <= 50 + 0.25 / 0.01


def test_free_slots_are_claimed_for_although_others_have_work_waiting() -> None:
    """Else they would stand empty until something ends, or until the next poll."""
    claiming = Claiming(slots=500)
    claiming.set_queues([("default", False)])
    lease: Any = None
    choice = claiming.choose(213, [(lease, item_id, item_id, "1", 0.0) for item_id in range(232)], now=1.0)
    assert choice is not None
    assert choice.k >= 500 - 213 - 232


def test_a_claim_that_was_never_heard_is_given_back(shop: Engine, url: str, db: psycopg.Connection) -> None:
    """A reply lost on the wire leaves a lease that its own live worker does not know of."""
    batch = shop.scatter("nap", [{"s": 0}])
    batch.pause()

    async def scene() -> None:
        async with shop.worker():
            [(worker_id,)] = db.execute("select id from ingather.worker").fetchall()
            lease = """insert into ingather.lease (token, first_id, last_id, batch_id, worker_id, open, starting,
                                                   attempt, lost, is_gather, queue)
                       select 7, id << 20, id << 20, batch_id, %s, 1, 1, 1, 0, false, queue from ingather.segment"""
            db.execute(lease, [worker_id])
            db.execute("update ingather.segment set next_id = last_id + 1, queue = null")
            batch.resume()
            await batch.await_(10)
        await shop.aclose()

    asyncio.run(scene())
    [item] = batch.items()
    assert (item.state, item.attempt, item.lost) == ("completed", 1, 0)


def test_pruning_by_policy_happens_in_the_background(url: str, clock: Clock) -> None:
    shop = build(url, lease=1, keep=timedelta(days=1))
    batch = shop.scatter("echo", [{"n": 1}])
    shop.worker().drain()
    clock.advance(100_000)

    async def scene() -> None:
        async with shop.worker():
            await asyncio.to_thread(until, lambda: not shop.batches())
        await shop.aclose()

    asyncio.run(scene())
    assert batch not in [shop.batch(seen.batch_id) for seen in shop.batches()]
    shop.close()


def test_a_batch_that_was_paused_and_cancelled_still_gathers(shop: Engine) -> None:
    batch = shop.scatter("nap", [{"s": 0}])
    batch.pause()
    batch.cancel()
    shop.worker().drain()
    assert batch.wait(1).gather == "completed"


def test_one_slot_serves_items_that_come_back_without_napping(shop: Engine, db: psycopg.Connection) -> None:
    batch = shop.scatter("nap", [{"s": 0} for _ in range(30)], delay=1)
    shop.worker(concurrency=1).drain()
    assert batch.progress().completed == 30
    spread = "select extract(epoch from max(finished_at) - min(finished_at)) from ingather.outcome where state = 'c'"
    assert db.execute(spread).fetchone()[0] < 3  # type: ignore[index]


def test_a_paused_schedule_rests(shop: Engine, clock: Clock) -> None:
    shop.schedule("hourly", cron="0 * * * *", kind="echo", payload={"n": 1})
    assert shop.pause_schedule("hourly")
    clock.advance(7200)
    shop.worker().drain()
    assert shop.batches() == []
    assert shop.resume_schedule("hourly")
    assert not shop.resume_schedule("daily")


def test_connections_that_the_server_closed_while_they_lay_idle_are_not_used_again(
    shop: Engine, db: psycopg.Connection
) -> None:
    idle = """from pg_stat_activity where datname = current_database() and application_name = 'ingather'
                 and pid <> pg_backend_pid()"""

    async def scene() -> None:
        for _ in range(5):
            assert await shop.abatches() == []
            assert await shop.database.aplay(verbs.list_batches(state=None, kind=None, before=None, limit=1)) == []
            assert await asyncio.to_thread(shop.batches) == []
            # Again and again: a pool may be about to put another in the place of one that it gave up.
            until(lambda: not db.execute(f"select pg_terminate_backend(pid) {idle}").fetchall())
        await shop.aclose()

    asyncio.run(asyncio.wait_for(scene(), 60))


def test_a_program_that_closes_nothing_ends_at_once(url: str) -> None:
    code = "import sys, time; from ingather import Ingather; Ingather(sys.argv[1]).batches(); print(time.time())"
    done = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, timeout=60, check=True)
    assert time.time() - float(done.stdout) < 5
    assert done.stderr == ""
