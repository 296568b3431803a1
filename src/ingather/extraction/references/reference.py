"""The nouns of references: one reference, one that could not be read, and the file they came in. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ingather.extraction.rules.registration import registration_numbers

# Characters of an abstract that are kept. The longest of real ones have six thousand.
LONGEST_ABSTRACT: Final = 20_000
# Characters of a title, a journal or a name that are kept; what is longer is a mistake of the file.
LONGEST_TEXT: Final = 1_000
# Authors that are kept of one reference. A list of collaborators may have thousands.
MOST_AUTHORS: Final = 200
# An abstract with more numbers than this speaks of the trials of others.
MOST_REGISTRATIONS: Final = 2

_DOI: Final = re.compile(r"\b10\.\d{4,9}/[^\s\"<>;|]{1,200}", re.IGNORECASE)
_PMID: Final = re.compile(r"\b\d{5,8}\b")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a database says of a report. `type` is a word of ours for its kind; `line` is where it begins, from 1."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    pmid: str = ""
    journal: str = ""
    abstract: str = ""
    registrations: tuple[str, ...] = ()
    type: str = "article"
    line: int = 1

    @property
    def is_empty(self) -> bool:
        return not (self.title or self.doi or self.pmid)

    def to_dict(self) -> dict[str, Any]:
        known = {name: getattr(self, name) for name in self.__slots__ if name != "line"}
        return {name: value for name, value in known.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableReference:
    """A place of the file that gave no reference: its line from 1, how it begins, and why, as a sentence."""

    line: int
    text: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFile:
    """All that a file gave, in its order, and what is to be known of how it was read."""

    format: str
    references: tuple[Reference, ...]
    unreadable: tuple[UnreadableReference, ...]
    notes: tuple[str, ...] = ()


def reference_of(
    line: int,
    *,
    title: object = "",
    authors: Iterable[object] = (),
    year: object = "",
    doi: object = "",
    pmid: object = "",
    journal: object = "",
    abstract: object = "",
    numbers: object = "",
    kind: object = "",
) -> Reference:
    """A reference of the texts that a file gives, cleaned; `numbers` is any text that may name a registration."""
    whole = f"{abstract or ''} {numbers or ''}"[: 2 * LONGEST_ABSTRACT]
    registrations = registration_numbers(whole)
    names = [_one_line(author, 200) for author in authors]
    return Reference(
        title=_one_line(title, LONGEST_TEXT).rstrip("."),
        authors=tuple(name for name in names if name)[:MOST_AUTHORS],
        year=_year(year),
        doi=doi_in(doi),
        pmid=_pmid_in(pmid),
        journal=_one_line(journal, LONGEST_TEXT),
        abstract=_one_line(abstract, LONGEST_ABSTRACT),
        registrations=tuple(registrations) if len(registrations) <= MOST_REGISTRATIONS else (),
        type=type_of(f"{kind}", f"{title}", f"{journal}"),
        line=line,
    )


def _one_line(text: object, longest: int) -> str:
    shown = str(text or "")[: 4 * longest]
    return " ".join("".join(c if c.isprintable() else " " for c in shown).split())[:longest]


def _year(text: object) -> int | None:
    found = _YEAR.search(str(text or "")[:100])
    return int(found[0]) if found else None


def doi_in(text: object) -> str:
    """The DOI in a text such as `https://doi.org/10.1000/x`, without what stands around it."""
    found = _DOI.search(str(text or "")[:2000])
    return found[0].rstrip(".,)]}'") if found else ""


def _pmid_in(text: object) -> str:
    found = _PMID.search(str(text or "")[:200])
    return found[0] if found else ""


_TYPES: Final = (
    ("protocol", re.compile(r"\b(?:study )?protocol\b|\brationale and design\b|研究方案", re.IGNORECASE)),
    ("preprint", re.compile(r"\bpreprint|medrxiv|biorxiv|research square|\bunpb\b", re.IGNORECASE)),
    (
        "abstract",
        re.compile(r"\b(?:conference|meeting|congress|cpaper|conf|proceedings) ?(?:abstract|paper)?\b", re.IGNORECASE),
    ),
    (
        "registry",
        re.compile(r"\b(?:clinical trial registry|trial registry record|clinicaltrials\.gov|ictrp)\b", re.IGNORECASE),
    ),
)


def type_of(kind: str, title: str, journal: str) -> str:
    """What kind of a report it is, by the database's word for it, the title and the journal."""
    for name, pattern in _TYPES:
        where = title if name == "protocol" else f"{kind} {journal}"
        if pattern.search(where[:2000]):
            return name
    return "article"
