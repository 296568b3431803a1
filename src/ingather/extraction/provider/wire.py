"""Requests to a model and its replies, and the translation between them and the wire. No I/O."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from ingather.extraction.provider.listening import Writing
from ingather.extraction.provider.pace import AnswerPace

SCHEMA_NAME = "answer"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Estimates are a rule of thumb and tokenizers differ: what looks like 100 tokens may be 120. A larger margin wastes a
# small context, a smaller one is refused more often, which costs a call.
MARGIN = 1.2
LIMIT_HEADERS = ("retry-after", "x-ratelimit-")


class Rung(StrEnum):
    """How a provider is made to answer in JSON; from the firmest hold to none."""

    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"

    @property
    def below(self) -> "Rung | None":
        rungs = list(Rung)
        place = rungs.index(self) + 1
        return rungs[place] if place < len(rungs) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a model.

    The messages must tell the schema in words too: below `json_schema` and
    `tools` nothing else does, and some providers take a schema and ignore it.
    With `rung=None` the firmest rung that the endpoint is known to take is
    used. With a `pace` the answer is read as it comes, within the deadlines of
    that pace, and `on_writing` is called with each piece. Without one, or
    where the provider cannot stream, `deadline_s` is wall-clock time for the
    whole call. `least_tokens` is the room without which asking is of no use.
    `may_send` has the last word: it is asked when nothing is left to do but
    to send, which on a busy machine can be long after the call was begun.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    rung: Rung | None = None
    max_tokens: int
    least_tokens: int = 256
    temperature: float = 0.0
    deadline_s: float = 120.0
    pace: AnswerPace | None = None
    on_writing: Callable[[Writing], None] = lambda _: None
    may_send: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that were billed. `cached` is part of `prompt`, `reasoning` is part of `completion`."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            completion=self.completion + other.completion,
            reasoning=self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The reply, as it came. `model` is the id that the API returned, which may differ from the requested one."""

    text: str = field(repr=False)
    finish: str
    refusal: str = field(default="", repr=False)
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    request_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    rung: Rung = Rung.PLAIN
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What an endpoint is known to take, and how many tokens of context it has, where it has said so.

    `thinks`: the model writes thoughts before its answer, which need room.
    `margin`: tokens that its tokenizer makes of one that we estimate.
    `more` is added to every call, by name and value.
    """

    rung: Rung = Rung.JSON_SCHEMA
    limit_name: str = "max_tokens"
    takes_temperature: bool = True
    streams: bool = True
    takes_stream_options: bool = True
    takes_list_limits: bool = True
    context_tokens: int | None = None
    thinks: bool = False
    margin: float = MARGIN
    more: tuple[tuple[str, Any], ...] = ()


def body_of(request: ChatRequest, model: str, habits: Habits, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON to post. `extra` belongs to the endpoint and has the last word."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            # A lone surrogate cannot be encoded, and text out of a PDF may hold one.
            {"role": message.role, "content": _SURROGATE.sub("\ufffd", message.content)}
            for message in request.messages
        ],
        habits.limit_name: request.max_tokens,
    }
    if habits.takes_temperature:
        body["temperature"] = request.temperature
    if request.schema is not None:
        schema = request.schema if habits.takes_list_limits else without_list_limits(request.schema)
        body |= _response_format(rung_of(request, habits), schema)
    if request.pace is not None and habits.streams:
        body["stream"] = True
        if habits.takes_stream_options:
            body["stream_options"] = {"include_usage": True}
    return {**body, **dict(habits.more), **extra}


def without_list_limits(schema: Any) -> Any:
    """The schema for providers that refuse bounds on the length of a list."""
    match schema:
        case Mapping():
            return {name: without_list_limits(inner) for name, inner in schema.items() if name != "maxItems"}
        case list():
            return [without_list_limits(inner) for inner in schema]
        case _:
            return schema


def rung_of(request: ChatRequest, habits: Habits) -> Rung:
    return Rung.PLAIN if request.schema is None else request.rung or habits.rung


def _response_format(rung: Rung, schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": SCHEMA_NAME, "strict": True}
    match rung:
        case Rung.JSON_SCHEMA:
            return {"response_format": {"type": "json_schema", "json_schema": named | {"schema": schema}}}
        case Rung.TOOLS:
            return {
                "tools": [{"type": "function", "function": named | {"parameters": schema}}],
                "tool_choice": {"type": "function", "function": {"name": SCHEMA_NAME}},
            }
        case Rung.JSON_OBJECT:
            return {"response_format": {"type": "json_object"}}
        case Rung.PLAIN:
            return {}


def reply_of(body: Mapping[str, Any], headers: Mapping[str, str], *, rung: Rung, took_s: float) -> ChatReply:
    """Read a chat completion, trusting none of its shapes: what is missing or of the wrong type is empty."""
    choice = _as_mapping(next(iter(_as_list(body.get("choices"))), None))
    message = _as_mapping(choice.get("message"))
    call = _as_mapping(_as_mapping(next(iter(_as_list(message.get("tool_calls"))), None)).get("function"))
    arguments = call.get("arguments")
    return ChatReply(
        text=arguments
        if isinstance(arguments, str) and arguments.strip()
        else _text_of_content(message.get("content")),
        finish=_text_of_content(choice.get("finish_reason")),
        refusal=_text_of_content(message.get("refusal")),
        usage=usage_of(_as_mapping(body.get("usage"))),
        model=_text_of_content(body.get("model"))[:200],
        request_id=(headers.get("x-request-id") or _text_of_content(body.get("id")))[:200],
        headers={name.lower(): value for name, value in headers.items() if name.lower().startswith(LIMIT_HEADERS)},
        rung=rung,
        took_s=took_s,
    )


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Tokens as OpenAI, DeepSeek and Moonshot name them. Unknown is 0; what lies outside its whole is cut to it."""
    prompt = _token_count(usage.get("prompt_tokens"), usage.get("input_tokens"))
    completion = _token_count(usage.get("completion_tokens"), usage.get("output_tokens"))
    cached = _token_count(
        _as_mapping(usage.get("prompt_tokens_details")).get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
    )
    reasoning = _token_count(_as_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return Usage(prompt=prompt, cached=min(cached, prompt), completion=completion, reasoning=min(reasoning, completion))


def _token_count(*candidates: Any) -> int:
    for candidate in candidates:
        if isinstance(candidate, int) and not isinstance(candidate, bool) and candidate > 0:
            return candidate
    return 0


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text_of_content(value: Any) -> str:
    if isinstance(value, str):
        return value
    # Some providers send the content as a list of parts.
    return "".join(_text_of_content(_as_mapping(part).get("text")) for part in _as_list(value))
