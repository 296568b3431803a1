"""Close: a batch without unfinished items and unfinished children, in two steps."""

from typing import NamedTuple

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement


class Closed(NamedTuple):
    """What a close leaves to be done."""

    gathering: list[int]
    """Batches that now wait for their gather."""
    parents: list[int]
    """Batches that one of these was a child of, and that may be ripe now."""
    skipped: list[int]
    """Batches that somebody held, or had closed already: worth another look later."""


def close(batch_ids: list[int]) -> Script[Closed]:
    """Close those of these batches that have no unfinished item and no unfinished child.

    Two steps, because one statement could decide from a snapshot older than
    the lock it waited for, and close over an item that was just added.
    """
    locked = yield Statement(sql.LOCK_OPEN_BATCHES, {"batch_ids": batch_ids})
    held = [batch_id for (batch_id,) in locked]
    skipped = sorted(set(batch_ids).difference(held))
    if not held:
        return Closed([], [], skipped)
    closed = yield Statement(sql.CLOSE, {"batch_ids": held})
    return Closed(
        [batch_id for batch_id, gather_id, _ in closed if gather_id is not None],
        sorted({parent_id for _, _, parent_id in closed if parent_id is not None}),
        skipped,
    )


def free_parents(batch_ids: list[int]) -> Script[list[int]]:
    """The gathers of these batches have ended: their parents may be ripe now. Returns the parents."""
    freed = yield Statement(sql.FREE_PARENTS, {"batch_ids": batch_ids})
    return sorted({parent_id for (parent_id,) in freed})
