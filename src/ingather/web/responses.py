"""Responses of our own: JSON that is written without models, and files that are released however the response ends."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from pathlib import Path

import orjson
from fastapi.responses import FileResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from ingather.web.problems import problem_response
from ingather.web.ranges import is_range_beyond, plain_range, without_ranges


class WrittenResponse(Response):
    """JSON of plain values and enums, without a model for each. Times end in Z, as in all other responses."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_UTC_Z)


class ReleasingStreamResponse(StreamingResponse):
    """A stream that calls `release` when it ends, also if the client has gone."""

    def __init__(
        self,
        content: AsyncIterable[str | bytes] | Iterable[str | bytes],
        release: Callable[[], object],
        *,
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(content, media_type=media_type, headers=headers)
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()


class ReleasingFileResponse(FileResponse):
    """A file, or the requested range of it. Calls `release` when it ends: until then the file is kept on the disk."""

    def __init__(
        self, path: Path, release: Callable[[], object], *, media_type: str, headers: Mapping[str, str]
    ) -> None:
        super().__init__(path, media_type=media_type, headers=headers, stat_result=(found := path.stat()))
        self._size = found.st_size
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            requested = plain_range(scope)
            if requested is not None and is_range_beyond(requested, self._size):
                sentence = f"The file has {self._size:,} bytes, and the range that was asked for is not among them."
                await problem_response(416, sentence, {"Content-Range": f"bytes */{self._size}"})(scope, receive, send)
                return
            await super().__call__(scope if requested else without_ranges(scope), receive, send)
        finally:
            await run_in_threadpool(self._release)
