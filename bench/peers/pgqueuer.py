"""PgQueuer: lists to insert; to work, asyncpg, uvloop and consumers side by side, as in its own benchmark."""

import asyncio
import json
import sys
import time
from typing import Any

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, Job, PgQueuer, Queries

from bench.stage import Stage, payloads, say

PAGE = 5_000
CONSUMERS = 3


async def main(command: str, url: str, *args: str) -> None:
    driver = AsyncpgDriver(await asyncpg.connect(url))
    queries = Queries(driver)
    match command:
        case "prepare":
            await queries.install()
            await queries.optimize_autovacuum()
        case "enqueue":
            jobs: list[Any] = [json.dumps(payload).encode() for payload in payloads(int(args[0]))]
            began = time.perf_counter()
            for start in range(0, len(jobs), PAGE):
                page = jobs[start : start + PAGE]
                await queries.enqueue(["noop"] * len(page), page, [0] * len(page))
            say(seconds=time.perf_counter() - began)
        case "work":
            stage = Stage(args[0])

            async def noop(job: Job) -> None:
                assert job.payload is not None
                stage.handle(json.loads(job.payload))

            async def consume() -> None:
                worker = PgQueuer(AsyncpgDriver(await asyncpg.connect(url)))
                worker.entrypoint("noop")(noop)
                await worker.run(batch_size=int(args[1]))

            stage.wait_for_go()
            await asyncio.gather(*(consume() for _ in range(CONSUMERS)))
        case "submit":
            for i in range(int(args[0])):
                sent = {"i": i, "s": "x" * 50, "t": time.time()}
                await queries.enqueue("noop", json.dumps(sent).encode(), 0)
                await asyncio.sleep(float(args[1]))


uvloop.run(main(*sys.argv[1:]))
