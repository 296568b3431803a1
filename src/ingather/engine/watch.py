"""What a sentinel does: it beats, watches the worker, and hands its items back when the worker is dead."""

import logging
import os
import random
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.connection import connect
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.refusals import PASSING_ERRORS
from ingather.engine.script import run_script
from ingather.engine.slot_table import SlotTable
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.engine.sentinel import Post

log = logging.getLogger("ingather.sentinel")

# How often a sentinel looks at its worker. Longer delays the return of a dead worker's items; shorter costs the
# machine.
LOOK_S: Final = 0.1
# A worker whose loop a handler blocks is ended so long after the handler's deadline. Shorter would end workers on a
# machine that stalls; longer keeps the other items of the worker waiting.
STUCK_GRACE_S: Final = 2.0
# The longest pause between beats, however long the lease. A shorter one costs the server; a longer one makes the list
# of started items old.
LONGEST_BEAT_S: Final = 5.0


def _close_watched_after_death(conn: psycopg.Connection[Any], batch_ids: list[int]) -> None:
    """Close what is ripe of these batches and of their parents, whose turn comes with their last child."""
    level = [*batch_ids, *run_script(conn, verbs.free_parents(batch_ids))] if batch_ids else []
    while level:
        level = run_script(conn, verbs.close(level)).parents


class Watch:
    def __init__(self, post: "Post") -> None:
        self._post = post
        self._table = SlotTable(post.slots_fd, post.slots_count)
        self._conn: psycopg.Connection[Any] | None = None
        self._beat_every_s = min(post.lease_s / 4, LONGEST_BEAT_S)
        self._next_beat = time.monotonic()

    def stand(self) -> None:
        while True:
            readable, _, _ = select.select([sys.stdin], [], [], LOOK_S)
            # If the worker ended before this process was up, this process has another parent by now.
            if readable or os.getppid() != self._post.worker_pid:
                self._hand_back(self._death())
                return
            if overdue := self._table.overdue(STUCK_GRACE_S):
                self._end_the_stuck(overdue)
                return
            if time.monotonic() >= self._next_beat and not self._is_worker_stopped() and not self._beat():
                return  # declared dead by others: the worker will notice and come back under another id

    def _beat(self) -> bool:
        """Beat once; False when the worker's row is gone. A database that is away is tried again soon."""
        try:
            beat = {"worker_id": self._post.worker_id, "running": self._table.started()}
            is_known = self._connection().execute(sql.BEAT, beat).fetchone() is not None
        except (*PASSING_ERRORS, DatabaseUnavailable):
            self._drop_connection()
            self._next_beat = time.monotonic() + random.uniform(0.1, min(1.0, self._beat_every_s))
            return True
        self._next_beat = time.monotonic() + self._beat_every_s * random.uniform(0.9, 1.0)
        return is_known

    def _is_worker_stopped(self) -> bool:
        """SIGSTOP, a debugger: it will not settle anything for now, so nobody should vouch for it."""
        try:
            stat = Path(f"/proc/{self._post.worker_pid}/stat").read_text()
        except OSError:
            return False
        return stat.rpartition(")")[2].split()[0] in "Tt"

    def _end_the_stuck(self, overdue: list[int]) -> None:
        """One handler is to blame for the block; the others were cut off by it, or by us, and owe nothing."""
        log.warning("items %s blocked their worker past their deadline", overdue)
        if self._post.kills_stuck:
            os.kill(self._post.worker_pid, signal.SIGKILL)
        self._hand_back(self._blocked(), started=[], overdue=overdue)

    def _death(self) -> str:
        return notice(
            "engine.worker_process_died",
            "worker {id} (process {pid} on {host}) died",
            id=self._post.worker_id,
            pid=self._post.worker_pid,
            host=socket.gethostname(),
        )

    def _blocked(self) -> str:
        return notice(
            "engine.worker_process_blocked",
            "worker {id} (process {pid} on {host}) was blocked by a handler past its deadline",
            id=self._post.worker_id,
            pid=self._post.worker_pid,
            host=socket.gethostname(),
        )

    def _hand_back(self, death: str, *, started: list[int] | None = None, overdue: list[int] | None = None) -> None:
        """Hand back at once what the worker held. If the database is away too, the sweep will do it."""
        started = self._table.started_here() if started is None else started
        until = time.monotonic() + 2 * self._post.lease_s
        while time.monotonic() < until:
            try:
                conn = self._connection()
                script = verbs.take_back(self._post.worker_id, started=started, overdue=overdue, death=death)
                taken = run_script(conn, script)
                if taken is not None:
                    _close_watched_after_death(conn, taken[1])
                    conn.execute(sql.RING)
                    return
                # A last claim is still committing and holds the row, or a sweep took everything back already.
                if not self._is_registered(conn):
                    return
                time.sleep(LOOK_S / 4)
            except (*PASSING_ERRORS, DatabaseUnavailable):
                self._drop_connection()
                time.sleep(random.uniform(LOOK_S, 5 * LOOK_S))

    def _is_registered(self, conn: psycopg.Connection[Any]) -> bool:
        row = conn.execute(sql.WHAT_IS_MINE, {"worker_id": self._post.worker_id}).fetchone()
        return row is not None and bool(row[0])

    def _connection(self) -> psycopg.Connection[Any]:
        if self._conn is None or self._conn.closed:
            self._conn = connect(self._post.url, application_name="ingather sentinel")
        return self._conn

    def _drop_connection(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None
