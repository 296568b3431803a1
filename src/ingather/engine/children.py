"""Child processes for handlers that must be killable: every `def`, and any item that took a worker down before."""

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, NoReturn

from pebble import CONSTS, ProcessExpired, ProcessPool

from ingather.engine.batch import Batch
from ingather.engine.codec import Unstorable, encode_result
from ingather.engine.errors import Reject, RetryLater
from ingather.engine.model import Died, Item, Offspring, Overdue, Raised, describe

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

# Forked, so that handlers may be closures and the children share the worker's memory until they write to it.
_FORK = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
_PR_SET_PDEATHSIG = 1
_EXIT_0 = 213

# The pool asks with SIGTERM before it kills, and our children do not listen.
CONSTS.term_timeout = 0.05

_engine: "Engine"


class Children:
    """A pool of child processes, as many as the worker has slots, made when the first item needs one."""

    def __init__(self, engine: "Engine", size: int) -> None:
        self._engine = engine
        self._size = size
        self._pool: ProcessPool | None = None

    async def call(
        self, *, is_gather: bool, args: dict[str, Any], timeout_s: float
    ) -> tuple[bytes, list[Offspring] | None]:
        """Run a handler or a gather in a child; its deadline starts when it starts. Cancelling kills the child."""
        pool = await self._active_pool()
        future = pool.schedule(_in_child, args=(is_gather, args), timeout=timeout_s)
        try:
            answer = await asyncio.wrap_future(future)
        except TimeoutError:
            raise Overdue(f"the handler ran longer than its {timeout_s:g} s and was killed") from None
        except ProcessExpired as expired:
            raise Died(_cause_of_death(expired.exitcode)) from None
        except BrokenProcessPool:
            # An idle child was killed, which the pool does not survive. No handler is to blame.
            raise RetryLater(0, "the pool of child processes broke and was made anew") from None
        if isinstance(answer, BaseException):
            raise answer
        line, offspring = answer
        return line, offspring

    async def _active_pool(self) -> ProcessPool:
        if self._pool is not None and not self._pool.active:
            await self.stop()
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=self._size,
                context=multiprocessing.get_context(_FORK),
                initializer=_prepare_child,
                initargs=(self._engine,),
            )
        return self._pool

    async def stop(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None
            pool.stop()  # type: ignore[no-untyped-call]
            await asyncio.to_thread(pool.join)


def _cause_of_death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        name = signal.Signals(-exitcode).name if -exitcode in set(signal.Signals) else f"signal {-exitcode}"
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"the handler's process was killed by {name}{hint}"
    code = 0 if exitcode == _EXIT_0 else exitcode
    return f"the handler's process exited with code {code} before it answered"


# --- in the child --------------------------------------------------------------------------------------------------


def _prepare_child(engine: "Engine") -> None:
    global _engine  # noqa: PLW0603  # a child serves one engine for all its life
    _engine = engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A service manager signals the whole group; whether a handler may finish is for the worker to say.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _show_silent_exits()
    if sys.platform == "linux":
        # When the worker is killed, its handlers must not go on as orphans.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _show_silent_exits() -> None:
    """Make `os._exit(0)` in a handler a death like any other: the pool takes exit code 0 for an orderly end."""
    leave, child = os._exit, os.getpid()

    def leave_seen(status: int) -> NoReturn:
        # Processes that the handler itself forked end as they like.
        leave(_EXIT_0 if status == 0 and os.getpid() == child else status)

    os._exit = leave_seen


def _in_child(is_gather: bool, args: dict[str, Any]) -> Any:  # noqa: FBT001  # crosses a pipe, not an API
    """Run it; give back the encoded result, or an exception that is sure to survive the pipe."""
    try:
        if is_gather:
            handler = _engine.gathers[args["kind"]]
            subject: Any = Batch(_engine, args["batch_id"])
        else:
            subject = Item(**args, plan=_engine.plan)
            handler = _engine.handlers[subject.kind]
        value = handler.function(subject)
        if handler.is_async:
            value = asyncio.run(value)
        return encode_result(value), None if is_gather else subject.offspring
    except RetryLater as later:
        return RetryLater(later.delay, str(later), queue=later.queue)
    except Reject as rejected:
        return Reject(str(rejected))
    except Unstorable as bad:
        return bad
    except BaseException as error:  # noqa: BLE001  # whatever user code raises, the worker wants to know
        return Raised(describe(error, "failed"))
