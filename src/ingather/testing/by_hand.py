"""Items made by hand, and handlers run on them: no database, no worker, and what they did to look at."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from ingather.engine.codec import decode, decode_payload, encode_result
from ingather.engine.engine import Engine
from ingather.engine.errors import UnknownKind
from ingather.engine.item import Item, Offspring, Source
from ingather.engine.item_context import running_item
from ingather.engine.model import ScatterRequest

# The ids of items made by hand. No item of a database has them: those begin with their segment's number.
BY_HAND: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What a handler has scattered or added, before it is in any database."""

    kind: str
    payloads: list[Any]
    labels: list[str] | None
    options: ScatterRequest | None
    """The options of a scatter; None where items were added to the item's own batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a handler did with an item made by hand."""

    result: Any
    """As the database would give it back: plain JSON."""
    scattered: list[Child]
    added: list[Child]


def make_item(
    app: Engine,
    kind: str,
    payload: Any = None,
    *,
    attempt: int = 1,
    lost: int = 0,
    ordinal: int = 0,
    key: str = "by-hand",
) -> Item:
    """An item as a worker would hand it over: the payload is checked by the application's rules and comes as JSON."""
    if kind not in app.registry.handlers:
        raise UnknownKind(f"There is no handler for kind {kind!r} in this app. Known kinds: {', '.join(app.kinds)}.")
    [line] = app.registry.encoded([payload], kind)
    source = Source(batch_id=BY_HAND, kind=kind, attempt=attempt, lost=lost, segment_key=key)
    return Item(BY_HAND, ordinal, decode_payload(line.decode()), source, app.registry.offspring)


def run_by_hand(app: Engine, kind: str, payload: Any = None, **item: Any) -> Ran:
    """Run a kind's handler here and now, and give back what it did. What it raises comes through."""
    return asyncio.run(arun_by_hand(app, kind, payload, **item))


async def arun_by_hand(app: Engine, kind: str, payload: Any = None, **item: Any) -> Ran:
    """`run_by_hand`, for a caller with an event loop."""
    made = make_item(app, kind, payload, **item)
    handler = app.registry.handlers[kind]
    before = running_item.set(made)
    try:
        value = await handler.function(made) if handler.is_async else await asyncio.to_thread(handler.function, made)
    finally:
        running_item.reset(before)
    children = [_child_of_offspring(kind, offspring) for offspring in made.offspring or ()]
    return Ran(
        result=decode(encode_result(value)),
        scattered=[child for child in children if child.options is not None],
        added=[child for child in children if child.options is None],
    )


def _child_of_offspring(kind: str, offspring: Offspring) -> Child:
    return Child(
        kind=offspring.request.kind if offspring.request else kind,
        payloads=[decode(line) for line in offspring.lines],
        labels=offspring.labels,
        options=offspring.request,
    )
