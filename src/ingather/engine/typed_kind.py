"""A kind by its handler instead of its name, so that type checkers know its payloads and results."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from psycopg import AsyncConnection, Connection

from ingather.engine.batch import Batch
from ingather.engine.errors import UsageError
from ingather.engine.model import ScatterOptions
from ingather.engine.shape import shape_of_type

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

P = TypeVar("P")
R = TypeVar("R")


class TypedKind(Generic[P, R]):
    """A kind with the types of its handler: made by `app.typed(handler)`, and scattered like any other."""

    def __init__(self, engine: "Engine", function: Callable[..., Any]) -> None:
        kinds = [kind for kind, known in engine.registry.handlers.items() if known.registered is function]
        if len(kinds) != 1:
            raise UsageError(
                f"{getattr(function, '__qualname__', function)} is the handler of {len(kinds)} kinds of this app, and "
                "of one it must be."
            )
        [self.kind] = kinds
        self._engine = engine
        self._results = shape_of_type(self.kind, engine.registry.handlers[self.kind].returns)

    def scatter(
        self,
        payloads: Iterable[P],
        *,
        labels: Iterable[str] | None = None,
        conn: Connection[Any] | None = None,
        **options: Unpack[ScatterOptions],
    ) -> Batch[R]:
        """`app.scatter` for this kind."""
        return self.batch(self._engine.scatter(self.kind, payloads, labels=labels, conn=conn, **options).id)

    async def ascatter(
        self,
        payloads: Iterable[P],
        *,
        labels: Iterable[str] | None = None,
        conn: AsyncConnection[Any] | None = None,
        **options: Unpack[ScatterOptions],
    ) -> Batch[R]:
        """`scatter`, for a caller with an event loop."""
        made = await self._engine.ascatter(self.kind, payloads, labels=labels, conn=conn, **options)
        return self.batch(made.id)

    def submit(self, payload: P, *, conn: Connection[Any] | None = None, **options: Unpack[ScatterOptions]) -> Batch[R]:
        """`app.submit` for this kind."""
        return self.scatter([payload], conn=conn, **options)

    async def asubmit(
        self, payload: P, *, conn: AsyncConnection[Any] | None = None, **options: Unpack[ScatterOptions]
    ) -> Batch[R]:
        """`submit`, for a caller with an event loop."""
        return await self.ascatter([payload], conn=conn, **options)

    def batch(self, batch_id: int) -> Batch[R]:
        """A handle on a batch of this kind that was scattered earlier: its results come as objects."""
        handle: Batch[R] = Batch(self._engine, batch_id, self._results)
        return handle
