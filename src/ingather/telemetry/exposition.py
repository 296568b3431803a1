"""A worker's counts in the text that Prometheus reads."""

from collections.abc import Iterator
from typing import Final

from ingather.engine.worker import Worker
from ingather.telemetry.counts import Buckets, WorkerCounts

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def exposition_of_worker(worker: Worker, counts: WorkerCounts) -> str:
    """All series of one worker."""
    return "".join(f"{line}\n" for line in _lines_of_exposition(worker, counts))


def _lines_of_exposition(worker: Worker, counts: WorkerCounts) -> Iterator[str]:
    yield from _head("ingather_worker_items_total", "counter", "Items that ended in this worker, as it was stored.")
    for (queue, kind, state), n in sorted(counts.items.items()):
        yield f'ingather_worker_items_total{{queue="{queue}",kind="{kind}",state="{state}"}} {n}'
    yield from _head("ingather_worker_errors_total", "counter", "Of these, the ones that ended as error, by reason.")
    for (queue, kind, reason), n in sorted(counts.failed.items()):
        yield f'ingather_worker_errors_total{{queue="{queue}",kind="{kind}",reason="{reason}"}} {n}'
    yield from _head("ingather_worker_returned_total", "counter", "Items that went back, by reason.")
    for (queue, kind, reason), n in sorted(counts.returned.items()):
        yield f'ingather_worker_returned_total{{queue="{queue}",kind="{kind}",reason="{reason}"}} {n}'
    yield from _head("ingather_worker_run_seconds", "histogram", "How long handlers ran.")
    for kind, run_s in sorted(counts.run_s.items()):
        yield from _histogram("ingather_worker_run_seconds", f'kind="{kind}",', run_s)
    yield from _head("ingather_worker_round_trip_seconds", "histogram", "Settling and claiming, in one round trip.")
    yield from _histogram("ingather_worker_round_trip_seconds", "", counts.settle_s)
    has = worker.state()
    for name, kind, help_text, value in (
        ("ingather_worker_claimed_total", "counter", "Leases that came with claims.", counts.claimed),
        ("ingather_worker_refused_total", "counter", "Outcomes that came too late and were dropped.", counts.refused),
        ("ingather_worker_slots", "gauge", "Items that may run at once.", has.slots),
        ("ingather_worker_busy_slots", "gauge", "Items that run.", has.busy),
        ("ingather_worker_buffered_items", "gauge", "Items in hand that have not started.", has.buffered),
        ("ingather_worker_leases", "gauge", "Leases in hand.", has.leases),
        ("ingather_worker_connected", "gauge", "1 if the database answered last time.", int(worker.is_connected)),
    ):
        yield from _head(name, kind, help_text)
        yield f"{name} {value}"


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _histogram(name: str, labels: str, buckets: Buckets) -> Iterator[str]:
    below = 0
    for end_s, n in zip((*buckets.ends_s, "+Inf"), buckets.counts, strict=True):
        below += n
        yield f'{name}_bucket{{{labels}le="{end_s}"}} {below}'
    bare = f"{{{labels.rstrip(',')}}}" if labels else ""
    yield f"{name}_sum{bare} {buckets.sum_s:.6f}"
    yield f"{name}_count{bare} {below}"
