"""Every SQL text of the engine: one per verb, guarded by the state it leaves.

Lock order, for every statement and every script that strings them together:
queue, worker, batch, waiting and segment, lease, then rows that only one
writer touches (tally, outcome). Rows of one table by id. A claim never waits
for a row: it skips what is locked. One exception: a queue that is new is made
behind its batch, so of two transactions that scatter into it twice, with keys
crossed, one may be refused as a deadlock.

Only the database's clock is used. `statement_timestamp()` stands where an
index must be searched by it (PostgreSQL cannot search by the volatile
`clock_timestamp()`); no statement waits long enough for the two to differ.
"""

from typing import Final, LiteralString

# --- scatter -------------------------------------------------------------------------------------------------------

# Two scatters with one key meet at the unique index: the second waits for the first to commit, then inserts nothing.
NEW_BATCH: Final[LiteralString] = """
with lane as (
    insert into ingather.queue (name) values (%(queue)s) on conflict do nothing
)
insert into ingather.batch
       (kind, queue, total, priority, max_attempts, timeout_s, gathers, parent_id, idempotency_key, request_hash)
values (%(kind)s, %(queue)s, 1, %(priority)s, %(max_attempts)s, %(timeout_s)s, %(gathers)s, %(parent_id)s,
        %(key)s, case when %(key)s::text is not null then ''::bytea end)
    on conflict (idempotency_key) do nothing
returning id, nextval('ingather.segment_id'::regclass)
"""

# The same with items that are few enough to come along, whole in one statement. Every
# part waits for the batch row, so that with a known key there is nothing to undo.
NEW_SMALL_BATCH: Final[LiteralString] = """
with born as (
    insert into ingather.batch
           (kind, queue, total, priority, max_attempts, timeout_s, gathers, parent_id, idempotency_key, request_hash)
    values (%(kind)s, %(queue)s, %(total)s, %(priority)s, %(max_attempts)s, %(timeout_s)s, %(gathers)s, %(parent_id)s,
            %(key)s, %(hash)s::bytea)
        on conflict (idempotency_key) do nothing
    returning id
), lane as (
    insert into ingather.queue (name) select %(queue)s from born on conflict do nothing
), run as materialized (
    select id as batch_id, nextval('ingather.segment_id'::regclass) as segment_id from born
), bodies as (
    insert into ingather.payload (item_id, body)
    select (run.segment_id << 20) + line.place - 1, line.body::jsonb
      from run, string_to_table(%(lines)s, E'\\n') with ordinality as line(body, place)
), fresh as (
    insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue)
    select segment_id, batch_id, 0, segment_id << 20, (segment_id << 20) + %(total)s - 1, %(priority)s, %(queue)s
      from run
)
select batch_id from run
"""

BATCH_OF_KEY: Final[LiteralString] = """
select id, kind, request_hash from ingather.batch where idempotency_key = %(key)s
"""

COPY_PAYLOADS: Final[LiteralString] = "copy ingather.payload (item_id, body) from stdin"

# The batch row is ours until commit, so its provisional total of 1 was never seen by anyone.
SEAL_BATCH: Final[LiteralString] = """
update ingather.batch
   set total = %(total)s,
       request_hash = case when idempotency_key is not null then %(hash)s::bytea end
 where id = %(batch_id)s
"""

NEW_SEGMENT: Final[LiteralString] = """
insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue)
values (%(segment_id)s, %(batch_id)s, %(first_ordinal)s, %(segment_id)s::bigint << 20,
        (%(segment_id)s::bigint << 20) + %(items)s - 1, %(priority)s, %(queue)s)
"""

# Items that are not due yet wait one by one: the segment is born with nothing to claim.
NEW_DELAYED_SEGMENT: Final[LiteralString] = """
with run as (
    insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue)
    values (%(segment_id)s, %(batch_id)s, %(first_ordinal)s, (%(segment_id)s::bigint << 20) + %(items)s,
            (%(segment_id)s::bigint << 20) + %(items)s - 1, %(priority)s, null)
    returning id, last_id
)
insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, queue)
select item_id, %(batch_id)s, clock_timestamp() + %(delay)s, 0, 0, %(queue)s
  from run cross join lateral generate_series(run.id << 20, run.last_id) as item_id
"""

