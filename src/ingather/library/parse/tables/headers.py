"""Which header stands over which columns: lines of a header put together, and spans found for those above others."""

from dataclasses import dataclass

from ingather.library.parse.tables.gutters import columns_of
from ingather.library.parse.tables.marks import Rule, Segment
from ingather.library.parse.tables.rows import Block

# In sizes of type. A column that no upper header covers costs as much as a header this far from its middle.
_UNCOVERED = 1.2


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns are cut, and from where to where their text reaches."""

    cuts: list[float]
    spans: list[tuple[float, float]]

    @property
    def count(self) -> int:
        return len(self.spans)


def columns_from(cuts: list[float], segments: list[Segment], left: float, right: float) -> Columns:
    """The columns between the cuts, each as wide as the text in it that stands in no other column."""
    spans = []
    edges = [left, *cuts, right]
    inside: list[list[Segment]] = [[] for _ in range(len(edges) - 1)]
    for segment in segments:
        first, last = columns_of(segment, cuts)
        if first == last and first < len(inside):
            inside[first].append(segment)
    for number, own in enumerate(inside):
        low, high = edges[number], edges[number + 1]
        spans.append((min((s.left for s in own), default=low), max((s.right for s in own), default=high)))
    return Columns(cuts, spans)


def header_blocks(lines: list[list[Segment]], columns: Columns, pitch: float, across: list[Rule]) -> list[Block]:
    """The header's cells with their columns; `row` is the level, 0 for the topmost."""
    blocks = _stacked(lines, pitch, across)
    for block in blocks:
        block.first, block.last = _own_columns(block, columns)
    _levels(blocks)
    for level in sorted({block.row for block in blocks}):
        _spread([block for block in blocks if block.row == level], blocks, columns, across)
    _levels(blocks)
    return blocks


def _stacked(lines: list[list[Segment]], pitch: float, across: list[Rule]) -> list[Block]:
    """Segments below each other, one to one and no further apart than lines of a cell, as one block."""
    blocks: list[Block] = []
    for line in lines:
        for segment in line:
            mate = None
            for block in reversed(blocks):
                last = block.lines[-1]
                if last in line or not _meet(last, segment):
                    continue
                distance = segment.base - last.base
                is_near = 0.3 * segment.size < distance <= pitch * max(segment.size, last.size)
                rivals = sum(1 for other in line if _meet(last, other))
                owners = sum(
                    1 for other in blocks if _meet(other.lines[-1], segment) and _is_last(other, segment, pitch)
                )
                if is_near and rivals == 1 and owners == 1 and not _is_ruled_off(last, segment, across):
                    mate = block
                break
            if mate is None:
                blocks.append(Block(0, 0, [segment]))
            else:
                mate.lines.append(segment)
    return blocks


def _is_last(block: Block, segment: Segment, pitch: float) -> bool:
    return 0 < segment.base - block.lines[-1].base <= pitch * segment.size


def _meet(one: Segment, other: Segment) -> bool:
    return one.left < other.right and other.left < one.right


def _is_ruled_off(upper: Segment, lower: Segment, across: list[Rule]) -> bool:
    return any(
        upper.base - 0.3 * upper.size < rule.at < lower.base - 0.4 * lower.size
        and rule.start < upper.right
        and rule.end > upper.left
        for rule in across
    )


def _own_columns(block: Block, columns: Columns) -> tuple[int, int]:
    """The columns whose text a header overlaps, or the nearest one."""
    over = [
        number
        for number, (left, right) in enumerate(columns.spans)
        if left < block.right - 1 and right > block.left + 1
    ]
    if not over:
        middle = (block.left + block.right) / 2
        number = sum(1 for cut in columns.cuts if cut < middle)
        return number, number
    by_cut = [number for number in over if _share(block, columns, number) > 0.25]
    over = by_cut or over
    return over[0], over[-1]


def _share(block: Block, columns: Columns, number: int) -> float:
    """How much of a header, or of the column's text below it, the two have in common."""
    left, right = columns.spans[number]
    common = min(right, block.right) - max(left, block.left)
    return common / max(min(right - left, block.right - block.left), 1.0)


def _levels(blocks: list[Block]) -> None:
    """Numbers the levels: a block stands one below the lowest of those above it that share a column."""
    for block in sorted(blocks, key=lambda block: block.top):
        above = [
            other.row
            for other in blocks
            if other is not block
            and other.lines[-1].base < block.lines[0].base - 0.3 * block.lines[0].size
            and other.first <= block.last
            and other.last >= block.first
        ]
        block.row = max(above, default=-1) + 1


def _spread(level: list[Block], blocks: list[Block], columns: Columns, across: list[Rule]) -> None:
    """Widens the headers of one level over the columns whose own headers stand below."""
    level.sort(key=lambda block: block.left)
    for number, block in enumerate(level):
        low = level[number - 1].last + 1 if number else 0
        high = level[number + 1].first - 1 if number + 1 < len(level) else columns.count - 1
        has_lower = [
            any(other.row > block.row and other.first <= c <= other.last for other in blocks)
            for c in range(columns.count)
        ]
        if not any(has_lower[c] for c in range(block.first, block.last + 1)):
            continue
        ruled = _below_rule(block, columns, across)
        if ruled is not None:
            block.first, block.last = ruled
            continue
        block.first, block.last = _best_span(block, columns, has_lower, max(low, 0), high)


def _below_rule(block: Block, columns: Columns, across: list[Rule]) -> tuple[int, int] | None:
    """The columns above which a rule is drawn right below a header, where it is shorter than the table."""
    last = block.lines[-1]
    for rule in across:
        near = -0.2 * last.size < rule.at - last.base + 0.2 * last.size < 1.2 * last.size
        if near and rule.start <= block.left + 3 and rule.end >= block.right - 3:
            over = [
                number
                for number, (left, right) in enumerate(columns.spans)
                if rule.start - 2 < (left + right) / 2 < rule.end + 2
            ]
            if over and len(over) < columns.count:
                return over[0], over[-1]
    return None


def _best_span(block: Block, columns: Columns, has_lower: list[bool], low: int, high: int) -> tuple[int, int]:
    size = block.lines[0].size
    best, least = (block.first, block.last), 1e9
    for first in range(low, block.first + 1):
        for last in range(block.last, high + 1):
            if not all(has_lower[first : last + 1]):
                continue
            left, right = columns.spans[first][0], columns.spans[last][1]
            off = min(
                abs((block.left + block.right) / 2 - (left + right) / 2),
                abs(block.left - left) + 0.01 * (last - first),
                abs(block.right - right),
            )
            uncovered = sum(has_lower[low:first]) + sum(has_lower[last + 1 : high + 1])
            cost = off / size + _UNCOVERED * uncovered
            if cost < least - 1e-9:
                best, least = (first, last), cost
    return best
