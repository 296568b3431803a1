"""Where the tables of a page begin and end."""

from collections.abc import Sequence

from ingather.library.parse.tables.captions import FIGURE, Caption
from ingather.library.parse.tables.continued import (
    caption_continued_on_next_page,
    continued_in_next_column,
    continued_on_next_page,
)
from ingather.library.parse.tables.growth import growth_downwards, is_prose_that_ends_growth
from ingather.library.parse.tables.marks import Rule, Sheet
from ingather.library.parse.tables.pictures import NEAR_PICTURE, is_picture_of_figure, picture_of_table
from ingather.library.parse.tables.region import (
    Region,
    TablePage,
    lines_within_region,
    page_of_region,
    region_of,
    type_size_of_region,
)
from ingather.library.parse.tables.tokens import lines_of_tokens, segments_of_tokens
from ingather.library.parse.tables.unruled import (
    caption_is_apart_from_unruled,
    levels_of_unruled_table,
    unruled_table,
    unruled_table_beside,
)
from ingather.library.table import Box

# In points: how far the ends of two rules of one table may differ.
_SAME_END = 4.0

# In points: a shorter line across bounds no table.
_LEAST_LENGTH = 60.0

# So large a share of the words of most tables begins with a digit. What has fewer figures may be a table by half; one
# that is to come on the next page is less sure than one that is there.
_LEAST_FIGURES = 0.12
_WORTH_WITHOUT_FIGURES = 0.5
_WORTH_TO_COME = 0.75

# As a share of its size: how far the type of a header may differ from that of the rows.
_OTHER_HEADER = 0.15

# A label alone between two rules has no more lines, and they stand no further apart, in sizes of type.
_MOST_LABEL_LINES = 3
_WIDEST_PITCH = 1.7

# One of so many lines below a header has several cells: groups and wrapped labels may come first.
_FIRST_ROWS = 6

# A header has no more lines, however full they are.
_MOST_HEADER_LINES = 8

# In points: a caption in a narrow column beside its table begins no higher above it, and ends no further from it.
_BESIDE = 15.0
_BESIDE_GAP = 100.0


def find_regions(sheet: Sheet, before: Sequence[Region] = ()) -> list[Region]:
    """The tables of a page, from the top. `before` are those of the page before."""
    page = page_of_region(sheet)
    stacks = _rule_stacks_of_found_regions(page)
    gone_on: list[Region] = [
        region for one in before if (region := continued_on_next_page(page, one, stacks)) is not None
    ]
    stacks = [
        stack
        for stack in stacks
        if not any(_rule_stack_is_within_found_region(stack, region.box) for region in gone_on)
    ]
    was_above = any(_found_region_is_over_caption(region) for region in before)
    ways = [
        _found_regions_placed(page, stacks, gone_on, is_above=is_above)
        for is_above in (was_above, not was_above)
        if page.captions or not is_above
    ]
    # A house sets its captions on one side: the side on which more of them have a table.
    found = max(ways, key=lambda way: sum(_worth_of_found_regions(region) for region in way))
    taken = [region.caption for region in found]
    for caption in page.captions:
        if any(caption is one for one in taken):
            continue
        if (region := unruled_table_beside(page, caption, found)) is not None:
            found.append(region)
        elif (picture := picture_of_table(sheet, caption)) is not None:
            found.append(Region(page=sheet.page, box=picture, caption=caption, tokens=[], is_picture=True))
    found += _found_regions_gone_on_beside(page, found, stacks)
    for region in found:
        if region.caption is not None and region.caption.is_continued:
            others = (*before, *(one for one in found if one.caption and not one.caption.is_continued))
            same = (one for one in others if one.caption and one.caption.label == region.caption.label)
            region.goes_on = next(same, None)
            if region.goes_on is not None and _are_found_regions_as_wide(region.goes_on, region):
                region.shift = region.box[0] - region.goes_on.box[0]
    return _found_regions_in_order(found)


def _worth_of_found_regions(region: Region) -> float:
    """How much a table speaks for the side on which captions were looked for: by its figures and its lines of cells."""
    if region.caption is None:
        return -1.0
    if not region.tokens:
        return _WORTH_TO_COME
    left, _, right, _ = region.box
    if sum(1 for rule in region.across if rule.start <= left + _SAME_END and rule.end >= right - _SAME_END) > 1:
        return 1.0
    lines = [segments_of_tokens(line) for line in lines_of_tokens(region.tokens)]
    several = sum(1 for line in lines if len(line) > 1) / len(lines)
    figures = sum(1 for token in region.tokens if token.text[0].isdigit())
    return several * (1.0 if figures >= _LEAST_FIGURES * len(region.tokens) else _WORTH_WITHOUT_FIGURES)


def _found_regions_in_order(found: list[Region]) -> list[Region]:
    """The tables from the top, each followed by what goes on with it in the next column of text."""
    ordered: list[Region] = []
    rest = sorted(found, key=lambda region: (region.box[1], region.box[0]))
    while rest:
        follows = next((r for r in rest if ordered and r.goes_on is ordered[-1]), None)
        region = follows or next((r for r in rest if not any(r.goes_on is other for other in rest)), rest[0])
        rest.remove(region)
        ordered.append(region)
    return ordered


