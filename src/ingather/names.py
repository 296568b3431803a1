"""Ids and names from outside: what every room takes for one, in one place."""

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


def visible(text: str) -> str:
    """One line of the characters that people can see. It may be empty."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    composed = unicodedata.normalize("NFC", whole)
    seen = (char for char in composed if char in _JOINERS or unicodedata.category(char) not in _UNSEEN)
    return " ".join("".join(seen).split())
