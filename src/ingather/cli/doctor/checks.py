"""The doctor's judgement: each check asks one thing and answers with a word and a sentence."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, LiteralString

import psycopg
from psycopg import Connection
from psycopg.rows import tuple_row

from ingather.cli.doctor import questions as ask
from ingather.cli.quantities import show_duration
from ingather.engine.connection import is_direct
from ingather.engine.migrations import LATEST, sentence_of_missing

Word = Literal["ok", "note", "wrong", "unknown"]

PATIENCE = "10s"
LOOK_AGAIN_S = 1.5
UNSWEPT_S = 10.0
CLOCK_OFF_S = 2.0
OLD_DUE_S = 300.0
OLD_TRANSACTION_S, ANCIENT_TRANSACTION_S = 300.0, 3_600.0
OLD_XMIN, ANCIENT_XMIN = 10_000_000, 200_000_000
MANY_DEAD, TOO_MANY_DEAD = 50_000, 1_000_000
XID_LIMIT = 1_500_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `wrong` wants somebody to act; `note` is worth knowing; `unknown` could not be asked."""

    check: str
    word: Word
    sentence: str


class Patient:
    """The database under examination: every question is a short read-only transaction, also through a pooler."""

    def __init__(self, conn: Connection[Any]) -> None:
        self.conn = conn

    def rows(self, question: LiteralString) -> list[tuple[Any, ...]]:
        with self.conn.transaction(), self.conn.cursor(row_factory=tuple_row) as cursor:
            cursor.execute("set transaction read only")
            cursor.execute("select set_config('statement_timeout', %s, true)", [PATIENCE])
            return cursor.execute(question).fetchall()


Check = Callable[[Patient], tuple[Word, str]]


def examine(patient: Patient) -> list[Finding]:
    """All checks, those of our tables only where the tables fit."""
    found = [_examine(name, check, patient) for name, check in OF_THE_SERVER.items()]
    schema = _examine("schema", schema_version, patient)
    found.append(schema)
    if schema.word == "ok":
        found += [_examine(name, check, patient) for name, check in OF_THE_WORK.items()]
    return found


def _examine(name: str, check: Check, patient: Patient) -> Finding:
    try:
        return Finding(name, *check(patient))
    except psycopg.Error as error:
        return Finding(name, "unknown", f"The server would not say: {' '.join(str(error).split())}")


# --- the server ----------------------------------------------------------------------------------------------------


def server(patient: Patient) -> tuple[Word, str]:
    began = time.monotonic()
    patient.rows(ask.CLOCK)
    version = patient.conn.info.server_version
    trip_ms = (time.monotonic() - began) * 1000
    return "ok", f"PostgreSQL {version // 10_000}.{version % 10_000} answers in {trip_ms:.0f} ms."


def connection(patient: Patient) -> tuple[Word, str]:
    if is_direct(patient.conn):
        return "ok", "Direct: workers are woken by notifications."
    return "note", "Through a pooler: all promises hold, but workers find new work by looking, every half second."


def durability(patient: Patient) -> tuple[Word, str]:
    settings = dict(patient.rows(ask.SETTINGS))
    if off := [name for name in ("fsync", "full_page_writes") if settings[name] == "off"]:
        return (
            "wrong",
            f"{' and '.join(off)} is off: a crash of the machine can destroy the whole database. Turn it on.",
        )
    if settings["synchronous_commit"] == "off":
        return "wrong", "synchronous_commit is off: a crash can lose batches that callers were told of. Turn it on."
    return "ok", f"What is committed stays committed (synchronous_commit = {settings['synchronous_commit']})."


def clock(patient: Patient) -> tuple[Word, str]:
    began = datetime.now(UTC)
    [(theirs,)] = patient.rows(ask.CLOCK)
    ours = began + (datetime.now(UTC) - began) / 2
    off = abs(theirs - ours)
    if off > timedelta(seconds=CLOCK_OFF_S):
        return "note", (
            f"This machine's clock is {show_duration(off)} {'behind' if theirs > ours else 'ahead of'} the server's. "
            "Only the server's counts for work, but log times will not agree."
        )
    return "ok", f"This machine and the server agree within {off.total_seconds() * 1000:.0f} ms."


def oldest_transaction(patient: Patient) -> tuple[Word, str]:
    [(sees_all,)] = patient.rows(ask.SEES_ALL_SESSIONS)
    for gid, age_s in patient.rows(ask.PREPARED):
        if age_s > OLD_TRANSACTION_S:
            return "wrong", (
                f"The prepared transaction {gid!r} is {show_duration(age_s)} old and keeps dead rows from being "
                "removed. Commit it or roll it back."
            )
    for name, active, held in patient.rows(ask.SLOTS):
        if held > OLD_XMIN:
            return "wrong" if held > ANCIENT_XMIN else "note", (
                f"The replication slot {name} ({'active' if active else 'unused'}) holds back the removal of dead rows "
                f"by {held:,} transactions. Drop it if nobody needs it."
            )
    for pid, user, application, state, age_s in patient.rows(ask.OLDEST_TRANSACTION):
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


def xid_age(patient: Patient) -> tuple[Word, str]:
    [(age, freeze_max_age)] = patient.rows(ask.XID_AGE)
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


