"""Findings as an item's result: plain JSON that the engine keeps, and back."""

from collections.abc import Iterable, Sequence
from typing import Any

from ingather.extraction.findings import DocumentResult, Finding, Flag, Row, Span, State, Verdict


def to_json(
    rows: Iterable[Row], findings: Iterable[Finding], flags: Iterable[Flag], *, parser: str, source: str
) -> dict[str, Any]:
    """`parser` made the text that the spans count in; `source` answered."""
    return {
        "parser": parser,
        "source": source,
        "rows": [{"scope": row.scope, "key": row.key, "label": row.label, "parts": row.parts} for row in rows],
        "findings": [_finding(finding) for finding in findings],
        "flags": [
            {"rule": flag.rule, "row": flag.row, "fields": list(flag.fields), "message": flag.message} for flag in flags
        ],
    }


def from_json(told: dict[str, Any]) -> tuple[tuple[Row, ...], tuple[Finding, ...], tuple[Flag, ...]]:
    rows = tuple(Row(**row) for row in told["rows"])
    findings = tuple(
        Finding(
            **finding
            | {
                "state": State(finding["state"]),
                "verdict": Verdict(finding["verdict"]),
                "spans": tuple(Span(page=page, start=start, end=end) for page, start, end in finding["spans"]),
            }
        )
        for finding in told["findings"]
    )
    flags = tuple(Flag(**flag | {"fields": tuple(flag["fields"])}) for flag in told["flags"])
    return rows, findings, flags


def document_result(
    ordinal: int, document: Sequence[Any], state: str, result: dict[str, Any] | None, error: dict[str, Any] | None
) -> DocumentResult:
    """A document of a task, with what came of it so far."""
    document_id, sha256, file_name = document
    rows, findings, flags = from_json(result) if result else ((), (), ())
    return DocumentResult(
        ordinal=ordinal,
        document_id=document_id,
        file_name=file_name,
        sha256=sha256,
        state=state,
        problem=str(error.get("message", "")) if error else "",
        rows=rows,
        findings=findings,
        flags=flags,
    )


def _finding(finding: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {
        "field": finding.field,
        "row": finding.row,
        "state": finding.state.value,
        "value": finding.value,
        "quote": finding.quote,
        "verdict": finding.verdict.value,
        "spans": [[span.page, span.start, span.end] for span in finding.spans],
        "source": finding.source,
    }
    return told | {"note": finding.note} if finding.note else told
