"""The nursery: the process that child processes are forked from.

A worker is full of threads: handlers make them, libraries make them. A child
forked in their midst inherits whatever locks they held, and nobody will ever
let go of those: an import that was under way in a thread, and the child waits
for it until its deadline. So children come from a process that was forked
when the worker started and runs nothing but the pool.
"""

import asyncio
import ctypes
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from pebble import CONSTS, ProcessExpired, ProcessPool

from ingather.engine.errors import RetryLater
from ingather.engine.model import Died, Overdue

# Forked, so that handlers may be closures and the children share the worker's memory until they write to it.
_FORK = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
_PR_SET_PDEATHSIG = 1
_LENGTH = struct.Struct("!Q")
EXIT_0 = 213

# The pool asks with SIGTERM before it kills, and our children do not listen.
CONSTS.term_timeout = 0.05

# The ends that workers of this process hold: a nursery must not keep those of others open.
_lines: set[socket.socket] = set()


class Job(NamedTuple):
    """What a child is to do. `function` must be importable; all else is in `args`."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float


class Nursery:
    """The worker's side: sends jobs over, and hears how they went."""

    def __init__(self, size: int, prepare: Callable[[], None]) -> None:
        self._line, theirs = socket.socketpair()
        _lines.add(self._line)
        with warnings.catch_warnings():
            # Of threads. There may be some; that is why we fork now and not later.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            try:
                for line in _lines:
                    line.close()
                _keep(theirs, size, prepare)
            finally:
                os._exit(0)
        theirs.close()
        self._jobs: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self.is_open = True

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(sock=self._line)
        self._listening = asyncio.create_task(self._listen(), name="ingather nursery")

    async def run(self, job: Job) -> Any:
        """What the job gave back or raised. Cancelling kills its child."""
        self._number += 1
        number, answered = self._number, asyncio.get_running_loop().create_future()
        self._jobs[number] = answered
        self._writer.write(_frame((number, job)))
        try:
            answer = await answered
        except asyncio.CancelledError:
            self._writer.write(_frame((number, None)))
            raise
        finally:
            del self._jobs[number]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _listen(self) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
                number, answer = pickle.loads(await self._reader.readexactly(length))  # noqa: S301  # from our own child
                if (waits := self._jobs.get(number)) is not None and not waits.done():
                    waits.set_result(answer)
        self.is_open = False
        for waits in self._jobs.values():
            if not waits.done():
                waits.set_result(Died("the process that keeps the handlers' processes was killed"))

    async def close(self) -> None:
        """Hang up, and wait until all children are gone."""
        self.is_open = False
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        _lines.discard(self._line)
        self._listening.cancel()
        self._writer.close()
        with suppress(ChildProcessError):
            await asyncio.to_thread(os.waitpid, self._pid, 0)


# --- in the nursery ------------------------------------------------------------------------------------------------


def _keep(line: socket.socket, size: int, prepare: Callable[[], None]) -> None:
    """Keep a pool of children, made when the first job comes, until the worker hangs up."""
    _be_quiet()
    pool: ProcessPool | None = None
    under_way: dict[int, Future[Any]] = {}
    voice = threading.Lock()

    def tell(number: int, timeout_s: float, future: Future[Any]) -> None:
        under_way.pop(number, None)
        with suppress(OSError, CancelledError):
            answer = _frame((number, _answer(future, timeout_s)))
            with voice:
                line.sendall(answer)

    with suppress(OSError), line.makefile("rb") as words:
        while head := words.read(_LENGTH.size):
            number, job = pickle.loads(words.read(_LENGTH.unpack(head)[0]))  # noqa: S301  # from our own parent
            if job is None:
                if (future := under_way.get(number)) is not None:
                    future.cancel()
                continue
            if pool is not None and not pool.active:
                _end(pool)
                pool = None
            if pool is None:
                context = multiprocessing.get_context(_FORK)
                pool = ProcessPool(max_workers=size, context=context, initializer=partial(_prepare, prepare))
            under_way[number] = pool.schedule(job.function, args=job.args, timeout=job.timeout_s)
            under_way[number].add_done_callback(partial(tell, number, job.timeout_s))
    if pool is not None:
        _end(pool)


def _answer(future: Future[Any], timeout_s: float) -> Any:
    try:
        return future.result()
    except TimeoutError:
        return Overdue(f"the handler ran longer than its {timeout_s:g} s and was killed")
    except ProcessExpired as expired:
        return Died(_cause_of_death(expired.exitcode))
    except BrokenProcessPool:
        # An idle child was killed, which the pool does not survive. No handler is to blame.
        return RetryLater(0, "the pool of child processes broke and was made anew")


def _cause_of_death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        name = signal.Signals(-exitcode).name if -exitcode in set(signal.Signals) else f"signal {-exitcode}"
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"the handler's process was killed by {name}{hint}"
    code = 0 if exitcode == EXIT_0 else exitcode
    return f"the handler's process exited with code {code} before it answered"


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _prepare(prepare: Callable[[], None]) -> None:
    _be_quiet()
    prepare()


def _be_quiet() -> None:
    """Live exactly as long as whoever forked us, and hear nothing that is meant for the worker."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A service manager signals the whole group; whether a handler may finish is for the worker to say.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.platform == "linux":
        # When the worker is killed, its handlers must not go on as orphans.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _frame(word: Any) -> bytes:
    told = pickle.dumps(word)
    return _LENGTH.pack(len(told)) + told
