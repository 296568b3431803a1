"""A worker process of a chaos run: handlers of every temper, and a broken engine if asked for."""

import asyncio
import logging
import os
import random
import signal
import sys
import time
from typing import Any

from ingather.engine.engine import Engine
from ingather.engine.errors import Reject, RetryLater
from ingather.engine.item import Item

LEASE_S = 1.0
TIMEOUT_S = 1
# Several rounds of an aggregator: whoever takes such an item for lost in every other round never lets it end.
LONG_S = 2.5
# Where each start writes the key under which it would ask a service outside for something, if that is wanted.
RECEIPTS = "CHAOS_RECEIPTS"


def build(url: str) -> Engine:
    app = Engine(url, lease=LEASE_S)

    @app.handler("mixed", timeout=TIMEOUT_S, max_attempts=3)
    async def mixed(item: Item) -> Any:
        return await _act(item)

    @app.handler("aside", timeout=TIMEOUT_S, max_attempts=3, queue="aside")
    def aside(item: Item) -> Any:
        return asyncio.run(_act(item))

    @app.handler("narrow", queue="narrow", max_attempts=3)
    async def narrow(item: Item) -> Any:
        await asyncio.sleep(random.random() * 0.002)
        return item.id

    @app.handler("long", timeout=20, max_attempts=3)
    async def long(item: Item) -> Any:
        _write_receipt(item)
        await asyncio.sleep(LONG_S)
        return item.id

    @app.gather("mixed")
    async def count(batch: Any) -> int:
        return len([1 async for _ in batch.results()])

    return app


async def _act(item: Item) -> Any:  # noqa: PLR0912  # one case a temper
    """What the payload says, the first time; later tries are kinder, so that a run comes to an end."""
    _write_receipt(item)
    is_first = item.attempt == 1 and item.lost == 0
    match item.payload["temper"]:
        case "slow":
            await asyncio.sleep(0.2)
        case "transient" if item.attempt < 2:
            raise ValueError("try again")
        case "permanent":
            raise Reject("never")
        case "later" if is_first and random.random() < 0.5:  # it does not use up an attempt, so chance must end it
            raise RetryLater(0.1)
        case "hang" if item.attempt == 1:
            await asyncio.sleep(3600)
        case "block" if item.attempt == 1:
            time.sleep(0.5)  # noqa: ASYNC251
        case "die" if item.lost < 1:
            os.kill(os.getpid(), signal.SIGKILL)
        case "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit" if is_first:
            sys.exit(0)
        case "bad result":
            return object()
        case "foreign":
            return "不 é"  # more than some encodings of a database can hold
        case "nul":
            return "a\0b"
        case "family" if item.payload.get("depth", 0) < 1:
            item.add([{"temper": "ok", "depth": 1}] * 2)
        case _:
            await asyncio.sleep(random.random() * 0.004)
    return item.id


def _write_receipt(item: Item) -> None:
    """A line for each start. Whole lines, whoever else writes to the file: each is one short append."""
    if (path := os.environ.get(RECEIPTS)) and "request" in item.payload:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, f"{item.key} {item.payload['request']} {item.ordinal}\n".encode())
        os.close(file)


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(process)d %(message)s")
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    url, concurrency, is_away, broken, queues = sys.argv[1:]
    if broken:
        from tests.chaos.breaks import BREAKS

        BREAKS[broken]()
    if int(is_away):
        real_time = time.time
        time.time = lambda: real_time() + float(is_away)
    build(url).worker(concurrency=int(concurrency), queues=queues.split(",") if queues else None).run(grace=1)
