"""Runs the benchmark and writes its page; see the package for the commands."""

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg

from bench import conduct, page, redis, server, workloads
from bench.systems import LIMIT, OURS, PEERS, Skipped, System
from bench.targets import targets

# Where the figures of an unfinished run are kept.
PARTIAL = Path(".bench") / "partial.json"

# Reasons that keep a peer from taking part.
UNFIT = (Skipped, subprocess.SubprocessError, psycopg.Error, OSError)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="dev.py bench",
        description="Ingather, the limit of its own SQL, and its peers, side by side: those that install quickly "
        f"({', '.join(peer.name for peer in PEERS if peer.is_quick)}), four to seven minutes on two quiet cores. Peers "
        "are installed from PyPI and npm into .bench; remove that to get newer ones. Writes docs/benchmarks.md and "
        f"docs/benchmarks.svg. A run that fails or is stopped leaves what was measured until then in {PARTIAL}.",
    )
    parser.add_argument("--all", action="store_true", help="all peers, those on Redis too: a quarter of an hour")
    parser.add_argument("--quick", action="store_true", help="no peers, within a minute; writes no page")
    parser.add_argument("--tiny", action="store_true", help="sizes for testing the benchmark itself; writes no page")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON; writes no page")
    parser.add_argument(
        "--peer", action="append", default=[], choices=[peer.name for peer in PEERS], metavar="NAME",
        help=f"only this peer; may be repeated; writes no page: {', '.join(peer.name for peer in PEERS)}",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, help="how often every system runs, 3 if not said; the median counts")
    arguments = parser.parse_args(argv)
    if not Path("/proc/self/stat").exists():
        parser.error("the benchmark reads processor time and memory from /proc, which only Linux has")
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds takes a number from 1 on")
    sizes = workloads.TINY if arguments.tiny else workloads.QUICK if arguments.quick else workloads.FULL
    if arguments.rounds:
        sizes = replace(sizes, rounds=arguments.rounds)
    is_short = arguments.quick or arguments.tiny
    peers = [
        peer for peer in PEERS
        if arguments.all or peer.name in arguments.peer or (peer.is_quick and not is_short and not arguments.peer)
    ]  # fmt: skip
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped
    if not is_short:
        say(
            f"… {'ten to fifteen' if arguments.all else 'four to seven'} minutes on two quiet cores, more where others "
            "work beside it; after the first round the rest is foreseen from that"
        )
    kept = Kept(PARTIAL)
    try:
        figures = measure(peers, sizes, kept)
    except KeyboardInterrupt:
        say(f"stopped; {kept.where()}")
        return 130
    except (Skipped, psycopg.Error, OSError) as why:
        say(f"our own part failed twice: {first_line(why)}; {kept.where()}")
        return 1
    kept.forget()
    if arguments.json:
        print(json.dumps(figures | {"targets": [target._asdict() for target in targets(figures)]}, indent=1))
        return 0
    print(page.summary(figures))
    if not (is_short or arguments.peer):
        for path in page.write(figures):
            say(f"wrote {path}")
    return 0


class Kept:
    """The figures of a run so far, in a file: what minutes of measuring gave outlives a failure at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._figures: dict[str, Any] = {}
        self.forget()

    def keep(self, name: str, figures: Any) -> None:
        self._figures[name] = figures
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_text(json.dumps(self._figures, indent=1) + "\n")

    def where(self) -> str:
        return f"what was measured is in {self._path}" if self._figures else "nothing was measured yet"

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def measure(peers: list[System], sizes: workloads.Sizes, kept: Kept) -> dict[str, Any]:
    load_before, stolen_before = os.getloadavg()[0], stolen_s()
    began = time.monotonic()
    with server.serve() as bench, ExitStack() as stack:
        sizes = rehearse(bench, sizes)
        drains, skipped = side_by_side(bench, stack, [OURS, LIMIT, *peers], sizes, kept)
        say("… Ingather alone: size, patience, memory")
        ours = workloads.measure(bench, sizes, kept.keep)
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine()
            | {
                "load_before": round(load_before, 1),
                "load_after": round(os.getloadavg()[0], 1),
                "stolen": round((stolen_s() - stolen_before) / (time.monotonic() - began), 2),
            },
            "versions": {
                "python": platform.python_version(),
                "postgresql": bench.version(),
                "psycopg": version("psycopg"),
                "ingather": version("ingather"),
            },
            "settings": server.SETTINGS,
            "jobs": sizes.jobs,
            "drained": sizes.drained,
            "cap_s": sizes.cap_s,
            "rounds": sizes.rounds,
            "systems": drains,
            "skipped": skipped,
            "ours": ours,
            "seconds": round(time.monotonic() - began),
        }


def rehearse(bench: server.Bench, sizes: workloads.Sizes) -> workloads.Sizes:
    if sizes.most_drained == sizes.drained:
        return sizes
    say("… how fast this machine is")
    url = workloads.new_database(bench)
    conduct.enqueue(OURS, url, sizes.drained)
    done = conduct.drain(OURS, url, sizes.drained)
    bench.drop(url)
    return sizes.for_speed(done.per_s)


def side_by_side(
    bench: server.Bench, stack: ExitStack, systems: list[System], sizes: workloads.Sizes, kept: Kept
) -> tuple[dict[str, Any], dict[str, str]]:
    """Every round lets each system run once, so that a slow minute of the machine is everybody's."""
    skipped: dict[str, str] = {}
    taken: dict[str, list[dict[str, float]]] = {}
    found: dict[str, str] = {}
    full: dict[str, str] = {}
    redis_url = ""
    for system in systems:
        say(f"… {system.title}: installing and filling" if system.packages else f"… {system.title}: filling")
        try:
            found[system.name] = system.install()
            if system.store == "postgres":
                full[system.name] = fill(bench, system, sizes)
            elif not redis_url:
                redis_url = stack.enter_context(redis.serve())
        except UNFIT as why:
            if system.is_ours:
                raise
            skipped[system.title] = first_line(why)
    for turn in range(sizes.rounds):
        began = time.monotonic()
        for system in systems:
            if system.title in skipped:
                continue
            say(f"… round {turn + 1} of {sizes.rounds}: {system.title}")
            attempt = partial(one_round, bench, system, redis_url, full.get(system.name), sizes)
            try:
                taken.setdefault(system.name, []).append(conduct.twice(attempt) if system.is_ours else attempt())
                kept.keep("systems", taken)
            except UNFIT as why:
                if system.is_ours:
                    raise
                skipped[system.title] = first_line(why)
                taken.pop(system.name, None)
        if rest := sizes.rounds - turn - 1:
            say(f"… {rest} more rounds like this one take about {rest * (time.monotonic() - began) / 60:.0f} minutes")
    return medians(systems, taken, found), skipped


