"""Procrastinate: `batch_defer_async` to insert; one job per round trip is how its workers fetch."""

import asyncio
import sys
import time
from typing import Any

import procrastinate

from bench.stage import Stage, payloads, say

PAGE = 5_000


def make_app(url: str, stage: Stage | None = None) -> tuple[Any, Any]:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=2, max_size=30))

    @app.task(name="noop")
    async def noop(payload: dict[str, Any]) -> dict[str, Any]:
        assert stage is not None
        return stage.handle(payload)

    return app, noop


async def main(command: str, url: str, *args: str) -> None:
    stage = Stage(args[0]) if command == "work" else None
    app, noop = make_app(url, stage)
    async with app.open_async():
        match command:
            case "prepare":
                await app.schema_manager.apply_schema_async()
            case "enqueue":
                jobs = [{"payload": payload} for payload in payloads(int(args[0]))]
                began = time.perf_counter()
                for start in range(0, len(jobs), PAGE):
                    await noop.batch_defer_async(*jobs[start : start + PAGE])
                say(seconds=time.perf_counter() - began)
            case "work":
                assert stage is not None
                stage.wait_for_go()
                await app.run_worker_async(concurrency=int(args[1]))
            case "submit":
                for i in range(int(args[0])):
                    await noop.defer_async(payload={"i": i, "s": "x" * 50, "t": time.time()})
                    await asyncio.sleep(float(args[1]))


asyncio.run(main(*sys.argv[1:]))
