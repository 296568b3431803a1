"""A file of references read, whatever its format: found by its content, every record by itself. Pure."""

import re
from collections.abc import Callable
from typing import Final

from ingather.engine.errors import UsageError
from ingather.extraction.references import bibtex, endnote, identifiers, nbib, ris, table
from ingather.extraction.references.reference import Reference, ReferenceFile, UnreadableReference
from ingather.notice import notice

# Bytes of one file. Ten thousand references with abstracts have twenty million.
LARGEST_FILE: Final = 50_000_000
# References of one file. A review that finds more searches again with narrower terms.
MOST_REFERENCES: Final = 20_000
# Places that could not be read and are listed one by one; the others are counted.
MOST_UNREADABLE: Final = 500

Found = Reference | UnreadableReference
_READERS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], list[Found]]], ...]] = (
    ("endnote", re.compile(r"\s*(?:<\?xml|<xml\b|<records\b)"), endnote.read),
    ("nbib", re.compile(r"^PMID- ", re.MULTILINE), nbib.read),
    ("ris", re.compile(r"^[ \t\ufeff]{0,3}TY {1,2}-", re.MULTILINE), ris.read),
    ("bibtex", re.compile(r"^\s*@\s*[A-Za-z]+\s*[{(]", re.MULTILINE), bibtex.read),
)


def read_references(data: bytes) -> ReferenceFile:
    """All references that a file gives. What cannot be read is listed with its line, and the others are taken."""
    if len(data) > LARGEST_FILE:
        raise UsageError(
            notice(
                "references.too_large", "A file of references has at most {most} MB.", most=LARGEST_FILE // 1_000_000
            )
        )
    text, notes = decoded(data)
    name, found = _read(text)
    references = [one for one in found if isinstance(one, Reference) and not one.is_empty]
    unreadable = [one for one in found if isinstance(one, UnreadableReference)]
    unreadable += [_nothing_in(one) for one in found if isinstance(one, Reference) and one.is_empty]
    if len(references) > MOST_REFERENCES:
        raise UsageError(
            notice("references.too_many", "A file has at most {most} references.", most=f"{MOST_REFERENCES:,}")
        )
    if not references and not unreadable:
        raise UsageError(
            notice(
                "references.unknown_format",
                "There are no references in this file. It may be RIS, BibTeX, EndNote XML, PubMed nbib, CSV, or a list "
                "of DOIs or PubMed numbers.",
            )
        )
    unreadable.sort(key=lambda one: one.line)
    return ReferenceFile(
        format=name, references=tuple(references), unreadable=tuple(unreadable[:MOST_UNREADABLE]), notes=tuple(notes)
    )


def _read(text: str) -> tuple[str, list[Found]]:
    # Only what comes first decides: an abstract of another format may hold anything.
    start = text[:20_000]
    for name, pattern, read in _READERS:
        if pattern.search(start):
            return name, read(text)
    if found := identifiers.read(text):
        return "identifiers", list(found)
    return "csv", table.read(text)


def _nothing_in(reference: Reference) -> UnreadableReference:
    return UnreadableReference(
        line=reference.line,
        text=reference.journal or reference.abstract[:80],
        sentence=notice("references.nothing_in_it", "It has no title, no DOI and no PubMed number."),
    )


def decoded(data: bytes) -> tuple[str, list[str]]:
    """The text of a file in the encoding that it seems to have, and a note where that had to be guessed."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _lines(data.decode("utf-16", "replace")), []
    try:
        return _lines(data.decode("utf-8-sig")), []
    except UnicodeDecodeError:
        pass
    name, text = "Windows-1252", data.decode("cp1252", "replace")
    try:
        chinese = data.decode("gb18030")
    except UnicodeDecodeError:
        chinese = ""
    # Chinese characters stand beside each other; an accented letter read as one stands among Latin letters.
    runs = re.findall(r"[\u4e00-\u9fff]+", chinese)
    together = sum(len(run) for run in runs if len(run) > 1)
    if 2 * together > sum(map(len, runs)):
        name, text = "GB 18030", chinese
    guessed = notice("references.encoding_guessed", "The file is not in UTF-8. It was read as {name}.", name=name)
    return _lines(text), [guessed]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
