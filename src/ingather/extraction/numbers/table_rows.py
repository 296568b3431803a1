"""The rows of a table: those that a narrow column broke put together, and those without a label of their own. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ingather.library.port import Box, Cell, Table

# A cell that goes on: it ends with a sign or a word that wants a number, or a bracket is still open.
_OPEN: Final = re.compile(r"(?:[\u00b1/\u2013\u2212,;(\[-]|\+/-|\bto)\s*$")
# A cell that goes on from the one above: it begins with what stands behind a number.
_GOES_ON: Final = re.compile(r"^\s*(?:[\u00b1/)\]]|\+/-|to\b)")

# A percentage or an SD in brackets below its number: `247` over `(4.1 %)`.
_IN_BRACKETS: Final = re.compile(r"^\s*[(\[][^()\[\]]*[)\]]\s?\S{0,3}$")
_BARE_NUMBER: Final = re.compile(r"^\s*[-\u2212]?[\d.,]+\s*$")


def table_rows_of(table: Table) -> list[list[Cell]]:
    """The rows in their order. One that only ends the cells of the row above it is put to it."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    found: list[list[Cell]] = []
    for number in sorted(rows):
        row = sorted(rows[number], key=lambda cell: cell.column)
        if found and _is_wrapped_row_end(found[-1], row):
            found[-1] = _joined_table_rows(found[-1], row)
        else:
            found.append(row)
    return found


def _is_wrapped_row_end(above: Sequence[Cell], row: Sequence[Cell]) -> bool:
    """Whether each cell of a row stands below one, and one of these was left open."""
    if any(cell.is_header for cell in (*above, *row)):
        return False
    by_column = {cell.column: cell for cell in above}
    body = [cell for cell in row if cell.column > 0]
    if not body or not all(cell.column in by_column for cell in row):
        return False
    if all(_IN_BRACKETS.match(cell.text) and _BARE_NUMBER.match(by_column[cell.column].text) for cell in body):
        return not any(cell.column == 0 for cell in row)
    return any(_is_open_cell_of_row(by_column[cell.column].text) or _GOES_ON.match(cell.text) for cell in body)


def _is_open_cell_of_row(text: str) -> bool:
    return _OPEN.search(text) is not None or text.count("(") > text.count(")") or text.count("[") > text.count("]")


def _joined_table_rows(above: Sequence[Cell], row: Sequence[Cell]) -> list[Cell]:
    below = {cell.column: cell for cell in row}
    return [
        replace(cell, text=f"{cell.text} {other.text}", box=_box_around_row_cells(cell.box, other.box))
        if (other := below.get(cell.column)) is not None
        else cell
        for cell in above
    ]


def _box_around_row_cells(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def unlabelled_table_rows(table: Table, rows: Sequence[Sequence[Cell]]) -> frozenset[int]:
    """Rows without a label of their own in a table whose rows have one: whose numbers they hold is not known."""
    labelled = {
        number
        for cell in table.cells
        if cell.column == 0 and not cell.is_header and cell.text.strip()
        for number in range(cell.row, cell.row + cell.row_span)
    }
    body = [row[0].row for row in rows if any(cell.column > 0 and not cell.is_header for cell in row)]
    without = [number for number in body if number not in labelled]
    return frozenset(without) if len(without) < len(body) else frozenset()
