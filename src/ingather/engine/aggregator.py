"""The aggregator: takes items back from silent workers, closes what is ripe, fires schedules, prunes.

One runs in every worker and none is elected: each step is a short
transaction guarded by the rows it changes, so any number of them may run at
once, and it does not matter which one dies where.
"""

import logging
import random
from datetime import timedelta
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.script import arun

log = logging.getLogger("ingather.aggregator")

# Steps of pruning in one round. More hold up the sweep of silent workers behind them; fewer let old batches pile up.
PRUNE_STEPS: Final = 4
# The pause between rounds. Longer delays a sweep, a backstop close and a schedule; shorter costs the server a query per
# worker.
TICK_S: Final = 0.5
# A worker counts as dead at an exact moment. The look comes this much later, so that a rounding does not make it early.
LOOK_AFTER_S: Final = 0.01
# A pause is shortened by up to a fifth, so that the rounds of a fleet do not fall together.
JITTER: Final = (0.8, 1.0)


async def tick(conn: AsyncConnection[Any], *, keep: timedelta | None) -> tuple[bool, float]:
    """One round. Returns whether there may be new work to claim, and in how many seconds to look again."""
    async with conn.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(sql.WHAT_IS_DUE)
        [(worker_ids, left_s, has_ripe, has_due_schedule)] = await cursor.fetchall()
    late = dict(zip(worker_ids, left_s, strict=True))
    has_taken = await _sweep(conn, [worker_id for worker_id, left in late.items() if left <= 0])
    gathering = await arun(conn, verbs.close_ripe()) if has_ripe else []
    has_fired = has_due_schedule and await _fire_schedules(conn)
    if keep is not None:
        for _ in range(PRUNE_STEPS):
            if not await arun(conn, verbs.prune(keep)):
                break
    next_death_s = min((left for left in late.values() if left > 0), default=TICK_S) + LOOK_AFTER_S
    return has_taken or bool(gathering) or has_fired, min(TICK_S * random.uniform(*JITTER), next_death_s)


async def _sweep(conn: AsyncConnection[Any], silent: list[int]) -> bool:
    has_taken = False
    for worker_id in silent:
        taken = await arun(conn, verbs.take_back(worker_id))
        if taken is None:
            continue
        items, batch_ids = taken
        log.warning("worker %s went silent; %s items taken back", worker_id, items)
        await arun(conn, verbs.close(batch_ids))
        has_taken = has_taken or items > 0
    return has_taken


async def _fire_schedules(conn: AsyncConnection[Any]) -> bool:
    has_fired = False
    broken: list[str] = []
    while True:
        try:
            fired = await arun(conn, verbs.fire_schedule(broken))
        except verbs.BrokenSchedule as error:
            # This machine cannot work it out, for example its time zone. The other schedules must fire all the same.
            log.exception("schedule %s cannot be fired", error.name)
            broken.append(error.name)
            continue
        if fired is None:
            return has_fired
        name, instants, has_skipped = fired
        log.info("schedule %s fired %s times%s", name, instants, "; older firings were skipped" if has_skipped else "")
        has_fired = True
