"""One table's part of a page, and the page it is a part of."""

from collections import Counter
from dataclasses import dataclass, field
from statistics import median

from ingather.library.parse.tables.captions import FIGURE, Caption, caption_label_of, find_captions
from ingather.library.parse.tables.marks import Rule, Segment, Shade, Sheet, Token
from ingather.library.parse.tables.tokens import lines_of_tokens, segments_of_tokens
from ingather.library.table import Box

# The foot of a page has no more lines, and stands below this share of its height.
_FOOT_LINES = 2
_FOOT = 0.93

# In points: a table stands no further inside its column of text.
_COLUMN = 60.0


@dataclass(slots=True, kw_only=True)
class Region:
    """One table's part of a page: what stands in its box, and the caption that names it, if any."""

    page: int
    box: Box
    caption: Caption | None
    tokens: list[Token]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)
    shades: list[Shade] = field(default_factory=list)
    below: list[list[Segment]] = field(default_factory=list)
    is_open: bool = False
    """Nothing stands below it on its page, so it may go on."""
    is_picture: bool = False
    """Below or above its caption stands a picture and no table of characters."""
    goes_on: "Region | None" = None
    """The one of the page before, or of the column before, that it may go on with."""
    shift: float = 0.0
    """How far it stands to the right of the one that it goes on with, in points."""
    column_left: float = 0.0
    """Where the column of text begins in which it stands."""


@dataclass(slots=True)
class TablePage:
    """A sheet with its lines and captions found."""

    sheet: Sheet
    lines: list[list[Segment]]
    captions: list[Caption]
    body_size: float


def page_of_region(sheet: Sheet) -> TablePage:
    lines = [segments_of_tokens(line) for line in lines_of_tokens(sheet.tokens)]
    sizes = sorted((token.size, len(token.text)) for token in sheet.tokens)
    half, count, body = sum(length for _, length in sizes) / 2, 0, 10.0
    for size, length in sizes:
        count += length
        if count >= half:
            body = size
            break
    return TablePage(sheet, lines, find_captions(lines, sheet.across), body)


def lines_within_region(page: TablePage, left: float, right: float, top: float, bottom: float) -> list[list[Segment]]:
    """The lines within a box, as far as they are."""
    found = []
    for line in page.lines:
        inside = [s for s in line if s.middle > left and s.middle < right and top < s.base - 0.3 * s.size < bottom]
        if inside:
            found.append(inside)
    return found


def type_size_of_region(lines: list[list[Segment]]) -> float:
    sizes = [segment.size for line in lines for segment in line]
    return median(sizes) if sizes else 0.0


def region_of(page: TablePage, box: Box, caption: Caption | None) -> Region:
    left, top, right, bottom = box
    sheet = page.sheet
    tokens = [
        token
        for token in sheet.tokens
        if left - 3 < (token.box[0] + token.box[2]) / 2 < right + 3
        and top - 1 < (token.box[1] + token.box[3]) / 2 < bottom + 1
    ]
    return Region(
        page=sheet.page,
        box=box,
        caption=caption,
        tokens=tokens,
        across=[r for r in sheet.across if top - 3 <= r.at <= bottom + 3 and r.end > left - 3 and r.start < right + 3],
        down=[r for r in sheet.down if left - 3 <= r.at <= right + 3 and r.end > top and r.start < bottom],
        shades=[
            s for s in sheet.shades if s.box[1] < bottom and s.box[3] > top and s.box[0] < right and s.box[2] > left
        ],
        below=_footnotes_below_region(
            page,
            _region_with_caption(box, caption),
            type_size_of_region([[s] for s in segments_of_tokens(tokens)]) if tokens else 0.0,
        ),
        # A caption below a table ends it.
        is_open=(caption is None or caption.top < bottom) and is_last_region_of_page(page, box),
        column_left=_column_left_of_region(page, left),
    )


def _region_with_caption(box: Box, caption: Caption | None) -> Box:
    """A box with the caption that stands below it: footnotes follow that."""
    left, top, right, bottom = box
    return left, top, right, max(bottom, caption.bottom) if caption and caption.top > bottom - 1 else bottom


def _footnotes_below_region(page: TablePage, box: Box, size: float) -> list[list[Segment]]:
    """The lines right below a table that are its footnotes: near, no larger than its type, not the text of the page."""
    left, _, right, bottom = box
    found: list[list[Segment]] = []
    last = bottom
    for line in lines_within_region(page, left - 3, right + 3, bottom, page.sheet.height):
        first = line[0]
        gap = first.top - last
        if gap > (2.2 if not found else 1.3) * first.size or first.size > size * 1.02:
            break
        if found and abs(first.size - found[-1][0].size) > 0.08 * first.size:
            break
        if caption_label_of(first.text) or FIGURE.match(first.text):
            break
        if any(
            bottom + 3 < rule.at < first.base and rule.start < right and rule.end > left for rule in page.sheet.across
        ):
            break
        found.append(line)
        last = max(segment.bottom for segment in line)
    return found


def _column_left_of_region(page: TablePage, left: float) -> float:
    """The edge at which most lines of text begin, of those near the left of a box or further left."""
    counts = Counter(round(s.left) for line in page.lines for s in line if left - _COLUMN < s.left <= left + 3)
    return float(max(counts, key=lambda edge: counts[edge], default=round(left)))


def is_last_region_of_page(page: TablePage, box: Box) -> bool:
    """Whether nothing but a page number or the foot of the page stands below a box."""
    lines = lines_within_region(page, box[0], box[2], box[3], page.sheet.height)
    if len(lines) <= 1 and all(len(line) <= 2 for line in lines):
        return True
    return len(lines) <= _FOOT_LINES and all(line[0].top > _FOOT * page.sheet.height for line in lines)
