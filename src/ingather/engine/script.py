"""Scripts: the engine's verbs as generators of steps, so that one text serves callers with and without a loop.

A verb yields what it wants done in the database and is sent the rows. It
never sees a connection, so nothing in it can be blocking or asynchronous; the
two drivers below are the only code that differs. Each script is one
transaction: it happens whole or not at all.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

from psycopg import AsyncConnection, Connection
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

T = TypeVar("T")

Row = tuple[Any, ...]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class Ask:
    """One statement."""

    sql: LiteralString
    params: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """A stream of bytes into a COPY statement; `chunks` is drawn while it is sent, so memory stays flat."""

    sql: LiteralString
    chunks: Iterable[bytes]


Script = Generator[Ask | Copy, Rows, T]


def run(conn: Connection[Any], script: Script[T]) -> T:
    """Play a script in one transaction; inside a caller's transaction, in a savepoint of it."""
    if _is_about_to_begin(conn):
        conn.execute("select 1")
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        step = next(script)
        while True:
            rows: Rows = []
            if isinstance(step, Copy):
                with cursor.copy(step.sql) as copy:
                    for chunk in step.chunks:
                        copy.write(chunk)
            else:
                cursor.execute(step.sql, step.params)
                rows = cursor.fetchall() if cursor.description else []
            try:
                step = script.send(rows)
            except StopIteration as end:
                return cast("T", end.value)


async def arun(conn: AsyncConnection[Any], script: Script[T]) -> T:
    """`run`, for a caller with an event loop."""
    if _is_about_to_begin(conn):
        await conn.execute("select 1")
    async with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        step = next(script)
        while True:
            rows: Rows = []
            if isinstance(step, Copy):
                async with cursor.copy(step.sql) as copy:
                    for chunk in step.chunks:
                        await copy.write(chunk)
            else:
                await cursor.execute(step.sql, step.params)
                rows = await cursor.fetchall() if cursor.description else []
            try:
                step = script.send(rows)
            except StopIteration as end:
                return cast("T", end.value)


def _is_about_to_begin(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    """Whether the caller's transaction begins with the next statement, as it does in a driver without autocommit.

    The script's block must not be the first thing in it, or it would be all of it, with a commit of its own.
    """
    return not conn.autocommit and conn.info.transaction_status == TransactionStatus.IDLE
