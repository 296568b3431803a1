"""Tables that go on over pages, put together."""

from ingather.library.parse.tables.build import Grid
from ingather.library.parse.tables.finish import table_from
from ingather.library.table import Table


def tables_from(grids: list[Grid]) -> tuple[Table, ...]:
    """The tables of a file from the grids of its pages."""
    tables = (table_from(grid) for grid in joined_grids(grids))
    return tuple(table for table in tables if table.cells)


def joined_grids(grids: list[Grid]) -> list[Grid]:
    """Grids with those of the next pages that go on with them added to them."""
    found: list[Grid] = []
    owners: dict[int, Grid] = {}
    for grid in grids:
        before = owners.get(id(grid.region.goes_on))
        if before is not None and before.columns == grid.columns:
            _add(before, grid)
            owners[id(grid.region)] = before
        elif grid.region.goes_on is None:
            found.append(grid)
            owners[id(grid.region)] = grid
    return found


def _add(whole: Grid, more: Grid) -> None:
    """Adds the rows of a later page below those that are there; its headers are the same, and are left out."""
    offset = whole.rows - more.header_rows
    for part in more.parts:
        if part.row >= more.header_rows:
            part.row += offset
            whole.parts.append(part)
    whole.region.below = more.region.below
