"""A grid made into the finished table: for every cell the headers above it and the labels beside it."""

from ingather.library.parse.tables.cell_grid import CellGrid, GridPart
from ingather.library.parse.tables.notes import notes_of_table
from ingather.library.parse.tables.row_labels import RowLabel, row_label_paths
from ingather.library.table import Cell, Table


def finished_table(grid: CellGrid) -> Table:
    """The finished table: paths for every cell, caption and footnotes."""
    region = grid.region
    count = max((part.row + part.row_span for part in grid.parts), default=0)
    columns = max((part.column + part.column_span for part in grid.parts), default=0)
    heads = [part for part in grid.parts if part.row < grid.header_rows and part.text]
    by_row: list[list[GridPart]] = [[] for _ in range(count)]
    for part in grid.parts:
        if part.text:
            for row in range(part.row, part.row + part.row_span):
                by_row[row].append(part)
    body = range(grid.header_rows, count)
    labels = [_finished_row_label(by_row[row], row, columns) for row in body]
    paths = dict(zip(body, row_label_paths(labels), strict=True))
    names = {row: label.text for row, label in zip(body, labels, strict=True) if label}
    cells = [_finished_cell(part, grid, heads, paths, names) for part in grid.parts if part.text]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    caption = region.caption
    return Table(
        page=region.page,
        label=caption.label if caption else "",
        caption=caption.text if caption else "",
        footnotes=notes_of_table(region.below),
        cells=tuple(cells),
        is_picture=region.is_picture,
    )


def _finished_row_label(row: list[GridPart], number: int, columns: int) -> RowLabel | None:
    first = [part for part in row if part.column == 0 and part.row == number]
    if not first:
        alone = [part for part in row if part.row == number]
        if len(alone) == 1 and alone[0].column_span == columns > 1:
            return RowLabel(alone[0].text, alone[0].left, is_alone=True)
        return None
    others = [part for part in row if part is not first[0]]
    return RowLabel(first[0].text, first[0].left, is_alone=not others)


def _finished_cell(
    part: GridPart, grid: CellGrid, heads: list[GridPart], paths: dict[int, tuple[str, ...]], names: dict[int, str]
) -> Cell:
    is_header = part.row < grid.header_rows
    last = part.column + part.column_span - 1
    over = [
        head
        for head in heads
        if head is not part
        and head.column <= part.column
        and head.column + head.column_span - 1 >= last
        and (not is_header or head.row < part.row)
    ]
    over.sort(key=lambda head: head.row)
    row_path: tuple[str, ...] = ()
    if not is_header:
        row_path = paths.get(part.row, ())
        if part.column > 0 and part.row in names:
            row_path = (*row_path, names[part.row])
    return Cell(
        row=part.row,
        column=part.column,
        row_span=part.row_span,
        column_span=part.column_span,
        text=part.text,
        row_path=row_path,
        column_path=tuple(head.text for head in over),
        is_header=is_header,
        page=part.page,
        box=part.box,
    )
