"""Chancy: `sync_push_many` to insert, the asyncio executor to work, what ended written every 10 ms, no log."""

import asyncio
import logging
import sys
import time
from typing import Any

from chancy import Chancy, Queue, Worker, job

from bench.stage import Stage, payloads, say

stage: Stage | None = None


@job(queue="noop")
async def noop(*, payload: dict[str, Any]) -> None:
    assert stage is not None
    stage.handle(payload)


async def main(command: str, url: str, *args: str) -> None:
    global stage  # noqa: PLW0603  # jobs are found by the name of a function, which takes no other argument
    async with Chancy(url) as chancy:
        chancy.log.setLevel(logging.WARNING)
        match command:
            case "prepare":
                await chancy.migrate()
                lane = Queue(
                    "noop", concurrency=200, executor=Chancy.Executor.Async, polling_interval=1, eager_polling=True
                )
                await chancy.declare(lane, upsert=True)
            case "enqueue":
                jobs = [noop.job.with_kwargs(payload=payload) for payload in payloads(int(args[0]))]
                began = time.perf_counter()
                for _ in chancy.sync_push_many(jobs, batch_size=5_000):
                    pass
                say(seconds=time.perf_counter() - began)
            case "work":
                stage = Stage(args[0])
                stage.wait_for_go()
                async with Worker(chancy) as worker:
                    worker.send_outgoing_interval = 0.01
                    await worker.wait_for_shutdown()
            case "submit":
                for i in range(int(args[0])):
                    sent = {"i": i, "s": "x" * 50, "t": time.time()}
                    await chancy.push(noop.job.with_kwargs(payload=sent))
                    await asyncio.sleep(float(args[1]))


# Its default queue starts processes, which read this module again.
if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
