"""What people do with batches besides scattering: see their progress, list them, pause them."""

from ingather.engine import statements as sql
from ingather.engine.model import Progress
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.rows import only_row, records_of_rows


def progress(batch_ids: list[int]) -> Script[list[Progress]]:
    rows = yield Statement(sql.PROGRESS, {"batch_ids": batch_ids})
    return records_of_rows(Progress, rows)


def list_batches(*, state: str | None, kind: str | None, before: int | None, limit: int) -> Script[list[Progress]]:
    """Newest first; `before` is the last id of the page before."""
    found = yield from batch_ids(state=state, kind=kind, before=before, limit=limit)
    return (yield from progress(found)) if found else []


def batch_ids(
    *, state: str | None, kind: str | None, before: int | None, limit: int, without: str | None = None
) -> Script[list[int]]:
    """The ids of `list_batches`, also without a kind. Of these, some may be pruned before they are looked at."""
    params = {"state": state, "kind": kind, "without": without, "before": before, "limit": limit}
    rows = yield Statement(sql.LIST_BATCHES, params)
    return [batch_id for (batch_id,) in rows]


def pause(batch_id: int, *, paused: bool) -> Script[None]:
    """Stop or resume claiming from a batch; what runs goes on."""
    this = {"batch_id": batch_id, "paused": paused}
    only_row((yield Statement(sql.PAUSE, this)), batch_id)
    yield Statement(sql.PARK_SEGMENTS, this)
    yield Statement(sql.PARK_WAITING, this)
