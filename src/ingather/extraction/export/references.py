"""A report as a reference: what a reference manager wants to know of it, from findings and from its clues."""

from dataclasses import dataclass, field
from typing import Final

from ingather.extraction.analysis.cells import Cells, CellState, study_of
from ingather.extraction.findings import DocumentResult

# The fields of the templates that say what a report is, by the part of a reference that they fill.
_FIELDS: Final = {
    "title": "title",
    "year": "publication_year",
    "journal": "journal",
    "doi": "doi",
    "pmid": "pmid",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportReference:
    """A report of a study. Authors are written surname first. An excluded report is one that the review left out."""

    study: str = ""
    authors: tuple[str, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    registrations: tuple[str, ...] = ()
    is_excluded: bool = False


def reference_of(document: DocumentResult, known: ReportReference | None) -> ReportReference:
    """What a person said stands; then what was read from the file as a report; then what was extracted."""
    cells, known = Cells(document), known or ReportReference()
    parts: dict[str, str] = {}
    for part, name in _FIELDS.items():
        found = cells.text("", name)
        is_reviewed = cells.state("", name) is CellState.REVIEWED
        parts[part] = (found if is_reviewed else known.parts.get(part, "")) or found
    return ReportReference(
        study=known.study or study_of(document, cells),
        authors=known.authors,
        parts=parts,
        registrations=known.registrations,
        is_excluded=known.is_excluded,
    )
