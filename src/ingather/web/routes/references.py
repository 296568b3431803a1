"""Files of references taken in, and the counts of the review's flow that begin with them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ingather.extraction.analysis.flow import draw_flow
from ingather.extraction.analysis.picture_labels import PictureLabels
from ingather.extraction.references import UnreadableReference
from ingather.extraction.registry.comparison import RegistryComparison
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.studies.flow import ReferenceSource, SourceKind
from ingather.library.names import clean_file_name
from ingather.notice import notice
from ingather.web import shapes
from ingather.web.access import Here, Who, need_access, task_for_access
from ingather.web.accounts import Role
from ingather.web.limits import Limiting
from ingather.web.problems import Refused
from ingather.web.schemas.forms import Cursor, Done, Id
from ingather.web.schemas.studies import (
    CountedReason,
    FlowView,
    ImportedReferences,
    RegistryLineView,
    RegistryView,
    RegistryViews,
    SourceView,
    SwitchedOutcomeView,
    UnreadableView,
)
from ingather.web.uploaded import uploaded_form

router = APIRouter(prefix="/projects/{project_id}", tags=["studies"])
registry_router = APIRouter(tags=["studies"])

FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "name": {"type": "string", "description": "Of the database that was searched."},
                        "kind": {"type": "string", "enum": [kind.value for kind in SourceKind]},
                    },
                }
            }
        },
    }
}


@router.post("/references", status_code=201, openapi_extra=FORM)
async def import_references(
    project_id: Id, request: Request, here: Here, who: Who, limiters: Limiting
) -> ImportedReferences:
    """Take in a file of references: RIS, BibTeX, EndNote XML, nbib, CSV, a list of DOIs or PubMed numbers; or records
    of ClinicalTrials.gov as JSON.

    What cannot be read is listed with its line, and the others are taken.
    """
    need_access(who, Role.REVIEWER, project_id)
    by = Reviewer(name=who.name, account_id=who.account_id)
    with limiters.uploads.holding(who.account_id):
        async with uploaded_form(request) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise Refused(422, notice("references.no_file", "There is no file in the form: send it as `file`."))
            name, kind = str(form.get("name") or ""), str(form.get("kind") or SourceKind.DATABASE)
            if kind not in set(SourceKind):
                raise Refused(422, "`kind` is database, register or other.")
            data, file_name = await file.read(), clean_file_name(file.filename or "")
            source_id, found = await run_in_threadpool(
                here.extraction.import_references,
                project_id, data, name=name, kind=SourceKind(kind), file_name=file_name, by=by,
            )  # fmt: skip
    return ImportedReferences(
        source_id=source_id,
        records=len(found.references),
        format=found.format,
        unreadable=_unreadable_views(found.unreadable),
        notes=[shapes.sentence_shape(note) for note in found.notes],
    )


@router.get("/flow")
def show_flow(
    project_id: Id, here: Here, who: Who, language: Annotated[Literal["en", "zh"], Query()] = "en"
) -> FlowView:
    """How many records, reports and studies there were at each step of the review, as data and drawn."""
    need_access(who, Role.READER, project_id)
    flow, sources = here.extraction.review_flow(project_id)
    counts = flow.counts
    return FlowView(
        sources=[_source_view(one) for one in sources],
        identified=counts.identified,
        duplicates=counts.duplicates,
        screened=counts.screened,
        excluded=counts.excluded,
        screening_reasons=_counted(flow.screening_reasons),
        sought=counts.sought or 0,
        not_retrieved=counts.not_retrieved or 0,
        assessed=counts.assessed or 0,
        excluded_reports=counts.excluded_reports or 0,
        reasons=_counted(counts.reasons),
        included=counts.included or 0,
        reports=counts.reports or 0,
        without_file=list(flow.without_file),
        without_record=list(flow.without_record),
        drawing=draw_flow(counts, PictureLabels(language)),
    )


@registry_router.get("/extraction/tasks/{task_id}/results/{ordinal}/registry")
def show_registry(task_id: Id, ordinal: Cursor, here: Here, who: Who) -> RegistryViews:
    """What trial registries say beside a document's cells, and which outcomes were switched."""
    task_for_access(here, who, task_id)
    return RegistryViews(records=[_registry_view(one) for one in here.extraction.registry(task_id, ordinal)])


def _registry_view(found: RegistryComparison) -> RegistryView:
    return RegistryView(
        registration=found.registration,
        lines=[
            RegistryLineView(
                field=one.field, row=one.row, registry=one.registry, paper=one.paper, verdict=one.verdict.value
            )
            for one in found.lines
        ],
        switched=[
            SwitchedOutcomeView(
                switch=one.switch.value, registered=one.registered, time_frame=one.time_frame, paper=one.paper
            )
            for one in found.switched
        ],
        is_registered_late=found.is_registered_late,
    )


@router.post("/reports/same-surely")
def same_surely(project_id: Id, here: Here, who: Who) -> Done:
    """Of all suggestions that rest on one DOI or PubMed number: these are one report."""
    need_access(who, Role.REVIEWER, project_id)
    by = Reviewer(name=who.name, account_id=who.account_id)
    return Done(changed=here.extraction.same_surely(project_id, by))


def _counted(reasons: Mapping[str, int]) -> list[CountedReason]:
    return [CountedReason(reason=reason, count=count) for reason, count in reasons.items()]


def _unreadable_views(found: Iterable[UnreadableReference]) -> list[UnreadableView]:
    return [UnreadableView(line=one.line, text=one.text, sentence=shapes.sentence_shape(one.sentence)) for one in found]


def _source_view(found: ReferenceSource) -> SourceView:
    return SourceView(
        source_id=found.id,
        name=found.name,
        kind=found.kind.value,
        file_name=found.file_name,
        format=found.format,
        records=found.records,
        unreadable=_unreadable_views(found.unreadable),
        imported_by=found.imported_by,
        imported_at=found.imported_at,
    )
