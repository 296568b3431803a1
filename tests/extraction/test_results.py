"""Findings as the engine keeps them: all of them come back, and a paper with very many still fits."""

from typing import Any

import orjson
import pytest

from ingather.engine.codec import RESULT_CAP, encode_result
from ingather.engine.errors import Reject
from ingather.extraction.findings import CHECKS_VERSION, FIRST_CHECKS, Finding, Flag, Reason, Row, Span, State, Verdict
from ingather.extraction.tasks.stored_result import document_result, from_json, to_json

ROW = Row(scope="arm", key="arm/1", label="Exercise", parts={})
FLAG = Flag(rule="rows_left_out", row="", fields=("r_n",), message="Two more.")


def finding(n: int = 0, **more: Any) -> Finding:
    stored_form: dict[str, Any] = {
        "field": f"field_{n}",
        "row": "arm/1",
        "state": State.REPORTED,
        "value": n,
        "quote": "of 120 people",
        "verdict": Verdict.VERIFIED,
        "spans": (Span(page=0, start=3, end=16), Span(page=1, start=0, end=4)),
        "source": "test-model",
    }
    return Finding(**stored_form | more)


FINDINGS = [
    finding(0),
    finding(1, note="Look at it."),
    finding(2, value=["a", "b"], verdict=Verdict.UNSUPPORTED_VALUE),
    finding(3, quote="", spans=(), verdict=Verdict.NO_QUOTE, value=None, state=State.NOT_REPORTED),
    finding(5, verdict=Verdict.UNBOUND, reason=Reason.OTHER_ARM),
    finding(6, value_spans=(Span(page=0, start=6, end=9),), subject_spans=(Span(page=0, start=10, end=16),)),
    finding(4, quote="found nowhere", spans=(), verdict=Verdict.QUOTE_NOT_FOUND, value=1.5),
]


def stored(findings: list[Finding]) -> dict[str, Any]:
    """As it comes back from the database."""
    stored_form: dict[str, Any] = orjson.loads(
        encode_result(to_json([ROW], findings, [FLAG], parser="pdf 1", source="test-model"))
    )
    return stored_form


def test_what_was_found_comes_back_as_it_was() -> None:
    assert from_json(stored(FINDINGS)) == ((ROW,), tuple(FINDINGS), (FLAG,))


def test_results_stored_before_values_were_bound_load_and_say_so() -> None:
    new = to_json([ROW], [finding(0)], [FLAG], parser="pdf 1", source="test-model")
    old = {key: kept for key, kept in new.items() if key != "checks"}
    judged = [document_result(0, (7, "ab", "a.pdf"), "completed", result, None) for result in (old, new)]

    assert [one.checks_version for one in judged] == [FIRST_CHECKS, CHECKS_VERSION]
    assert [one.findings[0].verdict for one in judged] == [Verdict.VERIFIED, Verdict.VERIFIED]


def test_a_quote_that_proves_a_whole_row_is_kept_once() -> None:
    stored_form = stored([finding(n, quote="q" * 300) for n in range(20)])
    assert len(stored_form["evidence"]) == 1
    assert len({cell["evidence"] for cell in stored_form["findings"]}) == 1


@pytest.mark.parametrize("letter", ["q", "语"])
def test_forty_rows_of_every_scope_with_the_longest_quotes_fit(letter: str) -> None:
    rows, cells = 4 * 40, 18
    findings = [
        finding(n, row=f"arm_result/{row}", quote=f"{row} {letter * 1_990}")
        for row in range(rows)
        for n in range(cells)
    ]
    back = from_json(stored(findings))[1]
    assert [(one.row, one.field, one.value, one.spans) for one in back] == [
        (one.row, one.field, one.value, one.spans) for one in findings
    ]
    for one, was in zip(back, findings, strict=True):
        assert one.quote == was.quote or (one.quote.endswith("…") and was.quote.startswith(one.quote[:-1]))


def test_what_cannot_fit_is_refused_in_words_for_people() -> None:
    with pytest.raises(Reject, match="Ask fewer fields") as caught:
        stored([finding(n, value="v" * 20_000) for n in range(60)])
    assert f"{RESULT_CAP:,}" in str(caught.value)


def test_a_document_that_failed_says_why_and_has_nothing_else() -> None:
    stored_form = document_result(3, (7, "ab", "a.pdf"), "error", None, {"message": "It is locked."})
    assert (stored_form.ordinal, stored_form.document_id, stored_form.file_name, stored_form.problem) == (
        3,
        7,
        "a.pdf",
        "It is locked.",
    )
    assert (stored_form.rows, stored_form.findings, stored_form.flags) == ((), (), ())
