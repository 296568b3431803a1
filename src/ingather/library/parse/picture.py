"""Draws a page twice, with its text and without, to see which characters leave a mark."""

import ctypes
import math
import time
from dataclasses import dataclass, field
from operator import sub
from typing import Any

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.view import Box, View

# Pixels for a point. One is enough for most letters, and drawing takes most of the time of reading a page.
SCALE = 1.0
# The scale of the second look, for thin letters. Four shows a hairline of a quarter point as a whole pixel.
CLOSE_SCALE = 4.0
# A large page is drawn smaller, but not smaller than this: below it letters of 6 points leave no mark.
LEAST_SCALE = 0.75
# Larger drawings are not made: one such picture takes 40 MB, and a page needs two.
MOST_PIXELS = 10_000_000
# Images beyond this are not drawn: unpacked they take 200 MB each.
MOST_IMAGE_PIXELS = 50_000_000
# A page with more objects is judged without a drawing, which could take minutes.
MOST_OBJECTS = 50_000
# Forms may hold forms, and may be built to never end.
MOST_DEPTH = 8

# An image of more pixels is large enough to be a page or a figure, and not a letter or an icon.
_BIG_IMAGE = 250_000
# Drawing a page stops here, so that a few slow pages do not use up the time of the whole file.
_PAGE_SECONDS = 5.0


