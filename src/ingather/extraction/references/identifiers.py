"""Lists of DOIs and PubMed numbers, one to a line or divided by commas. Pure."""

import re
from typing import Final

from ingather.extraction.references.reference import Reference, UnreadableReference, doi_in, reference_of
from ingather.notice import notice

_PMID: Final = re.compile(r"(?:pmid:?\s*)?(\d{5,8})", re.IGNORECASE)
_REGISTRATION: Final = re.compile(r"NCT\d{8}|ISRCTN\d{8}", re.IGNORECASE)
_DIVIDED: Final = re.compile(r"\s*[,;\t]\s*|\s+(?=\d|https?:|doi:|pmid|NCT|ISRCTN)", re.IGNORECASE)
# A text of which fewer entries are identifiers, of a hundred, is something else.
LEAST_SHARE: Final = 60


def read(text: str) -> list[Reference | UnreadableReference]:
    """The references of a list; none where the text is no list of identifiers."""
    entries = [
        (number, part.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        for part in _DIVIDED.split(line.strip())
        if part.strip()
    ]
    found = [_entry(number, entry) for number, entry in entries]
    good = sum(isinstance(one, Reference) for one in found)
    return found if good and 100 * good >= LEAST_SHARE * len(found) else []


def _entry(line: int, text: str) -> Reference | UnreadableReference:
    if match := _PMID.fullmatch(text):
        return reference_of(line, pmid=match[1])
    if doi := doi_in(text):
        return reference_of(line, doi=doi)
    if _REGISTRATION.fullmatch(text):
        return reference_of(line, title=text.upper(), numbers=text, kind="trial registry record")
    return UnreadableReference(
        line=line,
        text=text[:120],
        sentence=notice("references.no_identifier", "This is neither a DOI nor a PubMed number."),
    )
