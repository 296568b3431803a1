"""The desk: all calls to a model. Nothing is paid for twice, silences are kept, and every call is written down."""

import asyncio
import hashlib
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import orjson

from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, RetryLater
from ingather.extraction.conversation.interview import ModelAnswer
from ingather.extraction.conversation.ledger import (
    LedgerCall,
    Permission,
    add_call_to_ledger,
    give_back_to_ledger,
    ledger_hash_of_request,
    ledger_permission_before_call,
    replayed_from_ledger,
)
from ingather.extraction.conversation.under_way import show_answers_under_way
from ingather.extraction.provider import (
    ChatClient,
    ChatReply,
    ChatRequest,
    Endpoint,
    ErrorKind,
    Message,
    ModelError,
    NotSent,
    PauseTask,
    Usage,
    cost,
    estimate_tokens,
    pace_for,
    parse_reply,
    price_of,
    prompt_tokens,
    redact,
    route,
)
from ingather.extraction.provider.redaction import REMOVED, SHORTEST_SECRET
from ingather.extraction.task import Task
from ingather.notice import edited, notice, notice_fields

# Tokens of one answer. Some models allow no more; a smaller number would cut answers of 60 cells.
MAX_TOKENS = 8_000
# For providers that cannot stream: what the longest answer takes of a model that writes 20 tokens a second.
DEADLINE_S = 400.0
SHORT_SILENCE_S = 5.0  # is waited for; a longer one gives the document back
# Tries of one question with short silences in between. After that the document goes back and makes room for others.
SHORT_TRIES = 10
# Callers start again within this time after a silence, and not all at once.
SPREAD_S = 0.25
GOOD_FOR_S = 0.25  # how long a permission holds: meanwhile another machine may have met a refusal
# Permissions that expired before the call could start. After so many the machine is too busy to call at all.
LATE_TRIES = 20
# How soon a document comes back whose task is paused. The pause holds it back, so this adds nothing to the queue.
PAUSED_S = 0.2
# How soon a document comes back that waits for others: for calls that use up the cap, or for a busy machine.
SETTLING_S = (0.5, 1.5)
# The pauses between tries to write down a paid answer: a restart of the database takes several seconds.
WAITS_S = (0.2, 0.5, 1.0, 2.0, 4.0)
# Token counts above this are nonsense of a provider; JSON readers could not read them exactly.
LARGEST_COUNT = 2**53
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")


def queue_of_desk(endpoint: Endpoint) -> str:
    """One gate for provider, key and model: all tasks that use them share its limits, on all machines."""
    key = endpoint.api_key.fingerprint if endpoint.api_key else ""
    parts = f"{endpoint.base_url}\n{key}\n{endpoint.model}"
    return f"model_{hashlib.sha256(parts.encode()).hexdigest()[:16]}"


