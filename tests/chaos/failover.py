"""Failover under load: promotions of a streaming replica, and a database that goes back to a backup.

python3 dev.py chaos --failover sync --times 50        no acknowledged batch may be lost
python3 dev.py chaos --failover async --times 50       what is lost is lost whole, and can be said again
python3 dev.py chaos --failover set-back --times 20    no item may run round, every batch closes
"""

import logging
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from ingather.engine.migrations import migrate
from tests.chaos.cluster import DATABASE, Cluster, Node, stand_sequences_still
from tests.chaos.load import Load, check
from tests.chaos.outages import OUTAGES, Outage

# A fault comes when so many items have ended since the last: workers and callers are in full swing again.
ITEMS_BETWEEN_FAULTS = 60
# So long callers and workers go on with a primary whose replica no longer follows, or with a database that is about to
# go back. Longer loses more; shorter than a start of workers would lose none of them.
DOOMED_S = 2.0

# Its complaint about a server that is away fills a screen each time.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

MODES = ("sync", "async", "set-back")
# Where what was acknowledged may be gone, and has to be said again.
LOSES = ("async", "set-back")


def campaign(mode: str, times: int, seed: int, broken: str = "", *, folder: Path | None = None) -> dict[str, Any]:
    """Run one, and say what was done, what was lost and what was broken."""
    began = time.monotonic()
    with _place(folder) as place:
        scene = _scene(mode, place, seed)
        try:
            scene.prepare()
            load = Load(place, scene.url, scene.eye, seed, broken)
            try:
                return _run(scene, load, mode, times, began)
            finally:
                load.stop()
        finally:
            scene.stop()


def _scene(mode: str, folder: Path, seed: int) -> "Scene":
    if mode in OUTAGES:
        return OUTAGES[mode](folder, seed)
    return SetBack(folder, seed) if mode == "set-back" else Promotion(folder, seed, is_sync=mode == "sync")


def _run(scene: "Scene", load: Load, mode: str, times: int, began: float) -> dict[str, Any]:
    moments: list[float] = []
    load.start()
    for _ in range(times):
        load.wait_for_progress(ITEMS_BETWEEN_FAULTS)
        scene.harm(load, moments)
    load.eye = scene.eye
    took_s, lost = load.finish()
    load.stop()
    with psycopg.connect(scene.eye, autocommit=True) as conn:
        found = check(conn, load, moments, took_s)
    if mode not in LOSES:
        for key in lost:
            found.blame("no acknowledged batch is lost", f"request {key}")
    return {
        "scene": mode,
        "seed": load.seed,
        "broken_twin": load.broken or None,
        "seconds": round(time.monotonic() - began),
        "faults": dict(scene.faults),
        "deeds": {**load.deeds, "acknowledged batches lost, and sent again": len(lost)},
        "late_writes_refused": load.fenced(),
        "transitions_checked": found.transitions,
        "closed_after_last_fault_s": round(took_s, 2),
        "broken": {rule: {"times": len(cases), "first": cases[0]} for rule, cases in found.broken.items()},
    }


class Promotion:
    """A primary dies and its replica takes its place; then a new replica is made of what is left."""

    def __init__(self, folder: Path, seed: int, *, is_sync: bool) -> None:
        self.rng = random.Random(seed)
        self.cluster = Cluster(folder, is_sync=is_sync)
        self.faults: Counter[str] = Counter()
        self.url = self.cluster.url

    @property
    def eye(self) -> str:
        """Callers' own way in: the address of both."""
        return self.cluster.url

    def prepare(self) -> None:
        self.cluster.start()
        migrate(self.url)

    def harm(self, load: Load, moments: list[float]) -> None:
        if not self.cluster.is_sync:
            # A replica that lags: workers register and callers scatter, and then none of that has happened.
            stand_sequences_still(self.cluster.primary)
            self.cluster.wait_until_caught_up()
            self.cluster.cut()
            load.replace_workers(how=self.rng.choice(["kill", "terminate"]))
            load.wait_for_registration()
            moments.append(time.time())
            time.sleep(DOOMED_S)
        moments.append(time.time())
        self.cluster.crash(self.rng.choice([signal.SIGQUIT, signal.SIGKILL]))
        with load.coming_back_one_by_one():
            self.cluster.promote()
        self.faults["promotion"] += 1
        moments.append(time.time())
        load.wait_for_progress(ITEMS_BETWEEN_FAULTS)
        self.cluster.rejoin()

    def stop(self) -> None:
        self.cluster.stop()


class SetBack:
    """A database is set back to a base backup while workers run."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.node = Node(folder / "only")
        self.backup = self.node.places.root / "backup"
        self.faults: Counter[str] = Counter()
        self.url = self.eye = self.node.url()

    def prepare(self) -> None:
        self.node.make()
        self.node.start()
        self.node.ask(f"create database {DATABASE}")
        migrate(self.url)

    def harm(self, load: Load, moments: list[float]) -> None:
        stand_sequences_still(self.node)
        self.node.back_up(self.backup)
        load.replace_workers(how=self.rng.choice(["kill", "terminate"]))
        load.wait_for_registration()
        moments.append(time.time())
        time.sleep(DOOMED_S)
        self.node.crash(self.rng.choice([signal.SIGQUIT, signal.SIGKILL]))
        self.node.set_back(self.backup)
        with load.coming_back_one_by_one():
            self.node.start()
        self.faults["database set back"] += 1
        moments.append(time.time())

    def stop(self) -> None:
        self.node.stop()


Scene = Promotion | SetBack | Outage


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    made = Path(tempfile.mkdtemp(prefix="failover-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        with suppress(OSError):
            shutil.rmtree(made, ignore_errors=True)
