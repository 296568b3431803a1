"""The characters of a PDF page as PDFium gives them: what each says, where it stands, and how it is painted."""

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.clean import clean_character
from ingather.library.parse.view import Box, View

# The opacity of paint that hides what is below it, as PDFium counts.
OPAQUE = 255
# Stands for a drawn character of which the file does not say what it is.
UNNAMED = "\ufffd"


@dataclass(slots=True, kw_only=True)
class Paint:
    """How a run of text is painted: red, green, blue and opacity to 255; its size in points as displayed.

    `turns` counts quarter turns of its line against the clock on the page as it is stored; runs with one `font` have
    one font. `origin` is a point of the line that its letters stand on, or None where it cannot be known.
    """

    handle: Any
    mode: int
    colour: tuple[int, int, int]
    opacity: int
    size: float
    turns: int = 0
    font: int = 0
    origin: tuple[float, float] | None = None

    @property
    def has_own_font(self) -> bool:
        return bool(pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(self.handle)) == 1)


@dataclass(slots=True, kw_only=True)
class Glyphs:
    """Parallel lists, one entry for each character.

    `spots` are the boxes to show, as high as the line, or None for a
    character that PDFium made up (spaces between words, line breaks); `inks`
    are the boxes of the drawn shapes; `owners` are keys of `paints`, 0 for a
    made-up character. `unnamed` has the places and codes of drawn characters of
    which the file does not say what they are; they stand as `UNNAMED` until
    they are recognised or left out.
    """

    chars: list[str] = field(default_factory=list)
    spots: list[Box | None] = field(default_factory=list)
    inks: list[Box | None] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    paints: dict[int, Paint] = field(default_factory=dict)
    unnamed: dict[int, int] = field(default_factory=dict)

    def drop(self, places: set[int]) -> None:
        """Leave out the characters at these places."""
        kept = [place for place in range(len(self.chars)) if place not in places]
        self.chars = [self.chars[place] for place in kept]
        self.spots = [self.spots[place] for place in kept]
        self.inks = [self.inks[place] for place in kept]
        self.owners = [self.owners[place] for place in kept]

    def add(self, char: str, spot: Box | None = None, ink: Box | None = None, owner: int = 0) -> None:
        self.chars.append(char)
        self.spots.append(spot)
        self.inks.append(ink)
        self.owners.append(owner)


def glyphs_of(text_page: Any, view: View) -> Glyphs:
    """Every character of the page, seen or not, in PDFium's order.

    Characters are read one by one, by PDFium's own index, because its
    text as a whole leaves some of them out. A character beyond U+FFFF comes
    as two halves.
    """
    found = Glyphs()
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    into = (ctypes.byref(left), ctypes.byref(right), ctypes.byref(bottom), ctypes.byref(top))
    loose = pdfium.FS_RECTF()
    into_loose = ctypes.byref(loose)
    for here, code in _code_points_of_glyphs(text_page):
        handle = pdfium.FPDFText_GetTextObject(text_page, here)
        if not handle:
            if char := clean_character(code):
                found.add(char)
            continue
        # PDFium writes the hyphen of a broken word as U+0002 and leaves the line break out.
        is_hyphen = code == 0x02 and pdfium.FPDFText_IsHyphen(text_page, here) == 1
        char = "-" if is_hyphen or code == 0xAD else clean_character(code)
        if not char and pdfium.FPDFText_HasUnicodeMapError(text_page, here) != 1:
            continue
        owner = ctypes.addressof(handle.contents)
        if owner not in found.paints:
            found.paints[owner] = _paint_of_glyph(text_page, here, handle, view)
        pdfium.FPDFText_GetCharBox(text_page, here, *into)
        ink = view.place(left.value, bottom.value, right.value, top.value)
        pdfium.FPDFText_GetLooseCharBox(text_page, here, into_loose)
        spot = view.place(loose.left, loose.bottom, loose.right, loose.top)
        if not char:
            found.unnamed[len(found.chars)] = code
        found.add(char or UNNAMED, _sound_box_of_glyph(spot, ink), ink if math.isfinite(sum(ink)) else None, owner)
        if is_hyphen:
            found.add("\n")
    return found


def _code_points_of_glyphs(text_page: Any) -> Iterator[tuple[int, int]]:
    """PDFium's index and the code point of every character; of two halves, the index of the second."""
    high = 0
    for index in range(max(pdfium.FPDFText_CountChars(text_page), 0)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        yield index, code


def _sound_box_of_glyph(spot: Box, ink: Box) -> Box | None:
    """The box to show: as high as the line, unless the font lies about its height."""
    if not math.isfinite(sum(spot)):
        spot = ink
    if not math.isfinite(sum(spot)):
        return None
    ink_height = ink[3] - ink[1]
    if spot[3] - spot[1] > 6 * ink_height > 6 or spot[3] <= spot[1]:
        return ink if ink_height > 0 else spot
    return spot


def _paint_of_glyph(text_page: Any, index: int, handle: Any, view: View) -> Paint:
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    alpha.value = OPAQUE
    colour = pdfium.FPDFPageObj_GetFillColor
    if mode in {pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP}:
        colour = pdfium.FPDFPageObj_GetStrokeColor
    colour(handle, *map(ctypes.byref, (red, green, blue, alpha)))
    matrix = pdfium.FS_MATRIX()
    scale, turns, origin = 1.0, 0, None
    if pdfium.FPDFText_GetMatrix(text_page, index, ctypes.byref(matrix)):
        scale = min(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d))
        if abs(matrix.b) > abs(matrix.a) or matrix.a < 0:
            turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
        if math.isfinite(matrix.e + matrix.f):
            origin = view.place(matrix.e, matrix.f, matrix.e, matrix.f)[:2]
    return Paint(
        handle=handle,
        mode=mode,
        colour=(red.value, green.value, blue.value),
        opacity=alpha.value,
        size=pdfium.FPDFText_GetFontSize(text_page, index) * scale,
        turns=turns,
        font=ctypes.addressof(font.contents) if (font := pdfium.FPDFTextObj_GetFont(handle)) else 0,
        origin=origin,
    )
