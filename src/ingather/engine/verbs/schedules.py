"""Schedules: declared, fired once per instant over the fleet, paused and dropped."""

from contextlib import suppress
from datetime import timedelta

from ingather.engine import statements as sql
from ingather.engine.cron import CatchUp, Cron, due_firings_of_cron
from ingather.engine.errors import KeyReused
from ingather.engine.model import ScatterRequest, ScheduleRecord
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.scattering import scatter


class BrokenSchedule(Exception):
    """This machine cannot work out when a schedule fires."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def put_schedule(name: str, cron: Cron, request: ScatterRequest, payload: bytes, catch_up: CatchUp) -> Script[None]:
    """Declare a schedule; the same name again changes it, and keeps its place unless the clockwork changed."""
    [(now,)] = yield Statement(sql.NOW)
    yield Statement(
        sql.PUT_SCHEDULE,
        {
            "name": name,
            "kind": request.kind,
            "queue": request.queue,
            "payload": payload.decode(),
            "cron": cron.expression,
            "tz": cron.tz,
            "seconds": cron.seconds,
            "catch_up": catch_up,
            "priority": request.priority,
            "max_attempts": request.max_attempts,
            "timeout_s": request.timeout_s,
            "gathers": request.gathers,
            "next_at": cron.next_after(now),
        },
    )


def fire_schedule(skipping: list[str], ahead: timedelta = timedelta(0)) -> Script[tuple[str, int, bool] | None]:
    """Fire the schedule that is most overdue: its batches and its next instant are one commit.

    Returns its name, how many instants fired and whether some were passed over; None when nothing is due.
    The key makes an instant fire once even if its row was restored from a backup. With `ahead`, as if it were so much
    later already: a test that has moved the clock.
    """
    found = yield Statement(sql.DUE_SCHEDULE, {"skipping": skipping, "ahead": ahead})
    if not found:
        return None
    [row] = found
    name, kind, queue, payload, expression, tz, seconds, policy, priority, max_attempts, timeout_s, gathers = row[:12]
    next_at, now = row[12:]
    cron = Cron(expression, tz, seconds)
    try:
        # `due_firings_of_cron` looks strictly after `last`, and next_at itself has not fired.
        firing = due_firings_of_cron(cron, last=next_at - timedelta(microseconds=1), now=now, policy=policy)
    except Exception as error:
        raise BrokenSchedule(name) from error
    for instant in firing.fire:
        request = ScatterRequest(
            kind=kind,
            queue=queue,
            priority=priority,
            delay=timedelta(0),
            max_attempts=max_attempts,
            timeout_s=timeout_s,
            gathers=gathers,
            idempotency_key=f"schedule:{name}:{instant.isoformat()}",
            share=f"schedule:{name}",
        )
        with suppress(KeyReused):
            yield from scatter(request, [payload.encode()])
    last_at = firing.fire[-1] if firing.fire else None
    yield Statement(sql.MOVE_SCHEDULE, {"name": name, "last_at": last_at, "next_at": firing.next})
    return name, len(firing.fire), firing.has_skipped


def list_schedules() -> Script[list[ScheduleRecord]]:
    rows = yield Statement(sql.LIST_SCHEDULES)
    return [
        ScheduleRecord(
            name=name,
            kind=kind,
            queue=queue,
            cron=Cron(expression, tz, seconds),
            catch_up=policy,
            paused=paused,
            last_at=last_at,
            next_at=next_at,
        )
        for name, kind, queue, expression, tz, seconds, policy, paused, last_at, next_at in rows
    ]


def pause_schedule(name: str, *, paused: bool) -> Script[bool]:
    """Stop or resume a schedule; instants that pass meanwhile are caught up with by its policy. False: none such."""
    return bool((yield Statement(sql.PAUSE_SCHEDULE, {"name": name, "paused": paused})))


def drop_schedule(name: str) -> Script[bool]:
    return bool((yield Statement(sql.DROP_SCHEDULE, {"name": name})))
