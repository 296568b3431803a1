"""The SQL of close: a batch without unfinished items, open to closed."""

from typing import Final, LiteralString

# It takes no lock, so it may run often. Driven from tally: batches that nothing has finished in are not looked at.
RIPE: Final[LiteralString] = """
select t.batch_id
  from ingather.tally t
  join ingather.batch b on b.id = t.batch_id
 where t.batch_id = any(%(batch_ids)s::bigint[]) and b.state = 'open'
 group by t.batch_id, b.total
having sum(t.completed + t.error + t.cancelled) = b.total
"""

ALL_RIPE: Final[LiteralString] = """
select t.batch_id
  from ingather.tally t
  join ingather.batch b on b.id = t.batch_id
 where b.state = 'open'
 group by t.batch_id, b.total
having sum(t.completed + t.error + t.cancelled) = b.total
 limit 1000
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
# retry that held the lock before us is seen. The gather item is born in the same commit; the tally has served.
CLOSE: Final[LiteralString] = """
with finished as materialized (
    select batch_id, sum(completed) as completed, sum(error) as error, sum(cancelled) as cancelled
      from ingather.tally
     where batch_id = any(%(batch_ids)s::bigint[])
     group by batch_id
), closed as (
    update ingather.batch b
       set state = 'closed', closed_at = clock_timestamp(), completed = f.completed, error = f.error,
           cancelled = f.cancelled,
           gather_id = case when b.gathers then nextval('ingather.segment_id'::regclass) << 20 end
      from finished f
     where b.id = f.batch_id and b.state = 'open' and b.total = f.completed + f.error + f.cancelled
    returning b.id, b.queue, b.gather_id
), gathering as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, is_gather, queue)
    -- due since long ago, so that it stands before all other items that wait: there is only one
    select gather_id, id, to_timestamp(0), 0, 0, true, queue from closed where gather_id is not null
), served as (
    delete from ingather.tally t using closed where t.batch_id = closed.id
)
select id, gather_id from closed
"""

# At most one aggregator at a time does the work that any of them could: a throttle, not a lock that safety needs.
THROTTLE: Final[LiteralString] = "select pg_try_advisory_xact_lock(hashtext('ingather.aggregator'))"
