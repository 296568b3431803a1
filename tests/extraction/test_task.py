"""Tasks on a real database: what they freeze, what they cost, and how they end when a provider misbehaves."""

import asyncio
import io
import json
import re
import threading
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import KeyReused, UsageError
from ingather.extraction.errors import EmptySelection, NotFound
from ingather.extraction.extraction import Extraction
from ingather.extraction.findings import State, Verdict
from ingather.extraction.provider import Endpoint
from ingather.extraction.task import Wait, WaitReason
from ingather.extraction.tasks.pipeline import KIND, MAX_ATTEMPTS
from ingather.extraction.template import Label, add_field, change_field, read_field, remove_field
from ingather.library.errors import NotInLibrary
from ingather.library.library import Library
from ingather.library.reading import Page, Reading
from ingather.notice import Notice
from tests.extraction.desk import Bench, paper
from tests.provider.reader import answer
from tests.provider.server import Provider

KEY = "sk-canary-3f9a8b7c6d5e4f3a2b1c"


@pytest.fixture
def bench(url: str, tmp_path: Path) -> Iterator[Bench]:
    """Without a model."""
    engine = Engine(url, lease=1)
    yield Bench(engine, tmp_path).open()
    engine.close()


class Scene:
    """A workbench and a provider that follows a script."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder

    def __call__(
        self, script: Any = None, *, at_once: int = 10, model: str = "test-model", answerer: Any = answer
    ) -> tuple[Bench, Provider]:
        self.provider = Provider(script=script, answerer=answerer)
        self.provider.__enter__()
        self.engine = Engine(self._url, lease=1)
        endpoint = Endpoint.of(self.provider.base_url, model, KEY)
        return Bench(self.engine, self._folder, endpoint, at_once=at_once).open(), self.provider

    def close(self) -> None:
        self.provider.__exit__()
        self.engine.close()


@pytest.fixture
def scene(url: str, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(url, tmp_path)
    yield made
    made.close()


def drain(bench: Bench) -> None:
    bench.engine.worker(concurrency=20).drain()


def findings(bench: Bench, task_id: int) -> dict[str, Any]:
    [page] = [page for page, _ in [bench.extraction.results(task_id)]]
    return {finding.field: finding for finding in page[0].findings if not finding.row}


# --- starting --------------------------------------------------------------------------------------------------------


def test_a_task_freezes_its_documents_and_deleting_them_changes_nothing(bench: Bench) -> None:
    documents = bench.add(paper(n) for n in range(3))
    task, is_new = bench.extraction.start_task(bench.project, "rct", documents)
    assert is_new
    for document in documents:
        bench.library.delete_document(document)
    drain(bench)
    page, after = bench.extraction.results(task.id)
    assert after is None
    assert [(result.ordinal, result.document_id, result.state) for result in page] == [
        (n, document, "completed") for n, document in enumerate(documents)
    ]
    assert findings(bench, task.id)["n_randomised"].value == 100


def test_an_empty_selection_and_unknown_names_are_refused_with_nothing_left_behind(
    bench: Bench, db: psycopg.Connection
) -> None:
    [document] = bench.add([paper(1)])
    before = len(bench.engine.batches(limit=100))
    with pytest.raises(EmptySelection, match="Choose at least one"):
        bench.extraction.start_task(bench.project, "rct", [])
    with pytest.raises(NotFound, match="no template 'nope'"):
        bench.extraction.start_task(bench.project, "nope", [document])
    with pytest.raises(NotFound, match="no project 999"):
        bench.extraction.start_task(999, "rct", [document])
    with pytest.raises(NotInLibrary, match="999"):
        bench.extraction.start_task(bench.project, "rct", [document, 999])
    with pytest.raises(UsageError):
        bench.extraction.start_task(bench.project, "rct", [document], field_ids=["no_such_field"])
    assert len(bench.engine.batches(limit=100)) == before
    assert db.execute("select count(*) from ingather.task").fetchone() == (0,)


def test_one_key_is_one_task_also_when_asked_at_the_same_moment(bench: Bench) -> None:
    documents = bench.add(paper(n) for n in range(4))
    started: list[tuple[int, bool]] = []

    def start() -> None:
        task, is_new = bench.extraction.start_task(bench.project, "rct", documents, idempotency_key="monday")
        started.append((task.id, is_new))

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({task_id for task_id, _ in started}) == 1
    assert sum(is_new for _, is_new in started) == 1
    with pytest.raises(KeyReused):
        bench.extraction.start_task(bench.project, "cohort", documents, idempotency_key="monday")
    with pytest.raises(KeyReused):
        bench.extraction.start_task(bench.project, "rct", documents[:2], idempotency_key="monday")
    other = bench.extraction.create_project("Another review").id
    with pytest.raises(NotInLibrary):
        bench.extraction.start_task(other, "rct", documents, idempotency_key="monday")
    knowledge_base = bench.library.create_knowledge_base("Papers", project_id=other).id
    theirs = bench.library.upload(knowledge_base, io.BytesIO(paper(0).encode()), "theirs.txt").document.id
    _, is_new = bench.extraction.start_task(other, "rct", [theirs], idempotency_key="monday")
    assert is_new, "keys of different projects have nothing to do with each other"


def test_a_key_finds_its_task_also_when_what_it_froze_is_gone(bench: Bench) -> None:
    """Whoever lost the first answer asks again, and must not be told that there is no such document."""
    mine = bench.extraction.clone_template(bench.project, "rct", Label(en="Mine", zh="我的"))
    documents = bench.add(paper(n) for n in range(3))
    params: dict[str, Any] = {"context": "Necks", "spend_cap": Decimal(2), "idempotency_key": "monday"}
    task, is_new = bench.extraction.start_task(bench.project, mine.id, documents, **params)
    assert is_new
    bench.library.delete_document(documents[1])
    bench.extraction.change_template(bench.project, mine.id, lambda template: remove_field(template, "title"))
    again, is_new = bench.extraction.start_task(bench.project, mine.id, documents, **params)
    assert (again.id, is_new) == (task.id, False)
    bench.extraction.remove_template(bench.project, mine.id)
    again, is_new = bench.extraction.start_task(bench.project, mine.id, documents, **params)
    assert (again.id, is_new) == (task.id, False)
    for other in ({"context": "Backs"}, {"spend_cap": None}, {"field_ids": ["title", "\ud800"]}):
        with pytest.raises(KeyReused):
            bench.extraction.start_task(bench.project, mine.id, documents, **params | other)
    with pytest.raises(KeyReused):
        bench.extraction.start_task(bench.project, mine.id, documents[:2], **params)


def test_a_payload_holds_ids_only(bench: Bench) -> None:
    documents = bench.add([paper(1)])
    task, _ = bench.extraction.start_task(bench.project, "rct", documents)
    [item] = bench.engine.batch(task.batch_id).items()
    assert item.payload == {"document_id": documents[0]}


@pytest.mark.parametrize("key", ["", "k" * 201, "a\nb", "a\0b", "\ud800"])
def test_a_key_that_cannot_be_kept_is_refused(bench: Bench, key: str) -> None:
    with pytest.raises(UsageError, match="idempotency key"):
        bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]), idempotency_key=key)


def test_nonsense_is_answered_with_a_sentence(bench: Bench) -> None:
    """None of these may reach the database: it would answer with words nobody can use."""
    desk, documents = bench.extraction, bench.add([paper(1)])
    for task_id in (0, -1, 2**63, 2**70, True, "1", None, 1.5):
        with pytest.raises(NotFound, match="There is no task"):
            desk.status(task_id)  # type: ignore[arg-type]
        with pytest.raises(NotFound, match="There is no project"):
            desk.start_task(task_id, "rct", documents)  # type: ignore[arg-type]
    for name in ("", "a\0b", "\ud800", "RCT", "x" * 64, "' or 1=1 --"):
        with pytest.raises(NotFound, match="There is no template"):
            desk.start_task(bench.project, name, documents)
    for cap in ("NaN", "-1", "Infinity", "1e30", "sNaN"):
        with pytest.raises(UsageError, match="spending cap lies between"):
            desk.start_task(bench.project, "rct", documents, spend_cap=Decimal(cap))
    for fields in ([], ["title", "title\0"], ["\ud800"]):
        with pytest.raises(UsageError):
            desk.start_task(bench.project, "rct", documents, field_ids=fields)
    with pytest.raises(UsageError, match="people or rules answer them"):
        desk.start_task(bench.project, "qc", documents, field_ids=["qc_tool"])
    for name in ("", " \n", "\0", "\ud800", "n" * 201):
        with pytest.raises(UsageError, match="1 to 200 characters"):
            desk.create_project(name)
    for limit in (0, -1, 10_000):
        with pytest.raises(UsageError, match="page holds"):
            desk.list_tasks(bench.project, limit=limit)
    assert desk.list_tasks(bench.project) == []


def test_a_program_finds_the_project_it_made_and_not_one_that_others_call_so(bench: Bench) -> None:
    desk = bench.extraction
    theirs = desk.create_project("Command line").id
    assert desk.create_project("Command line").id != theirs, "names are for people"
    with ThreadPoolExecutor(4) as threads:
        found = set(threads.map(lambda _: desk.own_project("command_line", "Command line").id, range(8)))
    assert len(found) == 1
    assert theirs not in found


def test_a_project_s_name_is_one_line_and_its_context_keeps_its_paragraphs(bench: Bench) -> None:
    assert bench.extraction.create_project("Neck\n\x1b pain\ud800").name == "Neck pain"
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]), context="Neck\n\npain\0\ud800 ")
    assert task.context == "Neck\n\npain"


def test_tasks_come_in_pages_newest_first(bench: Bench) -> None:
    documents = bench.add([paper(1)])
    ids = [bench.extraction.start_task(bench.project, "rct", documents)[0].id for _ in range(3)]
    first = bench.extraction.list_tasks(bench.project, limit=2)
    assert [task.id for task in first] == [ids[2], ids[1]]
    assert [task.id for task in bench.extraction.list_tasks(bench.project, before=first[-1].id)] == [ids[0]]
    assert bench.extraction.list_tasks(bench.project, before=0) == []


def test_two_spellings_of_a_cap_are_one_request(bench: Bench) -> None:
    documents = bench.add([paper(1)])
    for cap in ("2", "2.00", "0.2e1"):
        bench.extraction.start_task(bench.project, "rct", documents, spend_cap=Decimal(cap), idempotency_key="monday")


def test_a_cap_that_could_not_be_kept_is_refused(scene: Scene) -> None:
    bench, _ = scene()
    documents = bench.add([paper(1)])
    with pytest.raises(UsageError, match="test-model costs is not known"):
        bench.extraction.start_task(bench.project, "rct", documents, spend_cap=Decimal(2))
    task, _ = bench.extraction.start_task(bench.project, "rct", documents)
    with pytest.raises(UsageError, match="test-model costs is not known"):
        bench.extraction.set_spend_cap(task.id, Decimal(2))


# --- templates -------------------------------------------------------------------------------------------------------


def test_a_running_task_keeps_the_template_it_started_with(bench: Bench) -> None:
    mine = bench.extraction.clone_template(bench.project, "rct", Label(en="Mine", zh="我的"))
    params = read_field(
        {
            "id": "neck_brace",
            "label": {"en": "Neck brace", "zh": "颈托"},
            "type": "text",
            "scope": "study",
            "tier": "core",
            "instruction": "Was a brace worn?",
        },
        section=mine.sections[0].id,
    )
    second = bench.extraction.change_template(bench.project, mine.id, lambda template: add_field(template, params))
    task, _ = bench.extraction.start_task(bench.project, mine.id, bench.add([paper(1)]))
    third = bench.extraction.change_template(
        bench.project, mine.id, lambda template: remove_field(template, "neck_brace")
    )
    assert (mine.version, second.version, third.version) == (1, 2, 3)
    drain(bench)
    assert bench.extraction.task(task.id).template_version == 2
    assert "neck_brace" in findings(bench, task.id)
    assert "neck_brace" not in [field.id for field in bench.extraction.template(mine.id).fields]


def test_of_two_people_who_change_a_template_at_once_one_is_told(bench: Bench) -> None:
    mine = bench.extraction.clone_template(bench.project, "qc", Label(en="Mine", zh="我的"))

    def slow(template: Any) -> Any:
        bench.extraction.change_template(bench.project, mine.id, lambda same: remove_field(same, "nos_s1"))
        return remove_field(template, "nos_s2")

    with pytest.raises(UsageError, match="meanwhile"):
        bench.extraction.change_template(bench.project, mine.id, slow)
    left = [field.id for field in bench.extraction.template(mine.id).fields]
    assert "nos_s1" not in left
    assert "nos_s2" in left


def test_a_clone_can_be_cloned_and_a_taken_id_leaves_nothing_behind(bench: Bench, db: psycopg.Connection) -> None:
    mine = bench.extraction.clone_template(bench.project, "rct", Label(en="Mine", zh="我的"))
    second = bench.extraction.clone_template(bench.project, mine.id, Label(en="Second", zh="第二"))
    third = bench.extraction.clone_template(bench.project, "rct", Label(en="Third", zh="第三"))
    assert len({mine.id, second.id, third.id}) == 3
    assert db.execute("select count(*) from ingather.template_version").fetchone() == (3,)


def test_built_in_templates_and_those_of_other_projects_cannot_be_changed(bench: Bench) -> None:
    with pytest.raises(UsageError, match="clone it first"):
        bench.extraction.change_template(bench.project, "rct", lambda template: remove_field(template, "title"))
    mine = bench.extraction.clone_template(bench.project, "rct", Label(en="Mine", zh="我的"))
    other = bench.extraction.create_project("Another review").id
    with pytest.raises(NotFound):
        bench.extraction.change_template(other, mine.id, lambda template: change_field(template, template.fields[0]))
    assert mine.id not in [template.id for template in bench.extraction.list_templates(other)]


# --- asking a model --------------------------------------------------------------------------------------------------


def test_a_model_is_asked_and_every_value_is_proved(scene: Scene) -> None:
    bench, provider = scene()
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(7)]))
    drain(bench)
    found = findings(bench, task.id)
    size = found["n_randomised"]
    assert (size.value, size.verdict, size.source) == (114, Verdict.VERIFIED, "test-model")
    [text] = bench.library.pages(bench.library.snapshots([1])[0].sha256)
    [span] = size.spans
    assert "114 adults" in text[span.start : span.end]
    status = bench.extraction.status(task.id)
    assert status.spent.calls == len(provider.calls)
    assert status.spent.prompt_tokens > 0


@pytest.mark.parametrize(
    ("misdeed", "verdict"),
    [("changed_digits", Verdict.NUMBER_MISMATCH), ("wrong_quotes", Verdict.QUOTE_NOT_FOUND)],
)
def test_a_quote_that_a_model_made_up_is_never_verified(scene: Scene, misdeed: str, verdict: Verdict) -> None:
    bench, _ = scene([{"do": misdeed}])
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(7)]))
    drain(bench)
    [text] = bench.library.pages(bench.library.snapshots([1])[0].sha256)
    [result] = bench.extraction.results(task.id)[0]
    made_up = [f for f in result.findings if f.state is State.REPORTED and f.quote and f.quote not in text]
    assert len(made_up) > 3
    assert {f.verdict for f in made_up} == {verdict}


def test_a_document_with_a_problem_says_so_and_the_others_finish(scene: Scene) -> None:
    bench, _ = scene()
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1), "bad", paper(2)]))
    drain(bench)
    page, _ = bench.extraction.results(task.id)
    assert [result.state for result in page] == ["completed", "error", "completed"]
    assert page[1].problem == "This file is locked with a password."
    assert bench.extraction.status(task.id).progress.is_closed


def test_what_was_answered_is_not_paid_for_again(scene: Scene) -> None:
    """The fourth call of the document fails for good; retried, it goes on from there."""
    bench, provider = scene([{"do": "content_filter", "on": 4}])
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]))
    drain(bench)
    assert bench.extraction.status(task.id).progress.error == 1
    assert len(provider.calls) == 4
    assert bench.extraction.retry(task.id) == 1
    drain(bench)
    assert bench.extraction.status(task.id).progress.completed == 1
    good = [call.body_sha for call in provider.calls if call.status == 200 and call.did == "ok"]
    assert len(good) == len(set(good))


def test_a_paper_that_gets_further_with_every_attempt_is_not_given_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has more calls than attempts, and every second call fails."""
    monkeypatch.setattr("ingather.extraction.tasks.pipeline.SOON_S", (0.0, 0.1))
    bench, provider = scene([{"do": "error_500", "every": 2}])
    bench.engine.registry.handlers[KIND] = replace(bench.engine.registry.handlers[KIND], max_attempts=2)
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]))
    drain(bench)
    assert len([call for call in provider.calls if call.did == "error_500"]) > 2
    assert bench.extraction.status(task.id).progress.completed == 1


