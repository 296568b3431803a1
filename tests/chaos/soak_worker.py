"""A worker process of a soak: handlers that use each part of a worker, and none that harms it."""

import asyncio
import logging
import sys
import time
from datetime import timedelta
from typing import Any

from ingather.engine.engine import Engine
from ingather.engine.errors import RetryLater
from ingather.engine.item import Item

# Closed batches go after this time. A shorter one could remove a batch before its caller has looked at it; with a
# longer one the tables take more of the soak to reach the size at which they should stay.
KEEP = timedelta(minutes=2)
LEASE_S = 10.0


def build(url: str) -> Engine:
    app = Engine(url, lease=LEASE_S, keep=KEEP)

    @app.handler("quick", max_attempts=3)
    async def quick(item: Item) -> dict[str, Any]:
        number = item.ordinal
        if number % 20 == 1 and item.attempt == 1:
            raise ValueError("the first attempt of every twentieth fails")
        if number % 20 == 2 and item.attempt < 3 and time.time() < item.payload["sent"] + 1:
            raise RetryLater(1)
        if number % 20 == 3:
            item.scatter("plain", [{"number": number}])
        await asyncio.sleep(0.002)
        return {"number": number, "text": "x" * 200}

    @app.handler("plain", max_attempts=3)
    def plain(item: Item) -> int:
        return sum(range(1000 + item.ordinal))

    @app.handler("probe")
    async def probe(item: Item) -> float:
        return time.time() - float(item.payload["sent"])

    @app.gather("quick")
    async def count(batch: Any) -> int:
        return len([1 async for _ in batch.results()])

    return app


if __name__ == "__main__":
    # Failures that the handlers make on purpose would fill a log of hours.
    logging.basicConfig(format="%(asctime)s %(process)d %(message)s", level=logging.ERROR)
    logging.getLogger("ingather").setLevel(logging.CRITICAL)
    build(sys.argv[1]).worker(concurrency=10).run(grace=5)
