"""Which header stands over which columns: lines of a header put together, and spans found for those above others."""

import re
from dataclasses import dataclass
from itertools import pairwise

from ingather.library.parse.tables.gutters import columns_between_gutters
from ingather.library.parse.tables.marks import Rule, Segment
from ingather.library.parse.tables.rows import RowBlock, beside_in_row

# In sizes of type. A column that no upper header covers costs as much as a header this far from its middle.
_UNCOVERED = 1.0

# The same for a column below a header whose own header stands below that header once more: groups repeat, and
# columns within a group do not; and for a column of p-values, which mostly compares the groups beside it.
_TWICE = 1.0
_COMPARING = 0.8
_P_VALUE = re.compile(r"^[Pp]\b")

# As a share of the narrower of the two: a header stands over a column if they have this much of their width in common.
_SHARED = 0.25

# In sizes of type: lines of a header that stand no further apart are one cell, where nothing tells how lines are set.
LEAST_PITCH = 1.45

# In sizes of type: a raised mark pushes its line so much further down.
_RAISES = 0.25

# In sizes of type: a wider white space within a column divides two headers.
_NEAR = 1.0

# In points: a rule below a header begins and ends no further inside it.
_RULE_SLACK = 3.0


@dataclass(frozen=True, slots=True)
class HeaderColumns:
    """Where the columns are cut, and from where to where their text reaches."""

    cuts: list[float]
    spans: list[tuple[float, float]]

    @property
    def count(self) -> int:
        return len(self.spans)


def header_columns_from(cuts: list[float], segments: list[Segment], left: float, right: float) -> HeaderColumns:
    """The columns between the cuts, each as wide as the text in it that stands in no other column."""
    edges = [left, *cuts, right]
    inside: list[list[Segment]] = [[] for _ in range(len(edges) - 1)]
    for segment in segments:
        first, last = columns_between_gutters(segment, cuts)
        if first == last and first < len(inside):
            inside[first].append(segment)
    spans = []
    for number, own in enumerate(inside):
        low, high = edges[number], edges[number + 1]
        spans.append((min((s.left for s in own), default=low), max((s.right for s in own), default=high)))
    return HeaderColumns(cuts, spans)


def header_blocks(
    lines: list[list[Segment]], columns: HeaderColumns, pitch: float, across: list[Rule]
) -> list[RowBlock]:
    """The header's cells with their columns; `row` is the level, 0 for the topmost."""
    blocks = _stacked_headers([_closed_up_headers(line, columns.cuts) for line in lines], pitch, across)
    for block in blocks:
        block.first, block.last = _own_columns_of_header(block, columns)
    for level in _upper_levels_of_headers(blocks):
        _spread_headers(level, blocks, columns, across)
    _number_levels_of_headers(blocks)
    return blocks


def line_pitch_of_headers(lines: list[list[Segment]]) -> float:
    """The least distance, in sizes of type, from a line of a header to the next one above or below it."""
    segments = [segment for line in lines for segment in line]
    found = [
        (low.base - high.base) / low.size
        for low in segments
        for high in segments
        if low.base - high.base > 0.5 * low.size and high.left < low.right and low.left < high.right
    ]
    return min(found, default=LEAST_PITCH)


def leaf_headers_of(lines: list[list[Segment]], pitch: float, across: list[Rule]) -> list[RowBlock]:
    """The lowest headers, from the left: those that no other one stands below."""
    blocks = _stacked_headers(lines, pitch, across)
    leaves = [
        b for b in blocks if not any(_header_is_below(o, b) and o.left < b.right and o.right > b.left for o in blocks)
    ]
    return sorted(leaves, key=lambda block: block.left)


def _closed_up_headers(line: list[Segment], cuts: list[float]) -> list[Segment]:
    """A line whose segments are one where they stand near each other within one column."""
    found: list[Segment] = []
    for segment in line:
        last = found[-1] if found else None
        own = columns_between_gutters(segment, cuts)
        if (
            last
            and segment.left - last.right < _NEAR * segment.size
            and own == columns_between_gutters(last, cuts) == (own[0],) * 2
        ):
            found[-1] = beside_in_row(last, segment)
        else:
            found.append(segment)
    return found


def _stacked_headers(lines: list[list[Segment]], pitch: float, across: list[Rule]) -> list[RowBlock]:
    """Segments below each other, one to one and no further apart than lines of a cell, as one block."""
    blocks: list[RowBlock] = []
    for line in lines:
        for segment in line:
            mate = _mate_of_header(blocks, line, segment, pitch, across)
            if mate is None:
                blocks.append(RowBlock(0, 0, [segment]))
            else:
                mate.lines.append(segment)
    return blocks


