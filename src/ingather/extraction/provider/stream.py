"""An answer that comes in pieces: server-sent events put together to the completion they stand for. No I/O."""

import json
from collections.abc import Mapping
from typing import Any

# Bytes of one event. A provider that sends the whole answer in one event has less than this; the rest is no event.
LONGEST_EVENT = 4 * 1024 * 1024


class StreamedCompletion:
    """Takes bytes as they come. `body()` is the chat completion that the pieces add up to so far.

    A server that does not know streaming sends one JSON body instead: then
    nothing here is an event, `is_stream` stays false, and the caller reads
    the body whole.
    """

    def __init__(self) -> None:
        self.is_stream = False
        self.is_done = False
        self.text = ""
        self._rest = b""
        self._reasoning = 0
        self._arguments = ""
        self._refusal = ""
        self._finish: str | None = None
        self._top: dict[str, Any] = {}
        self._error: Any = None

    @property
    def written(self) -> int:
        """Characters the model has written so far, its thoughts included; blank lines between events are none."""
        return len(self.text) + len(self._arguments) + len(self._refusal) + self._reasoning

    @property
    def answer(self) -> str:
        """The text of the answer so far, wherever the provider puts it."""
        return self._arguments if self._arguments.strip() else self.text

    def feed(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._line(line.strip())
        if len(self._rest) > LONGEST_EVENT:
            self._rest = b""

    def body(self) -> dict[str, Any]:
        """A completion in the form of an answer that was not streamed; or the error that was sent instead."""
        if self._error is not None:
            return {"error": self._error}
        message: dict[str, Any] = {"role": "assistant", "content": self.text, "refusal": self._refusal}
        if self._arguments:
            message["tool_calls"] = [{"function": {"arguments": self._arguments}}]
        return {**self._top, "choices": [{"message": message, "finish_reason": self._finish}]}

    def _line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        self.is_stream = True
        data = line[5:].strip()
        if data == b"[DONE]":
            self.is_done = True
            return
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(event, dict):
            self._event(event)

    def _event(self, event: dict[str, Any]) -> None:
        if event.get("error"):
            self._error = event["error"]
            return
        for name in ("id", "model", "usage"):
            if event.get(name):
                self._top[name] = event[name]
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        if isinstance(choice.get("finish_reason"), str):
            self._finish = choice["finish_reason"]
        # Some servers send the whole message in their last event, or in their only one.
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            self._delta(delta)

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self.text += _text_of_piece(delta.get("content"))
        self._refusal += _text_of_piece(delta.get("refusal"))
        self._reasoning += len(_text_of_piece(delta.get("reasoning_content")) or _text_of_piece(delta.get("reasoning")))
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, Mapping) else None
            if isinstance(function, Mapping):
                arguments = function.get("arguments")
                self._arguments += (
                    arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
                )


def _text_of_piece(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else ()
    return "".join(_text_of_piece(part.get("text")) for part in parts if isinstance(part, Mapping))
