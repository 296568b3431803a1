"""Bad input, wherever it comes in: refused with a sentence and nothing left behind, or an end for that item alone."""

import asyncio
import contextlib
import enum
import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, LiteralString, NamedTuple

import orjson
import psycopg
import pytest
from pydantic import BaseModel

from ingather import Ingather
from ingather.engine import connection, migrations
from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import (
    BatchClosed,
    BatchTooBig,
    DatabaseUnavailable,
    EmptyBatch,
    KeyReused,
    PayloadRefused,
    Reject,
    RetryLater,
    SchemaOutdated,
    SchemaTooNew,
    UnknownBatch,
    UnknownKind,
    UsageError,
)
from ingather.engine.item import Item
from ingather.engine.model import ItemRecord
from ingather.engine.script import run_script
from ingather.engine.verbs import scattering
from tests.conftest import cloned, database
from tests.engine.actors import assert_sound, scatter


def counts(db: psycopg.Connection[Any]) -> dict[str, int]:
    names = "select relname from pg_class where relnamespace = 'ingather'::regnamespace and relkind = 'r'"
    tables = [name for (name,) in db.execute(names).fetchall()]
    each = " union all ".join(f"select '{name}', count(*) from ingather.{name}" for name in tables)
    return dict(db.execute(each).fetchall())


@contextlib.contextmanager
def refused(db: psycopg.Connection[Any], error: type[Exception], sentence: str | None = None) -> Iterator[None]:
    """The block is refused with that error, in a sentence, and not a row is different afterwards."""
    before = counts(db)
    with pytest.raises(error, match=sentence) as caught:
        yield
    assert type(caught.value) is error
    assert_sentence(str(caught.value))
    assert counts(db) == before


def assert_sentence(text: str) -> None:
    assert text[0].isupper() or "_" in text.partition(" ")[0]
    assert text.endswith(".")
    assert len(text.split()) > 4


def register(app: Engine) -> Engine:
    @app.handler("read", queue="reading")
    async def read(item: Item) -> str:
        return f"{type(item.payload).__name__}"

    return app


@pytest.fixture(scope="module")
def shared(server: str, worker_id: str) -> Iterator[str]:
    """One database for all that is refused: nothing is left behind, so nobody is in anybody's way."""
    with cloned(server, worker_id, "bad_input") as url:
        yield url


@pytest.fixture(scope="module")
def gate(shared: str) -> Iterator[Engine]:
    engine = register(Engine(shared))
    engine.scatter("read", [1])
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def eye(shared: str, gate: Engine) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(shared, autocommit=True) as conn:
        yield conn


@pytest.fixture
def shop(app: Engine) -> Engine:
    return register(app)


# --- payloads ------------------------------------------------------------------------------------------------------


@dataclass
class Card:
    text: Any


class Mood(enum.Enum):
    BROKEN = "a\0b"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def circle() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


BAD_PAYLOADS: dict[str, tuple[Any, str]] = {
    "too big": ("x" * 1023, "1,024 bytes and this one takes 1,025"),
    "too big in bytes": ("文" * 342, "1,028"),
    "an object": (object(), "JSON"),
    "bytes": (b"abc", "JSON"),
    "a set": ({1, 2}, "JSON"),
    "a generator": ((n for n in range(3)), "JSON"),
    "keys that are not text": ({1: "a"}, "JSON"),
    "NUL": ("a\0b", "NUL"),
    "NUL in a key": ({"a\0b": 1}, "NUL"),
    "NUL far inside": ([{"a": [{"b": "\0"}]}], "NUL"),
    "NUL in a dataclass": (Card("a\0b"), "NUL"),
    "NUL in an enum": ({"mood": Mood.BROKEN}, "NUL"),
    "NaN": (float("nan"), "NaN"),
    "NaN in a dataclass": (Card([float("nan")]), "NaN"),
    "Infinity": ({"x": [float("inf")]}, "Infinity"),
    "minus Infinity": ((1.0, float("-inf")), "Infinity"),
    "1e400": ({"x": 1e400}, "Infinity"),
    "a lone surrogate": ("a\ud800b", "surrogate"),
    "a lone surrogate in a key": ({"\udfff": 1}, "surrogate"),
    "1,000 deep": (nested(1000), "deep"),
    "100,000 deep": (nested(100_000), "deep"),
    "itself": (circle(), "deep"),
    "2**70": (2**70, "64-bit"),
    "-2**70": ({"n": -(2**70)}, "64-bit"),
}


