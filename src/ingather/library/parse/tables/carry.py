"""Tables that go on over pages, put together."""

from ingather.library.parse.tables.build import Grid, table_from
from ingather.library.table import Table


def tables_from(grids: list[Grid]) -> tuple[Table, ...]:
    """The tables of a file from the grids of its pages."""
    tables = (table_from(grid) for grid in grids)
    return tuple(table for table in tables if table.cells)
