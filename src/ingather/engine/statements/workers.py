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

# What an aggregator may have to do, in one statement because every worker sends it twice a second: workers that missed
# a beat or two and how long until each counts as dead (not above 0, it does); a ripe batch or rates of the past; a
# schedule.
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

# Before a farewell: a claim of this worker that is still under way commits first, and a later one finds nobody.
LOCK_WORKER: Final[LiteralString] = "select 1 from ingather.worker where id = %(worker_id)s for update"

FORGET_WORKER: Final[LiteralString] = "delete from ingather.worker where id = %(worker_id)s"

LIST_WORKERS: Final[LiteralString] = """
select w.id, w.host, w.pid, w.kinds, w.started_at, w.beat_at, extract(epoch from w.lease)::float8,
       (select coalesce(sum(open), 0) from ingather.lease l where l.worker_id = w.id)
  from ingather.worker w
 order by w.id
"""
