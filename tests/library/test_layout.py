"""A layout parser's server beside our own reader: its tables where the file bears them out, ours where it does not."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from ingather.engine.engine import Engine
from ingather.library import ingest
from ingather.library.blobs import FolderBlobs
from ingather.library.layout.parser import LayoutParser
from ingather.library.layout.server import LayoutFailed, LayoutServer
from ingather.library.library import Library
from ingather.library.parse import parse_in_jail
from ingather.library.port import Table
from ingather.library.reading import Reading
from tests.library.good_pdfs import drawn

SIZE = (400.0, 300.0)


def page(canvas: Canvas) -> None:
    """A table whose columns our own reader cannot part: one space between them, no lines."""
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(40, 250, "Table 1. Deaths by group")
    for y, text in ((230, "Group Deaths People"), (215, "Aspirin 12 45"), (200, "Placebo 9 44")):
        canvas.drawString(40, y, text)


ROWS = (("Group", "Deaths", "People"), ("Aspirin", "12", "45"), ("Placebo", "9", "44"))


def docling(rows: Any = ROWS) -> dict[str, Any]:
    cells = [
        {
            "text": text, "row_span": 1, "col_span": 1,
            "column_header": row == 0, "row_header": row > 0 and column == 0, "row_section": False,
            "start_row_offset_idx": row, "end_row_offset_idx": row + 1,
            "start_col_offset_idx": column, "end_col_offset_idx": column + 1,
            "bbox": {"l": 40.0 + 60 * column, "t": 60.0 + 15 * row, "r": 90.0 + 60 * column, "b": 72.0 + 15 * row,
                     "coord_origin": "TOPLEFT"},
        }
        for row, line in enumerate(rows)
        for column, text in enumerate(line)
    ]  # fmt: skip
    table = {
        "prov": [{"page_no": 1, "bbox": {"l": 40, "t": 245, "r": 220, "b": 195, "coord_origin": "BOTTOMLEFT"}}],
        "captions": [{"$ref": "#/texts/0"}], "footnotes": [], "data": {"table_cells": cells},
    }  # fmt: skip
    content = {
        "pages": {"1": {"size": {"width": 400.0, "height": 300.0}}},
        "texts": [{"text": "Table 1. Deaths by group"}], "tables": [table],
    }  # fmt: skip
    return {"document": {"filename": "paper.pdf", "json_content": content}, "status": "success", "errors": []}


def mineru(rows: Any = ROWS) -> dict[str, Any]:
    html = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in line)}</tr>" for line in rows)
    item = {
        "type": "table", "img_path": "images/a.jpg",
        "table_caption": ["Table 1. Deaths by group"], "table_footnote": [],
        "table_body": f"<html><body><table>{html}</table></body></html>", "bbox": [90, 180, 560, 360], "page_idx": 0,
    }  # fmt: skip
    return {"backend": "pipeline", "version": "2.5.4", "results": {"paper": {"content_list": json.dumps([item])}}}


class Stand:
    """What the server answers, by path, and how often it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.calls: list[str] = []
        self.bodies: list[bytes] = []

    def be(self, which: str, answer: Any = None, *, version: str = "1.9.0") -> None:
        """Answer as one of the two servers does."""
        if which == "docling":
            self.answers = {"/health": {"status": "ok"}, "/version": {"docling-serve": version}}
            self.answers["/v1/convert/file"] = docling() if answer is None else answer
        else:
            self.answers = {"/health": {"status": "healthy", "version": version}}
            self.answers["/file_parse"] = mineru() if answer is None else answer


@contextmanager
def serving(stand: Stand) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stand.calls.append(self.path)
            answer = stand.answers.get(self.path)
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            stand.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def stand() -> Stand:
    return Stand()


@pytest.fixture
def library(stand: Stand, app: Engine, tmp_path: Path) -> Iterator[Callable[[], Library]]:
    """Makes a library that asks the stand-in, as a process of its own would: it remembers nothing."""
    with serving(stand) as address:

        def make() -> Library:
            return Library(app, FolderBlobs(tmp_path / "files"), layout=LayoutParser(LayoutServer(address)))

        ingest.register(make())
        yield make


@pytest.fixture
def sha256(library: Callable[[], Library]) -> str:
    papers = library()
    base = papers.create_knowledge_base("Papers")
    return papers.upload(base.id, io.BytesIO(drawn(page, size=SIZE)), "paper.pdf").document.sha256


def texts(tables: list[Table]) -> list[list[str]]:
    return [[cell.text for cell in table.cells] for table in tables]


FLAT = [[text for row in ROWS for text in row]]


