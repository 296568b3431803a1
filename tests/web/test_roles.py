"""Every route, for everybody: who gets what. A route that is not in the table fails the test."""

import itertools
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from ingather.web import accounts, invitations
from ingather.web.accounts import TokenScope
from tests.extraction.desk import paper
from tests.web.site import API, ROLES, Site

CALLERS = ("anonymous", "outsider", "reader", "reviewer", "owner", "operator", "read token")

# The status that each of them gets, in that order. The operator is no member; the token that only reads is the owner's.
TABLE = """
GET    /healthz                                       200 200 200 200 200 200 200
GET    /readyz                                        200 200 200 200 200 200 200
GET    /metrics                                       401 403 403 403 403 200 403

POST   /session                                       401 401 401 401 401 401 401
DELETE /session                                       401 204 204 204 204 204 204
GET    /me                                            401 200 200 200 200 200 200
GET    /tokens                                        401 200 200 200 200 200 200
POST   /tokens                                        401 201 201 201 201 201 403
DELETE /tokens/{token_id}                             401 404 404 404 204 404 403

GET    /projects                                      401 200 200 200 200 200 200
POST   /projects                                      401 201 201 201 201 201 403
DELETE /projects/{project_id}                         401 404 403 403 204 404 403
GET    /projects/{project_id}/members                 401 404 200 200 200 404 200
PUT    /projects/{project_id}/members                 401 404 403 403 204 404 403
POST   /projects/{project_id}/hand-over               401 404 403 403 422 404 403
GET    /projects/{project_id}/invitations             401 404 403 403 200 404 403
POST   /projects/{project_id}/invitations             401 404 403 403 201 404 403
DELETE /projects/{project_id}/invitations/{invitation_id} 401 404 403 403 204 404 403
POST   /invitations/look                              401 404 404 404 404 404 404
POST   /invitations/accept                            401 404 404 404 404 404 403
POST   /session/links                                 401 201 201 201 201 201 403
GET    /comments/mentions                             401 200 200 200 200 200 200
DELETE /projects/{project_id}/members/{account_id}    401 404 403 403 204 404 403
GET    /projects/{project_id}/review-mode             401 404 200 200 200 404 200
PUT    /projects/{project_id}/review-mode             401 404 403 403 200 404 403
GET    /projects/{project_id}/questions               401 404 200 200 200 404 200
PUT    /projects/{project_id}/questions               401 404 403 200 200 404 403
GET    /projects/{project_id}/studies                 401 404 200 200 200 404 200
GET    /projects/{project_id}/studies/suggestions     401 404 200 200 200 404 200
GET    /projects/{project_id}/studies/history         401 404 200 200 200 404 200
POST   /projects/{project_id}/studies/merge           401 404 403 404 404 404 403
POST   /projects/{project_id}/studies/{study_id}/split 401 404 403 404 404 404 403
PUT    /projects/{project_id}/studies/{study_id}/name 401 404 403 404 404 404 403
POST   /projects/{project_id}/reports/same            401 404 403 404 404 404 403
POST   /projects/{project_id}/reports/apart           401 404 403 404 404 404 403
POST   /projects/{project_id}/reports/exclude         401 404 403 404 404 404 403
POST   /projects/{project_id}/reports/{report_id}/other 401 404 403 404 404 404 403
PUT    /projects/{project_id}/reports/{report_id}/type 401 404 403 404 404 404 403
GET    /projects/{project_id}/flow                    401 404 200 200 200 404 200
POST   /projects/{project_id}/references              401 404 403 201 201 404 403
POST   /projects/{project_id}/reports/same-surely     401 404 403 200 200 404 403
POST   /projects/{project_id}/templates               401 404 403 201 201 404 403
GET    /extraction/templates                          401 200 200 200 200 200 200
GET    /extraction/templates/{template_id}            401 404 200 200 200 404 200
PATCH  /extraction/templates/{template_id}            401 404 403 200 200 404 403
DELETE /extraction/templates/{template_id}            401 404 403 204 204 404 403

GET    /knowledge-bases                               401 200 200 200 200 200 200
POST   /knowledge-bases                               401 404 403 201 201 404 403
DELETE /knowledge-bases/{knowledge_base_id}           401 404 403 403 204 404 403
GET    /knowledge-bases/{knowledge_base_id}/documents 401 404 200 200 200 404 200
POST   /knowledge-bases/{knowledge_base_id}/documents 401 404 403 202 202 404 403
GET    /documents/{document_id}                       401 404 200 200 200 404 200
DELETE /documents/{document_id}                       401 404 403 204 204 404 403
GET    /documents/{document_id}/file                  401 404 200 200 200 404 200

GET    /extraction/model                              401 200 200 200 200 200 200
POST   /extraction/model/test                         401 404 403 422 422 404 403
POST   /extraction/estimate                           401 404 200 200 200 404 200
POST   /extraction/tasks                              401 404 403 201 201 404 403
GET    /extraction/tasks                              401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}                    401 404 200 200 200 404 200
PATCH  /extraction/tasks/{task_id}                    401 404 403 200 200 404 403
DELETE /extraction/tasks/{task_id}                    401 404 403 403 204 404 403
POST   /extraction/tasks/{task_id}/follow-up          401 404 403 422 422 404 403
POST   /extraction/tasks/{task_id}/follow-up/estimate 401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/differences        401 404 422 422 422 404 422
GET    /extraction/tasks/{task_id}/template           401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/analysis           401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/results            401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/results/{ordinal}  401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/results/{ordinal}/reviews 401 404 200 200 200 404 200
POST   /extraction/tasks/{task_id}/results/{ordinal}/reviews 401 404 403 201 201 404 403
POST   /extraction/tasks/{task_id}/results/{ordinal}/settlements 401 404 403 404 404 404 403
GET    /extraction/tasks/{task_id}/presence           401 404 200 200 200 404 200
PUT    /extraction/tasks/{task_id}/presence           401 404 204 204 204 404 204
DELETE /extraction/tasks/{task_id}/presence           401 404 204 204 204 404 204
GET    /extraction/tasks/{task_id}/comments           401 404 200 200 200 404 200
PUT    /extraction/tasks/{task_id}/comments/{comment_id} 401 404 403 404 404 404 403
POST   /extraction/tasks/{task_id}/results/{ordinal}/comments 401 404 403 201 201 404 403
GET    /extraction/tasks/{task_id}/assignments        401 404 200 200 200 404 200
PUT    /extraction/tasks/{task_id}/assignments        401 404 403 403 204 404 403
POST   /extraction/tasks/{task_id}/assignments/share  401 404 403 403 200 404 403
GET    /extraction/tasks/{task_id}/conflicts          401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/agreement          401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/results/{ordinal}/tables 401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/results/{ordinal}/registry 401 404 200 200 200 404 200
PUT    /extraction/tasks/{task_id}/results/{ordinal}/arms 401 404 403 422 422 404 403
POST   /extraction/tasks/{task_id}/reviews/accept-verified 401 404 403 200 200 404 403
GET    /extraction/tasks/{task_id}/results/{ordinal}/rectangles 401 404 200 200 200 404 200
POST   /extraction/tasks/{task_id}/read-back          401 404 403 422 422 404 403
POST   /extraction/tasks/{task_id}/read-back/accept   401 404 403 404 404 404 403
POST   /extraction/tasks/{task_id}/cancel             401 404 403 200 200 404 403
POST   /extraction/tasks/{task_id}/pause              401 404 403 200 200 404 403
POST   /extraction/tasks/{task_id}/resume             401 404 403 200 200 404 403
POST   /extraction/tasks/{task_id}/retry              401 404 403 200 200 404 403
PUT    /extraction/tasks/{task_id}/spend-cap          401 404 403 200 200 404 403
GET    /extraction/tasks/{task_id}/export             401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/events             401 404 200 200 200 404 200
GET    /extraction/tasks/{task_id}/reviews/events     401 404 200 200 200 404 200

GET    /jobs/{job_id}                                 401 404 200 200 200 200 200
GET    /engine/batches                                401 200 200 200 200 200 200
GET    /engine/batches/{batch_id}                     401 404 200 200 200 200 200
GET    /engine/batches/{batch_id}/items               401 404 200 200 200 200 200
POST   /engine/batches/{batch_id}/items/{item_id}/retry 401 403 403 403 403 200 403
POST   /engine/batches/{batch_id}/{verb}              401 403 403 403 403 200 403
GET    /engine/queues                                 401 200 200 200 200 200 200
POST   /engine/queues/{name}/{verb}                   401 403 403 403 403 204 403
GET    /engine/workers                                401 200 200 200 200 200 200
GET    /engine/schedules                              401 200 200 200 200 200 200
POST   /engine/schedules/{name}/{verb}                401 403 403 403 403 204 403
"""
ROOT = {"/healthz", "/readyz", "/metrics"}


