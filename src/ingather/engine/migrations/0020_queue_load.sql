-- What an autoscaler needs to know of each queue, at a price that does not grow with what waits: fresh items are counted
-- by segments, and of those that came back at most 10,000 are counted. Limits, pauses and holds make items wait that no
-- worker more would run: they are columns here, too.
create view ingather.queue_load as
select q.name as queue,
       (select coalesce(sum(s.last_id - s.next_id + 1), 0)::bigint
          from ingather.segment s where s.queue = q.name and not s.parked)
         + (select count(*) from (select from ingather.waiting w
                                   where w.queue = q.name and not w.parked and w.run_at <= clock_timestamp()
                                   limit 10000) as due) as due,
       (select coalesce(sum(l.open), 0)::bigint from ingather.lease l where l.queue = q.name) as running,
       greatest(0, extract(epoch from clock_timestamp() - least(
           (select b.created_at
              from ingather.segment s join ingather.batch b on b.id = s.batch_id
             where s.queue = q.name and not s.parked
             order by s.batch_id limit 1),
           (select min(w.run_at) from ingather.waiting w
             where w.queue = q.name and not w.parked and w.run_at > '2000-01-01'))))::float8 as oldest_due_s,
       q.max_running,
       q.paused or q.blocked_until > clock_timestamp() is true as is_held
  from ingather.queue q;
