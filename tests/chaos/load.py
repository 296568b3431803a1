"""Workers and callers that go on whatever happens to their servers, and a record of what callers know to be stored."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from ingather.engine.engine import Engine
from ingather.engine.errors import IngatherError
from tests.chaos import oracle
from tests.chaos.oracle import Findings
from tests.chaos.worker import LEASE_S, LONG_S, RECEIPTS, TIMEOUT_S, build

# A worker that goes on tries its connections anew after a second or two and looks around once a lease. Shorter, and the
# next one goes on before it has an id; one that believes to have one already costs this time.
BETWEEN_WORKERS_S = 4.0
# So long may a process of ours take to start on a busy machine.
START_S = 60.0
# An even number: where ids come again, each of two then has the id of another, and none is left that works in peace.
WORKERS = 4
CALLERS = 2
# Callers wait while so many batches of a kind are open, or a slow machine would never come to an end.
MOST_OPEN = {"mixed": 60, "aside": 10, "long": 4}
# Failover is what is tried here, so most items are quick; some return late, fail or grow while the server goes away.
TEMPERS = {"ok": 900, "slow": 60, "transient": 40, "permanent": 20, "family": 10, "bad result": 5, "foreign": 20}
# After the last fault: a lease to notice, long items one after the other, both backoffs of three attempts, and room
# for a busy machine.
CLOSED_WITHIN_S = LEASE_S + LONG_S * 3 + (2 + 4) + 12
# An item starts three times at most by its own fault, and may be claimed anew by each fault around it: once for the
# claim that is lost with the server, once by a worker that registers anew, once when it is handed back unstarted.
CLAIMS_BY_ITSELF = 8
CLAIMS_PER_FAULT = 4


@dataclass(frozen=True)
class Request:
    """A batch as it can be sent again."""

    kind: str
    size: int
    seed: int


@dataclass(frozen=True)
class Acknowledged:
    """What a caller knows to be stored."""

    batch_id: int
    request: Request


@dataclass
class Load:
    """Started with the address that workers and callers use; `eye` is one that always leads to the data."""

    folder: Path
    url: str
    eye: str
    seed: int
    broken: str = ""
    acknowledged: dict[str, Acknowledged] = field(default_factory=dict)
    deeds: Counter[str] = field(default_factory=Counter)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._call, args=[n], daemon=True) for n in range(CALLERS)]
        self._registered: dict[int, int] = {}
        self._log = (self.folder / "workers.log").open("wb")

    def start(self) -> None:
        with psycopg.connect(self.eye, autocommit=True) as conn:
            conn.execute(oracle.SETUP)
        self.replace_workers()
        for thread in self._threads:
            thread.start()

    def replace_workers(self, *, how: str = "kill") -> None:
        """New workers for the old ones, which end at once or in peace."""
        for worker in self.workers:
            worker.kill() if how == "kill" else worker.terminate()
        self.wait_for_workers()
        for _ in range(WORKERS):
            self._spawn()

    def _spawn(self) -> None:
        argv = [sys.executable, "-m", "tests.chaos.worker", self.url, "5", "0", self.broken, ""]
        receipts = {RECEIPTS: str(self.folder / "receipts")}
        self.workers.append(
            subprocess.Popen(argv, stderr=self._log, start_new_session=True, env={**os.environ, **receipts})
        )

    @contextlib.contextmanager
    def coming_back_one_by_one(self) -> Iterator[None]:
        """Workers are stopped meanwhile and go on one after the other, the one that registered last first.

        If ids come again, it takes the id of one that is still stopped. All at once, each would mostly be given its own
        again, and nothing would be seen.
        """
        order = sorted(self.workers, key=lambda worker: self._registered.get(worker.pid, 0), reverse=True)
        time.sleep(TIMEOUT_S)  # whatever runs has ended by then, or its worker would be taken for stuck
        for worker in order:
            worker.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for worker in order:
                worker.send_signal(signal.SIGCONT)
                self._wait_for_registration({worker.pid}, BETWEEN_WORKERS_S)

    def wait_for_registration(self) -> None:
        """Until every worker has an id, and we know which."""
        self._registered = self._wait_for_registration({worker.pid for worker in self.workers}, START_S)

    def _wait_for_registration(self, wanted: set[int], seconds: float) -> dict[int, int]:
        until = time.monotonic() + seconds
        while True:
            found: dict[int, int] = {}
            with contextlib.suppress(psycopg.Error), psycopg.connect(self.eye, autocommit=True) as conn:
                found = dict(conn.execute("select pid, id from ingather.worker").fetchall())
            if found.keys() >= wanted or time.monotonic() > until:
                return found
            time.sleep(0.1)

    def tend(self) -> None:
        """New workers for those that ended by themselves, as a supervisor would start them."""
        alive = [worker for worker in self.workers if worker.poll() is None]
        self.deeds["workers that ended by themselves"] += len(self.workers) - len(alive)
        self.workers = alive
        while len(self.workers) < WORKERS:
            self._spawn()

    def wait_for_workers(self) -> None:
        for worker in self.workers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(20)
            worker.kill()
            worker.wait()
        self.workers.clear()

    def wait_for_progress(self, items: int = 50, seconds: float = 60.0) -> None:
        """Until so many more items have ended: then workers and callers are at work again."""
        began, before = time.monotonic(), self._ended()
        while (now := self._ended()) < before + items:
            before = min(before, now)  # the database may have been set back
            if time.monotonic() > began + seconds:
                return  # the oracle will say what is stuck
            self.tend()
            time.sleep(0.1)

    def finish(self) -> tuple[float, list[str]]:
        """Ends the calls, says again what was lost, and waits until all is closed: how long that took, and what was
        acknowledged and is no longer there."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(120)
        lost = self._say_again()
        began = time.monotonic()
        while time.monotonic() - began < 1.5 * CLOSED_WITHIN_S:
            with contextlib.suppress(psycopg.Error), psycopg.connect(self.eye, autocommit=True) as conn:
                if conn.execute(_LEFT).fetchone() == (0,):
                    break
            self.tend()
            time.sleep(0.1)
        return time.monotonic() - began, lost

    def stop(self) -> None:
        self._is_over.set()
        for worker in self.workers:
            worker.terminate()
        self.wait_for_workers()
        self._log.close()

    def receipts(self) -> Iterator[tuple[str, str]]:
        """The key of each start, and the item it was for."""
        with contextlib.suppress(FileNotFoundError), (self.folder / "receipts").open() as file:
            for line in file:
                key, _, item = line.strip().partition(" ")
                yield key, item

    def fenced(self) -> int:
        """How many late results were refused."""
        return (self.folder / "workers.log").read_bytes().count(b"no longer ours")

    # --- callers ---------------------------------------------------------------------------------------------------

    def _call(self, number: int) -> None:
        rng = random.Random(self.seed * 100 + number)
        app = build(self.url)
        count = 0
        while not self._is_over.is_set():
            kind = rng.choices(["mixed", "aside", "long"], [6, 1, 1])[0]
            with _again(app):
                if len(app.batches(state="open", kind=kind, limit=MOST_OPEN[kind])) >= MOST_OPEN[kind]:
                    self._is_over.wait(0.05)
                    continue
            count += 1
            size = rng.choice([1, 1, 5, 20, 60]) if kind != "long" else 2
            self._scatter(app, f"{number}-{count}", Request(kind, size, rng.randrange(2**31)))
        app.close()

    def _scatter(self, app: Engine, key: str, request: Request) -> None:
        tempers = random.Random(request.seed).choices(list(TEMPERS), list(TEMPERS.values()), k=request.size)
        payloads = [{"temper": temper, "request": key} for temper in tempers]
        while True:
            try:
                batch = app.scatter(request.kind, payloads, idempotency_key=key)
            except IngatherError:
                self.deeds["scatters sent again"] += 1
                app.close()
                if self._is_over.wait(0.05) and key not in self.acknowledged:
                    return
            else:
                self.acknowledged[key] = Acknowledged(batch.id, request)
                self.deeds["batches"] += 1
                self.deeds["items"] += request.size
                return

    def _say_again(self) -> list[str]:
        """What is not there any more is sent again under its key, as a caller would who checks."""
        with psycopg.connect(self.eye, autocommit=True) as conn:
            there: dict[str, int] = dict(conn.execute(_KEYS).fetchall())
        lost = [key for key, stored in self.acknowledged.items() if there.get(key) != stored.batch_id]
        app = build(self.url)
        for key in lost:
            self._scatter(app, key, self.acknowledged[key].request)
        app.close()
        return lost

    def _ended(self) -> int:
        try:
            with psycopg.connect(self.eye, autocommit=True) as conn:
                [(ended,)] = conn.execute("select count(*) from ingather.outcome").fetchall()
                return int(ended)
        except psycopg.Error:
            return 0


