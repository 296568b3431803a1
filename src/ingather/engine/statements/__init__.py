"""Every SQL text of the engine: one per verb, guarded by the state it leaves.

Lock order, for every statement and every script that strings them together:
queue, worker, batch, waiting and segment, lease, then rows that only one
writer touches (tally, outcome). Rows of one table by id. A claim never waits
for a row: it skips what is locked. One exception: a queue that is new is made
behind its batch, so of two transactions that scatter into it twice, with keys
crossed, one may be refused as a deadlock.

Only the database's clock is used. `statement_timestamp()` stands where an
index must be searched by it (PostgreSQL cannot search by the volatile
`clock_timestamp()`); no statement waits long enough for the two to differ.

Each module holds the statements of one verb, and is named like it. They are
used from here, as `statements.CLAIM`.
"""

from ingather.engine.statements.batches import CHILDREN_PAGE, LIST_BATCHES, PARK_SEGMENTS, PARK_WAITING, PAUSE, PROGRESS
from ingather.engine.statements.cancelling import (
    CANCEL_THE_REST,
    DRAIN_SEGMENTS,
    DROP_LEASES,
    DROP_WAITING,
    FREE_FAMILY,
    HAS_OPEN_ITEMS,
    LOCK_CHILDREN,
)
from ingather.engine.statements.claiming import (
    CLAIM,
    CLAIM_FROM_SHARE,
    CLAIM_LIMITED,
    IS_IDLE,
    LOCK_QUEUE,
    OUTLOOK,
    QUEUES,
)
from ingather.engine.statements.clock import MOVE_CLOCK, NEXT_DUE, SCATTERED
from ingather.engine.statements.closing import CLOSE, FREE_PARENTS, LOCK_OPEN_BATCHES, RIPE, RIPE_BY
from ingather.engine.statements.items import PAGE, PAGE_OF_ENDED, PAGE_OF_OPEN, RESULT, RESULTS_PAGE
from ingather.engine.statements.queues import LIST_QUEUES, PAUSE_QUEUE, SET_QUEUE
from ingather.engine.statements.retention import CLOSED_OR_GONE, PRUNABLE, PRUNE_LABELS, PRUNE_PART, PRUNE_WHOLE
from ingather.engine.statements.retrying import (
    DROP_GATHER_LEASE,
    DROP_GATHER_OUTCOME,
    DROP_WAITING_GATHER,
    IS_GATHER_OPEN,
    LOCK_BATCH_LEASES,
    RETRY_FAILED,
)
from ingather.engine.statements.scattering import (
    BATCH_OF_KEY,
    COPY_PAYLOADS,
    GROW_BATCH,
    LISTEN,
    LOCK_BATCH,
    NEW_BATCH,
    NEW_DELAYED_SEGMENT,
    NEW_LABELS,
    NEW_SEGMENT,
    NEW_SMALL_BATCH,
    NEXT_SEGMENT,
    RING,
    SEAL_BATCH,
    SHARE_BATCH,
)
from ingather.engine.statements.schedules import (
    DROP_SCHEDULE,
    DUE_SCHEDULE,
    LIST_SCHEDULES,
    MOVE_SCHEDULE,
    NOW,
    PAUSE_SCHEDULE,
    PUT_SCHEDULE,
)
from ingather.engine.statements.settling import (
    BLOCK_QUEUE,
    OURS_ALREADY,
    PUT_BACK,
    SETTLE,
    SETTLE_FRESH,
    SETTLE_RUN,
    WAIT_BRIEFLY,
)
from ingather.engine.statements.sweeping import LOCK_LEASES, LOCK_SILENT_WORKER, TAKE_BACK
from ingather.engine.statements.workers import (
    BEAT,
    FORGET_WORKER,
    LIST_WORKERS,
    LOCK_WORKER,
    REGISTER,
    WHAT_IS_DUE,
    WHAT_IS_MINE,
)

__all__ = [
    "BATCH_OF_KEY",
    "BEAT",
    "BLOCK_QUEUE",
    "CANCEL_THE_REST",
    "CHILDREN_PAGE",
    "CLAIM",
    "CLAIM_FROM_SHARE",
    "CLAIM_LIMITED",
    "CLOSE",
    "CLOSED_OR_GONE",
    "COPY_PAYLOADS",
    "DRAIN_SEGMENTS",
    "DROP_GATHER_LEASE",
    "DROP_GATHER_OUTCOME",
    "DROP_LEASES",
    "DROP_SCHEDULE",
    "DROP_WAITING",
    "DROP_WAITING_GATHER",
    "DUE_SCHEDULE",
    "FORGET_WORKER",
    "FREE_FAMILY",
    "FREE_PARENTS",
    "GROW_BATCH",
    "HAS_OPEN_ITEMS",
    "IS_GATHER_OPEN",
    "IS_IDLE",
    "LISTEN",
    "LIST_BATCHES",
    "LIST_QUEUES",
    "LIST_SCHEDULES",
    "LIST_WORKERS",
    "LOCK_BATCH",
    "LOCK_BATCH_LEASES",
    "LOCK_CHILDREN",
    "LOCK_LEASES",
    "LOCK_OPEN_BATCHES",
    "LOCK_QUEUE",
    "LOCK_SILENT_WORKER",
    "LOCK_WORKER",
    "MOVE_CLOCK",
    "MOVE_SCHEDULE",
    "NEW_BATCH",
    "NEW_DELAYED_SEGMENT",
    "NEW_LABELS",
    "NEW_SEGMENT",
    "NEW_SMALL_BATCH",
    "NEXT_DUE",
    "NEXT_SEGMENT",
    "NOW",
    "OURS_ALREADY",
    "OUTLOOK",
    "PAGE",
    "PAGE_OF_ENDED",
    "PAGE_OF_OPEN",
    "PARK_SEGMENTS",
    "PARK_WAITING",
    "PAUSE",
    "PAUSE_QUEUE",
    "PAUSE_SCHEDULE",
    "PROGRESS",
    "PRUNABLE",
    "PRUNE_LABELS",
    "PRUNE_PART",
    "PRUNE_WHOLE",
    "PUT_BACK",
    "PUT_SCHEDULE",
    "QUEUES",
    "REGISTER",
    "RESULT",
    "RESULTS_PAGE",
    "RETRY_FAILED",
    "RING",
    "RIPE",
    "RIPE_BY",
    "SCATTERED",
    "SEAL_BATCH",
    "SETTLE",
    "SETTLE_FRESH",
    "SETTLE_RUN",
    "SET_QUEUE",
    "SHARE_BATCH",
    "TAKE_BACK",
    "WAIT_BRIEFLY",
    "WHAT_IS_DUE",
    "WHAT_IS_MINE",
]
