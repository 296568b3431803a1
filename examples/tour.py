"""A tour: a database, 1,000 items, two workers, one of them killed halfway, and nothing lost.

python -m examples.tour [ITEMS]
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ingather import Batch, Ingather, IngatherError, Item

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 2
SLOTS = 10

app = Ingather()
console = Console(highlight=False)


def grams(sheaf: int) -> int:
    return 4_000 + sheaf * 37 % 2_000


@app.handler("weigh")
async def weigh(item: Item) -> int:
    """Stands for a call to a slow service: it waits, and then it answers."""
    await asyncio.sleep(random.uniform(0.06, 0.18))
    return grams(item.payload["sheaf"])


@app.gather("weigh")
async def add_up(batch: Batch) -> dict[str, int]:
    weights = [weight async for weight in batch.results()]
    return {"sheaves": len(weights), "grams": sum(weights)}


def main(items: int) -> None:
    say("Starting the database …")
    app.migrate()
    for old in app.batches(state="open", kind="weigh"):
        app.batch(old.batch_id).cancel()
        say(f"Batch {old.batch_id} of an earlier tour was not finished; it is cancelled.")
    batch = app.scatter("weigh", ({"sheaf": number} for number in range(items)))
    say(f"Batch {batch.id} is scattered: {items:,} sheaves to weigh, in one transaction.")
    with workers() as crew:
        lost_with = watch(batch, crew)
        seen = batch.progress()
        assert seen.closed_at is not None
        again = sum(record.lost > 0 for record in batch.items())

    table = Table(title=f"Batch {batch.id}, closed", title_justify="left", show_header=False)
    for name in ("total", "completed", "error", "cancelled", "running", "pending"):
        table.add_row(name, f"{getattr(seen, name):,}")
    table.add_row("took", f"{(seen.closed_at - seen.created_at).total_seconds():.1f} s")
    table.add_row("held by the killed worker", f"{lost_with:,} items")
    table.add_row("lost with it, and run again", f"{again:,} items")
    table.add_row("gathered", str(batch.result()))
    console.print(table)
    expected = sum(grams(number) for number in range(items))
    is_right = batch.result() == {"sheaves": items, "grams": expected}
    say("Every sheaf was counted exactly once." if is_right else f"That is not right: it should be {expected:,} grams.")
    if not is_right:
        sys.exit(1)


@contextmanager
def workers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes of `ingather work`. They also end by themselves when this process is gone."""
    command = [sys.executable, "-m", "ingather.cli", "work", "examples.tour:app", "--concurrency", str(SLOTS)]
    crew = [
        # A session of their own, so that Ctrl-C is for the tour, which then stops them gracefully.
        subprocess.Popen(
            [*command, "--parent", str(os.getpid())], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
        )
        for _ in range(WORKERS)
    ]
    say(f"{WORKERS} workers start, processes {' and '.join(str(worker.pid) for worker in crew)}, {SLOTS} slots each.")
    try:
        yield crew
    finally:
        for worker in crew:
            worker.terminate()
        for worker in crew:
            worker.wait()


def watch(batch: Batch, crew: list[subprocess.Popen[bytes]]) -> int:
    """Follow the batch to its end; kill a worker halfway. Returns how many items that worker held."""
    held = 0
    victim: subprocess.Popen[bytes] | None = None
    line_at = 0.0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[state]}", style="cyan"),
    )
    with Progress(*columns, console=console, expand=True, disable=not console.is_terminal) as bar:
        seen = batch.progress()
        task = bar.add_task(f"batch {batch.id}", total=seen.total, state="")
        while not seen.is_gathered:
            time.sleep(0.1)
            if all(worker.poll() is not None for worker in crew):
                sys.exit("Both workers ended before the batch did: that should not happen.")
            seen = batch.progress()
            bar.update(task, completed=seen.finished, state=f"{seen.running} running")
            if not console.is_terminal and time.monotonic() >= line_at:
                say(f"{seen.finished:,} of {seen.total:,} finished, {seen.running:,} running")
                line_at = time.monotonic() + 1
            if victim is None and seen.finished >= seen.total // 2:
                victim = crew[0]
                held = sum(worker.running for worker in app.workers() if worker.pid == victim.pid)
                os.kill(victim.pid, signal.SIGKILL)
                say(f"kill -9 {victim.pid}: worker process {victim.pid} is gone, with {held:,} items in its hands.")
    return held


def say(sentence: str) -> None:
    console.print(sentence)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
    except KeyboardInterrupt:
        say("\nStopped. The unfinished batch stays in the database; the next tour cancels it.")
        sys.exit(130)
    except IngatherError as error:
        sys.exit(str(error))
