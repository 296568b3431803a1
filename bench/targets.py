"""What a run must show, whether it did, and why not where it did not."""

from typing import Any, NamedTuple

from ingather.engine.claiming import POLL_S

TIMES = " times"
UNKNOWN = "the cause has not been established."


class Target(NamedTuple):
    what: str
    wanted: str
    measured: str
    is_met: bool
    why: str


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
    few, many = ours["pending_few"]["per_s"], ours["pending_many"]["first_per_s"]
    after = ours["after_many_finished"]["per_s"]
    growth = ours["scatter_many_per_s"] / ours["scatter_tenth_per_s"]
    reads = ours["progress_many_ms"] / ours["progress_1000_ms"]
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
        at_least(f"scatter of {n} in one transaction is linear: speed against {ours['tenth']:,}", growth, 0.8, TIMES),
        at_least(f"drain at {n} pending, against {ours['pending_few']['items']:,}", many / few, 0.8, TIMES),
        at_least(f"drain after {n} finished ones, against before", after / few, 0.8, TIMES),
        at_most(
            "pick-up of a single job by an idle worker, median",
            us["pickup_p50_ms"],
            5,
            " ms",
            why="three round trips follow each other: the job is stored durably, the bell rings, and the worker claims "
            "it.",
        ),
        at_most("pick-up of one that nobody rings for, median", ours["silent_pickup"]["p50_ms"], 1000 * POLL_S, " ms"),
        at_most("close after the last outcome, median", ours["close"]["p50_ms"], 100, " ms"),
        *(
            at_least(f"items that wait 200 ms, {w['at_once']} at once: share of the ideal", w["share"], 0.97, "")
            for w in ours["waiting"]
        ),
        at_most(f"progress read at {n} items, against 1,000", reads, 10, TIMES),
        at_most("memory of an idle worker, the processes beside it included", ours["memory"]["all_mb"], 80, " MB"),
    ]
    return rows


def why_not_twice(figures: dict[str, Any]) -> str:
    """Two cores cannot do more than two cores' work, and one process with its server may do nearly all of that."""
    us, limit, computing = figures["systems"]["ingather"], figures["systems"]["limit"], figures["ours"]["computing"]
    cores, used = figures["machine"]["cores"], cores_used(us)
    in_turns_per_s = 1e6 / (us["worker_1_us"] + us["cpu_us"])
    at_most_per_s = cores * 1e6 / (us["worker_2_us"] + us["cpu_2_us"])
    return (
        f"a worker and its server work at the same time, so one process already uses {used:.1f} of {cores} cores "
        f"({short(us['worker_1_us'])} µs of its own and {short(us['cpu_us'])} of PostgreSQL an item). With two, four "
        f"programs share {cores} cores and their caches, and two sessions meet at the server's log: an item takes "
        f"{short(us['worker_2_us'])} and {short(us['cpu_2_us'])} µs, so {count(at_most_per_s)} /s is all that {cores} "
        f"cores can do of it. If a worker and its server took turns, one process would do {count(in_turns_per_s)} /s, "
        f"and two would be {us['drain_2_per_s'] / in_turns_per_s:.2f} times that; the bare loop, which does take "
        f"turns, gains {limit['drain_2_per_s'] / limit['drain_1_per_s']:.2f} times by a second one. A second process "
        "is for handlers that compute: where each item takes the SHA-256 of 100 kB, two did "
        f"{computing['two_per_s'] / computing['one_per_s']:.2f} times as much as one."
    )


def cores_used(of: dict[str, Any]) -> float:
    """By one worker process and the server together, while it drains."""
    return float(of["drain_1_per_s"] * (of["worker_1_us"] + of["cpu_us"]) / 1e6)


def at_least(what: str, value: float, wanted: float, unit: str, more: str = "", why: str = UNKNOWN) -> Target:
    is_met = value >= wanted
    return Target(
        what, f"at least {wanted:g}{unit}", f"{value:.2f}{unit} {more}".strip(), is_met, "" if is_met else why
    )


def at_most(what: str, value: float, wanted: float, unit: str, why: str = UNKNOWN) -> Target:
    is_met = value <= wanted
    return Target(what, f"at most {wanted:g}{unit}", f"{short(value)}{unit}", is_met, "" if is_met else why)


def by_speed(figures: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return sorted(figures["systems"].items(), key=lambda pair: -pair[1]["drain_1_per_s"])


def busy(figures: dict[str, Any]) -> str:
    """A word of warning where other programs were at work: what they took is part of every figure."""
    machine = figures["machine"]
    if machine["load_before"] <= machine["cores"] / 2:
        return ""
    return (
        f"The machine was busy with other programs (a load of {machine['load_before']:.1f} on {machine['cores']} cores "
        "before the run began): measure again when it is quiet."
    )


def count(number: float) -> str:
    return f"{number:,.0f}"


def short(number: float) -> str:
    return f"{number:.1f}" if number < 10 else count(number)
