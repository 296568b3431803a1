"""Studies over the wire: reports come with uploads, people put them together and take them apart, nothing is lost."""

import io
from typing import Any

import httpx
import orjson
import pytest

from tests.extraction.desk import paper
from tests.extraction.test_registry import MODERN
from tests.web.site import Site

TRIAL = (
    "Stretching for stiff necks: a randomised trial\nAnna Berg, Bo Li and Cy Roe\n\nAbstract\nWe randomised 80 adults."
)
FIRST = f"{TRIAL} The trial was registered (NCT00000001).\n"
SECOND = (
    f"Costs of stretching for stiff necks\nBo Li, Anna Berg\n\nAbstract\nCosts were low (NCT00000001).\n{'x ' * 20}"
)


@pytest.fixture
def studies_path(site: Site) -> str:
    return f"/projects/{site.office.bench.project}"


def upload(client: httpx.Client, site: Site, *texts: str) -> list[dict[str, Any]]:
    path = f"/knowledge-bases/{site.office.bench.knowledge_base}/documents"
    files = [("files", (f"paper {n}.txt", io.BytesIO(text.encode()))) for n, text in enumerate(texts)]
    answer = client.post(path, files=files)
    assert answer.status_code == 202, answer.text
    site.office.work()
    return [one["document"] for one in answer.json()["uploads"]]


