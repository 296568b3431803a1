"""Queues, schedules and workers: what the whole fleet shares."""

from argparse import Namespace
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ingather.app import Ingather
from ingather.cli.batches import batch_or_queue_paused, batch_or_queue_resumed
from ingather.cli.output import output_json, output_sentence, output_table, plain_output
from ingather.cli.quantities import show_age, show_duration, show_moment, show_rate
from ingather.engine.cron import Cron
from ingather.engine.errors import UsageError
from ingather.engine.model import Queue, ScheduleRecord
from ingather.engine.script import Script, Statement
from ingather.engine.statements import NOW

# How many coming firings `schedule ls` shows. More would not fit beside the other columns.
NEXT_FIRINGS = 3

# --- queues --------------------------------------------------------------------------------------------------------


def list_fleet_queues_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        queues = app.queues()
    if arguments.json:
        output_json([plain_output(queue) | {"state": _fleet_queue_state(queue)} for queue in queues])
        return
    rows = (
        (
            queue.name,
            queue.pending,
            queue.running,
            "" if queue.max_running is None else queue.max_running,
            "" if queue.rate_items is None else show_rate(queue.rate_items, queue.rate_window_s),
            _fleet_queue_state(queue),
            f"until {show_moment(queue.blocked_until)}" if queue.blocked_until else "",
        )
        for queue in queues
    )
    output_table(
        ("queue", "pending", "running", "max running", "rate", "state", ""),
        rows,
        empty="No queues yet: the first scatter makes one.",
    )


def _fleet_queue_state(queue: Queue) -> str:
    return "paused" if queue.paused else "blocked" if queue.blocked_until else "open"


def set_fleet_queue_command(arguments: Namespace) -> None:
    if arguments.max_running is ... and arguments.rate is ...:
        raise UsageError("Say what to set: --max-running N, --rate 60/m, or both. `none` lifts a limit.")
    with closing(Ingather()) as app:
        app.set_queue(arguments.name, max_running=arguments.max_running, rate=arguments.rate)
        queue = _find_fleet_queue(app, arguments.name)
    if arguments.json:
        output_json(queue)
    else:
        most = "none" if queue.max_running is None else queue.max_running
        output_sentence(
            f"Queue {queue.name}: max running {most}, rate {show_rate(queue.rate_items, queue.rate_window_s)}."
        )


def pause_fleet_queue_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        app.pause_queue(arguments.name)
        queue = _find_fleet_queue(app, arguments.name)
    _answer_fleet_queue(arguments, queue, batch_or_queue_paused(f"Queue {queue.name}", queue.pending, queue.running))


def resume_fleet_queue_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        app.resume_queue(arguments.name)
        queue = _find_fleet_queue(app, arguments.name)
    _answer_fleet_queue(arguments, queue, batch_or_queue_resumed(f"Queue {queue.name}", queue.pending))


def _answer_fleet_queue(arguments: Namespace, queue: Queue, sentence: str) -> None:
    if arguments.json:
        output_json(queue)
    else:
        output_sentence(sentence)


def _find_fleet_queue(app: Ingather, name: str) -> Queue:
    return next(queue for queue in app.queues() if queue.name == name)


# --- schedules -----------------------------------------------------------------------------------------------------


def list_fleet_schedules_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        schedules = app.schedules()
    if arguments.json:
        output_json([_fleet_schedule_shown(schedule) for schedule in schedules])
        return
    rows = (
        (
            schedule.name,
            schedule.kind,
            schedule.queue,
            schedule.cron.expression,
            schedule.cron.tz,
            "paused" if schedule.paused else schedule.catch_up,
            show_moment(schedule.last_at) or "never",
            ", ".join(show_moment(moment) for moment in _next_fleet_firings(schedule)),
        )
        for schedule in schedules
    )
    output_table(
        ("schedule", "kind", "queue", "cron", "zone", "catch-up", "last fired", "next, in your time"),
        rows,
        empty="No schedules.",
        expendable=("catch-up", "queue", "last fired", "zone"),
    )


def _fleet_schedule_shown(schedule: ScheduleRecord) -> dict[str, Any]:
    return {
        "name": schedule.name,
        "kind": schedule.kind,
        "queue": schedule.queue,
        "cron": schedule.cron.expression,
        "tz": schedule.cron.tz,
        "seconds": schedule.cron.seconds,
        "catch_up": schedule.catch_up,
        "paused": schedule.paused,
        "last_at": plain_output(schedule.last_at),
        "next_at": plain_output(_next_fleet_firings(schedule)),
    }


def _next_fleet_firings(schedule: ScheduleRecord) -> list[datetime]:
    """The firing that the database waits for, and the next ones if this machine knows the time zone."""
    try:
        following = schedule.cron.firings(schedule.next_at, limit=NEXT_FIRINGS - 1)
    except (UsageError, ValueError, OSError, LookupError):
        following = []
    return [schedule.next_at, *following]


def preview_fleet_schedule_command(arguments: Namespace) -> None:
    cron = Cron.parse(arguments.cron, tz=arguments.tz, seconds=arguments.seconds)
    now = datetime.now(UTC)
    firings = _fleet_firings_previewed(cron, now, arguments.limit)
    if arguments.json:
        output_json({"cron": cron.expression, "tz": cron.tz, "firings": firings})
        return
    zone = ZoneInfo(cron.tz)
    rows = (
        (
            f"{at.astimezone(zone):%a %Y-%m-%d %H:%M:%S %Z}",
            show_moment(at),
            f"in {show_duration(at - now)}",
        )
        for at in firings
    )
    output_table((cron.tz, "your time", ""), rows, empty="It never fires.")


def _fleet_firings_previewed(cron: Cron, after: datetime, limit: int) -> list[datetime]:
    """The next firings, `limit` or fewer: Python's calendar ends with the year 9999."""
    found: list[datetime] = []
    with suppress(OverflowError):
        while len(found) < limit and after.year < 9998:
            after = cron.next_after(after)
            found.append(after)
    return found


# --- workers -------------------------------------------------------------------------------------------------------


def list_fleet_workers_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        workers, now = app.workers(), app.database.run(_database_now_for_fleet())
    # The database's clock decides: this machine's may be hours off.
    silent = {worker.id for worker in workers if now - worker.beat_at > timedelta(seconds=worker.lease_s)}
    if arguments.json:
        output_json(
            [plain_output(worker) | {"state": "silent" if worker.id in silent else "alive"} for worker in workers]
        )
        return
    rows = (
        (
            str(worker.id),
            worker.host,
            str(worker.pid),
            worker.running,
            "silent" if worker.id in silent else "alive",
            show_age(worker.beat_at, now),
            show_age(worker.started_at, now),
            ", ".join(worker.kinds),
        )
        for worker in workers
    )
    output_table(
        ("worker", "host", "process", "holds", "state", "last beat", "started", "kinds"),
        rows,
        empty="No workers. Start one with `ingather work MODULE:APP`.",
        expendable=("started", "host", "process"),
    )


def _database_now_for_fleet() -> Script[datetime]:
    [(now,)] = yield Statement(NOW)
    assert isinstance(now, datetime)
    return now
