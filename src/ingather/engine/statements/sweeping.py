"""The SQL of sweep and release: what a worker held goes back to pending, or ends as error."""

from typing import Final, LiteralString

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
# be forgotten. `started` had begun in the worker's own process when it died. `overdue` had outrun their deadline: a
# failure each. The rest were merely claimed, or ran in children that die with their worker, and owe nothing. Blind,
# when nobody saw the death, also counts as started what was claimed into free slots.
# What had started has a loss, but only the first is counted on mere suspicion. A later one counts if the item was the
# only one that had started, or if nobody died with it who had died with it the time before; and for a gather, only if
# it was alone. What is spared comes back at a random moment, within two seconds and later within more, so that it meets
# others.
TAKE_BACK: Final[LiteralString] = """
with gone as (
    delete from ingather.lease
     where worker_id = %(worker_id)s and (%(tokens)s::bigint[] is null or token = any(%(tokens)s))
    returning token, first_id, last_id, batch_id, attempt, lost, is_gather, queue, returned, claimed_at, starting,
              died_with, spared
), left_open as materialized (
    select g.*, item_id,
           item_id = any(%(overdue)s::bigint[]) as is_overdue,
           item_id <> all(%(overdue)s::bigint[])
               and (item_id = any(%(started)s::bigint[])
                    or (%(is_blind)s and item_id < g.first_id + g.starting)) as had_started
      from gone g
     cross join lateral generate_series(g.first_id, g.last_id) as item_id
     where item_id <> all (g.returned)
       and not exists (select from ingather.outcome o where o.item_id = item_id.item_id offset 0)  -- offset: by index
), blamed as materialized (
    select *,
           had_started
               and (lost = 0
                    or count(*) filter (where had_started) over () = 1
                    or (not is_gather
                        and (died_with is null
                             or count(*) filter (where had_started) over (partition by died_with) = 1))) as is_lost
      from left_open
), judged as materialized (
    select l.*, b.kind, b.max_attempts,
           (l.is_lost and l.lost + 1 >= %(max_lost)s) or (l.is_overdue and l.attempt >= b.max_attempts) as is_over
      from blamed l
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
    insert into ingather.waiting
           (item_id, batch_id, run_at, attempt, lost, is_gather, queue, kind, died_with, spared, error)
    select item_id, batch_id,
           clock_timestamp() + case when had_started and not is_lost
                                    then random() * least(%(apart_s)s, 2 ^ (coalesce(spared, 0) + 1))
                                         * interval '1 second'
                                    else interval '0' end,
           case when is_overdue then attempt else attempt - 1 end, lost + is_lost::int, is_gather, queue, kind,
           case when had_started then %(worker_id)s else died_with end,
           case when had_started and not is_lost then least(coalesce(spared, 0) + 1, 100) else spared end,
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