def listed(client: httpx.Client, path: str, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{path}/studies", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["studies"]
    return found


def test_an_uploaded_paper_is_a_report_of_a_study_with_its_clues(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        [document] = upload(client, site, FIRST)
        [study] = listed(client, studies_path)
    [report] = study["reports"]
    assert study["name"] == "Berg"
    assert report["sha256"] == document["sha256"]
    assert report["authors"] == ["Anna Berg", "Bo Li", "Cy Roe"]
    assert report["registrations"] == ["NCT00000001"]
    assert report["is_read"]


def test_a_suggestion_has_reasons_and_changes_nothing_until_a_person_merges(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST, SECOND)
        [found] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        assert found["kind"] == "same_study"
        assert "NCT00000001" in found["pairs"][0]["reasons"][0]["message"]
        assert len(listed(client, studies_path)) == 2

        merged = client.post(f"{studies_path}/studies/merge", json={"study_ids": found["study_ids"]}).json()
        [study] = listed(client, studies_path)
        assert study["study_id"] == merged["study_id"] == found["study_ids"][0]
        assert sorted(one["report_id"] for one in study["reports"]) == found["report_ids"]
        assert client.get(f"{studies_path}/studies/suggestions").json() == {"suggestions": [], "total": 0, "sure": 0}


def test_the_analysis_says_how_many_suggestions_are_undecided(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        documents = upload(client, site, FIRST, SECOND)
        task = site.office.start([one["document_id"] for one in documents], field_ids=["title"])
        site.office.work()
        assert client.get(f"/extraction/tasks/{task}/analysis").json()["unjoined"] == 1
        [suggestion] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        merged = client.post(f"{studies_path}/studies/merge", json={"study_ids": suggestion["study_ids"]})
        assert merged.status_code in {200, 201}, merged.text
        assert client.get(f"/extraction/tasks/{task}/analysis").json()["unjoined"] == 0


def test_what_was_merged_is_split_with_its_history_and_not_suggested_again(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST, SECOND)
        ids = [one["study_id"] for one in listed(client, studies_path)]
        client.post(f"{studies_path}/studies/merge", json={"study_ids": ids})
        [study] = listed(client, studies_path)
        second = study["reports"][1]["report_id"]
        whole = {"report_ids": [one["report_id"] for one in study["reports"]]}
        assert client.post(f"{studies_path}/studies/{ids[0]}/split", json=whole).status_code == 422

        split = client.post(f"{studies_path}/studies/{ids[0]}/split", json={"report_ids": [second]})
        assert split.status_code == 200
        assert [[one["report_id"] for one in study["reports"]] for study in listed(client, studies_path)] == [
            [study["reports"][0]["report_id"]],
            [second],
        ]
        assert client.get(f"{studies_path}/studies/suggestions").json()["total"] == 0
        events = client.get(f"{studies_path}/studies/history").json()["events"]
    assert [one["action"] for one in events] == ["split", "split", "merged"]
    assert {one["by"] for one in events} == {"reviewer"}
    assert events[-1]["details"]["studies"] == [{"id": ids[1], "name": "Li", "reports": [second]}]


def test_a_merge_of_what_somebody_else_has_merged_is_refused(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST, SECOND)
        ids = {"study_ids": [one["study_id"] for one in listed(client, studies_path)]}
        assert client.post(f"{studies_path}/studies/merge", json=ids).status_code == 200
        again = client.post(f"{studies_path}/studies/merge", json=ids)
    assert again.status_code == 404
    assert again.json()["notice"]["id"] == "studies.changed_meanwhile"


def test_the_same_paper_twice_is_noticed_at_upload_and_becomes_one_report(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST, f"{FIRST}\nPrinted once more.")
        [found] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        assert found["kind"] == "same_report"
        client.post(f"{studies_path}/reports/same", json={"report_ids": found["report_ids"]})
        [study] = listed(client, studies_path)
        assert [one["same_as"] for one in study["reports"]] == [None, found["report_ids"][0]]

        other = client.post(f"{studies_path}/reports/{found['report_ids'][1]}/other")
        assert other.status_code == 204
        assert [one["same_as"] for one in listed(client, studies_path)[0]["reports"]] == [None, None]


def test_reports_that_a_person_keeps_apart_are_not_suggested_again(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST, SECOND)
        [found] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        apart = {"report_ids": found["report_ids"]}
        assert client.post(f"{studies_path}/reports/apart", json=apart).status_code == 204
        assert client.get(f"{studies_path}/studies/suggestions").json()["total"] == 0


def test_results_carry_the_name_of_the_study_and_fill_the_field_for_it(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        [document] = upload(client, site, FIRST)
        task = site.office.start([document["document_id"]], field_ids=["study_id", "title"])
        site.office.work()
        [study] = listed(client, studies_path)

        def result() -> dict[str, Any]:
            found: dict[str, Any] = client.get(f"/extraction/tasks/{task}/results").json()["results"][0]
            return found

        assert (result()["study"], result()["study_id"]) == ("Berg", study["study_id"])
        [cell] = [one for one in result()["findings"] if one["field"] == "study_id"]
        assert (cell["value"], cell["source"], cell["mark"]) == ("Berg", "computed", "computed")

        client.put(f"{studies_path}/studies/{study['study_id']}/name", json={"name": "Berg 2020"})
        assert result()["study"] == "Berg 2020"
        accepted = {"field": "study_id", "action": "accepted", "seen": 0}
        assert client.post(f"/extraction/tasks/{task}/results/0/reviews", json=accepted).status_code == 201


def test_a_task_that_a_program_started_has_its_papers_among_the_studies(site: Site, studies_path: str) -> None:
    documents = site.office.add([paper(1), paper(2)])
    site.office.start(documents, field_ids=["title"])
    site.office.work()
    with site.browser("reader") as client:
        found = listed(client, studies_path)
    assert [len(one["reports"]) for one in found] == [1, 1]
    assert all(one["reports"][0]["is_read"] for one in found)


def test_reports_are_excluded_with_a_reason_and_taken_in_again(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, FIRST)
        [report] = listed(client, studies_path)[0]["reports"]
        body = {"report_ids": [report["report_id"]], "stage": "assessment", "reason": "Wrong population"}
        assert client.post(f"{studies_path}/reports/exclude", json=body).status_code == 204
        [report] = listed(client, studies_path)[0]["reports"]
        assert (report["excluded_at"], report["exclusion_reason"]) == ("assessment", "Wrong population")
        client.post(f"{studies_path}/reports/exclude", json=body | {"stage": None})
        assert listed(client, studies_path)[0]["reports"][0]["excluded_at"] is None


def test_studies_are_searched_and_read_page_by_page(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        upload(client, site, *(f"Trial {n} of necks\nAnna Berg{n}, Bo Li\n\nAbstract\nText {n}." for n in range(5)))
        page = client.get(f"{studies_path}/studies", params={"limit": 2}).json()
        rest = client.get(f"{studies_path}/studies", params={"after": page["next"]}).json()
        assert len(page["studies"]) + len(rest["studies"]) == 5
        assert rest["next"] is None
        [found] = listed(client, studies_path, search="paper 3")
        assert found["reports"][0]["file_name"] == "paper 3.txt"


def test_reports_of_another_project_cannot_be_touched(site: Site, studies_path: str) -> None:
    theirs = site.office.add([FIRST], knowledge_base=site.office.their_knowledge_base)
    document = site.office.bench.library.document(theirs[0])
    site.office.bench.extraction.add_reports(site.office.theirs, {document.sha256: document.file_name})
    [study] = site.office.bench.extraction.studies(site.office.theirs)
    with site.browser("reviewer") as client:
        body = {"report_ids": [study.reports[0].id], "stage": "screening"}
        assert client.post(f"{studies_path}/reports/exclude", json=body).status_code == 404
        named = client.put(f"{studies_path}/studies/{study.id}/name", json={"name": "Mine"})
        assert named.status_code == 404
        assert client.get(f"/projects/{site.office.theirs}/studies").status_code == 404


RIS = """TY  - JOUR
TI  - {title}
AU  - {author}
PY  - 2021
DO  - 10.1000/j.{n}
ER  -
"""


def imported(client: httpx.Client, path: str, text: str, **form: str) -> dict[str, Any]:
    answer = client.post(f"{path}/references", files={"file": ("found.ris", text.encode())}, data=form)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_references_come_in_and_what_cannot_be_read_is_listed(site: Site, studies_path: str) -> None:
    text = RIS.format(title="Stretching", author="Berg, Anna", n=1) + "TY  - JOUR\nJO  - Neck\nER  -\n"
    with site.browser("reviewer") as client:
        found = imported(client, studies_path, text, name="MEDLINE")
        assert (found["records"], found["format"]) == (1, "ris")
        assert [one["line"] for one in found["unreadable"]] == [7]
        [study] = listed(client, studies_path)
        assert (study["name"], study["reports"][0]["sha256"]) == ("Berg 2021", None)
        flow = client.get(f"{studies_path}/flow").json()
    [source] = flow["sources"]
    assert (source["name"], source["kind"], source["records"], source["imported_by"]) == (
        "MEDLINE", "database", 1, "reviewer",
    )  # fmt: skip
    assert [one["line"] for one in source["unreadable"]] == [7]


def test_the_flow_counts_records_duplicates_exclusions_and_papers(site: Site, studies_path: str) -> None:
    titles = ["Stretching for stiff necks: a randomised trial", "Yoga for knees of nurses", "Cats and their whiskers"]
    refs = [RIS.format(title=title, author="Berg, Anna", n=n) for n, title in enumerate(titles)]
    with site.browser("reviewer") as client:
        imported(client, studies_path, "".join(refs), name="MEDLINE")
        imported(client, studies_path, refs[0], name="Embase")
        upload(client, site, FIRST)
        [found] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        assert (found["kind"], found["is_sure"], len(found["report_ids"])) == ("same_report", False, 3)
        client.post(f"{studies_path}/reports/same", json={"report_ids": found["report_ids"]})
        by_title = {one["reports"][0]["title"]: one["reports"][0]["report_id"] for one in listed(client, studies_path)}
        out = {"report_ids": [by_title["Cats and their whiskers"]], "stage": "screening", "reason": "No trial"}
        client.post(f"{studies_path}/reports/exclude", json=out)
        flow = client.get(f"{studies_path}/flow", params={"language": "zh"}).json()
    counted = {name: flow[name] for name in ("identified", "duplicates", "screened", "excluded", "sought")}
    assert counted == {"identified": 4, "duplicates": 1, "screened": 3, "excluded": 1, "sought": 2}
    assert (flow["not_retrieved"], flow["assessed"], flow["included"], flow["reports"]) == (1, 1, 1, 1)
    assert flow["screening_reasons"] == [{"reason": "No trial", "count": 1}]
    assert len(flow["without_file"]) == 1
    assert flow["without_record"] == []
    assert flow["drawing"].startswith("<svg")


def test_all_that_share_a_doi_become_one_report_at_once(site: Site, studies_path: str) -> None:
    refs = "".join(RIS.format(title=f"Trial {n} of necks", author="Berg, Anna", n=n) for n in range(50))
    with site.browser("reviewer") as client:
        imported(client, studies_path, refs, name="MEDLINE")
        imported(client, studies_path, refs, name="Embase")
        assert client.get(f"{studies_path}/studies/suggestions").json()["sure"] == 50
        assert client.post(f"{studies_path}/reports/same-surely").json() == {"changed": 50}
        found = listed(client, studies_path)
        flow = client.get(f"{studies_path}/flow").json()
    assert [len(one["reports"]) for one in found] == [2] * 50
    assert (flow["identified"], flow["duplicates"], flow["screened"]) == (100, 50, 50)


def test_a_registry_record_joins_the_study_of_its_papers_and_stands_beside_their_cells(
    site: Site, studies_path: str
) -> None:
    record = orjson.dumps(MODERN)
    with site.browser("reviewer") as client:
        [document] = upload(client, site, paper(1))
        files = {"file": ("NCT00000001.json", record)}
        answer = client.post(f"{studies_path}/references", files=files, data={"name": "CT.gov", "kind": "register"})
        assert answer.json()["format"] == "registry"
        [found] = client.get(f"{studies_path}/studies/suggestions").json()["suggestions"]
        assert found["kind"] == "same_study"
        client.post(f"{studies_path}/studies/merge", json={"study_ids": found["study_ids"]})

        task = site.office.start([document["document_id"]], field_ids=["registration_id", "n_randomised"])
        site.office.work()
        [beside] = client.get(f"/extraction/tasks/{task}/results/0/registry").json()["records"]
    lines = {one["field"]: (one["registry"], one["paper"], one["verdict"]) for one in beside["lines"]}
    assert lines["registration_id"] == ("NCT00000001", "NCT00000001", "same")
    assert lines["n_randomised"] == ("120", "102", "differs")
    assert beside["is_registered_late"]


def test_a_file_that_holds_no_references_is_refused(site: Site, studies_path: str) -> None:
    with site.browser("reviewer") as client:
        answer = client.post(f"{studies_path}/references", files={"file": ("a.txt", b"Dear all,")})
    assert answer.status_code == 422
    assert answer.json()["notice"]["id"] == "references.unknown_format"
