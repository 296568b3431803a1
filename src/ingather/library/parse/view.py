"""A page as a viewer shows it: cropped, turned, its origin at the top left, 1 for a point."""

import ctypes
from dataclasses import dataclass
from typing import Any

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

# Boxes are unsigned 16-bit numbers of quarter points.
UNIT = 4
MOST = 0xFFFF  # of 16 bits

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The visible part of a page in the page's own coordinates, and how it is shown: quarter turns clockwise, size."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int
    width: float
    height: float

    def place(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A box of the page as left, top, right and bottom of the view."""
        match self.turns:
            case 0:
                return left - self.left, self.top - top, right - self.left, self.top - bottom
            case 1:
                return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
            case 2:
                return self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
            case _:
                return self.top - top, self.right - right, self.top - bottom, self.right - left

    def shows(self, box: Box) -> bool:
        """Whether the middle of a placed box is on the page."""
        across, down = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return 0 <= across <= self.width and 0 <= down <= self.height


def page_view_of(page: Any) -> View:
    bounds = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(bounds))
    low, high = sorted((bounds.bottom, bounds.top))
    turns = pdfium.FPDFPage_GetRotation(page) % 4
    sides = bounds.right - bounds.left, high - low
    width, height = sides if turns % 2 == 0 else sides[::-1]
    return View(left=bounds.left, bottom=low, right=bounds.right, top=high, turns=turns, width=width, height=height)


def packed_view_box(box: Box | None) -> tuple[int, int, int, int]:
    """A placed box as it is stored. A box that is not four zeros keeps a little width and height."""
    if box is None:
        return 0, 0, 0, 0
    left, top, right, bottom = [round(edge * UNIT) for edge in box]
    if left < 0 or top < 0 or right >= MOST or bottom >= MOST:
        left, top, right, bottom = [min(max(edge, 0), MOST - 1) for edge in (left, top, right, bottom)]
    return left, top, right if right > left else left + 1, bottom if bottom > top else top + 1
