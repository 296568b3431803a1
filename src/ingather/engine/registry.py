"""The handlers and gathers of one application, and what may be scattered to them."""

import inspect
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

from ingather.engine.arguments import (
    checked_attempts,
    checked_key,
    checked_labels,
    checked_max_items,
    checked_name,
    checked_priority,
    checked_text,
    checked_timeout_s,
)
from ingather.engine.batch import Batch
from ingather.engine.codec import PAYLOAD_HARD_CAP, encode_payload
from ingather.engine.errors import EmptyBatch, UnknownKind, UsageError, checked_delay_of_error
from ingather.engine.item import Item, Offspring
from ingather.engine.model import Failure, Handler, ScatterOptions, ScatterRequest
from ingather.engine.shape import shapes_of_handler, with_payloads_in_shape

if TYPE_CHECKING:
    from ingather.engine.process_resource import ProcessResource

F = TypeVar("F", bound=Callable[..., Any])

# Random bytes of an application's share. Fewer would make two callers one; it stands in every segment and its index.
SHARE_BYTES: Final = 4


class Registry:
    """What one process knows to run. Every process of an application registers the same.

    For rooms built on the engine, too: `offspring` is work that is scattered in
    a transaction of theirs.
    """

    def __init__(self, max_payload: int) -> None:
        if not 1 <= max_payload <= PAYLOAD_HARD_CAP:
            raise UsageError(f"The payload limit lies between 1 and {PAYLOAD_HARD_CAP:,} bytes, not {max_payload:,}.")
        self.max_payload = max_payload
        self.handlers: dict[str, Handler] = {}
        self.gathers: dict[str, Handler] = {}
        # Whatever this application scatters in this process is one share of a queue, unless it names others.
        self.share = secrets.token_hex(SHARE_BYTES)
        self.failure_hooks: list[Callable[[Failure], object]] = []
        self.resources: list[ProcessResource[Any]] = []

    def handler(
        self, kind: str, queue: str, max_attempts: int, timeout: float, backoff: Callable[[int], float] | None = None
    ) -> Callable[[F], F]:
        return _register_handler(self.handlers, kind, queue, max_attempts, timeout, Item, backoff)

    def close_resources(self) -> None:
        """Let go of what this process has made, the last first."""
        for made in reversed(self.resources):
            made.close()

    def gather(self, kind: str, max_attempts: int, timeout: float) -> Callable[[F], F]:
        register = _register_handler(self.gathers, kind, "default", max_attempts, timeout, Batch)
        if kind not in self.handlers:
            raise UsageError(
                f"There is no handler for kind {kind!r}, so there would be nothing to gather: register the handler "
                f"first. Known kinds: {self._known_kinds()}."
            )
        return register

    def _known_kinds(self) -> str:
        return ", ".join(sorted(self.handlers)) or "none"

    def request(
        self,
        kind: str,
        *,
        idempotency_key: str | None = None,
        queue: str | None = None,
        priority: int = 0,
        delay: float | timedelta = 0,
        max_attempts: int | None = None,
        timeout: float | None = None,
        share: str | None = None,
        max_items: int | None = None,
        parent_id: int | None = None,
    ) -> ScatterRequest:
        """The options of a scatter, checked; what is left out comes from the handler."""
        handler = self.handlers.get(checked_name("kind", kind))
        if handler is None:
            raise UnknownKind(f"There is no handler for kind {kind!r} in this app. Known kinds: {self._known_kinds()}.")
        return ScatterRequest(
            kind=kind,
            priority=checked_priority(priority),
            idempotency_key=checked_key(idempotency_key),
            queue=handler.queue if queue is None else checked_name("queue", queue),
            delay=checked_delay_of_error(delay),
            max_attempts=handler.max_attempts if max_attempts is None else checked_attempts(max_attempts),
            timeout_s=handler.timeout_s if timeout is None else checked_timeout_s(timeout),
            gathers=kind in self.gathers,
            parent_id=parent_id,
            share=self._share(share, parent_id),
            max_items=checked_max_items(max_items),
        )

    def _share(self, share: str | None, parent_id: int | None) -> str | None:
        if share is not None:
            return checked_text("share", share)
        return self.share if parent_id is None else None

    def encoded(self, payloads: Iterable[Any], kind: str | None = None) -> Iterator[bytes]:
        """Payloads as the lines they are stored as, each refused or encoded when it is drawn; by the types of the kind,
        if it is known here and has any."""
        if isinstance(payloads, str | bytes | dict) or not hasattr(payloads, "__iter__"):
            raise UsageError(
                f"Payloads must be a list or another iterable with one payload per item, "
                f"not a {type(payloads).__name__}. For a single item use submit()."
            )
        handler = self.handlers.get(kind) if kind is not None else None
        if handler is not None and (shape := handler.payloads) is not None:
            payloads = map(shape.checked, payloads)
        return (encode_payload(payload, max_bytes=self.max_payload) for payload in payloads)

    def offspring(
        self,
        kind: str | None,
        payloads: Iterable[Any],
        labels: Iterable[str] | None = None,
        *,
        parent_id: int | None = None,
        **options: Unpack[ScatterOptions],
    ) -> Offspring:
        """Work for `Item.scatter` and `Item.add`: checked now, scattered when the item settles. No kind adds to the
        item's own batch."""
        lines = list(self.encoded(payloads, kind))
        if not lines:
            raise EmptyBatch("An item cannot scatter or add nothing: the payloads were empty.")
        request = None if kind is None else self.request(kind, parent_id=parent_id, **options)
        return Offspring(request, lines, checked_labels(labels, len(lines)))


