"""`ingather tables`: the tables of one paper as they were read, without a database."""

from argparse import Namespace
from pathlib import Path

from ingather.cli.output import output_json, output_sentence, output_table
from ingather.cli.papers import out_path_for_paper, paper_at_path, path_of_paper, write_paper_output_whole
from ingather.cli.table_files import write_tables_csv, write_tables_xlsx
from ingather.engine.errors import UsageError
from ingather.library.table import Table
from ingather.library.table_json import table_objects


def tables_command(arguments: Namespace) -> int:
    """Files first, then the answer on stdout. Exit code 1 where the paper cannot be read, 2 for every misuse."""
    workbook, sheet = _out_path_of_tables_command(arguments, "xlsx"), _out_path_of_tables_command(arguments, "csv")
    found = paper_at_path(arguments.paper).tables
    if workbook is not None:
        write_paper_output_whole(workbook, lambda file: write_tables_xlsx(file, found))
    if sheet is not None:
        write_paper_output_whole(sheet, lambda file: write_tables_csv(file, found))
    if arguments.json:
        output_json(table_objects(found))
    elif workbook is not None or sheet is not None:
        names = " and ".join(str(out) for out in (workbook, sheet) if out is not None)
        output_sentence(f"Wrote {names}: {len(found)} {'table' if len(found) == 1 else 'tables'}.")
    else:
        output_table(
            ["page", "table", "rows", "columns", "caption"],
            map(_row_of_tables_command, found),
            empty="No tables were found.",
        )
    return 0


def _out_path_of_tables_command(arguments: Namespace, kind: str) -> Path | None:
    """Where the tables are written in a form, if they are; never over the paper itself."""
    name = getattr(arguments, kind)
    if name is None:
        return None
    out = out_path_for_paper(name, [f".{kind}"])
    paper = path_of_paper(arguments.paper)
    if out.exists() and paper.exists() and out.samefile(paper):
        raise UsageError(f"{name!r} is the paper itself. Give the tables another name.")
    return out


def _row_of_tables_command(one: Table) -> tuple[object, ...]:
    rows = max((cell.row + cell.row_span for cell in one.cells), default=0)
    columns = max((cell.column + cell.column_span for cell in one.cells), default=0)
    caption = f"{one.caption} (a picture: its cells are not read)" if one.is_picture else one.caption
    return one.page + 1, one.label, rows, columns, caption
