"""What each slot of a worker is doing, in memory that its sentinel can still read after the worker was killed."""

import mmap
import os
import tempfile
import time
from typing import Final

# Bytes of one number in the table, an integer or a float of the machine.
NUMBER_BYTES: Final = 8


class SlotTable:
    """The event loop's last tick, then the item id of every slot (0: idle; negative: it runs in a child process), then
    the deadline of every slot.

    Writing a slot costs two stores, no call into the kernel: cheap enough for
    every item, and the kernel keeps it when the process is gone.
    """

    def __init__(self, fd: int, slots: int) -> None:
        self.fd = fd
        numbers = memoryview(mmap.mmap(fd, (1 + 2 * slots) * NUMBER_BYTES))
        self._tick = numbers[:NUMBER_BYTES].cast("d")
        self._items = numbers[NUMBER_BYTES : (1 + slots) * NUMBER_BYTES].cast("q")
        self._deadlines = numbers[(1 + slots) * NUMBER_BYTES :].cast("d")

    @classmethod
    def create(cls, slots: int) -> "SlotTable":
        with tempfile.TemporaryFile() as file:
            file.truncate((1 + 2 * slots) * NUMBER_BYTES)
            return cls(os.dup(file.fileno()), slots)

    def begin(self, slot: int, item_id: int, deadline: float, *, is_aside: bool = False) -> None:
        self._deadlines[slot] = deadline
        self._items[slot] = -item_id if is_aside else item_id

    def end(self, slot: int) -> None:
        self._items[slot] = 0

    def tick(self) -> None:
        """Note that the event loop turns."""
        self._tick[0] = time.monotonic()

    def started(self) -> list[int]:
        """Items whose handler had begun and not ended."""
        return [abs(item_id) for item_id in self._items.tolist() if item_id]

    def started_here(self) -> list[int]:
        """Those of them that run in the worker's own process. The others cannot have ended it."""
        return [item_id for item_id in self._items.tolist() if item_id > 0]

    def overdue(self, grace_s: float) -> list[int]:
        """Items past their deadline although the loop, which should have stopped them, has not turned since."""
        limit = time.monotonic() - grace_s
        if self._tick[0] > limit:
            return []
        pairs = zip(self._items.tolist(), self._deadlines.tolist(), strict=True)
        return [abs(item_id) for item_id, deadline in pairs if item_id and deadline < limit]

    def close(self) -> None:
        """Close the file. The memory itself goes with its last user: a handler that was left behind may still end."""
        os.close(self.fd)
