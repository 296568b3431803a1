"""Answers of their own kind: what is written as it is, and what is borrowed and given back, however they end."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from pathlib import Path

import orjson
from fastapi.responses import FileResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from ingather.web.problems import problem
from ingather.web.ranges import is_beyond, plain_range, without_ranges


class Written(Response):
    """JSON of plain values and enums, written without a look at each; times as everywhere else, with a Z."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_UTC_Z)


class Lent(StreamingResponse):
    """A stream of something borrowed."""

    def __init__(
        self,
        content: AsyncIterable[str | bytes] | Iterable[str | bytes],
        give_back: Callable[[], object],
        *,
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(content, media_type=media_type, headers=headers)
        self._give_back = give_back

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._give_back()


class LentFile(FileResponse):
    """A file that may be gone once nobody holds it, or the part of it that was asked for."""

    def __init__(
        self, path: Path, give_back: Callable[[], object], *, media_type: str, headers: Mapping[str, str]
    ) -> None:
        super().__init__(path, media_type=media_type, headers=headers, stat_result=(found := path.stat()))
        self._size = found.st_size
        self._give_back = give_back

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            asked = plain_range(scope)
            if asked is not None and is_beyond(asked, self._size):
                sentence = f"The file has {self._size:,} bytes, and the range that was asked for is not among them."
                await problem(416, sentence, {"Content-Range": f"bytes */{self._size}"})(scope, receive, send)
                return
            await super().__call__(scope if asked else without_ranges(scope), receive, send)
        finally:
            await run_in_threadpool(self._give_back)
