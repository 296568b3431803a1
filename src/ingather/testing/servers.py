"""The server of a test run, and one database that every test finds as if it were new."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ingather import embedded
from ingather.engine.migrations import migrate

# Tests may lose their data, so the server need not wait for the disk. Deadlocks must show at once, as tests wait.
FAST: Final = {"fsync": "off", "full_page_writes": "off", "deadlock_timeout": "50ms"}

# A connection that outlives its test would write into the next one.
_END_OTHERS: Final[LiteralString] = """
select count(pg_terminate_backend(pid)) from pg_stat_activity
 where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
"""

# A database in which these two change has other tables than its template, or other columns.
_SHAPE: Final[LiteralString] = "select (select count(*) from pg_class), (select count(*) from pg_attribute)"

_TABLES: Final[LiteralString] = """
select quote_ident(n.nspname) || '.' || quote_ident(c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
 order by c.oid
"""


class Databases:
    """A server, a template on it, and one database at a time that is a copy of it."""

    def __init__(self, server: str, name: str) -> None:
        self._server = server
        self._template = f"{name}_template"
        self._name = f"{name}_test"
        self._is_there = False

    def make_template(self) -> str:
        """The database that all others are copies of; the engine's tables are in it. Its address."""
        self._on_server("create database {} encoding 'UTF8' template template0", self._template)
        migrate(self.template_url)
        return self.template_url

    @property
    def template_url(self) -> str:
        return on_database(self._server, self._template)

    def fresh(self) -> str:
        """The address of a database as the template is: the one of the test before, emptied, or a new copy."""
        url = on_database(self._server, self._name)
        if not self._is_there:
            self._on_server("create database {} template {}", self._name, self._template)
            self._is_there = True
            with psycopg.connect(url, autocommit=True) as conn:
                self._shape = conn.execute(_SHAPE).fetchone()
                names = [str(name) for (name,) in conn.execute(_TABLES)]
                seeded = set(_filled(conn, names))
                self._empty = [name for name in names if name not in seeded]
        return url

    def clear(self) -> None:
        """Make ready for the next test: empty what was empty, and drop a database whose tables have changed."""
        with psycopg.connect(on_database(self._server, self._name), autocommit=True) as conn:
            conn.execute(_END_OTHERS)
            if is_same := conn.execute(_SHAPE).fetchone() == self._shape:
                filled = _filled(conn, self._empty)
                if filled:
                    # The names come from the catalogue, quoted by PostgreSQL itself.
                    conn.execute(sql.SQL("truncate {} cascade").format(sql.SQL(", ".join(filled))))
        if not is_same:
            self._drop(self._name)
            self._is_there = False

    def drop_all(self) -> None:
        """Leave nothing on the server."""
        for name in (self._name, self._template):
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._on_server("drop database if exists {} with (force)", name)

    def _on_server(self, text: LiteralString, *names: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as conn:
            conn.execute(sql.SQL(text).format(*map(sql.Identifier, names)))


def on_database(url: str, name: str) -> str:
    """The same server, another database."""
    return make_conninfo(url, dbname=name)


def _filled(conn: psycopg.Connection[Any], tables: list[str]) -> list[str]:
    """Those of these tables that hold a row: one statement, however many there are."""
    # The names come from the catalogue, quoted by PostgreSQL itself.
    parts = [f"select {n} where exists (select from {name})" for n, name in enumerate(tables)]  # noqa: S608
    return [tables[n] for (n,) in conn.execute(" union all ".join(parts))] if parts else []


@contextmanager
def databases(server: str | None, home: Path) -> Iterator[Databases]:
    """Databases on a server, or on an embedded one that lives as long as the run."""
    name = f"ingather_{os.getpid()}"
    if server is not None:
        found = Databases(server, name)
        try:
            found.make_template()
            yield found
        finally:
            found.drop_all()
        return
    with embedded.start(home, settings=FAST) as running:
        found = Databases(running.superuser_url, name)
        found.make_template()
        yield found
