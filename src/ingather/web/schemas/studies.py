"""Studies and their reports, and why some seem to belong together."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from ingather.web.schemas.forms import BodyId, Name, NoticeView, Wire

ReportTypeName = Literal["article", "preprint", "abstract", "protocol", "registry", "supplement", "other"]
StageName = Literal["screening", "assessment"]


class ReportView(Wire):
    """A report of a study. Without a file it is a record; `same_as` is the report that it is once more."""

    report_id: int
    study_id: int
    sha256: str | None
    file_name: str
    type: ReportTypeName
    title: str
    authors: list[str]
    year: int | None
    journal: str
    doi: str
    pmid: str
    registrations: list[str]
    sample_size: int | None
    is_read: bool
    source_id: int | None
    same_as: int | None
    excluded_at: StageName | None
    exclusion_reason: str
    has_registry_record: bool


class StudyView(Wire):
    """A study under the name that its first report gives it, or a person (`is_named`)."""

    study_id: int
    name: str
    is_named: bool
    reports: list[ReportView]


class Studies(Wire):
    studies: list[StudyView]
    next: int | None


class LikenessView(Wire):
    one: int
    other: int
    reasons: list[NoticeView]


class SuggestionView(Wire):
    """Reports that seem to be one report (`same_report`) or of one study, with what each pair rests on.

    `is_sure`: all pairs share a DOI or a PubMed number.
    """

    kind: Literal["same_report", "same_study"]
    report_ids: list[int]
    study_ids: list[int]
    is_sure: bool
    pairs: list[LikenessView]


class Suggestions(Wire):
    suggestions: list[SuggestionView]
    total: int
    sure: int


class MergeStudies(Wire):
    study_ids: Annotated[list[BodyId], Field(min_length=2, max_length=1_000)]


class ReportIds(Wire):
    report_ids: Annotated[list[BodyId], Field(min_length=1, max_length=20_000)]


class ReportPair(Wire):
    report_ids: Annotated[list[BodyId], Field(min_length=2, max_length=200)]


class NameStudy(Wire):
    name: Name | None


class SetReportType(Wire):
    type: ReportTypeName


class ExcludeReports(ReportIds):
    """Without a stage the reports are taken in again."""

    stage: StageName | None
    reason: Annotated[str, StringConstraints(max_length=500)] = ""


class ChangedStudy(Wire):
    study_id: int


class StudyEventView(Wire):
    study_id: int
    action: str
    by: str
    at: datetime
    details: dict[str, Any]


class StudyHistory(Wire):
    events: list[StudyEventView]
    next: int | None


class UnreadableView(Wire):
    line: int
    text: str
    sentence: NoticeView


class SourceView(Wire):
    """A file of references that came in, and what could not be read of it."""

    source_id: int
    name: str
    kind: Literal["database", "register", "other"]
    file_name: str
    format: str
    records: int
    unreadable: list[UnreadableView]
    imported_by: str
    imported_at: datetime


class ImportedReferences(Wire):
    source_id: int
    records: int
    format: str
    unreadable: list[UnreadableView]
    notes: list[NoticeView]


class CountedReason(Wire):
    reason: str
    count: int


class FlowView(Wire):
    """The counts of PRISMA 2020; null where nobody has recorded it. `drawing` is SVG.

    `without_file` are reports whose paper is missing, `without_record`
    papers that no file of references speaks of.
    """

    sources: list[SourceView]
    identified: int | None
    duplicates: int | None
    screened: int | None
    excluded: int | None
    screening_reasons: list[CountedReason]
    sought: int
    not_retrieved: int
    assessed: int
    excluded_reports: int
    reasons: list[CountedReason]
    included: int
    reports: int
    without_file: list[int]
    without_record: list[int]
    drawing: str


class RegistryLineView(Wire):
    """What a registry says beside one cell. `only_registry`: the paper says nothing that can be compared."""

    field: str
    row: str
    registry: str
    paper: str
    verdict: Literal["same", "differs", "only_registry", "only_paper"]


class SwitchedOutcomeView(Wire):
    switch: Literal["omitted", "demoted", "promoted", "added"]
    registered: str
    time_frame: str
    paper: str


class RegistryView(Wire):
    registration: str
    lines: list[RegistryLineView]
    switched: list[SwitchedOutcomeView]
    is_registered_late: bool


class RegistryViews(Wire):
    records: list[RegistryView]
