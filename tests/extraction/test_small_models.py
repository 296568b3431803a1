"""Slow, small and forgetful models, as stand-ins, under a whole task: each ends with the most that could be had.

Times are small ones of the stand-in and of the deadlines, in the proportions of the real thing.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.extraction.conversation.interview import Interview, ModelAnswer
from ingather.extraction.findings import State
from ingather.extraction.provider import Message, pace
from ingather.extraction.template import load_builtin_template, template_with_fields_selected
from tests.extraction.desk import paper
from tests.extraction.test_task import Scene, drain
from tests.provider.reader import answer
from tests.provider.server import Provider

FIELDS = (
    "title", "n_randomised", "registration_id", "funding_source", "countries", "recruit_start", "recruit_end", "doi",
    "journal", "design", "setting", "n_centres", "blind_assessors", "sequence_generation", "arm_label",
    "arm_n_randomised",
)  # fmt: skip
# Text that says nothing of any field, so that a paper has pages which only cost room.
FILLER = "The weather of the region is mild, and its hills are covered by woods of pine and birch. " * 30


@pytest.fixture
def scene(url: str, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(url, tmp_path)
    yield made
    made.close()


def long_paper(n: int) -> str:
    """The paper's own words stand behind pages of others, so that no part but the right one answers."""
    return "\f".join([FILLER] * 3 + [paper(n)] + [FILLER] * 3)


def repeated_questions(provider: Provider) -> list[str]:
    """The fields that were asked of a document again although a part of it had given a value for them."""
    answered: set[str] = set()
    again = []
    for call in provider.calls:
        if call.did not in {"ok", "loop", "truncated"}:
            continue
        properties = call.body["response_format"]["json_schema"]["schema"]["properties"]
        if "answers" not in properties:
            continue
        fields = properties["answers"]["items"]["properties"]["field"]["enum"]
        again += [field for field in fields if field in answered]
        reply: Any = answer(call.body)
        if call.did == "ok":
            answered |= {one["field"] for one in reply["answers"] if one["state"] == "reported"}
    return again


def ended(scene: Scene, script: Any, text: str, **more: Any) -> tuple[Any, Provider]:
    bench, provider = scene(script, **more)
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([text]), field_ids=FIELDS)
    drain(bench)
    [result], _ = bench.extraction.results(task.id)
    assert (result.state, result.problem) == ("completed", "")
    return result, provider


def value(result: Any, field: str) -> Any:
    return next(one.value for one in result.findings if one.field == field and not one.row)


@pytest.mark.parametrize("context", [4_096, 8_192])
@pytest.mark.parametrize("is_named", [True, False], ids=["named by the server", "found out by a refusal"])
def test_a_small_context_ends_with_what_the_paper_says(scene: Scene, context: int, is_named: bool) -> None:
    models = [{"id": "test-model", "owned_by": "vllm", "max_model_len": context}] if is_named else ["test-model"]
    result, provider = ended(scene, {"context_tokens": context, "models": models}, long_paper(1))
    assert value(result, "n_randomised") == 102
    assert value(result, "registration_id") == ["NCT00000001"]
    assert "Fictional" in value(result, "funding_source")
    assert not [one for one in result.findings if one.state is State.FAILED]
    assert repeated_questions(provider) == []
    refused = [call for call in provider.calls if call.did == "too_long"]
    assert len(refused) == (0 if is_named else 1), "the context is learned once"
    fields = max(
        len(
            call.body["response_format"]["json_schema"]["schema"]["properties"]["answers"]["items"]["properties"][
                "field"
            ]["enum"]
        )
        for call in provider.calls
        if '"answers"' in json.dumps(call.body["response_format"]) and call.did == "ok"
    )
    assert fields <= (7 if context == 4_096 else 14)


