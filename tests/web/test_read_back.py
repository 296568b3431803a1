"""Reading back over HTTP: proposals are shown, and those that a person accepts are written all or not at all."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.site import Site
from tests.web.test_analysis import Review


@pytest.fixture
def review(site: Site) -> Iterator[Review]:
    made = Review(site)
    yield made
    made.person.close()


def evidence(review: Review) -> list[list[str]]:
    answer = review.person.get(f"/extraction/tasks/{review.task_id}/export", params={"format": "csv"})
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def send(review: Review, table: list[list[str]]) -> dict[str, Any]:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(table)
    file = {"file": ("edited.csv", text.getvalue().encode(), "text/csv")}
    answer = review.person.post(f"/extraction/tasks/{review.task_id}/read-back", files=file)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def accept(review: Review, proposals: list[dict[str, Any]]) -> Any:
    body = {"file_name": "edited.csv", "proposals": [one["proposed"] for one in proposals]}
    return review.person.post(f"/extraction/tasks/{review.task_id}/read-back/accept", json=body)


def change(table: list[list[str]], field: str, value: str) -> None:
    """The value of this field in every document."""
    head = table[0]
    for row in table[1:]:
        if row[head.index("Field id")] == field:
            row[head.index("Value")] = value


def values(review: Review, field: str) -> list[Any]:
    return [one["value"] for found in review.results() for one in found["findings"] if one["field"] == field]


def test_what_was_edited_is_written_when_a_person_accepts_it(review: Review) -> None:
    table = evidence(review)
    change(table, "n_randomised", "241")
    found = send(review, table)
    assert [(one["was"], one["proposed"]["value"]) for one in found["proposals"]] == [(240, 241), (240, 241)]
    assert (found["unplaced"], found["file_name"]) == ([], "edited.csv")
    assert values(review, "n_randomised") == [240, 240]  # nothing is written yet
    answer = accept(review, found["proposals"])
    assert (answer.status_code, answer.json()) == (201, {"changed": 2})
    assert values(review, "n_randomised") == [241, 241]
    cell = review.person.get(f"/extraction/tasks/{review.task_id}/results/0/reviews").json()["reviews"]
    assert [(one["action"], one["note"]) for one in cell] == [("edited", "From an edited export: edited.csv")]


def test_one_answer_that_somebody_has_judged_meanwhile_stops_all_of_them(review: Review) -> None:
    table = evidence(review)
    change(table, "n_randomised", "241")
    found = send(review, table)
    review.edit(1, "", "n_randomised", 239)
    answer = accept(review, found["proposals"])
    assert answer.status_code == 409, answer.text
    assert values(review, "n_randomised") == [240, 239]


def test_the_same_file_again_proposes_nothing_and_says_what_has_changed(review: Review) -> None:
    table = evidence(review)
    change(table, "n_randomised", "241")
    accept(review, send(review, table)["proposals"])
    again = send(review, table)
    assert again["proposals"] == []
    assert {one["why"]["id"] for one in again["unplaced"]} == {"read_back.changed_since"}, again["unplaced"]


def test_a_form_without_a_file_and_a_file_that_is_no_table_are_refused(review: Review) -> None:
    address = f"/extraction/tasks/{review.task_id}/read-back"
    assert review.person.post(address, files={"other": ("a.csv", b"x", "text/csv")}).status_code == 422
    answer = review.person.post(address, files={"file": ("a.xlsx", b"PK\x03\x04", "application/zip")})
    assert answer.status_code == 422
    assert "neither a workbook" in answer.json()["detail"]


def test_a_read_back_value_reaches_the_analysis(review: Review) -> None:
    """From a spreadsheet to a pooled estimate: role, time and numbers are typed into the exported table."""
    review.fill()
    before = review.analysis()["pools"][0]["random"]
    table = evidence(review)
    head = table[0]
    rows = [row for row in table[1:] if row[head.index("Field id")] == "r_events"]
    rows[0][head.index("Value")] = "3"
    found = send(review, table)
    assert len(found["proposals"]) == 1
    assert accept(review, found["proposals"]).status_code == 201
    assert review.analysis()["pools"][0]["random"] != before


def test_where_two_people_review_independently_no_file_is_read_back(site: Site, review: Review) -> None:
    table = evidence(review)
    change(table, "n_randomised", "241")
    proposals = send(review, table)["proposals"]
    with site.browser("owner") as owner:
        mode = {"mode": "independent"}
        assert owner.put(f"/projects/{site.office.bench.project}/review-mode", json=mode).status_code == 200
    answer = accept(review, proposals)
    assert (answer.status_code, answer.json()["notice"]["id"]) == (409, "read_back.independent")
    assert values(review, "n_randomised") == [240, 240]


def test_a_list_of_arms_is_not_written_as_a_value(review: Review) -> None:
    one = {"ordinal": 0, "field": "question_arms", "action": "edited", "value": ["Drug"]}
    answer = accept(review, [{"proposed": one}])
    assert (answer.status_code, answer.json()["notice"]["id"]) == (422, "arms.mended_elsewhere")
