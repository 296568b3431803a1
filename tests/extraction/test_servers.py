"""The usual servers: each quirk of the table against a stand-in that answers as that server does."""

import asyncio
from typing import Any

import pytest

from ingather.extraction.provider import ChatClient, Endpoint, ErrorKind, ModelError, Rung, parse_reply
from ingather.extraction.provider.learning import context_in
from ingather.extraction.provider.servers import SERVERS, first_habits, server_at
from ingather.extraction.provider.wire import Habits
from tests.extraction.test_misbehaving import NOTHING, ask, failure, question, success
from tests.provider.completion import TOO_LONG
from tests.provider.server import Provider

WHOLE = {"answers": [NOTHING] * 5}


def owned_by(owner: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": "test-model", "object": "model", "owned_by": owner} | more]


def context_found(provider: Provider, model: str = "test-model") -> int | None:
    async def run() -> int | None:
        async with ChatClient(Endpoint.of(provider.base_url, model)) as client:
            return await client.find_context()

    return asyncio.run(run())


# Each server on one's own machine says this of its models, and this context follows from it.
CONTEXTS: dict[str, tuple[dict[str, Any], int | None]] = {
    "vLLM": ({"models": owned_by("vllm", max_model_len=8_192)}, 8_192),
    "llama.cpp, all slots": (
        {
            "models": owned_by("llamacpp", meta={"n_ctx": 16_384, "n_ctx_train": 131_072}),
            "pages": {"/props": {"default_generation_settings": {"n_ctx": 4_096}, "total_slots": 4}},
        },
        4_096,
    ),
    "llama.cpp without /props": (
        {"models": owned_by("llamacpp", meta={"n_ctx": 16_384, "n_ctx_train": 32_768})},
        16_384,
    ),
    "llama.cpp, older": ({"models": owned_by("llamacpp", meta={"n_ctx_train": 32_768})}, None),
    "Ollama with the model loaded": (
        {
            "models": owned_by("library"),
            "pages": {"/api/ps": {"models": [{"name": "test-model", "context_length": 8_192}]}},
        },
        8_192,
    ),
    "Ollama before it is loaded": ({"models": owned_by("library"), "pages": {"/api/ps": {"models": []}}}, 4_096),
    "LM Studio": (
        {
            "models": owned_by("organization_owner"),
            "pages": {
                "/api/v0/models": {
                    "data": [{"id": "test-model", "max_context_length": 131_072, "loaded_context_length": 6_000}]
                }
            },
        },
        6_000,
    ),
    "LM Studio before it is loaded": (
        {
            "models": owned_by("organization_owner"),
            "pages": {"/api/v0/models": {"data": [{"id": "test-model", "max_context_length": 131_072}]}},
        },
        4_096,
    ),
    "OpenRouter": ({"models": owned_by("", context_length=65_536)}, 65_536),
    "Mistral": ({"models": owned_by("mistralai", max_context_length=32_768)}, 32_768),
    "OpenAI": ({"models": owned_by("openai")}, None),
    "a server of one model under another name": ({"models": [{"id": "m.gguf", "max_model_len": 2_048}]}, 2_048),
    "nonsense": ({"models": owned_by("vllm", max_model_len="8192", context_length=True)}, None),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_the_context_is_found_where_a_server_names_it(name: str) -> None:
    script, tokens = CONTEXTS[name]
    with Provider(script=script) as provider:
        assert context_found(provider) == tokens
        assert provider.calls == [], "nothing was asked of the model"


def test_a_server_without_a_list_of_models_leaves_the_context_open() -> None:
    with Provider(script={"key": "sk-another-key"}) as provider:
        assert context_found(provider) is None


# --- hosted ones, by their address ----------------------------------------------------------------------------------

HOSTED: dict[str, tuple[str, str, Habits]] = {
    "OpenAI": ("https://api.openai.com/v1", "gpt-4.1", Habits(limit_name="max_completion_tokens")),
    "OpenAI, thinking": (
        "https://api.openai.com/v1",
        "o3-mini",
        Habits(limit_name="max_completion_tokens", thinks=True),
    ),
    "Azure OpenAI": (
        "https://reviews.openai.azure.com/openai/v1",
        "gpt-4.1",
        Habits(limit_name="max_completion_tokens"),
    ),
    "DeepSeek": ("https://api.deepseek.com/v1", "deepseek-chat", Habits(rung=Rung.TOOLS)),
    "DeepSeek, thinking": ("https://api.deepseek.com", "deepseek-reasoner", Habits(rung=Rung.TOOLS, thinks=True)),
    "Qwen": ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-plus", Habits()),
    "Mistral": ("https://api.mistral.ai/v1", "mistral-large-latest", Habits(takes_stream_options=False)),
    "OpenRouter": (
        "https://openrouter.ai/api/v1",
        "meta-llama/llama-3.3-70b",
        Habits(more=(("provider", {"require_parameters": True}),)),
    ),
    "Anthropic": ("https://api.anthropic.com/v1", "claude-sonnet-4-5", Habits(rung=Rung.TOOLS)),
    "Gemini": (
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-flash",
        Habits(takes_list_limits=False),
    ),
    "nobody known": ("https://models.example.org/v1", "gpt-4.1", Habits()),
}


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_server_is_asked_its_way_from_the_first_call_on(name: str) -> None:
    address, model, habits = HOSTED[name]
    assert first_habits(address, model) == habits
    server = server_at(address)
    assert (server.name if server else "nobody known") == name.partition(",")[0]


def test_every_server_of_the_table_has_advice_and_a_test() -> None:
    tested = {name.partition(",")[0].partition(" with")[0].partition(" before")[0] for name in {*HOSTED, *CONTEXTS}}
    for server in SERVERS:
        assert server.advice.endswith(".")
        assert server.name in tested


# --- how they answer ------------------------------------------------------------------------------------------------

# The stand-in refuses or ignores this, as the server does, and this rung is left.
WAYS: dict[str, tuple[dict[str, Any], Rung]] = {
    "OpenAI, a model that thinks": ({"rejects": ["max_tokens", "temperature"]}, Rung.JSON_SCHEMA),
    "DeepSeek": ({"rejects": ["json_schema"], "usage": "deepseek"}, Rung.TOOLS),
    "Mistral": ({"rejects": ["stream_options"]}, Rung.JSON_SCHEMA),
    "LM Studio": ({"rejects": ["json_object"]}, Rung.JSON_SCHEMA),
    "Gemini": ({"rejects": ["maxItems"]}, Rung.JSON_SCHEMA),
    "a server without any mode": ({"rejects": ["json_schema", "tools", "json_object"]}, Rung.PLAIN),
    "Qwen, thinking": ({"rejects": ["thinking"]}, Rung.JSON_SCHEMA),
}


@pytest.mark.parametrize("name", WAYS)
def test_an_answer_is_had_from_a_server_with_its_refusals(name: str) -> None:
    script, rung = WAYS[name]
    with Provider(script=script) as provider:
        reply = success(provider, question(f"Fill this in as JSON: {question().schema}".replace("'", '"')))
    assert reply.rung is rung
    assert rung is Rung.PLAIN or parse_reply(reply) == WHOLE


@pytest.mark.parametrize("do", ["thoughts", "tool_text", "fenced", "prose"])
@pytest.mark.parametrize("streaming", [None, {"beats": True, "comments": True}])
def test_an_answer_is_read_whatever_stands_around_it(do: str, streaming: Any) -> None:
    """Thoughts before the JSON, a tool call written out as text, fences, comments that keep the line open."""
    with Provider(script={"rules": [do], "streaming": streaming}) as provider:
        assert parse_reply(success(provider)) == WHOLE


def test_after_its_first_thoughts_a_model_has_room_for_them() -> None:
    with Provider(script=["thoughts"]) as provider:
        ask(provider, question(), question())
        assert [call.body["max_tokens"] for call in provider.calls] == [500, 8_500]


# --- a context that is too small -------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", sorted(TOO_LONG))
def test_a_context_error_is_one_in_the_words_of_every_server(style: str) -> None:
    with Provider(script={"context_tokens": 2_000, "too_long": style}) as provider:
        assert failure(provider, question("word " * 4_000)).kind is ErrorKind.TOO_LONG


@pytest.mark.parametrize(
    ("style", "tokens"), [("mistral", 32_768), ("vllm", 8_192), ("llamacpp", 4_096), ("openai", 128_000)]
)
def test_the_context_is_read_from_every_refusal_that_names_it(style: str, tokens: int) -> None:
    _, message, _ = TOO_LONG[style]
    assert context_in(message.format(context=tokens, tokens=200_000, prompt=199_000, room=1_000)) == tokens


def test_llama_cpp_names_its_context_beside_its_message() -> None:
    assert (
        context_in('{"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 1407, "n_ctx": 2560}}') == 2_560
    )


def test_a_dead_server_is_told_from_a_slow_one() -> None:
    with Provider() as provider:
        pass
    outcome = ask(provider, question())[0]
    assert isinstance(outcome, ModelError)
    assert outcome.kind is ErrorKind.NETWORK