@pytest.mark.parametrize("name", BAD_PAYLOADS)
def test_a_payload_that_cannot_be_kept_is_refused_with_its_whole_batch(
    gate: Engine, eye: psycopg.Connection[Any], name: str
) -> None:
    payload, sentence = BAD_PAYLOADS[name]
    batch = gate.batch(1)
    with refused(eye, PayloadRefused, sentence):
        gate.scatter("read", [{"fine": True}, payload], idempotency_key="k")
    with refused(eye, PayloadRefused, sentence):
        gate.submit("read", payload)
    with refused(eye, PayloadRefused, sentence):
        batch.add([{"fine": True}, payload])
    with refused(eye, PayloadRefused, sentence):
        gate.schedule("nightly", cron="0 3 * * *", kind="read", payload=payload)


GOOD_PAYLOADS = [
    None, True, 0, -(2**63), 2**64 - 1, 1.5, 5e-324, 1.7976931348623157e308, "", "x" * 1022, "文" * 340, "🦉", "\u2028",
    "\\u0000", "\\", '"', "\t\n\r", "\\.", "\\N", "null", "\x01\x1f\x7f", {}, [], {"": None}, nested(200),
]  # fmt: skip


def test_a_payload_that_can_be_kept_comes_back_as_it_went(shop: Engine) -> None:
    batch = shop.scatter("read", GOOD_PAYLOADS)
    assert [item.payload for item in batch.items()] == GOOD_PAYLOADS


BROKEN_LINE = orjson.Fragment(b'{"a": 1}\n{"a": 2}')  # encoded elsewhere, and two documents instead of one
LONG_LINE = orjson.Fragment(b'{"a":\n1}')


def test_a_payload_encoded_elsewhere_stays_one_payload(gate: Engine, shop: Engine) -> None:
    with pytest.raises(PayloadRefused, match="must be JSON"):
        gate.scatter("read", [1, BROKEN_LINE, 3])

    @shop.handler("repeat")
    async def repeat(item: Item) -> Any:
        return item.payload

    batch = shop.scatter("repeat", [1, LONG_LINE, 3])
    shop.worker().drain()
    assert list(batch.results()) == [1, {"a": 1}, 3]


def test_a_result_encoded_elsewhere_is_never_taken_for_a_neighbours(shop: Engine, db: psycopg.Connection[Any]) -> None:
    @shop.handler("pass_on")
    async def pass_on(item: Item) -> Any:
        return [1, item.payload and BROKEN_LINE, LONG_LINE][item.ordinal]

    good, bad = (shop.scatter("pass_on", [is_bad] * 3) for is_bad in (False, True))
    with contextlib.suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(shop.worker(concurrency=1).adrain(), 20))
    assert list(good.results()) == [1, False, {"a": 1}]
    assert list(bad.results()) == [1, {"a": 1}]
    assert (bad.progress().is_closed, bad.progress().error) == (True, 1)
    assert_sound(db)


@pytest.mark.parametrize("payloads", ["abc", b"abc", {"a": 1}, None, 7], ids=repr)
def test_payloads_that_are_no_list_are_refused(gate: Engine, eye: psycopg.Connection[Any], payloads: Any) -> None:
    batch = gate.batch(1)
    with refused(eye, UsageError, "one payload per item"):
        gate.scatter("read", payloads)
    with refused(eye, UsageError, "one payload per item"):
        batch.add(payloads)


@pytest.mark.parametrize("payloads", [[], (), iter([]), (n for n in range(0))], ids=["list", "tuple", "iter", "gen"])
def test_a_batch_of_no_items_is_refused(gate: Engine, eye: psycopg.Connection[Any], payloads: Any) -> None:
    batch = gate.batch(1)
    with refused(eye, EmptyBatch):
        gate.scatter("read", payloads, idempotency_key="k")
    with refused(eye, EmptyBatch):
        batch.add(payloads)


def test_a_batch_over_the_limit_is_refused_and_the_limit_itself_is_not(
    shop: Engine, db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scattering, "MAX_BATCH", 3)
    batch = shop.scatter("read", range(3), idempotency_key="three")
    with refused(db, BatchTooBig, "3 items"):
        shop.scatter("read", range(4))
    with refused(db, BatchTooBig, "3 items"):
        shop.scatter("read", range(4), idempotency_key="three")
    with refused(db, BatchTooBig, "3 items"):
        batch.add(range(4))
    assert batch.add(range(3)) == 3


def test_nothing_is_added_to_a_closed_batch(shop: Engine, db: psycopg.Connection[Any]) -> None:
    batch = shop.scatter("read", [1])
    batch.cancel()
    with refused(db, BatchClosed, "closed"):
        batch.add([2])