def scaled(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """All deadlines of an answer, so much shorter."""
    for name in ("THINKING_S", "SILENCE_S", "MEASURED_FROM_S", "LONGEST_S"):
        monkeypatch.setattr(pace, name, getattr(pace, name) / factor)
    monkeypatch.setattr(pace, "SLOWEST_READING", pace.SLOWEST_READING * factor)


def test_two_tokens_a_second_and_a_minute_before_the_first_are_waited_for(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, db: psycopg.Connection
) -> None:
    scaled(monkeypatch, 100)
    # A hundred times as fast as meant: 2 tokens a second, the first after 60 s, and deadlines to match.
    result, provider = ended(scene, {"streaming": {"first_s": 0.6, "tokens_a_second": 200}}, paper(1))
    assert value(result, "n_randomised") == 102
    assert {call.did for call in provider.calls} == {"ok"}
    assert Counter(call.body_sha for call in provider.calls).most_common(1)[0][1] == 1
    outcomes = db.execute("select outcome, min(took_ms) from ingather.model_call group by 1").fetchall()
    assert [(outcome, took_ms >= 600) for outcome, took_ms in outcomes] == [("ok", True)]


def test_a_list_that_loops_is_ended_and_the_rest_goes_on(scene: Scene) -> None:
    def is_list(body: dict[str, Any]) -> bool:
        return '"arms"' in json.dumps(body["response_format"])

    script = {"rules": [{"do": "loop", "when": is_list}], "streaming": {"tokens_a_second": 5_000}}
    result, provider = ended(scene, script, paper(1))
    assert value(result, "n_randomised") == 102
    assert len({row.label for row in result.rows}) == len(result.rows)
    assert any("cut off" in flag.message for flag in result.flags)
    lists = [call for call in provider.calls if is_list(call.body)]
    assert len(lists) == 2, "the second asks for others only"
    assert "List only others" in lists[1].body["messages"][-1]["content"]


@pytest.mark.parametrize("how", ["broken_after", "silent_after"])
def test_a_cut_in_the_middle_of_a_string_keeps_what_was_whole(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, db: psycopg.Connection, how: str
) -> None:
    scaled(monkeypatch, 100)
    cut = {"rules": [{"do": "ok", "on": [2], "streaming": {how: 0.55}}], "streaming": True}
    result, provider = ended(scene, cut, paper(1))
    assert value(result, "n_randomised") == 102
    assert not [one for one in result.findings if one.state is State.FAILED]
    kept, again = _halves(provider)
    assert kept
    assert not kept & again, "what was whole is not asked again"
    broken = "select prompt_tokens, completion_tokens, took_ms from ingather.model_call where outcome = 'truncated'"
    [(prompt_tokens, completion_tokens, took_ms)] = db.execute(broken).fetchall()
    assert min(prompt_tokens, completion_tokens, took_ms) > 0, "the call that broke is in the ledger"


def _halves(provider: Provider) -> tuple[set[str], set[str]]:
    """The fields of the first group that were answered before its cut, and those asked after it."""

    def fields(number: int) -> list[str]:
        question = provider.calls[number].body["messages"][-1]["content"]
        return re.findall(r"(?m)^- `(\w+)` \(", question)

    first = fields(1)
    later = {field for number in range(2, len(provider.calls)) for field in fields(number)}
    return set(first) - later, set(first) & later


@pytest.mark.parametrize(("context", "calls", "changes"), [(4_096, 17, 10), (8_192, 6, 3)])
def test_questions_about_the_part_that_was_read_last_come_first(context: int, calls: int, changes: int) -> None:
    """A server keeps what it read last: a call about the same part costs it next to no reading."""
    read: list[str] = []

    async def ask(step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int) -> ModelAnswer:
        read.append(messages[1].content)
        body = {
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
        }
        filled: Any = answer(body)
        return ModelAnswer(object=filled, text=json.dumps(filled))

    template = template_with_fields_selected(load_builtin_template("rct"), list(FIELDS))
    asyncio.run(Interview(template, long_paper(1).split("\f"), ask, context_tokens=lambda: context).run())
    assert len(read) == calls
    # One group after the other, every call would be about another part than the one before it.
    assert sum(one != other for one, other in pairwise(read)) == changes
