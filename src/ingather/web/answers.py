"""Answers that hold on to something: it is given back when they end, however they end."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from pathlib import Path

from fastapi.responses import FileResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send


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
    """A file that may be gone once nobody holds it."""

    def __init__(
        self, path: Path, give_back: Callable[[], object], *, media_type: str, headers: Mapping[str, str]
    ) -> None:
        super().__init__(path, media_type=media_type, headers=headers)
        self._give_back = give_back

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await run_in_threadpool(self._give_back)
