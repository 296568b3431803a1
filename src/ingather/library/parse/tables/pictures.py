"""What is drawn: a picture of a table below its caption, and drawings of figures, which are no tables."""

from ingather.library.parse.tables.captions import FIGURE, Caption
from ingather.library.parse.tables.marks import Sheet
from ingather.library.parse.tables.region import TablePage, lines_within_region
from ingather.library.table import Box

# In points: a picture of a table is wider and higher than this, and stands no further from its caption than that.
_LEAST_WIDTH = 60.0
_LEAST_HEIGHT = 25.0
NEAR_PICTURE = 30.0

# In points: the label of a figure may stand so far to the left of what is drawn above it.
_BESIDE_CAPTION = 100.0


def is_picture_of_figure(page: TablePage, box: Box) -> bool:
    """Whether the caption of a figure stands right below: then what has rules above it is part of a drawing."""
    left, _, right, bottom = box
    below = lines_within_region(page, left - _BESIDE_CAPTION, right + 3, bottom, bottom + NEAR_PICTURE)
    return any(FIGURE.match(segment.text) for line in below for segment in line)


def picture_of_table(sheet: Sheet, caption: Caption) -> Box | None:
    """The picture right below a caption, or right above it, that is large enough to be a table."""
    for box in sheet.pictures:
        left, top, right, bottom = box
        is_beside = left < caption.right and right > caption.left
        gap = top - caption.bottom if top > caption.top else caption.top - bottom
        is_large = right - left > _LEAST_WIDTH and bottom - top > _LEAST_HEIGHT
        if is_beside and is_large and -3 <= gap < NEAR_PICTURE:
            return box
    return None
