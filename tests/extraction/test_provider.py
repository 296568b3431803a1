"""The pure half of talking to models: what errors mean, what answers hold, where calls may go, what they cost."""

import copy
import json
import pickle
import socket
import ssl
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingather.engine.errors import Reject, RetryLater, UsageError
from ingather.extraction.provider import (
    AddressRefused,
    ApiKey,
    Capabilities,
    ChatReply,
    ChatRequest,
    Endpoint,
    ErrorKind,
    Message,
    ModelError,
    PauseTask,
    Price,
    Rung,
    Usage,
    check_base_url,
    classify,
    cost,
    estimate,
    estimate_tokens,
    parse_object,
    parse_reply,
    price_of,
    redact,
    route,
    salvage,
)
from ingather.extraction.provider.classify import check_reply, classify_body
from ingather.extraction.provider.learning import learn
from ingather.extraction.provider.wire import Habits, body_of, reply_of, usage_of

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC).timestamp()
HTML = "<!DOCTYPE html><html><head><title>Bad gateway</title></head></html>"


def at(seconds: float) -> str:
    return format_datetime(datetime.fromtimestamp(NOW + seconds, UTC), usegmt=True)


def body(message: str = "", **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


# --- what happened ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "answer_body", "kind"),
    [
        (429, body("Rate limit reached"), ErrorKind.RETRY_AFTER),
        (429, body("You exceeded your current quota", code="insufficient_quota"), ErrorKind.QUOTA),
        (429, body("余额不足或无可用资源包,请充值"), ErrorKind.QUOTA),
        (429, body("您的请求超过速率限制"), ErrorKind.RETRY_AFTER),
        (429, body("Too many tokens, please wait before trying again."), ErrorKind.RETRY_AFTER),
        (
            429,
            body("Request too large for m on tokens per min (TPM): Limit 100, Requested 200"),
            ErrorKind.TOO_LONG,
        ),
        (429, HTML, ErrorKind.RETRY_AFTER),
        (402, body("Insufficient Balance"), ErrorKind.QUOTA),
        (402, "", ErrorKind.QUOTA),
        (400, body("Access denied, your account is in arrears", code="Arrearage"), ErrorKind.QUOTA),
        (401, body("Incorrect API key"), ErrorKind.AUTH),
        (403, body("Country not supported"), ErrorKind.AUTH),
        (403, HTML, ErrorKind.AUTH),
        (403, body("Your input was flagged by moderation"), ErrorKind.CONTENT_FILTER),
        (404, body("The model `x` does not exist", code="model_not_found"), ErrorKind.BAD_REQUEST),
        (404, HTML, ErrorKind.BAD_REQUEST),
        (400, body("Model Not Exist"), ErrorKind.BAD_REQUEST),
        (400, body("", code="context_length_exceeded"), ErrorKind.TOO_LONG),
        (
            400,
            body("This model's maximum context length is 65536 tokens. However, you requested 70000"),
            ErrorKind.TOO_LONG,
        ),
        (400, body("Range of input length should be [1, 30720]"), ErrorKind.TOO_LONG),
        (400, body("prompt is too long: 210000 tokens > 200000 maximum"), ErrorKind.TOO_LONG),
        (400, body("输入文本长度超过模型最大长度限制"), ErrorKind.TOO_LONG),
        (400, body("上下文长度超出限制"), ErrorKind.TOO_LONG),
        (413, HTML, ErrorKind.TOO_LONG),
        (400, body("filtered", code="content_filter"), ErrorKind.CONTENT_FILTER),
        (
            400,
            body("Input data may contain inappropriate content", code="DataInspectionFailed"),
            ErrorKind.CONTENT_FILTER,
        ),
        (400, body("系统检测到输入或生成内容可能包含不安全或敏感内容"), ErrorKind.CONTENT_FILTER),
        (400, body("Failed to generate JSON.", code="json_validate_failed"), ErrorKind.BAD_JSON),
        (400, body("messages[0].role is wrong"), ErrorKind.BAD_REQUEST),
        (400, "not json at all", ErrorKind.BAD_REQUEST),
        (422, json.dumps({"detail": [{"msg": "field required"}]}), ErrorKind.BAD_REQUEST),
        (307, "", ErrorKind.BAD_REQUEST),
        (408, "", ErrorKind.TIMEOUT),
        (409, "", ErrorKind.OVERLOADED),
        (500, body("oops"), ErrorKind.OVERLOADED),
        (502, HTML, ErrorKind.OVERLOADED),
        (503, "", ErrorKind.OVERLOADED),
        (529, body("Overloaded"), ErrorKind.OVERLOADED),
        (200, HTML, ErrorKind.NETWORK),
        (204, "", ErrorKind.NETWORK),
    ],
)
def test_an_answer_is_sorted_by_what_to_do_about_it(status: int, answer_body: str, kind: ErrorKind) -> None:
    error = classify(status=status, body=answer_body, model="m-1", host="api.example.com")
    assert error.kind is kind
    assert str(status) in error.sentence


