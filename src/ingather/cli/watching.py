"""Following a batch to its end: a live bar on a terminal, lines in a pipe, JSON lines for programs."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Protocol

from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from ingather.cli.output import output_console, output_hint, output_json, output_sentence
from ingather.cli.quantities import show_duration
from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.model import Progress
from ingather.engine.refusals import PASSING_ERRORS

# How often progress is read. Shorter costs the database more queries; longer makes the bar jerk.
POLL_S = 0.25
# In a pipe at most one line in this time, so that a log of an hour has 1,800 lines and not 14,400.
LINE_EVERY_S = 2.0
# Where nothing but an answer under way grows, lines come less often by this.
LONG_S = 28.0
# After this long without progress the command checks for a worker. A worker that starts needs about a second.
NOBODY_WORKS_AFTER_S = 3.0
# A server that restarts is back within a minute. After that the command ends with the error.
DATABASE_AWAY_S = 60.0


class WatchingScreen(Protocol):
    """Where progress is shown."""

    def show(self, seen: Progress, more: str = "") -> None: ...
    def close(self) -> None: ...


def watch_to_the_end(engine: Engine, batch: Batch, screen: WatchingScreen) -> Progress:
    """Show progress until the batch is closed and gathered, and return how it ended."""
    still_since, before, is_warned = time.monotonic(), -1, False
    with closing(screen):
        while True:
            seen = _progress_watched(batch)
            screen.show(seen)
            if seen.is_gathered:
                return seen
            if seen.finished != before or seen.running or seen.paused:
                still_since, before = time.monotonic(), seen.finished
            elif not is_warned and time.monotonic() - still_since > NOBODY_WORKS_AFTER_S:
                is_warned = True
                _warn_watcher_if_nobody_works(engine, seen.kind)
            time.sleep(POLL_S)


def _progress_watched(batch: Batch) -> Progress:
    """The progress of the batch. A restart of the server is waited for, so that a watch over night survives it."""
    deadline = time.monotonic() + DATABASE_AWAY_S
    while True:
        try:
            return batch.progress()
        except (*PASSING_ERRORS, DatabaseUnavailable):
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def _warn_watcher_if_nobody_works(engine: Engine, kind: str) -> None:
    if not any(kind in worker.kinds for worker in engine.workers()):
        output_hint(f"Nothing moves: no worker handles kind {kind}. Start one with `ingather work MODULE:APP`.")


def ending_watched(seen: Progress) -> str:
    assert seen.closed_at is not None
    took = show_duration(seen.closed_at - seen.created_at)
    rest = "".join(f", {getattr(seen, name):,} {name}" for name in ("error", "cancelled") if getattr(seen, name))
    return f"Batch {seen.batch_id} closed after {took}: {seen.completed:,} of {seen.total:,} completed{rest}."


def counts_watched(seen: Progress) -> str:
    """The counts that the bar itself does not show."""
    parts = [f"{getattr(seen, name):,} {name}" for name in ("running", "error", "cancelled") if getattr(seen, name)]
    if seen.is_closed and not seen.is_gathered:
        parts.append("gathering")
    elif seen.paused:
        parts.append("paused")
    return ", ".join(parts)


class WatchedRate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "", style="progress.data.speed")


class WatchingBar:
    """A live bar with counts, rate and time left."""

    def __init__(self, *, stderr: bool = False) -> None:
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            WatchedRate(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[counts]}", style="cyan"),
            console=output_console(stderr=stderr),
            expand=True,
            speed_estimate_period=10,
        )
        self._task: Any = None
        self._bar.start()

    def close(self) -> None:
        self._bar.stop()

    def show(self, seen: Progress, more: str = "") -> None:
        shown = ", ".join(filter(None, (counts_watched(seen), more)))
        columns: dict[str, Any] = {"total": seen.total, "completed": seen.finished, "counts": shown}
        if self._task is None:
            self._task = self._bar.add_task(f"batch {seen.batch_id} {seen.kind}", **columns)
        else:
            self._bar.update(self._task, **columns)


class WatchingLines:
    """A line when something changed, not more often than every two seconds."""

    def __init__(self, tell: Callable[[str], None] = output_sentence) -> None:
        self._tell = tell
        self._last: Progress | None = None
        self._next_at = 0.0

    def close(self) -> None:
        """Nothing to put away."""

    def show(self, seen: Progress, more: str = "") -> None:
        is_due = time.monotonic() >= self._next_at + (LONG_S if seen == self._last else 0.0)
        if is_due and (seen != self._last or more):
            rest = ", ".join(filter(None, (counts_watched(seen), more)))
            done = f"{seen.finished:,} of {seen.total:,} finished ({seen.percent:.0f} %)"
            self._tell(f"{done}, {rest}" if rest else done)
            self._last, self._next_at = seen, time.monotonic() + LINE_EVERY_S


class WatchingJsonLines:
    """An object whenever something changed; the last one has the end."""

    def __init__(self, shape: Callable[[Progress], dict[str, Any]]) -> None:
        self._shape = shape
        self._last: Progress | None = None

    def close(self) -> None:
        """Nothing to put away."""

    def show(self, seen: Progress, more: str = "") -> None:  # noqa: ARG002  programs read counts
        if seen != self._last:
            self._last = seen
            output_json(self._shape(seen))
