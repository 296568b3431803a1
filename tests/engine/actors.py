"""Actors with a connection each, who play the engine's scripts a statement at a time: races on demand."""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

import psycopg
from psycopg.rows import tuple_row

from ingather.engine import parameters, verbs
from ingather.engine import statements as sql
from ingather.engine.model import Progress, ScatterRequest
from ingather.engine.outbox import Ended, PutBack, runs_in_outbox
from ingather.engine.script import Copy, Rows, Script, Statement, run_script

T = TypeVar("T")

PATIENCE_S = 60.0


class Play(Generic[T]):
    """A script in a transaction that stays open until told otherwise, played one statement at a time."""

    def __init__(self, conn: psycopg.Connection[Any], script: Script[T]) -> None:
        self._conn = conn
        self._script = script
        conn.execute("begin isolation level read committed")
        self._next: Statement | Copy | None = next(script)
        self._result: list[T] = []

    def step(self) -> None:
        """Send the next statement, and let the script choose the one after."""
        step = self._next
        assert step is not None, "the script is over"
        rows: Rows = []
        with self._conn.cursor(row_factory=tuple_row) as cursor:
            if isinstance(step, Copy):
                with cursor.copy(step.sql) as copy:
                    for chunk in step.chunks:
                        copy.write(chunk)
            else:
                cursor.execute(step.sql, step.params)
                rows = cursor.fetchall() if cursor.description else []
        try:
            self._next = self._script.send(rows)
        except StopIteration as end:
            self._next = None
            self._result = [end.value]

    def steps(self) -> "Play[T]":
        """All that is left, without the commit."""
        while self._next is not None:
            self.step()
        return self

    def until(self, statement: str) -> "Play[T]":
        """Stop right before a statement."""
        while not (isinstance(self._next, Statement) and self._next.sql == statement):
            self.step()
        return self

    @property
    def is_over(self) -> bool:
        return self._next is None

    @property
    def result(self) -> T:
        return self._result[0]

    def commit(self) -> T:
        """The rest of the script and its commit."""
        self.steps()
        self._conn.execute("commit")
        return self.result

    def abort(self) -> None:
        self._conn.execute("rollback")


class Actor:
    """One session."""

    def __init__(self, url: str) -> None:
        # No test here waits that long on purpose: a lock that never comes should be an error, not a hanging run.
        self.conn = psycopg.connect(url, autocommit=True, options="-c lock_timeout=20s")
        self._url = url
        self._thread = ThreadPoolExecutor(1)

    def run(self, script: Script[T]) -> T:
        return run_script(self.conn, script)

    def play(self, script: Script[T]) -> Play[T]:
        return Play(self.conn, script)

    def begin(self, action: Callable[[], T]) -> "Future[T]":
        """Do something in a thread of this actor's own."""
        return self._thread.submit(action)

    def has_to_wait(self, action: Callable[[], T]) -> "Future[T]":
        """Begin something that runs into a lock. Returns once it waits there; fails if it never does."""
        future = self.begin(action)
        pid = self.conn.info.backend_pid
        deadline = time.monotonic() + PATIENCE_S
        with psycopg.connect(self._url, autocommit=True) as monitor:
            while monitor.execute("select pg_blocking_pids(%s) <> '{}'", [pid]).fetchone() != (True,):
                assert not future.done(), f"it did not wait, and brought {future.result()!r}"
                assert time.monotonic() < deadline, "it neither waits nor ends"
                time.sleep(0.002)
        return future

    def close(self) -> None:
        self.conn.close()
        self._thread.shutdown()


@contextmanager
def stage(url: str) -> Iterator[Callable[[], Actor]]:
    """Actors for one test."""
    actors: list[Actor] = []

    def enter() -> Actor:
        actors.append(Actor(url))
        return actors[-1]

    try:
        yield enter
    finally:
        for actor in actors:
            actor.close()


# --- the verbs that live in the feeder, as scripts ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """A lease as a claim brought it."""

    token: int
    first_id: int
    last_id: int
    batch_id: int
    attempt: int
    lost: int
    is_gather: bool

    @property
    def ids(self) -> list[int]:
        return list(range(self.first_id, self.last_id + 1))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(self.token, item_id) for item_id in self.ids]


def request(**changes: Any) -> ScatterRequest:
    usual: dict[str, Any] = {
        "kind": "read",
        "queue": "default",
        "priority": 0,
        "delay": timedelta(0),
        "max_attempts": 4,
        "timeout_s": 60,
        "gathers": False,
        "idempotency_key": None,
    }
    return ScatterRequest(**usual | changes)


def lines(items: int, start: int = 0) -> list[bytes]:
    return [b'{"n": %d}' % n for n in range(start, start + items)]


def scatter(items: int, **changes: Any) -> Script[int]:
    batch_id, _ = yield from verbs.scatter(request(**changes), lines(items))
    return batch_id


def enlist(kinds: Iterable[str] = ("read",), lease_s: float = 1) -> Script[int]:
    who = {"host": "here", "pid": 1, "kinds": list(kinds), "lease": timedelta(seconds=lease_s)}
    [(worker_id,)] = yield Statement(sql.REGISTER, who)
    return int(worker_id)


def claim(
    worker_id: int,
    k: int = 100,
    *,
    queue: str = "default",
    is_locked: bool = False,
    is_of_one_share: bool = False,
    kinds: Iterable[str] = ("read",),
    free: int = 0,
    token: int | None = None,
) -> Script[list[Held]]:
    if is_locked:
        yield parameters.parameters_to_lock_queue(queue)
    rows = yield parameters.parameters_to_claim(
        worker_id,
        queue=queue,
        kinds=list(kinds),
        k=k,
        token=secrets.randbits(62) if token is None else token,
        free=free,
        from_waiting=k,
        is_locked=is_locked,
        is_of_one_share=is_of_one_share,
    )
    return [Held(*row[:7]) for row in rows]