# Adders and closers meet at this lock: a batch is added to before it closes, or not at all.
LOCK_BATCH: Final[LiteralString] = """
select state, total, priority, queue from ingather.batch where id = %(batch_id)s for no key update
"""

GROW_BATCH: Final[LiteralString] = """
update ingather.batch set total = total + %(items)s where id = %(batch_id)s
"""

NEXT_SEGMENT: Final[LiteralString] = "select nextval('ingather.segment_id'::regclass)"

# A hint, sent after the commit in a transaction of its own: a queue of notifications must never hold up a user's. It
# does not wait for the disk either: a hint that a crash takes with it is not missed.
RING: Final[LiteralString] = "select set_config('synchronous_commit', 'off', true), pg_notify('ingather', '')"
LISTEN: Final[LiteralString] = "listen ingather"

# --- claim ---------------------------------------------------------------------------------------------------------

# Claims from a queue with limits take turns here; the count in CLAIM then runs in a later snapshot and is exact.
LOCK_QUEUE: Final[LiteralString] = "select 1 from ingather.queue where name = %(queue)s for no key update"

# pending -> running. Takes up to k items of one queue: first what waits for its moment (at most kw, so that returning
# items and fresh ones share), then runs of fresh items, batch by batch in turn: by priority, then the batches after
# the one this worker served last, then around again. Candidates are read without a lock and only those needed are
# locked, so claimers of different batches never meet; a segment that another claimer holds is skipped.
# The commit does not wait for the disk: a claim lost in a crash was a promise to nobody, its items are still pending,
# and its token opens nothing. Whoever commits synchronously after it makes it durable too, since WAL is one line.
# `me` fails once the worker was declared dead, and holds off the sweeper until this claim has committed.
# The batch is asked by a subquery and rows are looked up by `= any(array(…))`: as joins, a planner without fresh
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

# Asked after an empty claim: does the queue need the locked claim, when is the next moment worth waking for, and is
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

# --- settle --------------------------------------------------------------------------------------------------------

# running -> completed | error. The lease is the fence: once it is gone this worker can write no more, and whoever
# removes it waits for us. The outcome's primary key makes a second end impossible. A lease whose worker went silent
# but that nobody swept is still ours, so a paid-for answer is not thrown away.
# What is left of the lease is read from `held`, the row as locked: if this settle waited for another of the same lease,
# the row in its snapshot is out of date.
# Results travel as one text, a line each (JSON has no raw line break): parsing an array of texts costs twice as much.
SETTLE: Final[LiteralString] = """
with held as materialized (
    select token, first_id, last_id, batch_id, attempt, lost, is_gather, returned, open
      from ingather.lease
     where token = any(%(tokens)s::bigint[])
     order by token
       for no key update
), done as materialized (
    select token, item_id, state, took_ms, nullif(result, '')::jsonb as result, nullif(error, '')::jsonb as error
      from rows from (unnest(%(token_of)s::bigint[]), unnest(%(ids)s::bigint[]), unnest(%(states)s::"char"[]),
                      unnest(%(took_ms)s::integer[]), string_to_table(%(results)s, E'\\n'),
                      string_to_table(%(errors)s, E'\\n'))
             as d(token, item_id, state, took_ms, result, error)
), ended as (
    insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, result, error)
    select d.item_id, h.token, %(worker_id)s, d.took_ms, h.attempt,
           h.lost + case when d.error ->> 'reason' = 'lost' then 1 else 0 end,  -- its last loss is what ended it
           d.state, d.result, d.error
      from held h
      join done d on d.token = h.token
     where d.item_id between h.first_id and h.last_id
       and d.item_id <> all (h.returned)
        on conflict (item_id) do nothing
    returning token, state
), ended_of as materialized (
    select token, count(*) as items, count(*) filter (where state = 'c') as completed from ended group by token
), counted as (
    insert into ingather.tally as t (batch_id, worker_id, completed, error)
    select h.batch_id, %(worker_id)s, sum(e.completed), sum(e.items - e.completed)
      from ended_of e
      join held h on h.token = e.token
     where not h.is_gather
     group by h.batch_id
     order by h.batch_id
        on conflict (batch_id, worker_id) do update
       set completed = t.completed + excluded.completed, error = t.error + excluded.error
), shrunk as (
    update ingather.lease l set open = h.open - e.items
      from ended_of e join held h on h.token = e.token where l.token = e.token and h.open > e.items
), freed as (
    delete from ingather.lease l
     using ended_of e join held h on h.token = e.token where l.token = e.token and h.open <= e.items
)
select coalesce(sum(items), 0)::bigint from ended_of
"""

