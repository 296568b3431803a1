"""Types end to end: what annotations say is checked when work is scattered, read, gathered, and by type checkers."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import PayloadRefused, UsageError
from ingather.engine.item import Item


class Order(BaseModel):
    cents: int = Field(ge=0)
    due: date


@dataclass(frozen=True)
class Receipt:
    cents: int
    paid: date


class Line(TypedDict):
    cents: int


async def charge(item: Item[Order]) -> Receipt:
    return Receipt(item.payload.cents, item.payload.due)


def book(item: Item[Line]) -> int:
    return item.payload["cents"]


async def total(batch: Batch[Receipt]) -> int:
    return sum([receipt.cents async for receipt in batch.results()])


@pytest.fixture
def shop(app: Engine) -> Engine:
    app.handler("charge")(charge)
    app.handler("book")(book)
    app.gather("charge")(total)
    return app


ORDERS = [Order(cents=100, due=date(2026, 1, 2)), Order(cents=50, due=date(2026, 1, 3))]


def test_models_go_in_and_dataclasses_come_out(shop: Engine) -> None:
    batch = shop.typed(charge).scatter(ORDERS, priority=1)
    shop.worker().drain()
    assert list(batch.results()) == [Receipt(100, date(2026, 1, 2)), Receipt(50, date(2026, 1, 3))]
    assert batch.result() == 150
    assert next(iter(batch.items())).payload == {"cents": 100, "due": "2026-01-02"}


def test_by_its_name_a_kind_takes_objects_and_plain_json(shop: Engine) -> None:
    batch = shop.scatter("charge", [ORDERS[0], {"cents": 1, "due": "2026-01-02"}])
    shop.worker().drain()
    assert list(batch.results())[1] == {"cents": 1, "paid": "2026-01-02"}


@pytest.mark.parametrize("payload", [{"cents": -1, "due": "2026-01-02"}, {"cents": 1}, 7, {"cents": 1, "due": "soon"}])
def test_a_payload_of_another_shape_is_refused_with_the_field(shop: Engine, payload: object) -> None:
    with pytest.raises(PayloadRefused, match="must be a Order: ") as refused:
        shop.submit("charge", payload)
    assert "-1" not in str(refused.value).partition("Order")[2]
    assert shop.batches() == []


def test_typed_dicts_are_checked_too_also_in_children(shop: Engine) -> None:
    with pytest.raises(PayloadRefused, match="cents"):
        shop.submit("book", {"euros": 1})
    batch = shop.typed(book).submit({"cents": 3})
    shop.worker().drain()
    assert batch.result() == 3


def test_a_stored_payload_of_another_shape_ends_its_item_at_once(
    shop: Engine, new_database: Callable[[], str], url: str
) -> None:
    older = Engine(url)
    older.handler("charge")(lambda item: None)
    batch = older.submit("charge", {"euros": 1})
    older.close()
    shop.worker().drain()
    [item] = batch.items()
    assert item.error is not None
    assert (item.state, item.attempt, item.error["reason"]) == ("error", 1, "bad_payload")
    assert "cents" in item.error["message"]


def test_a_handler_without_types_is_called_as_it_is(app: Engine) -> None:
    async def plain(item: Item) -> Receipt:
        return Receipt(item.payload, date(2026, 1, 1))

    app.handler("plain")(plain)
    assert app.registry.handlers["plain"].function is plain
    assert app.registry.handlers["plain"].payloads is None


def test_a_handler_whose_types_cannot_be_read_is_refused_when_it_is_registered(app: Engine) -> None:
    def lost(item: "Item[Nowhere]") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    class Odd:
        pass

    def odd(item: Item[Odd]) -> None: ...

    for function in (lost, odd):
        with pytest.raises(UsageError, match=r"kind 'lost'.*(Nowhere|Odd)"):
            app.handler("lost")(function)


def test_a_typed_kind_is_that_of_one_registered_handler(shop: Engine) -> None:
    async def stranger(item: Item[Order]) -> None: ...

    with pytest.raises(UsageError, match="stranger"):
        shop.typed(stranger)


CHECKED = """
from dataclasses import dataclass
from ingather import Batch, Ingather, Item

app = Ingather("postgresql://nowhere")

@dataclass
class Order:
    cents: int

@app.handler("charge")
async def charge(item: Item[Order]) -> str:
    return str(item.payload.cents)

@app.handler("plain")
def plain(item: Item) -> int:
    return int(item.payload)

@app.gather("charge")
async def join(batch: Batch[str]) -> str:
    return "".join([text async for text in batch.results()])

async def good(item: Item) -> None:
    app.scatter("charge", [], priority=1)
    await app.ascatter("charge", [], max_items=1)
    app.submit("charge", {}, queue="mail")
    item.scatter("charge", [], share="me")
    names: list[str] = list(app.typed(charge).scatter([Order(1)], delay=3).results())
    numbers: list[int] = list(app.typed(plain).submit(1).results())
"""
MISTAKES = {
    'app.scatter("charge", [], priorty=1)': "priorty",
    'app.submit("charge", {}, que="mail")': "que",
    'app.typed(charge).scatter([], idempotency="x")': "idempotency",
    '@app.handler("x", max_attempt=1)\ndef x(item: Item) -> None: ...': "max_attempt",
    'app.typed(charge).submit({"cents": 1})': "Order",
    "numbers: list[int] = list(app.typed(charge).submit(Order(1)).results())": "Stream[str]",
}


def test_a_type_checker_finds_misspelt_options_and_wrong_payloads(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(CHECKED)
    bad.write_text(CHECKED + "\n".join(MISTAKES))
    first = len(CHECKED.splitlines()) + 1
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
    answer = subprocess.run([*command, good, bad], cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in answer.stdout.splitlines() if ": error:" in line]
    assert [line for line in errors if "good.py" in line or int(line.split(":")[1]) < first] == []
    for mistake, name in MISTAKES.items():
        assert any(name in line for line in errors), f"{mistake} was not found in:\n{answer.stdout}{answer.stderr}"
