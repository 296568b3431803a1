"""The usual servers: how each is recognised, and where it says how large its context is. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

# Where the entry of a model in `/v1/models` names its context, the most telling first: vLLM, llama.cpp, LM Studio,
# OpenRouter and Together, Mistral, Groq. What a model was trained for says nothing of what its server gives it.
_CONTEXT_KEYS = (
    ("max_model_len",),
    ("meta", "n_ctx"),
    ("loaded_context_length",),
    ("context_length",),
    ("max_context_length",),
    ("context_window",),
)
# Fewer tokens are no context; such a number is something else.
_SMALLEST = 512


def context_of(model: str, entries: Sequence[Mapping[str, Any]]) -> int | None:
    """The context of a model, from what its server says of its models; a server of one model may call it otherwise."""
    entry = next((one for one in entries if one.get("id") == model), entries[0] if len(entries) == 1 else {})
    for path in _CONTEXT_KEYS:
        value: Any = entry
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= _SMALLEST:
            return value
    return None
