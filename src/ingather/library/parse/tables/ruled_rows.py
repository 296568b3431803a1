"""Rows that rules or shading part: what stands between two of them is one row, however its cells wrap."""

from ingather.library.parse.tables.gutters import columns_between_gutters
from ingather.library.parse.tables.marks import Segment
from ingather.library.parse.tables.rows import (
    FIGURE_IN_ROW,
    LEVEL_OF_ROW,
    RowBlock,
    beside_in_row,
    is_figure_in_row,
)
from ingather.library.parse.tables.unfinished import is_unfinished

# A table has so many bands between rules before they can tell what a row is, and no larger share holds several rows.
_LEAST_BANDS = 4
_MOST_SEVERAL = 0.1

# A figure that begins so goes on with the one above it.
_REST = "([\u00b1)"

Band = list[list[Segment]]


def are_ruled_rows(bands: list[Band], cuts: list[float]) -> bool:
    """Whether each band between two rules, or two edges of shading, is a row: hardly any of them is two.

    A table of few bands tells nothing, nor one in which each line is a band.
    """
    if len(bands) < _LEAST_BANDS or all(len(band) == 1 for band in bands):
        return False
    return sum(1 for band in bands if _are_several_ruled_rows(band, cuts)) <= _MOST_SEVERAL * len(bands)


def _are_several_ruled_rows(band: Band, cuts: list[float]) -> bool:
    """Whether some column has two figures below each other, or the same words twice: then these are two rows."""
    last: dict[int, str] = {}
    for segment in (segment for line in band for segment in line):
        column = columns_between_gutters(segment, cuts)[0]
        above, text = last.get(column), segment.text
        last[column] = text
        if above is None:
            continue
        is_figure = is_figure_in_row(segment) and text[0] not in _REST and not is_unfinished(above, text)
        if text == above or (is_figure and FIGURE_IN_ROW.match(above)):
            return True
    return False


def ruled_row_of(band: Band, cuts: list[float]) -> list[RowBlock]:
    """All lines of a band as one row, those of one cell together."""
    blocks: list[RowBlock] = []
    for segment in (segment for line in band for segment in line):
        first, last = columns_between_gutters(segment, cuts)
        mate = next((b for b in blocks if b.first <= last and b.last >= first), None)
        if mate is None:
            blocks.append(RowBlock(first, last, [segment]))
        elif abs(segment.base - mate.lines[-1].base) <= LEVEL_OF_ROW * segment.size:
            mate.lines[-1] = beside_in_row(mate.lines[-1], segment)
        else:
            mate.lines.append(segment)
    return blocks
