"""How far the answer of a call is, in the database, so that those who wait for it see it grow."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from ingather.engine.database import Database
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.script import Script, Statement
from ingather.extraction.conversation import statements as sql
from ingather.extraction.conversation.ledger import LedgerCall
from ingather.extraction.provider import Writing

# How often a call writes down how far its answer is. Shorter costs a write for each call at each moment; longer makes a
# page look dead. Calls that end within it, as those of quick models do, write nothing.
EVERY_S = 1.0


@asynccontextmanager
async def show_answers_under_way(database: Database, call: LedgerCall) -> AsyncIterator[Callable[[Writing], None]]:
    """While this is open, what the yielded function is given is shown to all who look at the task."""
    characters = 0
    sent_at = time.monotonic()

    def see(writing: Writing) -> None:
        nonlocal characters
        characters = writing.characters

    async def write() -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            with suppress(DatabaseUnavailable):
                await database.arun(_note_under_way(call, characters, time.monotonic() - sent_at))

    writer = asyncio.create_task(write())
    try:
        yield see
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await writer
        if time.monotonic() - sent_at >= EVERY_S:
            with suppress(DatabaseUnavailable):
                await asyncio.shield(database.arun(_end_under_way(call)))


def _note_under_way(call: LedgerCall, characters: int, took_s: float) -> Script[None]:
    params = {
        "task_id": call.task_id,
        "ordinal": call.ordinal,
        "step": call.step,
        "characters": characters,
        "took_s": took_s,
    }
    yield Statement(sql.NOTE_UNDER_WAY, params)


def _end_under_way(call: LedgerCall) -> Script[None]:
    yield Statement(sql.END_UNDER_WAY, {"task_id": call.task_id, "ordinal": call.ordinal})
