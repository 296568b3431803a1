"""Scans: what is recognised in their pictures, in order and with its places, kept apart from what the file says."""

import io
import struct
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import RetryLater
from ingather.extraction.extraction import Extraction
from ingather.extraction.findings import Verdict
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.library import Library
from ingather.library.parse import (
    PARSER,
    RECOGNISED,
    Limits,
    RecogniserDied,
    can_recognise_in_jail,
    parse_in_jail,
    recognise_in_jail,
)
from ingather.library.parse.limits import TO_RECOGNISE
from ingather.library.parse.recogniser import RecognisedLine, page_of_recognised_lines
from ingather.library.port import DocumentState
from ingather.library.reading import OCR, Page, Problem, Reading
from tests.extraction.desk import paper

SCAN = Path(__file__).parents[2] / "samples" / "rct_scan.pdf"

needs_extra = pytest.mark.skipif(
    not can_recognise_in_jail(), reason="needs the extra `ocr` (rapidocr and onnxruntime, 360 MB): pip install '.[ocr]'"
)


def box(boxes: bytes, place: int) -> tuple[float, ...]:
    return tuple(edge / 4 for edge in struct.unpack_from("<4H", boxes, 8 * place))


# --- from lines to a page --------------------------------------------------------------------------------------------


def test_a_character_stands_in_its_share_of_its_word() -> None:
    placed = (("Of", (20, 10, 60, 30)), ("60,", (80, 10, 140, 30)), ("随机", (150, 10, 190, 30)))
    text, boxes = page_of_recognised_lines([RecognisedLine(text="Of 60, 随机", parts=placed)], 2.0, 300)
    assert text == "Of 60, 随机"
    assert box(boxes, text.index("O")) == (10, 5, 20, 15)
    assert box(boxes, text.index("0")) == (50, 5, 60, 15)
    assert box(boxes, text.index("机")) == (85, 5, 95, 15)
    assert box(boxes, text.index(" ")) == (0, 0, 0, 0)


def test_a_word_that_is_not_in_its_line_takes_no_place_and_nothing_unprintable_is_kept() -> None:
    odd = RecognisedLine(
        text="a\u200bb\x00c\ud800 d", parts=(("zzz", (0, 0, 9, 9)), ("", (0, 0, 1, 1)), ("d", (10, 0, 20, 9)))
    )
    text, boxes = page_of_recognised_lines([odd], 1.0, 300)
    assert text == "abc d"
    assert len(boxes) == 8 * len(text)
    assert box(boxes, 4) == (10, 0, 20, 9)


def test_columns_that_are_recognised_line_by_line_are_put_one_after_the_other() -> None:
    lines = []
    for number in range(10):
        for side, left in (("left", 50), ("right", 320)):
            pieces = f"{side} {number} of a long line of prose".split()
            width, top = 230 / len(pieces), 20 * number
            lefts = [left + place * width for place in range(len(pieces))]
            placed = tuple(
                (piece, (at, top, at + width - 2, top + 12)) for piece, at in zip(pieces, lefts, strict=True)
            )
            lines.append(RecognisedLine(text=" ".join(pieces), parts=placed))
    text, _ = page_of_recognised_lines(lines, 1.0, 600)
    sides = [line.split()[0] for line in text.splitlines()]
    assert sides == ["left"] * 10 + ["right"] * 10


# --- in the library, with a stand-in for the recogniser --------------------------------------------------------------


def no_text(path: Path, name: str) -> Reading:
    return Reading(parser="test", problem=Problem.NO_TEXT_LAYER, sentence="This looks like a scan.")


