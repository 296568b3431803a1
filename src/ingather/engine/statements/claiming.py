"""The SQL of claim: pending to running, and what a worker asks when a claim came back empty."""

from typing import Final, LiteralString

# Claims from a queue with limits take turns here; the count in CLAIM then runs in a later snapshot and is exact.
LOCK_QUEUE: Final[LiteralString] = "select 1 from ingather.queue where name = %(queue)s for no key update"

# pending -> running. Takes up to k items of one queue: first what waits for its moment (at most kw, so that returning
# items and fresh ones share), then runs of fresh items, batch by batch in turn: by priority, then the batches after
# the one this worker served last, then around again. Candidates are read without a lock and only those needed are
# locked, so claimers of different batches never meet; a segment that another claimer holds is skipped.
# The commit does not wait for the disk: a claim lost in a crash was a promise to nobody, its items are still pending,
# and its token opens nothing. A synchronous commit after it makes it durable too, since WAL is one sequence.
# `me` fails once the worker was declared dead, and holds off the sweeper until this claim has committed.
# The batch is read by a subquery and rows are looked up by `= any(array(…))`: as joins, a planner without fresh
# statistics would read and sort every open segment.
CLAIM: Final[LiteralString] = """
with quick as materialized (
    select set_config('synchronous_commit', 'off', true)
), me as materialized (
    select worker.id from ingather.worker, quick where worker.id = %(worker_id)s for key share of worker
), lane as materialized (
    select least(
               %(k)s,
               q.max_running - (select coalesce(sum(open), 0) from ingather.lease where queue = %(queue)s),
               q.rate_items - (select coalesce(sum(items), 0) from ingather.rate_use
                                where queue = %(queue)s and used_at > statement_timestamp() - q.rate_window)
           ) as k,
           q.rate_items is not null as is_rated
      from ingather.queue q, me
     where q.name = %(queue)s
       and not q.paused
       and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
       and (%(is_locked)s or (q.max_running is null and q.rate_items is null))
), due as materialized (
    select w.item_id, w.batch_id, w.attempt, w.lost, w.is_gather
      from ingather.waiting w
     where w.queue = %(queue)s
       and w.run_at <= statement_timestamp()
       and (select (w.is_gather or not b.paused) and b.kind = any(%(kinds)s)
              from ingather.batch b where b.id = w.batch_id)
     order by w.run_at
     limit (select greatest(coalesce(min(least(k, case when is_fresh then %(kw)s else k end)), 0), 0)
              from lane, (select exists (select from ingather.segment where queue = %(queue)s)) as f(is_fresh))
       for no key update skip locked
), back as (
    delete from ingather.waiting w using due where w.item_id = due.item_id
), want as materialized (
    select greatest(coalesce(min(k), 0) - (select count(*) from due), 0) as k from lane
), turn as materialized (
    (select s.id, s.batch_id, s.priority, 0 as round, s.last_id - s.next_id + 1 as items
       from ingather.segment s
      where s.queue = %(queue)s and s.batch_id > %(after)s
        and (select not b.paused and b.kind = any(%(kinds)s) from ingather.batch b where b.id = s.batch_id)
      order by s.priority desc, s.batch_id
      limit (select k from want))
    union all
    (select s.id, s.batch_id, s.priority, 1, s.last_id - s.next_id + 1
       from ingather.segment s
      where s.queue = %(queue)s and s.batch_id <= %(after)s
        and (select not b.paused and b.kind = any(%(kinds)s) from ingather.batch b where b.id = s.batch_id)
      order by s.priority desc, s.batch_id
      limit (select k from want))
), needed as materialized (
    select id, place
      from (select id,
                   row_number() over o as place,
                   sum(items) over o - items as before
              from turn
            window o as (order by priority desc, round, batch_id, id)) as t, want
     where before < want.k
), held as materialized (
    select s.id, s.batch_id, s.next_id, s.last_id
      from ingather.segment s
     where s.id = any(array(select id from needed)) and s.queue is not null
       for no key update skip locked
), taken as materialized (
    select id, batch_id, place, next_id as first_id, least(last_id, next_id + want.k - before - 1) as last_id
      from (select held.*, needed.place,
                   sum(last_id - next_id + 1) over (order by place) - (last_id - next_id + 1) as before
              from held join needed on needed.id = held.id) as h, want
     where before < want.k
), moved as (
    update ingather.segment s
       set next_id = taken.last_id + 1,
           queue = case when taken.last_id < s.last_id then s.queue end
      from taken
     where s.id = taken.id and s.id = any(array(select id from taken))
), used as (
    insert into ingather.rate_use (queue, items)
    select %(queue)s, items
      from (select (select count(*) from due) + coalesce(sum(last_id - first_id + 1), 0) as items from taken) as n, lane
     where lane.is_rated and items > 0
), leased as (
    insert into ingather.lease
           (token, first_id, last_id, batch_id, worker_id, open, starting, attempt, lost, is_gather, queue)
    select %(token)s + row_number() over o, first_id, last_id, batch_id, %(worker_id)s, items,
           greatest(0, least(items, %(free)s - (sum(items) over o - items))), attempt + 1, lost, is_gather, %(queue)s
      from (select 0 as place, item_id as first_id, item_id as last_id, 1 as items, batch_id, attempt, lost, is_gather
              from due
            union all
            select place, first_id, last_id, last_id - first_id + 1, batch_id, 0, 0, false from taken) as run
    window o as (order by place, first_id)
    returning token, first_id, last_id, batch_id, attempt, lost, is_gather
)
select l.token, l.first_id, l.last_id, l.batch_id, l.attempt, l.lost, l.is_gather,
       b.kind, b.max_attempts, b.timeout_s, s.first_ordinal + (l.first_id & 1048575),
       (select string_agg(p.body::text, E'\\n' order by p.item_id)
          from ingather.payload p where p.item_id between l.first_id and l.last_id),
       s.key
  from leased l
  join ingather.batch b on b.id = l.batch_id and b.id = any(array(select batch_id from leased))
  left join lateral (select first_ordinal, key::text from ingather.segment where id = l.first_id >> 20
                     offset 0) as s on true  -- offset: by index
 order by l.token
"""

