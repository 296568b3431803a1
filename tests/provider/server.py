"""A provider that misbehaves to order: a real HTTP server on the loopback, in a thread, with a log of every call.

with Provider(script=[{"do": "rate_limit", "on": 1, "retry_after": 2}]) as provider:
    ... ChatClient(Endpoint.of(provider.base_url, "test-model", "sk-test")) ...
    assert provider.violations() == []
"""

import asyncio
import contextlib
import hashlib
import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self

from tests.provider.answerer import answer as nothing_reported
from tests.provider.completion import Books, refuse, refuse_long, stripped, without_beginning
from tests.provider.mischief import Answer, Context, Plan, error, plan
from tests.provider.script import Director, Script
from tests.provider.streaming import streamed

Answerer = Callable[[dict[str, Any]], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as the provider saw it. `early_s`: it came while silence was asked for, so long before its end."""

    number: int
    at: float
    key: str
    body_sha: str
    did: str
    status: int
    usage: dict[str, int] | None
    concurrent: int
    early_s: float
    since_silence_s: float
    headers: dict[str, str]
    body: dict[str, Any]


class Provider:
    """The server. `answerer` makes the honest answer out of a request; the script says what becomes of it."""

    def __init__(self, *, script: Any = None, answerer: Answerer = nothing_reported, port: int = 0) -> None:
        self.script = Script.of(script)
        self.calls: list[Call] = []
        self.max_concurrent = 0
        self._answerer = answerer
        self._director = Director(self.script)
        self._books = Books(self.script.usage)
        self._port = port
        self._number = 0
        self._running = 0
        self._silent: dict[str, tuple[float, float]] = {}
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None

    # --- for tests -------------------------------------------------------------------------------------------------

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def is_ready(self) -> bool:
        return self._ready.is_set()

    def violations(self, grace_s: float = 0.0) -> list[Call]:
        """Calls that came while silence was asked for. `grace_s` forgives those already on their way when it began."""
        return [call for call in self.calls if call.early_s > 0 and call.since_silence_s > grace_s]

    def log(self) -> dict[str, Any]:
        calls = [{name: value for name, value in asdict(call).items() if name != "body"} for call in self.calls]
        return {
            "calls": calls,
            "violations": [call.number for call in self.violations()],
            "max_concurrent": self.max_concurrent,
        }

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), name="provider", daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._over is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(10)

    # --- the server ------------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Serve until `stop`. Open connections are cut at the end, whatever hangs in them."""
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        visits: set[asyncio.Task[None]] = set()

        def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            visit = asyncio.create_task(self._visit(reader, writer))
            visits.add(visit)
            visit.add_done_callback(visits.discard)

        server = await asyncio.start_server(welcome, "127.0.0.1", self._port, limit=2**20, backlog=1024)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        for visit in list(visits):
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    def stop(self) -> None:
        if self._over is not None:
            self._over.set()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = head[0].split(" ", 2)
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                raw = await reader.readexactly(int(headers.get("content-length") or 0))
                if not await self._serve_one(method, path, headers, raw, reader, writer):
                    break
        writer.close()

    async def _serve_one(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        raw: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        if (method, path) == ("POST", "/v1/chat/completions"):
            self._running += 1
            self.max_concurrent = max(self.max_concurrent, self._running)
            try:
                return await self._complete(headers, raw, reader, writer)
            finally:
                self._running -= 1
        if (method, path) == ("GET", "/_log"):
            made = Plan(body=json.dumps(self.log()).encode())
        elif (method, path) == ("GET", "/v1/models"):
            entries = [one if isinstance(one, dict) else {"id": one, "object": "model"} for one in self.script.models]
            made = self._locked(headers) or Plan(body=json.dumps({"object": "list", "data": entries}).encode())
        elif method == "GET" and path in self.script.pages:
            made = Plan(body=json.dumps(self.script.pages[path]).encode())
        else:
            made = error(404, f"Unknown request URL: {method} {path}.")
        return await send(made, reader, writer)

    def _locked(self, headers: dict[str, str]) -> Plan | None:
        if self.script.key is None or headers.get("authorization") == f"Bearer {self.script.key}":
            return None
        given = headers.get("authorization", "").removeprefix("Bearer ")
        return error(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")

    async def _complete(
        self, headers: dict[str, str], raw: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        arrived, at = time.monotonic(), time.time()
        self._number += 1
        number, concurrent = self._number, self._running
        locked = self._locked(headers)
        key = hashlib.sha256(headers.pop("authorization", "").encode()).hexdigest()[:12]
        body: dict[str, Any] = json.loads(raw)
        silent_from, silent_until = self._silent.get(key, (arrived, arrived))
        early_s = max(0.0, silent_until - arrived)
        if early_s > 0:
            after = {"retry-after": str(math.ceil(early_s))}
            did, made = "early", error(429, "Rate limit reached", code="rate_limit_exceeded", headers=after)
        elif locked is not None:
            did, made = "locked", locked
        elif (refused := refuse(body, self.script.rejects)) is not None:
            did, made = "rejected", refused
        elif (refused := refuse_long(body, self.script.context_tokens, self.script.too_long)) is not None:
            did, made = "too_long", refused
        else:
            did, made = self._perform(number, body)
            own = self._director.choose_streaming(number, body)
            if body.get("stream") and own and made.status == 200 and not made.is_cut:
                usage = bool((body.get("stream_options") or {}).get("include_usage"))
                made = streamed(made, own, with_usage=usage)
        if made.silence_s:
            self._silent[key] = (arrived, arrived + made.silence_s)
        # Written down before it is answered, so that whoever has the answer finds the call in the log.
        self.calls.append(
            Call(
                number=number,
                at=at,
                key=key,
                body_sha=hashlib.sha256(raw).hexdigest(),
                did=did,
                status=made.status,
                usage=None if made.usage is None else dict(made.usage),
                concurrent=concurrent,
                early_s=early_s,
                since_silence_s=arrived - silent_from,
                headers=headers,
                body=body,
            )
        )
        await asyncio.sleep(self._director.latency_s(number))
        return await send(made, reader, writer)

    def _perform(self, number: int, body: dict[str, Any]) -> tuple[str, Plan]:
        rule = self._director.choose(number, body)
        heeded = stripped(body, self.script.ignores)
        if self.script.too_long == "silent" and self.script.context_tokens is not None:
            body = heeded = without_beginning(heeded, self.script.context_tokens)
        context = Context(
            body=heeded,
            answer=self._answerer(heeded),
            options=rule.options,
            number=number,
            seed=self.script.seed,
            complete=lambda text, **more: self._books.complete(body, heeded, text, number=number, **more),
        )
        return rule.do, plan(rule.do, context)


async def send(made: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send a response as planned; whether the connection lives on."""
    if made.wait_s:
        gone = asyncio.create_task(reader.read(1))
        await asyncio.wait({gone}, timeout=made.wait_s)
        gone.cancel()
    if made.is_dropped:
        return False
    headers = {"content-type": "application/json", "x-request-id": f"req-{time.monotonic_ns():x}"} | dict(made.headers)
    if made.pieces:
        headers["connection"] = "close"
    length = (
        {"transfer-encoding": "chunked"} if made.trickle_s or made.pieces else {"content-length": str(len(made.body))}
    )
    lines = "".join(f"{name}: {value}\r\n" for name, value in (headers | length).items())
    writer.write(f"HTTP/1.1 {made.status} Made\r\n{lines}\r\n".encode())
    if made.pieces:
        return await _send_pieces(made, reader, writer)
    if made.trickle_s:
        end = time.monotonic() + made.trickle_s
        while time.monotonic() < end:
            writer.write(b"1\r\n\n\r\n")
            await writer.drain()
            await asyncio.sleep(made.trickle_pause_s)
        writer.write(f"{len(made.body):x}\r\n".encode() + made.body + b"\r\n0\r\n\r\n")
    elif made.is_cut:
        writer.write(made.body[: len(made.body) // 2])
        await writer.drain()
        return False
    else:
        writer.write(made.body)
    await writer.drain()
    return True


async def _send_pieces(made: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """A stream of events, as slowly as planned; whether the connection lives on. It ends when the caller has gone."""
    gone = asyncio.create_task(reader.read(1))

    async def wait(seconds: float) -> None:
        end = time.monotonic() + seconds
        while not gone.done() and (left := end - time.monotonic()) > 0:
            if made.beats:
                writer.write(b"1\r\n\n\r\n")
                await writer.drain()
            await asyncio.wait({gone}, timeout=min(left, 0.1))

    await writer.drain()
    await wait(made.first_s)
    for piece in made.pieces:
        if gone.done():
            return False
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()
        if made.pause_s > 0.001:
            await wait(made.pause_s)
    if made.stays_silent:
        await wait(3_600.0)
    is_whole = made.pieces[-1].endswith(b"[DONE]\n\n")
    if is_whole:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    gone.cancel()
    return False