def settle(worker_id: int, pairs: list[tuple[int, int]], state: str = "c", *, is_fresh: bool = False) -> Script[int]:
    """Words are pairs of token and item. Returns how many were written."""
    if not pairs:
        yield Statement("select 1")
        return 0
    result, error = (b"1", b"") if state == "c" else (b"", b'{"reason": "rejected", "message": "no"}')
    ended: list[Ended] = [(token, item_id, state, 1, result, error) for token, item_id in pairs]
    [(written,)] = yield (parameters.parameters_to_settle_fresh if is_fresh else parameters.parameters_to_settle)(
        worker_id, ended
    )
    return int(written)


def settle_run(worker_id: int, pairs: list[tuple[int, int]], took_s: float = 0.0) -> Script[int]:
    """The same for neighbours that all completed."""
    ended: list[Ended] = [(token, item_id, "c", took_s, b"1", b"") for token, item_id in pairs]
    [run] = runs_in_outbox(ended)
    [(written,)] = yield parameters.parameters_to_settle_run(worker_id, run)
    return int(written)


def close(batch_ids: list[int]) -> Script[list[int]]:
    """Returns the batches that wait for their gather now."""
    return (yield from verbs.close(batch_ids)).gathering


def close_ripe() -> Script[list[int]]:
    """The same for all that are ripe, as the aggregators find them one after the other."""
    rows = yield Statement(
        """select t.batch_id from ingather.tally t join ingather.batch b on b.id = t.batch_id and b.state = 'open'
            group by t.batch_id, b.id
           having sum(t.completed + t.error + t.cancelled) = b.total
              and not exists (select from ingather.batch c where c.parent_id = b.id and c.holds_parent)"""
    )
    return (yield from close([batch_id for (batch_id,) in rows])) if rows else []


def ours(pairs: list[tuple[int, int]]) -> Script[list[int]]:
    rows = yield parameters.parameters_for_ours_already(
        [(token, item_id, "c", 0.0, b"", b"") for token, item_id in pairs]
    )
    return sorted(item_id for (item_id,) in rows)


def put_back(pairs: list[tuple[int, int]], *, delay_s: float = 0, attempt: int = 1, lost: int = 0) -> Script[list[int]]:
    """Returns the items that went back."""
    why = b'{"reason": "failed", "message": "once more"}'
    rows = yield parameters.parameters_to_put_back(
        [PutBack(token, item_id, delay_s, attempt, lost, why) for token, item_id in pairs]
    )
    return sorted(item_id for (item_id,) in rows)


# --- what must hold at every moment ---------------------------------------------------------------------------------

# An item is in exactly one place: ended, leased, waiting, or ahead of its segment's cursor.
PLACES = """
select p.item_id, count(o.item_id) + count(l.token) + count(w.item_id) + count(s.id) as places
  from ingather.payload p
  left join ingather.outcome o on o.item_id = p.item_id
  left join ingather.lease l on p.item_id between l.first_id and l.last_id
                            and p.item_id <> all (l.returned) and o.item_id is null
  left join ingather.waiting w on w.item_id = p.item_id
  left join ingather.segment s on s.id = p.item_id >> 20 and p.item_id between s.next_id and s.last_id
 group by p.item_id
having count(o.item_id) + count(l.token) + count(w.item_id) + count(s.id) <> 1
"""

MISCOUNTED_LEASES = """
select l.token, l.open
  from ingather.lease l
 where l.open <> (select count(*) from generate_series(l.first_id, l.last_id) as i
                   where i <> all (l.returned) and not exists (select from ingather.outcome o where o.item_id = i))
"""

ABANDONED_LEASES = """
select l.token from ingather.lease l where not exists (select from ingather.worker w where w.id = l.worker_id)
"""

RECOUNT = """
select s.batch_id,
       count(*),
       count(*) filter (where o.state = 'c'),
       count(*) filter (where o.state = 'e'),
       count(*) filter (where o.state = 'x')
  from ingather.segment s
  join ingather.payload p on p.item_id between s.id << 20 and s.last_id
  left join ingather.outcome o on o.item_id = p.item_id
 group by s.batch_id
"""


def look(conn: psycopg.Connection[Any], batch_id: int) -> Progress:
    [seen] = run_script(conn, verbs.progress([batch_id]))
    return seen


def assert_sound(conn: psycopg.Connection[Any]) -> None:
    """Holds whenever nobody writes: every item in one place, every count equal to a recount."""
    assert conn.execute(PLACES).fetchall() == []
    assert conn.execute(MISCOUNTED_LEASES).fetchall() == []
    assert conn.execute(ABANDONED_LEASES).fetchall() == []
    for batch_id, total, completed, error, cancelled in conn.execute(RECOUNT).fetchall():
        seen = look(conn, batch_id)
        assert (seen.total, seen.completed, seen.error, seen.cancelled) == (total, completed, error, cancelled)
        assert min(seen.pending, seen.running) >= 0
        if seen.is_closed:
            assert seen.finished == seen.total


def state_of(conn: psycopg.Connection[Any], item_id: int) -> str:
    row = conn.execute("select state from ingather.item where id = %s", [item_id]).fetchone()
    assert row is not None
    return str(row[0])
