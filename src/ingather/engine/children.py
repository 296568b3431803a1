"""Child processes for handlers that must be killable: every `def`, and any item that took a worker down before."""

import asyncio
import os
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from ingather.engine.batch import Batch
from ingather.engine.codec import Unstorable, encode_result
from ingather.engine.errors import Reject, RetryLater
from ingather.engine.item import Item, Offspring
from ingather.engine.item_context import running_item
from ingather.engine.jobs import NO_LIMITS, ChildLimits, Job
from ingather.engine.nursery import Nursery
from ingather.engine.pool_keeper import EXIT_0
from ingather.engine.verdict import ChildTraceback, Raised, describe_raised

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

_engine: "Engine"


# Characters of a child's traceback. It goes to the log only; longer ones come from recursion and repeat themselves.
LONGEST_TRACEBACK: Final = 20_000


class ChildFailure(NamedTuple):
    """How a handler's failure comes out of its process."""

    error: BaseException
    traceback: str


class Children:
    """A pool of child processes, as many as the worker has slots, made when the first item needs one."""

    def __init__(self, engine: "Engine", size: int, limits: ChildLimits = NO_LIMITS) -> None:
        self._engine = engine
        self._limits = limits
        self._size = size
        self._nursery: Nursery | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Before the worker has threads of its own, so that no child ever inherits what they were at."""
        nursery = Nursery(self._size, partial(_prepare_child_for_engine, self._engine), self._limits)
        try:
            await nursery.open()
        except BaseException:
            await nursery.close()
            raise
        self._nursery = nursery

    async def call(
        self, *, is_gather: bool, args: dict[str, Any], timeout_s: float
    ) -> tuple[bytes, list[Offspring] | None]:
        """Run a handler or a gather in a child; its deadline starts when it starts. Cancelling kills the child."""
        async with self._opening:
            if self._nursery is None or not self._nursery.is_open:
                await self.stop()
                await self.open()
        assert self._nursery is not None
        answer = await self._nursery.run(Job(_call_in_child, (is_gather, args), timeout_s))
        if isinstance(answer, ChildFailure):
            raise answer.error from ChildTraceback(answer.traceback)
        line, offspring = answer
        return line, offspring

    async def stop(self) -> None:
        if self._nursery is not None:
            nursery, self._nursery = self._nursery, None
            await nursery.close()


# --- in the child --------------------------------------------------------------------------------------------------


def _prepare_child_for_engine(engine: "Engine") -> None:
    global _engine  # noqa: PLW0603  # a child serves one engine for all its life
    _engine = engine
    _show_silent_exits_of_children()


def _show_silent_exits_of_children() -> None:
    """Make `os._exit(0)` in a handler a death like any other: the pool takes exit code 0 for an orderly end."""
    leave, child = os._exit, os.getpid()

    def leave_seen(status: int) -> NoReturn:
        # Processes that the handler itself forked end as they like.
        leave(EXIT_0 if status == 0 and os.getpid() == child else status)

    os._exit = leave_seen


def _call_in_child(is_gather: bool, args: dict[str, Any]) -> Any:  # noqa: FBT001  # crosses a pipe, not an API
    """Run it; give back the encoded result, or an exception that is sure to survive the pipe."""
    try:
        item = Item(**args, offspring_of=_engine.registry.offspring)
        running_item.set(item)
        registry = _engine.registry
        handler = (registry.gathers if is_gather else registry.handlers)[item.kind]
        value = handler.function(Batch(_engine, item.batch_id, handler.payloads) if is_gather else item)
        if handler.is_async:
            value = asyncio.run(value)
        return encode_result(value), None if is_gather else item.offspring
    except BaseException as error:  # noqa: BLE001  # whatever user code raises, the worker wants to know
        return ChildFailure(_portable_error_of_child(error), _traceback_in_child(error))


def _traceback_in_child(error: BaseException) -> str:
    """As Python prints it, from the handler on. Its end says most, so a long one loses its beginning."""
    try:
        own = error.__traceback__.tb_next if error.__traceback__ is not None else None
        return "".join(traceback.format_exception(type(error), error, own))[-LONGEST_TRACEBACK:]
    except Exception:  # noqa: BLE001  # a user's exception may fail even at being printed
        return "a traceback that cannot be read"


def _portable_error_of_child(error: BaseException) -> BaseException:
    try:
        match error:
            case RetryLater():
                return RetryLater(error.delay, str(error), queue=error.queue)
            case Reject():
                return Reject(str(error))
            case Unstorable():
                return error
    except Exception as odd:  # noqa: BLE001  # a signal of the user's own making that is not what it says
        return Raised(describe_raised(odd, "failed"))
    return Raised(describe_raised(error, "failed"))
