"""Where the library meets the engine: the job that reads an uploaded file, and the one that removes unused files."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from ingather.engine.errors import Reject
from ingather.engine.item import Item
from ingather.library.errors import UnknownFile
from ingather.library.library import KIND, Library
from ingather.library.parse import stop

A = TypeVar("A")
T = TypeVar("T")

QUEUE = "reading"
# A scan of 300 pages takes half an hour on two cores. Longer lets a broken reader hold its slot for longer.
TIMEOUT_S = 3600
SWEEP = "sweep_files"
# Once a night. Files that are of no more use stay a day at most; more often fills lists of batches for little.
SWEEP_CRON = "17 3 * * *"


def register(library: Library) -> None:
    """Give the library's engine the handlers of its jobs: in every process that uploads or works."""

    @library.engine.handler(KIND, queue=QUEUE, timeout=TIMEOUT_S)
    async def read_document(item: Item) -> dict[str, Any]:
        """Read a file. A file that cannot be read is a result like any other: the job has done its work."""
        try:
            read = partial(library.read_uploaded, job_id=item.batch_id)
            summary = await _in_thread(read, item.payload["sha256"])
        except UnknownFile as error:
            raise Reject(str(error)) from error
        return {
            "sha256": summary.sha256,
            "parser": summary.parser,
            "problem": summary.problem,
            "sentence": summary.sentence,
            "page_count": summary.page_count,
            "hidden_characters": summary.hidden_characters,
            "notes": list(summary.notes),
        }

    @library.engine.handler(SWEEP, queue=QUEUE)
    async def sweep_files(_: Item) -> int:
        """Remove files that nothing refers to any more."""
        return await asyncio.to_thread(library.sweep)


def schedule(library: Library) -> None:
    """Have unused files removed regularly, once over the whole fleet."""
    library.engine.schedule(SWEEP, cron=SWEEP_CRON, kind=SWEEP, catch_up="one")


async def _in_thread(read: Callable[[A], T], of: A) -> T:
    """Run `read` in a thread. If the item is cancelled, its child process is stopped: a scan may take half an hour."""
    is_unwanted = threading.Event()
    stop.set(is_unwanted)
    try:
        return await asyncio.to_thread(read, of)
    except asyncio.CancelledError:
        is_unwanted.set()
        raise
    finally:
        stop.set(None)
