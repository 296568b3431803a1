"""Which lines of a table without drawn cells are its header."""

from itertools import pairwise
from statistics import median

from ingather.library.parse.tables import rows
from ingather.library.parse.tables.header_end import header_end_row, look_for_header_end
from ingather.library.parse.tables.marks import Rule, Segment
from ingather.library.parse.tables.region import Region
from ingather.library.parse.tables.unfinished import is_unfinished

# The last name of a wrapped header stands no more lines above the rule below it.
_NAMED_WITHIN = 2

# In sizes of type: lines of one cell are set at no larger distance.
_MOST_TIGHT = 1.45

# Where more than this share of the lines stand near each other, nothing tells rows from lines.
_ALL_TIGHT = 0.8

# In points: pieces of one rule stand at one height. Of the width: together they cover more.
_LEVEL = 1.5
_THROUGH = 0.6

# In points: rules in pieces end before the table does where its cells are set apart.
_SHORT_OF = 12.0


def middle_of_header_line(line: list[Segment]) -> float:
    return line[0].base - 0.35 * line[0].size


def end_of_header_lines(region: Region, lines: list[list[Segment]]) -> float:
    """The height at which the header ends."""
    left, _, right, _ = region.box
    first_right = min((line[0].right for line in lines if len(line) > 1), default=right)
    wide = _wide_levels_of_header_lines(region, first_right)
    beside = _levels_beside_header_lines(
        region, first_right, min((line[1].left for line in lines if len(line) > 1), default=left)
    )
    tight = _tight_header_lines(region, lines)
    unfinished = {number for number, (high, low) in enumerate(pairwise(lines)) if _header_line_waits(high, low)}
    looks = []
    for number, line in enumerate(lines):
        low, high = (
            middle_of_header_line(line),
            middle_of_header_line(lines[number + 1]) if number + 1 < len(lines) else 1e9,
        )
        cells = [(segment.left < first_right, segment.text, segment.tokens) for segment in line]
        look = look_for_header_end(
            cells,
            region.shades,
            is_ruled_below=any(low < at < high for at in wide),
            is_alone=len(line) == 1 and line[0].left < left + 0.25 * (right - left),
        )
        look.is_ruled_beside = any(low < at < high for at in beside)
        look.is_grouping = not look.is_ruled_below and _header_line_is_grouped_below(region, lines, number)
        look.is_tight_below = number in tight or number in unfinished
        looks.append(look)
    count = header_end_row(looks)
    if count == 0:
        return region.box[1]
    return (middle_of_header_line(lines[count - 1]) + middle_of_header_line(lines[count])) / 2


def _header_line_is_grouped_below(region: Region, lines: list[list[Segment]], number: int) -> bool:
    """Whether a piece of a rule below a line groups several cells of the next line, below one header of their own.

    Some houses draw the rule that ends the header only below its lowest cells: these have a name each.
    """
    if number + 1 >= len(lines):
        return False
    low, high, following = (
        middle_of_header_line(lines[number]),
        middle_of_header_line(lines[number + 1]),
        lines[number + 1],
    )
    above = [segment for line in lines[max(number - _NAMED_WITHIN, 0) : number + 1] for segment in line]
    for rule in region.across:
        if not low < rule.at < high:
            continue
        over = [s for s in following if rule.start - _LEVEL < s.middle < rule.end + _LEVEL]
        # The labels' column has no group over it; a rule over all others may end the header.
        beyond = [s for s in (*lines[number], *following[1:]) if s.left > rule.end or s.right < rule.start]
        has_others = any(s is not lines[number][0] or s.left > rule.end for s in beyond)
        if len(over) > 1 and has_others and sum(1 for s in over if _has_own_header_line(s, over, above)) < 2:
            return True
    return False


def _has_own_header_line(cell: Segment, beside: list[Segment], above: list[Segment]) -> bool:
    """Whether a header stands over one of some cells and over no other of them."""
    return any(
        head.left < cell.right
        and cell.left < head.right
        and not any(head.left < s.right and s.left < head.right for s in beside if s is not cell)
        for head in above
    )


def end_of_repeated_header_lines(region: Region, lines: list[list[Segment]], before: set[tuple[int, str]]) -> float:
    """Where the headers of the page before end that stand here once more."""
    known = " ".join(text for _, text in before).split()
    end = region.box[1] - 1
    for line in lines:
        texts = [text for segment in line for text in segment.text.split()]
        if not all(text in known for text in texts):
            break
        end = line[0].base + 0.3 * line[0].size
    return end


def _tight_header_lines(region: Region, lines: list[list[Segment]]) -> set[int]:
    """The lines below which the next one stands as near as lines of a cell do; none where all stand so."""
    pitches = [(low[0].base - high[0].base) / low[0].size for high, low in pairwise(lines)]
    if not pitches:
        return set()
    least = pitch_beside_header_lines(region) or sorted(pitches)[len(pitches) // 10]
    if least > _MOST_TIGHT:
        return set()
    tight = {
        n
        for n, pitch in enumerate(pitches)
        if pitch <= rows.loosest_pitch_of_rows(least, rows.usual_type_size_of_rows(lines))
    }
    return tight if len(tight) < _ALL_TIGHT * len(pitches) else set()


def _header_line_waits(high: list[Segment], low: list[Segment]) -> bool:
    """Whether a cell of a line is unfinished without what stands right below it."""
    return any(
        upper.left < lower.right and lower.left < upper.right and is_unfinished(upper.text, lower.text)
        for upper in high
        for lower in low
    )


def _wide_levels_of_header_lines(region: Region, first_right: float) -> list[float]:
    """The heights at which rules run through the table, perhaps in pieces, the labels' column included."""
    left, _, right, _ = region.box
    return [
        level[0].at
        for level in _levels_of_header_lines(region)
        if min(rule.start for rule in level) <= first_right
        and max(rule.end for rule in level) >= right - _SHORT_OF
        and sum(rule.length for rule in level) > _THROUGH * (right - left)
    ]


def _levels_of_header_lines(region: Region) -> list[list[Rule]]:
    """The rules of a table, those at one height together, from the top."""
    levels: list[list[Rule]] = []
    for rule in sorted(region.across, key=lambda rule: rule.at):
        if levels and rule.at - levels[-1][0].at <= _LEVEL:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    return levels


def _levels_beside_header_lines(region: Region, first_right: float, second_left: float) -> list[float]:
    """The heights at which rules run through all columns but the first, perhaps in pieces."""
    right = region.box[2]
    return [
        level[0].at
        for level in _levels_of_header_lines(region)
        if first_right - _LEVEL <= min(rule.start for rule in level) <= second_left + _LEVEL
        and max(rule.end for rule in level) >= right - _SHORT_OF
        and sum(rule.length for rule in level) > _THROUGH * (right - second_left)
    ]


def pitch_beside_header_lines(region: Region) -> float | None:
    """From line to line of the caption or the footnotes, in sizes of type: lines of a cell are mostly set alike."""
    lines = region.caption.lines if region.caption and len(region.caption.lines) > 1 else region.below
    pitches = [(low[0].base - high[0].base) / low[0].size for high, low in pairwise(lines)]
    return median(pitches) if pitches else None
