"""What is measured of Ingather alone: size, patience, memory, and what the server pays."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from bench import conduct
from bench.peers.ingather import make_app
from bench.server import Bench
from bench.systems import OURS, System


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much of everything."""

    jobs: int = 20_000
    drained: int = 200_000
    most_drained: int = 1_000_000
    many: int = 1_000_000
    few: int = 10_000
    rounds: int = 3
    singles: int = 30
    closes: int = 30
    reads: int = 50
    waits: tuple[int, ...] = (10, 100, 500)
    wait_s: float = 4.0
    computed: int = 200_000
    compute_s: float = 2.0
    big: tuple[tuple[int, int], ...] = ((1_000, 20_000), (100_000, 500))
    cap_s: float = 4.0

    def to_drain(self, system: System) -> int:
        """A slow system is cut long before the end, so a longer queue would only take longer to fill."""
        return self.drained if system.is_fast else self.jobs

    def for_speed(self, per_s: float) -> "Sizes":
        """So many to drain that a system of this speed takes seconds: what happens at its start should not count."""
        return replace(self, drained=min(max(self.drained, 100_000 * round(per_s / 50_000)), self.most_drained))


FULL = Sizes()
QUICK = Sizes(
    drained=100_000, most_drained=500_000, many=100_000, rounds=1, singles=16, cap_s=10.0, closes=10, reads=20,
    wait_s=2.0, compute_s=1.0, big=((1_000, 5_000), (100_000, 100)),
)  # fmt: skip
TINY = Sizes(
    jobs=300, drained=600, most_drained=600, many=1_000, few=300, rounds=1, singles=3, closes=2, reads=3, waits=(10,),
    wait_s=0.6, computed=50, big=((1_000, 50), (100_000, 40)),
)  # fmt: skip


def measure(bench: Bench, sizes: Sizes, keep: Callable[[str, Any], None]) -> dict[str, Any]:
    """Every figure is given to `keep` as soon as it is known, so that a later failure does not cost it."""
    url = new_database(bench)
    rounds = range(sizes.rounds)
    steps: dict[str, Callable[[], Any]] = {
        "close": lambda: close_latency(url, sizes.closes),
        "waiting": lambda: [
            # A moment in which the machine stands still is a large part of so short a run.
            {"at_once": at_once, "share": statistics.median(efficiency(url, at_once, sizes) for _ in rounds)}
            for at_once in sizes.waits
        ],
        "computing": lambda: computing(url, sizes),
        "plain_per_s": lambda: plain_per_s(url, sizes),
        "submit_per_s": lambda: submit_per_s(bench, sizes),
        "results": lambda: [middle(big_results(url, size, items) for _ in rounds) for size, items in sizes.big],
        "memory": lambda: idle_memory(url),
        "silent_pickup": lambda: silent_pickup(url, sizes),
        "progress_1000_ms": lambda: progress_ms(url, 1_000, sizes.reads),
    }
    figures: dict[str, Any] = {}
    for name, step in steps.items():
        figures[name] = conduct.twice(step)
        keep(name, figures[name])
    bench.drop(url)
    return figures | conduct.twice(lambda: few_and_many(bench, sizes))


