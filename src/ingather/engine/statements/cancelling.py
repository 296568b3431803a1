"""The SQL of cancel: pending and running to cancelled, and the batch closed, with the children that hold it open."""

from typing import Final, LiteralString

# Children of one batch, under its lock: no item of it can scatter another meanwhile. Families are locked from the top
# down, so two cancels meet at the upper one.
LOCK_CHILDREN: Final[LiteralString] = """
select id, state
  from ingather.batch
 where parent_id = any(%(batch_ids)s::bigint[]) and holds_parent
 order by id
   for no key update
"""

# From here on no claim can take fresh items of the batches.
DRAIN_SEGMENTS: Final[LiteralString] = """
update ingather.segment set next_id = last_id + 1, queue = null
 where batch_id = any(%(batch_ids)s::bigint[]) and queue is not null
"""

# An item can move between the two while we look (claim, put back, sweep), so both are emptied until one snapshot
# shows neither.
DROP_WAITING: Final[LiteralString] = """
delete from ingather.waiting w
 using ingather.segment s
 where s.batch_id = any(%(batch_ids)s::bigint[]) and w.item_id between s.id << 20 and s.last_id
"""

DROP_LEASES: Final[LiteralString] = """
with held as materialized (
    select token from ingather.lease
     where batch_id = any(%(batch_ids)s::bigint[]) and not is_gather order by token for update
)
delete from ingather.lease l using held where l.token = held.token
"""

HAS_OPEN_ITEMS: Final[LiteralString] = """
select exists (select from ingather.waiting w join ingather.segment s
                   on s.batch_id = any(%(batch_ids)s::bigint[]) and w.item_id between s.id << 20 and s.last_id)
    or exists (select from ingather.lease where batch_id = any(%(batch_ids)s::bigint[]) and not is_gather)
"""

CANCEL_THE_REST: Final[LiteralString] = """
with ended as (
    insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, error)
    select p.item_id, 0, 0, 0, 0, 0, 'x',
           '{"reason": "cancelled", "message": "cancelled before it ended",
             "notice": {"id": "engine.cancelled", "params": {}}}'
      from ingather.segment s
      join ingather.payload p on p.item_id between s.id << 20 and s.last_id
     where s.batch_id = any(%(batch_ids)s::bigint[])
       and not exists (select from ingather.outcome o where o.item_id = p.item_id offset 0)  -- offset: by index
        on conflict (item_id) do nothing
    returning item_id
)
insert into ingather.tally as t (batch_id, worker_id, cancelled)
select s.batch_id, 0, count(*)
  from ended join ingather.segment s on s.id = ended.item_id >> 20
 group by s.batch_id
 order by s.batch_id
    on conflict (batch_id, worker_id) do update set cancelled = t.cancelled + excluded.cancelled
"""

# The children that are cancelled with their parent hold it no longer, whether they gather or not.
FREE_FAMILY: Final[LiteralString] = """
update ingather.batch set holds_parent = false where id = any(%(batch_ids)s::bigint[]) and holds_parent
"""
