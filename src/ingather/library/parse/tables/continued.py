"""What goes on with a table at the top of the next page, or of the next column of text."""

from collections import Counter
from itertools import pairwise

from ingather.library.parse.tables.captions import Caption, caption_label_of
from ingather.library.parse.tables.growth import Line, growth_downwards
from ingather.library.parse.tables.marks import Rule
from ingather.library.parse.tables.region import (
    Region,
    TablePage,
    is_last_region_of_page,
    lines_within_region,
    region_of,
)
from ingather.library.parse.tables.tokens import lines_of_tokens, segments_of_tokens

# In points: how far the ends of two rules of one table may differ.
_SAME_END = 4.0

# A line with fewer pieces may be a running title with the number of its page.
_ROW_PIECES = 3
# In points: pieces of one column begin or end at one place, and a printer's rounding is less than this.
_SAME_COLUMN = 2.0

# As a share of the height of a page: running titles stand above it.
_TITLE = 0.1

# As a share of the width of a page: a wider table stands in no column of text.
_NARROW = 0.6

# So many lines that begin at one edge, in units of two points, are a column of text.
_COLUMN_LINES = 8
_EDGE = 2.0

# In points: the line below a table is further off than this, and is wider than its column if it ends so much further.
_LEAST_BELOW = 6.0
_BEYOND = 20.0

# Below this share of the height of a page stands the caption of a table that begins on the next page.
_AT_END = 0.6


def continued_on_next_page(page: TablePage, before: Region, stacks: list[list[Rule]]) -> Region | None:
    """What stands at the top of a page, if it is set as the table that ended the page before."""
    if not before.is_open:
        return None
    found = _continued(page, before, stacks, 0.0)
    if found is None and _is_narrow_for_continued(page, before):
        edges = _column_edges_for_continued(page)
        found = _continued(page, before, stacks, edges[0] - before.column_left) if edges else None
    return found


def continued_in_next_column(page: TablePage, before: Region, stacks: list[list[Rule]]) -> Region | None:
    """What stands at the top of the next column of text, if it is set as the table that ended the one before."""
    if not _is_narrow_for_continued(page, before) or not _may_be_continued_in_column(page, before):
        return None
    edges = [edge for edge in _column_edges_for_continued(page) if edge > before.box[2] - _SAME_END]
    return _continued(page, before, stacks, edges[0] - before.column_left) if edges else None


def _may_be_continued_in_column(page: TablePage, region: Region) -> bool:
    """Whether nothing stands below a table in its column of text: the page ends, or what stands there is wider."""
    if region.is_open:
        return True
    _, _, right, bottom = region.box
    below = next((line for line in page.lines if line[0].base > bottom + _LEAST_BELOW and line[0].left < right), None)
    return below is not None and any(s.left < right - _SAME_END and s.right > right + _BEYOND for s in below)


def caption_continued_on_next_page(page: TablePage, caption: Caption) -> Region | None:
    """The place of a table that has only its caption on this page."""
    box = (caption.left, caption.top, max(caption.right, page.sheet.width - caption.left), caption.bottom)
    if caption.top < _AT_END * page.sheet.height or not is_last_region_of_page(page, box):
        return None
    return Region(page=page.sheet.page, box=box, caption=caption, tokens=[], is_open=True, column_left=caption.left)


def _is_narrow_for_continued(page: TablePage, region: Region) -> bool:
    return bool(region.tokens) and region.box[2] - region.box[0] < _NARROW * page.sheet.width


def _column_edges_for_continued(page: TablePage) -> list[float]:
    """Where the columns of text begin."""
    counts = Counter(round(s.left / _EDGE) for line in page.lines for s in line if s.size >= 0.97 * page.body_size)
    found: list[float] = []
    for place in sorted(place for place, count in counts.items() if count >= _COLUMN_LINES):
        # In points: the first lines of paragraphs are set in by less.
        if not found or place * _EDGE - found[-1] > 100:
            found.append(place * _EDGE)
    return found


def _continued(page: TablePage, before: Region, stacks: list[list[Rule]], shift: float) -> Region | None:
    left, right = before.box[0] + shift, before.box[2] + shift
    sizes = sorted(token.size for token in before.tokens)
    size = sizes[len(sizes) // 2] if sizes else 0.0
    lines = lines_within_region(page, left - 3, right + 3, 0, page.sheet.height)
    # Above it may stand a running title and the number of the page.
    rules = [r.at for r in page.sheet.across if r.start <= left + 5 and r.end >= right - 5]
    known = {token.text for token in before.tokens}
    widest = _widest_gap_before_continued(before)
    while len(lines) > 1 and size and _continued_is_title(page, lines[0][0].base):
        is_known = all(token.text in known for segment in lines[0] for token in segment.tokens)
        is_ruled = any(at < lines[0][0].base for at in rules)
        is_apart = lines[1][0].top - lines[0][0].bottom > widest and not is_ruled
        is_row = _is_row_of_continued(lines[0], before, shift)
        if is_known or is_row or (not is_apart and abs(lines[0][0].size - size) <= 0.05 * size):
            break
        if caption_label_of(lines[0][0].text) is not None:
            return None
        lines = lines[1:]
    taken = growth_downwards(lines, lines[0][0].top, right - left, _sizes_before_continued(before)) if lines else []
    if not taken or (shift and sum(1 for line in taken if len(line) > 1) < 2):  # a row and its header
        return None
    top = min(segment.top for segment in taken[0]) - 1
    bottom = max(segment.bottom for segment in taken[-1]) + 1
    # The rules that enclose these lines are theirs.
    top = max((at for at in rules if top - 15 < at <= top + 3), default=top)
    bottom = min((at for at in rules if bottom - 3 <= at < bottom + 15), default=bottom)
    for stack in stacks:
        if top - 3 <= stack[0].at < bottom and abs(stack[0].start - left) <= _SAME_END:
            bottom = max(bottom, stack[-1].at)
    region = region_of(page, (left, top, right, bottom), None)
    region.goes_on = before
    region.shift = shift
    region.column_left = before.column_left + shift
    return region


def _is_row_of_continued(line: Line, before: Region, shift: float) -> bool:
    """Whether the pieces of a line stand in the columns of a table: a running title has fewer, and stands elsewhere."""
    known = [s for row in lines_of_tokens(before.tokens) for s in segments_of_tokens(row)]
    return len(line) >= _ROW_PIECES and all(
        any(min(abs(s.left - one.left - shift), abs(s.right - one.right - shift)) <= _SAME_COLUMN for one in known)
        for s in line
    )


def _sizes_before_continued(region: Region) -> list[float]:
    """The sizes of type that the lines of a table begin in."""
    return sorted({segments_of_tokens(line)[0].size for line in lines_of_tokens(region.tokens)})


def _widest_gap_before_continued(region: Region) -> float:
    """The widest white space between two lines of a table."""
    tops = [
        (min(token.box[1] for token in line), max(token.box[3] for token in line))
        for line in lines_of_tokens(region.tokens)
    ]
    return max((low[0] - high[1] for high, low in pairwise(tops)), default=0.0)


def _continued_is_title(page: TablePage, base: float) -> bool:
    return base < _TITLE * page.sheet.height
