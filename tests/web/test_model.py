"""The model behind the workbench: told without its key, tested in words, and what a task waits for."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.extraction.provider import Endpoint
from ingather.web.app import create_app
from ingather.web.limits import RequestLimits
from tests.extraction.desk import Bench, paper
from tests.provider.reader import answer
from tests.provider.server import Provider
from tests.web.site import Office, Site, rooms_of, served

KEY = "sk-canary-8c1d2e3f4a5b6c7d8e9f"


@contextmanager
def site_with(url: str, folder: Path, script: Any = None, *, model: str = "gpt-4.1-mini") -> Iterator[Site]:
    engine = Engine(url, lease=1)
    with Provider(script=script, answerer=answer) as provider:
        bench = Bench(engine, folder, Endpoint.of(provider.base_url, model, KEY), at_once=7).open()
        office = Office(bench)
        app = create_app(rooms_of(bench), version="0", limits=RequestLimits(model_tests=2))
        with served(app) as address:
            yield Site(office, app, address)
    engine.close()


def test_the_model_is_told_with_its_price_and_without_its_key(url: str, tmp_path: Path) -> None:
    with site_with(url, tmp_path) as site, site.browser("reviewer") as reviewer:
        shown = reviewer.get("/extraction/model")
        assert shown.json() == {
            "model": "gpt-4.1-mini",
            "host": "127.0.0.1",
            "at_once": 7,
            "price": {"input": 0.4, "cached": 0.1, "output": 1.6, "currency": "USD", "as_of": "2025-07-04"},
        }
        tested = reviewer.post("/extraction/model/test", json={"project_id": site.office.bench.project})
        assert tested.status_code == 200
        assert tested.json()["is_usable"]
        assert tested.json()["rung"] == "json_schema"
        assert "answers to a JSON schema" in tested.json()["sentence"]["message"]
        assert KEY not in shown.text + tested.text


def test_without_a_model_there_is_nothing_to_test(shared: Site) -> None:
    with shared.browser("reviewer") as reviewer:
        assert reviewer.get("/extraction/model").json()["model"] is None
        refused = reviewer.post("/extraction/model/test", json={"project_id": shared.office.bench.project})
        assert refused.status_code == 422
        assert "embedded extractor" in refused.json()["detail"]


def test_a_wrong_key_is_said_in_words_and_tests_have_an_end(url: str, tmp_path: Path) -> None:
    with site_with(url, tmp_path, {"key": "sk-another"}) as site, site.browser("owner") as owner:
        body = {"project_id": site.office.bench.project}
        shown = owner.post("/extraction/model/test", json=body).json()
        assert not shown["is_usable"]
        assert "key" in shown["sentence"]["message"].lower()
        assert KEY not in json.dumps(shown)
        owner.post("/extraction/model/test", json=body)
        refused = owner.post("/extraction/model/test", json=body)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0


def test_a_task_says_what_it_waits_for(url: str, tmp_path: Path, db: psycopg.Connection) -> None:
    with site_with(url, tmp_path) as site, site.browser("reader") as reader:
        office = site.office
        task = office.start(office.add([paper(1)]))

        def wait() -> Any:
            return reader.get(f"/extraction/tasks/{task}").json()["wait"]

        assert wait() == {"why": "no_worker", "until": None, "sentence": None}
        queue = office.engine.batch(office.bench.extraction.task(task).batch_id).progress().queue
        office.engine.hold_queue(queue, 300)
        assert wait()["why"] == "silence"
        assert wait()["until"] is not None
        db.execute("update ingather.queue set blocked_until = null")
        db.commit()
        db.execute("insert into ingather.worker (host, pid, kinds, lease) values ('h', 1, '{extract_document}', '1 h')")
        db.commit()
        assert wait() is None
        office.engine.pause_queue(queue)
        assert wait()["why"] == "queue_paused"
        office.engine.resume_queue(queue)
        office.work()
        assert wait() is None
        assert reader.get(f"/extraction/tasks/{task}").json()["counts"]["completed"] == 1


def test_an_estimate_is_made_for_the_chosen_fields(url: str, tmp_path: Path) -> None:
    with site_with(url, tmp_path) as site, site.browser("reader") as reader:
        office = site.office
        documents = office.add([paper(1), paper(2)])
        office.work()
        body = {"project_id": office.bench.project, "template_id": "rct", "document_ids": documents}
        whole = reader.post("/extraction/estimate", json=body).json()
        title = reader.post("/extraction/estimate", json=body | {"field_ids": ["title"]}).json()
        assert whole["documents"] == title["documents"] == 2
        assert title["calls"]["low"] == 2
        assert 0 < title["cost"]["low"] < title["cost"]["high"] < whole["cost"]["high"]
        assert whole["cost"]["currency"] == "USD"
        assert reader.post("/extraction/estimate", json=body | {"document_ids": []}).json()["documents"] == 0


@pytest.mark.parametrize("body", [{}, {"project_id": "1"}, {"project_id": 1, "more": 1}])
def test_a_test_that_makes_no_sense_is_refused(shared: Site, body: dict[str, Any]) -> None:
    with shared.browser("owner") as owner:
        assert owner.post("/extraction/model/test", json=body).status_code == 422


def test_failures_of_a_batch_are_told_to_its_project_and_counted_for_operators(shared: Site) -> None:
    office = shared.office
    task = office.start(office.add(["bad file", paper(9)]))
    office.work()
    batch = office.bench.extraction.task(task).batch_id
    with shared.browser("reader") as reader, shared.browser("operator") as operator:
        [shown] = reader.get(f"/engine/batches/{batch}/items?state=error").json()["items"]
        assert shown["problem"]["message"] == "This file is locked with a password."
        assert (shown["ordinal"], shown["attempt"]) == (0, 1)
        [seen] = operator.get(f"/engine/batches/{batch}/items?state=error").json()["items"]
        assert seen == shown | {"problem": None}


def test_one_failed_item_is_sent_back_and_the_others_stay(shared: Site) -> None:
    office = shared.office
    task = office.start(office.add(["bad file", "bad file two"]))
    office.work()
    batch = office.bench.extraction.task(task).batch_id
    with shared.browser("operator") as operator:
        first, second = operator.get(f"/engine/batches/{batch}/items?state=error").json()["items"]
        assert operator.post(f"/engine/batches/{batch}/items/{first['item_id']}/retry").json() == {"changed": 1}
        assert operator.post(f"/engine/batches/{batch}/items/{first['item_id']}/retry").json() == {"changed": 0}
        states = [item["state"] for item in operator.get(f"/engine/batches/{batch}/items").json()["items"]]
        assert states == ["pending", "error"]
        [from_second] = operator.get(f"/engine/batches/{batch}/items?after={second['item_id'] - 1}").json()["items"]
        assert from_second == second
        office.work()
        assert operator.get(f"/engine/batches/{batch}").json()["state"] == "closed"


def test_uploads_can_be_left_out_of_the_list_of_batches(shared: Site) -> None:
    office = shared.office
    office.start(office.add([f"a paper {n}" for n in range(3)]))
    for name in ("operator", "reader"):
        with shared.browser(name) as client:
            kinds = {batch["kind"] for batch in client.get("/engine/batches?without=read_document").json()["batches"]}
            assert kinds == {"extract_document"}
            assert {batch["kind"] for batch in client.get("/engine/batches").json()["batches"]} > kinds
