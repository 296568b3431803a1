"""The desk: what is kept of a call, what is given back for it later, and when no call is made at all."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable, RetryLater
from ingather.extraction.conversation.desk import GOOD_FOR_S, Desk
from ingather.extraction.conversation.interview import ModelAnswer
from ingather.extraction.provider import (
    ChatReply,
    ChatRequest,
    Endpoint,
    ErrorKind,
    Message,
    ModelError,
    NotSent,
    PauseTask,
    Usage,
)
from ingather.extraction.tasks import tasks
from tests.extraction.desk import Bench, paper

KEY = "sk-canary-3f9a8b7c6d5e4f3a2b1c"
ADDRESS = "http://127.0.0.1:9/v1"
SCHEMA: dict[str, Any] = {"type": "object"}


class Model:
    """Stands for the client: gives what it is told to give, in its order, and counts."""

    def __init__(self, *replies: ChatReply | ModelError) -> None:
        self._replies = list(replies)
        self.calls = 0

    async def complete(self, _: ChatRequest) -> ChatReply:
        self.calls += 1
        replies = self._replies.pop(0)
        if isinstance(replies, ModelError):
            raise replies
        return replies

    async def open(self) -> None: ...

    async def close(self) -> None: ...


def reply(text: str, **more: Any) -> ChatReply:
    return ChatReply(text=text, finish="stop", usage=Usage(prompt=10, completion=5), model="gpt-4.1-mini", **more)


class Room:
    """A task and a desk with a model of the test's own."""

    def __init__(self, url: str, folder: Path) -> None:
        self.engine = Engine(url, lease=1)
        self.endpoint = Endpoint.of(ADDRESS, "gpt-4.1-mini", KEY)
        self.bench = Bench(self.engine, folder, self.endpoint).open()
        documents = self.bench.add([paper(1)])
        self.task, _ = self.bench.extraction.start_task(self.bench.project, "rct", documents)

    def with_desk(self, model: Model, work: Callable[[Desk], Awaitable[Any]], endpoint: Endpoint | None = None) -> Any:
        async def run() -> Any:
            desk = Desk(self.engine, endpoint or self.endpoint, client=model)  # type: ignore[arg-type]
            try:
                return await work(desk)
            finally:
                await self.engine.aclose()

        return asyncio.run(run())

    def ask(self, model: Model, question: str = "How many?", endpoint: Endpoint | None = None) -> ModelAnswer:
        messages = (Message(role="user", content=question),)

        async def work(desk: Desk) -> ModelAnswer:
            return await desk.ask(self.task, 0, "study/1", messages, SCHEMA, 1_000)

        received: ModelAnswer = self.with_desk(model, work, endpoint)
        return received


@pytest.fixture
def room(url: str, tmp_path: Path) -> Iterator[Room]:
    made = Room(url, tmp_path)
    yield made
    made.engine.close()


@pytest.mark.parametrize(
    "quote",
    [
        "Basic characteristics were similar",
        "the token: economy1234 was given",
        "half \ud800 of a character",
        "a NUL \x00 within",
        "中文引用",
    ],
)
def test_an_answer_is_the_same_when_it_comes_from_the_ledger(room: Room, quote: str) -> None:
    """Or a document that was interrupted would have other findings than one that was not."""
    model = Model(reply(f'{{"quote": "{quote}"}}'.replace("\x00", "\\u0000")))
    first = room.ask(model)
    again = room.ask(model)
    assert model.calls == 1
    assert (first.object, first.text) == (again.object, again.text)
    assert (first.is_known, again.is_known) == (False, True)


def test_whatever_a_provider_says_beside_its_answer_a_paid_answer_is_kept(room: Room, db: psycopg.Connection) -> None:
    odd = replace(reply('{"a": 1}'), model="m\x00\udfff", usage=Usage(prompt=2**80, completion=2**70))
    room.ask(Model(odd))
    assert db.execute("select model, outcome from ingather.model_call").fetchall() == [("m\ufffd\ufffd", "ok")]


