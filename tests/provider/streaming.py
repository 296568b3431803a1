"""Completions sent in pieces, as servers stream them, and the ways in which a stream goes wrong. No I/O."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.provider.mischief import Plan

# Characters of one piece: about one token.
_PIECE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Streaming:
    """How a provider streams: `first_s` before the first piece, then `tokens_a_second`.

    `silent_after` and `broken_after` are shares of the answer after which
    nothing more comes, with the line open or cut. `beats` are blank lines
    that keep the line open while nothing is said, and `comments` are events
    that hold nothing else, as some send them.
    """

    first_s: float = 0.0
    tokens_a_second: float = 10_000.0
    silent_after: float | None = None
    broken_after: float | None = None
    beats: bool = False
    comments: bool = False

    @classmethod
    def of(cls, given: Any) -> "Streaming | None":
        match given:
            case Streaming() | None:
                return given
            case Mapping():
                return cls(**given)
            case _:
                return cls() if given else None


def streamed(plan: Plan, how: Streaming, *, with_usage: bool) -> Plan:
    """The same completion, in pieces."""
    completion = json.loads(plan.body)
    if "choices" not in completion:
        return plan
    [choice] = completion["choices"]
    message = choice["message"]
    calls = message.get("tool_calls")
    text = calls[0]["function"]["arguments"] if calls else message.get("content") or ""
    share = how.silent_after if how.silent_after is not None else how.broken_after
    kept = text if share is None else text[: int(len(text) * share)]
    head = {name: completion[name] for name in ("id", "model", "created")} | {"object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [{"role": "assistant"}]
    for start in range(0, len(kept), _PIECE):
        piece = kept[start : start + _PIECE]
        deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} if calls else {"content": piece})
    if message.get("refusal"):
        deltas.append({"refusal": message["refusal"]})
    events: list[Any] = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if share is None:
        events.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        if with_usage:
            events.append(head | {"choices": [], "usage": completion["usage"]})
    pieces = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    if how.comments:
        pieces = [b": keep-alive\n\n", *pieces]
    if share is None:
        pieces.append(b"data: [DONE]\n\n")
    return replace(
        plan,
        body=b"",
        headers={"content-type": "text/event-stream"},
        pieces=tuple(pieces),
        first_s=how.first_s,
        pause_s=1.0 / how.tokens_a_second,
        beats=how.beats,
        stays_silent=how.silent_after is not None,
    )
