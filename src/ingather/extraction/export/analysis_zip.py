"""A zip for statistics programs: numbers, their states and proof, what was refused, plots, and an R script."""

import csv
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from io import StringIO
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ingather.extraction.analysis.bias_pictures import draw_bias, draw_bias_summary
from ingather.extraction.analysis.flow import draw_flow
from ingather.extraction.analysis.forest import draw
from ingather.extraction.analysis.picture_labels import PictureLabels
from ingather.extraction.analysis.review import Analysis, analyse
from ingather.extraction.export import analysis_set as tables
from ingather.extraction.export.analysis_dictionary import HEADINGS, meanings_of_columns
from ingather.extraction.export.extras import Extras
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.methods import MethodsTally, methods_paragraph
from ingather.extraction.export.text import clean, cut, is_formula_like
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, TaskSummary

SCRIPT: Final = "analysis.R"
TABLES: Final = {
    "comparisons": tables.COMPARISONS,
    "states": tables.STATES,
    "effects": tables.EFFECTS,
    "computed": tables.COMPUTED,
    "proof": tables.PROOF,
    "refused": tables.REFUSED,
    "bias": tables.BIAS,
    "bias_states": tables.BIAS_STATES,
}
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def write_analysis(
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    wording: Wording,
    *,
    extras: Extras,
) -> None:
    """The comparisons of all documents; only what is sound, and beside it what is not and why."""
    tally = MethodsTally()
    review = analyse(tally.passing(results), extras.choices, extras.recorded)
    methods = methods_paragraph(
        summary, template, tally, review, language=wording.language, only_reviewed=extras.only_reviewed
    )
    rows = _rows_of_tables(review)
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, columns in TABLES.items():
            add_to_archive(archive, f"{name}.csv", csv_text(columns, rows[name]))
        meanings = meanings_of_columns(TABLES, wording.language)
        add_to_archive(archive, "dictionary.csv", csv_text(HEADINGS, meanings))
        script = resources.files("ingather.extraction.analysis").joinpath(SCRIPT)
        add_to_archive(archive, SCRIPT, script.read_text("utf-8"))
        add_to_archive(archive, "methods.txt", f"{methods}\n")
        for name, picture in _pictures(review, PictureLabels(wording.language)):
            add_to_archive(archive, f"plots/{name}.svg", picture)


def _rows_of_tables(review: Analysis) -> dict[str, Iterable[list[tables.Cell]]]:
    comparisons = tables.numbered(review.comparisons)
    return {
        "comparisons": map(tables.comparison_row, comparisons),
        "states": map(tables.state_row, comparisons),
        "effects": (row for one in comparisons for row in tables.effect_rows(one)),
        "computed": (row for one in comparisons for row in tables.computed_rows(one)),
        "proof": (row for one in comparisons for row in tables.proof_rows(one)),
        "refused": map(tables.refused_row, review.refused),
        "bias": map(tables.bias_row, review.bias),
        "bias_states": map(tables.bias_state_row, review.bias),
    }


def _pictures(review: Analysis, labels: PictureLabels) -> Iterator[tuple[str, str]]:
    yield "flow", draw_flow(review.flow, labels)
    for pool in review.pools:
        if pool.random:
            yield f"forest_{pool.question.number:02}_{pool.measure}", draw(pool, labels)
    if review.bias:
        yield "bias", draw_bias(review.bias, labels)
        yield "bias_summary", draw_bias_summary(review.bias, labels)


def csv_text(columns: Iterable[str], rows: Iterable[list[tables.Cell]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_safe_zip_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe_zip_cell(cell: tables.Cell) -> str:
    """A number as it is printed; a text that no spreadsheet takes for a formula."""
    text = cut(clean(str(cell)))
    return f"'{text}" if is_formula_like(text) and not _NUMBER.fullmatch(text) else text


def add_to_archive(archive: ZipFile, name: str, text: str) -> None:
    entry = ZipInfo(name)  # without a time of its own, so that the same results give the same bytes
    entry.compress_type = ZIP_DEFLATED
    archive.writestr(entry, text)
