"""Who is to blame for a death: what ran alone, or what died again in other company. Never its neighbours."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import psycopg
import pytest

from ingather.engine import verbs
from ingather.engine.slot_table import SlotTable
from ingather.engine.verdict import MAX_LOST
from tests.conftest import Clock
from tests.engine.actors import Actor, Held, assert_sound, claim, close, enlist, look, scatter, settle, stage
from tests.engine.workshop import build, sentinel_of, until, worker_process


@pytest.fixture
def ann(url: str) -> Iterator[Actor]:
    with stage(url) as enter:
        yield enter()


def die(actor: Actor, clock: Clock, k: int = 100) -> list[Held]:
    """A worker claims, starts all of it, and is not seen again. Returns what it held."""
    worker = actor.run(enlist())
    held = actor.run(claim(worker, k, free=k))
    clock.advance(5)
    assert actor.run(verbs.take_back(worker)) is not None
    clock.advance(60)  # what comes back at a random moment is due by then
    return held


def losses(actor: Actor) -> list[tuple[str, int]]:
    return actor.conn.execute("select state, lost from ingather.item order by id").fetchall()


def test_neighbours_that_die_together_again_and_again_are_not_blamed(ann: Actor, clock: Clock) -> None:
    """As it was found: three kills in a row ended everything that ran, although nothing of it killed anybody."""
    ann.run(scatter(3))
    for _ in range(2 * MAX_LOST):
        assert sum(len(lease.ids) for lease in die(ann, clock)) == 3
    assert losses(ann) == [("pending", 1)] * 3
    assert_sound(ann.conn)


def test_what_dies_alone_three_times_ends_as_lost(ann: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(1))
    for _ in range(MAX_LOST):
        die(ann, clock)
    assert losses(ann) == [("error", MAX_LOST)]
    assert ann.run(close([batch_id])) == []
    assert look(ann.conn, batch_id).error == 1


def test_what_dies_in_other_company_each_time_ends_as_lost_and_its_company_does_not(ann: Actor, clock: Clock) -> None:
    culprit = ann.run(scatter(1))
    for _ in range(MAX_LOST):
        others = ann.run(scatter(2))
        assert sum(len(lease.ids) for lease in die(ann, clock)) == 3
        worker = ann.run(enlist(lease_s=3600))
        for lease in ann.run(claim(worker)):
            if lease.batch_id == others:
                ann.run(settle(worker, lease.pairs))
        ann.run(verbs.dismiss(worker))
    assert look(ann.conn, culprit).error == 1
    assert ann.conn.execute("select count(*) from ingather.outcome where state = 'e'").fetchone() == (1,)


def test_a_gather_never_ends_for_its_neighbours_and_does_for_itself(ann: Actor, clock: Clock) -> None:
    batch_id = ann.run(scatter(1, gathers=True))
    worker = ann.run(enlist())
    [lease] = ann.run(claim(worker))
    ann.run(settle(worker, lease.pairs))
    ann.run(close([batch_id]))
    ann.run(verbs.dismiss(worker))
    for _ in range(2 * MAX_LOST):
        ann.run(scatter(1))
        assert any(lease.is_gather for lease in die(ann, clock))
        ann.conn.execute("delete from ingather.waiting where not is_gather")
    assert look(ann.conn, batch_id).gather == "pending"
    for _ in range(MAX_LOST - 1):
        die(ann, clock)
    assert look(ann.conn, batch_id).gather == "error"


def test_what_ran_in_a_child_process_is_not_blamed_for_the_death_of_its_worker() -> None:
    table = SlotTable.create(3)
    table.begin(0, 7, 0.0)
    table.begin(1, 8, 0.0, is_aside=True)
    assert (table.started(), table.started_here()) == ([7, 8], [7])
    table.end(1)
    assert table.started() == [7]
    table.close()


@pytest.mark.long
def test_kills_that_come_fast_end_no_innocent_item(url: str, db: psycopg.Connection[Any]) -> None:
    """Workers are killed again and again, some with their sentinels, while items run that harm nobody."""
    shop = build(url, lease=1)
    batch = shop.scatter("nap", [{"s": 0.5} for _ in range(60)])
    aside = shop.scatter("nap_aside", [{"s": 0.5} for _ in range(20)])
    for n in range(12):
        with ExitStack() as stack:
            worker = stack.enter_context(worker_process(url, lease=1))
            until(lambda: db.execute("select 1 from ingather.lease limit 1").fetchone(), 60)
            time.sleep(0.6)
            if n % 3 == 0:
                # On a busy machine the sentinel may not be up yet.
                with suppress(StopIteration):
                    os.kill(sentinel_of(worker.pid), signal.SIGKILL)
            worker.kill()
        if batch.progress().is_gathered and aside.progress().is_closed:
            break
    with worker_process(url, lease=1):
        batch.wait(180)
        aside.wait(180)
    assert [item.error for item in batch.items("error")] == []
    assert aside.progress().completed == 20
    assert batch.progress().gather == "completed"
    shop.close()
