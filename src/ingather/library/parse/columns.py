"""Reading order: columns that a file draws line by line, left and right in turn, are put one after the other.

Most files draw a column to its end before the next, and PDFium keeps the
file's order; such pages are left as they are. So are tables, whose cells
belong beside each other: only sides made of long lines count as columns.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles

from ingather.library.parse.view import Box

# A column has at least so many lines. Fewer would take a table for columns; more would miss a short last page.
LEAST_LINES = 6
_GAP = 0.8  # of a line's height: wider than a blank, narrower than a gutter
_LONG = 0.18  # of the page's width: shorter lines are cells of a table
_EVEN = 0.6  # of the longest lines: the usual length of a line of prose
# The most common left edges that are tried as gutters. More cost time on every page and found no other gutter.
_CANDIDATES = 24
# A page is split into columns of columns at most so often: three columns need two levels.
_DEPTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun:
    """Characters `start` to `end` on one line with no gap between them."""

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def is_beside(self, other: "TextRun") -> bool:
        return self.top < other.middle < self.bottom or other.top < self.middle < other.bottom


def column_pieces_of(chars: Sequence[str], spots: Sequence[Box | None]) -> list[TextRun]:
    """Cuts the text at line breaks, at wide gaps, and wherever it jumps. Blanks at the ends belong to no piece."""
    found: list[TextRun] = []
    start, end = -1, -1
    left = top = right = bottom = 0.0
    for index, (char, spot) in enumerate(zip(chars, spots, strict=True)):
        if spot is None or char.isspace():
            if char == "\n" and start >= 0:
                found.append(TextRun(start=start, end=end, left=left, top=top, right=right, bottom=bottom))
                start = -1
            continue
        if start >= 0:
            gap = _GAP * (spot[3] - spot[1])
            if spot[0] - right > gap or spot[2] < left - gap or spot[1] >= bottom or spot[3] <= top:
                found.append(TextRun(start=start, end=end, left=left, top=top, right=right, bottom=bottom))
                start = -1
        if start < 0:
            start, (left, top, right, bottom) = index, spot
        else:
            left, top, right, bottom = min(left, spot[0]), min(top, spot[1]), max(right, spot[2]), max(bottom, spot[3])
        end = index + 1
    if start >= 0:
        found.append(TextRun(start=start, end=end, left=left, top=top, right=right, bottom=bottom))
    return found


def pieces_by_column(pieces: list[TextRun], page_width: float, depth: int = 0) -> list[TextRun] | None:
    """The pieces column by column, or None where the file's own order stands."""
    if depth >= _DEPTH or len(pieces) < 2 * LEAST_LINES:
        return None
    gutter = _white_space_between_columns(pieces, page_width)
    if gutter is None:
        return None
    across = sorted((p for p in pieces if p.left < gutter < p.right), key=lambda p: p.middle)
    bands: list[tuple[list[TextRun], list[TextRun]]] = [([], []) for _ in range(len(across) + 1)]
    for piece in pieces:
        if not piece.left < gutter < piece.right:
            band = sum(1 for wide in across if wide.middle < piece.middle)
            bands[band][piece.left >= gutter].append(piece)
    ordered: list[TextRun] = []
    for number, sides in enumerate(bands):
        for side in sides:
            ordered += pieces_by_column(side, page_width, depth + 1) or side
        ordered += across[number : number + 1]
    return ordered


def _white_space_between_columns(pieces: list[TextRun], page_width: float) -> float | None:
    """Where the page is cut: left and right of it stand columns of prose whose lines come in turn."""
    starts = Counter(round(piece.left) for piece in pieces)
    best, best_score = None, 0
    for start, _ in starts.most_common(_CANDIDATES):
        cut = start - 1.0
        left = sum(1 for piece in pieces if piece.right <= cut)
        right = sum(1 for piece in pieces if piece.left >= cut)
        score = min(left, right) - (len(pieces) - left - right)
        if score > best_score:
            best, best_score = cut, score
    if best is None:
        return None
    sides = [piece.left >= best for piece in pieces if not piece.left < best < piece.right]
    turns = sum(1 for one, other in pairwise(sides) if one != other)
    rows = min(sum(sides), len(sides) - sum(sides))
    if rows < LEAST_LINES or turns < max(4, 0.3 * rows):
        return None
    for is_right in (False, True):
        widths = [p.right - p.left for p in pieces if (p.left >= best if is_right else p.right <= best)]
        if median(widths) < max(_LONG * page_width, _EVEN * quantiles(widths, n=10)[-1]):
            return None
    return best
