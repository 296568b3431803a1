"""Scans: every page is drawn as a reader sees it, and its text recognised in the picture."""

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.failure import Unread
from ingather.library.parse.limits import RECOGNISED, Limits
from ingather.library.parse.pdf import opened_pdf, pdf_page_numbers
from ingather.library.parse.picture import drawn_picture
from ingather.library.parse.recogniser import PIXELS_PER_POINT, Recogniser, page_of_recognised_lines
from ingather.library.parse.view import page_view_of
from ingather.library.reading import Page, Problem, Reading
from ingather.notice import notice

NOTE = "Text recognised from pictures (OCR)"


def read_scan(data: bytes, limits: Limits) -> Reading:
    """The pages of a PDF without text, or Unread."""
    document, count = opened_pdf(data, limits)
    recogniser = Recogniser(limits.threads)
    pages: list[Page] = []
    undrawn: list[int] = []
    for number in range(count):
        page = pdfium.FPDF_LoadPage(document, number)
        if not page:
            pages.append(Page(text="", width=0.0, height=0.0, boxes=b""))
            undrawn.append(number)
            continue
        try:
            view = page_view_of(page)
            picture = drawn_picture(page, view, PIXELS_PER_POINT)
        finally:
            pdfium.FPDF_ClosePage(page)
        if picture is None:
            undrawn.append(number)
        lines = recogniser.lines(picture.pixels, picture.width, picture.height) if picture else []
        text, boxes = page_of_recognised_lines(lines, picture.scale if picture else 1.0, view.width)
        pages.append(Page(text=text, width=view.width, height=view.height, boxes=boxes))
    seen = [number for number, page in enumerate(pages) if page.text]
    if not seen:
        raise Unread(
            Problem.NO_TEXT_LAYER,
            notice(
                "file.scan_no_text_recognised_pictures",
                "This is a scan, and no text could be recognised in its pictures. Find another copy of it.",
            ),
        )
    notes = [f"{NOTE} on {pdf_page_numbers(seen)}; it may contain misread characters."]
    if undrawn:
        notes.append(f"Could not be drawn: {pdf_page_numbers(undrawn)}.")
    return Reading(parser=RECOGNISED, pages=tuple(pages), notes=tuple(notes))