def _found_regions_gone_on_beside(page: TablePage, found: list[Region], stacks: list[list[Rule]]) -> list[Region]:
    """What goes on with a table at the top of the next columns of text; what was found there is taken out."""
    added: list[Region] = []
    for region in list(found):
        last: Region | None = region
        while last is not None and (last := continued_in_next_column(page, last, stacks)) is not None:
            left, top, right, bottom = last.box
            taken = [r for r in found if r.box[0] < right and r.box[2] > left and r.box[1] < bottom and r.box[3] > top]
            if any(r.caption is not None for r in taken):
                break
            for other in taken:
                found.remove(other)
            added.append(last)
    return added


def _are_found_regions_as_wide(one: Region, other: Region) -> bool:
    return abs((one.box[2] - one.box[0]) - (other.box[2] - other.box[0])) <= _SAME_END


def _found_region_is_over_caption(region: Region) -> bool:
    """Whether a table stands above its caption."""
    return region.caption is not None and region.caption.top > region.box[3] - 1


def _found_regions_placed(
    page: TablePage, stacks: list[list[Rule]], gone_on: list[Region], *, is_above: bool
) -> list[Region]:
    """The tables of a page where tables stand below their captions, or above them."""
    found = list(gone_on)
    free = list(page.captions)
    for stack in stacks:
        top, bottom = stack[0].at, stack[-1].at
        left, right = min(rule.start for rule in stack), max(rule.end for rule in stack)
        caption = _caption_of_found_region(page, free, (left, top, right, bottom), is_above=is_above)
        box = _found_region_extended(page, (left, top, right, bottom))
        if caption is None and (is_picture_of_figure(page, box) or not _found_region_is_table_alone(page, box)):
            continue
        if caption is not None:
            free.remove(caption)
            box = _found_region_with_header(page, box, caption)
        found.append(region_of(page, box, caption))
    found = [
        region
        for region in found
        if region.caption or not any(_is_inside_found_region(region, other) for other in found)
    ]
    for open_region in gone_on if is_above else ():
        near = (caption for caption in free if _is_right_below_found_region(caption, open_region))
        open_region.caption = next(near, None)
        free = [caption for caption in free if caption is not open_region.caption]
    for caption in free:
        region: Region | None = unruled_table(page, caption, found, is_above=is_above)
        if region is not None and region.box[0] >= caption.right - 3 and caption_is_apart_from_unruled(page, caption):
            region = unruled_table_beside(page, caption, found, region.box[0]) or region
        if region is None and not is_above:
            region = caption_continued_on_next_page(page, caption)
        if region is not None:
            found.append(region)
    return found


def _found_region_with_header(page: TablePage, box: Box, caption: Caption) -> Box:
    """A box with the header above it, where the first rule of a table stands below its header."""
    left, top, right, bottom = box
    lines = lines_within_region(page, left, right, caption.bottom, top)
    if not any(len(line) > 1 and not is_prose_that_ends_growth(line, right - left) for line in lines):
        return box
    return left, min(segment.top for line in lines for segment in line) - 1, right, bottom


def _is_inside_found_region(region: Region, other: Region) -> bool:
    return region is not other and all(
        low - 3 <= own if place < 2 else own <= low + 3  # points; left and top, then right and bottom
        for place, (own, low) in enumerate(zip(region.box, other.box, strict=True))
    )


def _is_right_below_found_region(caption: Caption, region: Region) -> bool:
    left, _, right, bottom = region.box
    return -3 < caption.top - bottom < NEAR_PICTURE and caption.left < right and caption.right > left


def _rule_stacks_of_found_regions(page: TablePage) -> list[list[Rule]]:
    """Rules that are as long as each other and have a table between them, from the top one to the lowest."""
    levels = levels_of_unruled_table(page.sheet.across)
    rules = sorted((rule for rule in levels if rule.length >= _LEAST_LENGTH), key=lambda rule: rule.at)
    stacks: list[list[Rule]] = []
    for rule in rules:
        for stack in stacks:
            last = stack[-1]
            is_alike = abs(last.start - rule.start) <= _SAME_END and abs(last.end - rule.end) <= _SAME_END
            if is_alike and _rule_stack_goes_on_in_found_region(page, stack, rule):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [stack for stack in stacks if len(stack) > 1]


