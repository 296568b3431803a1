"""The honest half of the provider: completions in their envelope, token counts, and refusals of parameters."""

import hashlib
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from tests.provider.mischief import Plan, error

REFUSALS = {
    "stream": "Unsupported parameter: 'stream' is not supported with this model.",
    "stream_options": "Extra inputs are not permitted: stream_options",
    "maxItems": "Invalid schema for response_format: 'maxItems' is not permitted.",
    "json_schema": "This response_format type is unavailable now",
    "json_object": "'response_format' of type 'json_object' is not supported with this model.",
    "thinking": "Json mode response is not supported when enable_thinking is true",
    "tools": "This model does not support tools.",
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "temperature": "Unsupported value: 'temperature' does not support 0, only the default (1).",
}


def _features(body: Mapping[str, Any]) -> set[str]:
    features = {name for name in ("tools", "max_tokens", "temperature", "stream", "stream_options") if name in body}
    if body.get("enable_thinking") is not False:
        features.add("thinking")
    features |= {"maxItems"} & set(re.findall("maxItems", json.dumps(body.get("response_format", ""))))
    return features | {kind for kind in [(body.get("response_format") or {}).get("type")] if kind}


def refuse(body: Mapping[str, Any], rejects: frozenset[str]) -> Plan | None:
    """The 400 for the first parameter that this provider does not know."""
    for name in sorted(_features(body) & rejects):
        return error(400, REFUSALS[name], code="unsupported_parameter")
    return None


# Servers say this of a request that exceeds their context, with its size and the size of the context.
TOO_LONG: dict[str, tuple[int, str, dict[str, Any]]] = {
    "vllm": (
        400,
        (
            "This model's maximum context length is {context} tokens. However, you requested {tokens} tokens "
            "({prompt} in the messages, {room} in the completion)."
        ),
        {"type": "BadRequestError", "code": 400},
    ),
    "llamacpp": (
        400,
        "request ({tokens} tokens) exceeds the available context size ({context} tokens), try increasing it",
        {"type": "exceed_context_size_error", "code": 400},
    ),
    "llamacpp_500": (500, "Context size has been exceeded.", {"type": "server_error", "code": 500}),
    "mistral": (
        400,
        "Prompt contains {tokens} tokens, too large for model with {context} maximum context length",
        {"type": "invalid_request_prompt", "code": "3051"},
    ),
    "openai": (
        400,
        "This model's maximum context length is {context} tokens. However, your messages resulted in {tokens} tokens.",
        {"type": "invalid_request_error", "code": "context_length_exceeded"},
    ),
    "anthropic": (400, "prompt is too long: {tokens} tokens > {context} maximum", {"type": "invalid_request_error"}),
    "qwen": (400, "Range of input length should be [1, {context}]", {"code": "invalid_parameter_error"}),
}


def refuse_long(body: Mapping[str, Any], context_tokens: int | None, style: str) -> Plan | None:
    """The refusal of a server with a small context. Those that count the answer's room as well do so here."""
    if context_tokens is None or style == "silent":
        return None
    prompt = _prompt_tokens(body)
    room = int(body.get("max_tokens") or body.get("max_completion_tokens") or 0) if style == "vllm" else 0
    if prompt + room <= context_tokens:
        return None
    status, message, more = TOO_LONG[style]
    return error(status, message.format(context=context_tokens, tokens=prompt + room, prompt=prompt, room=room), **more)


def _prompt_tokens(body: Mapping[str, Any]) -> int:
    return sum(max(1, len(str(message.get("content", ""))) // 4) for message in body.get("messages", ()))


def without_beginning(body: Mapping[str, Any], context_tokens: int) -> dict[str, Any]:
    """The request as a server reads it that cuts what does not fit: the oldest messages go, then their beginning."""
    left = 4 * context_tokens
    kept: list[dict[str, Any]] = []
    for message in reversed(body.get("messages", ())):
        content = str(message.get("content", ""))
        if left > 0:
            kept.insert(0, dict(message) | {"content": content[-left:]})
        left -= len(content)
    return dict(body) | {"messages": kept}


def stripped(body: Mapping[str, Any], ignores: frozenset[str]) -> dict[str, Any]:
    """The request as a provider reads it that takes parameters and does not heed them."""
    read = dict(body)
    if _features({"response_format": body.get("response_format")}) & ignores:
        del read["response_format"]
    if "tools" in ignores:
        read.pop("tools", None)
        read.pop("tool_choice", None)
    return read


class Books:
    """Counts tokens, four characters each, and remembers which beginnings of prompts are in its cache."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._seen: set[str] = set()

    def complete(
        self,
        body: Mapping[str, Any],
        heeded: Mapping[str, Any],
        text: str,
        *,
        number: int,
        finish: str = "stop",
        refusal: str | None = None,
    ) -> Plan:
        """A completion with that text, where the request wants it. Held to no format, it is chatty."""
        usage = self._usage(body, text)
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
        if heeded.get("tools"):
            function = {"name": heeded["tools"][0]["function"]["name"], "arguments": text}
            message |= {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}
        elif body.get("response_format") and not heeded.get("response_format") and text.startswith("{"):
            message["content"] = f"Of course:\n```json\n{text}\n```"
        made = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            "usage": usage,
        }
        flat = {name: value for name, value in usage.items() if isinstance(value, int)}
        return Plan(body=json.dumps(made).encode(), usage=flat)

    def _usage(self, body: Mapping[str, Any], text: str) -> dict[str, Any]:
        digest, prompt, cached = hashlib.sha256(), 0, 0
        beginnings = []
        for message in body.get("messages", ()):
            content = str(message.get("content", ""))
            digest.update(content.encode("utf-8", "surrogatepass") + b"\0")
            prompt += max(1, len(content) // 4)
            beginnings.append(digest.hexdigest())
            if beginnings[-1] in self._seen:
                cached = prompt
        self._seen.update(beginnings)
        completion = max(1, len(text) // 4)
        usage: dict[str, Any] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        if self._dialect == "deepseek":
            return usage | {"prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": prompt - cached}
        return usage | {
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
