"""Names as people may see them. A name never becomes a path, a header or markup, whatever it holds."""

import re

from ingather.engine.errors import UsageError
from ingather.names import visible
from ingather.notice import notice

# Common file systems take 255 bytes for a name: a longer one could not be saved under it.
MAX_FILE_NAME_BYTES = 255
# A name that fits on a line of the screen. The web has the same limit.
MAX_NAME = 200
UNNAMED = "unnamed.pdf"

_EXTENSION = re.compile(r"\.[^.\s]{1,15}$")


def clean_file_name(name: str) -> str:
    """A file's name for display: one line of visible characters, without folders, 255 bytes at most, never empty."""
    # A file may be named with half a character, which is shown as one that was lost; a line break in a name is none.
    whole = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    parts = [part.strip() for part in re.split(r"[/\\]", visible(re.sub(r"[\r\n\t]", "", whole)))]
    last = next((part for part in reversed(parts) if part.strip(". ")), "")
    if not last:
        return UNNAMED
    found = _EXTENSION.search(last)
    extension = found[0] if found and found.start() else ""
    stem = last.removesuffix(extension) if extension else last
    room = MAX_FILE_NAME_BYTES - len(extension.encode())
    # Cutting may split a character of several bytes: its rest is dropped.
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip() + extension


def clean_name(name: str) -> str:
    """The name of a knowledge base, or `UsageError`."""
    cleaned = visible(name)
    if not 1 <= len(cleaned) <= MAX_NAME:
        raise UsageError(
            notice(
                "library.knowledge_base_name_1_characters",
                "A knowledge base has a name of 1 to {most} characters; this one has {count}.",
                most=MAX_NAME,
                count=f"{len(cleaned):,}",
            )
        )
    return cleaned
