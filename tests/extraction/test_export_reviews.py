"""Reviews in exports: what people said stands, what was extracted stays beside it, and what nobody saw is counted."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest

from ingather.extraction.export import FORMATS
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import Action, DocumentResult, Extracted, Finding, Review, State, Value, Verdict
from tests.extraction.test_export import (
    HOSTILE,
    Page,
    csv_records,
    exported,
    found,
    missing,
    paper,
    parts,
    readable,
    records,
    sheets,
    unquoted,
    wide,
)

AT = datetime(2026, 3, 2, 10, 30, 5, 999, tzinfo=UTC)


def review(field: str, action: Action, value: Value = None, **more: Any) -> Review:
    written: dict[str, Any] = {"ordinal": 0, "row": "", "revision": 1, "reviewer": "Ann", "reviewed_at": AT}
    return Review(field=field, action=action, value=value, finding_sha256="ab" * 32, **written | more)


def changed(finding: Finding, reviews: Review, state: State, value: Value = None) -> Finding:
    was = Extracted(state=finding.state, value=finding.value, source=finding.source)
    return replace(finding, state=state, value=value, source="reviewer", extracted=was, review=reviews)


EDITED = review("n_total", Action.EDITED, 90, note="Table 1", revision=2)
REJECTED = review("registration", Action.REJECTED)
ACCEPTED = review("title", Action.ACCEPTED, reviewer="Bob")
OLD = review("countries", Action.ACCEPTED)
DOCUMENT = paper(
    replace(found("title", "Sleep", verdict=Verdict.QUOTE_NOT_FOUND), review=ACCEPTED),
    changed(found("registration", "NCT1"), REJECTED, State.REJECTED),
    changed(found("n_total", 120), EDITED, State.REPORTED, 90),
    replace(found("countries", ["Chile"]), review=OLD, is_outdated=True),
    missing("blinded", State.NOT_REPORTED),
    reviews=(review("n_total", Action.ACCEPTED), EDITED, REJECTED, ACCEPTED, OLD),
)


def settings_of(data: bytes) -> dict[str, Any]:
    return {row["Setting"]: row["Value"] for row in records(data, "Settings")}


def test_what_people_said_stands_in_the_tables() -> None:
    [study] = wide(exported("xlsx", DOCUMENT), "Studies")
    assert (study["title"], study["n_total"], study["registration"]) == ("Sleep", 90, "rejected by a person")
    assert (study["Reviewed"], study["Values reported"], study["To look at"]) == (3, 3, 1)


def test_evidence_has_what_was_extracted_beside_what_stands_and_who_said_so() -> None:
    by_field = {row["Field id"]: row for row in records(exported("xlsx", DOCUMENT), "Evidence")}
    columns = ("Value", "Extracted before", "Review", "Reviewer", "Reviewed at", "Reviewer's note", "Source")
    assert [by_field["n_total"][column] for column in columns] == [
        *(90, 120, "edited", "Ann", "2026-03-02T10:30:05+00:00", "Table 1", "reviewer")
    ]
    assert [by_field["registration"][column] for column in columns[:4]] == ["", "NCT1", "rejected", "Ann"]
    assert [by_field["title"][column] for column in columns[:4]] == ["Sleep", "", "accepted", "Bob"]
    assert by_field["countries"]["Review"] == "outdated: accepted"
    assert by_field["blinded"]["Review"] == "not reviewed"


def test_the_audit_sheet_has_every_review_there_ever_was() -> None:
    written = records(exported("xlsx", DOCUMENT), "Audit")
    assert [(row["Field id"], row["Revision"], row["Review"], row["Value given"]) for row in written] == [
        ("n_total", 1, "accepted", ""),
        ("n_total", 2, "edited", 90),
        ("registration", 1, "rejected", ""),
        ("title", 1, "accepted", ""),
        ("countries", 1, "accepted", ""),
    ]
    counts = [row["Counts"] for row in written]
    assert counts == ["no, superseded or taken back", "yes", "yes", "yes", "outdated"]


def test_every_format_says_how_much_nobody_has_reviewed() -> None:
    written = settings_of(exported("xlsx", DOCUMENT))
    assert written["Answers a person has reviewed"] == 3
    assert written["Answers NO person has reviewed"] == 2
    assert written["Reported values no person has reviewed"] == 1
    assert written["Reported values that are NOT verified"] == 0  # a person vouches for the one
    assert (written["Reviewed: edited"], written["Reviewed: accepted"], written["Reviewed: rejected"]) == (1, 1, 1)
    assert written["Reviews that are outdated and do not count"] == 1
    counted = json.loads(exported("json", DOCUMENT))["reviewed"]
    assert counted == {
        "answers": 5, "reviewed": 3, "unreviewed": 2, "unreviewed_values": 1, "outdated": 1,
        "accepted": 1, "edited": 1, "not_reported": 0, "not_applicable": 0, "unclear": 0, "rejected": 1,
    }  # fmt: skip
    page = exported("html", DOCUMENT).decode()
    assert '<th>Answers NO person has reviewed</th><td class="attention">2</td>' in page
    assert "Answers NO person has reviewed,2" in parts(exported("csv-tables", DOCUMENT))["settings.csv"]


def test_json_keeps_reviews_whole() -> None:
    [document] = json.loads(exported("json", DOCUMENT))["documents"]
    [number] = [one for one in document["findings"] if one["field"] == "n_total"]
    assert (number["value"], number["extracted"]["value"], number["review"]["action"]) == (90, 120, "edited")
    assert number["review"]["reviewed_at"] == "2026-03-02T10:30:05+00:00"
    assert [one["revision"] for one in document["reviews"]] == [1, 2, 1, 1, 1]


def test_the_report_can_be_filtered_by_review() -> None:
    page = Page(exported("html", DOCUMENT))
    reviews = [value for name, value in page.attributes if name == "data-review"]
    assert (reviews.count("reviewed"), reviews.count("unreviewed")) == (3, 2)


def hostile(text: str) -> DocumentResult:
    reviews = review("title", Action.EDITED, text, note=text, reviewer=text or "x")
    return paper(changed(found("title", "A"), reviews, State.REPORTED, text), reviews=(reviews,))


def test_what_a_reviewer_types_stays_text_everywhere() -> None:
    documents = [hostile(text) for text in HOSTILE]
    data, texts = exported("xlsx", *documents), [readable(text) for text in HOSTILE]
    for sheet, column in (("Evidence", "Value"), ("Audit", "Value given")):
        written = records(data, sheet)
        assert [row[column] for row in written] == texts
        assert [row["Reviewer's note"] for row in written] == texts
    for name, content in parts(data).items():
        assert not any(element.tag.endswith("}f") for element in ElementTree.fromstring(content).iter()), name
    for line, text in zip(csv_records(exported("csv", *documents)), texts, strict=True):
        assert [unquoted(line[column]) for column in ("Value", "Reviewer's note")] == [text] * 2
    tame = Page(exported("html", *(hostile("tame") for _ in HOSTILE)))
    assert Page(exported("html", *documents)).tags == tame.tags


@pytest.mark.parametrize("format", list(FORMATS))
def test_an_export_with_reviews_has_the_same_bytes_each_time_in_both_languages(format: str) -> None:
    for language in ("en", "zh"):
        assert exported(format, DOCUMENT, language=language) == exported(format, DOCUMENT, language=language)
    assert "审核记录" in sheets(exported("xlsx", DOCUMENT, language="zh"))


def test_every_action_has_words_in_both_languages() -> None:
    for language in ("en", "zh"):
        assert all(Wording(language)[f"action.{action}"] for action in Action)
