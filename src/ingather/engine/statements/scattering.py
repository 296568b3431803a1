"""The SQL of scatter and add: items come into being as pending."""

from typing import Final, LiteralString

# Two scatters with one key meet at the unique index: the second waits for the first to commit, then inserts nothing.
NEW_BATCH: Final[LiteralString] = """
with lane as (
    insert into ingather.queue (name) values (%(queue)s) on conflict do nothing
)
insert into ingather.batch
       (kind, queue, total, priority, share, max_items, max_attempts, timeout_s, gathers, parent_id, holds_parent,
        idempotency_key, request_hash)
values (%(kind)s, %(queue)s, 1, %(priority)s, %(share)s, %(max_items)s, %(max_attempts)s, %(timeout_s)s, %(gathers)s,
        %(parent_id)s, %(parent_id)s::bigint is not null,
        %(key)s, case when %(key)s::text is not null then ''::bytea end)
    on conflict (idempotency_key) do nothing
returning id, nextval('ingather.segment_id'::regclass)
"""

# The same with items that are few enough to come along, whole in one statement. Every
# part waits for the batch row, so that with a known key there is nothing to undo.
NEW_SMALL_BATCH: Final[LiteralString] = """
with born as (
    insert into ingather.batch
           (kind, queue, total, priority, share, max_items, max_attempts, timeout_s, gathers, parent_id, holds_parent,
            idempotency_key, request_hash)
    values (%(kind)s, %(queue)s, %(total)s, %(priority)s, %(share)s, %(max_items)s, %(max_attempts)s, %(timeout_s)s,
            %(gathers)s, %(parent_id)s, %(parent_id)s::bigint is not null,
            %(key)s, %(hash)s::bytea)
        on conflict (idempotency_key) do nothing
    returning id
), lane as (
    insert into ingather.queue (name) select %(queue)s from born on conflict do nothing
), run as materialized (
    select id as batch_id, nextval('ingather.segment_id'::regclass) as segment_id from born
), bodies as (
    insert into ingather.payload (item_id, body)
    select (run.segment_id << 20) + line.place - 1, line.body::jsonb
      from run, string_to_table(%(lines)s, E'\\n') with ordinality as line(body, place)
), fresh as (
    insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue, kind, share)
    select segment_id, batch_id, 0, segment_id << 20, (segment_id << 20) + %(total)s - 1, %(priority)s, %(queue)s,
           %(kind)s, %(share)s
      from run
)
select batch_id from run
"""

BATCH_OF_KEY: Final[LiteralString] = """
select id, kind, request_hash from ingather.batch where idempotency_key = %(key)s
"""

COPY_PAYLOADS: Final[LiteralString] = "copy ingather.payload (item_id, body) from stdin"

# The batch row is ours until commit, so its provisional total of 1 was never seen by anyone.
SEAL_BATCH: Final[LiteralString] = """
update ingather.batch
   set total = %(total)s,
       request_hash = case when idempotency_key is not null then %(hash)s::bytea end
 where id = %(batch_id)s
"""

NEW_SEGMENT: Final[LiteralString] = """
insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue, kind, share, parked)
values (%(segment_id)s, %(batch_id)s, %(first_ordinal)s, %(segment_id)s::bigint << 20,
        (%(segment_id)s::bigint << 20) + %(items)s - 1, %(priority)s, %(queue)s, %(kind)s, %(share)s, %(parked)s)
"""

# Items that are not due yet wait one by one: the segment is born with nothing to claim.
NEW_DELAYED_SEGMENT: Final[LiteralString] = """
with run as (
    insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue, kind, share)
    values (%(segment_id)s, %(batch_id)s, %(first_ordinal)s, (%(segment_id)s::bigint << 20) + %(items)s,
            (%(segment_id)s::bigint << 20) + %(items)s - 1, %(priority)s, null, %(kind)s, %(share)s)
    returning id, last_id
)
insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, queue, kind)
select item_id, %(batch_id)s, clock_timestamp() + %(delay)s, 0, 0, %(queue)s, %(kind)s
  from run cross join lateral generate_series(run.id << 20, run.last_id) as item_id
"""

# Adders and closers meet at this lock: a batch is added to before it closes, or not at all.
LOCK_BATCH: Final[LiteralString] = """
select state, total, priority, queue, kind, share, paused, max_items
  from ingather.batch where id = %(batch_id)s for no key update
"""

# An item that scatters a child: others may do so at the same time, but no cancel may miss the child.
SHARE_BATCH: Final[LiteralString] = """
select state, total, priority, queue, kind, share from ingather.batch where id = %(batch_id)s for share
"""

# Labels that are new to the batch. Under the batch's lock, or while the batch is nobody else's yet.
NEW_LABELS: Final[LiteralString] = """
insert into ingather.label (batch_id, label)
select %(batch_id)s, label from unnest(%(labels)s::text[]) as label
    on conflict do nothing
returning label
"""

GROW_BATCH: Final[LiteralString] = """
update ingather.batch set total = total + %(items)s where id = %(batch_id)s
"""

NEXT_SEGMENT: Final[LiteralString] = "select nextval('ingather.segment_id'::regclass)"

# A hint, sent after the commit in a transaction of its own: a queue of notifications must never hold up a user's. It
# does not wait for the disk either: a hint that a crash takes with it is not missed.
RING: Final[LiteralString] = "select set_config('synchronous_commit', 'off', true), pg_notify('ingather', '')"

LISTEN: Final[LiteralString] = "listen ingather"
