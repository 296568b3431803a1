"""The SQL of claim: pending to running, and what a worker asks when a claim came back empty."""

from typing import Final, LiteralString

# Claims from a queue with limits take turns here; the count in CLAIM then runs in a later snapshot and is exact.
LOCK_QUEUE: Final[LiteralString] = "select 1 from ingather.queue where name = %(queue)s for no key update"

# pending -> running. Takes up to k items of one queue: first what waits for its moment (at most kw, so that returning
# items and fresh ones share), then runs of fresh items: of the highest priority, of the share after the one this worker
# served last, batch by batch behind the one it served last of this share; and only if that is not enough, of the other
# shares, around again, and of lower priorities. Candidates are read without a lock and only those needed are locked, so
# claimers of different batches never meet; a segment that another claimer holds is skipped. Each branch reads one
# contiguous part of an index and stops after k rows: what nobody may claim here (kinds of other workers, paused
# batches) is not in its way.
# The commit does not wait for the disk: a claim lost in a crash was a promise to nobody, its items are still pending,
# and its token opens nothing. A synchronous commit after it makes it durable too, since WAL is one sequence.
# `me` fails once the worker was declared dead, and holds off the sweeper until this claim has committed.
# The batch is read by a subquery and rows are looked up by `= any(array(…))`: as joins, a planner without fresh
# statistics would read and sort every open segment.
# Arrays stand in a select of their own: a planner that could count them would make a plan for just these each time.
_WHO: Final[LiteralString] = """
with quick as materialized (
    select set_config('synchronous_commit', 'off', true)
), me as materialized (
    select worker.id from ingather.worker, quick where worker.id = %(worker_id)s for key share of worker
"""

# Where nothing is limited there is nothing to count. If there is a limit after all, this claims nothing.
_NO_LIMIT: Final[LiteralString] = """), lane as materialized (
    select %(k)s::integer as k
      from ingather.queue q, me
     where q.name = %(queue)s
       and not q.paused
       and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
       and q.max_running is null and q.rate_items is null
"""

# Counted under LOCK_QUEUE of an earlier statement, so that nobody else takes the same room.
_LIMITS: Final[LiteralString] = """), lane as materialized (
    select least(
               %(k)s,
               q.max_running - (select coalesce(sum(open), 0) from ingather.lease where queue = %(queue)s),
               q.rate_items - (select coalesce(sum(items), 0) from ingather.rate_use
                                where queue = %(queue)s and used_at > statement_timestamp() - q.rate_window)
           ) as k,
           q.rate_window
      from ingather.queue q, me
     where q.name = %(queue)s
       and not q.paused
       and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
"""

_ITEMS: Final[LiteralString] = """), own as materialized (
    select kind from unnest((select %(kinds)s::text[])) as kind
), heads as materialized (
    select own.kind, s.priority
      from own
     cross join lateral (select s.priority from ingather.segment s
                          where s.queue = %(queue)s and not s.parked and s.kind = own.kind
                            and not (select b.paused from ingather.batch b where b.id = s.batch_id)
                          order by s.priority desc limit 1) as s
), top as materialized (
    select max(priority) as priority from heads
), foremost as materialized (
    select kind from heads where priority = (select priority from top)
), most as materialized (
    select greatest(coalesce(min(least(lane.k, case when top.priority is null then lane.k else %(kw)s end)), 0), 0) as k
      from lane, top
), due as materialized (
    select w.item_id, w.batch_id, w.attempt, w.lost, w.is_gather, w.died_with, w.spared
      from own
     cross join lateral (select * from ingather.waiting w
                          where w.queue = %(queue)s and not w.parked and w.kind = own.kind
                            and w.run_at <= statement_timestamp()
                            and (w.is_gather or not (select b.paused from ingather.batch b where b.id = w.batch_id))
                          order by w.run_at
                          limit (select k from most)
                            for no key update skip locked) as w
     order by w.run_at
     limit (select k from most)
), back as (
    delete from ingather.waiting w using due where w.item_id = due.item_id
), want as materialized (
    select greatest(coalesce(min(k), 0) - (select count(*) from due), 0) as k from lane
), whose as materialized (
    select s.share,
           coalesce((select last.batch_id
                       from unnest((select %(shares)s::text[]), (select %(afters)s::bigint[])) as last(share, batch_id)
                      where last.share = s.share), 0) as after
      from foremost as own
     cross join lateral (
           (select s.share, 0 as round from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share > %(after_share)s
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.share limit (select least(k, 1) from want))
            union all
           (select s.share, 1 from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share <= %(after_share)s
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.share limit (select least(k, 1) from want))) as s
     order by s.round, s.share
     limit 1
), theirs as materialized (
    select s.*
      from foremost as own
     cross join lateral (
           (select s.id, s.batch_id, s.share, s.priority, 0 as round, s.last_id - s.next_id + 1 as items
              from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share = (select share from whose)
               and s.batch_id > (select after from whose)
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.batch_id limit (select k from want))
            union all
           (select s.id, s.batch_id, s.share, s.priority, 1, s.last_id - s.next_id + 1
              from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share = (select share from whose)
               and s.batch_id <= (select after from whose)
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.batch_id limit (select k from want))) as s
"""

