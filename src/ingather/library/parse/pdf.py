"""PDF files, read with PDFium."""

import time
from dataclasses import dataclass, field
from typing import Any

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.failure import Unread
from ingather.library.parse.glyphs import Glyphs, glyphs_of
from ingather.library.parse.limits import PARSER, Limits
from ingather.library.parse.picture import CLOSE_SCALE, Scene, draw_picture, scene_of_picture
from ingather.library.parse.plain import removed_from_plain_text
from ingather.library.parse.sight import HiddenReason, Seen, hidden_from_sight
from ingather.library.parse.streams import Features, inspect_streams
from ingather.library.parse.symbols import Symbols
from ingather.library.parse.tables.carry import tables_carried_over_pages
from ingather.library.parse.tables.cell_grid import CellGrid
from ingather.library.parse.tables.reader import read_grids_of_page
from ingather.library.parse.view import View, page_view_of
from ingather.library.parse.writing import written_page
from ingather.library.reading import UNREAD_SIGNS, Hidden, Page, Problem, Reading
from ingather.notice import notice

HEADER = b"%PDF-"
# Readers of PDF accept a header anywhere in the first kilobyte (ISO 32000, annex H).
HEADER_WITHIN = 1_024

# The end mark is looked for in so many last bytes: some programs write their own lines behind it.
_END_WITHIN = 2_048
_ADVICE = notice(
    "file.run_text_recognition_ocr_first",
    "Run text recognition (OCR) on it first, or install what does it here (pip install 'ingather[ocr]') and try again.",
)
_SIGNS_MEANT = ": signs such as <, \u00b1 or \u2212 may be missing or wrong there."
_HIDDEN_MOST = 200_000  # characters of hidden text that are kept to be shown


@dataclass(slots=True)
class Gathered:
    """What the pages gave so far."""

    pages: list[Page] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)
    hidden_count: int = 0
    characters: int = 0
    by_ocr: list[int] = field(default_factory=list)
    undrawn: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    with_image: set[int] = field(default_factory=set)
    grids: list[CellGrid] = field(default_factory=list)
    without_tables: list[int] = field(default_factory=list)
    symbols: Symbols = field(default_factory=Symbols)
    with_unread_signs: list[int] = field(default_factory=list)


def read_pdf(data: bytes, limits: Limits, *, renders: bool = True) -> Reading:
    """The pages of a PDF, or Unread."""
    features = inspect_streams(data, limits.stream_bytes)
    document, count = opened_pdf(data, limits)
    # Drawing is the dear part: a file that needs half its time for it is finished without.
    draws_until = time.monotonic() + limits.seconds / 2 if renders else 0.0
    gathered = Gathered()
    for number in range(count):
        _read_pdf_page(document, number, gathered, draws_until)
        if gathered.characters > limits.characters:
            raise Unread(
                Problem.TOO_BIG,
                notice(
                    "file.pdf_holds_characters_most_read",
                    "This PDF holds more than {most} characters, the most that are read. Split it.",
                    most=f"{limits.characters:,}",
                ),
            )
    # A file may claim pages that do not exist; those at its end are no loss.
    while gathered.broken and gathered.broken[-1] == len(gathered.pages) - 1:
        gathered.broken.pop()
        gathered.pages.pop()
    if not gathered.pages:
        raise Unread(
            Problem.UNREADABLE,
            notice(
                "file.pdf_no_page_read_print",
                "This PDF has no page that can be read. Print it to a new PDF and try again.",
            ),
        )
    if not any(page.text.strip() for page in gathered.pages):
        raise _pdf_without_text(gathered)
    notes = _pdf_notes(
        gathered, _notes_with_lists_of_pdf(document, features), data, is_repaired=_is_repaired_pdf(document)
    )
    return Reading(
        parser=PARSER,
        pages=tuple(gathered.pages),
        hidden=tuple(gathered.hidden),
        notes=notes,
        tables=tables_carried_over_pages(gathered.grids),
    )


