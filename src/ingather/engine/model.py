"""The engine's nouns, frozen and without I/O, and the one decision that is pure: what becomes of a failed item."""

import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, TypedDict, Unpack

from ingather.engine.cron import Cron
from ingather.engine.errors import Reject, RetryLater
from ingather.notice import error_fields

BatchState = Literal["open", "closed"]
ItemState = Literal["pending", "running", "completed", "error", "cancelled"]

# An item whose process died so often ends as lost. Fewer would blame items that died with a neighbour; more would let
# one item take down more workers.
MAX_LOST: Final = 3
# The longest pause before an attempt, reached with the tenth. Longer ones hide an item for more than people wait.
LONGEST_BACKOFF_S: Final = 600.0
# Characters kept of an error's message. It is stored with the item and shown in lists; longer ones hold whole pages.
MESSAGE_CAP: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The counts of a batch at one instant. They always add up to `total`."""

    batch_id: int
    kind: str
    queue: str
    state: BatchState
    version: int
    paused: bool
    total: int
    pending: int
    running: int
    completed: int
    error: int
    cancelled: int
    created_at: datetime
    closed_at: datetime | None
    gather: ItemState | None
    """How far the gather is; None while the batch is open or has none."""

    @property
    def finished(self) -> int:
        """How many items have ended, in whatever way."""
        return self.completed + self.error + self.cancelled

    @property
    def percent(self) -> float:
        """The finished ones of a hundred."""
        return 100.0 * self.finished / self.total

    @property
    def is_closed(self) -> bool:
        """Whether no item is pending or running any more."""
        return self.state == "closed"

    @property
    def is_gathered(self) -> bool:
        """Closed, and the gather has ended too if there is one."""
        return self.is_closed and self.gather in (None, "completed", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecord:
    """An item as it stands: what it was given and how far it came."""

    id: int
    ordinal: int
    key: str
    """What the handler has as `item.key`."""
    state: ItemState
    attempt: int
    lost: int
    payload: Any
    result: Any
    error: dict[str, Any] | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A lane with its limits and switches, and how many of its items run and wait."""

    name: str
    max_running: int | None
    rate_items: int | None
    rate_window_s: float | None
    paused: bool
    blocked_until: datetime | None
    running: int
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRecord:
    """A registered worker: where it runs, when it beat last, and how many items it has in hand."""

    id: int
    host: str
    pid: int
    kinds: list[str]
    started_at: datetime
    beat_at: datetime
    lease_s: float
    running: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRecord:
    """A schedule as it stands."""

    name: str
    kind: str
    queue: str
    cron: Cron
    catch_up: str
    paused: bool
    last_at: datetime | None
    next_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """User code for one kind, and how it is to be run."""

    kind: str
    function: Callable[..., Any]
    queue: str
    max_attempts: int
    timeout_s: int
    is_async: bool


class ScatterOptions(TypedDict, total=False):
    """What may be said of a scatter besides its kind and payloads; the handler's own values stand for the rest."""

    idempotency_key: str | None
    queue: str | None
    priority: int
    delay: float | timedelta
    max_attempts: int | None
    timeout: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterRequest:
    """What a scatter asks for, apart from the payloads: its options, checked and complete."""

    kind: str
    queue: str
    priority: int
    delay: timedelta
    max_attempts: int
    timeout_s: int
    gathers: bool
    idempotency_key: str | None
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Offspring:
    """More work that an item asked for. It is scattered in the commit that settles the item, or never."""

    request: ScatterRequest | None
    """None adds to the item's own batch."""
    lines: list[bytes]


def item_key(segment_key: str, ordinal: int) -> str:
    """The key of an item; empty for a gather, which stands in no segment."""
    return f"{segment_key}-{ordinal}" if segment_key else ""


MakeOffspring = Callable[..., Offspring]


