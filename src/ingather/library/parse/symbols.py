"""Signs that a font names wrongly, such as an equals sign that is kept as `5`: read from their drawn shape.

Journals set `=`, `<`, `±` and their kind in fonts of their own, whose
characters are named after the keys of an old keyboard, or not at all. What a
reader sees is the drawing, so the drawing decides: where it is plainly a
sign, the sign stands in the text. Where something else stands beside a
number, the page is remembered as one whose signs could not all be read.
"""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.glyphs import UNNAMED, Glyphs, Paint
from ingather.library.parse.shapes import sign_of_shape
from ingather.library.parse.view import Box, View

# Pixels of the longer side of a drawn sign: its strokes are several pixels wide then, and its gaps too.
_PIXELS: Final = 40
_MARGIN: Final = 2  # pixels around it, so that no stroke is cut off by rounding
# A pixel darker than this, of 255, is ink. Signs are printed black or grey on white.
_INK: Final = 140
# A font sets signs if it never has more characters in a row on a page; longer runs are words and numbers.
_LONGEST_RUN: Final = 2
# So many drawings are made for one file, a few milliseconds each. Files with wrong signs need about twenty.
_MOST_DRAWINGS: Final = 120
# A character is drawn so often before its shape counts as none that is known: some places are crossed by lines.
_MOST_TRIES: Final = 3
# Sides are compared in steps of this share of the size of type: smaller than what sets two signs apart.
_SIDES_STEP: Final = 0.05
# A share of the size of type: a digit is higher, a comma and a full stop are lower. What is not, is no such character.
_LEAST_DIGIT: Final = 0.5
_MOST_COMMA: Final = 0.42
_MOST_STOP: Final = 0.3
# With more unnamed characters than this share of a page, its text is not what a reader sees.
_MOST_UNNAMED: Final = 0.02

_AS_THEY_ARE: Final = frozenset("-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212_()[]{}|/\\'\"`,;:.!?\u2020\u2021*")
_MARKS: Final = frozenset(".,;:!'\"")  # of those, the ones that fonts of signs use as keys
_LETTER_SIGNS: Final = frozenset("=<>\u2264\u2265\u00b1")
_FRACTIONS: Final = "\u00bc\u00bd\u00be\u00fe\u00f0\u00de"
_FONTS_OF_PICTURES: Final = ("wingdings", "webdings", "dingbats")
_NAME_BYTES: Final = 256  # of a font's name; longer ones are cut off

_NEAR: Final = 8  # characters to either side in which a number may begin; signs stand close to their numbers
_NUMBER: Final = re.compile(r"\.?\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d\b")

# A character of a font: the font's name, the character or its code, and its sides, since one name may stand for many.
_Key = tuple[str, str | int, int, int]


@dataclass(slots=True)
class _Shape:
    """What is known of one character of one font: the sign it shows, and how often it was looked at."""

    sign: str | None = None
    tries: int = 0


@dataclass(slots=True)
class Symbols:
    """The signs of a file, as they are recognised page by page."""

    shapes: dict[_Key, _Shape] = field(default_factory=dict)
    drawings: int = 0

    def repair(self, page: Any, view: View, glyphs: Glyphs, *, draws: bool) -> bool:
        """Put signs where their shape shows them. Says whether all signs beside numbers could be read."""
        fonts = {paint.font: _font_name_of_symbol(paint) for paint in glyphs.paints.values()}
        unnamed = dict(glyphs.unnamed)
        is_read = len(unnamed) <= max(1.0, _MOST_UNNAMED * len(glyphs.chars))
        for place, font in _symbol_candidates(glyphs, fonts):
            sign = self._sign(page, view, glyphs, place, font, draws=draws)
            if sign is not None:
                glyphs.chars[place] = sign
                unnamed.pop(place, None)
            elif _symbol_is_no_such_character(glyphs, place) and _symbol_is_beside_number(glyphs, place):
                is_read = False
        glyphs.drop(set(unnamed))
        return is_read

    def _sign(self, page: Any, view: View, glyphs: Glyphs, place: int, font: str, *, draws: bool) -> str | None:
        """The sign that is drawn at a place, if it is one."""
        ink, paint = glyphs.inks[place], glyphs.paints[glyphs.owners[place]]
        if ink is None or paint.size <= 0 or max(ink[2] - ink[0], ink[3] - ink[1]) <= 0:
            return None
        sides = [round((ink[side + 2] - ink[side]) / paint.size / _SIDES_STEP) for side in (0, 1)]
        char = glyphs.chars[place]
        shape = self.shapes.setdefault((font, glyphs.unnamed.get(place, char), sides[0], sides[1]), _Shape())
        if shape.sign is None and shape.tries < _MOST_TRIES and draws and self.drawings < _MOST_DRAWINGS:
            shape.tries += 1
            self.drawings += 1
            bitmap = _drawn_symbol(page, ink)
            for _ in range((paint.turns - view.turns) % 4):
                bitmap = [list(column) for column in zip(*bitmap[::-1], strict=True)]
            shape.sign = _allowed_symbol(char, sign_of_shape(bitmap))
        return shape.sign


