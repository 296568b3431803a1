"""Connections to PostgreSQL: opened the same way everywhere, with errors that people can act on."""

import re
import select
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection, Connection, IsolationLevel
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row

from ingather.engine.errors import DatabaseUnavailable, IngatherError, UsageError
from ingather.engine.refusals import ENCODING_ADVICE

# PostgreSQL 14, as servers write their version. Older ones lack functions that the statements use.
OLDEST_SERVER: Final = 140_000
# How long one attempt to connect may take. Longer delays the next host of a list; shorter fails on slow networks.
CONNECT_TIMEOUT_S: Final = 10
# TCP has no higher port.
LARGEST_PORT: Final = 65_535

# A dead network must not keep a worker waiting for the kernel's two hours.
_KEEPALIVE: Final = {
    "keepalives": 1, "keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000,
}  # fmt: skip

# Every result depends on these, and a database or a role may have others of its own. The client's encoding is stated
# when the connection is opened. `pg_temp` is named last, or else it would be searched first.
_NEEDED: Final = {
    "default_transaction_isolation": "read committed",
    "search_path": "pg_catalog, pg_temp",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    # Between two rounds a worker's connection lies idle, and a caller's in its pool for longer.
    "idle_session_timeout": "0",
    # Statements here take milliseconds. Where settings make their plans look dear (`enable_indexscan = off` before
    # PostgreSQL 18), a server with JIT would compile each of them at each execution, for longer than it runs.
    "jit": "off",
}

# A connection of the engine's own is set up, and looked at, in one round trip. Names and operators are qualified: the
# search path is not ours yet. Behind a pooler nothing is set, since the next statement may meet another session.
_INTRODUCE: Final = """
select pg_catalog.pg_backend_pid(),
       case when pg_catalog.pg_backend_pid() operator(pg_catalog.=) %(pid)s::pg_catalog.int4 then
           (select pg_catalog.count(pg_catalog.set_config(needed.name, needed.value, false))
              from rows from (pg_catalog.unnest(%(names)s::pg_catalog.text[]),
                              pg_catalog.unnest(%(values)s::pg_catalog.text[])) as needed(name, value))
       end,
       pg_catalog.current_setting('default_transaction_isolation'),
       pg_catalog.current_setting('client_encoding'),
       pg_catalog.current_setting('DateStyle'),
       pg_catalog.current_setting('IntervalStyle'),
       pg_catalog.current_schemas(true)::pg_catalog.text[]
"""

_SCHEMAS: Final = "select pg_catalog.current_schemas(true)::pg_catalog.text[]"

# A database in SQL_ASCII keeps bytes without knowing their meaning. An encoding that PostgreSQL cannot turn into UTF-8
# (MULE_INTERNAL) needs no check: the server refuses the connection itself.
_NO_ENCODING: Final = "SQL_ASCII"

# The driver answers this to an option like `sslmode=perhaps`, without a question to any server.
_WRONG_OPTION: Final = re.compile(r"connection is bad: invalid \w+ value: ")


def connect(url: str, *, application_name: str = "ingather") -> Connection[Any]:
    """An autocommit connection, checked for a server that is new enough."""
    try:
        conn = psycopg.connect(url, **connection_options(application_name))
    except psycopg.Error as error:
        raise connection_unavailable(url, error) from None
    try:
        configure_connection(conn)
    except BaseException:
        conn.close()
        raise
    return conn


async def aconnect(url: str, *, application_name: str = "ingather") -> AsyncConnection[Any]:
    """`connect`, for a caller with an event loop."""
    try:
        conn = await AsyncConnection.connect(url, **connection_options(application_name))
    except psycopg.Error as error:
        raise connection_unavailable(url, error) from None
    try:
        await aconfigure_connection(conn)
    except BaseException:
        await conn.close()
        raise
    return conn


def configure_connection(conn: Connection[Any]) -> None:
    """Set a fresh connection up for the engine, with no session state that a pooler would lose."""
    _check_server_of_connection(conn)
    with conn.cursor(row_factory=tuple_row) as cursor:
        _adapt_connection(conn, cursor.execute(_INTRODUCE, _params_introducing_connection(conn)).fetchone())
    conn.isolation_level = IsolationLevel.READ_COMMITTED


