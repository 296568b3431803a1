"""docs/benchmarks.md and its chart, made from the figures of one run."""

from pathlib import Path
from typing import Any

from bench.chart import chart
from bench.targets import busy, by_speed, count, short, targets
from ingather.engine.claiming import MOST_AHEAD, MOST_PER_CLAIM

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "benchmarks.svg"


def write(figures: dict[str, Any]) -> list[Path]:
    CHART.write_text(chart(figures))
    PAGE.write_text(text(figures))
    return [PAGE.relative_to(ROOT), CHART.relative_to(ROOT)]


def summary(figures: dict[str, Any]) -> str:
    """A run in some lines, for a terminal."""
    lines = [busy(figures)] if busy(figures) else []
    for _, of in by_speed(figures):
        parts = [f"drains {count(of['drain_1_per_s'])} /s with one process, {count(of['drain_2_per_s'])} /s with two"]
        if "enqueue_per_s" in of:
            parts += [f"inserts {count(of['enqueue_per_s'])} /s", f"picks up in {of['pickup_p50_ms']} ms"]
        lines.append(f"{of['title']}: {'; '.join(parts)}")
    lines += [f"{mark(t.is_met):>8}  {t.what}: {t.measured} (wanted: {t.wanted})" for t in targets(figures)]
    return "\n".join(lines)


def mark(is_met: bool) -> str:  # noqa: FBT001
    return "met" if is_met else "missed"


