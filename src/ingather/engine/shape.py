"""Shapes: the types that a handler's annotations name, between JSON in the database and objects in Python.

`Item[Order]` as the handler's argument is the shape of its payloads, what it
returns that of its results. Handlers whose annotations name none are called as
they are and pay nothing. pydantic does the work, for its models, dataclasses
and TypedDicts alike; it is imported when the first shape is found.
"""

import functools
import inspect
import typing
from collections.abc import Callable
from types import NoneType
from typing import Any, Final

from ingather.engine.codec import BadPayload
from ingather.engine.errors import PayloadRefused, UsageError

# Characters of what pydantic says about one value. It is stored with the item; longer ones list every field.
LONGEST_REASON: Final = 500


class Shape:
    """One type, and how its values are read and written."""

    def __init__(self, kind: str, wanted: Any) -> None:
        try:
            from pydantic import PydanticUserError, TypeAdapter  # noqa: PLC0415  # who uses no types needs no pydantic
        except ImportError:
            raise UsageError(
                f"The handler of kind {kind!r} names the type {_name_of_type(wanted)}, which pydantic checks: "
                "`pip install ingather[typed]`, or leave the type out."
            ) from None
        try:
            self._adapter: TypeAdapter[Any] = TypeAdapter(wanted)
        except (PydanticUserError, NameError) as error:
            first = str(error).splitlines()[0]
            raise UsageError(
                f"The handler of kind {kind!r} names the type {_name_of_type(wanted)}, which cannot be read from JSON: "
                f"{first}"
            ) from None
        self.name = _name_of_type(wanted)

    def read(self, value: Any) -> Any:
        """What the database gives back, as an object."""
        try:
            return self._adapter.validate_python(value)
        except ValueError as error:
            raise BadPayload(f"the payload is no {self.name}: {_reason_of_shape(error)}") from None

    def result(self, value: Any) -> Any:
        """A stored result as an object. One of an older version of the code stays what JSON makes of it."""
        try:
            return self._adapter.validate_python(value)
        except ValueError:
            return value

    def checked(self, value: Any) -> Any:
        """A payload on its way into the database: refused, or as plain JSON."""
        try:
            return self._adapter.dump_python(self._adapter.validate_python(value), mode="json")
        except ValueError as error:
            raise PayloadRefused(f"A payload must be a {self.name}: {_reason_of_shape(error)}.") from None


def shapes_of_handler(kind: str, function: Callable[..., Any], argument: type) -> tuple[Shape | None, Any]:
    """The shape within a function's `argument`, an `Item` or a `Batch`, and the type that it returns."""
    hints = _hints_of_function(kind, function, argument.__name__)
    parameters = list(inspect.signature(function).parameters)
    taken = hints.get(parameters[0]) if parameters else None
    inner = typing.get_args(taken)[0] if typing.get_origin(taken) is argument else Any
    return shape_of_type(kind, inner), hints.get("return", Any)


def with_payloads_in_shape(function: Callable[..., Any], shape: Shape) -> Callable[..., Any]:
    """The handler, given payloads as objects. A payload that is none ends its item as `bad_payload`."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def acall(item: Any) -> Any:
            item.payload = shape.read(item.payload)
            return await function(item)

        return acall

    @functools.wraps(function)
    def call(item: Any) -> Any:
        item.payload = shape.read(item.payload)
        return function(item)

    return call


def _hints_of_function(kind: str, function: Callable[..., Any], argument: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception as error:  # noqa: BLE001  # annotations may hold any expression
        written = list(getattr(function, "__annotations__", {}).values())
        # Annotations that name no shape of ours need not be readable: many stand under TYPE_CHECKING alone.
        if not any(isinstance(hint, str) and f"{argument}[" in hint for hint in written):
            return {}
        raise UsageError(
            f"The annotations of {function.__qualname__}, the handler or gather of kind {kind!r}, cannot be read "
            f"({error}): the types that they name must be importable where the function stands."
        ) from None


def shape_of_type(kind: str, wanted: Any) -> Shape | None:
    """None where there is nothing to do: no type, or what JSON gives back by itself."""
    return None if _is_plain_json(wanted) else Shape(kind, wanted)


def _is_plain_json(wanted: Any) -> bool:
    if wanted in (Any, object, None, NoneType, str, int, float, bool, dict, list) or isinstance(wanted, typing.TypeVar):
        return True
    if typing.get_origin(wanted) in (dict, list, typing.Union, type(int | None)):
        return all(map(_is_plain_json, typing.get_args(wanted)))
    return False


def _name_of_type(wanted: Any) -> str:
    return str(getattr(wanted, "__name__", wanted))


def _reason_of_shape(error: ValueError) -> str:
    """The first thing that is wrong, without the value, which may be private."""
    details = getattr(error, "errors", None)
    if not callable(details):
        return str(error)[:LONGEST_REASON]
    first = details(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}"[:LONGEST_REASON] if place else str(first["msg"])[:LONGEST_REASON]
