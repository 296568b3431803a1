"""The usual servers and their quirks, as a table; how each is recognised, and where it names its context. Pure.

What is not in the table is learned from refusals. What is here saves the
refusals, or cannot be learned: a server that cuts a prompt without a word.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from ingather.extraction.provider.wire import Habits, Rung


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """A kind of server.

    It is known by its `host`, by the `port` it usually has on this machine,
    or by the owner it names in `/v1/models`. `context_at` is an address of
    its own, from its root, that says how large its context is.
    `silent_context` is what it gives a model unless it is set up otherwise,
    where it cuts longer prompts without saying so. `advice` is what to change
    where the context is too small.
    """

    name: str
    host: str = ""
    port: int | None = None
    owner: str = ""
    habits: Habits = field(default_factory=Habits)
    context_at: str = ""
    silent_context: int | None = None
    advice: str = ""


_IN_ITS_SETTINGS: Final = "Choose a model with a larger context."

SERVERS: Final = (
    # Takes a schema as a grammar. A prompt longer than the context loses its beginning, and no error says so.
    ModelServer(
        name="Ollama",
        port=11434,
        owner="library",
        context_at="/api/ps",
        silent_context=4_096,
        advice="Start Ollama with OLLAMA_CONTEXT_LENGTH=16384 and set INGATHER_MODEL_CONTEXT to the same number.",
    ),
    # The context is split between its slots, which `/props` counts and the list of models does not.
    ModelServer(
        name="llama.cpp",
        owner="llamacpp",
        context_at="/props",
        advice="Start the server with --ctx-size 16384 and --parallel 1.",
    ),
    ModelServer(
        name="vLLM",
        owner="vllm",
        advice="Start the server with a larger --max-model-len.",
    ),
    # Refuses `json_object`, which is below the rung it takes.
    ModelServer(
        name="LM Studio",
        port=1234,
        owner="organization_owner",
        context_at="/api/v0/models",
        silent_context=4_096,
        advice="Load the model with a larger context length in LM Studio.",
    ),
    ModelServer(
        name="OpenAI",
        host="api.openai.com",
        habits=Habits(limit_name="max_completion_tokens"),
        advice=_IN_ITS_SETTINGS,
    ),
    ModelServer(
        name="Azure OpenAI",
        host=".openai.azure.com",
        habits=Habits(limit_name="max_completion_tokens"),
        advice=_IN_ITS_SETTINGS,
    ),
    # "This response_format type is unavailable now": a schema goes in as a tool.
    ModelServer(name="DeepSeek", host="api.deepseek.com", habits=Habits(rung=Rung.TOOLS), advice=_IN_ITS_SETTINGS),
    ModelServer(name="Qwen", host="dashscope", advice=_IN_ITS_SETTINGS),
    # Refuses every parameter that it does not know.
    ModelServer(
        name="Mistral", host="api.mistral.ai", habits=Habits(takes_stream_options=False), advice=_IN_ITS_SETTINGS
    ),
    # Sends a call on to one of many; without this, also to one that ignores the schema.
    ModelServer(
        name="OpenRouter",
        host="openrouter.ai",
        habits=Habits(more=(("provider", {"require_parameters": True}),)),
        advice=_IN_ITS_SETTINGS,
    ),
    # Ignores `response_format` and heeds tools.
    ModelServer(name="Anthropic", host="api.anthropic.com", habits=Habits(rung=Rung.TOOLS), advice=_IN_ITS_SETTINGS),
    # Refuses schemas whose lists have bounds: "too many states for serving".
    ModelServer(
        name="Gemini",
        host="generativelanguage.googleapis.com",
        habits=Habits(takes_list_limits=False),
        advice=_IN_ITS_SETTINGS,
    ),
)

# Models that write thoughts before they answer, by their names. Others are found out by their first answer.
_THINKS: Final = re.compile(
    r"(?i)(^|[/:-])(o[134](-|$)|gpt-5|gpt-oss|deepseek-(reasoner|r1)|r1(-|$)|qwq|magistral)|thinking|reasoning"
)
# Where the entry of a model names its context, the most telling first: vLLM, llama.cpp, OpenRouter, Mistral, Groq.
# What a model was trained for says nothing of what its server gives it.
_CONTEXT_KEYS: Final = (
    ("max_model_len",),
    ("meta", "n_ctx"),
    ("context_length",),
    ("max_context_length",),
    ("context_window",),
)
# Fewer tokens are no context; such a number is something else.
_SMALLEST: Final = 512


def server_at(base_url: str, entries: Sequence[Mapping[str, Any]] = ()) -> ModelServer | None:
    """Which of the servers this is: by its host, by what it says of its models, or by its port on this machine."""
    parts = urlsplit(base_url)
    host, port = parts.hostname or "", parts.port
    owners = {str(entry.get("owned_by", "")) for entry in entries}
    by_host = (one for one in SERVERS if one.host and one.host in host)
    by_owner = (one for one in SERVERS if one.owner and one.owner in owners)
    by_port = (one for one in SERVERS if one.port is not None and one.port == port and not entries)
    return next(by_host, None) or next(by_owner, None) or next(by_port, None)


def first_habits(base_url: str, model: str) -> Habits:
    """How to ask an endpoint that has not been asked yet."""
    server = server_at(base_url)
    habits = server.habits if server else Habits()
    return replace(habits, thinks=True) if _THINKS.search(model) else habits


def context_of(model: str, entries: Sequence[Mapping[str, Any]]) -> int | None:
    """The context of a model, from what its server says of its models; a server of one model may call it otherwise."""
    named = (one for one in entries if model in {one.get("id"), one.get("name"), one.get("model")})
    entry = next(named, entries[0] if len(entries) == 1 else {})
    return next((tokens for path in _CONTEXT_KEYS if (tokens := _context_of_entry(entry, path)) is not None), None)


def context_in_page(model: str, page: Mapping[str, Any]) -> int | None:
    """The context, from an address of the server's own: Ollama's `/api/ps`, llama.cpp's `/props`, LM Studio's list."""
    if (tokens := _context_of_entry(page, ("default_generation_settings", "n_ctx"))) is not None:
        return tokens
    listed = page.get("models") or page.get("data")
    entries = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    named = [one for one in entries if model in {one.get("id"), one.get("name"), one.get("model")}]
    # LM Studio also names the longest that a model could have; what counts is what it was loaded with.
    keys = (("loaded_context_length",), ("context_length",))
    return next((tokens for one in named for key in keys if (tokens := _context_of_entry(one, key)) is not None), None)


def _context_of_entry(entry: Mapping[str, Any], path: Sequence[str]) -> int | None:
    value: Any = entry
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    is_context = isinstance(value, int) and not isinstance(value, bool) and value >= _SMALLEST
    return value if is_context else None
