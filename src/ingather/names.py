"""Ids, names and texts from outside: what every room takes for one, in one place."""

import re
import unicodedata
from typing import Final

# Kinds, queues, schedules, templates, fields. 63 characters is what PostgreSQL itself allows a name; without capitals
# and spaces a name needs no quotes in a shell, an address or a log line.
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
# The largest number that a bigint of PostgreSQL can hold, and so the largest id.
LARGEST_ID: Final = 2**63 - 1

# These two join letters in several scripts and are part of the spelling.
_JOINERS: Final = "\u200c\u200d"
# Format characters reverse a text (U+202E shows "fdp.exe" as "exe.pdf") or hide in it; the others have no shape, or
# another on every machine.
_UNSEEN: Final = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def is_id(value: object) -> bool:
    """Whether a statement can take it as an id. Types are only hints: it may come from an address, a form or a file."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_ID


def visible(text: str) -> str:
    """One line of the characters that people can see. It may be empty."""
    return " ".join(visible_lines(text).split())


def visible_lines(text: str) -> str:
    """The characters that people can see, with line breaks and tabs as they stand. Half a character is left out."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return "".join(char for char in unicodedata.normalize("NFC", whole) if _is_seen(char) or char in "\n\t").strip()


def is_visible(text: str, *, may_have_lines: bool = False) -> bool:
    """Whether people can see every character of a text, which may have line breaks where that is said."""
    return all(_is_seen(char) or (may_have_lines and char == "\n") for char in text)


def _is_seen(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) not in _UNSEEN