def test_a_paper_that_gets_nowhere_ends_with_the_reason(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingather.engine.verdict.LONGEST_BACKOFF_S", 0.01)
    bench, provider = scene(["error_500"])
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]))
    drain(bench)
    [result] = bench.extraction.results(task.id)[0]
    assert result.state == "error"
    assert "500" in result.problem
    assert len(provider.calls) == MAX_ATTEMPTS


def test_many_rows_with_long_quotes_are_kept(scene: Scene) -> None:
    def talkative(body: dict[str, Any]) -> Any:
        reply: Any = answer(body)
        if "outcomes" in reply:
            reply["arms"] = [{"label": f"组 {n}", "quote": "", "page": 1, "is_reference": n == 0} for n in range(3)]
            reply["outcomes"] = [{"label": f"结局 {n}", "quote": "", "page": 1, "timepoints": []} for n in range(30)]
        for row in reply.get("rows", []):
            row["quote"] = f"{row['row']} " + "说" * 900
            for cell in row["answers"]:
                cell.update(state="unclear", value=None, quote="")
        return reply

    bench, _ = scene(answerer=talkative)
    fields = ["arm_label", "outcome_name", "r_n", "r_events", "r_mean", "r_sd", "c_estimate", "c_ci_low", "c_ci_high"]
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]), field_ids=fields)
    drain(bench)
    [result] = bench.extraction.results(task.id)[0]
    assert (result.state, result.problem) == ("completed", "")
    assert len([row for row in result.rows if row.scope == "arm_result"]) == 40
    assert {flag.rule for flag in result.flags} == {"rows_left_out"}


