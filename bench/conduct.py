"""Driving a system: fill it, let it work, and read what its handlers counted."""

import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from bench.server import ask, cpu_s
from bench.stage import Seats
from bench.systems import Skipped, System
from ingather.engine.migrations import migrate

T = TypeVar("T")

# A crew has so long to load and to handle its first item. Shorter fails on a slow or busy machine, where two seconds
# were not enough; longer only delays the news that a system does not work.
READY_S = 60
# A handled item has so long to be stored. Longer only delays the news that it never will be.
LEFT_S = 30
# How often the counts are read: as long as hardly anything takes; shorter would use a processor that is measured.
LOOK_S = 0.004


@dataclass(frozen=True, slots=True)
class Drain:
    """`per_s` from when every process is at work until all is done and stored; `wall_s` from the starting signal.
    `cpu_s` is the workers' own, their children's included, from the signal on."""

    per_s: float
    wall_s: float
    cpu_s: float
    items: int
    is_cut: bool


class Crew:
    """Worker processes of one system, loaded and waiting for the signal."""

    def __init__(self, system: System, url: str, folder: Path, processes: int, concurrency: int | None) -> None:
        self.seats = Seats(folder)
        self.all_at_work: tuple[float, int] | None = None
        """When every process had begun, and how many items were handled by then."""
        self._log = folder / "log.txt"
        args = ("work", url, folder, concurrency or system.concurrency)
        self.processes = [system.start(*args, log=self._log) for _ in range(processes)]

    def wait_until_ready(self) -> None:
        until = time.monotonic() + READY_S
        while self.seats.ready() < len(self.processes):
            self.check()
            if time.monotonic() > until:
                raise Skipped(f"its workers were not ready after {READY_S} s")
            time.sleep(0.01)

    def check(self) -> None:
        if any(process.poll() is not None for process in self.processes):
            lines = self._log.read_text(errors="replace").strip().splitlines()
            raise Skipped(f"its worker ended: {lines[-1] if lines else 'without a word'}")

    def wait_for(self, items: int, cap_s: float, look_s: float = LOOK_S) -> bool:
        """Until so many were handled; False when the time was up before. It counts from the first handled item on."""
        until, has_begun = time.monotonic() + READY_S + cap_s, False
        while (counts := self.seats.counts()).handled < items:
            if counts.handled > 0 and not has_begun:
                until, has_begun = time.monotonic() + cap_s, True
            if counts.processes == len(self.processes) and self.all_at_work is None:
                self.all_at_work = time.time(), counts.handled
            if time.monotonic() > until:
                return False
            self.check()
            time.sleep(look_s)
        return True

    def cpu_s(self) -> float:
        return sum(cpu_s(process.pid) for process in self.processes)

    def stop(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 5
        for process in self.processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, until - time.monotonic()))
            # Each was started as a group of its own, so that its children go with it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def crew(system: System, url: str, *, processes: int = 1, concurrency: int | None = None) -> Iterator[Crew]:
    with tempfile.TemporaryDirectory(prefix="stage-") as folder:
        workers = Crew(system, url, Path(folder), processes, concurrency)
        try:
            workers.wait_until_ready()
            yield workers
        finally:
            workers.stop()


def twice(step: Callable[[], T]) -> T:
    """What a step of our own gives. A machine that stood still once does not cost the whole run; a second failure
    does."""
    try:
        return step()
    except (Skipped, psycopg.Error, OSError):
        return step()


def run(system: System, *args: object) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="stage-") as folder:
        return system.call(*args, cwd=Path(folder))


def prepare(system: System, url: str) -> None:
    """Make the system's tables. Ours need no process of their own for that."""
    if system.is_ours:
        migrate(url)
    else:
        run(system, "prepare", url)


def enqueue(system: System, url: str, n: int) -> float:
    """Jobs a second, as the system's own process measures it: without its start-up."""
    return n / float(run(system, "enqueue", url, n)["seconds"])


def drain(
    system: System,
    url: str,
    n: int,
    *,
    processes: int = 1,
    concurrency: int | None = None,
    cap_s: float = 60,
) -> Drain:
    """Let it work on n jobs that are there. Slow ones are cut at `cap_s`: their speed is known by then."""
    with crew(system, url, processes=processes, concurrency=concurrency) as workers:
        spent = workers.cpu_s()
        began = workers.seats.go()
        is_whole = workers.wait_for(n, cap_s)
        end, stored = time.time(), n
        if is_whole and system.left is not None:
            end = wait_until_stored(url, system.left)
        elif system.left is not None:
            stored = n - int(ask(url, system.left))
        spent = workers.cpu_s() - spent
        counts = workers.seats.counts()
    if counts.handled == 0:
        raise Skipped(f"its workers handled nothing within {READY_S + cap_s:g} s")
    items = min(stored, counts.handled)
    since, before = workers.all_at_work or (counts.first, 0)
    if processes == 1 or 2 * before > items:  # known to the moment; or hardly anything was left for the others
        since, before = counts.first, 0
    return Drain((items - before) / (end - since), end - began, spent, items, not is_whole)


def wait_until_stored(url: str, left: str) -> float:
    """When that was: just before it was asked for the last time, since some take long to answer."""
    until = time.monotonic() + LEFT_S
    with psycopg.connect(url, autocommit=True) as conn:
        while True:
            begun_at = time.time()
            row = conn.execute(left.encode()).fetchone()
            if row is None or row[0] == 0:
                return begun_at
            if time.monotonic() > until:
                raise Skipped(f"{row[0]} jobs were handled but not stored after {LEFT_S} s")
            time.sleep(LOOK_S)


def latency(system: System, url: str, n: int, every_s: float = 0.05, command: str = "submit") -> dict[str, float]:
    """From the call that submits a job until its handler is called, in milliseconds; the worker is idle."""
    with crew(system, url) as workers:
        workers.seats.go()
        time.sleep(1.0)
        run(system, command, url, n, every_s)
        workers.wait_for(n, 10)
        times = sorted(1000 * s for s in workers.seats.notes("latency"))
    if not times:
        raise Skipped("no single job arrived")
    return quantiles(times)


def quantiles(times_ms: list[float]) -> dict[str, float]:
    times_ms = sorted(times_ms)
    return {
        "p50_ms": round(statistics.median(times_ms), 2),
        "p95_ms": round(times_ms[min(len(times_ms) - 1, int(0.95 * len(times_ms)))], 2),
    }
