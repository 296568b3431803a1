"""The tables of an export for analysis: comparisons, the state of each number, its proof, what was refused."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ingather.extraction.analysis.bias import COLUMNS, BiasRow
from ingather.extraction.analysis.cells import Figure
from ingather.extraction.analysis.comparisons import Comparison, RefusedComparison
from ingather.extraction.analysis.conversions import FORMULA_TEXTS
from ingather.extraction.analysis.effects import shown
from ingather.extraction.analysis.pools import pool_questions
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
    "se": "se",
    "t": "t",
    "p": "p",
}
_KEYS: Final = (
    *("comparison", "pool", "part1", "part2", "document_id", "study", "outcome", "timepoint", "intervention"),
    *("comparator", "kind", "scores"),
)
COMPARISONS: Final = (*_KEYS, *NUMBERS.values(), "measure", "yi", "vi", "state")
STATES: Final = ("comparison", "study", *NUMBERS.values())
EFFECTS: Final = ("comparison", "study", "measure", "effect", "effect_low", "effect_high", "yi", "vi")
COMPUTED: Final = ("comparison", "study", "column", "number", "formula", "source", "inputs", "quotes")
PROOF: Final = (
    *("comparison", "study", "column", "value", "state", "row", "field", "page", "quote", "formula", "source"),
    *("table", "table_row", "table_column", "boxes"),
)
BIAS: Final = ("Study", *COLUMNS, "Weight")
BIAS_STATES: Final = ("Study", "document_id", "about", "row", *COLUMNS)
REFUSED: Final = ("document_id", "study", "about", "row", "field", "why")

Cell = str | int | float


class Numbered(NamedTuple):
    """A comparison with its number in this export, and its place in a pool: nothing where another row counts it."""

    number: int
    comparison: Comparison
    pool: int | None
    parts: tuple[int, int]


def numbered(comparisons: Iterable[Comparison]) -> list[Numbered]:
    found = list(comparisons)
    places = {
        id(member.comparison): (question.number, member.parts)
        for question in pool_questions(found)
        for member in question.members
    }
    return [Numbered(number, one, *places.get(id(one), (None, (1, 1)))) for number, one in enumerate(found, 1)]


def comparison_row(one: Numbered) -> list[Cell]:
    comparison = one.comparison
    return [
        *(one.number, "" if one.pool is None else one.pool, *one.parts, comparison.document_id, comparison.study),
        *(comparison.outcome, comparison.timepoint, comparison.intervention, comparison.comparator, comparison.kind),
        "change" if comparison.is_change else "final",
        *(_figure_printed(comparison.figures.get(name)) for name in NUMBERS),
        *_reported(comparison),
        comparison.state,
    ]


def state_row(one: Numbered) -> list[Cell]:
    """The mirror: the state of every number, in its own column."""
    figures = one.comparison.figures
    return [one.number, one.comparison.study, *(figures[name].state if name in figures else "" for name in NUMBERS)]


def effect_rows(one: Numbered) -> Iterator[list[Cell]]:
    """Every effect of the whole groups with its interval, as people read it, and on the scale on which it is pooled."""
    for measure, effect in one.comparison.effects.items():
        values = (shown(measure, value) for value in (effect.estimate, *effect.interval()))
        yield [one.number, one.comparison.study, measure, *values, effect.estimate, effect.variance]


def computed_rows(one: Numbered) -> Iterator[list[Cell]]:
    """Every number that no paper prints, with its formula, what went into it, and the quotes of that."""
    for name, figure in one.comparison.computed.items():
        yield [one.number, one.comparison.study, NUMBERS[name], figure.printed, *lineage(figure)]


def lineage(figure: Figure) -> tuple[str, str, str, str]:
    """The formula of a computed number, its source, its inputs, and the quotes of the numbers that were read."""
    formula, source = FORMULA_TEXTS[figure.formula] if figure.formula else ("", "")
    inputs = "; ".join(f"{_input_name(part)} = {part.printed}" for part in figure.inputs)
    quotes = " | ".join(dict.fromkeys(part.quote for part in figure.sources() if part.quote))
    return formula, source, inputs, quotes


def proof_rows(one: Numbered) -> Iterator[list[Cell]]:
    """Every number with its quote; a computed one with its formula, and then the numbers that went into it."""
    for name, figure in one.comparison.figures.items():
        for part in figure.parts():
            formula, source = FORMULA_TEXTS[part.formula] if part.formula else ("", "")
            yield [
                *(one.number, one.comparison.study, NUMBERS[name], part.printed, part.state, part.row, part.field),
                *("" if part.page is None else part.page + 1, part.quote, formula, source),
                *cell_texts(part.cell),
            ]


def refused_row(refused: RefusedComparison) -> list[Cell]:
    return [refused.document_id, refused.study, refused.about, refused.row, refused.field, refused.why]


def bias_row(row: BiasRow) -> list[Cell]:
    """As robvis reads it: nothing but judgements, and a weight that is the same for all."""
    return [row.study, *(row.judgements[column] for column in COLUMNS), 1]


def bias_state_row(row: BiasRow) -> list[Cell]:
    return [row.study, row.document_id, row.about, row.row, *(row.states[column] for column in COLUMNS)]


def _input_name(figure: Figure) -> str:
    return f"{figure.row} {figure.field}".strip()


def _figure_printed(figure: Figure | None) -> str:
    return figure.printed if figure else ""


def _reported(comparison: Comparison) -> list[Cell]:
    """Measure, effect and variance of a comparison that is printed as an effect; others are computed from groups."""
    if "estimate" not in comparison.figures:
        return ["", "", ""]
    effect = next(iter(comparison.effects.values()))
    return [effect.measure, effect.estimate, effect.variance]
