"""The model client against a real server that misbehaves: every misdeed comes out as what it is, and no key does."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
import traceback
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingather.engine.errors import Reject, RetryLater
from ingather.extraction.provider import (
    ChatClient,
    ChatReply,
    ChatRequest,
    Endpoint,
    ErrorKind,
    Message,
    ModelError,
    NotSent,
    PauseTask,
    Rung,
    Usage,
    parse_object,
    parse_reply,
    route,
    salvage,
)
from tests.provider.mischief import MISDEEDS
from tests.provider.server import Provider

CANARY = "sk-canary-5b1e77c9d04f4a2e"
SCHEMA = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "minItems": 5,
            "items": {
                "type": "object",
                "properties": {
                    "field": {"type": "string", "minLength": 4},
                    "state": {"type": "string", "enum": ["reported", "not_reported", "unclear"]},
                    "value": {"type": ["number", "null"]},
                    "quote": {"type": "string"},
                },
            },
        }
    },
}
NOTHING = {"field": "xxxx", "state": "not_reported", "value": None, "quote": ""}


def ask(provider: Provider, *requests: ChatRequest, key: str = CANARY, **endpoint: Any) -> list[ChatReply | ModelError]:
    """Send requests one after another; what came of each."""

    async def run() -> list[ChatReply | ModelError]:
        outcomes: list[ChatReply | ModelError] = []
        async with ChatClient(Endpoint.of(provider.base_url, "test-model", key, **endpoint)) as client:
            for request in requests:
                try:
                    outcomes.append(await client.complete(request))
                except ModelError as error:
                    outcomes.append(error)
        return outcomes

    return asyncio.run(run())


def question(text: str = "What does it report?", **more: Any) -> ChatRequest:
    given: dict[str, Any] = {"schema": SCHEMA, "max_tokens": 500} | more
    return ChatRequest(messages=(Message(role="user", content=text),), **given)


def failure(provider: Provider, request: ChatRequest | None = None, **more: Any) -> ModelError:
    outcome = ask(provider, request or question(), **more)[0]
    assert isinstance(outcome, ModelError), outcome
    return outcome


def success(provider: Provider, request: ChatRequest | None = None, **more: Any) -> ChatReply:
    outcome = ask(provider, request or question(), **more)[0]
    assert isinstance(outcome, ChatReply), outcome
    return outcome


# --- the honest case -------------------------------------------------------------------------------------------------


def test_an_honest_answer_comes_with_all_that_is_worth_keeping() -> None:
    with Provider() as provider:
        first, second = ask(provider, question("a" * 400), question("a" * 400))
    assert isinstance(first, ChatReply)
    assert isinstance(second, ChatReply)
    assert parse_reply(first) == {"answers": [NOTHING] * 5}
    assert (first.finish, first.model, first.rung) == ("stop", "test-model", Rung.JSON_SCHEMA)
    assert first.request_id.startswith("req-")
    assert (first.usage.prompt, first.usage.cached, second.usage.cached) == (100, 0, 100)
    assert first.usage.completion > 50
    assert first.took_s > 0


def test_deepseeks_count_of_cached_tokens_is_understood() -> None:
    with Provider(script={"usage": "deepseek"}) as provider:
        outcomes = ask(provider, question("b" * 400), question("b" * 400))
    assert [outcome.usage for outcome in outcomes if outcome.usage] == [outcome.usage for outcome in outcomes]
    assert [outcome.usage.cached for outcome in outcomes if outcome.usage] == [0, 100]


def test_the_endpoints_own_headers_and_body_go_along() -> None:
    with Provider() as provider:
        success(provider, headers={"X-Title": "reviews"}, body={"thinking": {"type": "disabled"}})
    call = provider.calls[0]
    assert call.headers["x-title"] == "reviews"
    assert call.body["thinking"] == {"type": "disabled"}
    assert (call.body["temperature"], call.body["max_tokens"]) == (0.0, 500)


def test_nothing_of_the_environment_or_the_machine_reaches_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "leak-from-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: leak-from-environment")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Provider(script={"key": CANARY}) as provider:
        success(provider)
    headers = provider.calls[0].headers
    assert "leak" not in json.dumps(headers)
    assert set(headers) <= {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        "",
    }
    assert headers["user-agent"] == "ingather"


def test_models_are_listed() -> None:
    async def run(base_url: str) -> tuple[str, ...]:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            return await client.list_models()

    with Provider(script={"models": ["one", "two"]}) as provider:
        assert asyncio.run(run(provider.base_url)) == ("one", "two")


# --- misdeeds --------------------------------------------------------------------------------------------------------

ERRORS: list[tuple[str, ErrorKind, type[Exception]]] = [
    ("rate_limit", ErrorKind.RETRY_AFTER, RetryLater),
    ("insufficient_quota", ErrorKind.QUOTA, PauseTask),
    ("payment_402", ErrorKind.QUOTA, PauseTask),
    ("unauthorized_401", ErrorKind.AUTH, PauseTask),
    ("forbidden_403", ErrorKind.AUTH, PauseTask),
    ("model_not_found", ErrorKind.BAD_REQUEST, Reject),
    ("bad_request", ErrorKind.BAD_REQUEST, Reject),
    ("redirect", ErrorKind.BAD_REQUEST, Reject),
    ("context_length", ErrorKind.TOO_LONG, Reject),
    ("too_large_413", ErrorKind.TOO_LONG, Reject),
    ("content_filter", ErrorKind.CONTENT_FILTER, Reject),
    ("content_filter_finish", ErrorKind.CONTENT_FILTER, Reject),
    ("refusal", ErrorKind.CONTENT_FILTER, Reject),
    ("error_500", ErrorKind.OVERLOADED, ModelError),
    ("error_503", ErrorKind.OVERLOADED, ModelError),
    ("overloaded_529", ErrorKind.OVERLOADED, ModelError),
    ("html_502", ErrorKind.OVERLOADED, ModelError),
    ("error_in_200", ErrorKind.OVERLOADED, ModelError),
    ("html_200", ErrorKind.NETWORK, ModelError),
    ("cut", ErrorKind.NETWORK, ModelError),
    ("drop", ErrorKind.NETWORK, ModelError),
    ("hang", ErrorKind.TIMEOUT, ModelError),
    ("trickle", ErrorKind.TIMEOUT, ModelError),
    ("truncated", ErrorKind.TRUNCATED, ModelError),
    ("blank", ErrorKind.BLANK, ModelError),
]


@pytest.mark.parametrize(("do", "kind", "raised"), ERRORS)
def test_a_misdeed_is_told_to_the_engine_as_what_it_is(do: str, kind: ErrorKind, raised: type[Exception]) -> None:
    with Provider(script=[do]) as provider:
        error = failure(provider, question(deadline_s=0.4 if kind is ErrorKind.TIMEOUT else 20.0))
    assert error.kind is kind
    assert type(route(error, attempt=1)) is raised
    assert len(provider.calls) == 1


@pytest.mark.parametrize("style", ["openai", "deepseek", "chinese"])
def test_too_long_is_understood_in_every_wording(style: str) -> None:
    with Provider(script=[{"do": "context_length", "style": style}]) as provider:
        assert failure(provider).kind is ErrorKind.TOO_LONG


@pytest.mark.parametrize("do", ["truncated", "blank", "content_filter_finish", "refusal"])
def test_a_billed_answer_of_no_use_keeps_its_usage(do: str) -> None:
    with Provider(script=[do]) as provider:
        error = failure(provider)
    assert provider.calls[0].usage is not None
    assert error.usage is not None
    assert error.usage.prompt == provider.calls[0].usage["prompt_tokens"] > 0
    assert error.usage.completion == provider.calls[0].usage["completion_tokens"]


@pytest.mark.parametrize("do", ["garbage", "not_json"])
def test_an_answer_that_is_no_json_keeps_its_usage(do: str) -> None:
    with Provider(script=[do]) as provider:
        reply = success(provider)
    with pytest.raises(ModelError) as caught:
        parse_reply(reply)
    assert caught.value.kind is ErrorKind.BAD_JSON
    assert caught.value.usage == reply.usage != Usage()


@pytest.mark.parametrize("do", ["fenced", "prose"])
def test_json_in_a_fence_or_in_prose_is_read(do: str) -> None:
    with Provider(script=[do]) as provider:
        assert parse_reply(success(provider)) == {"answers": [NOTHING] * 5}


def test_the_whole_entries_of_a_cut_answer_are_not_lost() -> None:
    with Provider(script=["truncated"]) as provider:
        error = failure(provider)
    assert error.reply is not None
    assert salvage(error.reply.text) == {"answers": [NOTHING] * 2}


def test_the_deadline_beats_trickling_newlines() -> None:
    with Provider(script=[{"do": "trickle", "seconds": 3600, "pause": 0.02}]) as provider:
        start = time.monotonic()
        error = failure(provider, question(deadline_s=0.5))
        took_s = time.monotonic() - start
    assert error.kind is ErrorKind.TIMEOUT
    # Wide, for a busy machine: it trickles for an hour.
    assert took_s < 60


def test_an_answer_after_blank_lines_is_an_answer() -> None:
    with Provider(script=[{"do": "trickle", "seconds": 0.1, "pause": 0.02}]) as provider:
        assert parse_reply(success(provider))["answers"]


def test_a_cancelled_call_stays_cancelled() -> None:
    async def run(base_url: str) -> None:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            call = asyncio.create_task(client.complete(question()))
            while not provider.calls:
                await asyncio.sleep(0.005)
            call.cancel("the worker leaves")
            with pytest.raises(asyncio.CancelledError):
                await call

    with Provider(script=["hang"]) as provider:
        asyncio.run(run(provider.base_url))


def test_a_request_that_may_no_longer_be_sent_never_reaches_the_provider() -> None:
    async def run(base_url: str) -> None:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            with pytest.raises(NotSent):
                await client.complete(replace(question(), may_send=lambda: False))
            assert provider.calls == []
            await client.complete(question())
            assert len(provider.calls) == 1

    with Provider() as provider:
        asyncio.run(run(provider.base_url))


def test_nobody_at_the_address_is_a_matter_of_the_network() -> None:
    with Provider() as provider:
        pass
    error = failure(provider)
    assert error.kind is ErrorKind.NETWORK
    assert "Nothing listens" in error.sentence


def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    with Provider() as elsewhere:
        to = f"{elsewhere.base_url}/chat/completions"
        with Provider(script=[{"do": "redirect", "to": to}]) as provider:
            assert failure(provider).kind is ErrorKind.BAD_REQUEST
    assert elsewhere.calls == []


def test_an_answer_without_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from ingather.extraction.provider import transport

    monkeypatch.setattr(transport, "LARGEST_BODY", 100_000)
    with Provider(answerer=lambda _: "x" * 200_000) as provider:
        assert failure(provider).kind is ErrorKind.NETWORK


# --- waiting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "low_s", "high_s"), [({}, 30, 30), ({"as_date": True}, 27, 31)])
def test_the_hold_is_the_one_the_provider_asked_for(rule: dict[str, Any], low_s: float, high_s: float) -> None:
    with Provider(script=[{"do": "rate_limit", "retry_after": 30, **rule}]) as provider:
        raised = route(failure(provider), attempt=1)
    assert isinstance(raised, RetryLater)
    assert raised.queue
    assert low_s <= raised.delay.total_seconds() <= high_s


def test_the_provider_notices_who_does_not_keep_silent() -> None:
    with Provider(script=[{"do": "rate_limit", "retry_after": 60, "on": 1}]) as provider:
        outcomes = ask(provider, question(), question())
        stranger = success(provider, key="sk-another-account")
    assert [outcome.kind for outcome in outcomes if isinstance(outcome, ModelError)] == [ErrorKind.RETRY_AFTER] * 2
    assert stranger.finish == "stop"
    assert [call.number for call in provider.violations()] == [2]
    assert provider.violations(grace_s=50) == []


# --- the ladder ------------------------------------------------------------------------------------------------------

LADDER: list[tuple[dict[str, Any], Rung, int]] = [
    ({}, Rung.JSON_SCHEMA, 2),
    ({"rejects": ["json_schema"]}, Rung.TOOLS, 3),
    ({"ignores": ["json_schema"]}, Rung.TOOLS, 3),
    ({"rejects": ["json_schema", "tools"]}, Rung.JSON_OBJECT, 4),
    ({"ignores": ["json_schema", "tools"]}, Rung.JSON_OBJECT, 4),
    ({"rejects": ["json_schema", "tools", "json_object"]}, Rung.PLAIN, 5),
    ({"ignores": ["json_schema", "tools", "json_object"]}, Rung.PLAIN, 5),
    ({"rejects": ["max_tokens", "temperature"]}, Rung.JSON_SCHEMA, 4),
    ({"rejects": ["json_schema", "tools", "json_object", "max_tokens", "temperature"]}, Rung.PLAIN, 5),
]


@pytest.mark.parametrize(("script", "rung", "most_calls"), LADDER)
def test_a_probe_finds_the_firmest_rung_that_holds(script: dict[str, Any], rung: Rung, most_calls: int) -> None:
    async def run(base_url: str) -> Any:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            found = await client.probe()
            if "temperature" in script.get("rejects", ()) and rung is Rung.PLAIN:
                return found, {}
            reply = await client.complete(question(f"Fill this in as JSON: {json.dumps(SCHEMA)}"))
            assert reply.rung is found.rung
            return found, parse_reply(reply)

    with Provider(script=script) as provider:
        found, answer = asyncio.run(run(provider.base_url))
    assert found.rung is rung
    assert found.calls <= most_calls <= 5
    assert answer in ({"answers": [NOTHING] * 5}, {})
    assert found.sentence.endswith(".")
    if found.calls < 5:
        assert found.models == ("test-model",)


# An ignored setting shows only in the answer; a refused one shows at once.
@pytest.mark.parametrize(
    ("script", "rung"), [(script, rung) for script, rung, _ in LADDER if not script.get("ignores")]
)
def test_without_a_probe_the_client_steps_down_by_itself_and_remembers(script: dict[str, Any], rung: Rung) -> None:
    wanted = question(f"Fill this in as JSON: {json.dumps(SCHEMA)}")
    with Provider(script=script) as provider:
        first = success(provider, wanted)
        before = len(provider.calls)
        second = success(provider, wanted)
    assert parse_object(first.text) == parse_object(second.text) == {"answers": [NOTHING] * 5}
    assert second.rung is rung
    assert len(provider.calls) == before + 1


@pytest.mark.parametrize(
    ("do", "kind"),
    [
        ("unauthorized_401", ErrorKind.AUTH),
        ("insufficient_quota", ErrorKind.QUOTA),
        ("model_not_found", ErrorKind.BAD_REQUEST),
        ("rate_limit", ErrorKind.RETRY_AFTER),
        ("error_500", ErrorKind.OVERLOADED),
        ("html_200", ErrorKind.NETWORK),
    ],
)
def test_a_probe_of_an_endpoint_of_no_use_says_why(do: str, kind: ErrorKind) -> None:
    async def run(base_url: str) -> None:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            await client.probe()

    with Provider(script=[do]) as provider, pytest.raises(ModelError) as caught:
        asyncio.run(run(provider.base_url))
    assert caught.value.kind is kind
    assert len(provider.calls) <= 5


# --- secrets ---------------------------------------------------------------------------------------------------------


class Everything(logging.Handler):
    """Keeps all that any logger says, formatted as a file would have it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name} {self.format(record)} {record.args!r} {record.msg!r}")