# The same for what is said for the first time, as nearly everything is. Without the conflict clause PostgreSQL writes a
# row at once for good instead of provisionally first: a quarter less of its time, a fifth less WAL. What was there
# already is refused by the primary key, all of it, and is to be said again with SETTLE.
SETTLE_FRESH: Final[LiteralString] = SETTLE.replace("on conflict (item_id) do nothing", "")

# The same once more for a run of neighbours that all completed, in the order in which they were claimed: what quick
# handlers leave behind. Nothing has to be said of each but its result, and its time where it was not 0 ms, and nothing
# has to be counted: over a quarter less of the server's time. It settles all of the run or nothing.
SETTLE_RUN: Final[LiteralString] = """
with held as materialized (
    select token, batch_id, attempt, lost, is_gather, open
      from ingather.lease
     where token = %(token)s
       and first_id <= %(first_id)s and last_id >= %(first_id)s + %(items)s - 1
       and not exists (select from unnest(returned) as gone(id)
                        where gone.id between %(first_id)s and %(first_id)s + %(items)s - 1)
       for no key update
), ended as (
    insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, result)
    select %(first_id)s + d.place - 1, h.token, %(worker_id)s, coalesce((%(took_ms)s::integer[])[d.place], 0),
           h.attempt, h.lost, 'c', d.result::jsonb
      from held h, string_to_table(%(results)s, E'\\n') with ordinality as d(result, place)
), counted as (
    insert into ingather.tally as t (batch_id, worker_id, completed)
    select batch_id, %(worker_id)s, %(items)s from held where not is_gather
        on conflict (batch_id, worker_id) do update set completed = t.completed + excluded.completed
), shrunk as (
    update ingather.lease l set open = h.open - %(items)s
      from held h where l.token = h.token and h.open > %(items)s
), freed as (
    delete from ingather.lease l using held h where l.token = h.token and h.open <= %(items)s
)
select coalesce(sum(%(items)s), 0)::bigint from held
"""

WAIT_BRIEFLY: Final[LiteralString] = "select set_config('lock_timeout', '200ms', true)"

# After a settle that wrote less than it was given, or whose reply was lost: which of these ends are ours already?
OURS_ALREADY: Final[LiteralString] = """
select o.item_id
  from ingather.outcome o
  join unnest(%(ids)s::bigint[], %(token_of)s::bigint[]) as mine(item_id, token)
    on mine.item_id = o.item_id and mine.token = o.token
"""

# running -> pending. The item leaves the lease (returned) in the commit that puts it into waiting, so saying it twice
# changes nothing. `attempt` is what has been used up: the caller gives back what must not count.
PUT_BACK: Final[LiteralString] = """
with held as materialized (
    select token, first_id, last_id, batch_id, is_gather, queue, returned, open
      from ingather.lease
     where token = any(%(tokens)s::bigint[])
     order by token
       for no key update
), going as materialized (
    select h.token, d.item_id, h.batch_id, h.is_gather, h.queue, d.delay_s, d.attempt, d.lost,
           nullif(d.error, '')::jsonb as error
      from held h
      join rows from (unnest(%(token_of)s::bigint[]), unnest(%(ids)s::bigint[]), unnest(%(delays_s)s::float8[]),
                      unnest(%(attempts)s::smallint[]), unnest(%(losses)s::smallint[]),
                      string_to_table(%(errors)s, E'\\n'))
             as d(token, item_id, delay_s, attempt, lost, error) on d.token = h.token
     where d.item_id between h.first_id and h.last_id
       and d.item_id <> all (h.returned)
       and not exists (select from ingather.outcome o where o.item_id = d.item_id offset 0)  -- offset: by index
), waits as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, is_gather, queue, error)
    select item_id, batch_id, clock_timestamp() + delay_s * interval '1 second', attempt, lost, is_gather, queue, error
      from going
), gone_of as materialized (
    select token, count(*) as items, array_agg(item_id) as ids from going group by token
), shrunk as (
    update ingather.lease l set open = h.open - g.items, returned = h.returned || g.ids
      from gone_of g join held h on h.token = g.token where l.token = g.token and h.open > g.items
), freed as (
    delete from ingather.lease l
     using gone_of g join held h on h.token = g.token where l.token = g.token and h.open <= g.items
)
select item_id from going
"""

