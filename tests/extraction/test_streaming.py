"""Answers that come in pieces: slowness is waited for, silence is not, and what was whole before a break is kept."""

import time
from typing import TYPE_CHECKING, Any

import pytest

from ingather.extraction.provider import ChatReply, ChatRequest, ErrorKind, ModelError, parse_reply, salvage
from ingather.extraction.provider.learning import context_in
from ingather.extraction.provider.pace import LONGEST_S, AnswerPace, pace_for
from ingather.extraction.provider.repetition import loop_start
from ingather.extraction.provider.stream import StreamedCompletion
from tests.extraction.test_misbehaving import NOTHING, failure, question, success
from tests.provider.server import Provider

if TYPE_CHECKING:
    from ingather.extraction.provider.listening import Writing

# Deadlines short enough for a test; a busy machine makes a call late, but never makes a silence shorter.
QUICK = AnswerPace(first_s=0.5, silence_s=0.5, longest_s=30.0, max_tokens=500)


def streamed(**more: Any) -> ChatRequest:
    return question(**({"pace": QUICK} | more))


def test_an_answer_in_pieces_is_the_answer_in_one() -> None:
    with Provider(script={"streaming": True}) as provider:
        reply = success(provider, streamed())
        [call] = provider.calls
    assert call.body["stream"] is True
    assert parse_reply(reply) == {"answers": [NOTHING] * 5}
    assert (reply.finish, reply.model) == ("stop", "test-model")
    assert reply.usage.completion > 50


def test_a_server_that_does_not_stream_is_read_whole() -> None:
    with Provider() as provider:
        assert parse_reply(success(provider, streamed())) == {"answers": [NOTHING] * 5}
        assert len(provider.calls) == 1


@pytest.mark.parametrize("parameter", ["stream", "stream_options"])
def test_a_parameter_of_streaming_that_is_refused_is_left_out_from_then_on(parameter: str) -> None:
    with Provider(script={"streaming": True, "rejects": [parameter]}) as provider:
        assert parse_reply(success(provider, streamed())) == {"answers": [NOTHING] * 5}
        success(provider, streamed())
        assert [parameter in call.body for call in provider.calls] == [True, False, False]


def test_a_slow_model_is_waited_for_beyond_the_wait_for_its_first_piece() -> None:
    seen: list[Writing] = []
    # Longer than the wait for the first piece and longer than a silence; each piece comes well within both.
    with Provider(script={"streaming": {"tokens_a_second": 100}}) as provider:
        began = time.monotonic()
        reply = success(provider, streamed(on_writing=seen.append))
    assert time.monotonic() - began > QUICK.first_s
    assert parse_reply(reply) == {"answers": [NOTHING] * 5}
    assert [piece.characters for piece in seen] == sorted({piece.characters for piece in seen})
    assert seen[-1].characters == len(reply.text)


@pytest.mark.parametrize("beats", [False, True])
def test_a_model_that_never_begins_is_given_up_also_when_its_server_keeps_the_line_open(beats: bool) -> None:
    with Provider(script={"streaming": {"first_s": 3_600.0, "beats": beats}}) as provider:
        began = time.monotonic()
        error = failure(provider, streamed())
        # The bound is wide for a busy machine; without a deadline it would be an hour.
        assert time.monotonic() - began < 60
    assert error.kind is ErrorKind.TIMEOUT
    assert error.took_s >= QUICK.first_s


@pytest.mark.parametrize("how", ["silent_after", "broken_after"])
def test_what_was_whole_before_a_silence_or_a_break_is_kept_and_its_cost_is_written_down(how: str) -> None:
    with Provider(script={"streaming": {how: 0.5}}) as provider:
        error = failure(provider, streamed())
    assert error.kind is ErrorKind.TRUNCATED
    assert error.reply is not None
    whole = salvage(error.reply.text)
    assert whole is not None
    assert whole["answers"] == [NOTHING] * len(whole["answers"])
    assert 0 < len(whole["answers"]) < 5
    assert error.usage is not None
    assert error.usage.completion > 0
    assert error.usage.prompt > 0


def test_a_silence_before_anything_was_whole_is_a_time_out() -> None:
    with Provider(script={"streaming": {"silent_after": 0.05}}) as provider:
        assert failure(provider, streamed()).kind is ErrorKind.TIMEOUT


def test_a_model_that_repeats_itself_is_stopped_and_keeps_what_was_said_once() -> None:
    with Provider(script={"rules": ["loop"], "streaming": {"tokens_a_second": 900}}) as provider:
        error = failure(
            provider, question(pace=AnswerPace(first_s=5, silence_s=5, max_tokens=20_000), max_tokens=20_000)
        )
    assert error.kind is ErrorKind.TRUNCATED
    assert error.reply is not None
    assert error.reply.finish == "repetition"
    assert salvage(error.reply.text) == {"answers": [NOTHING]}
    # A look at every few hundred characters finds it long before the limit of 80,000.
    assert len(error.reply.text) < 1_000


