"""Lines and shaded areas among the drawn paths of a page."""

import ctypes
from itertools import pairwise
from typing import Any

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.picture import Matrix, matrix_in_picture
from ingather.library.parse.tables.marks import Rule, Shade, Token
from ingather.library.parse.view import View
from ingather.library.table import Box

# In points. Thicker areas are shading; the thickest rules of journals are two points.
_THIN = 2.6

# In points. Shorter strokes are dashes of a pattern or parts of a symbol.
_SHORT = 4.0

# Pieces of a line that stand no further apart are one line.
_TOUCH = 2.5

# Lines no further apart than this lie on each other.
_SAME = 1.3

# A page of a table has some hundreds of lines; a chart or a map may have a million.
MOST_PATHS = 20_000

# A path of a ruled line or a rectangle has a few segments, that of a curve or a map more than these.
_MOST_SEGMENTS = 400

# A row of so many signs alike is a rule that was typed; no cell has as many, and an ellipsis has three.
_LEAST_TYPED = 12
_TYPED = frozenset("._\u00b7\u2026-\u2010\u2013\u2014")

# In sizes of type: what stands nearer to a row of signs on its line is led to by it, as a page is by its title.
_LED = 2.0

# Out of 255: paint that is lighter in all colours is as good as white.
_WHITE = 250


def drawn_ink(paths: list[tuple[Any, Matrix]], view: View) -> tuple[list[Rule], list[Rule], list[Shade]]:
    """Lines across, lines down and shaded areas."""
    across: list[Rule] = []
    down: list[Rule] = []
    shades: list[Shade] = []
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    for handle, matrix in paths[:MOST_PATHS]:
        if not pdfium.FPDFPath_GetDrawMode(handle, ctypes.byref(fill), ctypes.byref(stroke)):
            continue
        is_filled, is_stroked = fill.value != 0, stroke.value != 0
        if not is_filled and not is_stroked:
            continue
        colour = _colour_of_ink(handle, is_filled=is_filled)
        if colour is None:
            continue
        for box, is_frame in _ink_boxes_of_path(handle, matrix, view, is_filled=is_filled):
            _sort_ink(box, colour, across, down, shades, is_frame=is_frame)
    return merged_ink(across), merged_ink(down), shades


def typed_rules_as_ink(tokens: list[Token]) -> tuple[list[Token], list[Rule]]:
    """Words without the rows of dots or dashes that houses type as rules, and these rows as rules."""
    rows = [token for token in tokens if len(token.text) >= _LEAST_TYPED and set(token.text) <= _TYPED]
    typed = {id(row) for row in rows if not any(_is_led_by_typed_ink(row, token) for token in tokens)}
    rules = [Rule((row.box[1] + row.box[3]) / 2, row.box[0], row.box[2]) for row in rows if id(row) in typed]
    return [token for token in tokens if id(token) not in typed], rules


def _is_led_by_typed_ink(row: Token, token: Token) -> bool:
    gap = max(token.box[0] - row.box[2], row.box[0] - token.box[2])
    is_row = len(token.text) >= _LEAST_TYPED and set(token.text) <= _TYPED
    return not is_row and abs(token.base - row.base) < 0.3 * row.size and gap < _LED * row.size


def _sort_ink(
    box: Box, colour: tuple[int, int, int], across: list[Rule], down: list[Rule], shades: list[Shade], *, is_frame: bool
) -> None:
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    if height <= _THIN and width >= _SHORT:
        across.append(Rule((top + bottom) / 2, left, right))
    elif width <= _THIN and height >= _SHORT:
        down.append(Rule((left + right) / 2, top, bottom))
    elif is_frame and width >= _SHORT and height >= _SHORT:
        across += (Rule(top, left, right), Rule(bottom, left, right))
        down += (Rule(left, top, bottom), Rule(right, top, bottom))
    elif width >= _SHORT and height >= _SHORT:
        shades.append(Shade(box, colour))