# After an empty claim: does the queue need the locked claim, when is the next moment worth waking for, and is
# there work right now that another claimer merely held, or that was not this claim's turn?
OUTLOOK: Final[LiteralString] = """
select is_limited,
       extract(epoch from least(
           (select min(w.run_at) from ingather.waiting w
             where w.queue = %(queue)s and w.run_at > statement_timestamp()),
           case when q.blocked_until > clock_timestamp() then q.blocked_until end,
           (select min(u.used_at) + q.rate_window from ingather.rate_use u
             where u.queue = %(queue)s and u.used_at > statement_timestamp() - q.rate_window)
       ) - clock_timestamp())::float8,
       not is_limited and not q.paused and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
           and (exists (select from ingather.segment s join ingather.batch b on b.id = s.batch_id
                         where s.queue = %(queue)s and not b.paused and b.kind = any(%(kinds)s))
                or exists (select from ingather.waiting w join ingather.batch b on b.id = w.batch_id
                            where w.queue = %(queue)s and w.run_at <= statement_timestamp()
                              and (w.is_gather or not b.paused) and b.kind = any(%(kinds)s)))
  from ingather.queue q
 cross join lateral (select q.max_running is not null or q.rate_items is not null as is_limited) as l
 where q.name = %(queue)s
"""

QUEUES: Final[LiteralString] = """
select name, max_running is not null or rate_items is not null from ingather.queue order by name
"""

# Nothing fresh, nothing due within the horizon, nothing in this worker's hands, and no batch that someone is just
# closing: a gather would follow. One snapshot, since an item may move from one to the next while we look.
IS_IDLE: Final[LiteralString] = """
select not exists (select from ingather.segment s join ingather.batch b on b.id = s.batch_id
                     join ingather.queue q on q.name = s.queue
                    where s.queue = any(%(queues)s) and b.kind = any(%(kinds)s) and not b.paused and not q.paused
                      and (q.blocked_until is null or q.blocked_until <= clock_timestamp() + %(horizon)s))
   and not exists (select from ingather.waiting w join ingather.batch b on b.id = w.batch_id
                     join ingather.queue q on q.name = w.queue
                    where w.queue = any(%(queues)s) and b.kind = any(%(kinds)s) and (w.is_gather or not b.paused)
                      and not q.paused
                      and (q.blocked_until is null or q.blocked_until <= clock_timestamp() + %(horizon)s)
                      and w.run_at <= statement_timestamp() + %(horizon)s)
   and not exists (select from ingather.tally t join ingather.batch b on b.id = t.batch_id
                    where b.state = 'open' and b.kind = any(%(kinds)s)
                    group by b.id having sum(t.completed + t.error + t.cancelled) = b.total)
   and not exists (select from ingather.lease where worker_id = %(worker_id)s)
"""
