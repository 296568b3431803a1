"""Reviews over HTTP: written by name, read with the results, refused with a sentence."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from ingather.web.schemas.results import Results
from tests.extraction.desk import paper
from tests.web.site import Site
from tests.web.test_lists import read


class Table:
    """A finished task of two documents, as somebody sees it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        documents = site.office.add([paper(1), paper(2)])
        self.task_id = site.office.start(documents, field_ids=["title", "n_randomised", "countries"])
        site.office.work()
        self.people = {name: site.browser(name) for name in ("owner", "reviewer")}

    def say(self, field: str, action: str, *, by: str = "reviewer", ordinal: int = 0, **more: Any) -> httpx.Response:
        body = {"field": field, "action": action, **more}
        return self.people[by].post(f"/extraction/tasks/{self.task_id}/results/{ordinal}/reviews", json=body)

    def get(self, path: str, **params: Any) -> Any:
        answer = self.people["owner"].get(f"/extraction/tasks/{self.task_id}{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def cell(self, field: str, ordinal: int = 0) -> dict[str, Any]:
        return cell(self.get("/results")["results"][ordinal], field)


def cell(result: dict[str, Any], field: str) -> dict[str, Any]:
    [found] = [one for one in result["findings"] if one["field"] == field]
    assert isinstance(found, dict)
    return found


@pytest.fixture
def table(site: Site) -> Iterator[Table]:
    made = Table(site)
    yield made
    for person in made.people.values():
        person.close()


def test_a_review_answers_with_the_document_as_it_stands_and_results_tell_the_same(table: Table) -> None:
    assert table.cell("n_randomised")["review"] is None
    answer = table.say("n_randomised", "edited", value=" 1,020 ", note="Table 1", seen_value=102)
    assert answer.status_code == 201, answer.text
    shown = cell(answer.json(), "n_randomised")
    assert (shown["value"], shown["source"]) == (1020, "reviewer")
    assert shown["extracted"] == {"state": "reported", "value": 102, "source": "embedded"}
    review = shown["review"] | {"at": ""}
    assert review == {
        "revision": 1, "action": "edited", "value": 1020, "note": "Table 1", "by": "reviewer", "at": "",
        "is_outdated": False, "has_cell": False, "checked_by": None, "passage": None,
    }  # fmt: skip
    assert table.cell("n_randomised") == shown
    assert table.get("/results/0") == answer.json()
    assert table.cell("n_randomised", 1)["review"] is None
    # Results are written without a check of each; here is one, of types too.
    answer = table.people["owner"].get(f"/extraction/tasks/{table.task_id}/results")
    assert answer.headers["content-type"] == "application/json"
    assert Results.model_validate_json(answer.content, strict=True).model_dump_json().encode() == answer.content


def test_a_colleague_who_was_slower_is_told_who_was_quicker(table: Table) -> None:
    assert table.say("title", "rejected", by="owner").status_code == 201
    late = table.say("title", "accepted")
    assert late.status_code == 409
    assert "owner has reviewed this value meanwhile (rejected)" in late.json()["detail"]
    refused = table.say("title", "unclear", seen=1)
    assert (refused.status_code, refused.json()["notice"]["id"]) == (422, "review.reason_needed")
    assert table.say("title", "unclear", seen=1, note="Two titles are printed.").status_code == 201


def test_history_tells_who_said_what_and_when(table: Table) -> None:
    table.say("title", "accepted")
    table.say("title", "edited", value="<b>New</b>", seen=1, by="owner", note="As printed")
    table.say("title", "withdrawn", seen=2, note="Not as printed")
    table.say("n_randomised", "accepted")
    shown = table.get("/results/0/reviews", field="title", row="")["reviews"]
    assert [(one["revision"], one["action"], one["value"], one["by"]) for one in shown] == [
        (1, "accepted", None, "reviewer"),
        (2, "edited", "<b>New</b>", "owner"),
        (3, "withdrawn", None, "reviewer"),
    ]
    assert [one["at"] for one in shown] == sorted(one["at"] for one in shown)
    assert len(table.get("/results/0/reviews")["reviews"]) == 4
    assert table.get("/results/1/reviews") == {"reviews": [], "next": None}
    assert table.cell("title")["review"]["action"] == "accepted"


@pytest.mark.parametrize("limit", [1, 2, 3, 500])
@pytest.mark.parametrize("body", [{}, {"field": "title"}, {"field": "title", "row": ""}, {"row": "arm/1"}])
def test_reviews_come_page_by_page_and_none_twice(
    reviewed: tuple[Table, list[dict[str, Any]]], body: dict[str, str], limit: int
) -> None:
    table, decisions = reviewed
    path = f"/extraction/tasks/{table.task_id}/results/0/reviews"
    found = read(table.people["owner"], path, "reviews", "after", limit=limit, **body)
    wanted = [one for one in decisions if all(one[key] == value for key, value in body.items())]
    assert [(one["field"], one["revision"], one["action"]) for one in found] == [
        (one["field"], one["revision"], one["action"]) for one in wanted
    ]


@pytest.fixture(scope="module")
def reviewed(shared: Site) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """A table, and what was said of its first document, among what was said of the second."""
    table = Table(shared)
    decisions: list[dict[str, Any]] = []
    for n in range(3):
        for field, action in (("title", "unclear"), ("n_randomised", "not_reported")):
            for ordinal in (0, 1):
                assert table.say(field, action, ordinal=ordinal, seen=n, note=str(n)).status_code == 201
            decisions.append({"field": field, "row": "", "revision": n + 1, "action": action})
    yield table, decisions
    for person in table.people.values():
        person.close()


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"field": "n_randomised", "action": "edited", "value": "a few"}, 422, "'a few' is no number."),
        ({"field": "n_randomised", "action": "edited"}, 422, "Give one, or say that it is not reported."),
        ({"field": "n_randomised", "action": "edited", "value": True}, 422, "true and false"),
        ({"field": "n_randomised", "action": "edited", "value": {"a": 1}}, 422, "value"),
        ({"field": "n_randomised", "action": "accepted", "value": 3}, 422, "`edited` only"),
        ({"field": "n_randomised", "action": "praised"}, 422, "action"),
        ({"field": "n_randomised", "action": "withdrawn"}, 422, "no review here"),
        ({"field": "n_randomised", "action": "accepted", "note": "n" * 2001}, 422, "note"),
        ({"field": "n_randomised", "action": "accepted", "seen_value": 7}, 409, "Look again"),
        ({"field": "n_randomised", "action": "accepted", "seen": -1}, 422, "seen"),
        ({"field": "n_randomised", "row": "arm/1", "action": "accepted"}, 404, "no row 'arm/1'"),
        ({"field": "primary_outcome", "action": "accepted"}, 404, "no field 'primary_outcome'"),
        ({"field": "n_randomised", "action": "accepted", "who": "me"}, 422, "who"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    table: Table, body: dict[str, Any], status: int, sentence: str
) -> None:
    answer = table.people["reviewer"].post(f"/extraction/tasks/{table.task_id}/results/0/reviews", json=body)
    assert (answer.status_code, sentence in answer.json()["detail"]) == (status, True), answer.text
    assert table.get("/results/0/reviews") == {"reviews": [], "next": None}


def test_documents_that_are_not_there_have_no_reviews(table: Table) -> None:
    for ordinal in (2, 10**12):
        assert table.say("title", "accepted", ordinal=ordinal).status_code == 404
        for path in (f"/results/{ordinal}", f"/results/{ordinal}/reviews"):
            assert table.people["owner"].get(f"/extraction/tasks/{table.task_id}{path}").status_code == 404


def test_verified_values_are_accepted_together(table: Table) -> None:
    path = f"/extraction/tasks/{table.task_id}/reviews/accept-verified"
    table.say("title", "rejected")
    answer = table.people["owner"].post(path, json={"ordinals": [0, 1], "field_ids": ["title", "n_randomised"]})
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert shown["accepted"] >= 2
    assert table.cell("title")["review"]["action"] == "rejected"
    assert table.cell("n_randomised", 1)["review"]["by"] == "owner"
    assert table.cell("countries", 1)["review"] is None
    assert table.people["owner"].post(path, json={"ordinals": []}).status_code == 422
    assert table.people["owner"].post(path, json={"ordinals": [0], "field_ids": ["Nope"]}).status_code == 422
