"""The nursery: the process that child processes are forked from.

A worker is full of threads: handlers make them, libraries make them. A child
forked in their midst inherits whatever locks they held, and nobody will ever
let go of those: an import that was under way in a thread, and the child waits
for it until its deadline. So children come from a process that was forked
when the worker started and runs nothing but the pool.
"""

import asyncio
import os
import pickle
import random
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from ingather.engine.errors import RetryLater
from ingather.engine.jobs import LENGTH, NO_LIMITS, ChildLimits, Job, job_frame
from ingather.engine.pool_keeper import keep_pool_alive
from ingather.engine.verdict import Died

# How long a stop waits for the nursery to end by itself, before it is killed. It may be stopped by a debugger.
PATIENCE_S: Final = 5.0
# How often a stop looks whether the nursery has ended. Longer delays the stop.
REAP_LOOK_S: Final = 0.005
# Items whose processes died together come back within so many seconds, each at a moment of its own. Shorter would bring
# them together again; longer makes the innocent wait.
APART_S: Final = 10.0


class Nursery:
    """The worker's side of it: sends jobs over, and receives their answers."""

    def __init__(self, size: int, prepare: Callable[[], None], limits: ChildLimits = NO_LIMITS) -> None:
        # The child would write once more what is still in the buffers.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError, OSError):
                stream.flush()
        self._line, theirs = socket.socketpair()
        with self._line_closed_on_error(), theirs, warnings.catch_warnings():
            # Python warns about forking with threads. Fork now, before handlers start more of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
            if self._pid == 0:
                keep_pool_alive(theirs, size, prepare, limits)
        self._jobs: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self.is_open = False

    @contextmanager
    def _line_closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._line.close()
            raise

    async def open(self) -> None:
        reader, self._writer = await asyncio.open_connection(sock=self._line)
        self._listening = asyncio.create_task(self._listen(reader), name="ingather nursery")
        self.is_open = True

    async def run(self, job: Job) -> Any:
        """What the job gave back or raised. Cancelling kills its child."""
        assert self._writer is not None
        self._number += 1
        number, answered = self._number, asyncio.get_running_loop().create_future()
        self._writer.write(job_frame((number, job)))
        self._jobs[number] = answered
        try:
            answer = await answered
        except asyncio.CancelledError:
            self._writer.write(job_frame((number, None)))
            raise
        finally:
            del self._jobs[number]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
                number, answer = pickle.loads(await reader.readexactly(length))  # noqa: S301  # from our own child
                if (waits := self._jobs.get(number)) is not None and not waits.done():
                    waits.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.is_open = False
            under_way = [waits for waits in self._jobs.values() if not waits.done()]
            for waits in under_way:
                waits.set_result(_end_of_nursery(is_alone=len(under_way) == 1))

    async def close(self) -> None:
        """Hang up, and wait until all children are gone."""
        self.is_open = False
        # Copies of the line, in processes forked meanwhile, do not matter to a shutdown.
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.close()
        else:
            self._line.close()
        await asyncio.to_thread(_reap_nursery, self._pid)


def _end_of_nursery(*, is_alone: bool) -> Exception:
    """Only a job that was alone can be blamed. The others come back one after the other, and may be alone by then."""
    what = "the process that keeps the handlers' processes was killed"
    return Died(what) if is_alone else RetryLater(random.uniform(0, APART_S), what)


def _reap_nursery(pid: int) -> None:
    """Wait for its end, and bring it about if it takes long: it may be stopped."""
    patience = time.monotonic() + PATIENCE_S
    with suppress(ChildProcessError, ProcessLookupError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > patience:
                os.kill(pid, signal.SIGKILL)
            time.sleep(REAP_LOOK_S)