_KEYS = "select idempotency_key, id from ingather.batch where idempotency_key is not null"

_LEFT = """
select (select count(*) from ingather.batch where state = 'open')
     + (select count(*) from ingather.waiting) + (select count(*) from ingather.lease)
"""


@contextlib.contextmanager
def _again(app: Engine) -> Iterator[None]:
    """Whatever a failover does to a caller's question, it can be put again."""
    try:
        yield
    except IngatherError:
        app.close()
        time.sleep(0.05)


def check(conn: psycopg.Connection[Any], load: Load, moments: list[float], took_s: float) -> Findings:
    """The rules of every campaign, and those of this one. `moments` are when faults happened, in seconds since 1970."""
    found = oracle.check(conn, {})
    there: dict[str, int] = dict(conn.execute(_KEYS).fetchall())
    sizes: dict[int, int] = dict(conn.execute(_SIZES).fetchall())
    for key, stored in load.acknowledged.items():
        if key not in there:
            found.blame("what was said again is there", f"request {key}")
        elif sizes.get(there[key], 0) < stored.request.size:
            found.blame(
                "a batch has all its items", f"request {key}: {sizes.get(there[key], 0)} of {stored.request.size}"
            )
    for (key,) in conn.execute(_DOUBLES):
        found.blame("one key makes one batch", f"request {key}")
    for item_id, claims, first, last in conn.execute(_CLAIMS):
        faults = sum(first - LEASE_S <= moment <= last + LEASE_S for moment in moments)
        if claims > CLAIMS_BY_ITSELF + CLAIMS_PER_FAULT * faults:
            found.blame("no item runs round", f"item {item_id}: claimed {claims} times, with {faults} faults around it")
    owners: dict[str, str] = {}
    for key, item in load.receipts():
        if owners.setdefault(key, item) != item:
            found.blame("no key is given to two items", f"{key}: request and place {owners[key]}, and {item}")
    if took_s > CLOSED_WITHIN_S:
        found.blame("all closes soon after the last fault", f"{took_s:.1f} s")
    return found


_SIZES = """
select s.batch_id, count(*)
  from ingather.segment s join ingather.payload p on p.item_id between s.id << 20 and s.last_id
 group by s.batch_id
"""

_DOUBLES = """
select p.body ->> 'request'
  from ingather.payload p join ingather.segment s on s.id = p.item_id >> 20
 where p.body ? 'request'
 group by 1 having count(distinct s.batch_id) > 1
"""

_CLAIMS = """
select item_id, count(*), extract(epoch from min(at))::float8, extract(epoch from max(at))::float8
  from chaos.log, generate_series(first, last) as item_id
 where what = 'claim'
 group by item_id having count(*) > 8
"""
