"""What the nursery runs: a pool of child processes, made when the first job comes, until the worker hangs up."""

import ctypes
import multiprocessing
import os
import pickle
import resource
import select
import signal
import socket
import stat
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from multiprocessing.context import ForkContext, ForkProcess
from typing import Any, Final, NoReturn

from pebble import CONSTS, ProcessExpired, ProcessPool

from ingather.engine.errors import RetryLater
from ingather.engine.jobs import LENGTH, NO_LIMITS, ChildLimits, Job, job_frame
from ingather.engine.verdict import Died, Overdue, Raised, describe_raised
from ingather.notice import notice

# The number of this request in Linux's <sys/prctl.h>.
_PR_SET_PDEATHSIG: Final = 1
# The exit code that stands for 0 where 0 would look like an orderly end. Any code that programs do not use will do.
EXIT_0: Final = 213
MEGABYTE: Final = 1 << 20
# How often the nursery looks whether its pool is still whole. Longer delays jobs that came while it broke.
LOOK_S: Final = 0.5

# The pool waits so long after SIGTERM before it kills. Our children ignore SIGTERM and their groups are killed at once,
# so longer would only delay what follows a deadline.
CONSTS.term_timeout = 0.05


class _PoolProcess(ForkProcess):
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
        # The group does not exist before the child made it, nor after the last of its members has ended.
        with suppress(ProcessLookupError, PermissionError):
            if self.pid is not None:
                os.killpg(self.pid, signal.SIGKILL)


class _Context(ForkContext):
    """Children are forked, so that handlers may be closures and share the worker's memory until they write to it."""

    Process = _PoolProcess


def keep_pool_alive(
    line: socket.socket, size: int, prepare: Callable[[], None], limits: ChildLimits = NO_LIMITS
) -> NoReturn:
    """All that this process does. Nothing of the worker's own code above us on the stack may go on."""
    try:
        # A group of its own: a kill of the worker's group leaves this process the time to kill its children's groups.
        os.setpgid(0, 0)
        signal.signal(signal.SIGUSR1, _end_pool_with_children)
        _ignore_signals_in_pool(at_death_of_parent=signal.SIGUSR1)
        _let_pool_go_of_streams(but=line.fileno())
        PoolKeeper(line, size, prepare, limits).keep()
    except BaseException:  # noqa: BLE001  # there is nobody above us
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _end_pool_with_children(*_: object) -> NoReturn:
    """The worker was killed: its handlers must not go on, nor what they started."""
    for child in multiprocessing.active_children():
        if isinstance(child, _PoolProcess):
            child.kill_group()
    os._exit(1)


def _let_pool_go_of_streams(but: int) -> None:
    """A port that the worker's process closes, a caller that it hangs up on, must not be held open here.

    The numbers stay taken: objects that were inherited may still close them.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in map(int, os.listdir("/dev/fd")):  # noqa: PTH208  # names of descriptors, not files
        with suppress(OSError):
            if fd > 2 and fd != but and stat.S_ISSOCK(os.fstat(fd).st_mode) and _is_stream_of_pool(fd):
                os.dup2(nothing, fd, inheritable=False)
    os.close(nothing)


def _is_stream_of_pool(fd: int) -> bool:
    with socket.socket(fileno=os.dup(fd)) as copy:
        return copy.type == socket.SOCK_STREAM


class PoolKeeper:
    """Keeps a pool of children, made when the first job comes, until the worker hangs up."""

    def __init__(
        self, line: socket.socket, size: int, prepare: Callable[[], None], limits: ChildLimits = NO_LIMITS
    ) -> None:
        self._line = line
        self._size = size
        self._prepare = prepare
        self._limits = limits
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
        head = self._read(LENGTH.size)
        body = self._read(LENGTH.unpack(head)[0]) if head else b""
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
                    max_tasks=self._limits.items,
                    context=_Context(),
                    initializer=partial(_prepare_pool_process, self._line, self._prepare, self._limits.memory_mb),
                )
            future = self._pool.schedule(job.function, args=job.args, timeout=job.timeout_s)
        except Exception as error:  # noqa: BLE001  # no process to be had, for one: the item's failure, not our end
            self._answer_job(number, Raised(describe_raised(error, "failed")))
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
            self._answer_job(number, _pool_answer_of_future(future, timeout_s))

    def _answer_job(self, number: int, answer: Any) -> None:
        body = job_frame((number, answer))
        with suppress(OSError), self._write_lock:
            self._line.sendall(body)

    def _end_pool(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def _pool_answer_of_future(future: Future[Any], timeout_s: float) -> Any:
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
        return Died(_cause_of_death_in_pool(expired.exitcode))
    except BrokenProcessPool:
        # An idle child was killed, which the pool does not survive. No handler is to blame.
        return RetryLater(0, "the pool of child processes broke and was made anew")
    except BaseException as error:  # noqa: BLE001  # whatever it is, the worker waits for an answer
        return Raised(describe_raised(error, "failed"))


def _cause_of_death_in_pool(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        name = signal.Signals(-exitcode).name if -exitcode in set(signal.Signals) else f"signal {-exitcode}"
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"the handler's process was killed by {name}{hint}"
    code = 0 if exitcode == EXIT_0 else exitcode
    return f"the handler's process exited with code {code} before it answered"


def _prepare_pool_process(line: socket.socket, prepare: Callable[[], None], memory_mb: int) -> None:
    # SIGKILL, since a handler may be deep in code that never looks for signals.
    _ignore_signals_in_pool(at_death_of_parent=signal.SIGKILL)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    line.close()
    if memory_mb:
        resource.setrlimit(resource.RLIMIT_DATA, (memory_mb * MEGABYTE, memory_mb * MEGABYTE))
    prepare()


def _ignore_signals_in_pool(*, at_death_of_parent: signal.Signals) -> None:
    """Take no signal that is meant for the worker, and live no longer than the process that forked this one."""
    signal.set_wakeup_fd(-1)
    # A service manager signals every process; whether a handler may finish is for the worker to decide. What is ignored
    # would stay ignored in programs that a handler starts, and then nobody could end those; a function stays behind.
    signal.signal(signal.SIGINT, _do_nothing_in_pool)
    signal.signal(signal.SIGTERM, _do_nothing_in_pool)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, at_death_of_parent)


def _do_nothing_in_pool(*_: object) -> None:
    """A signal is not for this process."""