def table() -> Iterator[tuple[str, str, dict[str, int]]]:
    for line in TABLE.split("\n"):
        if line:
            method, path, *statuses = line.split()
            yield method, path if path in ROOT else API + path, dict(zip(CALLERS, map(int, statuses), strict=True))


def routes(app: FastAPI) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}


class Stage:
    """A finished task of one document, and for every visit something new to act upon."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.office = office = site.office
        self.numbers = itertools.count()
        [self.document] = office.add([paper(1)])
        self.done = office.start([self.document], field_ids=["title"])
        office.work()
        office.engine.schedule("nightly", cron="0 3 * * *", kind="read_document", payload={"sha256": "x"})
        self.callers: dict[str, httpx.Client] = {}

    def number(self) -> str:
        return f"No. {next(self.numbers)}"

    def seen(self) -> int:
        """The revision of the review that stands in the one cell."""
        [finding] = self.office.bench.extraction.result(self.done, 0).findings
        return finding.review.revision if finding.review else 0

    def another_project(self) -> int:
        """With the same people in it."""
        project_id = self.office.bench.extraction.create_project(self.number()).id
        for name, role in ROLES.items():
            self.office.engine.database.run(accounts.set_role_of_account(project_id, self.office.people[name].id, role))
        return project_id

    def params(self, method: str, path: str) -> dict[str, Any]:  # noqa: PLR0912  a table
        """What stands in an address: what is only looked at is shared, what is changed is new."""
        office, extraction = self.office, self.office.bench.extraction
        is_look = method == "GET"
        made: dict[str, Any] = {"project_id": office.bench.project, "ordinal": 0, "verb": "pause", "name": "reading"}
        if (method, path) == ("DELETE", f"{API}/projects/{{project_id}}"):
            made["project_id"] = self.another_project()
        if "schedules" in path:
            made["name"] = "nightly"
        if "{knowledge_base_id}" in path:
            is_used = is_look or path.endswith("/documents")
            library = office.bench.library
            knowledge_base = (
                library.create_knowledge_base(self.number(), project_id=office.bench.project) if not is_used else None
            )
            made["knowledge_base_id"] = knowledge_base.id if knowledge_base else office.bench.knowledge_base
        if "{document_id}" in path:
            made["document_id"] = self.document if is_look else office.add([self.number()])[0]
        if "{task_id}" in path:
            is_used = is_look or "reviews" in path
            made["task_id"] = self.done if is_used else office.start([self.document], field_ids=["title"])
            if method == "DELETE":
                office.work()
        if "{job_id}" in path:
            made["job_id"] = office.bench.library.document(self.document).job_id
        if "{batch_id}" in path:
            made["batch_id"] = extraction.task(self.done).batch_id
        if "{item_id}" in path:
            made["item_id"] = 1
        # Nobody has these: the role decides first, and tests of their own say what can be done to studies.
        made |= {"study_id": 10**9, "report_id": 10**9}
        if "{template_id}" in path:
            from ingather.extraction.template import Label

            label = Label(en="Ours", zh="我们的")
            made["template_id"] = extraction.clone_template(office.bench.project, "rct", label).id
        if "{account_id}" in path:
            guest = office.engine.database.run(accounts.add_account(self.number()))
            office.engine.database.run(
                accounts.set_role_of_account(office.bench.project, guest.id, accounts.Role.READER)
            )
            made["account_id"] = guest.id
        if "{invitation_id}" in path:
            made_link = invitations.create_invitation(office.bench.project, accounts.Role.READER, "owner")
            made["invitation_id"] = office.engine.database.run(made_link)[1]
        if "{comment_id}" in path:
            made["comment_id"] = 999_999
        if "{token_id}" in path:
            office.token("owner")
            made["token_id"] = office.engine.database.run(accounts.list_tokens(office.people["owner"].id))[-1].id
        return made

    def options(self, method: str, path: str) -> dict[str, Any]:  # noqa: PLR0912  a table
        """What else a request needs to make sense."""
        project = self.office.bench.project
        match method, path.removeprefix(API):
            case "POST", "/session":
                return {"json": {"secret": "guess"}}
            case "POST", "/tokens":
                return {"json": {"name": "another", "scope": "read"}}
            case "POST", "/projects":
                return {"json": {"name": self.number()}}
            case "PUT", "/projects/{project_id}/members":
                return {"json": {"account": "reviewer", "role": "reviewer"}}
            case "POST", "/projects/{project_id}/templates":
                return {"json": {"template_id": "rct", "label": {"en": "Copy", "zh": "副本"}}}
            case "PATCH", "/extraction/tasks/{task_id}":
                return {"json": {"name": self.number()}}
            case "PATCH", _:
                return {"json": {"remove": ["registration_id"]}}
            case "POST", "/projects/{project_id}/references":
                return {"files": {"file": ("found.txt", b"10.1000/a")}}
            case "POST", "/projects/{project_id}/studies/merge":
                return {"json": {"study_ids": [10**9, 10**9 + 1]}}
            case "PUT", "/projects/{project_id}/studies/{study_id}/name":
                return {"json": {"name": self.number()}}
            case "PUT", "/projects/{project_id}/reports/{report_id}/type":
                return {"json": {"type": "protocol"}}
            case "POST", "/projects/{project_id}/reports/exclude":
                return {"json": {"report_ids": [10**9], "stage": None}}
            case "POST", found if "/reports/same" in found or "/reports/apart" in found or found.endswith("/split"):
                return {"json": {"report_ids": [10**9, 10**9 + 1]}}
            case "POST", "/knowledge-bases":
                return {"json": {"project_id": project, "name": self.number()}}
            case "POST", "/knowledge-bases/{knowledge_base_id}/documents":
                return {"files": {"files": ("a.txt", self.number().encode())}}
            case "POST", "/extraction/tasks" | "/extraction/estimate":
                return {"json": {"project_id": project, "template_id": "rct", "document_ids": [self.document]}}
            case "POST", "/extraction/model/test":
                return {"json": {"project_id": project}}
            case "POST", "/extraction/tasks/{task_id}/follow-up" | "/extraction/tasks/{task_id}/follow-up/estimate":
                return {"json": {"only": "failed"}}
            case "GET", "/extraction/tasks":
                return {"params": {"project_id": project}}
            case "PUT", "/extraction/tasks/{task_id}/spend-cap":
                return {"json": {"spend_cap": 3}}
            case "POST", "/extraction/tasks/{task_id}/results/{ordinal}/reviews":
                return {
                    "json": {
                        "field": "title",
                        "action": "edited",
                        "value": self.number(),
                        "note": "Seen anew.",
                        "seen": self.seen(),
                    }
                }
            case "PUT", "/extraction/tasks/{task_id}/results/{ordinal}/arms":
                # This task asks no questions of a review, so its documents have no arms to mend.
                return {"json": {"arms": [{"name": "Aspirin"}]}}
            case "POST", "/projects/{project_id}/hand-over":
                # To oneself: to anybody else, the owner would not be one any more.
                return {"json": {"account_id": self.office.people["owner"].id}}
            case "POST", "/projects/{project_id}/invitations":
                return {"json": {"role": "reader"}}
            case "POST", "/invitations/look" | "/invitations/accept":
                return {"json": {"secret": "guess"}}
            case "PUT", "/extraction/tasks/{task_id}/presence":
                return {"json": {"place": "0~~title"}}
            case "PUT", "/extraction/tasks/{task_id}/comments/{comment_id}":
                return {"json": {"is_resolved": True}}
            case "POST", "/extraction/tasks/{task_id}/results/{ordinal}/comments":
                return {"json": {"field": "title", "text": self.number()}}
            case "PUT", "/projects/{project_id}/review-mode":
                return {"json": {"mode": "single"}}
            case "POST", "/extraction/tasks/{task_id}/results/{ordinal}/settlements":
                # Nobody differs here.
                return {"json": {"field": "title", "action": "accepted", "note": "As printed."}}
            case "PUT", "/extraction/tasks/{task_id}/assignments":
                return {"json": {"ordinals": [0], "side": 1, "account_id": self.office.people["reviewer"].id}}
            case "POST", "/extraction/tasks/{task_id}/assignments/share":
                return {"json": {"people": [{"account_id": self.office.people["reviewer"].id, "share": 1}]}}
            case "PUT", "/projects/{project_id}/questions":
                seen = self.office.bench.extraction.questions(project)[1]
                return {"json": {"comparisons": [], "outcomes": [], "seen": seen}}
            case "POST", "/extraction/tasks/{task_id}/read-back/accept":
                # The document has no such field, so nothing can be written.
                return {"json": {"proposals": [{"ordinal": 0, "field": "nothing", "action": "accepted"}]}}
            case "POST", "/extraction/tasks/{task_id}/reviews/accept-verified":
                return {"json": {"ordinals": [0]}}
            case "GET", "/extraction/tasks/{task_id}/results/{ordinal}/rectangles":
                return {"params": {"page": 0, "start": 0, "end": 1}}
        return {}

    def client(self, caller: str, path: str) -> httpx.Client:
        """The same for all routes, but for those that sign out."""
        key = f"{caller} who leaves" if path.endswith("/session") else caller
        if key not in self.callers:
            self.callers[key] = self._client(caller)
        return self.callers[key]

    def _client(self, caller: str) -> httpx.Client:
        if caller == "anonymous":
            return self.site.anybody()
        if caller == "read token":
            return self.site.script("owner", TokenScope.READ)
        return self.site.browser(caller)

    def status(self, caller: str, method: str, path: str) -> int:
        address = path.format(**self.params(method, path))
        client = self.client(caller, path)
        with client.stream(method, self.site.address + address, **self.options(method, path)) as answer:
            return answer.status_code


@pytest.fixture(scope="module")
def stage(shared: Site) -> Iterator[Stage]:
    stage = Stage(shared)
    yield stage
    for client in stage.callers.values():
        client.close()


def test_the_table_names_every_route_and_no_other(stage: Stage) -> None:
    assert {(method, path) for method, path, _ in table()} == routes(stage.site.app)


@pytest.mark.parametrize("caller", CALLERS)
def test_everybody_gets_what_the_table_says(stage: Stage, caller: str) -> None:
    got = {(method, path): stage.status(caller, method, path) for method, path, _ in table()}
    assert got == {(method, path): expected[caller] for method, path, expected in table()}
