"""Which mathematical sign a drawn glyph is, by its shape alone. Pure."""

from collections.abc import Sequence
from typing import Final

# A shape has at least so many pixels either way along its longer side. Below that its strokes run together.
LEAST_PIXELS: Final = 16
# A row or column with this share of ink is part of a bar; real bars are whole but for their rounded or blurred ends.
_FULL: Final = 0.8
# A row with less ink than this is a gap between two bars.
_EMPTY: Final = 0.05
# Neither of two bars is higher than this share of the sign.
_THICK: Final = 0.42
# A stroke is narrower than this share of the sign; wider ones are blots and letters.
_STROKE: Final = 0.6
# How far from the middle the middle of a sign may be, as a share of its side.
_OFF_CENTRE: Final = 0.16

Bitmap = Sequence[Sequence[bool]]
# A range of rows or columns, its end not included.
_Band = tuple[int, int]


def sign_of_shape(bitmap: Bitmap) -> str | None:
    """The sign that a bitmap shows, cropped to its ink; None for any other shape."""
    rows = _cropped_shape(bitmap)
    if not rows or max(len(rows), len(rows[0])) < LEAST_PIXELS:
        return None
    slope = len(rows) / len(rows[0])
    bars = _bars_of_shape([sum(row) / len(row) for row in rows])
    if slope < 0.3:
        return "\u2212" if _shape_is_one_bar(rows, bars) else None
    if 0.8 <= slope <= 1.25 and _shape_is_dot(rows):
        return "\u00b7"
    if 0.3 <= slope <= 0.85 and _shape_is_equals(rows, bars):
        return "="
    if slope <= 0.62 and _shape_is_wave(rows):
        return "~"
    if 0.75 <= slope <= 1.7 and (sign := _crossed_shape(rows, bars)):
        return sign
    return _angled_shape(rows, bars) if 0.5 <= slope <= 1.7 else None


def _cropped_shape(bitmap: Bitmap) -> list[list[bool]]:
    inked = [number for number, row in enumerate(bitmap) if any(row)]
    if not inked:
        return []
    rows = bitmap[inked[0] : inked[-1] + 1]
    columns = [number for number in range(len(rows[0])) if any(row[number] for row in rows)]
    return [list(row[columns[0] : columns[-1] + 1]) for row in rows]


def _bars_of_shape(shares: Sequence[float]) -> list[_Band]:
    """Where the shares are those of a bar."""
    bands: list[_Band] = []
    for place, share in enumerate(shares):
        if share >= _FULL:
            start = bands.pop()[0] if bands and bands[-1][1] == place else place
            bands.append((start, place + 1))
    return bands


def _shape_is_one_bar(rows: Bitmap, bars: Sequence[_Band]) -> bool:
    """A bar may have rounded ends, so its outermost rows need not be whole."""
    return len(bars) == 1 and bars[0][1] - bars[0][0] >= 0.6 * len(rows)


def _shape_is_dot(rows: Bitmap) -> bool:
    """Ink all over, but for the corners of a round dot."""
    return sum(map(sum, rows)) >= 0.75 * len(rows) * len(rows[0])


def _shape_is_equals(rows: Bitmap, bars: Sequence[_Band]) -> bool:
    """Two bars, one at the top and one at the foot, and nothing between them."""
    if len(bars) != 2:
        return False
    (top, above), (below, foot) = bars
    height = len(rows)
    is_thin = max(above - top, foot - below) <= _THICK * height
    gap = [sum(row) / len(row) for row in rows[above:below]]
    blurred = sum(share >= _EMPTY for share in gap)
    return is_thin and top <= 0.1 * height and foot >= 0.9 * height and bool(gap) and blurred <= max(2, 0.4 * len(gap))


