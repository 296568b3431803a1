"""`ingather model try` and the check before a task, against stand-ins that are dead, wrong, slow, small or refuse."""

import asyncio
import json
import re
import time
from typing import Any

import pytest

from ingather.cli import main
from ingather.extraction.provider import ChatClient, Endpoint, ErrorKind, ModelError, Rung, Trial, try_model
from tests.provider.answerer import answer as nothing_reported
from tests.provider.server import Provider


def reader(body: dict[str, Any]) -> Any:
    """Finds the code if the beginning of the text has arrived, and lists visits as it was asked to."""
    text = " ".join(str(message["content"]) for message in body["messages"])
    if "What is the code" in text:
        found = re.search(r"The code of this text is (\w+)\.", text)
        return found[1] if found else "I do not know."
    if "List the first ten visits" in text:
        return {"visits": [{"visit": n, "quote": f"In visit {n}, {40 + n} came back."} for n in range(1, 11)]}
    return nothing_reported(body)


def tried(provider: Provider, model: str = "test-model", key: str | None = None, **endpoint: Any) -> Trial:
    async def run() -> Trial:
        async with ChatClient(Endpoint.of(provider.base_url, model, key, **endpoint)) as client:
            return await try_model(client)

    return asyncio.run(run())


def checked(base_url: str, model: str = "test-model", key: str | None = None) -> ModelError | None:
    async def run() -> ModelError | None:
        async with ChatClient(Endpoint.of(base_url, model, key)) as client:
            try:
                await client.check()
            except ModelError as error:
                return error
            return None

    return asyncio.run(run())


def test_a_trial_measures_speeds_context_and_form() -> None:
    models = [{"id": "test-model", "owned_by": "vllm", "max_model_len": 8_192}]
    streaming = {"first_s": 0.4, "tokens_a_second": 200}
    with Provider(script={"models": models, "streaming": streaming}, answerer=reader) as provider:
        trial = tried(provider)
    assert trial.server is not None
    assert (trial.server.name, trial.context_tokens, trial.capabilities.rung) == ("vLLM", 8_192, Rung.JSON_SCHEMA)
    assert (trial.is_listed, trial.reads_whole, trial.repeats) == (True, True, False)
    assert trial.reading is not None
    assert trial.writing is not None
    # The stand-in waits before its first piece and between two: it cannot be quicker, and a busy machine is slower.
    assert 0 < trial.reading < 2_000 / streaming["first_s"]
    assert 0 < trial.writing < 2 * streaming["tokens_a_second"]


def test_a_server_that_cuts_prompts_without_a_word_is_found_out() -> None:
    with Provider(script={"context_tokens": 500, "too_long": "silent"}, answerer=reader) as provider:
        assert tried(provider).reads_whole is False


def test_a_model_that_repeats_itself_is_found_out() -> None:
    script = {"rules": [{"do": "loop", "contains": "List the first ten visits"}], "streaming": True}
    with Provider(script=script, answerer=reader) as provider:
        assert tried(provider).repeats is True


# --- before a task ---------------------------------------------------------------------------------------------------


def test_a_model_that_its_server_lists_is_checked_without_a_call() -> None:
    with Provider() as provider:
        assert checked(provider.base_url) is None
        assert provider.calls == []


@pytest.mark.parametrize(
    ("script", "kind", "sentence"),
    [
        ({"key": "sk-another-key-0000"}, ErrorKind.AUTH, "key"),
        ({"models": ["a-model", "b-model"], "rules": ["model_not_found"]}, ErrorKind.BAD_REQUEST, "a-model, b-model"),
        ({"models": [], "rules": ["payment_402"]}, ErrorKind.QUOTA, "credit"),
        ({"models": [], "rules": ["html_200"]}, ErrorKind.NETWORK, "/v1"),
        ({"models": [], "rules": ["redirect"]}, ErrorKind.BAD_REQUEST, "final address"),
    ],
)
def test_a_wrong_or_refusing_server_is_found_out_with_what_to_do(script: Any, kind: ErrorKind, sentence: str) -> None:
    with Provider(script=script) as provider:
        error = checked(provider.base_url, key="sk-mine-0123456789")
    assert error is not None
    assert error.kind is kind
    assert sentence in error.sentence


@pytest.mark.parametrize("do", ["rate_limit", "error_503", "blank", "truncated"])
def test_a_server_that_is_only_busy_or_terse_is_no_reason_not_to_start(do: str) -> None:
    with Provider(script={"models": [], "rules": [do]}) as provider:
        assert checked(provider.base_url) is None


def test_a_dead_server_is_found_out_in_seconds() -> None:
    with Provider() as provider:
        pass
    began = time.monotonic()
    error = checked(provider.base_url)
    assert error is not None
    assert "Nothing listens" in error.sentence
    # Wide, for a busy machine; without a check the task would try for minutes.
    assert time.monotonic() - began < 60


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Any:
    def configure(provider: Provider, model: str = "test-model") -> None:
        monkeypatch.setenv("INGATHER_LLM_BASE_URL", provider.base_url)
        monkeypatch.setenv("INGATHER_LLM_MODEL", model)

    return configure


def test_the_command_says_what_was_seen_and_what_to_change(configured: Any, capsys: pytest.CaptureFixture[str]) -> None:
    models = [{"id": "test-model", "owned_by": "library"}]
    streaming = {"tokens_a_second": 500}
    with Provider(script={"models": models, "streaming": streaming}, answerer=reader) as provider:
        configured(provider)
        assert main(["model", "try"]) == 0
        text = capsys.readouterr().out
        assert main(["model", "try", "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
    assert "Ollama" in text
    assert "4,096 tokens" in text
    assert "OLLAMA_CONTEXT_LENGTH" in text
    assert (shown["server"], shown["context_tokens"], shown["reads_whole"]) == ("Ollama", 4_096, True)
    assert shown["task"]["seconds"][0] < shown["task"]["seconds"][1]


def test_the_command_ends_with_a_sentence_where_nobody_is(configured: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with Provider() as provider:
        configured(provider)
    assert main(["model", "try"]) == 1
    assert "Nothing listens" in capsys.readouterr().err
