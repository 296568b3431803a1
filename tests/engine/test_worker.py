"""The worker among others: queues that compete for its slots, databases that misbehave, handlers that will not stop."""

import asyncio
import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ingather.engine import migrations
from ingather.engine.engine import Engine
from ingather.engine.item import Item
from ingather.engine.worker import Worker
from tests.engine.workshop import build, until, worker_process


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    engine = build(url)
    yield engine
    engine.close()


def _waited_s(db: psycopg.Connection, batch_id: int) -> float:
    """How long the first item of a batch waited for its start."""
    waited = """select extract(epoch from min(i.started_at) - b.created_at)::float8 from ingather.item i
                  join ingather.batch b on b.id = i.batch_id where b.id = %s group by b.created_at"""
    return float(db.execute(waited, [batch_id]).fetchone()[0])  # type: ignore[index]


def test_a_limited_queue_is_not_starved_by_an_unlimited_one(shop: Engine, db: psycopg.Connection) -> None:
    shop.set_queue("narrow", max_running=2)
    endless = shop.scatter("nap", ({"s": 0.02} for _ in range(20_000)))

    async def scene() -> int:
        async with shop.worker(concurrency=5):
            await asyncio.sleep(1)
            limited = await shop.ascatter("limited", [{"s": 0.01} for _ in range(6)])
            await limited.await_(20)
            assert (await endless.aprogress()).pending > 0
            await endless.acancel()
        await shop.aclose()
        return limited.id

    assert _waited_s(db, asyncio.run(scene())) < 2


def test_a_small_batch_behind_a_large_one_starts_at_once_in_a_real_worker(shop: Engine, db: psycopg.Connection) -> None:
    large = shop.scatter("nap", ({"s": 0.01} for _ in range(100_000)))

    async def scene() -> int:
        async with shop.worker(concurrency=5):
            await asyncio.sleep(1)
            small = await shop.ascatter("nap", [{"s": 0} for _ in range(5)])
            await small.await_(20)
            assert (await large.aprogress()).pending > 50_000
            await large.acancel()
        await shop.aclose()
        return small.id

    assert _waited_s(db, asyncio.run(scene())) < 2


def test_many_parents_settle_without_running_twice(shop: Engine) -> None:
    runs: list[int] = []

    @shop.handler("parent")
    async def parent(item: Item) -> None:
        runs.append(item.id)
        item.scatter("echo", [{"n": 1}])

    batch = shop.scatter("parent", ({} for _ in range(400)))
    shop.worker(concurrency=200).drain()
    assert batch.progress().completed == 400
    assert len(runs) == len(set(runs)) == 400
    assert len(shop.batches(kind="echo", state="closed", limit=500)) == 400


def test_a_held_batch_holds_up_only_its_own_parents(shop: Engine, url: str, db: psycopg.Connection) -> None:
    @shop.handler("grower")
    async def grower(item: Item) -> None:
        if item.ordinal == 0:
            item.add([{}])

    grown = shop.scatter("grower", [{}])

    async def scene() -> None:
        async with await psycopg.AsyncConnection.connect(url) as holder:
            await holder.execute("select from ingather.batch where id = %s for update", [grown.id])
            async with shop.worker():
                await asyncio.sleep(0.5)
                other = await shop.asubmit("echo", {"n": 1}, queue="other")
                await other.await_(5)
                assert (await grown.aprogress()).total == 1
                await holder.rollback()
                await grown.await_(10)
        await shop.aclose()

    asyncio.run(scene())
    assert grown.progress().completed == 2


def _is_ready(worker: Worker) -> bool:
    return worker.is_connected


def test_a_worker_recovers_from_a_read_only_spell_and_says_so_meanwhile(
    shop: Engine, url: str, db: psycopg.Connection
) -> None:
    [name] = db.execute("select current_database()").fetchone() or [""]
    others = """select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = %s and application_name like 'ingather%%'"""

    async def scene() -> None:
        async with shop.worker() as worker:
            await (await shop.asubmit("echo", {"n": 1})).await_(5)
            assert _is_ready(worker)
            db.execute(f'alter database "{name}" set default_transaction_read_only = on')
            db.execute(others, [name])
            while _is_ready(worker):
                await asyncio.sleep(0.02)
            db.execute("set default_transaction_read_only = off")
            db.execute(f'alter database "{name}" reset default_transaction_read_only')
            job = await shop.asubmit("echo", {"n": 2})
            await job.await_(15)
            assert _is_ready(worker)
        await shop.aclose()

    asyncio.run(asyncio.wait_for(scene(), 60))


def test_stop_returns_although_a_handler_will_not_be_cancelled(shop: Engine) -> None:
    @shop.handler("stubborn")
    async def stubborn(item: Item) -> None:
        until_then = time.monotonic() + 3
        while time.monotonic() < until_then:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                continue

    batch = shop.submit("stubborn", {})

    async def scene() -> float:
        worker = shop.worker()
        await worker.start()
        while not (await batch.aprogress()).running:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        await worker.stop(grace=0.1)
        await shop.aclose()
        return time.monotonic() - began

    loop = asyncio.new_event_loop()
    complaints: list[dict[str, object]] = []
    loop.set_exception_handler(lambda _, complaint: complaints.append(complaint))
    assert loop.run_until_complete(asyncio.wait_for(scene(), 20)) < 5
    loop.run_until_complete(asyncio.sleep(3.5))
    loop.close()
    gc.collect()
    assert complaints == []
    assert batch.progress().pending == 1


