"""The SQL of retention: what closed long ago is removed in small steps."""

from typing import Final, LiteralString

# The batches of one step: many small ones, or one that is larger than a step. `since` is where the step before came to:
# what lies before it is gone, but PostgreSQL keeps the rows for as long as any snapshot may see them, and a search that
# began there would read all of them each time. A child stays until the gather of its parent has read it.
PRUNABLE: Final[LiteralString] = """
with old as materialized (
    select b.id, sum(b.total) over (order by b.closed_at, b.id) - b.total as before
      from (select id, total, closed_at
              from ingather.batch b
             where state = 'closed'
               and closed_at < clock_timestamp() - %(keep)s
               and closed_at >= %(since)s
               and (gather_id is null or exists (select from ingather.outcome o where o.item_id = b.gather_id))
               and (parent_id is null
                    or not exists (select from ingather.batch p
                                    where p.id = b.parent_id
                                      and (p.state = 'open'
                                           or (p.gather_id is not null
                                               and not exists (select from ingather.outcome o
                                                                where o.item_id = p.gather_id)))))
             order by closed_at
             limit %(batches)s) as b
)
select id, total, pruned_to, closed_at
  from ingather.batch
 where id = any(array(select id from old where before < %(rows)s)) and state = 'closed'
 order by id
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

# A part of a batch that is larger than a step: the next of its segments, and of the last of them as much as there is
# room for. What is done is written to the batch, so whoever takes the next step begins behind it.
PRUNE_PART: Final[LiteralString] = """
with next as materialized (
    select id, last_id, greatest(id << 20, %(pruned_to)s + 1) as first_id
      from ingather.segment
     where batch_id = %(batch_id)s and id >= %(pruned_to)s >> 20 and last_id > %(pruned_to)s
     order by id
     limit %(rows)s
), part as materialized (
    select first_id, least(last_id, first_id + %(rows)s - before - 1) as last_id
      from (select first_id, last_id,
                   sum(last_id - first_id + 1) over (order by id) - (last_id - first_id + 1) as before
              from next) as n
     where before < %(rows)s
), ids as materialized (
    select item_id from part cross join lateral generate_series(part.first_id, part.last_id) as item_id
), no_outcome as (
    delete from ingather.outcome where item_id = any(array(select item_id from ids))
), no_payload as (
    delete from ingather.payload where item_id = any(array(select item_id from ids))
)
update ingather.batch
   set pruned_to = (select max(last_id) from part)
 where id = %(batch_id)s and exists (select from part)
returning (select count(*) from ids)
"""

PRUNE_LABELS: Final[LiteralString] = """
delete from ingather.label
 where ctid = any(array(select ctid from ingather.label where batch_id = %(batch_id)s limit %(rows)s))
returning 1
"""

# Whole batches, with all that is left of them. The batch rows go last.
PRUNE_WHOLE: Final[LiteralString] = """
with runs as materialized (
    select id, last_id, batch_id from ingather.segment where batch_id = any(%(batch_ids)s::bigint[])
), ids as materialized (
    select item_id
      from runs join ingather.batch b on b.id = runs.batch_id
     cross join lateral generate_series(greatest(runs.id << 20, b.pruned_to + 1), runs.last_id) as item_id
), no_outcome as (
    delete from ingather.outcome
     where item_id = any(array(select item_id from ids
                               union all
                               select gather_id from ingather.batch
                                where id = any(%(batch_ids)s::bigint[]) and gather_id is not null))
), no_payload as (
    delete from ingather.payload where item_id = any(array(select item_id from ids))
), no_label as (
    delete from ingather.label where batch_id = any(%(batch_ids)s::bigint[])
), no_run as (
    delete from ingather.segment where id = any(array(select id from runs))
)
delete from ingather.batch where id = any(%(batch_ids)s::bigint[])
"""
