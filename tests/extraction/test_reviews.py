"""Reviews on a real database: kept for ever, one after the other, and never one upon another that nobody saw."""

import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.errors import NotFound, Outrun
from ingather.extraction.findings import Action, DocumentResult, Finding, State
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.tasks import stored_result as results
from tests.extraction.desk import Bench, paper

ANN, BOB = Reviewer(name="ann", account_id=1), Reviewer(name="bob", account_id=2)


@pytest.fixture
def bench(url: str, tmp_path: Path) -> Iterator[Bench]:
    engine = Engine(url, lease=1)
    yield Bench(engine, tmp_path).open()
    engine.close()


def finished(bench: Bench, count: int = 1, template: str = "rct") -> int:
    task, _ = bench.extraction.start_task(bench.project, template, bench.add(paper(n) for n in range(1, count + 1)))
    bench.engine.worker(concurrency=20).drain()
    return task.id


def decided(
    field: str, action: Action, value: object = None, *, row: str = "", seen: int = 0, note: str = ""
) -> Decision:
    return Decision(field=field, row=row, action=action, value=value, seen=seen, note=note)


def at(bench: Bench, task_id: int, field: str, ordinal: int = 0) -> Finding:
    return next(
        one for one in bench.extraction.result(task_id, ordinal).findings if (one.field, one.row) == (field, "")
    )


def test_a_review_is_read_wherever_results_are_read(bench: Bench) -> None:
    task_id = finished(bench, 3)
    bench.extraction.review(task_id, 1, decided("n_randomised", Action.EDITED, "99", note="p. 3"), ANN)
    page, _ = bench.extraction.results(task_id)
    numbers = [one for found in page for one in found.findings if one.field == "n_randomised"]
    assert [one.value for one in numbers] == [102, 99, 106]
    assert numbers[1] == at(bench, task_id, "n_randomised", 1)
    out = io.BytesIO()
    bench.extraction.export(task_id, "json", out)
    written = json.loads(out.getvalue())["documents"][1]
    assert [(one["field"], one["value"], one["note"]) for one in written["reviews"]] == [("n_randomised", 99, "p. 3")]
    assert [one["value"] for one in written["findings"] if one["field"] == "n_randomised"] == [99]


def test_rows_are_only_ever_added(bench: Bench, db: psycopg.Connection) -> None:
    task_id = finished(bench)
    bench.extraction.review(task_id, 0, decided("n_randomised", Action.EDITED, 7), ANN)
    bench.extraction.review(task_id, 0, decided("n_randomised", Action.REJECTED, seen=1, note="Not it."), BOB)
    bench.extraction.review(task_id, 0, decided("n_randomised", Action.WITHDRAWN, seen=2), BOB)
    assert at(bench, task_id, "n_randomised").value == 7
    assert [(one.revision, one.action, one.reviewer) for one in bench.extraction.reviews(task_id, 0)] == [
        (1, Action.EDITED, "ann"),
        (2, Action.REJECTED, "bob"),
        (3, Action.WITHDRAWN, "bob"),
    ]
    kept = db.execute("select revision, action, value, account_id from ingather.review order by id").fetchall()
    assert kept == [(1, "edited", 7, 1), (2, "rejected", None, 2), (3, "withdrawn", None, 2)]


def test_a_value_comes_back_as_it_was_given(bench: Bench) -> None:
    fields = ["title", "n_randomised", "countries"]
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]), field_ids=fields)
    bench.engine.worker(concurrency=5).drain()
    hostile = '=HYPERLINK("x") ½ “so” 語 <script>'
    for field, value in {"title": hostile, "n_randomised": 2**53 - 1, "countries": ["Norway", "=1+1"]}.items():
        bench.extraction.review(task.id, 0, decided(field, Action.EDITED, value), ANN)
        assert at(bench, task.id, field).value == value