class Desk:
    """Calls one endpoint. It belongs to the event loop that uses it first."""

    def __init__(self, engine: Engine, endpoint: Endpoint, client: ChatClient | None = None) -> None:
        self.endpoint = endpoint
        self.queue = queue_of_desk(endpoint)
        self._engine = engine
        self._client = client or ChatClient(endpoint)
        self._silent_until = 0.0
        self._has_queue = False

    async def find_context(self) -> int | None:
        """The context of the model, where it is known or the server says it."""
        return await self._client.find_context()

    @property
    def context_tokens(self) -> int | None:
        """The context of the model, as far as it is known by now."""
        return self._client.context_tokens

    async def ask(
        self, task: Task, ordinal: int, step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int
    ) -> ModelAnswer:
        """The model's answer to one question about one document of a task, from the ledger if it is there.

        `room`: how many tokens the answer may take.
        """
        call = LedgerCall(
            task_id=task.id, ordinal=ordinal, step=step, request_sha256=ledger_hash_of_request(task, messages, schema)
        )
        await self._open()
        request = ChatRequest(messages=messages, schema=schema, max_tokens=min(room, MAX_TOKENS), deadline_s=DEADLINE_S)
        request = replace(request, pace=pace_for(prompt_tokens(request), request.max_tokens))
        tried = late = 0
        while True:
            tried += 1
            permission = await self._permission(call, request)
            if permission.known is not None:
                return replayed_from_ledger(*permission.known)
            try:
                return await self._call(call, replace(request, may_send=self._may_send(late)), permission)
            except NotSent:
                tried, late = tried - 1, late + 1
                await self._not_sent(permission, late)
            except ModelError as error:
                silence_s = await self._note_error(call, error, permission)
                if tried == SHORT_TRIES or not 0 < silence_s <= SHORT_SILENCE_S:
                    raise
            except BaseException:
                # The call was broken off, and its cost will never be known.
                with suppress(DatabaseUnavailable):
                    await asyncio.shield(self._cancel_reservation(permission))
                raise

    async def _not_sent(self, permission: Permission, late: int) -> None:
        """Wait a moment before the next try, unless the machine is too busy to call at all."""
        await asyncio.shield(self._cancel_reservation(permission))
        if late == LATE_TRIES:
            raise RetryLater(
                random.uniform(*SETTLING_S),
                notice("model.worker_too_busy_call_time", "This worker is too busy to call in time."),
            ) from None
        await asyncio.sleep(random.uniform(0, SPREAD_S))

    def _may_send(self, late: int) -> Callable[[], bool]:
        """A function that says at the last moment whether a call may still be sent.

        It says no when the permission is old, or when another call of this
        process met a refusal. A machine that was late gets a little more time
        at each try, because it would never call otherwise.
        """
        good_until = time.monotonic() + GOOD_FOR_S * (1 + late / 4)
        return lambda: self._silent_until <= time.monotonic() <= good_until

    async def _call(self, call: LedgerCall, request: ChatRequest, permission: Permission) -> ModelAnswer:
        async with show_answers_under_way(self._engine.database, call) as see:
            reply = await self._client.complete(replace(request, on_writing=see))
        # The text as the ledger will give it later: a repeated interview must put the same questions.
        reply = replace(reply, text=self._keepable(reply.text))
        parts = ModelAnswer(object=parse_reply(reply), text=reply.text)
        # An answer that was paid for is kept even if this item is being stopped.
        await asyncio.shield(self._note(call, permission, "ok", reply, answer=reply.text))
        return parts

    async def _open(self) -> None:
        """Do everything slow before the permission is taken, so that the call follows it at once."""
        await self._client.open()
        if not self._has_queue:
            # The task may have been started by a process with another key, and then its queue is not this one.
            await self._engine.aset_queue(self.queue)
            self._has_queue = True

    async def _permission(self, call: LedgerCall, request: ChatRequest) -> Permission:
        """Wait until a call may be made, and reserve its cost. `known` holds the answer if no call is needed."""
        while True:
            permission = await self._engine.database.arun(
                ledger_permission_before_call(call, self.queue, partial(self._most, request))
            )
            if permission.known is not None:
                return permission
            if permission.pause_reason is not None:
                # Every answer is kept, so a document can stop anywhere.
                raise RetryLater(PAUSED_S, permission.pause_reason)
            if permission.is_refused and permission.under_way:
                raise RetryLater(
                    random.uniform(*SETTLING_S),
                    notice("model.calls_under_way_use_up", "Calls under way may use up the spending cap."),
                )
            if permission.is_refused:
                raise PauseTask(
                    notice(
                        "model.task_reached_spending_cap_raise",
                        "The task has reached its spending cap of {cap}. Raise the cap and resume it.",
                        cap=f"{permission.cap:f}",
                    )
                )
            # Another call of this process may have met a refusal during the statement.
            silence_s = max(permission.silence_s, self._silent_until - time.monotonic())
            if silence_s <= 0:
                return permission
            await self._cancel_reservation(permission)
            if silence_s > SHORT_SILENCE_S:
                raise RetryLater(silence_s, notice("model.provider_asked_silence", "The provider asked for silence."))
            # Spread out: if the first call is refused again, the others have not called yet.
            await asyncio.sleep(silence_s + random.uniform(0.01, SPREAD_S))

    def _most(self, request: ChatRequest) -> Decimal:
        """What a call may cost: nothing from the cache, and an answer as long as it may be."""
        parts = [*(message.content for message in request.messages), orjson.dumps(request.schema).decode()]
        usage = Usage(prompt=estimate_tokens(parts), completion=request.max_tokens)
        return cost(self.endpoint.model, usage) or Decimal(0)

    async def _cancel_reservation(self, permission: Permission) -> None:
        if permission.reserved_id is not None:
            await self._engine.database.arun(give_back_to_ledger(permission.reserved_id))

    async def _note_error(self, call: LedgerCall, error: ModelError, permission: Permission) -> float:
        """Write the error down. Returns how long the provider wants silence because of it."""
        ruling, silence_s = route(error, attempt=1), 0.0
        if error.kind is ErrorKind.RETRY_AFTER and isinstance(ruling, RetryLater):
            # At once and for everybody: others are about to call as well.
            silence_s = ruling.delay.total_seconds()
            self._silent_until = max(self._silent_until, time.monotonic() + silence_s)
            await asyncio.shield(self._engine.ahold_queue(self.queue, ruling.delay))
        # A cut answer has whole entries that are worth keeping; a second call would be cut off at the same place.
        is_cut = error.kind is ErrorKind.TRUNCATED and error.reply is not None
        answer = self._keepable(error.reply.text) if is_cut and error.reply else None
        noted = self._note(
            call,
            permission,
            error.kind.value,
            error.reply,
            sentence=error.sentence,
            answer=answer,
            took_s=error.took_s,
        )
        await asyncio.shield(noted)
        return silence_s

    async def _note(
        self,
        call: LedgerCall,
        permission: Permission,
        outcome: str,
        reply: ChatReply | None,
        *,
        sentence: str = "",
        answer: str | None = None,
        took_s: float = 0.0,
    ) -> None:
        """Write a call down, also when the database is away for a moment: it would have to be paid for again."""
        usage = reply.usage if reply else Usage()
        text = edited(sentence, redact)
        fields = notice_fields(text)
        # The name in the reply may be that of a dated version, or of nothing we know.
        priced = next((name for name in (reply.model, self.endpoint.model) if price_of(name)), "") if reply else ""
        price = price_of(priced)
        # Without a usage in the reply the call was still not free: it counts as the reserved amount, or, without a
        # cap, as a call of unknown cost.
        has_usage = usage.prompt > 0 or usage.completion > 0
        values = {
            "task_id": call.task_id,
            "ordinal": call.ordinal,
            "step": call.step,
            "request_sha256": call.request_sha256,
            "outcome": outcome,
            "sentence": text,
            "notice": None if fields is None else orjson.dumps(fields).decode(),
            "answer": answer,
            "model": self._keepable(reply.model) if reply else "",
            "prompt_tokens": min(usage.prompt, LARGEST_COUNT),
            "cached_tokens": min(usage.cached, LARGEST_COUNT),
            "completion_tokens": min(usage.completion, LARGEST_COUNT),
            "cost": None if reply is None else cost(priced, usage, permission.at) if has_usage else permission.most,
            "currency": price.currency if price else None,
            "took_ms": int(1000 * (reply.took_s if reply else took_s)),
            "aside": permission.reserved_id,
        }
        await self._write_down(values)

    async def _write_down(self, values: dict[str, Any]) -> None:
        for wait_s in WAITS_S:
            with suppress(DatabaseUnavailable):
                await self._engine.database.arun(add_call_to_ledger(values))
                return
            await asyncio.sleep(wait_s)
        await self._engine.database.arun(add_call_to_ledger(values))

    def _keepable(self, text: str) -> str:
        """The text without what a database cannot keep, and without our key, in case a provider repeats it.

        Only the key itself is removed: other text that looks like a key may be
        a part of the paper, and a quote must be found there.
        """
        for secret in self.endpoint.secrets:
            text = text.replace(secret, REMOVED) if len(secret) >= SHORTEST_SECRET else text
        return _UNKEEPABLE.sub("\ufffd", text)

    async def close(self) -> None:
        await self._client.close()
