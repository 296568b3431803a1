"""PDF files as people make them, drawn for one test each; and the means to write a PDF byte by byte."""

import io
import zlib
from collections.abc import Callable

from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

LETTER = (612, 792)
CHINESE = "STSong-Light"

PROSE = (
    "patients were randomly assigned to receive either the study drug or placebo for twelve weeks and the primary "
    "outcome was the change in systolic pressure from baseline as measured by blinded assessors at every visit"
)
TERMS = PROSE.split()


def drawn(draw: Callable[[Canvas], None], *, size: tuple[float, float] = LETTER, password: str | None = None) -> bytes:
    """A PDF with what `draw` puts on its canvas. With a password, even an empty one, the file is encrypted."""
    out = io.BytesIO()
    lock = None if password is None else StandardEncryption(password, ownerPassword="owner", strength=128)
    canvas = Canvas(out, pagesize=size, encrypt=lock, pageCompression=1)
    canvas.setFont("Helvetica", 12)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def line(number: int, length: int = 6) -> str:
    """A line of prose that no other number gives."""
    return f"L{number} " + " ".join(TERMS[(number * 5 + k) % len(TERMS)] for k in range(length))


def article(pages: int, *, lines: int = 48) -> bytes:
    """Pages of prose, about 4,000 characters each."""

    def draw(canvas: Canvas) -> None:
        for page in range(pages):
            canvas.setFont("Times-Roman", 10)
            for row in range(lines):
                canvas.drawString(60, 740 - 14 * row, line(page * lines + row, 13))
            canvas.showPage()

    return drawn(draw)


def columns(count: int, *, in_turn: bool, rows: int = 40) -> bytes:
    """A page of prose in columns below a title, drawn column by column or, as some programs do, row by row."""
    width = 500 / count

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Bold", 16)
        canvas.drawString(56, 740, "A title that reaches over the whole width of the page, as titles often do")
        canvas.setFont("Times-Roman", 9)
        places = [(row, column) for column in range(count) for row in range(rows)]
        if in_turn:
            places.sort()
        for row, column in places:
            text = f"C{column}R{row} " + line(row + 7 * column, 12)
            while canvas.stringWidth(text, "Times-Roman", 9) > width - 14:
                text = text.rsplit(" ", 1)[0]
            canvas.drawString(56 + column * width, 700 - 12 * row, text)

    return drawn(draw)


def table(rows: int = 20) -> bytes:
    """A table of two columns that is as wide as the page."""

    def draw(canvas: Canvas) -> None:
        for row in range(rows):
            canvas.drawString(60, 700 - 16 * row, f"Characteristic {row}")
            canvas.drawString(350, 700 - 16 * row, f"{row}.5 (3.{row})")

    return drawn(draw)


def chinese() -> bytes:
    pdfmetrics.registerFont(UnicodeCIDFont(CHINESE))

    def draw(canvas: Canvas) -> None:
        canvas.setFont(CHINESE, 12)
        canvas.drawString(72, 700, "随机对照试验共纳入一百二十名患者")

    return drawn(draw)


def grey_picture(width: int = 60, height: int = 80, shade: int = 128) -> ImageReader:
    from PIL import Image

    return ImageReader(Image.new("L", (width, height), shade))


def written(objects: list[bytes], *, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalog."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def packed(content: bytes) -> bytes:
    return stream(zlib.compress(content), b"/Filter /FlateDecode")


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
HELLO = stream(b"BT /F 12 Tf 72 700 Td (Hello reader) Tj ET")


def page(entries: bytes = b"/MediaBox [0 0 612 792]", resources: bytes = b"") -> bytes:
    """A page whose content is object 4 and whose font F is object 5."""
    return b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> %s >> %s >>" % (
        resources,
        entries,
    )


def one_page(content: bytes = HELLO, entries: bytes = b"/MediaBox [0 0 612 792]", resources: bytes = b"") -> bytes:
    return written([CATALOG, PAGES, page(entries, resources), content, HELVETICA])


def mapped(codes: bytes) -> bytes:
    """A page with the letters A to E, which mean what `codes`, lines of a bfchar table, say."""
    table = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"%d beginbfchar %s endbfchar endcmap end" % (codes.count(b"\n") + 1, codes)
    )
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    content = stream(b"BT /F 12 Tf 50 200 Td (xABCDEy) Tj ET")
    return written([CATALOG, PAGES, page(), content, font, stream(table)])