@pytest.mark.parametrize("which", ["docling", "mineru"])
def test_its_tables_stand_where_the_file_bears_them_out(
    which: str, stand: Stand, library: Callable[[], Library], sha256: str
) -> None:
    stand.be(which)
    papers = library()
    summary = papers.read(sha256)
    assert summary.parser.endswith(f"+{which}-1.9.0")
    [table] = papers.tables(sha256)
    assert texts([table]) == FLAT
    twelve = next(cell for cell in table.cells if cell.text == "12")
    assert (twelve.row_path, twelve.column_path, twelve.page) == (("Aspirin",), ("Deaths",), 0)
    assert twelve.box is not None
    assert papers.pages(sha256) == papers.pages(sha256, parser=papers.parser)
    assert b"%PDF" in stand.bodies[0]


def test_a_table_with_a_digit_that_is_not_printed_is_refused_and_said_to_be(
    stand: Stand, library: Callable[[], Library], sha256: str
) -> None:
    stand.be("mineru", mineru((*ROWS[:2], ("Placebo", "8", "44"))))
    papers = library()
    summary = papers.read(sha256)
    assert texts(papers.tables(sha256)) == texts(papers.tables(sha256, parser=papers.parser))
    assert "numbers that the file does not have" in summary.notes[-1]


def test_a_file_is_sent_once_for_each_version_of_the_parser(
    stand: Stand, library: Callable[[], Library], sha256: str
) -> None:
    stand.be("docling")
    for _ in range(3):
        library().read(sha256)
    assert stand.calls.count("/v1/convert/file") == 1
    stand.be("docling", version="2.0")
    assert library().read(sha256).parser.endswith("+docling-2.0")
    assert stand.calls.count("/v1/convert/file") == 2


def test_a_file_that_nobody_read_before_is_read_once_with_a_layout_parser(
    stand: Stand, app: Engine, tmp_path: Path
) -> None:
    stand.be("mineru")
    reads: list[str] = []

    def counted(path: Path, name: str) -> Reading:
        reads.append(name)
        return parse_in_jail(path, name=name)

    with serving(stand) as address:
        layout = LayoutParser(LayoutServer(address))
        papers = Library(app, FolderBlobs(tmp_path / "files"), layout=layout, parse=counted)
        ingest.register(papers)
        base = papers.create_knowledge_base("Papers")
        sha256 = papers.upload(base.id, io.BytesIO(drawn(page, size=SIZE)), "paper.pdf").document.sha256
        reads.clear()
        assert papers.read(sha256).parser.endswith("+mineru-1.9.0")
        papers.read(sha256)
    assert len(reads) == 1


BAD: dict[str, Any] = {
    "not found": None,
    "no JSON": b"<html>busy</html>",
    "a list": [],
    "another form": {"results": {"paper": {"content_list": "[{}]"}}},
    "no result": {"results": {}},
    "a span without end": {"results": {"p": {"content_list": [{
        "type": "table", "page_idx": 0, "bbox": [0, 0, 9, 9], "table_body": "<td colspan=99999999>1</td>"}]}}},
    "a page that is not there": {"results": {"p": {"content_list": [{
        "type": "table", "page_idx": 7, "bbox": [0, 0, 9, 9], "table_body": "<td>1</td>"}]}}},
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_whatever_it_answers_ours_stands_and_it_is_not_asked_again(
    name: str, stand: Stand, library: Callable[[], Library], sha256: str
) -> None:
    stand.be("mineru")
    stand.answers["/file_parse"] = BAD[name]
    papers = library()
    for _ in range(2):
        assert papers.read(sha256).parser == papers.parser
    assert papers.tables(sha256) == papers.tables(sha256, parser=papers.parser)
    assert stand.calls.count("/file_parse") == 1


def test_a_server_that_is_not_there_costs_nothing_but_its_tables(app: Engine, tmp_path: Path) -> None:
    papers = Library(app, FolderBlobs(tmp_path / "files"), layout=LayoutParser(LayoutServer("http://127.0.0.1:1")))
    ingest.register(papers)
    base = papers.create_knowledge_base("Papers")
    added = papers.upload(base.id, io.BytesIO(drawn(page, size=SIZE)), "paper.pdf")
    assert papers.read(added.document.sha256).parser == papers.parser
    with pytest.raises(LayoutFailed, match="cannot be reached"):
        LayoutServer("http://127.0.0.1:1").name()


def test_text_files_are_not_sent(stand: Stand, library: Callable[[], Library]) -> None:
    stand.be("mineru")
    papers = library()
    base = papers.create_knowledge_base("Texts")
    added = papers.upload(base.id, io.BytesIO(b"Aspirin 12 of 45.\n"), "paper.txt")
    assert papers.read(added.document.sha256).parser == papers.parser
    assert "/file_parse" not in stand.calls
