"""Files that are broken, hostile or not what they say."""

import io
import zipfile
import zlib

from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from tests.library.good_pdfs import (
    CATALOG,
    HELLO,
    HELVETICA,
    PAGES,
    article,
    drawn,
    grey_picture,
    one_page,
    packed,
    page,
    stream,
    written,
)

HTML = b"<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in.</body></html>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>Hello</text></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def bomb(megabytes: int = 1024, *, start: bytes = b"") -> bytes:
    """Blanks in Flate, a thousand times smaller than they are; made from one block, repeated, so it costs nothing."""
    packer = zlib.compressobj(9)
    head = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * megabytes + packer.flush()


def hello(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "Hello reader")


def truncated() -> bytes:
    whole = article(3)
    return whole[: len(whole) // 2]


def html_then_pdf() -> bytes:
    return HTML + b"\n" + one_page()


def pdf_then_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("run.exe", b"MZ")
    return one_page() + out.getvalue()


def encrypted() -> bytes:
    return drawn(hello, password="secret")


def claims_pages(count: int) -> bytes:
    return written([CATALOG, b"<< /Type /Pages /Kids [3 0 R] /Count %d >>" % count, page(), HELLO, HELVETICA])


def has_pages(count: int) -> bytes:
    """As many real entries, all of them the same page."""
    kids = b"3 0 R " * count
    return written([CATALOG, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count), page(), HELLO, HELVETICA])


def cyclic_kids() -> bytes:
    return written(
        [
            CATALOG,
            b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 9 >>",
            b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 3 0 R] /Count 9 >>",
        ]
    )


def flate_bomb() -> bytes:
    return one_page(stream(bomb(start=b"BT /F 12 Tf 72 700 Td (Hello) Tj ET "), b"/Filter /FlateDecode"))


def nested_bomb() -> bytes:
    """A bomb in a packet in a packet."""
    twice = zlib.compress(zlib.compress(bomb(), 9), 9)
    return one_page(stream(twice, b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"))


def many_filters() -> bytes:
    return one_page(stream(b"x", b"/Filter [" + b"/FlateDecode " * 5_000 + b"]"))


def disguised_bomb() -> bytes:
    """A bomb that no look at the bytes finds: it says that it is an image, in hexadecimal."""
    code = bomb(start=b"BT /F 12 Tf 72 700 Td (Hello) Tj ET ").hex().encode() + b">"
    return one_page(stream(code, b"/Subtype /Image /Filter [/ASCIIHexDecode /FlateDecode]"))


def bomb_of_objects(count: int) -> bytes:
    """Small when packed and not too long unpacked, but full of things to draw."""
    return one_page(packed(b"BT /F 12 Tf 72 700 Td (Hello) Tj ET " + b"0 0 m 9 9 l S " * count))


def script_at_opening() -> bytes:
    catalog = b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>"
    return written([catalog, PAGES, page(), HELLO, HELVETICA])


def script_in_object_stream() -> bytes:
    """The action is packed away, where a look at the raw bytes does not find it."""
    inside = packed(b"7 0 << /S /JavaScript /JS (app.alert\\(1\\)) >>").replace(
        b"/Filter", b"/Type /ObjStm /N 1 /First 4 /Filter"
    )
    return written([CATALOG, PAGES, page(), HELLO, HELVETICA, inside])


def launches() -> bytes:
    catalog = b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /F (calc.exe) >> >>"
    return written([catalog, PAGES, page(), HELLO, HELVETICA])


def carries_a_file() -> bytes:
    catalog = (
        b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(secret.txt) "
        b"<< /Type /Filespec /F (secret.txt) /EF << /F 6 0 R >> >>] >> >> >>"
    )
    return written([catalog, PAGES, page(), HELLO, HELVETICA, stream(b"attached words", b"/Type /EmbeddedFile")])


def image_only() -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(grey_picture(), 0, 0, 612, 792)

    return drawn(draw)


def blank() -> bytes:
    return drawn(lambda canvas: canvas.line(1, 1, 50, 50))


def huge_page() -> bytes:
    return one_page(entries=b"/MediaBox [-1e9 -1e9 1e9 1e9]")


def huge_image() -> bytes:
    """A picture of 100,000 by 100,000 pixels under a line of text."""
    image = stream(
        zlib.compress(bytes(1000)),
        b"/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB "
        b"/BitsPerComponent 8 /Filter /FlateDecode",
    )
    content = stream(b"q 612 0 0 792 0 0 cm /I Do Q BT /F 12 Tf 72 700 Td (Hello reader) Tj ET")
    return written([CATALOG, PAGES, page(resources=b"/XObject << /I 6 0 R >>"), content, HELVETICA, image])


def deep_outlines(depth: int = 20_000) -> bytes:
    catalog = b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>"
    outlines = [
        b"<< /Title (x) /Parent %d 0 R /First %d 0 R /Last %d 0 R >>" % (n - 1, n + 1, n + 1)
        for n in range(6, 6 + depth)
    ]
    return written([catalog, PAGES, page(), HELLO, HELVETICA, *outlines])


def deep_arrays(depth: int = 200_000) -> bytes:
    return one_page(entries=b"/MediaBox [0 0 612 792] /X " + b"[" * depth + b"]" * depth)


def form_in_itself() -> bytes:
    form = stream(b"/X Do", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>")
    content = stream(b"/X Do BT /F 12 Tf 72 700 Td (Hello reader) Tj ET")
    return written([CATALOG, PAGES, page(resources=b"/XObject << /X 6 0 R >>"), content, HELVETICA, form])
