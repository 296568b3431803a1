"""A primary and a streaming replica from the programs of the embedded server, and what can happen to the two."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from ingather.embedded import binaries, identity, locks, postmaster
from ingather.embedded.places import PORT, Places

DATABASE = "chaos"
SETTINGS = {
    "fsync": "off", "deadlock_timeout": "50ms", "max_connections": "200", "autovacuum_naptime": "1s",
    # A replica that was cut off comes back without a new copy of everything.
    "wal_keep_size": "64MB",
    # A primary that lost its replica, and a replica that lost its primary, notice within this time.
    "wal_sender_timeout": "2s", "wal_receiver_timeout": "2s", "wal_retrieve_retry_interval": "200ms",
}  # fmt: skip
COPY_SECONDS = 120.0
# So long may a replica take to catch up. It takes well below a second; on a machine that is busy, several.
CATCH_UP_S = 60.0


class Node:
    """One server over one folder: it may be made, copied, started, crashed and promoted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.places = Places.of(folder)
        self.places.root.mkdir(mode=0o755)
        self.found = binaries.find()
        self.settings = SETTINGS
        self.identity = identity.choose(self.places)
        if self.identity.way != "self":
            self.identity.give(self.places.root)
            if not self.identity.can_enter(self.found.folder):
                self.found = binaries.copy(self.found, self.places.root)

    def url(self, database: str = DATABASE) -> str:
        return make_conninfo("", host=str(self.places.sockets), port=PORT, user="postgres", dbname=database)

    def make(self) -> None:
        postmaster.make_data(self.places, self.found, self.identity)

    def start(self) -> None:
        postmaster.launch(self.places, self.found, self.identity, self.settings)

    def copy_from(self, source: "Node") -> None:
        """A base backup of a running server, ready to follow it."""
        self._back_up(source, self.places.data, "--write-recovery-conf")

    def back_up(self, into: Path) -> None:
        """A base backup of this server, to which it can be set back."""
        self._back_up(self, into)

    def set_back(self, backup: Path) -> None:
        """A server that does not run becomes what the backup holds; whatever came later is gone."""
        shutil.rmtree(self.places.data)
        shutil.copytree(backup, self.places.data, symlinks=True)
        for path in (self.places.data, *self.places.data.rglob("*")):
            self.identity.give(path)

    def crash(self, how: signal.Signals) -> None:
        """Ends the server at once, and waits until none of its processes is left to answer anybody."""
        pid = int((self.places.data / "postmaster.pid").read_text().split()[0])
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
        deadline = time.monotonic() + CATCH_UP_S
        while locks.is_held(self.places.server_lock):
            assert time.monotonic() < deadline, f"the processes of {self.folder} did not end"
            time.sleep(0.02)

    def stop(self) -> None:
        with contextlib.suppress(Exception):  # it may be half made, or have ended by itself
            postmaster.halt(self.places)

    def ask(self, statement: str, *params: Any, database: str = "postgres") -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url(database), autocommit=True) as conn:
            cursor = conn.execute(statement, params)
            return cursor.fetchall() if cursor.description else []

    def _back_up(self, source: "Node", into: Path, *more: str) -> None:
        argv = [
            str(self.found.folder / "pg_basebackup"), "--pgdata", str(into), "--checkpoint", "fast", "--no-sync",
            # Streamed beside the copy, the log would be cut off by the sender's timeout where the machine is busy.
            "--wal-method", "fetch",
            "--dbname", source.url("postgres"), *more,
        ]  # fmt: skip
        shutil.rmtree(into, ignore_errors=True)
        # Held for the length of the copy alone: the server that is started afterwards takes it for itself.
        with self.places.log.open("ab") as log:
            code = self.identity.run(argv, lock=self.places.root / "copy.lock", output=log, seconds=COPY_SECONDS)
        assert code == 0, f"no base backup could be made: {self.places.log.read_text()[-2000:]}"


