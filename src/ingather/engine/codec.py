"""JSON at the edge: what may go into the database, checked and cleaned in one place.

A payload that PostgreSQL could not keep is refused at the scatter, where its
author can read why. A result may have cost money, so it is cleaned where that
loses nothing of value, and its handler does not run again for it.
"""

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, ClassVar, Final

import orjson

from ingather.engine.errors import PayloadRefused

# What stands in a cleaned result for a character that PostgreSQL cannot keep.
REPLACEMENT: Final = "\ufffd"
# The highest payload limit an application may set. Payloads travel with every claim, thousands at a time; larger ones
# would make a claim a transfer of hundreds of megabytes.
PAYLOAD_HARD_CAP: Final = 64 * 1024
# Bytes of a result. A result is written once and read in pages of a thousand; larger ones belong into a file store.
RESULT_CAP: Final = 1_000_000
# Bytes looked for in encoded JSON: both flaws, NUL and null, are written with a u.
U: Final = ord("u")
LINE_BREAK: Final = ord("\n")


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
        # Looking for one byte first takes a quarter of the time.
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
    """The payload a handler gets. One that was written by SQL by hand may hold numbers that no program can."""
    if line is None:
        raise BadPayload("the payload is gone from the database")
    try:
        return orjson.loads(line)
    except ValueError:
        raise BadPayload("the stored payload cannot be read as JSON") from None


def _one_line(line: bytes) -> bytes:
    """Without line breaks: a line that breaks would be read as two, and the second as a neighbour's. The encoder writes
    none, but lets through what was encoded elsewhere (`orjson.Fragment`)."""
    return orjson.dumps(orjson.loads(line))


def _reason(value: Any, error: Exception) -> str:
    text = str(error)
    if "surrogates" in text:
        return "it holds a lone surrogate, which is not text"
    if "recursion" in text.lower():
        return "it is nested too deeply, or holds itself"
    return f"{text[:1].lower()}{text[1:]}" if text else f"{type(value).__name__} cannot be written as JSON"


def _flaw(value: Any, line: bytes) -> str | None:
    """What the encoder lets through and the database refuses. The searches in the text come first, so that most values
    are spared the slow walk."""
    if b"\\u0000" in line and _holds(value, lambda leaf: isinstance(leaf, str) and "\0" in leaf):
        return "a NUL character"
    # The encoder writes NaN and Infinity as null.
    if b"null" in line and _holds(value, lambda leaf: isinstance(leaf, float) and not math.isfinite(leaf)):
        return "NaN or Infinity"
    return None


def _plain(value: Any) -> Any:
    """The plain value that the encoder writes for a richer type."""
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
