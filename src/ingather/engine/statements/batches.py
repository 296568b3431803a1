"""The SQL of batches as people see them: progress, lists, pause."""

from typing import Final, LiteralString

# One snapshot, so the parts add up to the total at every read. Costs the writers and leases of the batch, never its
# items. It is sent so often that it should be planned once. The ids stand in a select of their own: a planner that
# could count them would find a plan for just these cheaper each time, and making that plan takes six times as long as
# reading the rows.
PROGRESS: Final[LiteralString] = """
select b.id, b.kind, b.queue, b.state, b.version, b.paused, b.total,
       b.total - c.completed - c.error - c.cancelled - coalesce(l.running, 0),
       coalesce(l.running, 0), c.completed, c.error, c.cancelled, b.created_at, b.closed_at,
       case when b.gather_id is not null then
           coalesce((select case o.state when 'c' then 'completed' else 'error' end
                       from ingather.outcome o where o.item_id = b.gather_id),
                    case when l.is_gathering then 'running' else 'pending' end)
       end
  from ingather.batch b
  left join lateral (
      select sum(completed)::bigint as completed, sum(error)::bigint as error, sum(cancelled)::bigint as cancelled
        from ingather.tally where batch_id = b.id and b.state = 'open'
  ) t on true
  left join lateral (
      select sum(open) filter (where not is_gather) as running, bool_or(is_gather) as is_gathering
        from ingather.lease where queue = b.queue and batch_id = b.id
  ) l on true
 cross join lateral (
      select coalesce(b.completed, t.completed, 0) as completed, coalesce(b.error, t.error, 0) as error,
             coalesce(b.cancelled, t.cancelled, 0) as cancelled
  ) c
 where b.id = any((select %(batch_ids)s::bigint[])::bigint[])
 order by b.id desc
"""

LIST_BATCHES: Final[LiteralString] = """
select id
  from ingather.batch
 where (%(state)s::text is null or state = %(state)s)
   and (%(kind)s::text is null or kind = %(kind)s)
   and (%(without)s::text is null or kind <> %(without)s)
   and (%(before)s::bigint is null or id < %(before)s)
 order by id desc
 limit %(limit)s
"""

PAUSE: Final[LiteralString] = """
update ingather.batch set paused = %(paused)s where id = %(batch_id)s returning id
"""

# After PAUSE, under the batch's lock: what nobody may claim for now is taken out of the way of claims, or put back
# there. A claim heeds the batch's own switch all the same, as an item may come back meanwhile.
PARK_SEGMENTS: Final[LiteralString] = """
update ingather.segment set parked = %(paused)s
 where batch_id = %(batch_id)s and queue is not null and parked <> %(paused)s
"""

PARK_WAITING: Final[LiteralString] = """
update ingather.waiting w set parked = %(paused)s
  from ingather.segment s
 where s.batch_id = %(batch_id)s and w.item_id between s.id << 20 and s.last_id and w.parked <> %(paused)s
"""

# The batches that items of this one have scattered, in the order in which they came.
CHILDREN_PAGE: Final[LiteralString] = """
select id from ingather.batch where parent_id = %(batch_id)s and id > %(after)s order by id limit %(limit)s
"""
