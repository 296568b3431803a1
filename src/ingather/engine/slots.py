"""What each slot of a worker is doing, in memory that its sentinel can still read after the worker was killed."""

import mmap
import os
import tempfile
import time

_WORD = 8


class Slots:
    """A table of 8-byte words: the loop's last tick, then item id and deadline of every slot (0: idle).

    Writing a slot costs two stores, no call into the kernel: cheap enough for
    every item, and the kernel keeps it when the process is gone.
    """

    def __init__(self, fd: int, count: int) -> None:
        self.fd = fd
        self.count = count
        self._map = mmap.mmap(fd, (1 + 2 * count) * _WORD)
        self._words = memoryview(self._map).cast("q")

    @classmethod
    def create(cls, count: int) -> "Slots":
        with tempfile.TemporaryFile() as file:
            file.truncate((1 + 2 * count) * _WORD)
            return cls(os.dup(file.fileno()), count)

    def begin(self, slot: int, item_id: int, deadline: float) -> None:
        self._words[2 + 2 * slot] = int(deadline * 1e9)
        self._words[1 + 2 * slot] = item_id

    def end(self, slot: int) -> None:
        self._words[1 + 2 * slot] = 0

    def tick(self) -> None:
        """Say that the event loop turns."""
        self._words[0] = time.monotonic_ns()

    def started(self) -> list[int]:
        """Items whose handler had begun and not ended."""
        return [item_id for item_id in self._words[1::2].tolist() if item_id]

    def overdue(self, grace_s: float) -> list[int]:
        """Items past their deadline although the loop, which should have stopped them, has not turned since."""
        limit = time.monotonic_ns() - int(grace_s * 1e9)
        if self._words[0] > limit:
            return []
        pairs = zip(self._words[1::2].tolist(), self._words[2::2].tolist(), strict=True)
        return [item_id for item_id, deadline in pairs if item_id and deadline < limit]

    def close(self) -> None:
        self._words.release()
        self._map.close()
        os.close(self.fd)
