"""The SQL of items and results as people read them, a page at a time."""

from typing import Final, LiteralString

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
