"""Which paper this is: title, journal, year, DOI and registration."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules import doi, registration
from ingather.extraction.rules.hits import Hit, agreed, first, reported, rx
from ingather.extraction.rules.plain_text import plain_text, whole_terms
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.title import DOUBTFUL_END, title_hits
from ingather.extraction.rules.whole import part
from ingather.library.port import PrintedLine

FIELDS: Final = frozenset({"title", "publication_year", "journal", "doi", "registration_id"})

_YEAR: Final = r"(?P<year>(?:19[5-9]|20[0-4])\d)"
_JOURNAL: Final = r"(?P<name>[A-Z][\w&.'()-]*(?:[ ](?:[A-Z&(][\w&.'()-]*|of|and|the|in|for|on|de|&)){0,9}?)"
# How papers print where they appeared: `Emerg Med J 2004;21:155`, `Europace (2017) 19, 1637`, `BMJ 2020;1:2`.
_CITATIONS: Final = (
    re.compile(
        rf"(?:^|(?<=[|\u2022] ))(?:\d{{1,5}} (?:\w+ \d{{1,2}}, \d{{4}} )?)?{_JOURNAL}"
        rf"[.,]? ?{_YEAR} ?[;,] ?(?:vol\.? ?)?\d{{1,4}}(?: ?[:(]|, )"
    ),
    re.compile(rf"^{_JOURNAL},? \({_YEAR}\) ?\d{{1,4}} ?[:,(]"),
    re.compile(rf"^{_JOURNAL}[,.]? ?[|\u2022]? ?\(?{_YEAR}\)? ?\d{{1,4}}:\d"),
    re.compile(
        rf"^{_JOURNAL},? Vol(?:ume|\.)? ?\d{{1,4}},? ?(?:(?:No\.?|Issue"
        rf"|Number) ?\d+,? ?)?(?:[A-Z][a-z]+ ?\d{{0,2}},? )?{_YEAR}\b"
    ),
    re.compile(rf"^{_JOURNAL}, {_YEAR}, pages? \d"),
    re.compile(
        rf"^{_JOURNAL},? [|\u2022]? ?vol(?:ume|\.)?"
        rf" ?\d{{1,4}},(?: [^,]{{1,20}},){{0,2}}? (?:[A-Za-z]+ )?{_YEAR}\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_JOURNAL}(?:\. Published (?:\d{{1,2}} )?[A-Z][a-z]+| \(?)(?: \d{{1,2}},)? ?{_YEAR}\)?(?:\.| ["
        rf"|\u2022])"
    ),
    re.compile(rf"^(?P<name>[\u4e00-\u9fff]{{3,14}}(?:杂志|学报|医学))\s?{_YEAR}"),
)
_PUBLISHED: Final = rx(
    rf"\b(?:published|publication date)\b[:\s][^.;\d]{{0,12}}(?:\d{{1,2}}[ /.-])?(?:[A-Za-z]+\.? "
    rf"|\d{{1,2}}[/.-])?(?:\d{{1,2}},? )?{_YEAR}\b"
)
_RIGHTS: Final = rx(rf"(?:©|\bcopyright\b)[^\d\n]{{0,60}}{_YEAR}\b")
_NO_JOURNAL: Final = rx(
    r"\b(?:volume|accepted|received|published|revised|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|copyright|page|downloaded|table|figure|trial"
    r"|study|et al)\b"
)


# In some running lines the authors stand before the journal: `Smith and Jones BMC Medicine`, `Smith et al. Trials`.
_NAMES: Final = re.compile(
    r"(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+)? and [A-Z][\w'-]+ (?=BMC |BMJ |PLoS |Journal of |Trials )"
    r"|[A-Z][\w' -]+ et al\.?,? ?)"
)


def identity_answers(document: Document, printed: Sequence[PrintedLine] = ()) -> dict[str, Answer]:
    """The answers to the fields of this family. `printed`: the lines of the first page with the size of their type."""
    return {
        "title": _title(title_hits(document, printed)),
        "publication_year": agreed("publication_year", _years(document)),
        "journal": _journal(list(_journals(document))),
        doi.FIELD: doi.doi_answer(document),
        registration.FIELD: registration.registration_answer(document),
    }


def _title(hits: list[Hit]) -> Answer:
    """The title; as a part where a subtitle may follow that was not recognised as one."""
    answer = first("title", hits)
    return part(answer) if hits and hits[0].rank == DOUBTFUL_END else answer


def title_line(document: Document, printed: Sequence[PrintedLine] = ()) -> Sentence | None:
    """The title as a sentence, where one is found."""
    found = title_hits(document, printed)
    return found[0].sentence if found else None


def _journal(hits: list[Hit]) -> Answer:
    """The name that all lines give. Where one line prints it in full and another short, the full name."""
    longest = max(hits, key=lambda hit: len(str(hit.value)), default=None)
    if longest is not None and all(_is_short_for(str(hit.value), str(longest.value)) for hit in hits):
        return reported("journal", longest)
    return agreed("journal", hits)


def _is_short_for(short: str, name: str) -> bool:
    """Whether a name abbreviates another: `Circ J` is `Circulation Journal`."""
    full = name.casefold().split()
    parts = [part.rstrip(".") for part in short.casefold().split()]
    return len(parts) <= len(full) and all(any(term.startswith(part) for term in full) for part in parts)


def _first_page_lines(document: Document) -> Iterator[Sentence]:
    """Every line of the first page, as a sentence of its own."""
    page = document.pages[0] if document.pages else ""
    start = 0
    for line in page.splitlines(keepends=True):
        made = plain_text(page, *whole_terms(page, start, start + len(line)))
        start += len(line)
        if made.text:
            yield Sentence(
                page=0, page_text=page, text=made.text, places=made.places, part="front", topic="", in_abstract=False
            )


def _years(document: Document) -> Iterator[Hit]:
    """The year of the citation line; else that of publication; else that of the rights."""
    for line in _first_page_lines(document):
        for rank, pattern in (*((0, one) for one in _CITATIONS), (1, _PUBLISHED), (2, _RIGHTS)):
            if found := pattern.search(line.text):
                yield Hit(
                    value=int(found["year"]), sentence=line, start=found.start("year"), end=found.end("year"), rank=rank
                )


def _journals(document: Document) -> Iterator[Hit]:
    """The name before year and volume in a line that says where the paper appeared."""
    for line in _first_page_lines(document):
        for pattern in _CITATIONS:
            found = pattern.search(line.text)
            if found is None or _NO_JOURNAL.search(found["name"]) or len(found["name"]) < 3:
                continue
            start = found.start("name") + (names.end() if (names := _NAMES.match(found["name"])) else 0)
            name = line.text[start : found.end("name")].rstrip(" .,")
            yield Hit(value=name, sentence=line, start=start, end=start + len(name))
            break
