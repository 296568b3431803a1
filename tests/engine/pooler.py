"""A transaction pooler for tests, harsher than any real one: every transaction is served by another server connection.

It speaks enough of PostgreSQL's protocol to tell where transactions end, and
remembers nothing between them. A pipeline with several syncs is cut at each
of them, so even its parts meet different servers.
"""

import asyncio
import contextlib
import itertools
import signal
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from psycopg.conninfo import conninfo_to_dict

PROTOCOL_3 = 196608
NO_THANKS = {80877103, 80877104}  # TLS, GSS
CANCEL = 80877102
AUTHENTICATED = bytes(4)  # any other number asks for a password or worse
ENDS_A_ROUND = {b"Q", b"S", b"F"}  # simple query, sync, function call: each is answered by "ready for query"


class _Line:
    """One connection's messages: a type, and the bytes as they travel."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> tuple[bytes, bytes]:
        head = await self._reader.readexactly(5)
        return head[:1], head + await self._reader.readexactly(int.from_bytes(head[1:]) - 4)

    async def receive_startup(self) -> tuple[int, bytes]:
        size, code = struct.unpack("!ii", await self._reader.readexactly(8))
        return code, await self._reader.readexactly(size - 8)

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        self._writer.close()


class Pooler:
    """Runs in a thread of its own: `with Pooler(url, servers=3) as pooler: Engine(pooler.url)`."""

    def __init__(self, url: str, *, servers: int, port: int = 0) -> None:
        self._target = conninfo_to_dict(url)
        self._size = servers
        self._port = port
        self._greeting = b""
        self._numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pooler", daemon=True)
        self._clients: set[asyncio.Task[None]] = set()
        self.url = ""
        self.transactions = 0
        self.handovers = 0
        """How often a client's transaction was served by another server connection than its last one."""
        self.named: list[str] = []
        """Prepared statements that outlive their transaction: what no pooler can keep."""
        self.texts: set[str] = set()
        """Every statement that passed."""

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- the servers' side -----------------------------------------------------------------------------------------

    async def _open(self) -> None:
        self._free: asyncio.Queue[_Line] = asyncio.Queue()
        for _ in range(self._size):
            self._free.put_nowait(await self._connect())
        self._door = await asyncio.start_server(self._welcome, "127.0.0.1", self._port)
        port = self._door.sockets[0].getsockname()[1]
        self.url = f"postgresql://{self._target['user']}@127.0.0.1:{port}/{self._target['dbname']}"

    async def _close(self) -> None:
        self._door.close()
        for client in list(self._clients):
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        while not self._free.empty():
            self._free.get_nowait().close()

    async def _connect(self) -> _Line:
        line = _Line(*await _dial(self._target))
        fields = b"user\0%s\0database\0%s\0\0" % (
            str(self._target["user"]).encode(),
            str(self._target["dbname"]).encode(),
        )
        await line.send(struct.pack("!ii", 8 + len(fields), PROTOCOL_3) + fields)
        greeting = b""
        while True:
            kind, message = await line.receive()
            if kind == b"S":
                greeting += message
            elif kind == b"Z":
                self._greeting = greeting
                return line
            elif kind == b"E" or (kind == b"R" and message[5:9] != AUTHENTICATED):
                raise ConnectionRefusedError(f"the pooler of the tests cannot sign in here: {message!r}")

    # --- the clients' side -----------------------------------------------------------------------------------------

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        client = _Line(reader, writer)
        try:
            while True:
                code, _ = await client.receive_startup()
                if code == PROTOCOL_3:
                    break
                if code not in NO_THANKS:
                    return  # a request to cancel: there is nobody in particular to pass it to
                await client.send(b"N")
            key = struct.pack("!ciii", b"K", 12, 1_000_000 + next(self._numbers), 0)
            await client.send(b"R" + struct.pack("!ii", 8, 0) + self._greeting + key + b"Z\0\0\0\5I")
            await self._serve(client)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            client.close()
            self._clients.discard(task)

    async def _serve(self, client: _Line) -> None:
        last: _Line | None = None
        while True:
            first = await client.receive()
            if first[0] == b"X":
                return
            server = await self._free.get()
            try:
                await self._transaction(client, server, first)
            except BaseException:
                # The client left in the middle: the server connection goes with it, and what it did is rolled back.
                server.close()
                self._free.put_nowait(await self._connect())
                raise
            self._free.put_nowait(server)
            self.transactions += 1
            self.handovers += last is not None and last is not server
            last = server

    async def _transaction(self, client: _Line, server: _Line, first: tuple[bytes, bytes]) -> None:
        """Pass messages until the server is ready and in no transaction."""
        ready: asyncio.Queue[bytes] = asyncio.Queue()
        answers = asyncio.create_task(self._pass_answers(server, client, ready))
        try:
            kind, message = first
            is_copying, round_by = False, b""
            while True:
                self._note(kind, message)
                await server.send(message)
                if is_copying:
                    # Data, and at its end one more sync if the round was one of the extended protocol.
                    is_round_over = kind == b"S" if round_by == b"S" else kind in {b"c", b"f"}
                else:
                    is_round_over, round_by = kind in ENDS_A_ROUND, kind
                if is_round_over:
                    status = await self._either(ready, answers)
                    is_copying = status == b"G"
                    if status == b"I":
                        await answers
                        return
                kind, message = await client.receive()
        finally:
            answers.cancel()

    async def _either(self, ready: "asyncio.Queue[bytes]", answers: "asyncio.Task[None]") -> bytes:
        waiting = asyncio.ensure_future(ready.get())
        await asyncio.wait({waiting, answers}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done() and answers.done() and answers.exception() is not None:
            waiting.cancel()
            answers.result()
        return await waiting

    async def _pass_answers(self, server: _Line, client: _Line, ready: "asyncio.Queue[bytes]") -> None:
        while True:
            kind, message = await server.receive()
            await client.send(message)
            if kind == b"G":
                ready.put_nowait(b"G")
            elif kind == b"Z":
                ready.put_nowait(message[5:6])
                if message[5:6] == b"I":
                    return

    def _note(self, kind: bytes, message: bytes) -> None:
        if kind == b"P":
            name, text, *_ = message[5:].split(b"\0")
            self.texts.add(text.decode())
            if name:
                self.named.append(name.decode())
        elif kind == b"Q":
            self.texts.add(message[5:-1].decode())


async def _dial(target: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = str(target["host"]), int(target.get("port") or 5432)
    if host.startswith("/"):
        return await asyncio.open_unix_connection(str(Path(host) / f".s.PGSQL.{port}"))
    return await asyncio.open_connection(host, port)


@contextlib.contextmanager
def relay(url: str) -> Iterator[int]:
    """A TCP port that leads to a server's socket, for programs that may not enter its folder."""
    target = conninfo_to_dict(url)
    loop = asyncio.new_event_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        there, back = await _dial(target)
        await asyncio.gather(pour(reader, back), pour(there, writer))
        tasks.discard(task)

    async def end() -> None:
        door.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=loop.run_forever, name="relay", daemon=True)
    thread.start()
    opening = asyncio.run_coroutine_threadsafe(asyncio.start_server(join, "127.0.0.1", 0), loop)
    door = opening.result(10)
    try:
        yield door.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


if __name__ == "__main__":
    with Pooler(sys.argv[1], servers=10, port=int(sys.argv[2])):
        print("ready", flush=True)
        signal.pause()
