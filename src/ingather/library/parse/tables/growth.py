"""How far a table goes on where no rule ends it: lines that are set like a table, until text of another kind begins."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ingather.library.parse.tables.captions import FIGURE, caption_label_of
from ingather.library.parse.tables.marks import Segment
from ingather.library.parse.tables.notes import begins_note

Line = list[Segment]

# In sizes of type: a wider white space ends a table, and a still wider one between its caption and its first line.
_WIDEST = 3.0
_WIDEST_FIRST = 5.0

# Groups of rows stand no further apart than rows by this factor, where so many rows tell how far these do.
_WIDER_GROUPS = 3.0
_KNOWN_GAPS = 4

# Type of a table differs by less from line to line; the text around it is set larger.
_SAME_SIZE = 0.045

# So many of the first lines may be set in another size: a header. It may be higher where rows follow it: so many lines,
# in a size that differs by no larger share, and several of the next lines have cells.
_HEADER_LINES = 3
_MOST_HEADER_LINES = 8
_OTHER_SIZE = 0.15
_FIRST_ROWS = 6

# As a share of the width: a line of text covers more, a line of cells leaves white space. One whose blanks are widened
# evenly, to no more sizes of type than this, may cover less.
_FULL = 0.8
_LEAST_FULL = 0.5
_WIDEST_BLANK = 1.5

# A line of text has no more pieces: one for each column of the page, and one more where blanks are wide.
_MOST_PIECES = 3

# So many lines of a table may follow each other with a single cell: a label that wraps, groups of rows.
_MOST_ALONE = 5

# So many labels may stand alone at the end of a page, before the cells that follow on the next one.
_MOST_LAST_LABELS = 3

# The foot of a page has no more lines.
_FOOT_LINES = 2

_BEGINS_FIGURE = frozenset("0123456789(<>=+-\u2212\u2013\u00b1")


def is_prose_that_ends_growth(line: Line, width: float) -> bool:
    """Whether a line is filled as a line of text is, and is not a row of figures that fill it."""
    filled = sum(segment.right - segment.left for segment in line)
    figures = sum(1 for segment in line[1:] if segment.text[0] in _BEGINS_FIGURE)
    is_of_figures = len(line) > _MOST_PIECES and 2 * figures >= len(line) - 1
    if is_of_figures or filled <= _LEAST_FULL * width:
        return False
    return filled > _FULL * width or _is_justified(line)


def _is_justified(line: Line) -> bool:
    """Whether a line was filled up with blanks that are all as wide, as lines of text are."""
    gaps = [right.left - left.right for left, right in pairwise(line)]
    return len(gaps) >= _MOST_PIECES and max(gaps) < _WIDEST_BLANK * line[0].size and max(gaps) < 2 * min(gaps)


def growth_downwards(lines: Sequence[Line], start: float, width: float, sizes: Sequence[float] = ()) -> list[Line]:
    """The lines from the first on that are a table's, up to its last line with several cells.

    `start` is where what stands above ends; `sizes` are those of the table's type if they are known.
    """
    taken, keep = _grown_lines(lines, start, width, sizes, is_upward=False)
    if len(lines) - len(taken) <= _FOOT_LINES:
        keep += _growth_by_last_labels(taken[:keep], taken[keep:])
    return taken[:keep]


def growth_upwards(lines: Sequence[Line], end: float, width: float) -> list[Line]:
    """The lines up from the last one that are a table's, from its first line with several cells."""
    taken, keep = _grown_lines(lines[::-1], end, width, (), is_upward=True)
    return taken[:keep][::-1]


def _grown_lines(
    lines: Sequence[Line], edge: float, width: float, sizes: Sequence[float], *, is_upward: bool
) -> tuple[list[Line], int]:
    """The lines, away from `edge`, that may be a table's, and how many of them end with one of several cells."""
    taken: list[Line] = []
    keep = alone = 0
    known = list(sizes)
    gaps: list[float] = []
    for number, line in enumerate(lines):
        own = line[-1] if is_upward else line[0]
        gap = edge - own.bottom if is_upward else own.top - edge
        widest = (_WIDEST if taken or sizes else _WIDEST_FIRST) * own.size
        # Rows that are set wide apart have wider white space between their groups.
        if len(gaps) >= _KNOWN_GAPS:
            widest = max(widest, _WIDER_GROUPS * median(gaps))
        if gap > widest or caption_label_of(line[0].text) or FIGURE.match(line[0].text):
            break
        is_cells = len(line) > 1 and not is_prose_that_ends_growth(line, width)
        if not any(abs(own.size - other) <= _SAME_SIZE * other for other in known):
            # A header may be set in another size: it comes first from above, and last from below.
            if is_upward:
                is_header = is_cells and len(known) == 1
            else:
                is_header = not sizes and (
                    len(taken) < _HEADER_LINES or _begin_rows(lines[number:], known, taken, width)
                )
            if known and not is_header:
                break
            known.append(own.size)
        gaps += [gap] if taken else []
        taken.append(line)
        edge = min(s.top for s in line) if is_upward else max(s.bottom for s in line)
        if is_cells:
            keep, alone = len(taken), 0
        else:
            alone += 1
            if alone > _MOST_ALONE or (
                alone > 1 and is_prose_that_ends_growth(line, width) and is_prose_that_ends_growth(taken[-2], width)
            ):
                break
    return taken, keep


def _begin_rows(lines: Sequence[Line], known: list[float], taken: list[Line], width: float) -> bool:
    """Whether lines in another size are rows below a high header: as large within limits, and several are of cells."""
    size = lines[0][0].size
    if len(known) > 1 or len(taken) > _MOST_HEADER_LINES or abs(size - known[0]) > _OTHER_SIZE * known[0]:
        return False
    first = [line for line in lines[:_FIRST_ROWS] if abs(line[0].size - size) <= _SAME_SIZE * size]
    return sum(1 for line in first if len(line) > 1 and not is_prose_that_ends_growth(line, width)) > 1


def _growth_by_last_labels(rows: list[Line], rest: list[Line]) -> int:
    """How many lines at the end of a page are labels, whose cells follow on the next one."""
    several = [line for line in rows if len(line) > 1]
    if not several or len(rest) > _MOST_LAST_LABELS:
        return 0
    left, second = min(line[0].left for line in several), median(line[1].left for line in several)
    is_labels = all(
        len(line) == 1 and line[0].left >= left - 1 and line[0].right < second and not begins_note(line[0].text)
        for line in rest
    )
    return len(rest) if is_labels else 0