Matrix = tuple[float, float, float, float, float, float]
# The matrix that leaves every point where it is.
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def matrix_in_picture(handle: Any, outer: Matrix) -> Matrix:
    """The matrix of an object within that of the groups it is in."""
    own = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(handle, ctypes.byref(own)):
        return outer
    a, b, c, d, e, f = outer
    return (
        own.a * a + own.b * c, own.a * b + own.b * d,
        own.c * a + own.d * c, own.c * b + own.d * d,
        own.e * a + own.f * c + e, own.e * b + own.f * d + f,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture on the page (or a group that holds one): where, and how many pixels it has."""

    handle: Any
    box: Box
    pixels: int


@dataclass(slots=True, kw_only=True)
class Scene:
    """What is painted on a page: its pictures, all its text, also copies that PDFium takes for one, and its paths.

    A path comes with the matrix of the groups it is in.
    """

    images: list[Image] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)
    paths: list[tuple[Any, Matrix]] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A page, `scale` pixels to the point, four bytes a pixel: blue, green, red, none."""

    pixels: bytes
    scale: float
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The page with its text and without, `scale` pixels to the point, four bytes a pixel: blue, green, red, none."""

    full: bytes
    bare: bytes
    scale: float
    width: int
    height: int

    def mark(self, box: Box, enough: int) -> float:
        """How much the text changes the page within the box, up to 255. Stops looking once that is `enough`."""
        first, last = max(int(box[0] * self.scale), 0), min(math.ceil(box[2] * self.scale), self.width)
        upper, lower = max(int(box[1] * self.scale), 0), min(math.ceil(box[3] * self.scale), self.height)
        if lower - upper < 3:  # a dash or a dot may be drawn one row off
            upper, lower = max(upper - 1, 0), min(lower + 1, self.height)
        middle, most = (upper + lower) // 2, 0.0
        for y in (*range(middle, lower), *range(middle - 1, upper - 1, -1)):
            start, end = 4 * (y * self.width + first), 4 * (y * self.width + last)
            full, bare = self.full[start:end], self.bare[start:end]
            if full != bare:
                # The eye reads by green most, by red less, and hardly by blue.
                for channel, weight in ((1, 1.0), (2, 0.5), (0, 0.2)):
                    furthest: int = max(map(abs, map(sub, full[channel::4], bare[channel::4])))
                    most = max(most, weight * furthest)
                    if most >= enough:
                        return most
        return most

    def stands_out(self, box: Box, colour: tuple[int, int, int], enough: int) -> bool:
        """Whether a colour differs by `enough`, of 255, from what is under the box, in its middle or around it."""
        left, top, right, bottom = box
        if self._contrast((left + right) / 2, (top + bottom) / 2, colour) >= enough:
            return True
        return any(self._contrast(x, y, colour) >= enough for x in (left, right) for y in (top, bottom))

    def _contrast(self, x: float, y: float, colour: tuple[int, int, int]) -> float:
        column = min(max(int(x * self.scale), 0), self.width - 1)
        row = min(max(int(y * self.scale), 0), self.height - 1)
        at = 4 * (row * self.width + column)
        blue, green, red = self.bare[at : at + 3]
        return 0.3 * abs(colour[0] - red) + 0.59 * abs(colour[1] - green) + 0.11 * abs(colour[2] - blue)


def scene_of_picture(page: Any, view: View) -> Scene:
    """Looks at every object of a page, in groups too; no picture is decoded for it."""
    scene = Scene()
    for index in range(min(pdfium.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        handle = pdfium.FPDFPage_GetObject(page, index)
        if pixels := _visit_picture_object(handle, scene, 0, IDENTITY):
            left, bottom, right, top = (ctypes.c_float() for _ in range(4))
            if pdfium.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, (left, bottom, right, top))):
                box = view.place(left.value, bottom.value, right.value, top.value)
                scene.images.append(Image(handle=handle, box=box, pixels=pixels))
    return scene


def _visit_picture_object(handle: Any, scene: Scene, depth: int, matrix: Matrix) -> int:
    """Notes an object and what is in it; says how many pixels its pictures have."""
    scene.count += 1
    kind = pdfium.FPDFPageObj_GetType(handle)
    if kind == pdfium.FPDF_PAGEOBJ_TEXT:
        scene.texts.append(handle)
    elif kind == pdfium.FPDF_PAGEOBJ_PATH:
        scene.paths.append((handle, matrix))
    elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
        width, height = ctypes.c_uint(), ctypes.c_uint()
        pdfium.FPDFImageObj_GetImagePixelSize(handle, ctypes.byref(width), ctypes.byref(height))
        return max(width.value * height.value, 1)
    elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MOST_DEPTH:
        pixels = 0
        inner = matrix_in_picture(handle, matrix)
        for index in range(pdfium.FPDFFormObj_CountObjects(handle)):
            if scene.count > MOST_OBJECTS:
                break
            pixels += _visit_picture_object(pdfium.FPDFFormObj_GetObject(handle, index), scene, depth + 1, inner)
        return pixels
    return 0


def draw_picture(page: Any, view: View, glyphs: Glyphs, scene: Scene, scale: float = SCALE) -> Picture | None:
    """The page drawn twice, or None where that would cost too much.

    Big pictures that no character stands on are left out of both drawings:
    decoding them is most of the cost and changes nothing.
    """
    scale = _picture_scale_within(view, scale)
    if scale < LEAST_SCALE or scene.count >= MOST_OBJECTS:
        return None
    idle = [
        image for image in scene.images if image.pixels >= _BIG_IMAGE and not _is_under_in_picture(image.box, glyphs)
    ]
    if sum(image.pixels for image in scene.images) - sum(image.pixels for image in idle) > MOST_IMAGE_PIXELS:
        return None
    for image in idle:
        pdfium.FPDFPageObj_SetIsActive(image.handle, False)  # noqa: FBT003
    try:
        full = _render_picture(page, view, scale)
        for handle in scene.texts:
            pdfium.FPDFPageObj_SetIsActive(handle, False)  # noqa: FBT003
        bare = _render_picture(page, view, scale) if full else None
    finally:
        for handle in (*scene.texts, *(image.handle for image in idle)):
            pdfium.FPDFPageObj_SetIsActive(handle, True)  # noqa: FBT003
    if full is None or bare is None:
        return None
    width, height = _picture_size(view, scale)
    return Picture(full=full, bare=bare, scale=scale, width=width, height=height)


def _is_under_in_picture(box: Box, glyphs: Glyphs) -> bool:
    left, top, right, bottom = box
    return any(
        ink is not None and ink[2] > left and ink[0] < right and ink[3] > top and ink[1] < bottom for ink in glyphs.inks
    )


def _picture_scale_within(view: View, scale: float) -> float:
    """The scale, or less of it for a page so large that it would need too many pixels."""
    if min(view.width, view.height) < 1:
        return 0.0
    return min(scale, math.sqrt(MOST_PIXELS / (view.width * view.height)))


def _picture_size(view: View, scale: float) -> tuple[int, int]:
    return max(round(view.width * scale), 1), max(round(view.height * scale), 1)


def drawn_picture(page: Any, view: View, scale: float) -> Drawing | None:
    """The page as a reader sees it, or None where that would cost too much."""
    scale = _picture_scale_within(view, scale)
    pixels = _render_picture(page, view, scale) if scale >= LEAST_SCALE else None
    if pixels is None:
        return None
    width, height = _picture_size(view, scale)
    return Drawing(pixels=pixels, scale=scale, width=width, height=height)


def _render_picture(page: Any, view: View, scale: float) -> bytes | None:
    """One drawing, or None if it takes too long."""
    width, height = _picture_size(view, scale)
    pixels = ctypes.create_string_buffer(4 * width * height)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGRx, pixels, 4 * width)
    if not bitmap:
        return None
    deadline = time.monotonic() + _PAGE_SECONDS
    pause = pdfium.IFSDK_PAUSE(version=1)
    pdfium_calls = type(pause.NeedToPauseNow)
    pause.NeedToPauseNow = pdfium_calls(lambda _: int(time.monotonic() > deadline))
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        state = pdfium.FPDF_RenderPageBitmap_Start(
            bitmap, page, 0, 0, width, height, 0, pdfium.FPDF_RENDER_LIMITEDIMAGECACHE, ctypes.byref(pause)
        )
        pdfium.FPDF_RenderPage_Close(page)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return bytes(pixels.raw) if state == pdfium.FPDF_RENDER_DONE else None
