"""What a refusal teaches about how an endpoint wants to be asked. Pure."""

import re
from dataclasses import replace

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.wire import ChatRequest, Habits, rung_of

_ABOUT_FORMAT = re.compile(
    r"(?i)response_?format|json_?schema|json_?object|json mode|structured|tool|function|requested parameters|schema"
)


def is_about_format(message: str) -> bool:
    """Whether a refusal is about the way JSON was asked for, and not about the question."""
    return _ABOUT_FORMAT.search(message) is not None


def learn(error: ModelError, message: str, request: ChatRequest, habits: Habits) -> Habits | None:
    """What to change after a refusal, or None where the refusal is not about how we ask. Pure."""
    if error.kind is not ErrorKind.BAD_REQUEST:
        return None
    if "max_completion_tokens" in message and habits.limit_name == "max_tokens":
        return replace(habits, limit_name="max_completion_tokens")
    if "temperature" in message.lower() and habits.takes_temperature:
        return replace(habits, takes_temperature=False)
    below = rung_of(request, habits).below
    if request.schema is not None and request.rung is None and below is not None and is_about_format(message):
        return replace(habits, rung=below)
    return None