def _allowed_symbol(char: str, sign: str | None) -> str | None:
    """The sign, where a character may be one: for a letter none that looks like a letter, for a full stop no dot."""
    if sign == "\u00b7":
        return sign if _is_private_symbol(char) else None
    is_letter = char.isalpha() and char not in _FRACTIONS
    return None if is_letter and sign not in _LETTER_SIGNS else sign


def _fonts_of_symbols(glyphs: Glyphs) -> set[int]:
    """The fonts that set neither a term nor a number on this page."""
    longest: dict[int, int] = defaultdict(int)
    run, last = 0, 0
    for char, owner in zip(glyphs.chars, glyphs.owners, strict=True):
        font = glyphs.paints[owner].font if owner and not char.isspace() else 0
        run = run + 1 if font == last else 1
        last = font
        longest[font] = max(longest[font], run)
    return {font for font, most in longest.items() if font and most <= _LONGEST_RUN}


def _symbol_candidates(glyphs: Glyphs, fonts: dict[int, str]) -> Iterator[tuple[int, str]]:
    """The places of characters that may be wrongly named signs, and the name of their font."""
    setting_signs = _fonts_of_symbols(glyphs)
    for place, (char, owner) in enumerate(zip(glyphs.chars, glyphs.owners, strict=True)):
        if not owner or char.isspace():
            continue
        font = glyphs.paints[owner].font
        if any(name in fonts[font].casefold() for name in _FONTS_OF_PICTURES):
            continue
        if _is_private_symbol(char) or (font in setting_signs and (char not in _AS_THEY_ARE or char in _MARKS)):
            yield place, fonts[font]


def _is_private_symbol(char: str) -> bool:
    return char == UNNAMED or "\ue000" <= char <= "\uf8ff"


def _symbol_is_no_such_character(glyphs: Glyphs, place: int) -> bool:
    """Whether the drawing at a place cannot be the character that the font names, or the font names none."""
    char, ink = glyphs.chars[place], glyphs.inks[place]
    size = glyphs.paints[glyphs.owners[place]].size
    if _is_private_symbol(char):
        return ink is not None and min(ink[2] - ink[0], ink[3] - ink[1]) > 0
    if ink is None or size <= 0:
        return False
    height = (ink[3] - ink[1]) / size
    if char.isdigit() or char in _FRACTIONS:
        return height < _LEAST_DIGIT
    return height > {",": _MOST_COMMA, ".": _MOST_STOP}.get(char, float("inf"))


def _symbol_is_beside_number(glyphs: Glyphs, place: int) -> bool:
    """Whether a number stands next to a place on its line, blanks left out; the year of a copyright is none."""
    text = "".join(glyphs.chars[max(0, place - _NEAR) : place]), "".join(glyphs.chars[place + 1 : place + 1 + _NEAR])
    before, after = text[0].rpartition("\n")[2].rstrip(), text[1].partition("\n")[0].lstrip()
    if _YEAR.match(after):
        return False
    return before[-1:].isdigit() or _NUMBER.match(after) is not None


def _font_name_of_symbol(paint: Paint) -> str:
    """The name of a font, without the letters that say which part of it is in the file."""
    font = pdfium.FPDFTextObj_GetFont(paint.handle)
    if not font:
        return ""
    buffer = ctypes.create_string_buffer(_NAME_BYTES)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, _NAME_BYTES)
    return str(buffer.value.decode("utf-8", "replace"))


def _drawn_symbol(page: Any, ink: Box) -> list[list[bool]]:
    """A box of the page as a reader sees it, large: where its ink is."""
    left, top, right, bottom = ink
    scale = _PIXELS / max(right - left, bottom - top)
    width = round((right - left) * scale) + 2 * _MARGIN
    height = round((bottom - top) * scale) + 2 * _MARGIN
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGRx, None, 0)
    if not bitmap:
        return []
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        matrix = pdfium.FS_MATRIX(scale, 0, 0, scale, _MARGIN - left * scale, _MARGIN - top * scale)
        clip = pdfium.FS_RECTF(0, 0, width, height)
        pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, page, ctypes.byref(matrix), ctypes.byref(clip), 0)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        pixels = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    # The second of four bytes is green, by which the eye reads most.
    return [[pixels[row * stride + 4 * column + 1] < _INK for column in range(width)] for row in range(height)]
