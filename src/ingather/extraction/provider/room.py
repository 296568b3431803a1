"""How much of a model's context a request fills, and what is left for the answer. Pure."""

from dataclasses import replace

import orjson

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.prices import estimate_tokens
from ingather.extraction.provider.wire import ChatRequest
from ingather.notice import notice

# Estimates are a rule of thumb and tokenizers differ: what looks like 100 tokens may be 120. A larger margin wastes a
# small context, a smaller one is refused more often, which costs a call.
MARGIN = 1.2
# Tokens that the marks between messages take, for each message.
MARKS = 8


def prompt_tokens(request: ChatRequest) -> int:
    """About how many tokens a request fills, rather more than too few. Some servers put the schema into the prompt."""
    texts = [message.content for message in request.messages]
    schema = [] if request.schema is None else [orjson.dumps(request.schema).decode()]
    return round(MARGIN * estimate_tokens([*texts, *schema])) + MARKS * len(texts)


def with_room(request: ChatRequest, context_tokens: int | None) -> ChatRequest:
    """The request with no more room for its answer than the context leaves; `too_long` where that is too little."""
    if context_tokens is None:
        return request
    room = context_tokens - prompt_tokens(request)
    if room >= request.max_tokens:
        return request
    if room < request.least_tokens:
        raise ModelError(
            ErrorKind.TOO_LONG,
            notice(
                "provider.question_leaves_no_room",
                "The question fills the model's context of {context} tokens and leaves no room for an answer.",
                context=f"{context_tokens:,}",
            ),
        )
    return replace(request, max_tokens=room)