def few_and_many(bench: Bench, sizes: Sizes) -> dict[str, Any]:
    """A small batch, then one as large as a batch may be: scattered, looked at, drained. In turns, since the machine
    may be slower at one time than at another; only in the last round is the large one drained to its end."""
    few, small_s, large_s, grew_mb, early_per_s = [], [], [], [], []
    figures: dict[str, Any] = {"items": sizes.many, "tenth": sizes.many // 10}
    for turn in range(sizes.rounds):
        url = new_database(bench)
        few.append(drain_of(bench, url, sizes.few))
        other = new_database(bench)
        small_s.append(scatter_s(bench, other, sizes.many // 10))
        bench.drop(other)
        before_mb = forget_peak_memory()
        large_s.append(scatter_s(bench, url, sizes.many))
        grew_mb.append(peak_memory_mb() - before_mb)
        is_last = turn == sizes.rounds - 1
        if is_last:
            figures["progress_many_ms"] = progress_of_open_ms(url, sizes.reads)
        bench.tidy(url)
        early, whole = drain_many(bench, url, sizes, is_whole=is_last)
        early_per_s.append(early)
        if is_last:
            figures |= whole
            figures["after_many_finished"] = middle(drain_of(bench, url, sizes.few) for _ in range(sizes.rounds))
        bench.drop(url)
    figures["pending_few"] = middle(few)
    figures["pending_many"]["first_per_s"] = round(statistics.median(early_per_s))
    figures["scatter_grew_mb"] = round(max(grew_mb), 1)
    figures["scatter_tenth_per_s"] = round(sizes.many // 10 / statistics.median(small_s))
    figures["scatter_many_per_s"] = round(sizes.many / statistics.median(large_s))
    return figures


def drain_many(bench: Bench, url: str, sizes: Sizes, *, is_whole: bool) -> tuple[float, dict[str, Any]]:
    """The speed of the first few, which is the speed with nearly all of them pending, and what is known of all."""
    items = sizes.many
    with conduct.crew(OURS, url) as workers:
        before = bench.read(url)
        began_at = workers.seats.go()
        early_per_s = first_per_s(workers, sizes.few)
        if not is_whole:
            return early_per_s, {}
        workers.wait_for(items, 600)
        end = conduct.wait_until_stored(url, OURS.left or "")
        first = workers.seats.counts().first
    pending = {"per_s": round(items / (end - first)), "wall_s": round(end - began_at, 2)}
    return early_per_s, {"pending_many": pending, "per_item": bench.read(url).per_item(before, items)}


def first_per_s(workers: conduct.Crew, items: int) -> float:
    """From the first handler's call until so many were handled."""
    workers.wait_for(items, 600, look_s=0.001)
    counts = workers.seats.counts()
    return counts.handled / (time.time() - counts.first)


def new_database(bench: Bench) -> str:
    url = bench.new_database("ingather")
    conduct.prepare(OURS, url)
    return url


def scatter_s(bench: Bench, url: str, items: int) -> float:
    app = make_app(url)
    app.check()
    bench.settle_down()
    began = time.perf_counter()
    app.scatter("noop", ({"i": i, "s": "x" * 50} for i in range(items)))
    took = time.perf_counter() - began
    app.close()
    return took


def middle(drains: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The one of median speed."""
    by_speed = sorted(drains, key=lambda drain: float(drain["per_s"]))
    return by_speed[len(by_speed) // 2]


def drain_of(bench: Bench, url: str, items: int) -> dict[str, Any]:
    conduct.enqueue(OURS, url, items)
    bench.tidy(url)
    with conduct.crew(OURS, url) as workers:
        workers.seats.go()
        handled_per_s = first_per_s(workers, items)
        conduct.wait_until_stored(url, OURS.left or "")
    return {"items": items, "per_s": round(handled_per_s)}


def silent_pickup(url: str, sizes: Sizes) -> dict[str, float]:
    """Of jobs that nobody rings for, as behind a pooler: found by polling."""
    return conduct.latency(OURS, url, sizes.singles // 2, every_s=0.31, command="submit_silently")


def close_latency(url: str, closes: int) -> dict[str, float]:
    """From the last outcome to the close, both by the database's clock."""
    app = make_app(url)
    with conduct.crew(OURS, url) as workers:
        workers.seats.go()
        batches = []
        for _ in range(closes):
            batches.append(app.scatter("noop", [{"i": i, "s": "x" * 50} for i in range(100)]))
            batches[-1].wait(timeout=60)
    app.close()
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "select extract(epoch from b.closed_at - (select max(o.finished_at) from ingather.segment s"
            " join ingather.outcome o on o.item_id between s.id << 20 and s.last_id"
            " where s.batch_id = b.id))::float8 * 1000 from ingather.batch b where b.id = any(%s)",
            [[batch.id for batch in batches]],
        ).fetchall()
    return conduct.quantiles([ms for (ms,) in rows])


def efficiency(url: str, at_once: int, sizes: Sizes) -> float:
    """Items that wait 200 ms: what share of the ideal is finished between the first and the last wave."""
    app = make_app(url)
    waves = max(3, round(sizes.wait_s / 0.2))
    items = at_once * waves
    batch = app.scatter("wait", [{"i": i, "s": "x" * 50} for i in range(items)])
    with conduct.crew(OURS, url, concurrency=at_once) as workers:
        workers.seats.go()
        workers.wait_for(items, 20 * sizes.wait_s + 20)
        took_s = time.time() - workers.seats.counts().first
        batch.wait(timeout=60)
    app.close()
    ideal_s = 0.2 * (waves - 1)
    return round(ideal_s / took_s, 4)


def computing(url: str, sizes: Sizes) -> dict[str, float]:
    """Items that use a processor: what a second process is for."""
    pairs = [[drain_for_a_while(url, "compute", sizes, processes) for processes in (1, 2)] for _ in range(sizes.rounds)]
    one, two = map(statistics.median, zip(*pairs, strict=True))
    return {"one_per_s": round(one), "two_per_s": round(two)}


def plain_per_s(url: str, sizes: Sizes) -> int:
    return round(statistics.median(drain_for_a_while(url, "plain", sizes) for _ in range(sizes.rounds)))


def drain_for_a_while(url: str, kind: str, sizes: Sizes, processes: int = 1) -> float:
    """Items a second, of more than there is time for."""
    app = make_app(url)
    batch = app.scatter(kind, ({"i": i, "s": "x" * 50} for i in range(sizes.computed)))
    done = conduct.drain(OURS, url, sizes.computed, processes=processes, cap_s=sizes.compute_s)
    if done.is_cut:
        batch.cancel()
    app.close()
    return done.per_s


def submit_per_s(bench: Bench, sizes: Sizes) -> int:
    url = new_database(bench)
    app = make_app(url)
    app.check()
    jobs = 10 * sizes.reads
    began = time.perf_counter()
    for i in range(jobs):
        app.submit("noop", {"i": i, "s": "x" * 50})
    took_s = time.perf_counter() - began
    app.close()
    bench.drop(url)
    return round(jobs / took_s)


def big_results(url: str, size: int, items: int) -> dict[str, float]:
    app = make_app(url)
    app.scatter("big", [{"size": size} for _ in range(items)])
    app.close()
    done = conduct.drain(OURS, url, items)
    return {
        "bytes": size,
        "items": items,
        "done": done.items,
        "per_s": round(done.per_s),
        "mb_per_s": round(done.per_s * size / 1e6, 1),
    }


def progress_ms(url: str, items: int, reads: int) -> float:
    app = make_app(url)
    batch = app.scatter("noop", [{"i": i, "s": "x" * 50} for i in range(items)])
    try:
        return read_times(batch.progress, reads)
    finally:
        app.close()


def progress_of_open_ms(url: str, reads: int) -> float:
    app = make_app(url)
    [batch] = app.batches(state="open", limit=2)
    try:
        return read_times(app.batch(batch.batch_id).progress, reads)
    finally:
        app.close()


def read_times(read: Any, reads: int) -> float:
    times = []
    for _ in range(reads + 1):
        began = time.perf_counter()
        read()
        times.append(1000 * (time.perf_counter() - began))
    return round(statistics.median(times[1:]), 2)  # the first one opens the connection


def idle_memory(url: str) -> dict[str, float]:
    """Of a worker with nothing to do; and together with its sentinel and its nursery, shared memory counted once."""
    with conduct.crew(OURS, url, concurrency=10) as workers:
        workers.seats.go()
        time.sleep(2)
        [worker] = workers.processes
        return {
            "worker_mb": round(resident_mb(worker.pid), 1),
            "all_mb": round(sum(own_mb(pid) for pid in (worker.pid, *children_of(worker.pid))), 1),
        }


def children_of(pid: int) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            yield int(folder.name)


def resident_mb(pid: int) -> float:
    return _status_mb(pid, "VmRSS")


def own_mb(pid: int) -> float:
    """Memory that a process shares with others counts in parts."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


def forget_peak_memory() -> float:
    """Let the peak be what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_memory_mb()


def peak_memory_mb() -> float:
    return _status_mb("self", "VmHWM")


def _status_mb(pid: int | str, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return 0.0