@pytest.fixture
def everything() -> Iterator[Everything]:
    root, handler = logging.getLogger(), Everything()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def test_the_key_is_in_no_log_no_error_and_no_repr_whatever_goes_wrong(everything: Everything) -> None:
    seen: list[str] = []
    for do in [*MISDEEDS, "locked"]:
        # The worst provider: it repeats the key in its errors and in a header.
        script = {"key": "sk-the-right-one-0000"} if do == "locked" else {"rules": [{"do": do, "echo": CANARY}]}
        with Provider(script=script, answerer=lambda _: {"you": CANARY}) as provider:
            endpoint = Endpoint.of(provider.base_url, "test-model", CANARY)
            for outcome in ask(provider, question(deadline_s=0.3 if do in {"hang", "trickle"} else 20.0)):
                seen.append(repr(outcome))
                if isinstance(outcome, ModelError):
                    for error in chain(outcome):
                        seen += [str(error), repr(error), "".join(traceback.format_exception(error))]
                        seen.append(repr({name: value for name, value in vars(error).items() if name != "reply"}))
            seen += [repr(endpoint), str(endpoint), str(provider.log())]
    everything_written = "\n".join(seen + everything.lines)
    assert "httpcore2" in everything_written
    assert "send_request_headers" in everything_written
    assert CANARY not in everything_written
    assert CANARY[10:] not in everything_written


