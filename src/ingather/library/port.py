"""What other rooms may use of the library: plain data, and a protocol. No tables, no files."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from ingather.library.reading import Hidden, Problem, names_unread_signs
from ingather.library.table import Box, Cell, Table

__all__ = [
    "Box",
    "Cell",
    "DocumentRecord",
    "DocumentState",
    "Hidden",
    "KnowledgeBase",
    "Length",
    "LibraryPort",
    "PrintedLine",
    "Problem",
    "ReadingSummary",
    "Rect",
    "Snapshot",
    "Table",
]


class DocumentState(StrEnum):
    """How far the library is with a document."""

    UNREAD = "unread"  # its job is still to come, or under way
    READABLE = "readable"
    PROBLEM = "problem"  # the file gives no pages, for good; `problem` and `sentence` say why
    FAILED = "failed"  # the job came to nothing; uploading the file again gives it another


class Sort(StrEnum):
    """In which order documents are listed."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase:
    """A named set of documents. A name is unique within its project."""

    id: int
    project_id: int
    name: str
    documents: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A file in a knowledge base, under the name it came with, and what is known of its text so far."""

    id: int
    project_id: int
    knowledge_base_id: int
    file_name: str
    sha256: str
    size: int
    added_at: datetime
    job_id: int
    """The batch of one that reads it. It may have been pruned since."""
    state: DocumentState
    problem: Problem | None
    sentence: str
    page_count: int
    hidden_characters: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a task keeps of a document: enough to work on it after it was deleted from the library."""

    document_id: int
    file_name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSummary:
    """What one version of the parser made of a file, without its pages."""

    sha256: str
    parser: str
    problem: Problem | None
    sentence: str
    page_count: int
    hidden: tuple[Hidden, ...]
    notes: tuple[str, ...]
    read_at: datetime
    is_recognised: bool = False
    """Its text was recognised in pictures: a word of it may be misread."""

    @property
    def has_unread_signs(self) -> bool:
        """Signs beside numbers could not all be read: one may be missing or wrong."""
        return names_unread_signs(self.notes)

    @property
    def hidden_characters(self) -> int:
        return sum(len(hidden.text) for hidden in self.hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How much text a file has; none at all where it gives no pages. The bytes are those of UTF-8."""

    characters: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A piece of a line, in points from the top left corner of a page of that width and height."""

    left: float
    top: float
    right: float
    bottom: float
    page_width: float
    page_height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageArea:
    """A part of a page that somebody has drawn, in points from the top left corner. Pages count from 0."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Characters `start` to `end` of a page's text, and those of them that stand in an area that was drawn."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLine:
    """Characters `start` to `end` of a page's text that are one line of it, and how high its letters are, in points."""

    start: int
    end: int
    size: float


class LibraryPort(Protocol):
    """What extraction asks of a library. Anything that can answer this may stand in its place.

    Pages and characters are counted from 0. A text belongs to the version of
    the parser that made it: whoever keeps places in it should keep
    `ReadingSummary.parser` as well and ask with it. Without, the current
    version's text is given, or the newest there is.
    """

    def list_knowledge_bases(self, *, project_ids: Collection[int] | None = None) -> list[KnowledgeBase]: ...

    def list_documents(
        self, knowledge_base_id: int, *, search: str = "", after: int | None = None, limit: int = 50
    ) -> list[DocumentRecord]:
        """Documents, newest first; `after` takes the last id of the page before."""

    def document_for_extraction(self, document_id: int) -> Snapshot: ...

    def snapshots(self, document_ids: Iterable[int], *, project_id: int | None = None) -> list[Snapshot]:
        """One for each id, in their order; an error that names those that are missing, or in another project."""

    def present(self, sha256s: Collection[str], *, project_id: int) -> set[str]:
        """Which of these files a document of the project still names. The others were deleted."""

    def read(self, sha256: str, name: str = "") -> ReadingSummary:
        """The reading by the current parser. What was not read yet is read now."""

    def pages(self, sha256: str, *, parser: str | None = None) -> list[str]:
        """The texts of all pages; none for a file with a problem. `NotReady` for one that was never read."""

    def tables(self, sha256: str, *, parser: str | None = None) -> list[Table]:
        """The tables of a file, in the order of its pages. A file that an older parser read is read anew for them.

        With `parser`, those that this version found, and none where it looked for none.
        """

    def lengths(self, sha256s: Iterable[str]) -> dict[str, Length]:
        """How long the files are that were read; those that were not are missing."""

    def printed_lines(self, sha256: str, page: int, *, parser: str | None = None) -> list[PrintedLine]:
        """The lines of a page with the size of their type. None for plain text, or where there is no such page."""

    def passage(self, sha256: str, area: PageArea, *, parser: str | None = None) -> Passage | None:
        """The characters that stand in an area of a page; none where there are none."""

    def rectangles(self, sha256: str, page: int, start: int, end: int, *, parser: str | None = None) -> list[Rect]:
        """Where characters `start` to `end` of a page stand: a rectangle for each line. None for plain text."""
