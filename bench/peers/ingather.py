"""Ingather, driven like its peers."""

import asyncio
import hashlib
import sys
import time
from datetime import timedelta
from typing import Any

import psycopg

from bench.stage import Stage, payloads, say
from ingather import Ingather, Item


def make_app(url: str, stage: Stage | None = None) -> Ingather:
    app = Ingather(url, keep=timedelta(days=30))

    @app.handler("noop")
    async def noop(item: Item) -> dict[str, Any]:
        assert stage is not None
        return stage.handle(item.payload)

    @app.handler("wait")
    async def wait(item: Item) -> dict[str, Any]:
        await asyncio.sleep(0.2)
        assert stage is not None
        return stage.handle(item.payload)

    @app.handler("plain")
    def plain(item: Item) -> dict[str, Any]:
        assert stage is not None
        return stage.handle(item.payload)

    page = bytes(100_000)

    @app.handler("compute")
    async def compute(item: Item) -> dict[str, Any]:
        assert stage is not None
        return stage.handle(item.payload) | {"sha256": hashlib.sha256(page).hexdigest()}

    sizes = {size: "r" * size for size in (1_000, 100_000)}

    @app.handler("big")
    async def big(item: Item) -> dict[str, Any]:
        assert stage is not None
        stage.add(1)
        return {"r": sizes[item.payload["size"]]}

    return app


def prepare(url: str) -> None:
    make_app(url).migrate()


def enqueue(url: str, n: int) -> None:
    app, work = make_app(url), payloads(n)
    app.check()
    began = time.perf_counter()
    app.scatter("noop", work)
    say(seconds=time.perf_counter() - began)


def work(url: str, folder: str, concurrency: int) -> None:
    stage = Stage(folder)
    worker = make_app(url, stage).worker(concurrency=concurrency)
    stage.wait_for_go()
    worker.run()


def submit(url: str, n: int, every_s: float) -> None:
    app = make_app(url)
    app.check()
    for i in range(n):
        app.submit("noop", {"i": i, "s": "x" * 50, "t": time.time()})
        time.sleep(every_s)


def submit_silently(url: str, n: int, every_s: float) -> None:
    """In a transaction of the caller's, where nobody rings."""
    app = make_app(url)
    with psycopg.connect(url) as conn:
        for i in range(n):
            with conn.transaction():
                app.submit("noop", {"i": i, "s": "x" * 50, "t": time.time()}, conn=conn)
            time.sleep(every_s)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", url]:
            prepare(url)
        case ["enqueue", url, n]:
            enqueue(url, int(n))
        case ["work", url, folder, concurrency]:
            work(url, folder, int(concurrency))
        case ["submit", url, n, every_s]:
            submit(url, int(n), float(every_s))
        case ["submit_silently", url, n, every_s]:
            submit_silently(url, int(n), float(every_s))
