"""An item as its handler sees it, and the work that it may add."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Unpack

from ingather.engine.model import ScatterOptions, ScatterRequest

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    P = TypeVar("P", default=Any)
else:
    # A type variable with a default is known to Python from 3.13 on, and to type checkers at once.
    from typing import TypeVar

    P = TypeVar("P")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What the items of one lease have in common. It crosses to child processes."""

    batch_id: int
    kind: str
    attempt: int
    lost: int
    segment_key: str


class Item(Generic[P]):
    """One unit of work, as its handler sees it. `Item[Order]` says what its payload is.

    Not a dataclass, and short: one is made for every item that runs, and each
    field costs quick handlers a part of their pace.
    """

    __slots__ = ("_offspring_of", "_source", "id", "offspring", "ordinal", "payload")

    def __init__(self, id: int, ordinal: int, payload: P, source: Source, offspring_of: MakeOffspring) -> None:
        self.id = id
        self.ordinal = ordinal
        self.payload = payload
        self.offspring: list[Offspring] | None = None
        self._source = source
        self._offspring_of = offspring_of

    @property
    def batch_id(self) -> int:
        """The batch that it belongs to."""
        return self._source.batch_id

    @property
    def kind(self) -> str:
        """The kind whose handler runs it."""
        return self._source.kind

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1."""
        return self._source.attempt

    @property
    def lost(self) -> int:
        """How often the item was lost with its worker before."""
        return self._source.lost

    @property
    def key(self) -> str:
        """The idempotency key for effects outside: the same in every attempt, and never another item's.

        An `id` is given again when the database goes back to an earlier state,
        by a restored backup or a replica that missed the last commits.
        """
        return item_key(self._source.segment_key, self.ordinal)

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
