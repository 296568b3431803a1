"""Settle an item that adds work. All others are settled in the feeder's round trips."""

from ingather.engine import statements as sql
from ingather.engine.item import Offspring
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.scattering import add, scatter


def settle_with_offspring(batch_id: int, settle: Statement, offspring: list[Offspring]) -> Script[bool]:
    """Complete one item and scatter what it adds. False when the lease was lost: then nothing was written.

    The batch is locked before the lease, as everywhere, and only if the item adds to it. Who must wait for a lock gives
    up soon: a worker has other items to settle.
    """
    yield Statement(sql.WAIT_BRIEFLY)
    if any(more.request is None for more in offspring):
        yield Statement(sql.LOCK_BATCH, {"batch_id": batch_id})
    [(written,)] = yield settle
    if not written:
        return False
    for more in offspring:
        if more.request is None:
            yield from add(batch_id, more.lines)
        else:
            yield from scatter(more.request, more.lines)
    return True
