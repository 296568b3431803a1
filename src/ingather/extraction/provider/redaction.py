"""Takes keys out of any text that could reach a log, a row or an export.

By pattern, and by value: every key made in this process is known here, so it
is found also where it does not look like one.
"""

import logging
import re
from collections.abc import Iterable
from urllib.parse import quote

REMOVED = "[key removed]"
# A shorter "key" is a placeholder for a local server, such as `ollama`; taking it out would maim ordinary words.
SHORTEST_SECRET = 8

_PATTERNS = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+[^\s\"',;]{6,}"),
    re.compile(r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|glpat|nvapi)[-_](?=[A-Za-z_.-]*[0-9*])[A-Za-z0-9_*.-]{8,}"),
    re.compile(r"\b(?:AIza[0-9A-Za-z_-]{20,}|AKIA[0-9A-Z]{12,})"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"),
    re.compile(r"(?i)(?:api[-_ ]?key|token|secret|password|authorization)[\"']?\s*[:=]\s*[\"']?[A-Za-z0-9_*.+/-]{8,}"),
)
_known: set[str] = set()


def remember(secret: str) -> None:
    """From now on this value is taken out of whatever passes through here."""
    if len(secret) >= SHORTEST_SECRET:
        _known.add(secret)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the given secrets, without those known to this process, and without what looks like a key."""
    values = _known.union(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
    # The longest first: one key may begin with another.
    for value in sorted(values, key=len, reverse=True):
        for spelling in {value, quote(value, safe="")}:
            text = text.replace(spelling, REMOVED)
    for pattern in _PATTERNS:
        text = pattern.sub(REMOVED, text)
    return text


class RedactLogs(logging.Filter):
    """For a logger or a handler: what passes has its message and its traceback redacted."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info is not None and record.exc_info[0] is not None:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


_transport_filter = RedactLogs()


def guard_transport_logs() -> None:
    """Redact what the HTTP libraries log. A filter holds for one logger alone, so each is named."""
    for name in ("openai", "openai._base_client", "openai._legacy_response", "openai._response", "httpx2", "httpx"):
        logging.getLogger(name).addFilter(_transport_filter)
    for package in ("httpcore2", "httpcore"):
        for part in ("connection", "http11", "http2", "proxy", "socks"):
            logging.getLogger(f"{package}.{part}").addFilter(_transport_filter)
