"""What stands around handlers: resources made once per process, children that are replaced, pauses of one's own."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.engine.item import Item
from ingather.engine.verdict import LONGEST_OWN_BACKOFF_S, verdict


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


def write(diary: Path, line: str) -> None:
    with diary.open("a") as file:
        file.write(f"{line}\n")


def with_model(app: Engine, diary: Path) -> None:
    @app.resource
    def model() -> Iterator[str]:
        write(diary, f"made {os.getpid()}")
        yield "a model"
        write(diary, f"let go {os.getpid()}")

    @app.handler("aside")
    def aside(item: Item) -> int:
        assert model() == "a model"
        return os.getpid()

    @app.handler("here")
    async def here(item: Item) -> int:
        assert model() == "a model"
        return os.getpid()


def test_a_resource_is_made_once_in_a_worker_and_let_go_when_it_stops(app: Engine, diary: Path) -> None:
    with_model(app, diary)
    app.scatter("here", range(5))
    app.worker().drain()
    assert diary.read_text().splitlines() == [f"made {os.getpid()}", f"let go {os.getpid()}"]
    app.submit("here", 1)
    app.worker().drain()
    assert len(diary.read_text().splitlines()) == 4


def test_a_child_makes_its_own_and_lets_go_when_it_has_had_its_items(app: Engine, diary: Path) -> None:
    with_model(app, diary)
    batch = app.scatter("aside", range(6))
    app.worker(concurrency=1, child_items=2).drain()
    children = list(batch.results())
    assert len(set(children)) == 3
    assert os.getpid() not in children
    lines = diary.read_text().splitlines()
    assert {f"made {pid}" for pid in children} <= set(lines)
    assert len([line for line in lines if line.startswith("made")]) == 3
    # The last child may be killed with its worker; those before it ended in order.
    assert len([line for line in lines if line.startswith("let go")]) >= 2


def test_a_resource_that_fails_is_the_item_s_failure_and_tried_again(app: Engine) -> None:
    tries: list[int] = []

    @app.resource
    def flaky() -> Iterator[int]:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not there yet")
        yield 7

    @app.resource
    def empty() -> Iterator[int]:
        yield from ()

    with pytest.raises(OSError, match="not there"):
        flaky()
    assert flaky() == flaky() == 7
    flaky.close()
    flaky.close()
    assert flaky() == 7
    assert len(tries) == 3
    with pytest.raises(UsageError, match="yielded nothing"):
        empty()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to this limit")
def test_a_child_that_wants_too_much_memory_fails_and_its_worker_lives(app: Engine) -> None:
    @app.handler("eat", max_attempts=1)
    def eat(item: Item) -> int:
        return len(bytearray(item.payload * (1 << 20)))

    batch = app.scatter("eat", [1, 2_000, 3])
    app.worker(concurrency=1, child_memory_mb=600).drain()
    errors = [item.error["type"] if item.error else None for item in batch.items()]
    assert errors == [None, "MemoryError", None]


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "2"])
def test_limits_of_children_are_checked(app: Engine, limit: object) -> None:
    with pytest.raises(UsageError, match="child_items"):
        app.worker(child_items=limit)  # type: ignore[arg-type]


def test_a_handler_s_own_pause_is_kept(app: Engine, db: psycopg.Connection) -> None:
    @app.handler("fetch", max_attempts=3, backoff=lambda attempt: 3_600 * attempt)
    async def fetch(item: Item) -> None:
        raise OSError("no")

    batch = app.submit("fetch", 1)
    for attempt in (1, 2):
        app.worker().drain()
        [(left_s,)] = db.execute("select extract(epoch from run_at - clock_timestamp())::float8 from ingather.waiting")
        assert 3_600 * attempt - 60 < left_s <= 3_600 * attempt
        db.execute("update ingather.waiting set run_at = clock_timestamp()")
    app.worker().drain()
    [item] = batch.items()
    assert item.error is not None
    assert (item.attempt, item.error["reason"]) == (3, "exhausted")


@pytest.mark.parametrize(
    ("pause_s", "kept"), [(5, 5), (1e9, LONGEST_OWN_BACKOFF_S), (0, 0), (-1, 2), (float("nan"), 2)]
)
def test_a_pause_of_ones_own_has_bounds(pause_s: float, kept: float) -> None:
    end = verdict(OSError(), attempt=1, max_attempts=3, lost=0, jitter=lambda _, most: most, backoff=lambda _: pause_s)
    assert end.delay_s == kept
    assert end.counts


def test_a_backoff_that_fails_leaves_the_engine_s_own(app: Engine) -> None:
    end = verdict(
        OSError(), attempt=1, max_attempts=3, lost=0, jitter=lambda _, most: most, backoff=lambda n: 1 / (n - 1)
    )
    assert end.delay_s == 2
    with pytest.raises(UsageError, match="backoff"):
        app.handler("x", backoff=[1, 2])  # type: ignore[arg-type]
