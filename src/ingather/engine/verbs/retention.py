"""Retention: batches that closed long ago are removed, a few thousand rows at a time; or one, with what others keep."""

from datetime import timedelta
from typing import Final

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement

# Rows that one step removes. A larger step holds its transaction, and a worker's aggregator, for longer; a smaller one
# pays the search for the oldest batch more often.
PRUNE_ROWS: Final = 5_000


def remove(batch_id: int) -> Script[bool]:
    """Remove one closed batch with all of its rows, in one transaction. False where it is open.

    For the rooms above, whose own rows go with it: a batch that was pruned is removed already.
    """
    found = yield Statement(sql.CLOSED_OR_GONE, {"batch_id": batch_id})
    if any(not is_closed for (is_closed,) in found):
        return False
    rows = PRUNE_ROWS
    while rows == PRUNE_ROWS:
        [(rows,)] = yield Statement(sql.PRUNE_STEP, {"batch_id": batch_id, "limit": PRUNE_ROWS})
    yield Statement(sql.PRUNE_BATCH, {"batch_id": batch_id})
    return True


def prune(keep: timedelta) -> Script[bool]:
    """Remove a few thousand rows of the oldest batch that closed longer ago than `keep`. False when there is none."""
    found = yield Statement(sql.OLDEST_CLOSED, {"keep": keep})
    if not found:
        return False
    [(batch_id,)] = found
    [(rows,)] = yield Statement(sql.PRUNE_STEP, {"batch_id": batch_id, "limit": PRUNE_ROWS})
    if rows < PRUNE_ROWS:
        yield Statement(sql.PRUNE_BATCH, {"batch_id": batch_id})
    return True
