"""A worker that stops: nothing it does on its way out may bring it back, or leave it listed."""

import asyncio
import logging
from collections.abc import Iterator

import psycopg
import pytest

from ingather.engine import aggregator
from ingather.engine.engine import Engine
from tests.engine.workshop import build

ROUNDS = 12


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    engine = build(url, lease=1)
    yield engine
    engine.close()


def test_a_worker_that_stops_is_not_declared_dead_by_itself(
    shop: Engine, db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The aggregator looks again and again without a pause, so that a look falls into every moment of the stop.
    monkeypatch.setattr(aggregator, "TICK_S", 0.0)
    monkeypatch.setattr(aggregator, "LOOK_AFTER_S", 0.0)

    async def rounds() -> None:
        for _ in range(ROUNDS):
            async with shop.worker():
                await shop.asubmit("echo", 1)
        await shop.aclose()

    with caplog.at_level(logging.WARNING, "ingather"):
        asyncio.run(rounds())
    assert [record.getMessage() for record in caplog.records if "not registered" in record.getMessage()] == []
    assert db.execute("select count(*) from ingather.worker").fetchone() == (0,)
