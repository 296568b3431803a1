"""The SQL of queues: limits, pauses and lists."""

from typing import Final, LiteralString

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
