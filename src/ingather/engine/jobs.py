"""What travels between a worker and its nursery: jobs and answers, each with its length before it."""

import pickle
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

LENGTH: Final = struct.Struct("!Q")


class Job(NamedTuple):
    """What a child is to do. `function` must be importable; all else is in `args`."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float


def job_frame(message: Any) -> bytes:
    body = pickle.dumps(message)
    return LENGTH.pack(len(body)) + body