async def aconfigure_connection(conn: AsyncConnection[Any]) -> None:
    """`configure_connection`, for a caller with an event loop."""
    _check_server_of_connection(conn)
    async with conn.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(_INTRODUCE, _params_introducing_connection(conn))
        _adapt_connection(conn, await cursor.fetchone())
    await conn.set_isolation_level(IsolationLevel.READ_COMMITTED)


def check_joined_connection(conn: Connection[Any]) -> None:
    """Raise `UsageError` unless a caller's own connection can carry the engine's statements as they are meant."""
    _check_kind_of_connection(conn, Connection)
    with conn.cursor(row_factory=tuple_row) as cursor:
        _check_meaning_of_connection(conn, cursor.execute(_SCHEMAS).fetchone())


async def acheck_joined_connection(conn: AsyncConnection[Any]) -> None:
    """`check_joined_connection`, for a caller with an event loop."""
    _check_kind_of_connection(conn, AsyncConnection)
    async with conn.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(_SCHEMAS)
        _check_meaning_of_connection(conn, await cursor.fetchone())


def check_pooled_connection(conn: Connection[Any]) -> None:
    """Raise if a connection that lay idle is broken. A server that hung up has left that to be read; as long as there
    is nothing, no question is sent, which would cost every use a round trip.
    """
    if _connection_has_something_to_read(conn):
        conn.execute("")


async def acheck_pooled_connection(conn: AsyncConnection[Any]) -> None:
    """`check_pooled_connection`, for a caller with an event loop."""
    if _connection_has_something_to_read(conn):
        await conn.execute("")


