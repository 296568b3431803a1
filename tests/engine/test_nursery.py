"""The process that children are forked from: what it must not take along, and what must not end it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys

import pytest

from ingather.engine import nursery
from ingather.engine.engine import Engine
from ingather.engine.errors import RetryLater
from ingather.engine.item import Item
from tests.engine.workshop import children_of, nursery_of

PRINTS = """
import sys
from ingather.engine.engine import Engine
app = Engine(sys.argv[1], lease=1)

@app.handler("echo")
def echo(item):
    return item.payload

print("said once")
for n in range(2):
    app.submit("echo", {"n": n})
    app.worker(concurrency=1).drain()
"""


def test_what_was_said_before_a_worker_starts_is_said_once(url: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    argv = [sys.executable, "-c", PRINTS, url]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "said once\n"


def test_a_signal_that_is_not_what_it_says_is_a_failure_and_no_silence(app: Engine) -> None:
    class Busy(RetryLater):
        def __init__(self) -> None:
            pass

    @app.handler("odd", max_attempts=1, timeout=60)
    def odd(item: Item) -> None:
        raise Busy

    batch = app.submit("odd", {})
    app.worker(concurrency=1).drain()
    [item] = batch.items()
    assert (item.state, item.error and item.error["reason"]) == ("error", "exhausted")
    assert item.error
    assert "delay" in item.error["message"]


def test_a_port_that_the_workers_process_closes_is_closed(app: Engine) -> None:
    async def scene() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            address = listening.getsockname()
            async with app.worker():
                listening.close()
                with pytest.raises(ConnectionRefusedError):
                    socket.create_connection(address, 1)

    asyncio.run(scene())


def test_a_worker_stops_although_its_nursery_stands_still(app: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "PATIENCE_S", 0.2)

    async def scene() -> int:
        async with app.worker():
            keeper = nursery_of(os.getpid())
            os.kill(keeper, signal.SIGSTOP)
        return keeper

    keeper = asyncio.run(scene())
    assert keeper not in dict(children_of(os.getpid()))


def test_a_pool_that_breaks_loses_no_job(app: Engine) -> None:
    """Idle children are killed, and at the same moment the next items come."""

    @app.handler("quick", timeout=60)
    def quick(item: Item) -> int:
        return os.getpid()

    async def scene() -> None:
        async with app.worker(concurrency=2):
            await (await app.asubmit("quick", {})).await_(15)
            keeper = nursery_of(os.getpid())
            for _ in range(5):
                for child, _command in children_of(keeper):
                    os.kill(child, signal.SIGKILL)
                batch = await app.ascatter("quick", [{}, {}])
                assert (await batch.await_(15)).completed == 2
        await app.aclose()

    asyncio.run(scene())
