"""A proxy in front of PostgreSQL that loses replies: the server has answered, and nobody will ever hear it."""

import asyncio
import contextlib
import threading
from collections import Counter
from pathlib import Path
from typing import Self


class Proxy:
    """Listens on a unix socket like a server's own.

    `drop_reply()` arms it for the next answer to a command that writes, or,
    with `to_commit`, for the next answer to a COMMIT.
    """

    def __init__(self, folder: Path, server_socket: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.dropped = 0
        self._server_socket = server_socket
        self._armed: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def drop_reply(self, *, to_commit: bool) -> None:
        with self._lock:
            self._armed["commit" if to_commit else "write"] += 1

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda *_: None)
        path = self.folder / ".s.PGSQL.5432"
        self._loop.run_until_complete(asyncio.start_unix_server(self._serve, path))
        self._ready.set()
        self._loop.run_forever()

    def _takes_this_one(self, sent: list[str]) -> bool:
        with self._lock:
            if not sent or not self._armed[sent[0]]:
                return False
            self._armed[sent[0]] -= 1
            self.dropped += 1
            return True

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await asyncio.open_unix_connection(self._server_socket)
        except OSError:
            to_client.close()
            return
        ends = [to_client, to_server]
        sent: list[str] = []
        forward = asyncio.create_task(self._forward(client, to_server, sent, ends))
        backward = asyncio.create_task(self._backward(server, to_client, sent, ends))
        await asyncio.wait([forward, backward])

    async def _forward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        sent: list[str],
        ends: list[asyncio.StreamWriter],
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                # A settle or a claim is long, once prepared; a commit says so.
                sent[:] = ["commit"] if b"COMMIT\0" in data else ["write"] if len(data) > 500 else []
                target.write(data)
                await target.drain()
        for end in ends:
            end.close()

    async def _backward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        sent: list[str],
        ends: list[asyncio.StreamWriter],
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                if self._takes_this_one(sent):
                    break
                target.write(data)
                await target.drain()
        for end in ends:
            end.close()