# --- keys ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"payloads": [1, 3]},
        {"payloads": [1]},
        {"payloads": [1, 2, 3]},
        {"payloads": []},
        {"queue": "elsewhere"},
        {"priority": 1},
        {"delay": 5},
        {"kind": "write"},
    ],
    ids=repr,
)
def test_a_key_does_not_stand_for_two_requests(
    shop: Engine, db: psycopg.Connection[Any], other: dict[str, Any]
) -> None:
    shop.handler("write", queue="reading")(shop.registry.handlers["read"].function)
    params = {"kind": "read", "payloads": [1, 2], "idempotency_key": "k"}
    batch = shop.scatter(**params)  # type: ignore[arg-type]
    assert shop.scatter(**params) == batch  # type: ignore[arg-type]
    # How it is run is not what it is.
    assert shop.scatter(**params, max_attempts=2, timeout=7) == batch  # type: ignore[arg-type]
    with refused(db, KeyReused, f"belongs to batch {batch.id}"):
        shop.scatter(**params | other)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\0b", "a\nb", "\ud800", "\u202e", 7, b"k"], ids=repr)
def test_a_key_that_is_no_plain_text_is_refused(gate: Engine, eye: psycopg.Connection[Any], key: Any) -> None:
    with refused(eye, UsageError, "255 printable characters"):
        gate.scatter("read", [1], idempotency_key=key)


@pytest.mark.parametrize("key", ["x" * 255, "' or 1=1 --", "文献", "🦉"])
def test_any_other_key_is_taken_as_it_is(shop: Engine, db: psycopg.Connection[Any], key: str) -> None:
    shop.scatter("read", [1], idempotency_key=key)
    assert db.execute("select idempotency_key from ingather.batch").fetchall() == [(key,)]


# --- names ---------------------------------------------------------------------------------------------------------

BAD_NAMES: list[Any] = [
    "", " ", "a b", "Read", "READ", "read!", "1read", "_read", "re-ad", "re.ad", "a" * 64, "a" * 10_000, "读", "🦉",
    "\uff52\uff45ad", "read\n", "\nread", "read\0", "\ud800", "'; drop schema ingather cascade; --", 'x"; drop', None,
    7, b"read", ["read"],
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: repr(name)[:20])
def test_a_bad_name_is_refused_wherever_a_name_is_taken(gate: Engine, eye: psycopg.Connection[Any], name: Any) -> None:
    takers: list[Callable[[], Any]] = [
        lambda: gate.handler(name),
        lambda: gate.gather(name),
        lambda: gate.handler("other", queue=name),
        lambda: gate.scatter(name, [1]),
        lambda: gate.set_queue(name, max_running=1),
        lambda: gate.pause_queue(name),
        lambda: gate.resume_queue(name),
        lambda: gate.worker(queues=[name]),
        lambda: gate.schedule(name, cron="0 3 * * *", kind="read", payload=1),
        lambda: gate.schedule("nightly", cron="0 3 * * *", kind=name, payload=1),
    ]
    if name is not None:  # there it means: the handler's own
        takers += [
            lambda: gate.scatter("read", [1], queue=name),
            lambda: gate.schedule("nightly", cron="0 3 * * *", kind="read", payload=1, queue=name),
        ]
    for take in takers:
        with refused(eye, UsageError, "lower-case letters"):
            take()


@pytest.mark.parametrize("name", ["a", "a" * 63, "a_1", "select"])
def test_a_good_name_is_taken(shop: Engine, name: str) -> None:
    shop.handler(name)(shop.registry.handlers["read"].function)
    shop.set_queue(name, max_running=1)
    assert shop.scatter(name, [1], queue=name).progress().queue == name


def test_a_kind_without_a_handler_is_refused(gate: Engine, eye: psycopg.Connection[Any]) -> None:
    with refused(eye, UnknownKind, "Known kinds: read"):
        gate.scatter("write", [1])
    with refused(eye, UnknownKind, "Known kinds: read"):
        gate.schedule("nightly", cron="0 3 * * *", kind="write", payload=1)


def test_a_queue_that_is_not_there_cannot_be_paused(gate: Engine, eye: psycopg.Connection[Any]) -> None:
    with refused(eye, UsageError, "no queue 'elsewhere'"):
        gate.pause_queue("elsewhere")


def test_a_kind_has_one_function(gate: Engine) -> None:
    with pytest.raises(UsageError, match="already"):
        gate.handler("read")


# --- numbers -------------------------------------------------------------------------------------------------------

HUGE = 10**400
NO_NUMBERS: list[Any] = ["3", b"3", [], object()]


@pytest.mark.parametrize("number", [0, -1, 101, 2**31, HUGE, 1.5, float("nan"), float("inf"), True, *NO_NUMBERS])
def test_attempts_are_whole_and_from_1_to_100(gate: Engine, eye: psycopg.Connection[Any], number: Any) -> None:
    for take in (
        lambda: gate.handler("other", max_attempts=number),
        lambda: gate.gather("other", max_attempts=number),
        lambda: gate.scatter("read", [1], max_attempts=number),
    ):
        with refused(eye, UsageError, "between 1 and 100"):
            take()


