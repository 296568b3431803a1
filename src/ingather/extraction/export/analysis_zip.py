"""A zip for statistics programs: numbers, their states and proof, what was refused, plots, and an R script."""

import csv
import re
from collections.abc import Iterable
from importlib import resources
from io import StringIO
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ingather.extraction.analysis.bias import draw_bias
from ingather.extraction.analysis.forest import draw
from ingather.extraction.analysis.review import analyse
from ingather.extraction.export.analysis_set import (
    BIAS,
    BIAS_STATES,
    COMPARISONS,
    PROOF,
    REFUSED,
    STATES,
    Cell,
    bias_row,
    bias_state_row,
    comparison_row,
    dictionary,
    proof_rows,
    refused_row,
    state_row,
)
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.text import clean, cut, is_formula_like
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, TaskSummary

SCRIPT: Final = "analysis.R"
TABLES: Final = {
    "comparisons": COMPARISONS,
    "states": STATES,
    "proof": PROOF,
    "refused": REFUSED,
    "bias": BIAS,
    "bias_states": BIAS_STATES,
}
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def write_analysis(
    out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult], wording: Wording
) -> None:
    """The comparisons of all documents; only what is sound, and beside it what is not and why."""
    del summary, template, wording  # the tables are for programs, which read one language and no settings
    review = analyse(results)
    numbered = list(enumerate(review.comparisons, 1))
    rows: dict[str, Iterable[list[Cell]]] = {
        "comparisons": (comparison_row(number, one) for number, one in numbered),
        "states": (state_row(number, one) for number, one in numbered),
        "proof": (row for number, one in numbered for row in proof_rows(number, one)),
        "refused": map(refused_row, review.refused),
        "bias": map(bias_row, review.bias),
        "bias_states": map(bias_state_row, review.bias),
    }
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, columns in TABLES.items():
            _add_to_archive(archive, f"{name}.csv", _csv_text(columns, rows[name]))
        _add_to_archive(archive, "dictionary.csv", _csv_text(("table", "column", "meaning"), dictionary(TABLES)))
        _add_to_archive(
            archive, SCRIPT, resources.files("ingather.extraction.analysis").joinpath(SCRIPT).read_text("utf-8")
        )
        for number, pool in enumerate((pool for pool in review.pools if pool.random), 1):
            _add_to_archive(archive, f"plots/forest_{number:02}_{pool.measure}.svg", draw(pool))
        if review.bias:
            _add_to_archive(archive, "plots/bias.svg", draw_bias(review.bias))


def _csv_text(columns: Iterable[str], rows: Iterable[list[Cell]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_safe_zip_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe_zip_cell(cell: Cell) -> str:
    """A number as it is printed; a text that no spreadsheet takes for a formula."""
    text = cut(clean(str(cell)))
    return f"'{text}" if is_formula_like(text) and not _NUMBER.fullmatch(text) else text


def _add_to_archive(archive: ZipFile, name: str, text: str) -> None:
    entry = ZipInfo(name)  # without a time of its own, so that the same results give the same bytes
    entry.compress_type = ZIP_DEFLATED
    archive.writestr(entry, text)
