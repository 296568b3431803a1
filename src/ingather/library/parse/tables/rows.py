"""Which lines of a table are one row: cells that wrap, labels beside them, cells that reach over several rows."""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from ingather.library.parse.tables.gutters import columns_between_gutters
from ingather.library.parse.tables.marks import Segment
from ingather.library.parse.tables.unfinished import is_unfinished

# Lines of one cell stand at one distance; those of the next row stand further off, by at least this factor.
_LOOSER = 1.07

# A raised mark sets a line of a cell further off by a smaller factor.
_CLEARLY_LOOSER = 1.25

# In sizes of type: in browsers a raised mark pushes its line so much further down.
_RAISES = 0.25

# In points: browsers place lines on whole pixels, so that lines of a cell do not all stand at one distance.
_ROUNDED = 0.9

# Rows that stand further off than this many lines have others between them that say less.
_MOST_LOOSER = 1.7

# The padding of cells sets rows further apart than the lines of a cell, by at least this factor.
_NEARER = 0.95

# In sizes of type: the widest distance from line to line that a cell may have.
_WIDEST = 1.9


# In sizes of type: lower edges that differ by less are on one line.
LEVEL_OF_ROW = 0.3


# Where this share of the figures of a line end cells of the row above, the line is part of that row.
_MOST_WAITING = 0.5

_BRACKETS = "([\uff08"

# The beginning of a cell that may be a figure.
FIGURE_IN_ROW = re.compile(r"[<>=~\u2264\u2265\u2248\u00b1+\-\u2212\u2013(]*\s*\.?\d")


@dataclass(slots=True)
class RowBlock:
    """Lines of one cell, in the columns `first` to `last`, and the row it was given; `span` rows high."""

    first: int
    last: int
    lines: list[Segment]
    row: int = 0
    span: int = 1

    @property
    def top(self) -> float:
        return self.lines[0].base - self.lines[0].size

    @property
    def bottom(self) -> float:
        return self.lines[-1].base

    @property
    def left(self) -> float:
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        return max(line.right for line in self.lines)


@dataclass(slots=True)
class _Row:
    top: float
    bottom: float
    blocks: list[RowBlock] = field(default_factory=list)

    def holds_column(self, block: RowBlock) -> bool:
        return any(other.first <= block.last and other.last >= block.first for other in self.blocks)


