"""Tables and rights by room: who uses the engine alone gets, and may write, what is the engine's."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine import migrations
from ingather.engine.engine import Engine
from ingather.engine.errors import SchemaOutdated, UsageError
from ingather.engine.item import Item
from tests.conftest import database

OPERATIONS = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text("utf-8")


@pytest.fixture
def empty(server: str, worker_id: str) -> Iterator[str]:
    """A database without any tables."""
    name = f"ingather_rooms_{worker_id}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f'create database "{name}" template template0')
        yield database(server, name)
        conn.execute(f'drop database "{name}" with (force)')


@pytest.fixture
def runner(server: str, worker_id: str) -> Iterator[str]:
    """A role without rights."""
    name = f"runner_{worker_id}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f'create role "{name}"')
    yield name
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f'drop role "{name}"')


def as_role(url: str, role: str) -> str:
    """The same user, who takes this role: so no server needs to let the role sign in."""
    return f"{url}{'&' if '?' in url else '?'}options=-c%20role%3D{role}"


def tables(url: str) -> set[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "select relname from pg_class where relnamespace = 'ingather'::regnamespace and relkind = 'r'"
        )
        return {name for (name,) in rows}


def made_by(room: str) -> set[str]:
    texts = [migration.text for migration in migrations.available_migrations() if migration.room == room]
    return {name for text in texts for name in re.findall(r"create table ingather\.(\w+)", text)}


def grants(room: str) -> str:
    [text] = re.findall(rf"```sql {room}\n(.*?)```", OPERATIONS, re.DOTALL)
    return str(text)


def test_an_application_of_the_engine_alone_gets_the_engines_tables_alone(empty: str) -> None:
    app = Engine(empty)
    assert set(app.migrate()) == {each.name for each in migrations.available_migrations() if each.room == "engine"}
    assert tables(empty) == made_by("engine") | {"migration"}
    app.handler("read")(_read)
    batch = app.scatter("read", [1, 2])
    app.worker().drain()
    assert batch.progress().completed == 2
    app.close()


def test_the_rooms_that_are_there_are_kept_up_to_date_by_all(empty: str) -> None:
    migrations.migrate(empty, {"engine", "library"})
    with psycopg.connect(empty, autocommit=True) as conn:
        conn.execute("delete from ingather.migration where name = 'tables'")
        conn.execute("alter table ingather.reading drop column if exists tables")
        with pytest.raises(SchemaOutdated, match="lack version 8"):
            migrations.check_migrations(conn)
    assert "extraction" not in migrations.rooms_in_migrations({1, 2})


def test_a_room_that_is_asked_for_and_not_there_is_missed(empty: str) -> None:
    migrations.migrate(empty, {"engine"})
    with psycopg.connect(empty) as conn:
        migrations.check_migrations(conn)
        with pytest.raises(SchemaOutdated, match="lack version"):
            migrations.check_migrations(conn, {"engine", "library"})
    assert migrations.migrate(empty)
    assert made_by("web") <= tables(empty)


def test_the_documented_rights_are_all_that_a_worker_needs(url: str, runner: str, db: psycopg.Connection[Any]) -> None:
    db.execute(grants("engine").replace("runner", f'"{runner}"'))
    app = Engine(as_role(url, runner), lease=1)
    app.handler("read")(_read)

    @app.gather("read")
    async def count(batch: Any) -> int:
        return len([1 async for _ in batch.items()])

    app.set_queue("default", max_running=5)
    batch = app.scatter("read", [1, 2, 3], labels=["a", "b", "c"])
    app.worker().drain()
    assert batch.result() == 3
    app.scatter("read", [1]).cancel()
    app.schedule("daily", cron="0 3 * * *", kind="read")
    app.prune(timedelta(0))
    app.close()
    for room in ("engine", "workbench"):
        assert "all tables" not in grants(room)
    with psycopg.connect(as_role(url, runner), autocommit=True) as conn:
        for table in sorted(made_by("web") | made_by("library") | made_by("extraction")):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(f"select from ingather.{table}")
    db.execute(f'drop owned by "{runner}"')


def test_the_documented_rights_name_every_table_of_their_rooms() -> None:
    named = {room: set(re.findall(r"ingather\.(\w+)", grants(room))) for room in ("engine", "workbench")}
    assert made_by("engine") <= named["engine"]
    assert named["workbench"] == made_by("library") | made_by("extraction")
    assert not made_by("web") & (named["engine"] | named["workbench"])


async def _read(item: Item) -> Any:
    return item.payload


# --- what may be registered -----------------------------------------------------------------------------------------


class Methods:
    def item_too_many(self, item: Item, other: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda: None, "called with one argument, the item"),
        (lambda item, other: None, "called with one argument, the item"),
        (lambda item, *, other: None, "called with one argument, the item"),
        (Methods.item_too_many, "called with one argument"),
        ("read", "is a function, not 'read'"),
        (lambda item: (yield), "yields, and what is stored is what a function returns"),
    ],
)
def test_a_function_that_no_item_could_be_given_to_is_refused_when_it_is_registered(
    app: Engine, function: Any, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        app.handler("read")(function)
    assert app.kinds == []


def test_functions_of_every_fitting_form_are_taken(app: Engine) -> None:
    functions: dict[str, Any] = {
        "plain": _read,
        "more": lambda item, more=1: more,
        "any": lambda *args: args,
        "built_in": print,
    }
    for kind, function in functions.items():
        app.handler(kind)(function)
    assert app.kinds == ["any", "built_in", "more", "plain"]


def test_a_gather_of_a_kind_without_a_handler_is_refused_when_it_is_registered(app: Engine) -> None:
    app.handler("shout")(_read)
    with pytest.raises(UsageError, match=r"no handler for kind 'shuot'.*Known kinds: shout\."):
        app.gather("shuot")
