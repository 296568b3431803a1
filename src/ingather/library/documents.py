"""What can be done to knowledge bases and documents, as scripts: each is one transaction."""

from collections.abc import Iterable
from datetime import timedelta

from ingather.engine import verbs
from ingather.engine.errors import UsageError
from ingather.engine.item import Offspring
from ingather.engine.script import Row, Script, Statement
from ingather.library import statements as sql
from ingather.library.blobs import Blobs, Stored, missing
from ingather.library.errors import UnknownDocument, UnknownKnowledgeBase
from ingather.library.names import MAX_FILE_NAME_BYTES
from ingather.library.port import DocumentRecord, DocumentState, KnowledgeBase, Problem, Snapshot, Sort
from ingather.names import is_id
from ingather.notice import notice, noticed

# A page of a list holds at most this many documents, so that one request cannot read a whole library.
LONGEST_PAGE = 1_000
# An error names at most this many missing documents and counts the others, to stay readable.
NAMED_AT_MOST = 10

FAILED_SENTENCE = notice(
    "library.document_not_read_job_came",
    "This document was not read: its job came to nothing. Upload the same file again to try again.",
)


def create_knowledge_base(name: str, project_id: int) -> Script[KnowledgeBase]:
    [row] = yield Statement(sql.NEW_KNOWLEDGE_BASE, {"name": name, "project_id": project_id})
    return _knowledge_base_of_row(row)


def list_knowledge_bases(
    project_ids: list[int] | None, *, after: int, limit: int | None
) -> Script[list[KnowledgeBase]]:
    rows = yield Statement(
        sql.KNOWLEDGE_BASES, {"id": None, "project_ids": project_ids, "after": after, "limit": limit}
    )
    return [_knowledge_base_of_row(row) for row in rows]


def knowledge_base(id: int) -> Script[KnowledgeBase]:
    params = {"id": id, "project_ids": None, "after": 0, "limit": 1}
    rows = (yield Statement(sql.KNOWLEDGE_BASES, params)) if is_id(id) else []
    if not rows:
        raise no_knowledge_base(id)
    return _knowledge_base_of_row(rows[0])


def rename_knowledge_base(id: int, name: str) -> Script[None]:
    if not is_id(id) or not (yield Statement(sql.RENAME_KNOWLEDGE_BASE, {"id": id, "name": name})):
        raise no_knowledge_base(id)


def delete_knowledge_base(id: int) -> Script[None]:
    if not is_id(id) or not (yield Statement(sql.DELETE_KNOWLEDGE_BASE, {"id": id})):
        raise no_knowledge_base(id)


def delete_knowledge_bases(project_id: int) -> Script[None]:
    """All of a project, with their documents."""
    yield Statement(sql.DELETE_KNOWLEDGE_BASES, {"project_id": project_id})


def add_document(
    knowledge_base_id: int,
    stored: Stored,
    file_name: str,
    *,
    blobs: Blobs,
    parsers: list[str],
    job: Offspring,
    another_job: Offspring,
) -> Script[tuple[DocumentRecord, bool]]:
    """A document and its job, or the document that was there, and whether it was.

    `job` carries a key that stands for these bytes and this parser, so all
    documents of the same bytes share one job. If that one came to nothing,
    `another_job` takes its place.
    """
    if not (yield Statement(sql.HOLD_KNOWLEDGE_BASE, {"knowledge_base_id": knowledge_base_id})):
        raise no_knowledge_base(knowledge_base_id)
    yield Statement(sql.KEEP_BLOB, {"sha256": stored.sha256, "size": stored.size})
    # From here on no sweep takes the bytes. One may have done so just before.
    if not blobs.exists(stored.sha256):
        raise missing(stored.sha256)
    job_id = yield from _reading_job(stored.sha256, parsers, job, another_job)
    document = {
        "knowledge_base_id": knowledge_base_id,
        "sha256": stored.sha256,
        "file_name": file_name,
        "job_id": job_id,
    }
    added = yield Statement(sql.NEW_DOCUMENT, document)
    [(document_id,)] = added or (yield Statement(sql.SAME_DOCUMENT, document))
    return (yield from find_document(document_id, parsers)), not added


def _reading_job(sha256: str, parsers: list[str], job: Offspring, another_job: Offspring) -> Script[int]:
    assert job.request is not None
    assert another_job.request is not None
    job_id, is_new = yield from verbs.scatter(job.request, job.lines)
    if not is_new:
        [(is_spent,)] = yield Statement(sql.IS_JOB_SPENT, {"job_id": job_id, "sha256": sha256, "parsers": parsers})
        if is_spent:
            job_id, _ = yield from verbs.scatter(another_job.request, another_job.lines)
    return job_id


def list_documents(
    knowledge_base_id: int,
    *,
    search: str,
    state: DocumentState | None,
    sort: Sort,
    after: int | None,
    after_name: str,
    limit: int,
    parsers: list[str],
) -> Script[list[DocumentRecord]]:
    if not is_id(limit) or limit > LONGEST_PAGE:
        raise UsageError(f"A page holds 1 to {LONGEST_PAGE:,} documents, not {limit!r}.")
    if after is not None and not is_id(after):
        raise UsageError(f"`after` takes the id of the last document of the page before, not {after!r}.")
    is_named = 1 <= len(after_name) <= MAX_FILE_NAME_BYTES and "\0" not in after_name
    if sort is Sort.NAME and after is not None and not is_named:
        raise UsageError("`after` takes the id and the name of the last document of the page before, by name.")
    yield from knowledge_base(knowledge_base_id)
    rows = yield Statement(
        _SORTED[sort],
        {
            "knowledge_base_id": knowledge_base_id,
            "search": search,
            "state": None if state is None else state.value,
            "after": after,
            "after_name": after_name.encode("utf-8", "replace").decode(),
            "limit": limit,
            "parsers": parsers,
        },
    )
    return [_document_of_row(row) for row in rows]


