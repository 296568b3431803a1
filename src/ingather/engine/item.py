"""An item as its handler sees it, and the work that it may add."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Unpack

from ingather.engine.model import ScatterOptions, ScatterRequest


@dataclass(frozen=True, slots=True)
class Offspring:
    """More work that an item adds. It is scattered in the commit that settles the item, or never."""

    request: ScatterRequest | None
    """None adds to the item's own batch."""
    lines: list[bytes]
    labels: list[str] | None = None


MakeOffspring = Callable[..., Offspring]


def item_key(segment_key: str, ordinal: int) -> str:
    """The key of an item; empty for a gather, which stands in no segment."""
    return f"{segment_key}-{ordinal}" if segment_key else ""


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

    def scatter(
        self,
        kind: str,
        payloads: Iterable[Any],
        *,
        labels: Iterable[str] | None = None,
        **options: Unpack[ScatterOptions],
    ) -> None:
        """Scatter a child batch in the commit that settles this item: with its result, or not at all.

        The batch of this item closes, and its gather runs, only after the child
        has been closed and gathered: `batch.children()` reads it there.
        """
        self.offspring = [
            *(self.offspring or ()),
            self._offspring_of(kind, payloads, labels, parent_id=self.batch_id, **options),
        ]

    def add(self, payloads: Iterable[Any], *, labels: Iterable[str] | None = None) -> None:
        """Add items to this item's own batch in the commit that settles it; with `labels`, one for each payload, only
        those whose label the batch has never had."""
        self.offspring = [*(self.offspring or ()), self._offspring_of(None, payloads, labels)]

    def __repr__(self) -> str:
        return f"Item(id={self.id}, kind={self.kind!r}, batch_id={self.batch_id}, attempt={self.attempt})"