class Cluster:
    """Two nodes, of which one leads. Callers know the addresses of both and look for the one that may be written."""

    def __init__(self, folder: Path, *, is_sync: bool) -> None:
        self.is_sync = is_sync
        self.nodes = [Node(folder / name) for name in ("a", "b")]
        self.primary, self.replica = self.nodes
        self.url = make_conninfo(
            "",
            host=",".join(str(node.places.sockets) for node in self.nodes),
            port=",".join([str(PORT)] * 2),
            user="postgres",
            dbname=DATABASE,
            target_session_attrs="read-write",
        )

    def start(self) -> None:
        self.primary.make()
        self.primary.start()
        self.primary.ask(f"create database {DATABASE}")
        self.rejoin()

    def rejoin(self) -> None:
        """The other node becomes a replica of the one that leads, and from then on commits wait for it if so chosen."""
        self.replica.copy_from(self.primary)
        # The copy brings the setting along, by which a new primary would wait for a replica that is not there yet.
        _configure(self.replica.places.data, "synchronous_standby_names", "")
        self.replica.start()
        if self.is_sync:
            self._set_on_primary("synchronous_standby_names", "*")
        self.wait_until_caught_up()

    def wait_until_caught_up(self) -> None:
        """Until the replica has all that was committed before this call."""
        [(position,)] = self.primary.ask("select pg_current_wal_flush_lsn()::text")
        wanted = "sync" if self.is_sync else "async"
        deadline = time.monotonic() + CATCH_UP_S
        while not self.primary.ask(_CAUGHT_UP, wanted, position):
            assert time.monotonic() < deadline, "the replica does not catch up"
            time.sleep(0.05)

    def cut(self) -> None:
        """The replica hears nothing more; what is committed from now on is lost when it is promoted."""
        self.replica.ask("alter system set primary_conninfo = ''")
        self.replica.ask("select pg_reload_conf()")
        deadline = time.monotonic() + CATCH_UP_S
        while self.primary.ask("select 1 from pg_stat_replication"):
            assert time.monotonic() < deadline, "the replica stays connected"
            time.sleep(0.05)

    def crash(self, how: signal.Signals) -> None:
        """The primary dies."""
        self.primary.crash(how)

    def promote(self) -> None:
        """The replica takes the place of a primary that is dead."""
        self.primary, self.replica = self.replica, self.primary
        [(is_promoted,)] = self.primary.ask("select pg_promote(true, 60)")
        assert is_promoted, "the replica was not promoted"

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()

    def _set_on_primary(self, name: str, value: str) -> None:
        self.primary.ask(f"alter system set {name} = '{value}'")
        self.primary.ask("select pg_reload_conf()")


def stand_sequences_still(node: Node) -> None:
    """PostgreSQL writes 32 numbers of a sequence ahead, so one that goes back seems to go forward at first. Whatever
    depends on that is lucky: here every sequence stands where it is."""
    with psycopg.connect(node.url(DATABASE), autocommit=True) as conn:
        for (name,) in conn.execute(_SEQUENCES).fetchall():
            with conn.transaction():
                # The lock lets nobody draw a number meanwhile: one drawn between the look and the set would come again.
                conn.execute(f"alter sequence {name} no cycle")
                conn.execute(f"select setval('{name}', last_value, is_called) from {name}")


_CAUGHT_UP = """
select 1 from pg_stat_replication where state = 'streaming' and sync_state = %s and flush_lsn >= %s::pg_lsn
"""

_SEQUENCES = """
select quote_ident(schemaname) || '.' || quote_ident(sequencename)
  from pg_sequences where schemaname in ('ingather', 'chaos')
"""


def _configure(data: Path, name: str, value: str) -> None:
    """What ALTER SYSTEM would write, in a server that does not run."""
    with (data / "postgresql.auto.conf").open("a") as file:
        file.write(f"{name} = '{value}'\n")
