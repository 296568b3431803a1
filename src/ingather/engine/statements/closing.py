"""The SQL of close: a batch without unfinished items and unfinished children, open to closed."""

from typing import Final, LiteralString

# It takes no lock, so it may run often. Driven from tally: batches that nothing has finished in are not looked at.
RIPE: Final[LiteralString] = """
select t.batch_id
  from ingather.tally t
  join ingather.batch b on b.id = t.batch_id
 where t.batch_id = any(%(batch_ids)s::bigint[]) and b.state = 'open'
 group by t.batch_id, b.id
having sum(t.completed + t.error + t.cancelled) = b.total
   and not exists (select from ingather.batch c where c.parent_id = b.id and c.holds_parent)
"""

# The same for all batches that a worker has finished something in, once it is dead: nobody else may look at them soon.
RIPE_BY: Final[LiteralString] = """
select b.id
  from (select distinct batch_id from ingather.tally where worker_id = %(worker_id)s) as mine
  join ingather.batch b on b.id = mine.batch_id and b.state = 'open'
 where (select sum(t.completed + t.error + t.cancelled) from ingather.tally t where t.batch_id = b.id) = b.total
   and not exists (select from ingather.batch c where c.parent_id = b.id and c.holds_parent)
"""

# A batch that an operator or a caller's own transaction holds is left for the next tick: a worker must not wait for it.
LOCK_OPEN_BATCHES: Final[LiteralString] = """
select id
  from ingather.batch
 where id = any(%(batch_ids)s::bigint[]) and state = 'open'
 order by id
   for no key update skip locked
"""

# open -> closed, under LOCK_OPEN_BATCHES of an earlier statement: this one has a snapshot of its own, so an add or a
# retry that held the lock before us is seen. The gather item is born in the same commit; the tally has served. A child
# lets its parent go here, unless its own gather has still to run. Of two children that close at once neither sees the
# other's commit, so the parent is looked at afterwards, in a transaction of its own.
CLOSE: Final[LiteralString] = """
with finished as materialized (
    select batch_id, sum(completed) as completed, sum(error) as error, sum(cancelled) as cancelled
      from ingather.tally
     where batch_id = any(%(batch_ids)s::bigint[])
     group by batch_id
), closed as (
    update ingather.batch b
       set state = 'closed', closed_at = clock_timestamp(), completed = f.completed, error = f.error,
           cancelled = f.cancelled, holds_parent = b.holds_parent and b.gathers,
           gather_id = case when b.gathers then nextval('ingather.segment_id'::regclass) << 20 end
      from finished f
     where b.id = f.batch_id and b.state = 'open' and b.total = f.completed + f.error + f.cancelled
       and not exists (select from ingather.batch c where c.parent_id = b.id and c.holds_parent)
    returning b.id, b.kind, b.queue, b.gather_id, b.parent_id
), gathering as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, is_gather, queue, kind)
    -- due since long ago, so that it stands before all other items that wait: there is only one
    select gather_id, id, to_timestamp(0), 0, 0, true, queue, kind from closed where gather_id is not null
), served as (
    delete from ingather.tally t using closed where t.batch_id = closed.id
)
select id, gather_id, case when gather_id is null then parent_id end from closed
"""

# The gathers of these batches have ended, so they let their parents go.
FREE_PARENTS: Final[LiteralString] = """
update ingather.batch b
   set holds_parent = false
 where b.id = any(%(batch_ids)s::bigint[]) and b.holds_parent and b.state = 'closed'
   and (b.gather_id is null or exists (select from ingather.outcome o where o.item_id = b.gather_id))
returning b.parent_id
"""
