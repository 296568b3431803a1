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
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.context import ForkContext, ForkProcess
from typing import Any, Final, NamedTuple, NoReturn

from pebble import CONSTS, ProcessExpired, ProcessPool

from ingather.engine.errors import RetryLater
from ingather.engine.model import Died, Overdue, Raised, describe
from ingather.notice import notice

# The number of this request in Linux's <sys/prctl.h>.
_PR_SET_PDEATHSIG: Final = 1
# Each message between worker and nursery begins with its length.
_LENGTH: Final = struct.Struct("!Q")
# The exit code that stands for 0 where 0 would look like an orderly end. Any code that programs do not use will do.
EXIT_0: Final = 213
# How often the nursery looks whether its pool is still whole. Longer delays jobs that came while it broke.
LOOK_S: Final = 0.5
# How long a stop waits for the nursery to end by itself, before it is killed. It may be stopped by a debugger.
PATIENCE_S: Final = 5.0
# How often a stop looks whether the nursery has ended. Longer delays the stop.
REAP_LOOK_S: Final = 0.005

# The pool waits so long after SIGTERM before it kills. Our children ignore SIGTERM and their groups are killed at once,
# so longer would only delay what follows a deadline.
CONSTS.term_timeout = 0.05


class Job(NamedTuple):
    """What a child is to do. `function` must be importable; all else is in `args`."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float


class _ChildProcess(ForkProcess):
    """A child that leads a process group: what its handler started ends with it."""

    def run(self) -> None:
        os.setpgid(0, 0)
        super().run()

    def terminate(self) -> None:
        self.kill_group()
        super().terminate()

    def is_alive(self) -> bool:
        is_alive = super().is_alive()
        if not is_alive:
            self.kill_group()
        return is_alive

    def kill_group(self) -> None:
        # There is no such group before the child made it, and none after the last of its members has ended.
        with suppress(ProcessLookupError, PermissionError):
            if self.pid is not None:
                os.killpg(self.pid, signal.SIGKILL)


class _Context(ForkContext):
    """Children are forked, so that handlers may be closures and share the worker's memory until they write to it."""

    Process = _ChildProcess


class Nursery:
    """The worker's side: sends jobs over, and receives how they went."""

    def __init__(self, size: int, prepare: Callable[[], None]) -> None:
        # What is still to be written would be written by the child too.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError, OSError):
                stream.flush()
        self._line, theirs = socket.socketpair()
        with self._line_closed_on_error(), theirs, warnings.catch_warnings():
            # Python warns about forking with threads. Fork now, before handlers start more of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
            if self._pid == 0:
                _live(theirs, size, prepare)
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
        self._writer.write(_frame((number, job)))
        self._jobs[number] = answered
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

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
                number, answer = pickle.loads(await reader.readexactly(length))  # noqa: S301  # from our own child
                if (waits := self._jobs.get(number)) is not None and not waits.done():
                    waits.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.is_open = False
            for waits in self._jobs.values():
                if not waits.done():
                    waits.set_result(Died("the process that keeps the handlers' processes was killed"))

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
        await asyncio.to_thread(_reap, self._pid)


