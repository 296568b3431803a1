"""Parts of files: one plain range is served. Several, malformed ones and other units are ignored (RFC 9110)."""

import re

from starlette.datastructures import Headers
from starlette.types import Scope

_PLAIN = re.compile(r"bytes=(?:(?P<first>\d{1,19})-(?P<last>\d{0,19})|-(?P<suffix>\d{1,19}))", re.ASCII)


def without_ranges(scope: Scope) -> Scope:
    """The same request, for the whole file."""
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"range"]}


def plain_range(scope: Scope) -> re.Match[str] | None:
    """The requested range, if the request names exactly one and it is well-formed."""
    ranges = Headers(scope=scope).getlist("range")
    found = _PLAIN.fullmatch(ranges[0]) if len(ranges) == 1 else None
    is_backwards = found is not None and found["last"] and int(found["last"]) < int(found["first"])
    return None if is_backwards else found


def is_range_beyond(found: re.Match[str], size: int) -> bool:
    """Whether a file of that size has nothing in the range."""
    return size == 0 or (int(found["suffix"]) == 0 if found["suffix"] else int(found["first"]) >= size)
