"""Effects as papers print them: an estimate with its interval, its standard error, its t or its exact P. Pure."""

from collections.abc import Iterator
from typing import Final

from ingather.extraction.analysis.cells import Figure
from ingather.extraction.analysis.comparisons import (
    ComparisonKind,
    Found,
    RefusedComparison,
    StudyRows,
    no_single_number,
)
from ingather.extraction.analysis.conversions import Unusable, se_from_p, se_from_t
from ingather.extraction.analysis.effects import Effect, Measure, effect_with_se, on_pooled_scale, reported_effect
from ingather.extraction.analysis.printed_tests import ARMS, TIME, T, arms_of, exact_p
from ingather.extraction.findings import Row
from ingather.notice import notice

MEASURE, ADJUSTED = "c_measure", "c_adjusted"
_INTERVAL: Final = {"estimate": "c_estimate", "ci_low": "c_ci_low", "ci_high": "c_ci_high", "ci_level": "c_ci_level"}
_SE: Final = "c_se"
PRINTED_MEASURES: Final = frozenset(Measure)


def comparisons_of_effects(rows: StudyRows) -> Iterator[Found]:
    for row in rows.rows("contrast"):
        measure = rows.cells.text(row.key, MEASURE)
        refused = rows.unsound(row, TIME, needs_arm=False)
        if refused:
            yield refused
        elif not (arms := rows.cells.text(row.key, ARMS)):
            why = notice("analysis.no_arms", "Nothing says who was compared with whom.")
            yield rows.refused(row.label, row.key, ARMS, why)
        elif measure not in PRINTED_MEASURES:
            why = notice("analysis.no_measure", "This measure is none that can be pooled here.")
            yield rows.refused(row.label, row.key, MEASURE, why)
        else:
            yield _printed_effect(rows, row, arms, Measure(measure))


def _printed_effect(rows: StudyRows, row: Row, arms: str, measure: Measure) -> Found:
    try:
        found = _figures_with_effect(rows, row, measure)
    except Unusable as why:
        return rows.refused(row.label, row.key, _INTERVAL["estimate"], str(why))
    if isinstance(found, RefusedComparison):
        return found
    figures, effect = found
    intervention, comparator = arms_of(arms)
    return rows.comparison(
        outcome=rows.label(row.parts["outcome"]),
        timepoint=rows.cells.text(row.key, TIME),
        intervention=intervention,
        comparator=comparator,
        kind=ComparisonKind.REPORTED,
        figures=figures,
        effects={measure: effect},
        is_adjusted=rows.cells.text(row.key, ADJUSTED) == "yes",
    )


def _figures_with_effect(
    rows: StudyRows, row: Row, measure: Measure
) -> tuple[dict[str, Figure], Effect] | RefusedComparison:
    """The interval tells most, then the standard error of a difference, then t or the exact P."""
    figures = {name: figure for name, field in _INTERVAL.items() if (figure := rows.cells.figure(row.key, field))}
    if len(figures) == len(_INTERVAL):
        return figures, reported_effect(measure, *(figures[name].value for name in _INTERVAL))
    missing = next(field for name, field in _INTERVAL.items() if name not in figures)
    estimate = figures.get("estimate")
    if estimate is None:
        return rows.refused(row.label, row.key, missing, no_single_number())
    se, t, p = rows.cells.figure(row.key, _SE), rows.cells.figure(row.key, T), exact_p(rows, row.key)
    scaled = on_pooled_scale(measure, estimate.value)
    if se and not measure.is_ratio:  # nothing says on which scale the standard error of a ratio is
        return {"estimate": estimate, "se": se}, effect_with_se(measure, estimate.value, se.value)
    if t:
        return {"estimate": estimate, "t": t}, effect_with_se(measure, estimate.value, se_from_t(scaled, t.value))
    if p:
        return {"estimate": estimate, "p": p}, effect_with_se(measure, estimate.value, se_from_p(scaled, p.value))
    return rows.refused(row.label, row.key, missing, no_single_number())
