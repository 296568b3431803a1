"""Close: a batch without unfinished items, in two steps."""

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement


def close(batch_ids: list[int]) -> Script[list[int]]:
    """Close those of these batches that have no unfinished item. Returns the ones that now wait for their gather.

    Two steps, because one statement could decide from a snapshot older than
    the lock it waited for, and close over an item that was just added.
    """
    locked = yield Statement(sql.LOCK_OPEN_BATCHES, {"batch_ids": batch_ids})
    if not locked:
        return []
    closed = yield Statement(sql.CLOSE, {"batch_ids": [batch_id for (batch_id,) in locked]})
    return [batch_id for batch_id, gather_id in closed if gather_id is not None]


def close_ripe() -> Script[list[int]]:
    """Close every batch that is ripe, and drop rates of the past: the backstop for what nobody else came to."""
    [(is_my_turn,)] = yield Statement(sql.THROTTLE)
    if not is_my_turn:
        return []
    yield Statement(sql.PRUNE_RATE_USE)
    ripe = yield Statement(sql.ALL_RIPE)
    return (yield from close([batch_id for (batch_id,) in ripe])) if ripe else []
