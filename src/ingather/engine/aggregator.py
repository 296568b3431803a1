"""The aggregator: takes items back from silent workers, closes what is ripe, fires schedules, prunes.

One runs in every worker and none is elected: each step is a short
transaction guarded by the rows it changes, so any number of them may run at
once, and it does not matter which one dies where.
"""

import logging
import random
import time
from datetime import timedelta
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.script import arun_script
from ingather.engine.verbs.retention import BEGINNING

log = logging.getLogger("ingather.aggregator")

# How long one round may prune. Longer holds up the sweep of silent workers behind it; shorter looks around more often
# between the steps where much is to be removed.
PRUNE_S: Final = 0.25
# Batches that could not be pruned when the others of its time were (a gather had not ended, somebody held the batch) is
# looked for again so often. Shorter reads what is gone, for as long as a snapshot keeps it; longer keeps such batches
# longer.
PRUNE_ANEW_S: Final = 60.0
# The pause between rounds. Longer delays a sweep, a backstop close and a schedule; shorter costs the server a query per
# worker.
TICK_S: Final = 0.5
# A worker counts as dead at an exact moment. The look comes this much later, so that a rounding does not make it early.
LOOK_AFTER_S: Final = 0.01
# A pause is shortened by up to a fifth, so that the rounds of a fleet do not fall together.
JITTER: Final = (0.8, 1.0)


class Aggregator:
    """What one worker does for all, and how far it has come with it."""

    def __init__(self, keep: timedelta | None) -> None:
        self._keep = keep
        self._after = 0
        self._pruned_to = BEGINNING
        self._prunes_anew_at = 0.0

    async def tick(self, conn: AsyncConnection[Any]) -> tuple[bool, float]:
        """One round. Returns whether there may be new work to claim, and in how many seconds to look again."""
        async with conn.cursor(row_factory=tuple_row) as cursor:
            await cursor.execute(sql.WHAT_IS_DUE, {"after": self._after})
            [(worker_ids, left_s, ripe, after, gathered, has_due_schedule)] = await cursor.fetchall()
        self._after = after or 0
        late = dict(zip(worker_ids, left_s, strict=True))
        has_taken = await _sweep_silent_workers(conn, [worker_id for worker_id, left in late.items() if left <= 0])
        is_gathering = await _close_what_is_ripe(conn, ripe + gathered) if ripe or gathered else False
        has_fired = has_due_schedule and await _fire_schedules(conn)
        has_more = self._keep is not None and await self._prune(conn, self._keep)
        next_death_s = min((left for left in late.values() if left > 0), default=TICK_S) + LOOK_AFTER_S
        pause_s = 0.0 if has_more else TICK_S * random.uniform(*JITTER)
        return has_taken or is_gathering or has_fired, min(pause_s, next_death_s)

    async def _prune(self, conn: AsyncConnection[Any], keep: timedelta) -> bool:
        """Remove what is old, for a moment. Returns whether there is more."""
        until = time.monotonic() + PRUNE_S
        while time.monotonic() < until:
            place = await arun_script(conn, verbs.prune(keep, self._pruned_to))
            if place is None:
                if time.monotonic() >= self._prunes_anew_at:
                    self._pruned_to = BEGINNING
                    self._prunes_anew_at = time.monotonic() + PRUNE_ANEW_S
                return False
            self._pruned_to = place
        return True


async def _close_what_is_ripe(conn: AsyncConnection[Any], batch_ids: list[int]) -> bool:
    """Close what is ripe of these batches and of their parents, whose turn comes with their last child. Returns whether
    there are gathers to run."""
    parents = await arun_script(conn, verbs.free_parents(batch_ids))
    level = [*batch_ids, *parents]
    is_gathering = False
    while level:
        closed = await arun_script(conn, verbs.close(level))
        is_gathering = is_gathering or bool(closed.gathering)
        level = closed.parents
    return is_gathering


async def _sweep_silent_workers(conn: AsyncConnection[Any], silent: list[int]) -> bool:
    has_taken = False
    for worker_id in silent:
        taken = await arun_script(conn, verbs.take_back(worker_id))
        if taken is None:
            continue
        items, batch_ids = taken
        log.warning("worker %s went silent; %s items taken back", worker_id, items)
        if batch_ids:
            await _close_what_is_ripe(conn, batch_ids)
        has_taken = has_taken or items > 0
    return has_taken


async def _fire_schedules(conn: AsyncConnection[Any]) -> bool:
    has_fired = False
    broken: list[str] = []
    while True:
        try:
            fired = await arun_script(conn, verbs.fire_schedule(broken))
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