def test_a_server_that_still_loads_its_model_says_so() -> None:
    error = classify(status=503, body=body("Loading model", code="unavailable_error"))
    assert error.kind is ErrorKind.OVERLOADED
    assert "still loading the model" in error.sentence


@pytest.mark.parametrize(
    ("exception", "kind"),
    [
        (TimeoutError(), ErrorKind.TIMEOUT),
        (ConnectionRefusedError(), ErrorKind.NETWORK),
        (ConnectionResetError(), ErrorKind.NETWORK),
        (BrokenPipeError(), ErrorKind.NETWORK),
        (socket.gaierror(-2, "Name or service not known"), ErrorKind.NETWORK),
        (ssl.SSLCertVerificationError("self-signed"), ErrorKind.NETWORK),
        (ZeroDivisionError(), ErrorKind.BUG),
        (None, ErrorKind.BUG),
    ],
)
def test_a_call_without_an_answer_is_sorted_by_its_exception(exception: Exception | None, kind: ErrorKind) -> None:
    assert classify(exception=exception, host="api.example.com").kind is kind


def test_the_cause_counts_and_not_what_the_sdk_made_of_it() -> None:
    wrapped = RuntimeError("Connection error.")
    wrapped.__cause__ = ConnectionRefusedError()
    assert "Nothing listens at api.example.com" in classify(exception=wrapped, host="api.example.com").sentence


@pytest.mark.parametrize(
    ("answer_body", "kind"),
    [
        ({"error": {"message": "Provider returned error", "code": 429}}, ErrorKind.RETRY_AFTER),
        ({"error": {"message": "Provider returned error", "code": 502}}, ErrorKind.OVERLOADED),
        ({"error": {"message": "maximum context length is 10"}}, ErrorKind.TOO_LONG),
        ({"error": {"message": "insufficient balance"}}, ErrorKind.QUOTA),
        ({"error": {"message": "rate limit"}}, ErrorKind.RETRY_AFTER),
        ({"error": "something"}, ErrorKind.OVERLOADED),
        ({"hello": "world"}, ErrorKind.NETWORK),
    ],
)
def test_an_error_inside_a_200_is_what_it_says_of_itself(answer_body: dict[str, Any], kind: ErrorKind) -> None:
    assert classify_body(200, {}, json.dumps(answer_body).encode(), model="m", host="h").kind is kind


@pytest.mark.parametrize(
    ("headers", "sentence", "seconds"),
    [
        ({"Retry-After": "7"}, "", 7.0),
        ({"retry-after": "2.5"}, "", 2.5),
        ({"retry-after": "0"}, "", 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after": at(30)}, "", 30.0),
        ({"retry-after": at(3630), "date": at(3600)}, "", 30.0),
        ({"retry-after": at(-30)}, "", 0.0),
        ({"retry-after": "3600"}, "", 3600.0),
        ({"retry-after": "86400"}, "", 86400.0),
        ({"retry-after": "99999999"}, "", 3600.0),
        ({"retry-after": str(int(NOW) + 20)}, "", 20.0),
        ({"retry-after": "-5"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "9" * 400}, "", None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, "", 360.0),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, "", None),
        ({}, "Please try again in 1.5s.", 1.5),
        ({}, "Please retry after 1m30s", 90.0),
        ({}, "", None),
    ],
)
def test_a_429_waits_as_long_as_it_is_asked_to(headers: dict[str, str], sentence: str, seconds: float | None) -> None:
    error = classify(status=429, headers=headers, body=body(sentence), now=NOW)
    assert error.kind is ErrorKind.RETRY_AFTER
    assert error.retry_after_s == (None if seconds is None else pytest.approx(seconds))


