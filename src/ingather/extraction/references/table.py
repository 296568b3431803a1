"""References as a table with a header: CSV, or columns between tabs or semicolons. Pure."""

import csv
import re
from typing import Final

from ingather.extraction.references.reference import Reference, UnreadableReference, reference_of
from ingather.notice import notice

# The names that databases and screening tools give their columns, in lower case and without marks.
_COLUMNS: Final = {
    "title": (
        "title",
        "article title",
        "primary title",
        "document title",
        "brief title",
        "study title",
        "题名",
        "标题",
    ),
    "authors": ("authors", "author", "author s", "author full names", "作者"),
    "year": ("year", "publication year", "date", "published year", "create date", "pub year", "年份", "年"),
    "doi": ("doi", "doi link", "doi url"),
    "pmid": ("pmid", "pubmed id", "pubmed number", "ref pmid"),
    "journal": (
        "journal",
        "journal book",
        "source",
        "source title",
        "publication title",
        "secondary title",
        "期刊",
        "刊名",
    ),
    "abstract": ("abstract", "abstract note", "摘要"),
    "numbers": ("nct number", "trial id", "registration", "accession number", "notes"),
    "kind": ("type", "item type", "publication type", "document type"),
}
# Characters of one cell. The module's own limit refuses an abstract of a million.
_LARGEST_CELL: Final = 20_000_000
_SPLIT: Final = re.compile(r"\s*;\s*|\s+and\s+|\s*\|\s*")


def read(text: str) -> list[Reference | UnreadableReference]:
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    delimiter = max((",", "\t", ";"), key=head.count)
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    columns: dict[str, int] = {}
    found: list[Reference | UnreadableReference] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                if not columns:
                    columns = _columns_of(row)
                    if not {"title", "doi", "pmid"} & set(columns):
                        return []
                else:
                    found.append(_reference(row, columns, line))
            line = reader.line_num + 1
    except csv.Error as error:
        found.append(
            UnreadableReference(
                line=line,
                text="",
                sentence=notice("references.record_broken", "This record cannot be read: {why}", why=str(error)[:200]),
            )
        )
    return found


def _columns_of(row: list[str]) -> dict[str, int]:
    names = [" ".join(re.findall(r"[^\W_]+", cell.casefold())) for cell in row]
    return {
        column: names.index(name)
        for column, known in _COLUMNS.items()
        for name in [next((one for one in known if one in names), "")]
        if name
    }


def _reference(row: list[str], columns: dict[str, int], line: int) -> Reference | UnreadableReference:
    if max(columns.values()) >= len(row):
        return UnreadableReference(
            line=line,
            text=" ".join(row)[:120],
            sentence=notice("references.row_short", "This row has fewer columns than the header."),
        )
    cells = {column: row[place] for column, place in columns.items()}
    names = cells.pop("authors", "")
    # Where no other mark divides names, commas do: `Smith J, Li K`.
    authors = _SPLIT.split(names) if _SPLIT.search(names) else re.split(r"\s*,\s+(?=\S+ [A-Z])", names)
    return reference_of(line, authors=authors, **cells)
