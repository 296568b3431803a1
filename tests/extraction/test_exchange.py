"""Files for other programs: references as RIS, codes for EPPI-Reviewer, study data for RevMan."""

import csv
import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from ingather.extraction.export import ReportReference, export
from ingather.extraction.export.revman_tables import ARMS, INFORMATION, RESULTS
from ingather.extraction.findings import DocumentResult
from ingather.extraction.studies.study_names import surname_first
from ingather.extraction.template.builtin import load_builtin_template
from tests.extraction.test_analysis_export import SUMMARY, printed_effects, reported, review, trial

KNOWN = ReportReference(
    study="Smith 2021",
    authors=("Smith, John A.", "张, 伟"),
    parts={"title": "Drug\nfor pain", "year": "2021", "journal": "The Journal", "doi": "10.1/x", "pmid": "123"},
    registrations=("NCT01234567",),
)


def written(format: str, *documents: DocumentResult, references: dict[str, ReportReference] | None = None) -> bytes:
    out = io.BytesIO()
    export(format, out, SUMMARY, load_builtin_template("rct"), documents, references=references)
    return out.getvalue()


def records(content: bytes) -> list[dict[str, list[str]]]:
    """RIS as a reader of it has it: each tag with its values, a record up to its ER."""
    found: list[dict[str, list[str]]] = [{}]
    for line in content.decode().split("\r\n"):
        if not line:
            continue
        tag, mark, value = line[:2], line[2:6], line[6:]
        assert mark == "  - ", line
        found[-1].setdefault(tag, []).append(value)
        if tag == "ER":
            found.append({})
    assert found.pop() == {}
    return found


def a_document(sha256: str = "aa") -> DocumentResult:
    groups = {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}}
    return replace(trial(1, groups), sha256=sha256)


def test_a_record_has_what_is_known_of_a_report_a_line_for_each_field() -> None:
    (record,) = records(written("ris", a_document(), references={"aa": KNOWN}))
    assert record == {
        "TY": ["JOUR"], "ID": ["1"], "TI": ["Drug for pain"], "AU": ["Smith, John A.", "张, 伟"], "PY": ["2021"],
        "T2": ["The Journal"], "DO": ["10.1/x"], "AN": ["123"], "C1": ["NCT01234567"],
        "N1": ["Study: Smith 2021"], "L1": ["Trial 1.pdf"], "ER": [""],
    }  # fmt: skip


def test_excluded_reports_are_no_references_of_the_review() -> None:
    excluded = replace(KNOWN, is_excluded=True)
    found = written("ris", a_document("aa"), a_document("bb"), references={"aa": excluded})
    assert len(records(found)) == 1


def test_a_report_that_nobody_has_read_is_known_by_its_file() -> None:
    (record,) = records(written("ris", a_document()))
    assert (record["TI"], record["N1"]) == (["Trial 1.pdf"], ["Study: Trial 1"])


@pytest.mark.parametrize(
    ("printed", "wanted"),
    [
        ("John A. Smith", "Smith, John A."),
        ("Smith, John", "Smith, John"),
        ("Smith JA", "Smith, JA"),
        ("Jan van der Berg", "van der Berg, Jan"),
        ("张伟", "张伟"),
        ("Plato", "Plato"),
    ],
)
def test_names_are_written_surname_first(printed: str, wanted: str) -> None:
    assert surname_first(printed) == wanted


