"""All that the engine uses of psycopg beyond its documented interface, in one place.

`tests/engine/test_driver.py` names each of these and what the engine expects
of it; `pyproject.toml` bounds the driver's version from above for their sake.
"""

from typing import Any

from psycopg import AsyncConnection, AsyncCursor, Connection
from psycopg._pipeline_base import BasePipeline
from psycopg.generators import send
from psycopg.pq import PipelineStatus, TransactionStatus


def commit_with_driver(conn: Connection[Any] | AsyncConnection[Any], pipe: BasePipeline) -> None:
    """End a transaction within a pipeline, so that the statements sent so far commit by themselves.

    The pipeline's own `sync` would also wait for their results. Follow this by
    `flush_driver`: a pipeline waits for results even if the socket took only a part of
    a large message.
    """
    conn.pgconn.pipeline_sync()
    pipe.result_queue.append(None)


async def flush_driver(conn: AsyncConnection[Any]) -> None:
    """Hand everything that was sent in a pipeline to the network, without a wait for results."""
    await conn.wait(send(conn.pgconn))


def has_result_in_driver(cursor: AsyncCursor[Any]) -> bool:
    """Whether the statement of this cursor was answered. In a pipeline that failed, some were and some were not."""
    return cursor.pgresult is not None


def driver_is_in_pipeline(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    return conn.info.pipeline_status != PipelineStatus.OFF


def driver_is_outside_transaction(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    return conn.info.transaction_status == TransactionStatus.IDLE
