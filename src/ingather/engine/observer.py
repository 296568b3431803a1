"""What a worker tells an observer, if it has one: once per round trip, after the database has confirmed it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ingather.engine.holdings import Lease
from ingather.engine.outbox import Ended, PutBack


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """What a worker has in hand at this moment."""

    slots: int
    busy: int
    buffered: int
    leases: int


class WorkerObserver(Protocol):
    """Whoever counts. Its methods are called on the worker's loop, so they must be quick."""

    def ended(self, leases: dict[int, Lease], ended: Iterable[Ended]) -> None:
        """Outcomes that are stored."""

    def put_back(self, leases: dict[int, Lease], put_backs: Iterable[PutBack]) -> None:
        """Items that went back."""

    def round_trip(self, seconds: float, claimed: int) -> None:
        """One exchange with the database, and the leases that came with it."""

    def refuse(self, items: int) -> None:
        """Outcomes that came too late."""
