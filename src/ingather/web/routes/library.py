"""Knowledge bases, uploads, documents and their files."""

from contextlib import ExitStack
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ingather.engine.errors import UsageError
from ingather.library.names import clean_file_name
from ingather.library.port import DocumentState, Sort
from ingather.web import shapes
from ingather.web.access import Here, Who, document_for_access, knowledge_base_for_access, need_access
from ingather.web.accounts import Role
from ingather.web.limits import Limiting
from ingather.web.problems import MEDIA_TYPE, TITLES, Refused, status_of_problem
from ingather.web.responses import ReleasingFileResponse
from ingather.web.schemas.forms import Cursor, Id, Limit, Mark
from ingather.web.schemas.library import (
    Documents,
    DocumentView,
    KnowledgeBases,
    KnowledgeBaseView,
    NewKnowledgeBase,
    RefusedFile,
    Uploaded,
    Uploads,
)
from ingather.web.uploaded import uploaded_form

router = APIRouter(tags=["library"])

BYTES = {
    kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("application/pdf", "application/octet-stream")
}
PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemView"}}}


@router.get("/knowledge-bases")
def list_knowledge_bases_route(
    here: Here, who: Who, project_id: Id | None = None, after: Cursor = 0, limit: Limit = 500
) -> KnowledgeBases:
    """Those of your projects, or of one of them."""
    if project_id is not None:
        need_access(who, Role.READER, project_id)
    project_ids = who.roles if project_id is None else [project_id]
    page = here.library.list_knowledge_bases(project_ids=project_ids, after=after, limit=limit)
    return KnowledgeBases(
        knowledge_bases=[shapes.knowledge_base_shape(found) for found in page],
        next=page[-1].id if len(page) == limit else None,
    )


@router.post("/knowledge-bases", status_code=201)
def create_knowledge_base_route(body: NewKnowledgeBase, here: Here, who: Who) -> KnowledgeBaseView:
    need_access(who, Role.REVIEWER, body.project_id)
    return shapes.knowledge_base_shape(here.library.create_knowledge_base(body.name, project_id=body.project_id))


@router.delete("/knowledge-bases/{knowledge_base_id}", status_code=204)
def delete_knowledge_base_route(knowledge_base_id: Id, here: Here, who: Who) -> Response:
    """Remove it with its documents. Tasks that used them go on undisturbed."""
    knowledge_base_for_access(here, who, knowledge_base_id, Role.OWNER)
    here.library.delete_knowledge_base(knowledge_base_id)
    return Response(status_code=204)


@router.get("/knowledge-bases/{knowledge_base_id}/documents")
def list_documents_route(
    knowledge_base_id: Id,
    here: Here,
    who: Who,
    search: Annotated[str, Query(max_length=200)] = "",
    state: DocumentState | None = None,
    sort: Sort = Sort.NEWEST,
    after: Mark | None = None,
    limit: Limit = 50,
) -> Documents:
    """Documents in order; `search` is a part of the file name, `after` takes `next` of the page before."""
    knowledge_base_for_access(here, who, knowledge_base_id)
    after_id, _, after_name = (after or "").partition(" ")
    page = here.library.list_documents(
        knowledge_base_id,
        search=search,
        state=state,
        sort=sort,
        after=int(after_id) if after_id else None,
        after_name=after_name,
        limit=limit,
    )
    return Documents(
        documents=[shapes.document_shape(document) for document in page],
        next=shapes.mark_shape(page[-1], sort) if len(page) == limit else None,
    )


@router.post(
    "/knowledge-bases/{knowledge_base_id}/documents",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["files"],
                        "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                    }
                }
            },
        }
    },
)
async def upload_route(knowledge_base_id: Id, request: Request, here: Here, who: Who, limiters: Limiting) -> Uploads:
    """Add files. Returns at once; each document is read by a job of its own."""
    found = await run_in_threadpool(knowledge_base_for_access, here, who, knowledge_base_id, Role.REVIEWER)
    uploads: list[Uploaded] = []
    refused: list[RefusedFile] = []
    refusals: list[str] = []
    status = 422
    with limiters.uploads.holding(who.account_id):
        async with uploaded_form(request) as form:
            files = [file for file in form.getlist("files") if isinstance(file, UploadFile)]
            if not files:
                raise Refused(422, "There is no file in the form: send them as `files`, multipart/form-data.")
            for file in files:
                name = file.filename or ""
                try:
                    made = await run_in_threadpool(here.library.upload, knowledge_base_id, file.file, name)
                except UsageError as error:
                    status = status_of_problem(error)
                    refusals.append(str(error))
                    refused.append(
                        RefusedFile(file_name=clean_file_name(name), detail=shapes.sentence_shape(str(error)))
                    )
                    continue
                uploads.append(
                    Uploaded(
                        document=shapes.document_shape(made.document),
                        job_id=made.job.id,
                        is_duplicate=made.is_duplicate,
                    )
                )
    if refused and not uploads:
        raise Refused(status, refusals[0])
    new = {one.document.sha256: one.document.file_name for one in uploads}
    await run_in_threadpool(here.extraction.add_reports, found.project_id, new)
    return Uploads(uploads=uploads, refused=refused)


@router.get("/documents/{document_id}")
def show_document_route(document_id: Id, here: Here, who: Who) -> DocumentView:
    return shapes.document_shape(document_for_access(here, who, document_id))


@router.delete("/documents/{document_id}", status_code=204)
def delete_document_route(document_id: Id, here: Here, who: Who) -> Response:
    document_for_access(here, who, document_id, Role.REVIEWER)
    here.library.delete_document(document_id)
    return Response(status_code=204)


@router.get(
    "/documents/{document_id}/file",
    status_code=200,
    response_class=ReleasingFileResponse,
    responses={
        200: {"description": "The file.", "content": BYTES},
        206: {"description": "The part of it that one `Range` asks for.", "content": BYTES},
        416: {"description": TITLES[416], "content": PROBLEM},
    },
)
def file_route(document_id: Id, here: Here, who: Who) -> ReleasingFileResponse:
    """The bytes as they were uploaded. A browser saves them and does not run them."""
    document_for_access(here, who, document_id)
    opened = ExitStack()
    found = opened.enter_context(here.library.open_file(document_id))
    is_pdf = found.file_name.lower().endswith(".pdf")
    return ReleasingFileResponse(
        found.path,
        opened.close,
        media_type="application/pdf" if is_pdf else "application/octet-stream",
        headers={
            "content-disposition": (
                f'attachment; filename="document-{document_id}{".pdf" if is_pdf else ""}"; '
                f"filename*=UTF-8''{quote(found.file_name, safe='')}"
            ),
            "content-security-policy": "sandbox; default-src 'none'",
        },
    )
