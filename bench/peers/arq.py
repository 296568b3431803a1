"""arq on Redis: a hundred at once, results in Redis."""

import asyncio
import sys
import time
from typing import Any

from arq import create_pool
from arq.connections import RedisSettings
from arq.worker import Worker, func

from bench.stage import Stage, payloads, say


async def main(command: str, url: str, *args: str) -> None:
    settings = RedisSettings.from_dsn(url)
    if command == "work":
        stage = Stage(args[0])

        async def noop(_: dict[Any, Any], payload: dict[str, Any]) -> dict[str, Any]:
            return stage.handle(payload)

        stage.wait_for_go()
        limit = int(args[1])
        worker = Worker(
            [func(noop, name="noop")], redis_settings=settings, max_jobs=limit, poll_delay=0.01, handle_signals=False
        )
        await worker.main()
    elif command == "enqueue":
        pool = await create_pool(settings)
        jobs = payloads(int(args[0]))
        began = time.perf_counter()
        for start in range(0, len(jobs), 100):
            await asyncio.gather(*(pool.enqueue_job("noop", payload) for payload in jobs[start : start + 100]))
        say(seconds=time.perf_counter() - began)
    elif command == "submit":
        pool = await create_pool(settings)
        for i in range(int(args[0])):
            await pool.enqueue_job("noop", {"i": i, "s": "x" * 50, "t": time.time()})
            await asyncio.sleep(float(args[1]))


asyncio.run(main(*sys.argv[1:]))