def _register_handler(
    functions: dict[str, Handler],
    kind: str,
    queue: str,
    max_attempts: int,
    timeout: float,
    argument: type,
    backoff: Callable[[int], float] | None = None,
) -> Callable[[F], F]:
    if backoff is not None and not callable(backoff):
        raise UsageError(f"backoff is a function from an attempt's number to seconds, not {backoff!r}.")
    checked = Handler(
        kind=checked_name("kind", kind),
        function=_no_registered_function,
        queue=checked_name("queue", queue),
        max_attempts=checked_attempts(max_attempts),
        timeout_s=checked_timeout_s(timeout),
        is_async=False,
        backoff=backoff,
    )
    if kind in functions:
        raise UsageError(f"Kind {kind!r} has a function already: {functions[kind].function.__qualname__}.")

    def register(function: F) -> F:
        _check_signature_to_register(kind, function)
        functions[kind] = replace(
            _registered_in_shape(checked, function, argument),
            registered=function,
            is_async=inspect.iscoroutinefunction(function),
        )
        return function

    return register


def _registered_in_shape(handler: Handler, function: Callable[..., Any], argument: type) -> Handler:
    """The handler with the types that its function's annotations name, if they name any."""
    taken, given = shapes_of_handler(handler.kind, function, argument)
    if argument is Batch:
        return replace(handler, function=function, payloads=taken)
    called = function if taken is None else with_payloads_in_shape(function, taken)
    return replace(handler, function=called, payloads=taken, returns=given)


def _check_signature_to_register(kind: str, function: Callable[..., Any]) -> None:
    """One argument, and a value to return: what is wrong with a function should be known before its first item."""
    name = getattr(function, "__qualname__", repr(function))
    if not callable(function):
        raise UsageError(f"The handler or gather of kind {kind!r} is a function, not {function!r}.")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(f"{name} yields, and what is stored is what a function returns: let it return a list.")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some functions that are written in C do not say
    try:
        signature.bind(None)
    except TypeError:
        raise UsageError(
            f"A handler is called with one argument, the item, and a gather with one, the batch; {name}{signature} "
            "cannot be called like that."
        ) from None


def _no_registered_function() -> None:
    """Stands in a handler until its decorator has the function."""