def opened_pdf(data: bytes, limits: Limits) -> tuple[Any, int]:
    """PDFium's document and how many pages it has, or Unread."""
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        raise _why_pdf_is_not_opened(data, pdfium.FPDF_GetLastError())
    if _is_repaired_pdf(document) and not _pdf_has_end(data):
        raise _truncated_pdf()
    count = pdfium.FPDF_GetPageCount(document)
    if count > limits.pages:
        raise Unread(
            Problem.TOO_MANY_PAGES,
            notice(
                "file.pdf_says_pages_most_read",
                "This PDF says that it has {count} pages; at most {most} are read. Split it into parts.",
                count=f"{count:,}",
                most=f"{limits.pages:,}",
            ),
        )
    return document, count


def _is_repaired_pdf(document: Any) -> bool:
    return not pdfium.FPDF_DocumentHasValidCrossReferenceTable(document)


def _read_pdf_page(document: Any, number: int, gathered: Gathered, draws_until: float) -> None:
    page = pdfium.FPDF_LoadPage(document, number)
    text_page = pdfium.FPDFText_LoadPage(page) if page else None
    if not text_page:
        gathered.pages.append(Page(text="", width=0.0, height=0.0, boxes=b""))
        gathered.broken.append(number)
        return
    try:
        view = page_view_of(page)
        glyphs = glyphs_of(text_page, view)
        if not gathered.symbols.repair(page, view, glyphs, draws=time.monotonic() < draws_until):
            gathered.with_unread_signs.append(number)
        scene = scene_of_picture(page, view)
        picture = draw_picture(page, view, glyphs, scene) if glyphs.paints and time.monotonic() < draws_until else None
        seen = hidden_from_sight(
            glyphs, view, scene.images, picture, lambda: draw_picture(page, view, glyphs, scene, CLOSE_SCALE)
        )
        _read_pdf_grids(gathered, number, glyphs, seen, view, scene)
    finally:
        pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDF_ClosePage(page)
    text, boxes = written_page(glyphs, seen, view.width)
    gathered.pages.append(Page(text=text, width=view.width, height=view.height, boxes=boxes))
    gathered.characters += len(glyphs.chars)
    if scene.images:
        gathered.with_image.add(number)
    if seen.is_ocr:
        gathered.by_ocr.append(number)
    if glyphs.paints and picture is None:
        gathered.undrawn.append(number)
    _put_hidden_text_of_pdf(gathered, number, glyphs, seen)


def _read_pdf_grids(gathered: Gathered, number: int, glyphs: Glyphs, seen: Seen, view: View, scene: Scene) -> None:
    """A table that cannot be made out costs no text: the page is named, and reading goes on."""
    try:
        before = [grid for grid in gathered.grids if grid.region.page == number - 1]
        gathered.grids += read_grids_of_page(glyphs, seen, view, scene, number, before)
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        gathered.without_tables.append(number)


def _put_hidden_text_of_pdf(gathered: Gathered, number: int, glyphs: Glyphs, seen: Seen) -> None:
    """Runs of hidden characters with one reason, each of them once. Blanks alone are no hidden text."""
    run: list[str] = []
    last: HiddenReason | None = None
    for char, reason in zip((*glyphs.chars, ""), (*seen.reasons, None), strict=True):
        if reason is not last:
            text = "".join(run).replace("\n", " ").strip()
            if last is not None and text:
                gathered.hidden_count += len(text)
                if gathered.hidden_count <= _HIDDEN_MOST:
                    gathered.hidden.append(Hidden(page=number, text=text, reason=str(last)))
            run, last = [], reason
        if reason is not None:
            run.append(char)


def _why_pdf_is_not_opened(data: bytes, error: int) -> Unread:
    match error:
        case pdfium.FPDF_ERR_PASSWORD:
            return Unread(
                Problem.ENCRYPTED,
                notice(
                    "file.pdf_needs_password_save_copy",
                    "This PDF needs a password. Save a copy without one, and upload that copy.",
                ),
            )
        case pdfium.FPDF_ERR_SECURITY:
            return Unread(
                Problem.ENCRYPTED,
                notice(
                    "file.pdf_protected_way_only_certain",
                    "This PDF is protected in a way that only certain readers open. Save a copy without protection.",
                ),
            )
    if not _pdf_has_end(data):
        return _truncated_pdf()
    return Unread(
        Problem.NOT_A_PDF,
        notice(
            "file.file_begins_like_pdf_but",
            "This file begins like a PDF but is none that can be read. Find another copy of it.",
        ),
    )


