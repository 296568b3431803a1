"""The included reports as RIS, which reference managers read, and RevMan before study data."""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from ingather.extraction.export.extras import Extras
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.references import ReportReference, reference_of
from ingather.extraction.export.text import clean
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, TaskSummary

_WHITE: Final = re.compile(r"\s+")


def write_ris(
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    wording: Wording,
    *,
    extras: Extras,
) -> None:
    """A record for each report that the review did not exclude. The note names its study."""
    del summary, template, wording  # a reference is the same in every language
    out.writelines(ris_record(document, extras).encode() for document in results)


def ris_record(document: DocumentResult, extras: Extras) -> str:
    """The record of one report; nothing where the review excluded it."""
    reference = reference_of(document, extras.references.get(document.sha256))
    if reference.is_excluded:
        return ""
    lines = (f"{tag}  - {text}" for tag, text in _fields_of_record(document, reference))
    return "".join(f"{line}\r\n" for line in (*lines, ""))


def _fields_of_record(document: DocumentResult, reference: ReportReference) -> Iterator[tuple[str, str]]:
    parts = reference.parts
    yield "TY", "JOUR"
    yield "ID", str(document.document_id)
    yield "TI", _one_line(parts["title"] or document.file_name)
    for author in reference.authors:
        yield "AU", _one_line(author)
    for tag, text in (("PY", parts["year"]), ("T2", parts["journal"]), ("DO", parts["doi"])):
        if text:
            yield tag, _one_line(text)
    if parts["pmid"]:
        yield "AN", _one_line(parts["pmid"])
    for registration in reference.registrations:
        yield "C1", _one_line(registration)
    yield "N1", _one_line(f"Study: {reference.study}")
    yield "L1", _one_line(document.file_name)
    yield "ER", ""


def _one_line(text: str) -> str:
    """A record has a line for each field, so a line break inside one would begin another."""
    return _WHITE.sub(" ", clean(text)).strip()
