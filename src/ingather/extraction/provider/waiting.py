"""How long a provider asks us to wait, from its headers and its message. Pure."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# A day, since daily limits exist. Longer waits are taken for a mistake of the provider.
LONGEST_BELIEVED_S = 86_400.0
# Such a wait becomes this one: one call an hour costs nothing and notices when the mistake is over.
INSTEAD_OF_ABSURD_S = 3_600.0
# A larger number of seconds is a point in time since 1970 (this one is in 2001), and not a duration.
_EPOCH_FROM = 1_000_000_000.0

_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_IN_MESSAGE = re.compile(r"(?i)(?:try again|retry|wait)\D{0,20}?((?:\d+(?:\.\d+)?(?:ms|s|m|h)){1,4})\b")


def retry_after_s(headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Seconds to wait, or None if nothing usable is given.

    Up to a day is believed, since daily limits exist. Longer is taken for a
    mistake of the provider and becomes an hour: one call an hour hurts nobody.
    """
    found = _named_wait(headers, now)
    if found is None and (spelled := _IN_MESSAGE.search(message)):
        found = _duration(spelled[1])
    if found is None or math.isnan(found) or found < 0:
        return None
    return found if found <= LONGEST_BELIEVED_S else INSTEAD_OF_ABSURD_S


def _named_wait(headers: Mapping[str, str], now: float) -> float | None:
    milliseconds = _number_of_wait(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after", "").strip()
    if (seconds := _number_of_wait(named)) is not None:
        # Some send the moment as seconds since 1970.
        return max(0.0, seconds - now) if seconds >= _EPOCH_FROM else seconds
    if (moment := _moment_of_wait(named)) is not None:
        # Their own clock, where they tell it: ours may be off.
        theirs = _moment_of_wait(headers.get("date", ""))
        return max(0.0, moment - (now if theirs is None else theirs))
    used_up = [
        _duration(headers.get(f"x-ratelimit-reset-{what}", ""))
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}", "").strip() == "0"
    ]
    return max((wait for wait in used_up if wait is not None), default=None)


def _number_of_wait(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,15}(\.\d{1,9})?\s*", text) else None


def _moment_of_wait(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def now_s() -> float:
    return datetime.now(UTC).timestamp()


def _duration(text: str) -> float | None:
    """`6m0s`, `1.5s`, `200ms`, as OpenAI and Groq write them; a bare number is seconds."""
    text = text.strip()
    if re.fullmatch(rf"(?:{_DURATION.pattern})+", text):
        return sum(float(number) * _UNIT_S[unit] for number, unit in _DURATION.findall(text))
    return _number_of_wait(text)
