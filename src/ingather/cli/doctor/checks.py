"""The checks of the doctor. Each one looks at one thing and returns a level and a sentence."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, LiteralString

import psycopg
from psycopg import Connection
from psycopg.rows import tuple_row

from ingather.cli.doctor import surroundings
from ingather.cli.quantities import show_duration
from ingather.engine.connection import is_direct_connection
from ingather.engine.migrations import LATEST, sentence_of_missing_migrations
from ingather.engine.statements import health as sql

Level = Literal["ok", "note", "wrong", "unknown"]

# The doctor is called when a database is slow. A check that takes longer is reported as `unknown`.
STATEMENT_TIMEOUT = "10s"
# A worker closes a finished batch within a second. A shorter wait would report healthy batches as wrong.
LOOK_AGAIN_S = 1.5
# Aggregators look for silent workers every few seconds. Longer hides a fleet without one; shorter reports it too soon.
UNSWEPT_S = 10.0
# Machines with NTP agree within milliseconds. Below this no reader of two logs would be misled.
CLOCK_OFF_S = 2.0
# An item that is due for longer than this waits for a worker, a limit or an operator.
OLD_DUE_S = 300.0
# Vacuum removes nothing that an open transaction may still see. The first level is a note, the second is wrong.
OLD_TRANSACTION_S, ANCIENT_TRANSACTION_S = 300.0, 3_600.0
# The same in transactions. 200 million is where autovacuum begins to force itself (autovacuum_freeze_max_age).
OLD_XMIN, ANCIENT_XMIN = 10_000_000, 200_000_000
# Dead rows of one table: below the first number they cost nothing; above the second every claim reads many of them.
MANY_DEAD, TOO_MANY_DEAD = 50_000, 1_000_000
# PostgreSQL refuses writes near 2.1 billion. The rest is time to vacuum.
XID_LIMIT = 1_500_000_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check. `wrong` needs action, `note` is worth knowing, `unknown` could not be examined."""

    check: str
    level: Level
    sentence: str


class ExaminedDatabase:
    """The database under examination. Every read is a short read-only transaction, also through a pooler."""

    def __init__(self, conn: Connection[Any]) -> None:
        self.conn = conn

    def rows(self, question: LiteralString) -> list[tuple[Any, ...]]:
        with self.conn.transaction(), self.conn.cursor(row_factory=tuple_row) as cursor:
            cursor.execute("set transaction read only")
            cursor.execute("select set_config('statement_timeout', %s, true)", [STATEMENT_TIMEOUT])
            return cursor.execute(question).fetchall()


Check = Callable[[ExaminedDatabase], tuple[Level, str]]


def run_checks(database: ExaminedDatabase, keep: timedelta | None) -> list[CheckResult]:
    """All checks, those of our tables only where the tables fit."""
    found = [_run_one_check(name, check, database) for name, check in OF_THE_SERVER.items()]
    schema = _run_one_check("schema", check_schema_version, database)
    found.append(schema)
    if schema.level == "ok":
        found += [_run_one_check(name, check, database) for name, check in OF_THE_WORK.items()]
        found.append(
            _run_one_check("retention", lambda examined: surroundings.surrounding_retention(examined, keep), database)
        )
    return found


def _run_one_check(name: str, check: Check, database: ExaminedDatabase) -> CheckResult:
    try:
        return CheckResult(name, *check(database))
    except psycopg.Error as error:
        return CheckResult(name, "unknown", f"The server would not say: {' '.join(str(error).split())}")


# --- the server ----------------------------------------------------------------------------------------------------


def check_server(database: ExaminedDatabase) -> tuple[Level, str]:
    began = time.monotonic()
    database.rows(sql.CLOCK)
    version = database.conn.info.server_version
    trip_ms = (time.monotonic() - began) * 1000
    return "ok", f"PostgreSQL {version // 10_000}.{version % 10_000} answers in {trip_ms:.0f} ms."


def check_connection(database: ExaminedDatabase) -> tuple[Level, str]:
    if is_direct_connection(database.conn):
        return "ok", "Direct: workers are woken by notifications."
    return "note", "Through a pooler: all promises hold, but workers find new work by looking, every half second."


def check_durability(database: ExaminedDatabase) -> tuple[Level, str]:
    settings = dict(database.rows(sql.SETTINGS))
    if off := [name for name in ("fsync", "full_page_writes") if settings[name] == "off"]:
        return (
            "wrong",
            f"{' and '.join(off)} is off: a crash of the machine can destroy the whole database. Turn it on.",
        )
    if settings["synchronous_commit"] == "off":
        return "wrong", "synchronous_commit is off: a crash can lose batches that callers were told of. Turn it on."
    return "ok", f"What is committed stays committed (synchronous_commit = {settings['synchronous_commit']})."


