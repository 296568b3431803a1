"""How much of a model's context a request fills, and what is left for the answer. Pure."""

from dataclasses import replace

import orjson

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.prices import estimate_tokens
from ingather.extraction.provider.wire import MARGIN, ChatRequest, Habits
from ingather.notice import notice

# Tokens for the thoughts of a model that thinks before it answers. With less, its answer is cut off before it begins.
THOUGHT_TOKENS = 8_000
# Tokens that the marks between messages take, for each message.
MARKS = 8


def estimated_tokens(request: ChatRequest) -> int:
    """About how many tokens the texts of a request have. Some servers put the schema into the prompt."""
    texts = [message.content for message in request.messages]
    schema = [] if request.schema is None else [orjson.dumps(request.schema).decode()]
    return estimate_tokens([*texts, *schema])


def prompt_tokens(request: ChatRequest, margin: float = MARGIN) -> int:
    """How many tokens a request fills, rather more than too few."""
    return round(margin * estimated_tokens(request)) + MARKS * len(request.messages)


def with_room(request: ChatRequest, habits: Habits, context_tokens: int | None) -> ChatRequest:
    """The request with room for thoughts where the model has any, and no more than the context leaves.

    `too_long` where that is less than the answer needs at least.
    """
    wanted = request.max_tokens + (THOUGHT_TOKENS if habits.thinks else 0)
    room = wanted if context_tokens is None else min(wanted, context_tokens - prompt_tokens(request, habits.margin))
    if room < min(wanted, request.least_tokens):
        raise ModelError(
            ErrorKind.TOO_LONG,
            notice(
                "provider.question_leaves_no_room",
                "The question fills the model's context of {context} tokens and leaves no room for an answer.",
                context=f"{context_tokens:,}",
            ),
        )
    return replace(request, max_tokens=room)