def _shape_is_wave(rows: Bitmap) -> bool:
    """One stroke from the left to the right that is high in its first half and low in its second."""
    middles: list[float] = []
    for number in range(len(rows[0])):
        inked = [place for place, row in enumerate(rows) if row[number]]
        if not inked or len(inked) < 0.7 * (inked[-1] - inked[0] + 1):
            return False
        middles.append((inked[0] + inked[-1]) / 2 / len(rows))
    width = len(middles)
    left, right = middles[width // 8 : width // 2], middles[width // 2 : width - width // 8]
    return min(left) < 0.35 and max(right) > 0.65 and middles[width // 4] < 0.5 < middles[width - 1 - width // 4]


def _crossed_shape(rows: Bitmap, bars: Sequence[_Band]) -> str | None:
    """Plus, plus or minus, and the cross of multiplication."""
    height, width = len(rows), len(rows[0])
    foot = bars[-1] if bars and bars[-1][1] >= 0.93 * height else None
    upper = rows[: foot[0]] if foot is not None and len(bars) == 2 else rows
    if _shape_is_plus(upper):
        return "+" if foot is None else ("\u00b1" if len(bars) == 2 else None)
    if bars or not 0.85 <= height / width <= 1.18:
        return None
    return "\u00d7" if _shape_is_times(rows) else None


def _shape_is_plus(rows: Bitmap) -> bool:
    """One bar across the middle and one down the middle, and no ink in the corners."""
    rows = _cropped_shape(rows)
    if len(rows) < LEAST_PIXELS // 2:
        return False
    height, width = len(rows), len(rows[0])
    across = _bars_of_shape([sum(row) / width for row in rows])
    down = _bars_of_shape([sum(row[number] for row in rows) / height for number in range(width)])
    if len(across) != 1 or len(down) != 1:
        return False
    for (start, end), side in ((across[0], height), (down[0], width)):
        if abs((start + end) / 2 / side - 0.5) > _OFF_CENTRE or end - start > _THICK * side:
            return False
    corners = [
        row[number]
        for place, row in enumerate(rows)
        for number in range(width)
        if not (across[0][0] - 1 <= place <= across[0][1] or down[0][0] - 1 <= number <= down[0][1])
    ]
    return sum(corners) <= _EMPTY * len(corners)


def _shape_is_times(rows: Bitmap) -> bool:
    """Two straight strokes from corner to corner: every row has its ink where the two lines stand."""
    height, width = len(rows), len(rows[0])
    for place, row in enumerate(rows):
        line = (place + 0.5) / height
        for number, ink in enumerate(row):
            column = (number + 0.5) / width
            distance = min(abs(column - line), abs(column - (1 - line)))
            if (distance < 0.04 and not ink and 0.1 < line < 0.9) or (distance > 0.26 and ink):
                return False
    return True


def _angled_shape(rows: Bitmap, bars: Sequence[_Band]) -> str | None:
    """Less or greater, and the same with a bar below."""
    height = len(rows)
    if not bars:
        return _angle_of_shape(rows)
    foot = bars[-1]
    if len(bars) > 2 or foot[1] < 0.93 * height or foot[1] - foot[0] > 0.3 * height:
        return None
    # The upper of two bars is the lower stroke of an angle that is nearly level there.
    angle = _angle_of_shape(_cropped_shape([row for row in rows[: foot[0]] if any(row)]))
    return {"<": "\u2264", ">": "\u2265"}.get(angle or "")


def _angle_of_shape(rows: Bitmap) -> str | None:
    """One stroke that goes to one side down to the middle, and back below it."""
    if len(rows) < LEAST_PIXELS // 2:
        return None
    width = len(rows[0])
    middles: list[float] = []
    for row in rows:
        inked = [number for number, ink in enumerate(row) if ink]
        if not inked or sum(row) < 0.7 * (inked[-1] - inked[0] + 1) or len(inked) > _STROKE * width:
            return None
        middles.append((inked[0] + inked[-1]) / 2 / width)
    height = len(rows)
    top, turn, foot = middles[height // 12], middles[height // 2], middles[-1 - height // 12]
    quarters = middles[height // 4], middles[height - 1 - height // 4]
    if turn < 0.35 and min(top, foot) > 0.6 and all(0.3 < one < 0.75 for one in quarters):
        return "<"
    if turn > 0.65 and max(top, foot) < 0.4 and all(0.25 < one < 0.7 for one in quarters):
        return ">"
    return None