def test_a_cancelled_host_still_takes_its_worker_down(shop: Engine) -> None:
    shop.submit("nap", {"s": 30})

    async def host() -> None:
        async with shop.worker():
            await asyncio.sleep(60)

    async def scene() -> None:
        task = asyncio.create_task(host())
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while await shop.aworkers():
            await asyncio.sleep(0.05)
        await shop.aclose()

    # The farewell waits for the handler's grace time, so it is shortened here.
    import ingather.engine.worker as worker_module

    worker_module.Worker.stop.__defaults__ = (0.2,)
    try:
        asyncio.run(asyncio.wait_for(scene(), 30))
    finally:
        worker_module.Worker.stop.__defaults__ = (worker_module.GRACE_S,)


def test_slots_fill_at_once_from_two_queues_and_from_items_that_come_due_together(
    shop: Engine, db: psycopg.Connection
) -> None:
    for queue in ("one", "two"):
        shop.scatter("nap", [{"s": 1} for _ in range(5)], queue=queue)
    shop.scatter("nap", [{"s": 1} for _ in range(10)], queue="due", delay=2)
    shop.worker(concurrency=10).drain()
    spread = """select extract(epoch from max(started_at) - min(started_at))::float8 from ingather.item
                 where batch_id = any(%s)"""
    assert db.execute(spread, [[1, 2]]).fetchone()[0] < 0.35  # type: ignore[index]
    assert db.execute(spread, [[3]]).fetchone()[0] < 0.35  # type: ignore[index]


def test_draining_again_and_again_keeps_no_connections(shop: Engine, db: psycopg.Connection) -> None:
    used = "select count(*) from pg_stat_activity where datname = current_database()"

    def drain() -> int:
        shop.submit("echo", {"n": 1})
        shop.worker().drain()
        asyncio.run(shop.aqueues())
        return int(db.execute(used).fetchone()[0])  # type: ignore[index]

    first = drain()
    assert max(drain() for _ in range(5)) <= first + 2


def test_sigterm_to_the_whole_group_lets_plain_functions_finish(shop: Engine, url: str) -> None:
    batch = shop.scatter("nap_aside", [{"s": 1.5} for _ in range(3)])
    with worker_process(url, lease=10) as worker:
        until(lambda: batch.progress().running == 3)
        time.sleep(0.5)
        os.killpg(worker.pid, signal.SIGTERM)
        assert worker.wait(15) == 0
    assert [(item.state, item.lost) for item in batch.items()] == [("completed", 0)] * 3


def test_drain_does_not_wait_for_a_queue_that_is_blocked_for_long(shop: Engine, db: psycopg.Connection) -> None:
    shop.scatter("throttled", [{"flag": ""}])
    db.execute(
        "update ingather.queue set blocked_until = clock_timestamp() + interval '1 hour' where name = 'provider'"
    )
    began = time.monotonic()
    shop.worker().drain()
    # Wide, for a busy machine: the queue is blocked for an hour.
    assert time.monotonic() - began < 60


def test_a_migration_applied_while_workers_run_disturbs_nothing(
    shop: Engine, url: str, db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = shop.scatter("nap", [{"s": 0.01} for _ in range(3_000)])
    next_version = migrations.LATEST + 1
    note = migrations.Migration(next_version, "note", "engine", "alter table ingather.batch add column note text")
    newer = [*migrations.available_migrations(), note]
    with worker_process(url):
        until(lambda: batch.progress().completed > 50)
        monkeypatch.setattr(migrations, "available_migrations", lambda: newer)
        monkeypatch.setattr(migrations, "ROOM_OF", migrations.ROOM_OF | {next_version: "engine"})
        threads = [threading.Thread(target=migrations.migrate, args=[url]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert batch.progress().pending > 0
        assert batch.wait(60).completed == 3_000
    assert db.execute("select count(*) from ingather.migration").fetchone() == (next_version,)
    assert db.execute("select note from ingather.batch").fetchone() == (None,)


def test_a_page_of_items_costs_the_same_wherever_it_is(shop: Engine, db: psycopg.Connection) -> None:
    import ingather.engine.statements as sql

    batch = shop.scatter("echo", ({"n": n} for n in range(60_000)))
    db.execute("analyze")
    first = batch.id << 20

    def touched(after: int) -> int:
        params: dict[str, Any] = {"batch_id": batch.id, "after": after, "limit": 100}
        [[plan]] = db.execute(f"explain (analyze, buffers, format json) {sql.PAGE}", params).fetchone()  # type: ignore[misc]
        return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])

    assert touched(first + 50_000) <= 3 * touched(-1)
    assert touched(-1) < 3_000


def test_results_larger_than_any_socket_buffer_are_settled(shop: Engine) -> None:
    @shop.handler("large")
    async def large(item: Item) -> str:
        return "x" * 300_000

    batch = shop.scatter("large", ({} for _ in range(60)))
    shop.worker(concurrency=60).drain()
    assert batch.progress().completed == 60


def test_outcomes_the_database_refuses_are_errors_and_their_neighbours_are_not(
    shop: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    @shop.handler("sour")
    async def sour(item: Item) -> dict[str, Any]:
        runs.append(item.id)
        await asyncio.sleep(0.001)
        return {"n": item.payload["n"]}

    def encode(value: Any) -> bytes:
        return b'"\\u0000"' if value["n"] % 50 == 0 else b'"fine"'

    monkeypatch.setattr("ingather.engine.runner.encode_result", encode)
    batch = shop.scatter("sour", [{"n": n} for n in range(500)])
    shop.worker(concurrency=20).drain()
    seen = batch.progress()
    assert (seen.completed, seen.error) == (490, 10)
    assert {item.error["reason"] for item in batch.items("error") if item.error} == {"bad_result"}
    assert len(runs) == len(set(runs)) == 500