@pytest.mark.parametrize("number", [0, -1, 86_401, HUGE, float("nan"), float("inf"), -float("inf"), *NO_NUMBERS])
def test_a_timeout_lies_between_a_second_and_a_day(gate: Engine, eye: psycopg.Connection[Any], number: Any) -> None:
    for take in (
        lambda: gate.handler("other", timeout=number),
        lambda: gate.gather("other", timeout=number),
        lambda: gate.scatter("read", [1], timeout=number),
    ):
        with refused(eye, UsageError, "86,400 s"):
            take()


@pytest.mark.parametrize(
    "delay", [-1, -0.001, 10**9, HUGE, float("nan"), float("inf"), timedelta(-1), timedelta(days=367), *NO_NUMBERS]
)
def test_a_delay_is_not_negative_and_not_longer_than_a_year(
    gate: Engine, eye: psycopg.Connection[Any], delay: Any
) -> None:
    with refused(eye, UsageError, "366 days"):
        gate.scatter("read", [1], delay=delay)
    with refused(eye, UsageError, "366 days"):
        raise RetryLater(delay)


@pytest.mark.parametrize("number", [-101, 101, HUGE, 1.5, float("nan"), True, *NO_NUMBERS])
def test_a_priority_is_whole_and_from_minus_100_to_100(gate: Engine, eye: psycopg.Connection[Any], number: Any) -> None:
    with refused(eye, UsageError, "-100 to 100"):
        gate.scatter("read", [1], priority=number)


@pytest.mark.parametrize("number", [0, -1, 0.999, 3_601, float("nan"), float("inf")])
def test_a_lease_lasts_from_a_second_to_an_hour(url: str, number: Any) -> None:
    with pytest.raises(UsageError, match="3,600 s") as caught:
        Engine(url, lease=number)
    assert_sentence(str(caught.value))


@pytest.mark.parametrize("number", [0, -1, 65_537, HUGE])
def test_the_payload_limit_has_a_hard_cap(url: str, number: Any) -> None:
    with pytest.raises(UsageError, match="65,536") as caught:
        Engine(url, max_payload=number)
    assert_sentence(str(caught.value))


@pytest.mark.parametrize("number", [0, -1, 10_001, HUGE, 1.5, True, *NO_NUMBERS])
def test_a_worker_runs_from_1_to_10_000_items_at_once(gate: Engine, eye: psycopg.Connection[Any], number: Any) -> None:
    with refused(eye, UsageError, "10,000"):
        gate.worker(concurrency=number)


@pytest.mark.parametrize("number", [0, -1, 1_000_001, HUGE, 1.5, True, *NO_NUMBERS])
def test_max_running_is_whole_and_not_less_than_1(gate: Engine, eye: psycopg.Connection[Any], number: Any) -> None:
    with refused(eye, UsageError, "1,000,000"):
        gate.set_queue("reading", max_running=number)


@pytest.mark.parametrize(
    "rate",
    [
        (0, timedelta(seconds=1)),
        (-1, timedelta(seconds=1)),
        (1_000_001, timedelta(seconds=1)),
        (1.5, timedelta(seconds=1)),
        (1, timedelta(milliseconds=999)),
        (1, timedelta(days=2)),
        (1, 60),
        (1,),
        60,
        "60/m",
    ],
    ids=repr,
)
def test_a_rate_is_some_items_in_a_second_to_a_day(gate: Engine, eye: psycopg.Connection[Any], rate: Any) -> None:
    with refused(eye, UsageError, "1 second to 1 day"):
        gate.set_queue("reading", rate=rate)


# --- batches that are not there ------------------------------------------------------------------------------------

VERBS: dict[str, Callable[[Batch], Any]] = {
    "progress": lambda batch: batch.progress(),
    "wait": lambda batch: batch.wait(timeout=1),
    "result": lambda batch: batch.result(),
    "cancel": lambda batch: batch.cancel(),
    "pause": lambda batch: batch.pause(),
    "resume": lambda batch: batch.resume(),
    "retry_failed": lambda batch: batch.retry_failed(),
    "add": lambda batch: batch.add([1]),
    "aprogress": lambda batch: asyncio.run(loop_of(batch, batch.aprogress())),
    "await_": lambda batch: asyncio.run(loop_of(batch, batch.await_(timeout=1))),
    "aresult": lambda batch: asyncio.run(loop_of(batch, batch.aresult())),
    "acancel": lambda batch: asyncio.run(loop_of(batch, batch.acancel())),
    "apause": lambda batch: asyncio.run(loop_of(batch, batch.apause())),
    "aresume": lambda batch: asyncio.run(loop_of(batch, batch.aresume())),
    "aretry_failed": lambda batch: asyncio.run(loop_of(batch, batch.aretry_failed())),
    "aadd": lambda batch: asyncio.run(loop_of(batch, batch.aadd([1]))),
}


async def loop_of(batch: Batch, verb: Any) -> None:
    try:
        await verb
    finally:
        await batch._engine.aclose()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_that_a_batch_is_not_there(gate: Engine, eye: psycopg.Connection[Any], verb: str) -> None:
    with refused(eye, UnknownBatch, "no batch 4711"):
        VERBS[verb](gate.batch(4711))


