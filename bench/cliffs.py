"""What the engine's statements cost the server when much is in their way, against the same statement when nothing is.

    python -m bench.cliffs

Everything is measured in one run, on one server, as processor time of the server's process, so that other work on the
machine changes little. Only Linux has /proc. Names of parts (claims, rates, looks, retention, idling) run just these.
"""

import asyncio
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg

from bench.server import Bench
from ingather import embedded
from ingather.engine import parameters, verbs
from ingather.engine import statements as sql
from ingather.engine.connection import connect
from ingather.engine.engine import Engine
from ingather.engine.script import Statement, run_script
from ingather.engine.verbs.retention import BEGINNING

# Nothing of this kind may cost more than this many times the quiet cost.
ALLOWED: Final = 3.0
# Repetitions of one statement. The clock of /proc ticks every 10 ms, so fewer would say little.
TIMES: Final = 200
# Items of a claim, as in the report that named the cliffs.
K: Final = 10
# The idle fleet: queues, workers that stand for fifty, how long they may settle, how long they are watched. Fewer or
# shorter would drown in the clock's ticks.
QUEUES: Final = 20
CREW: Final = 25
SETTLE_S: Final = 3.0
IDLE_S: Final = 10.0
SETTINGS: Final = {"max_connections": "300", "fsync": "off", "autovacuum": "off", "jit": "off"}


class Row(NamedTuple):
    """One line of the report."""

    what: str
    cost_ms: float
    quiet_ms: float

    @property
    def ratio(self) -> float:
        return self.cost_ms / max(self.quiet_ms, 1e-6)


def cpu_s(pid: int) -> float:
    """Processor time of a process so far, to the nanosecond: a look takes less than a tick of `stat`."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


class Place:
    """One database with an engine and a connection whose server process is watched."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.url = bench.new_database(name)
        self.app = Engine(self.url)
        self.app.migrate()
        for kind in ("work", "foreign"):
            self.app.handler(kind)(_nothing)
        self.conn = connect(self.url)
        who = {"host": "here", "pid": 1, "kinds": ["work"], "lease": timedelta(hours=1)}
        [(self.worker,)] = self.conn.execute(sql.REGISTER, who).fetchall()

    def close(self) -> None:
        self.conn.close()
        self.app.close()

    def cost_ms(self, act: Callable[[], object], times: int = TIMES) -> float:
        """Server processor time of one such act."""
        for _ in range(6):  # prepared and warm
            act()
        before = cpu_s(self.conn.info.backend_pid)
        for _ in range(times):
            act()
        return 1000 * (cpu_s(self.conn.info.backend_pid) - before) / times

    def claim(self, queue: str = "default", *, is_locked: bool = False) -> None:
        """One claim of ten items. It commits: after a rollback the driver would have it planned anew."""
        statement = parameters.parameters_to_claim(
            self.worker, queue=queue, kinds=["work"], k=K, from_waiting=K // 2, free=K,
            token=secrets.randbits(62), is_locked=is_locked,
        )  # fmt: skip
        if is_locked:
            self.conn.execute("begin")
            self.conn.execute(sql.LOCK_QUEUE, {"queue": queue})
        rows = self.conn.execute(statement.sql, statement.params).fetchall()
        if is_locked:
            self.conn.execute("commit")
        assert sum(row[2] - row[1] + 1 for row in rows) == K, rows

    def what_is_due(self) -> None:
        self.conn.execute(sql.WHAT_IS_DUE, {"after": 0}).fetchall()


async def _nothing(item: object) -> None: ...


def quiet(place: Place) -> None:
    place.app.scatter("work", range(20_000))


def behind_a_paused_batch(place: Place) -> None:
    quiet(place)
    batch = place.app.scatter("work", range(100_000), delay=0.001)
    batch.pause()


def behind_a_foreign_kind(place: Place) -> None:
    quiet(place)
    place.app.scatter("foreign", range(100_000), delay=0.001)


def behind_paused_batches(place: Place) -> None:
    quiet(place)
    for _ in range(20_000):
        place.conn.execute(sql.NEW_SMALL_BATCH, _small(place))
    place.conn.execute("update ingather.batch set paused = true where total = 2")
    place.conn.execute(
        "update ingather.segment s set parked = true from ingather.batch b where b.id = s.batch_id and b.paused"
    )


def behind_foreign_batches(place: Place) -> None:
    quiet(place)
    for _ in range(20_000):
        place.conn.execute(sql.NEW_SMALL_BATCH, _small(place) | {"kind": "foreign"})


