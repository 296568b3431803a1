"""DBOS: workflows enqueued in transactions of 5,000; the queue is polled as often as it allows."""

import os
import sys
import threading
import time
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig

from bench.stage import Stage, payloads, say

PAGE = 5_000

stage: Stage | None = None


@DBOS.workflow(name="noop")
def noop(payload: dict[str, Any]) -> dict[str, Any]:
    assert stage is not None
    return stage.handle(payload)


def main(command: str, url: str, *args: str) -> None:
    global stage  # noqa: PLW0603  # workflows are registered when the module is read
    url = url.replace("postgresql://", "postgresql+psycopg://")
    match command:
        case "prepare":
            launch(url)
            DBOS.destroy()
        case "enqueue" | "submit":
            client = DBOSClient(system_database_url=url)
            options: Any = {"queue_name": "noop", "workflow_name": "noop"}
            if command == "enqueue":
                jobs = payloads(int(args[0]))
                engine = sqlalchemy.create_engine(url)
                began = time.perf_counter()
                for start in range(0, len(jobs), PAGE):
                    with engine.begin() as conn:
                        for payload in jobs[start : start + PAGE]:
                            client.enqueue_in_transaction(conn, options, payload)
                say(seconds=time.perf_counter() - began)
            else:
                for i in range(int(args[0])):
                    client.enqueue(options, {"i": i, "s": "x" * 50, "t": time.time()})
                    time.sleep(float(args[1]))
        case "work":
            stage = Stage(args[0])
            stage.wait_for_go()
            launch(url, concurrency=int(args[1]))
            threading.Event().wait()


def launch(url: str, concurrency: int = 1) -> None:
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": url,
        "run_admin_server": False,
        "executor_id": str(os.getpid()),
    }
    DBOS(config=config)
    DBOS.launch()
    DBOS.register_queue("noop", worker_concurrency=concurrency, polling_interval_sec=0.01)


main(*sys.argv[1:])
