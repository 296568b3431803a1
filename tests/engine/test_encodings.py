"""Databases, roles and sessions with settings of their own: what an item cannot be stored in costs that item alone."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from psycopg import sql as pg

from ingather.engine import parameters
from ingather.engine.batch import Batch
from ingather.engine.connection import connect
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, Failed, PayloadRefused, Reject, UsageError
from ingather.engine.item import Item
from ingather.engine.migrations import migrate
from tests.conftest import database
from tests.engine.pooler import Pooler

_numbers = count()

# Cyrillic and an emoji: neither LATIN1 nor EUC_CN holds both.
ALIEN = "Ж 🎉"


@pytest.fixture
def database_in(server: str, worker_id: str) -> Iterator[Callable[[str], str]]:
    """Makes databases of other encodings, without tables; they are dropped after the test."""
    made: list[str] = []

    def make(encoding: str) -> str:
        name = f"encoded_{worker_id}_{next(_numbers)}"
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(
                pg.SQL("create database {} encoding {} locale 'C' template template0").format(
                    pg.Identifier(name), encoding
                )
            )
        made.append(name)
        return database(server, name)

    yield make
    with psycopg.connect(server, autocommit=True) as conn:
        for name in made:
            conn.execute(pg.SQL("drop database {} with (force)").format(pg.Identifier(name)))


@pytest.fixture
def set_in_database(server: str) -> Callable[[str, str, str], None]:
    """Gives a database a setting of its own, as an operator may for reasons of theirs."""

    def apply(url: str, setting: str, value: str) -> None:
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(
                pg.SQL("alter database {} set {} = {}").format(
                    pg.Identifier(str(name)), pg.Identifier(setting), pg.SQL(value)
                )
            )

    return apply


def furnish(app: Engine) -> Engine:
    @app.handler("echo")
    async def echo(item: Item) -> Any:
        return ALIEN if item.payload == "alien" else item.payload

    @app.handler("fail", max_attempts=1)
    async def fail(item: Item) -> Any:
        raise ValueError(ALIEN)

    @app.handler("retry", max_attempts=2)
    async def retry(item: Item) -> Any:
        if item.attempt == 1:
            raise ValueError(ALIEN)
        return "again"

    @app.handler("parent")
    async def parent(item: Item) -> Any:
        if item.payload == "alien":
            item.scatter("echo", [ALIEN])

    return app


def worked(app: Engine, kind: str, payloads: list[Any]) -> list[Any]:
    """Scatter, work, and look: state, result and reason of every item."""
    batch = app.scatter(kind, payloads)

    async def work() -> None:
        async with app.worker():
            await batch.await_(timeout=20)

    asyncio.run(work())
    return [(item.state, item.result, (item.error or {}).get("reason")) for item in batch.items()]


@pytest.mark.parametrize("encoding", ["LATIN1", "EUC_CN"])
@pytest.mark.parametrize(
    ("kind", "alien", "neighbour"),
    [
        ("echo", ("error", None, "bad_result"), ("completed", "plain", None)),
        ("fail", ("error", None, "exhausted"), ("error", None, "exhausted")),
        ("retry", ("completed", "again", None), ("completed", "again", None)),
        ("parent", ("error", None, "bad_result"), ("completed", None, None)),
    ],
)
def test_what_the_databases_encoding_cannot_hold_fails_its_item_alone(
    database_in: Callable[[str], str], encoding: str, kind: str, alien: Any, neighbour: Any
) -> None:
    url = database_in(encoding)
    migrate(url)
    app = furnish(Engine(url, lease=1))
    ends = worked(app, kind, ["plain"] * 9 + ["alien"] + ["plain"] * 10)
    assert ends == [neighbour] * 9 + [alien] + [neighbour] * 10
    app.close()


def test_a_result_that_cannot_be_held_says_which_encoding_and_what_to_do(database_in: Callable[[str], str]) -> None:
    url = database_in("LATIN1")
    migrate(url)
    app = furnish(Engine(url, lease=1))
    batch = app.submit("echo", "alien")
    app.worker().drain()
    [item] = batch.items()
    assert item.error is not None
    assert "LATIN1" in item.error["message"]
    assert "UTF8" in item.error["message"]
    app.close()


def test_the_message_of_a_failure_survives_an_encoding_that_cannot_hold_it(database_in: Callable[[str], str]) -> None:
    url = database_in("LATIN1")
    migrate(url)
    app = furnish(Engine(url, lease=1))
    batch = app.submit("fail", 1)
    app.worker().drain()
    [item] = batch.items()
    assert item.error is not None
    assert item.error["message"] == "\\u0416 \\U0001f389"
    assert item.error["type"] == "ValueError"
    app.close()


@pytest.mark.parametrize("payloads", [[ALIEN], [ALIEN] * 200])
def test_a_payload_that_the_encoding_cannot_hold_is_refused(
    database_in: Callable[[str], str], payloads: list[str]
) -> None:
    url = database_in("LATIN1")
    migrate(url)
    app = furnish(Engine(url, lease=1))
    with pytest.raises(PayloadRefused, match="LATIN1"):
        app.scatter("echo", payloads)
    with pytest.raises(PayloadRefused, match="LATIN1"):
        asyncio.run(_ascatter(app, payloads))
    assert app.batches() == []
    app.close()


async def _ascatter(app: Engine, payloads: list[str]) -> None:
    try:
        await app.ascatter("echo", payloads)
    finally:
        await app.aclose()


def test_a_database_without_an_encoding_is_refused_with_a_sentence(database_in: Callable[[str], str]) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"SQL_ASCII.*encoding UTF8"):
        migrate(database_in("SQL_ASCII"))


SETTINGS = [
    ("client_encoding", "LATIN1"),
    ("client_encoding", "EUC_CN"),
    ("client_encoding", "SQL_ASCII"),
    ("DateStyle", "'German, DMY'"),
    ("DateStyle", "'SQL, DMY'"),
    ("DateStyle", "'Postgres, MDY'"),
    ("IntervalStyle", "'iso_8601'"),
    ("IntervalStyle", "'sql_standard'"),
    ("TimeZone", "'Asia/Kathmandu'"),
    ("standard_conforming_strings", "off"),
    ("bytea_output", "'escape'"),
    ("extra_float_digits", "-15"),
    ("default_transaction_isolation", "'serializable'"),
    ("default_transaction_isolation", "'repeatable read'"),
    ("search_path", "evil, pg_catalog"),
    ("enable_indexscan", "off"),
    ("jit_above_cost", "0"),
]


@pytest.mark.parametrize(("setting", "value"), SETTINGS)
def test_what_an_operator_set_for_the_database_changes_nothing(
    url: str, set_in_database: Callable[[str, str, str], None], db: psycopg.Connection[Any], setting: str, value: str
) -> None:
    _hijack(db, "evil")
    set_in_database(url, setting, value)
    app = furnish(Engine(url, lease=1))
    assert worked(app, "echo", [ALIEN, "plain", "alien"]) == [
        ("completed", ALIEN, None),
        ("completed", "plain", None),
        ("completed", ALIEN, None),
    ]
    assert all(batch.closed_at is not None and batch.created_at <= batch.closed_at for batch in app.batches())
    app.close()


def test_no_statement_of_the_engine_is_compiled_whatever_its_plan_seems_to_cost(
    url: str, set_in_database: Callable[[str, str, str], None]
) -> None:
    set_in_database(url, "jit", "on")
    with connect(url) as conn:
        assert conn.execute("show jit").fetchone() == ("off",)


def test_what_an_operator_set_for_a_role_changes_nothing(url: str, db: psycopg.Connection[Any]) -> None:
    _hijack(db, "evil")
    role = f"odd_{psycopg.conninfo.conninfo_to_dict(url)['dbname']}"
    db.execute(pg.SQL("create role {} superuser login").format(pg.Identifier(role)))
    try:
        for setting, value in SETTINGS:
            db.execute(
                pg.SQL("alter role {} set {} = {}").format(pg.Identifier(role), pg.Identifier(setting), pg.SQL(value))
            )
        app = furnish(Engine(psycopg.conninfo.make_conninfo(url, user=role), lease=1))
        assert worked(app, "echo", [ALIEN, "plain"]) == [("completed", ALIEN, None), ("completed", "plain", None)]
        app.close()
    finally:
        db.execute(pg.SQL("drop role {}").format(pg.Identifier(role)))


def test_a_gather_whose_result_cannot_be_held_ends_and_its_batch_says_why(database_in: Callable[[str], str]) -> None:
    url = database_in("EUC_CN")
    migrate(url)
    app = furnish(Engine(url, lease=1))

    @app.gather("echo")
    async def summary(batch: Batch) -> str:
        return ALIEN

    batch = app.scatter("echo", ["plain", "alien"])
    app.worker().drain()
    assert batch.progress().gather == "error"
    with pytest.raises(Failed, match="EUC_CN"):
        batch.result()
    app.close()


def _hijack(conn: psycopg.Connection[Any], schema: str) -> None:
    """What stands before pg_catalog in the search path is what a statement means, unless it says otherwise."""
    conn.execute(f"create schema if not exists {schema}")
    conn.execute(
        f"create function {schema}.clock_timestamp() returns timestamptz language sql as "
        "$$ select '1999-01-01'::pg_catalog.timestamptz $$"
    )
    conn.execute(
        f"create function {schema}.nextval(text) returns bigint language sql as $$ select 1::pg_catalog.int8 $$"
    )


def test_a_callers_connection_with_another_search_path_first_is_refused(url: str, db: psycopg.Connection[Any]) -> None:
    _hijack(db, "evil")
    app = furnish(Engine(url, lease=1))
    with psycopg.connect(url, options="-c search_path=evil,pg_catalog") as conn:
        with pytest.raises(UsageError, match="search_path"):
            app.scatter("echo", [1], conn=conn)
        conn.rollback()
        conn.execute("set search_path = evil, public")
        # Where pg_catalog is not named it comes first, so this path is fit. `nextval(text)` would fit our call better.
        assert app.scatter("echo", [1] * 200, conn=conn).id > 0
        assert app.scatter("echo", [1], conn=conn).id > 1
    assert len(app.batches()) == 2
    app.close()


def test_a_callers_connection_of_another_encoding_is_refused(url: str) -> None:
    app = furnish(Engine(url, lease=1))
    with psycopg.connect(url, client_encoding="LATIN1") as conn, pytest.raises(UsageError, match="client_encoding"):
        app.scatter("echo", ["é"], conn=conn)
    assert app.batches() == []
    app.close()


def test_an_event_loops_connection_is_checked_as_well(url: str, db: psycopg.Connection[Any]) -> None:
    app = furnish(Engine(url, lease=1))

    async def scatter() -> None:
        async with await psycopg.AsyncConnection.connect(url, client_encoding="LATIN1") as conn:
            await app.ascatter("echo", ["é"], conn=conn)

    with pytest.raises(UsageError, match="client_encoding"):
        asyncio.run(scatter())


def test_one_outcome_that_cannot_be_put_together_costs_its_item_alone(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in the making of a round trip, of whatever kind, must never stop the others."""
    app = furnish(Engine(url, lease=1))
    real = parameters._milliseconds_as_parameter

    def odd(seconds: Any) -> str:
        seconds = list(seconds)
        if any(each > 0.3 for each in seconds):
            raise OverflowError("a time that nobody can write down")
        return real(seconds)

    monkeypatch.setattr(parameters, "_milliseconds_as_parameter", odd)

    @app.handler("slow")
    async def slow(item: Item) -> Any:
        await asyncio.sleep(0.35 if item.payload else 0)
        if not item.payload:
            raise Reject("no")

    ends = worked(app, "slow", [0, 0, 1, 0])
    assert [state for state, _, _ in ends] == ["error"] * 4
    assert [reason for _, _, reason in ends] == ["rejected", "rejected", "bad_result", "rejected"]
    app.close()


