"""What belongs to one project is not there for those of another: not by id, not in a body, not by what errors say."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from ingather.web import accounts
from ingather.web.accounts import Role, TokenScope
from tests.extraction.desk import paper
from tests.web.site import Site

NOBODYS = 10**9


class Scene:
    """Ours: documents, a template, a closed task. Theirs: a stranger who knows all our ids."""

    def __init__(self, site: Site) -> None:
        self.site = site
        office = site.office
        self.documents = office.add([paper(1), paper(2)])
        self.task = office.start(self.documents)
        self.single = office.start(self.documents[:1])
        self.theirs = office.add([paper(3)], knowledge_base=office.their_knowledge_base)
        with site.script("reviewer") as ours:
            label = {"en": "Secret plan", "zh": "秘密"}
            at = f"/projects/{office.bench.project}/templates"
            self.template = ours.post(at, json={"template_id": "rct", "label": label}).json()["template_id"]
            self.batch = ours.get(f"/extraction/tasks/{self.task}").json()["batch_id"]
            self.single_batch = ours.get(f"/extraction/tasks/{self.single}").json()["batch_id"]
            self.job = ours.get(f"/documents/{self.documents[0]}").json()["job_id"]
        office.work()


@pytest.fixture(scope="module")
def scene(shared: Site) -> Scene:
    return Scene(shared)


@pytest.fixture
def stranger(shared: Site) -> Iterator[httpx.Client]:
    with shared.script("outsider") as client:
        yield client


def without_numbers(answer: httpx.Response, *names: str) -> str:
    text = re.sub(r"\d+", "N", answer.text)
    for name in names:
        text = text.replace(re.sub(r"\d+", "N", name), "…")
    return text


def test_what_is_not_yours_is_told_like_what_does_not_exist(scene: Scene, stranger: httpx.Client) -> None:
    for path, ours in (
        ("/extraction/tasks/{}", scene.task),
        ("/extraction/tasks/{}/results", scene.task),
        ("/extraction/tasks/{}/template", scene.task),
        ("/extraction/tasks/{}/export", scene.task),
        ("/extraction/tasks/{}/events", scene.task),
        ("/extraction/tasks/{}/results/0/rectangles?page=0&start=0&end=1", scene.task),
        ("/documents/{}", scene.documents[0]),
        ("/documents/{}/file", scene.documents[0]),
        ("/knowledge-bases/{}/documents", scene.site.office.bench.knowledge_base),
        ("/projects/{}/members", scene.site.office.bench.project),
        ("/jobs/{}", scene.job),
        ("/jobs/{}", scene.single_batch),
        ("/engine/batches/{}", scene.batch),
        ("/extraction/tasks?project_id={}", scene.site.office.bench.project),
        ("/extraction/templates?project_id={}", scene.site.office.bench.project),
        ("/knowledge-bases?project_id={}", scene.site.office.bench.project),
    ):
        hidden, absent = stranger.get(path.format(ours)), stranger.get(path.format(NOBODYS))
        assert hidden.status_code == absent.status_code == 404, path
        assert without_numbers(hidden) == without_numbers(absent), path


def test_what_is_not_yours_cannot_be_changed_either(scene: Scene, stranger: httpx.Client) -> None:
    office = scene.site.office
    for method, path, ours, body in (
        ("POST", "/extraction/tasks/{}/cancel", scene.task, None),
        ("POST", "/extraction/tasks/{}/pause", scene.task, None),
        ("POST", "/extraction/tasks/{}/resume", scene.task, None),
        ("POST", "/extraction/tasks/{}/retry", scene.task, None),
        ("PUT", "/extraction/tasks/{}/spend-cap", scene.task, {"spend_cap": 1}),
        ("DELETE", "/documents/{}", scene.documents[0], None),
        ("DELETE", "/knowledge-bases/{}", office.bench.knowledge_base, None),
        ("PUT", "/projects/{}/members", office.bench.project, {"account": "outsider", "role": "owner"}),
        ("DELETE", "/projects/{}/members/1", office.bench.project, None),
        ("POST", "/projects/{}/templates", office.bench.project,
         {"template_id": "rct", "label": {"en": "x", "zh": "x"}}),
    ):  # fmt: skip
        hidden = stranger.request(method, path.format(ours), json=body)
        absent = stranger.request(method, path.format(NOBODYS), json=body)
        assert hidden.status_code == absent.status_code == 404, path
        assert without_numbers(hidden) == without_numbers(absent), path
    upload = stranger.post(f"/knowledge-bases/{office.bench.knowledge_base}/documents", files={"files": b"x"})
    assert upload.status_code == 404


def test_ids_of_others_do_not_work_within_a_body(scene: Scene, stranger: httpx.Client) -> None:
    office = scene.site.office
    label = {"en": "Mine", "zh": "我的"}
    mine = {"project_id": office.theirs, "template_id": "rct", "document_ids": scene.theirs}
    assert stranger.post("/extraction/tasks", json=mine).status_code == 201

    hidden = stranger.post("/extraction/tasks", json=mine | {"document_ids": [*scene.theirs, scene.documents[0]]})
    absent = stranger.post("/extraction/tasks", json=mine | {"document_ids": [*scene.theirs, NOBODYS]})
    assert hidden.status_code == absent.status_code == 404
    assert without_numbers(hidden) == without_numbers(absent)

    hidden = stranger.post("/extraction/tasks", json=mine | {"template_id": scene.template})
    absent = stranger.post("/extraction/tasks", json=mine | {"template_id": "nobodys_2"})
    assert hidden.status_code == absent.status_code == 404
    assert without_numbers(hidden, scene.template) == without_numbers(absent, "nobodys_2")

    at = f"/projects/{office.theirs}/templates"
    hidden = stranger.post(at, json={"template_id": scene.template, "label": label})
    absent = stranger.post(at, json={"template_id": "nobodys_2", "label": label})
    assert hidden.status_code == absent.status_code == 404
    assert without_numbers(hidden, scene.template) == without_numbers(absent, "nobodys_2")

    ours = mine | {"project_id": office.bench.project, "document_ids": scene.documents}
    assert stranger.post("/extraction/tasks", json=ours).status_code == 404
    knowledge_base = {"project_id": office.bench.project, "name": "Trojan"}
    assert stranger.post("/knowledge-bases", json=knowledge_base).status_code == 404
    assert stranger.post("/tokens", json={"name": "x", "project_id": office.bench.project}).status_code == 404


def test_templates_of_others_are_neither_seen_nor_changed(scene: Scene, stranger: httpx.Client) -> None:
    at = f"/extraction/templates/{scene.template}"
    for answer in (stranger.get(at), stranger.patch(at, json={"remove": ["title"]}), stranger.delete(at)):
        assert answer.status_code == 404
        assert "Secret plan" not in answer.text
    assert "Secret plan" not in stranger.get("/extraction/templates").text
    with scene.site.script("reader") as reader:
        assert reader.get(at).json()["label"]["en"] == "Secret plan"
        assert reader.delete(at).status_code == 403


def test_the_name_of_a_project_elsewhere_is_nobody_s_business(scene: Scene, stranger: httpx.Client) -> None:
    with scene.site.script("owner") as ours:
        assert ours.post("/projects", json={"name": "Our secret trial"}).status_code == 201
        for name in ("Our secret trial", "OUR secret trial"):
            again = ours.post("/projects", json={"name": name})
            assert again.status_code == 409
            assert again.json()["detail"].startswith("You are in a project")
    hidden = stranger.post("/projects", json={"name": "Our secret trial"})
    absent = stranger.post("/projects", json={"name": "Nobody's trial"})
    assert hidden.status_code == absent.status_code == 201


def test_of_two_projects_with_one_name_at_the_same_moment_one_is_made(scene: Scene) -> None:
    with scene.site.script("reviewer") as client, ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: client.post("/projects", json={"name": "At once"}), range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


def test_lists_hold_nothing_of_others(scene: Scene, stranger: httpx.Client) -> None:
    assert {project["role"] for project in stranger.get("/projects").json()["projects"]} == {"owner"}
    assert scene.site.office.bench.project not in {
        project["project_id"] for project in stranger.get("/projects").json()["projects"]
    }
    assert [
        knowledge_base["name"] for knowledge_base in stranger.get("/knowledge-bases").json()["knowledge_bases"]
    ] == ["Their papers"]
    seen = {batch["batch_id"] for batch in stranger.get("/engine/batches", params={"limit": 500}).json()["batches"]}
    assert seen
    assert not seen & {scene.batch, scene.single_batch, scene.job}
    assert all(
        worker["host"] == "" and worker["pid"] == 0 for worker in stranger.get("/engine/workers").json()["workers"]
    )


def test_a_key_used_in_one_project_means_nothing_in_another(scene: Scene, stranger: httpx.Client) -> None:
    office = scene.site.office
    with scene.site.script("reviewer") as ours:
        new_task = {"template_id": "rct", "idempotency_key": "shared key"}
        first = ours.post(
            "/extraction/tasks", json=new_task | {"project_id": office.bench.project, "document_ids": scene.documents}
        )
    second = stranger.post(
        "/extraction/tasks", json=new_task | {"project_id": office.theirs, "document_ids": scene.theirs}
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() != second.json()


def test_the_same_file_in_two_projects_tells_nothing_of_the_other(scene: Scene, stranger: httpx.Client) -> None:
    office = scene.site.office
    with scene.site.script("reviewer") as ours:
        kept = ours.post(f"/knowledge-bases/{office.bench.knowledge_base}/documents",
                         files={"files": ("our secret name.txt", b"shared words")}).json()["uploads"][0]  # fmt: skip
    mine = stranger.post(
        f"/knowledge-bases/{office.their_knowledge_base}/documents", files={"files": ("mine.txt", b"shared words")}
    ).json()["uploads"][0]
    assert mine["is_duplicate"] is False
    assert mine["document"]["file_name"] == "mine.txt"
    assert mine["document"]["document_id"] != kept["document"]["document_id"]
    office.work()
    job = stranger.get(f"/jobs/{mine['job_id']}")
    assert job.status_code == 200
    assert "secret name" not in job.text
    assert stranger.get(f"/documents/{kept['document']['document_id']}").status_code == 404
    assert "our secret name" not in stranger.get(f"/documents/{mine['document']['document_id']}/file").headers.get(
        "content-disposition", ""
    )


def test_an_operator_sees_how_far_work_is_and_not_what_it_found(scene: Scene) -> None:
    with scene.site.script("operator", TokenScope.OPERATE) as operator:
        batch = operator.get(f"/engine/batches/{scene.batch}").json()
        assert batch["total"] == 2
        job = operator.get(f"/jobs/{scene.single_batch}").json()
        assert (job["state"], job["result"], job["problem"]) == ("completed", None, None)
        assert operator.get(f"/extraction/tasks/{scene.task}").status_code == 404
        assert operator.get(f"/documents/{scene.documents[0]}/file").status_code == 404
    with scene.site.script("reader") as reader:
        assert reader.get(f"/jobs/{scene.single_batch}").json()["result"]["findings"]


def test_whoever_left_a_project_is_out_at_once(shared: Site) -> None:
    office = shared.office
    guest = office.engine.database.run(accounts.add_account("guest"))
    office.people["guest"] = guest
    office.engine.database.run(accounts.set_role_of_account(office.bench.project, guest.id, Role.REVIEWER))
    with shared.script("guest") as client:
        at = f"/knowledge-bases/{office.bench.knowledge_base}/documents"
        assert client.get(at).status_code == 200
        office.engine.database.run(
            accounts.change_member_account(office.bench.project, office.people["owner"].id, guest.id, None)
        )
        assert client.get(at).status_code == 404


def test_where_a_quote_stands_is_read_from_what_was_read_and_never_from_the_file(shared: Site) -> None:
    office = shared.office
    task_id = office.start(office.add(["never read"]))
    with shared.script("reader") as client:
        at = f"/extraction/tasks/{task_id}/results/0/rectangles"
        assert client.get(at, params={"page": 0, "start": 0, "end": 1}).status_code == 409
        office.work()
        assert client.get(at, params={"page": 0, "start": 0, "end": 1}).status_code == 200
        assert client.get(at, params={"page": 2**40, "start": 0, "end": 1}).status_code == 404
        assert client.get(at, params={"page": 0, "start": 5, "end": 2**62}).status_code == 404
        assert client.get(at.replace("/0/", "/7/"), params={"page": 0, "start": 0, "end": 1}).status_code == 404