def _reap(pid: int) -> None:
    """Wait for its end, and bring it about if it takes long: it may be stopped."""
    patience = time.monotonic() + PATIENCE_S
    with suppress(ChildProcessError, ProcessLookupError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > patience:
                os.kill(pid, signal.SIGKILL)
            time.sleep(REAP_LOOK_S)


# --- in the nursery ------------------------------------------------------------------------------------------------


def _live(line: socket.socket, size: int, prepare: Callable[[], None]) -> NoReturn:
    """All that this process does. Nothing of the worker's own code above us on the stack may go on."""
    try:
        # A group of its own: whoever kills the worker's group leaves this process the time to kill the children's.
        os.setpgid(0, 0)
        signal.signal(signal.SIGUSR1, _end_with_children)
        _ignore_signals(at_death_of_parent=signal.SIGUSR1)
        _let_go_of_streams(but=line.fileno())
        _Keeper(line, size, prepare).keep()
    except BaseException:  # noqa: BLE001  # there is nobody above us
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _end_with_children(*_: object) -> NoReturn:
    """The worker was killed: its handlers must not go on, nor what they started."""
    for child in multiprocessing.active_children():
        if isinstance(child, _ChildProcess):
            child.kill_group()
    os._exit(1)


def _let_go_of_streams(but: int) -> None:
    """A port that the worker's process closes, a caller that it hangs up on, must not be held open here.

    The numbers stay taken: objects that were inherited may still close them.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in map(int, os.listdir("/dev/fd")):  # noqa: PTH208  # names of descriptors, not files
        with suppress(OSError):
            if fd > 2 and fd != but and stat.S_ISSOCK(os.fstat(fd).st_mode) and _is_stream(fd):
                os.dup2(nothing, fd, inheritable=False)
    os.close(nothing)


def _is_stream(fd: int) -> bool:
    with socket.socket(fileno=os.dup(fd)) as copy:
        return copy.type == socket.SOCK_STREAM


class _Keeper:
    """Keeps a pool of children, made when the first job comes, until the worker hangs up."""

    def __init__(self, line: socket.socket, size: int, prepare: Callable[[], None]) -> None:
        self._line = line
        self._size = size
        self._prepare = prepare
        self._pool: ProcessPool | None = None
        self._under_way: dict[int, Future[Any]] = {}
        self._write_lock = threading.Lock()

    def keep(self) -> None:
        try:
            while True:
                is_readable, _, _ = select.select([self._line], [], [], LOOK_S)
                self._mend()
                if is_readable:
                    if (message := self._next_message()) is None:
                        return
                    self._begin_or_cancel(*message)
        finally:
            self._end_pool()

    def _next_message(self) -> tuple[int, Job | None] | None:
        head = self._read(_LENGTH.size)
        body = self._read(_LENGTH.unpack(head)[0]) if head else b""
        return pickle.loads(body) if body else None  # noqa: S301  # from our own parent

    def _read(self, size: int) -> bytes:
        """So many bytes, or none once the line is closed."""
        parts = bytearray()
        with suppress(ConnectionError):
            while len(parts) < size and (part := self._line.recv(size - len(parts))):
                parts += part
        return bytes(parts) if len(parts) == size else b""

    def _begin_or_cancel(self, number: int, job: Job | None) -> None:
        if job is None:
            if (future := self._under_way.get(number)) is not None:
                future.cancel()
            return
        try:
            if self._pool is None:
                self._pool = ProcessPool(
                    max_workers=self._size,
                    context=_Context(),
                    initializer=partial(_prepare, self._line, self._prepare),
                )
            future = self._pool.schedule(job.function, args=job.args, timeout=job.timeout_s)
        except Exception as error:  # noqa: BLE001  # no process to be had, for one: the item's failure, not our end
            self._answer_job(number, Raised(describe(error, "failed")))
            return
        self._under_way[number] = future
        future.add_done_callback(partial(self._is_done, number, job.timeout_s))

    def _mend(self) -> None:
        """A pool does not survive the death of an idle child, and forgets jobs that come while it breaks."""
        if self._pool is not None and not self._pool.active:
            for future in list(self._under_way.values()):
                with suppress(InvalidStateError):
                    future.set_exception(BrokenProcessPool())
            self._end_pool()

    def _is_done(self, number: int, timeout_s: float, future: Future[Any]) -> None:
        self._under_way.pop(number, None)
        if not future.cancelled():
            self._answer_job(number, _answer(future, timeout_s))

    def _answer_job(self, number: int, answer: Any) -> None:
        frame = _frame((number, answer))
        with suppress(OSError), self._write_lock:
            self._line.sendall(frame)

    def _end_pool(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def _answer(future: Future[Any], timeout_s: float) -> Any:
    try:
        return future.result()
    except TimeoutError:
        return Overdue(
            notice(
                "engine.handler_ran_too_long_killed",
                "the handler ran longer than its {seconds} s and was killed",
                seconds=f"{timeout_s:g}",
            )
        )
    except ProcessExpired as expired:
        return Died(_cause_of_death(expired.exitcode))
    except BrokenProcessPool:
        # An idle child was killed, which the pool does not survive. No handler is to blame.
        return RetryLater(0, "the pool of child processes broke and was made anew")
    except BaseException as error:  # noqa: BLE001  # whatever it is, the worker waits for an answer
        return Raised(describe(error, "failed"))


def _cause_of_death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        name = signal.Signals(-exitcode).name if -exitcode in set(signal.Signals) else f"signal {-exitcode}"
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"the handler's process was killed by {name}{hint}"
    code = 0 if exitcode == EXIT_0 else exitcode
    return f"the handler's process exited with code {code} before it answered"


def _prepare(line: socket.socket, prepare: Callable[[], None]) -> None:
    # Killed, since a handler may be deep in code that never looks for signals.
    _ignore_signals(at_death_of_parent=signal.SIGKILL)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    line.close()
    prepare()


def _ignore_signals(*, at_death_of_parent: signal.Signals) -> None:
    """Take no signal that is meant for the worker, and live no longer than the process that forked this one."""
    signal.set_wakeup_fd(-1)
    # A service manager signals every process; whether a handler may finish is for the worker to decide. What is ignored
    # would stay ignored in programs that a handler starts, and then nobody could end those; a function stays behind.
    signal.signal(signal.SIGINT, _do_nothing)
    signal.signal(signal.SIGTERM, _do_nothing)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, at_death_of_parent)


def _do_nothing(*_: object) -> None:
    """A signal is not for this process."""


def _frame(message: Any) -> bytes:
    body = pickle.dumps(message)
    return _LENGTH.pack(len(body)) + body