@pytest.mark.parametrize("batch_id", [0, -1, 2**63, 2**70, "x", "1; drop", None, 1.5], ids=repr)
def test_an_id_that_no_batch_can_have_is_an_unknown_batch(
    gate: Engine, eye: psycopg.Connection[Any], batch_id: Any
) -> None:
    with refused(eye, UnknownBatch, "There is no batch"):
        gate.batch(batch_id).progress()


# --- the database --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://ann:hunter2@127.0.0.1:1/db", "127.0.0.1:1/db"),
        ("postgresql://ann:hunter2@nowhere.invalid/db", "nowhere.invalid"),
        ("postgresql://ann:hunter2@127.0.0.1:port/db", "DATABASE_URL is not a PostgreSQL address"),
        ("postgresql://ann:hunter2@[::1/db", "DATABASE_URL is not a PostgreSQL address"),
        ("mysql://ann:hunter2@127.0.0.1/db", "DATABASE_URL is not a PostgreSQL address"),
        ("host=127.0.0.1 port=1 password=hunter2", "127.0.0.1:1"),
        ("hunter2", "DATABASE_URL is not a PostgreSQL address"),
    ],
)
def test_an_address_that_does_not_work_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str, sentence: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    wrong = UsageError if sentence.startswith("DATABASE_URL") else DatabaseUnavailable
    app = Ingather()

    @app.handler("read")
    async def read(item: Item) -> None: ...

    async def work() -> None:
        async with app.worker():
            pass

    for act in (lambda: app.scatter("read", [1]), app.migrate, lambda: asyncio.run(work())):
        with pytest.raises(wrong, match=sentence) as caught:
            act()
        assert "hunter2" not in str(caught.value)
        assert "hunter2" not in "".join(traceback.format_exception(caught.value, chain=True))


def test_a_wrong_password_is_not_shown(server: str) -> None:
    """The test server trusts everyone, so the refusal comes from a database that does not exist."""
    url = database(server, "nowhere") + ("&" if "?" in server else "?") + "password=hunter2"
    with pytest.raises(DatabaseUnavailable, match="nowhere") as caught:
        Engine(url).queues()
    assert "hunter2" not in str(caught.value)


def test_a_server_that_is_too_old_is_refused(
    shop: Engine, db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "OLDEST_SERVER", 990000)
    with refused(db, DatabaseUnavailable, "Ingather needs 99 or newer"):
        shop.scatter("read", [1])
    with refused(db, DatabaseUnavailable, "Ingather needs 99 or newer"):
        shop.migrate()


def test_a_database_without_tables_is_refused(shop: Engine, db: psycopg.Connection[Any]) -> None:
    db.execute("drop schema ingather cascade")
    with pytest.raises(SchemaOutdated, match=r"no Ingather tables yet. Run `ingather migrate`\."):
        shop.scatter("read", [1])
    with pytest.raises(SchemaOutdated, match=r"no Ingather tables yet. Run `ingather migrate`\."):
        shop.worker().drain()
    assert db.execute("select from pg_namespace where nspname = 'ingather'").fetchall() == []


def test_tables_older_than_the_code_are_refused(
    shop: Engine, db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "ROOM_OF", migrations.ROOM_OF | {99: "engine"})
    with refused(db, SchemaOutdated, "lack version 99, which this code needs. Run `ingather migrate`"):
        shop.scatter("read", [1])
    with refused(db, SchemaOutdated, "lack version 99"):
        shop.worker().drain()


def test_a_migration_that_came_after_a_later_one_is_missed_and_applied(
    shop: Engine, db: psycopg.Connection[Any]
) -> None:
    """As when two branches each brought one, and the later was deployed first."""
    db.execute("drop table ingather.review")
    db.execute("delete from ingather.migration where name = 'review'")
    with refused(db, SchemaOutdated, "lack version 6, which this code needs"):
        shop.scatter("read", [1])
    assert shop.migrate() == ["review"]
    assert db.execute("select count(*) from ingather.review").fetchone() == (0,)
    assert shop.migrate() == []


def test_tables_newer_than_the_code_are_refused_only_if_they_say_so(
    shop: Engine, url: str, db: psycopg.Connection[Any]
) -> None:
    db.execute("insert into ingather.migration (version, name, oldest) values (98, 'compatible', 1)")
    shop.scatter("read", [1])
    db.execute("insert into ingather.migration (version, name, oldest) values (99, 'incompatible', 99)")
    newcomer = Engine(url)
    newcomer.handler("read")(shop.registry.handlers["read"].function)
    with refused(db, SchemaTooNew, "Upgrade ingather"):
        newcomer.scatter("read", [1])
    with refused(db, SchemaTooNew, "Upgrade ingather"):
        newcomer.worker().drain()