WAYS: dict[ErrorKind, type[Exception]] = {
    ErrorKind.RETRY_AFTER: RetryLater,
    ErrorKind.AUTH: PauseTask,
    ErrorKind.QUOTA: PauseTask,
    ErrorKind.TOO_LONG: Reject,
    ErrorKind.CONTENT_FILTER: Reject,
    ErrorKind.BAD_REQUEST: Reject,
    ErrorKind.OVERLOADED: ModelError,
    ErrorKind.TIMEOUT: ModelError,
    ErrorKind.NETWORK: ModelError,
    ErrorKind.TRUNCATED: ModelError,
    ErrorKind.BLANK: ModelError,
    ErrorKind.BAD_JSON: ModelError,
    ErrorKind.SCHEMA: ModelError,
    ErrorKind.BUG: ModelError,
}


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_every_kind_has_its_way_to_the_engine(kind: ErrorKind) -> None:
    signal = route(ModelError(kind, "What happened."), attempt=1)
    assert type(signal) is WAYS[kind]
    assert "What happened." in str(signal)


@pytest.mark.parametrize(
    ("requested_s", "attempt", "held_s"), [(30.0, 1, 30), (0.0, 1, 1), (None, 1, 10), (None, 2, 20), (None, 99, 120)]
)
def test_a_429_holds_the_whole_queue_and_uses_no_attempt(
    requested_s: float | None, attempt: int, held_s: float
) -> None:
    signal = route(ModelError(ErrorKind.RETRY_AFTER, "Wait.", retry_after_s=requested_s), attempt)
    assert isinstance(signal, RetryLater)
    assert signal.queue
    assert signal.delay.total_seconds() == held_s


def reply(text: str = "{}", finish: str = "stop", refusal: str = "") -> ChatReply:
    return ChatReply(text=text, finish=finish, refusal=refusal, usage=Usage(prompt=10, completion=3))


@pytest.mark.parametrize(
    ("given_reply", "kind"),
    [
        (reply(finish="length"), ErrorKind.TRUNCATED),
        (reply("", finish="length"), ErrorKind.TRUNCATED),
        (reply("", finish="content_filter"), ErrorKind.CONTENT_FILTER),
        (reply("", refusal="no"), ErrorKind.CONTENT_FILTER),
        (reply("  \n "), ErrorKind.BLANK),
        (reply("", finish="insufficient_system_resource"), ErrorKind.OVERLOADED),
    ],
)
def test_a_reply_that_is_no_answer_is_an_error_that_keeps_its_usage(given_reply: ChatReply, kind: ErrorKind) -> None:
    with pytest.raises(ModelError) as caught:
        check_reply(given_reply)
    assert caught.value.kind is kind
    assert caught.value.usage == Usage(prompt=10, completion=3)