def check_clock(database: ExaminedDatabase) -> tuple[Level, str]:
    began = datetime.now(UTC)
    [(theirs,)] = database.rows(sql.CLOCK)
    ours = began + (datetime.now(UTC) - began) / 2
    off = abs(theirs - ours)
    if off > timedelta(seconds=CLOCK_OFF_S):
        return "note", (
            f"This machine's clock is {show_duration(off)} {'behind' if theirs > ours else 'ahead of'} the server's. "
            "Only the server's counts for work, but log times will not agree."
        )
    return "ok", f"This machine and the server agree within {off.total_seconds() * 1000:.0f} ms."


def check_oldest_transaction(database: ExaminedDatabase) -> tuple[Level, str]:
    [(sees_all,)] = database.rows(sql.SEES_ALL_SESSIONS)
    for gid, age_s in database.rows(sql.PREPARED):
        if age_s > OLD_TRANSACTION_S:
            return "wrong", (
                f"The prepared transaction {gid!r} is {show_duration(age_s)} old and keeps dead rows from being "
                "removed. Commit it or roll it back."
            )
    for name, active, held in database.rows(sql.SLOTS):
        if held > OLD_XMIN:
            return "wrong" if held > ANCIENT_XMIN else "note", (
                f"The replication slot {name} ({'active' if active else 'unused'}) holds back the removal of dead rows "
                f"by {held:,} transactions. Drop it if nobody needs it."
            )
    for pid, user, application, state, age_s in database.rows(sql.OLDEST_TRANSACTION):
        who = f"process {pid} ({application or 'unnamed'}, user {user}, {state})"
        if age_s > OLD_TRANSACTION_S:
            return "wrong" if age_s > ANCIENT_TRANSACTION_S else "note", (
                f"The transaction of {who} has been open for {show_duration(age_s)} and keeps dead rows from being "
                f"removed. End it with: select pg_terminate_backend({pid})"
            )
        return "ok", f"The oldest transaction, of {who}, is {show_duration(age_s)} old."
    return (
        "ok",
        "No transaction is open." if sees_all else "No transaction of this user is open; others are hidden from it.",
    )


def check_xid_age(database: ExaminedDatabase) -> tuple[Level, str]:
    [(age, freeze_max_age)] = database.rows(sql.XID_AGE)
    if age > XID_LIMIT:
        return (
            "wrong",
            f"{age:,} transactions since the last freeze, of 2 billion possible: vacuum now, or writes stop.",
        )
    if age > 2 * freeze_max_age:
        return (
            "note",
            f"{age:,} transactions since the last freeze: autovacuum falls behind its limit of {freeze_max_age:,}.",
        )
    return "ok", f"{age:,} transactions since the last freeze, of 2 billion possible."


# --- our tables and the work in them -------------------------------------------------------------------------------


def check_schema_version(database: ExaminedDatabase) -> tuple[Level, str]:
    [(exists,)] = database.rows(sql.SCHEMA)
    if not exists:
        return "wrong", "There are no Ingather tables yet. Run `ingather migrate`."
    oldest_of = dict(database.rows(sql.SCHEMA_VERSIONS))
    if lacking := sentence_of_missing_migrations(oldest_of):
        return "wrong", lacking
    version = max(oldest_of)
    if max(oldest_of.values()) > LATEST:
        return "wrong", f"The tables are at version {version}, too new for this code ({LATEST}). Upgrade ingather here."
    return "ok", f"The tables are at version {version}."


def check_workers(database: ExaminedDatabase) -> tuple[Level, str]:
    found = database.rows(sql.WORKERS)
    silent = [
        (f"worker {number} (process {pid} on {host})", past_s) for number, host, pid, past_s in found if past_s > 0
    ]
    alive = len(found) - len(silent)
    if unswept := [name for name, past_s in silent if past_s > UNSWEPT_S]:
        why = "no other worker runs to take its items back" if not alive else "nobody took its items back"
        return (
            "wrong",
            f"{_some_for_check(unswept)} went silent and {why}. Start a worker with `ingather work MODULE:APP`.",
        )
    if silent:
        return (
            "note",
            f"{_some_for_check([name for name, _ in silent])} went silent just now; its items are being taken back.",
        )
    return "ok", f"{alive} alive." if alive else "None runs, and none is registered."


def check_leases(database: ExaminedDatabase) -> tuple[Level, str]:
    [(runs, items)] = database.rows(sql.ORPHANED_LEASES)
    if runs:
        return "wrong", f"{items:,} items are leased to workers that are gone, and nothing will take them back."
    return "ok", "Every lease has its worker."


