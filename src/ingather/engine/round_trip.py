"""One round trip: several statements in one pipeline, each with a commit of its own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import tuple_row

from ingather.engine import driver, parameters
from ingather.engine.connection import aconnect
from ingather.engine.outbox import OutboxParcel, runs_in_outbox, token_of
from ingather.engine.refusals import refusal_is_about_data
from ingather.engine.script import Rows, Statement

Answer = Literal["settled", "returned", "ripe", "claimed"]


class Step(NamedTuple):
    """One statement of a round trip."""

    statement: Statement
    answer: Answer | None = None
    """What its rows are, where it returns any."""
    commits: bool = True
    """Whether a commit follows it. Without one it is in one transaction with the next."""


def steps_of_round_trip(
    worker_id: int,
    parcel: OutboxParcel,
    batch_ids: Callable[[Iterable[int]], set[int]],
    *,
    claim: Callable[[], Statement] | None = None,
    limited_queue: str | None = None,
) -> Iterator[Step]:
    """The statements of one round trip, in the order in which they commit. Each is made when its turn comes.

    `batch_ids` finds the batches of leases. With `limited_queue`, the claim is
    from a queue with a limit and takes that queue's lock first.
    """
    if found := runs_in_outbox(parcel.ended):
        for run in found:
            yield Step(parameters.parameters_to_settle_run(worker_id, run), "settled")
    elif parcel.ended:
        yield Step(parameters.parameters_to_settle_fresh(worker_id, parcel.ended), "settled")
    if parcel.put_backs or parcel.holds:
        # All workers take queues in this order, as two of them may hold the same ones.
        for held in sorted(parcel.holds):
            yield Step(parameters.parameters_to_hold(held), commits=False)
        yield Step(parameters.parameters_to_put_back(parcel.put_backs), "returned")
    if parcel.ended or parcel.touched:
        yield Step(parameters.parameters_for_ripe(batch_ids(set(map(token_of, parcel.ended))) | parcel.touched), "ripe")
    if claim is not None:
        if limited_queue is not None:
            yield Step(parameters.parameters_to_lock_queue(limited_queue), commits=False)
        yield Step(claim(), "claimed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the database answered to a round trip, and what went wrong in it."""

    settled: int = 0
    returned: Rows = field(default_factory=list)
    ripe: Rows = field(default_factory=list)
    claimed: Rows = field(default_factory=list)
    error: Exception | None = None


class RoundTripLine:
    """A worker's connection to the database, opened when it is needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._conn: AsyncConnection[Any] | None = None
        self.is_sending = False
        """Statements are on their way to the database: slots let them pass before they take the next item."""

    async def connection(self) -> AsyncConnection[Any]:
        if self._conn is None or self._conn.closed or self._conn.broken:
            self._conn = await aconnect(self._url, application_name="ingather worker")
        return self._conn

    async def close(self) -> None:
        if self._conn is not None:
            await self._conn.close()
            self._conn = None

    async def ask(self, statement: Statement) -> Rows:
        """One statement by itself. A pipeline would cost more, as it has to be opened and closed."""
        conn = await self.connection()
        cursor = conn.cursor(row_factory=tuple_row)
        await cursor.execute(statement.sql, statement.params)
        return await cursor.fetchall()

    async def exchange(self, steps: Iterable[Step]) -> Reply:
        """Send the statements in one go. Each is drawn when the one before it is on its way, so that the server works
        while the next one is made. One that is refused does not keep the others from committing."""
        conn = await self.connection()
        sent: list[tuple[Answer | None, psycopg.AsyncCursor[Any]]] = []
        error: Exception | None = None
        self.is_sending = True
        try:
            async with conn.pipeline() as pipe:
                for statement, answer, commits in steps:
                    cursor = conn.cursor(row_factory=tuple_row)
                    # Noted before it is sent: the refusal of an earlier one may be raised here, and this one's rows
                    # still come.
                    sent.append((answer, cursor))
                    await cursor.execute(statement.sql, statement.params)
                    if commits:
                        # It commits at once and not with the end of the pipeline: a claim holds its segment's row.
                        driver.commit_with_driver(conn, pipe)
                    await driver.flush_driver(conn)
                self.is_sending = False
        except Exception as refused:
            # One statement was refused, or could not be made; those sent beside it committed by themselves.
            if not (isinstance(refused, psycopg.Error) or refusal_is_about_data(refused)):
                raise
            error = refused
        finally:
            self.is_sending = False
        return await _reply_of_round_trip(sent, error)


async def _reply_of_round_trip(
    sent: list[tuple[Answer | None, psycopg.AsyncCursor[Any]]], error: Exception | None
) -> Reply:
    rows: dict[Answer, list[Rows]] = {"settled": [], "returned": [], "ripe": [], "claimed": []}
    for answer, cursor in sent:
        if answer is not None and driver.has_result_in_driver(cursor):
            rows[answer].append(await cursor.fetchall())
    return Reply(
        settled=sum(settled[0][0] for settled in rows["settled"] if settled),
        returned=[row for some in rows["returned"] for row in some],
        ripe=[row for some in rows["ripe"] for row in some],
        claimed=[row for some in rows["claimed"] for row in some],
        error=error,
    )
