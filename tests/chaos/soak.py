"""A soak: hours of ordinary work, and what workers and server take meanwhile, a line a minute.

python3 dev.py chaos --soak 240        four hours; writes .chaos/soak.csv and .chaos/soak.svg as it goes

Two workers live as long as the soak and are measured. A third is killed and replaced every minute, so that items are
taken back all along. Closed batches are removed after two minutes, so all sizes should stay where they soon are.
"""

import contextlib
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from ingather import embedded
from ingather.engine.errors import IngatherError
from ingather.engine.migrations import migrate
from tests.chaos import meters
from tests.chaos.curves import Curve, draw
from tests.chaos.soak_worker import KEEP, build

FOLDER = Path(".chaos")
MINUTE_S = 60.0
LASTING = 2
# About a hundred items a second with their children: enough that a leak of a few bytes an item shows within an hour,
# and little enough that a busy machine keeps up.
BATCH_ITEMS = 40
EVERY_S = 0.5
PROBE_EVERY_S = 1.0
# A caller looks at a batch before retention may take it.
LOOK_AFTER_S = KEEP.total_seconds() / 4
# Callers wait while so many batches are open: what a machine cannot do in time is no leak.
MOST_OPEN = 100
# Means of the first and of the last part of the minutes are compared, once the tables have reached their sizes.
WARM_UP_MINUTES = 5
PARTS = 4


@dataclass
class Callers:
    """Scatter work at a steady pace, ask how long single items take, and see that every batch ends as it should."""

    url: str
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    delays_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._is_over = threading.Event()
        tasks = (self._scatter, self._probe)
        self._threads = [threading.Thread(target=self._go_on, args=[task], daemon=True) for task in tasks]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join(2 * MINUTE_S)

    def _go_on(self, task: Callable[[], None]) -> None:
        """A caller that fails is written down, and begins anew: nothing here should make it fail."""
        while not self._is_over.is_set():
            try:
                task()
            except Exception as error:  # noqa: BLE001  # whatever it is, the report says it
                self.wrong.append(f"{task.__name__}: {type(error).__name__}: {error}")
                self._is_over.wait(EVERY_S)

    def _scatter(self) -> None:
        app = build(self.url)
        sent: deque[tuple[float, int]] = deque()
        while not self._is_over.wait(EVERY_S):
            if len(sent) < MOST_OPEN + LOOK_AFTER_S / EVERY_S:
                batch = app.scatter("quick", [{"sent": time.time()}] * BATCH_ITEMS)
                self.counts["batches"] += 1
                sent.append((time.monotonic(), batch.id))
            while sent and sent[0][0] < time.monotonic() - LOOK_AFTER_S:
                if not self._has_ended(app, sent[0][1]):
                    break
                sent.popleft()
        until = time.monotonic() + MINUTE_S
        while sent:
            if self._has_ended(app, sent[0][1]):
                sent.popleft()
            elif time.monotonic() > until:
                self.wrong.append(f"batch {sent[0][1]} did not end")
                break
            else:
                time.sleep(EVERY_S)
        app.close()

    def _has_ended(self, app: Any, batch_id: int) -> bool:
        try:
            progress = app.batch(batch_id).progress()
        except IngatherError as error:
            self.wrong.append(f"batch {batch_id}: {error}")
            return True
        if not progress.is_gathered:
            return False
        if progress.completed != BATCH_ITEMS:
            self.wrong.append(f"batch {batch_id}: {progress.completed} of {BATCH_ITEMS} completed")
        self.counts["items"] += progress.completed
        return True

    def _probe(self) -> None:
        app = build(self.url)
        while not self._is_over.wait(PROBE_EVERY_S):
            batch = app.scatter("probe", [{"sent": time.time()}], priority=5)
            try:
                batch.wait(MINUTE_S)
                self.delays_ms.append(1000 * float(batch.result()))
            except TimeoutError:
                self.wrong.append(f"a single item did not end within {MINUTE_S:g} s")
        app.close()

    def take_delays(self) -> list[float]:
        taken, self.delays_ms = self.delays_ms, []
        return sorted(taken)