def check_ids(database: ExaminedDatabase) -> tuple[Level, str]:
    for table, stored, given in database.rows(sql.IDS_THAT_WENT_BACK):
        return "wrong", (
            f"The ids of the table {table} went back: {stored:,} is stored and the sequence stands at {given:,}, as "
            "after a backup that was restored in part. New batches will fail. Restore the whole backup."
        )
    return "ok", "No sequence stands below an id that is stored."


def check_closing(database: ExaminedDatabase) -> tuple[Level, str]:
    """Looks twice: between its last item and its close a healthy batch is in this state for a moment."""
    finished = {batch_id for (batch_id,) in database.rows(sql.FINISHED_BUT_OPEN)}
    if finished:
        time.sleep(LOOK_AGAIN_S)
        finished &= {batch_id for (batch_id,) in database.rows(sql.FINISHED_BUT_OPEN)}
    if finished:
        names = _some_for_check([f"batch {batch_id}" for batch_id in sorted(finished)])
        return "wrong", f"{names} has finished but is not closed: any running worker closes it within a second."
    return "ok", "No finished batch waits to be closed."


def check_unserved_kinds(database: ExaminedDatabase) -> tuple[Level, str]:
    unserved = [f"{kind} ({items:,} items)" for kind, items in database.rows(sql.UNSERVED_KINDS)]
    if unserved:
        return (
            "wrong",
            f"No live worker handles {_some_for_check(unserved)}. Start one with `ingather work MODULE:APP`.",
        )
    return "ok", "Every kind with due items has a live worker."


def check_oldest_due(database: ExaminedDatabase) -> tuple[Level, str]:
    for item_id, kind, queue, age_s in database.rows(sql.OLDEST_DUE):
        sentence = f"Item {item_id} of kind {kind} in queue {queue} has been due for {show_duration(age_s)}."
        return ("note" if age_s > OLD_DUE_S else "ok"), sentence
    return "ok", "Nothing that came back waits past its time."


def check_stopped(database: ExaminedDatabase) -> tuple[Level, str]:
    held = [f"{what} is {how}" for what, how in database.rows(sql.STOPPED)]
    return (
        ("note", f"Held back: {_some_for_check(held)}.")
        if held
        else ("ok", "No queue or open batch is paused or blocked.")
    )


def check_schedules(database: ExaminedDatabase) -> tuple[Level, str]:
    for name, late_s in database.rows(sql.LATE_SCHEDULES):
        return "wrong", f"Schedule {name} should have fired {show_duration(late_s)} ago: does any worker run?"
    return "ok", "No schedule is late."


def check_dead_rows(database: ExaminedDatabase) -> tuple[Level, str]:
    found = database.rows(sql.DEAD_ROWS)
    many = [(table, dead) for table, dead, live in found if dead > max(MANY_DEAD, live)]
    if many:
        names = _some_for_check([f"{table} ({dead:,})" for table, dead in many])
        level: Level = "wrong" if many[0][1] > TOO_MANY_DEAD else "note"
        return level, f"Dead rows pile up in {names}: autovacuum falls behind, or an old transaction holds it back."
    return "ok", f"{sum(dead for _, dead, _ in found):,} in all tables together."


def check_indexes(database: ExaminedDatabase) -> tuple[Level, str]:
    if broken := [name for (name,) in database.rows(sql.INVALID_INDEXES)]:
        return (
            "wrong",
            f"Invalid: {_some_for_check(broken)}. Rebuild with: reindex index concurrently ingather.{broken[0]}",
        )
    return "ok", "All are valid."


def _some_for_check(names: list[str]) -> str:
    """The first few, and how many more."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


OF_THE_SERVER: dict[str, Check] = {
    "server": check_server,
    "connection": check_connection,
    "durability": check_durability,
    "clock": check_clock,
    "oldest_transaction": check_oldest_transaction,
    "xid_age": check_xid_age,
    "encoding": surroundings.surrounding_encoding,
    "settings": surroundings.surrounding_settings,
    "replicas": surroundings.surrounding_replicas,
    "disk": surroundings.surrounding_disk,
}
OF_THE_WORK: dict[str, Check] = {
    "workers": check_workers,
    "leases": check_leases,
    "ids": check_ids,
    "closing": check_closing,
    "unserved_kinds": check_unserved_kinds,
    "oldest_due": check_oldest_due,
    "stopped": check_stopped,
    "schedules": check_schedules,
    "dead_rows": check_dead_rows,
    "indexes": check_indexes,
}
