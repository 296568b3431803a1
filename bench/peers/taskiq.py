"""taskiq on Redis: a stream as queue, a hundred at once, uvloop, results in Redis."""

import asyncio
import sys
import time
from typing import Any

import uvloop
from taskiq.api import run_receiver_task
from taskiq.serializers import ORJSONSerializer
from taskiq_redis import RedisAsyncResultBackend, RedisStreamBroker

from bench.stage import Stage, payloads, say

broker = (
    RedisStreamBroker(sys.argv[2], consumer_id="0")
    .with_serializer(ORJSONSerializer())
    .with_result_backend(RedisAsyncResultBackend(sys.argv[2], result_ex_time=600))
)
stage = Stage(sys.argv[3]) if sys.argv[1] == "work" else None


@broker.task(task_name="noop")
async def noop(payload: dict[str, Any]) -> dict[str, Any]:
    assert stage is not None
    return stage.handle(payload)


async def main(command: str, _: str, *args: str) -> None:
    if command == "work":
        assert stage is not None
        stage.wait_for_go()
        broker.is_worker_process = True
        await run_receiver_task(
            broker, max_async_tasks=int(args[1]), max_prefetch=100, validate_params=False, run_startup=True
        )
        return
    await broker.startup()
    if command == "enqueue":
        jobs = payloads(int(args[0]))
        began = time.perf_counter()
        for start in range(0, len(jobs), 100):
            await asyncio.gather(*(noop.kiq(payload) for payload in jobs[start : start + 100]))
        say(seconds=time.perf_counter() - began)
    elif command == "submit":
        for i in range(int(args[0])):
            await noop.kiq({"i": i, "s": "x" * 50, "t": time.time()})
            await asyncio.sleep(float(args[1]))
    await broker.shutdown()


uvloop.run(main(*sys.argv[1:]))