# A claim elsewhere may be under way while this commits; every claim after it sees the block.
BLOCK_QUEUE: Final[LiteralString] = """
update ingather.queue
   set blocked_until = greatest(blocked_until, clock_timestamp() + %(delay_s)s * interval '1 second')
 where name = %(queue)s
"""

# Am I still registered, which leases are mine, and which queues are there? Cancel and sweep take leases away without
# asking; a claim whose reply was lost leaves one that nobody works on.
WHAT_IS_MINE: Final[LiteralString] = """
select exists (select from ingather.worker where id = %(worker_id)s),
       array(select token from ingather.lease where worker_id = %(worker_id)s),
       array(select name from ingather.queue order by name),
       array(select max_running is not null or rate_items is not null from ingather.queue order by name)
"""

# --- close ---------------------------------------------------------------------------------------------------------

# Without a lock, as often as anyone likes. Driven from tally: batches that nothing has finished in are not looked at.
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

# --- workers and the sweep -----------------------------------------------------------------------------------------

# The id is random, by the column's default. One from a sequence would come again once the database went back to an
# earlier state, and two live workers with one id would each give back what the other has claimed.
REGISTER: Final[LiteralString] = """
insert into ingather.worker (host, pid, kinds, lease) values (%(host)s, %(pid)s, %(kinds)s, %(lease)s) returning id
"""

# No row: this worker was declared dead, and what it held is someone else's now.
BEAT: Final[LiteralString] = """
update ingather.worker
   set beat_at = clock_timestamp(), running = %(running)s::bigint[]
 where id = %(worker_id)s
returning id
"""

# What an aggregator may have to do, asked in one breath because it is asked all the time: workers that missed a beat or
# two and how long until each counts as dead (not above 0, it does); a ripe batch or rates of the past; a schedule.
WHAT_IS_DUE: Final[LiteralString] = """
select array(select id from ingather.worker where beat_at < clock_timestamp() - lease / 2 order by id),
       array(select extract(epoch from beat_at + lease - clock_timestamp())::float8
               from ingather.worker where beat_at < clock_timestamp() - lease / 2 order by id),
       exists (select from ingather.tally t join ingather.batch b on b.id = t.batch_id
                where b.state = 'open'
                group by b.id having sum(t.completed + t.error + t.cancelled) = b.total)
           or exists (select from ingather.rate_use u join ingather.queue q on q.name = u.queue
                       where u.used_at < clock_timestamp() - coalesce(10 * q.rate_window, interval '0')),
       exists (select from ingather.schedule where not paused and next_at <= clock_timestamp())
"""

# A worker under a claim or another sweep is left for the next tick.
LOCK_SILENT_WORKER: Final[LiteralString] = """
select host, pid, running
  from ingather.worker
 where id = %(worker_id)s and (beat_at < clock_timestamp() - lease or %(is_known_dead)s)
   for update skip locked
"""

LOCK_LEASES: Final[LiteralString] = """
select token
  from ingather.lease
 where worker_id = %(worker_id)s and (%(tokens)s::bigint[] is null or token = any(%(tokens)s))
 order by token
   for update
"""

