"""The desk where models are asked: nothing is paid for twice, silences are kept, every call is written down."""

import asyncio
import hashlib
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import orjson

from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, RetryLater
from ingather.engine.script import Script, Statement
from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.interview import Told
from ingather.extraction.provider import (
    ChatClient,
    Endpoint,
    Kind,
    Message,
    ModelError,
    NotSent,
    PauseTask,
    Reply,
    Request,
    Usage,
    cost,
    estimate_tokens,
    parse_object,
    parse_reply,
    price_of,
    redact,
    route,
)
from ingather.extraction.provider.redaction import REMOVED, SHORTEST_SECRET
from ingather.extraction.tasks import statements as sql
from ingather.extraction.tasks.tasks import Task
from ingather.notice import edited, notice, notice_fields, noticed

MAX_TOKENS = 8_000
DEADLINE_S = 400.0  # what the longest answer takes of a model that writes 20 tokens a second
SHORT_SILENCE_S = 5.0  # is waited for; a longer one gives the document back
SHORT_TRIES = 10
SPREAD_S = 0.25
GOOD_FOR_S = 0.25  # so long is leave to call worth something: meanwhile another machine may have been silenced
LATE_TRIES = 20
PAUSED_S = 0.2
SETTLING_S = (0.5, 1.5)
TO_WRITE_DOWN = timedelta(minutes=1)
WAITS_S = (0.2, 0.5, 1.0, 2.0, 4.0)
LARGEST_COUNT = 2**53
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")


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
        self._silent_until = 0.0
        self._has_queue = False

    async def ask(
        self, task: Task, ordinal: int, step: str, messages: tuple[Message, ...], schema: dict[str, Any]
    ) -> Told:
        """The model's answer to one question about one document of a task, from the ledger if it is there."""
        call = _Call(task_id=task.id, ordinal=ordinal, step=step, request_sha256=_sha256(task, messages, schema))
        await self._open()
        request = Request(messages=messages, schema=schema, max_tokens=MAX_TOKENS, deadline_s=DEADLINE_S)
        tried = late = 0
        while True:
            tried += 1
            leave = await self._clear(call, request)
            if leave.known is not None:
                return _replayed(*leave.known)
            try:
                return await self._call(call, replace(request, may_send=self._may_send(late)), leave)
            except NotSent:
                await asyncio.shield(self._give_back(leave))
                tried, late = tried - 1, late + 1
                if late == LATE_TRIES:
                    raise RetryLater(
                        random.uniform(*SETTLING_S),
                        notice("model.worker_too_busy_call_time", "This worker is too busy to call in time."),
                    ) from None
                await asyncio.sleep(random.uniform(0, SPREAD_S))
            except ModelError as error:
                silence_s = await self._note_error(call, error, leave)
                if tried == SHORT_TRIES or not 0 < silence_s <= SHORT_SILENCE_S:
                    raise
            except BaseException:
                # It was broken off, and nobody will ever know what it cost.
                with suppress(DatabaseUnavailable):
                    await asyncio.shield(self._give_back(leave))
                raise

    def _may_send(self, late: int) -> Callable[[], bool]:
        """Not for long, and not once a colleague in this process was asked for silence. A machine that is always late
        gets a little more each time: it would never call at all."""
        good_until = time.monotonic() + GOOD_FOR_S * (1 + late / 4)
        return lambda: self._silent_until <= time.monotonic() <= good_until

    async def _call(self, call: "_Call", request: Request, leave: "_Leave") -> Told:
        reply = await self._client.complete(request)
        # From here on as it will be read from the ledger: a repeated interview must ask the same questions.
        reply = replace(reply, text=self._keepable(reply.text))
        told = Told(object=parse_reply(reply), text=reply.text)
        # An answer that was paid for is kept even if this item is being stopped.
        await asyncio.shield(self._note(call, leave, "ok", reply, answer=reply.text))
        return told

    async def _open(self) -> None:
        """Everything that takes its time, before it is asked whether a call may be made: then it is made at once."""
        await self._client.open()
        if not self._has_queue:
            # The task may have been started by a process with another key, and then its queue is not this one.
            await self._engine.aset_queue(self.queue)
            self._has_queue = True

    async def _clear(self, call: "_Call", request: Request) -> "_Leave":
        """Wait until a call may be made, and set aside what it may cost; or the answer, where it needs none."""
        while True:
            leave = await self._engine.database.arun(_before(call, self.queue, partial(self._most, request)))
            if leave.known is not None:
                return leave
            if leave.pause_reason is not None:
                # What was answered is kept, so a document can stop anywhere.
                raise RetryLater(PAUSED_S, leave.pause_reason)
            if leave.is_refused and leave.under_way:
                raise RetryLater(
                    random.uniform(*SETTLING_S),
                    notice("model.calls_under_way_use_up", "Calls under way may use up the spending cap."),
                )
            if leave.is_refused:
                raise PauseTask(
                    notice(
                        "model.task_reached_spending_cap_raise",
                        "The task has reached its spending cap of {cap}. Raise the cap and resume it.",
                        cap=f"{leave.cap:f}",
                    )
                )
            # A colleague in this process may have been asked for silence while the database was.
            silence_s = max(leave.silence_s, self._silent_until - time.monotonic())
            if silence_s <= 0:
                return leave
            await self._give_back(leave)
            if silence_s > SHORT_SILENCE_S:
                raise RetryLater(silence_s, notice("model.provider_asked_silence", "The provider asked for silence."))
            # Not all at once: the first to be refused again speaks for all who have not called yet.
            await asyncio.sleep(silence_s + random.uniform(0.01, SPREAD_S))

    def _most(self, request: Request) -> Decimal:
        """What a call may cost: nothing from the cache, and an answer as long as it may be."""
        told = [*(message.content for message in request.messages), orjson.dumps(request.schema).decode()]
        usage = Usage(prompt=estimate_tokens(told), completion=MAX_TOKENS)
        return cost(self.endpoint.model, usage) or Decimal(0)

    async def _give_back(self, leave: "_Leave") -> None:
        if leave.aside is not None:
            await self._engine.database.arun(_give_back(leave.aside))

    async def _note_error(self, call: "_Call", error: ModelError, leave: "_Leave") -> float:
        """Write it down; and for how long the provider wants silence because of it."""
        ruling, silence_s = route(error, attempt=1), 0.0
        if error.kind is Kind.RETRY_AFTER and isinstance(ruling, RetryLater):
            # At once and for everybody: others are about to call as well.
            silence_s = ruling.delay.total_seconds()
            self._silent_until = max(self._silent_until, time.monotonic() + silence_s)
            await asyncio.shield(self._engine.ahold_queue(self.queue, ruling.delay))
        # A cut answer has whole entries that are worth keeping; asked again, the model would be cut off there again.
        is_cut = error.kind is Kind.TRUNCATED and error.reply is not None
        answer = self._keepable(error.reply.text) if is_cut and error.reply else None
        noted = self._note(call, leave, error.kind.value, error.reply, sentence=error.sentence, answer=answer)
        await asyncio.shield(noted)
        return silence_s

    async def _note(
        self,
        call: "_Call",
        leave: "_Leave",
        outcome: str,
        reply: Reply | None,
        *,
        sentence: str = "",
        answer: str | None = None,
    ) -> None:
        """Write a call down, also when the database is away for a moment: it would have to be paid for again."""
        usage = reply.usage if reply else Usage()
        text = edited(sentence, redact)
        fields = notice_fields(text)
        # The name in the reply may be that of a dated version, or of nothing we know.
        priced = next((name for name in (reply.model, self.endpoint.model) if price_of(name)), "") if reply else ""
        price = price_of(priced)
        # A provider that does not tell what was used has not worked for nothing: it counts as what was set aside for
        # it, or, without a cap, as a call without a price.
        is_told = usage.prompt > 0 or usage.completion > 0
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
            "cost": None if reply is None else cost(priced, usage, leave.at) if is_told else leave.most,
            "currency": price.currency if price else None,
            "took_ms": int(1000 * reply.took_s) if reply else 0,
            "aside": leave.aside,
        }
        for wait_s in WAITS_S:
            with suppress(DatabaseUnavailable):
                await self._engine.database.arun(_add_call(values))
                return
            await asyncio.sleep(wait_s)
        await self._engine.database.arun(_add_call(values))

    def _keepable(self, text: str) -> str:
        """The text without what a database cannot keep, and without our key, should a provider repeat it.

        By value only: what looks like a key by its pattern may be a paper's
        words, and they have to be found in the paper.
        """
        for secret in self.endpoint.secrets:
            text = text.replace(secret, REMOVED) if len(secret) >= SHORTEST_SECRET else text
        return _UNKEEPABLE.sub("\ufffd", text)

    async def close(self) -> None:
        await self._client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    task_id: int
    ordinal: int
    step: str
    request_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leave:
    """What was found before a call: whether it may be made, and what was set aside for it.

    `at` is when that was, by the database's clock; prices may hang on it.
    """

    at: datetime
    known: list[str] | None = None
    silence_s: float = 0.0
    pause_reason: str | None = None
    cap: Decimal | None = None
    is_refused: bool = False
    under_way: int = 0
    aside: int | None = None
    most: Decimal | None = None