def test_a_provider_that_repeats_our_key_does_not_put_it_into_a_row(room: Room, db: psycopg.Connection) -> None:
    received = room.ask(Model(reply(f'{{"quote": "{KEY}"}}')))
    assert KEY not in received.text
    assert db.execute("select count(*) from ingather.model_call where answer like %s", [f"%{KEY}%"]).fetchone() == (0,)


def test_an_answer_that_was_cut_off_is_not_paid_for_again(room: Room) -> None:
    cut = replace(reply('{"answers": [{"field": "title"}, {"fie'), finish="length")
    model = Model(ModelError(ErrorKind.TRUNCATED, "It was cut off.", reply=cut))
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            room.ask(model)
        assert caught.value.reply is not None
        assert caught.value.reply.text == cut.text
    assert model.calls == 1


@pytest.mark.parametrize("kind", [ErrorKind.BAD_JSON, ErrorKind.BLANK, ErrorKind.OVERLOADED])
def test_a_bad_answer_is_no_answer_the_next_time(room: Room, kind: ErrorKind) -> None:
    model = Model(ModelError(kind, "It makes no sense.", reply=reply("?")), reply('{"a": 1}'))
    with pytest.raises(ModelError):
        room.ask(model)
    assert room.ask(model).object == {"a": 1}
    assert room.engine.database.run(tasks.spent(room.task.id)).prompt_tokens == 20, "it was billed all the same"