# running -> pending, or error when the budget is spent. Runs after LOCK_LEASES in a snapshot of its own, so that
# outcomes written by a settle we waited for are seen: a finished item must not come back, an unfinished one must not
# be forgotten. `started` had begun when the worker died: a loss each. `overdue` had outrun their deadline: a failure
# each. The rest were merely claimed and owe nothing. Blind, when nobody saw the death, also counts as started what was
# claimed into free slots.
TAKE_BACK: Final[LiteralString] = """
with gone as (
    delete from ingather.lease
     where worker_id = %(worker_id)s and (%(tokens)s::bigint[] is null or token = any(%(tokens)s))
    returning token, first_id, last_id, batch_id, attempt, lost, is_gather, queue, returned, claimed_at, starting
), left_open as materialized (
    select g.*, item_id,
           item_id = any(%(overdue)s::bigint[]) as is_overdue,
           item_id <> all(%(overdue)s::bigint[])
               and (item_id = any(%(started)s::bigint[])
                    or (%(is_blind)s and item_id < g.first_id + g.starting)) as is_lost
      from gone g
     cross join lateral generate_series(g.first_id, g.last_id) as item_id
     where item_id <> all (g.returned)
       and not exists (select from ingather.outcome o where o.item_id = item_id.item_id offset 0)  -- offset: by index
), judged as materialized (
    select l.*, b.max_attempts,
           (l.is_lost and l.lost + 1 >= %(max_lost)s) or (l.is_overdue and l.attempt >= b.max_attempts) as is_over
      from left_open l
      join ingather.batch b on b.id = l.batch_id
), ended as (
    insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, error)
    select item_id, token, %(worker_id)s,
           least(extract(epoch from clock_timestamp() - claimed_at) * 1000, 2147483647),  -- a fleet may be off for long
           attempt, lost + is_lost::int, 'e',
           case when is_lost then %(lost_error)s::jsonb else %(overdue_error)s::jsonb end
      from judged where is_over
        on conflict (item_id) do nothing
    returning item_id
), waits as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, is_gather, queue, error)
    select item_id, batch_id, clock_timestamp(), case when is_overdue then attempt else attempt - 1 end,
           lost + is_lost::int, is_gather, queue,
           case when is_lost then %(lost_error)s::jsonb when is_overdue then %(overdue_error)s::jsonb end
      from judged where not is_over
), counted as (
    insert into ingather.tally as t (batch_id, worker_id, error)
    select j.batch_id, %(worker_id)s, count(*)
      from judged j join ended e on e.item_id = j.item_id
     where not j.is_gather
     group by j.batch_id
     order by j.batch_id
        on conflict (batch_id, worker_id) do update set error = t.error + excluded.error
)
select (select count(*) from left_open),
       (select array_agg(distinct batch_id) from judged where is_over)
"""

# Before a farewell: a claim of this worker that is still under way commits first, and a later one finds nobody.
LOCK_WORKER: Final[LiteralString] = "select 1 from ingather.worker where id = %(worker_id)s for update"

FORGET_WORKER: Final[LiteralString] = "delete from ingather.worker where id = %(worker_id)s"

# --- operators -----------------------------------------------------------------------------------------------------

# One snapshot, so the parts add up to the total at every read. Costs the writers and leases of the batch, never its
# items.
# Asked so often that it should be planned once. The ids stand in a select of their own: a planner that could count them
# would find a plan for just these cheaper each time, and making that plan takes six times as long as reading the rows.
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
   and (%(before)s::bigint is null or id < %(before)s)
 order by id desc
 limit %(limit)s
"""

# Items in the order they were scattered, a page at a time, by key: the ids of a page first, segment by segment, then
# all that is known of just these. Cost grows neither with the page's number nor with other batches.
PAGE: Final[LiteralString] = """
with page as materialized (
    select p.item_id
      from (select id, last_id from ingather.segment
             where batch_id = %(batch_id)s and last_id > %(after)s order by id) as s
     cross join lateral (select item_id from ingather.payload
                          where item_id between s.id << 20 and s.last_id and item_id > %(after)s
                          order by item_id limit %(limit)s) as p
     order by p.item_id
     limit %(limit)s
)
select id, ordinal, key, state, attempt, lost, payload::text, result::text, error::text, started_at, finished_at
  from ingather.item
 where id = any(array(select item_id from page))
 order by id
"""

PAGE_OF_ENDED: Final[LiteralString] = """
with page as materialized (
    select o.item_id
      from (select id, last_id from ingather.segment
             where batch_id = %(batch_id)s and last_id > %(after)s order by id) as s
     cross join lateral (select item_id from ingather.outcome
                          where item_id between s.id << 20 and s.last_id and item_id > %(after)s
                            and state = %(code)s::"char"
                          order by item_id limit %(limit)s) as o
     order by o.item_id
     limit %(limit)s
)
select id, ordinal, key, state, attempt, lost, payload::text, result::text, error::text, started_at, finished_at
  from ingather.item
 where id = any(array(select item_id from page))
 order by id
