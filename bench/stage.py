"""Where worker processes and the conductor meet: a folder with one small file of counts per process.

The standard library only: peers run this in environments of their own.
"""

import json
import mmap
import os
import struct
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

COUNTS = struct.Struct("<Qd")  # handled, and when the first handler was called


class Counts(NamedTuple):
    handled: int
    first: float
    processes: int = 1


def payloads(n: int) -> list[dict[str, Any]]:
    """What every system is given: a number and fifty characters."""
    return [{"i": i, "s": "x" * 50} for i in range(n)]


class Stage:
    """The worker's side. Children made with fork get a file of their own at their first item."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._begin()
        # Asking for the process id at every item would be a system call per item.
        os.register_at_fork(after_in_child=self._begin)

    def wait_for_go(self) -> None:
        """Say that all is loaded, and wait until everybody is: start-up is nobody's speed."""
        (self._folder / f"{os.getpid()}.ready").touch()
        while not (self._folder / "go").exists():
            time.sleep(0.002)

    def handle(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The no-op of all systems: counts, and returns a small result."""
        sent = payload.get("t")
        if sent is not None:
            self.note("latency", time.time() - sent)
        self.add(1)
        return {"i": payload["i"]}

    def add(self, items: int) -> None:
        """Count; the first call, be it for none, starts the clock."""
        with self._lock:
            if not self._is_open:
                self._open()
            self._handled += items
            self._count[0] = self._handled

    def note(self, what: str, value: float) -> None:
        """Keep a single figure, for things that happen seldom."""
        with (self._folder / f"{os.getpid()}.{what}").open("a") as file:
            file.write(f"{value!r}\n")

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._is_open, self._handled = False, 0

    def _open(self) -> None:
        self._is_open = True
        pid = os.getpid()
        with (self._folder / f"{pid}.new").open("w+b") as file:
            file.write(COUNTS.pack(0, time.time()))
            file.flush()
            # A store an item: this is part of what is measured.
            self._count = memoryview(mmap.mmap(file.fileno(), COUNTS.size))[:8].cast("Q")
        (self._folder / f"{pid}.new").rename(self._folder / f"{pid}.counts")


class Seats:
    """The conductor's side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ready(self) -> int:
        return len(list(self.folder.glob("*.ready")))

    def go(self) -> float:
        (self.folder / "go").touch()
        return time.time()

    def counts(self) -> Counts:
        """All processes together."""
        parts = [Counts(*COUNTS.unpack(file.read_bytes())) for file in self.folder.glob("*.counts")]
        parts = [part for part in parts if part.first]
        if not parts:
            return Counts(0, 0.0, 0)
        return Counts(sum(part.handled for part in parts), min(part.first for part in parts), len(parts))

    def notes(self, what: str) -> list[float]:
        return [float(line) for file in self.folder.glob(f"*.{what}") for line in file.read_text().split()]


def say(**figures: Any) -> None:
    """A command's answer: one line of JSON."""
    print(json.dumps(figures), flush=True)
