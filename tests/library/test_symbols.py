"""Signs that a font names wrongly are read from their drawn shape, and pages where that fails are named."""

import pytest

from ingather.library.parse.limits import Limits
from ingather.library.parse.pdf import read_pdf
from ingather.library.parse.shapes import sign_of_shape
from ingather.library.reading import UNREAD_SIGNS

# Glyphs in a square of 1,000, by the names that the font gives them: rectangles (x, y, width, height) and lines.
EQUALS = "0 150 600 60 re 0 330 600 60 re f"
PLUS_MINUS = "0 0 600 50 re 0 340 600 50 re 275 120 50 490 re f"
LESS = "560 20 m 20 290 l 560 560 l 600 500 l 180 290 l 600 80 l f"
NO_SIGN = "0 0 600 100 re 0 0 100 300 re f"
LOW = 320  # the height of that drawing: no digit is so low


def pdf(five: str, comma: str, text: str) -> bytes:
    """A page in Helvetica and in a font that has drawings of its own under the names `five` and `comma`."""
    glyphs = [f"700 0 0 0 700 {LOW if drawing == NO_SIGN else 700} d1 {drawing}".encode() for drawing in (five, comma)]
    content = text.encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R"
            b" /Resources << /Font << /T 5 0 R /S 6 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        (
            b"<< /Type /Font /Subtype /Type3 /Name /S /FontBBox [0 -100 700 700] /FontMatrix [0.001 0 0 0.001 0 0]"
            b" /CharProcs << /five 7 0 R /comma 8 0 R >> /FirstChar 44 /LastChar 53"
            b" /Encoding << /Type /Encoding /Differences [44 /comma 53 /five] >>"
            b" /Widths [700 0 0 0 0 0 0 0 0 700] /Resources << >> >>"
        ),
        *(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(glyph), glyph) for glyph in glyphs),
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def line(y: int, *runs: tuple[str, str]) -> str:
    """A line of runs, each in its font."""
    shown = " ".join(f"/{font} 12 Tf ({text}) Tj" for font, text in runs)
    return f"BT 20 {y} Td {shown} ET "


TEXT = line(
    150, ("T", "Patients \\(n "), ("S", "5"), ("T", " 189\\) had less pain \\(P "), ("S", ","), ("T", " .001\\).")
)
AGAIN = line(120, ("T", "There were 55 of 155, of 5,515 in all \\(n "), ("S", "5"), ("T", " 15\\)."))


def test_a_sign_under_the_name_of_a_digit_is_read_as_it_is_drawn() -> None:
    reading = read_pdf(pdf(EQUALS, LESS, TEXT + AGAIN), Limits())

    text = " ".join(reading.pages[0].text.split())
    assert "(n = 189)" in text
    assert "(P < .001)" in text
    assert "55 of 155, of 5,515 in all (n = 15)" in text
    assert not any(note.startswith(UNREAD_SIGNS) for note in reading.notes)


def test_a_digit_that_is_drawn_as_none_and_as_no_known_sign_is_noted() -> None:
    reading = read_pdf(pdf(NO_SIGN, LESS, TEXT + AGAIN), Limits())

    assert [note for note in reading.notes if note.startswith(UNREAD_SIGNS)] == [
        f"{UNREAD_SIGNS} on page 1: signs such as <, \u00b1 or \u2212 may be missing or wrong there."
    ]


def test_a_plus_or_minus_is_not_taken_for_a_plus() -> None:
    reading = read_pdf(pdf(PLUS_MINUS, LESS, TEXT), Limits())

    assert "n \u00b1 189" in " ".join(reading.pages[0].text.split())


def bitmap(drawing: str) -> list[list[bool]]:
    """A drawing in letters, each three pixels wide and high."""
    rows = [[mark == "#" for mark in row for _ in range(3)] for row in drawing.split()]
    return [row for row in rows for _ in range(3)]


@pytest.mark.parametrize(
    ("sign", "drawing"),
    [
        ("=", "######## ######## ........ ........ ######## ########"),
        ("\u2212", "######## ########"),
        ("+", "...##... ...##... ...##... ######## ######## ...##... ...##... ...##..."),
        ("\u00b1", "...##... ...##... ######## ...##... ...##... ........ ........ ########"),
        ("<", ".......# .....### ...###.. .###.... ##...... .###.... ...###.. .....### .......#"),
        (">", "#....... ###..... ..###... ....###. ......## ....###. ..###... ###..... #......."),
        ("\u2264", ".....### ...###.. .###.... ##...... .###.... ...###.. .....### ........ ######## ########"),
        ("\u2265", "###..... ..###... ....###. ......## ....###. ..###... ###..... ........ ######## ########"),
        ("\u00b7", ".######. ######## ######## ######## ######## ######## .######."),
        (None, "######## #....... #....... ######.. ......## .......# #.....## .#####.."),
        (None, "##...... ##...... ##...... ##...... ##...... ######## ########"),
        (None, "......"),
        (None, "#"),
    ],
)
def test_a_shape_is_a_sign_or_none(sign: str | None, drawing: str) -> None:
    assert sign_of_shape(bitmap(drawing)) == sign
