"""Tables that no rules enclose: the lines beside a caption, as long as they are set like a table."""

from collections import Counter

from ingather.library.parse.tables.captions import Caption
from ingather.library.parse.tables.growth import growth_downwards, growth_upwards, is_prose_that_ends_growth
from ingather.library.parse.tables.marks import Rule, Segment
from ingather.library.parse.tables.region import Region, TablePage, lines_within_region, region_of

# In points: a shorter line across says nothing about the width of a table.
_LEAST_LENGTH = 60.0

# In sizes of type: the first rule of a table stands no further from its caption.
_NEAR = 14

# In points: pieces of one rule, or the shaded cells of one row, stand no further apart.
PIECES = 10.0

# In points: pieces of one rule stand at one height.
_LEVEL = 1.5

# As a share of the width of a page: lines of text in a column of the page are longer, and those of cells mostly not.
_TEXT = 0.2

# So many lines of text that begin at one edge are a column of the page.
_COLUMN_LINES = 3

# In points: lines of a column of text begin at one edge, give or take this.
_SAME_EDGE = 2.0

# At least this share of the lines of a table has several cells.
_LEAST_SEVERAL = 0.35

# In sizes of type: so much is free below a caption that has its table beside it.
_FREE_BELOW = 3.0

# In points: a table beside its caption begins no higher above the caption's first line.
_BESIDE = 15.0


def levels_of_unruled_table(across: list[Rule]) -> list[Rule]:
    """Rules as wide as the pieces that stand at one height and near each other."""
    found: list[Rule] = []
    for rule in sorted(across, key=lambda rule: (round(rule.at / _LEVEL), rule.start)):
        last = found[-1] if found else None
        if last and abs(last.at - rule.at) <= _LEVEL and rule.start - last.end <= PIECES:
            found[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            found.append(rule)
    return found


def unruled_table(page: TablePage, caption: Caption, found: list[Region], *, is_above: bool) -> Region | None:
    """The table below a caption, or where `is_above` the one above it, without the help of rules around it."""
    left, right = _width_of_unruled_table(page, caption, is_above=is_above)
    top, bottom = _reach_of_unruled_table(page, caption, found, left, right, is_above=is_above)
    lines = lines_within_region(page, left, right, top, bottom)
    if is_above:
        taken = growth_upwards(lines, caption.top, right - left)
    else:
        taken = growth_downwards(lines, caption.bottom, right - left)
    return _unruled_region(page, taken, caption, right - left)


def caption_is_apart_from_unruled(page: TablePage, caption: Caption) -> bool:
    """Whether nothing stands right below a caption, so that its table may stand beside it."""
    low = caption.bottom + _FREE_BELOW * caption.size
    return not lines_within_region(page, caption.left, caption.right, caption.bottom, low)


def unruled_table_beside(page: TablePage, caption: Caption, found: list[Region], known: float = 1e9) -> Region | None:
    """The table at the right of a caption that is set in a narrow column of its own.

    `known` is where lines of it begin that stand below the caption.
    """
    low, high = caption.top - _BESIDE, caption.bottom
    starts = [
        s.left for line in lines_within_region(page, caption.right + 3, page.sheet.width, low, high) for s in line
    ]
    if not starts:
        return None
    left = min(*starts, known) - 3
    _, bottom = _reach_of_unruled_table(page, caption, found, left, page.sheet.width, is_above=False)
    lines = lines_within_region(page, left, page.sheet.width, low, bottom)
    if not lines:
        return None
    width = page.sheet.width - left
    return _unruled_region(page, growth_downwards(lines, lines[0][0].top, width), caption, width)


def _unruled_region(page: TablePage, taken: list[list[Segment]], caption: Caption, width: float) -> Region | None:
    several = sum(1 for line in taken if len(line) > 1 and not is_prose_that_ends_growth(line, width))
    if several < 2 or several < _LEAST_SEVERAL * len(taken):  # a row and its header
        return None
    segments = [segment for line in taken for segment in line]
    box = (
        min(s.left for s in segments) - 1,
        min(s.top for s in segments) - 1,
        max(s.right for s in segments) + 1,
        max(s.bottom for s in segments) + 1,
    )
    return region_of(page, box, caption)


def _reach_of_unruled_table(
    page: TablePage, caption: Caption, found: list[Region], left: float, right: float, *, is_above: bool
) -> tuple[float, float]:
    """From which height to which one a table may stand: up to the next table that is known."""
    boxes = [region.box for region in found if region.box[0] < right and region.box[2] > left]
    if is_above:
        return max((box[3] for box in boxes if box[3] < caption.top), default=0.0), caption.top
    return caption.bottom, min((box[1] for box in boxes if box[1] > caption.bottom), default=page.sheet.height)


def _width_of_unruled_table(page: TablePage, caption: Caption, *, is_above: bool) -> tuple[float, float]:
    """From where to where a table may reach: as far as rules or shading near its caption, or its column of text."""
    near = _NEAR * caption.size
    low, high = (caption.top - near, caption.top) if is_above else (caption.bottom, caption.bottom + near)
    # The cells of a header may be shaded, or have rules below them, and some of them may have neither.
    bars = [Rule(s.box[1], s.box[0], s.box[2]) for s in page.sheet.shades if s.box[3] - s.box[1] < near]
    levels = [
        rule
        for marks in (page.sheet.across, bars)
        for rule in levels_of_unruled_table([rule for rule in marks if low < rule.at < high])
        if rule.length > _LEAST_LENGTH and rule.start < caption.right and rule.end > caption.left
    ]
    left, right = min((rule.start for rule in levels), default=0.0), max((rule.end for rule in levels), default=0.0)
    if any(len(line) > 1 for line in lines_within_region(page, left - 3, right + 3, low, high)):
        return left - 3, right + 3
    return _column_around_unruled_table(page, caption, low, high)


def _column_around_unruled_table(page: TablePage, caption: Caption, low: float, high: float) -> tuple[float, float]:
    """The columns of text at both sides of a table end it; without them it reaches over the page."""
    text = [
        s
        for line in page.lines
        for s in line
        if low < s.base < high
        and abs(s.size - page.body_size) < 0.03 * page.body_size
        and s.right - s.left > _TEXT * page.sheet.width
    ]
    lefts = _edges_of_unruled_table([s.left for s in text if s.left > caption.right - 3])
    rights = _edges_of_unruled_table([s.right for s in text if s.right < caption.left + 3])
    return max(rights, default=-3.0) + 3, min(lefts, default=page.sheet.width + 3) - 3


def _edges_of_unruled_table(values: list[float]) -> list[float]:
    counts = Counter(round(value / _SAME_EDGE) for value in values)
    return [value for value in values if counts[round(value / _SAME_EDGE)] >= _COLUMN_LINES]
