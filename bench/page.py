"""docs/benchmarks.md and its chart, made from the figures of one run."""

from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from ingather.engine.feeder import CHUNK

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "benchmarks.svg"

TIMES = " times"
BAR, GAP, LEFT, WIDTH = 13, 16, 300, 900


class Target(NamedTuple):
    what: str
    wanted: str
    measured: str
    is_met: bool | None
    why: str = ""


def write(figures: dict[str, Any]) -> list[Path]:
    CHART.write_text(chart(figures))
    PAGE.write_text(text(figures))
    return [PAGE.relative_to(ROOT), CHART.relative_to(ROOT)]


def summary(figures: dict[str, Any]) -> str:
    return "\n".join(f"{mark(t.is_met):>8}  {t.what}: {t.measured} (wanted: {t.wanted})" for t in targets(figures))


def mark(is_met: bool | None) -> str:  # noqa: FBT001
    return {True: "met", False: "missed", None: "unknown"}[is_met]


# --- targets -------------------------------------------------------------------------------------------------------


def targets(figures: dict[str, Any]) -> list[Target]:
    systems, ours = figures["systems"], figures["ours"]
    us, limit = systems["ingather"], systems["limit"]
    peers = {name: of for name, of in systems.items() if name not in {"ingather", "limit"}}
    rows: list[Target] = []
    if peers:
        fastest = max(peers.values(), key=lambda of: of["drain_1_per_s"])
        ratio = us["drain_1_per_s"] / fastest["drain_1_per_s"]
        rows.append(
            at_least("drain, one process, against the fastest peer", ratio, 1.5, TIMES, f"over {fastest['title']}")
        )
        quickest = max(peers.values(), key=lambda of: of["enqueue_per_s"])
        ratio = us["enqueue_per_s"] / quickest["enqueue_per_s"]
        rows.append(
            at_least("scatter, against the fastest bulk insert", ratio, 1.0, TIMES, f"over {quickest['title']}")
        )
    few, many = ours["pending_few"]["per_s"], ours["pending_many"]["first_part_per_s"]
    after = ours["after_many_finished"]["per_s"]
    growth = ours["scatter_many_per_s"] / us["enqueue_per_s"]
    reads = ours["progress_many_ms"] / ours["progress_1000_ms"]
    total_mb = ours["memory"]["worker_mb"]
    n = f"{ours['items']:,}"
    rows += [
        at_least(
            "drain, one process, against the limit",
            us["drain_1_per_s"] / limit["drain_1_per_s"],
            0.6,
            TIMES,
            why=f"slots, handlers and JSON in Python take {short(us['worker_1_us'])} µs an item where the bare loop "
            f"takes {short(limit['worker_1_us'])}.",
        ),
        at_least(
            "drain, two processes against one",
            us["drain_2_per_s"] / us["drain_1_per_s"],
            1.3,
            TIMES,
            why=why_not_twice(figures),
        ),
        at_least(f"scatter of {n} in one transaction is linear: speed against {figures['jobs']:,}", growth, 0.8, TIMES),
        at_least(f"drain at {n} pending, against {ours['pending_few']['items']:,}", many / few, 0.8, TIMES),
        at_least(f"drain after {n} finished ones, against before", after / few, 0.8, TIMES),
        at_most(
            "pick-up of a single job by an idle worker, median",
            us["pickup_p50_ms"],
            5,
            " ms",
            why="three round trips follow each other: the job is stored durably, the bell rings, and the worker claims "
            "it. Taken apart by hand, the first and the last took two fifths each.",
        ),
        at_most("close after the last outcome, median", ours["close"]["p50_ms"], 100, " ms"),
        *(
            at_least(f"items that wait 200 ms, {w['at_once']} at once: share of the ideal", w["share"], 0.97, "")
            for w in ours["waiting"]
        ),
        at_most(f"progress read at {n} items, against 1,000", reads, 10, TIMES),
        at_most("memory of an idle worker", total_mb, 80, " MB"),
    ]
    return rows


def why_not_twice(figures: dict[str, Any]) -> str:
    """Two cores cannot do more than two cores' work, and one process with its server may do nearly all of that."""
    us, limit, computing = figures["systems"]["ingather"], figures["systems"]["limit"], figures["ours"]["computing"]
    cores, used = figures["machine"]["cores"], cores_used(us)
    in_turns_per_s = 1e6 / (us["worker_1_us"] + us["cpu_us"])
    at_most_per_s = cores * 1e6 / (us["worker_2_us"] + us["cpu_2_us"])
    return (
        f"a worker and its server work at the same time here, so that one process already uses {used:.1f} of {cores} "
        f"cores ({short(us['worker_1_us'])} µs of its own and {short(us['cpu_us'])} of PostgreSQL an item). With two, "
        f"four programs share {cores} cores and their caches, and two sessions meet at the server's log: an item takes "
        f"{short(us['worker_2_us'])} and {short(us['cpu_2_us'])} µs, and {count(at_most_per_s)} /s is all that {cores} "
        f"cores can do. If a worker and its server took turns, one process would do {count(in_turns_per_s)} /s, and "
        f"two would be {us['drain_2_per_s'] / in_turns_per_s:.2f} times that; the bare loop, which does take turns, "
        f"gains {limit['drain_2_per_s'] / limit['drain_1_per_s']:.2f} times by a second one. A second process is for "
        "handlers that compute: where each item takes the SHA-256 of 100 kB, two did "
        f"{computing['two_per_s'] / computing['one_per_s']:.2f} times as much as one."
    )