def test_an_error_within_a_stream_is_what_it_says() -> None:
    stream = StreamedCompletion()
    stream.feed(b'data: {"error": {"message": "Rate limit reached", "code": 429}}\n\n')
    assert stream.body() == {"error": {"message": "Rate limit reached", "code": 429}}


def test_events_are_read_however_they_are_cut() -> None:
    events = (
        b': keep-alive\n\ndata: {"choices": [{"delta": {"content": "{\\"a\\": "}}]}\r\n\r\n\n\n'
        b'data: {"choices": [{"delta": {"content": [{"type": "text", "text": "1}"}]}, "finish_reason": "stop"}]}\n\n'
        b'data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\ndata: [DONE]\n\n'
    )
    for size in range(1, len(events)):
        stream = StreamedCompletion()
        for start in range(0, len(events), size):
            stream.feed(events[start : start + size])
        assert stream.text == '{"a": 1}'
        assert stream.body()["usage"] == {"prompt_tokens": 3}
        assert stream.is_done


def test_thoughts_are_a_sign_of_life_and_no_answer() -> None:
    stream = StreamedCompletion()
    stream.feed(b'data: {"choices": [{"delta": {"reasoning_content": "Let me see"}}]}\n')
    assert (stream.text, stream.written) == ("", 10)


# --- limits that follow the model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("context", [4_096, 8_192])
def test_the_room_for_an_answer_shrinks_to_what_the_context_leaves(context: int) -> None:
    with Provider(script={"context_tokens": context}) as provider:
        request = question("word " * 1_500, max_tokens=8_000)
        first, second = success(provider, request), success(provider, request)
        assert parse_reply(first) == parse_reply(second) == {"answers": [NOTHING] * 5}
        assert [call.did for call in provider.calls] == ["too_long", "ok", "ok"]
        assert all(call.body["max_tokens"] < context - 1_500 for call in provider.calls[1:])


def test_a_question_that_fills_the_context_is_not_sent() -> None:
    with Provider() as provider:
        error = failure(provider, question("word " * 4_000, max_tokens=8_000), context_tokens=4_096)
        assert error.kind is ErrorKind.TOO_LONG
        assert "4,096" in error.sentence
        assert provider.calls == []


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 8696 tokens", 8192),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("input is too long: n_ctx = 2,048", 2048),
        ("exceeds max_model_len: 32768", 32768),
        ("maximum context length was exceeded by 3 messages", None),
    ],
)
def test_the_context_is_read_from_the_words_of_a_refusal(message: str, tokens: int | None) -> None:
    assert context_in(message) == tokens


def test_a_list_limit_that_is_refused_is_left_out_from_then_on() -> None:
    schema = {"type": "object", "properties": {"answers": {"type": "array", "maxItems": 5, "items": {"type": "null"}}}}
    with Provider(script={"rejects": ["maxItems"]}) as provider:
        success(provider, question(schema=schema))
        formats = [call.body["response_format"] for call in provider.calls]
    assert ["maxItems" in str(form) for form in formats] == [True, False]


# --- pure ------------------------------------------------------------------------------------------------------------


def test_the_whole_wait_follows_the_measured_speed() -> None:
    pace = pace_for(prompt_tokens=800, max_tokens=1_000)
    before = pace.deadline_s(10, first_at_s=None, last_at_s=0, written=0)
    assert before == pace.first_s > 800 / 8
    # Two tokens a second, measured for a minute: 1,000 tokens take 500 s, and twice that is waited.
    slow = pace.deadline_s(60, first_at_s=0, last_at_s=60, written=480)
    assert slow == 60 + pace.silence_s
    late = pace.deadline_s(990, first_at_s=0, last_at_s=990, written=4 * 2 * 990)
    assert late == 1_000
    assert pace.deadline_s(LONGEST_S - 1, first_at_s=0, last_at_s=LONGEST_S - 1, written=10) <= LONGEST_S


def test_rows_that_differ_are_no_loop_and_equal_ones_are() -> None:
    rows = [f'{{"row": "arm/{n}", "field": "r_n", "state": "not_reported", "value": null}}, ' for n in range(60)]
    assert loop_start("".join(rows)) is None
    entry = '{"label": "Placebo group", "quote": "as it stands"}, '
    for end in range(len(entry)):
        assert loop_start('{"arms": [' + entry * 12 + entry[:end]) == len('{"arms": [' + entry)
    assert loop_start("-" * 120) is None


def test_an_error_keeps_how_long_its_call_took() -> None:
    assert ModelError(ErrorKind.TIMEOUT, "late").took_s == 0
    assert ModelError(ErrorKind.TRUNCATED, "cut", reply=ChatReply(text="", finish="length", took_s=3.0)).took_s == 3.0
