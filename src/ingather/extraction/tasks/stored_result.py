"""Findings as an item's result: plain JSON that the engine keeps, and back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

import orjson

from ingather.engine.codec import RESULT_CAP
from ingather.engine.errors import Reject
from ingather.extraction.cell_json import cell_from_json, cell_to_json
from ingather.extraction.findings import (
    CHECKS_VERSION,
    FIRST_CHECKS,
    ArmRole,
    CellPlace,
    DocumentArm,
    DocumentResult,
    Finding,
    Flag,
    Reason,
    Reread,
    Row,
    Span,
    State,
    Verdict,
)
from ingather.notice import error_notice, notice, notice_from_json, notice_to_json

LARGEST = RESULT_CAP
DELETED = notice(
    "task.paper_deleted",
    "This paper was deleted, so its words are not shown. Upload the same file again to see them.",
)
# Characters of a quote where the whole ones do not fit into one result. The spans still say where it goes on.
SHORT_QUOTE = 200


def to_json(
    rows: Iterable[Row],
    findings: Iterable[Finding],
    flags: Iterable[Flag],
    *,
    parser: str,
    source: str,
    arms: Sequence[DocumentArm] = (),
    named: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """`parser` made the text that the spans count in; `source` answered; today's checks judged.

    `arms` are those that answers to the review's questions hang on; `named`
    is which cells a model named for each question.

    One quote often proves a whole row of a table, so quotes and their spans
    are kept once and findings refer to them. Where all of it is still too
    much for one outcome, quotes are cut: the spans say where they go on.
    """
    rows, findings, flags = list(rows), list(findings), list(flags)
    size = 0
    for longest in (None, SHORT_QUOTE, 0):
        stored = _to_json(rows, findings, flags, longest)
        stored |= {"parser": parser, "source": source, "checks": CHECKS_VERSION}
        stored |= {"arms": arms_to_json(arms)} if arms else {}
        stored |= {"named": dict(named)} if named else {}
        size = len(orjson.dumps(stored))
        if size <= LARGEST:
            return stored
    raise Reject(
        notice(
            "task.findings_about_document_take_bytes",
            "The findings about this document take {size} bytes, and {most} is the most that can be kept of "
            "one. Ask fewer fields.",
            size=f"{size:,}",
            most=f"{LARGEST:,}",
        )
    )


def without_quotes(found: DocumentResult) -> DocumentResult:
    """The findings of a paper that was deleted: what was found stands, the words of the paper are gone."""
    findings = [
        replace(finding, quote="", spans=(), value_spans=(), subject_spans=(), cell=None, note=DELETED)
        if finding.quote or finding.spans or finding.cell
        else finding
        for finding in found.findings
    ]
    return replace(found, findings=tuple(findings))


def _to_json(
    rows: Sequence[Row], findings: Sequence[Finding], flags: Sequence[Flag], longest: int | None
) -> dict[str, Any]:
    return {
        "rows": [{"scope": row.scope, "key": row.key, "label": row.label, "parts": row.parts} for row in rows],
        **_findings_to_json(findings, longest),
        "flags": [
            {"rule": flag.rule, "row": flag.row, "fields": list(flag.fields), "message": notice_to_json(flag.message)}
            for flag in flags
        ],
    }


def _findings_to_json(findings: Sequence[Finding], longest: int | None) -> dict[str, Any]:
    places: dict[tuple[str, tuple[Span, ...]], int] = {}
    notes: dict[str, int] = {}
    table_cells: dict[CellPlace, int] = {}
    cells = []
    for finding in findings:
        cell: dict[str, Any] = {
            "field": finding.field,
            "row": finding.row,
            "state": finding.state.value,
            "value": finding.value,
            "verdict": finding.verdict.value,
            "source": finding.source,
        }
        if finding.quote or finding.spans:
            quote = finding.quote if longest is None or len(finding.quote) <= longest else finding.quote[:longest] + "…"
            cell["evidence"] = places.setdefault((quote, finding.spans), len(places))
        if finding.note:
            cell["note"] = notes.setdefault(finding.note, len(notes))
        if finding.cell is not None:
            cell["cell"] = table_cells.setdefault(finding.cell, len(table_cells))
        cells.append(cell | _proof(finding))
    return {
        "evidence": [[quote, [[span.page, span.start, span.end] for span in spans]] for quote, spans in places],
        "notes": [notice_to_json(note) for note in notes],
        **({"cells": [cell_to_json(one) for one in table_cells]} if table_cells else {}),
        "findings": cells,
    }


def _proof(finding: Finding) -> dict[str, Any]:
    """The parts of a finding that are stored only if it has them."""
    kept: dict[str, Any] = {}
    for name, spans in (("value_at", finding.value_spans), ("subject_at", finding.subject_spans)):
        if spans:
            kept[name] = [[span.page, span.start, span.end] for span in spans]
    return kept | {"reason": finding.reason.value} if finding.reason else kept


def reread_to_json(reread: Reread) -> dict[str, Any]:
    return {"arms": arms_to_json(reread.arms), "parser": reread.parser, **_findings_to_json(reread.findings, None)}


def reread_from_json(stored: dict[str, Any]) -> Reread:
    return Reread(arms=arms_from_json(stored["arms"]), findings=_findings_from_json(stored), parser=stored["parser"])


def arms_to_json(arms: Sequence[DocumentArm]) -> list[dict[str, Any]]:
    return [asdict(arm) for arm in arms]


def arms_from_json(stored: Iterable[Mapping[str, Any]]) -> tuple[DocumentArm, ...]:
    return tuple(
        DocumentArm(name=one["name"], other_names=tuple(one["other_names"]), role=ArmRole(one["role"]), n=one["n"])
        for one in stored
    )


def _findings_from_json(stored: Mapping[str, Any]) -> tuple[Finding, ...]:
    evidence = [(quote, _stored_spans(spans)) for quote, spans in stored["evidence"]]
    notes = [notice_from_json(note) for note in stored.get("notes", ())]
    cells = [cell_from_json(one) for one in stored.get("cells", ())]
    return tuple(
        replace(_stored_finding(one, evidence, notes), cell=cells[one["cell"]])
        if "cell" in one
        else _stored_finding(one, evidence, notes)
        for one in stored["findings"]
    )


def from_json(stored: dict[str, Any]) -> tuple[tuple[Row, ...], tuple[Finding, ...], tuple[Flag, ...]]:
    rows = tuple(Row(**row) for row in stored["rows"])
    findings = _findings_from_json(stored)
    flags = tuple(
        Flag(
            rule=flag["rule"], row=flag["row"], fields=tuple(flag["fields"]), message=notice_from_json(flag["message"])
        )
        for flag in stored["flags"]
    )
    return rows, findings, flags


def _stored_finding(
    cell: dict[str, Any], evidence: Sequence[tuple[str, tuple[Span, ...]]], notes: Sequence[str]
) -> Finding:
    quote, spans = evidence[cell["evidence"]] if "evidence" in cell else ("", ())
    return Finding(
        field=cell["field"],
        row=cell["row"],
        state=State(cell["state"]),
        value=cell["value"],
        quote=quote,
        verdict=Verdict(cell["verdict"]),
        spans=spans,
        source=cell["source"],
        note=_stored_note(cell.get("note", ""), notes),
        value_spans=_stored_spans(cell.get("value_at", ())),
        subject_spans=_stored_spans(cell.get("subject_at", ())),
        reason=Reason(cell["reason"]) if "reason" in cell else None,
    )


def _stored_spans(places: Iterable[Sequence[int]]) -> tuple[Span, ...]:
    return tuple(Span(page=page, start=start, end=end) for page, start, end in places)


def _stored_note(stored: int | str, notes: Sequence[str]) -> str:
    """The first results held each note as text; now a finding has the number of its note."""
    return stored if isinstance(stored, str) else notes[stored]


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
        problem=error_notice(error),
        rows=rows,
        findings=findings,
        flags=flags,
        checks_version=result.get("checks", FIRST_CHECKS) if result else CHECKS_VERSION,
        arms=arms_from_json(result.get("arms", ())) if result else (),
        parser=result.get("parser", "") if result else "",
    )
