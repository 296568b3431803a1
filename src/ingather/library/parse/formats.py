"""Which format a file is in, by its content; the ending of its name only decides where the content leaves a choice."""

from ingather.library.parse.failure import Unread
from ingather.library.parse.limits import PARSER, Limits, Manner
from ingather.library.parse.pdf import HEADER, HEADER_WITHIN, read_pdf
from ingather.library.parse.plain import decoded_plain_text, read_plain_text
from ingather.library.parse.scan import read_scan
from ingather.library.reading import Problem, Reading
from ingather.notice import notice

TEXT_ENDINGS = frozenset({".txt", ".text", ".md", ".markdown"})

_KNOWN = (
    (b"\x89PNG", notice("file.picture", "a picture ({format})", format="PNG")),
    (b"\xff\xd8\xff", notice("file.picture", "a picture ({format})", format="JPEG")),
    (b"GIF8", notice("file.picture", "a picture ({format})", format="GIF")),
    (b"II*\0", notice("file.picture", "a picture ({format})", format="TIFF")),
    (b"MM\0*", notice("file.picture", "a picture ({format})", format="TIFF")),
    (b"PK\x03\x04", notice("file.zip_archive_office_document", "a zip archive or an Office document")),
    (b"\xd0\xcf\x11\xe0", notice("file.old_office_document", "an old Office document")),
    (b"\x1f\x8b", notice("file.compressed_archive_gzip", "a compressed archive (gzip)")),
    (b"{\\rtf", notice("file.rich_text_document", "a rich text document")),
    (b"%!PS", notice("file.postscript_file", "a PostScript file")),
)
_OFFICE = frozenset({".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ppt", ".pptx", ".epub"})
_MARKUP = (
    ("<!doctype html", "a web page"),
    ("<html", "a web page"),
    ("<svg", notice("file.drawing_svg", "a drawing (SVG)")),
    ("<?xml", notice("file.xml", "an XML file")),
)


def read_in_its_format(data: bytes, limits: Limits, *, suffix: str = "", manner: Manner = Manner.DRAWN) -> Reading:
    """Reads a file that is already in memory. Only memory itself can run out; everything else is in the answer."""
    try:
        if _is_pdf_format(data, suffix):
            if manner == Manner.RECOGNISED:
                return read_scan(data, limits)
            return read_pdf(data, limits, renders=manner == Manner.DRAWN)
        if suffix not in TEXT_ENDINGS:
            _refuse_other_formats(data, suffix)
        return read_plain_text(data, limits)
    except Unread as unread:
        return Reading(parser=PARSER, problem=unread.problem, sentence=unread.sentence)


def _is_pdf_format(data: bytes, suffix: str) -> bool:
    if data.startswith(HEADER):
        return True
    # A note about PDF is not yet a PDF.
    return HEADER in data[: HEADER_WITHIN + len(HEADER)] and not (
        suffix in TEXT_ENDINGS and decoded_plain_text(data) is not None
    )


def _refuse_other_formats(data: bytes, suffix: str) -> None:
    if not data:
        raise Unread(Problem.NOT_A_PDF, notice("file.file_empty_upload_again", "This file is empty. Upload it again."))
    kind: str | None = next((kind for start, kind in _KNOWN if data.startswith(start)), None)
    if kind is None:
        start = data[:1024].decode("utf-8", "replace").lstrip("\ufeff \t\r\n").lower()
        if start.startswith("<"):
            kind = next((kind for mark, kind in _MARKUP if mark in start), None)
    if kind == "a web page":
        raise Unread(
            Problem.NOT_A_PDF,
            notice(
                "file.file_web_page_not_pdf",
                "This file is a web page, not a PDF; a download often ends like this when a login is needed. "
                "Download the PDF itself.",
            ),
        )
    if kind is not None:
        raise Unread(
            Problem.NOT_A_PDF,
            notice(
                "file.file_not_pdf_save_export", "This file is {kind}, not a PDF. Save or export it as PDF.", kind=kind
            ),
        )
    if suffix in _OFFICE:
        raise Unread(
            Problem.NOT_A_PDF,
            notice(
                "file.file_called_but_none_nor",
                "This file is called {suffix} but is none, nor a PDF. Save or export it as PDF.",
                suffix=suffix,
            ),
        )
    if suffix == ".pdf":
        raise Unread(
            Problem.NOT_A_PDF,
            notice(
                "file.file_called_pdf_but_none",
                "This file is called a PDF but is none. Find the original, or save it as PDF.",
            ),
        )
