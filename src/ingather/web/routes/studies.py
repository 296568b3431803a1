"""Studies: which reports tell of the same one, as people decide it."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.studies.report import ReportType, ScreeningStage, Study, StudyReport
from ingather.extraction.studies.suggestions import Suggestion
from ingather.web import shapes
from ingather.web.access import Here, Who, need_access
from ingather.web.accounts import Caller, Role
from ingather.web.schemas.forms import Cursor, Id, Limit
from ingather.web.schemas.studies import (
    ChangedStudy,
    ExcludeReports,
    LikenessView,
    MergeStudies,
    NameStudy,
    ReportIds,
    ReportPair,
    ReportView,
    SetReportType,
    Studies,
    StudyEventView,
    StudyHistory,
    StudyView,
    Suggestions,
    SuggestionView,
)

router = APIRouter(prefix="/projects/{project_id}", tags=["studies"])


@router.get("/studies")
def list_studies(
    project_id: Id,
    here: Here,
    who: Who,
    search: Annotated[str, Query(max_length=200)] = "",
    after: Cursor = 0,
    limit: Limit = 500,
) -> Studies:
    """Studies with their reports, in the order in which they came; `search` is a part of a name or of a title."""
    need_access(who, Role.READER, project_id)
    wanted = search.casefold()
    found = [one for one in here.extraction.studies(project_id) if one.id > after and _is_found(one, wanted)]
    page = found[:limit]
    return Studies(studies=[_study_view(one) for one in page], next=page[-1].id if len(found) > limit else None)


def _is_found(study: Study, wanted: str) -> bool:
    return not wanted or any(
        wanted in text.casefold()
        for text in (study.name, *(part for one in study.reports for part in (one.label, one.file_name, one.clues.doi)))
    )


@router.get("/studies/suggestions")
def list_suggestions(project_id: Id, here: Here, who: Who, limit: Limit = 100) -> Suggestions:
    """Reports that seem to belong together, with the reasons. Nothing happens until a person says so."""
    need_access(who, Role.READER, project_id)
    found = here.extraction.suggestions(project_id)
    return Suggestions(
        suggestions=[_suggestion_view(one) for one in found[:limit]],
        total=len(found),
        sure=sum(one.is_sure for one in found),
    )


@router.get("/studies/history")
def show_history(
    project_id: Id, here: Here, who: Who, study_id: Id | None = None, before: Id | None = None, limit: Limit = 100
) -> StudyHistory:
    """What people did to the studies, newest first."""
    need_access(who, Role.READER, project_id)
    events, following = here.extraction.study_history(project_id, study_id=study_id, before=before, limit=limit)
    return StudyHistory(
        events=[
            StudyEventView(study_id=one.study_id, action=one.action.value, by=one.by, at=one.at, details=one.details)
            for one in events
        ],
        next=following,
    )


@router.post("/studies/merge")
def merge_studies(project_id: Id, body: MergeStudies, here: Here, who: Who) -> ChangedStudy:
    """Put the reports of several studies under the first of them; the others can be split off again."""
    need_access(who, Role.REVIEWER, project_id)
    return ChangedStudy(study_id=here.extraction.merge_studies(project_id, body.study_ids, _reviewer(who)))


@router.post("/studies/{study_id}/split")
def split_study(project_id: Id, study_id: Id, body: ReportIds, here: Here, who: Who) -> ChangedStudy:
    """Take reports out of a study into one of their own."""
    need_access(who, Role.REVIEWER, project_id)
    made = here.extraction.split_study(project_id, study_id, body.report_ids, _reviewer(who))
    return ChangedStudy(study_id=made)


@router.put("/studies/{study_id}/name", status_code=204)
def name_study(project_id: Id, study_id: Id, body: NameStudy, here: Here, who: Who) -> Response:
    """Give a study a name of your own; null gives it back the one that its reports give it."""
    need_access(who, Role.REVIEWER, project_id)
    here.extraction.name_study(project_id, study_id, body.name, _reviewer(who))
    return Response(status_code=204)


@router.post("/reports/same")
def same_report(project_id: Id, body: ReportPair, here: Here, who: Who) -> ChangedStudy:
    """These are one report: the one with a file, or the oldest, stands for all, and their studies become one."""
    need_access(who, Role.REVIEWER, project_id)
    head = here.extraction.same_report(project_id, body.report_ids, _reviewer(who))
    return ChangedStudy(study_id=head)


@router.post("/reports/apart", status_code=204)
def keep_apart(project_id: Id, body: ReportPair, here: Here, who: Who) -> Response:
    """These do not belong together: they are not suggested again."""
    need_access(who, Role.REVIEWER, project_id)
    here.extraction.keep_apart(project_id, body.report_ids, _reviewer(who))
    return Response(status_code=204)


@router.post("/reports/exclude", status_code=204)
def exclude_reports(project_id: Id, body: ExcludeReports, here: Here, who: Who) -> Response:
    """Exclude reports with a reason, or take them in again."""
    need_access(who, Role.REVIEWER, project_id)
    stage = None if body.stage is None else ScreeningStage(body.stage)
    here.extraction.exclude_reports(project_id, body.report_ids, stage, body.reason, _reviewer(who))
    return Response(status_code=204)


@router.post("/reports/{report_id}/other", status_code=204)
def other_report(project_id: Id, report_id: Id, here: Here, who: Who) -> Response:
    """Take back that a report is another one once more."""
    need_access(who, Role.REVIEWER, project_id)
    here.extraction.other_report(project_id, report_id, _reviewer(who))
    return Response(status_code=204)


@router.put("/reports/{report_id}/type", status_code=204)
def set_type(project_id: Id, report_id: Id, body: SetReportType, here: Here, who: Who) -> Response:
    """What kind of a report it is."""
    need_access(who, Role.REVIEWER, project_id)
    here.extraction.set_report_type(project_id, report_id, ReportType(body.type), _reviewer(who))
    return Response(status_code=204)


def _reviewer(who: Caller) -> Reviewer:
    return Reviewer(name=who.name, account_id=who.account_id)


def _study_view(found: Study) -> StudyView:
    reports = [_report_view(one) for one in found.reports]
    return StudyView(study_id=found.id, name=found.name, is_named=found.is_named, reports=reports)


def _report_view(found: StudyReport) -> ReportView:
    clues = found.clues
    return ReportView(
        report_id=found.id,
        study_id=found.study_id,
        sha256=found.sha256,
        file_name=found.file_name,
        type=clues.type.value,
        title=clues.title,
        authors=list(clues.authors),
        year=clues.year,
        journal=clues.journal,
        doi=clues.doi,
        pmid=clues.pmid,
        registrations=list(clues.registrations),
        sample_size=clues.sample_size,
        is_read=found.is_read,
        source_id=found.source_id,
        same_as=found.same_as,
        excluded_at=found.excluded_at.value if found.excluded_at else None,
        exclusion_reason=found.exclusion_reason,
        has_registry_record=found.has_registry_record,
    )


def _suggestion_view(found: Suggestion) -> SuggestionView:
    return SuggestionView(
        kind=found.kind.value,
        report_ids=list(found.report_ids),
        study_ids=list(found.study_ids),
        is_sure=found.is_sure,
        pairs=[
            LikenessView(
                one=one.one, other=one.other, reasons=[shapes.sentence_shape(reason) for reason in one.reasons]
            )
            for one in found.pairs
        ],
    )
