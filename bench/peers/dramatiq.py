"""Dramatiq on Redis: two threads per process, a prefetch of 256, results in Redis."""

import os
import sys
import threading
import time
from typing import Any

os.environ["dramatiq_queue_prefetch"] = "256"  # noqa: SIM112  # its name; read when it is loaded

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend

from bench.stage import Stage, payloads, say

broker = RedisBroker(url=sys.argv[2])
broker.add_middleware(Results(backend=RedisBackend(url=sys.argv[2])))
dramatiq.set_broker(broker)
stage = Stage(sys.argv[3]) if sys.argv[1] == "work" else None


@dramatiq.actor(actor_name="noop", store_results=True)
def noop(payload: dict[str, Any]) -> dict[str, Any]:
    assert stage is not None
    return stage.handle(payload)


match sys.argv[1:]:
    case ["prepare", _]:
        pass
    case ["enqueue", _, n]:
        jobs = payloads(int(n))
        began = time.perf_counter()
        for payload in jobs:
            noop.send(payload)
        say(seconds=time.perf_counter() - began)
    case ["work", _, _, threads]:
        assert stage is not None
        worker = dramatiq.Worker(broker, worker_threads=int(threads), worker_timeout=10)
        stage.wait_for_go()
        worker.start()
        threading.Event().wait()
    case ["submit", _, n, every_s]:
        for i in range(int(n)):
            noop.send({"i": i, "s": "x" * 50, "t": time.time()})
            time.sleep(float(every_s))
