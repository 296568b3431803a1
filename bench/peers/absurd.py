"""absurd: its SQL function over arrays to insert; a few asyncio workers, each with a connection of its own."""

import asyncio
import json
import sys
import time
from typing import Any

import psycopg
from absurd_sdk import AsyncAbsurd
from absurdctl import BUNDLED_SCHEMA_SQL

from bench.stage import Stage, payloads, say

PAGE = 5_000
WORKERS = 4
SPAWN = (
    "select count(*) from unnest(%s::text[]) as p, lateral absurd.spawn_task('default', 'noop', p::jsonb, '{}'::jsonb)"
)


async def main(command: str, url: str, *args: str) -> None:
    app = AsyncAbsurd(url)
    match command:
        case "prepare":
            with psycopg.connect(url, autocommit=True) as conn:
                conn.execute(BUNDLED_SCHEMA_SQL)
            await app.create_queue("default")
        case "enqueue":
            jobs = [json.dumps(payload) for payload in payloads(int(args[0]))]
            with psycopg.connect(url, autocommit=True) as conn:
                began = time.perf_counter()
                for start in range(0, len(jobs), PAGE):
                    conn.execute(SPAWN, [jobs[start : start + PAGE]])
                say(seconds=time.perf_counter() - began)
        case "work":
            stage = Stage(args[0])

            async def noop(params: dict[str, Any], _context: object) -> dict[str, Any]:
                return stage.handle(params)

            async def consume() -> None:
                own = AsyncAbsurd(url)
                own.register_task("noop")(noop)
                await own.start_worker(concurrency=int(args[1]), poll_interval=0.005)

            stage.wait_for_go()
            await asyncio.gather(*(consume() for _ in range(WORKERS)))
        case "submit":
            for i in range(int(args[0])):
                await app.spawn("noop", {"i": i, "s": "x" * 50, "t": time.time()}, queue="default")
                await asyncio.sleep(float(args[1]))


asyncio.run(main(*sys.argv[1:]))
