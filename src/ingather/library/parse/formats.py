"""Which format a file is in, by its content; the ending of its name only decides where the content leaves a choice."""

from ingather.library.parse.failure import Unread
from ingather.library.parse.limits import PARSER, Limits, Manner
from ingather.library.parse.pdf import HEADER, HEADER_WITHIN, read_pdf
from ingather.library.parse.plain import decoded, read_text
from ingather.library.parse.scan import read_scan
from ingather.library.reading import Problem, Reading

TEXT_ENDINGS = frozenset({".txt", ".text", ".md", ".markdown"})

_KNOWN = (
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"II*\0", "a picture (TIFF)"),
    (b"MM\0*", "a picture (TIFF)"),
    (b"PK\x03\x04", "a zip archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x1f\x8b", "a compressed archive (gzip)"),
    (b"{\\rtf", "a rich text document"),
    (b"%!PS", "a PostScript file"),
)
_OFFICE = frozenset({".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ppt", ".pptx", ".epub"})
_MARKUP = (
    ("<!doctype html", "a web page"),
    ("<html", "a web page"),
    ("<svg", "a drawing (SVG)"),
    ("<?xml", "an XML file"),
)


def read(data: bytes, limits: Limits, *, suffix: str = "", manner: Manner = Manner.DRAWN) -> Reading:
    """Reads a file that is already in memory. Only memory itself can run out; everything else is in the answer."""
    try:
        if _is_pdf(data, suffix):
            if manner == Manner.RECOGNISED:
                return read_scan(data, limits)
            return read_pdf(data, limits, renders=manner == Manner.DRAWN)
        if suffix not in TEXT_ENDINGS:
            _refuse_others(data, suffix)
        return read_text(data, limits)
    except Unread as unread:
        return Reading(parser=PARSER, problem=unread.problem, sentence=unread.sentence)


def _is_pdf(data: bytes, suffix: str) -> bool:
    if data.startswith(HEADER):
        return True
    # A note about PDF is not yet a PDF.
    return HEADER in data[: HEADER_WITHIN + len(HEADER)] and not (suffix in TEXT_ENDINGS and decoded(data) is not None)


def _refuse_others(data: bytes, suffix: str) -> None:
    if not data:
        raise Unread(Problem.NOT_A_PDF, "This file is empty. Upload it again.")
    kind = next((kind for start, kind in _KNOWN if data.startswith(start)), None)
    if kind is None:
        start = data[:1024].decode("utf-8", "replace").lstrip("\ufeff \t\r\n").lower()
        if start.startswith("<"):
            kind = next((kind for mark, kind in _MARKUP if mark in start), None)
    if kind == "a web page":
        raise Unread(
            Problem.NOT_A_PDF,
            "This file is a web page, not a PDF; a download often ends like this when a login is needed. "
            "Download the PDF itself.",
        )
    if kind is not None:
        raise Unread(Problem.NOT_A_PDF, f"This file is {kind}, not a PDF. Save or export it as PDF.")
    if suffix in _OFFICE:
        raise Unread(
            Problem.NOT_A_PDF, f"This file is called {suffix} but is none, nor a PDF. Save or export it as PDF."
        )
    if suffix == ".pdf":
        raise Unread(Problem.NOT_A_PDF, "This file is called a PDF but is none. Find the original, or save it as PDF.")
