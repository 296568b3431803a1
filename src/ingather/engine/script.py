"""Scripts: the engine's verbs as generators of steps, so that one text serves callers with and without a loop.

A verb yields what it wants done in the database and is sent the rows. It
never sees a connection, so nothing in it can be blocking or asynchronous; the
drivers below are the only code that differs. Each script is one transaction:
it happens whole or not at all. One that only looks needs none.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

from psycopg import AsyncConnection, Connection
from psycopg._pipeline_base import BasePipeline
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.rows import tuple_row

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


def run(conn: Connection[Any], script: Script[T]) -> T:
    """Play a script in one transaction; inside a caller's transaction, in a savepoint of it."""
    _refuse_pipeline(conn)
    if _is_about_to_begin(conn):
        conn.execute("select 1")
    with conn.transaction():
        return play(conn, script)


def play(conn: Connection[Any], script: Script[T]) -> T:
    """Play a script that only looks, or asks one thing. Every statement sees what is committed by then, as it would
    in a transaction of ours too, which would cost two more round trips.
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


async def arun(conn: AsyncConnection[Any], script: Script[T]) -> T:
    """`run`, for a caller with an event loop."""
    _refuse_pipeline(conn)
    if _is_about_to_begin(conn):
        await conn.execute("select 1")
    async with conn.transaction():
        return await aplay(conn, script)


async def aplay(conn: AsyncConnection[Any], script: Script[T]) -> T:
    """`play`, for a caller with an event loop."""
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


def commit(conn: Connection[Any] | AsyncConnection[Any], pipe: BasePipeline) -> None:
    """What was said so far in a pipeline commits by itself, without a wait for the answers as the pipeline's own `sync`
    has it. Follow it by `send`: a pipeline waits for answers even if the socket took only a part of a large message."""
    conn.pgconn.pipeline_sync()
    pipe.result_queue.append(None)


def _is_about_to_begin(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    """Whether the caller's transaction begins with the next statement, as it does in a driver without autocommit.

    The script's block must not be the first thing in it, or it would be all of it, with a commit of its own.
    """
    return not conn.autocommit and conn.info.transaction_status == TransactionStatus.IDLE


def _refuse_pipeline(conn: Connection[Any] | AsyncConnection[Any]) -> None:
    """In a pipeline answers come later, and a script decides by them what to say next."""
    if conn.info.pipeline_status != PipelineStatus.OFF:
        raise UsageError("A connection in pipeline mode cannot be joined: leave the pipeline first.")