def test_codes_are_attributes_of_the_set_and_carry_their_quotes() -> None:
    document = replace(a_document(), findings=(*a_document().findings, reported("", "design", "parallel")))
    found = json.loads(written("eppi", document, references={"aa": KNOWN}))
    attributes: dict[int, dict[str, Any]] = {}

    def walk(below: list[dict[str, Any]]) -> None:
        for one in below:
            assert one["AttributeId"] not in attributes
            attributes[one["AttributeId"]] = one
            walk(one.get("Attributes", {}).get("AttributesList", []))

    walk(found["CodeSets"][0]["Attributes"]["AttributesList"])
    (item,) = found["References"]
    assert (item["ItemId"], item["Title"], item["Year"]) == (1, "Drug\nfor pain", "2021")
    codes = {attributes[code["AttributeId"]]["AttributeName"]: code for code in item["Codes"]}
    assert len(codes) >= 5
    assert "Parallel groups" in codes  # the option itself is coded, not its text
    events = [code for code in item["Codes"] if code["AdditionalText"] == "3"]
    assert [quote["Text"] for quote in events[0]["ItemAttributeFullTextDetails"]] == ["r_events 3"]
    assert (events[0]["ArmTitle"], events[0]["IngatherState"]) == ("Group 1", "verified")


def test_an_empty_export_is_still_json() -> None:
    assert json.loads(written("eppi"))["References"] == []


def revman(*documents: DocumentResult) -> dict[str, list[dict[str, str]]]:
    with zipfile.ZipFile(io.BytesIO(written("revman", *documents))) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert texts["included.ris"].count("ER  - ") == len(documents)
    return {name: list(csv.DictReader(io.StringIO(text))) for name, text in texts.items() if name.endswith(".csv")}


def test_files_for_revman_hold_what_is_established_of_its_templates() -> None:
    found = revman(*review(50), *printed_effects())
    studies = {row["Study"] for row in found["study-information.csv"]}
    arms = {(row["Study"], row["Arm"]) for row in found["study-arms.csv"]}
    results = found["study-results.csv"]
    assert [tuple(found[name][0]) for name in ("study-information.csv", "study-arms.csv", "study-results.csv")] == [
        INFORMATION, ARMS, RESULTS,
    ]  # fmt: skip
    assert {study for study, _ in arms} <= studies
    assert {(row["Study"], row["Arm"]) for row in results} <= arms
    assert {(row["Study"], row["ReportReference arm"]) for row in results if row["ReportReference arm"]} <= arms
    keys = [(row["Study"], row["Outcome"], row["Arm"], row["Effect measure"]) for row in results]
    assert len(set(keys)) == len(keys) == 50 * 4 + 4
    numbers = set(RESULTS) - {
        "Study", "Outcome", "Data type", "Effect measure", "Arm", "ReportReference arm", "Footnotes"
    }  # fmt: skip
    for row in results:
        assert all(float(row[name]) is not None for name in numbers if row[name])
        assert row["Data type"] in {"Dichotomous", "Continuous"}


def test_a_printed_ratio_stands_in_the_columns_of_exponentials() -> None:
    rows = {row["Study"]: row for row in revman(*printed_effects())["study-results.csv"]}
    hazard = rows["Trial 101"]
    assert (hazard["Exp mean"], hazard["Exp CI start"], hazard["Mean"]) == ("0.7", "0.5", "")
    assert (rows["Trial 102"]["P value"], rows["Trial 103"]["t-test"], rows["Trial 104"]["SE"]) == (
        "0.03",
        "2.5",
        "0.5",
    )


def test_a_computed_number_is_marked_in_its_footnote() -> None:
    groups = {"Pain 1": {"r_mean": 19.0, "r_se": 0.5, "r_n": 36}, "Pain 2": {"r_mean": 17.5, "r_sd": 3.0, "r_n": 31}}
    first, second = revman(trial(1, groups))["study-results.csv"]
    assert first["Footnotes"] == "12 weeks; sd: SD = SE * √n; not reviewed"
    assert second["Footnotes"] == "12 weeks; not reviewed"


def test_an_outcome_at_two_times_is_two_outcomes_for_revman() -> None:
    groups = {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}}
    found = revman(trial(1, groups), trial(2, groups, when="1 year"))["study-results.csv"]
    assert {row["Outcome"] for row in found} == {"Death, 12 weeks", "Death, 1 year"}
