"""The nouns of studies: a report, what says which study it tells of, a study, and what people did to it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any


class ReportType(StrEnum):
    """What kind of a report it is: of several reports of a study, the first of this list gives the study its name."""

    ARTICLE = "article"
    PREPRINT = "preprint"
    ABSTRACT = "abstract"
    PROTOCOL = "protocol"
    REGISTRY = "registry"
    SUPPLEMENT = "supplement"
    OTHER = "other"


class ScreeningStage(StrEnum):
    """Where a report was excluded: by title and abstract, or with the full text at hand."""

    SCREENING = "screening"
    ASSESSMENT = "assessment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clues:
    """What a report says that tells which study it is of. Empty where it does not say it, or nobody could read it.

    `authors` are as printed, each a whole name; `surnames` in lower case are
    what names are compared by. `sample_size` is how many were randomised.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    pmid: str = ""
    journal: str = ""
    registrations: tuple[str, ...] = ()
    sample_size: int | None = None
    acronym: str = ""
    type: ReportType = ReportType.ARTICLE

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Clues":
        known = {one.name for one in fields(cls)}
        found = {name: value for name, value in stored.items() if name in known}
        for name in ("authors", "registrations"):
            found[name] = tuple(found.get(name, ()))
        return cls(**found | {"type": ReportType(found.get("type", ReportType.ARTICLE))})

    def beside(self, other: "Clues") -> "Clues":
        """These clues, with those of another reading of the same report where these are silent."""
        mine, theirs = self.to_dict(), other.to_dict()
        named = tuple(dict.fromkeys((*self.registrations, *other.registrations)))
        return Clues.from_dict(theirs | mine | {"registrations": named})


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport:
    """One report: a file of the library by its content, or a record without one.

    `same_as` is the report that this is once more: the same paper twice, or
    the record that a second database gave. `is_read` is false as long as
    nobody has looked for clues in its file, `is_typed` says that a person gave
    its type.
    """

    id: int
    study_id: int
    sha256: str | None
    file_name: str
    clues: Clues
    is_read: bool = True
    is_typed: bool = False
    source_id: int | None = None
    same_as: int | None = None
    excluded_at: ScreeningStage | None = None
    exclusion_reason: str = ""
    has_registry_record: bool = False

    @property
    def label(self) -> str:
        """How people know it: its title, or else the name of its file."""
        return self.clues.title or self.file_name or self.clues.doi or self.clues.pmid or f"#{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study with its reports, under the name that a person gave it or that its first report gives it."""

    id: int
    name: str
    is_named: bool
    reports: tuple[StudyReport, ...]


class StudyAction(StrEnum):
    """What people do to studies. Nothing is ever overwritten: each is a line of the history."""

    MERGED = "merged"
    SPLIT = "split"
    NAMED = "named"
    SAME_REPORT = "same_report"
    OTHER_REPORT = "other_report"
    EXCLUDED = "excluded"
    INCLUDED = "included"
    KEPT_APART = "kept_apart"
    TYPED = "typed"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyEvent:
    """What a person did to a study, and when."""

    id: int
    study_id: int
    action: StudyAction
    by: str
    at: datetime
    details: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyName:
    """A study as results show it beside each of its reports."""

    id: int
    name: str
    reports: int


def open_reports(reports: Sequence[StudyReport]) -> list[StudyReport]:
    """The reports without those that are another one once more."""
    return [one for one in reports if one.same_as is None]
