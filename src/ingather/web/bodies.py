"""Bodies of requests: never more than is allowed, of a kind a route can read, and JSON only if it means one thing."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException
from starlette.types import Message, Receive, Scope

from ingather.notice import notice
from ingather.web.limits import RequestLimits
from ingather.web.problems import Refused

# A task with 10,000 documents is 80 kB. A larger limit lets one client hold more memory.
LARGEST_JSON = 1_000_000
# The largest file, 50 MB, and the form around it.
LARGEST_UPLOAD = 60_000_000
# Our deepest body has six levels. Python's JSON parser recurses, and gives up at about a thousand.
DEEPEST = 64
# The largest id has 19 digits. Python takes quadratic time to read an integer.
LONGEST_NUMBER = 40
# A body of this many bytes is checked in a thread: checking it on the event loop would delay all other requests.
LOOK_ASIDE = 20_000
# Bytes that anybody may send: signing in takes a hundred bytes. Larger bodies are read for those who are signed in.
ANYBODYS_JSON = 64_000
# So many bodies above that are read at the same time. More hold more memory; one that has to wait is sent again.
LARGE_AT_ONCE = 20
SAFE = {"GET", "HEAD", "OPTIONS"}
TOO_BIG = notice(
    "web.request_too_big_bytes_json",
    "The request is too big: {json} bytes of JSON or {upload} bytes of upload at most.",
    json=f"{LARGEST_JSON:,}",
    upload=f"{LARGEST_UPLOAD:,}",
)
TOO_SLOW = notice(
    "web.body_too_slow", "The rest of the request did not come in time. Send it again over a better connection."
)
# The rest of it would have to be read to no end otherwise.
HANG_UP = {"connection": "close"}

_UPLOADS = re.compile(
    r"/api/v1/(?:knowledge-bases/[^/]+/documents|projects/[^/]+/references|extraction/tasks/[^/]+/read-back)"
)
# Possessive, and content with a text that never ends: any input is gone through once.
_TEXTS = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")


class Bodies:
    """The bodies of one application's requests, on their way. `is_known` says whether somebody is signed in."""

    def __init__(self, limits: RequestLimits, is_known: Callable[[Scope], Awaitable[bool]]) -> None:
        self._limits = limits
        self._is_known = is_known
        self._large = 0

    async def admit(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """The way the app gets the body; `Refused` where it should not."""
        kind, _, options = headers.get("content-type", "").partition(";")
        kind = kind.strip().lower()
        is_upload = kind == "multipart/form-data" and _UPLOADS.fullmatch(scope["path"]) is not None
        most = LARGEST_UPLOAD if is_upload else LARGEST_JSON
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdigit() and len(declared) <= 19) or int(declared) > most:
            raise Refused(413, TOO_BIG, HANG_UP)
        if scope["method"] in SAFE:
            return receive
        if is_upload:
            if "charset" in options.lower():
                # Some of Python's codecs give text that nobody can store.
                raise Refused(415, "A form is UTF-8; leave the charset out of its content-type.")
            return self._counted(receive)
        body = await self._whole(scope, receive)
        if not body:
            return _body_read_again(body, receive)
        if kind != "application/json":
            raise Refused(415, "Send JSON, as application/json; files go to the documents of a knowledge base.")
        try:
            if len(body) > LOOK_ASIDE:
                await asyncio.to_thread(check_json_body, body)
            else:
                check_json_body(body)
        except ValueError as error:
            raise Refused(400, f"The body is not JSON that can be taken: {error}.") from None
        return _body_read_again(body, receive)

    def _counted(self, receive: Receive) -> Receive:
        """For uploads: their route reads them, after it has asked who sends them."""
        paced = self._paced(receive)
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            try:
                message = await paced()
            except TimeoutError:
                # The form's parser raised this itself and has removed what it had written.
                raise MultiPartException(TOO_SLOW) from None
            seen += len(message.get("body", b""))
            if seen > LARGEST_UPLOAD:
                raise MultiPartException(TOO_BIG)
            return message

        return counted

    async def _whole(self, scope: Scope, receive: Receive) -> bytes:
        paced = self._paced(receive)
        parts: list[bytes] = []
        size, is_large = 0, False
        try:
            while True:
                message = await paced()
                if message["type"] == "http.disconnect":
                    return b"".join(parts)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > LARGEST_JSON:
                    raise Refused(413, TOO_BIG, HANG_UP)
                if size > ANYBODYS_JSON and not is_large:
                    await self._begin_large(scope)
                    is_large = True
                if not message.get("more_body"):
                    return b"".join(parts)
        except TimeoutError:
            raise Refused(408, TOO_SLOW, HANG_UP) from None
        finally:
            self._large -= is_large

    async def _begin_large(self, scope: Scope) -> None:
        if not await self._is_known(scope):
            raise Refused(401, notice("web.sign_before_large", "Sign in before you send so much."), HANG_UP)
        if self._large >= LARGE_AT_ONCE:
            sentence = notice("web.too_many_large", "Too many large requests at the same time. Send it again.")
            raise Refused(503, sentence, HANG_UP | {"Retry-After": "5"})
        self._large += 1

    def _paced(self, receive: Receive) -> Receive:
        """Raises `TimeoutError` when the body comes too slowly. What comes after it may take for ever."""
        limits, began = self._limits, time.monotonic()
        seen, is_over = 0, False

        async def paced() -> Message:
            nonlocal seen, is_over
            if is_over:
                return await receive()
            async with asyncio.timeout(began + limits.body_s + seen / limits.slowest - time.monotonic()):
                message = await receive()
            seen += len(message.get("body", b""))
            is_over = not message.get("more_body")
            return message

        return paced


def _body_read_again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def check_json_body(body: bytes) -> None:
    """ValueError unless the body is JSON that means the same to everybody who reads it."""
    try:
        text = body.decode("utf-8")
        _check_depth_of_body(text)
        read = json.loads(
            text,
            object_pairs_hook=_object_once_in_body,
            parse_constant=_refuse_constant_in_body,
            parse_float=_finite_float_in_body,
            parse_int=_bounded_whole_number_in_body,
        )
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    _check_text_in_body(read)


def _check_depth_of_body(text: str) -> None:
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth = 0
    for bracket in _BRACKETS.finditer(_TEXTS.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEEPEST:
            raise ValueError(notice("provider.nested_deeper", "it is nested deeper than {most}", most=DEEPEST))


def _object_once_in_body(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _refuse_constant_in_body(name: str) -> Any:
    raise ValueError(notice("provider.not_finite_number", "{text} is not a finite number", text=name))


def _bounded_whole_number_in_body(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number has more than {LONGEST_NUMBER} digits")
    return int(text)


def _finite_float_in_body(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(
            notice("provider.not_finite_number", "{text} is not a finite number", text=text[:LONGEST_NUMBER])
        )
    return number


def _check_text_in_body(value: object) -> None:
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