# --- rows written by hand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "update ingather.waiting set run_at = 'infinity'",
        "update ingather.waiting set run_at = '-infinity'",
        "update ingather.queue set blocked_until = 'infinity'",
        "update ingather.queue set max_running = 0",
        "update ingather.queue set rate_items = 5",
        "update ingather.queue set rate_items = 5, rate_window = '0 seconds'",
        "insert into ingather.queue (name) values ('Loud')",
        "insert into ingather.queue (name) values ('')",
        f"insert into ingather.queue (name) values ('{'a' * 64}')",
        "insert into ingather.queue (name) values ('🦉')",
        "insert into ingather.queue (name) values (E'line\\n')",
        "update ingather.batch set kind = 'Loud'",
        "update ingather.batch set kind = ''",
        "update ingather.batch set total = 0",
        "update ingather.batch set state = 'done'",
        "update ingather.batch set state = 'closed'",
        "update ingather.batch set priority = 101",
        "update ingather.batch set max_attempts = 0",
        "update ingather.batch set max_attempts = 101",
        "update ingather.batch set timeout_s = 0",
        "update ingather.batch set idempotency_key = 'half'",
        "update ingather.segment set next_id = last_id + 2",
        "update ingather.segment set queue = null where queue is not null",
        "insert into ingather.outcome values (1, 0, 0, now(), 0, 0, 0, 'z', null, '{}')",
        "insert into ingather.outcome values (1, 0, 0, now(), 0, 0, 0, 'e', null, null)",
        "insert into ingather.worker (host, pid, kinds, lease) values ('h', 1, '{}', '0 seconds')",
    ],
)
def test_the_database_itself_refuses_rows_that_make_no_sense(
    eye: psycopg.Connection[Any], statement: LiteralString
) -> None:
    with eye.transaction(force_rollback=True):
        run_script(eye, scatter(1, delay=timedelta(seconds=60)))
        with pytest.raises(psycopg.errors.CheckViolation), eye.transaction():
            eye.execute(statement)


