"""A table of a document: cells with their text, their place on the page, and the labels and headers that speak of them.

What one version of the parser found; plain data without a way back to the file.
"""

from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in points from the top left corner of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell. `row` and `column` count from 0 and include header rows and the column of row labels.

    `row_path` are the labels that speak of the cell's row, from the group to
    the innermost; `column_path` the headers above it, from the top. A header
    or a row label has the path that leads to itself, itself not included.
    `box` encloses the characters of the cell, and is none where there is no
    page (Markdown) or no character.
    """

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1
    text: str
    row_path: tuple[str, ...] = ()
    column_path: tuple[str, ...] = ()
    is_header: bool = False
    page: int
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table, whole, even where it goes on over pages. `label` is its number as printed, such as `Table 2`.

    `page` counts from 0 and is where the table begins. A picture of a table
    has no cells.
    """

    page: int
    label: str
    caption: str
    footnotes: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    is_picture: bool = False
