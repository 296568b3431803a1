"""The decision that is pure: what becomes of an item whose handler did not return."""

import logging
import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ingather.engine.errors import Reject, RetryLater
from ingather.notice import error_fields

log: Final = logging.getLogger("ingather.worker")

# An item whose process died so often ends as lost. Fewer would blame items that died with a neighbour; more would let
# one item take down more workers.
MAX_LOST: Final = 3
# The longest pause before an attempt, reached with the tenth. Longer ones hide an item for more than people wait.
LONGEST_BACKOFF_S: Final = 600.0
# The longest pause that a handler's own backoff may ask for. A longer one is more likely a mistake of units.
LONGEST_OWN_BACKOFF_S: Final = 86_400.0
# Characters kept of an error's message. It is stored with the item and shown in lists; longer ones hold whole pages.
MESSAGE_CAP: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What becomes of an item whose handler did not return."""

    is_over: bool
    error: dict[str, Any]
    delay_s: float = 0.0
    counts: bool = True
    """Whether the attempt is used up."""
    lost: int = 0
    """Losses to add: 1 when the handler took its process down."""
    blocks_queue: bool = False


class Raised(Exception):
    """What a handler raised in another process: the description crossed over, the exception could not."""

    def __init__(self, description: dict[str, Any]) -> None:
        super().__init__(description)
        self.description = description

    def __str__(self) -> str:
        return f"{self.description['type']}: {self.description['message']}"


class ChildTraceback(Exception):
    """Where an exception was raised in a child process: the cause of what stands in for it here."""

    def __str__(self) -> str:
        return f"in the handler's process\n\n{self.args[0]}"


class Overdue(Exception):
    """The handler ran past its deadline and was stopped."""


class Died(Exception):
    """The process that ran the handler is gone."""


def verdict(
    error: BaseException,
    *,
    attempt: int,
    max_attempts: int,
    lost: int,
    jitter: Callable[[float, float], float] = random.uniform,
    backoff: Callable[[int], float] | None = None,
) -> Consequence:
    """What becomes of an item whose handler raised. Pure but for the jitter: the table in its test is the spec."""
    match error:
        case Reject():
            return Consequence(is_over=True, error=describe_raised(error, "rejected"))
        case RetryLater(delay=delay, queue=queue):
            return Consequence(
                is_over=False,
                error=describe_raised(error, "retry_later"),
                delay_s=delay.total_seconds(),
                counts=False,
                blocks_queue=queue,
            )
        case Died():
            is_over = lost + 1 >= MAX_LOST
            return Consequence(is_over=is_over, error=describe_raised(error, "lost"), counts=False, lost=1)
        case _ if attempt >= max_attempts:
            return Consequence(
                is_over=True, error=describe_raised(error, "timeout" if isinstance(error, Overdue) else "exhausted")
            )
        case _:
            delay_s = _own_backoff_s(backoff, attempt) if backoff else None
            if delay_s is None:
                delay_s = jitter(0.0, min(LONGEST_BACKOFF_S, 2.0**attempt))
            return Consequence(
                is_over=False,
                error=describe_raised(error, "timeout" if isinstance(error, Overdue) else "failed"),
                delay_s=delay_s,
            )


def _own_backoff_s(backoff: Callable[[int], float], attempt: int) -> float | None:
    """What the handler's own function says, within bounds; None where it fails, and then the engine's own counts."""
    try:
        delay_s = float(backoff(attempt))
    except Exception:
        log.exception("the backoff %s failed", getattr(backoff, "__qualname__", backoff))
        return None
    # Comparisons with NaN are false: it falls to the engine's own, too.
    return min(LONGEST_OWN_BACKOFF_S, delay_s) if delay_s >= 0 else None


def describe_raised(error: BaseException, reason: str) -> dict[str, Any]:
    """An error as people and programs read it later: why, what, where. Never a whole traceback: those hold secrets."""
    if isinstance(error, Raised):
        return error.description | {"reason": reason}
    described = {"reason": reason, "type": type(error).__name__, **error_fields(_message_of_raised(error), MESSAGE_CAP)}
    frames: Iterable[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    for frame in reversed(list(frames)):
        described["where"] = f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
        break
    return described


def _message_of_raised(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # a user's exception may fail even at this
        return "an error whose message cannot be read"