@pytest.mark.parametrize(
    ("misdeed", "sentence"), [("unauthorized_401", "key"), ("insufficient_quota", "quota|balance|credit|pay")]
)
def test_a_key_that_is_refused_pauses_the_task_and_says_what_to_do(scene: Scene, misdeed: str, sentence: str) -> None:
    bench, provider = scene([{"do": misdeed, "times": 1}], at_once=1)
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add(paper(n) for n in range(5)))
    drain(bench)
    status = bench.extraction.status(task.id)
    assert status.progress.paused
    assert status.progress.pending == 5
    assert status.task.pause_reason
    assert re.search(sentence, status.task.pause_reason.lower())
    assert len(provider.calls) == 1
    bench.extraction.resume(task.id)
    drain(bench)
    after = bench.extraction.status(task.id)
    assert after.progress.completed == 5
    assert after.task.pause_reason is None


def test_a_task_stops_at_its_spending_cap_and_goes_on_when_it_is_raised(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingather.extraction.conversation.desk.cost", lambda *_: Decimal("0.5"))
    bench, provider = scene(at_once=1, model="gpt-4.1-mini")
    documents = bench.add(paper(n) for n in range(3))
    task, _ = bench.extraction.start_task(bench.project, "rct", documents, spend_cap=Decimal(2))
    drain(bench)
    status = bench.extraction.status(task.id)
    assert status.progress.paused
    assert status.spent.cost == Decimal(2)
    assert "cap" in (status.task.pause_reason or "")
    assert isinstance(status.task.pause_reason, Notice), "another language finds its own text"
    assert len(provider.calls) == 4
    bench.extraction.set_spend_cap(task.id, None)
    bench.extraction.resume(task.id)
    drain(bench)
    assert bench.extraction.status(task.id).progress.completed == 3


def test_a_spending_cap_holds_with_ten_documents_at_once(scene: Scene, db: psycopg.Connection) -> None:
    """Each would be under it when it looks, and all of them together far above."""
    misdeeds = [{"do": "error_500", "chance": 0.1}, {"do": "garbage", "chance": 0.1}]
    bench, provider = scene({"seed": 1, "latency_s": [0.05, 0.2], "rules": misdeeds}, model="gpt-5.5")
    cap = Decimal(1)
    documents = bench.add(paper(n) for n in range(20))
    task, _ = bench.extraction.start_task(bench.project, "rct", documents, spend_cap=cap)
    drain(bench)
    status = bench.extraction.status(task.id)
    assert status.progress.paused
    assert "reached its spending cap of 1" in (status.task.pause_reason or "")
    dearest = db.execute("select max(cost) from ingather.model_call").fetchone()
    assert dearest is not None
    assert status.spent.cost is not None
    assert cap <= status.spent.cost < cap + dearest[0]
    assert db.execute("select count(*) from ingather.set_aside").fetchone() == (0,)
    assert provider.max_concurrent > 1, "the cap is no reason to go one by one from the start"


def test_a_task_whose_model_no_worker_is_set_up_for_says_so(scene: Scene, url: str, tmp_path: Path) -> None:
    bench, provider = scene()
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add(paper(n) for n in range(25)))
    assert bench.extraction.status(task.id).wait == Wait(why=WaitReason.NO_WORKER)
    engine = Engine(url, lease=1)
    Bench(engine, tmp_path)  # has no model

    async def work() -> None:
        async with engine.worker(concurrency=20):
            while (wait := await asyncio.to_thread(lambda: bench.extraction.status(task.id).wait)) is None or (
                wait.why is not WaitReason.HELD_BACK
            ):
                await asyncio.sleep(0.05)
            assert f"not set up for the model test-model at {provider.base_url}" in wait.sentence
            assert isinstance(wait.sentence, Notice)
        await engine.aclose()

    asyncio.run(asyncio.wait_for(work(), 30))
    engine.close()
    assert provider.calls == []