_SORTED = {Sort.NEWEST: sql.DOCUMENTS_NEWEST, Sort.OLDEST: sql.DOCUMENTS_OLDEST, Sort.NAME: sql.DOCUMENTS_BY_NAME}


def find_document(id: int, parsers: list[str]) -> Script[DocumentRecord]:
    rows = (yield Statement(sql.DOCUMENT, {"id": id, "parsers": parsers})) if is_id(id) else []
    if not rows:
        raise no_documents([id], 1)
    return _document_of_row(rows[0])


def delete_document(id: int) -> Script[None]:
    if not is_id(id) or not (yield Statement(sql.DELETE_DOCUMENT, {"id": id})):
        raise no_documents([id], 1)


def snapshots(ids: Iterable[int], project_id: int | None) -> Script[list[Snapshot]]:
    params = list(ids)
    rows = yield Statement(sql.SNAPSHOTS, {"ids": [one for one in params if is_id(one)], "project_id": project_id})
    found = {row[0]: Snapshot(document_id=row[0], file_name=row[1], sha256=row[2], size=row[3]) for row in rows}
    absent = [one for one in dict.fromkeys(params) if one not in found]
    if absent:
        raise no_documents(absent, len(params))
    return [found[one] for one in params]


def present(sha256s: list[str], project_id: int) -> Script[set[str]]:
    rows = yield Statement(sql.PRESENT, {"sha256s": sha256s, "project_id": project_id})
    return {sha256 for (sha256,) in rows}


def jobs_of_projects(
    project_ids: list[int], *, state: str | None, kind: str | None, before: int | None, limit: int
) -> Script[list[int]]:
    """The batches that read documents of these projects, newest first."""
    params = {"project_ids": project_ids, "state": state, "kind": kind, "before": before, "limit": limit}
    return [batch_id for (batch_id,) in (yield Statement(sql.JOBS_OF_PROJECTS, params))]


def projects_of_job(job_id: int) -> Script[list[int]]:
    return [project_id for (project_id,) in (yield Statement(sql.PROJECTS_OF_JOB, {"job_id": job_id}))]


def unused_blobs(keep: timedelta) -> Script[list[str]]:
    rows = yield Statement(sql.UNUSED_BLOBS, {"keep": keep})
    return [sha256 for (sha256,) in rows]


def forget_blob(sha256: str, keep: timedelta, blobs: Blobs) -> Script[bool]:
    """The row goes first and the bytes before the commit, so an upload of the same bytes waits and then looks."""
    rows = yield Statement(sql.FORGET_BLOB, {"sha256": sha256, "keep": keep})
    if rows:
        blobs.delete(sha256)
    return bool(rows)


def no_knowledge_base(id: object) -> UnknownKnowledgeBase:
    return UnknownKnowledgeBase(
        notice(
            "library.no_knowledge_base_been_deleted",
            "There is no knowledge base {id}. It may have been deleted.",
            id=str(id)[:40],
        )
    )


def no_documents(absent: list[int], of: int) -> UnknownDocument:
    named = ", ".join(str(one)[:40] for one in absent[:NAMED_AT_MOST])
    if of == 1:
        return UnknownDocument(
            notice(
                "library.no_document_been_deleted", "There is no document {id}. It may have been deleted.", id=absent[0]
            )
        )
    more = f" and {len(absent) - NAMED_AT_MOST:,} more" if len(absent) > NAMED_AT_MOST else ""
    return UnknownDocument(
        notice(
            "library.documents_absent",
            "{absent} of {all} documents are not in the library: {ids}. Leave them out, or upload them.",
            absent=f"{len(absent):,}",
            all=f"{of:,}",
            ids=f"{named}{more}",
        )
    )


def _knowledge_base_of_row(row: Row) -> KnowledgeBase:
    knowledge_base_id, project_id, name, documents, created_at = row
    return KnowledgeBase(
        id=knowledge_base_id, project_id=project_id, name=name, documents=documents, created_at=created_at
    )


def _document_of_row(row: Row) -> DocumentRecord:
    about_file, (is_open, problem, sentence, page_count, hidden_characters, notes, fields) = row[:8], row[8:]
    document_id, project_id, knowledge_base_id, file_name, sha256, size, added_at, job_id = about_file
    if sentence is None:
        state = DocumentState.UNREAD if is_open else DocumentState.FAILED
    else:
        state = DocumentState.READABLE if problem is None else DocumentState.PROBLEM
    return DocumentRecord(
        id=document_id,
        project_id=project_id,
        knowledge_base_id=knowledge_base_id,
        file_name=file_name,
        sha256=sha256,
        size=size,
        added_at=added_at,
        job_id=job_id,
        state=state,
        problem=None if problem is None else Problem(problem),
        sentence=FAILED_SENTENCE if state is DocumentState.FAILED else noticed(sentence or "", fields),
        page_count=page_count or 0,
        hidden_characters=hidden_characters or 0,
        notes=tuple(notes or ()),
    )
