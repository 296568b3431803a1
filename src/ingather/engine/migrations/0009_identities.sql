-- Identities that cannot come again. A sequence goes back with its database: to a backup that was restored, to a
-- replica that missed the last commits. What it gave to somebody who is still there, it then gives to another.

-- Random, and still a number that every reader of JSON keeps exactly: 53 bits. Old code registers by this default, too.
alter table ingather.worker alter column id drop identity;
alter table ingather.worker
    alter column id set default hashtextextended(gen_random_uuid()::text, 0) & 9007199254740991;

-- The part of its items' keys that no other segment has, ever. One per segment, so that items cost nothing more.
alter table ingather.segment add column key uuid not null default gen_random_uuid();

-- Every item with its state, for people, dashboards and tests. The engine itself reads it only to list items.
create or replace view ingather.item as
select p.item_id as id,
       s.batch_id,
       s.first_ordinal + (p.item_id & 1048575) as ordinal,
       case when o.state = 'c' then 'completed'
            when o.state = 'e' then 'error'
            when o.state = 'x' then 'cancelled'
            when l.token is not null then 'running'
            else 'pending' end as state,
       coalesce(o.attempt, l.attempt, w.attempt, 0::smallint) as attempt,
       coalesce(o.lost, l.lost, w.lost, 0::smallint) as lost,
       case when o.item_id is null and l.token is null then coalesce(w.run_at, b.created_at) end as run_at,
       coalesce(o.worker_id, l.worker_id) as worker_id,
       p.body as payload,
       o.result,
       coalesce(o.error, w.error) as error,
       case when o.item_id is null then l.claimed_at
            when o.state <> 'x' then o.finished_at - o.took_ms * interval '1 millisecond' end as started_at,
       o.finished_at,
       s.key || '-' || (s.first_ordinal + (p.item_id & 1048575)) as key
  from ingather.segment s
  join ingather.batch b on b.id = s.batch_id
  -- the range finds the items of a batch, the equality the segment of an item
  join ingather.payload p on p.item_id between s.id << 20 and s.last_id and p.item_id >> 20 = s.id
  left join ingather.outcome o on o.item_id = p.item_id
  left join ingather.waiting w on w.item_id = p.item_id
  -- Few items are leased at any moment, so unfolding the runs and hashing them beats a search per item.
  left join (
      select c.*, leased.id
        from ingather.lease c
       cross join lateral generate_series(c.first_id, c.last_id) as leased(id)
       where leased.id <> all (c.returned)
  ) l on l.id = p.item_id and o.item_id is null;
