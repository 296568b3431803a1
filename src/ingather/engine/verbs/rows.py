"""What a statement returned, as nouns."""

from dataclasses import fields
from typing import TypeVar

from ingather.engine.errors import UnknownBatch
from ingather.engine.model import Progress, Queue, WorkerRecord
from ingather.engine.script import Row, Rows
from ingather.notice import notice

N = TypeVar("N", Progress, Queue, WorkerRecord)


def records_of_rows(noun: type[N], rows: Rows) -> list[N]:
    """Rows as nouns: the columns of the statement stand in the order of the fields."""
    names = [field.name for field in fields(noun)]
    return [noun(**dict(zip(names, row, strict=True))) for row in rows]


def only_row(rows: Rows, batch_id: int) -> Row:
    if not rows:
        raise UnknownBatch(
            notice("engine.no_batch_been_pruned", "There is no batch {id}. It may have been pruned.", id=batch_id)
        )
    return rows[0]
