"""Follow-ups: what is new is asked and paid for, what was answered and reviewed stays, and the rest is compared."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction.findings import Action, State
from ingather.extraction.provider import Endpoint
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.tasks.follow_up import FollowUp, OpenCells
from tests.extraction.desk import Bench, paper
from tests.extraction.test_task import Scene, drain
from tests.provider.reader import answer
from tests.provider.server import Provider

FIELDS = ("title", "n_randomised", "registration_id", "funding_source")
ANNA = Reviewer(name="Anna")


@pytest.fixture
def scene(url: str, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(url, tmp_path)
    yield made
    made.close()


def fields_of(provider: Provider) -> list[str]:
    """The fields that a model was asked for, call by call."""
    names = []
    for call in provider.calls:
        items = call.body["response_format"]["json_schema"]["schema"]["properties"]["answers"]["items"]
        names.append(" ".join(items["properties"]["field"]["enum"]))
    return names


def first_task(bench: Bench, documents: list[int], fields: tuple[str, ...] = FIELDS) -> int:
    task, _ = bench.extraction.start_task(bench.project, "rct", documents, field_ids=fields)
    drain(bench)
    return task.id


def followed(bench: Bench, wanted: FollowUp) -> int:
    task, is_new = bench.extraction.start_follow_up(wanted)
    assert is_new
    drain(bench)
    assert bench.extraction.status(task.id).progress.is_closed
    return task.id


def cells(bench: Bench, task_id: int, ordinal: int = 0) -> dict[str, Any]:
    return {one.field: one for one in bench.extraction.result(task_id, ordinal).findings if not one.row}


@pytest.mark.timeout(300)
def test_one_changed_field_over_200_documents_makes_exactly_200_new_questions(scene: Scene) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add(paper(n) for n in range(200)))
    assert bench.extraction.status(first).progress.completed == 200
    before = len(provider.calls)
    wanted = FollowUp(task_id=first, instructions=(("n_randomised", "Count those who were randomised, all arms."),))
    second = followed(bench, wanted)
    assert bench.extraction.status(second).progress.completed == 200
    assert len(provider.calls) - before == 200
    assert set(fields_of(provider)[before:]) == {"n_randomised"}
    assert bench.extraction.status(second).spent.calls == 200
    assert all(cells(bench, second, n)["title"].value for n in (0, 99, 199))


def test_a_follow_up_is_foreseen_by_what_it_asks_and_by_who_joins(scene: Scene) -> None:
    bench, provider = scene()
    documents = bench.add(paper(n) for n in range(4))
    first = first_task(bench, documents[:3])
    whole, _, _ = bench.extraction.estimate(bench.project, "rct", documents[:3], field_ids=FIELDS)
    one_field = FollowUp(task_id=first, instructions=(("n_randomised", "All arms together."),))
    found = bench.extraction.estimate_follow_up(one_field)
    assert (found.cells, found.estimate.documents, found.estimate.calls.low) == (3, 3, 3)
    assert found.estimate.tokens_out.high < whole.tokens_out.high
    nothing = bench.extraction.estimate_follow_up(FollowUp(task_id=first, only=OpenCells.FAILED))
    assert (nothing.cells, nothing.estimate.calls.high) == (0, 0)
    joined = bench.extraction.estimate_follow_up(FollowUp(task_id=first, document_ids=(documents[3],)))
    assert (joined.cells, joined.estimate.documents, joined.estimate.calls.low) == (0, 1, whole.calls.low / 3)
    before = len(provider.calls)
    followed(bench, one_field)
    assert len(provider.calls) - before == 3


def test_the_same_changed_field_once_more_is_paid_for_already(scene: Scene) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add(paper(n) for n in range(3)))
    wanted = FollowUp(task_id=first, instructions=(("n_randomised", "All arms together."),))
    second = followed(bench, wanted)
    before = len(provider.calls)
    third = followed(bench, wanted)
    assert len(provider.calls) == before
    assert [cells(bench, third, n) for n in range(3)] == [cells(bench, second, n) for n in range(3)]


def test_reviews_stay_and_speak_of_what_was_judged(scene: Scene) -> None:
    answers = {"n": "120"}

    def model(body: dict[str, Any]) -> Any:
        filled: Any = answer(body)
        for cell in filled.get("answers", ()):
            if cell["field"] == "n_randomised":
                cell.update(state="reported", value=answers["n"], quote="")
        return filled

    bench, _ = scene(answerer=model)
    first = first_task(bench, bench.add([paper(1)]))
    for field in ("title", "n_randomised"):
        bench.extraction.review(first, 0, Decision(row="", field=field, action=Action.ACCEPTED), ANNA)
    answers["n"] = "121"
    second = followed(bench, FollowUp(task_id=first, instructions=(("n_randomised", "All of them."),)))
    found = cells(bench, second)
    assert (found["title"].is_reviewed, found["title"].review.reviewer) == (True, "Anna")
    assert (found["n_randomised"].value, found["n_randomised"].is_outdated) == (121, True)
    [document], _ = bench.extraction.differences(second)
    [cell] = document.cells
    assert cell.before is not None
    assert cell.after is not None
    assert (cell.field, cell.before.value, cell.after.value) == ("n_randomised", 120, 121)
    # The earlier task says what it said.
    assert cells(bench, first)["n_randomised"].value == 120


def test_only_what_failed_is_names(scene: Scene) -> None:
    bench, provider = scene([{"do": "wrong_types", "on": [1, 2]}])
    first = first_task(bench, bench.add([paper(1)]))
    failed = {name for name, one in cells(bench, first).items() if one.state is State.FAILED}
    assert failed
    before = len(provider.calls)
    second = followed(bench, FollowUp(task_id=first, only=OpenCells.FAILED))
    assert fields_of(provider)[before:] == [" ".join(name for name in _in_order(provider) if name in failed)]
    assert not [one for one in cells(bench, second).values() if one.state is State.FAILED]


def _in_order(provider: Provider) -> list[str]:
    return fields_of(provider)[0].split()


def test_what_is_missing_is_names_and_what_is_there_is_not(scene: Scene) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add([paper(1)]), ("title", "n_randomised", "doi"))
    assert cells(bench, first)["doi"].state is State.NOT_REPORTED
    before = len(provider.calls)
    followed(bench, FollowUp(task_id=first, only=OpenCells.MISSING))
    names = set(" ".join(fields_of(provider)[before:]).split())
    assert "doi" in names
    assert not names & {name for name, one in cells(bench, first).items() if one.state is State.REPORTED}


def test_new_papers_join_under_the_frozen_template_and_old_ones_cost_nothing(scene: Scene) -> None:
    bench, provider = scene()
    old = bench.add([paper(1), paper(2)])
    first = first_task(bench, old)
    before = len(provider.calls)
    [third_paper] = bench.add([paper(3)])
    second = followed(bench, FollowUp(task_id=first, document_ids=(third_paper,)))
    found, _ = bench.extraction.results(second)
    assert [one.document_id for one in found] == [*old, third_paper]
    assert [one.state for one in found] == ["completed"] * 3
    assert len(provider.calls) - before == 1
    assert [one.findings for one in found[:2]] == [bench.extraction.result(first, n).findings for n in (0, 1)]
    template = bench.extraction.template_of(bench.extraction.task(second))
    assert template == bench.extraction.template_of(bench.extraction.task(first))
    assert [one.is_new for one in bench.extraction.differences(second)[0]] == [False, False, True]


def test_a_field_is_asked_of_some_documents_and_the_others_keep_theirs(scene: Scene) -> None:
    bench, provider = scene()
    documents = bench.add(paper(n) for n in range(3))
    first = first_task(bench, documents)
    before = len(provider.calls)
    wanted = FollowUp(task_id=first, field_ids=("title",), document_ids=(documents[1],))
    followed(bench, wanted)
    # The same question was answered before, in the same words about the same paper: alone it is another question.
    assert fields_of(provider)[before:] == ["title"]


def test_a_field_that_was_not_asked_is_added_and_arms_are_listed_once(scene: Scene) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add([paper(1)]), ("title",))
    before = len(provider.calls)
    second = followed(bench, FollowUp(task_id=first, field_ids=("arm_n_randomised", "doi")))
    steps = [json.dumps(call.body["response_format"]) for call in provider.calls[before:]]
    assert sum('"arms"' in step for step in steps) == 1
    assert "doi" in cells(bench, second)
    before = len(provider.calls)
    followed(bench, FollowUp(task_id=second, field_ids=("arm_n_randomised",)))
    assert not [call for call in provider.calls[before:] if '"arms"' in json.dumps(call.body["response_format"])]


def test_another_model_answers_one_field_anew_and_says_that_it_was_it(scene: Scene, url: str, tmp_path: Path) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add([paper(1)]))
    other = Bench(Engine(url, lease=1), tmp_path, Endpoint.of(provider.base_url, "another-model"))
    second = followed(other, FollowUp(task_id=first, field_ids=("n_randomised",)))
    sources = {name: one.source for name, one in cells(other, second).items()}
    assert (sources["n_randomised"], sources["title"]) == ("another-model", "test-model")
    other.engine.close()


def test_our_own_rules_can_be_followed_by_them_too(url: str, tmp_path: Path) -> None:
    engine = Engine(url, lease=1)
    bench = Bench(engine, tmp_path).open()
    first = first_task(bench, bench.add([paper(1)]))
    second = followed(bench, FollowUp(task_id=first, field_ids=("doi",)))
    assert set(cells(bench, second)) >= {"doi", "title"}
    assert cells(bench, second)["title"] == cells(bench, first)["title"]
    engine.close()


def test_what_cannot_be_followed_is_refused_with_nothing_left_behind(scene: Scene, db: psycopg.Connection) -> None:
    bench, _ = scene()
    [document] = bench.add([paper(1)])
    task, _ = bench.extraction.start_task(bench.project, "rct", [document], field_ids=["title"])
    with pytest.raises(UsageError, match="has not ended"):
        bench.extraction.start_follow_up(FollowUp(task_id=task.id, only=OpenCells.FAILED))
    drain(bench)
    with pytest.raises(UsageError, match="doi"):
        bench.extraction.start_follow_up(FollowUp(task_id=task.id, instructions=(("doi", "As printed."),)))
    with pytest.raises(UsageError, match="follows no other"):
        bench.extraction.differences(task.id)
    assert db.execute("select count(*) from ingather.task").fetchone() == (1,)


def test_the_same_key_is_the_same_follow_up(scene: Scene) -> None:
    bench, _ = scene()
    first = first_task(bench, bench.add([paper(1)]))
    wanted = FollowUp(task_id=first, only=OpenCells.MISSING)
    one, is_new = bench.extraction.start_follow_up(wanted, idempotency_key="monday")
    again, is_newer = bench.extraction.start_follow_up(wanted, idempotency_key="monday")
    assert (one.id, is_new, is_newer) == (again.id, True, False)


def test_a_follow_up_whose_earlier_task_is_gone_pays_for_nothing_twice(scene: Scene, db: psycopg.Connection) -> None:
    bench, provider = scene()
    first = first_task(bench, bench.add([paper(1)]))
    task, _ = bench.extraction.start_follow_up(FollowUp(task_id=first, field_ids=("title",)))
    before = len(provider.calls)
    db.execute("update ingather.task set follows_id = null where id = %s", [task.id])
    db.commit()
    drain(bench)
    result = bench.extraction.result(task.id, 0)
    assert (result.state, "deleted" in result.problem) == ("error", True)
    assert len(provider.calls) == before
