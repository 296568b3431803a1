"""Reading for reports: the failures of a batch and their reasons, and how much retention would remove."""

from typing import Final, LiteralString

# Both statements read only the outcomes of one batch, and run only when it has failures.
FAILURES: Final[LiteralString] = """
select o.item_id, s.first_ordinal + (o.item_id & 1048575), o.attempt, o.lost, o.finished_at, o.error::text
  from ingather.segment s
  join ingather.outcome o on o.item_id between s.id << 20 and s.last_id
 where s.batch_id = %(batch_id)s and o.state = 'e' and o.item_id > %(after)s
 order by o.item_id
 limit %(limit)s
"""

FAILURE_REASONS: Final[LiteralString] = """
select o.error ->> 'reason', o.error ->> 'type', count(*)
  from ingather.segment s
  join ingather.outcome o on o.item_id between s.id << 20 and s.last_id
 where s.batch_id = %(batch_id)s and o.state = 'e'
 group by 1, 2
 order by 3 desc, 1, 2
 limit 10
"""

OLD_BATCHES: Final[LiteralString] = """
select count(*) from ingather.batch where state = 'closed' and closed_at < clock_timestamp() - %(keep)s
"""

# The age of the oldest item that could run, by queue.
OLDEST_DUE: Final[LiteralString] = "select queue, oldest_due_s from ingather.queue_load order by queue"
