"""Codes and references as EPPI-Reviewer writes them in JSON, with the quotes of each code.

The shape is that of EPPI-Reviewer's own export, as public programs read it:
`CodeSets` with a tree of attributes, and `References` with the codes of each
item. Keys that begin with `Ingather` are ours; readers pass them over.
"""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

import orjson

from ingather.extraction.cell_marks import mark_of_cell
from ingather.extraction.export.extras import Extras
from ingather.extraction.export.form import FieldLike, TemplateLike, label_of
from ingather.extraction.export.lookup import Lookup
from ingather.extraction.export.references import reference_of
from ingather.extraction.export.text import text_of, without_surrogates
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, Finding, State, TaskSummary

# Attributes are numbered field by field. The options of a field follow it, so a field has room for 999 of them.
ROOM_FOR_OPTIONS: Final = 1_000
_SELECTABLE: Final = "Selectable (show checkbox)"


def write_eppi(
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    wording: Wording,
    *,
    extras: Extras,
) -> None:
    """One code set of the template's fields, then one reference for each document, written as they come."""
    ids = {field.id: number * ROOM_FOR_OPTIONS for number, field in enumerate(template.fields, 1)}
    code_set = _code_set(summary, template, ids, wording.language)
    out.write(b'{"CodeSets":[' + _json(code_set) + b'],"References":[')
    for place, document in enumerate(results):
        out.write(b",\n" if place else b"\n")
        out.write(_json(_eppi_reference(document, template, ids, extras)))
    out.write(b"\n]}\n")


def _code_set(summary: TaskSummary, template: TemplateLike, ids: dict[str, int], language: str) -> dict[str, Any]:
    sections: dict[str, list[dict[str, Any]]] = {}
    for field in template.fields:
        sections.setdefault(field.section, []).append(_eppi_attribute(field, ids[field.id], language))
    names = {section.id: label_of(section, language) for section in template.sections}
    attributes = [
        _attribute(-number, names.get(section, section), "Not selectable (no checkbox)", "", found)
        for number, (section, found) in enumerate(sections.items(), 1)
    ]
    return {
        "SetName": label_of(template, language),
        "SetId": summary.task_id,
        "ReviewSetId": summary.task_id,
        "SetDescription": f"{summary.template_id}, {summary.template_version}",
        "Attributes": {"AttributesList": attributes},
    }


def _eppi_attribute(field: FieldLike, number: int, language: str) -> dict[str, Any]:
    options = [
        _attribute(number + place, label_of(option, language), _SELECTABLE, "", [])
        for place, option in enumerate(field.options, 1)
    ]
    return _attribute(number, label_of(field, language), _SELECTABLE, field.instruction, options)


def _attribute(number: int, name: str, kind: str, description: str, below: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "AttributeId": number,
        "AttributeName": name,
        "AttributeType": kind,
        "AttributeDescription": description,
        "AttributeSetDescription": "",
        "ExtURL": "",
        "ExtType": "",
        "OriginalAttributeID": 0,
    }
    return found | ({"Attributes": {"AttributesList": below}} if below else {})


def _eppi_reference(
    document: DocumentResult, template: TemplateLike, ids: dict[str, int], extras: Extras
) -> dict[str, Any]:
    reference = reference_of(document, extras.references.get(document.sha256))
    parts = reference.parts
    return {
        "Codes": list(_codes(document, {field.id: field for field in template.fields}, ids)),
        "Outcomes": [],
        "ItemId": document.document_id,
        "Title": parts["title"] or document.file_name,
        "ParentTitle": parts["journal"],
        "ShortTitle": reference.study,
        "Authors": "; ".join(reference.authors),
        "Year": parts["year"],
        "DOI": parts["doi"],
        "Abstract": "",
        "Comments": document.problem,
        "TypeName": "Journal, Article",
        "ItemStatus": "E" if reference.is_excluded else "I",
    }


def _codes(document: DocumentResult, fields: dict[str, FieldLike], ids: dict[str, int]) -> Iterator[dict[str, Any]]:
    lookup = Lookup(document)
    arms = {row.key: number for number, row in enumerate((one for one in document.rows if one.scope == "arm"), 1)}
    arm_of = {row.key: row.parts.get("arm", row.key if row.scope == "arm" else "") for row in document.rows}
    for finding in document.findings:
        field = fields.get(finding.field)
        if field is None or finding.state is not State.REPORTED:
            continue
        arm = arm_of.get(finding.row, "")
        for number, text in _coded(finding, field, ids[finding.field]):
            yield {
                "AttributeId": number,
                "AdditionalText": text,
                "ArmId": arms.get(arm, 0),
                "ArmTitle": lookup.label(arm) if arm in arms else "",
                "ItemAttributeFullTextDetails": _quotes(document, finding, lookup.label(arm) if arm in arms else ""),
                "IngatherRow": finding.row,
                "IngatherRowLabel": lookup.label(finding.row),
                "IngatherState": "reviewed" if finding.is_reviewed else mark_of_cell(finding).value,
            }


def _coded(finding: Finding, field: FieldLike, number: int) -> Iterator[tuple[int, str]]:
    """The attribute of each option that is chosen, or that of the field with the value as text."""
    options = {option.id: number + place for place, option in enumerate(field.options, 1)}
    values = finding.value if isinstance(finding.value, list) else [finding.value]
    chosen = [options[value] for value in values if isinstance(value, str) and value in options]
    yield from ((option, "") for option in chosen)
    if not chosen:
        yield number, text_of(finding.value)


def _quotes(document: DocumentResult, finding: Finding, arm: str) -> list[dict[str, Any]]:
    if not finding.quote:
        return []
    span = finding.spans[0] if len(finding.spans) == 1 else None
    return [
        {
            "ItemDocumentId": document.document_id,
            "TextFrom": span.start if span else 0,
            "TextTo": span.end if span else 0,
            "Text": finding.quote,
            "IsFromPDF": document.file_name.lower().endswith(".pdf"),
            "DocTitle": document.file_name,
            "ItemArm": arm,
            "IngatherPages": [page + 1 for page in finding.pages],
        }
    ]


def _json(value: dict[str, Any]) -> bytes:
    return orjson.dumps(_clean(value))


def _clean(value: Any) -> Any:
    """The same with U+FFFD for what UTF-8 cannot say."""
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {key: _clean(item) for key, item in value.items()}
    return value
