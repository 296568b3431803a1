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
    "tools": "This model does not support tools.",
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "temperature": "Unsupported value: 'temperature' does not support 0, only the default (1).",
}


def _features(body: Mapping[str, Any]) -> set[str]:
    features = {name for name in ("tools", "max_tokens", "temperature", "stream", "stream_options") if name in body}
    features |= {"maxItems"} & set(re.findall("maxItems", json.dumps(body.get("response_format", ""))))
    return features | {kind for kind in [(body.get("response_format") or {}).get("type")] if kind}


def refuse(body: Mapping[str, Any], rejects: frozenset[str]) -> Plan | None:
    """The 400 for the first parameter that this provider does not know."""
    for name in sorted(_features(body) & rejects):
        return error(400, REFUSALS[name], code="unsupported_parameter")
    return None


def refuse_long(body: Mapping[str, Any], context_tokens: int | None) -> Plan | None:
    """The 400 of a server with a small context, in the words of vLLM, which counts the answer's room as well."""
    if context_tokens is None:
        return None
    prompt = sum(max(1, len(str(message.get("content", ""))) // 4) for message in body.get("messages", ()))
    room = int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
    if prompt + room <= context_tokens:
        return None
    return error(
        400,
        f"This model's maximum context length is {context_tokens} tokens. However, you requested "
        f"{prompt + room} tokens "
        f"({prompt} in the messages, {room} in the completion).",
        type="BadRequestError",
        code=400,
    )


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
