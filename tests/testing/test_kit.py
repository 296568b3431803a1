"""The testing kit, used as somebody would who tests an application of their own."""

import asyncio
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, PayloadRefused, Reject, RetryLater, UnknownKind, UsageError
from ingather.engine.item import Item
from ingather.testing import Kit, make_item, run_by_hand

pytest_plugins = ["ingather.testing.plugin"]

app = Engine("postgresql://nowhere.invalid/none")
seen: list[Any] = []


@app.handler("greet", max_attempts=3)
async def greet(item: Item) -> str:
    """Does what its payload says."""
    seen.append((item.attempt, item.lost))
    if item.payload == "nobody":
        raise Reject("there is nobody")
    if item.payload == "flaky" and item.attempt < 3:
        raise ValueError("not yet")
    if item.payload == "later" and len(seen) < 2:
        raise RetryLater(timedelta(hours=2))
    if item.payload == "parent":
        item.scatter("count", [1, 2], priority=3)
        item.add(["again"], labels=["again"])
    return f"hello {item.payload}"


@app.handler("count")
def count(item: Item) -> int:
    seen.append((item.attempt, item.lost))
    return int(item.payload)


@app.gather("count")
def add_up(batch: Any) -> int:
    return sum(batch.results())


@pytest.fixture
def kit(ingather_kit: Kit) -> Kit:
    ingather_kit.use(app)
    seen.clear()
    return ingather_kit


def test_what_a_test_scatters_is_drained_in_it(kit: Kit) -> None:
    greetings, numbers = app.scatter("greet", ["Ada", "nobody"]), app.scatter("count", [1, 2, 3])
    kit.drain()
    assert list(greetings.results()) == ["hello Ada"]
    assert [item.error and item.error["reason"] for item in greetings.items("error")] == ["rejected"]
    assert numbers.result() == 6


def test_the_next_test_finds_an_empty_database(kit: Kit) -> None:
    assert app.batches() == []
    assert app.queues() == []


def test_an_application_is_back_where_it_was_after_the_test() -> None:
    assert app.url == "postgresql://nowhere.invalid/none"


def test_a_real_worker_with_children_does_the_same(kit: Kit) -> None:
    numbers = app.scatter("count", [1, 2])
    kit.drain(in_processes=True)
    assert numbers.result() == 3
    assert seen == []  # a child's memory is its own


def test_retries_are_reached_by_jumps_of_the_clock(kit: Kit) -> None:
    batch = app.submit("greet", "flaky")
    kit.drain()
    assert batch.progress().pending == 1
    kit.drain(ahead=timedelta(minutes=1))
    assert batch.result() == "hello flaky"
    assert seen == [(1, 0), (2, 0), (3, 0)]


def test_what_lies_further_ahead_is_left(kit: Kit) -> None:
    batch = app.submit("greet", "later")
    kit.drain(ahead=timedelta(hours=1))
    assert batch.progress().pending == 1
    kit.advance(timedelta(hours=2))
    kit.drain()
    assert batch.progress().pending == 0


def test_schedules_fire_when_the_clock_is_moved(kit: Kit) -> None:
    app.schedule("nightly", cron="0 3 * * *", kind="greet", payload="Ada")
    kit.drain()
    assert kit.payloads("greet") == []
    kit.drain(ahead=timedelta(days=1))
    assert kit.payloads("greet") == ["Ada"]


def test_a_delay_is_jumped_over(kit: Kit) -> None:
    batch = app.submit("count", 5, delay=timedelta(days=3))
    kit.drain(ahead=timedelta(days=3))
    assert batch.result() == 5


def test_the_limit_of_a_rate_passes_with_the_clock(kit: Kit) -> None:
    app.set_queue("slow", rate=(1, timedelta(hours=1)))
    batch = app.scatter("count", [1, 2, 3], queue="slow")
    kit.drain(ahead=timedelta(hours=3))
    assert batch.result() == 6


def test_what_was_scattered_can_be_looked_at(kit: Kit) -> None:
    app.scatter("greet", ["Ada", "Bob"], queue="mail", priority=5, idempotency_key="monday")
    [batch] = kit.scattered("greet")
    assert (batch.queue, batch.priority, batch.idempotency_key, batch.payloads) == ("mail", 5, "monday", ["Ada", "Bob"])
    assert kit.scattered("count") == []