def test_bad_json_keeps_its_usage_and_survives_pickling() -> None:
    with pytest.raises(ModelError) as caught:
        parse_reply(reply("pear"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.kind, again.usage, str(again)) == (
        ErrorKind.BAD_JSON,
        Usage(prompt=10, completion=3),
        str(caught.value),
    )


def test_sentences_are_bounded_and_on_one_line() -> None:
    error = classify(status=400, body=body("x\n\x00\x1b[31m" * 2000))
    assert len(error.sentence) <= 600
    assert error.sentence.isprintable()


# --- what is asked and replied ----------------------------------------------------------------------------------------

QUESTION = ChatRequest(messages=(Message(role="user", content="Why?\ud800"),), schema={"type": "object"}, max_tokens=9)


def test_each_rung_asks_in_its_own_way() -> None:
    bodies = {rung: body_of(QUESTION, "m", Habits(rung=rung), {}) for rung in Rung}
    assert bodies[Rung.JSON_SCHEMA]["response_format"]["json_schema"]["strict"] is True
    assert bodies[Rung.TOOLS]["tools"][0]["function"]["parameters"] == {"type": "object"}
    assert bodies[Rung.JSON_OBJECT]["response_format"] == {"type": "json_object"}
    assert set(bodies[Rung.PLAIN]) == {"model", "messages", "max_tokens", "temperature"}
    assert bodies[Rung.PLAIN]["messages"] == [{"role": "user", "content": "Why?\ufffd"}]


def test_an_endpoint_has_the_last_word_on_the_body() -> None:
    made = body_of(QUESTION, "m", Habits(limit_name="max_completion_tokens", takes_temperature=False), {"thinking": 0})
    assert made["thinking"] == 0
    assert made["max_completion_tokens"] == 9
    assert not {"max_tokens", "temperature"} & set(made)


@pytest.mark.parametrize(
    ("sentence", "learned"),
    [
        ("Use 'max_completion_tokens' instead", Habits(limit_name="max_completion_tokens")),
        ("'temperature' does not support 0", Habits(takes_temperature=False)),
        ("response_format is unavailable", Habits(rung=Rung.TOOLS)),
        ("role is wrong", None),
    ],
)
def test_a_refusal_teaches_how_to_ask(sentence: str, learned: Habits | None) -> None:
    assert learn(ModelError(ErrorKind.BAD_REQUEST, sentence), sentence, QUESTION, Habits()) == learned
    assert learn(ModelError(ErrorKind.TOO_LONG, sentence), sentence, QUESTION, Habits()) is None


def test_a_rung_that_was_chosen_is_not_left() -> None:
    fixed = replace(QUESTION, rung=Rung.JSON_SCHEMA)
    assert learn(ModelError(ErrorKind.BAD_REQUEST, ""), "no response_format", fixed, Habits()) is None


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, Usage(prompt=9, completion=4)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 5}}, Usage(prompt=9, cached=5)),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 2}, Usage(prompt=9, cached=7)),
        ({"prompt_tokens": 9, "cached_tokens": 3}, Usage(prompt=9, cached=3)),
        ({"input_tokens": 8, "output_tokens": 2}, Usage(prompt=8, completion=2)),
        (
            {"completion_tokens": 6, "completion_tokens_details": {"reasoning_tokens": 5}},
            Usage(completion=6, reasoning=5),
        ),
        ({"prompt_tokens": 3, "cached_tokens": 30}, Usage(prompt=3, cached=3)),
        ({"prompt_tokens": -3, "completion_tokens": "7", "prompt_tokens_details": []}, Usage()),
    ],
)
def test_usage_is_read_in_every_dialect(usage: dict[str, Any], read: Usage) -> None:
    assert usage_of(usage) == read


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "tool_calls", "function", "usage", "text"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_no_shape_of_a_completion_breaks_its_reading(made: Any) -> None:
    read = reply_of({"choices": made, "usage": made, "model": made}, {}, rung=Rung.PLAIN, took_s=0.0)
    assert isinstance(read.text, str)


# --- what answers hold ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '\ufeff {"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```',
        'Sure, {this} is it:\n\n{"a": 1}\n\nAnything else {or not}?',
        'Sure:\n```json\n{"a": 1}\n```\nAs {"you": "see"}.',
        '<think>maybe {"b": 2}?</think>{"a": 1}',
    ],
)
def test_one_object_is_found_in_what_stands_around_it(text: str) -> None:
    assert parse_object(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Expecting value"),
        ("pear", "Expecting value"),
        ("{'a': 1}", "Expecting property name"),
        ('{"a": 1', "Expecting ',' delimiter"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ('{"a": 1e400}', "1e400"),
        ('{"a": ' + "9" * 5000 + "}", "digits"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('Here: {"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a\\u0000": 1, "a\ufffd": 2}', "same once"),
        ('{"a": 1} {"b": 2}', "several"),
        ("[1, 2]", "not an object"),
        ("null", "not an object"),
        ('{"a":' * 65 + "1" + "}" * 65, "deeper than 64"),
        ('{"a":' * 100_000, "deeper than 64"),
        ("[" * 100_000, "deeper than 64"),
        (" " * 4_000_001, "longer"),
    ],
)
def test_what_is_not_one_sound_object_is_refused_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_object(text)
    assert caught.value.kind is ErrorKind.BAD_JSON
    assert problem in caught.value.sentence


def test_64_levels_are_not_too_deep() -> None:
    assert parse_object('{"a":' * 64 + "1" + "}" * 64)


def test_what_no_database_keeps_is_replaced_wherever_it_stands() -> None:
    assert parse_object('{"a\\ud800": ["x\\u0000y", {"b": "\\udfff"}]}') == {"a\ufffd": ["x\ufffdy", {"b": "\ufffd"}]}


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_object('{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"n": 1, "list": [{"f": "a"}, {"f": "b"}, {"f": "c', {"n": 1, "list": [{"f": "a"}, {"f": "b"}]}),
        ('```json\n{"list": [{"f": "a"}, {"f"', {"list": [{"f": "a"}]}),
        ('{"list": [{"f": "a"}], "more": {"state": "reported", "val', {"list": [{"f": "a"}]}),
        ('{"cells": {"a": {"s": 1}, "b": {"s": 2}, "c": {"s": 3', {"cells": {"a": {"s": 1}, "b": {"s": 2}}}),
        ('{"list": [1, 2, 34', {"list": [1, 2]}),
        ('{"a": "x", "n": 12', {"a": "x"}),
        ('{"a": "x", "b": tru', {"a": "x"}),
        ('{"a": "x"}', {"a": "x"}),
        ('{"a": "unfinished', None),
        ('{"list": [', None),
        ("{", None),
        ("no object", None),
        ("", None),
        ('{"a": "x", "list": [{"b": 1, "b": 2}, {', None),
    ],
)
def test_whole_entries_are_saved_out_of_a_cut_answer(text: str, kept: dict[str, Any] | None) -> None:
    assert salvage(text) == kept


