"""File locks that outlive nobody: the kernel drops them with the last process that holds them."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from ingather.embedded.errors import EmbeddedError

# One start may make a new data folder (a second) or recover a big one (up to READY_SECONDS); two may queue before us.
START_SECONDS = 180.0


@contextlib.contextmanager
def starting(path: Path, seconds: float = START_SECONDS) -> Iterator[None]:
    """The right to start or stop the server of one home, for one process and thread at a time."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + seconds
        while not _try_flock(fd, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Another process has been starting or stopping this database for {seconds:.0f} s: "
                    f"end it (`fuser {path}` names it) and try again."
                )
            time.sleep(0.02)
        yield
    finally:
        # Closing is not enough: a child forked meanwhile by another thread has a copy of the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def is_held(path: Path) -> bool:
    """Whether any process holds the lock, shared or not."""
    try:
        fd = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        if not _try_flock(fd, fcntl.LOCK_EX):
            return True
        fcntl.flock(fd, fcntl.LOCK_UN)
        return False
    finally:
        os.close(fd)


def hold(path: Path) -> int:
    """Joins the holders and returns the descriptor that means it. Call it with the right to start: `is_held` of
    another process takes the lock for a moment, and only that right keeps the two apart."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_SH)
    return fd


def release(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def _try_flock(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
