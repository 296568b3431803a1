"""The one module that knows the SDK: it posts a body and brings back status, headers and bytes, nothing read.

Importing it costs a second, so it is imported when the first call is made.
"""

import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2
import openai

from ingather.extraction.provider.endpoint import Endpoint
from ingather.extraction.provider.errors import NotSent
from ingather.extraction.provider.redaction import guard_transport_logs

# Measured: with 5 s, 355 of 500 calls begun at once on a busy machine gave up, though the server was well. What was
# slow was this process, and the timer cannot tell.
CONNECT_S = 20.0
# Connecting takes at most this share of a call, so that it ends before a short deadline does.
CONNECT_SHARE = 0.7
# A request has 250 kB. A connection that takes none of it for a minute is dead.
WRITE_S = 60.0
# Bytes of a response, unpacked. A real one has 100 kB; a larger limit lets a broken server fill the memory.
LARGEST_BODY = 32 * 1024 * 1024
# Idle connections are closed after less than the 5 s after which llama.cpp and others close them: a request that meets
# its server's end of the connection is lost, as was seen once in five calls.
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100, keepalive_expiry=3.0)
# The SDK adds headers about this machine and, from the environment, organisations and keys of other accounts.
_OURS = frozenset({"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"})

# The SDK has no place for it on its way to the wire.
_may_send: ContextVar[Callable[[], bool]] = ContextVar("may_send")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """One connection pool for one endpoint. Belongs to the event loop it is first used in.

    No retries, since the engine has its own; no redirects, since the key
    would travel along; no proxy but the endpoint's own. Certificates are
    checked against the system's, or those `SSL_CERT_FILE` names.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        guard_transport_logs()
        self._endpoint = endpoint
        self._http = httpx2.AsyncClient(
            transport=_Wire(endpoint), follow_redirects=False, trust_env=False, limits=_LIMITS
        )
        self._client = openai.AsyncOpenAI(
            api_key="unused",  # the wire puts the real one in, and takes all others out
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=self._http,
        )
        # The SDK imports these when they are first asked for. Better now than between leave to call and the call.
        self._chat = self._client.chat.completions.with_streaming_response
        self._models = self._client.models.with_raw_response

    async def post(
        self,
        body: Mapping[str, Any],
        *,
        read_s: float,
        may_send: Callable[[], bool],
        on_chunk: Callable[[bytes], None] = lambda _: None,
    ) -> Answered:
        """A chat completion. `read_s` is the longest silence of the line: a model may think before its first byte.

        `on_chunk` gets the pieces of a good answer as they come; what it
        raises ends the call, and with it the model's work where the server
        notices that nobody listens.
        """
        _may_send.set(may_send)
        timeout = openai.Timeout(connect=_connect_s(read_s), read=read_s, write=min(WRITE_S, read_s), pool=read_s)
        known = {"model": body["model"], "messages": body["messages"]}
        more = {name: value for name, value in body.items() if name not in known}
        chunks = []
        try:
            async with self._chat.create(**known, extra_body=more, timeout=timeout) as raw:
                async for chunk in raw.iter_bytes():
                    chunks.append(chunk)
                    on_chunk(chunk)
                return _answered_response(raw.http_response, b"".join(chunks))
        except openai.APIStatusError as error:
            return _answered_response(error.response)
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, NotSent):
                raise NotSent from None
            raise

    async def models(self, *, deadline_s: float) -> Answered:
        _may_send.set(lambda: True)
        timeout = openai.Timeout(connect=_connect_s(deadline_s), read=deadline_s, write=deadline_s, pool=deadline_s)
        try:
            raw: Any = await self._models.list(timeout=timeout)
        except openai.APIStatusError as error:
            return _answered_response(error.response)
        return _answered_response(raw.http_response)

    async def page(self, path: str, *, deadline_s: float) -> Answered:
        """What an address of the server's own says, from its root."""
        _may_send.set(lambda: True)
        return _answered_response(
            await self._http.get(httpx2.URL(self._endpoint.base_url).join(path), timeout=deadline_s)
        )

    async def close(self) -> None:
        await self._client.close()


def _connect_s(whole_s: float) -> float:
    """Time to connect, well within that for the whole call: a machine that is not there is told from a slow model."""
    return min(CONNECT_S, CONNECT_SHARE * whole_s)


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the system's certificates takes a tenth of a second, so it is done once."""
    return httpx2.create_ssl_context(trust_env=True)


class _Wire(httpx2.AsyncBaseTransport):
    """The last place before the socket: puts the key in, keeps strangers' headers out, and bounds what comes back."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._origin = httpx2.URL(endpoint.base_url)
        self._headers = {name.lower(): value for name, value in endpoint.headers.items()}
        if endpoint.api_key is not None and "authorization" not in self._headers:
            self._headers["authorization"] = f"Bearer {endpoint.api_key.reveal(base_url=endpoint.base_url)}"
        self._inner = httpx2.AsyncHTTPTransport(verify=_certificates(), proxy=endpoint.proxy, limits=_LIMITS)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        ours, theirs = self._origin, request.url
        if (ours.scheme, ours.host, ours.port) != (theirs.scheme, theirs.host, theirs.port):
            raise httpx2.UnsupportedProtocol("A call left the address it was made for.", request=request)
        headers = {name.lower(): value for name, value in request.headers.items() if name.lower() in _OURS}
        # A compressed answer could grow a thousandfold once it is past the limit below.
        headers |= {"accept-encoding": "identity", "user-agent": "ingather", **self._headers}
        # A request of our own: the SDK reads its notes to itself from the headers of the one it made.
        extensions = {**request.extensions, "trace": _refuse_what_is_late}
        sent = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=extensions
        )
        response = await self._inner.handle_async_request(sent)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.DecodingError("The answer is compressed, which was not asked for.", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, request)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _refuse_what_is_late(event: str, _: object) -> None:
    """Hears what the connection is about to do. By now it is open, which may have taken long."""
    if event.endswith("send_request_headers.started") and not _may_send.get()():
        raise NotSent


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error once it is larger than any answer can be."""

    def __init__(self, inner: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._inner = inner
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST_BODY:
                raise httpx2.ReadError(f"The answer is larger than {LARGEST_BODY:,} bytes.", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def _answered_response(response: httpx2.Response, body: bytes | None = None) -> Answered:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answered(status=response.status_code, headers=headers, body=response.content if body is None else body)