def test_every_cut_of_an_answer_keeps_only_true_entries() -> None:
    entries = [{"field": f"f{n}", "value": n, "quote": f'{n} of "{n}" \\ patients'} for n in range(6)]
    text = json.dumps({"answers": entries, "done": True})
    saved = [len((salvage(text[:end]) or {}).get("answers", [])) for end in range(len(text) + 1)]
    assert saved == sorted(saved)
    assert saved[-1] == 6
    for end in range(len(text)):
        kept = salvage(text[:end]) or {"answers": []}
        assert kept["answers"] == entries[: len(kept["answers"])]


# --- where calls may go -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://API.DeepSeek.com", "https://api.deepseek.com"),
        ("https://api.example.com:8443/a/v1", "https://api.example.com:8443/a/v1"),
        ("https://8.8.8.8/v1", "https://8.8.8.8/v1"),
        ("https://[2606:4700::1111]/v1", "https://[2606:4700::1111]/v1"),
    ],
)
def test_public_addresses_by_https_are_taken(url: str, taken: str) -> None:
    assert check_base_url(url, allow_local=False) == taken
    assert check_base_url(url, allow_local=True) == taken


LOCAL = [
    "http://127.0.0.1:11434/v1",
    "http://localhost:11434/v1",
    "https://127.0.0.1/v1",
    "http://10.0.0.5/v1",
    "http://192.168.1.9:8000/v1",
    "http://172.16.0.1/",
    "http://[::1]:8000/v1",
    "http://[fd12::1]/v1",
    "http://gpu-box:8000/v1",
    "http://ollama.local/v1",
    "https://0x7f.1/v1",
    "https://2130706433/v1",
    "https://017700000001/v1",
    "https://127.1/",
    "https://0x7f000001/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://localhost./v1",
    "https://db.internal/v1",
    "https://100.64.0.1/",
]


@pytest.mark.parametrize("url", LOCAL)
def test_local_addresses_need_leave_in_whatever_spelling(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_base_url(url, allow_local=False)
    assert check_base_url(url, allow_local=True)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.openai.com/v1",
        "//api.openai.com",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_x",
        "ftp://example.com",
        "javascript:alert(1)",
        "https://",
        "https:///v1",
        "https://user:pass@api.example.com/v1",
        "https://api.openai.com@evil.example/v1",
        "https://api.openai.com\\@evil.example/",
        "https://api.example.com/v1?key=x",
        "https://api.example.com/v1#x",
        "https://api.example.com/v1?",
        "https://api.exa mple.com",
        "https://api.example.com/\r\nX-Evil: 1",
        "https://api.example.com\t.evil.example",
        "https://api.example.com:0/",
        "https://api.example.com:99999/",
        "https://api.example.com:port/",
        "https://\uff11\uff12\uff17.0.0.1/",
        "https://127。0。0。1/",
        "https://ⓛocalhost/",
        "https://%31%32%37.0.0.1/",
        "https://[fe80::1%25eth0]/",
        "https://[::1/",
        "https://999.1.1.1/",
        "https://1.2.3.4.5/",
        "https://0x/",
        "https://-bad.example/",
        "https://a..example/",
        "https://" + "a" * 600 + ".example",
        "http://169.254.169.254/latest/meta-data",
        "https://169.254.169.254/",
        "https://0xa9fea9fe/",
        "https://2852039166/",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[fe80::1]/",
        "https://[fd00:ec2::254]/",
        "https://100.100.100.200/",
        "https://168.63.129.16/",
        "https://metadata.google.internal/",
        "https://0.0.0.0/",
        "https://[::]/",
        "https://0/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "http://api.openai.com/v1",
        "http://8.8.8.8/v1",
    ],
)
@pytest.mark.parametrize("allow_local", [False, True])
def test_no_leave_opens_these(url: str, allow_local: bool) -> None:
    with pytest.raises(AddressRefused):
        check_base_url(url, allow_local=allow_local)