def medians(
    systems: list[System], taken: dict[str, list[dict[str, float]]], versions: dict[str, str]
) -> dict[str, Any]:
    """Of each system that took part in every round: what it was, its rounds, and the median of each figure."""
    figures = {}
    for system in systems:
        if rounds := taken.get(system.name):
            middle = {key: statistics.median(r[key] for r in rounds if key in r) for key in rounds[0]}
            figures[system.name] = {
                "title": system.title,
                "version": versions[system.name],
                "setting": system.setting,
                "keeps_results": system.keeps_results,
                "store": system.store,
                "rounds": rounds,
                **{key: round(value, 2) for key, value in middle.items()},
            }
    return figures


def one_round(
    bench: server.Bench, system: System, redis_url: str, full: str | None, sizes: workloads.Sizes
) -> dict[str, float]:
    """Insert, drain with one process, drain with two, then single jobs; each in a database of its own."""
    figures: dict[str, float] = {}
    jobs = sizes.to_drain(system)
    if system is not LIMIT:
        with database(bench, system, redis_url) as url:
            bench.settle_down()
            figures["enqueue_per_s"] = conduct.enqueue(system, url, sizes.jobs)
    for processes in (1, 2):
        with full_database(bench, system, redis_url, full, sizes) as url:
            before = bench.read(url) if system.store == "postgres" else None
            done = conduct.drain(system, url, jobs, processes=processes, cap_s=sizes.cap_s)
            figures[f"drain_{processes}_per_s"] = done.per_s
            figures[f"drain_{processes}_wall_s"] = done.wall_s
            figures[f"worker_{processes}_us"] = 1e6 * done.cpu_s / done.items
            if before is not None:
                spent = bench.read(url).per_item(before, done.items)
                figures |= spent if processes == 1 else {"cpu_2_us": spent["cpu_us"]}
    if system is not LIMIT:
        with database(bench, system, redis_url) as url:
            times = conduct.latency(system, url, sizes.singles)
        figures |= {"pickup_p50_ms": times["p50_ms"], "pickup_p95_ms": times["p95_ms"]}
    return figures


@contextmanager
def database(bench: server.Bench, system: System, redis_url: str) -> Iterator[str]:
    """An empty one, with the system's tables."""
    if system.store == "redis":
        redis.flush(redis_url)
        conduct.prepare(system, redis_url)
        yield redis_url
        return
    url = bench.new_database(system.name)
    conduct.prepare(system, url)
    yield url
    bench.drop(url)


def fill(bench: server.Bench, system: System, sizes: workloads.Sizes) -> str:
    """A database with all that is to be drained, to be copied for every drain: some take minutes to fill one."""
    url = bench.new_database(system.name)
    conduct.prepare(system, url)
    conduct.enqueue(system, url, sizes.to_drain(system))
    bench.tidy(url)
    return url


@contextmanager
def full_database(
    bench: server.Bench, system: System, redis_url: str, full: str | None, sizes: workloads.Sizes
) -> Iterator[str]:
    if full is None:
        with database(bench, system, redis_url) as url:
            conduct.enqueue(system, url, sizes.to_drain(system))
            yield url
        return
    # Before the copy: after it, the first touch of every page would be logged as a whole, and those who rewrite rows
    # touch many.
    bench.settle_down()
    url = bench.new_database(system.name, copy_of=full)
    os.sync()
    yield url
    bench.drop(url)


def first_line(why: Exception) -> str:
    """Why a peer could not take part, without the folders of this machine."""
    if isinstance(why, subprocess.TimeoutExpired):
        return f"it did not answer within {why.timeout:g} s"
    return (str(why).strip().splitlines() or [type(why).__name__])[0].replace(str(Path.home()), "~")


def machine() -> dict[str, Any]:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "memory_gb": round(pages / 2**30, 1),
        "filesystem": filesystem(Path(tempfile.gettempdir()).resolve()),
        "system": f"{platform.system()} {platform.release()}",
    }


def filesystem(folder: Path) -> str:
    """Where the database is: in memory, say, durability would cost nothing."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    return max((len(place), kind) for place, kind in mounts if folder.is_relative_to(place))[1]


def stolen_s() -> float:
    """Time in which a program was ready to run and the host gave its processor to another guest, since the start."""
    return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def say(text: str) -> None:
    """Progress goes to stderr: what is on stdout may be read by a program."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
