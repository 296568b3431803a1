"""JSON at the edge: what may go into the database, checked and cleaned in one place.

A payload that PostgreSQL could not keep is refused while its author is still
there to read why. A result is the fruit of work that may have been paid for,
so it is cleaned where that loses nothing but garbage, and never retried.
"""

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, ClassVar

import orjson

from ingather.engine.errors import PayloadRefused

REPLACEMENT = "\ufffd"
PAYLOAD_HARD_CAP = 64 * 1024
RESULT_CAP = 1_000_000
U = ord("u")
LINE_BREAK = ord("\n")


class Unstorable(Exception):
    """Data that cannot pass between handlers and the database. Permanent: running the handler again would not help."""

    reason: ClassVar[str]


class BadResult(Unstorable):
    reason = "bad_result"


class BadPayload(Unstorable):
    reason = "bad_payload"


def encode_payload(value: Any, *, max_bytes: int) -> bytes:
    """One line of JSON, or `PayloadRefused` with the reason."""
    try:
        line = orjson.dumps(value)
        if LINE_BREAK in line:
            line = _one_line(line)
    except (TypeError, ValueError, RecursionError) as error:
        raise PayloadRefused(f"A payload must be JSON: {_reason(value, error)}.") from None
    if len(line) > max_bytes:
        raise PayloadRefused(
            f"A payload may take {max_bytes:,} bytes and this one takes {len(line):,}. "
            "Store the data elsewhere and scatter a reference to it (an id, a key, a path)."
        )
    if flaw := _flaw(value, line):
        raise PayloadRefused(f"A payload must not hold {flaw}: PostgreSQL cannot keep it.")
    return line


def encode_result(value: Any, *, max_bytes: int = RESULT_CAP) -> bytes:
    """One line of JSON, cleaned of what PostgreSQL cannot keep, or `BadResult`."""
    try:
        line = orjson.dumps(value)
        # Both flaws are written with a u, and looking for one byte takes a quarter of the time.
        if U in line and _flaw(value, line):
            line = orjson.dumps(_clean(value))
        if LINE_BREAK in line:
            line = _one_line(line)
    except (TypeError, ValueError, RecursionError) as first:
        try:
            line = _one_line(orjson.dumps(_clean(value)))
        except (TypeError, ValueError, RecursionError):
            raise BadResult(f"the result is not JSON: {_reason(value, first)}") from None
    if len(line) > max_bytes:
        raise BadResult(f"the result takes {len(line):,} bytes and {max_bytes:,} are allowed: store a reference to it")
    return line


def decode(line: str | bytes) -> Any:
    return orjson.loads(line)


def decode_payload(line: str | None) -> Any:
    """What a handler is given. Payloads may also come from SQL by hand, with numbers no program can hold."""
    if line is None:
        raise BadPayload("the payload is gone from the database")
    try:
        return orjson.loads(line)
    except ValueError:
        raise BadPayload("the stored payload cannot be read as JSON") from None


def _one_line(line: bytes) -> bytes:
    """The encoder writes none, but lets through what was encoded elsewhere (`orjson.Fragment`): a line that breaks
    would be taken for two, and the second for a neighbour's."""
    return orjson.dumps(orjson.loads(line))


def _reason(value: Any, error: Exception) -> str:
    text = str(error)
    if "surrogates" in text:
        return "it holds a lone surrogate, which is not text"
    if "recursion" in text.lower():
        return "it is nested too deeply, or holds itself"
    return f"{text[:1].lower()}{text[1:]}" if text else f"{type(value).__name__} cannot be written as JSON"


def _flaw(value: Any, line: bytes) -> str | None:
    """What the encoder let through and the database would not. The searches keep honest values off the slow walk."""
    if b"\\u0000" in line and _holds(value, lambda leaf: isinstance(leaf, str) and "\0" in leaf):
        return "a NUL character"
    # The encoder writes NaN and Infinity as null.
    if b"null" in line and _holds(value, lambda leaf: isinstance(leaf, float) and not math.isfinite(leaf)):
        return "NaN or Infinity"
    return None


def _plain(value: Any) -> Any:
    """What the encoder makes of richer types before it writes them."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value) if not field.name.startswith("_")}
    return value


def _holds(value: Any, is_bad: Any) -> bool:
    value = _plain(value)
    if isinstance(value, dict):
        return any(is_bad(key) or _holds(inner, is_bad) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return any(_holds(inner, is_bad) for inner in value)
    return bool(is_bad(value))


def _clean(value: Any) -> Any:
    value = _plain(value)
    if isinstance(value, str):
        return value.replace("\0", REPLACEMENT).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else _digits(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_clean(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # beyond Python's limit for printing integers
        return hex(value)
