"""The model client: a small protocol of our own, and the one that speaks to OpenAI-compatible providers."""

import asyncio
import json
import logging
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urlsplit

from ingather.extraction.provider.check import check
from ingather.extraction.provider.classify import check_reply, classify, classify_body
from ingather.extraction.provider.context_size import estimated_tokens, prompt_tokens, with_room
from ingather.extraction.provider.endpoint import Endpoint
from ingather.extraction.provider.error_report import error_report
from ingather.extraction.provider.errors import ErrorKind, ModelError, NotSent
from ingather.extraction.provider.json_answer import salvage
from ingather.extraction.provider.learning import after_reply, learn
from ingather.extraction.provider.listening import Listening, LoopFound
from ingather.extraction.provider.pace import CHARACTERS_A_TOKEN, pace_for
from ingather.extraction.provider.probe import Capabilities, probe
from ingather.extraction.provider.redaction import redact
from ingather.extraction.provider.servers import ModelServer, context_in_page, context_of, first_habits, server_at
from ingather.extraction.provider.wire import ChatReply, ChatRequest, Habits, Usage, body_of, reply_of, rung_of
from ingather.notice import joined, notice

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ingather.extraction.provider.transport import Answered, Transport

log = logging.getLogger("ingather.model")

# Models of a list that are kept; gateways offer several hundred.
MOST_MODELS = 2_000
# A list of models is a courtesy of the probe, which should not wait long for it.
LIST_DEADLINE_S = 20.0
# Calls for one question while an endpoint is learned: each refusal may teach one habit, and there are five.
MOST_CALLS = 6

LOOP = notice("provider.answer_repeats_itself", "The model repeats itself and was stopped.")

# Requests that endpoints refused, kept as long as this process lives: found out once, not once per document.
_habits: dict[tuple[str, str], Habits] = {}
_contexts_sought: set[tuple[str, str]] = set()
_servers: dict[str, ModelServer] = {}


