"""Cancel: every unfinished item of a batch ends, and the batch closes."""

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.rows import only


def cancel(batch_id: int) -> Script[bool]:
    """End every unfinished item as cancelled and close the batch. False when it had closed already."""
    this = {"batch_id": batch_id}
    if only((yield Statement(sql.LOCK_BATCH, this)), batch_id)[0] != "open":
        return False
    yield Statement(sql.DRAIN_SEGMENTS, this)
    yield from drop(
        Statement(sql.DROP_WAITING, this), Statement(sql.DROP_LEASES, this), Statement(sql.HAS_OPEN_ITEMS, this)
    )
    yield Statement(sql.CANCEL_THE_REST, this)
    yield Statement(sql.CLOSE, {"batch_ids": [batch_id]})
    return True


def drop(waiting: Statement, leases: Statement, is_any_left: Statement) -> Script[None]:
    """Take items out of both places. They can move between the two while we look, so until one snapshot shows none."""
    is_left = True
    while is_left:
        yield waiting
        yield leases
        [(is_left,)] = yield is_any_left
