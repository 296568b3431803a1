"""Retention: batches that closed long ago are removed, a few thousand rows at a time; or one, with what others keep."""

from datetime import UTC, datetime, timedelta
from typing import Final

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement

# Items that one step removes. A larger step holds its transaction, and a worker's aggregator, for longer; a smaller one
# pays the search for old batches more often.
PRUNE_ROWS: Final = 5_000
# Batches that one step removes. More of one item each would make the step longer than one of full batches.
PRUNE_BATCHES: Final = 1_000
# Where a search begins that knows of no step before it.
BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def remove(batch_id: int) -> Script[bool]:
    """Remove one closed batch with all of its rows, in one transaction. False where it is open.

    For the rooms above, whose own rows go with it: a batch that was pruned is removed already.
    """
    found = yield Statement(sql.CLOSED_OR_GONE, {"batch_id": batch_id})
    if any(not is_closed for (is_closed,) in found):
        return False
    yield Statement(sql.PRUNE_WHOLE, {"batch_ids": [batch_id]})
    return True


def prune(keep: timedelta, since: datetime = BEGINNING) -> Script[datetime | None]:
    """Remove a few thousand items that closed longer ago than `keep`. Returns where the next step begins; None when
    there was nothing from `since` on."""
    found = yield Statement(sql.PRUNABLE, {"keep": keep, "since": since, "batches": PRUNE_BATCHES, "rows": PRUNE_ROWS})
    if not found:
        return None
    if len(found) == 1 and found[0][1] > PRUNE_ROWS:
        [(batch_id, _, pruned_to, _)] = found
        part = {"batch_id": batch_id, "pruned_to": pruned_to, "rows": PRUNE_ROWS}
        gone = yield Statement(sql.PRUNE_PART, part)
        is_last = not gone or gone[0][0] < PRUNE_ROWS
        if is_last and len((yield Statement(sql.PRUNE_LABELS, part))) < PRUNE_ROWS:
            yield Statement(sql.PRUNE_WHOLE, {"batch_ids": [batch_id]})
    else:
        yield Statement(sql.PRUNE_WHOLE, {"batch_ids": [batch_id for batch_id, *_ in found]})
    place: datetime = max(closed_at for *_, closed_at in found)
    return place