@pytest.mark.parametrize(
    ("found", "allow_local", "is_taken"),
    [
        (["93.184.216.34"], False, True),
        (["10.0.0.1"], False, False),
        (["10.0.0.1"], True, True),
        (["93.184.216.34", "127.0.0.1"], False, False),
        (["169.254.169.254"], True, False),
        (["::ffff:169.254.169.254"], True, False),
        (["fe80::1%eth0"], True, False),
    ],
)
def test_a_name_is_what_it_resolves_to_where_that_is_asked(found: list[str], allow_local: bool, is_taken: bool) -> None:
    def taken() -> bool:
        try:
            check_base_url("https://model.example/v1", allow_local=allow_local, resolve=lambda _: found)
        except AddressRefused:
            return False
        return True

    assert taken() == is_taken


def test_plain_http_by_name_needs_a_name_that_resolves_inside() -> None:
    assert check_base_url("http://m.example/v1", allow_local=True, resolve=lambda _: ["10.0.0.1"])
    with pytest.raises(AddressRefused):
        check_base_url("http://m.example/v1", allow_local=True, resolve=lambda _: ["93.184.216.34"])


# --- keys -------------------------------------------------------------------------------------------------------------

CANARY = "canary-7f3a9e51c2d84b06"
HOME = "https://api.example.com/v1"


def test_a_key_is_never_shown() -> None:
    endpoint = Endpoint.of(HOME, "m", CANARY, headers={"api-key": "other-canary-1234"}, proxy="http://u:pw@proxy")
    shown = f"{endpoint!r} {endpoint} {endpoint.api_key} {endpoint.api_key!r} {asdict(endpoint)['api_key']}"
    assert CANARY not in shown
    assert "other-canary" not in shown
    assert "pw@" not in repr(endpoint)
    assert "…4b06" in shown
    assert repr(ApiKey("short-key", base_url=HOME)) == "ApiKey(…)"
    with pytest.raises(TypeError):
        pickle.dumps(endpoint)
    assert copy.deepcopy(endpoint) == endpoint
    assert endpoint.api_key != ApiKey("another", base_url=HOME)


def test_a_key_does_not_follow_its_endpoint_to_another_address() -> None:
    endpoint = Endpoint.of(HOME, "m", CANARY)
    with pytest.raises(UsageError, match="another address"):
        replace(endpoint, base_url="https://evil.example/v1")
    assert endpoint.api_key is not None
    with pytest.raises(UsageError, match="another address"):
        endpoint.api_key.reveal(base_url="https://evil.example/v1")


@pytest.mark.parametrize("key", ["", "  ", "sk-a\nb", "sk-ключ", "sk a", "sk\x00"])
def test_a_key_that_no_header_carries_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        ApiKey(key, base_url=HOME)
    assert "sk" not in str(caught.value)


@pytest.mark.parametrize("headers", [{"a b": "x"}, {"x": "a\r\nb"}, {"Host": "evil"}, {"x": "é"}])
def test_headers_that_http_cannot_carry_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Endpoint(base_url=HOME, model="m", headers=headers)


@pytest.mark.parametrize(
    ("text", "is_clean"),
    [
        (f"key {CANARY}!", False),
        ("Incorrect API key provided: sk-proj-abcd1234efgh5678ijkl.", False),
        ("Incorrect API key provided: sk-ab*****wxyz.", False),
        ("Authorization: Bearer abcdef123456", False),
        ("{'api_key': 'abcdef1234567890'}", False),
        ("hf_AbCdEfGh1jKlMnOpQrSt", False),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", False),
        ("The risk-benefit ratio of task-shifting was 1.5 (sk-learn).", True),
        ("Skeletonization, pk-pd modelling and hf-related admission", True),
        ("max_tokens: 4096 and total tokens=123456789", True),
        ("a key outcome: mortality; secretion: none", True),
    ],
)
def test_what_looks_like_a_key_is_taken_out_and_prose_is_left(text: str, is_clean: bool) -> None:
    cleaned = redact(text, [CANARY])
    assert (cleaned == text) == is_clean
    assert CANARY not in cleaned


