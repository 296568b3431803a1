-- Families of batches, turns by share, items with labels, and rows out of the way while their batch is paused.

-- Whose turn it is in a queue goes by share. What one caller scatters is one share, unless it names others.
alter table ingather.batch add column share text collate "C" not null default '';
-- The batch whose item scattered this one stays open for as long as this is set. Closing clears it; where a gather
-- follows, the end of the gather does.
alter table ingather.batch add column holds_parent boolean not null default false;
-- The most items that the batch may grow to.
alter table ingather.batch add column max_items bigint check (max_items > 0);
create index batch_child on ingather.batch (parent_id, id) where parent_id is not null;
create index batch_holding on ingather.batch (parent_id) where holds_parent;
create index batch_gathering_child on ingather.batch (id) where holds_parent and state = 'closed';

-- Kind and share are copies from the batch, for the index below.
alter table ingather.segment add column kind text;
alter table ingather.segment add column share text collate "C" not null default '';
-- Out of a claim's way: the batch is paused. Set and cleared under the batch's lock only; a row of a paused batch may
-- lack it, and is found and left by claims all the same.
alter table ingather.segment add column parked boolean not null default false;
alter table ingather.waiting add column kind text;
alter table ingather.waiting add column parked boolean not null default false;
-- The worker that this item died with last. Others with the same number died in its company.
alter table ingather.waiting add column died_with bigint;
alter table ingather.lease add column died_with bigint;

-- Code of an older version, which may still run, knows no kinds here.
create function ingather.fill_kind() returns trigger language plpgsql as $$
begin
    new.kind := (select kind from ingather.batch where id = new.batch_id);
    return new;
end
$$;
create trigger fill_kind before insert on ingather.segment
    for each row when (new.kind is null) execute function ingather.fill_kind();
create trigger fill_kind before insert on ingather.waiting
    for each row when (new.kind is null) execute function ingather.fill_kind();
update ingather.segment s set kind = b.kind, parked = b.paused
  from ingather.batch b where b.id = s.batch_id and s.queue is not null;
update ingather.waiting w set kind = b.kind, parked = b.paused and not w.is_gather
  from ingather.batch b where b.id = w.batch_id;

-- Every branch of a claim reads one contiguous part of these. No column of them changes while the cursor moves, so all
-- but the last advance of a segment stay HOT.
create index segment_ready on ingather.segment (queue, parked, kind, priority desc, share, batch_id)
    where queue is not null;
drop index ingather.segment_turn;
create index waiting_ready on ingather.waiting (queue, parked, kind, run_at);
drop index ingather.waiting_due;

-- The names that items were given within their batch: an item whose label is here already is not added again.
create table ingather.label (
    batch_id bigint not null,
    label    text collate "C" not null check (length(label) between 1 and 255),
    primary key (batch_id, label)
);

-- Claims of one moment share a row: it began at the first of them and is used at the last.
alter table ingather.rate_use add column began_at timestamptz not null default clock_timestamp();

-- Retention: items of a closed batch up to this id are gone already. The index gives a step the segments behind it.
alter table ingather.batch add column pruned_to bigint not null default 0;
create index segment_of_batch on ingather.segment (batch_id, id);
drop index ingather.segment_batch;
