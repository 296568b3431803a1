"""What a refusal teaches about how an endpoint wants to be asked. Pure."""

import re
from dataclasses import replace

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.wire import ChatReply, ChatRequest, Habits, rung_of

_ABOUT_FORMAT = re.compile(
    r"(?i)response_?format|json_?schema|json_?object|json mode|structured|tool|function|requested parameters|schema"
)

_ABOUT_STREAMING = re.compile(r"(?i)\bstream(ing)?\b")
# Gemini builds a machine of all that a schema allows, and bounds on lists make it too large.
_ABOUT_LIST_LIMITS = re.compile(r"(?i)max_?items|too many states")
# How servers name their context when a request exceeds it: Mistral, vLLM and OpenAI, llama.cpp, others.
_CONTEXT = (
    re.compile(r"(?i)model with ([0-9][0-9,]{2,9}) maximum context"),
    re.compile(r"(?i)(?:maximum )?context (?:length|window|size)[^0-9]{0,40}?([0-9][0-9,]{2,9})"),
    re.compile(r"(?i)\bn_ctx\b[^0-9]{0,8}([0-9][0-9,]{2,9})"),
    re.compile(r"(?i)max_model_len[^0-9]{0,12}([0-9][0-9,]{2,9})"),
)
# A context below this has no room for a question; a number below it is something else, such as a count of messages.
SMALLEST_CONTEXT = 512

# With fewer estimated tokens, the marks between messages say more than the tokenizer.
LEAST_ESTIMATED = 200
# No tokenizer makes more of a text that we can read; a larger count is a mistake of the server.
LARGEST_MARGIN = 3.0


def is_about_format(message: str) -> bool:
    """Whether a refusal is about the way JSON was asked for, and not about the question."""
    return _ABOUT_FORMAT.search(message) is not None


def learn(error: ModelError, message: str, request: ChatRequest, habits: Habits) -> Habits | None:
    """What to change after a refusal, or None where the refusal is not about how we ask. Pure."""
    if error.kind is ErrorKind.TOO_LONG:
        return _learned_context(message, habits)
    if error.kind is not ErrorKind.BAD_REQUEST:
        return None
    if habits.takes_stream_options and "stream_options" in message:
        return replace(habits, takes_stream_options=False)
    if habits.streams and request.pace is not None and _ABOUT_STREAMING.search(message):
        return replace(habits, streams=False)
    if habits.takes_list_limits and _ABOUT_LIST_LIMITS.search(message):
        return replace(habits, takes_list_limits=False)
    if "enable_thinking" in message and not habits.more:
        # Qwen's models that think take no JSON mode unless they are kept from it.
        return replace(habits, more=(("enable_thinking", False),))
    if "max_completion_tokens" in message and habits.limit_name == "max_tokens":
        return replace(habits, limit_name="max_completion_tokens")
    if "temperature" in message.lower() and habits.takes_temperature:
        return replace(habits, takes_temperature=False)
    below = rung_of(request, habits).below
    if request.schema is not None and request.rung is None and below is not None and is_about_format(message):
        return replace(habits, rung=below)
    return None


def after_reply(habits: Habits, reply: ChatReply, estimated: int) -> Habits:
    """What an answer teaches: that the model thinks first, and how many tokens its tokenizer makes of a text."""
    thinks = habits.thinks or reply.usage.reasoning > 0 or reply.text.lstrip().startswith("<think")
    seen = reply.usage.prompt / estimated if estimated >= LEAST_ESTIMATED else 0.0
    return replace(habits, thinks=thinks, margin=max(habits.margin, min(seen, LARGEST_MARGIN)))


def context_in(message: str) -> int | None:
    """The tokens of context that a refusal names."""
    for pattern in _CONTEXT:
        if found := pattern.search(message):
            tokens = int(found[1].replace(",", ""))
            return tokens if tokens >= SMALLEST_CONTEXT else None
    return None


def _learned_context(message: str, habits: Habits) -> Habits | None:
    tokens = context_in(message)
    return None if tokens is None or tokens == habits.context_tokens else replace(habits, context_tokens=tokens)
