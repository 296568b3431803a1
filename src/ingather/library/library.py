"""The library: knowledge bases, documents, files, and what was read in them."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from psycopg.errors import ForeignKeyViolation, UniqueViolation

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.library import documents, readings
from ingather.library.blobs import MAX_BYTES, Blobs, Readable, checked_sha256
from ingather.library.errors import NameTaken
from ingather.library.layout.parser import LayoutParser
from ingather.library.names import clean_file_name, clean_name
from ingather.library.port import (
    DocumentRecord,
    DocumentState,
    KnowledgeBase,
    Length,
    PageArea,
    Passage,
    PrintedLine,
    ReadingSummary,
    Rect,
    Snapshot,
    Sort,
)
from ingather.library.reader import FileReader, Parse
from ingather.library.table import Table
from ingather.notice import notice

KIND = "read_document"
# A file without a document is kept this long: its upload may be about to add the document.
KEEP_UNUSED = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What became of an upload. A duplicate is the document that was there, under the name it had."""

    document: DocumentRecord
    is_duplicate: bool
    job: Batch


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile:
    """A document's bytes as a local file, not to be written to. `file_name` is for people and not part of the path."""

    file_name: str
    sha256: str
    size: int
    path: Path


class Library:
    """Knowledge bases and their documents, on an engine's database and a blob store.

    Uploading needs the job's handler: see `ingest.register`. `parse` and
    `parser` stand in for the real parser and its version, `recognise` for what
    reads scans.
    """

    def __init__(
        self,
        engine: Engine,
        blobs: Blobs,
        *,
        max_bytes: int = MAX_BYTES,
        parse: Parse | None = None,
        parser: str | None = None,
        recognise: Parse | None = None,
        layout: LayoutParser | None = None,
    ) -> None:
        self.engine = engine
        self.blobs = blobs
        self.max_bytes = max_bytes
        self._reader = FileReader(engine, blobs, parse=parse, parser=parser, recognise=recognise, layout=layout)

    @property
    def parser(self) -> str:
        """The version of the parser that files are read with now."""
        return self._reader.parser

    @property
    def parsers(self) -> list[str]:
        """The parsers of the current version, the preferred one first: recognised text before that of the file."""
        return self._reader.parsers

    # --- knowledge bases -------------------------------------------------------------------------------------------

    def create_knowledge_base(self, name: str, *, project_id: int = 0) -> KnowledgeBase:
        cleaned = clean_name(name)
        with _unique_name(cleaned):
            return self.engine.database.run(documents.create_knowledge_base(cleaned, project_id))

    def list_knowledge_bases(
        self, *, project_ids: Collection[int] | None = None, after: int = 0, limit: int | None = None
    ) -> list[KnowledgeBase]:
        """The knowledge bases of some projects, or all of them; `after` takes the last id of the page before."""
        wanted = None if project_ids is None else list(project_ids)
        return self.engine.database.run(documents.list_knowledge_bases(wanted, after=after, limit=limit))

    def knowledge_base(self, knowledge_base_id: int) -> KnowledgeBase:
        return self.engine.database.run(documents.knowledge_base(knowledge_base_id))

    def rename_knowledge_base(self, knowledge_base_id: int, name: str) -> None:
        cleaned = clean_name(name)
        with _unique_name(cleaned):
            self.engine.database.run(documents.rename_knowledge_base(knowledge_base_id, cleaned))

    def delete_knowledge_base(self, knowledge_base_id: int) -> None:
        """Remove a knowledge base and its documents. Their files stay until a sweep."""
        self.engine.database.run(documents.delete_knowledge_base(knowledge_base_id))

    # --- documents -------------------------------------------------------------------------------------------------

    def upload(self, knowledge_base_id: int, stream: Readable, file_name: str) -> Upload:
        """Keep a file, add its document and submit the job that reads it. Does not wait for the job.

        The bytes are safe before anything is written of them, and document
        and job are one commit: what fails in between leaves a file that
        nobody sees, and that the next upload of the same bytes takes over.
        """
        project_id = self.knowledge_base(knowledge_base_id).project_id
        stored = self.blobs.put(stream, max_bytes=self.max_bytes)
        payload = {"sha256": stored.sha256}
        # Projects share bytes and readings, but no job: its age would tell that somebody else has this paper.
        key = f"{KIND}/{self.parser}/{project_id}/{stored.sha256}"
        document, is_duplicate = self.engine.database.run(
            documents.add_document(
                knowledge_base_id,
                stored,
                clean_file_name(file_name),
                blobs=self.blobs,
                parsers=self.parsers,
                job=self.engine.registry.offspring(KIND, [payload], idempotency_key=key),
                another_job=self.engine.registry.offspring(KIND, [payload]),
            ),
            rings=True,
        )
        return Upload(document=document, is_duplicate=is_duplicate, job=self.engine.batch(document.job_id))

    def list_documents(
        self,
        knowledge_base_id: int,
        *,
        search: str = "",
        state: DocumentState | None = None,
        sort: Sort = Sort.NEWEST,
        after: int | None = None,
        after_name: str = "",
        limit: int = 50,
    ) -> list[DocumentRecord]:
        """Documents in order; `search` is a part of the name.

        `after` takes the last id of the page before, and `after_name` the
        name beside it where names are the order: the document itself may be
        gone by then.
        """
        return self.engine.database.run(
            documents.list_documents(
                knowledge_base_id,
                search=_searchable(search),
                state=state,
                sort=sort,
                after=after,
                after_name=after_name,
                limit=limit,
                parsers=self.parsers,
            )
        )

    def document(self, document_id: int) -> DocumentRecord:
        return self.engine.database.run(documents.find_document(document_id, self.parsers))

    def delete_document(self, document_id: int) -> None:
        """Remove a document. Its file and readings stay: other documents and tasks may need them."""
        self.engine.database.run(documents.delete_document(document_id))

    @contextmanager
    def open_file(self, document_id: int) -> Iterator[OpenFile]:
        """The uploaded bytes, for as long as the block lasts."""
        snapshot = self.document_for_extraction(document_id)
        with self.blobs.path(snapshot.sha256) as path:
            yield OpenFile(file_name=snapshot.file_name, sha256=snapshot.sha256, size=snapshot.size, path=path)

    def document_for_extraction(self, document_id: int) -> Snapshot:
        return self.snapshots([document_id])[0]

    def snapshots(self, document_ids: Iterable[int], *, project_id: int | None = None) -> list[Snapshot]:
        """One for each id, in their order; `UnknownDocument` names those that are missing, or in another project."""
        return self.engine.database.run(documents.snapshots(document_ids, project_id))

    def present(self, sha256s: Collection[str], *, project_id: int) -> set[str]:
        """Which of these files a document of the project still names. The others were deleted."""
        return self.engine.database.run(documents.present(list(sha256s), project_id))

    def projects_of_job(self, job_id: int) -> list[int]:
        """The projects that hold a document which this job reads."""
        return self.engine.database.run(documents.projects_of_job(job_id))

    # --- readings --------------------------------------------------------------------------------------------------

    def read(self, sha256: str, name: str = "") -> ReadingSummary:
        """The reading by the current parser. What was not read yet is read now, and kept: see `FileReader.read`."""
        return self._reader.read(sha256, name)

    def read_uploaded(self, sha256: str, *, job_id: int) -> ReadingSummary:
        """`read`, for the job of an upload: see `FileReader.read_uploaded`."""
        return self._reader.read_uploaded(sha256, job_id)

    def pages(self, sha256: str, *, parser: str | None = None) -> list[str]:
        """The texts of all pages, from the database alone; none for a file with a problem."""
        return self.engine.database.run(readings.texts(checked_sha256(sha256), parser, self.parsers))

    def tables(self, sha256: str, *, parser: str | None = None) -> list[Table]:
        """The tables of a file, in the order of its pages; without `parser`, the file is read now where needed."""
        if parser is None:
            parser = self.read(sha256).parser
        return self.engine.database.run(readings.tables(checked_sha256(sha256), parser, self.parsers))

    def lengths(self, sha256s: Iterable[str]) -> dict[str, Length]:
        """How long the files are that were read; those that were not are missing."""
        return self.engine.database.run(readings.lengths([checked_sha256(sha256) for sha256 in sha256s], self.parsers))

    def printed_lines(self, sha256: str, page: int, *, parser: str | None = None) -> list[PrintedLine]:
        """The lines of a page with the size of their type. None for plain text, or where there is no such page."""
        return self.engine.database.run(readings.printed_lines(checked_sha256(sha256), page, parser, self.parsers))

    def passage(self, sha256: str, area: PageArea, *, parser: str | None = None) -> Passage | None:
        """The characters that stand in an area of a page; none where there are none, as in plain text."""
        return self.engine.database.run(readings.passage(checked_sha256(sha256), area, parser, self.parsers))

    def rectangles(self, sha256: str, page: int, start: int, end: int, *, parser: str | None = None) -> list[Rect]:
        """Where characters `start` to `end` of a page stand: a rectangle for each line. None for plain text."""
        return self.engine.database.run(
            readings.rectangles(checked_sha256(sha256), page, start, end, parser, self.parsers)
        )

    # --- keeping house ---------------------------------------------------------------------------------------------

    def sweep(self, keep: timedelta = KEEP_UNUSED) -> int:
        """Remove files and readings that nothing refers to, uploaded longer ago than `keep`, and what uploads left
        behind that were broken off by then. Returns how many."""
        swept = self.blobs.sweep(keep)
        for sha256 in self.engine.database.run(documents.unused_blobs(keep)):
            try:
                swept += self.engine.database.run(documents.forget_blob(sha256, keep, self.blobs))
            except ForeignKeyViolation:
                continue  # a task's snapshot needs it, or a document that came this moment
        return swept


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    try:
        yield
    except UniqueViolation:
        raise NameTaken(
            notice(
                "library.knowledge_base_named_already_choose",
                "There is a knowledge base named {name} already. Choose another name.",
                name=f"{name!r}",
            )
        ) from None


def _searchable(search: str) -> str:
    if "\0" in search or len(search) > 255:
        raise UsageError(
            notice(
                "library.search_part_file_name_255",
                "A search is a part of a file name: 255 characters at most, without NUL.",
            )
        )
    return search.encode("utf-8", "replace").decode()