# --- the provider itself ---------------------------------------------------------------------------------------------


def test_a_script_repeats_itself_with_its_seed() -> None:
    def story(seed: int) -> list[str]:
        script = {"seed": seed, "rules": [{"do": "blank", "chance": 0.3}, {"do": "error_500", "every": 4}]}
        with Provider(script=script) as provider:
            ask(provider, *[question()] * 12)
        return [call.did for call in provider.calls]

    assert story(1) == story(1)
    assert story(1) != story(2)
    assert {"blank", "error_500", "ok"} == set(story(1))


@pytest.mark.parametrize(
    ("rule", "did"),
    [
        ({"on": [2, 3]}, "ok blank blank ok"),
        ({"times": 1}, "blank ok ok ok"),
        ({"after": 1, "until": 3}, "ok blank blank ok"),
        ({"contains": "c"}, "ok ok blank ok"),
        ({"when": lambda body: body["messages"][0]["content"] in "ad"}, "blank ok ok blank"),
    ],
)
def test_rules_say_when(rule: dict[str, Any], did: str) -> None:
    with Provider(script=[{"do": "blank", **rule}]) as provider:
        ask(provider, *[question(text, schema=None) for text in "abcd"])
    assert " ".join(call.did for call in provider.calls) == did


def test_quotes_are_spoiled_to_order() -> None:
    def honest(_: dict[str, Any]) -> dict[str, Any]:
        return {"answers": [{"value": 12, "quote": "12 of 30 patients"}]}

    def spoiled(do: str, answerer: Callable[[dict[str, Any]], dict[str, Any]] = honest) -> Any:
        with Provider(script=[do], answerer=answerer) as provider:
            return parse_reply(success(provider))["answers"][0]

    assert spoiled("changed_digits") == {"value": 12, "quote": "22 of 30 patients"}
    assert spoiled("wrong_quotes")["quote"] != "12 of 30 patients"
    assert spoiled("wrong_types") != honest({})["answers"][0]