class Item:
    """One unit of work, as its handler sees it.

    Not a dataclass: one is made for every item that runs, and frozen fields
    cost more than the rest.
    """

    __slots__ = (
        "_offspring_of", "_segment_key", "attempt", "batch_id", "id", "kind", "lost", "offspring", "ordinal", "payload",
    )  # fmt: skip

    def __init__(
        self,
        id: int,
        batch_id: int,
        kind: str,
        ordinal: int,
        payload: Any,
        attempt: int,
        lost: int,
        segment_key: str,
        offspring_of: MakeOffspring,
    ) -> None:
        self.id = id
        self.batch_id = batch_id
        self.kind = kind
        self.ordinal = ordinal
        self.payload = payload
        self.attempt = attempt
        self.lost = lost
        self.offspring: list[Offspring] | None = None
        self._segment_key = segment_key
        self._offspring_of = offspring_of

    @property
    def key(self) -> str:
        """The idempotency key for effects outside: the same in every attempt, and never another item's.

        An `id` is given again when the database goes back to an earlier state,
        by a restored backup or a replica that missed the last commits.
        """
        return item_key(self._segment_key, self.ordinal)

    def scatter(self, kind: str, payloads: Iterable[Any], **options: Unpack[ScatterOptions]) -> None:
        """Scatter a child batch in the commit that settles this item: with its result, or not at all."""
        self.offspring = [
            *(self.offspring or ()),
            self._offspring_of(kind, payloads, parent_id=self.batch_id, **options),
        ]

    def add(self, payloads: Iterable[Any]) -> None:
        """Add items to this item's own batch in the commit that settles it."""
        self.offspring = [*(self.offspring or ()), self._offspring_of(None, payloads)]

    def __repr__(self) -> str:
        return f"Item(id={self.id}, kind={self.kind!r}, batch_id={self.batch_id}, attempt={self.attempt})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of an item whose handler did not return."""

    is_over: bool
    error: dict[str, Any]
    delay_s: float = 0.0
    counts: bool = True
    """Whether the attempt is used up."""
    lost: int = 0
    """Losses to add: 1 when the handler took its process down."""
    blocks_queue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failed attempt, as a failure hook gets it."""

    item_id: int
    item_key: str
    batch_id: int
    kind: str
    attempt: int
    is_final: bool
    """The item ended as error; otherwise it will be tried again."""
    is_gather: bool
    reason: str
    message: str
    exception: BaseException
    """What the handler raised. Where it ran in a child process, a stand-in with the child's traceback as its cause."""


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
) -> Verdict:
    """What becomes of an item whose handler raised. Pure but for the jitter: the table in its test is the spec."""
    match error:
        case Reject():
            return Verdict(is_over=True, error=describe(error, "rejected"))
        case RetryLater(delay=delay, queue=queue):
            return Verdict(
                is_over=False,
                error=describe(error, "retry_later"),
                delay_s=delay.total_seconds(),
                counts=False,
                blocks_queue=queue,
            )
        case Died():
            is_over = lost + 1 >= MAX_LOST
            return Verdict(is_over=is_over, error=describe(error, "lost"), counts=False, lost=1)
        case _ if attempt >= max_attempts:
            return Verdict(
                is_over=True, error=describe(error, "timeout" if isinstance(error, Overdue) else "exhausted")
            )
        case _:
            delay_s = jitter(0.0, min(LONGEST_BACKOFF_S, 2.0**attempt))
            return Verdict(
                is_over=False,
                error=describe(error, "timeout" if isinstance(error, Overdue) else "failed"),
                delay_s=delay_s,
            )


def describe(error: BaseException, reason: str) -> dict[str, Any]:
    """An error as people and programs read it later: why, what, where. Never a whole traceback: those hold secrets."""
    if isinstance(error, Raised):
        return error.description | {"reason": reason}
    described = {"reason": reason, "type": type(error).__name__, **error_fields(_message(error), MESSAGE_CAP)}
    frames: Iterable[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    for frame in reversed(list(frames)):
        described["where"] = f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
        break
    return described


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # a user's exception may fail even at this
        return "an error whose message cannot be read"
