"""The one PostgreSQL of a run, with its durability on, and the meters read from it."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from ingather import embedded

SETTINGS = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "200"}

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
        with psycopg.connect(self._running.url, autocommit=True) as conn:
            conn.execute(f'create database "{name}" template "{origin}"'.encode())
        return self._running.url.replace("/ingather?", f"/{name}?")

    def drop(self, url: str) -> None:
        with psycopg.connect(self._running.url, autocommit=True) as conn:
            conn.execute(f'drop database "{name_of(url)}" with (force)'.encode())

    def version(self) -> str:
        return str(ask(self._running.url, "select current_setting('server_version')"))

    def settle_down(self) -> None:
        """Begin every measurement with a clean slate: what was written before is on the disk."""
        with psycopg.connect(self._running.url, autocommit=True) as conn:
            conn.execute("checkpoint")

    def analyze(self, url: str) -> None:
        """Statistics of what was just inserted, which autovacuum would make a minute later: some queries need them."""
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("vacuum analyze")

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
    parents: dict[int, tuple[int, int, int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        own, ended = int(words[11]) + int(words[12]), int(words[13]) + int(words[14])
        parents[int(folder.name)] = (int(words[1]), own, ended)
    ticks = sum(own for pid, (parent, own, _) in parents.items() if root in {pid, parent})
    ticks += parents[root][2] if root in parents else 0
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def serve() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="bench-") as home, embedded.start(Path(home), settings=SETTINGS) as running:
        yield Bench(running)


def ask(url: str, query: str, *params: Any) -> Any:
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(query.encode(), params or None).fetchone()
    return None if row is None else row[0]
