"""`ingather tables`: the tables of one paper as they were read, without a database."""

from argparse import Namespace
from pathlib import Path

from ingather.cli.output import as_json, say, table
from ingather.cli.papers import out_of, paper_of, path_of, write_whole
from ingather.cli.table_files import write_tables_csv, write_tables_xlsx
from ingather.engine.errors import UsageError
from ingather.library.table import Table
from ingather.library.table_json import table_objects


def tables(arguments: Namespace) -> int:
    """Files first, then the answer on stdout. Exit code 1 where the paper cannot be read, 2 for every misuse."""
    workbook, sheet = _out(arguments, "xlsx"), _out(arguments, "csv")
    found = paper_of(arguments.paper).tables
    if workbook is not None:
        write_whole(workbook, lambda file: write_tables_xlsx(file, found))
    if sheet is not None:
        write_whole(sheet, lambda file: write_tables_csv(file, found))
    if arguments.json:
        as_json(table_objects(found))
    elif workbook is not None or sheet is not None:
        names = " and ".join(str(out) for out in (workbook, sheet) if out is not None)
        say(f"Wrote {names}: {len(found)} {'table' if len(found) == 1 else 'tables'}.")
    else:
        table(["page", "table", "rows", "columns", "caption"], map(_table_row, found), empty="No tables were found.")
    return 0


def _out(arguments: Namespace, kind: str) -> Path | None:
    """Where the tables are written in a form, if they are; never over the paper itself."""
    name = getattr(arguments, kind)
    if name is None:
        return None
    out = out_of(name, [f".{kind}"])
    paper = path_of(arguments.paper)
    if out.exists() and paper.exists() and out.samefile(paper):
        raise UsageError(f"{name!r} is the paper itself. Give the tables another name.")
    return out


def _table_row(one: Table) -> tuple[object, ...]:
    rows = max((cell.row + cell.row_span for cell in one.cells), default=0)
    columns = max((cell.column + cell.column_span for cell in one.cells), default=0)
    caption = f"{one.caption} (a picture: its cells are not read)" if one.is_picture else one.caption
    return one.page + 1, one.label, rows, columns, caption