"""

# Pending and running items have no list of their own; this one reads the batch.
PAGE_OF_OPEN: Final[LiteralString] = """
select id, ordinal, key, state, attempt, lost, payload::text, result::text, error::text, started_at, finished_at
  from ingather.item
 where batch_id = %(batch_id)s and id > %(after)s and state = %(state)s
 order by id
 limit %(limit)s
"""

RESULTS_PAGE: Final[LiteralString] = """
select o.item_id, o.result::text
  from (select id, last_id from ingather.segment
         where batch_id = %(batch_id)s and last_id > %(after)s order by id) as s
 cross join lateral (select item_id, result from ingather.outcome
                      where item_id between s.id << 20 and s.last_id and item_id > %(after)s and state = 'c'
                      order by item_id limit %(limit)s) as o
 order by o.item_id
 limit %(limit)s
"""

# The gather's end; for a batch of one without a gather, the end of its item.
RESULT: Final[LiteralString] = """
select o.state::text, o.result::text, o.error::text
  from ingather.batch b
  join ingather.outcome o
    on o.item_id = coalesce(b.gather_id,
                            (select s.id << 20 from ingather.segment s where s.batch_id = b.id and b.total = 1))
 where b.id = %(batch_id)s and b.state = 'closed'
"""

PAUSE: Final[LiteralString] = """
update ingather.batch set paused = %(paused)s where id = %(batch_id)s returning id
"""

# --- cancel: pending | running -> cancelled, batch closed. All under LOCK_BATCH, one statement a snapshot -----------

# From here on no claim can take fresh items of the batch.
DRAIN_SEGMENTS: Final[LiteralString] = """
update ingather.segment set next_id = last_id + 1, queue = null where batch_id = %(batch_id)s and queue is not null
"""

# An item can move between the two while we look (claim, put back, sweep), so both are emptied until one snapshot
# shows neither.
DROP_WAITING: Final[LiteralString] = """
delete from ingather.waiting w
 using ingather.segment s
 where s.batch_id = %(batch_id)s and w.item_id between s.id << 20 and s.last_id
"""

DROP_LEASES: Final[LiteralString] = """
with held as materialized (
    select token from ingather.lease where batch_id = %(batch_id)s and not is_gather order by token for update
)
delete from ingather.lease l using held where l.token = held.token
"""

HAS_OPEN_ITEMS: Final[LiteralString] = """
select exists (select from ingather.waiting w join ingather.segment s
                   on s.batch_id = %(batch_id)s and w.item_id between s.id << 20 and s.last_id)
    or exists (select from ingather.lease where batch_id = %(batch_id)s and not is_gather)
"""

CANCEL_THE_REST: Final[LiteralString] = """
with ended as (
    insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, error)
    select p.item_id, 0, 0, 0, 0, 0, 'x',
           '{"reason": "cancelled", "message": "cancelled by an operator",
             "notice": {"id": "engine.cancelled", "params": {}}}'
      from ingather.segment s
      join ingather.payload p on p.item_id between s.id << 20 and s.last_id
     where s.batch_id = %(batch_id)s
       and not exists (select from ingather.outcome o where o.item_id = p.item_id offset 0)  -- offset: by index
        on conflict (item_id) do nothing
    returning 1
)
insert into ingather.tally as t (batch_id, worker_id, cancelled)
select %(batch_id)s, 0, count(*) from ended
    on conflict (batch_id, worker_id) do update set cancelled = t.cancelled + excluded.cancelled
"""

# --- retry: error -> pending, under LOCK_BATCH ----------------------------------------------------------------------

# Settles under way commit first, so that their failures are seen.
LOCK_BATCH_LEASES: Final[LiteralString] = """
select token from ingather.lease where batch_id = %(batch_id)s and not is_gather order by token for no key update
"""

# The one place where an outcome is taken back, under LOCK_BATCH_LEASES too: an item may have failed while neighbours in
# its lease still run, and the lease must not cover it any more. `held` adds leases claimed since, which may hold
# failures too: `failed` asks for it, so that they are locked before any outcome, as a settle does it. A closed batch
# opens again with a higher version.
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
       and (select count(*) from held) >= 0
    returning o.item_id
), waits as (
    insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, queue)
    select f.item_id, b.id, clock_timestamp(), 0, 0, b.queue
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
           version = b.version + (b.state = 'closed')::int
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

# --- queues --------------------------------------------------------------------------------------------------------

SET_QUEUE: Final[LiteralString] = """
insert into ingather.queue as q (name, max_running, rate_items, rate_window)
values (%(queue)s, %(max_running)s, %(rate_items)s, %(rate_window)s)
    on conflict (name) do update
   set max_running = case when %(sets_max)s then excluded.max_running else q.max_running end,
       rate_items = case when %(sets_rate)s then excluded.rate_items else q.rate_items end,
       rate_window = case when %(sets_rate)s then excluded.rate_window else q.rate_window end
