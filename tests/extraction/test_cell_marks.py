"""How a cell stands at a glance: its mark, and why a person should look."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ingather.extraction.cell_marks import Attention, CellMark, FlaggedCells, attention_of_cell, mark_of_cell
from ingather.extraction.findings import (
    BELIEVED,
    Action,
    DocumentResult,
    Extracted,
    Finding,
    Flag,
    Review,
    State,
    Verdict,
)

A_TRIAL = Extracted(state=State.REPORTED, value="A trial", source="model")
REFUSALS = [Action.REJECTED, Action.NOT_REPORTED, Action.NOT_APPLICABLE, Action.UNCLEAR]


def finding(**more: Any) -> Finding:
    given: dict[str, Any] = {
        "field": "title",
        "row": "",
        "state": State.REPORTED,
        "value": "A trial",
        "quote": "A trial",
        "verdict": Verdict.VERIFIED,
        "spans": (),
        "source": "model",
    }
    return Finding(**given | more)


def review(action: Action) -> Review:
    return Review(
        ordinal=0,
        row="",
        field="title",
        revision=1,
        action=action,
        reviewer="ann",
        reviewed_at=datetime(2026, 1, 1, tzinfo=UTC),
        finding_sha256="",
    )


@pytest.mark.parametrize("verdict", Verdict)
def test_a_value_that_nobody_reviewed_has_its_verdict_for_a_mark(verdict: Verdict) -> None:
    one = finding(verdict=verdict)
    assert mark_of_cell(one) == verdict.value
    assert (attention_of_cell(one, is_flagged=False) is None) == (verdict in BELIEVED)


def test_a_value_computed_from_others_has_no_quote_and_needs_none() -> None:
    one = finding(source="computed", verdict=Verdict.NO_QUOTE, quote="")
    assert (mark_of_cell(one), attention_of_cell(one, is_flagged=False)) == (CellMark.COMPUTED, None)


@pytest.mark.parametrize("action", REFUSALS)
def test_a_value_that_a_person_refused_has_no_tick(action: Action) -> None:
    one = finding(state=State(action), value=None, source="reviewer", extracted=A_TRIAL, review=review(action))
    assert (mark_of_cell(one), attention_of_cell(one, is_flagged=True)) == (CellMark(action), None)


def test_a_review_of_another_value_leaves_the_verdict_and_asks_for_a_look() -> None:
    one = finding(review=review(Action.REJECTED), is_outdated=True)
    assert (mark_of_cell(one), attention_of_cell(one, is_flagged=False)) == (CellMark.VERIFIED, Attention.UNPROVEN)


@pytest.mark.parametrize("extracted", [A_TRIAL, None])
def test_the_code_says_nothing_of_a_value_that_a_person_gave(extracted: Extracted | None) -> None:
    one = finding(source="reviewer", extracted=extracted, review=review(Action.EDITED))
    assert mark_of_cell(one) is CellMark.GIVEN


@pytest.mark.parametrize(
    ("source", "quote", "verdict", "mark", "attention"),
    [
        ("embedded", "", Verdict.NO_QUOTE, CellMark.OPEN, None),
        ("model", "", Verdict.NO_QUOTE, CellMark.UNCLEAR, Attention.UNPROVEN),
        ("model", "two ways", Verdict.VERIFIED, CellMark.UNCLEAR, Attention.UNPROVEN),
        ("model", "two ways", Verdict.QUOTE_NOT_FOUND, CellMark.QUOTE_NOT_FOUND, Attention.UNPROVEN),
    ],
)
def test_what_was_never_looked_for_is_told_from_what_is_unclear(
    source: str, quote: str, verdict: Verdict, mark: CellMark, attention: Attention | None
) -> None:
    one = finding(state=State.UNCLEAR, value=None, source=source, quote=quote, verdict=verdict)
    assert (mark_of_cell(one), attention_of_cell(one, is_flagged=False)) == (mark, attention)


def test_an_absence_needs_a_look_only_where_its_quote_does_not_hold() -> None:
    absent = finding(state=State.NOT_REPORTED, value=None, quote="", verdict=Verdict.NO_QUOTE)
    assert (mark_of_cell(absent), attention_of_cell(absent, is_flagged=False)) == (CellMark.NOT_REPORTED, None)
    made_up = finding(state=State.NOT_REPORTED, value=None, verdict=Verdict.QUOTE_NOT_FOUND)
    assert attention_of_cell(made_up, is_flagged=False) is Attention.UNPROVEN


def test_what_contradicts_the_paper_comes_before_what_nothing_proves_and_a_broken_rule_last() -> None:
    marks = [Verdict.NUMBER_MISMATCH, Verdict.POLARITY_MISMATCH, Verdict.UNBOUND, Verdict.VERIFIED]
    found = [attention_of_cell(finding(verdict=verdict), is_flagged=True) for verdict in marks]
    assert found == [Attention.CONTRADICTED, Attention.CONTRADICTED, Attention.UNPROVEN, Attention.RULE_BROKEN]


def test_a_rule_about_rows_of_another_kind_concerns_the_field_in_every_row() -> None:
    flags = (
        Flag(rule="adds_up", row="", fields=("arm_n",), message=""),
        Flag(rule="positive", row="arm/1", fields=("arm_sd",), message=""),
    )
    findings = tuple(finding(row=row, field=field) for row in ("arm/1", "arm/2") for field in ("arm_n", "arm_sd"))
    flagged = FlaggedCells(
        DocumentResult(
            ordinal=0, document_id=1, file_name="a.pdf", sha256="", state="completed", findings=findings, flags=flags
        )
    )
    assert [(one.row, one.field) in flagged for one in findings] == [True, True, True, False]