# The other shares are read only as far as the one whose turn it is has too few.
_ALL_SHARES: Final[LiteralString] = """), lack as materialized (
    select greatest(want.k - (select coalesce(sum(items), 0) from theirs), 0) as k from want
), others as materialized (
    select s.*
      from foremost as own
     cross join lateral (
           (select s.id, s.batch_id, s.share, s.priority, 2 as round, s.last_id - s.next_id + 1 as items
              from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share > (select share from whose)
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.share, s.batch_id limit (select k from lack))
            union all
           (select s.id, s.batch_id, s.share, s.priority, 3, s.last_id - s.next_id + 1
              from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority = (select priority from top) and s.share < (select share from whose)
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.share, s.batch_id limit (select k from lack))) as s
     union all
    select s.*
      from heads as own
     cross join lateral (
           (select s.id, s.batch_id, s.share, s.priority, 4 as round, s.last_id - s.next_id + 1 as items
              from ingather.segment s
             where s.queue = %(queue)s and not s.parked and s.kind = own.kind
               and s.priority < (select priority from top)
               and not (select b.paused from ingather.batch b where b.id = s.batch_id)
             order by s.priority desc, s.share, s.batch_id limit (select k from lack))) as s
), turn as (
    select * from theirs union all select * from others
"""

# A claim from one share is a third less for the server to set up.
_ONE_SHARE: Final[LiteralString] = """), turn as (
    select * from theirs
"""

_RUNS: Final[LiteralString] = """), needed as materialized (
    select id, place
      from (select id,
                   row_number() over o as place,
                   sum(items) over o - items as before
              from turn
            window o as (order by priority desc, round, share, batch_id, id)) as t, want
     where before < want.k
), held as materialized (
    select s.id, s.batch_id, s.next_id, s.last_id
      from ingather.segment s
     where s.id = any(array(select id from needed)) and s.queue is not null and not s.parked
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
"""

# Claims within a thousandth of a rate's window share a row, which leaves the window with the last of them.
_RATES: Final[LiteralString] = """), starts as materialized (
    select (select count(*) from due) + coalesce(sum(last_id - first_id + 1), 0) as items from taken
), latest as materialized (
    select u.ctid as row
      from lane
     cross join lateral (select u.ctid, u.began_at from ingather.rate_use u
                          where u.queue = %(queue)s order by u.used_at desc limit 1) as u
     where u.began_at > clock_timestamp() - lane.rate_window / 1000
), shared as (
    update ingather.rate_use u set items = u.items + starts.items, used_at = clock_timestamp()
      from starts where u.ctid = any(array(select row from latest)) and starts.items > 0
    returning 1
), used as (
    insert into ingather.rate_use (queue, items)
    select %(queue)s, items
      from starts, lane
     where lane.rate_window is not null and items > 0 and not exists (select from shared)
), faded as (
    delete from ingather.rate_use u
     using lane where u.queue = %(queue)s and u.used_at < statement_timestamp() - 10 * lane.rate_window
"""

_LEASES: Final[LiteralString] = """), leased as (
    insert into ingather.lease
           (token, first_id, last_id, batch_id, worker_id, open, starting, attempt, lost, is_gather, queue,
            died_with, spared)
    select %(token)s + row_number() over o, first_id, last_id, batch_id, %(worker_id)s, items,
           greatest(0, least(items, %(free)s - (sum(items) over o - items))), attempt + 1, lost, is_gather, %(queue)s,
           died_with, spared
      from (select 0 as place, item_id as first_id, item_id as last_id, 1 as items, batch_id, attempt, lost, is_gather,
                   died_with, spared
              from due
            union all
            select place, first_id, last_id, last_id - first_id + 1, batch_id, 0, 0, false, null, null
              from taken) as run
    window o as (order by place, first_id)
    returning token, first_id, last_id, batch_id, attempt, lost, is_gather
)
select l.token, l.first_id, l.last_id, l.batch_id, l.attempt, l.lost, l.is_gather,
       b.kind, b.max_attempts, b.timeout_s, s.first_ordinal + (l.first_id & 1048575),
       (select string_agg(p.body::text, E'\\n' order by p.item_id)
          from ingather.payload p where p.item_id between l.first_id and l.last_id),
       s.key, b.parent_id, s.share
  from leased l
  join ingather.batch b on b.id = l.batch_id and b.id = any(array(select batch_id from leased))
  left join lateral (select first_ordinal, key::text, share from ingather.segment where id = l.first_id >> 20
                     offset 0) as s on true  -- offset: by index
 order by l.token
"""

