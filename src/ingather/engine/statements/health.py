"""What the doctor asks the server and the tables: its settings, its room, and what stands still. Reads only."""

from typing import Final, LiteralString

SETTINGS: Final[LiteralString] = """
select name, setting
  from (values ('fsync'), ('full_page_writes'), ('synchronous_commit')) as s(name)
 cross join lateral current_setting(name) as setting
"""

CLOCK: Final[LiteralString] = "select clock_timestamp()"

SCHEMA: Final[LiteralString] = "select to_regclass('ingather.migration') is not null"
SCHEMA_VERSIONS: Final[LiteralString] = "select version, oldest from ingather.migration"

# How long past its lease each worker has been silent; below zero for the living.
WORKERS: Final[LiteralString] = """
select id, host, pid, extract(epoch from clock_timestamp() - beat_at - lease)::float8 from ingather.worker order by id
"""

ORPHANED_LEASES: Final[LiteralString] = """
select count(*), coalesce(sum(l.open), 0)
  from ingather.lease l
 where not exists (select from ingather.worker w where w.id = l.worker_id)
"""

# Sequences that stand below an id that is stored: what they give out next was given out before.
IDS_THAT_WENT_BACK: Final[LiteralString] = """
select name, stored, given
  from (select 'batch' as name, (select max(id) from ingather.batch) as stored,
               coalesce(pg_sequence_last_value(pg_get_serial_sequence('ingather.batch', 'id')::regclass), 0) as given
        union all
        select 'segment', greatest((select max(id) from ingather.segment),
                                   (select max(item_id) >> 20 from ingather.payload),
                                   (select max(item_id) >> 20 from ingather.outcome)),
               coalesce(pg_sequence_last_value('ingather.segment_id'::regclass), 0)) as sequence
 where stored > given
 order by name
"""

FINISHED_BUT_OPEN: Final[LiteralString] = """
select t.batch_id
  from ingather.tally t
  join ingather.batch b on b.id = t.batch_id
 where b.state = 'open'
 group by t.batch_id, b.total
having sum(t.completed + t.error + t.cancelled) = b.total
 order by t.batch_id
"""

# Due items of kinds that no live worker has. A worker that serves other queues only is counted as serving all: which
# queues a worker serves is not stored.
UNSERVED_KINDS: Final[LiteralString] = """
with due as (
    select b.kind, s.last_id - s.next_id + 1 as items
      from ingather.segment s
      join ingather.batch b on b.id = s.batch_id
      join ingather.queue q on q.name = s.queue
     where not b.paused and not q.paused
    union all
    select b.kind, count(*)
      from ingather.waiting w
      join ingather.batch b on b.id = w.batch_id
      join ingather.queue q on q.name = w.queue
     where w.run_at <= clock_timestamp() and not b.paused and not q.paused
     group by b.kind
)
select kind, sum(items)::bigint
  from due
 where not exists (select from ingather.worker w
                    where due.kind = any(w.kinds) and w.beat_at > clock_timestamp() - w.lease)
 group by kind
 order by kind
"""

OLDEST_DUE: Final[LiteralString] = """
select w.item_id, b.kind, w.queue, extract(epoch from clock_timestamp() - greatest(w.run_at, b.closed_at))::float8
  from ingather.waiting w
  join ingather.batch b on b.id = w.batch_id
  join ingather.queue q on q.name = w.queue
 where w.run_at <= clock_timestamp()
   and not b.paused
   and not q.paused
   and (q.blocked_until is null or q.blocked_until <= clock_timestamp())
 order by greatest(w.run_at, b.closed_at)
 limit 1
"""

# Paused and blocked queues and batches that hold work back: an operator may have forgotten them.
STOPPED: Final[LiteralString] = """
select 'queue ' || q.name, 'paused'
  from ingather.queue q
 where q.paused
   and (exists (select from ingather.segment s where s.queue = q.name)
        or exists (select from ingather.waiting w where w.queue = q.name))
union all
select 'queue ' || name, 'blocked until ' || to_char(blocked_until, 'HH24:MI:SS TZ')
  from ingather.queue
 where blocked_until > clock_timestamp()
union all
(select 'batch ' || id, 'paused' from ingather.batch where paused and state = 'open' order by id limit 20)
"""

LATE_SCHEDULES: Final[LiteralString] = """
select name, extract(epoch from clock_timestamp() - next_at)::float8
  from ingather.schedule
 where not paused and next_at < clock_timestamp() - interval '1 minute'
 order by next_at
"""

# Vacuum cannot remove rows that the oldest snapshot may still see, whichever table that snapshot reads.
OLDEST_TRANSACTION: Final[LiteralString] = """
select pid, usename, application_name, state, extract(epoch from clock_timestamp() - xact_start)::float8
  from pg_stat_activity
 where xact_start is not null
   and pid <> pg_backend_pid()
   and backend_type in ('client backend', 'parallel worker')
   and (datname = current_database() or backend_xmin is not null)
 order by xact_start
 limit 1
"""

SEES_ALL_SESSIONS: Final[LiteralString] = "select pg_has_role('pg_read_all_stats', 'usage')"

PREPARED: Final[LiteralString] = """
select gid, extract(epoch from clock_timestamp() - prepared)::float8 from pg_prepared_xacts order by prepared limit 1
"""

SLOTS: Final[LiteralString] = """
select slot_name, active, greatest(age(xmin), age(catalog_xmin)) as held
  from pg_replication_slots
 where xmin is not null or catalog_xmin is not null
 order by held desc
 limit 1
"""

DEAD_ROWS: Final[LiteralString] = """
select relname, n_dead_tup, n_live_tup
  from pg_stat_user_tables
 where schemaname = 'ingather' and n_dead_tup > 0
 order by n_dead_tup desc
"""

# An index that is being built at this moment is not valid yet either, but it is not broken.
INVALID_INDEXES: Final[LiteralString] = """
select c.relname
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'ingather'
   and not i.indisvalid
   and not exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
 order by c.relname
"""

XID_AGE: Final[LiteralString] = """
select age(datfrozenxid)::bigint, current_setting('autovacuum_freeze_max_age')::bigint
  from pg_database where datname = current_database()
"""

ENCODING: Final[LiteralString] = """
select pg_encoding_to_char(encoding) from pg_database where datname = current_database()
"""

# The settings of the database, of this role, and of this role in this database.
FOREIGN_SETTINGS: Final[LiteralString] = """
select split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
  from pg_db_role_setting s
 cross join lateral unnest(s.setconfig) as setting
 where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
   and lower(split_part(setting, '=', 1)) in ('client_encoding', 'datestyle', 'intervalstyle', 'search_path',
                                              'standard_conforming_strings', 'default_transaction_isolation',
                                              'default_transaction_read_only', 'idle_session_timeout',
                                              'statement_timeout', 'enable_indexscan')
 order by 1, 2
"""

# A role without pg_read_all_stats sees the replicas without their states, and so none that is synchronous.
REPLICAS: Final[LiteralString] = """
select current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
       count(*) filter (where sync_state in ('sync', 'quorum') or sync_state is null),
       count(*)
  from pg_stat_replication
"""

DATA_FOLDER: Final[LiteralString] = "select current_setting('data_directory')"

OLDEST_CLOSED: Final[LiteralString] = """
select extract(epoch from clock_timestamp() - min(closed_at))::float8 from ingather.batch where closed_at is not null
"""