def _colour_of_ink(handle: Any, *, is_filled: bool) -> tuple[int, int, int] | None:
    """The colour it is painted in, or None for white and for what is transparent."""
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    alpha.value = 255
    colour = pdfium.FPDFPageObj_GetFillColor if is_filled else pdfium.FPDFPageObj_GetStrokeColor
    colour(handle, *map(ctypes.byref, (red, green, blue, alpha)))
    found = (red.value, green.value, blue.value)
    return None if alpha.value < 10 or min(found) >= _WHITE else found  # of 255, as good as nothing


def _ink_boxes_of_path(handle: Any, matrix: Matrix, view: View, *, is_filled: bool) -> list[tuple[Box, bool]]:
    """The rectangles and straight strokes of a path, each with whether it is the outline of a rectangle."""
    count = pdfium.FPDFPath_CountSegments(handle)
    if count > _MOST_SEGMENTS:
        return []
    full = matrix_in_picture(handle, matrix)
    found: list[tuple[Box, bool]] = []
    for points, is_straight in _ink_parts_of_path(handle, count):
        if not is_straight or len(points) < 2:  # a line has two ends
            continue
        placed = [_placed_ink_point(point, full) for point in points]
        xs, ys = [x for x, _ in placed], [y for _, y in placed]
        box = view.place(min(xs), min(ys), max(xs), max(ys))
        if is_filled:
            if _ink_is_rectangle(placed):
                found.append((box, False))
        elif len(set(placed)) <= 2:
            found.append((box, False))
        elif _ink_is_rectangle(placed):
            found.append((box, True))
        else:
            found += _ink_strokes_of_path(placed, view)
    return found


def _ink_strokes_of_path(points: list[tuple[float, float]], view: View) -> list[tuple[Box, bool]]:
    found: list[tuple[Box, bool]] = []
    for (x0, y0), (x1, y1) in pairwise(points):
        if abs(x0 - x1) < 0.5 or abs(y0 - y1) < 0.5:  # half a point off is still straight
            found.append((view.place(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), False))
    return found


def _ink_is_rectangle(points: list[tuple[float, float]]) -> bool:
    corners = {(round(x, 1), round(y, 1)) for x, y in points}
    return 3 <= len(corners) <= 4 and len({x for x, _ in corners}) <= 2 and len({y for _, y in corners}) <= 2


def _ink_parts_of_path(handle: Any, count: int) -> list[tuple[list[tuple[float, float]], bool]]:
    """The points of each part of a path, and whether the part is made of straight lines."""
    parts: list[tuple[list[tuple[float, float]], bool]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        piece = pdfium.FPDFPath_GetPathSegment(handle, index)
        kind = pdfium.FPDFPathSegment_GetType(piece)
        pdfium.FPDFPathSegment_GetPoint(piece, ctypes.byref(x), ctypes.byref(y))
        if kind == pdfium.FPDF_SEGMENT_MOVETO or not parts:
            parts.append(([], True))
        points, is_straight = parts[-1]
        points.append((x.value, y.value))
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO and is_straight:
            parts[-1] = points, False
        if pdfium.FPDFPathSegment_GetClose(piece) and points:
            points.append(points[0])
    return parts


def _placed_ink_point(point: tuple[float, float], matrix: Matrix) -> tuple[float, float]:
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def merged_ink(rules: list[Rule]) -> list[Rule]:
    """Pieces that lie on one line and touch, as one rule with joints."""
    found: list[Rule] = []
    level: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if level and rule.at - level[0].at > _SAME:
            found += _joined_ink_rules(level)
            level = []
        level.append(rule)
    return found + _joined_ink_rules(level)


def _joined_ink_rules(level: list[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in sorted(level, key=lambda rule: rule.start):
        last = found[-1] if found else None
        if last is None or rule.start - last.end > _TOUCH:
            found.append(rule)
            continue
        joints = (*last.joints, (rule.start + last.end) / 2) if rule.end > last.end + _TOUCH else last.joints
        found[-1] = Rule(last.at, last.start, max(last.end, rule.end), joints)
    return found
