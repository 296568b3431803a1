"""The tables of an export for analysis: comparisons, the state of each number, its proof, what was refused."""

from collections.abc import Iterable, Iterator
from typing import Final

from ingather.extraction.analysis.bias import COLUMNS, BiasRow
from ingather.extraction.analysis.cells import Figure
from ingather.extraction.analysis.comparisons import Comparison, RefusedComparison
from ingather.extraction.analysis.conversions import FORMULA_TEXTS
from ingather.extraction.export.text import cell_texts

# A number's name in `Comparison.figures`, and its column: the names that metafor's `escalc` gives its arguments.
NUMBERS: Final = {
    "events1": "ai",
    "n1": "n1i",
    "events2": "ci",
    "n2": "n2i",
    "mean1": "m1i",
    "sd1": "sd1i",
    "mean2": "m2i",
    "sd2": "sd2i",
    "estimate": "estimate",
    "ci_low": "ci_low",
    "ci_high": "ci_high",
    "ci_level": "ci_level",
}
_KEYS: Final = ("comparison", "document_id", "study", "outcome", "timepoint", "intervention", "comparator", "kind")
COMPARISONS: Final = (*_KEYS, *NUMBERS.values(), "measure", "yi", "vi", "shared_by", "state")
STATES: Final = ("comparison", "study", *NUMBERS.values())
PROOF: Final = (
    "comparison",
    "study",
    "column",
    "value",
    "state",
    "row",
    "field",
    "page",
    "quote",
    "formula",
    "source",
    "table",
    "table_row",
    "table_column",
    "boxes",
)
BIAS: Final = ("Study", *COLUMNS, "Weight")
BIAS_STATES: Final = ("Study", "document_id", "about", "row", *COLUMNS)
REFUSED: Final = ("document_id", "study", "about", "row", "field", "why")

Cell = str | int | float
_MEANINGS: Final = {
    "comparison": "the number of the comparison in this export; the same in comparisons.csv, states.csv and proof.csv",
    "document_id": "the document's id in the project",
    "study": "the study's id, or the name of its file where nobody has given one",
    "outcome": "what was measured",
    "timepoint": "when, as reported; empty where a person said that there is no such time",
    "intervention": "the group that is compared (1)",
    "comparator": "the group it is compared with (2)",
    "kind": "binary (events and people), continuous (mean, SD and people), or reported (an effect as printed)",
    "ai": "people with the event in group 1",
    "n1i": "people analysed in group 1",
    "ci": "people with the event in group 2",
    "n2i": "people analysed in group 2",
    "m1i": "mean of group 1",
    "sd1i": "standard deviation of group 1",
    "m2i": "mean of group 2",
    "sd2i": "standard deviation of group 2",
    "estimate": "the printed effect, group 1 against group 2",
    "ci_low": "lower end of its interval",
    "ci_high": "upper end of its interval",
    "ci_level": "level of its interval, in per cent",
    "measure": "what the printed effect is: RR, OR, RD, HR, MD or SMD",
    "yi": "the printed effect on the scale on which it is pooled: the logarithm of a ratio",
    "vi": "the variance of yi, from the interval",
    "shared_by": "how many comparisons of this outcome and time use the same group 2",
    "state": "the worst state among the numbers of the row: reviewed (by a person), verified (words and value found in "
    "the paper), derived (computed by a formula, see proof.csv), unbound (words found, value not established), "
    "unverified",
    "column": "the column of comparisons.csv that this line proves",
    "value": "the number as printed; a computed one with all its digits",
    "row": "the row of the project's table",
    "field": "the field of the template",
    "page": "the page of the document, from 1",
    "quote": "the words of the paper; for a computed number those of the numbers that went into it",
    "formula": "the formula of a computed number",
    "source": "where the formula was published",
    "table": "the table that the number stands in, as the paper labels it",
    "table_row": "the labels of its row, outermost first, parted by >",
    "table_column": "the headers of its column, outermost first, parted by >",
    "boxes": "left, top, right and bottom of its cell, in points from the top left corner of the page",
    "about": "what was to be compared",
    "Study": "the study's id, or the name of its file where nobody has given one",
    "D1": "bias from the randomisation process",
    "D2": "bias from deviations from the intended interventions",
    "D3": "bias from missing outcome data",
    "D4": "bias in the measurement of the outcome",
    "D5": "bias in the selection of the reported result",
    "Overall": "overall judgement: Low, Some concerns, High, or No information where there is none",
    "Weight": "1 for every result; robvis wants a column of weights",
    "why": "what keeps the comparison out, and is to be mended in that row and field",
}


def comparison_row(number: int, comparison: Comparison) -> list[Cell]:
    return [
        *_comparison_keys(number, comparison),
        *(_figure_printed(comparison.figures.get(name)) for name in NUMBERS),
        *_reported(comparison),
        comparison.shared_by,
        comparison.state,
    ]


def state_row(number: int, comparison: Comparison) -> list[Cell]:
    """The mirror: the state of every number, in its own column."""
    states = (comparison.figures[name].state if name in comparison.figures else "" for name in NUMBERS)
    return [number, comparison.study, *states]


def proof_rows(number: int, comparison: Comparison) -> Iterator[list[Cell]]:
    """Every number with its quote; a computed one with its formula, and then the numbers that went into it."""
    for name, figure in comparison.figures.items():
        formula, source = FORMULA_TEXTS[figure.formula] if figure.formula else ("", "")
        for one in (figure, *figure.inputs):
            yield [
                *(number, comparison.study, NUMBERS[name], one.printed, one.state, one.row, one.field),
                *("" if one.page is None else one.page + 1, one.quote),
                *((formula, source) if one is figure else ("", "")),
                *cell_texts(one.cell),
            ]


def refused_row(refused: RefusedComparison) -> list[Cell]:
    return [refused.document_id, refused.study, refused.about, refused.row, refused.field, refused.why]


def bias_row(row: BiasRow) -> list[Cell]:
    """As robvis reads it: nothing but judgements, and a weight that is the same for all."""
    return [row.study, *(row.judgements[column] for column in COLUMNS), 1]


def bias_state_row(row: BiasRow) -> list[Cell]:
    return [row.study, row.document_id, row.about, row.row, *(row.states[column] for column in COLUMNS)]


def dictionary(tables: dict[str, tuple[str, ...]]) -> Iterable[list[Cell]]:
    """What every column of every table means."""
    return ([table, column, _MEANINGS[column]] for table, columns in tables.items() for column in columns)


def _comparison_keys(number: int, comparison: Comparison) -> list[Cell]:
    return [
        *(number, comparison.document_id, comparison.study, comparison.outcome, comparison.timepoint),
        *(comparison.intervention, comparison.comparator, comparison.kind),
    ]


def _figure_printed(figure: Figure | None) -> str:
    return figure.printed if figure else ""


def _reported(comparison: Comparison) -> list[Cell]:
    """Measure, effect and variance of a comparison that is printed as an effect; others are computed from groups."""
    if "estimate" not in comparison.figures:
        return ["", "", ""]
    effect = next(iter(comparison.effects.values()))
    return [effect.measure, effect.estimate, effect.variance]
