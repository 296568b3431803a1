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
    """Reports that seem to be one report (`same_report`) or of one study, with what each pair rests on."""

    kind: Literal["same_report", "same_study"]
    report_ids: list[int]
    study_ids: list[int]
    pairs: list[LikenessView]


class Suggestions(Wire):
    suggestions: list[SuggestionView]
    total: int


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
