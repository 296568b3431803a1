"""Knowledge bases, documents and uploads."""

from datetime import datetime

from ingather.web.schemas.forms import BodyId, Name, NoticeView, Wire


class NewKnowledgeBase(Wire):
    project_id: BodyId
    name: Name


class KnowledgeBaseView(Wire):
    knowledge_base_id: int
    project_id: int
    name: str
    documents: int
    created_at: datetime


class KnowledgeBases(Wire):
    knowledge_bases: list[KnowledgeBaseView]
    next: int | None


class DocumentView(Wire):
    document_id: int
    knowledge_base_id: int
    file_name: str
    sha256: str
    size: int
    added_at: datetime
    job_id: int
    state: str
    problem: str | None
    sentence: NoticeView | None
    page_count: int
    hidden_characters: int
    notes: list[NoticeView]


class Documents(Wire):
    documents: list[DocumentView]
    next: str | None


class Uploaded(Wire):
    document: DocumentView
    job_id: int
    is_duplicate: bool


class RefusedFile(Wire):
    file_name: str
    detail: NoticeView


class Uploads(Wire):
    uploads: list[Uploaded]
    refused: list[RefusedFile]


class Rectangle(Wire):
    left: float
    top: float
    right: float
    bottom: float
    page_width: float
    page_height: float
