"""The DOI of the paper itself: from the whole first page and the running lines, never that of another paper."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import Hit, not_reported, reported, rx, unclear
from ingather.extraction.rules.plain_text import plain_text, whole_terms
from ingather.extraction.rules.sentences import Document, Sentence

FIELD: Final = "doi"

# A DOI may go over to the next line behind a slash or a hyphen, and behind a full stop if a figure follows.
_DOI: Final = re.compile(
    r"\b10\.\d{4,9}/(?:[^\s\"<>\u27e8\u27e9,;|\[\]{}]|(?<=[/-])\n ?(?=[a-z0-9])|(?<=/) (?=[A-Z0-9]\d)"
    r"|(?<=\.)\n(?=\d)){2,90}",
    re.IGNORECASE,
)
# So many characters before a DOI may say whose it is.
_BEFORE: Final = 110
# So many lines at either end of a page may be running lines.
_RUNNING: Final = 4

_OTHERS: Final = rx(
    r"\b(?:editorial|comment(?:ary|s)?|see also|see page|suppl(?:ement\w*)?|appendix|erratum|correct(?:s|ed|ion)|linked"
    r"|companion|related article|accompany\w*|response to|reply|data (?:are|is|set|from)|dataset|deposited"
    r"|available at)\b"
    r"[^\n]{0,100}$|/suppl/?$"
)
_CITED: Final = re.compile(r"^\s*\[?\d{1,3}[.\]]\s+[A-Z][^\n]*$|\bet al[.,][^\n]{0,100}\d{4}[^\n]*$")
_OWN: Final = rx(r"\b(?:doi(?: link)?|https?://(?:dx\.)?doi\.org|cite (?:this )?(?:article|as)|citation)\b[^\n]{0,40}$")
# The prefixes of places that keep data, and no papers.
_DATA: Final = ("10.5281/", "10.5061/", "10.6084/", "10.17605/", "10.17632/", "10.7910/")
_END: Final = re.compile(
    r"(?:[.:'\u2019*†\-_/]|\.(?:full|pdf|html|abstract|s\d{1,3}|g\d{1,3}|t\d{1,3}))+$", re.IGNORECASE
)
_REFERENCES: Final = re.compile(r"^\s*(?:references|literature cited|bibliography)\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Printed:
    """A DOI where it is printed. A lower rank is the better proof that it is the paper's own."""

    page: int
    start: int
    end: int
    doi: str
    rank: int


def doi_answer(document: Document) -> Answer:
    """The one DOI of the best rank; unclear where several papers' are printed alike."""
    found = list(_printed_dois(document))
    if not found:
        return not_reported(FIELD)
    best = [one for one in found if one.rank == min(each.rank for each in found)]
    shortest = min(best, key=lambda one: len(one.doi))
    hit = _doi_hit(document, shortest)
    # A DOI with more behind it is that of a figure or a supplement of the paper.
    if all(one.doi.casefold().startswith(shortest.doi.casefold()) for one in best):
        return reported(FIELD, _doi_hit(document, _without_glued_letters(document, shortest)))
    return unclear(FIELD, hit)


def _without_glued_letters(document: Document, printed: _Printed) -> _Printed:
    """The same DOI where it is printed without the letters that a mark beside it left at its end."""
    for number, text in enumerate(document.pages):
        for doi, start, end in _dois(text):
            rest = printed.doi[len(doi) :]
            if doi[-1].isdigit() and rest.isalpha() and printed.doi.casefold().startswith(doi.casefold()):
                return _Printed(page=number, start=start, end=end, doi=doi, rank=printed.rank)
    return printed


def _printed_dois(document: Document) -> Iterator[_Printed]:
    times: dict[str, int] = {}
    for text in document.pages:
        for doi in {one.casefold() for one, _, _ in _dois("\n".join(_running_lines_with_doi(text)))}:
            times[doi] = times.get(doi, 0) + 1
    for number, text in enumerate(document.pages):
        references = _REFERENCES.search(text)
        own = text if references is None or number > 0 else text[: references.start()]
        for doi, start, end in _dois(own):
            is_running = times.get(doi.casefold(), 0) > 1
            if number > 0 and not is_running:
                continue
            before = text[max(0, start - _BEFORE) : start]
            line = before[before.rfind("\n") + 1 :]
            if not is_running and (_OTHERS.search(before) or _CITED.search(line)):
                continue
            yield _Printed(page=number, start=start, end=end, doi=doi, rank=_doi_rank(before, is_running=is_running))


def _doi_rank(before: str, *, is_running: bool) -> int:
    if is_running:
        return 0
    return 1 if _OWN.search(before) else 2


def _running_lines_with_doi(text: str) -> list[str]:
    """The lines at the top and at the foot of a page."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [*lines[:_RUNNING], *lines[-_RUNNING:]]


def _dois(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _DOI.finditer(text):
        end = found.start() + len(_closed_doi(found[0]))
        doi = re.sub(r"\s", "", text[found.start() : end])
        if "/suppl/" not in doi and not doi.startswith(_DATA) and len(doi.split("/", 1)[1]) > 1:
            yield doi, found.start(), end


def _closed_doi(doi: str) -> str:
    """A DOI without what stands behind it: marks of punctuation, and brackets that it did not open."""
    doi = _END.sub("", doi.rstrip())
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = _END.sub("", doi[:-1])
    return doi[: doi.rfind("(")] if doi.count("(") > doi.count(")") else doi


def _doi_hit(document: Document, printed: _Printed) -> Hit:
    """The line in which it is printed, as a sentence of its own."""
    text = document.pages[printed.page]
    first = text.rfind("\n", 0, printed.start) + 1
    last = text.find("\n", printed.end)
    made = plain_text(text, *whole_terms(text, first, len(text) if last < 0 else last))
    sentence = Sentence(
        page=printed.page, page_text=text, text=made.text, places=made.places, part="front", topic="", in_abstract=False
    )
    inside = [n for n, place in enumerate(made.places) if printed.start <= place < printed.end]
    return Hit(value=printed.doi, sentence=sentence, start=inside[0], end=inside[-1] + 1)
