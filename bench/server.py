"""The one PostgreSQL of a run, with its durability on, and the meters read from it."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from ingather import embedded

# Durable, and with room in its log, as on a server that has been at work for a while: without it, whoever writes much
# at a time waits for a checkpoint or for new files, and whoever writes little does not.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "max_connections": "200",
    "min_wal_size": "1GB",
    "max_wal_size": "4GB",
    # A quarter of the memory, as PostgreSQL's documentation recommends; more than that nobody here has use for.
    "shared_buffers": f"{min(2048, os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') // 2**22)}MB",
}

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the server has done so far."""

    wal_bytes: int
    dead_rows: int
    cpu_s: float

    def per_item(self, before: "Reading", items: int) -> dict[str, float]:
        return {
            "wal_bytes": round((self.wal_bytes - before.wal_bytes) / items, 1),
            "dead_rows": round((self.dead_rows - before.dead_rows) / items, 3),
            "cpu_us": round((self.cpu_s - before.cpu_s) / items * 1e6, 1),
        }


class Bench:
    """The server, and a database for whoever asks."""

    def __init__(self, running: embedded.Server) -> None:
        self._running = running

    def new_database(self, name: str, *, copy_of: str | None = None) -> str:
        name = f"{name}_{next(_numbers)}"
        origin = "template1" if copy_of is None else name_of(copy_of)
        with psycopg.connect(self._running.superuser_url, autocommit=True) as conn:
            conn.execute(f'create database "{name}" template "{origin}"'.encode())
        return self._running.superuser_url.replace("/ingather?", f"/{name}?")

    def drop(self, url: str) -> None:
        with psycopg.connect(self._running.superuser_url, autocommit=True) as conn:
            conn.execute(f'drop database "{name_of(url)}" with (force)'.encode())

    def version(self) -> str:
        return str(ask(self._running.superuser_url, "select current_setting('server_version')"))

    def settle_down(self) -> None:
        """A clean slate: what was written before is on the disk."""
        with psycopg.connect(self._running.superuser_url, autocommit=True) as conn:
            conn.execute("checkpoint")

    def tidy(self, url: str) -> None:
        """What autovacuum would do of itself a minute after many inserts, statistics included: some queries need them;
        and a clean slate."""
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("vacuum analyze")
        self.settle_down()

    def read(self, url: str) -> Reading:
        """Row versions left behind are counted when they are made: autovacuum may remove them before we look."""
        with psycopg.connect(url, autocommit=True) as conn:
            [(wal, dead)] = conn.execute(
                "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn,"
                " (select coalesce(sum(n_tup_upd + n_tup_del), 0) from pg_stat_user_tables)"
            ).fetchall()
        return Reading(int(wal), int(dead), self._cpu_s())

    def _cpu_s(self) -> float:
        """Of the server and all its processes, those that have ended included."""
        return cpu_s(int((self._running.data / "postmaster.pid").read_text().partition("\n")[0]))


def name_of(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


def cpu_s(root: int) -> float:
    """Of a process and its children, those that have ended included."""
    while True:
        ended = _ticks(root).ended
        everybody = [_ticks(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")]
        # A child that ended while we looked would be missed, or counted twice.
        if _ticks(root).ended == ended:
            own = sum(of.own for of in everybody if root in {of.pid, of.parent})
            return (own + ended) / os.sysconf("SC_CLK_TCK")


class Ticks(NamedTuple):
    """Processor time of a process, and of those of its children that have ended."""

    pid: int
    parent: int
    own: int
    ended: int


def _ticks(pid: int) -> Ticks:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return Ticks(pid, 0, 0, 0)
    return Ticks(pid, int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14]))


@contextmanager
def serve() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="bench-") as home, embedded.start(Path(home), settings=SETTINGS) as running:
        yield Bench(running)


def ask(url: str, query: str, *params: Any) -> Any:
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(query.encode(), params or None).fetchone()
    return None if row is None else row[0]
