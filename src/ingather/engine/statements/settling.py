"""The SQL of settle and put back: running to completed, error or pending, under the token of a lease."""

from typing import Final, LiteralString

# running -> completed | error. The lease is the fence: once it is gone this worker can write no more, and a sweep that
# removes it waits for this commit. The outcome's primary key makes a second end impossible. A lease whose worker went
# silent but that nobody swept is still ours, so a paid-for answer is not thrown away. What is left of the lease is read
# from `held`, the row as locked: if this settle waited for another of the same lease, the row in its snapshot is out of
# date. Results travel as one text, a line each (JSON has no raw line break): parsing an array of texts costs twice as
# much.
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

# The same for outcomes that are sent for the first time, as nearly all are. Without the conflict clause PostgreSQL
# writes a row at once for good instead of provisionally first: a quarter less of its time, a fifth less WAL. If an
# outcome was there already, the primary key refuses all of them, and they are sent again with SETTLE.
SETTLE_FRESH: Final[LiteralString] = SETTLE.replace("on conflict (item_id) do nothing", "")

# The same once more for a run of neighbours that all completed, in the order in which they were claimed: what quick
# handlers leave behind. Each has only its result to send, and its time where it was not 0 ms, and nothing
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

# running -> pending. The item leaves the lease (returned) in the commit that puts it into waiting, so a second
# PUT_BACK changes nothing. `attempt` is what has been used up: the caller gives back what must not count.
PUT_BACK: Final[LiteralString] = """
with held as materialized (
    select token, first_id, last_id, batch_id, is_gather, queue, returned, open, died_with, spared,
           (select kind from ingather.batch b where b.id = lease.batch_id) as kind
      from ingather.lease
     where token = any(%(tokens)s::bigint[])
     order by token
       for no key update
), going as materialized (
    select h.token, d.item_id, h.batch_id, h.is_gather, h.queue, h.kind, h.died_with, h.spared,
           d.delay_s, d.attempt, d.lost,
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
    insert into ingather.waiting
           (item_id, batch_id, run_at, attempt, lost, is_gather, queue, kind, died_with, spared, error)
    select item_id, batch_id, clock_timestamp() + delay_s * interval '1 second', attempt, lost, is_gather, queue, kind,
           died_with, spared, error
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
