"""Settle an item that adds work. All others are settled in the feeder's round trips."""

from dataclasses import replace
from typing import Final

from ingather.engine import statements as sql
from ingather.engine.item import Offspring
from ingather.engine.script import Script, Statement
from ingather.engine.verbs.scattering import add, scatter

# Where the share stands in the rows of LOCK_BATCH and SHARE_BATCH.
SHARE: Final = 5


def settle_with_offspring(batch_id: int, settle: Statement, offspring: list[Offspring]) -> Script[bool]:
    """Complete one item and scatter what it adds. False when the lease was lost: then nothing was written.

    The batch is locked before the lease, as everywhere; children can be scattered side by side, items are added one
    after the other. Who must wait for a lock gives up soon: a worker has other items to settle.
    """
    yield Statement(sql.WAIT_BRIEFLY)
    adds = any(more.request is None for more in offspring)
    found = yield Statement(sql.LOCK_BATCH if adds else sql.SHARE_BATCH, {"batch_id": batch_id})
    [(written,)] = yield settle
    if not written:
        return False
    for more in offspring:
        if more.request is None:
            yield from add(batch_id, more.lines, more.labels, is_by_item=True)
        else:
            # A child takes its turns with its parent unless it has a share of its own.
            request = more.request if more.request.share else replace(more.request, share=found[0][SHARE])
            yield from scatter(request, more.lines, more.labels)
    return True
