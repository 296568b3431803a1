"""JSON at the edge: what may go into the database, checked and cleaned in one place.

A payload that PostgreSQL could not keep is refused at the scatter, where its
author can read why. A result may have cost money, so it is cleaned where that
loses nothing of value, and its handler does not run again for it.
"""

import math
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, ClassVar, Final
from uuid import UUID

import orjson

from ingather.engine.errors import PayloadRefused

# A cleaned result has this in place of a character that PostgreSQL cannot keep.
REPLACEMENT: Final = "\ufffd"
# The highest payload limit an application may set. Payloads travel with every claim, thousands at a time; larger ones
# would make a claim a transfer of hundreds of megabytes.
PAYLOAD_HARD_CAP: Final = 64 * 1024
# Bytes of a result. A result is written once and read in pages of a thousand; larger ones belong into a file store.
RESULT_CAP: Final = 1_000_000
# Bytes looked for in encoded JSON: both flaws, NUL and null, are written with a u.
U: Final = ord("u")
LINE_BREAK: Final = ord("\n")


ADVICE: Final = (
    "A handler returns dicts, lists, text, numbers, True, False or None, or what has one obvious form of these: "
    "dataclasses, pydantic models, enums, dates, UUIDs, Decimals, sets, bytes, paths"
)


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
            line = _encoded_on_one_line(line)
    except (TypeError, ValueError, RecursionError) as error:
        raise PayloadRefused(f"A payload must be JSON: {_reason_not_encoded(value, error)}.") from None
    if len(line) > max_bytes:
        raise PayloadRefused(
            f"A payload may take {max_bytes:,} bytes and this one takes {len(line):,}. "
            "Store the data elsewhere and scatter a reference to it (an id, a key, a path)."
        )
    if flaw := _flaw_in_json(value, line):
        raise PayloadRefused(f"A payload must not hold {flaw}: PostgreSQL cannot keep it.")
    return line


def encode_result(value: Any, *, max_bytes: int = RESULT_CAP) -> bytes:
    """One line of JSON, cleaned of what PostgreSQL cannot keep, or `BadResult`."""
    try:
        line = orjson.dumps(value, json_form)
        # A search for this one byte takes a quarter of the time of the search for flaws.
        if U in line and _flaw_in_json(value, line):
            line = orjson.dumps(_clean_json_value(value), json_form)
        if LINE_BREAK in line:
            line = _encoded_on_one_line(line)
    except (TypeError, ValueError, RecursionError) as first:
        try:
            line = _encoded_on_one_line(orjson.dumps(_clean_json_value(value), json_form))
        except (TypeError, ValueError, RecursionError):
            raise BadResult(f"the result is not JSON: {_reason_not_encoded(value, first)}. {ADVICE}") from None
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


def _encoded_on_one_line(line: bytes) -> bytes:
    """Without line breaks: a line that breaks would be read as two, and the second as a neighbour's. The encoder writes
    none, but lets through what was encoded elsewhere (`orjson.Fragment`)."""
    return orjson.dumps(orjson.loads(line))


def _reason_not_encoded(value: Any, error: Exception) -> str:
    text = str(error)
    if "surrogates" in text:
        return "it holds a lone surrogate, which is not text"
    if "recursion" in text.lower():
        return "it is nested too deeply, or holds itself"
    return f"{text[:1].lower()}{text[1:]}" if text else f"{type(value).__name__} cannot be written as JSON"


def _flaw_in_json(value: Any, line: bytes) -> str | None:
    """What the encoder lets through and the database refuses. The searches in the text come first, so that most values
    are spared the slow walk."""
    if b"\\u0000" in line and _holds_text_not_encodable(value, lambda leaf: isinstance(leaf, str) and "\0" in leaf):
        return "a NUL character"
    # The encoder writes NaN and Infinity as null.
    if b"null" in line and _holds_text_not_encodable(
        value, lambda leaf: isinstance(leaf, float) and not math.isfinite(leaf)
    ):
        return "NaN or Infinity"
    return None


def json_form(value: Any) -> Any:
    """The plain value that stands for a type which JSON has not, where there is one that everybody would choose.

    The encoder asks here only for types that it does not know itself.
    """
    if callable(dump := getattr(type(value), "model_dump", None)):
        return dump(value)  # a pydantic model
    if isinstance(value, Decimal):
        return str(value)  # as a number it would lose digits
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    if isinstance(value, set | frozenset):
        return _encoded_set_in_order(value)
    if isinstance(value, tuple | deque | range):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PurePath):
        return str(value)
    if callable(to_list := getattr(type(value), "tolist", None)):
        return to_list(value)  # a number or an array of NumPy
    raise TypeError(f"there is no obvious JSON for {type(value).__name__}")


def _encoded_set_in_order(values: Iterable[Any]) -> list[Any]:
    """The same set gives the same list, where its members can be compared."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _plain_value_to_encode(value: Any) -> Any:
    """The plain value that the encoder writes for a richer type."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float | dict | list | tuple):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value) if not field.name.startswith("_")}
    if isinstance(value, orjson.Fragment | date | time | UUID):
        return value  # the encoder knows these
    try:
        return json_form(value)
    except TypeError:
        return value


def _holds_text_not_encodable(value: Any, is_bad: Any) -> bool:
    value = _plain_value_to_encode(value)
    if isinstance(value, dict):
        return any(is_bad(key) or _holds_text_not_encodable(inner, is_bad) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return any(_holds_text_not_encodable(inner, is_bad) for inner in value)
    return bool(is_bad(value))


def _clean_json_value(value: Any) -> Any:
    value = _plain_value_to_encode(value)
    if isinstance(value, str):
        return value.replace("\0", REPLACEMENT).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else _encoded_digits_of_int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_clean_key(key): _clean_json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json_value(inner) for inner in value]
    return value


def _clean_key(key: Any) -> Any:
    """Keys are text in JSON. Numbers and the like become it as in Python's own encoder."""
    if isinstance(key, bool | int | float) or key is None:
        return orjson.dumps(_clean_json_value(key)).decode().strip('"')
    return _clean_json_value(key)


def _encoded_digits_of_int(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # beyond Python's limit for printing integers
        return hex(value)
