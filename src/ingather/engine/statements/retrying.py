"""The SQL of retry: error to pending, and a closed batch open again."""

from typing import Final, LiteralString

# Settles under way commit first, so that their failures are seen.
LOCK_BATCH_LEASES: Final[LiteralString] = """
select token from ingather.lease where batch_id = %(batch_id)s and not is_gather order by token for no key update
"""

# The one place where an outcome is taken back, under LOCK_BATCH_LEASES too: an item may have failed while neighbours in
# its lease still run, and the lease must not cover it any more. `held` adds leases claimed since, which may hold
# failures too: `failed` refers to it, so that they are locked before any outcome, as a settle does it. A closed batch
# opens again with a higher version, and its parent waits
# for it once more if that is still open.
RETRY_FAILED: Final[LiteralString] = """
with held as materialized (
    select token, first_id, last_id
      from ingather.lease
     where batch_id = %(batch_id)s and not is_gather
     order by token
       for no key update
), failed as (
    delete from ingather.outcome o
     using ingather.segment s
     where s.batch_id = %(batch_id)s and o.item_id between s.id << 20 and s.last_id and o.state = 'e'
       and (%(item_id)s::bigint is null or o.item_id = %(item_id)s)
       and (select count(*) from held) >= 0
    returning o.item_id
), waits as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, queue, kind, parked)
    select f.item_id, b.id, clock_timestamp(), 0, 0, b.queue, b.kind, b.paused
      from failed f, ingather.batch b where b.id = %(batch_id)s
    returning 1
), uncovered as (
    update ingather.lease l set returned = l.returned || f.ids
      from (select held.token, array_agg(failed.item_id) as ids
              from held join failed on failed.item_id between held.first_id and held.last_id
             group by held.token) as f
     where l.token = f.token
), many as materialized (
    select count(*) as items from waits
), counted as (
    insert into ingather.tally as t (batch_id, worker_id, completed, error, cancelled)
    select b.id, 0, coalesce(b.completed, 0), coalesce(b.error, 0) - many.items, coalesce(b.cancelled, 0)
      from ingather.batch b, many where b.id = %(batch_id)s and many.items > 0
        on conflict (batch_id, worker_id) do update
       set completed = t.completed + excluded.completed, error = t.error + excluded.error,
           cancelled = t.cancelled + excluded.cancelled
), reopened as (
    update ingather.batch b
       set state = 'open', closed_at = null, completed = null, error = null, cancelled = null, gather_id = null,
           version = b.version + (b.state = 'closed')::int,
           holds_parent = b.holds_parent or (b.state = 'closed' and b.parent_id is not null)
      from many, ingather.batch old
     where b.id = %(batch_id)s and old.id = b.id and many.items > 0
    returning old.gather_id
)
select items, (select gather_id from reopened) from many
"""

# A gather of the old version is dropped like a cancelled item, wherever it is; if it runs, its lease is gone.
DROP_WAITING_GATHER: Final[LiteralString] = "delete from ingather.waiting where item_id = %(gather_id)s"

DROP_GATHER_LEASE: Final[LiteralString] = "delete from ingather.lease where first_id = %(gather_id)s and is_gather"

IS_GATHER_OPEN: Final[LiteralString] = """
select exists (select from ingather.waiting where item_id = %(gather_id)s)
    or exists (select from ingather.lease where first_id = %(gather_id)s and is_gather)
"""

DROP_GATHER_OUTCOME: Final[LiteralString] = "delete from ingather.outcome where item_id = %(gather_id)s"