def _connection_has_something_to_read(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    poll = select.poll()
    poll.register(conn.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _params_introducing_connection(conn: Connection[Any] | AsyncConnection[Any]) -> dict[str, Any]:
    return {"pid": conn.info.backend_pid, "names": list(_NEEDED), "values": list(_NEEDED.values())}


def _check_server_of_connection(conn: Connection[Any] | AsyncConnection[Any]) -> None:
    version = conn.info.server_version
    if version < OLDEST_SERVER:
        raise DatabaseUnavailable(
            f"This server is PostgreSQL {version // 10000}; Ingather needs {OLDEST_SERVER // 10000} or newer."
        )
    if conn.info.parameter_status("server_encoding") == _NO_ENCODING:
        raise DatabaseUnavailable(
            f"This database has the encoding {_NO_ENCODING}, in which text has no certain meaning. {ENCODING_ADVICE}."
        )


def _adapt_connection(conn: Connection[Any] | AsyncConnection[Any], row: tuple[Any, ...] | None) -> None:
    """Fit the connection to its server, or refuse what stands behind a pooler and cannot be set from here.

    Limits are counted after a lock was waited for, and closing decides again
    under its lock: both need a fresh snapshot for every statement.
    """
    pid, are_set, *texts, schemas = row or (0, None, "", "", "", "", [])
    isolation, encoding, dates, intervals = map(_text_of_connection_setting, texts)
    schemas = [_text_of_connection_setting(schema) for schema in schemas]
    # A pooler answers the handshake with a process id of its own making. Behind one, the name of a prepared statement
    # may mean another client's statement.
    conn.prepare_threshold = 1 if pid == conn.info.backend_pid else None
    if are_set is not None:
        return
    for name, value, is_fit, needed in (
        ("default_transaction_isolation", isolation, isolation == "read committed", "'read committed'"),
        ("client_encoding", encoding, encoding == "UTF8", "UTF8"),
        ("DateStyle", dates, dates.startswith("ISO"), "'ISO, MDY'"),
        ("IntervalStyle", intervals, intervals == "postgres", "'postgres'"),
        (
            "search_path",
            ", ".join(schemas),
            _is_catalog_first_on_connection(schemas),
            "a path without pg_catalog, or with it first",
        ),
    ):
        if not is_fit:
            raise DatabaseUnavailable(
                f"This database has {name} = {value!r}, and a pooler stands before it. "
                f"Ingather needs {needed}: set that for the database or for its own role."
            )


def _text_of_connection_setting(value: str | bytes) -> str:
    """Where the client's encoding is SQL_ASCII, the driver leaves text as it came."""
    return value if isinstance(value, str) else value.decode("ascii", "replace")


def _is_catalog_first_on_connection(schemas: list[str]) -> bool:
    """Whether names mean PostgreSQL's own functions and operators. A temporary schema is not searched for those."""
    return next((schema for schema in schemas if not schema.startswith("pg_temp")), "") == "pg_catalog"


def _check_kind_of_connection(conn: object, wanted: type) -> None:
    if isinstance(conn, wanted):
        return
    module, name = type(conn).__module__.partition(".")[0], type(conn).__name__
    advice = {
        "sqlalchemy": "Of a session, that is `session.connection().connection.driver_connection`.",
        "django": "Of Django, that is `connection.connection`, after `connection.ensure_connection()`.",
        "psycopg": "`scatter` takes a Connection and `ascatter` an AsyncConnection.",
    }.get(module, "It must be the connection that your own transaction runs on.")
    raise UsageError(f"conn= takes a psycopg.{wanted.__name__}, not a {module}.{name}. {advice}")


def _check_meaning_of_connection(conn: Connection[Any] | AsyncConnection[Any], row: tuple[Any, ...] | None) -> None:
    encoding = conn.info.parameter_status("client_encoding")
    if encoding != "UTF8":
        raise UsageError(
            f"This connection has client_encoding = {encoding}, in which payloads cannot travel as they are. "
            "Open it with client_encoding=UTF8."
        )
    schemas = row[0] if row else []
    if not _is_catalog_first_on_connection(schemas):
        raise UsageError(
            f"This connection has search_path = {', '.join(schemas)}: names of PostgreSQL's own functions may mean "
            "others there. Take pg_catalog out of the path, or put it first."
        )


def is_direct_connection(conn: Connection[Any] | AsyncConnection[Any]) -> bool:
    """Whether one server process serves this connection all along: then it may listen and keep plans."""
    return conn.prepare_threshold is not None


def connection_options(application_name: str) -> dict[str, Any]:
    """How every connection is opened, besides its address."""
    return {
        "autocommit": True,
        # It travels in the handshake, so no setting of a role or a database comes before it.
        "client_encoding": "UTF8",
        "application_name": application_name,
        "connect_timeout": CONNECT_TIMEOUT_S,
        **_KEEPALIVE,
    }


def check_connection_url(url: str) -> None:
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
        raise _no_connection_address(why)


def _no_connection_address(why: str) -> UsageError:
    return UsageError(
        f"DATABASE_URL is not a PostgreSQL address: {why}. "
        "It looks like postgresql://user:password@host:5432/database; "
        "in a password, write %40 for @, %2F for /, %3A for :."
    )


def connection_unavailable(url: str, error: Exception) -> IngatherError:
    """The server's message with the address and without the password; `UsageError` where the address is none."""
    try:
        check_connection_url(url)
    except UsageError as wrong:
        return wrong
    reason = re.sub(r"\s+", " ", str(error)).strip().removeprefix("connection failed: ")
    parts = conninfo_to_dict(url)
    if _WRONG_OPTION.match(reason):
        return _no_connection_address("one of its options has a value that there is not")
    if password := parts.get("password"):
        reason = reason.replace(str(password), "…")
    where = f"{_connection_hosts_with_ports(parts)}/{parts.get('dbname', '')}"
    # An error with a code comes from a server that did answer: a deadlock, a timeout, a shutdown.
    if getattr(error, "sqlstate", None):
        return DatabaseUnavailable(f"The PostgreSQL at {where} gave up on this: {reason}")
    return DatabaseUnavailable(f"No PostgreSQL could be reached at {where}: {reason}")


def _connection_hosts_with_ports(parts: dict[str, Any]) -> str:
    """Each host with its port. libpq takes one port for all, or as many as there are hosts."""
    hosts = str(parts.get("host") or "localhost").split(",")
    ports = str(parts.get("port") or 5432).split(",")
    if len(ports) != len(hosts):
        ports = ports[:1] * len(hosts)
    return ", ".join(f"{host}:{port or 5432}" for host, port in zip(hosts, ports, strict=True))
