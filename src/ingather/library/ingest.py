"""Where the library meets the engine: the job that reads an uploaded file."""

import asyncio
import threading
from collections.abc import Callable
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


def register(library: Library) -> None:
    """Give the library's engine the handler of `read_document`: in every process that uploads or works."""

    @library.engine.handler(KIND, queue=QUEUE, timeout=TIMEOUT_S)
    async def read_document(item: Item) -> dict[str, Any]:
        """Read a file. A file that cannot be read is a result like any other: the job has done its work."""
        try:
            summary = await _in_thread(library.read, item.payload["sha256"])
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
