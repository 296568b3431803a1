"""RIS, read by rispy, one record after the other, so that a broken one takes no other with it. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

import rispy

from ingather.extraction.references.reference import Reference, UnreadableReference, reference_of
from ingather.notice import notice

_START: Final = re.compile(r"^[ \t\ufeff]{0,3}TY {1,2}-", re.MULTILINE)
_END: Final = re.compile(r"^ER {1,2}-", re.MULTILINE)
_TAG: Final = re.compile(r"^([A-Z][A-Z0-9]) {1,2}- ?", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t\ufeff]{1,3}(?=TY {1,2}-)")


def read(text: str) -> list[Reference | UnreadableReference]:
    starts = [match.start() for match in _START.finditer(text)]
    found: list[Reference | UnreadableReference] = []
    line, last = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", last, start)
        last = start
        found.append(_record(text[start:end], line))
    return found


def _record(chunk: str, line: int) -> Reference | UnreadableReference:
    # rispy wants two spaces before each dash, and an end, and drops a record without one.
    body = _TAG.sub(r"\1  - ", _INDENT.sub("", chunk))
    if not _END.search(body):
        body = f"{body.rstrip()}\nER  - \n"
    try:
        [record] = rispy.loads(body)
    except (ValueError, KeyError, IndexError, OSError) as error:
        return UnreadableReference(
            line=line,
            text=chunk[:120].strip(),
            sentence=notice("references.record_broken", "This record cannot be read: {why}", why=str(error)[:200]),
        )
    return _reference(record, line)


def _reference(record: Mapping[str, Any], line: int) -> Reference:
    def first(*names: str) -> Any:
        return next((record[name] for name in names if record.get(name)), "")

    urls = " ".join(map(str, record.get("urls", [])))
    database = str(first("name_of_database", "database_provider"))
    notes = record.get("notes", [])
    is_pubmed = re.search(r"pubmed|medline|nlm", database, re.IGNORECASE) is not None
    return reference_of(
        line,
        title=first("primary_title", "title", "translated_title", "short_title"),
        authors=first("authors", "first_authors", "secondary_authors") or [],
        year=first("year", "publication_year", "date"),
        doi=first("doi") or urls,
        pmid=first("pubmed_id") or (first("accession_number") if is_pubmed else _pubmed_in(urls)),
        journal=first("journal_name", "secondary_title", "alternate_title1", "alternate_title3", "alternate_title2"),
        abstract=first("abstract", "notes_abstract"),
        numbers=f"{first('accession_number')} {' '.join(map(str, notes)) if isinstance(notes, list) else notes}",
        kind=f"{first('type_of_reference')} {first('type_of_work')}",
    )


def _pubmed_in(urls: str) -> str:
    found = re.search(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d{5,8})", urls)
    return found[1] if found else ""