class Reader:
    """Recognises the bytes of a file as its text, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, path: Path, name: str) -> Reading:
        self.times += 1
        text = path.read_text("utf-8")
        page = Page(text=text, width=600, height=800, boxes=bytes(8 * len(text)))
        return Reading(parser=f"test+{OCR}", pages=(page,), notes=("Text recognised from pictures (OCR) on page 1.",))


@pytest.fixture
def library(app: Engine, tmp_path: Path) -> Callable[..., Library]:
    return lambda recognise=None, engine=app: Library(
        engine, blobs_from(str(tmp_path)), parse=no_text, parser="test", recognise=recognise
    )


def test_a_scan_is_recognised_once_and_kept_under_a_name_of_its_own(library: Callable[..., Library]) -> None:
    reader = Reader()
    here = library(reader)
    ingest.register(here)
    knowledge_base = here.create_knowledge_base("Scans").id
    document = here.upload(knowledge_base, io.BytesIO(b"Of 60 patients"), "scan.pdf").document
    here.engine.worker().drain()
    seen = here.document(document.id)
    assert (seen.state, seen.page_count) == (DocumentState.READABLE, 1)
    assert seen.notes == ("Text recognised from pictures (OCR) on page 1.",)
    summary = here.read(document.sha256)
    assert (summary.parser, summary.is_recognised) == (f"test+{OCR}", True)
    assert here.pages(document.sha256) == ["Of 60 patients"]
    assert here.pages(document.sha256, parser="test") == []
    assert reader.times == 1
    elsewhere = library()
    assert elsewhere.read(document.sha256) == summary, "a machine without the extra uses what another one recognised"
    assert elsewhere.document(document.id).state is DocumentState.READABLE


def test_a_scan_that_nobody_could_read_is_read_when_it_is_uploaded_again_after_the_extra_was_installed(
    library: Callable[..., Library], url: str
) -> None:
    before = library()
    ingest.register(before)
    knowledge_base = before.create_knowledge_base("Scans").id
    document = before.upload(knowledge_base, io.BytesIO(b"Of 60 patients"), "scan.pdf").document
    before.engine.worker().drain()
    assert before.document(document.id).state is DocumentState.PROBLEM
    engine = Engine(url, lease=1)
    after = library(Reader(), engine)
    ingest.register(after)
    again = after.upload(knowledge_base, io.BytesIO(b"Of 60 patients"), "scan.pdf")
    assert (again.is_duplicate, again.document.id) == (True, document.id)
    engine.worker().drain()
    assert after.document(document.id).state is DocumentState.READABLE
    third = after.upload(knowledge_base, io.BytesIO(b"Of 60 patients"), "scan.pdf")
    assert third.job.progress().is_closed, "there is nothing left to do"
    engine.close()


def test_a_task_reads_a_scan_by_itself_and_believes_no_quote_of_it_as_exact(library: Callable[..., Library]) -> None:
    reader = Reader()
    here = library(reader)
    ingest.register(here)
    extraction = Extraction(here.engine, here)
    project = extraction.create_project("Review").id
    knowledge_base = here.create_knowledge_base("Scans", project_id=project).id
    document = here.upload(knowledge_base, io.BytesIO(paper(7).encode()), "scan.pdf").document.id
    task, _ = extraction.start_task(project, "rct", [document])
    here.engine.worker().drain()
    [result] = extraction.results(task.id)[0]
    found = {finding.field: finding for finding in result.findings}
    assert found["n_randomised"].value == 114
    assert found["n_randomised"].verdict is Verdict.VERIFIED_FUZZY
    assert "OCR" in found["n_randomised"].note
    assert not [finding for finding in result.findings if finding.verdict is Verdict.VERIFIED]
    assert "recognised_text" in {flag.rule for flag in result.flags}
    assert reader.times == 1


def test_scans_are_read_one_at_a_time_and_the_others_come_later(library: Callable[..., Library]) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Reader):
        def __call__(self, path: Path, name: str) -> Reading:
            begun.set()
            assert go_on.wait(30)
            return super().__call__(path, name)

    here = library(Slow())
    ingest.register(here)
    knowledge_base = here.create_knowledge_base("Scans").id
    first, second = (
        here.upload(knowledge_base, io.BytesIO(text), "scan.pdf").document.sha256 for text in (b"Of 60", b"Of 70")
    )
    other = threading.Thread(target=here.read, args=[first])
    other.start()
    assert begun.wait(30)
    with pytest.raises(RetryLater, match="Another scan"):
        here.read(second)
    go_on.set()
    other.join()
    assert here.read(second).is_recognised


def test_a_recogniser_that_dies_leaves_a_scan_as_it_was(library: Callable[..., Library]) -> None:
    def broken(path: Path, name: str) -> Reading:
        raise RecogniserDied

    here = library(broken)
    ingest.register(here)
    document = here.upload(here.create_knowledge_base("Scans").id, io.BytesIO(b"Of 60"), "scan.pdf").document
    assert here.read(document.sha256).problem is Problem.NO_TEXT_LAYER
    assert library(Reader()).read(document.sha256).is_recognised, "and it may be read later"


# --- the real one ----------------------------------------------------------------------------------------------------


def test_without_the_extra_a_scan_says_what_can_be_done() -> None:
    found = parse_in_jail(SCAN)
    assert (found.parser, found.problem) == (PARSER, Problem.NO_TEXT_LAYER)
    assert "pip install 'ingather[ocr]'" in found.sentence


@needs_extra
def test_a_scan_is_recognised_within_its_limits_word_by_word() -> None:
    found = recognise_in_jail(SCAN)
    assert (found.parser, found.problem) == (RECOGNISED, None), found.sentence
    [page] = found.pages
    assert "Pain was relieved in 21 of 30 patients given peppermint" in page.text
    assert "All 60 patients completed the trial." in page.text
    assert found.notes == ("Text recognised from pictures (OCR) on page 1; it may contain misread characters.",)
    left, top, right, bottom = box(page.boxes, page.text.index("peppermint oil in colic"))
    assert 40 < left < right < page.width / 2
    assert 40 < top < bottom < 90


@needs_extra
def test_a_recogniser_that_needs_too_much_is_stopped() -> None:
    assert recognise_in_jail(SCAN, replace(TO_RECOGNISE, seconds=1)).problem is Problem.TOO_SLOW
    with pytest.raises(RecogniserDied):
        recognise_in_jail(SCAN, Limits(memory_bytes=64 << 20))
