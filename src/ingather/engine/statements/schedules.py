"""The SQL of schedules: declared, fired, paused, dropped."""

from typing import Final, LiteralString

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

# One firing per instant over the fleet: whoever locks the row fires it and moves it on in the same commit. In a test
# that has moved the clock, it is so much `ahead`.
DUE_SCHEDULE: Final[LiteralString] = """
select name, kind, queue, payload::text, cron, tz, seconds, catch_up, priority, max_attempts, timeout_s, gathers,
       next_at, clock_timestamp() + %(ahead)s
  from ingather.schedule
 where not paused and next_at <= clock_timestamp() + %(ahead)s and name <> all(%(skipping)s)
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
