"""Forward-only migrations, safe to run from several processes at once and while workers run.

Every room of the package keeps its own, as `<room>/migrations/<version>_<name>.sql`; the versions form one sequence.
A database gets the tables of the rooms that are asked for, and those of every room that is there already are kept up to
date: who uses the engine alone has the engine's tables alone.
"""

import time
from collections.abc import Collection
from contextlib import suppress
from importlib.resources import files
from typing import Final, NamedTuple

import psycopg
from psycopg.rows import tuple_row

from ingather.engine.connection import connect
from ingather.engine.errors import DatabaseUnavailable, SchemaOutdated, SchemaTooNew

# How long a migration waits for a lock. All other statements on the table queue behind it, so longer would hold them
# up.
LOCK_TIMEOUT: Final = "500ms"
# For so long a migration tries to get its locks. Longer hides a forgotten transaction from the operator who waits.
GIVE_UP_AFTER_S: Final = 60.0
# The pause between two tries. Shorter gives the statements that queued up no time to run.
PAUSE_S: Final = 0.2

_SETUP = """
create schema if not exists ingather;
create table if not exists ingather.migration (
    version    integer primary key,
    name       text not null,
    oldest     integer not null,   -- code of this version and newer can work with the tables
    applied_at timestamptz not null default clock_timestamp()
);
"""


class Migration(NamedTuple):
    """One file."""

    version: int
    name: str
    room: str
    text: str


def available_migrations() -> list[Migration]:
    """Every migration of every room, in order."""
    package = files(__name__.partition(".")[0])
    return sorted(
        Migration(int(file.name[:4]), file.name[5:-4], room.name, file.read_text("utf-8"))
        for room in package.iterdir()
        if (folder := room / "migrations").is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    )


ROOM_OF = {migration.version: migration.room for migration in available_migrations()}
LATEST = max(ROOM_OF)
ENGINE_ALONE: Final = frozenset({"engine"})
ALL_ROOMS: Final = frozenset(ROOM_OF.values())


def rooms_in_migrations(applied: Collection[int]) -> set[str]:
    """The rooms whose tables a database has, by the versions that were applied to it."""
    return {room for version, room in ROOM_OF.items() if version in applied}


def latest_migration(rooms: Collection[str]) -> int:
    """The newest version of these rooms."""
    return max(version for version, room in ROOM_OF.items() if room in rooms)


# The oldest code that can still work with the tables as the newest migration leaves them. Raise it only when a
# migration takes away what that code uses, a release after the code stopped using it.
OLDEST_CODE = 1


def migrate(url: str, rooms: Collection[str] = ALL_ROOMS) -> list[str]:
    """Bring the tables of these rooms, and of those that are there, up to date; returns the names of what was applied.

    Each is one transaction that gives up at once when it would have to wait
    for a lock, so that it never holds up workers queueing behind it; then it
    tries again.
    """
    applied: list[str] = []
    deadline = time.monotonic() + GIVE_UP_AFTER_S
    with connect(url) as conn:
        # Where nothing is to be done, the role needs no right to change tables.
        with suppress(SchemaOutdated):
            check_migrations(conn, rooms)
            return applied
        wanted = {*rooms, *rooms_in_migrations(_applied_migrations(conn))}
        for version, name, room, text in available_migrations():
            while room in wanted:
                try:
                    if _apply_migration(conn, version, name, text):
                        applied.append(name)
                    break
                except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
                    if time.monotonic() > deadline:
                        raise DatabaseUnavailable(
                            f"The migration {name!r} could not get its locks within {GIVE_UP_AFTER_S:g} s: a long "
                            "transaction holds the tables. Find it with `ingather doctor`, then migrate again."
                        ) from error
                    time.sleep(PAUSE_S)
        check_migrations(conn, rooms)
    return applied


def _applied_migrations(conn: psycopg.Connection[object]) -> dict[int, int]:
    """The versions that this database has, and the oldest code that each of them allows."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        [exists] = cursor.execute("select to_regclass('ingather.migration') is not null").fetchone() or [False]
        rows = cursor.execute("select version, oldest from ingather.migration").fetchall() if exists else []
    return dict(rows)


def _apply_migration(conn: psycopg.Connection[object], version: int, name: str, text: str) -> bool:
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        # Several processes may start at the same moment; all but one find the work done.
        cursor.execute("select pg_advisory_xact_lock(hashtext('ingather.migrate'))")
        cursor.execute("select set_config('lock_timeout', %s, true)", [LOCK_TIMEOUT])
        cursor.execute(_SETUP)
        if cursor.execute("select 1 from ingather.migration where version = %s", [version]).fetchone():
            return False
        cursor.execute(text)
        cursor.execute(
            "insert into ingather.migration (version, name, oldest) values (%s, %s, %s)", [version, name, OLDEST_CODE]
        )
        return True


def check_migrations(conn: psycopg.Connection[object], rooms: Collection[str] = ENGINE_ALONE) -> None:
    """Raise unless these tables fit this code. Newer tables are fine as long as they allow older code."""
    oldest_of = _applied_migrations(conn)
    if not oldest_of:
        raise SchemaOutdated("This database has no Ingather tables yet. Run `ingather migrate`.")
    if lacking := sentence_of_missing_migrations(oldest_of, rooms):
        raise SchemaOutdated(lacking)
    version, oldest = max(oldest_of), max(oldest_of.values())
    if oldest > LATEST:
        raise SchemaTooNew(
            f"The tables are at version {version}, for code of version {oldest} and newer; this code is of version "
            f"{LATEST}. Upgrade ingather in this process."
        )


def sentence_of_missing_migrations(applied: Collection[int], rooms: Collection[str] = ENGINE_ALONE) -> str:
    """What to do where a migration of these rooms, or of those that are there, was never applied; empty where all were.

    The highest version proves little: of two that were made side by side, the
    later may have come first.
    """
    wanted = {*rooms, *rooms_in_migrations(applied)}
    lacking = [version for version, room in ROOM_OF.items() if room in wanted and version not in applied]
    missing = ", ".join(map(str, sorted(lacking)))
    return f"The tables lack version {missing}, which this code needs. Run `ingather migrate`." if missing else ""
