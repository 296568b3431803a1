"""The chaos harness: a real server, real workers, a seeded schedule of faults, and an oracle that reads the history.

python3 dev.py chaos --seconds 60 --seed 1
python3 dev.py chaos --break settle_without_lease     must fail, or the harness is blind
python3 dev.py chaos --failover sync --times 50       promotions, and databases that go back; see failover.py
python3 dev.py chaos --outage disk-full --times 5     what else befalls a database; see outages.py
python3 dev.py chaos --soak 240                       hours of ordinary work, measured every minute; see soak.py
"""

import argparse
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingather import embedded
from ingather.engine import statements as sql
from ingather.engine.engine import Engine
from ingather.engine.errors import IngatherError
from ingather.engine.migrations import migrate
from ingather.engine.verbs.sweeping import APART_S
from tests.chaos import failover, oracle, soak
from tests.chaos.breaks import BREAKS
from tests.chaos.outages import OUTAGES, CannotTry
from tests.chaos.proxy import Proxy
from tests.chaos.worker import LEASE_S, TIMEOUT_S, build

SETTINGS = {"fsync": "off", "deadlock_timeout": "50ms", "max_connections": "200", "autovacuum_naptime": "1s"}
WORKERS = 4
# These serve narrow queues alone. They are idle most of the time, so they wake together.
SPECIALISTS = 3
MOST_OPEN_ITEMS = 1_200
# Several, as a worker that is stopped with an item in hand also stops the queue for a while.
NARROW = {"narrow": 2, "narrow_too": 1, "narrow_as_well": 2, "narrowest": 1}
WAVE_S = 0.1
WAVE_ITEMS = 4
TICK_S = 0.1
OBSERVE_S = 0.05
# After the last fault: a lease to notice, a deadline to hang through, both backoffs of three attempts, the moment at
# which what was spared comes back, and two seconds.
CLOSED_WITHIN_S = LEASE_S + TIMEOUT_S + (2 + 4) + APART_S + 2

TEMPERS = {
    "ok": 850, "slow": 20, "transient": 40, "permanent": 30, "later": 20, "hang": 2, "block": 3, "die": 1, "deadly": 1,
    "exit": 3, "bad result": 10, "nul": 10, "family": 10,
}  # fmt: skip

# The exit code where this machine cannot have a fault: neither held nor broken.
EXIT_SKIPPED = 3

TOTALS = ("late_writes_refused", "progress_reads", "transitions_checked")

# Chance per tick of 100 ms.
FAULTS = {
    "kill -9 of a worker": 0.14,
    "kill -9 of worker and sentinel": 0.04,
    "kill -9 of a sentinel": 0.03,
    "worker stopped past its lease": 0.06,
    "SIGTERM": 0.03,
    "backends terminated": 0.05,
    "reply dropped": 0.10,
    "server crash": 0.012,
    "long snapshot": 0.01,
}