CLAIM: Final[LiteralString] = _WHO + _NO_LIMIT + _ITEMS + _ALL_SHARES + _RUNS + _LEASES

# The same from the share whose turn it is alone, which is all that most claims need.
CLAIM_FROM_SHARE: Final[LiteralString] = _WHO + _NO_LIMIT + _ITEMS + _ONE_SHARE + _RUNS + _LEASES

# The same for a queue with limits, under its lock.
CLAIM_LIMITED: Final[LiteralString] = _WHO + _LIMITS + _ITEMS + _ALL_SHARES + _RUNS + _RATES + _LEASES

# A worker asks this of queues from which a claim came back empty, all of them in one statement: does a queue need the
# locked claim, when is the next moment worth waking for, and is there something that a claim might bring right now?
OUTLOOK: Final[LiteralString] = """
with own as materialized (
    select kind from unnest((select %(kinds)s::text[])) as kind
)
select q.name, is_limited,
       extract(epoch from least(
           (select min(w.run_at) from own
             cross join lateral (select w.run_at from ingather.waiting w
                                  where w.queue = q.name and not w.parked and w.kind = own.kind
                                    and w.run_at > statement_timestamp()
                                  order by w.run_at limit 1) as w),
           case when q.blocked_until > clock_timestamp() then q.blocked_until end,
           case when q.rate_items is not null then
               (select u.used_at from ingather.rate_use u
                 where u.queue = q.name and u.used_at > statement_timestamp() - q.rate_window
                 order by u.used_at limit 1) + q.rate_window end
       ) - clock_timestamp())::float8,
       not q.paused and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
           and (exists (select from own
                         cross join lateral (select from ingather.segment s
                                              where s.queue = q.name and not s.parked and s.kind = own.kind
                                                and not (select b.paused from ingather.batch b where b.id = s.batch_id)
                                              limit 1) as s)
                or exists (select from own
                            cross join lateral (select from ingather.waiting w
                                                 where w.queue = q.name and not w.parked and w.kind = own.kind
                                                   and w.run_at <= statement_timestamp()
                                                   and (w.is_gather or not (select b.paused from ingather.batch b
                                                                             where b.id = w.batch_id))
                                                 limit 1) as w))
  from unnest((select %(queues)s::text[])) as mine(name)
  join ingather.queue q on q.name = mine.name
 cross join lateral (select q.max_running is not null or q.rate_items is not null as is_limited) as l
"""

QUEUES: Final[LiteralString] = """
select name, max_running is not null or rate_items is not null from ingather.queue order by name
"""

# Nothing fresh, nothing due within the horizon, nothing in this worker's hands, and no batch that someone is just
# closing: a gather would follow. One snapshot, since an item may move from one to the next while we look.
IS_IDLE: Final[LiteralString] = """
with mine as materialized (
    select q.name as queue, own.kind
      from ingather.queue q, unnest((select %(kinds)s::text[])) as own(kind)
     where q.name = any(%(queues)s) and not q.paused
       and (q.blocked_until is null or q.blocked_until <= clock_timestamp() + %(horizon)s)
       and (q.rate_items is null
            or q.rate_items > (select coalesce(sum(u.items), 0) from ingather.rate_use u
                                where u.queue = q.name
                                  and u.used_at > statement_timestamp() + %(horizon)s - q.rate_window))
)
select not exists (select from mine
                    cross join lateral (select from ingather.segment s
                                         where s.queue = mine.queue and not s.parked and s.kind = mine.kind
                                           and not (select b.paused from ingather.batch b where b.id = s.batch_id)
                                         limit 1) as s)
   and not exists (select from mine
                    cross join lateral (select from ingather.waiting w
                                         where w.queue = mine.queue and not w.parked and w.kind = mine.kind
                                           and (w.is_gather or not (select b.paused from ingather.batch b
                                                                     where b.id = w.batch_id))
                                           and w.run_at <= statement_timestamp() + %(horizon)s
                                         limit 1) as w)
   and not exists (select from ingather.tally t join ingather.batch b on b.id = t.batch_id
                    where b.state = 'open' and b.kind = any(%(kinds)s)
                    group by b.id having sum(t.completed + t.error + t.cancelled) = b.total
                      and not exists (select from ingather.batch c where c.parent_id = b.id and c.holds_parent))
   and not exists (select from ingather.lease where worker_id = %(worker_id)s)
"""