def tight_pitch_of_rows(lines: list[list[Segment]], cuts: list[float], beside: float | None = None) -> float | None:
    """The largest distance from line to line within a cell, or None where rows stand no further apart than lines.

    `beside` is the distance in the text that belongs to the table, if it is known.
    """
    pairs = _pairs_of_row_cells(lines, cuts)
    if not pairs:
        return _WIDEST
    pitches = sorted(pitch for pitch, _, _ in pairs)
    rows = sorted(pitch for pitch, is_figures, _ in pairs if is_figures)
    labelled = sorted(pitch for pitch, is_figures, is_labelled in pairs if is_figures and is_labelled)
    # A second line of figures in one cell has no label beside it, and stands a little nearer than a row.
    if len(labelled) > 1 and labelled[len(labelled) // 10] < _MOST_LOOSER * rows[len(rows) // 10]:
        rows = labelled
    least = pitches[min(len(pitches) // 20, len(pitches) - 1)]
    loose = loosest_pitch_of_rows(least, usual_type_size_of_rows(lines))
    if beside is not None and least > loosest_pitch_of_rows(beside, usual_type_size_of_rows(lines)):
        return (least + beside) / 2
    if len(rows) >= 2:
        of_rows = rows[min(len(rows) // 10, len(rows) - 1)]
        # Rows without figures may follow nearer than those whose labels wrap.
        of_rows = min([of_rows, *(pitch for pitch in pitches if pitch > max(loose, _CLEARLY_LOOSER * least))])
        return (least + of_rows) / 2 if of_rows > loose else (None if least < _WIDEST else 0.0)
    looser = [pitch for pitch in pitches if pitch > loose]
    if least > _WIDEST:
        return 0.0
    return (least + looser[0]) / 2 if looser else _WIDEST


def _pairs_of_row_cells(lines: list[list[Segment]], cuts: list[float]) -> list[tuple[float, bool, bool]]:
    """How far cells of one column stand below each other, whether both are figures, and whether a label is beside."""
    by_column: dict[int, list[tuple[Segment, bool]]] = {}
    label = ""
    for line in lines:
        is_labelled = columns_between_gutters(line[0], cuts)[0] == 0
        if not is_labelled:
            # A label over several rows stands beside the first; further names stand beside each.
            is_labelled = len(line) > 1 and not is_figure_in_row(line[0])
        else:
            # The second line of a label has no row of its own beside it.
            label, is_labelled = line[0].text, not is_unfinished(label, line[0].text)
        for segment in line:
            first, last = columns_between_gutters(segment, cuts)
            if first == last:
                by_column.setdefault(first, []).append((segment, is_labelled))
    return [
        ((lower.base - upper.base) / lower.size, _are_figures_of_two_rows(upper, lower), is_labelled)
        for segments in by_column.values()
        for (upper, _), (lower, is_labelled) in pairwise(segments)
        if 0.5 * lower.size < lower.base - upper.base < 6 * lower.size
    ]


def _labelled_pitch_of_rows(lines: list[list[Segment]], cuts: list[float]) -> float:
    """How far rows of figures with labels stand from each other where they stand nearest, in sizes of type."""
    found = sorted(
        pitch for pitch, is_figures, is_labelled in _pairs_of_row_cells(lines, cuts) if is_figures and is_labelled
    )
    return found[len(found) // 10] if len(found) > 1 else _WIDEST


def row_pitch(lines: list[list[Segment]], cuts: list[float]) -> float:
    """A distance that lines of a cell stay below where rows of single lines follow each other, in sizes of type."""
    last: dict[int, Segment] = {}
    pitches = []
    for line in lines:
        for segment in line:
            first = columns_between_gutters(segment, cuts)[0]
            if first in last:
                pitches.append((segment.base - last[first].base) / segment.size)
            last[first] = segment
    return min(_NEARER * sorted(pitches)[len(pitches) // 10], _WIDEST) if pitches else 0.0


def _are_figures_of_two_rows(upper: Segment, lower: Segment) -> bool:
    """Whether segments below each other are figures of two rows, and not one that wraps: `24` and below it `(48.0)`."""
    if not is_figure_in_row(upper) or not is_figure_in_row(lower):
        return False
    is_rest = lower.text[:1] in _BRACKETS and upper.text[:1] not in _BRACKETS and not set(upper.text) & set(_BRACKETS)
    return not is_rest and not is_unfinished(upper.text, lower.text)


def is_figure_in_row(segment: Segment) -> bool:
    text = segment.text
    return FIGURE_IN_ROW.match(text) is not None and 2 * sum(map(str.isalpha, text)) <= len(text)


def row_blocks_of(lines: list[list[Segment]], cuts: list[float], pitch: float) -> list[RowBlock]:
    """Lines put together to cells where they stand no further apart than `pitch` (in sizes of type)."""
    open_blocks: list[RowBlock] = []
    found: list[RowBlock] = []
    # Printers raise a mark and leave its line where it is, so that a line as far off as a row is a row.
    raised = max(pitch, min(pitch + _RAISES, _NEARER * _labelled_pitch_of_rows(lines, cuts)))
    for line in lines:
        for segment in line:
            first, last = columns_between_gutters(segment, cuts)
            most = raised if segment.is_marked else pitch
            mate = None
            for block in reversed(open_blocks):
                if block.first <= last and block.last >= first:
                    mate = block if _is_mate_in_row(block, segment, (first, last), most) else None
                    break
            if mate is None:
                mate = RowBlock(first, last, [segment])
                open_blocks.append(mate)
                found.append(mate)
            elif abs(segment.base - mate.lines[-1].base) <= LEVEL_OF_ROW * segment.size:
                mate.lines[-1] = beside_in_row(mate.lines[-1], segment)
            else:
                mate.lines.append(segment)
    return found


def _is_mate_in_row(block: RowBlock, segment: Segment, columns: tuple[int, int], pitch: float) -> bool:
    """Whether a segment goes on with the cell above it, or stands beside its last line."""
    distance = segment.base - block.lines[-1].base
    is_beside = abs(distance) <= LEVEL_OF_ROW * segment.size
    size = max(segment.size, block.lines[-1].size)
    is_near = not is_beside and 0 < distance <= pitch * size
    if (block.first, block.last) == columns:
        return is_beside or is_near
    # A long label that reaches over other columns may go on in a short line.
    return is_near and block.first == 0 < block.last and columns[1] <= block.last


def beside_in_row(one: Segment, other: Segment) -> Segment:
    """Two segments of one line as one."""
    return Segment(
        tokens=[*one.tokens, *other.tokens],
        left=min(one.left, other.left),
        right=max(one.right, other.right),
        top=min(one.top, other.top),
        bottom=max(one.bottom, other.bottom),
        base=one.base,
        size=max(one.size, other.size),
    )


def rows_of_blocks(blocks: list[RowBlock]) -> list[list[RowBlock]]:
    """Blocks row by row; a block beside several rows is in the first of them, and says how many."""
    rows: list[_Row] = []
    for block in sorted(blocks, key=lambda block: (block.bottom - block.top, block.top)):
        beside = [
            row for row in rows if _row_overlap(row, block) > 0.35 * min(block.bottom - block.top, row.bottom - row.top)
        ]
        free = [row for row in beside if not row.holds_column(block)]
        if not free:
            rows.append(_Row(block.top, block.bottom, [block]))
        elif len(free) == 1 or not _rows_conflict(free):
            _merge_rows(rows, free, block)
        else:
            free.sort(key=lambda row: row.top)
            free[0].blocks.append(block)
            block.span = len(free)
    rows.sort(key=lambda row: (row.top + row.bottom) / 2)
    for number, row in enumerate(rows):
        for block in row.blocks:
            block.row = number
    return [row.blocks for row in rows]


def _row_overlap(row: _Row, block: RowBlock) -> float:
    return min(row.bottom, block.bottom) - max(row.top, block.top)


def _rows_conflict(rows: list[_Row]) -> bool:
    """Whether two rows have a cell in the same column, so that they cannot be one."""
    return any(rows[i].holds_column(block) for i in range(len(rows)) for j in range(i) for block in rows[j].blocks)


def _merge_rows(rows: list[_Row], free: list[_Row], block: RowBlock) -> None:
    first = free[0]
    for other in free[1:]:
        first.blocks += other.blocks
        first.top, first.bottom = min(first.top, other.top), max(first.bottom, other.bottom)
        rows.remove(other)
    first.blocks.append(block)
    first.top, first.bottom = min(first.top, block.top), max(first.bottom, block.bottom)


def rows_by_text(lines: list[list[Segment]], cuts: list[float]) -> list[list[RowBlock]]:
    """Rows where lines of a cell stand no nearer than rows: a line without a label, or a label alone, may go on."""
    widths = _column_widths_of_rows(lines, cuts)
    rows: list[list[RowBlock]] = []
    for line in lines:
        blocks = _row_blocks_of_line(line, cuts)
        if rows and _line_continues_row(rows[-1], blocks, widths):
            for block in blocks:
                mate = next((b for b in rows[-1] if (b.first, b.last) == (block.first, block.last)), None)
                if mate is None:
                    rows[-1].append(block)
                else:
                    mate.lines += block.lines
        else:
            rows.append(blocks)
    for number, row in enumerate(rows):
        for block in row:
            block.row = number
    return rows


def _row_blocks_of_line(line: list[Segment], cuts: list[float]) -> list[RowBlock]:
    """The cells of a line: what stands in the same columns is one cell, however wide its blanks are."""
    blocks: list[RowBlock] = []
    for segment in line:
        first, last = columns_between_gutters(segment, cuts)
        if blocks and (blocks[-1].first, blocks[-1].last) == (first, last):
            blocks[-1].lines[-1] = beside_in_row(blocks[-1].lines[-1], segment)
        else:
            blocks.append(RowBlock(first, last, [segment]))
    return blocks


def _column_widths_of_rows(lines: list[list[Segment]], cuts: list[float]) -> dict[int, float]:
    rights: dict[int, float] = {}
    for line in lines:
        for segment in line:
            first, last = columns_between_gutters(segment, cuts)
            if first == last:
                rights[first] = max(rights.get(first, 0.0), segment.right)
    return rights


def _line_continues_row(row: list[RowBlock], blocks: list[RowBlock], rights: dict[int, float]) -> bool:
    """Whether a line goes on with the row above: each of its cells begins where the one above could hold no more."""
    if _row_is_unfinished(row, blocks):
        return True
    for block in blocks:
        above = next((b for b in row if (b.first, b.last) == (block.first, block.last)), None)
        if above is None:
            return False
        last, new = above.lines[-1], block.lines[0]
        room = rights.get(block.last, 1e9) - last.right
        first = new.tokens[0]
        is_full = first.box[2] - first.box[0] + 0.2 * new.size > room
        starts_low = new.text[:1].islower() or new.text[:1] in "(\u00b1[" or last.text[-1:] in ",;-\u2013/("
        if not (starts_low if block.first else is_full and new.left >= last.left - 1):
            return False
    return len(blocks) < len(row) or all(block.first == 0 for block in blocks)


def _row_is_unfinished(row: list[RowBlock], blocks: list[RowBlock]) -> bool:
    """Whether cells of a row wait for what stands in a line below: so much of them that it is no slip of the pen."""
    above = {(block.first, block.last): " ".join(line.text for line in block.lines) for block in row}
    waiting = sum(1 for block in blocks if is_unfinished(above.get((block.first, block.last), ""), block.lines[0].text))
    figures = sum(1 for block in blocks if block.first and is_figure_in_row(block.lines[0]))
    return waiting > 0 and waiting >= _MOST_WAITING * figures


def loosest_pitch_of_rows(pitch: float, size: float) -> float:
    """How far lines may stand from each other, in sizes of type, that are set at a pitch."""
    return max(pitch * _LOOSER, pitch + _ROUNDED / size)


def usual_type_size_of_rows(lines: list[list[Segment]]) -> float:
    sizes = [segment.size for line in lines for segment in line]
    return median(sizes) if sizes else 10.0
