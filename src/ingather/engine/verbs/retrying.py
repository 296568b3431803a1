"""Retry: failed items go back to pending, and a closed batch opens again."""

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.cancelling import drop_cancelled
from ingather.engine.verbs.rows import only_row


def retry_failed(batch_id: int, item_id: int | None = None) -> Script[int]:
    """Send failed items, or one of them, back to pending with all their attempts; a closed batch opens again.

    Returns how many.
    """
    this = {"batch_id": batch_id}
    only_row((yield Statement(sql.LOCK_BATCH, this)), batch_id)
    yield Statement(sql.LOCK_BATCH_LEASES, this)
    [(items, gather_id)] = yield Statement(sql.RETRY_FAILED, this | {"item_id": item_id})
    if gather_id is not None:
        that = {"gather_id": gather_id}
        yield from drop_cancelled(
            Statement(sql.DROP_WAITING_GATHER, that),
            Statement(sql.DROP_GATHER_LEASE, that),
            Statement(sql.IS_GATHER_OPEN, that),
        )
        yield Statement(sql.DROP_GATHER_OUTCOME, that)
    return int(items)
