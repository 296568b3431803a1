"""Everything the engine raises, and what a handler may raise to be understood.

IngatherError
├── UsageError             the caller wants something impossible; fix the call
│   ├── EmptyBatch         a batch needs at least one item
│   ├── BatchTooBig        more items than one scatter may hold
│   ├── UnknownKind        no handler of that name in this app
│   ├── UnknownBatch       no batch of that id (or it was pruned)
│   ├── BatchClosed        the batch takes no more items
│   ├── PayloadRefused     not JSON, too big, or with something PostgreSQL cannot keep
│   └── KeyReused          the idempotency key belongs to another request
├── Failed                 the work behind a result ended as `error`; the message is its reason
├── LeaseLost              the reason why a handler is cancelled: the item is no longer this worker's
├── ShuttingDown           the reason why a handler is cancelled: the item will run elsewhere
├── NotReady               the answer is not there yet; wait for the batch first
├── DatabaseUnavailable    no usable PostgreSQL at that address
└── SchemaMismatch         the tables and this code do not fit together
    ├── SchemaOutdated     run `ingather migrate`
    └── SchemaTooNew       upgrade this process

HandlerSignal              raised *by* handlers; never escapes the worker
├── Reject                 this item can never succeed: error at once, no retry
└── RetryLater             try again, not before `delay`; does not use up an attempt
"""

from datetime import timedelta
from functools import partial
from typing import Final

from ingather.notice import notice

# A delay is at most a leap year. A longer one is more likely a mistake of units than a plan.
LONGEST_DELAY: Final = timedelta(days=366)


def checked_delay_of_error(delay: float | timedelta) -> timedelta:
    try:
        checked = delay if isinstance(delay, timedelta) else timedelta(seconds=delay)
    except (TypeError, ValueError, OverflowError):
        checked = timedelta(-1)
    if not timedelta(0) <= checked <= LONGEST_DELAY:
        raise UsageError(f"A delay lies between 0 s and {LONGEST_DELAY.days} days, not {delay!r}.")
    return checked


class IngatherError(Exception):
    """The root: `except IngatherError` catches all that this package raises on purpose."""


class UsageError(IngatherError):
    """The caller wants something impossible. The message names it, and what to do instead."""


class EmptyBatch(UsageError):
    pass


class BatchTooBig(UsageError):
    pass


class UnknownKind(UsageError):
    pass


class UnknownBatch(UsageError):
    pass


class BatchClosed(UsageError):
    pass


class PayloadRefused(UsageError):
    pass


class KeyReused(UsageError):
    pass


class Failed(IngatherError):
    pass


class LeaseLost(IngatherError):
    """The reason in `CancelledError.args` when another worker, or nobody, owns the item now. Drop the work."""


class ShuttingDown(IngatherError):
    """The reason in `CancelledError.args` when the worker leaves before the handler could finish."""


class NotReady(IngatherError):
    pass


class DatabaseUnavailable(IngatherError):
    pass


class SchemaMismatch(IngatherError):
    pass


class SchemaOutdated(SchemaMismatch):
    pass


class SchemaTooNew(SchemaMismatch):
    pass


class HandlerSignal(Exception):
    """What a handler raises to decide itself what becomes of its item."""


class Reject(HandlerSignal):
    """This item can never succeed. It ends as `error` at once, whatever attempts are left."""


class RetryLater(HandlerSignal):
    """Not now. The item goes back for at least `delay` and no attempt is used.

    With `queue=True` the whole queue holds until then, on every machine: one
    429 from a provider should silence the fleet, not burn its retries.
    """

    def __init__(self, delay: float | timedelta, message: str = "", *, queue: bool = False) -> None:
        self.delay = checked_delay_of_error(delay)
        self.queue = queue
        super().__init__(
            message
            or notice("engine.try_again_s", "try again in {seconds} s", seconds=f"{self.delay.total_seconds():g}")
        )

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are rebuilt from positional arguments alone when they cross from a child process.
        return partial(RetryLater, queue=self.queue), (self.delay, str(self))
