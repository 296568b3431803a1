"""Several hosts in DATABASE_URL: callers and workers look for the one that may be written."""

from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingather.engine.connection import connect, connection_unavailable
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.item import Item


def through(url: str, *hosts: str) -> str:
    parts = conninfo_to_dict(url)
    ports = ",".join([str(parts["port"])] * len(hosts))
    return make_conninfo("", **(parts | {"host": ",".join(hosts), "port": ports, "target_session_attrs": "read-write"}))


def test_callers_and_workers_pass_over_a_host_that_is_away(url: str, tmp_path: Path) -> None:
    app = Engine(through(url, str(tmp_path), str(conninfo_to_dict(url)["host"])), lease=1)

    @app.handler("double")
    async def double(item: Item) -> int:
        return 2 * int(item.payload)

    batch = app.scatter("double", [1, 2, 3])
    app.worker(concurrency=2).drain()
    assert list(batch.results()) == [2, 4, 6]
    app.close()


def test_a_server_that_may_not_be_written_is_passed_over_and_named(url: str, tmp_path: Path) -> None:
    parts = conninfo_to_dict(url)
    read_only = make_conninfo(
        through(url, str(parts["host"]), str(tmp_path)), options="-c default_transaction_read_only=on"
    )
    with pytest.raises(DatabaseUnavailable, match="read-only"):
        connect(read_only)


def test_a_failure_names_every_host_and_no_password() -> None:
    error = connection_unavailable("postgresql://me:secret@one:1111,two:2222/mine", OSError("secret did not work"))
    assert str(error) == "No PostgreSQL could be reached at one:1111, two:2222/mine: … did not work"


def test_one_port_serves_all_hosts() -> None:
    error = connection_unavailable("postgresql://one,two/mine?port=7000", OSError("away"))
    assert "one:7000, two:7000/mine" in str(error)