def _rule_stack_goes_on_in_found_region(page: TablePage, stack: list[Rule], rule: Rule) -> bool:
    """Whether what stands between the last rule of a stack and the next one is part of the same table."""
    last = stack[-1]
    lines = lines_within_region(page, rule.start, rule.end, last.at, rule.at)
    if _rules_joined_down_in_found_region(page.sheet, last, rule):
        return True
    if not lines:
        return rule.at - last.at < 40  # points: no table has an empty part that is higher
    if any(last.at < one.top < rule.at and one.left < rule.end and one.right > rule.start for one in page.captions):
        return False
    if any(_is_caption_beside_rule(one, rule) and one.top - stack[0].at > _BESIDE for one in page.captions):
        return False
    if any(FIGURE.match(segment.text) for line in lines for segment in line):
        return False
    width = rule.length
    if len(stack) > 1:
        size = type_size_of_region(lines_within_region(page, rule.start, rule.end, stack[0].at, last.at))
        # Rows may be set in another size than the header; text in another size is not of the table.
        text = [line for line in lines if len(line) == 1 or is_prose_that_ends_growth(line, width)]
        if size and sum(1 for line in text if abs(line[0].size - size) > 0.08 * size) > 0.5 * len(lines):
            return False
    if any(len(line) > 1 for line in lines[:60]):
        prose = [line for line in lines if is_prose_that_ends_growth(line, width)]
        return len(prose) < 0.6 * len(lines) or (len(stack) == 1 and len(lines) <= _MOST_HEADER_LINES)
    if len(stack) == 1:
        return True
    size = (
        type_size_of_region(lines_within_region(page, rule.start, rule.end, stack[0].at, stack[-1].at))
        or lines[0][0].size
    )
    if rule.at - last.at < (len(lines) + 1) * _WIDEST_PITCH * size and len(lines) <= _MOST_LABEL_LINES:
        return True
    return all(_may_be_type_of_found_region(page, line[0].size, size) for line in lines)


def _is_caption_beside_rule(caption: Caption, rule: Rule) -> bool:
    """Whether a caption in a narrow column of its own begins beside a rule: then its table begins there."""
    gap = rule.start - caption.right
    return -3 <= gap < _BESIDE_GAP and abs(caption.top - rule.at) < _BESIDE


def _may_be_type_of_found_region(page: TablePage, size: float, known: float) -> bool:
    """Whether a line may be of a table with type of a known size: some houses set headers larger or smaller."""
    if abs(size - known) < 0.05 * known:
        return True
    return abs(size - known) < _OTHER_HEADER * known and abs(size - page.body_size) > 0.05 * page.body_size


def _rules_joined_down_in_found_region(sheet: Sheet, upper: Rule, lower: Rule) -> bool:
    """Whether lines down lead from one rule to the other."""
    return any(
        rule.start <= upper.at + 2 and rule.end >= lower.at - 2 and upper.start + 5 < rule.at < upper.end - 5
        for rule in sheet.down
    )


def _caption_of_found_region(page: TablePage, free: list[Caption], box: Box, *, is_above: bool) -> Caption | None:
    """The caption that stands right above a table, or else right below it; the other way round where `is_above`."""
    left, top, right, bottom = box
    best, least = None, 1e9
    for caption in free:
        is_level = top - _BESIDE < caption.top < bottom and caption_is_apart_from_unruled(page, caption)
        if is_level and left - _BESIDE_GAP < caption.right <= left + 3 and least > _BESIDE_GAP:
            best, least = caption, _BESIDE_GAP
        if caption.left > right or caption.right < left:
            continue
        above, below = top - caption.bottom, caption.top - bottom
        # In points: what a caption on the other side than usual counts more.
        gap = above + 40 * is_above if above > -3 else below + 40 * (not is_above)
        if min(above, below) > 0 or not -3 <= gap < 90:
            continue
        low, high = (caption.bottom, top) if above > -3 else (bottom, caption.top)
        if len(lines_within_region(page, left, right, low, high)) > 3:
            continue
        if gap < least:
            best, least = caption, gap
    return best


def _found_region_is_table_alone(page: TablePage, box: Box) -> bool:
    """Whether what stands between rules without a caption is a table: columns with figures in them."""
    left, top, right, bottom = box
    lines = lines_within_region(page, left, right, top, bottom)
    if len(lines) < 2:
        return False
    rows = [line for line in lines if len(line) > 1 and not is_prose_that_ends_growth(line, right - left)]
    figures = sum(1 for line in rows for s in line if any(char.isdigit() for char in s.text))
    return len(rows) >= 0.5 * len(lines) and figures >= len(rows)


def _rule_stack_is_within_found_region(stack: list[Rule], box: Box) -> bool:
    return all(box[1] - 3 <= rule.at <= box[3] + 3 and rule.start < box[2] and rule.end > box[0] for rule in stack)


def _found_region_extended(page: TablePage, box: Box) -> Box:
    """A box between rules with the rows below it, where no rule ends the table."""
    left, top, right, bottom = box
    inside = lines_within_region(page, left, right, top, bottom)
    lines = lines_within_region(page, left - 3, right + 3, bottom, page.sheet.height)
    size = inside[-1][0].size if inside else 0.0
    if inside and lines and len(inside) <= _MOST_HEADER_LINES and any(len(line) > 1 for line in lines[:_FIRST_ROWS]):
        # The rules may enclose a header alone, and the rows below it may be set in another size.
        size = lines[0][0].size if _may_be_type_of_found_region(page, lines[0][0].size, size) else size
    taken = growth_downwards(lines, bottom, right - left, (size,) if size else ())
    if not taken:
        return box
    return left, top, right, max(segment.bottom for segment in taken[-1]) + 1
