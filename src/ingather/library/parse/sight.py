"""The visible-text rule: what a reader of the page cannot see is not part of its text.

Text can be hidden in many ways, and a list of tricks is never complete. So a
page is drawn twice, with its text and without: a character that makes no
difference is hidden, whether it is white on white, covered, clipped away or
on a layer that is switched off. What is drawn but cannot be read (smaller
than 3 points, off the page) is hidden too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.clean import SHAPELESS
from ingather.library.parse.glyphs import OPAQUE, Glyphs, Paint
from ingather.library.parse.picture import Image, Picture
from ingather.library.parse.view import Box, View


class HiddenReason(StrEnum):
    """Why a character cannot be seen, as the text that follows "hidden text:"."""

    OUTSIDE = "outside the page"
    TINY = "smaller than 3 points"
    INVISIBLE = "painted invisibly"
    TRANSPARENT = "transparent"
    COLOUR = "in the colour of its background"
    COVERED = "covered, clipped or without a shape"
    SHAPELESS = "characters without a shape"


# Points. Print of 4 points exists in tables; below 3 nobody reads it on paper.
LEAST_SIZE = 3.0
# Points. A shape thinner than this in both directions leaves nothing on paper.
NO_SHAPE = 0.05
LEAST_OPACITY = OPAQUE // 10

# Steps out of 255. Below the first a colour counts as its background's; a thin stroke in a colour that stands out is
# blurred over several pixels, so a mark may be fainter.
LEAST_CONTRAST = 24
LEAST_MARK = 12

NEAR_WHITE = 255 - LEAST_CONTRAST

# A scan carries the text that a machine read in it below or invisibly above its picture, and perhaps a visible stamp.
_SCAN_COVER = 0.6
_SCAN_STAMP = 0.1  # of the characters: more visible text than that is no stamp
_SCANNED = frozenset({HiddenReason.INVISIBLE, HiddenReason.TRANSPARENT, HiddenReason.COVERED})

# Judged from the drawing, which can be a little off.
_UNCLEAR = frozenset({HiddenReason.COLOUR, HiddenReason.COVERED})
# A longer run without a blank is no word, and half of it may be hidden on purpose.
LONGEST_RUN = 20

_UNPAINTED = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
_OUTLINED = frozenset({pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """For each character why it cannot be seen, or None; and whether the text is a machine's reading of a picture."""

    reasons: list[HiddenReason | None]
    is_ocr: bool


def hidden_from_sight(
    glyphs: Glyphs, view: View, images: list[Image], picture: Picture | None, closer: Callable[[], Picture | None]
) -> Seen:
    """Judges every character. Without a picture, by what the file says of each alone.

    `closer` draws the page again, larger, for characters that leave but a trace: thin ones, or ones that are
    painted over their own outline.
    """
    reasons: list[HiddenReason | None] = [None] * len(glyphs.chars)
    for index, (char, ink, owner) in enumerate(zip(glyphs.chars, glyphs.inks, glyphs.owners, strict=True)):
        if owner and not char.isspace():
            reasons[index] = _reason_out_of_sight(glyphs.paints[owner], ink, glyphs.spots[index], view, picture)
    if picture is not None:
        _look_closer_for_sight(glyphs, reasons, picture, closer)
    _forgive_runs_in_sight(glyphs, reasons)
    is_ocr = _sight_is_of_scan(glyphs, reasons, view, images)
    if is_ocr:
        reasons = [None if reason in _SCANNED else reason for reason in reasons]
    for found in SHAPELESS.finditer("".join(glyphs.chars)):
        reasons[found.start()] = reasons[found.start()] or HiddenReason.SHAPELESS
    _spread_sight_to_blanks(glyphs, reasons)
    return Seen(reasons=reasons, is_ocr=is_ocr)