def test_of_many_at_the_same_moment_one_is_first_and_the_others_are_told(bench: Bench) -> None:
    task_id = finished(bench)
    written: list[str] = []

    def judge(n: int) -> None:
        try:
            bench.extraction.review(task_id, 0, decided("n_randomised", Action.EDITED, n), Reviewer(name=f"person {n}"))
            written.append("written")
        except Outrun as error:
            written.append(str(error))

    crowd = [threading.Thread(target=judge, args=(n,)) for n in range(1, 9)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert written.count("written") == 1
    [only] = bench.extraction.reviews(task_id, 0)
    assert all(only.reviewer in sentence for sentence in written if sentence != "written")


def test_finished_documents_are_reviewed_while_others_wait(bench: Bench) -> None:
    documents = bench.add([paper(1), "bad file"])
    task, _ = bench.extraction.start_task(bench.project, "rct", documents)
    with pytest.raises(NotReady, match="pending"):
        bench.extraction.review(task.id, 0, decided("title", Action.NOT_REPORTED), ANN)
    bench.engine.worker(concurrency=5).drain()
    bench.extraction.review(task.id, 0, decided("title", Action.NOT_REPORTED), ANN)
    with pytest.raises(NotReady, match="error"):
        bench.extraction.review(task.id, 1, decided("title", Action.NOT_REPORTED), ANN)
    bench.extraction.retry(task.id)
    bench.engine.worker(concurrency=5).drain()
    assert at(bench, task.id, "title").state is State.NOT_REPORTED


def test_what_is_not_there_cannot_be_reviewed(bench: Bench) -> None:
    task_id = finished(bench)
    for ordinal in (1, -1, 2**40):
        with pytest.raises(NotFound, match="no document"):
            bench.extraction.review(task_id, ordinal, decided("title", Action.ACCEPTED), ANN)
    with pytest.raises(NotFound, match="no task 999"):
        bench.extraction.review(999, 0, decided("title", Action.ACCEPTED), ANN)
    with pytest.raises(NotFound, match="no field"):
        bench.extraction.review(task_id, 0, decided("titel", Action.ACCEPTED), ANN)
    with pytest.raises(UsageError, match="no whole number"):
        bench.extraction.review(task_id, 0, decided("n_randomised", Action.EDITED, 1.5), ANN)
    assert bench.extraction.reviews(task_id, 0) == []


def test_verified_values_of_chosen_documents_are_accepted_at_once_and_once(bench: Bench) -> None:
    task_id = finished(bench, 3)
    bench.extraction.review(task_id, 0, decided("title", Action.REJECTED), BOB)
    accepted, left = bench.extraction.accept_verified(task_id, [0, 2], ANN)
    assert accepted > 0
    for ordinal in (0, 1, 2):
        found = bench.extraction.result(task_id, ordinal).findings
        for one in found:
            if one.review and one.review.reviewer == "ann":
                assert ordinal != 1
                assert (one.state, one.verdict.value) in {
                    (State.REPORTED, "verified"),
                    (State.REPORTED, "verified_fuzzy"),
                }
    assert at(bench, task_id, "title").state is State.REJECTED
    assert bench.extraction.accept_verified(task_id, [0, 2], ANN) == (0, left)
    assert bench.extraction.accept_verified(task_id, [1], ANN, field_ids=["n_randomised"]) == (1, 0)
    with pytest.raises(UsageError, match="1 to 500"):
        bench.extraction.accept_verified(task_id, [], ANN)


def test_reviews_go_with_their_task(bench: Bench, db: psycopg.Connection) -> None:
    task_id = finished(bench)
    bench.extraction.review(task_id, 0, decided("title", Action.REJECTED), BOB)
    db.execute("delete from ingather.task where id = %s", [task_id])
    assert db.execute("select count(*) from ingather.review").fetchone() == (0,)


def test_accepting_for_a_few_documents_reads_those_and_no_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    task_id = finished(bench, 120)
    read: list[int] = []
    real = results.document_result

    def noted(ordinal: int, *rest: Any) -> DocumentResult:
        read.append(ordinal)
        return real(ordinal, *rest)

    monkeypatch.setattr(results, "document_result", noted)
    bench.extraction.accept_verified(task_id, [119, 0, 1, 60], ANN)
    assert read == [0, 1, 60, 119]
    with pytest.raises(NotFound, match=f"no document 120 in task {task_id}"):
        bench.extraction.accept_verified(task_id, [0, 120], ANN)
