"""The whole path over HTTP: from a sign-in link to a table that opens in a spreadsheet."""

import csv
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from python_calamine import CalamineWorkbook

from ingather.engine.engine import Engine
from ingather.extraction.extraction import Extraction
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.library import Library
from ingather.web.edge import SESSION_COOKIE
from tests.engine.workshop import until
from tests.extraction.desk import Bench, paper
from tests.web.site import Office, Site, opened, working

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
PAPERS = ("rct_veratrol.pdf", "rct_kneebrace.pdf", "cohort_coffee.pdf")


class RealBench(Bench):
    """With the parser that people get."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.library = Library(engine, blobs_from(str(folder)))
        ingest.register(self.library)
        self.extraction = Extraction(engine, self.library)


@pytest.fixture
def real_site(url: str, tmp_path: Path) -> Iterator[Site]:
    engine = Engine(url, lease=1)
    with opened(Office(RealBench(engine, tmp_path / "files").open())) as site:
        yield site
    engine.close()


def test_from_a_sign_in_link_to_a_table(real_site: Site, url: str, tmp_path: Path) -> None:
    secret = real_site.office.link_secret("owner")
    with (
        working(url, tmp_path / "files", RealBench),
        real_site.anybody(origin=real_site.address) as browser,
    ):
        assert browser.get("/me").status_code == 401
        assert browser.post("/session", json={"secret": secret}).status_code == 204
        assert browser.get("/me").json()["name"] == "owner"
        with real_site.anybody(origin=real_site.address) as second:
            assert second.post("/session", json={"secret": secret}).status_code == 401
            assert SESSION_COOKIE not in second.cookies

        project_id = _made(browser.post("/projects", json={"name": "Knees and hearts"}))["project_id"]
        knowledge_base = _made(browser.post("/knowledge-bases", json={"project_id": project_id, "name": "Trials"}))
        files = [("files", (name, (SAMPLES / name).read_bytes(), "application/pdf")) for name in PAPERS]
        uploaded = browser.post(f"/knowledge-bases/{knowledge_base['knowledge_base_id']}/documents", files=files)
        assert uploaded.status_code == 202
        uploads = uploaded.json()["uploads"]
        assert [upload["document"]["file_name"] for upload in uploads] == list(PAPERS)
        for upload in uploads:
            job = until(lambda job_id=upload["job_id"]: _finished_job(browser, job_id), 60)  # type: ignore[misc]
            assert (job["state"], job["problem"]) == ("completed", None)
            assert job["result"]["page_count"] >= 1
        documents = [upload["document"]["document_id"] for upload in uploads]
        read = [browser.get(f"/documents/{document}").json() for document in documents]
        assert [document["state"] for document in read] == ["readable"] * 3

        new_task = {
            "project_id": project_id,
            "template_id": "rct",
            "document_ids": documents,
            "idempotency_key": "monday",
        }
        first, again = (browser.post("/extraction/tasks", json=new_task) for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 200)
        task_id = first.json()["task_id"]
        assert again.json() == {"task_id": task_id}
        task = until(lambda: _closed(browser, task_id), 60)
        assert task["counts"] == {"pending": 0, "running": 0, "completed": 3, "error": 0, "cancelled": 0}
        assert (task["total"], task["percent"], task["is_embedded"]) == (3, 100.0, True)

        results = _pages(browser, task_id, limit=2)
        assert [result["file_name"] for result in results] == list(PAPERS)
        assert all(result["findings"] for result in results)
        quoted = next(finding for finding in results[0]["findings"] if finding["spans"])
        span = quoted["spans"][0]
        boxes = browser.get(f"/extraction/tasks/{task_id}/results/0/rectangles", params=span)
        assert boxes.status_code == 200
        assert boxes.json()[0]["right"] > boxes.json()[0]["left"]

        title = next(finding["value"] for finding in results[0]["findings"] if finding["field"] == "title")
        export = f"/extraction/tasks/{task_id}/export"
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(browser.get(export, params={"format": "xlsx"}).content))
        cells = {str(cell) for name in workbook.sheet_names for row in workbook.get_sheet_by_name(name).to_python()
                 for cell in row}  # fmt: skip
        assert title in cells
        assert set(PAPERS) <= cells
        lines = list(csv.reader(io.StringIO(browser.get(export, params={"format": "csv"}).text)))
        assert any(title in line for line in lines)
        assert title in browser.get(export, params={"format": "json"}).text


def test_two_requests_with_one_key_at_the_same_moment_make_one_task(site: Site) -> None:
    documents = site.office.add(paper(n) for n in range(3))
    with site.script("reviewer") as client, ThreadPoolExecutor(4) as threads:
        new_task = {"project_id": site.office.bench.project, "template_id": "rct", "document_ids": documents}
        for key in range(5):
            keyed = new_task | {"idempotency_key": f"key {key}"}
            answers = list(threads.map(lambda _, body=keyed: client.post("/extraction/tasks", json=body), range(4)))
            assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
            assert len({answer.json()["task_id"] for answer in answers}) == 1
        other = client.post(
            "/extraction/tasks", json=new_task | {"idempotency_key": "key 0", "document_ids": documents[:1]}
        )
        assert other.status_code == 409
        listed = client.get("/extraction/tasks", params={"project_id": site.office.bench.project}).json()["tasks"]
        assert len(listed) == 5


def test_a_task_over_nothing_is_refused(site: Site) -> None:
    with site.script("reviewer") as client:
        new_task = {"project_id": site.office.bench.project, "template_id": "rct", "document_ids": []}
        answer = client.post("/extraction/tasks", json=new_task)
        assert answer.status_code == 422
        assert answer.json()["detail"] == "No documents are selected. Choose at least one."


def test_a_task_is_paused_resumed_cancelled_and_retried(site: Site) -> None:
    office = site.office
    task_id = office.start(office.add([paper(1), "bad"]))
    at = f"/extraction/tasks/{task_id}"
    with site.script("reviewer") as client:
        assert client.post(f"{at}/pause").json() == {"changed": 1}
        paused = client.get(at).json()
        reason = {"id": "task.paused_by_a_person", "params": {}, "message": "Paused by a person."}
        assert (paused["paused"], paused["pause_reason"]) == (True, reason)
        assert client.post(f"{at}/resume").json() == {"changed": 1}
        office.work()
        assert client.get(at).json()["counts"]["error"] == 1
        assert client.post(f"{at}/retry").json() == {"changed": 1}
        assert client.get(at).json()["state"] == "open"
        assert client.post(f"{at}/cancel").json() == {"changed": 1}
        assert client.get(at).json()["counts"] == {
            "pending": 0, "running": 0, "completed": 1, "error": 0, "cancelled": 1,
        }  # fmt: skip
        assert client.post(f"{at}/cancel").json() == {"changed": 0}
        assert client.put(f"{at}/spend-cap", json={"spend_cap": 2.5}).json() == {"changed": 1}
        assert client.get(at).json()["spend_cap"] == 2.5


def test_templates_are_cloned_changed_and_removed(site: Site) -> None:
    project_id = site.office.bench.project
    with site.script("reviewer") as client:
        copy = _made(
            client.post(
                f"/projects/{project_id}/templates",
                json={"template_id": "rct", "label": {"en": "Ours", "zh": "我们的"}},
            )
        )
        at = f"/extraction/templates/{copy['template_id']}"
        field = {
            "id": "dose", "label": {"en": "Dose", "zh": "剂量"}, "type": "text", "scope": "study", "tier": "core",
            "instruction": "The dose of the study drug.",
        }  # fmt: skip
        changed = client.patch(at, json={"fields": [field], "remove": ["registration_id"]})
        assert changed.status_code == 200, changed.text
        assert changed.json()["version"] == copy["version"] + 1
        whole = client.get(at).json()
        ids = {field["id"] for section in whole["sections"] for field in section["fields"]}
        assert "dose" in ids
        assert "registration_id" not in ids
        listed = client.get("/extraction/templates", params={"project_id": project_id}).json()
        assert copy["template_id"] in {template["template_id"] for template in listed["templates"]}
        assert client.delete(at).status_code == 204
        assert client.get(at).status_code == 404


def _made(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert isinstance(made, dict)
    return made


def _finished_job(client: httpx.Client, job_id: int) -> Any:
    job = client.get(f"/jobs/{job_id}").json()
    return job if job["state"] in {"completed", "error"} else None


def _closed(client: httpx.Client, task_id: int) -> Any:
    task = client.get(f"/extraction/tasks/{task_id}").json()
    assert sum(task["counts"].values()) == task["total"]
    return task if task["state"] == "closed" else None


def _pages(client: httpx.Client, task_id: int, *, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = client.get(f"/extraction/tasks/{task_id}/results", params={"after": after, "limit": limit}).json()
        assert len(page["results"]) <= limit
        found += page["results"]
        after = page["next"]
    return found
