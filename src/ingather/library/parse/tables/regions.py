"""Where the tables of a page begin and end."""

from collections.abc import Sequence

from ingather.library.parse.tables.captions import FIGURE, Caption, label_of
from ingather.library.parse.tables.growth import is_prose, rule_near, tabular_lines
from ingather.library.parse.tables.marks import Rule, Segment, Sheet
from ingather.library.parse.tables.region import Region, TablePage, between, page_of, region_of, size_of
from ingather.library.table import Box

# In points: how far the ends of two rules of one table may differ.
_SAME_END = 4.0

# In points: a shorter line across bounds no table.
_LEAST_LENGTH = 60.0

# In sizes of type: the rule below the header of a table stands no further below its caption.
_NEAR = 14

# In points: a picture of a table is higher than this, and stands no further from its caption than that.
_LEAST_HEIGHT = 25.0
_PICTURE_NEAR = 30.0

# As a share of the height of a page: running titles stand above it.
_TITLE = 0.1


def find_regions(sheet: Sheet, before: Sequence[Region] = ()) -> list[Region]:
    """The tables of a page, from the top. `before` are those of the page before."""
    page = page_of(sheet)
    stacks = _stacks(page)
    found: list[Region] = [region for one in before if (region := _continued(page, one, stacks)) is not None]
    stacks = [stack for stack in stacks if not any(_is_stack_within(stack, region.box) for region in found)]
    free = list(page.captions)
    for stack in stacks:
        top, bottom = stack[0].at, stack[-1].at
        left, right = min(rule.start for rule in stack), max(rule.end for rule in stack)
        caption = _caption_of(page, free, left, right, top, bottom)
        box = _extended_region(page, (left, top, right, bottom))
        if caption is None and not _is_table_alone(page, box):
            continue
        if caption is not None:
            free.remove(caption)
        found.append(region_of(page, box, caption))
    for caption in free:
        if (region := _unruled(page, caption, found)) is not None:
            found.append(region)
        elif (picture := _picture_of(sheet, caption)) is not None:
            found.append(Region(page=sheet.page, box=picture, caption=caption, tokens=[], is_picture=True))
    for region in found:
        if region.caption is not None and region.caption.is_continued:
            same = (one for one in before if one.caption and one.caption.label == region.caption.label)
            region.goes_on = next(same, None)
    found.sort(key=lambda region: (region.box[1], region.box[0]))
    return found


def _stacks(page: TablePage) -> list[list[Rule]]:
    """Rules that are as long as each other and have a table between them, from the top one to the lowest."""
    rules = sorted((rule for rule in _full_rules(page.sheet) if rule.length >= _LEAST_LENGTH), key=lambda rule: rule.at)
    stacks: list[list[Rule]] = []
    for rule in rules:
        for stack in stacks:
            last = stack[-1]
            is_alike = abs(last.start - rule.start) <= _SAME_END and abs(last.end - rule.end) <= _SAME_END
            if is_alike and _stack_goes_on(page, stack, rule):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [stack for stack in stacks if len(stack) > 1]


def _full_rules(sheet: Sheet) -> list[Rule]:
    return sheet.across


def _stack_goes_on(page: TablePage, stack: list[Rule], rule: Rule) -> bool:
    """Whether what stands between the last rule of a stack and the next one is part of the same table."""
    last = stack[-1]
    lines = between(page, rule.start, rule.end, last.at, rule.at)
    if _joined_down(page.sheet, last, rule):
        return True
    if not lines:
        return rule.at - last.at < 40  # points: no table has an empty part that is higher
    if any(label_of(line[0].text) is not None and _is_caption_segment(page, line[0]) for line in lines):
        return False
    if any(FIGURE.match(segment.text) for line in lines for segment in line):
        return False
    width = rule.length
    if len(stack) > 1:
        size = size_of(between(page, rule.start, rule.end, stack[0].at, last.at))
        if size and sum(1 for line in lines if abs(line[0].size - size) > 0.08 * size) > 0.5 * len(lines):
            return False
    if any(len(line) > 1 for line in lines[:60]):
        prose = [line for line in lines if is_prose(line, width)]
        return len(prose) < 0.6 * len(lines) or len(stack) == 1
    if len(stack) == 1:
        return True
    size = size_of(between(page, rule.start, rule.end, stack[0].at, stack[-1].at)) or lines[0][0].size
    return all(abs(line[0].size - size) < 0.05 * size for line in lines)


def _joined_down(sheet: Sheet, upper: Rule, lower: Rule) -> bool:
    """Whether lines down lead from one rule to the other."""
    return any(
        rule.start <= upper.at + 2 and rule.end >= lower.at - 2 and upper.start + 5 < rule.at < upper.end - 5
        for rule in sheet.down
    )


def _is_caption_segment(page: TablePage, segment: Segment) -> bool:
    return any(caption.lines[0][0] is segment for caption in page.captions)


def _caption_of(
    page: TablePage, free: list[Caption], left: float, right: float, top: float, bottom: float
) -> Caption | None:
    """The caption that stands right above a table, or else right below it."""
    best, least = None, 1e9
    for caption in free:
        if caption.left < left - 12 or caption.left > right or caption.right < left:
            continue
        above, below = top - caption.bottom, caption.top - bottom
        gap = above if above > -3 else below + 40  # points: a caption above is more usual than one below
        if min(above, below) > 0 or not -3 <= gap < 90:
            continue
        low, high = (caption.bottom, top) if above > -3 else (bottom, caption.top)
        if len(between(page, left, right, low, high)) > 3:
            continue
        if gap < least:
            best, least = caption, gap
    return best