def with_many_shares(place: Place) -> None:
    quiet(place)
    for n in range(20_000):
        place.conn.execute(sql.NEW_SMALL_BATCH, _small(place) | {"share": f"caller {n}"})


def _small(place: Place) -> dict[str, Any]:
    request = place.app.registry.request("work")
    script = verbs.scatter_few(request, [b"1", b"2"])
    statement = next(script)
    assert isinstance(statement, Statement)
    assert statement.params is not None
    return statement.params


def with_many_open_batches(place: Place) -> None:
    """10,000 open batches, twenty writers of each."""
    for _ in range(10_000):
        place.conn.execute(sql.NEW_SMALL_BATCH, _small(place))
    place.conn.execute(
        """insert into ingather.tally (batch_id, worker_id, completed)
           select b.id, w, 0 from ingather.batch b, generate_series(1, 20) as w"""
    )


CLAIMS: Final = (
    ("a claim of 10 behind a paused batch with 100,000 due items", behind_a_paused_batch),
    ("a claim of 10 behind 100,000 due items of a kind that nobody serves", behind_a_foreign_kind),
    ("a claim of 10 behind 20,000 paused batches", behind_paused_batches),
    ("a claim of 10 behind 20,000 batches of a kind that nobody serves", behind_foreign_batches),
    ("a claim of 10 among 20,000 callers", with_many_shares),
)


@contextmanager
def place_of(bench: Bench, fill: Callable[[Place], None]) -> Iterator[Place]:
    place = Place(bench, fill.__name__)
    try:
        fill(place)
        place.conn.execute("vacuum analyze")
        time.sleep(0.01)  # what was delayed is due
        yield place
    finally:
        place.close()


def claims(bench: Bench) -> Iterator[Row]:
    with place_of(bench, quiet) as place:
        quiet_ms = place.cost_ms(place.claim)
        yield Row("a claim of 10, quiet", quiet_ms, quiet_ms)
    for what, fill in CLAIMS:
        with place_of(bench, fill) as place:
            yield Row(what, place.cost_ms(place.claim), quiet_ms)


def rates(bench: Bench) -> Iterator[Row]:
    """A window of a minute full of single claims, as many as a worker makes in it, against the first of them."""
    with place_of(bench, quiet) as place:
        place.app.set_queue("default", rate=(1_000_000, timedelta(minutes=1)))
        quiet_ms = place.cost_ms(lambda: place.claim(is_locked=True))
        # Rows as claims leave them: they share one within a thousandth of the window. Older code left one each.
        place.conn.execute(
            """insert into ingather.rate_use (queue, used_at, began_at, items)
               select 'default', at, at, 100
                 from (select clock_timestamp() - n * interval '60 milliseconds' as at
                         from generate_series(1, 1000) as n) as t"""
        )
        place.conn.execute("analyze")
        yield Row(
            "a claim with 100,000 items in the window of a rate",
            place.cost_ms(lambda: place.claim(is_locked=True)),
            quiet_ms,
        )


def looks(bench: Bench) -> Iterator[Row]:
    with place_of(bench, quiet) as place:
        quiet_ms = place.cost_ms(place.what_is_due)
        yield Row("a look of an aggregator, quiet", quiet_ms, quiet_ms)
    with place_of(bench, with_many_open_batches) as place:
        yield Row(
            "a look of an aggregator, 10,000 open batches with 20 writers each",
            place.cost_ms(place.what_is_due),
            quiet_ms,
        )
        quiet_ms = _to_close_ms(bench, quiet)
        yield Row("wall: scatter of one item until it is closed, quiet", quiet_ms, quiet_ms)
        yield Row("wall: the same with 10,000 open batches with 20 writers each", _closing_ms(place), quiet_ms)


def _to_close_ms(bench: Bench, fill: Callable[[Place], None]) -> float:
    with place_of(bench, fill) as place:
        return _closing_ms(place)


def _closing_ms(place: Place) -> float:
    """Scatter to closed, in a queue of its own, with a worker that does nothing else."""
    place.app.handler("quick", queue="quick")(_nothing)

    async def act() -> float:
        took = []
        async with place.app.worker(queues=["quick"]):
            await (await place.app.asubmit("quick", 0)).await_(30)
            for _ in range(30):
                began = time.monotonic()
                batch = await place.app.asubmit("quick", 1)
                while not (await batch.aprogress()).is_closed:
                    await asyncio.sleep(0.002)
                took.append(time.monotonic() - began)
        await place.app.aclose()
        return 1000 * statistics.median(took)

    return asyncio.run(act())