def cores_used(of: dict[str, Any]) -> float:
    """By one worker process and the server together, while it drains."""
    return float(of["drain_1_per_s"] * (of["worker_1_us"] + of["cpu_us"]) / 1e6)


def at_least(what: str, value: float, wanted: float, unit: str, more: str = "", why: str = "") -> Target:
    return Target(what, f"at least {wanted:g}{unit}", f"{value:.2f}{unit} {more}".strip(), value >= wanted, why)


def at_most(what: str, value: float, wanted: float, unit: str, why: str = "") -> Target:
    return Target(what, f"at most {wanted:g}{unit}", f"{value:.2f}{unit}", value <= wanted, why)


def reason(figures: dict[str, Any], target: Target) -> str:
    """What the run itself can say of a miss, from what it measured."""
    machine = figures["machine"]
    load = max(machine["load_before"], machine["load_after"])
    if load > 2 * machine["cores"]:
        return (
            f"not a fair run: the load was {load:.0f} on {machine['cores']} cores, so other programs took most of the "
            "machine. To be measured again when it is quiet."
        )
    return target.why or "the cause has not been established."


# --- the page ------------------------------------------------------------------------------------------------------


def text(figures: dict[str, Any]) -> str:
    machine, versions = figures["machine"], figures["versions"]
    missed = [target for target in targets(figures) if target.is_met is False]
    parts = [
        "# Benchmarks",
        (
            "Written by `python3 dev.py bench`, which runs Ingather, the limit of its own SQL, and its peers on one "
            "PostgreSQL of this machine, with `fsync` and `synchronous_commit` on. Absolute figures hold for one "
            "machine and one moment; the ratios are the point. Run it on yours. The server's settings, the same for "
            f"all: {settings(figures['settings'])}."
        ),
        "![Jobs per second, side by side](benchmarks.svg)",
        (
            "Jobs have a payload of a number and fifty characters; handlers do nothing and return a small result. "
            f"Bulk inserts are of {figures['jobs']:,} jobs. Drains are of {figures['drained']:,}, or of "
            f"{figures['jobs']:,} with the slower systems; one that takes longer than {figures['cap_s']:g} s is cut "
            "there, and its speed is that of the jobs it did. They are timed from the moment when every process is at "
            "work until every job is done and stored. Runs were interleaved; "
            f"{median_of(figures['rounds'])}."
        ),
        table_of_systems(figures),
        (
            f"The limit is the engine's own claim and settle in the plainest loop, {CHUNK:,} items at a time, both in "
            "one round trip, with results made beforehand. Row versions are updates and deletes, whether vacuumed "
            "since or not."
        ),
    ]
    if any(of["store"] == "redis" for of in figures["systems"].values()):
        parts.append(
            "Redis runs append-only with a sync every second, reached by TCP, as is usual: a crash may lose a second "
            "of work there and nothing in PostgreSQL, which favours the peers on it."
        )
    parts += ["## Settings", bullets({of["title"]: of["setting"] for of in peers_and_us(figures)})]
    if figures["skipped"]:
        parts += ["## Skipped", bullets(figures["skipped"])]
    parts += ["## Ingather alone", table_of_ours(figures["ours"]), "## Targets", table_of_targets(figures)]
    if missed:
        parts += [bullets({f"Missed: {t.what} ({t.measured})": reason(figures, t) for t in missed})]
    parts += [
        "## The machine",
        (
            f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gb']:g} GB, {machine['system']}. "
            f"Load average {machine['load_before']:.1f} before and {machine['load_after']:.1f} after the run; of every "
            f"second the host gave {machine['stolen']:g} s of processor time to other guests. "
            f"PostgreSQL {versions['postgresql']}, Python {versions['python']}, psycopg {versions['psycopg']}, "
            f"Ingather {versions['ingather']}. {figures['date']}; the run took {figures['seconds']} s."
        ),
    ]
    return "\n\n".join(parts) + "\n"


def settings(of: dict[str, str]) -> str:
    return ", ".join(f"`{name} = {value}`" for name, value in of.items())


