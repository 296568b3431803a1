"""What the engine relies on inside psycopg, by name: an upgrade that changes one of these fails here first."""

import asyncio
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import _pipeline_base
from psycopg.pq import PipelineStatus, TransactionStatus

from ingather.engine import driver

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "src" / "ingather" / "engine"


def test_the_names_that_the_engine_relies_on_exist(db: psycopg.Connection[Any]) -> None:
    with db.pipeline() as pipe:
        assert isinstance(pipe, _pipeline_base.BasePipeline)
        assert hasattr(pipe.result_queue, "append")
        assert callable(db.pgconn.pipeline_sync)
        assert db.info.pipeline_status == PipelineStatus.ON
    assert callable(psycopg.generators.send)
    assert callable(psycopg.AsyncConnection.wait)
    assert db.info.transaction_status == TransactionStatus.IDLE


def test_a_commit_in_a_pipeline_divides_it_into_transactions(url: str) -> None:
    """The second statement fails; the first is committed, the third is too, and only the second has no result."""

    async def insert(conn: psycopg.AsyncConnection[Any], cursors: list[psycopg.AsyncCursor[Any]]) -> None:
        async with conn.pipeline() as pipe:
            for cursor, n in zip(cursors, (1, 1, 2), strict=True):
                await cursor.execute("insert into kept values (%s) returning n", [n])
                driver.commit_with_driver(conn, pipe)
                await driver.flush_driver(conn)

    async def act() -> list[bool]:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
            await conn.execute("create temporary table kept (n int primary key)")
            cursors = [conn.cursor() for _ in range(3)]
            with pytest.raises(psycopg.errors.UniqueViolation):
                await insert(conn, cursors)
            rows = await (await conn.execute("select n from kept order by n")).fetchall()
            assert rows == [(1,), (2,)]
            return [driver.has_result_in_driver(cursor) for cursor in cursors]

    assert asyncio.run(act()) == [True, False, True]


def test_a_pipeline_and_a_transaction_are_seen(db: psycopg.Connection[Any]) -> None:
    assert not driver.driver_is_in_pipeline(db)
    assert driver.driver_is_outside_transaction(db)
    with db.pipeline():
        assert driver.driver_is_in_pipeline(db)
    with db.transaction():
        assert not driver.driver_is_outside_transaction(db)


def test_no_other_module_of_the_engine_reaches_into_the_driver() -> None:
    inside = re.compile(r"psycopg\._|psycopg\.generators|psycopg\.pq|\.pgconn\b|\.pgresult\b|result_queue")
    found = [path.name for path in sorted(ENGINE.rglob("*.py")) if inside.search(path.read_text("utf-8"))]
    assert found == ["driver.py"]


def test_the_driver_is_bounded_from_above_and_the_installed_one_lies_within() -> None:
    [needed] = [
        line
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
        if line.startswith("psycopg[")
    ]
    bound = re.search(r"<(\d+)\.(\d+)", needed)
    assert bound is not None
    assert tuple(map(int, version("psycopg").split(".")[:2])) < tuple(map(int, bound.groups()))
