"""The desk where models are asked: nothing is paid for twice, silences are kept, every call is written down."""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from ingather.engine.engine import Engine
from ingather.engine.errors import RetryLater
from ingather.engine.script import Ask as Step
from ingather.engine.script import Script
from ingather.extraction import prompt
from ingather.extraction import statements as sql
from ingather.extraction.interview import Told
from ingather.extraction.provider import (
    ChatClient,
    Endpoint,
    Kind,
    Message,
    ModelError,
    PauseTask,
    Reply,
    Request,
    cost,
    parse_object,
    parse_reply,
    price_of,
    redact,
    route,
)
from ingather.extraction.tasks import Task

MAX_TOKENS = 8_000
DEADLINE_S = 180.0
SHORT_SILENCE_S = 5.0


def queue_of(endpoint: Endpoint) -> str:
    """One gate for provider, key and model: all tasks that use them share its limits, on all machines."""
    key = endpoint.api_key.fingerprint if endpoint.api_key else ""
    told = f"{endpoint.base_url}\n{key}\n{endpoint.model}"
    return f"model_{hashlib.sha256(told.encode()).hexdigest()[:16]}"


class Desk:
    """Asks one endpoint. Belongs to the event loop that uses it first."""

    def __init__(self, engine: Engine, endpoint: Endpoint, client: ChatClient | None = None) -> None:
        self.endpoint = endpoint
        self.queue = queue_of(endpoint)
        self._engine = engine
        self._client = client or ChatClient(endpoint)

    async def ask(
        self, task: Task, ordinal: int, step: str, messages: tuple[Message, ...], schema: dict[str, Any]
    ) -> Told:
        """The model's answer to one question about one document of a task, from the ledger if it is there."""
        call = _Call(task_id=task.id, ordinal=ordinal, step=step, request_sha256=_sha256(task, messages, schema))
        known = await self._clear(call)
        if known is not None:
            return Told(object=parse_object(known), text=known)
        try:
            reply = await self._client.complete(
                Request(messages=messages, schema=schema, max_tokens=MAX_TOKENS, deadline_s=DEADLINE_S)
            )
            told = Told(object=parse_reply(reply), text=reply.text)
        except ModelError as error:
            await self._note_error(call, error)
            raise
        # An answer that was paid for is kept even if this item is being stopped.
        await asyncio.shield(self._engine.arun(_note(call, "ok", reply, answer=reply.text)))
        return told

    async def _clear(self, call: "_Call") -> str | None:
        """Wait until a call may be made; or the answer, where it needs none."""
        while True:
            known, silence_s, spent, cap = await self._engine.arun(_before(call, self.queue))
            if known is not None:
                return str(known)
            if cap is not None and spent >= cap:
                raise PauseTask(f"The task has reached its spending cap of {cap}. Raise the cap and resume it.")
            if silence_s is None or silence_s <= 0:
                return None
            if silence_s > SHORT_SILENCE_S:
                raise RetryLater(silence_s, "The provider asked for silence.")
            await asyncio.sleep(silence_s + 0.01)

    async def _note_error(self, call: "_Call", error: ModelError) -> None:
        ruling = route(error, attempt=1)
        if error.kind is Kind.RETRY_AFTER and isinstance(ruling, RetryLater):
            # At once and for everybody: others are about to call as well.
            await asyncio.shield(self._engine.ahold_queue(self.queue, ruling.delay))
        await asyncio.shield(self._engine.arun(_note(call, error.kind.value, error.reply, sentence=error.sentence)))

    async def close(self) -> None:
        await self._client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    task_id: int
    ordinal: int
    step: str
    request_sha256: str


def _sha256(task: Task, messages: tuple[Message, ...], schema: dict[str, Any]) -> str:
    """What makes two calls the same. Projects share nothing, not even an answer."""
    told = [
        prompt.VERSION,
        task.project_id,
        task.base_url,
        task.model,
        [(message.role, message.content) for message in messages],
        schema,
    ]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _before(call: _Call, queue: str) -> Script[tuple[Any, ...]]:
    asked = {"request_sha256": call.request_sha256, "queue": queue, "task_id": call.task_id}
    [row] = yield Step(sql.BEFORE_CALL, asked)
    return row


def _note(
    call: _Call, outcome: str, reply: Reply | None, *, sentence: str = "", answer: str | None = None
) -> Script[None]:
    usage = reply.usage if reply else None
    price = price_of(reply.model) if reply else None
    yield Step(
        sql.ADD_CALL,
        {
            "task_id": call.task_id,
            "ordinal": call.ordinal,
            "step": call.step,
            "request_sha256": call.request_sha256,
            "outcome": outcome,
            "sentence": redact(sentence),
            "answer": None if answer is None else redact(answer).replace("\0", "\ufffd"),
            "model": reply.model if reply else "",
            "prompt_tokens": usage.prompt if usage else 0,
            "cached_tokens": usage.cached if usage else 0,
            "completion_tokens": usage.completion if usage else 0,
            "cost": cost(reply.model, usage) if reply and usage else None,
            "currency": price.currency if price else None,
            "took_ms": int(1000 * reply.took_s) if reply else 0,
        },
    )
