"""What callers may pass: each check returns the value as the engine keeps it, or raises a sentence.

Types are only hints. A caller's number may come from a form or a file, so every
check also holds for values of another type.
"""

from collections.abc import Iterable
from datetime import timedelta
from math import ceil
from types import EllipsisType
from typing import Final

from ingather.engine.errors import UsageError
from ingather.names import LARGEST_ID, NAME

# Slots of a worker. They share one event loop and one connection, so more of them gain nothing; run several workers.
MAX_CONCURRENCY: Final = 10_000
# An item that failed a hundred times fails for good. A number without an end would hide the failure for ever.
MAX_ATTEMPTS: Final = 100
# A timeout is at most a day. A handler that hangs keeps its slot and its item for that long.
MAX_TIMEOUT_S: Final = 86_400
# Priorities go from -100 to 100, like the CHECK of the table. People cannot keep more steps apart.
MAX_PRIORITY: Final = 100
# Batches in one page, which is one statement and one list in memory. Larger ones are read page by page.
MAX_PAGE: Final = 10_000
# Characters of an idempotency key, a label, a share. Each stands in an index, whose entries may take a third of a page,
# 2,704 bytes.
MAX_KEY_LENGTH: Final = 255
# The highest `max_running`, and the most items of a rate. A higher limit limits nothing: no fleet runs so many at once.
MAX_LIMIT: Final = 1_000_000
# The window of a rate. Below a second, a claim's own duration would decide; above a day, the rows of a window pile up.
MIN_WINDOW: Final = timedelta(seconds=1)
MAX_WINDOW: Final = timedelta(days=1)
# A lease in seconds. Below one, a pause of the network looks like a death; above an hour, lost work waits for too long.
MIN_LEASE_S: Final = 1
MAX_LEASE_S: Final = 3_600


def is_whole_argument(number: object, least: int, most: int) -> bool:
    """Whether it is a whole number in that range. True and False are not."""
    return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most


def checked_name(what: str, name: str) -> str:
    if not NAME.fullmatch(str(name)):
        raise UsageError(
            f"A {what} is named with lower-case letters, digits and underscores, a letter first, "
            f"63 characters at most; {str(name)[:80]!r} is not."
        )
    return name


def checked_attempts(number: int) -> int:
    if not is_whole_argument(number, 1, MAX_ATTEMPTS):
        raise UsageError(f"max_attempts lies between 1 and {MAX_ATTEMPTS}, not {number!r}.")
    return number


def checked_timeout_s(seconds: float) -> int:
    """Whole seconds, rounded up: a handler may get a little more time than its author asked for, never less."""
    try:
        whole = ceil(seconds)
    except (TypeError, ValueError, OverflowError):
        whole = 0
    if not is_whole_argument(whole, 1, MAX_TIMEOUT_S):
        raise UsageError(f"A timeout lies between 1 s and {MAX_TIMEOUT_S:,} s (24 h), not {seconds!r}.")
    return whole


def checked_priority(priority: int) -> int:
    if not is_whole_argument(priority, -MAX_PRIORITY, MAX_PRIORITY):
        raise UsageError(f"A priority is a whole number from -{MAX_PRIORITY} to {MAX_PRIORITY}, not {priority!r}.")
    return priority


def checked_key(key: object) -> str | None:
    """An idempotency key; None is none."""
    return None if key is None else checked_text("idempotency key", key)


def checked_text(what: str, text: object) -> str:
    if not (isinstance(text, str) and 0 < len(text) <= MAX_KEY_LENGTH and text.isprintable()):
        article = "An" if what[0] in "aeiou" else "A"
        raise UsageError(f"{article} {what} is 1 to {MAX_KEY_LENGTH} printable characters.")
    return text


def checked_labels(labels: Iterable[str] | None, items: int) -> list[str] | None:
    """A label for each item; None is none."""
    if labels is None:
        return None
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise UsageError(f"labels is a list with one text for each payload, not a {type(labels).__name__}.")
    checked = [checked_text("label", label) for label in labels]
    if len(checked) != items:
        raise UsageError(f"Every payload needs a label of its own: there are {len(checked):,} for {items:,} payloads.")
    return checked


def checked_max_items(number: int | None) -> int | None:
    if number is not None and not is_whole_argument(number, 1, LARGEST_ID):
        raise UsageError(f"max_items is a whole number from 1 on, not {number!r}.")
    return number


def checked_keep(keep: object) -> timedelta:
    """For how long closed batches are kept."""
    if not isinstance(keep, timedelta) or keep < timedelta(0):
        raise UsageError(f"keep is a timedelta of 0 or more, such as timedelta(days=30), not {keep!r}.")
    return keep


def checked_lease(seconds: float) -> timedelta:
    if not MIN_LEASE_S <= seconds <= MAX_LEASE_S:
        raise UsageError(f"A lease lasts from {MIN_LEASE_S} s to {MAX_LEASE_S:,} s, not {seconds:g} s.")
    return timedelta(seconds=seconds)


def checked_child_limit(what: str, number: int | None) -> int:
    """How many items, or megabytes, a child process may have; None is no limit, which is 0 from here on."""
    if number is None:
        return 0
    if not is_whole_argument(number, 1, MAX_LIMIT):
        raise UsageError(f"child_{what} is a whole number from 1 to {MAX_LIMIT:,}, not {number!r}.")
    return number


def checked_concurrency(concurrency: int) -> int:
    if not is_whole_argument(concurrency, 1, MAX_CONCURRENCY):
        raise UsageError(f"A worker runs 1 to {MAX_CONCURRENCY:,} items at once, not {concurrency!r}.")
    return concurrency


def check_listing_arguments(state: str | None, limit: int) -> None:
    if state not in (None, "open", "closed"):
        raise UsageError(f"A batch is 'open' or 'closed', not {state!r}.")
    if not is_whole_argument(limit, 1, MAX_PAGE):
        raise UsageError(f"A page holds 1 to {MAX_PAGE:,} batches, not {limit!r}.")


def check_limit_arguments(
    max_running: int | EllipsisType | None, rate: tuple[int, timedelta] | EllipsisType | None
) -> None:
    if max_running not in (None, ...) and not is_whole_argument(max_running, 1, MAX_LIMIT):
        raise UsageError(
            f"max_running is a whole number from 1 to {MAX_LIMIT:,}, not {max_running!r}. To stop a queue, pause it."
        )
    if rate not in (None, ...) and not _is_rate_argument(rate):
        raise UsageError(
            f"A rate is a pair such as (60, timedelta(minutes=1)): 1 to {MAX_LIMIT:,} items in 1 second to 1 day."
        )


def _is_rate_argument(rate: object) -> bool:
    match rate:
        case (items, timedelta() as window):
            return is_whole_argument(items, 1, MAX_LIMIT) and MIN_WINDOW <= window <= MAX_WINDOW
    return False
