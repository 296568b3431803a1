"""A real PostgreSQL for every test: one server for the run, one database per test, cloned from a migrated template."""

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from ingather import embedded
from ingather.engine.engine import Engine
from ingather.engine.migrations import migrate

# A run that was started in the background ignores Ctrl-C, and so would every program that it starts and tests.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The address of a server to run the engine's tests on, from `dev.py test --server`. Its user makes and drops databases.
THEIR_SERVER = "INGATHER_TEST_SERVER"

# Tests may lose their data, so the server need not wait for the disk. Deadlocks must show at once.
FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "deadlock_timeout": "50ms",
    "autovacuum_naptime": "1s",
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Half a character in captured output cannot travel between the processes of a run, and would end all of it."""
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[str]:
    """The address of a server with a migrated database, the template of all others."""
    if theirs := os.environ.get(THEIR_SERVER):
        yield from _theirs(theirs, worker_id)
        return
    home = (
        tmp_path_factory.mktemp("server") if worker_id == "master" else tmp_path_factory.getbasetemp().parent / "server"
    )
    with embedded.start(Path(home), settings=FAST) as running:
        with psycopg.connect(running.superuser_url, autocommit=True) as conn:
            conn.execute(f'create database "{_template(worker_id)}"')
        migrate(database(running.superuser_url, _template(worker_id)))
        yield running.superuser_url


def _theirs(url: str, worker_id: str) -> Iterator[str]:
    """A server that somebody else runs: nothing of ours is left on it."""
    template = _template(worker_id)
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"create database \"{template}\" encoding 'UTF8' template template0")
    try:
        migrate(database(url, template))
        yield url
    finally:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(f'drop database "{template}" with (force)')


def _template(worker_id: str) -> str:
    return f"ingather_template_{worker_id}_{os.getpid()}"


def database(url: str, name: str) -> str:
    """The same server, another database."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


@contextmanager
def cloned(server: str, worker_id: str, name: str) -> Iterator[str]:
    """A migrated database for as long as the block lasts; its address. For fixtures that several tests share."""
    full_name = f"{name}_{worker_id}_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f'create database "{full_name}" template "{_template(worker_id)}"')
    yield database(server, full_name)
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f'drop database "{full_name}" with (force)')


_numbers = itertools.count()


@pytest.fixture
def new_database(server: str, worker_id: str) -> Iterator[Callable[[], str]]:
    """Makes migrated databases for this test alone; they are dropped after it."""
    made: list[str] = []

    def make() -> str:
        name = f"ingather_test_{worker_id}_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(f'create database "{name}" template "{_template(worker_id)}"')
        made.append(name)
        return database(server, name)

    yield make
    with psycopg.connect(server, autocommit=True) as conn:
        for name in made:
            conn.execute(f'drop database "{name}" with (force)')


@pytest.fixture
def url(new_database: Callable[[], str]) -> str:
    return new_database()


@pytest.fixture
def db(url: str) -> Iterator[psycopg.Connection]:
    """A connection of the test's own, to look at tables or to play a second actor."""
    with psycopg.connect(url, autocommit=True) as conn:
        yield conn


@pytest.fixture
def app(url: str) -> Iterator[Engine]:
    """An engine on the test's own database, with the shortest lease."""
    engine = Engine(url, lease=1)
    yield engine
    engine.close()


class Clock:
    """Moves the database's clock by moving every stored moment the other way."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self._conn = conn

    def advance(self, seconds: float) -> None:
        for table, columns in (
            ("worker", ["beat_at"]),
            ("waiting", ["run_at"]),
            ("queue", ["blocked_until"]),
            ("rate_use", ["began_at", "used_at"]),
            ("schedule", ["next_at", "last_at"]),
            ("batch", ["closed_at"]),
        ):
            moved = ", ".join(f"{column} = {column} - make_interval(secs => %(s)s)" for column in columns)
            self._conn.execute(f"update ingather.{table} set {moved}", {"s": seconds})


@pytest.fixture
def clock(db: psycopg.Connection) -> Clock:
    return Clock(db)