def median_of(rounds: int) -> str:
    return f"medians of {rounds}" if rounds > 1 else "one round"


def peers_and_us(figures: dict[str, Any]) -> list[dict[str, Any]]:
    return [of for name, of in figures["systems"].items() if name != "limit"]


def by_speed(figures: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return sorted(figures["systems"].items(), key=lambda pair: -pair[1]["drain_1_per_s"])


def table_of_systems(figures: dict[str, Any]) -> str:
    rows = [
        [
            f"**{of['title']}**" if name == "ingather" else f"{of['title']} {of['version']}".strip(),
            "-" if name == "limit" else count(of["enqueue_per_s"]),
            count(of["drain_1_per_s"]),
            count(of["drain_2_per_s"]),
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


def table_of_ours(ours: dict[str, Any]) -> str:
    n, few, many, after = f"{ours['items']:,}", ours["pending_few"], ours["pending_many"], ours["after_many_finished"]
    rows = [
        [f"scatter of {n} in one transaction", f"{count(ours['scatter_many_per_s'])} /s"],
        ["memory the client grew by meanwhile", f"{ours['scatter_grew_mb']:g} MB"],
        [f"drain, {few['items']:,} pending", f"{count(few['per_s'])} /s"],
        ["… from the first to the last outcome", f"{few['first_to_last_outcome_s']:g} s"],
        [f"drain, {n} pending: the first part of it", f"{count(many['first_part_per_s'])} /s"],
        ["… all of it", f"{count(many['per_s'])} /s"],
        [f"drain of {after['items']:,} after {n} finished ones", f"{count(after['per_s'])} /s"],
        *(
            [f"drain with results of {count(r['bytes'])} bytes", f"{count(r['per_s'])} /s, {r['mb_per_s']:g} MB/s"]
            for r in ours["results"]
        ),
        ["close after the last outcome, p50 / p95", f"{ours['close']['p50_ms']} / {ours['close']['p95_ms']} ms"],
        [
            "drain of items that take the SHA-256 of 100 kB, one and two processes",
            f"{count(ours['computing']['one_per_s'])} and {count(ours['computing']['two_per_s'])} /s",
        ],
        *(
            [f"items that wait 200 ms, {w['at_once']} at once", f"{100 * w['share']:.1f} % of the ideal"]
            for w in ours["waiting"]
        ),
        ["progress read, 1,000 items", f"{ours['progress_1000_ms']} ms"],
        [f"progress read, {n} items", f"{ours['progress_many_ms']} ms"],
        ["memory of an idle worker", f"{ours['memory']['worker_mb']:g} MB"],
        ["memory that its sentinel and its nursery add", f"{ours['memory']['companions_mb']:g} MB"],
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
    return "\n".join(f"- {name}: {said}" for name, said in lines.items() if said)


def count(number: float) -> str:
    return f"{number:,.0f}"


def short(number: float) -> str:
    return f"{number:.1f}" if number < 10 else count(number)


# --- the chart -----------------------------------------------------------------------------------------------------


def chart(figures: dict[str, Any]) -> str:
    """Two bars per system: bulk insert and drain with one process, jobs a second."""
    rows = by_speed(figures)
    most = max(max(of["drain_1_per_s"], 0 if name == "limit" else of["enqueue_per_s"]) for name, of in rows)
    height = 60 + len(rows) * (2 * BAR + GAP)
    marks = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            'font-size="12" role="img" aria-label="Jobs per second, side by side">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        legend(LEFT, "#0f766e", "drain, one process, jobs/s"),
        legend(LEFT + 220, "#94a3b8", "bulk insert, jobs/s"),
    ]
    for n, (name, of) in enumerate(rows):
        y = 45 + n * (2 * BAR + GAP)
        weight = ' font-weight="bold"' if name == "ingather" else ""
        title = escape(of["title"])
        marks.append(f'<text x="{LEFT - 8}" y="{y + BAR + 4}" text-anchor="end"{weight}>{title}</text>')
        marks.append(bar(y, of["drain_1_per_s"], most, "#0f766e" if name != "limit" else "#d6b656"))
        if name != "limit":
            marks.append(bar(y + BAR, of["enqueue_per_s"], most, "#94a3b8"))
    return "\n".join([*marks, "</svg>"]) + "\n"


def legend(x: int, colour: str, words: str) -> str:
    return f'<rect x="{x}" y="14" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="24">{words}</text>'


def bar(y: int, value: float, most: float, colour: str) -> str:
    width = max(1.0, (WIDTH - LEFT - 80) * value / most)
    label = f'<text x="{LEFT + width + 6:.0f}" y="{y + BAR - 3}" fill="#334155">{count(value)}</text>'
    return f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{BAR - 1}" fill="{colour}"/>{label}'