def test_an_item_by_hand_needs_no_database() -> None:
    ran = run_by_hand(app, "greet", "parent", attempt=2, lost=1)
    assert ran.result == "hello parent"
    assert [(child.kind, child.payloads, child.options and child.options.priority) for child in ran.scattered] == [
        ("count", [1, 2], 3)
    ]
    assert [(child.payloads, child.labels) for child in ran.added] == [(["again"], ["again"])]
    with pytest.raises(Reject):
        run_by_hand(app, "greet", "nobody")
    assert make_item(app, "greet", {"name": "Ada"}).payload == {"name": "Ada"}
    with pytest.raises(UnknownKind):
        make_item(app, "greets")
    with pytest.raises(PayloadRefused):
        make_item(app, "greet", "a" * 2000)


@pytest.mark.parametrize(("kind", "payload"), [("greet", "Ada"), ("count", 4)])
@pytest.mark.parametrize("is_after", [False, True])
def test_a_process_that_dies_brings_its_item_back_with_a_loss(
    kit: Kit, kind: str, payload: Any, is_after: bool
) -> None:
    kit.process_dies(kind, after=is_after)
    batch = app.submit(kind, payload)
    kit.drain()
    assert [item.state for item in batch.items()] == ["completed"]
    assert seen == ([(1, 0), (1, 1)] if is_after else [(1, 1)])


@pytest.mark.parametrize("is_after", [False, True])
def test_a_worker_that_dies_is_followed_by_another(kit: Kit, is_after: bool) -> None:
    kit.worker_dies("greet", after=is_after)
    batch = app.scatter("greet", ["Ada"])
    kit.drain(ahead=60)
    assert list(batch.results()) == ["hello Ada"]
    assert seen == ([(1, 0), (1, 1)] if is_after else [(1, 1)])
    assert app.workers() == []


def test_a_deadline_that_passes_uses_an_attempt(kit: Kit) -> None:
    kit.deadline_passes("count")
    batch = app.submit("count", 1)
    kit.drain()
    [item] = batch.items()
    assert item.error is not None
    assert item.error["reason"] == "timeout"
    kit.drain(ahead=60)
    assert seen == [(2, 0)]


def test_after_a_lost_reply_nothing_runs_twice(kit: Kit) -> None:
    kit.reply_is_lost()
    batch = app.submit("greet", "Ada")
    kit.drain()
    assert list(batch.results()) == ["hello Ada"]
    assert len(seen) == 1


def test_a_scatter_whose_reply_was_lost_can_be_sent_again(kit: Kit) -> None:
    with kit.replies_are_lost(), pytest.raises(DatabaseUnavailable):
        app.submit("greet", "Ada", idempotency_key="once")
    app.submit("greet", "Ada", idempotency_key="once")
    assert kit.payloads("greet") == ["Ada"]


def test_a_fault_that_meets_nothing_fails_the_test(kit: Kit) -> None:
    kit.process_dies("greet")
    with pytest.raises(AssertionError, match="process dies"):
        kit.drain()


def test_a_test_with_two_applications_names_the_one_it_means(kit: Kit) -> None:
    other = kit.new_app()
    with pytest.raises(UsageError):
        kit.drain()
    kit.drain(app=other)


def test_tests_with_an_event_loop_have_the_same(kit: Kit) -> None:
    async def story() -> Any:
        batch = await app.asubmit("greet", "Ada")
        await kit.adrain()
        ran = await kit.arun("count", 3)
        await app.aclose()
        return list(batch.results()), ran.result

    assert asyncio.run(story()) == (["hello Ada"], 3)


def test_tables_of_a_test_are_gone_after_it(ingather_url: str) -> None:
    with psycopg.connect(ingather_url) as conn:
        conn.execute("create table mine (n int)")


def test_and_the_next_database_is_a_new_copy(ingather_url: str) -> None:
    with psycopg.connect(ingather_url) as conn:
        assert conn.execute("select to_regclass('mine')").fetchone() == (None,)
