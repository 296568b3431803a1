"""The SQL of workers: registered, beating, gone."""

from typing import Final, LiteralString

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

# Am I still registered, which leases are mine, and which queues are there? Cancel and sweep take leases away from a
# live worker; a claim whose reply was lost leaves one that nobody works on.
WHAT_IS_MINE: Final[LiteralString] = """
select exists (select from ingather.worker where id = %(worker_id)s),
       array(select token from ingather.lease where worker_id = %(worker_id)s),
       array(select name from ingather.queue order by name),
       array(select max_running is not null or rate_items is not null from ingather.queue order by name)
"""

# Everything that an aggregator may have to do stands in one statement because every worker sends it twice a second:
# workers that missed a beat or two and how long until each counts as dead (not above 0, it does); which of the next few
# open batches are ripe, and where the next look goes on; which children could let their parents go; a schedule. It
# costs the same however many batches are open: it looks at 8, as more would make every round of every worker dearer and
# fewer the way through all of them longer. The number stands in the text, so that one plan serves all looks. Whoever
# ends the last item of a batch closes it; this finds what such a worker left.
WHAT_IS_DUE: Final[LiteralString] = """
with few as materialized (
    select id, total from ingather.batch where state = 'open' and id > %(after)s order by id limit 8
)
select array(select id from ingather.worker where beat_at < clock_timestamp() - lease / 2 order by id),
       array(select extract(epoch from beat_at + lease - clock_timestamp())::float8
               from ingather.worker where beat_at < clock_timestamp() - lease / 2 order by id),
       array(select few.id from few
              where (select sum(t.completed + t.error + t.cancelled)
                       from ingather.tally t where t.batch_id = few.id) = few.total
                and not exists (select from ingather.batch c where c.parent_id = few.id and c.holds_parent)),
       (select max(id) from few having count(*) = 8),
       array(select c.id
               from (select id, gather_id from ingather.batch where holds_parent and state = 'closed'
                      order by id limit 8) as c
              where c.gather_id is null or exists (select from ingather.outcome o where o.item_id = c.gather_id)),
       exists (select from ingather.schedule where not paused and next_at <= clock_timestamp())
"""

# Before a farewell: a claim of this worker that is still under way commits first, and a later one finds nobody.
LOCK_WORKER: Final[LiteralString] = "select 1 from ingather.worker where id = %(worker_id)s for update"

FORGET_WORKER: Final[LiteralString] = "delete from ingather.worker where id = %(worker_id)s"

LIST_WORKERS: Final[LiteralString] = """
select w.id, w.host, w.pid, w.kinds, w.started_at, w.beat_at, extract(epoch from w.lease)::float8,
       (select coalesce(sum(open), 0) from ingather.lease l where l.worker_id = w.id)
  from ingather.worker w
 order by w.id
"""
