"""The SQL of retention: what closed long ago is removed in small steps."""

from typing import Final, LiteralString

OLDEST_CLOSED: Final[LiteralString] = """
select id
  from ingather.batch
 where state = 'closed'
   and closed_at < clock_timestamp() - %(keep)s
   and (gather_id is null or exists (select from ingather.outcome o where o.item_id = gather_id))
 order by closed_at
 limit 1
   for update skip locked
"""

# Locked, so that a retry of its failed items cannot open it meanwhile. A gather that still runs would store its result
# for a batch that is gone.
CLOSED_OR_GONE: Final[LiteralString] = """
select state = 'closed' and (gather_id is null or exists (select from ingather.outcome o where o.item_id = gather_id))
  from ingather.batch
 where id = %(batch_id)s
   for update
"""

# A step removes at most a few thousand rows. The batch row goes last, so an interrupted prune is taken up again.
PRUNE_STEP: Final[LiteralString] = """
with few as materialized (
    select p.item_id
      from ingather.segment s
      join ingather.payload p on p.item_id between s.id << 20 and s.last_id
     where s.batch_id = %(batch_id)s
     limit %(limit)s
), no_outcome as (
    delete from ingather.outcome where item_id = any(array(select item_id from few))
), no_payload as (
    delete from ingather.payload where item_id = any(array(select item_id from few))
)
select count(*) from few
"""

PRUNE_BATCH: Final[LiteralString] = """
with runs as (
    delete from ingather.segment where batch_id = %(batch_id)s
), no_gather as (
    delete from ingather.outcome o using ingather.batch b where b.id = %(batch_id)s and o.item_id = b.gather_id
)
delete from ingather.batch where id = %(batch_id)s
"""

PRUNE_RATE_USE: Final[LiteralString] = """
delete from ingather.rate_use u
 where u.used_at < clock_timestamp()
                   - coalesce((select 10 * q.rate_window from ingather.queue q where q.name = u.queue), interval '0')
"""
