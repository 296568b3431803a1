"""PgQueuer: lists to insert, asyncpg, batches of a hundred, as in its own benchmark."""

import asyncio
import json
import sys
import time
from typing import Any

import asyncpg
from pgqueuer import AsyncpgDriver, Job, PgQueuer, Queries

from bench.stage import Stage, payloads, say

PAGE = 5_000


async def main(command: str, url: str, *args: str) -> None:
    driver = AsyncpgDriver(await asyncpg.connect(url))
    queries = Queries(driver)
    match command:
        case "prepare":
            await queries.install()
        case "enqueue":
            jobs: list[Any] = [json.dumps(payload).encode() for payload in payloads(int(args[0]))]
            began = time.perf_counter()
            for start in range(0, len(jobs), PAGE):
                page = jobs[start : start + PAGE]
                await queries.enqueue(["noop"] * len(page), page, [0] * len(page))
            say(seconds=time.perf_counter() - began)
        case "work":
            stage = Stage(args[0])
            worker = PgQueuer(driver)

            @worker.entrypoint("noop")
            async def noop(job: Job) -> None:
                assert job.payload is not None
                stage.handle(json.loads(job.payload))

            stage.wait_for_go()
            await worker.run(batch_size=int(args[1]))
        case "submit":
            for i in range(int(args[0])):
                sent = {"i": i, "s": "x" * 50, "t": time.time()}
                await queries.enqueue("noop", json.dumps(sent).encode(), 0)
                await asyncio.sleep(float(args[1]))


asyncio.run(main(*sys.argv[1:]))