def _replayed(outcome: str, text: str) -> Told:
    """What a call brought when it was made."""
    if outcome == Kind.TRUNCATED:
        raise ModelError(
            Kind.TRUNCATED,
            notice("model.answer_cut_off", "The answer was cut off."),
            reply=Reply(text=text, finish="length"),
        )
    return Told(object=parse_object(text), text=text, is_known=True)


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


def _before(call: _Call, queue: str, most: Callable[[], Decimal]) -> Script[_Leave]:
    asked = {"request_sha256": call.request_sha256, "queue": queue, "task_id": call.task_id}
    [(known, silence_s, cap, pause_reason, pause_notice, at)] = yield Statement(sql.BEFORE_CALL, asked)
    pause_reason = None if pause_reason is None else noticed(pause_reason, pause_notice)
    leave = _Leave(at=at, known=known, silence_s=silence_s or 0.0, pause_reason=pause_reason, cap=cap)
    if cap is None or known is not None or pause_reason is not None or leave.silence_s > 0:
        return leave
    dearest = most()
    wanted = {"task_id": call.task_id, "most": dearest, "longest": timedelta(seconds=DEADLINE_S) + TO_WRITE_DOWN}
    yield Statement(sql.HOLD_TASK, wanted)
    [(aside, under_way)] = yield Statement(sql.SET_ASIDE, wanted)
    return replace(leave, aside=aside, most=dearest, is_refused=aside is None, under_way=under_way)


def _give_back(aside: int) -> Script[None]:
    yield Statement(sql.GIVE_BACK, {"aside": aside})


def _add_call(values: dict[str, Any]) -> Script[None]:
    yield Statement(sql.ADD_CALL, values)