def test_no_secret_reaches_a_row_or_an_export(scene: Scene, db: psycopg.Connection) -> None:
    bench, _ = scene([{"do": "unauthorized_401", "on": 2}, {"do": "error_500", "on": 4}])
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add(paper(n) for n in range(2)))
    drain(bench)
    bench.extraction.resume(task.id)
    drain(bench)
    tables = [
        name for (name,) in db.execute("select tablename from pg_tables where schemaname = 'ingather'").fetchall()
    ]
    for name in tables:
        rows = db.execute(f'select t::text from ingather."{name}" t').fetchall()
        assert not [row for (row,) in rows if KEY in row or KEY[4:16] in row], name
    for kind in ("json", "xlsx", "csv", "html"):
        out = io.BytesIO()
        bench.extraction.export(task.id, kind, out)
        assert KEY.encode() not in out.getvalue()


def test_results_come_in_pages_and_exports_hold_them_all(bench: Bench) -> None:
    documents = bench.add(paper(n) for n in range(7))
    task, _ = bench.extraction.start_task(bench.project, "rct", documents)
    drain(bench)
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        page, after = bench.extraction.results(task.id, after=after, limit=3)
        seen += [result.document_id for result in page]
    assert seen == documents
    out = io.BytesIO()
    bench.extraction.export(task.id, "json", out)
    assert len(json.loads(out.getvalue())["documents"]) == 7