def test_a_placeholder_for_a_local_server_does_not_maim_words() -> None:
    Endpoint.of("http://127.0.0.1:1/v1", "m", "ollama")
    assert redact("ollama answered", ["ollama"]) == "ollama answered"


# --- what it costs ----------------------------------------------------------------------------------------------------


def test_a_call_costs_what_its_tokens_cost() -> None:
    used = Usage(prompt=1_000_000, cached=400_000, completion=500_000, reasoning=100_000)
    assert cost("deepseek-flash", used) == Decimal("0.18") + Decimal("0.0024") + Decimal("0.60")


def test_an_unknown_model_has_no_price_and_none_is_guessed() -> None:
    assert cost("somebody/gpt-5-mini", Usage(prompt=1)) is None
    assert cost("gpt-5-mini-turbo-ultra", Usage(prompt=1)) is None
    assert estimate("my-model", tokens_in=1, tokens_out=1) is None


def test_the_users_own_price_goes_before_ours() -> None:
    mine = Price(input=Decimal(1), output=Decimal(4), currency="CNY", as_of=date(2026, 11, 1))
    assert cost("deepseek-flash", Usage(prompt=2_000_000, cached=1_000_000), price=mine) == 2


def test_an_estimate_has_two_ends() -> None:
    made = estimate("gpt-5-mini-2025-08-07", tokens_in=72_000, tokens_out=10_000, repeated_in=45_000)
    assert made is not None
    assert (made.low, made.high, made.currency) == (Decimal("0.027875"), Decimal("0.038"), "USD")
    assert (made + made).high == Decimal("0.076")


def test_every_price_in_the_file_is_dated_and_orders_as_prices_do() -> None:
    for model in ("deepseek-flash", "deepseek-v4-pro", "gpt-4.1-mini", "gpt-5", "gpt-5.4-mini", "claude-haiku-4-5"):
        price = price_of(model)
        assert price is not None
        assert price.cached is not None
        assert 0 < price.cached < price.input < price.output
        assert price.as_of.year >= 2025


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a" * 400, 100), ("随机对照试验", 6), ("рандомизация", 6), ("试验abcd", 3)]
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
    assert estimate_tokens([text, text]) == 2 * tokens


def test_capabilities_survive_a_cache() -> None:
    found = Capabilities(rung=Rung.TOOLS, models=("a",), usage=Usage(prompt=3), took_s=1.5, calls=2, sentence="Yes.")
    assert Capabilities.of_json(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(
    ("moment", "share"),
    [
        ("2026-11-16T09:00+08:00", "1"),  # a Monday in Beijing
        ("2026-11-16T08:59+08:00", "0.5"),
        ("2026-11-16T12:00+08:00", "0.5"),
        ("2026-11-16T14:00+08:00", "1"),
        ("2026-11-16T17:59+08:00", "1"),
        ("2026-11-16T18:00+08:00", "0.5"),
        ("2026-11-14T10:00+08:00", "0.5"),  # a Saturday there
        ("2026-11-16T01:30+00:00", "1"),  # the same hours, told by another clock
        ("2026-11-15T23:30-02:00", "1"),
    ],
)
def test_a_call_costs_what_the_provider_s_hour_says(moment: str, share: str) -> None:
    usage = Usage(prompt=1_000_000, cached=500_000, completion=100_000)
    full = cost("deepseek-flash", usage)
    assert full is not None
    assert cost("deepseek-flash", usage, datetime.fromisoformat(moment)) == full * Decimal(share)
    assert cost("gpt-4.1", usage, datetime.fromisoformat(moment)) == cost("gpt-4.1", usage)


def test_an_estimate_reaches_from_the_best_hour_to_the_worst() -> None:
    found = estimate("deepseek-flash", tokens_in=1_000_000, tokens_out=0)
    assert found is not None
    assert (found.low, found.high) == (Decimal("0.15"), Decimal("0.30"))