def _is_table_alone(page: TablePage, box: Box) -> bool:
    """Whether what stands between rules without a caption is a table: columns with figures in them."""
    left, top, right, bottom = box
    lines = between(page, left, right, top, bottom)
    if len(lines) < 2:
        return False
    rows = [line for line in lines if len(line) > 1 and not is_prose(line, right - left)]
    figures = sum(1 for line in rows for s in line if any(char.isdigit() for char in s.text))
    return len(rows) >= 0.5 * len(lines) and figures >= len(rows)


def _is_stack_within(stack: list[Rule], box: Box) -> bool:
    return all(box[1] - 3 <= rule.at <= box[3] + 3 and rule.start < box[2] and rule.end > box[0] for rule in stack)


def _extended_region(page: TablePage, box: Box) -> Box:
    """A box between rules with the rows below it, where no rule ends the table."""
    left, top, right, bottom = box
    inside = between(page, left, right, top, bottom)
    size = inside[-1][0].size if inside else 0.0
    lines = between(page, left - 3, right + 3, bottom, page.sheet.height)
    taken = tabular_lines(lines, bottom, right - left, size)
    if not taken:
        return box
    return left, top, right, max(segment.bottom for segment in taken[-1]) + 1


def _continued(page: TablePage, before: Region, stacks: list[list[Rule]]) -> Region | None:
    """What stands at the top of a page if it is set as the table that ended the page before."""
    if not before.is_open:
        return None
    left, _, right, _ = before.box
    sizes = sorted(token.size for token in before.tokens)
    size = sizes[len(sizes) // 2] if sizes else 0.0
    lines = between(page, left - 3, right + 3, 0, page.sheet.height)
    # Above it may stand a running title and the number of the page.
    while lines and abs(lines[0][0].size - size) > 0.05 * size and lines[0][0].base < _TITLE * page.sheet.height:
        if label_of(lines[0][0].text) is not None:
            return None
        lines = lines[1:]
    taken = tabular_lines(lines, lines[0][0].top, right - left, size) if lines else []
    if not taken:
        return None
    top = min(segment.top for segment in taken[0]) - 1
    bottom = max(segment.bottom for segment in taken[-1]) + 1
    rules = [r.at for r in page.sheet.across if r.start <= left + 5 and r.end >= right - 5]
    # The rules that enclose these lines are theirs.
    top = max((at for at in rules if top - 15 < at <= top + 3), default=top)
    bottom = min((at for at in rules if bottom - 3 <= at < bottom + 15), default=bottom)
    for stack in stacks:
        if top - 3 <= stack[0].at < bottom and abs(stack[0].start - left) <= _SAME_END:
            bottom = max(bottom, stack[-1].at)
    region = region_of(page, (left, top, right, bottom), None)
    region.goes_on = before
    return region


def _unruled(page: TablePage, caption: Caption, found: list[Region]) -> Region | None:
    """A table without rules: the lines below its caption, as long as they are set like a table."""
    rule = rule_near(
        page.sheet.across, caption.left, caption.right, caption.bottom, caption.bottom + _NEAR * caption.size
    )
    left, right = (
        (rule.start - 3, rule.end + 3) if rule and rule.length > _LEAST_LENGTH else _sides_of_region(page, caption)
    )
    tops = [region.box[1] for region in found if region.box[0] < right and region.box[2] > left]
    end = min((top for top in tops if top > caption.bottom), default=page.sheet.height)
    lines = between(page, left, right, caption.bottom, end)
    taken = tabular_lines(lines, caption.bottom, right - left)
    if sum(1 for line in taken if len(line) > 1) < 2:
        return None
    segments = [segment for line in taken for segment in line]
    box = (
        min(s.left for s in segments) - 1,
        min(s.top for s in segments) - 1,
        max(s.right for s in segments) + 1,
        max(s.bottom for s in segments) + 1,
    )
    return region_of(page, box, caption)


def _picture_of(sheet: Sheet, caption: Caption) -> Box | None:
    """The picture right below a caption, or right above it, that is large enough to be a table."""
    for box in sheet.pictures:
        left, top, right, bottom = box
        is_beside = left < caption.right and right > caption.left
        gap = top - caption.bottom if top > caption.top else caption.top - bottom
        is_large = right - left > _LEAST_LENGTH and bottom - top > _LEAST_HEIGHT
        if is_beside and is_large and -3 <= gap < _PICTURE_NEAR:
            return box
    return None


def _sides_of_region(page: TablePage, caption: Caption) -> tuple[float, float]:
    """From where to where a table without rules may reach: the page, or the column of text its caption stands in."""
    low, high = caption.bottom, caption.bottom + 12 * caption.size
    middle = page.sheet.width / 2
    prose = [
        s
        for line in page.lines
        for s in line
        if low < s.base < high
        and abs(s.size - page.body_size) < 0.03 * page.body_size
        and s.right - s.left > 0.3 * page.sheet.width
        and s.right - s.left < 0.55 * page.sheet.width
    ]
    if caption.left < middle and sum(1 for s in prose if s.left > middle - 5) >= 3:
        return 0.0, min(s.left for s in prose if s.left > middle - 5) - 3
    if caption.left > middle - 5 and sum(1 for s in prose if s.right < middle + 5) >= 3:
        return caption.left - 6, page.sheet.width
    if caption.left > middle - 5:
        return caption.left - 6, page.sheet.width
    return 0.0, page.sheet.width
