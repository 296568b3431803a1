"""Holds the tables of a layout parser against the text of the file: a table with a number of its own making is refused.

A parser may read a page as a picture, and then a digit may be wrong. What the
file itself prints is the judge.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ingather.library import places
from ingather.library.layout.grid import ParsedCell, ParsedTable
from ingather.library.reading import Page
from ingather.library.table import Box, Table

_NUMBER: Final = re.compile(r"\d+(?:[.,\u00b7]\d+)*")
_SPACE: Final = re.compile(r"\s+")


def agrees(grid: ParsedTable, pages: Sequence[Page]) -> bool:
    """Whether every number of the table stands on its page, as often as the table has it."""
    if not 0 <= grid.page < len(pages):
        return False
    printed = Counter(_NUMBER.findall(pages[grid.page].text))
    # A table that goes on over pages has its last rows on the next one.
    if grid.page + 1 < len(pages):
        printed += Counter(_NUMBER.findall(pages[grid.page + 1].text))
    read = Counter(number for cell in grid.cells for number in _NUMBER.findall(cell.text))
    return bool(read) and not read - printed


def placed(grid: ParsedTable, page: Page) -> tuple[ParsedCell, ...]:
    """The cells with the boxes of their characters, where the parser gives none: found in reading order."""
    after = 0
    found = []
    for cell in grid.cells:
        box = cell.box
        if box is None and cell.text:
            pattern = r"\s*".join(re.escape(part) for part in _SPACE.split(cell.text))
            for match in re.compile(pattern).finditer(page.text, after):
                box = _box_of_text(page, match.start(), match.end())
                if box is not None and (grid.box is None or _is_inside_outline(box, grid.box)):
                    after = match.end()
                    break
                box = None
        found.append(
            ParsedCell(
                row=cell.row, column=cell.column, row_span=cell.row_span, column_span=cell.column_span, text=cell.text,
                is_column_header=cell.is_column_header, is_row_header=cell.is_row_header, box=box,
            )
        )  # fmt: skip
    return tuple(found)


def overlaps(table: Table, box: Box | None, page: int) -> bool:
    """Whether a table of ours stands where the parser found one."""
    if table.page != page:
        return False
    boxes = [cell.box for cell in table.cells if cell.box is not None and cell.page == page]
    if box is None or not boxes:
        return True
    inside = sum(_is_inside_outline(one, box) for one in boxes)
    return inside * 2 > len(boxes)


def _box_of_text(page: Page, start: int, end: int) -> Box | None:
    rects = places.lines(page.text, page.boxes, start, end, width=page.width, height=page.height)
    if not rects:
        return None
    return (
        min(rect.left for rect in rects),
        min(rect.top for rect in rects),
        max(rect.right for rect in rects),
        max(rect.bottom for rect in rects),
    )


def _is_inside_outline(box: Box, outer: Box) -> bool:
    """By the middle of the box: outlines of parsers are generous or tight by some points."""
    across, down = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= down <= outer[3]
