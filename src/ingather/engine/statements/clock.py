"""The SQL that moves time, for tests: the engine asks the database's clock alone, so what is stored moves instead."""

from typing import Final, LiteralString

# Every stored moment that the engine compares with its clock, so many seconds towards the past: as if that time had
# passed. Items that run are not told: their deadlines are counted by the worker that runs them. A schedule fires at
# times of the day, which do not move: whoever moves the clock fires it with a later one.
MOVE_CLOCK: Final[LiteralString] = """
with passed as materialized (select make_interval(secs => %(seconds)s) as time),
     w as (update ingather.worker set beat_at = beat_at - time from passed),
     i as (update ingather.waiting set run_at = run_at - time from passed),
     q as (update ingather.queue set blocked_until = blocked_until - time from passed where blocked_until is not null),
     r as (update ingather.rate_use set began_at = began_at - time, used_at = used_at - time from passed)
update ingather.batch set closed_at = closed_at - time from passed where closed_at is not null
"""

# In how many seconds something comes due: an item, a queue that is held or whose rate is used up, a schedule, whose
# clock is so much `ahead`. Below 0, it came due after the moment `since`. None where nothing will.
NEXT_DUE: Final[LiteralString] = """
select extract(epoch from min(at) - clock_timestamp())::float8
  from (select min(w.run_at) from ingather.waiting w where not w.parked and w.run_at > %(since)s
        union all
        select min(q.blocked_until) from ingather.queue q where not q.paused and q.blocked_until > %(since)s
        union all
        select min(u.used_at + q.rate_window)
          from ingather.rate_use u join ingather.queue q on q.name = u.queue
         where u.used_at + q.rate_window > %(since)s
           and (exists (select from ingather.segment s where s.queue = q.name and not s.parked)
                or exists (select from ingather.waiting w
                            where w.queue = q.name and not w.parked and w.run_at <= clock_timestamp()))
        union all
        select min(s.next_at) - %(ahead)s from ingather.schedule s where not s.paused
       ) as due(at)
"""

# Every batch with its payloads, in the order in which they came.
SCATTERED: Final[LiteralString] = """
select b.id, b.kind, b.queue, b.priority, b.idempotency_key, b.parent_id,
       array(select p.body::text
               from ingather.segment s
               join ingather.payload p on p.item_id between s.id << 20 and s.last_id
              where s.batch_id = b.id
              order by s.first_ordinal, p.item_id)
  from ingather.batch b
 where %(kind)s::text is null or b.kind = %(kind)s::text
 order by b.id
"""