def _reason_out_of_sight(
    paint: Paint, ink: Box | None, spot: Box | None, view: View, picture: Picture | None
) -> HiddenReason | None:
    if ink is None or spot is None or not view.shows(spot):
        return HiddenReason.OUTSIDE
    has_shape = ink[3] - ink[1] > NO_SHAPE and ink[2] - ink[0] > NO_SHAPE
    if paint.size < LEAST_SIZE and ink[3] - ink[1] < LEAST_SIZE:
        return HiddenReason.TINY
    if paint.mode in _UNPAINTED:
        return HiddenReason.INVISIBLE
    if paint.opacity < LEAST_OPACITY:
        return HiddenReason.TRANSPARENT
    if picture is None:
        return HiddenReason.COLOUR if min(paint.colour) > NEAR_WHITE and paint.mode not in _OUTLINED else None
    box = ink if has_shape else spot
    if paint.mode not in _OUTLINED and not picture.stands_out(box, paint.colour, LEAST_CONTRAST):
        return HiddenReason.COLOUR
    # A font that is neither in the file nor on this machine draws nothing here, but does in a reader that has it.
    if picture.mark(box, LEAST_MARK) < LEAST_MARK and (has_shape or paint.has_own_font):
        return HiddenReason.COVERED
    return None


def _look_closer_for_sight(
    glyphs: Glyphs, reasons: list[HiddenReason | None], picture: Picture, closer: Callable[[], Picture | None]
) -> None:
    faint = []
    for index, ink in enumerate(glyphs.inks):
        if reasons[index] is HiddenReason.COVERED and ink is not None and picture.mark(ink, 1) >= 1:
            faint.append((index, ink))
    close = closer() if faint else None
    if close is not None:
        for index, ink in faint:
            if close.mark(ink, LEAST_MARK) >= LEAST_MARK:
                reasons[index] = None


def _forgive_runs_in_sight(glyphs: Glyphs, reasons: list[HiddenReason | None]) -> None:
    """A word is seen as a whole if half of it is: a thin stroke is easily lost, and half a number is a wrong one."""
    start = 0
    for end in range(1, len(reasons) + 1):
        if end < len(reasons) and glyphs.owners[end] == glyphs.owners[start] and not glyphs.chars[end].isspace():
            continue
        run = reasons[start:end]
        unclear = sum(1 for reason in run if reason in _UNCLEAR)
        if unclear and len(run) <= LONGEST_RUN and 2 * sum(1 for reason in run if reason is None) >= len(run):
            reasons[start:end] = [None if reason in _UNCLEAR else reason for reason in run]
        start = end


def _sight_is_of_scan(glyphs: Glyphs, reasons: list[HiddenReason | None], view: View, images: list[Image]) -> bool:
    unseen = sum(1 for reason in reasons if reason in _SCANNED)
    if not unseen:
        return False
    seen = sum(1 for char, reason in zip(glyphs.chars, reasons, strict=True) if reason is None and not char.isspace())
    return seen <= _SCAN_STAMP * unseen and sight_covered_by_pictures(images, view) >= _SCAN_COVER


def sight_covered_by_pictures(images: list[Image], view: View) -> float:
    """How much of the page its pictures take, from 0 to 1; where they overlap, counted twice."""
    area = view.width * view.height
    if area <= 0:
        return 0.0
    covered = 0.0
    for image in images:
        left, top, right, bottom = image.box
        covered += max(min(right, view.width) - max(left, 0), 0) * max(min(bottom, view.height) - max(top, 0), 0)
    return min(covered / area, 1.0)


def _spread_sight_to_blanks(glyphs: Glyphs, reasons: list[HiddenReason | None]) -> None:
    """A blank between two hidden characters is hidden with them."""
    last: HiddenReason | None = None
    blanks: list[int] = []
    for index, char in enumerate(glyphs.chars):
        if char.isspace():
            blanks.append(index)
            continue
        if blanks and last is not None and reasons[index] is not None:
            for blank in blanks:
                reasons[blank] = last
        blanks, last = [], reasons[index]