def retention(bench: Bench) -> Iterator[Row]:
    """Steps of pruning, with a snapshot that keeps every dead row and without: the last third against the first."""
    for fill, items, what in (
        (with_closed_batches, 50_000, "50,000 batches of one item"),
        (with_one_closed_batch, 300_000, "a batch of 300,000 items"),
    ):
        for is_held in (False, True):
            held = "with a held snapshot" if is_held else "without one"
            with place_of(bench, fill) as place:
                costs, took_s = pruned(place, is_held=is_held)
            third = len(costs) // 3
            yield Row(f"pruning {what}, {held}", statistics.mean(costs[-third:]), statistics.mean(costs[:third]))
            print(f"{items / took_s:12,.0f} items a second by one connection")


def pruned(place: Place, *, is_held: bool) -> tuple[list[float], float]:
    """Prune everything. Returns what each step cost the server in milliseconds, and how long all of them took."""
    costs: list[float] = []
    since: datetime | None = BEGINNING
    with psycopg.connect(place.url) as holder:
        if is_held:
            holder.execute("set transaction isolation level repeatable read")
            holder.execute("select count(*) from ingather.batch")
        began = time.monotonic()
        while since is not None:
            before = cpu_s(place.conn.info.backend_pid)
            since = run_script(place.conn, verbs.prune(timedelta(0), since))
            costs.append(1000 * (cpu_s(place.conn.info.backend_pid) - before))
        return costs, time.monotonic() - began


def with_closed_batches(place: Place) -> None:
    for _ in range(50_000):
        place.conn.execute(sql.NEW_SMALL_BATCH, _small(place) | {"lines": "1", "total": 1})
    _close_all(place)


def with_one_closed_batch(place: Place) -> None:
    place.app.scatter("work", range(300_000))
    _close_all(place)


def _close_all(place: Place) -> None:
    place.conn.execute(
        """insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, result)
           select item_id, 1, 1, 0, 1, 0, 'c', '1' from ingather.payload"""
    )
    place.conn.execute("update ingather.segment set next_id = last_id + 1, queue = null")
    place.conn.execute(
        """update ingather.batch set state = 'closed', closed_at = clock_timestamp() - interval '1 hour',
                  completed = total, error = 0, cancelled = 0"""
    )


def idling(bench: Bench) -> Iterator[Row]:
    """Idle workers with twenty queues: the processor time of all processes of the server, scaled to fifty workers.

    They share one process, so that a small machine can hold them; each has its own connections and rounds.
    """
    place = Place(bench, "idling")
    for n in range(QUEUES):
        place.app.set_queue(f"queue_{n}", max_running=None)

    async def idle() -> tuple[float, float]:
        crew = [place.app.worker(concurrency=2) for _ in range(CREW)]
        for worker in crew:
            await worker.start()
        await asyncio.sleep(SETTLE_S)
        before, commits, began = bench.read(place.url).cpu_s, transactions(place), time.monotonic()
        await asyncio.sleep(IDLE_S)
        spent_s, passed_s = bench.read(place.url).cpu_s - before, time.monotonic() - began
        rate = (transactions(place) - commits) / passed_s
        await asyncio.gather(*(worker.stop(0) for worker in crew))
        return spent_s / passed_s, rate

    cores, rate = asyncio.run(idle())
    place.close()
    print(f"{50 / CREW * rate:12,.0f} transactions a second by 50 idle workers with {QUEUES} queues")
    yield Row("a second of 50 idle workers with 20 queues, against a thirtieth", 1000 * 50 / CREW * cores, 1000 / 30)


def transactions(place: Place) -> int:
    row = place.conn.execute("select xact_commit from pg_stat_database where datname = current_database()").fetchone()
    assert row is not None
    return int(row[0])


PARTS: Final = {part.__name__: part for part in (claims, rates, looks, retention, idling)}


def main(names: list[str]) -> int:
    """All parts, or those named."""
    is_over = False
    with tempfile.TemporaryDirectory() as folder, embedded.start(Path(folder), settings=SETTINGS) as running:
        bench = Bench(running)
        for part in [PARTS[name] for name in names] or PARTS.values():
            for row in part(bench):
                is_over = is_over or row.ratio > ALLOWED
                mark = "" if row.ratio <= ALLOWED else "  <-- more than allowed"
                print(f"{row.cost_ms:9.3f} ms  {row.ratio:5.2f} x  {row.what}{mark}", flush=True)
    return int(is_over)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
