"""Lists: in the order and of the kind one asks for, whole when read page by page, and of one's own things only."""

import io
from datetime import timedelta
from typing import Any

import httpx
import pytest

from ingather.engine.script import Script, Statement
from ingather.engine.statements import REGISTER
from ingather.extraction.template import BUILTIN_IDS, Label
from ingather.web import accounts
from ingather.web.accounts import Caller, Role, TokenScope
from ingather.web.routes.fleet import _page_of_fleet_batches
from tests.extraction.desk import paper
from tests.web.site import Office, Site

NAMES = ("Beta.txt", "alpha.txt", "gamma.txt", "Alpha.txt", "delta.txt")


def read(client: httpx.Client, path: str, key: str, cursor: str, **params: Any) -> list[dict[str, Any]]:
    """All pages of a list."""
    found: list[dict[str, Any]] = []
    for _ in range(50):
        answer = client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert len(page[key]) <= params["limit"]
        found += page[key]
        if page["next"] is None:
            return found
        params[cursor] = page["next"]
    raise AssertionError("the list does not end")


def shelved(office: Office) -> str:
    """A knowledge base of its own, with two documents that were read, one that has a problem and two to be read."""
    library = office.bench.library
    knowledge_base = library.create_knowledge_base("Sorted", project_id=office.bench.project).id
    for n, name in enumerate(NAMES):
        text = "bad" if name == "gamma.txt" else f"{paper(40 + n)} sorted"
        library.upload(knowledge_base, io.BytesIO(text.encode()), name)
        if n == 2:
            office.work()
    return f"/knowledge-bases/{knowledge_base}/documents"


@pytest.fixture(scope="module")
def documents(shared: Site) -> str:
    return shelved(shared.office)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, NAMES[::-1]),
        ({"sort": "newest"}, NAMES[::-1]),
        ({"sort": "oldest"}, NAMES),
        ({"sort": "name"}, ("alpha.txt", "Alpha.txt", "Beta.txt", "delta.txt", "gamma.txt")),
        ({"state": "readable"}, ("alpha.txt", "Beta.txt")),
        ({"state": "problem"}, ("gamma.txt",)),
        ({"state": "unread", "sort": "name"}, ("Alpha.txt", "delta.txt")),
        ({"state": "failed"}, ()),
        ({"search": "ALPHA", "sort": "name"}, ("alpha.txt", "Alpha.txt")),
        ({"search": "alpha", "state": "readable"}, ("alpha.txt",)),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 500])
def test_documents_come_sorted_and_sifted(
    shared: Site, documents: str, query: dict[str, str], names: tuple[str, ...], limit: int
) -> None:
    with shared.script("reader") as client:
        found = read(client, documents, "documents", "after", limit=limit, **query)
    assert [document["file_name"] for document in found] == list(names)


@pytest.mark.parametrize("sort", ["newest", "oldest", "name"])
def test_a_list_goes_on_when_the_last_document_of_a_page_was_deleted(site: Site, sort: str) -> None:
    path = shelved(site.office)
    with site.script("reviewer") as client:
        whole = read(client, path, "documents", "after", sort=sort, limit=500)
        page = client.get(path, params={"sort": sort, "limit": 2}).json()
        last = page["documents"][-1]["document_id"]
        assert client.delete(f"/documents/{last}").status_code == 204
        rest = read(client, path, "documents", "after", sort=sort, limit=2, after=page["next"])
    assert [*page["documents"], *rest] == whole


def test_a_cursor_tells_nothing_of_documents_elsewhere(shared: Site, documents: str) -> None:
    [elsewhere] = shared.office.add(["elsewhere"], knowledge_base=shared.office.their_knowledge_base)
    with shared.script("reader") as client:
        seen = [
            read(client, documents, "documents", "after", sort="name", limit=2, after=f"{cursor} beta.txt")
            for cursor in (elsewhere, 10**9)
        ]
    assert seen[0] == seen[1]
    assert [document["file_name"] for document in seen[0]] == ["delta.txt", "gamma.txt"]


@pytest.fixture(scope="module")
def filled(shared: Site) -> Office:
    """Four of everything that can be listed, or more."""
    office = shared.office
    bench, owner = office.bench, office.people["owner"]
    for n in range(4):
        name = f"No. {4 - n}"
        office.engine.database.run(accounts.create_project_of_account(name, owner.id))
        guest = office.engine.database.run(accounts.add_account(f"Guest {4 - n}"))
        office.engine.database.run(accounts.set_role_of_account(bench.project, guest.id, Role.READER))
        office.token("owner")
        bench.extraction.clone_template(bench.project, "rct", Label(en=name, zh=name))
        bench.library.create_knowledge_base(name, project_id=bench.project)
        office.engine.set_queue(f"lane_{4 - n}", max_running=1)
        office.engine.schedule(f"nightly_{4 - n}", cron="0 3 * * *", kind="read_document", payload={"sha256": "x"})
        office.engine.database.run(_worker(n))
    return office


def _worker(pid: int) -> Script[None]:
    yield Statement(REGISTER, {"host": "here", "pid": pid, "kinds": [], "lease": timedelta(hours=1)})


