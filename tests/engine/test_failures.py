"""What people see of a failure: in the log, with the item it belongs to, and through a hook of their own."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from ingather import Failure, ItemLogFilter, Reject, RetryLater
from ingather.engine.engine import Engine
from ingather.engine.item import Item

log = logging.getLogger("tests.shop")


@pytest.fixture
def app(url: str) -> Iterator[Engine]:
    engine = Engine(url, lease=1)
    yield engine
    engine.close()


def deep_inside(payload: Any) -> None:
    raise ValueError(f"secret {payload}")


def plain(item: Item) -> None:
    deep_inside(item.payload)


async def looping(item: Item) -> None:
    deep_inside(item.payload)


@pytest.mark.parametrize("function", [plain, looping], ids=["def", "async def"])
def test_the_log_shows_the_whole_traceback_of_a_handler_and_the_database_does_not(
    app: Engine, caplog: pytest.LogCaptureFixture, function: Any
) -> None:
    app.handler("deep", max_attempts=1)(function)
    batch = app.submit("deep", 7)
    with caplog.at_level(logging.DEBUG, "ingather"):
        app.worker().drain()
    [record] = [record for record in caplog.records if "ended as error" in record.getMessage()]
    shown = logging.Formatter().format(record)
    assert "in deep_inside" in shown
    assert f"in {function.__name__}" in shown
    assert "ValueError: secret 7" in shown
    [item] = batch.items()
    assert "Traceback" not in json.dumps(item.error)


def furnish(app: Engine) -> None:
    @app.handler("fail", max_attempts=2)
    async def fail(item: Item) -> None:
        match item.payload:
            case "reject":
                raise Reject("never")
            case "later" if item.attempt == 1 and not seen_later:
                seen_later.append(item.id)
                raise RetryLater(0)
            case "transient" if item.attempt == 1:
                raise ValueError("once more")
            case "broken":
                raise ValueError("for good")
            case "unstorable":
                return object()  # type: ignore[return-value]

    seen_later: list[int] = []


@pytest.mark.parametrize(
    ("payload", "levels"),
    [
        ("reject", [logging.ERROR]),
        ("unstorable", [logging.ERROR]),
        ("broken", [logging.INFO, logging.ERROR]),
        ("transient", [logging.INFO]),
        ("later", [logging.DEBUG]),
    ],
)
def test_an_end_is_logged_as_an_error_and_what_is_tried_again_is_not(
    app: Engine, caplog: pytest.LogCaptureFixture, payload: str, levels: list[int]
) -> None:
    furnish(app)
    batch = app.submit("fail", payload, queue="alone")
    with caplog.at_level(logging.DEBUG, "ingather"):
        app.worker().drain()
    records = [record for record in caplog.records if "item" in record.getMessage() and record.exc_info]
    assert [record.levelno for record in records] == levels
    [item] = batch.items()
    for record in records:
        about = vars(record)
        assert about["item_id"] == item.id
        assert about["item_key"] == item.key
        assert about["batch_id"] == batch.id
        assert about["kind"] == "fail"
    assert [vars(record)["attempt"] for record in records] == [1, 2][: len(records)]


def fields() -> dict[str, Any]:
    """What the filter puts on a record that is made here."""
    record = log.makeRecord("shop", logging.INFO, __file__, 1, "hello", (), None)
    assert ItemLogFilter().filter(record)
    return {name: vars(record)[name] for name in ("item_id", "item_key", "batch_id", "kind", "attempt")}


def test_every_log_record_of_a_handler_can_name_its_item(app: Engine) -> None:
    @app.handler("looping")
    async def looping(item: Item) -> Any:
        async def inner() -> Any:
            return fields()

        return [fields(), await asyncio.create_task(inner()), await asyncio.to_thread(fields)]

    @app.handler("aside")
    def aside(item: Item) -> Any:
        return [fields()]

    @app.gather("aside")
    async def gathered(batch: Any) -> Any:
        return fields()

    batches = [app.scatter("looping", [1, 2]), app.scatter("aside", [1])]
    app.worker().drain()
    for batch in batches:
        for item in batch.items():
            expected = {
                "item_id": item.id,
                "item_key": item.key,
                "batch_id": batch.id,
                "kind": batch.progress().kind,
                "attempt": 1,
            }
            assert all(seen == expected for seen in item.result)
    gather = batches[1].result()
    assert (gather["batch_id"], gather["kind"], gather["item_key"]) == (batches[1].id, "aside", None)
    assert fields() == dict.fromkeys(("item_id", "item_key", "batch_id", "kind", "attempt"))


def test_a_failure_hook_sees_every_failed_attempt(app: Engine, caplog: pytest.LogCaptureFixture) -> None:
    furnish(app)
    app.handler("aside", max_attempts=1)(plain)

    @app.gather("fail", max_attempts=1)
    async def gather(batch: Any) -> None:
        raise RuntimeError("no sum")

    seen: list[Failure] = []

    @app.on_failure
    def broken(failure: Failure) -> None:
        raise ConnectionError("the tracker is away")

    app.on_failure(seen.append)
    batch = app.scatter("fail", ["reject", "later", "broken", "ok"])
    aside = app.submit("aside", 1)
    app.worker().drain()
    ids = {item.ordinal: item.id for item in batch.items()}
    [from_child] = [failure for failure in seen if failure.batch_id == aside.id]
    assert from_child.is_final
    assert "deep_inside" in str(from_child.exception.__cause__)
    of_items = sorted(
        (failure.item_id, failure.attempt, failure.is_final, failure.reason)
        for failure in seen
        if failure.batch_id == batch.id and not failure.is_gather
    )
    assert of_items == [
        (ids[0], 1, True, "rejected"),
        (ids[2], 1, False, "failed"),
        (ids[2], 2, True, "exhausted"),
    ]
    [of_gather] = [failure for failure in seen if failure.is_gather]
    assert (of_gather.batch_id, of_gather.message, of_gather.item_key) == (batch.id, "no sum", "")
    assert any("the failure hook" in record.getMessage() for record in caplog.records)