def schema_version(patient: Patient) -> tuple[Word, str]:
    [(exists,)] = patient.rows(ask.SCHEMA)
    if not exists:
        return "wrong", "There are no Ingather tables yet. Run `ingather migrate`."
    oldest_of = dict(patient.rows(ask.SCHEMA_VERSIONS))
    if lacking := sentence_of_missing(oldest_of):
        return "wrong", lacking
    version = max(oldest_of)
    if max(oldest_of.values()) > LATEST:
        return "wrong", f"The tables are at version {version}, too new for this code ({LATEST}). Upgrade ingather here."
    return "ok", f"The tables are at version {version}."


def workers(patient: Patient) -> tuple[Word, str]:
    found = patient.rows(ask.WORKERS)
    silent = [
        (f"worker {number} (process {pid} on {host})", past_s) for number, host, pid, past_s in found if past_s > 0
    ]
    alive = len(found) - len(silent)
    if unswept := [name for name, past_s in silent if past_s > UNSWEPT_S]:
        why = "no other worker runs to take its items back" if not alive else "nobody took its items back"
        return "wrong", f"{_some(unswept)} went silent and {why}. Start a worker with `ingather work MODULE:APP`."
    if silent:
        return "note", f"{_some([name for name, _ in silent])} went silent just now; its items are being taken back."
    return "ok", f"{alive} alive." if alive else "None runs, and none is registered."


def leases(patient: Patient) -> tuple[Word, str]:
    [(runs, items)] = patient.rows(ask.ORPHANED_LEASES)
    if runs:
        return "wrong", f"{items:,} items are leased to workers that are gone, and nothing will take them back."
    return "ok", "Every lease has its worker."


def ids(patient: Patient) -> tuple[Word, str]:
    for table, stored, given in patient.rows(ask.IDS_THAT_WENT_BACK):
        return "wrong", (
            f"The ids of the table {table} went back: {stored:,} is stored and the sequence stands at {given:,}, as "
            "after a backup that was restored in part. New batches will fail. Restore the whole backup."
        )
    return "ok", "No sequence stands below an id that is stored."


def closing(patient: Patient) -> tuple[Word, str]:
    """Seen twice: between its last item and its close a batch looks like this for a moment."""
    finished = {batch_id for (batch_id,) in patient.rows(ask.FINISHED_BUT_OPEN)}
    if finished:
        time.sleep(LOOK_AGAIN_S)
        finished &= {batch_id for (batch_id,) in patient.rows(ask.FINISHED_BUT_OPEN)}
    if finished:
        names = _some([f"batch {batch_id}" for batch_id in sorted(finished)])
        return "wrong", f"{names} has finished but is not closed: any running worker closes it within a second."
    return "ok", "No finished batch waits to be closed."


def unserved_kinds(patient: Patient) -> tuple[Word, str]:
    unserved = [f"{kind} ({items:,} items)" for kind, items in patient.rows(ask.UNSERVED_KINDS)]
    if unserved:
        return "wrong", f"No live worker handles {_some(unserved)}. Start one with `ingather work MODULE:APP`."
    return "ok", "Every kind with due items has a live worker."


def oldest_due(patient: Patient) -> tuple[Word, str]:
    for item_id, kind, queue, age_s in patient.rows(ask.OLDEST_DUE):
        sentence = f"Item {item_id} of kind {kind} in queue {queue} has been due for {show_duration(age_s)}."
        return ("note" if age_s > OLD_DUE_S else "ok"), sentence
    return "ok", "Nothing that came back waits past its time."


def stopped(patient: Patient) -> tuple[Word, str]:
    held = [f"{what} is {how}" for what, how in patient.rows(ask.STOPPED)]
    return ("note", f"Held back: {_some(held)}.") if held else ("ok", "No queue or open batch is paused or blocked.")


def schedules(patient: Patient) -> tuple[Word, str]:
    for name, late_s in patient.rows(ask.LATE_SCHEDULES):
        return "wrong", f"Schedule {name} should have fired {show_duration(late_s)} ago: does any worker run?"
    return "ok", "No schedule is late."


def dead_rows(patient: Patient) -> tuple[Word, str]:
    found = patient.rows(ask.DEAD_ROWS)
    many = [(table, dead) for table, dead, live in found if dead > max(MANY_DEAD, live)]
    if many:
        names = _some([f"{table} ({dead:,})" for table, dead in many])
        word: Word = "wrong" if many[0][1] > TOO_MANY_DEAD else "note"
        return word, f"Dead rows pile up in {names}: autovacuum falls behind, or an old transaction holds it back."
    return "ok", f"{sum(dead for _, dead, _ in found):,} in all tables together."


def indexes(patient: Patient) -> tuple[Word, str]:
    if broken := [name for (name,) in patient.rows(ask.INVALID_INDEXES)]:
        return "wrong", f"Invalid: {_some(broken)}. Rebuild with: reindex index concurrently ingather.{broken[0]}"
    return "ok", "All are valid."


def _some(names: list[str]) -> str:
    """The first few, and how many more."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


OF_THE_SERVER: dict[str, Check] = {
    "server": server,
    "connection": connection,
    "durability": durability,
    "clock": clock,
    "oldest_transaction": oldest_transaction,
    "xid_age": xid_age,
}
OF_THE_WORK: dict[str, Check] = {
    "workers": workers,
    "leases": leases,
    "ids": ids,
    "closing": closing,
    "unserved_kinds": unserved_kinds,
    "oldest_due": oldest_due,
    "stopped": stopped,
    "schedules": schedules,
    "dead_rows": dead_rows,
    "indexes": indexes,
}
