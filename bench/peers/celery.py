"""Celery on Redis: one prefork child per process, a prefetch of a hundred, results in Redis."""

import os
import sys
import time
from typing import Any

from celery import Celery

from bench.stage import Stage, payloads, say

URL = os.environ.get("BENCH_URL") or sys.argv[2]
# Who only sends subscribes to every result if there is a backend.
app = Celery("bench", broker=URL, backend=URL if sys.argv[1] == "work" else None)
app.conf.update(
    worker_prefetch_multiplier=100,
    task_acks_late=True,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
)
stage = Stage(sys.argv[3]) if sys.argv[1] == "work" else None


@app.task(name="noop")
def noop(payload: dict[str, Any]) -> dict[str, Any]:
    assert stage is not None
    return stage.handle(payload)


match sys.argv[1:]:
    case ["prepare", _]:
        pass
    case ["enqueue", _, n]:
        jobs = payloads(int(n))
        began = time.perf_counter()
        with app.producer_pool.acquire(block=True) as producer:
            for payload in jobs:
                noop.apply_async((payload,), producer=producer)
        say(seconds=time.perf_counter() - began)
    case ["work", _, _, concurrency]:
        assert stage is not None
        stage.wait_for_go()
        app.worker_main(
            ["worker", "--pool=prefork", f"--concurrency={concurrency}", "--without-gossip", "--without-mingle",
             "--without-heartbeat", "--loglevel=ERROR", f"--hostname=bench{os.getpid()}@%h"]
        )  # fmt: skip
    case ["submit", _, n, every_s]:
        for i in range(int(n)):
            noop.delay({"i": i, "s": "x" * 50, "t": time.time()})
            time.sleep(float(every_s))
