"""Cancel: every unfinished item of a batch ends, and the batch closes, with the children that hold it open."""

from ingather.engine import statements as sql
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.rows import only_row


def cancel(batch_id: int) -> Script[bool]:
    """End every unfinished item of a batch and of its children, and close them. False when it had closed already."""
    if only_row((yield Statement(sql.LOCK_BATCH, {"batch_id": batch_id})), batch_id)[0] != "open":
        return False
    # All batches of the family are locked before any of their leases, as everywhere.
    family, still_open = [batch_id], [batch_id]
    level = [batch_id]
    while level:
        children = yield Statement(sql.LOCK_CHILDREN, {"batch_ids": level})
        level = [child_id for child_id, _ in children]
        family += level
        still_open += [child_id for child_id, state in children if state == "open"]
    these = {"batch_ids": still_open}
    yield Statement(sql.DRAIN_SEGMENTS, these)
    yield from drop_cancelled(
        Statement(sql.DROP_WAITING, these), Statement(sql.DROP_LEASES, these), Statement(sql.HAS_OPEN_ITEMS, these)
    )
    yield Statement(sql.CANCEL_THE_REST, these)
    yield Statement(sql.FREE_FAMILY, {"batch_ids": family})
    yield Statement(sql.CLOSE, these)
    return True


def drop_cancelled(waiting: Statement, leases: Statement, is_any_left: Statement) -> Script[None]:
    """Take items out of both places. They can move between the two while we look, so until one snapshot shows none."""
    is_left = True
    while is_left:
        yield waiting
        yield leases
        [(is_left,)] = yield is_any_left