BY_HAND = {
    "a number beyond every float": ("1e5000", "error"),
    "an integer of 5,000 digits": ("9" * 5000, "error"),
    "deep inside": ('{"a": [1, {"b": 1e5000}]}', "error"),
    "an integer of 20 digits": ("9" * 20, "completed"),
    "nested 900 deep": ("[" * 900 + "]" * 900, "completed"),
    "nested 5,000 deep": ("[" * 5000 + "]" * 5000, "error"),
    "twice the same key": ('{"a": 1, "a": 2}', "completed"),
    "a line break": ('"a\\nb"', "completed"),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_payload_that_no_program_can_read_ends_alone(shop: Engine, db: psycopg.Connection[Any], name: str) -> None:
    body, state = BY_HAND[name]
    batch = shop.scatter("read", [{"n": n} for n in range(5)])
    [(middle,)] = db.execute("select id from ingather.item where ordinal = 2").fetchall()
    db.execute("update ingather.payload set body = %s where item_id = %s", [body, middle])
    shop.worker().drain()
    rows = db.execute("select ordinal, state, attempt, error ->> 'reason' from ingather.item order by 1").fetchall()
    expected: list[tuple[int, str, int, str | None]] = [(n, "completed", 1, None) for n in range(5)]
    if state == "error":
        expected[2] = (2, "error", 1, "bad_payload")
    assert rows == expected
    assert batch.progress().is_closed
    assert_sound(db)


def test_a_payload_that_is_gone_ends_its_item(shop: Engine, db: psycopg.Connection[Any]) -> None:
    batch = shop.scatter("read", [1])
    db.execute("delete from ingather.payload")
    shop.worker().drain()
    assert db.execute("select state, error ->> 'reason' from ingather.outcome").fetchall() == [("e", "bad_payload")]
    assert batch.progress().error == 1


# --- what handlers give back ---------------------------------------------------------------------------------------


class Paid(BaseModel):
    price: Decimal
    tags: set[str]


class Noted(BaseModel):
    note: str
    n: float


class Point(NamedTuple):
    x: int
    y: set[int]


class Storm(BaseException):
    pass


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("even my words fail")


class Liar(str):
    """Text to the eye; what the encoder makes of it is its own affair."""


def generator() -> Iterator[int]:
    yield 1


def raised(error: BaseException) -> Any:
    raise error


def endless() -> Any:
    return endless()


CLEANED: dict[str, tuple[Callable[[], Any], Any]] = {
    "nothing": (lambda: None, None),
    "NUL": (lambda: {"a\0b": "c\0"}, {"a\ufffdb": "c\ufffd"}),
    "NUL in a dataclass": (lambda: Card("a\0"), {"text": "a\ufffd"}),
    "NaN": (lambda: [float("nan"), 1.0], [None, 1.0]),
    "Infinity": (lambda: {"x": float("-inf")}, {"x": None}),
    "2**70": (lambda: {"n": 2**70}, {"n": str(2**70)}),
    "a number too long to print": (lambda: 10**5000, hex(10**5000)),
    "a tuple": (lambda: (1, 2), [1, 2]),
    "text of a kind": (lambda: Liar("x"), "x"),
    "a model": (lambda: Paid(price=Decimal("1.10"), tags={"b", "a"}), {"price": "1.10", "tags": ["a", "b"]}),
    "a model with NaN and NUL": (lambda: Noted(note="a\0", n=float("nan")), {"note": "a\ufffd", "n": None}),
    "a Decimal": (lambda: [Decimal("0.10"), Decimal("NaN")], ["0.10", "NaN"]),
    "a set": (lambda: {3, 1, 2}, [1, 2, 3]),
    "a set of what cannot be compared": (lambda: {"s": frozenset({None})}, {"s": [None]}),
    "NUL in a set": (lambda: {"a\0"}, ["a\ufffd"]),
    "bytes": (lambda: b"abc", "YWJj"),
    "bytes inside": (lambda: {"a": [b"abc", bytearray(b"\0")]}, {"a": ["YWJj", "AA=="]}),
    "a path": (lambda: PurePosixPath("/a/b"), "/a/b"),
    "a named tuple": (lambda: Point(1, {2}), [1, [2]]),
    "keys that are numbers": (
        lambda: {1: "a", 2.5: "b", None: "c", False: "d"},
        {"1": "a", "2.5": "b", "null": "c", "false": "d"},
    ),
    "a queue": (lambda: deque([1, 2]), [1, 2]),
    "a view of a dict": (lambda: MappingProxyType({"a": 1}), {"a": 1}),
}
NEVER: dict[str, tuple[Callable[[], Any], str]] = {
    "an object": (object, "bad_result"),
    "a length of time": (lambda: {"took": timedelta(1)}, "bad_result"),
    "an object in a set": (lambda: {object()}, "bad_result"),
    "20 MB": (lambda: "x" * 20_000_000, "bad_result"),
    "a byte too much": (lambda: "x" * 999_999, "bad_result"),
    "a generator": (generator, "bad_result"),
    "a function": (lambda: len, "bad_result"),
    "itself": (circle, "bad_result"),
    "5,000 deep": (lambda: nested(5000), "bad_result"),
    "a rejection": (lambda: raised(Reject("never\0")), "rejected"),
    "a rejection with half a character": (lambda: raised(Reject("a\ud800b")), "rejected"),
}
PASSING: dict[str, tuple[Callable[[], Any], str]] = {
    "sys.exit(0)": (lambda: sys.exit(0), "SystemExit"),
    "sys.exit": (lambda: sys.exit("over"), "SystemExit"),
    "Ctrl-C": (lambda: raised(KeyboardInterrupt()), "KeyboardInterrupt"),
    "a BaseException": (lambda: raised(Storm("all gone")), "Storm"),
    "a cancellation of its own": (lambda: raised(asyncio.CancelledError("by myself")), "CancelledError"),
    "an end of iteration": (lambda: raised(StopIteration(1)), ""),
    "an end of generation": (lambda: raised(GeneratorExit()), "GeneratorExit"),
    "an exception without words": (lambda: raised(Mute()), "Mute"),
    "an exception with NUL": (lambda: raised(ValueError("a\0b\ud800")), "ValueError"),
    "an exception of 5 MB": (lambda: raised(ValueError("x" * 5_000_000)), "ValueError"),
    "an endless recursion": (endless, "RecursionError"),
}


def temper(app: Engine, kind: str, answers: dict[str, Any], **options: Any) -> None:
    """Handlers of both sorts that answer as told by name."""

    @app.handler(f"{kind}_async", **options)
    async def answer_async(item: Item) -> Any:
        await asyncio.sleep(0)
        return answers[item.payload][0]() if item.payload in answers else item.payload

    @app.handler(f"{kind}_def", **options)
    def answer_def(item: Item) -> Any:
        return answers[item.payload][0]() if item.payload in answers else item.payload


def ends(app: Engine, kind: str, names: list[str]) -> dict[str, ItemRecord]:
    """Run them among neighbours who do nothing wrong, in the same leases; the neighbours must be fine."""
    among = [each for name in names for each in (name, "neighbour")]
    batch = app.scatter(kind, among)
    app.worker(concurrency=4).drain()
    items = list(batch.items())
    assert batch.progress().is_closed
    assert {item.state for item in items if item.payload == "neighbour"} == {"completed"}
    return {item.payload: item for item in items if item.payload != "neighbour"}


@pytest.mark.parametrize("sort", ["async", "def"])
def test_a_result_is_cleaned_of_what_cannot_be_kept(app: Engine, db: psycopg.Connection[Any], sort: str) -> None:
    temper(app, "answer", CLEANED)
    found = ends(app, f"answer_{sort}", list(CLEANED))
    assert {name: (item.state, item.attempt) for name, item in found.items()} == dict.fromkeys(
        CLEANED, ("completed", 1)
    )
    assert {name: item.result for name, item in found.items()} == {name: value for name, (_, value) in CLEANED.items()}
    assert_sound(db)


@pytest.mark.parametrize("sort", ["async", "def"])
def test_a_lone_surrogate_in_a_result_becomes_a_replacement_character(app: Engine, sort: str) -> None:
    temper(app, "answer", {"half": (lambda: {"\ud800": "a\udfffb"}, None)})
    found = ends(app, f"answer_{sort}", ["half"])
    [(key, value)] = found["half"].result.items()
    assert set(key) == {"\ufffd"}
    assert set(value) == {"a", "\ufffd", "b"}


@pytest.mark.parametrize("sort", ["async", "def"])
def test_a_result_that_can_never_be_kept_is_never_paid_for_again(
    app: Engine, db: psycopg.Connection[Any], sort: str
) -> None:
    temper(app, "answer", NEVER)
    found = ends(app, f"answer_{sort}", list(NEVER))
    seen = {name: (item.state, item.attempt, (item.error or {})["reason"]) for name, item in found.items()}
    assert seen == {name: ("error", 1, reason) for name, (_, reason) in NEVER.items()}
    assert_sound(db)


@pytest.mark.parametrize("sort", ["async", "def"])
def test_a_handler_may_raise_anything_and_only_its_item_fails(
    app: Engine, db: psycopg.Connection[Any], sort: str
) -> None:
    temper(app, "answer", PASSING, max_attempts=1)
    found = ends(app, f"answer_{sort}", list(PASSING))
    seen = {name: (item.state, item.attempt, (item.error or {})["reason"]) for name, item in found.items()}
    assert seen == dict.fromkeys(PASSING, ("error", 1, "exhausted"))
    for name, (_, error_type) in PASSING.items():
        error = found[name].error or {}
        assert error["type"] == error_type or not error_type
        assert len(error["message"]) <= 2_000
    assert_sound(db)


def test_a_process_that_exits_with_0_is_lost_and_not_done(app: Engine, db: psycopg.Connection[Any]) -> None:
    temper(app, "answer", {"leave": (lambda: os._exit(0), None)})
    found = ends(app, "answer_def", ["leave"])
    item = found["leave"]
    assert (item.state, item.lost, (item.error or {})["reason"]) == ("error", 3, "lost")
    assert "exited with code 0" in (item.error or {})["message"]
    assert_sound(db)


def test_offspring_that_is_refused_ends_its_parent_and_nobody_else(app: Engine, db: psycopg.Connection[Any]) -> None:
    """What an item asks for is refused only at its settle, by a key that stands for something else."""

    @app.handler("parent", max_attempts=1)
    async def parent(item: Item) -> str:
        if item.payload == "greedy":
            item.scatter("parent", [1, 2], idempotency_key="taken")
        elif item.payload == "empty":
            item.add([])
        elif item.payload == "bad":
            item.add(["a\0b"])
        elif item.payload == "child":
            item.scatter("parent", ["plain"])
        return "done"

    app.scatter("parent", ["other"], idempotency_key="taken")
    batch = app.scatter("parent", ["greedy", "empty", "bad", "child", "plain"])
    app.worker().drain()
    assert [item.state for item in batch.items()] == ["error", "error", "error", "completed", "completed"]
    assert db.execute("select count(*), sum(total) from ingather.batch where state = 'closed'").fetchall() == [(3, 7)]
    assert_sound(db)


def test_a_child_that_is_killed_while_it_rests_costs_no_item(app: Engine, db: psycopg.Connection[Any]) -> None:
    @app.handler("pid", max_attempts=1)
    def pid(item: Item) -> int:
        return os.getpid()

    async def live() -> list[str]:
        async with app.worker(concurrency=1):
            first = await app.asubmit("pid", 1)
            await first.await_(timeout=60)
            os.kill(await first.aresult(), signal.SIGKILL)
            second = await app.ascatter("pid", range(3))
            await second.await_(timeout=60)
            states: list[str] = [item.state async for item in second.items()]
        await app.aclose()
        return states

    assert asyncio.run(live()) == ["completed"] * 3
    assert_sound(db)


@pytest.mark.parametrize("items", [1, 200])
def test_a_connection_in_pipeline_mode_is_refused(
    shop: Engine, url: str, db: psycopg.Connection[Any], items: int
) -> None:
    with (
        psycopg.connect(url, autocommit=True) as conn,
        conn.pipeline(),
        refused(db, UsageError, "leave the pipeline first"),
    ):
        shop.scatter("read", range(items), conn=conn)
