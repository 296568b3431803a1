"""The edge: what every request must pass before any route sees it, and what every answer carries."""

import json
import time
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ingather.web.problems import problem

LARGEST_JSON = 1_000_000
LARGEST_UPLOAD = 60_000_000  # a file of 50 MB and the form around it
DEEPEST = 64
SAFE = {"GET", "HEAD", "OPTIONS"}
SESSION_COOKIE = "ingather_session"

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; "
        "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class TooBig(Exception):
    pass


class Edge:
    """Host, origin, size and form of requests; headers of answers."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                _adorn(MutableHeaders(scope=message), scope["path"])
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await problem(*refusal)(scope, receive, answer)
            return
        try:
            admitted = await _admit(scope, headers, receive)
        except TooBig:
            await problem(413, _TOO_BIG)(scope, receive, answer)
            return
        except ValueError as error:
            await problem(400, f"The body is not JSON that can be taken: {error}.")(scope, receive, answer)
            return
        await self._app(scope, admitted, answer)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or _name_of(host) not in self._hosts:
            # A page elsewhere whose name was pointed at this machine would come with its own name.
            return 421, "This server does not answer under that name. See INGATHER_HOSTS in docs/operations.md."
        if method in SAFE or headers.get("authorization", "").startswith("Bearer "):
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        is_ours = origin in {f"http://{host}", f"https://{host}"} if origin else site == "same-origin"
        # Who has no cookie has nothing that another page could misuse; the route will ask who they are.
        if is_ours or (origin is None and site is None and SESSION_COOKIE not in headers.get("cookie", "")):
            return None
        return 403, "This request comes from another page. Scripts should use an API token."


_TOO_BIG = f"The request is too big: {LARGEST_JSON:,} bytes of JSON or {LARGEST_UPLOAD:,} bytes of upload at most."


def _name_of(host: str) -> str:
    """The name in a Host header, without the port. `[::1]:8000` has colons of its own."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _adorn(headers: MutableHeaders, path: str) -> None:
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if not path.startswith("/assets/"):
        headers.setdefault("cache-control", "no-store")


async def _admit(scope: Scope, headers: Headers, receive: Receive) -> Receive:
    """The way the app gets the body: never more than is allowed, and JSON only if it means one thing."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_upload = kind == "multipart/form-data"
    most = LARGEST_UPLOAD if is_upload else LARGEST_JSON
    declared = headers.get("content-length", "0")
    if not declared.isascii() or not declared.isdigit() or int(declared) > most:
        raise TooBig
    if is_upload:
        return _counted(receive, most)
    if scope["method"] in SAFE:
        return receive
    body = await _whole(receive, most)
    if body and (kind == "application/json" or kind.endswith("+json")):
        check_json(body)
    return _again(body, receive)


def _counted(receive: Receive, most: int) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            # The parser above gives up on this; nothing more of the body is read.
            return {"type": "http.disconnect"}
        return message

    return counted


async def _whole(receive: Receive, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise TooBig
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def check_json(body: bytes) -> None:
    """ValueError unless the body is JSON that means the same to everybody who reads it."""
    try:
        text = body.decode("utf-8")
        if _depth(text) > DEEPEST:
            raise ValueError(f"it is nested deeper than {DEEPEST}")
        read = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    _check_text(read)


def _depth(text: str) -> int:
    depth = deepest = 0
    is_text = is_escaped = False
    for char in text:
        if is_text:
            is_text = is_escaped or char != '"'
            is_escaped = char == "\\" and not is_escaped
        elif char == '"':
            is_text = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a finite number")


def _float(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(f"{text[:40]} is not a finite number")
    return number


def _check_text(value: object) -> None:
    """Half characters and NUL are no text that a database keeps."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\0" in one or (not one.isascii() and any("\ud800" <= char <= "\udfff" for char in one)):
                raise ValueError("a text holds NUL or half a character")
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one


class Turnstile:
    """So many in so many seconds, by key; in the memory of this process. Keys that nobody uses are forgotten."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._seen: dict[str, deque[float]] = {}

    def wait_s(self, key: str) -> float:
        """0, and counted; or how long this key has to wait."""
        now = time.monotonic()
        if len(self._seen) > 10_000:
            self._seen = {name: times for name, times in self._seen.items() if times[-1] > now - self._seconds}
        times = self._seen.setdefault(key, deque())
        while times and times[0] <= now - self._seconds:
            times.popleft()
        if len(times) >= self._most:
            return times[0] + self._seconds - now
        times.append(now)
        return 0.0