def _mate_of_header(
    blocks: list[RowBlock], line: list[Segment], segment: Segment, pitch: float, across: list[Rule]
) -> RowBlock | None:
    """The block that a segment goes on with."""
    near = [block for block in blocks if block.lines[-1] not in line and _header_is_right_above(block, segment, pitch)]
    if len(near) != 1:
        return None
    last = near[0].lines[-1]
    rivals = sum(1 for other in line if _header_blocks_meet(near[0], other))
    if rivals != 1 or _header_is_ruled_off(last, segment, across):
        return None
    return None if _begins_row_of_headers(blocks, line, segment, pitch) else near[0]


def _begins_row_of_headers(blocks: list[RowBlock], line: list[Segment], segment: Segment, pitch: float) -> bool:
    """Whether a segment is one of a row of headers below others: its words stand there again below a header of two."""
    below_wide: set[str] = set()
    for block in blocks:
        if block.lines[-1] in line:
            continue
        under = [
            other for other in line if _header_blocks_meet(block, other) and _header_is_right_above(block, other, pitch)
        ]
        if len(under) > 1:
            below_wide.update(other.text for other in under)
    return segment.text in below_wide


def _header_is_right_above(block: RowBlock, segment: Segment, pitch: float) -> bool:
    last = block.lines[-1]
    distance = segment.base - last.base
    most = (pitch + _RAISES * segment.is_marked) * max(segment.size, last.size)
    return _header_blocks_meet(block, segment) and 0.3 * segment.size < distance <= most


def _header_blocks_meet(block: RowBlock, segment: Segment) -> bool:
    return block.left < segment.right and segment.left < block.right


def _header_is_ruled_off(upper: Segment, lower: Segment, across: list[Rule]) -> bool:
    return any(
        upper.base - 0.1 * upper.size < rule.at < lower.base - 0.6 * lower.size
        and rule.start < upper.right
        and rule.end > upper.left
        for rule in across
    )


def _own_columns_of_header(block: RowBlock, columns: HeaderColumns) -> tuple[int, int]:
    """The columns whose text a header overlaps, or the nearest one."""
    over = [number for number in range(columns.count) if _share_of_header(block, columns, number) > _SHARED]
    if over:
        return over[0], over[-1]
    middle = (block.left + block.right) / 2
    number = sum(1 for cut in columns.cuts if cut < middle)
    return number, number


def _share_of_header(block: RowBlock, columns: HeaderColumns, number: int) -> float:
    """How much of a header, or of the column's text below it, the two have in common."""
    left, right = columns.spans[number]
    common = min(right, block.right) - max(left, block.left)
    return common / max(min(right - left, block.right - block.left), 1.0)


def _header_is_below(lower: RowBlock, upper: RowBlock) -> bool:
    return lower.lines[0].base - lower.lines[0].size > upper.lines[-1].base - 0.4 * upper.lines[-1].size


def _upper_levels_of_headers(blocks: list[RowBlock]) -> list[list[RowBlock]]:
    """Headers that others stand below, level by level: those of one level stand beside each other."""
    levels: list[list[RowBlock]] = []
    for block in sorted(blocks, key=lambda block: block.lines[-1].base):
        level = next((level for level in levels if not any(_header_is_below(block, other) for other in level)), None)
        if level is None:
            levels.append([block])
        else:
            level.append(block)
    return levels[:-1]


def _number_levels_of_headers(blocks: list[RowBlock]) -> None:
    """Numbers the levels: a block stands one below the lowest of those above it that share a column."""
    for block in sorted(blocks, key=lambda block: block.lines[0].base):
        above = [
            other.row
            for other in blocks
            if other is not block
            and _header_is_below(block, other)
            and other.first <= block.last
            and other.last >= block.first
        ]
        block.row = max(above, default=-1) + 1


def _spread_headers(level: list[RowBlock], blocks: list[RowBlock], columns: HeaderColumns, across: list[Rule]) -> None:
    """Widens the headers of one level over the columns whose own headers stand below, all of them together."""
    # A header that wraps beside these and has none below it reaches down to the cells.
    level = sorted((block for block in level if _header_has_below(block, blocks)), key=lambda block: block.left)
    own = {id(block) for block in level}
    lower = [b for b in blocks if id(b) not in own and any(_header_is_below(b, other) for other in level)]
    covered = [any(block.first <= c <= block.last for block in lower) for c in range(columns.count)]
    free: list[RowBlock] = []
    fixed: set[int] = set()
    for block in level:
        ruled = _columns_below_rule_of_header(block, level, columns, across)
        if not any(covered[block.first : block.last + 1]):
            fixed.update(range(block.first, block.last + 1))
        elif ruled is not None:
            block.first, block.last = ruled
            fixed.update(range(ruled[0], ruled[1] + 1))
        elif len(level) == 1 and block.first == 0 < block.last:
            # A header alone over the labels and more is a title within the table.
            block.last = columns.count - 1
        else:
            free.append(block)
    if free:
        may = [covered[c] and c not in fixed for c in range(columns.count)]
        _share_out_columns_to_headers(free, may, columns, _names_of_leaf_headers(lower, columns))