class Run:
    """One campaign: everything it started, everything it did, everything it saw."""

    def __init__(self, folder: Path, seed: int, broken: str, fire: float) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.broken = broken
        self.fire = fire
        self.faults: Counter[str] = Counter()
        self.deeds: Counter[str] = Counter()
        self.wrong_reads: list[str] = []
        self.reads = 0
        self.servers: list[embedded.Server] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.specialists: set[int] = set()
        self.stopped: list[tuple[float, int]] = []
        self.last_fault = 0.0
        self.left: tuple[Any, ...] | None = None
        self.is_over = threading.Event()
        self.is_calm = threading.Event()
        self.log = (folder / "workers.log").open("wb")

    # --- the scene -------------------------------------------------------------------------------------------------

    def start_server(self) -> None:
        self.server = embedded.start(self.folder / "home", settings=SETTINGS)
        self.servers.append(self.server)

    def prepare(self) -> None:
        self.start_server()
        with psycopg.connect(self.server.superuser_url, autocommit=True) as conn:
            conn.execute("create database chaos")
        parts = conninfo_to_dict(self.server.superuser_url) | {"dbname": "chaos"}
        self.direct = make_conninfo("", **parts)
        migrate(self.direct)
        with psycopg.connect(self.direct, autocommit=True) as conn:
            conn.execute(oracle.SETUP)
        socket = Path(str(parts["host"]), f".s.PGSQL.{parts.get('port', 5432)}")
        # Clients have a line of their own, or the many commits of workers would draw all the lost replies.
        self.lines = [Proxy(Path(self.folder, name), socket) for name in ("w", "c")]
        self.proxied, self.for_clients = (
            make_conninfo("", **(parts | {"host": str(line.folder), "port": "5432"})) for line in self.lines
        )

    def spawn(self, queues: str) -> None:
        is_away = self.rng.choice(["0", "0", "7200", "-7200"])
        arguments = [self.proxied, str(self.rng.choice([2, 5, 20])), is_away, self.broken, queues]
        worker = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.worker", *arguments], stderr=self.log, start_new_session=True
        )
        self.workers.append(worker)
        if queues:
            self.specialists.add(worker.pid)

    def tend(self) -> None:
        """Replace the dead, wake those who slept long enough."""
        alive = [worker for worker in self.workers if worker.poll() is None]
        if len(alive) < len(self.workers):
            self.last_fault = time.monotonic()
        self.workers = alive
        missing = SPECIALISTS - sum(worker.pid in self.specialists for worker in alive)
        for _ in range(missing):
            self.spawn(",".join(NARROW))
        while len(self.workers) < WORKERS + SPECIALISTS:
            self.spawn("")
        now = time.monotonic()
        for until, pid in [entry for entry in self.stopped if entry[0] <= now]:
            self.stopped.remove((until, pid))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    # --- faults ----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        for fault, chance in FAULTS.items():
            if self.rng.random() < chance * self.fire and self.commit(fault):
                self.faults[fault] += 1
                self.last_fault = time.monotonic()

    def commit(self, fault: str) -> bool:
        # Most harm is done to those who hold something.
        weights = [1 if worker.pid in self.specialists else 6 for worker in self.workers]
        [worker] = self.rng.choices(self.workers, weights)
        match fault:
            case "kill -9 of a worker":
                worker.kill()
            case "kill -9 of worker and sentinel":
                sentinels = _children(worker.pid)
                worker.kill()
                for pid in sentinels:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            case "kill -9 of a sentinel":
                sentinels = _children(worker.pid, b"ingather.engine.sentinel")
                if not sentinels:
                    return False
                with contextlib.suppress(ProcessLookupError):  # it may end by itself between the look and the kill
                    os.kill(sentinels[0], signal.SIGKILL)
            case "worker stopped past its lease":
                if any(pid == worker.pid for _, pid in self.stopped):
                    return False
                worker.send_signal(signal.SIGSTOP)
                self.stopped.append((time.monotonic() + LEASE_S * self.rng.uniform(1.2, 3), worker.pid))
            case "SIGTERM":
                worker.terminate()
            case "backends terminated":
                return self.on_server(
                    """select pg_terminate_backend(pid) from pg_stat_activity
                        where datname = 'chaos' and application_name like 'ingather %' order by random() limit 2"""
                )
            case "reply dropped":
                self.rng.choice(self.lines).drop_reply(to_commit=self.rng.random() < 0.5)
            case "server crash":
                self.crash_server()
            case "long snapshot":
                threading.Thread(target=self.hold_snapshot, daemon=True).start()
        return True

    def on_server(self, statement: str) -> bool:
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.direct, autocommit=True) as conn:
            conn.execute(statement)
            return True
        return False

    def crash_server(self) -> None:
        pid = int((self.server.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, self.rng.choice([signal.SIGQUIT, signal.SIGKILL]))
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(embedded.EmbeddedError):
                self.start_server()
                return
            assert time.monotonic() < deadline, "the server did not come back"

    def hold_snapshot(self) -> None:
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.direct) as conn:
            conn.execute("set transaction isolation level repeatable read")
            conn.execute("select count(*) from ingather.batch")
            self.is_calm.wait(5)

    # --- the client: scatters with keys, and again after every failure --------------------------------------------

    def client(self, seed: int) -> None:
        rng = random.Random(seed)
        app = build(self.for_clients)
        eye = build(self.direct)
        number = 0
        while not self.is_calm.is_set():
            with _patience(eye):
                if _open_items(eye) > MOST_OPEN_ITEMS:
                    self.deeds["waits for workers"] += 1
                    self.is_calm.wait(0.05)
                    continue
            number += 1
            self.scatter(app, rng, f"{seed}-{number}")
            if rng.random() < 0.15:
                with _patience(app):
                    self.operate(app, eye, rng)
        app.close()
        eye.close()

    def waves(self, seed: int) -> None:
        """Items of narrow queues that all come due at one moment, for which every idle worker waits.

        A limit that is counted without taking turns is wrong for a moment only, and then only if several workers claim
        in it. Here they do, several times a second, and each takes its time (see the oracle's trigger).
        """
        rng = random.Random(seed)
        app = build(self.for_clients)
        eye = build(self.direct)
        number = 0
        while not self.is_calm.wait(WAVE_S):
            with _patience(eye):
                for queue in [queue.name for queue in eye.queues() if queue.name in NARROW and not queue.pending]:
                    number += 1
                    wave = [{"request": f"{seed}-{number}"}] * WAVE_ITEMS
                    self.send(app, rng, "narrow", wave, queue=queue, delay=WAVE_S)
                    self.deeds["waves"] += 1
        app.close()
        eye.close()

    def scatter(self, app: Engine, rng: random.Random, request: str) -> None:
        kind = rng.choices(["mixed", "aside", "narrow"], [6, 1, 4])[0]
        size = rng.choice({"mixed": [1, 1, 5, 50, 300, 600], "aside": [1, 5, 20], "narrow": [1, 6]}[kind])
        tempers = rng.choices(list(TEMPERS), list(TEMPERS.values()), k=size)
        self.send(app, rng, kind, [{"temper": temper, "request": request} for temper in tempers])

    def send(self, app: Engine, rng: random.Random, kind: str, payloads: list[dict[str, str]], **options: Any) -> None:
        request, priority = payloads[0]["request"], rng.choice([0, 0, 5])
        tries = 0
        while True:
            tries += 1
            key = request if self.broken != "scatter_without_key" else f"{request} {tries}"
            try:
                app.scatter(kind, payloads, idempotency_key=key, priority=priority, **options)
            except IngatherError:
                self.deeds["scatters sent again"] += 1
                # A fresh line at once: a pool waits longer after every failure, as it should.
                app.close()
                time.sleep(0.05)
            else:
                self.deeds["batches"] += 1
                self.deeds["items"] += len(payloads)
                return

    def operate(self, app: Engine, eye: Engine, rng: random.Random) -> None:
        seen = rng.choice(eye.batches(limit=20) or [None])
        if seen is None:
            return
        batch = app.batch(seen.batch_id)
        match rng.choice(["cancel", "retry", "retry", "pause", "add"]):
            case "cancel":
                self.deeds["cancelled"] += batch.cancel()
            case "retry":
                self.deeds["items retried"] += batch.retry_failed()
            case "pause":
                try:
                    batch.pause()
                    time.sleep(0.1)
                finally:
                    # The reply may have been lost and the batch be paused all the same.
                    _until_it_works(batch.resume)
                self.deeds["paused"] += 1
            case "add" if seen.kind != "narrow":
                with contextlib.suppress(IngatherError):
                    self.deeds["items added"] += batch.add([{"temper": "ok"}] * 3)

    # --- the observer ----------------------------------------------------------------------------------------------

    def observe(self) -> None:
        """Every 50 ms: do the parts of every open batch add up, and does the limit hold?"""
        while not self.is_over.is_set():
            with contextlib.suppress(psycopg.Error), psycopg.connect(self.direct, autocommit=True) as conn:
                while not self.is_over.wait(OBSERVE_S):
                    ids = [row[0] for row in conn.execute("select id from ingather.batch where state = 'open'")]
                    for row in conn.execute(sql.PROGRESS, {"batch_ids": ids}):
                        total, parts = row[6], row[7:12]
                        self.reads += 1
                        if sum(parts) != total or min(parts) < 0:
                            self.wrong_reads.append(f"batch {row[0]}: {parts} of {total}")
                    for queue, running in conn.execute("select queue, sum(open) from ingather.lease group by queue"):
                        if running > NARROW.get(queue, running):
                            self.wrong_reads.append(f"{running} running in {queue}, which may run {NARROW[queue]}")

    # --- the end ---------------------------------------------------------------------------------------------------

    def settle_down(self) -> float:
        """No more faults but those of the handlers: how long after the last until all is closed and gathered?"""
        for _, pid in self.stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            self.last_fault = time.monotonic()
        self.stopped.clear()
        while time.monotonic() - self.last_fault < 3 * CLOSED_WITHIN_S:
            self.tend()
            with contextlib.suppress(psycopg.Error), psycopg.connect(self.direct, autocommit=True) as conn:
                self.left = conn.execute(_LEFT).fetchone()
                if self.left == (0, 0, 0):
                    break
            time.sleep(TICK_S)
        return time.monotonic() - self.last_fault

    def end(self) -> None:
        self.is_over.set()
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(10)
            worker.kill()
            worker.wait()
        self.log.close()

    def stop_server(self) -> None:
        for server in self.servers:
            server.close()


