"""What is deleted is gone, with all that belongs to it, and nothing of others goes along."""

import httpx
import psycopg
import pytest

from tests.extraction.desk import paper
from tests.web.site import Site

# Words of the first paper alone.
QUOTE = "randomised 102 adults"
TABLES = ("task", "task_document", "review", "batch", "payload", "outcome", "segment", "project", "knowledge_base",
          "document", "template", "membership")  # fmt: skip


def rows(db: psycopg.Connection, *tables: str) -> dict[str, int]:
    return {table: db.execute(f"select count(*) from ingather.{table}").fetchone()[0] for table in tables}  # type: ignore[index]


@pytest.fixture
def done(site: Site) -> int:
    """A finished task of two papers, one value of which was judged."""
    task = site.office.start(site.office.add([paper(1), paper(2)]), field_ids=["title", "n_randomised"])
    site.office.work()
    return task


def findings(client: httpx.Client, task: int, ordinal: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = client.get(f"/extraction/tasks/{task}/results/{ordinal}").json()["findings"]
    return found


def test_a_deleted_task_leaves_no_finding_behind(site: Site, done: int, db: psycopg.Connection) -> None:
    before = rows(db, "batch", "outcome", "document")
    with site.browser("owner") as owner:
        judged = {"field": "title", "action": "accepted", "seen": 0}
        assert owner.post(f"/extraction/tasks/{done}/results/0/reviews", json=judged).status_code == 201
        assert owner.delete(f"/extraction/tasks/{done}").status_code == 204
        assert owner.get(f"/extraction/tasks/{done}").status_code == 404
        assert owner.get("/extraction/tasks", params={"project_id": site.office.bench.project}).json()["tasks"] == []
    assert rows(db, "task", "task_document", "review") == {"task": 0, "task_document": 0, "review": 0}
    after = rows(db, "batch", "outcome", "document")
    assert after == before | {"batch": before["batch"] - 1, "outcome": before["outcome"] - 2}


def test_a_task_that_has_not_ended_is_not_deleted(site: Site) -> None:
    task = site.office.start(site.office.add([paper(1)]), field_ids=["title"])
    with site.browser("owner") as owner:
        answer = owner.delete(f"/extraction/tasks/{task}")
        assert (answer.status_code, answer.json()["notice"]["id"]) == (409, "task.still_open")
        assert owner.delete(f"/projects/{site.office.bench.project}").status_code == 409
        assert owner.get(f"/extraction/tasks/{task}").json()["state"] == "open"
        owner.post(f"/extraction/tasks/{task}/cancel")
        assert owner.delete(f"/extraction/tasks/{task}").status_code == 204


def test_a_deleted_project_takes_all_of_its_own_along_and_nothing_else(
    site: Site, done: int, db: psycopg.Connection
) -> None:
    office = site.office
    office.add([paper(1)], knowledge_base=office.their_knowledge_base)
    office.work()
    with site.browser("owner") as owner, site.browser("outsider") as outsider:
        label = {"en": "Ours", "zh": "ours"}
        owner.post(f"/projects/{office.bench.project}/templates", json={"template_id": "rct", "label": label})
        with site.script("owner", project_id=office.bench.project) as client:
            assert client.delete(f"/projects/{office.bench.project}").status_code == 403
            assert owner.delete(f"/projects/{office.bench.project}").status_code == 204
            assert client.get("/me").status_code == 401
        assert owner.get("/projects").json()["projects"] == []
        assert outsider.get(f"/knowledge-bases/{office.their_knowledge_base}/documents").json()["documents"] != []
    found = rows(db, *TABLES)
    ours = ("task", "task_document", "review", "template")
    assert [found[table] for table in ours] == [0, 0, 0, 0]
    assert (found["project"], found["knowledge_base"], found["document"], found["membership"]) == (1, 1, 1, 1)


def test_words_of_a_deleted_paper_are_served_no_more(site: Site, done: int) -> None:
    office = site.office
    with site.browser("owner") as owner:
        before = findings(owner, done, 0)
        assert any(QUOTE in str(finding["quote"]) for finding in before)
        document = owner.get(f"/extraction/tasks/{done}/results/0").json()["document_id"]
        assert owner.delete(f"/documents/{document}").status_code == 204
        after = findings(owner, done, 0)
        assert [finding["value"] for finding in after] == [finding["value"] for finding in before]
        assert not any(finding["quote"] or finding["spans"] for finding in after)
        assert {finding["note"]["id"] for finding in after if finding["note"]} == {"task.paper_deleted"}  # type: ignore[index]
        assert any(finding["quote"] for finding in findings(owner, done, 1)), "those of other papers stay"
        for form in ("csv", "json", "html"):
            assert QUOTE not in owner.get(f"/extraction/tasks/{done}/export?format={form}").text
        office.add([paper(1)])
        assert findings(owner, done, 0) == before
