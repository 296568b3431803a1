"""What each slot of a worker is doing, in memory that its sentinel can still read after the worker was killed."""

import mmap
import os
import tempfile
import time

_WORD = 8


class Slots:
    """A table of 8-byte words: the loop's last tick, then the item id (0: idle) and the deadline of every slot.

    Writing a slot costs two stores, no call into the kernel: cheap enough for
    every item, and the kernel keeps it when the process is gone.
    """

    def __init__(self, fd: int, count: int) -> None:
        self.fd = fd
        self.count = count
        words = memoryview(mmap.mmap(fd, (1 + 2 * count) * _WORD))
        self._tick = words[:_WORD].cast("d")
        self._items = words[_WORD : (1 + count) * _WORD].cast("q")
        self._deadlines = words[(1 + count) * _WORD :].cast("d")

    @classmethod
    def create(cls, count: int) -> "Slots":
        with tempfile.TemporaryFile() as file:
            file.truncate((1 + 2 * count) * _WORD)
            return cls(os.dup(file.fileno()), count)

    def begin(self, slot: int, item_id: int, deadline: float) -> None:
        self._deadlines[slot] = deadline
        self._items[slot] = item_id

    def end(self, slot: int) -> None:
        self._items[slot] = 0

    def tick(self) -> None:
        """Say that the event loop turns."""
        self._tick[0] = time.monotonic()

    def started(self) -> list[int]:
        """Items whose handler had begun and not ended."""
        return [item_id for item_id in self._items.tolist() if item_id]

    def overdue(self, grace_s: float) -> list[int]:
        """Items past their deadline although the loop, which should have stopped them, has not turned since."""
        limit = time.monotonic() - grace_s
        if self._tick[0] > limit:
            return []
        pairs = zip(self._items.tolist(), self._deadlines.tolist(), strict=True)
        return [item_id for item_id, deadline in pairs if item_id and deadline < limit]

    def close(self) -> None:
        """The memory itself goes with the last who holds this: a handler that was left behind may still end."""
        os.close(self.fd)
