"""What can be done to batches, as scripts: each is one transaction, and none knows a connection.

Each module holds one verb, and is named like it; its SQL stands in the module
of the same name in `statements`. Claim and settle run thousands of times a
second and are sent several to a round trip, so they stand in `parameters` and
`round_trip`.
"""

from ingather.engine.verbs.batches import batch_ids, list_batches, pause, progress
from ingather.engine.verbs.cancelling import cancel
from ingather.engine.verbs.closing import Closed, close, free_parents
from ingather.engine.verbs.queues import hold_queue, list_queues, list_workers, pause_queue, set_queue
from ingather.engine.verbs.retention import PRUNE_ROWS, prune, remove
from ingather.engine.verbs.retrying import retry_failed
from ingather.engine.verbs.scattering import FEW_ITEMS, MAX_BATCH, add, scatter, scatter_few
from ingather.engine.verbs.schedules import (
    BrokenSchedule,
    drop_schedule,
    fire_schedule,
    list_schedules,
    pause_schedule,
    put_schedule,
)
from ingather.engine.verbs.settling import settle_with_offspring
from ingather.engine.verbs.sweeping import dismiss, release, take_back

__all__ = [
    "FEW_ITEMS",
    "MAX_BATCH",
    "PRUNE_ROWS",
    "BrokenSchedule",
    "Closed",
    "add",
    "batch_ids",
    "cancel",
    "close",
    "dismiss",
    "drop_schedule",
    "fire_schedule",
    "free_parents",
    "hold_queue",
    "list_batches",
    "list_queues",
    "list_schedules",
    "list_workers",
    "pause",
    "pause_queue",
    "pause_schedule",
    "progress",
    "prune",
    "put_schedule",
    "release",
    "remove",
    "retry_failed",
    "scatter",
    "scatter_few",
    "set_queue",
    "settle_with_offspring",
    "take_back",
]
