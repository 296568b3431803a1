"""What a server runs out of: numbers for ids, and connections. Callers get sentences, workers wait, nothing is lost."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg
import pytest

from ingather import embedded
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.item import Item
from ingather.engine.migrations import migrate
from tests.conftest import FAST

# A server with so few is full once a worker and a few others are there.
FEW_CONNECTIONS = 14


def build(url: str) -> Engine:
    app = Engine(url, lease=5)

    @app.handler("read")
    async def read(item: Item) -> int:
        await asyncio.sleep(0.01)
        return item.ordinal

    @app.handler("grow", max_attempts=1)
    async def grow(item: Item) -> int:
        item.scatter("read", [1])
        return item.ordinal

    @app.handler("gathered")
    async def gathered(item: Item) -> int:
        return item.ordinal

    @app.gather("gathered")
    async def count(batch: object) -> int:
        return 1

    return app


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    app = build(url)
    yield app
    app.close()


def use_up(db: psycopg.Connection, sequence: str) -> None:
    """Nobody draws another number from it."""
    db.execute(f"select nextval('{sequence}')")  # a sequence must have room for two
    [(last,)] = db.execute(f"select nextval('{sequence}')").fetchall()
    db.execute(f"alter sequence {sequence} maxvalue {last}")


def mend(db: psycopg.Connection, sequence: str) -> None:
    db.execute(f"alter sequence {sequence} no maxvalue")


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.exc_info]


SEQUENCES = ["ingather.segment_id", "ingather.batch_id_seq"]
CALLS: dict[str, Callable[[Engine], object]] = {
    "submit": lambda app: app.submit("read", 1),
    "scatter many": lambda app: app.scatter("read", range(500)),
    "scatter later": lambda app: app.scatter("read", [1], delay=60),
}


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("call", CALLS)
def test_a_sequence_that_is_used_up_is_a_sentence_and_a_call_works_again_once_it_is_mended(
    shop: Engine, db: psycopg.Connection, sequence: str, call: str
) -> None:
    use_up(db, sequence)
    with pytest.raises(DatabaseUnavailable, match=r"no more ids.*reached maximum value.*no maxvalue"):
        CALLS[call](shop)
    assert db.execute("select count(*) from ingather.batch").fetchone() == (0,)
    mend(db, sequence)
    CALLS[call](shop)


def test_a_sequence_that_is_used_up_is_a_sentence_in_add_and_in_a_callers_own_transaction(
    shop: Engine, db: psycopg.Connection, url: str
) -> None:
    batch = shop.scatter("read", [1])
    use_up(db, "ingather.segment_id")
    with pytest.raises(DatabaseUnavailable, match="no more ids"):
        batch.add([2])
    with psycopg.connect(url) as conn:
        with pytest.raises(DatabaseUnavailable, match="no more ids"):
            shop.submit("read", 1, conn=conn)
        assert conn.execute("select 1").fetchone() == (1,), "the caller's transaction goes on"
    assert batch.progress().total == 1


def test_workers_register_though_every_sequence_is_used_up(shop: Engine, db: psycopg.Connection) -> None:
    batch = shop.scatter("read", [1, 2])
    for sequence in SEQUENCES:
        use_up(db, sequence)
    shop.worker().drain()
    assert batch.progress().completed == 2


@pytest.mark.parametrize("kind", ["grow", "gathered"])
def test_an_item_whose_child_or_gather_gets_no_number_waits_for_it_and_is_not_paid_for_again(
    shop: Engine, db: psycopg.Connection, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    batch = shop.scatter(kind, [1])
    use_up(db, "ingather.segment_id")

    async def work() -> None:
        async with shop.worker():
            while "no more ids" not in caplog.text and "reached maximum value" not in caplog.text:
                await asyncio.sleep(0.01)
            mend(db, "ingather.segment_id")
            await batch.await_(60)

    asyncio.run(work())
    progress = batch.progress()
    assert (progress.completed, progress.error) == (1, 0)
    assert [record.attempt for record in batch.items()] == [1]
    assert tracebacks(caplog) == []


def test_numbers_that_were_given_before_are_a_sentence_and_soon_behind(shop: Engine, db: psycopg.Connection) -> None:
    for _ in range(3):
        shop.submit("read", 1)
    db.execute("select setval('ingather.segment_id', 1, false)")
    refused = 0
    while refused < 10:
        try:
            shop.submit("read", 1)
            break
        except DatabaseUnavailable as error:
            assert "given before" in str(error)  # noqa: PT017  # each of several tries
            refused += 1
    assert 0 < refused < 10


def test_callers_and_workers_get_over_a_server_without_a_free_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingather.engine.database.POOL_TIMEOUT_S", 1.0)
    caplog.set_level(logging.WARNING)
    with embedded.start(tmp_path / "home", settings=FAST | {"max_connections": str(FEW_CONNECTIONS)}) as server:
        migrate(server.url)
        app, late = build(server.url), build(server.url)
        batch = app.scatter("read", range(200))

        async def work() -> None:
            async with app.worker():
                while not (await batch.aprogress()).completed:
                    await asyncio.sleep(0.01)
                with ExitStack() as others:
                    await asyncio.to_thread(take_all, server.url, others)
                    # A caller that comes now, and one that may use a connection it has.
                    with pytest.raises(DatabaseUnavailable, match=r"too many clients|remaining connection slots"):
                        await asyncio.to_thread(late.submit, "read", 1)
                    while "does not serve this worker" not in caplog.text:
                        await asyncio.sleep(0.01)
                await batch.await_(100)
                await (await late.asubmit("read", 1)).await_(60)
            await app.aclose()
            await late.aclose()

        asyncio.run(work())
        assert batch.progress().completed == 200
        assert tracebacks(caplog) == []
        app.close()
        late.close()


def take_all(url: str, others: ExitStack) -> None:
    """Every connection, those of workers included: they are ended, and their places taken."""
    held = others.enter_context(psycopg.connect(url, autocommit=True))
    ours = {held.info.backend_pid}
    while True:
        with suppress(psycopg.OperationalError):
            while True:
                ours.add(others.enter_context(psycopg.connect(url, autocommit=True)).info.backend_pid)
        theirs = """select pg_terminate_backend(pid) from pg_stat_activity
                     where backend_type = 'client backend' and pid <> all(%s)"""
        if not held.execute(theirs, [list(ours)]).fetchall():
            return