@pytest.mark.parametrize(
    ("path", "key", "order"),
    [
        ("/projects", "projects", "project_id"),
        ("/projects/{project}/members", "members", "name"),
        ("/extraction/templates", "templates", "template_id"),
        ("/extraction/templates?project_id={project}", "templates", "template_id"),
        ("/knowledge-bases", "knowledge_bases", "knowledge_base_id"),
        ("/knowledge-bases?project_id={project}", "knowledge_bases", "knowledge_base_id"),
        ("/tokens", "tokens", "token_id"),
        ("/engine/queues", "queues", "name"),
        ("/engine/workers", "workers", "worker_id"),
        ("/engine/schedules", "schedules", "name"),
    ],
)
@pytest.mark.parametrize("limit", [1, 3, 4])
def test_every_list_is_whole_when_read_page_by_page(
    shared: Site, filled: Office, path: str, key: str, order: str, limit: int
) -> None:
    path, _, query = path.format(project=filled.bench.project).partition("?")
    more = dict(part.split("=") for part in query.split("&") if part)
    with shared.browser("owner") as client:
        at_once = client.get(path, params=more).json()
        page_by_page = read(client, path, key, "after", limit=limit, **more)
    assert at_once["next"] is None
    names = [one[order] for one in page_by_page]
    assert names == [one[order] for one in at_once[key]]
    own = names[len(BUILTIN_IDS) :] if key == "templates" else names
    assert own == sorted(own)
    assert len(names) >= (3 if path.endswith("templates") and not more else 4)


def test_no_route_answers_with_everything_at_once(shared: Site) -> None:
    bare = [
        path
        for path, methods in shared.app.openapi()["paths"].items()
        for content in methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).values()
        if content["schema"].get("type") == "array"
    ]
    # The boxes of one quote.
    assert bare == ["/api/v1/extraction/tasks/{task_id}/results/{ordinal}/rectangles"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sort": "size"},
        {"sort": "name; drop"},
        {"state": "lost"},
        {"after": "x"},
        {"after": "0"},
        {"after": "9" * 19},
        {"after": "7", "sort": "name"},
        {"after": "7 a\0b", "sort": "name"},
        {"after": "7 " + "a" * 300, "sort": "name"},
    ],
)
def test_an_order_that_does_not_exist_is_refused(shared: Site, documents: str, wrong: dict[str, str]) -> None:
    with shared.script("reader") as client:
        assert client.get(documents, params=wrong).status_code == 422


def test_tasks_and_batches_are_sifted_by_their_state(site: Site) -> None:
    office = site.office
    papers = office.add(paper(n) for n in range(2))
    done = [office.start(papers) for _ in range(3)]
    office.work()
    under_way = [office.start(papers) for _ in range(2)]
    with site.script("reader") as client, site.script("outsider") as stranger, site.browser("operator") as operator:

        def tasks(**query: str) -> list[int]:
            project = {"project_id": office.bench.project}
            listed = read(client, "/extraction/tasks", "tasks", "before", limit=2, **project, **query)
            return [task["task_id"] for task in listed]

        assert tasks() == [*under_way[::-1], *done[::-1]]
        assert tasks(state="open") == under_way[::-1]
        assert tasks(state="closed") == done[::-1]

        def batches(who: httpx.Client, **query: str) -> list[int]:
            listed = read(who, "/engine/batches", "batches", "before", limit=2, **query)
            assert all(batch["kind"] == query.get("kind", batch["kind"]) for batch in listed)
            return [batch["batch_id"] for batch in listed]

        ours = [client.get(f"/extraction/tasks/{task}").json()["batch_id"] for task in tasks()]
        jobs = [office.bench.library.document(document).job_id for document in papers]
        assert batches(client, kind="extract_document") == ours
        assert batches(client) == batches(operator) == sorted([*ours, *jobs], reverse=True)
        assert batches(client, state="open") == batches(operator, state="open") == ours[:2]
        assert batches(client, kind="nothing") == batches(stranger) == []
        # Not even by a cursor does a page tell of what is not theirs.
        assert stranger.get("/engine/batches", params={"limit": 1}).json() == {"batches": [], "next": None}


def test_a_list_of_batches_goes_on_when_one_of_a_page_is_pruned_this_moment(office: Office) -> None:
    engine = office.engine
    oldest, middle, newest = (engine.scatter("read_document", [{"sha256": "x"}]) for _ in range(3))
    middle.cancel()

    def pruned_meanwhile(script: Script[Any]) -> Script[Any]:
        rows = yield next(script)
        engine.prune(timedelta(0))
        rows = yield script.send(rows)
        try:
            script.send(rows)
        except StopIteration as end:
            return end.value

    operator = Caller(account_id=1, name="operator", is_operator=True, scope=TokenScope.OPERATE, roles={})
    page, following = engine.database.run(pruned_meanwhile(_page_of_fleet_batches(operator, None, None, None, None, 2)))
    assert [batch.batch_id for batch in page] == [newest.id]
    page, following = engine.database.run(_page_of_fleet_batches(operator, None, None, None, following, 2))
    assert ([batch.batch_id for batch in page], following) == ([oldest.id], None)