class Soak:
    """One server, its workers, and the lines so far."""

    def __init__(self, home: Path, server: embedded.Server) -> None:
        self.server = server
        self.log = (home / "workers.log").open("wb")
        self.lasting = [self._spawn() for _ in range(LASTING)]
        self.short_lived = self._spawn()
        self.rows: list[dict[str, float]] = []
        self.began = time.monotonic()

    def _spawn(self) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "tests.chaos.soak_worker", self.server.url]
        return subprocess.Popen(argv, stderr=self.log, start_new_session=True)

    def kill_one(self) -> None:
        self.short_lived.kill()
        self.short_lived.wait()
        self.short_lived = self._spawn()

    def measure(self, callers: Callers) -> dict[str, float]:
        families = [meters.family_of(worker.pid) for worker in self.lasting]
        servers = meters.family_of(int((self.server.data / "postmaster.pid").read_text().split()[0]))
        with psycopg.connect(self.server.url, autocommit=True) as conn:
            sizes = meters.sizes_mb(conn)
        delays = callers.take_delays() or [0.0]
        row = {
            "minute": round((time.monotonic() - self.began) / MINUTE_S, 1),
            "batches": callers.counts["batches"],
            "items": callers.counts["items"],
            "worker_mb": round(statistics.mean(meters.memory_mb(family[:1]) for family in families), 2),
            "family_mb": round(statistics.mean(meters.memory_mb(family) for family in families), 2),
            "descriptors": statistics.mean(meters.descriptors(family) for family in families),
            "server_mb": round(meters.memory_mb(servers), 1),
            "server_processes": len(servers),
            "tables_mb": round(sum(sizes.values()), 2),
            **{f"{name}_mb": round(size, 2) for name, size in sorted(sizes.items()) if name in SHOWN},
            "probe_p50_ms": round(statistics.median(delays), 1),
            "probe_p95_ms": round(delays[min(len(delays) - 1, int(0.95 * len(delays)))], 1),
            "probe_max_ms": round(delays[-1], 1),
            "load": round(os.getloadavg()[0], 1),
        }
        self.rows.append(row)
        return row

    def end(self) -> None:
        for worker in (*self.lasting, self.short_lived):
            worker.terminate()
        for worker in (*self.lasting, self.short_lived):
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(20)
            worker.kill()
            worker.wait()
        self.log.close()


SHOWN = {"batch", "segment", "payload", "outcome", "lease", "waiting", "tally"}

CURVES = {
    "items": ("items ended", ""), "worker_mb": ("memory of a worker process", "MB"),
    "family_mb": ("with sentinel, nursery and children", "MB"), "descriptors": ("descriptors of these", ""),
    "server_mb": ("memory of the server", "MB"), "tables_mb": ("tables with indexes", "MB"),
    "probe_p50_ms": ("start of a single item, median", "ms"), "probe_p95_ms": ("start of a single item, p95", "ms"),
    "load": ("load of the machine", ""),
}  # fmt: skip


def campaign(minutes: float, folder: Path = FOLDER) -> dict[str, Any]:
    """Run one, and say how it went from the first part of it to the last."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as home, embedded.start(Path(home, "home")) as server:
        migrate(server.url)
        soak, callers = Soak(Path(home), server), Callers(server.url)
        try:
            while time.monotonic() < soak.began + minutes * MINUTE_S:
                time.sleep(min(MINUTE_S, minutes * MINUTE_S))
                soak.measure(callers)
                _write(soak.rows, folder)
                soak.kill_one()
            callers.stop()
            ended = [worker.pid for worker in soak.lasting if worker.poll() is not None]
        finally:
            soak.end()
    wrong = callers.wrong + [f"worker {pid} ended by itself" for pid in ended]
    return {"minutes": soak.rows[-1]["minute"], **callers.counts, "grew": growth(soak.rows), "broken": wrong}


def growth(rows: list[dict[str, float]]) -> dict[str, float]:
    """The mean of the last part of the minutes against that of the first one after the warm-up."""
    warm = [row for row in rows if row["minute"] > WARM_UP_MINUTES] or rows
    size = max(1, len(warm) // PARTS)
    return {
        name: round(statistics.mean(row[name] for row in warm[-size:]) / (first or 1.0), 3)
        for name in CURVES
        if name not in {"items", "load"}
        for first in [statistics.mean(row[name] for row in warm[:size])]
    }


def _write(rows: list[dict[str, float]], folder: Path) -> None:
    with (folder / "soak.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), restval=0)
        table.writeheader()
        table.writerows(rows)
    curves = [Curve(title, [row[name] for row in rows], unit) for name, (title, unit) in CURVES.items()]
    (folder / "soak.svg").write_text(draw("A soak, minute by minute", [row["minute"] for row in rows], curves))
