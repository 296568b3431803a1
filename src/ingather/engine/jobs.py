"""What travels between a worker and its nursery: jobs and answers, each with its length before it."""

import pickle
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

LENGTH: Final = struct.Struct("!Q")


class ChildLimits(NamedTuple):
    """What one child process may do before another takes its place."""

    items: int = 0
    """So many items, then it ends; 0 is no limit."""
    memory_mb: int = 0
    """So much memory of its own: beyond it, allocations fail. 0 is no limit."""


NO_LIMITS: Final = ChildLimits()


class Job(NamedTuple):
    """What a child is to do. `function` must be importable; all else is in `args`."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float


def job_frame(message: Any) -> bytes:
    body = pickle.dumps(message)
    return LENGTH.pack(len(body)) + body
