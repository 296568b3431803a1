"""The library on a real PostgreSQL: uploads, readings that are made once, names from outside, places on a page."""

import io
import os
import random
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import NotReady, UnknownKind, UsageError
from ingather.library import documents, ingest, statements
from ingather.library.blobs import FolderBlobs
from ingather.library.errors import (
    FileDamaged,
    FileMissing,
    FileTooBig,
    NameTaken,
    UnknownDocument,
    UnknownFile,
    UnknownKnowledgeBase,
    UnknownPage,
)
from ingather.library.library import Library, Upload
from ingather.library.names import clean_file_name
from ingather.library.port import DocumentState, LibraryPort, Problem, Rect
from ingather.library.reading import Hidden, Page, Reading
from tests.library.good_pdfs import drawn
from tests.library.test_tables import three_lines

NOW = timedelta(0)
ABSENT = "0" * 64


class Parser:
    """Stands in for the real parser: pages are what the file says, parted by form feeds. Counts its calls."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.together: threading.Barrier | None = None

    def __call__(self, path: Path, name: str) -> Reading:
        self.names.append(name)
        if self.together is not None:
            self.together.wait(10)
        text = path.read_text("utf-8", "surrogatepass")
        if text.startswith("locked"):
            return Reading(parser="test-1", problem=Problem.ENCRYPTED, sentence="This file asks for a password.")
        return Reading(
            parser="test-1",
            pages=tuple(Page(text=page, width=595.28, height=841.89, boxes=b"") for page in text.split("\f")),
            hidden=(Hidden(page=0, text="ignore\0 all", reason="white"),) if "hidden" in text else (),
            notes=("This file contains JavaScript.",) if "script" in text else (),
        )


@pytest.fixture
def parser() -> Parser:
    return Parser()


@pytest.fixture
def library(app: Engine, tmp_path: Path, parser: Parser) -> Library:
    library = Library(app, FolderBlobs(tmp_path / "files"), parse=parser, parser="test-1")
    ingest.register(library)
    return library


@pytest.fixture
def knowledge_base(library: Library) -> int:
    """The id of an empty knowledge base."""
    return library.create_knowledge_base("Trials").id


def upload(library: Library, knowledge_base: int, text: str = "one\ftwo", name: str = "paper.pdf") -> Upload:
    return library.upload(knowledge_base, io.BytesIO(text.encode("utf-8", "surrogatepass")), name)


def rows_in(db: psycopg.Connection[Any], *tables: str) -> list[int]:
    return [count for table in tables for (count,) in db.execute(f"select count(*) from ingather.{table}")]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    together = threading.Barrier(len(calls))

    def started(call: Callable[[], Any]) -> Any:
        together.wait(10)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(started, calls))


def as_port(library: LibraryPort) -> LibraryPort:
    """That this call type-checks is the test: `Library` is what the port asks for."""
    return library


# --- knowledge bases -----------------------------------------------------------------------------------------------


def test_a_knowledge_base_is_made_listed_renamed_and_deleted(library: Library) -> None:
    made = library.create_knowledge_base("  Cohort\u202e \n studies ")
    upload(library, made.id)
    assert [(one.name, one.documents) for one in as_port(library).list_knowledge_bases()] == [("Cohort studies", 1)]
    library.rename_knowledge_base(made.id, "队列研究")
    assert library.knowledge_base(made.id).name == "队列研究"
    library.delete_knowledge_base(made.id)
    assert library.list_knowledge_bases() == []


def test_two_knowledge_bases_do_not_share_a_name(library: Library, knowledge_base: int) -> None:
    other = library.create_knowledge_base("Other")
    with pytest.raises(NameTaken, match="'TRIALS' already"):
        library.create_knowledge_base("TRIALS")
    with pytest.raises(NameTaken):
        library.rename_knowledge_base(other.id, "Trials")


def test_a_knowledge_base_needs_a_name_that_can_be_read(library: Library) -> None:
    for name in ("", " \t ", "\u200b\0", "x" * 201):
        with pytest.raises(UsageError, match="1 to 200 characters"):
            library.create_knowledge_base(name)


def test_what_is_not_there_is_said_to_be_not_there(library: Library) -> None:
    wrong: list[Any] = [0, -1, 10**6, 2**70, True, "1"]
    for one in wrong:
        for ask in (library.knowledge_base, library.delete_knowledge_base, library.list_documents):
            with pytest.raises(UnknownKnowledgeBase, match="There is no knowledge base"):
                ask(one)
        with pytest.raises(UnknownKnowledgeBase):
            upload(library, one)
        with pytest.raises(UnknownKnowledgeBase):
            library.rename_knowledge_base(one, "Name")
        for look in (library.document, library.delete_document, library.document_for_extraction):
            with pytest.raises(UnknownDocument, match="There is no document"):
                look(one)


# --- uploading -----------------------------------------------------------------------------------------------------


def test_an_upload_returns_a_document_and_a_job_before_anything_is_read(
    library: Library, knowledge_base: int, parser: Parser
) -> None:
    done = upload(library, knowledge_base)
    assert parser.names == []
    assert not done.is_duplicate
    assert (done.document.state, done.document.file_name, done.document.size) == (DocumentState.UNREAD, "paper.pdf", 7)
    assert done.job.id == done.document.job_id
    assert done.job.progress().pending == 1


def test_a_worker_reads_what_was_uploaded(library: Library, knowledge_base: int, app: Engine, parser: Parser) -> None:
    done = upload(library, knowledge_base, "one\ftwo with a script and hidden words")
    app.worker().drain()
    document = library.document(done.document.id)
    assert (document.state, document.page_count, document.hidden_characters) == (DocumentState.READABLE, 2, 11)
    assert document.notes == ("This file contains JavaScript.",)
    assert parser.names == ["paper.pdf"]
    assert library.pages(document.sha256) == ["one", "two with a script and hidden words"]
    result = done.job.result()
    assert (result["page_count"], result["problem"], result["sha256"]) == (2, None, document.sha256)
    assert library.read(document.sha256).hidden == (Hidden(page=0, text="ignore\ufffd all", reason="white"),)


def test_a_problem_of_the_document_is_a_result_and_not_an_error(
    library: Library, knowledge_base: int, app: Engine
) -> None:
    done = upload(library, knowledge_base, "locked")
    app.worker().drain()
    assert done.job.progress().completed == 1
    assert done.job.result()["problem"] == "encrypted"
    document = library.document(done.document.id)
    assert (document.state, document.problem) == (DocumentState.PROBLEM, Problem.ENCRYPTED)
    assert document.sentence == "This file asks for a password."
    assert library.pages(document.sha256) == []


def test_the_real_parser_reads_a_pdf_in_a_real_worker(app: Engine, tmp_path: Path) -> None:
    library = Library(app, FolderBlobs(tmp_path / "files"))
    ingest.register(library)
    knowledge_base = library.create_knowledge_base("Trials").id

    def draw(canvas: Any) -> None:
        canvas.drawString(72, 842 - 100, "Of 120 patients, 60 were randomised.")
        canvas.showPage()
        canvas.drawString(72, 842 - 100, "No deaths occurred.")

    done = library.upload(knowledge_base, io.BytesIO(drawn(draw, size=(595, 842))), "trial.pdf")
    app.worker().drain()
    assert done.job.progress().completed == 1
    sha256 = done.document.sha256
    assert [page.strip() for page in library.pages(sha256)] == [
        "Of 120 patients, 60 were randomised.",
        "No deaths occurred.",
    ]
    start = library.pages(sha256)[0].index("60 were")
    assert library.tables(sha256) == []
    [rect] = library.rectangles(sha256, 0, start, start + len("60 were"))
    assert (rect.page_width, rect.page_height) == (595, 842)
    assert 72 < rect.left < rect.right < 300
    assert 88 < rect.top < rect.bottom < 106


def test_tables_are_kept_with_the_reading_and_a_reading_without_them_is_read_anew(
    app: Engine, tmp_path: Path, db: psycopg.Connection[Any]
) -> None:
    library = Library(app, FolderBlobs(tmp_path / "files"))
    ingest.register(library)
    knowledge_base = library.create_knowledge_base("Trials").id
    document = library.upload(knowledge_base, io.BytesIO(three_lines().pdf()), "trial.pdf").document
    [table] = library.tables(document.sha256)
    assert table.label == "Table 1"
    assert library.tables(document.sha256, parser=library.parser) == [table]

    db.execute("update ingather.reading set parser = 'pdfium-1', tables = null")
    assert library.tables(document.sha256, parser="pdfium-1") == []
    assert library.tables(document.sha256) == [table]


def test_the_same_bytes_twice_are_one_document(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any]
) -> None:
    first, second = upload(library, knowledge_base, name="a.pdf"), upload(library, knowledge_base, name="b.pdf")
    assert (first.is_duplicate, second.is_duplicate) == (False, True)
    assert second.document == first.document
    assert second.job == first.job
    assert rows_in(db, "document", "blob", "batch") == [1, 1, 1]


def test_the_same_bytes_elsewhere_are_a_second_document_of_one_file_and_one_reading(
    library: Library, knowledge_base: int, app: Engine, parser: Parser, db: psycopg.Connection[Any]
) -> None:
    first = upload(library, knowledge_base, name="a.pdf")
    second = upload(library, library.create_knowledge_base("Other").id, name="b.pdf")
    assert not second.is_duplicate
    assert (first.document.file_name, second.document.file_name) == ("a.pdf", "b.pdf")
    app.worker().drain()
    assert rows_in(db, "document", "blob", "reading", "page") == [2, 1, 1, 2]
    assert len(parser.names) == 1
    assert {library.document(done.document.id).state for done in (first, second)} == {DocumentState.READABLE}


def test_two_files_of_one_name_are_both_kept(library: Library, knowledge_base: int) -> None:
    upload(library, knowledge_base, "first")
    upload(library, knowledge_base, "second")
    assert [one.file_name for one in library.list_documents(knowledge_base)] == ["paper.pdf", "paper.pdf"]


def test_the_same_bytes_uploaded_at_the_same_moment_are_one_document(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any]
) -> None:
    done = at_once(*[lambda: upload(library, knowledge_base)] * 4)
    assert sorted(one.is_duplicate for one in done) == [False, True, True, True]
    assert len({one.document.id for one in done}) == 1
    assert rows_in(db, "document", "blob", "batch") == [1, 1, 1]


def test_the_same_bytes_uploaded_to_two_knowledge_bases_at_the_same_moment_share_one_job(
    library: Library, knowledge_base: int, app: Engine, parser: Parser, db: psycopg.Connection[Any]
) -> None:
    other = library.create_knowledge_base("Other").id
    done = at_once(*[lambda: upload(library, knowledge_base), lambda: upload(library, other)] * 2)
    assert len({one.document.id for one in done}) == 2
    assert rows_in(db, "document", "blob", "batch") == [2, 1, 1]
    app.worker().drain()
    assert len(parser.names) == 1


def test_an_upload_tells_nothing_of_the_papers_of_another_project(
    library: Library, knowledge_base: int, app: Engine, parser: Parser
) -> None:
    theirs = upload(library, knowledge_base)
    app.worker().drain()
    other = library.create_knowledge_base("Other", project_id=7).id
    mine = upload(library, other)
    new = upload(library, other, "another text")
    assert mine.job.id > theirs.job.id
    assert (mine.document.state, mine.is_duplicate) == (new.document.state, new.is_duplicate)
    assert [one.state for one in library.list_documents(other)] == [DocumentState.UNREAD] * 2
    app.worker().drain()
    # Read once more, so that the time it takes is that of any other paper; kept once.
    assert len(parser.names) == 3
    assert [one.state for one in library.list_documents(other)] == [DocumentState.READABLE] * 2


def test_what_broken_uploads_left_behind_is_swept_and_what_is_under_way_is_not(
    library: Library, knowledge_base: int
) -> None:
    upload(library, knowledge_base)
    assert isinstance(library.blobs, FolderBlobs)
    incoming = library.blobs.folder / "incoming"
    for name, age_s in (("broken", 7_200), ("under way", 60)):
        (incoming / name).write_text("half")
        moment = time.time() - age_s
        os.utime(incoming / name, (moment, moment))
    assert library.sweep() == 1
    assert [file.name for file in incoming.iterdir()] == ["under way"]


def test_files_are_for_their_user_alone(library: Library, knowledge_base: int) -> None:
    done = upload(library, knowledge_base)
    with library.open_file(done.document.id) as file:
        assert file.path.stat().st_mode & 0o777 == 0o600
    assert isinstance(library.blobs, FolderBlobs)
    assert library.blobs.folder.stat().st_mode & 0o777 == 0o700


def test_a_worker_sweeps_what_the_schedule_asks_for(
    library: Library, knowledge_base: int, app: Engine, db: psycopg.Connection[Any]
) -> None:
    ingest.schedule(library)
    [schedule] = app.schedules()
    library.delete_document(upload(library, knowledge_base).document.id)
    db.execute("update ingather.blob set kept_at = kept_at - interval '1 day'")
    app.scatter(schedule.kind, [None])
    app.worker().drain()
    assert rows_in(db, "blob") == [0]


def test_a_file_that_is_too_big_is_refused_and_leaves_nothing(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any], tmp_path: Path
) -> None:
    class Big:
        left = 51_000_000

        def read(self, size: int, /) -> bytes:
            size = min(size, self.left)
            self.left -= size
            return bytes(size)

    with pytest.raises(FileTooBig, match="may have 50 MB"):
        library.upload(knowledge_base, Big(), "big.pdf")
    assert rows_in(db, "document", "blob", "batch") == [0, 0, 0]
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []


def test_a_crash_between_the_bytes_and_the_rows_leaves_nothing_wrong(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any], app: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any) -> Any:
        raise ConnectionResetError("the process died here")

    with monkeypatch.context() as patched:
        patched.setattr(documents, "_reading_job", crash)
        with pytest.raises(ConnectionResetError):
            upload(library, knowledge_base)
    assert library.list_documents(knowledge_base) == []
    assert rows_in(db, "document", "blob", "batch") == [0, 0, 0]

    done = upload(library, knowledge_base)
    assert not done.is_duplicate
    app.worker().drain()
    assert library.document(done.document.id).state is DocumentState.READABLE


def test_without_the_handler_nothing_is_added(app: Engine, tmp_path: Path, db: psycopg.Connection[Any]) -> None:
    library = Library(app, FolderBlobs(tmp_path), parser="test-1")
    knowledge_base = library.create_knowledge_base("Trials").id
    with pytest.raises(UnknownKind, match="read_document"):
        upload(library, knowledge_base)
    assert rows_in(db, "document", "blob") == [0, 0]


def test_a_document_whose_job_came_to_nothing_is_read_after_another_upload(
    library: Library, knowledge_base: int, app: Engine
) -> None:
    done = upload(library, knowledge_base)
    done.job.cancel()
    failed = library.document(done.document.id)
    assert failed.state is DocumentState.FAILED
    assert "Upload the same file again" in failed.sentence

    again = upload(library, knowledge_base)
    assert again.is_duplicate
    assert again.job != done.job
    assert library.document(done.document.id).state is DocumentState.UNREAD
    app.worker().drain()
    assert library.document(done.document.id).state is DocumentState.READABLE


def test_a_file_lost_by_the_store_is_a_failure_of_the_job_that_may_pass(
    library: Library, knowledge_base: int, app: Engine, db: psycopg.Connection[Any]
) -> None:
    done = upload(library, knowledge_base)
    library.blobs.delete(done.document.sha256)
    db.execute("update ingather.batch set max_attempts = 1")
    app.worker().drain()
    [item] = done.job.items()
    assert item.error is not None
    assert (item.error["reason"], item.error["type"]) == ("exhausted", "FileMissing")
    assert library.document(done.document.id).state is DocumentState.FAILED


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("paper.pdf", "paper.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("C:\\papers\\a trial.pdf", "a trial.pdf"),
        ("/", "unnamed.pdf"),
        ("folder/", "folder"),
        ("..", "unnamed.pdf"),
        ("../..\0/", "unnamed.pdf"),
        ("", "unnamed.pdf"),
        ("   ", "unnamed.pdf"),
        ("\u200b\ufeff", "unnamed.pdf"),
        ("a\r\nSet-Cookie:x", "aSet-Cookie:x"),
        ("a\0b.pdf", "ab.pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        ("a\u2066b\u2069c\u200ed.pdf", "abcd.pdf"),
        ("line\u2028break\u2029.pdf", "linebreak.pdf"),
        ("<img src=x onerror=alert(1)>.pdf", "<img src=x onerror=alert(1)>.pdf"),
        ("con", "con"),
        ("cafe\u0301.pdf", "café.pdf"),
        ("随机对照试验.pdf", "随机对照试验.pdf"),
        ("torn\ud800name.pdf", "torn\ufffdname.pdf"),
        ("न\u200dम.pdf", "न\u200dम.pdf"),
    ],
)
def test_a_file_name_is_shown_clean(given: str, shown: str) -> None:
    assert clean_file_name(given) == shown


@pytest.mark.parametrize("name", ["x" * 5000 + ".pdf", "试" * 5000 + ".pdf", "😀" * 100, "." + "x" * 5000])
def test_a_long_file_name_is_cut_to_255_bytes_and_keeps_its_ending(name: str) -> None:
    cut = clean_file_name(name)
    assert 250 <= len(cut.encode()) <= 255
    assert cut.endswith(".pdf") == name.endswith(".pdf")
    assert cut[:40] == name[:40]


def test_hostile_names_are_stored_clean_and_never_become_paths(
    library: Library, knowledge_base: int, tmp_path: Path
) -> None:
    for number, name in enumerate(["../../x", "a\r\nb", "\u202efdp.exe", "试" * 5000, "\0", "\ud800"]):
        done = upload(library, knowledge_base, f"text {number}", name)
        assert done.document.file_name == clean_file_name(name)
        with library.open_file(done.document.id) as file:
            assert file.path.name == done.document.sha256
            assert file.path.is_relative_to(tmp_path / "files")
            assert file.path.read_text() == f"text {number}"


# --- reading -------------------------------------------------------------------------------------------------------


def test_a_task_that_starts_before_the_job_reads_at_once_and_the_job_finds_it_done(
    library: Library, knowledge_base: int, app: Engine, parser: Parser
) -> None:
    done = upload(library, knowledge_base)
    summary = as_port(library).read(done.document.sha256)
    assert (summary.page_count, summary.parser) == (2, "test-1")
    app.worker().drain()
    assert done.job.result()["page_count"] == 2
    assert len(parser.names) == 1


def test_threads_that_want_the_same_file_have_it_parsed_once(
    library: Library, knowledge_base: int, parser: Parser
) -> None:
    sha256 = upload(library, knowledge_base).document.sha256
    found = at_once(*[lambda: library.read(sha256)] * 4)
    assert len(parser.names) == 1
    assert all(one == found[0] for one in found)


def test_two_processes_that_read_the_same_file_leave_one_reading(
    library: Library, knowledge_base: int, app: Engine, parser: Parser, db: psycopg.Connection[Any]
) -> None:
    sha256 = upload(library, knowledge_base).document.sha256
    other = Library(app, library.blobs, parse=parser, parser="test-1")
    parser.together = threading.Barrier(2)
    mine, theirs = at_once(lambda: library.read(sha256), lambda: other.read(sha256))
    assert mine == theirs
    assert len(parser.names) == 2
    assert rows_in(db, "reading", "page") == [1, 2]


def test_reading_a_parsed_document_never_touches_the_file(
    library: Library, knowledge_base: int, parser: Parser
) -> None:
    sha256 = upload(library, knowledge_base).document.sha256
    library.read(sha256)
    library.blobs.delete(sha256)
    assert library.read(sha256).page_count == 2
    assert library.pages(sha256) == ["one", "two"]
    assert library.rectangles(sha256, 1, 0, 3) == []
    assert len(parser.names) == 1


def test_a_new_parser_reads_anew_and_the_old_text_stays(library: Library, knowledge_base: int, app: Engine) -> None:
    done = upload(library, knowledge_base, "old")
    sha256 = done.document.sha256
    library.read(sha256)
    page = Page(text="new", width=10, height=10, boxes=b"")
    newer = Library(app, library.blobs, parse=lambda *_: Reading(parser="test-2", pages=(page, page)), parser="test-2")
    assert newer.pages(sha256) == ["old"]
    assert newer.document(done.document.id).page_count == 1
    assert newer.read(sha256).parser == "test-2"
    assert newer.pages(sha256) == ["new", "new"]
    assert newer.pages(sha256, parser="test-1") == ["old"]
    assert library.pages(sha256) == ["old"]
    assert newer.document(done.document.id).page_count == 2
    with pytest.raises(NotReady):
        newer.pages(sha256, parser="test-3")


def test_what_was_not_read_or_is_not_there_says_so(library: Library, knowledge_base: int) -> None:
    sha256 = upload(library, knowledge_base).document.sha256
    with pytest.raises(NotReady, match="has not been read yet"):
        library.pages(sha256)
    with pytest.raises(NotReady):
        library.rectangles(sha256, 0, 0, 1)
    with pytest.raises(UnknownFile, match="no file 000000000000"):
        library.read(ABSENT)
    with pytest.raises(UnknownFile, match="64 hexadecimal digits"):
        library.read("../../etc/passwd")
    library.blobs.delete(sha256)
    with pytest.raises(FileMissing):
        library.read(sha256)


def test_a_damaged_file_is_not_read(library: Library, knowledge_base: int, parser: Parser) -> None:
    done = upload(library, knowledge_base)
    with library.open_file(done.document.id) as file:
        file.path.write_text("not it")
    with pytest.raises(FileDamaged, match="not what was uploaded"):
        library.read(done.document.sha256)
    assert parser.names == []


def test_characters_that_postgresql_cannot_keep_are_replaced_one_for_one(library: Library, knowledge_base: int) -> None:
    sha256 = upload(library, knowledge_base, "a\0b\ud800c试\f\0").document.sha256
    library.read(sha256)
    assert library.pages(sha256) == ["a\ufffdb\ufffdc试", "\ufffd"]


def test_a_book_is_kept_whole(library: Library, knowledge_base: int) -> None:
    pages = [f"page {number} " + "试验 " * 300 for number in range(250)]
    sha256 = upload(library, knowledge_base, "\f".join(pages)).document.sha256
    assert library.read(sha256).page_count == 250
    assert library.pages(sha256) == pages


# --- listing and deleting ------------------------------------------------------------------------------------------


def test_documents_are_listed_newest_first_page_by_page(library: Library, knowledge_base: int) -> None:
    made = [upload(library, knowledge_base, f"text {number}").document.id for number in range(5)]
    other = library.create_knowledge_base("Other").id
    upload(library, other)
    seen: list[int] = []
    after: int | None = None
    while page := library.list_documents(knowledge_base, after=after, limit=2):
        seen += [one.id for one in page]
        after = page[-1].id
        # New documents do not move the pages.
        upload(library, knowledge_base, f"late {after}")
    assert seen == sorted(made, reverse=True)


def test_a_search_finds_parts_of_names(library: Library, knowledge_base: int) -> None:
    for name in ("A trial.pdf", "试验 Trial 2.pdf", "100%.pdf"):
        upload(library, knowledge_base, name, name)
    wanted = {"": 3, "TRIAL": 2, "试验": 1, "%": 1, "_": 0, "' or 1=1 --": 0, "\ud800": 0}
    assert {search: len(library.list_documents(knowledge_base, search=search)) for search in wanted} == wanted


def test_a_listing_that_makes_no_sense_is_refused(library: Library, knowledge_base: int) -> None:
    impossible: list[Any] = [{"limit": 0}, {"limit": 1001}, {"after": -1}, {"after": 2**80}, {"search": "\0"}]
    for wrong in impossible:
        with pytest.raises(UsageError):
            library.list_documents(knowledge_base, **wrong)


def test_a_deleted_document_leaves_file_and_reading_to_those_who_need_them(
    library: Library, knowledge_base: int
) -> None:
    first = upload(library, knowledge_base)
    second = upload(library, library.create_knowledge_base("Other").id)
    library.read(first.document.sha256)
    library.delete_document(first.document.id)
    with pytest.raises(UnknownDocument):
        library.document(first.document.id)
    assert library.sweep(NOW) == 0
    assert library.document(second.document.id).state is DocumentState.READABLE
    with library.open_file(second.document.id) as file:
        assert file.path.read_text() == "one\ftwo"


def test_a_deleted_document_can_be_uploaded_again(
    library: Library, knowledge_base: int, app: Engine, parser: Parser
) -> None:
    first = upload(library, knowledge_base)
    app.worker().drain()
    library.delete_document(first.document.id)
    second = upload(library, knowledge_base)
    assert not second.is_duplicate
    assert second.document.state is DocumentState.READABLE
    assert len(parser.names) == 1


def test_a_sweep_takes_what_nothing_refers_to(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any], app: Engine
) -> None:
    done = upload(library, knowledge_base)
    app.worker().drain()
    library.delete_knowledge_base(knowledge_base)
    assert library.sweep() == 0, "it was uploaded within the hour"
    assert library.sweep(NOW) == 1
    assert not library.blobs.exists(done.document.sha256)
    assert rows_in(db, "blob", "reading", "page") == [0, 0, 0]

    # The job's key is used up, and the file must be read all the same.
    again = upload(library, library.create_knowledge_base("Again").id)
    app.worker().drain()
    assert library.document(again.document.id).state is DocumentState.READABLE


def test_a_sweep_leaves_what_a_task_refers_to(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any]
) -> None:
    done = upload(library, knowledge_base)
    library.read(done.document.sha256)
    db.execute("create table task_document (sha256 text references ingather.blob (sha256))")
    db.execute("insert into task_document values (%s)", [done.document.sha256])
    library.delete_document(done.document.id)
    assert library.sweep(NOW) == 0
    assert library.pages(done.document.sha256) == ["one", "two"]
    assert library.blobs.exists(done.document.sha256)


def test_an_upload_that_meets_a_sweep_never_ends_as_a_document_without_its_file(
    library: Library, knowledge_base: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = upload(library, knowledge_base)
    library.delete_document(done.document.id)
    put = library.blobs.put

    def put_then_sweep(*args: Any, **options: Any) -> Any:
        stored = put(*args, **options)
        assert library.sweep(NOW) == 1
        return stored

    with monkeypatch.context() as patched:
        patched.setattr(library.blobs, "put", put_then_sweep)
        with pytest.raises(FileMissing, match="Upload it again"):
            upload(library, knowledge_base)
    assert library.list_documents(knowledge_base) == []
    with library.open_file(upload(library, knowledge_base).document.id) as file:
        assert file.path.exists()


def test_a_job_for_a_file_that_was_swept_ends_at_once(library: Library, knowledge_base: int, app: Engine) -> None:
    done = upload(library, knowledge_base)
    library.delete_document(done.document.id)
    library.sweep(NOW)
    app.worker().drain()
    [item] = done.job.items()
    assert item.error is not None
    assert (item.error["reason"], item.attempt) == ("rejected", 1)


# --- snapshots -----------------------------------------------------------------------------------------------------


def test_snapshots_come_in_the_order_asked_for(library: Library, knowledge_base: int) -> None:
    made = [upload(library, knowledge_base, f"text {number}", f"{number}.pdf").document for number in range(3)]
    requested = [made[2].id, made[0].id, made[1].id, made[0].id]
    found = as_port(library).snapshots(requested)
    assert [one.file_name for one in found] == ["2.pdf", "0.pdf", "1.pdf", "0.pdf"]
    assert as_port(library).document_for_extraction(made[1].id) == found[2]
    assert (found[2].sha256, found[2].size) == (made[1].sha256, 6)
    assert library.snapshots([]) == []


def test_snapshots_name_what_is_missing_in_one_sentence(library: Library, knowledge_base: int) -> None:
    known = upload(library, knowledge_base).document.id
    absent = [known + number for number in range(1, 13)]
    with pytest.raises(UnknownDocument, match=r"^12 of 13 documents are not in the library: .* and 2 more\. Leave"):
        library.snapshots([known, *absent])


def test_a_hundred_snapshots_are_one_query(
    library: Library, knowledge_base: int, db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = upload(library, knowledge_base).document
    db.execute("insert into ingather.blob select md5(n::text) || md5(n::text), 1 from generate_series(1, 99) as n")
    added = db.execute(
        "insert into ingather.document (knowledge_base_id, sha256, file_name, job_id) "
        "select %s, sha256, 'paper.pdf', 1 from ingather.blob where sha256 <> %s returning id",
        [knowledge_base, first.sha256],
    )
    made = [first.id, *(one for (one,) in added)]
    requested: list[str] = []
    execute = psycopg.Cursor.execute

    def counted(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        requested.append(query)
        return execute(self, query, *args, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted)
    assert len(library.snapshots(made)) == 100
    assert len([query for query in requested if "ingather." in query]) == 1


# --- places --------------------------------------------------------------------------------------------------------


def test_rectangles_come_in_points_with_the_size_of_their_page(
    library: Library, knowledge_base: int, app: Engine
) -> None:
    boxes = struct.pack("<12H", 288, 400, 312, 432, 312, 400, 336, 432, 288, 456, 312, 488)
    page = Page(text="abc", width=595.28, height=841.89, boxes=boxes)
    mine = Library(app, library.blobs, parse=lambda *_: Reading(parser="p", pages=(page, page)), parser="p")
    sha256 = upload(library, knowledge_base).document.sha256
    mine.read(sha256)
    size = {"page_width": 595.28, "page_height": 841.89}
    assert as_port(mine).rectangles(sha256, 1, 0, 3) == [
        Rect(left=72, top=100, right=84, bottom=108, **size),
        Rect(left=72, top=114, right=78, bottom=122, **size),
    ]


def test_a_place_outside_the_text_is_refused(library: Library, knowledge_base: int) -> None:
    sha256 = upload(library, knowledge_base).document.sha256
    library.read(sha256)
    for page in (-1, 2, 2**40):
        with pytest.raises(UnknownPage, match="has no page"):
            library.rectangles(sha256, page, 0, 1)
    for start, end in ((-1, 2), (2, 1), (0, 4)):
        with pytest.raises(UnknownPage, match="characters 0 to 3"):
            library.rectangles(sha256, 0, start, end)


def test_boxes_are_stored_apart_so_that_reading_texts_never_loads_them(
    library: Library, knowledge_base: int, app: Engine, db: psycopg.Connection[Any]
) -> None:
    page = Page(text="word " * 800, width=10, height=10, boxes=random.Random(1).randbytes(8 * 4_000))
    mine = Library(app, library.blobs, parse=lambda *_: Reading(parser="p", pages=(page,) * 3), parser="p")
    sha256 = upload(library, knowledge_base).document.sha256
    mine.read(sha256)
    [(rows, aside)] = db.execute(
        "select pg_relation_size(oid), pg_relation_size(reltoastrelid) "
        "  from pg_class where oid = 'ingather.page'::regclass"
    )
    assert rows <= 8_192 < 3 * len(page.boxes) < aside
    assert "boxes" not in statements.TEXTS
    assert mine.pages(sha256) == [page.text] * 3