def test_a_quote_is_marked_in_the_text_it_was_found_in_also_when_a_newer_parser_reads_it_otherwise(
    bench: Bench, url: str
) -> None:
    def reads_as(parser: str, ahead: str) -> Extraction:
        """A workbench whose parser puts `ahead` in front, on lines 10 points high and letters 5 points wide."""

        def parse(path: Path, name: str) -> Reading:
            text, boxes = ahead + path.read_text("utf-8"), array("H")
            for number, line in enumerate(text.splitlines(keepends=True)):
                for place, _ in enumerate(line):
                    boxes.extend((20 * place, 40 * number, 20 * place + 20, 40 * number + 40))
            return Reading(parser=parser, pages=(Page(text=text, width=900, height=900, boxes=boxes.tobytes()),))

        engine = Engine(url, lease=1)
        return Extraction(engine, Library(engine, bench.library.blobs, parse=parse, parser=parser))

    old, new = reads_as("one", ""), reads_as("two", "A line that the older parser did not see.\n")
    task, _ = old.start_task(bench.project, "rct", bench.add([paper(7)]))
    old.engine.worker().drain()
    [found] = old.results(task.id)[0]
    span = next(finding for finding in found.findings if finding.field == "n_randomised").spans[0]
    before = old.rectangles(task.id, 0, span.page, span.start, span.end)
    assert before

    new.library.read(found.sha256)
    assert new.rectangles(task.id, 0, span.page, span.start, span.end) == before
    assert new.library.rectangles(found.sha256, span.page, span.start, span.end) != before
    old.engine.close()
    new.engine.close()


def test_an_answer_that_takes_long_is_seen_to_grow_and_gone_when_it_is_whole(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, db: psycopg.Connection
) -> None:
    monkeypatch.setattr("ingather.extraction.conversation.under_way.EVERY_S", 0.02)
    bench, _ = scene({"streaming": {"tokens_a_second": 60}})
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]), field_ids=["title", "doi"])
    seen: list[int] = []

    def look() -> None:
        while not bench.extraction.status(task.id).progress.is_closed:
            under_way = bench.extraction.status(task.id).under_way
            if under_way is not None:
                assert under_way.answers == 1
                seen.append(under_way.characters)

    watcher = threading.Thread(target=look)
    watcher.start()
    drain(bench)
    watcher.join(30)
    assert len(set(seen)) > 1
    assert seen == sorted(seen)
    assert bench.extraction.status(task.id).under_way is None
    assert db.execute("select count(*) from ingather.answer_under_way").fetchone() == (0,)