_LEFT = """
select (select count(*) from ingather.batch where state = 'open'),
       (select count(*) from ingather.waiting), (select count(*) from ingather.lease)
"""


@contextlib.contextmanager
def _patience(app: Engine) -> Iterator[None]:
    """Whatever a crash does to an operator's question, it can be asked again."""
    try:
        yield
    except IngatherError:
        app.close()
        time.sleep(0.05)


def _until_it_works(verb: Callable[[], Any]) -> None:
    while True:
        try:
            verb()
        except IngatherError:
            time.sleep(0.05)
        else:
            return


def _open_items(app: Engine) -> int:
    return sum(queue.pending + queue.running for queue in app.queues())


def _children(pid: int, having: bytes = b"") -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid and having in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)


def campaign(seconds: float, seed: int, broken: str = "", fire: float = 1.0) -> dict[str, Any]:
    """Run one, and say what was done, what was seen and what was broken."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.chmod(0o755)
    run = Run(folder, seed, broken, fire)
    try:
        run.prepare()
        with run.lines[0], run.lines[1]:
            eye = build(run.direct)
            for queue, limit in NARROW.items():
                eye.set_queue(queue, max_running=limit)
            eye.close()
            run.tend()
            tasks = (run.client, run.client, run.waves)
            clients = [
                threading.Thread(target=task, args=[seed * 1000 + n], daemon=True) for n, task in enumerate(tasks)
            ]
            observer = threading.Thread(target=run.observe, daemon=True)
            for thread in (*clients, observer):
                thread.start()
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                run.tick()
                run.tend()
                time.sleep(TICK_S)
            run.is_calm.set()
            for thread in clients:
                thread.join(60)
            took_s = run.settle_down()
            run.end()
            observer.join(10)
        with psycopg.connect(run.direct, autocommit=True) as conn:
            found = oracle.check(conn, NARROW)
            doubles = """select p.body ->> 'request'
                           from ingather.payload p join ingather.segment s on s.id = p.item_id >> 20
                          where p.body ? 'request' group by 1 having count(distinct s.batch_id) > 1"""
            for (request,) in conn.execute(doubles):
                found.blame("one key makes one batch", f"request {request}")
        if took_s > CLOSED_WITHIN_S:
            found.blame(
                "all closes soon after the last fault",
                f"{took_s:.1f} s; open batches, waiting items and leases at the last look: {run.left}",
            )
        for read in run.wrong_reads:
            found.blame("progress adds up and limits hold at every read", read)
        run.faults["reply dropped"] = sum(line.dropped for line in run.lines)
        fenced = (folder / "workers.log").read_bytes().count(b"no longer ours")
        return {
            "seed": seed,
            "seconds": seconds,
            "fire": fire,
            "broken_twin": broken or None,
            "faults": dict(run.faults),
            "deeds": dict(run.deeds),
            "late_writes_refused": fenced,
            "progress_reads": run.reads,
            "transitions_checked": found.transitions,
            "closed_after_last_fault_s": round(took_s, 2),
            "broken": {rule: {"times": len(cases), "first": cases[0]} for rule, cases in found.broken.items()},
        }
    finally:
        run.end()
        run.stop_server()
        if not os.environ.get("KEEP_CHAOS"):
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="dev.py chaos", description="Run the engine under fire and check its history."
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--break", dest="broken", choices=sorted(BREAKS), default="", help="switch a broken twin on")
    parser.add_argument("--fire", type=float, default=1.0, help="how many faults, compared with the usual")
    parser.add_argument("--runs", type=int, default=1, help="so many runs, with the seeds from --seed on")
    scenes = parser.add_mutually_exclusive_group()
    scenes.add_argument("--failover", choices=failover.MODES, help="a replica is promoted, or the database goes back")
    scenes.add_argument("--outage", choices=sorted(OUTAGES), help="a killed pooler, a full disk, settings of operators")
    scenes.add_argument(
        "--soak", type=float, metavar="MINUTES", help="ordinary work for so long, measured every minute"
    )
    parser.add_argument("--times", type=int, default=3, help="how often that happens in a run")
    parser.add_argument("--json", action="store_true", help="one line of JSON a run")
    args = parser.parse_args()
    if args.soak:
        report = soak.campaign(args.soak)
        print(json.dumps(report, indent=None if args.json else 1))
        sys.exit(1 if report["broken"] else 0)
    reports = []
    for seed in range(args.seed, args.seed + args.runs):
        try:
            reports.append(_run(args, seed))
        except CannotTry as reason:
            print(f"Skipped: {reason}.", flush=True)
            sys.exit(EXIT_SKIPPED)
        if args.json:
            print(json.dumps(reports[-1]), flush=True)
        elif args.runs > 1:
            print(f"seed {seed}: {reports[-1]['broken'] or 'held'}", flush=True)
    if not args.json:
        show(reports)
    sys.exit(1 if any(report["broken"] for report in reports) else 0)


def _run(args: argparse.Namespace, seed: int) -> dict[str, Any]:
    if scene := args.failover or args.outage:
        return failover.campaign(scene, args.times, seed, args.broken)
    return campaign(args.seconds, seed, args.broken, args.fire)


def show(reports: list[dict[str, Any]]) -> None:
    """One table: what was done, summed over the runs, and every rule that was broken."""
    faults, deeds = Counter[str](), Counter[str]()
    for report in reports:
        faults.update(report["faults"])
        deeds.update(report["deeds"])
    rows: list[tuple[str, Any]] = [
        ("seeds", ", ".join(str(report["seed"]) for report in reports)),
        ("seconds", sum(report["seconds"] for report in reports)),
        *sorted(faults.items()),
        *sorted(deeds.items()),
        *((name, sum(report[name] for report in reports)) for name in TOTALS if name in reports[0]),
        ("longest until all was closed, s", max(report["closed_after_last_fault_s"] for report in reports)),
    ]
    for name, value in rows:
        print(
            f"{name.replace('_', ' '):40} {value:>12,}" if isinstance(value, int | float) else f"{name:40} {value:>12}"
        )
    for report in reports:
        for rule, cases in report["broken"].items():
            print(f"BROKEN, seed {report['seed']}: {rule}: {cases['times']} times, first {cases['first']}")
    if not any(report["broken"] for report in reports):
        print("nothing lost, nothing twice, nothing stuck")


if __name__ == "__main__":
    main()
