"""The one error of the embedded database, and how the system's errors become sentences."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path


class EmbeddedError(Exception):
    """Why there is no database, and what to do about it."""


# Fragments of PostgreSQL's log, each with advice. The lines of the log follow in any case.
ADVICE = {
    "No space left on device": "the disk is full: free some space and start again",
    "Disk quota exceeded": "the disk quota is used up: free some space and start again",
    "pre-existing shared memory block": "another server is still using this folder: wait until it has ended",
    "Cannot allocate memory": "there is not enough memory: free some, or give a smaller `shared_buffers`",
    "could not look up effective user ID": "this user has no name in /etc/passwd: add one, or run as another user",
    "unrecognized configuration parameter": "a setting is unknown to this PostgreSQL: check the settings given",
    "invalid value for parameter": "a setting has a bad value: check the settings given",
}


def from_log(sentence: str, log: Path, offset: int = 0) -> EmbeddedError:
    """What the log says since `offset`, headed by a sentence."""
    text = read_tail(log, offset)
    reason = next((f": {advice}" for fragment, advice in ADVICE.items() if fragment in text), "")
    excerpt = f"\n\nThe last lines of {log}:\n{text}" if text else f"; {log} says nothing more"
    return EmbeddedError(f"{sentence}{reason}.{excerpt}")


def read_tail(log: Path, offset: int = 0, lines: int = 12) -> str:
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(offset, size - 8_192))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


@contextlib.contextmanager
def in_sentences(home: Path) -> Iterator[None]:
    """Turns what the operating system refuses below `home` into an EmbeddedError."""
    try:
        yield
    except OSError as refused:
        place = refused.filename or home
        match refused.errno:
            case errno.ENOSPC | errno.EDQUOT:
                sentence = f"The disk of {home} is full: free some space and start again."
            case errno.EACCES | errno.EPERM | errno.EROFS:
                sentence = f"{place} is closed to this user ({refused.strerror}): choose another INGATHER_HOME."
            case errno.ENOTDIR | errno.EEXIST:
                sentence = (
                    f"{place} cannot be made, something that is not a folder is in the way: move that, "
                    "or choose another INGATHER_HOME."
                )
            case _:
                sentence = f"{place}: {refused.strerror or refused}. Put it right, or choose another INGATHER_HOME."
        raise EmbeddedError(sentence) from refused