# Settings that a pooler cannot set for a session, since the next statement may meet another one, or need not set.
UNFIT = ("search_path", "DateStyle", "IntervalStyle", "default_transaction_isolation", "client_encoding")


@pytest.mark.parametrize(("setting", "value"), [pair for pair in SETTINGS if pair[0] in UNFIT])
def test_behind_a_pooler_a_setting_that_changes_results_is_refused_with_a_sentence(
    url: str, set_in_database: Callable[[str, str, str], None], db: psycopg.Connection[Any], setting: str, value: str
) -> None:
    _hijack(db, "evil")
    set_in_database(url, setting, value)
    with Pooler(url, servers=2) as pooler, pytest.raises(DatabaseUnavailable, match=f"{setting}.*for its own role"):
        Engine(pooler.url, lease=1).check()


@pytest.mark.parametrize(("setting", "value"), [pair for pair in SETTINGS if pair[0] not in UNFIT])
def test_behind_a_pooler_a_setting_that_changes_no_result_is_borne(
    url: str, set_in_database: Callable[[str, str, str], None], setting: str, value: str
) -> None:
    set_in_database(url, setting, value)
    with Pooler(url, servers=2) as pooler:
        app = furnish(Engine(pooler.url, lease=1))
        assert worked(app, "echo", [ALIEN, "plain"]) == [("completed", ALIEN, None), ("completed", "plain", None)]
        app.close()


CONNECTIONS = {
    "sqlalchemy": "driver_connection",
    "django": "ensure_connection",
    "asyncpg": "psycopg.Connection",
}


@pytest.mark.parametrize("module", CONNECTIONS)
def test_a_connection_of_another_library_is_refused_with_the_way_to_the_right_one(url: str, module: str) -> None:
    app = furnish(Engine(url, lease=1))
    foreign = type("Session", (), {"__module__": f"{module}.orm"})()
    with pytest.raises(UsageError, match=CONNECTIONS[module]):
        app.scatter("echo", [1], conn=foreign)
    with pytest.raises(UsageError, match=r"psycopg\.AsyncConnection"), psycopg.connect(url) as conn:
        asyncio.run(app.ascatter("echo", [1], conn=conn))  # type: ignore[arg-type]
    app.close()
