"""Connections to PostgreSQL: opened the same way everywhere, with errors that people can act on."""

import re
import select
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection, Connection, IsolationLevel
from psycopg.conninfo import conninfo_to_dict

from ingather.engine.errors import DatabaseUnavailable, IngatherError, UsageError

OLDEST_SERVER = 140000
CONNECT_TIMEOUT_S = 10
LARGEST_PORT = 65_535

# A dead network must not keep a worker waiting for the kernel's two hours.
_KEEPALIVE: Final = {
    "keepalives": 1, "keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000,
}  # fmt: skip

_WHO_SERVES: Final = "select pg_backend_pid(), current_setting('default_transaction_isolation')"
_FRESH_SNAPSHOTS: Final = "set default_transaction_isolation = 'read committed'"

# What is worth trying again: the server restarts, fails over, is full, or broke a deadlock or the line.
PASSING_ERRORS: Final = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)

# What the driver says of `sslmode=perhaps`, without asking any server.
_WRONG_OPTION: Final = re.compile(r"connection is bad: invalid \w+ value: ")


def connect(url: str, *, application_name: str = "ingather") -> Connection[Any]:
    """An autocommit connection, checked for a server that is new enough."""
    try:
        conn = psycopg.connect(url, **options(application_name))
    except psycopg.Error as error:
        raise unavailable(url, error) from None
    try:
        configure(conn)
    except BaseException:
        conn.close()
        raise
    return conn


async def aconnect(url: str, *, application_name: str = "ingather") -> AsyncConnection[Any]:
    """`connect`, for a caller with an event loop."""
    try:
        conn = await AsyncConnection.connect(url, **options(application_name))
    except psycopg.Error as error:
        raise unavailable(url, error) from None
    try:
        await aconfigure(conn)
    except BaseException:
        await conn.close()
        raise
    return conn


def configure(conn: Connection[Any]) -> None:
    """Set a fresh connection up for the engine, with no session state that a pooler would lose."""
    if not _adapt(conn, conn.execute(_WHO_SERVES).fetchone()):
        conn.execute(_FRESH_SNAPSHOTS)
    conn.isolation_level = IsolationLevel.READ_COMMITTED


async def aconfigure(conn: AsyncConnection[Any]) -> None:
    cursor = await conn.execute(_WHO_SERVES)
    if not _adapt(conn, await cursor.fetchone()):
        await conn.execute(_FRESH_SNAPSHOTS)
    await conn.set_isolation_level(IsolationLevel.READ_COMMITTED)


def check(conn: Connection[Any]) -> None:
    """Raise if a connection that lay idle is broken. A server that hung up has left that to be read; as long as there
    is nothing, it need not be asked, which would cost every use a round trip.
    """
    if _has_something_to_read(conn):
        conn.execute("")


async def acheck(conn: AsyncConnection[Any]) -> None:
    """`check`, for a caller with an event loop."""
    if _has_something_to_read(conn):
        await conn.execute("")


def _has_something_to_read(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    poll = select.poll()
    poll.register(conn.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _adapt(conn: Connection[Any] | AsyncConnection[Any], row: tuple[Any, ...] | None) -> bool:
    """Fit the connection to its server. False when its transactions would keep their first snapshot.

    Limits are counted after a lock was waited for, and closing decides again
    under its lock: both need a fresh snapshot for every statement.
    """
    version = conn.info.server_version
    if version < OLDEST_SERVER:
        raise DatabaseUnavailable(
            f"This server is PostgreSQL {version // 10000}; Ingather needs {OLDEST_SERVER // 10000} or newer."
        )
    # A pooler answers the handshake with a process id of its own making. Behind one, the name of a prepared statement
    # may mean another client's statement.
    pid, isolation = row or (0, "")
    conn.prepare_threshold = 1 if pid == conn.info.backend_pid else None
    if isolation != "read committed" and not is_direct(conn):
        raise DatabaseUnavailable(
            f"This database has default_transaction_isolation = {isolation!r}, and a pooler stands before it. "
            "Ingather needs 'read committed': set that for the database or for its own role."
        )
    return bool(isolation == "read committed")


def is_direct(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    """Whether one server process serves this connection all along: then it may listen and keep plans."""
    return conn.prepare_threshold is not None


def options(application_name: str) -> dict[str, Any]:
    """How every connection is opened, besides its address."""
    return {
        "autocommit": True,
        "application_name": application_name,
        "connect_timeout": CONNECT_TIMEOUT_S,
        **_KEEPALIVE,
    }


def check_url(url: str) -> None:
    """Raise `UsageError` for what cannot be an address. Nothing of it is shown: any part may be half of a password."""
    why = ""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        is_ours = url.startswith(("postgresql://", "postgres://"))
        why = "it cannot be read" if is_ours else "it does not begin with postgresql://"
    else:
        ports = [port for port in str(parts.get("port", "")).split(",") if port]
        if not all(port.isdecimal() and 0 < int(port) <= LARGEST_PORT for port in ports):
            why = "its port is no number from 1 to 65,535"
        elif "@" in f"{parts.get('host', '')}{parts.get('dbname', '')}":
            why = "there is an @ where none can be"
    if why:
        raise _no_address(why)


def _no_address(why: str) -> UsageError:
    return UsageError(
        f"DATABASE_URL is not a PostgreSQL address: {why}. "
        "It looks like postgresql://user:password@host:5432/database; "
        "in a password, write %40 for @, %2F for /, %3A for :."
    )


def unavailable(url: str, error: Exception) -> IngatherError:
    """The server's words with the address and without the password; `UsageError` where the address is none."""
    try:
        check_url(url)
    except UsageError as wrong:
        return wrong
    reason = re.sub(r"\s+", " ", str(error)).strip().removeprefix("connection failed: ")
    parts = conninfo_to_dict(url)
    if _WRONG_OPTION.match(reason):
        return _no_address("one of its options has a value that there is not")
    if password := parts.get("password"):
        reason = reason.replace(str(password), "…")
    where = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
    # With a code, the server did answer: it was a deadlock, a timeout, a shutdown.
    if getattr(error, "sqlstate", None):
        return DatabaseUnavailable(f"The PostgreSQL at {where} gave up on this: {reason}")
    return DatabaseUnavailable(f"No PostgreSQL could be reached at {where}: {reason}")