def _pdf_has_end(data: bytes) -> bool:
    return b"%%EOF" in data.rstrip(b"\0 \t\r\n")[-_END_WITHIN:]


def _truncated_pdf() -> Unread:
    return Unread(
        Problem.TRUNCATED,
        notice(
            "file.pdf_breaks_off_end_missing",
            "This PDF breaks off: its end is missing, as after a broken download. Download it again.",
        ),
    )


def _pdf_without_text(gathered: Gathered) -> Unread:
    if gathered.hidden_count:
        sentence = notice(
            "file.all_text_pdf_hidden_readers",
            "All text in this PDF is hidden from readers, so none of it is used. Find another copy of it.",
        )
    elif gathered.with_image:
        sentence = notice(
            "file.looks_like_scan_pictures_pages",
            "This looks like a scan: pictures of pages, without text. {more}",
            more=_ADVICE,
        )
    else:
        sentence = notice(
            "file.pdf_pages_but_no_text",
            "This PDF has pages but no text on them. If you see text there, it is a picture of text. {more}",
            more=_ADVICE,
        )
    return Unread(Problem.NO_TEXT_LAYER, sentence)


def _notes_with_lists_of_pdf(document: Any, features: Features) -> Features:
    """What PDFium's own lists of scripts and attachments add to what the bytes say."""
    return Features(
        has_script=features.has_script or pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0,
        has_launch=features.has_launch,
        has_files=features.has_files or pdfium.FPDFDoc_GetAttachmentCount(document) > 0,
    )


def _pdf_notes(gathered: Gathered, features: Features, data: bytes, *, is_repaired: bool) -> tuple[str, ...]:
    blank = [n for n, page in enumerate(gathered.pages) if not page.text.strip() and n not in gathered.broken]
    scans = [n for n in blank if n in gathered.with_image]
    notes = [
        (
            data[: data.find(HEADER)].strip(b"\xef\xbb\xbf\0 \t\r\n"),
            "Something else stands before the PDF in this file.",
        ),
        (_is_pdf_archive(data), "This file is a zip archive as well as a PDF."),
        (is_repaired, "This PDF is damaged and was repaired while reading; something may be missing."),
        (features.has_script, "Contains JavaScript, which is never run."),
        (features.has_files, "Contains embedded files, which are not read."),
        (features.has_launch, "Contains actions that start programs, which are never followed."),
        (
            gathered.by_ocr,
            f"Text layer by OCR on {pdf_page_numbers(gathered.by_ocr)}; it may contain misread characters.",
        ),
        (gathered.with_unread_signs, f"{UNREAD_SIGNS} on {pdf_page_numbers(gathered.with_unread_signs)}{_SIGNS_MEANT}"),
        (gathered.hidden_count, removed_from_plain_text(gathered.hidden_count)),
        (scans, f"Looks like a scan and gives no text: {pdf_page_numbers(scans)}."),
        (gathered.broken, f"Could not be read: {pdf_page_numbers(gathered.broken)}."),
        (gathered.without_tables, f"Tables could not be made out on {pdf_page_numbers(gathered.without_tables)}."),
        (
            gathered.undrawn,
            f"Hidden text was looked for by colour and size alone on {pdf_page_numbers(gathered.undrawn)}.",
        ),
    ]
    return tuple(note for is_so, note in notes if is_so)


def _is_pdf_archive(data: bytes) -> bool:
    return data.find(b"PK\x05\x06", max(data.rfind(b"%%EOF"), 0)) >= 0


def pdf_page_numbers(pages: list[int]) -> str:
    """Page numbers for people, from 1: "pages 1, 3-5"."""
    spans: list[list[int]] = []
    for page in pages:
        if spans and spans[-1][1] == page:
            spans[-1][1] = page + 1
        else:
            spans.append([page + 1, page + 1])
    listed = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans[:20])
    more = ", ..." if len(spans) > 20 else ""
    return f"page{'' if len(pages) == 1 else 's'} {listed}{more}"