def test_a_call_is_written_down_although_the_database_was_away_for_a_moment(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = room.engine.database.arun, [DatabaseUnavailable("away"), DatabaseUnavailable("away")]

    async def arun(script: Any, **more: Any) -> Any:
        if script.__name__ == "_add_call" and failures:
            raise failures.pop()
        return await real(script, **more)

    monkeypatch.setattr(room.engine.database, "arun", arun)
    model = Model(reply('{"a": 1}'))
    room.ask(model)
    assert room.ask(model).is_known


def test_silence_is_kept_by_a_worker_whose_key_is_not_that_of_the_task_s_starter(room: Room) -> None:
    other = Endpoint.of(ADDRESS, "gpt-4.1-mini", "sk-another-key-000000000000")
    model = Model(ModelError(ErrorKind.RETRY_AFTER, "Too many requests.", retry_after_s=60), reply("{}"))
    with pytest.raises(ModelError):
        room.ask(model, endpoint=other)
    with pytest.raises(RetryLater, match="silence"):
        room.ask(model, endpoint=other)
    assert model.calls == 1


def test_a_short_silence_is_waited_for_and_the_question_asked_again(room: Room, db: psycopg.Connection) -> None:
    model = Model(ModelError(ErrorKind.RETRY_AFTER, "Too many requests.", retry_after_s=0.1), reply('{"a": 1}'))
    assert room.ask(model).object == {"a": 1}
    noted = db.execute("select outcome, called_at from ingather.model_call order by id").fetchall()
    assert [outcome for outcome, _ in noted] == ["retry_after", "ok"]
    assert (noted[1][1] - noted[0][1]).total_seconds() > 0.9, "a second is the shortest silence there is"


def test_a_process_keeps_the_silence_it_heard_of_before_the_database_knows(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_yet(*_: Any) -> None: ...

    async def work(desk: Desk) -> None:
        for error in (ModelError, RetryLater):
            with pytest.raises(error):
                await desk.ask(room.task, 0, "study/1", (Message(role="user", content="How many?"),), SCHEMA, 500)

    monkeypatch.setattr(room.engine, "ahold_queue", not_yet)
    model = Model(ModelError(ErrorKind.RETRY_AFTER, "Too many requests.", retry_after_s=60))
    room.with_desk(model, work)
    assert model.calls == 1


def test_leave_to_call_is_good_for_a_moment_only(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take its time between being allowed to call and calling; silence may begin meanwhile."""
    requests: list[ChatRequest] = []

    class Slow(Model):
        async def complete(self, request: ChatRequest) -> ChatReply:
            requests.append(request)
            if len(requests) == 1:
                await asyncio.sleep(GOOD_FOR_S + 0.05)
            if not request.may_send():
                raise NotSent
            return await super().complete(request)

    room.bench.extraction.set_spend_cap(room.task.id, Decimal(2))
    model = Slow(reply("{}"))
    room.ask(model)
    assert (len(requests), model.calls) == (2, 1)
    status = room.bench.extraction.status(room.task.id)
    assert status.spent.calls == 1, "what was not sent is no call"
    monkeypatch.setattr("ingather.extraction.conversation.desk.GOOD_FOR_S", -1.0)
    monkeypatch.setattr("ingather.extraction.conversation.desk.SPREAD_S", 0.0)
    with pytest.raises(RetryLater, match="too busy"):
        room.ask(Slow(reply("{}")), "Another question")


def test_a_paused_task_asks_nothing_more_also_in_the_middle_of_a_document(room: Room) -> None:
    model = Model(reply('{"a": 1}'), reply("{}"))
    room.ask(model)
    room.bench.extraction.pause(room.task.id)
    assert room.ask(model).is_known, "what is known costs nothing"
    with pytest.raises(RetryLater, match="Paused by a person"):
        room.ask(model, "And how old?")
    room.bench.extraction.resume(room.task.id)
    room.ask(model, "And how old?")
    assert model.calls == 2


def test_a_cap_counts_calls_whose_model_the_provider_calls_by_a_name_of_its_own(room: Room) -> None:
    room.bench.extraction.set_spend_cap(room.task.id, Decimal("0.0001"))
    model = Model(replace(reply("{}"), model="house-blend", usage=Usage(prompt=10**6)), reply("{}"))
    room.ask(model)
    with pytest.raises(PauseTask, match=r"cap of 0\.0001"):
        room.ask(model, "And how old?")
    assert model.calls == 1


def test_desks_of_loops_that_are_over_are_let_go(room: Room) -> None:
    pipeline = room.bench.extraction._pipeline

    async def desk() -> Desk:
        return pipeline._desk(room.task)

    for _ in range(5):
        asyncio.run(desk())
    assert len(pipeline._desks) == 1


def test_what_a_killed_process_had_set_aside_is_forgotten_once_its_call_must_be_over(
    room: Room, db: psycopg.Connection
) -> None:
    room.bench.extraction.set_spend_cap(room.task.id, Decimal("0.02"))
    left = "insert into ingather.set_aside (task_id, amount, until) values (%s, 0.02, clock_timestamp() + '1 minute')"
    db.execute(left, [room.task.id])
    model = Model(reply("{}"))
    with pytest.raises(RetryLater, match="under way"):
        room.ask(model)
    assert model.calls == 0
    db.execute("update ingather.set_aside set until = clock_timestamp()")
    room.ask(model)
    assert db.execute("select count(*) from ingather.set_aside").fetchone() == (0,)


def test_a_call_that_is_broken_off_keeps_nothing_set_aside(room: Room, db: psycopg.Connection) -> None:
    class Silent(Model):
        async def complete(self, _: ChatRequest) -> ChatReply:
            await asyncio.sleep(60)
            raise AssertionError

    async def work(desk: Desk) -> None:
        requests = desk.ask(room.task, 0, "study/1", (Message(role="user", content="How many?"),), SCHEMA, 500)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(requests, 0.5)

    room.bench.extraction.set_spend_cap(room.task.id, Decimal(2))
    room.with_desk(Silent(), work)
    assert db.execute("select count(*) from ingather.set_aside").fetchone() == (0,)


def test_a_provider_that_tells_no_usage_does_not_work_for_nothing(room: Room) -> None:
    silent = [replace(reply("{}"), usage=Usage()) for _ in range(50)]
    room.ask(Model(*silent), "Without a cap")
    assert room.bench.extraction.status(room.task.id).spent.unpriced == 1
    room.bench.extraction.set_spend_cap(room.task.id, Decimal("0.05"))
    model = Model(*silent)

    def ask_on() -> None:
        for n in range(50):
            room.ask(model, f"Question {n} " + "x" * 20_000)

    with pytest.raises(PauseTask):
        ask_on()
    assert 0 < model.calls < 50