def _names_of_leaf_headers(lower: list[RowBlock], columns: HeaderColumns) -> list[str]:
    """What the header right over the cells of each column is called, without what stands in brackets."""
    names = [""] * columns.count
    for block in sorted(lower, key=lambda block: block.lines[0].base):
        if block.first == block.last:
            names[block.first] = " ".join(line.text for line in block.lines).split("(")[0].strip()
    return names


def _header_has_below(block: RowBlock, blocks: list[RowBlock]) -> bool:
    return any(
        _header_is_below(other, block) and other.first <= block.last and other.last >= block.first for other in blocks
    )


def _columns_below_rule_of_header(
    block: RowBlock, level: list[RowBlock], columns: HeaderColumns, across: list[Rule]
) -> tuple[int, int] | None:
    """The columns above which a rule, or a piece of one, is drawn right below a header and below no other."""
    last = block.lines[-1]
    for rule in across:
        if not 0 < rule.at - last.base + 0.1 * last.size < 1.1 * last.size:  # sizes of type: the next line is further
            continue
        for start, end in pairwise((rule.start, *rule.joints, rule.end)):
            if start > block.left + _RULE_SLACK or end < block.right - _RULE_SLACK:
                continue
            if any(start < (other.left + other.right) / 2 < end for other in level if other is not block):
                continue
            over = [n for n, (left, right) in enumerate(columns.spans) if start < (left + right) / 2 < end]
            # Browsers draw a rule column by column, so that a piece over one column says nothing.
            if (len(over) > 1 or (over and not rule.joints)) and len(over) < columns.count:
                return over[0], over[-1]
    return None


def _share_out_columns_to_headers(
    level: list[RowBlock], may: list[bool], columns: HeaderColumns, names: list[str]
) -> None:
    """Gives each header of a level a run of the columns that it may cover, so that the least is left odd.

    The cheapest way to serve the first headers with the first columns, for each number of both.
    """
    count = columns.count
    best: list[dict[int, tuple[float, list[tuple[int, int]]]]] = [{0: (0.0, [])}]
    for block in level:
        found: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        for start, (cost, spans) in best[-1].items():
            for first in range(start, block.first + 1):
                for last in range(max(first, block.last), count):
                    if not all(may[c] or block.first <= c <= block.last for c in range(first, last + 1)):
                        break
                    skipped = sum(may[max(start, 1) : first])
                    total = cost + _UNCOVERED * skipped + _header_is_off_by(block, columns, first, last)
                    total += _oddness_below_header(names, first, last, len(level))
                    if last + 1 not in found or total < found[last + 1][0]:
                        found[last + 1] = total, [*spans, (first, last)]
        if not found:
            return
        best.append(found)
    ends = [(cost + _UNCOVERED * sum(may[end:]), spans) for end, (cost, spans) in best[-1].items()]
    for block, (first, last) in zip(level, min(ends)[1], strict=True):
        block.first, block.last = first, last


def _oddness_below_header(names: list[str], first: int, last: int, groups: int) -> float:
    """What speaks against the columns below a header as a group, by what they are called."""
    own = [name for name in names[first : last + 1] if name]
    twice = len(own) - len(set(own))
    comparing = sum(1 for name in own if _P_VALUE.match(name))
    is_by_group = sum(1 for name in names if _P_VALUE.match(name)) >= max(groups, 2)  # each group has its own
    return _TWICE * twice + (_COMPARING * comparing if last > first and not is_by_group else 0.0)


def _header_is_off_by(block: RowBlock, columns: HeaderColumns, first: int, last: int) -> float:
    """How far a header is from the middle, the left or the right of some columns, in sizes of type."""
    left, right = columns.spans[first][0], columns.spans[last][1]
    low = columns.cuts[first - 1] if first else left
    high = columns.cuts[last] if last < len(columns.cuts) else right
    middle = (block.left + block.right) / 2
    off = min(
        abs(middle - (left + right) / 2),
        abs(middle - (low + high) / 2),
        abs(block.left - left) + 0.01 * (last - first),
        abs(block.right - right) + 0.01 * (last - first),
    )
    return off / block.lines[0].size
