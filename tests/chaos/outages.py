"""What else befalls a database in use: its pooler dies, its disk fills up, and operators set it in their own way.

python3 dev.py chaos --outage pooler --times 20
python3 dev.py chaos --outage disk-full --times 5      as root, who may mount a small disk of memory; else skipped
python3 dev.py chaos --outage settings --times 1       an encoding and a set of settings after the other
"""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from ingather.embedded import locks
from ingather.engine.migrations import migrate
from tests.chaos.cluster import DATABASE, Node
from tests.chaos.load import Load

# So long a fault lasts. Longer than the second within which a worker tries again, shorter than anybody's patience.
AWAY_S = 3.0
# Room for a cluster, its log and what a short campaign writes. More takes longer to fill.
DISK_MB = 400
ON_A_SMALL_DISK = {"max_wal_size": "64MB", "wal_keep_size": "0"}

ENCODINGS = ("UTF8", "LATIN1", "EUC_CN")
HOSTILE = {
    "client_encoding": "LATIN1", "DateStyle": "German, DMY", "IntervalStyle": "sql_standard",
    "TimeZone": "Asia/Kolkata", "search_path": "evil, pg_catalog", "standard_conforming_strings": "off",
    "bytea_output": "escape", "extra_float_digits": "-15", "default_transaction_isolation": "serializable",
    "enable_indexscan": "off", "jit_above_cost": "0", "idle_session_timeout": "50ms",
}  # fmt: skip
# A search path that comes first can do this: our statements would take it for the clock.
EVIL = """
create schema evil;
create function evil.clock_timestamp() returns timestamptz language sql as $$ select 'epoch'::timestamptz $$;
"""


class CannotTry(Exception):
    """Why this machine cannot have this outage."""


class Outage:
    """One server with a database in it, and what befalls it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.node = Node(self.make_room(folder))
        self.url = self.node.url()
        # Our own look at the tables states its encoding, as the engine does: between LATIN1 and EUC_CN there is no way.
        self.eye = make_conninfo(self.url, client_encoding="UTF8")

    def make_room(self, folder: Path) -> Path:
        return folder / "only"

    def prepare(self) -> None:
        self.node.make()
        self.node.start()
        self.make_database()
        migrate(self.eye)

    def make_database(self) -> None:
        self.node.ask(f"create database {DATABASE}")

    def harm(self, load: Load, moments: list[float]) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        self.node.stop()


class KilledPooler(Outage):
    """Callers and workers come through a pooler that hands out connections by transaction, and that is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/{DATABASE}"

    def prepare(self) -> None:
        super().prepare()
        self.start_pooler()

    def start_pooler(self) -> None:
        argv = [sys.executable, "-m", "tests.engine.pooler", self.eye, str(self.port)]
        self.pooler = subprocess.Popen(argv, stdout=subprocess.PIPE)
        assert self.pooler.stdout is not None
        assert self.pooler.stdout.readline() == b"ready\n", "the pooler did not start"

    def harm(self, load: Load, moments: list[float]) -> None:
        moments.append(time.time())
        self.pooler.kill()
        self.pooler.wait()
        time.sleep(self.rng.uniform(0, AWAY_S))
        self.start_pooler()
        self.faults["kill -9 of the pooler"] += 1
        moments.append(time.time())

    def stop(self) -> None:
        with contextlib.suppress(AttributeError):  # it did not come so far
            self.pooler.kill()
            self.pooler.wait()
        super().stop()


class FullDisk(Outage):
    """The disk of the database fills up under load, and is freed again."""

    def make_room(self, folder: Path) -> Path:
        self.disk = folder / "disk"
        self.disk.mkdir()
        if os.geteuid() != 0:
            raise CannotTry("only root may mount a small disk of memory")
        argv = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "ingather-chaos", str(self.disk)]
        mounted = subprocess.run(argv, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise CannotTry(f"no disk of memory could be mounted: {mounted.stderr.strip()}")
        return self.disk / "only"

    def prepare(self) -> None:
        self.node.settings = self.node.settings | ON_A_SMALL_DISK
        super().prepare()

    def harm(self, load: Load, moments: list[float]) -> None:
        moments.append(time.time())
        ballast = self.disk / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
        self.fill(ballast)
        ballast.unlink()
        self.faults["disk full and freed"] += 1
        if not locks.is_held(self.node.places.server_lock):
            self.faults["server ended on a full disk"] += 1
            self.node.start()
        moments.append(time.time())

    def fill(self, ballast: Path) -> None:
        """Whatever the server gives back is taken, too, until it has been without room for a while."""
        until = time.monotonic() + AWAY_S
        while time.monotonic() < until:
            with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
                file.write(bytes(1 << 16))
            time.sleep(0.02)

    def stop(self) -> None:
        super().stop()
        subprocess.run(["umount", "--lazy", str(self.disk)], capture_output=True, check=False)


class ForeignSettings(Outage):
    """A database in an encoding, and with settings, that nobody of ours would have chosen."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.encoding = ENCODINGS[seed % len(ENCODINGS)]

    def make_database(self) -> None:
        self.node.ask(f"create database {DATABASE} encoding '{self.encoding}' locale 'C' template template0")
        self.faults[f"encoding {self.encoding}"] += 1

    def harm(self, load: Load, moments: list[float]) -> None:
        """Set for the database, after callers and workers began; then both begin anew."""
        if not self.faults["hostile settings"]:
            with psycopg.connect(self.eye, autocommit=True) as conn:
                conn.execute(EVIL)
        for name, value in HOSTILE.items():
            known = self.node.ask("select 1 from pg_settings where name = lower(%s) or name = %s", name, name)
            if known:
                self.node.ask(f"alter database {DATABASE} set {name} = {_quoted(name, value)}")
        self.faults["hostile settings"] += 1
        moments.append(time.time())
        self.node.crash(self.rng.choice([signal.SIGQUIT, signal.SIGKILL]))
        self.node.start()
        load.replace_workers(how="kill")
        moments.append(time.time())


def _quoted(name: str, value: str) -> str:
    """A search path is a list of names, each by itself; anything else is one text."""
    return value if name == "search_path" else f"'{value}'"


OUTAGES: dict[str, type[Outage]] = {"pooler": KilledPooler, "disk-full": FullDisk, "settings": ForeignSettings}
