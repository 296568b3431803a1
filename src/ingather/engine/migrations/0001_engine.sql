-- The engine: batches, the items in them, who holds what, and how each item ended.
--
-- Rows on the hot path are only ever inserted (payload, outcome) or live for one claim (lease). What changes is
-- narrow and changes once per claim or settle, never once per item: a segment's cursor, a worker's tally.

-- A lane with limits that hold for the whole fleet. The row is the limiter: a claim from a queue with a limit locks it.
create table ingather.queue (
    name          text primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
    max_running   integer check (max_running between 1 and 1000000),
    rate_items    integer check (rate_items between 1 and 1000000),
    rate_window   interval check (rate_window between '1 second' and '1 day'),
    paused        boolean not null default false,
    blocked_until timestamptz check (isfinite(blocked_until)),
    check ((rate_items is null) = (rate_window is null))
);

-- Starts of the last window in queues with a rate: one row per claim, removed once it has left the window.
create table ingather.rate_use (
    queue   text not null,
    used_at timestamptz not null default clock_timestamp(),
    items   integer not null
);
create index rate_use_window on ingather.rate_use (queue, used_at);

create table ingather.batch (
    id              bigint generated always as identity primary key,
    kind            text not null check (kind ~ '^[a-z][a-z0-9_]{0,62}$'),
    queue           text not null references ingather.queue (name),
    state           text not null default 'open' check (state in ('open', 'closed')),
    total           bigint not null check (total > 0),
    version         integer not null default 1,
    priority        smallint not null default 0 check (priority between -100 and 100),
    paused          boolean not null default false,
    max_attempts    smallint not null check (max_attempts between 1 and 100),
    timeout_s       integer not null check (timeout_s between 1 and 86400),
    gathers         boolean not null,            -- closing creates a gather item
    gather_id       bigint,                      -- that item; its outcome is the batch's result
    parent_id       bigint,                      -- the batch whose item scattered this one
    idempotency_key text unique,
    request_hash    bytea,                       -- of all that the key stands for
    completed       bigint,                      -- the three counts are kept here once closed, in tally until then
    error           bigint,
    cancelled       bigint,
    created_at      timestamptz not null default clock_timestamp(),
    closed_at       timestamptz,
    check ((state = 'closed') = (closed_at is not null)),
    check (state = 'open' or completed + error + cancelled = total),
    check ((idempotency_key is null) = (request_hash is null))
);
create index batch_closed on ingather.batch (closed_at) where state = 'closed';
create index batch_open on ingather.batch (id) where state = 'open';

-- A run of items scattered together: at most 2^20 ids, so an item's segment is its id >> 20.
create sequence ingather.segment_id;
create table ingather.segment (
    id            bigint primary key,
    batch_id      bigint not null references ingather.batch (id),
    first_ordinal bigint not null,
    next_id       bigint not null,               -- the cursor: items before it have been claimed at least once
    last_id       bigint not null,
    priority      smallint not null,
    queue         text,                          -- null once nothing is left to claim: see segment_turn
    check (next_id >> 20 = id and last_id >> 20 = id and next_id <= last_id + 1),
    check ((queue is null) = (next_id > last_id))
) with (fillfactor = 50);
-- Holds open segments only. No column of it changes while the cursor moves, so all but the last advance stay HOT.
create index segment_turn on ingather.segment (queue, priority desc, batch_id) where queue is not null;
create index segment_batch on ingather.segment (batch_id);

create table ingather.payload (
    item_id bigint primary key,
    body    jsonb not null
);

-- The right to settle a run of items. The only thing that says "running".
create table ingather.lease (
    token      bigint primary key,               -- random, drawn at claim: the fence
    first_id   bigint not null,
    last_id    bigint not null,
    batch_id   bigint not null,
    worker_id  bigint not null,
    claimed_at timestamptz not null default clock_timestamp(),
    open       integer not null check (open > 0),  -- how many of the run are neither settled nor returned
    starting   integer not null,                 -- how many, from the front, were to start at once
    attempt    smallint not null,
    lost       smallint not null,
    is_gather  boolean not null,
    queue      text not null,
    returned   bigint[] not null default '{}',   -- items of the run that went back to waiting: no longer covered
    check (last_id >= first_id)
);
create index lease_queue on ingather.lease (queue, batch_id);

-- The exceptional lane: items that come back one by one, or are not due yet.
create table ingather.waiting (
    item_id   bigint primary key,
    batch_id  bigint not null,
    run_at    timestamptz not null check (isfinite(run_at)),
    attempt   smallint not null,                 -- attempts used so far
    lost      smallint not null,
    is_gather boolean not null default false,
    queue     text not null,
    error     jsonb                              -- why it came back
);
create index waiting_due on ingather.waiting (queue, run_at);

-- How an item ended. Its primary key is the promise: an item cannot end twice.
create table ingather.outcome (
    item_id     bigint primary key,
    token       bigint not null,                 -- of the lease it was written under; 0 for cancel
    worker_id   bigint not null,
    finished_at timestamptz not null default clock_timestamp(),
    took_ms     integer not null,
    attempt     smallint not null,
    lost        smallint not null,
    state       "char" not null check (state in ('c', 'e', 'x')),  -- completed, error, cancelled
    result      jsonb,
    error       jsonb,
    check ((state = 'c') = (error is null))
);

-- Finished items of an open batch, counted per writer in the commit that finished them, so that no two workers
-- ever update the same row. Writer 0 is an operator (cancel, retry).
create table ingather.tally (
    batch_id  bigint not null,
    worker_id bigint not null,
    completed bigint not null default 0,
    error     bigint not null default 0,
    cancelled bigint not null default 0,
    primary key (batch_id, worker_id)
) with (fillfactor = 50);

create table ingather.worker (
    id         bigint generated always as identity primary key,
    host       text not null,
    pid        integer not null,
    kinds      text[] not null,
    lease      interval not null check (lease >= '1 second'),
    started_at timestamptz not null default clock_timestamp(),
    beat_at    timestamptz not null default clock_timestamp(),
    running    bigint[] not null default '{}'    -- items whose handler had started, at the last beat
) with (fillfactor = 50);

create table ingather.schedule (
    name         text primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
    kind         text not null check (kind ~ '^[a-z][a-z0-9_]{0,62}$'),
    queue        text not null,
    payload      jsonb not null,
    cron         text not null,
    tz           text not null,
    seconds      boolean not null,
    catch_up     text not null check (catch_up in ('skip', 'one', 'all')),
    priority     smallint not null,
    max_attempts smallint not null,
    timeout_s    integer not null,
    gathers      boolean not null,
    paused       boolean not null default false,
    last_at      timestamptz,                    -- the instant fired last
    next_at      timestamptz not null
);

-- Every item with its state, for people, dashboards and tests. The engine itself never reads it.
create view ingather.item as
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
       o.finished_at
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
