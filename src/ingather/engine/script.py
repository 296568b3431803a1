"""Scripts: the engine's verbs as generators of statements, so that one text serves callers with and without a loop.

A verb yields a statement and is sent its rows. It never sees a connection, so
nothing in it can block or await; the four functions below are the only code
that differs. `run_script` makes a script one transaction: it happens whole or not at
all. `play_script` does without, for scripts that only read or write once.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

from psycopg import AsyncConnection, Connection
from psycopg.rows import tuple_row

from ingather.engine.driver import driver_is_in_pipeline, driver_is_outside_transaction
from ingather.engine.errors import UsageError

T = TypeVar("T")

Row = tuple[Any, ...]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement."""

    sql: LiteralString
    params: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """A stream of bytes into a COPY statement; `chunks` is drawn while it is sent, so memory stays flat."""

    sql: LiteralString
    chunks: Iterable[bytes]


Script = Generator[Statement | Copy, Rows, T]


def run_script(conn: Connection[Any], script: Script[T]) -> T:
    """Play a script in one transaction; inside a caller's transaction, in a savepoint of it."""
    _refuse_script_in_pipeline(conn)
    if _script_is_about_to_begin(conn):
        conn.execute("select 1")
    with conn.transaction():
        return play_script(conn, script)


def play_script(conn: Connection[Any], script: Script[T]) -> T:
    """Play a script that only reads, or that writes in its first statement alone.

    Every statement sees what is committed by then. In a transaction it would see the same, as ours are read committed,
    and that would cost two more round trips.
    """
    with conn.cursor(row_factory=tuple_row) as cursor:
        rows: Rows | None = None
        while True:
            try:
                step = next(script) if rows is None else script.send(rows)
            except StopIteration as end:
                return cast("T", end.value)
            if isinstance(step, Copy):
                with cursor.copy(step.sql) as copy:
                    for chunk in step.chunks:
                        copy.write(chunk)
                rows = []
            else:
                cursor.execute(step.sql, step.params)
                rows = cursor.fetchall() if cursor.rownumber is not None else []


async def arun_script(conn: AsyncConnection[Any], script: Script[T]) -> T:
    """`run_script`, for a caller with an event loop."""
    _refuse_script_in_pipeline(conn)
    if _script_is_about_to_begin(conn):
        await conn.execute("select 1")
    async with conn.transaction():
        return await aplay_script(conn, script)


async def aplay_script(conn: AsyncConnection[Any], script: Script[T]) -> T:
    """`play_script`, for a caller with an event loop."""
    async with conn.cursor(row_factory=tuple_row) as cursor:
        rows: Rows | None = None
        while True:
            try:
                step = next(script) if rows is None else script.send(rows)
            except StopIteration as end:
                return cast("T", end.value)
            if isinstance(step, Copy):
                async with cursor.copy(step.sql) as copy:
                    for chunk in step.chunks:
                        await copy.write(chunk)
                rows = []
            else:
                await cursor.execute(step.sql, step.params)
                rows = await cursor.fetchall() if cursor.rownumber is not None else []


def _script_is_about_to_begin(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    """Whether the caller's transaction begins with the next statement, as it does in a driver without autocommit.

    A block that opens the transaction also commits it. So `run_script` sends a
    statement first, and its block is a savepoint.
    """
    return not conn.autocommit and driver_is_outside_transaction(conn)


def _refuse_script_in_pipeline(conn: Connection[Any] | AsyncConnection[Any]) -> None:
    """A script chooses its next statement by the rows of the last, and in a pipeline these come later."""
    if driver_is_in_pipeline(conn):
        raise UsageError("A connection in pipeline mode cannot be joined: leave the pipeline first.")
