"""Connections of one server: how many there may be, and how long each may take to say what it wants."""

import asyncio
import logging
import resource
import time
from collections import OrderedDict
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ingather.web.limits import RequestLimits

# So many of a process's descriptors are for the database, files, and what the system opens for us.
RESERVED_DESCRIPTORS: Final = 200
# Each connection costs some 30 kB. Twenty people with three windows each have 360.
MOST_CONNECTIONS: Final = 2_000
# A browser keeps a connection for the next request. Longer keeps more of them open for nothing, shorter makes it
# connect anew.
IDLE_S: Final = 30
# The same complaint about a client is written down this often. More lets a stranger fill the log.
COMPLAIN_EVERY_S: Final = 60.0


def configured_connections(app: ASGIApp, limits: RequestLimits, *, shutdown_s: int) -> uvicorn.Config:
    """How the application is served. `shutdown_s` is how long requests under way may take when it ends."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(known, ComplainSeldom) for known in logger.filters):
            logger.addFilter(ComplainSeldom())
    return uvicorn.Config(
        app,
        http=Connections(limits.headers_s).protocol,  # type: ignore[arg-type]  # any function that makes a protocol
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=shutdown_s,
        timeout_keep_alive=IDLE_S,
        ws="none",
    )


class Connections:
    """The connections of a server. When there are too many, the one that has waited longest for the rest of its request
    is closed: strangers who send half a request push each other out, and nobody who has sent a whole one."""

    def __init__(self, headers_s: float) -> None:
        self.headers_s = headers_s
        self._most = most_connections()
        self._open = 0
        self._waiting: OrderedDict[Connection, None] = OrderedDict()

    def opened(self, connection: "Connection") -> None:
        self._open += 1
        if self._open > self._most:
            oldest = next(iter(self._waiting), connection)
            oldest.transport.abort()

    def closed(self, connection: "Connection") -> None:
        self._open -= 1
        self._waiting.pop(connection, None)

    def waits(self, connection: "Connection") -> None:
        self._waiting[connection] = None

    def is_served(self, connection: "Connection") -> None:
        self._waiting.pop(connection, None)

    def protocol(self, **options: Any) -> "Connection":
        """What uvicorn calls for every new connection."""
        return Connection(self, **options)


class Connection(H11Protocol):
    """One connection. Headers that are not whole in time close it, however many bytes of them came."""

    def __init__(self, all_of_them: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._all = all_of_them
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_headers()
        self._all.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        self._all.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering():
            self._end_deadline()
            # As long as its body is on its way, a request may still have to give way to others.
            if not self.cycle.more_body:
                self._all.is_served(self)
        elif self._deadline is None:
            # The first bytes of another request; before them uvicorn's own deadline for idle connections held.
            self._wait_for_headers()

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._all.waits(self)

    def _wait_for_headers(self) -> None:
        self._all.waits(self)
        self._deadline = self.loop.call_later(self._all.headers_s, self._give_up)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        # Without a word: an answer would be one to a request that was never made.
        self.transport.close()


class ComplainSeldom(logging.Filter):
    """Lets the same complaint through once in a while. Anybody can make a server complain as often as they like."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        # The text without its parameters, of which a stranger could make as many as they like.
        complaint, now = str(record.msg)[:200], time.monotonic()
        if now - self._last.get(complaint, -COMPLAIN_EVERY_S) < COMPLAIN_EVERY_S:
            return False
        self._last[complaint] = now
        return True


def most_connections() -> int:
    """As many as the process has descriptors for. One more, and nobody could connect, and every try would be logged."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft < 0 else max(min(MOST_CONNECTIONS, soft - RESERVED_DESCRIPTORS), soft // 4)
