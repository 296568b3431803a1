"""Results out: a task's findings as files that people and programs can read, with their proof beside them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO

from ingather.extraction.analysis.choices import Choices
from ingather.extraction.analysis.flow import FlowCounts
from ingather.extraction.analysis.study_numbers import USUAL
from ingather.extraction.export.analysis_zip import write_analysis
from ingather.extraction.export.csvfile import write_csv, write_csv_tables
from ingather.extraction.export.eppi import write_eppi
from ingather.extraction.export.extras import Extras
from ingather.extraction.export.form import FieldLike, TemplateLike
from ingather.extraction.export.jsonfile import write_json
from ingather.extraction.export.references import ReportReference
from ingather.extraction.export.report import write_html
from ingather.extraction.export.revman import write_revman
from ingather.extraction.export.ris import write_ris
from ingather.extraction.export.wording import LANGUAGES, Wording
from ingather.extraction.export.xlsx import write_xlsx
from ingather.extraction.findings import DocumentResult, TaskSummary

__all__ = ["FORMATS", "LANGUAGES", "FieldLike", "Format", "ReportReference", "TemplateLike", "export", "reviewed_part"]

Write = Callable[..., None]
"""Takes the file, the summary, the template, the results, the wording, and `extras` if it needs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A kind of file: how it is written, what its name ends with, and what HTTP calls it."""

    suffix: str
    media_type: str
    write: Write
    needs_extras: bool = False


def _json_export(
    out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult], wording: Wording
) -> None:
    del wording
    write_json(out, summary, template, results)


FORMATS: dict[str, Format] = {
    "xlsx": Format(
        suffix=".xlsx",
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        write=write_xlsx,
    ),
    "csv": Format(suffix=".csv", media_type="text/csv; charset=utf-8", write=write_csv),
    "csv-tables": Format(suffix=".zip", media_type="application/zip", write=write_csv_tables),
    "json": Format(suffix=".json", media_type="application/json", write=_json_export),
    "analysis": Format(suffix=".analysis.zip", media_type="application/zip", write=write_analysis, needs_extras=True),
    "revman": Format(suffix=".revman.zip", media_type="application/zip", write=write_revman, needs_extras=True),
    "ris": Format(suffix=".ris", media_type="application/x-research-info-systems", write=write_ris, needs_extras=True),
    "eppi": Format(suffix=".eppi.json", media_type="application/json", write=write_eppi, needs_extras=True),
    "html": Format(suffix=".html", media_type="text/html; charset=utf-8", write=write_html),
}


def export(
    format: str,
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    *,
    language: str = "en",
    only_reviewed: bool = False,
    choices: Choices = USUAL,
    references: Mapping[str, ReportReference] | None = None,
    recorded: FlowCounts | None = None,
) -> None:
    """Write results to `out`, which need not be seekable, in one pass: no more than a document or so is in memory.

    With `only_reviewed`, only the answers that a person has looked at. The
    analyst's choices concern what is computed; `references` are those of the
    reports, by the hash of their file; `recorded` is the flow of the review
    that its project has recorded.
    """
    if format not in FORMATS:
        raise ValueError(f"There is no export format {format!r}. Choose one of {', '.join(FORMATS)}.")
    if only_reviewed:
        results = map(reviewed_part, results)
    kind = FORMATS[format]
    extras = Extras(choices=choices, only_reviewed=only_reviewed, references=references or {}, recorded=recorded)
    more = {"extras": extras} if kind.needs_extras else {}
    kind.write(out, summary, template, results, Wording(language), **more)


def reviewed_part(document: DocumentResult) -> DocumentResult:
    """The document with those of its findings alone that a person has looked at."""
    return replace(document, findings=tuple(finding for finding in document.findings if finding.is_reviewed))
