"""Children: batches that items scatter. A parent closes after them, its gather reads them, nobody waits in a slot."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from ingather.engine import verbs
from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import KeyReused, UsageError
from ingather.engine.item import Item, Offspring
from ingather.engine.script import Statement
from tests.conftest import Clock
from tests.engine.actors import (
    Actor,
    assert_sound,
    claim,
    close,
    close_ripe,
    enlist,
    lines,
    look,
    request,
    scatter,
    stage,
)
from tests.engine.actors import settle as settle_items


@pytest.fixture
def ann(url: str) -> Iterator[Actor]:
    with stage(url) as enter:
        yield enter()


@pytest.fixture
def bob(url: str) -> Iterator[Actor]:
    with stage(url) as enter:
        yield enter()


@pytest.fixture
def crawl(app: Engine) -> Engine:
    """Parents scatter a child each; both kinds gather."""

    @app.handler("parent")
    async def parent(item: Item) -> int:
        item.scatter("child", range(item.payload))
        return int(item.payload)

    @app.handler("child")
    async def child(item: Item) -> int:
        return 10 * int(item.payload)

    @app.gather("child")
    async def add_up(batch: Batch) -> int:
        return sum([result async for result in batch.results()])

    @app.gather("parent")
    async def read_children(batch: Batch) -> list[int]:
        return [await child.aresult() async for child in batch.children()]

    return app


def test_a_parents_gather_reads_what_its_childrens_gathers_made(crawl: Engine) -> None:
    """In the order in which the items settled, which is any."""
    batch = crawl.scatter("parent", [2, 3, 4])
    crawl.worker().drain()
    assert sorted(batch.result()) == [10, 30, 60]
    assert [child.progress().state for child in batch.children()] == ["closed"] * 3


def family(actor: Actor, *, gathers: bool, children: int = 1) -> tuple[int, list[int], int]:
    """A parent whose only item has ended, its children, and a worker."""
    worker = actor.run(enlist(("read", "child"), lease_s=3600))
    parent = actor.run(scatter(1, gathers=True))
    [lease] = actor.run(claim(worker, kinds=["read"]))
    of_child = request(kind="child", queue="lane", parent_id=parent, gathers=gathers)
    more = [Offspring(of_child, lines(1)) for _ in range(children)]
    assert actor.run(verbs.settle_with_offspring(parent, _settling(worker, lease.token, lease.first_id), more))
    rows = actor.conn.execute("select id from ingather.batch where parent_id = %s order by id", [parent]).fetchall()
    return parent, [child for (child,) in rows], worker


def _settling(worker: int, token: int, item_id: int) -> Statement:
    script = settle_items(worker, [(token, item_id)])
    statement = next(script)
    assert isinstance(statement, Statement)
    return statement


def end_items(
    actor: Actor, worker: int, *, kinds: tuple[str, ...] = ("child",), queue: str = "lane", k: int = 100
) -> None:
    for lease in actor.run(claim(worker, k, kinds=kinds, queue=queue)):
        actor.run(settle_items(worker, lease.pairs))


def test_a_parent_is_not_closed_while_a_child_is_open(ann: Actor) -> None:
    parent, [child], worker = family(ann, gathers=False)
    assert ann.run(close_ripe()) == []
    assert ann.run(close([parent])) == []
    end_items(ann, worker)
    assert ann.run(verbs.close([child])).parents == [parent]
    assert ann.run(close([parent])) == [parent]


def test_a_child_that_gathers_holds_its_parent_until_the_gather_has_ended(ann: Actor) -> None:
    parent, [child], worker = family(ann, gathers=True)
    end_items(ann, worker)
    closed = ann.run(verbs.close([child]))
    assert (closed.gathering, closed.parents) == ([child], [])
    assert ann.run(close([parent])) == []
    assert ann.run(verbs.free_parents([child])) == []
    end_items(ann, worker)
    assert ann.run(verbs.free_parents([child])) == [parent]
    assert ann.run(verbs.free_parents([child])) == []
    assert ann.run(close([parent])) == [parent]


def test_of_two_children_that_close_at_once_one_closer_sees_both(ann: Actor, bob: Actor) -> None:
    parent, [first, second], worker = family(ann, gathers=False, children=2)
    end_items(ann, worker)
    closing, too = ann.play(verbs.close([first])).steps(), bob.play(verbs.close([second])).steps()
    assert closing.commit().parents == [parent]
    assert ann.run(close([parent])) == []
    assert too.commit().parents == [parent]
    assert bob.run(close([parent])) == [parent]


def test_a_child_that_comes_while_the_parent_is_being_closed_is_waited_for(ann: Actor, bob: Actor) -> None:
    """The child and the end of the item that scattered it are one commit, so no closer sees one without the other."""
    worker = ann.run(enlist(lease_s=3600))
    parent = ann.run(scatter(1))
    [lease] = ann.run(claim(worker))
    more = [Offspring(request(parent_id=parent), lines(1))]
    settling = ann.play(
        verbs.settle_with_offspring(parent, _settling(worker, lease.token, lease.first_id), more)
    ).steps()
    assert bob.run(close([parent])) == []
    settling.commit()
    assert bob.run(close([parent])) == []
    assert look(ann.conn, parent).state == "open"


def test_cancelling_a_parent_cancels_its_children_and_closes_all_of_them(ann: Actor) -> None:
    parent, [one, two], worker = family(ann, gathers=True, children=2)
    end_items(ann, worker, k=1)
    ann.run(close_ripe())
    assert ann.run(verbs.cancel(parent))
    assert [look(ann.conn, each).state for each in (parent, one, two)] == ["closed"] * 3
    assert look(ann.conn, one).completed + look(ann.conn, two).completed == 1
    assert look(ann.conn, one).cancelled + look(ann.conn, two).cancelled == 1
    assert_sound(ann.conn)


def test_a_child_that_is_scattered_while_its_parent_is_cancelled_comes_before_the_cancel_or_never(
    ann: Actor, bob: Actor
) -> None:
    worker = ann.run(enlist(lease_s=3600))
    parent = ann.run(scatter(2))
    [lease] = ann.run(claim(worker))
    more = [Offspring(request(parent_id=parent), lines(3))]
    settle = _settling(worker, lease.token, lease.first_id)
    settling = ann.play(verbs.settle_with_offspring(parent, settle, more)).steps()
    cancelling = bob.has_to_wait(lambda: bob.run(verbs.cancel(parent)))
    settling.commit()
    assert cancelling.result() is True
    states = bob.conn.execute("select state from ingather.batch order by id").fetchall()
    assert states == [("closed",), ("closed",)]
    assert_sound(bob.conn)


def test_a_grandchild_holds_the_whole_line_open(ann: Actor) -> None:
    parent, [child], worker = family(ann, gathers=False)
    [lease] = ann.run(claim(worker, kinds=["child"], queue="lane"))
    more = [Offspring(request(kind="child", queue="deep", parent_id=child), lines(1))]
    ann.run(verbs.settle_with_offspring(child, _settling(worker, lease.token, lease.first_id), more))
    assert ann.run(close([child])) == []
    end_items(ann, worker, queue="deep")
    for _ in range(3):
        ann.run(close_ripe())
    assert look(ann.conn, parent).state == "closed"


def test_a_child_that_is_retried_holds_its_open_parent_again(ann: Actor) -> None:
    parent, children, worker = family(ann, gathers=False, children=2)
    failed, other = ann.run(claim(worker, kinds=["child"], queue="lane"))
    assert sorted((failed.batch_id, other.batch_id)) == children
    ann.run(settle_items(worker, failed.pairs, "e"))
    ann.run(close_ripe())
    assert ann.run(verbs.retry_failed(failed.batch_id)) == 1
    ann.run(settle_items(worker, other.pairs))
    ann.run(close_ripe())
    ann.run(close_ripe())
    assert look(ann.conn, parent).state == "open"
    end_items(ann, worker)
    ann.run(close_ripe())
    assert ann.run(close_ripe()) == [parent]


def test_the_end_of_a_gather_that_its_worker_did_not_live_to_report_is_found_by_the_aggregator(
    crawl: Engine, ann: Actor
) -> None:
    worker = ann.run(enlist(("parent", "child"), lease_s=3600))
    batch = crawl.scatter("parent", [1])
    [lease] = ann.run(claim(worker, kinds=["parent"]))
    of_child = crawl.registry.request("child", parent_id=batch.id)
    more = [Offspring(of_child, lines(1))]
    ann.run(verbs.settle_with_offspring(batch.id, _settling(worker, lease.token, lease.first_id), more))
    end_items(ann, worker, queue="default")
    ann.run(close_ripe())
    end_items(ann, worker, queue="default")  # the child's gather, and then the worker is gone

    async def work() -> None:
        async with crawl.worker():
            await batch.await_(15)
        await crawl.aclose()

    asyncio.run(work())
    assert batch.progress().gather == "completed"


@pytest.mark.parametrize("is_async", [True, False])
def test_a_handler_that_waits_for_a_batch_is_refused_with_a_sentence(app: Engine, is_async: bool) -> None:
    """It would hold its slot, and once every slot waits nobody can work."""

    async def waits(item: Item) -> Any:
        child = await app.ascatter("leaf", [1])
        await child.await_(5)

    def blocks(item: Item) -> Any:
        app.scatter("leaf", [1]).wait(5)

    app.handler("root", max_attempts=1)(waits if is_async else blocks)

    @app.handler("leaf")
    async def leaf(item: Item) -> None: ...

    batch = app.scatter("root", range(3))
    app.worker(concurrency=2).drain()
    [error] = {item.error["message"].partition(":")[2] for item in batch.items("error") if item.error}
    assert "holds a slot" in error
    assert "gather" in error


def test_a_batch_that_has_ended_may_be_waited_for_anywhere(app: Engine) -> None:
    @app.handler("root", max_attempts=1)
    async def root(item: Item) -> int:
        done = app.batch(item.payload)
        return (await done.await_(5)).completed

    @app.handler("leaf")
    async def leaf(item: Item) -> None: ...

    first = app.scatter("leaf", range(3))
    app.worker().drain()
    second = app.scatter("root", [first.id])
    app.worker().drain()
    assert list(second.results()) == [3]


def test_children_are_kept_until_their_parent_has_been_gathered(ann: Actor, clock: Clock) -> None:
    parent, [child], worker = family(ann, gathers=False)
    end_items(ann, worker)
    ann.run(close([child]))
    clock.advance(3600)
    assert ann.run(verbs.prune(timedelta(minutes=1))) is None
    ann.run(close([parent]))
    clock.advance(3600)
    assert ann.run(verbs.prune(timedelta(minutes=1))) is None
    end_items(ann, worker, kinds=("read",), queue="default")
    assert ann.run(verbs.prune(timedelta(minutes=1)))
    assert ann.conn.execute("select count(*) from ingather.batch").fetchone() == (0,)


# --- items within a batch ------------------------------------------------------------------------------------------


def test_a_cyclic_crawl_with_labels_visits_every_page_once(app: Engine) -> None:
    links = {"a": ["b", "c", "a"], "b": ["a", "d"], "c": ["d", "a"], "d": ["a", "b", "c"]}
    visits: list[str] = []

    @app.handler("visit")
    async def visit(item: Item) -> None:
        visits.append(item.payload)
        item.add(links[item.payload], labels=links[item.payload])

    batch = app.scatter("visit", ["a"], labels=["a"])
    app.worker().drain()
    assert sorted(visits) == ["a", "b", "c", "d"]
    assert batch.progress().completed == batch.progress().total == 4


def test_a_cyclic_crawl_without_labels_ends_at_its_ceiling_with_a_sentence(app: Engine) -> None:
    @app.handler("visit")
    async def visit(item: Item) -> None:
        item.add([1, 2])

    batch = app.scatter("visit", [0], max_items=101)
    app.worker().drain()
    seen = batch.progress()
    assert (seen.state, seen.total) == ("closed", 101)
    assert (seen.completed, seen.error) == (50, 51)
    [error] = {item.error["message"] for item in batch.items("error") if item.error}
    assert error.startswith("The batch may hold 101 items and would have 103.")
    assert {item.error["reason"] for item in batch.items("error") if item.error} == {"batch_full"}


def test_labels_hold_for_the_life_of_a_batch_and_for_callers_too(app: Engine, db: psycopg.Connection[Any]) -> None:
    @app.handler("visit")
    async def visit(item: Item) -> None: ...

    batch = app.scatter("visit", [1, 2, 3], labels=["a", "b", "a"])
    assert [item.payload for item in batch.items()] == [1, 2]
    assert batch.add([4, 5, 6], labels=["b", "c", "c"]) == 1
    assert [item.payload for item in batch.items()] == [1, 2, 5]
    assert batch.add([7], labels=["c"]) == 0
    assert app.scatter("visit", [1], labels=["a"]).progress().total == 1
    batch.cancel()
    app.prune(timedelta(0))
    assert db.execute("select batch_id from ingather.label").fetchall() != [(batch.id,)]


def test_two_adders_of_one_label_add_it_once(ann: Actor, bob: Actor) -> None:
    batch_id = ann.run(scatter(1))
    adding = ann.play(verbs.add(batch_id, lines(1), ["x"])).steps()
    too = bob.has_to_wait(lambda: bob.run(verbs.add(batch_id, lines(1), ["x"])))
    assert adding.commit() == 1
    assert too.result() == 0
    assert look(ann.conn, batch_id).total == 2


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (["a"], "there are 1 for 2 payloads"),
        ("ab", "a list with one text for each payload, not a str"),
        (["a", ""], "A label is 1 to 255 printable characters"),
        (["a", 3], "A label is 1 to 255 printable characters"),
        (7, "a list with one text for each payload, not a int"),
    ],
)
def test_labels_that_are_none_are_refused_with_a_sentence(app: Engine, labels: Any, sentence: str) -> None:
    @app.handler("visit")
    async def visit(item: Item) -> None: ...

    with pytest.raises(UsageError, match=sentence):
        app.scatter("visit", [1, 2], labels=labels)
    assert app.batches() == []


def test_a_key_stands_for_the_labels_too(app: Engine) -> None:
    @app.handler("visit")
    async def visit(item: Item) -> None: ...

    first = app.scatter("visit", [1, 2], labels=["a", "b"], idempotency_key="k")
    assert app.scatter("visit", [1, 2], labels=["a", "b"], idempotency_key="k") == first
    with pytest.raises(KeyReused, match="other content"):
        app.scatter("visit", [1, 2], labels=["a", "c"], idempotency_key="k")
