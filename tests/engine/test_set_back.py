"""The database goes back to an earlier state while workers run: a backup is restored, a replica that missed the last
commits is promoted. Nothing that was given out before may then mean somebody else."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ingather.engine import statements as sql
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, RetryLater
from ingather.engine.item import Item
from ingather.engine.worker import Worker
from tests.chaos import breaks
from tests.engine.actors import Actor, enlist, stage
from tests.engine.workshop import build

WORKERS = 4
ITEMS = 60
# Long enough for a busy machine; workers that share an identity never close the batch.
CLOSES_WITHIN_S = 30


class Backup:
    """A copy of a database, files and sequences and all, and the way back to it."""

    def __init__(self, server: str, url: str, name: str) -> None:
        self._server = server
        self._database = str(conninfo_to_dict(url)["dbname"])
        self._name = name
        self._on_server(f'create database "{name}" template "{self._database}"')

    def restore(self) -> None:
        """Every session ends, as with a server that is replaced by another."""
        self._on_server(f'drop database "{self._database}" with (force)')
        self._on_server(f'create database "{self._database}" template "{self._name}"')

    def drop(self) -> None:
        self._on_server(f'drop database "{self._name}" with (force)')

    def _on_server(self, statement: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as conn:
            conn.execute(statement)


@pytest.fixture
def backup_of(server: str) -> Iterator[Callable[[str], Backup]]:
    made: list[Backup] = []

    def make(url: str) -> Backup:
        made.append(Backup(server, url, f"backup_{uuid.uuid4().hex}"))
        return made[-1]

    yield make
    for backup in made:
        backup.drop()


@contextmanager
def actor(url: str) -> Iterator[Actor]:
    with stage(url) as enter:
        yield enter()


def test_a_worker_id_is_not_given_again_by_a_database_that_went_back(
    url: str, backup_of: Callable[[str], Backup]
) -> None:
    backup = backup_of(url)
    with actor(url) as ann:
        first = ann.run(enlist())
    backup.restore()
    with actor(url) as bob:
        assert bob.run(enlist()) != first


async def _work_through_a_restore(url: str, restore: Callable[[], None]) -> tuple[list[int], set[int]]:
    """Four workers, a restore to before they were there, and a batch that begins after it. Returns their ids before,
    and those that are registered when the batch has closed."""
    app = build(url, lease=1)
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(app.worker(concurrency=5)) for _ in range(WORKERS)]
        before = [_id(worker) for worker in workers]
        await app.ascatter("nap", [{"s": 0.05}] * ITEMS)
        await asyncio.to_thread(restore)
        batch = await _scatter_once_it_is_back(app)
        await batch.await_(CLOSES_WITHIN_S)
        ids = {_id(worker) for worker in workers}
        while {record.id for record in await app.aworkers()} != ids:
            await asyncio.sleep(0.05)
            ids = {_id(worker) for worker in workers}
    await app.aclose()
    return before, ids


def _id(worker: Worker) -> int:
    return worker._feeder.worker_id  # no other way leads from the object to its row


async def _scatter_once_it_is_back(app: Engine) -> Any:
    while True:
        try:
            return await app.ascatter("nap", [{"s": 0.05}] * ITEMS)
        except (DatabaseUnavailable, psycopg.Error):
            await asyncio.sleep(0.05)


def test_workers_of_a_database_that_went_back_begin_anew_and_say_so(
    url: str, backup_of: Callable[[str], Backup], caplog: pytest.LogCaptureFixture
) -> None:
    backup = backup_of(url)
    with caplog.at_level(logging.WARNING, "ingather.worker"):
        before, after = asyncio.run(_work_through_a_restore(url, backup.restore))
    assert len(set(before)) == WORKERS
    assert len(after) == WORKERS
    assert after.isdisjoint(before)
    spoken = [record.getMessage() for record in caplog.records]
    for worker_id in before:
        [sentence] = [each for each in spoken if f"worker {worker_id} " in each]
        assert "is not registered any more" in sentence
        assert "went back to an earlier state" in sentence


def test_workers_with_ids_from_a_sequence_are_found_out(
    url: str, backup_of: Callable[[str], Backup], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: with ids from a sequence, workers share them and release each other's claims for ever."""
    monkeypatch.setattr(sql, "REGISTER", sql.REGISTER)
    breaks.worker_ids_from_a_sequence()
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("create schema if not exists chaos")
        conn.execute("create sequence if not exists chaos.worker_id")
    backup = backup_of(url)
    try:
        before, after = asyncio.run(asyncio.wait_for(_work_through_a_restore(url, backup.restore), 15))
    except TimeoutError:
        return
    assert len(after) < WORKERS or not after.isdisjoint(before)


def test_an_item_keeps_its_key_over_all_attempts_and_people_find_it_by_it(url: str) -> None:
    app = Engine(url, lease=1)
    seen: list[str] = []

    @app.handler("pay")
    async def pay(item: Item) -> str:
        seen.append(item.key)
        if item.attempt < 2:
            raise RetryLater(0) if len(seen) < 2 else ValueError("once more")
        return item.key

    @app.handler("pay_aside")
    def pay_aside(item: Item) -> str:
        return item.key

    aside = app.scatter("pay_aside", [1, 2])
    batch = app.submit("pay", 1)
    app.worker().drain()
    assert len(seen) == 3
    assert set(seen) == {batch.result()} == {record.key for record in batch.items()}
    assert list(aside.results()) == [record.key for record in aside.items()]
    assert len({*seen, *aside.results()}) == 3


def test_an_item_key_is_not_given_again_by_a_database_that_went_back(
    url: str, backup_of: Callable[[str], Backup]
) -> None:
    app = Engine(url)
    app.handler("echo")(print)
    backup = backup_of(url)
    [before] = app.submit("echo", "Ada").items()
    app.close()
    backup.restore()
    [after] = app.submit("echo", "Bob").items()
    app.close()
    # It is another item, although it has the same id.
    assert after.id == before.id
    assert after.key != before.key
