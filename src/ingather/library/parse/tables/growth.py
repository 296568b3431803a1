"""How far a table goes on where no rule ends it: lines that are set like a table, until text of another kind begins."""

from ingather.library.parse.tables.captions import FIGURE, caption_label_of
from ingather.library.parse.tables.marks import Segment

# In sizes of type: a wider white space ends a table, and a still wider one between its caption and its first line.
_WIDEST = 3.0
_WIDEST_FIRST = 5.0

# Type of a table differs by less from line to line; the text around it is set larger.
_SAME_SIZE = 0.045

# So many of the first lines may be set in another size: a header.
_HEADER_LINES = 3

# As a share of the width: a line of text covers more, a line of cells leaves white space.
_FULL = 0.8

# So many lines of a table may follow each other with a single cell: a label that wraps, groups of rows.
_MOST_ALONE = 5


def is_prose_that_ends_growth(line: list[Segment], width: float) -> bool:
    """Whether a line is filled as a line of text is."""
    return sum(segment.right - segment.left for segment in line) > _FULL * width


def growth_downwards(lines: list[list[Segment]], start: float, width: float, size: float = 0.0) -> list[list[Segment]]:
    """The lines from the first on that are a table's, up to its last line with several cells.

    `start` is where what stands above ends; `size` is the type of the table if it is known.
    """
    taken: list[list[Segment]] = []
    keep = alone = 0
    known = [size] if size else []
    end = start
    for line in lines:
        first = line[0]
        widest = _WIDEST if taken or size else _WIDEST_FIRST
        if first.top - end > widest * first.size or caption_label_of(first.text) or FIGURE.match(first.text):
            break
        if not any(abs(first.size - other) <= _SAME_SIZE * other for other in known):
            if size or len(taken) >= _HEADER_LINES:
                break
            known.append(first.size)
        taken.append(line)
        end = max(segment.bottom for segment in line)
        if len(line) > 1 and not is_prose_that_ends_growth(line, width):
            keep, alone = len(taken), 0
        else:
            alone += 1
            if alone > _MOST_ALONE or (
                alone > 1 and is_prose_that_ends_growth(line, width) and is_prose_that_ends_growth(taken[-2], width)
            ):
                break
    return taken[:keep]


def growth_upwards(lines: list[list[Segment]], end: float, width: float) -> list[list[Segment]]:
    """The lines up from the last one that are a table's, from its first line with several cells."""
    upward: list[list[Segment]] = []
    keep = alone = 0
    sizes: list[float] = []
    top = end
    for line in reversed(lines):
        last = line[-1]
        if top - last.bottom > (_WIDEST if upward else _WIDEST_FIRST) * last.size or caption_label_of(line[0].text):
            break
        if FIGURE.match(line[0].text):
            break
        if sizes and not any(abs(last.size - other) <= _SAME_SIZE * other for other in sizes):
            break
        sizes.append(last.size)
        upward.append(line)
        top = min(segment.top for segment in line)
        if len(line) > 1 and not is_prose_that_ends_growth(line, width):
            keep, alone = len(upward), 0
        else:
            alone += 1
            if alone > _MOST_ALONE or (
                alone > 1 and is_prose_that_ends_growth(line, width) and is_prose_that_ends_growth(upward[-2], width)
            ):
                break
    return upward[:keep][::-1]