class ModelClient(Protocol):
    """All that the rest of the program knows of a model."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """An answer, or a `ModelError`."""

    async def list_models(self) -> tuple[str, ...]:
        """The names the provider gives its models."""

    async def probe(self) -> Capabilities:
        """What the endpoint can do, by trying."""


class ChatClient:
    """Speaks to one endpoint. Make one per event loop and share it: `async with ChatClient(endpoint) as client`."""

    def __init__(self, endpoint: Endpoint, capabilities: Capabilities | None = None) -> None:
        self.endpoint = endpoint
        self.calls_made = 0
        self._transport: Transport | None = None
        self._opening = asyncio.Lock()
        self._host = urlsplit(endpoint.base_url).netloc
        self._place = (endpoint.base_url, endpoint.model)
        if capabilities is not None:
            _habits[self._place] = capabilities.habits

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Be ready to call. The first call would do it, a second or more after somebody decided that it may be made."""
        await self._wire()

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    @property
    def habits(self) -> Habits:
        return _habits.get(self._place) or first_habits(*self._place)

    async def complete(self, request: ChatRequest, *, most_calls: int = MOST_CALLS) -> ChatReply:
        """One answer, or a `ModelError`; or `NotSent`, where the request would not be sent any more.

        Where the provider refuses a parameter, or a rung that the request
        left open, it is asked once more without it, within the same deadline,
        and that is remembered.
        """
        wire = await self._wire()
        start = time.monotonic()
        calls = 0
        while True:
            calls += 1
            habits = self.habits
            sent = with_room(request, habits, self.context_tokens)
            answered = await self._post(wire, sent, habits, start)
            if answered.status == 200:
                return self._reply(answered, sent, habits, time.monotonic() - start)
            error = self._error(answered)
            error.took_s = time.monotonic() - start
            learned = learn(error, _refusal_text(answered.body), request, habits)
            if learned is None or calls >= most_calls:
                raise error
            # Another call may have learned more in the meantime; then its habits are used.
            if self.habits == habits:
                log.info("%s refused how it was asked; from now on: %s", self._host, learned)
                _habits[self._place] = learned
            if error.kind is ErrorKind.TOO_LONG and with_room(request, learned, self.context_tokens) == sent:
                # Our count says that it fits. The provider counts otherwise, and would refuse the same request again.
                raise error

    @property
    def server(self) -> ModelServer | None:
        """Which of the usual servers this is, as far as it is known."""
        return _servers.get(self.endpoint.base_url) or server_at(self.endpoint.base_url)

    @property
    def context_tokens(self) -> int | None:
        """The context of the model: as it was set, or as the provider has said."""
        known = [tokens for tokens in (self.endpoint.context_tokens, self.habits.context_tokens) if tokens]
        return min(known, default=None)

    async def _post(self, wire: "Transport", request: ChatRequest, habits: Habits, start: float) -> "Answered":
        """One call. A streamed answer comes back as the body it would have had in one piece."""
        body = body_of(request, self.endpoint.model, habits, self.endpoint.body)
        if request.pace is None or not habits.streams:
            left_s = request.deadline_s - (time.monotonic() - start)
            return await self._within(
                asyncio.timeout(max(0.0, left_s)), wire.post(body, read_s=left_s, may_send=request.may_send)
            )
        listening = Listening(request.pace, request.on_writing)
        posted = wire.post(body, read_s=request.pace.longest_s, may_send=request.may_send, on_chunk=listening.take)
        try:
            answered = await self._within(listening.deadline(), posted)
        except LoopFound as loop:
            raise self._broken_off(request, habits, listening, LOOP, listening.stream.answer[: loop.start]) from None
        except ModelError as error:
            if not salvage(listening.stream.answer):
                error.took_s = listening.took_s
                raise
            raise self._broken_off(request, habits, listening, error.sentence, listening.stream.answer) from None
        if answered.status != 200 or not listening.stream.is_stream:
            return answered
        return replace(answered, body=json.dumps(listening.stream.body()).encode("utf-8", "replace"))

    def _broken_off(
        self, request: ChatRequest, habits: Habits, listening: Listening, sentence: str, text: str
    ) -> ModelError:
        """The error of an answer that has a beginning. What it cost is estimated: the provider has not said it."""
        usage = Usage(prompt=prompt_tokens(request), completion=listening.stream.written // CHARACTERS_A_TOKEN)
        finish = "repetition" if sentence == LOOP else "broken_off"
        reply = ChatReply(text=text, finish=finish, usage=usage, rung=rung_of(request, habits), took_s=listening.took_s)
        kept = notice("provider.whole_part_kept", "What was whole of the answer is kept.")
        return ModelError(ErrorKind.TRUNCATED, joined(sentence, kept), reply=reply)

    async def find_context(self) -> int | None:
        """The context of the model. A server that has not been asked for it yet is asked, once and in seconds."""
        if self.endpoint.context_tokens is None and self._place not in _contexts_sought:
            _contexts_sought.add(self._place)
            with suppress(ModelError):
                entries = await self._list_entries()
                server = server_at(self.endpoint.base_url, entries)
                if server is not None:
                    _servers[self.endpoint.base_url] = server
                tokens = await self._named_context(server, entries)
                known = self.habits.context_tokens
                _habits[self._place] = replace(
                    self.habits, context_tokens=min(filter(None, (tokens, known)), default=None)
                )
        return self.context_tokens

    async def _named_context(self, server: ModelServer | None, entries: Sequence[Mapping[str, Any]]) -> int | None:
        """The context that a server names for the model, at the place where its kind does."""
        tokens = None
        if server is not None and server.context_at:
            wire = await self._wire()
            with suppress(ModelError):
                page = wire.page(server.context_at, deadline_s=LIST_DEADLINE_S)
                answered = await self._within(asyncio.timeout(LIST_DEADLINE_S), page)
                tokens = context_in_page(self.endpoint.model, _json_of_body(answered.body))
        return tokens or (server.silent_context if server else None) or context_of(self.endpoint.model, entries)

    def paced(self, request: ChatRequest) -> ChatRequest:
        """The request with deadlines for an answer that is read as it comes."""
        return replace(request, pace=pace_for(prompt_tokens(request), request.max_tokens))

    async def check(self) -> None:
        """Return where the endpoint may be used, or raise with what is wrong: in seconds, before a task starts."""
        await check(self)

    async def list_models(self, *, deadline_s: float = LIST_DEADLINE_S) -> tuple[str, ...]:
        """The models that the provider names, in its order."""
        names = [entry.get("id") for entry in await self._list_entries(deadline_s)]
        return tuple(name[:200] for name in names if isinstance(name, str) and name.isprintable())

    async def _list_entries(self, deadline_s: float = LIST_DEADLINE_S) -> list[dict[str, Any]]:
        """What the provider says of its models."""
        wire = await self._wire()
        answered = await self._within(asyncio.timeout(deadline_s), wire.models(deadline_s=deadline_s))
        if answered.status != 200:
            raise self._error(answered)
        entries = _json_of_body(answered.body).get("data")
        if not isinstance(entries, list):
            raise classify_body(200, answered.headers, answered.body, model=self.endpoint.model, host=self._host)
        return [entry for entry in entries[:MOST_MODELS] if isinstance(entry, dict)]

    async def probe(self) -> Capabilities:
        """Find the firmest rung with a handful of tiny calls, and go by it from now on."""
        found = await probe(self)
        _habits[self._place] = found.added_to(self.habits)
        return found

    async def _within(self, deadline: asyncio.Timeout, call: "Awaitable[Answered]") -> "Answered":
        """Wait in wall-clock time: a provider that trickles blank lines resets every other timer."""
        self.calls_made += 1
        failure: Exception
        try:
            async with deadline:
                return await call
        except (NotSent, LoopFound):
            raise
        except Exception as error:  # noqa: BLE001, every failure becomes a sentence
            failure = error
        # Raised outside the handler, so that no exception of the SDK, with headers in it, hangs on ours.
        failed = classify(exception=failure, host=self._host)
        if failed.kind is ErrorKind.BUG:
            log.error("A call failed unforeseen. %s", redact("".join(traceback.format_exception(failure))))
        del failure
        raise failed

    async def _wire(self) -> "Transport":
        async with self._opening:
            if self._transport is None:
                # In a thread: the import takes a second, which the event loop would spend deaf.
                self._transport = await asyncio.to_thread(_open_transport, self.endpoint)
        return self._transport

    def _error(self, answered: "Answered") -> ModelError:
        return classify(
            status=answered.status,
            headers=answered.headers,
            body=answered.body,
            model=self.endpoint.model,
            host=self._host,
        )

    def _reply(self, answered: "Answered", request: ChatRequest, habits: Habits, took_s: float) -> ChatReply:
        body = _json_of_body(answered.body)
        if not isinstance(body.get("choices"), list):
            raise classify_body(200, answered.headers, answered.body, model=self.endpoint.model, host=self._host)
        reply = reply_of(body, answered.headers, rung=rung_of(request, habits), took_s=took_s)
        _habits[self._place] = after_reply(self.habits, reply, estimated_tokens(request))
        check_reply(reply)
        return reply


def _refusal_text(body: bytes) -> str:
    """What a refusal says: its code and message, and the beginning of its body, where some name their context."""
    return f"{error_report(body).code_and_message} {body[:1_000].decode('utf-8', 'replace')}"


def _json_of_body(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _open_transport(endpoint: Endpoint) -> "Transport":
    from ingather.extraction.provider.transport import Transport  # noqa: PLC0415, it imports the SDK

    return Transport(endpoint)