"""

PAUSE_QUEUE: Final[LiteralString] = """
update ingather.queue
   set paused = %(paused)s, blocked_until = case when %(paused)s then blocked_until end
 where name = %(queue)s
returning name
"""

LIST_QUEUES: Final[LiteralString] = """
select q.name, q.max_running, q.rate_items, extract(epoch from q.rate_window)::float8, q.paused,
       case when q.blocked_until > clock_timestamp() then q.blocked_until end,
       (select coalesce(sum(open), 0) from ingather.lease l where l.queue = q.name),
       (select coalesce(sum(s.last_id - s.next_id + 1), 0)::bigint from ingather.segment s where s.queue = q.name)
         + (select count(*) from ingather.waiting w where w.queue = q.name)
  from ingather.queue q
 order by q.name
"""

LIST_WORKERS: Final[LiteralString] = """
select w.id, w.host, w.pid, w.kinds, w.started_at, w.beat_at, extract(epoch from w.lease)::float8,
       (select coalesce(sum(open), 0) from ingather.lease l where l.worker_id = w.id)
  from ingather.worker w
 order by w.id
"""

# --- schedules -----------------------------------------------------------------------------------------------------

# Declaring a schedule again with the same clockwork keeps its place; with another, it starts afresh.
PUT_SCHEDULE: Final[LiteralString] = """
insert into ingather.schedule as s
       (name, kind, queue, payload, cron, tz, seconds, catch_up, priority, max_attempts, timeout_s, gathers, next_at)
values (%(name)s, %(kind)s, %(queue)s, %(payload)s::jsonb, %(cron)s, %(tz)s, %(seconds)s, %(catch_up)s, %(priority)s,
        %(max_attempts)s, %(timeout_s)s, %(gathers)s, %(next_at)s)
    on conflict (name) do update
   set kind = excluded.kind, queue = excluded.queue, payload = excluded.payload, catch_up = excluded.catch_up,
       priority = excluded.priority, max_attempts = excluded.max_attempts, timeout_s = excluded.timeout_s,
       gathers = excluded.gathers, cron = excluded.cron, tz = excluded.tz, seconds = excluded.seconds,
       next_at = case when (s.cron, s.tz, s.seconds) = (excluded.cron, excluded.tz, excluded.seconds)
                      then s.next_at else excluded.next_at end
"""

NOW: Final[LiteralString] = "select clock_timestamp()"

# One firing per instant over the fleet: whoever locks the row fires it and moves it on in the same commit.
DUE_SCHEDULE: Final[LiteralString] = """
select name, kind, queue, payload::text, cron, tz, seconds, catch_up, priority, max_attempts, timeout_s, gathers,
       next_at, clock_timestamp()
  from ingather.schedule
 where not paused and next_at <= clock_timestamp() and name <> all(%(skipping)s)
 order by next_at
 limit 1
   for no key update skip locked
"""

MOVE_SCHEDULE: Final[LiteralString] = """
update ingather.schedule set last_at = coalesce(%(last_at)s, last_at), next_at = %(next_at)s where name = %(name)s
"""

LIST_SCHEDULES: Final[LiteralString] = """
select name, kind, queue, cron, tz, seconds, catch_up, paused, last_at, next_at from ingather.schedule order by name
"""

PAUSE_SCHEDULE: Final[LiteralString] = """
update ingather.schedule set paused = %(paused)s where name = %(name)s returning name
"""

DROP_SCHEDULE: Final[LiteralString] = "delete from ingather.schedule where name = %(name)s returning name"

# --- retention -----------------------------------------------------------------------------------------------------

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

# At most one aggregator at a time does the work that any of them could: a throttle, not a lock that safety needs.
THROTTLE: Final[LiteralString] = "select pg_try_advisory_xact_lock(hashtext('ingather.aggregator'))"