def text(figures: dict[str, Any]) -> str:
    machine, versions = figures["machine"], figures["versions"]
    missed = [target for target in targets(figures) if not target.is_met]
    parts = [
        "# Benchmarks",
        (
            "Written by `python3 dev.py bench`, which runs Ingather, the limit of its own SQL, and its peers on one "
            "PostgreSQL of this machine, with `fsync` and `synchronous_commit` on. Absolute figures hold for one "
            "machine and one moment; the ratios are the point. Run it on yours."
        ),
        busy(figures),
        "![Jobs per second, side by side](benchmarks.svg)",
        (
            "Jobs have a payload of a number and fifty characters; handlers do nothing and return a small result. "
            f"**Bulk insert** is of {figures['jobs']:,} jobs. **Drains** are of {figures['drained']:,}, or of "
            f"{figures['jobs']:,} with systems that do a few thousand a second; one that takes longer than "
            f"{figures['cap_s']:g} s is cut there, and its speed is that of the jobs it did. They are timed from the "
            "moment when every process is at work until every job is done and stored. **Pick-up** is the time from the "
            "call that submits a single job to the call of its handler, with an idle worker. WAL, row versions left "
            "dead (updates and deletes, whether vacuumed since or not) and processor time of the server and of the "
            f"worker are those of the drain with one process. Runs were interleaved; {median_of(figures['rounds'])}."
        ),
        table_of_systems(figures),
        (
            f"The limit is the engine's own claim and settle in the plainest loop, {MOST_PER_CLAIM:,} items at a time, "
            "both in one round trip, with results made beforehand."
        ),
    ]
    if any(of["store"] == "redis" for of in figures["systems"].values()):
        parts.append(
            "Redis runs append-only with a sync every second, reached by TCP, as is usual: a crash may lose a second "
            "of work there and nothing in PostgreSQL, which favours the peers on it."
        )
    parts += ["## Settings", bullets({of["title"]: of["setting"] for _, of in by_speed(figures)})]
    parts += [
        (
            f"A worker of ours claims up to {MOST_PER_CLAIM:,} quick items at a time, keeps up to {MOST_AHEAD:,} at "
            "hand, and sends what has ended as soon as its last round trip is over. What it had finished and not yet "
            "sent when it is killed runs again."
        ),
        f"The server's settings, the same for all, reached by a Unix socket: {settings(figures['settings'])}.",
    ]
    if figures["skipped"]:
        parts += ["## Skipped", bullets(figures["skipped"])]
    parts += [
        "## Ingather alone",
        table_of_ours(figures["ours"]),
        "## Targets",
        table_of_targets(figures),
        bullets({f"Missed: {t.what} ({t.measured})": t.why for t in missed}),
        "## The machine",
        (
            f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gb']:g} GB, {machine['system']}, "
            f"data on {machine['filesystem']}. Load average {machine['load_before']:.1f} before and "
            f"{machine['load_after']:.1f} after the run; other guests of the host took "
            f"{100 * machine['stolen']:.0f} % of a core meanwhile. PostgreSQL {versions['postgresql']}, "
            f"Python {versions['python']}, psycopg {versions['psycopg']}, Ingather {versions['ingather']}. "
            f"{figures['date']}; the run took {figures['seconds']} s."
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def settings(of: dict[str, str]) -> str:
    return ", ".join(f"`{name} = {value}`" for name, value in of.items())


def median_of(rounds: int) -> str:
    return f"medians of {rounds}, with the slowest and the fastest drain behind them" if rounds > 1 else "one round"


def table_of_systems(figures: dict[str, Any]) -> str:
    rows = [
        [
            f"**{of['title']}**" if name == "ingather" else f"{of['title']} {of['version']}".strip(),
            count(of["enqueue_per_s"]) if "enqueue_per_s" in of else "-",
            spread(of, "drain_1_per_s"),
            spread(of, "drain_2_per_s"),
            f"{of['pickup_p50_ms']:.1f} / {of['pickup_p95_ms']:.1f}" if "pickup_p50_ms" in of else "-",
            "yes" if of["keeps_results"] else "no",
            count(of["wal_bytes"]) if "wal_bytes" in of else "-",
            f"{of['dead_rows']:.2f}" if "dead_rows" in of else "-",
            short(of["cpu_us"]) if "cpu_us" in of else "-",
            short(of["worker_1_us"]),
        ]
        for name, of in by_speed(figures)
    ]
    heads = [
        "system", "bulk insert /s", "drain /s, 1 process", "2 processes", "pick-up p50 / p95 ms", "keeps results",
        "WAL bytes/item", "dead row versions/item", "PostgreSQL µs/item", "worker µs/item",
    ]  # fmt: skip
    return table(heads, rows)


def spread(of: dict[str, Any], figure: str) -> str:
    taken = [turn[figure] for turn in of["rounds"]]
    ends = f" ({count(min(taken))} to {count(max(taken))})" if len(taken) > 1 else ""
    return count(of[figure]) + ends


def table_of_ours(ours: dict[str, Any]) -> str:
    n, few, many, after = f"{ours['items']:,}", ours["pending_few"], ours["pending_many"], ours["after_many_finished"]
    rows = [
        [f"scatter of {ours['tenth']:,} in one transaction", f"{count(ours['scatter_tenth_per_s'])} /s"],
        [f"scatter of {n} in one transaction", f"{count(ours['scatter_many_per_s'])} /s"],
        ["memory the client grew by meanwhile", f"{ours['scatter_grew_mb']:g} MB"],
        ["single jobs submitted one after the other", f"{count(ours['submit_per_s'])} /s"],
        [f"drain, {few['items']:,} pending, its start included", f"{count(few['per_s'])} /s"],
        [f"drain, {n} pending: the first {few['items']:,}, its start included", f"{count(many['first_per_s'])} /s"],
        ["… all of it", f"{count(many['per_s'])} /s"],
        [f"drain of {after['items']:,} after {n} finished ones", f"{count(after['per_s'])} /s"],
        *(
            [f"drain with results of {count(r['bytes'])} bytes", f"{count(r['per_s'])} /s, {r['mb_per_s']:g} MB/s"]
            for r in ours["results"]
        ),
        ["drain of plain `def` handlers, each in a child process", f"{count(ours['plain_per_s'])} /s"],
        [
            "from the last outcome of a batch to its close, p50 / p95",
            f"{ours['close']['p50_ms']} / {ours['close']['p95_ms']} ms",
        ],
        [
            "drain of items that take the SHA-256 of 100 kB, one and two processes",
            f"{count(ours['computing']['one_per_s'])} and {count(ours['computing']['two_per_s'])} /s",
        ],
        *(
            [f"items that wait 200 ms, {w['at_once']} at once", f"{100 * w['share']:.1f} % of slots that never idle"]
            for w in ours["waiting"]
        ),
        [
            "pick-up of a single job that nobody rings for, as behind a pooler, p50 / p95",
            f"{ours['silent_pickup']['p50_ms']} / {ours['silent_pickup']['p95_ms']} ms",
        ],
        ["progress read, 1,000 items", f"{ours['progress_1000_ms']} ms"],
        [f"progress read, {n} items", f"{ours['progress_many_ms']} ms"],
        ["resident memory of an idle worker", f"{ours['memory']['worker_mb']:g} MB"],
        [
            "… of it and the two processes that watch it and start children, what they share counted once",
            f"{ours['memory']['all_mb']:g} MB",
        ],
        [
            f"WAL, dead row versions, PostgreSQL CPU per item, over the drain of {n}",
            (
                f"{count(ours['per_item']['wal_bytes'])} bytes, {ours['per_item']['dead_rows']:.3f}, "
                f"{ours['per_item']['cpu_us']:g} µs"
            ),
        ],
    ]
    return table(["what", "measured"], rows)


def table_of_targets(figures: dict[str, Any]) -> str:
    return table(
        ["target", "wanted", "measured", ""],
        [[t.what, t.wanted, t.measured, mark(t.is_met)] for t in targets(figures)],
    )


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def bullets(lines: dict[str, str]) -> str:
    return "\n".join(f"- {name}: {result}" for name, result in lines.items() if result)
