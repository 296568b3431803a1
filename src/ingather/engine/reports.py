"""Reports for people who look at the engine from outside: what failed and why, and what is old. They only read."""

from datetime import timedelta
from typing import Any

from ingather.engine.codec import decode
from ingather.engine.script import Script, Statement
from ingather.engine.statements import reports as sql


def report_failures(batch_id: int, after: int, limit: int) -> Script[list[dict[str, Any]]]:
    """A page of the failed items of a batch, after an item."""
    rows = yield Statement(sql.FAILURES, {"batch_id": batch_id, "after": after, "limit": limit})
    names = ("item_id", "ordinal", "attempt", "lost", "finished_at")
    return [dict(zip(names, row, strict=False)) | {"error": decode(row[5])} for row in rows]


def report_failure_reasons(batch_id: int) -> Script[list[dict[str, Any]]]:
    """The commonest reasons for which items of a batch failed."""
    rows = yield Statement(sql.FAILURE_REASONS, {"batch_id": batch_id})
    return [dict(zip(("reason", "type", "items"), row, strict=True)) for row in rows]


def report_old_batches(keep: timedelta) -> Script[int]:
    """How many batches have been closed for longer than this."""
    [(batches,)] = yield Statement(sql.OLD_BATCHES, {"keep": keep})
    return int(batches)


def report_oldest_due() -> Script[list[tuple[str, float]]]:
    """The age of the oldest item that could run, by queue; 0 where there is none."""
    rows = yield Statement(sql.OLDEST_DUE)
    return [(queue, float(age_s or 0)) for queue, age_s in rows]
