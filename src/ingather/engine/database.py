"""The database of one application: its address, its pools of connections, and scripts played on them."""

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from ingather.engine import statements as sql
from ingather.engine.connection import (
    acheck_joined_connection,
    acheck_pooled_connection,
    aconfigure_connection,
    check_joined_connection,
    check_pooled_connection,
    configure_connection,
    connect,
    connection_options,
    connection_unavailable,
)
from ingather.engine.migrations import ENGINE_ALONE
from ingather.engine.migrations import check_migrations as check_schema
from ingather.engine.refusals import PASSING_ERRORS, payload_refused, refusal_is_about_ids, refusal_out_of_ids
from ingather.engine.script import Script, aplay_script, arun_script, play_script, run_script

T = TypeVar("T")

# Connections that callers of one process share, per event loop. Fewer make threads wait for each other; every one more
# is a process of the server, of which it has 100 by default.
POOL_SIZE: Final = 10
# How long a caller waits for one of them. Longer than a restart of the server takes; shorter than people wait for.
POOL_TIMEOUT_S: Final = 15.0


class Database:
    """Where an application's batches live. Nothing connects before the first script.

    `url` may be a function, called once, for databases that have to be started
    first. For rooms built on the engine: they play scripts of their own here.
    """

    def __init__(self, url: str | Callable[[], str]) -> None:
        self._url = url
        # The tables of these rooms must be there. A program with more rooms adds them before it connects.
        self.rooms = set(ENGINE_ALONE)
        self._lock = threading.Lock()
        self._is_checked = False
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._apools: dict[asyncio.AbstractEventLoop, AsyncConnectionPool[AsyncConnection[Any]]] = {}
        _forget_database_connections_after_fork(self)

    @property
    def url(self) -> str:
        """The database's address. Reading it starts a database that has to be started."""
        with self._lock:
            if not isinstance(self._url, str):
                self._url = self._url()
            return self._url

    def move_to(self, url: str | Callable[[], str]) -> str | Callable[[], str]:
        """Another database from now on, for tests. Returns where this one was."""
        self.close()
        with self._lock:
            before, self._url = self._url, url
            self._is_checked = False
            # Pools of loops belong to their loops, which close them or have ended.
            self._apools = {}
        return before

    def check(self) -> None:
        """Fail at once and with a sentence, where a pool would try for long and log what it tries."""
        if not self._is_checked:
            with connect(self.url) as conn:
                check_schema(conn, self.rooms)
            self._is_checked = True

    def run(self, script: Script[T], *, rings: bool = False, is_one_statement: bool = False) -> T:
        """Run a script in a transaction on a connection of the pool; with `rings`, wake idle workers after its commit.
        A script whose first statement writes all there is to write needs no transaction: `is_one_statement`."""
        with self._in_sentences(), self._ready().connection() as conn:
            result = (play_script if is_one_statement else run_script)(conn, script)
            # The work is committed. A notification that fails costs half a second, not the work.
            with suppress(psycopg.Error):
                if rings:
                    conn.execute(sql.RING)
            return result

    async def arun(self, script: Script[T], *, rings: bool = False, is_one_statement: bool = False) -> T:
        """`run_script`, for a caller with an event loop."""
        pool = await self._aready()
        with self._in_sentences():
            async with pool.connection() as conn:
                result = await (aplay_script if is_one_statement else arun_script)(conn, script)
                with suppress(psycopg.Error):
                    if rings:
                        await conn.execute(sql.RING)
                return result

    async def aplay(self, script: Script[T]) -> T:
        """Play a script that only reads, without a transaction, for a caller with an event loop."""
        pool = await self._aready()
        with self._in_sentences():
            async with pool.connection() as conn:
                return await aplay_script(conn, script)

    def join(self, conn: Connection[Any], script: Script[T]) -> T:
        """Run a script within the transaction of a caller's connection."""
        self.check()
        check_joined_connection(conn)
        with _database_refusals_in_sentences():
            return run_script(conn, script)

    async def ajoin(self, conn: AsyncConnection[Any], script: Script[T]) -> T:
        """`join`, for a caller with an event loop."""
        if not self._is_checked:
            await asyncio.to_thread(self.check)
        await acheck_joined_connection(conn)
        with _database_refusals_in_sentences():
            return await arun_script(conn, script)

    def close(self) -> None:
        """Close the connections of callers without a loop. Workers close their own."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    async def aclose(self) -> None:
        """Close all connections of this loop, and those of `close`."""
        pool = self._apools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()
        await asyncio.to_thread(self.close)

    @contextmanager
    def _in_sentences(self) -> Iterator[None]:
        """Errors of the driver, as sentences that say what to do."""
        try:
            with _database_refusals_in_sentences():
                yield
        except (PoolTimeout, *PASSING_ERRORS) as error:
            raise connection_unavailable(self.url, error) from error

    def _ready(self) -> ConnectionPool[Connection[Any]]:
        self.check()
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    str(self._url),
                    kwargs=connection_options("ingather"),
                    configure=configure_connection,
                    check=check_pooled_connection,
                    min_size=0,
                    max_size=POOL_SIZE,
                    timeout=POOL_TIMEOUT_S,
                    open=True,
                )
                # From Python 3.13 on, the interpreter's end would wait 20 s for the threads of an open pool.
                weakref.finalize(self, _close_own_pools_of_database, self._pool, os.getpid())
            return self._pool

    async def _aready(self) -> AsyncConnectionPool[AsyncConnection[Any]]:
        if not self._is_checked:
            await asyncio.to_thread(self.check)
        loop = asyncio.get_running_loop()
        # A pool belongs to its loop. Pools of closed loops are dropped here, and their connections with them.
        for closed in [known for known in self._apools if known.is_closed()]:
            del self._apools[closed]
        pool = self._apools.get(loop)
        if pool is None:
            pool = self._apools[loop] = AsyncConnectionPool(
                str(self._url),
                kwargs=connection_options("ingather"),
                configure=aconfigure_connection,
                check=acheck_pooled_connection,
                min_size=0,
                max_size=POOL_SIZE,
                timeout=POOL_TIMEOUT_S,
                open=False,
            )
            await pool.open()
        return pool

    def _forget_connections(self) -> None:
        """In a forked child: leave the parent's connections alone and start with none."""
        _PARENTS_POOLS.append((self._pool, self._apools))
        self._lock = threading.Lock()
        self._pool = None
        self._apools = {}


@contextmanager
def _database_refusals_in_sentences() -> Iterator[None]:
    """What a database refuses for good, or until somebody mends it; also where the connection is a caller's own."""
    try:
        yield
    except psycopg.errors.UntranslatableCharacter as error:
        raise payload_refused(error) from error
    except psycopg.Error as error:
        if refusal_is_about_ids(error):
            raise refusal_out_of_ids(error) from error
        raise


def _close_own_pools_of_database(pool: ConnectionPool[Connection[Any]], pid: int) -> None:
    """Close a pool in the process that opened it: in a forked child its connections are the parent's."""
    if os.getpid() == pid:
        pool.close()


# A child keeps the pools of its parent here, so that it never collects, and thereby closes, what is not its own.
_PARENTS_POOLS: list[object] = []


def _forget_database_connections_after_fork(database: Database) -> None:
    # Hooks cannot be taken back. A weak reference lets the database go all the same.
    this = weakref.ref(database)

    def forget() -> None:
        if (database := this()) is not None:
            database._forget_connections()  # noqa: SLF001  # the hook is part of the class, outside it for the weak reference

    os.register_at_fork(after_in_child=forget)
