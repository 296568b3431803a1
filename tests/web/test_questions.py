"""A review's questions over HTTP: kept per project, answered with cells, and the tables and arms behind them."""

from typing import Any

import httpx

from tests.web.site import Site

PAPER = """
A trial of aspirin against placebo.

Table 1. Outcomes.

| | Aspirin (n = 45) | Placebo (n = 44) |
|---|---|---|
| Stroke, n (%) | 12 (26.7) | 9 (20.5) |
"""
QUESTIONS: dict[str, Any] = {
    "comparisons": [{"id": "c1", "intervention": {"name": "aspirin"}, "comparator": {"name": "placebo"}}],
    "outcomes": [{"id": "o1", "name": "stroke", "kind": "binary"}],
}
ROW = "question/c1/o1"


def path_of(site: Site) -> str:
    return f"/projects/{site.office.bench.project}/questions"


def started(site: Site, who: httpx.Client) -> str:
    assert who.put(path_of(site), json=QUESTIONS | {"seen": 0}).status_code == 200
    task = site.office.start(site.office.add([PAPER]), field_ids=["title"])
    site.office.work()
    return f"/extraction/tasks/{task}/results/0"


def numbers(result: dict[str, Any]) -> dict[str, Any]:
    return {one["field"]: one["value"] for one in result["findings"] if one["row"] == ROW}


def test_questions_are_kept_with_a_revision_and_nobody_is_overwritten(site: Site) -> None:
    with site.browser("reviewer") as reviewer, site.browser("reader") as reader:
        assert reader.get(path_of(site)).json() == {"comparisons": [], "outcomes": [], "revision": 0}
        saved = reviewer.put(path_of(site), json=QUESTIONS | {"seen": 0}).json()
        assert saved["revision"] == 1
        assert reader.get(path_of(site)).json() == saved
        late = reviewer.put(path_of(site), json={"comparisons": [], "outcomes": [], "seen": 0})
        assert (late.status_code, "meanwhile" in late.json()["detail"]) == (409, True)
        assert reader.get(path_of(site)).json() == saved


def test_questions_of_a_wrong_form_are_refused_with_a_sentence(site: Site) -> None:
    twice = QUESTIONS | {"outcomes": QUESTIONS["outcomes"] * 2}
    with site.browser("reviewer") as reviewer:
        answer = reviewer.put(path_of(site), json=twice | {"seen": 0})
        assert (answer.status_code, "the id 'o1'" in answer.json()["detail"]) == (422, True)


def test_answers_tables_and_arms_of_a_document(site: Site) -> None:
    with site.browser("reviewer") as reviewer:
        path = started(site, reviewer)
        found = reviewer.get(path).json()
        assert numbers(found) == {
            "question_events_1": 12, "question_n_1": 45, "question_events_2": 9, "question_n_2": 44,
        }  # fmt: skip
        cell = next(one["cell"] for one in found["findings"] if one["field"] == "question_events_1")
        assert (cell["label"], cell["row_path"], cell["column_path"]) == (
            "Table 1", ["Stroke, n (%)"], ["Aspirin (n = 45)"],
        )  # fmt: skip
        [table] = reviewer.get(f"{path}/tables").json()["tables"]
        assert {one["text"] for one in table["cells"]} >= {"12 (26.7)", "Placebo (n = 44)"}
        assert [(arm["name"], arm["role"]) for arm in found["arms"]] == [
            ("Aspirin", "intervention"), ("Placebo", "comparator"),
        ]  # fmt: skip
        swapped = [{"name": "Aspirin", "role": "comparator"}, {"name": "Placebo", "role": "intervention"}]
        mended = reviewer.put(f"{path}/arms", json={"arms": swapped, "seen": 0}).json()
        assert numbers(mended)["question_events_1"] == 9
        assert reviewer.put(f"{path}/arms", json={"arms": swapped[:1], "seen": 0}).status_code == 409


def test_a_cell_is_taken_as_the_value_of_a_field(site: Site) -> None:
    with site.browser("reviewer") as reviewer:
        path = started(site, reviewer)
        body = {"field": "question_n_1", "row": ROW, "action": "edited", "cell": {"table": 0, "row": 1, "column": 2}}
        taken = reviewer.post(f"{path}/reviews", json=body | {"seen": 0})
        assert taken.status_code == 201
        [finding] = [one for one in taken.json()["findings"] if (one["row"], one["field"]) == (ROW, "question_n_1")]
        assert (finding["value"], finding["review"]["has_cell"], finding["cell"]["column"]) == (9, True, 2)
        nowhere = body | {"cell": {"table": 7, "row": 0, "column": 0}, "seen": 1}
        assert reviewer.post(f"{path}/reviews", json=nowhere).status_code == 404
