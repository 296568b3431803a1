"""The sentinel: a small process beside every worker that beats for it, and hands its items back when it dies.

It stands outside the worker, so neither a blocked event loop nor a handler
that holds Python's lock makes a live worker look dead. It shares memory with
the worker, so after a `kill -9` it still knows exactly which items had
started, and hands everything back at once instead of after a lease. It stops
beating for a worker that is itself stopped: then another may take over.
"""

import json
import logging
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

log = logging.getLogger("ingather.sentinel")

# A sentinel waits at most so long before it loads what it needs. Longer leaves a killed worker unnoticed for that time.
LONGEST_PATIENCE_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a sentinel needs to know of its worker."""

    url: str
    worker_id: int
    worker_pid: int
    lease_s: float
    slots_fd: int
    slots_count: int
    kills_stuck: bool
    """Kill a worker whose loop a handler has blocked past its deadline; else only give its items away."""


class Sentinel:
    """The worker's side: starts the process, sends it home."""

    def __init__(self, post: Post) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ingather.engine.sentinel"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[post.slots_fd],
            start_new_session=True,  # Ctrl-C is for the worker
        )
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(asdict(post)).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            log.warning("the sentinel is gone")

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def dismiss(self) -> None:
        """End the process: the worker has handed back what it held. A second call does no harm."""
        # It is killed, since it may not even be up yet, and it holds nothing that has to be put in order.
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()


def main() -> None:
    """The sentinel's side: read the post, then watch until the worker is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not (line := sys.stdin.buffer.readline()):
        return  # the worker died before it sent the post, and so before it could claim anything
    post = Post(**json.loads(line))
    # A worker that lives for a moment only, in a script or a test, ends within this time and is spared the imports that
    # follow. It beats for itself meanwhile.
    select.select([sys.stdin], [], [], min(post.lease_s / 8, LONGEST_PATIENCE_S))
    from ingather.engine.watch import Watch  # noqa: PLC0415

    Watch(post).stand()


if __name__ == "__main__":
    main()
