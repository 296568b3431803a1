"""What other rooms may join to their own tables: parts of SQL, so that none of them names a table of the engine.

Each part is a subquery in brackets, to be given an alias. PostgreSQL merges it
into the statement around it, so it costs what its tables cost.
"""

from typing import Final, LiteralString

# A row for each batch.
BATCHES: Final[LiteralString] = "(select id, kind, state, idempotency_key, created_at from ingather.batch)"

# Ends a statement that lists batches under the alias `b`, newest first: those of a state and of a kind, page by page.
# It goes on with the conditions that stand before it.
PAGE_OF_BATCHES: Final[LiteralString] = """
   and (%(state)s::text is null or b.state = %(state)s)
   and (%(kind)s::text is null or b.kind = %(kind)s)
   and (%(before)s::bigint is null or b.id < %(before)s)
 order by b.id desc
 limit %(limit)s
"""

# A row for each queue; `blocked_until` lies in the future while nothing of it may start.
QUEUES: Final[LiteralString] = "(select name, paused, blocked_until from ingather.queue)"

# How the item with this ordinal of this batch has ended: takes %(batch_id)s and %(ordinal)s. No row while it is open.
OUTCOME_AT: Final[LiteralString] = """(
    select o.state = 'c' as is_completed, o.result
      from ingather.segment s
      join ingather.outcome o on o.item_id = (s.id << 20) + %(ordinal)s::bigint - s.first_ordinal
                             and o.item_id <= s.last_id
     where s.batch_id = %(batch_id)s and s.first_ordinal <= %(ordinal)s::bigint
)"""

# A row for each item that has ended; `xid` is the lower half of the transaction that wrote it.
ENDED_ITEMS: Final[LiteralString] = """(
    select s.batch_id, o.item_id, (s.first_ordinal + (o.item_id - (s.id << 20)))::integer as ordinal,
           case o.state when 'c' then 'completed' when 'e' then 'error' else 'cancelled' end as state,
           o.error, o.finished_at, o.xmin::text::bigint as xid
      from ingather.segment s
      join ingather.outcome o on o.item_id between s.id << 20 and s.last_id
)"""

# A row for each open batch: what stands in its way, read from a few rows of small tables. `held_until` and `held_by`
# are of the item that comes back first, where no item is fresh.
OBSTACLES: Final[LiteralString] = """(
    select b.id as batch_id, q.paused as is_queue_paused,
           case when q.blocked_until > clock_timestamp() then q.blocked_until end as blocked_until,
           exists (select from ingather.worker w
                    where b.kind = any(w.kinds) and w.beat_at + w.lease > clock_timestamp()) as has_worker,
           held.run_at as held_until, held.error as held_by
      from ingather.batch b
      join ingather.queue q on q.name = b.queue
      left join lateral (
          select w.run_at, w.error
            from ingather.waiting w
           where w.queue = b.queue and w.batch_id = b.id and w.run_at > clock_timestamp()
           order by w.run_at
           limit 1
      ) held on not exists (select from ingather.segment s where s.batch_id = b.id and s.queue is not null)
     where b.state = 'open'
)"""
