"""Tables that go on over pages, put together."""

from ingather.library.parse.tables.cell_grid import CellGrid
from ingather.library.parse.tables.finish import finished_table
from ingather.library.table import Table

# In points: the same cut on two pages differs by less.
_SAME_CUT = 4.0


def tables_carried_over_pages(grids: list[CellGrid]) -> tuple[Table, ...]:
    """The tables of a file from the grids of its pages."""
    tables = (finished_table(grid) for grid in carried_grids(grids))
    return tuple(table for table in tables if table.cells or table.is_picture)


def carried_grids(grids: list[CellGrid]) -> list[CellGrid]:
    """Grids with those of the next pages that go on with them added to them."""
    found: list[CellGrid] = []
    owners: dict[int, CellGrid] = {}
    for grid in grids:
        before = owners.get(id(grid.region.goes_on))
        _move_carried_part(grid)
        if before is not None and _may_be_carried(before, grid):
            _add_carried_rows(before, grid)
            owners[id(grid.region)] = before
        elif before is None or grid.region.caption is not None or grid.columns > 1:
            found.append(grid)
            owners[id(grid.region)] = grid
    return found


def _move_carried_part(grid: CellGrid) -> None:
    """Places the columns and labels of a part in another column of text as if it stood where the table begins."""
    shift = grid.region.shift
    if shift:
        grid.cuts = [cut - shift for cut in grid.cuts]
        for part in grid.parts:
            part.left -= shift


def _may_be_carried(whole: CellGrid, more: CellGrid) -> bool:
    """Whether the columns of one are among those of the other, or as many."""
    if whole.columns == more.columns or not whole.parts:
        return True
    fewer, others = sorted((whole.cuts, more.cuts), key=len)
    return all(any(abs(cut - other) <= _SAME_CUT for other in others) for cut in fewer)


def _add_carried_rows(whole: CellGrid, more: CellGrid) -> None:
    """Adds the rows of a later page below those that are there; its headers are the same, and are left out."""
    if not whole.parts:
        # Only the caption stood on the page before.
        whole.cuts, whole.header_rows, whole.is_ruled = more.cuts, more.header_rows, more.is_ruled
        whole.parts, whole.region.below = more.parts, more.region.below
        return
    if whole.columns < more.columns:
        _widen_carried_grid(whole, more.cuts)
    elif more.columns < whole.columns:
        _widen_carried_grid(more, whole.cuts)
    whole.region.caption = whole.region.caption or more.region.caption
    offset = whole.rows - more.header_rows
    for part in more.parts:
        if part.row >= more.header_rows:
            part.row += offset
            whole.parts.append(part)
    whole.region.below = more.region.below


def _widen_carried_grid(grid: CellGrid, cuts: list[float]) -> None:
    """Places the cells of a grid among more columns."""
    places = [min(range(len(cuts)), key=lambda n: abs(cuts[n] - cut)) + 1 for cut in grid.cuts]
    starts = [0, *places, len(cuts) + 1]
    for part in grid.parts:
        last = part.column + part.column_span
        part.column = starts[part.column]
        part.column_span = starts[last] - part.column
    grid.cuts = cuts
