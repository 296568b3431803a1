"""A finding, as it goes over the wire."""

from collections.abc import Iterable
from dataclasses import asdict

from ingather.extraction.cell_marks import Attention, mark_of_cell
from ingather.extraction.findings import Finding, Span
from ingather.notice import notice_to_json


def finding_shape(
    found: Finding, *, attention: Attention | None, is_acceptable: bool, is_checked: bool = False
) -> dict[str, object]:
    was, review = found.extracted, found.review
    return {
        "field": found.field,
        "row": found.row,
        "state": found.state,
        "value": found.value,
        "quote": found.quote,
        "verdict": found.verdict,
        "spans": _finding_span_shapes(found.spans),
        "value_spans": _finding_span_shapes(found.value_spans),
        "subject_spans": _finding_span_shapes(found.subject_spans),
        "reason": found.reason,
        "source": found.source,
        "note": notice_to_json(found.note),
        "extracted": {"state": was.state, "value": was.value, "source": was.source} if was else None,
        "review": {
            "revision": review.revision,
            "action": review.action,
            "value": review.value,
            "note": review.note,
            "by": review.reviewer,
            "at": review.reviewed_at,
            "is_outdated": found.is_outdated,
            "has_cell": review.cell is not None,
            "checked_by": review.reviewer if is_checked else None,
            "passage": asdict(review.passage) if review.passage else None,
        }
        if review
        else None,
        "cell": asdict(cell) if (cell := found.standing_cell or found.cell) else None,
        "mark": mark_of_cell(found),
        "attention": attention,
        "is_acceptable": is_acceptable,
    }


def _finding_span_shapes(spans: Iterable[Span]) -> list[dict[str, int]]:
    return [{"page": span.page, "start": span.start, "end": span.end} for span in spans]
