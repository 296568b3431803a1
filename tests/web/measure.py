"""How long the API takes, over a real socket: `python -m tests.web.measure`.

A server and a worker in processes of their own, on a database of their own;
one client that keeps its connection, and fifty that poll. Figures hold for
the machine and the moment; the load of the machine is told with them.
"""

import argparse
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingather import embedded
from ingather.engine.engine import Engine
from ingather.engine.migrations import migrate
from ingather.extraction.extraction import Extraction
from ingather.extraction.provider import Endpoint
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.library import Library
from ingather.web import accounts
from tests.extraction.desk import Bench, paper
from tests.provider.reader import answer
from tests.provider.server import Provider
from tests.web.site import Office

POLLERS = 50
MODEL, KEY = "test-model", "sk-test-0123456789"


class RealBench(Bench):
    """With the parser that people get."""

    def __init__(self, engine: Engine, folder: Path, endpoint: Endpoint | None = None) -> None:
        self.engine = engine
        self.library = Library(engine, blobs_from(str(folder)))
        ingest.register(self.library)
        self.extraction = Extraction(engine, self.library, endpoint)


class Caller:
    """A client that keeps its connection, as browsers and scripts do."""

    def __init__(self, port: int, token: str) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self._line.request(method, f"/api/v1{path}", None if body is None else json.dumps(body), self._headers)
        with self._line.getresponse() as answer:
            page = answer.read()
        assert answer.status in {200, 201}, (answer.status, page)
        return json.loads(page)


def spread(times: list[float]) -> str:
    ordered = sorted(times)
    ms = [1000 * value for value in (statistics.median(ordered), ordered[int(0.95 * len(ordered))], ordered[-1])]
    return f"median {ms[0]:.2f} ms, 95th of a hundred {ms[1]:.2f} ms, longest {ms[2]:.1f} ms ({len(times)} requests)"


def timed(count: int, what: Callable[[int], object]) -> list[float]:
    times = []
    for n in range(count):
        began = time.perf_counter()
        what(n)
        times.append(time.perf_counter() - began)
    return times


@contextmanager
def started(argv: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ingather.cli", *argv], env=os.environ | environment, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


@contextmanager
def polling(port: int, token: str, task_id: int) -> Iterator[list[float]]:
    """Fifty clients that look once a second, each at its own moment."""
    over = threading.Event()
    times: list[float] = []

    def poll(n: int) -> None:
        client = Caller(port, token)
        over.wait(n / POLLERS)
        while not over.is_set():
            began = time.perf_counter()
            client.ask("GET", f"/extraction/tasks/{task_id}")
            times.append(time.perf_counter() - began)
            over.wait(max(0.0, 1 - (time.perf_counter() - began)))

    threads = [threading.Thread(target=poll, args=(n,), daemon=True) for n in range(POLLERS)]
    for thread in threads:
        thread.start()
    try:
        yield times
    finally:
        over.set()
        for thread in threads:
            thread.join()


def measure(url: str, folder: Path, documents: int, rounds: int, model: str | None) -> None:
    engine = Engine(url)
    endpoint = Endpoint.of(model, MODEL, KEY) if model else None
    office = Office(RealBench(engine, folder / "files", endpoint).open())
    token = office.token("owner", accounts.TokenScope.WRITE)
    ids = office.add(paper(n) for n in range(documents))
    office.work()
    environment = {"DATABASE_URL": url, "INGATHER_HOME": str(folder)}
    if model:
        environment |= {"INGATHER_LLM_BASE_URL": model, "INGATHER_LLM_MODEL": MODEL, "INGATHER_LLM_API_KEY": KEY}
    with started(["serve", "--port", "0"], environment) as web:
        assert web.stderr is not None
        port = int(re.search(r":(\d+)", web.stderr.readline())[1])  # type: ignore[index]
        client = Caller(port, token)
        task = {"project_id": office.bench.project, "template_id": "rct", "document_ids": ids[:100]}
        client.ask("GET", "/me")
        say("start of a task of 100 documents", timed(60, lambda _: client.ask("POST", "/extraction/tasks", task)))
        task_id = client.ask("POST", "/extraction/tasks", task)["task_id"]
        for _ in range(3):
            say("status of a task", timed(500, lambda _: client.ask("GET", f"/extraction/tasks/{task_id}")))
        say("who am I", timed(500, lambda _: client.ask("GET", "/me")))
        for open_task in engine.batches(state="open", limit=500):
            engine.batch(open_task.batch_id).cancel()
        if rounds:
            drains(engine, office, port, token, ids, rounds, environment)
    engine.close()


def drains(
    engine: Engine, office: Office, port: int, token: str, ids: list[int], rounds: int, environment: dict[str, str]
) -> None:
    """The same task with and without pollers, one after the other."""
    took: dict[bool, list[float]] = {True: [], False: []}
    seen: list[float] = []
    with started(["work", "ingather.workbench:app"], environment):
        for n in range(2 * rounds + 2):
            is_polled = n % 2 == 1
            # Another context each time: no model is asked the same question twice.
            task_id = office.start(ids, field_ids=["title", "n_randomised", "funding_source"], context=f"round {n}")
            batch = engine.batch(office.bench.extraction.task(task_id).batch_id)
            if is_polled:
                with polling(port, token, task_id) as times:
                    batch.wait()
                seen += times
            else:
                batch.wait()
            progress = batch.progress()
            assert progress.completed == len(ids)
            assert progress.closed_at is not None
            if n >= 2:  # the first of each kind finds nothing in memory
                took[is_polled].append((progress.closed_at - progress.created_at).total_seconds())
    alone, polled = (statistics.median(took[is_polled]) for is_polled in (False, True))
    print(f"{len(ids):,} documents alone: {', '.join(f'{s:.2f}' for s in took[False])} s", flush=True)
    print(f"with {POLLERS} pollers: {', '.join(f'{s:.2f}' for s in took[True])} s", flush=True)
    print(f"medians {alone:.2f} and {polled:.2f} s: {100 * (polled / alone - 1):+.1f} %", flush=True)
    say("status while it is polled", seen)


def say(what: str, times: list[float]) -> None:
    print(f"{what}: {spread(times)}; load {os.getloadavg()[0]:.1f}", flush=True)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.web.measure", description=__doc__)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--model", action="store_true", help="a model that answers after 0.3 s, instead of our rules")
    parser.add_argument("--rounds", type=int, default=5, help="of the drain, with and without pollers; 0 leaves it out")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder, embedded.start(Path(folder) / "server") as running:
        migrate(running.url)
        with Provider(script={"latency_s": 0.3}, answerer=answer) as provider:
            address = provider.base_url if arguments.model else None
            measure(running.url, Path(folder), arguments.documents, arguments.rounds, address)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
