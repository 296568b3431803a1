"""Finds out how firmly an endpoint can be held to a schema, by trying, with at most five tiny calls."""

import secrets
import time
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.json_answer import parse_object
from ingather.extraction.provider.learning import is_about_format
from ingather.extraction.provider.wire import ChatReply, ChatRequest, Habits, Message, Rung, Usage

# One call for each rung, and one more. Each is paid for.
MOST_CALLS = 5
# A cap, not a cost: an answer takes about twenty, but models that think first need room to end.
MOST_TOKENS = 1024
# These say something about the rung; all others say something about the endpoint and end the probe.
_ABOUT_RUNG = frozenset(
    {
        ErrorKind.BAD_REQUEST,
        ErrorKind.BLANK,
        ErrorKind.BAD_JSON,
        ErrorKind.SCHEMA,
        ErrorKind.TRUNCATED,
        ErrorKind.CONTENT_FILTER,
    }
)

_FOUND = {
    Rung.JSON_SCHEMA: "answers to a JSON schema",
    Rung.TOOLS: "answers to a schema given as a tool",
    Rung.JSON_OBJECT: "answers in JSON, but holds to no schema; answers are checked and asked for again if needed",
    Rung.PLAIN: "has no JSON mode; JSON is asked for in words, and more answers may have to be repaired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an endpoint was seen to do. Good for caching: `to_json` and `of_json`.

    `models` is None where the provider gives no list. `model` is the id that
    the API returned.
    """

    rung: Rung
    limit_name: str = "max_tokens"
    takes_temperature: bool = True
    models: tuple[str, ...] | None = None
    model: str = ""
    calls: int = 0
    took_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    sentence: str = ""

    @property
    def habits(self) -> Habits:
        return self.added_to(Habits())

    def added_to(self, habits: Habits) -> Habits:
        """What is known of an endpoint besides, with what the probe has seen."""
        return replace(habits, rung=self.rung, limit_name=self.limit_name, takes_temperature=self.takes_temperature)

    def to_json(self) -> dict[str, Any]:
        return {
            "rung": self.rung.value,
            "limit_name": self.limit_name,
            "takes_temperature": self.takes_temperature,
            "models": None if self.models is None else list(self.models),
            "model": self.model,
            "calls": self.calls,
            "took_s": round(self.took_s, 3),
            "usage": {
                "prompt": self.usage.prompt,
                "cached": self.usage.cached,
                "completion": self.usage.completion,
                "reasoning": self.usage.reasoning,
            },
            "sentence": self.sentence,
        }

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> Self:
        models = kept.get("models")
        return cls(
            **kept
            | {
                "rung": Rung(kept["rung"]),
                "usage": Usage(**kept.get("usage", {})),
                "models": None if models is None else tuple(models),
            }
        )


class Probed(Protocol):
    """What a probe needs of a client."""

    calls_made: int

    @property
    def habits(self) -> Habits: ...

    async def complete(self, request: ChatRequest, *, most_calls: int) -> ChatReply: ...

    async def list_models(self) -> tuple[str, ...]: ...


async def probe(client: Probed, *, deadline_s: float = 60.0) -> Capabilities:
    """The firmest rung that held. Raises where the endpoint cannot be used at all, with the sentence to show."""
    start, before = time.monotonic(), client.calls_made
    usage, model = Usage(), ""
    found: Rung | None = None
    refusal: ModelError | None = None
    for rung in Rung:
        left = MOST_CALLS - (client.calls_made - before)
        if left <= 0:
            break
        question, key = _probe_question(rung, deadline_s)
        try:
            reply = await client.complete(question, most_calls=left)
        except ModelError as error:
            if error.kind not in _ABOUT_RUNG:
                raise
            usage, refusal = usage + (error.usage or Usage()), error
            if error.reply is not None:
                model = error.reply.model
            continue
        usage, model = usage + reply.usage, reply.model
        if rung is Rung.PLAIN or _holds_to_rung(reply, rung, key):
            found = rung
            break
    if found is None:
        # Nothing was answered. If the calls ran out over how JSON was asked for, asking in words is what is left.
        if not model and refusal is not None and not is_about_format(refusal.sentence):
            raise refusal
        found = Rung.PLAIN
    models = await _listed_models(client, before)
    calls = client.calls_made - before
    took_s = time.monotonic() - start
    habits = client.habits
    return Capabilities(
        rung=found,
        limit_name=habits.limit_name,
        takes_temperature=habits.takes_temperature,
        models=models,
        model=model,
        calls=calls,
        took_s=took_s,
        usage=usage,
        sentence=f"The model {model or 'at this address'} {_FOUND[found]}.",
    )


async def _listed_models(client: Probed, before: int) -> tuple[str, ...] | None:
    if client.calls_made - before >= MOST_CALLS:
        return None
    try:
        return await client.list_models()
    except ModelError:
        return None


def _probe_question(rung: Rung, deadline_s: float) -> tuple[ChatRequest, str]:
    """A question whose natural answer does not fit its schema, so that only a provider that enforces it can pass.

    The names are drawn anew each time and, where a schema should do the
    telling, are told nowhere else. The lower rungs promise no schema, so
    there the question asks for the key itself.
    """
    key, value = f"q{secrets.token_hex(3)}", f"v{secrets.token_hex(3)}"
    schema = {
        "type": "object",
        "properties": {key: {"type": "string", "enum": [value]}},
        "required": [key],
        "additionalProperties": False,
    }
    question = (
        "Name a fruit. Answer as JSON."
        if rung in {Rung.JSON_SCHEMA, Rung.TOOLS}
        else f'Answer with the JSON object {{"{key}": "{value}"}} and nothing else.'
    )
    request = ChatRequest(
        messages=(Message(role="user", content=question),),
        schema=schema,
        rung=rung,
        max_tokens=MOST_TOKENS,
        deadline_s=deadline_s,
    )
    return request, key


def _holds_to_rung(reply: ChatReply, rung: Rung, key: str) -> bool:
    # JSON mode means bare JSON; a fence around it is the mark of a provider that took the parameter and ignored it.
    if rung is Rung.JSON_OBJECT and not reply.text.strip().startswith("{"):
        return False
    try:
        return list(parse_object(reply.text)) == [key]
    except ModelError:
        return False