def test_calls_at_once_are_counted() -> None:
    async def run(base_url: str) -> None:
        async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
            calls = [asyncio.create_task(client.complete(question(str(number)))) for number in range(20)]
            while len(provider.calls) < 20:
                await asyncio.sleep(0.005)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    with Provider(script=["hang"]) as provider:
        asyncio.run(run(provider.base_url))
    assert provider.max_concurrent == 20


def test_the_provider_runs_as_a_process_and_tells_its_log(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(yaml.safe_dump({"rules": [{"do": "error_503", "on": 1}]}))
    command = [sys.executable, "-m", "tests.provider", "--port", "0", "--script", str(script)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root, env=dict(os.environ)) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()

            async def run() -> tuple[object, ...]:
                async with ChatClient(Endpoint.of(base_url, "test-model", CANARY)) as client:
                    return tuple(await asyncio.gather(client.complete(question()), return_exceptions=True))

            assert [type(outcome) for outcome in asyncio.run(run()) + asyncio.run(run())] == [ModelError, ChatReply]
            with urllib.request.urlopen(base_url.removesuffix("/v1") + "/_log", timeout=10) as answer:
                log = json.load(answer)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
    assert [call["did"] for call in log["calls"]] == ["error_503", "ok"]
    assert CANARY not in json.dumps(log)
    assert log["max_concurrent"] == 1
