"""What the provider of the tests can do: for each misdeed, the response it makes of an honest answer. No I/O."""

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

Answer = dict[str, Any] | str

HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>cloud</body></html>"
TOO_LONG = {
    "openai": {
        "message": "This model's maximum context length is 8192 tokens. However, you sent 9000 tokens.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    },
    "deepseek": {
        "message": "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_request_error",
    },
    "chinese": {"message": "输入文本长度超过模型最大长度限制", "code": "1261"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A response, and how it is sent. `silence_s`: how long after it no call may come."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    usage: Mapping[str, int] | None = None
    wait_s: float = 0.0
    trickle_s: float = 0.0
    trickle_pause_s: float = 0.05
    is_cut: bool = False
    is_dropped: bool = False
    silence_s: float = 0.0
    pieces: tuple[bytes, ...] = ()
    first_s: float = 0.0
    pause_s: float = 0.0
    beats: bool = False
    stays_silent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a misdeed may use: the request, the honest answer to it, and how to make a completion of a text."""

    body: dict[str, Any]
    answer: Answer
    options: Mapping[str, Any]
    number: int
    seed: int
    complete: Callable[..., Plan]
    """complete(text, finish="stop", refusal=None, is_billed=True)"""

    @property
    def text(self) -> str:
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer, ensure_ascii=False)


def plan(do: str, context: Context) -> Plan:
    """The response for a misdeed, or a KeyError that names those there are."""
    if do not in MISDEEDS:
        raise KeyError(f"There is no {do!r} among {', '.join(sorted(MISDEEDS))}.")
    return MISDEEDS[do](context)


def error(status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Plan:
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error", "param": None} | more})
    return Plan(status=status, headers=dict(headers or {}), body=body.encode())


def _rate_limit(context: Context) -> Plan:
    after = context.options.get("retry_after")
    headers = {}
    if after is not None:
        moment = datetime.now(UTC) + timedelta(seconds=float(after)) if context.options.get("as_date") else None
        headers["retry-after"] = format_datetime(moment, usegmt=True) if moment else f"{after}"
    made = error(429, "Rate limit reached for requests", type="requests", code="rate_limit_exceeded", headers=headers)
    silence = float(context.options.get("silence", after or 0.0))
    return Plan(status=made.status, headers=made.headers, body=made.body, silence_s=silence)


def _slowly(context: Context) -> Plan:
    honest = context.complete(context.text)
    seconds = float(context.options.get("seconds", 30.0))
    pause = float(context.options.get("pause", 0.05))
    return Plan(body=honest.body, usage=honest.usage, trickle_s=seconds, trickle_pause_s=pause)


def _cut(context: Context) -> Plan:
    honest = context.complete(context.text)
    return Plan(body=honest.body, usage=honest.usage, is_cut=True)


def _truncated(context: Context) -> Plan:
    share = float(context.options.get("share", 0.6))
    return context.complete(context.text[: int(len(context.text) * share)], finish="length")


def _misquote(context: Context, change: Callable[[str], str]) -> Plan:
    made = _walk(context.answer, lambda name, value: change(value) if name == "quote" and value else value)
    return context.complete(json.dumps(made, ensure_ascii=False))


def _changed_digit(quote: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), quote, count=1)


def _wrong_types(context: Context) -> Plan:
    chance = random.Random(f"{context.seed}:{context.number}")

    def spoil(_name: str, value: Any) -> Any:
        return chance.choice([{"value": value}, [value], 42, True]) if isinstance(value, str | None) else str(value)

    return context.complete(json.dumps(_walk(context.answer, spoil), ensure_ascii=False))


def _walk(value: Any, change: Callable[[str, Any], Any], name: str = "") -> Any:
    match value:
        case dict():
            return {key: _walk(inner, change, key) for key, inner in value.items()}
        case list():
            return [_walk(inner, change, name) for inner in value]
        case _:
            return change(name, value)


def _unauthorized(context: Context) -> Plan:
    key = context.options.get("echo", "sk-abcd****wxyz")
    return error(401, f"Incorrect API key provided: {key}.", code="invalid_api_key", headers={"x-given-key": key})


def _filter_400(_: Context) -> Plan:
    return error(400, "The response was filtered due to the content management policy.", code="content_filter")


def _ok_error(context: Context) -> Plan:
    inner = {"message": "Provider returned error", "code": context.options.get("code", 502)}
    return Plan(body=json.dumps({"error": inner}).encode())


def _looping(context: Context) -> Plan:
    """The first entry of the answer's list again and again, until the limit of the request."""
    answer = context.answer if isinstance(context.answer, dict) else {"answers": []}
    name, entries = next((name, value) for name, value in answer.items() if isinstance(value, list))
    entry = json.dumps(entries[0] if entries else {"label": "Placebo", "quote": "", "page": 1}, ensure_ascii=False)
    most = 4 * int(context.body.get("max_tokens") or context.body.get("max_completion_tokens") or 8_000)
    text = f'{{"{name}": [{entry}' + f", {entry}" * (most // len(entry))
    return context.complete(text[:most], finish="length")


MISDEEDS: dict[str, Callable[[Context], Plan]] = {
    "ok": lambda c: c.complete(c.text),
    "rate_limit": _rate_limit,
    "error_500": lambda _: error(500, "The server had an error", type="server_error"),
    "error_503": lambda _: error(503, "The engine is currently overloaded", type="server_error"),
    "overloaded_529": lambda _: error(529, "Overloaded", type="overloaded_error"),
    "html_502": lambda _: Plan(status=502, headers={"content-type": "text/html"}, body=HTML.encode()),
    "html_200": lambda _: Plan(headers={"content-type": "text/html"}, body=HTML.encode()),
    "error_in_200": _ok_error,
    "hang": lambda c: Plan(wait_s=float(c.options.get("seconds", 3600.0)), is_dropped=True),
    "trickle": _slowly,
    "cut": _cut,
    "drop": lambda _: Plan(is_dropped=True),
    "blank": lambda c: c.complete(c.options.get("content", "   \n  ")),
    "fenced": lambda c: c.complete(f"```json\n{c.text}\n```"),
    "prose": lambda c: c.complete(
        f"Certainly! Here is what the paper says:\n\n{c.text}\n\nLet me know if {{more}} helps."
    ),
    "thoughts": lambda c: c.complete(f"<think>Is it {{5}}? Let me see.</think>\n{c.text}"),
    "tool_text": lambda c: c.complete(f'<tool_call>\n{{"name": "answer", "arguments": {c.text}}}\n</tool_call>'),
    "not_json": lambda c: c.complete(c.text.replace('"', "'").replace("null", "None")),
    "garbage": lambda c: c.complete("I am afraid the document does not say."),
    "wrong_types": _wrong_types,
    "wrong_keys": lambda c: c.complete('{"answer": {"fruit": "pear"}}'),
    "wrong_quotes": lambda c: _misquote(c, lambda quote: "words that stand nowhere in any paper at all"),
    "changed_digits": lambda c: _misquote(c, _changed_digit),
    "truncated": _truncated,
    "context_length": lambda c: error(400, **TOO_LONG[c.options.get("style", "openai")]),  # type: ignore[arg-type]
    "too_large_413": lambda _: Plan(status=413, headers={"content-type": "text/html"}, body=HTML.encode()),
    "content_filter": _filter_400,
    "content_filter_finish": lambda c: c.complete("", finish="content_filter"),
    "loop": _looping,
    "refusal": lambda c: c.complete("", refusal="I cannot help with that."),
    "insufficient_quota": lambda _: error(
        429, "You exceeded your current quota.", type="insufficient_quota", code="insufficient_quota"
    ),
    "payment_402": lambda _: error(402, "Insufficient Balance", type="unknown_error"),
    "unauthorized_401": _unauthorized,
    "forbidden_403": lambda _: error(403, "Project does not have access to model."),
    "model_not_found": lambda c: error(
        404,
        f"The model `{c.body.get('model')}` does not exist or you do not have access to it.",
        code="model_not_found",
    ),
    "bad_request": lambda _: error(400, "Invalid value for 'messages[0].role'."),
    "redirect": lambda c: Plan(status=307, headers={"location": c.options.get("to", "http://127.0.0.1:1/")}),
}
