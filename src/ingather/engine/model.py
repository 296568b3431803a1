"""The engine's nouns, frozen and without I/O, and the one decision that is pure: what becomes of a failed item."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ingather.engine.cron import Cron

if TYPE_CHECKING:
    from ingather.engine.shape import Shape

BatchState = Literal["open", "closed"]
ItemState = Literal["pending", "running", "completed", "error", "cancelled"]


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
    backoff: Callable[[int], float] | None = None
    """The pause in seconds after an attempt that failed; None is the engine's own."""
    registered: Callable[..., Any] | None = None
    """What was registered, where `function` is that in a coat that reads its types."""
    payloads: "Shape | None" = None
    returns: Any = None
    """The type that the function's annotation names."""


class ScatterOptions(TypedDict, total=False):
    """The options of a scatter besides its kind and payloads; the handler's own values stand for what is left out."""

    idempotency_key: str | None
    queue: str | None
    priority: int
    delay: float | timedelta
    max_attempts: int | None
    timeout: float | None
    share: str | None
    max_items: int | None


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
    share: str | None = None
    """Whose turn it is; None is that of the parent."""
    max_items: int | None = None


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
