"""A trial of a model in about a minute: is it there, how fast does it read and write, how large is its context.

Every number is measured by a call, and what was not measured is None.
"""

import secrets
import time
from dataclasses import dataclass, replace
from typing import Any

from ingather.extraction.provider.client import LOOP, ChatClient
from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.json_answer import salvage
from ingather.extraction.provider.listening import Writing
from ingather.extraction.provider.pace import AnswerPace
from ingather.extraction.provider.probe import Capabilities
from ingather.extraction.provider.servers import ModelServer
from ingather.extraction.provider.wire import ChatReply, ChatRequest, Message

# Tokens of the text that is read: two pages. Of fewer, the time until the first token says little about reading.
READ_TOKENS = 1_500
# Tokens that are written. Fewer would not show a loop; a model of two tokens a second takes a minute for them.
WRITE_TOKENS = 150
# The longest that each of the two calls is waited for; what came until then is measured.
LONGEST_S = 90.0
# Sentences of the text, about a paper that does not exist.
_SENTENCE = "In visit {n}, {size} of the adults of group {group} came back, and their mean score was {score:.1f}. "
_LIST_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "visits": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "properties": {"visit": {"type": "integer"}, "quote": {"type": "string"}},
                "required": ["visit", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["visits"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What was seen. Speeds are in tokens a second; `reads_whole` says whether the beginning of a long text arrived.

    `is_listed` is None where the server lists no models.
    """

    capabilities: Capabilities
    server: ModelServer | None
    context_tokens: int | None
    is_listed: bool | None
    reading: float | None
    writing: float | None
    reads_whole: bool | None
    repeats: bool
    took_s: float


@dataclass(slots=True, kw_only=True)
class _Watch:
    """How far an answer is: when it began, when it was last added to, and how much there is."""

    first_s: float | None = None
    last_s: float = 0.0
    tokens: int = 0

    def see(self, writing: Writing) -> None:
        self.first_s = writing.took_s if self.first_s is None else self.first_s
        self.last_s, self.tokens = writing.took_s, writing.tokens

    @property
    def speed(self) -> float | None:
        """Tokens a second after the first piece; none where all came at once."""
        took_s = self.last_s - (self.first_s or 0.0)
        return self.tokens / took_s if self.tokens and took_s > 0.05 else None


async def try_model(client: ChatClient) -> Trial:
    """Try the model. Raises `ModelError` where it cannot be used at all."""
    began = time.monotonic()
    await client.check()
    context = await client.find_context()
    capabilities = await client.probe()
    code = secrets.token_hex(4)
    text = _trial_text(code)
    reading, reads_whole = await _reading_speed(client, text, code)
    writing, repeats = await _write(client, text)
    models = capabilities.models
    return Trial(
        capabilities=capabilities,
        server=client.server,
        context_tokens=client.context_tokens or context,
        is_listed=None if models is None else client.endpoint.model in models,
        reading=reading,
        writing=writing,
        reads_whole=reads_whole,
        repeats=repeats,
        took_s=time.monotonic() - began,
    )


def _trial_text(code: str) -> str:
    """A text of that length with a code at its beginning: a server that cuts prompts cuts it off."""
    sentences = [
        _SENTENCE.format(n=n, size=40 + n % 17, group="AB"[n % 2], score=3.1 + n % 7)
        for n in range(1, READ_TOKENS // 24)
    ]
    return f"The code of this text is {code}.\n\n{''.join(sentences)}"


async def _reading_speed(client: ChatClient, text: str, code: str) -> tuple[float | None, bool | None]:
    """Tokens a second until the first piece of the answer, and whether the answer knows how the text begins."""
    watch = _Watch()
    question = f"{text}\n\nWhat is the code of this text? Answer with the code alone."
    reply, _ = await _ask(client, question, None, 64, watch)
    if reply is None:
        return None, None
    tokens = (reply.usage.prompt or len(question) // 4) - reply.usage.cached
    first_s = watch.first_s or reply.took_s
    return (tokens / first_s if tokens > 0 and first_s > 0 else None), code in reply.text


async def _write(client: ChatClient, text: str) -> tuple[float | None, bool]:
    """Tokens a second of an answer, and whether it is one thing again and again."""
    watch = _Watch()
    question = (
        f"{text}\n\nList the first ten visits in their order, each with the sentence about it as its quote. "
        'Answer in JSON: {"visits": [{"visit": 1, "quote": "…"}]}'
    )
    reply, error = await _ask(client, question, _LIST_FORM, WRITE_TOKENS, watch)
    is_loop = error is not None and error.reply is not None and error.sentence.startswith(LOOP)
    return watch.speed, is_loop or _repeats(reply or (error.reply if error else None))


def _repeats(reply: ChatReply | None) -> bool:
    """Whether an entry of the list stands in it more than twice."""
    visits = (salvage(reply.text) or {}).get("visits") if reply else None
    entries = [str(entry) for entry in visits] if isinstance(visits, list) else []
    return any(entries.count(entry) > 2 for entry in entries)


async def _ask(
    client: ChatClient, question: str, schema: dict[str, Any] | None, most: int, watch: _Watch
) -> tuple[ChatReply | None, ModelError | None]:
    """The reply, also one that was cut off; errors that the probe would have met are no reason to give up."""
    request = ChatRequest(
        messages=(Message(role="user", content=question),),
        schema=schema,
        max_tokens=most,
        least_tokens=1,
        deadline_s=LONGEST_S,
        pace=replace(AnswerPace(first_s=LONGEST_S, max_tokens=most), longest_s=LONGEST_S),
        on_writing=watch.see,
    )
    try:
        return await client.complete(request), None
    except ModelError as error:
        if error.kind in {ErrorKind.AUTH, ErrorKind.QUOTA, ErrorKind.NETWORK}:
            raise
        return error.reply, error
