"""The numbers of one group for one outcome, as reported or converted from what is reported. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from ingather.extraction.analysis import conversions
from ingather.extraction.analysis.cells import Cells, CellState, Figure
from ingather.extraction.analysis.conversions import Formula, GroupMean, Unusable
from ingather.notice import notice

# The fields of a group's result; whoever shows a comparison shows these beside it.
N, EVENTS, PERCENT = "r_n", "r_events", "r_pct"
MEAN, SD, SE, CI_LOW, CI_HIGH = "r_mean", "r_sd", "r_se", "r_ci_low", "r_ci_high"
MEDIAN, Q1, Q3, LEAST, MOST = "r_median", "r_q1", "r_q3", "r_min", "r_max"

# Kinds of spread that may be printed around a median, the most telling first, and what makes a mean and an SD of it.
_MEDIANS: Final[tuple[tuple[tuple[str, ...], Formula, Callable[..., GroupMean]], ...]] = (
    (
        (LEAST, Q1, MEDIAN, Q3, MOST),
        Formula.FROM_QUARTILES_AND_RANGE,
        conversions.mean_sd_from_quartiles_and_range,
    ),
    ((Q1, MEDIAN, Q3), Formula.FROM_QUARTILES, conversions.mean_sd_from_quartiles),
    ((LEAST, MEDIAN, MOST), Formula.FROM_RANGE, conversions.mean_sd_from_range),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFigure:
    """A number that is not there: which cell to mend, and why."""

    row: str
    field: str
    why: str


Found = Figure | MissingFigure


def read_events(cells: Cells, row: str) -> tuple[Found, Found]:
    """Events and people of a group; events from the percentage where that fits one count."""
    n = _figure_of_group(cells, row, N)
    events = _figure_of_group(cells, row, EVENTS)
    percent = cells.figure(row, PERCENT)
    if (
        isinstance(events, Figure)
        or percent is None
        or isinstance(n, MissingFigure)
        or _has_conflict(cells, row, EVENTS)
    ):
        return events, n
    count = _converted_figure(
        lambda: float(conversions.events_from_percent(percent.printed, int(n.value))),
        Formula.EVENTS_FROM_PERCENT,
        (percent, n),
        row,
        EVENTS,
    )
    return count, n


def read_mean(cells: Cells, row: str) -> tuple[Found, Found, Found]:
    """Mean, SD and people of a group; converted from SE, interval, or median and quartiles where that is printed."""
    n = _figure_of_group(cells, row, N)
    mean, sd = _figure_of_group(cells, row, MEAN), _figure_of_group(cells, row, SD)
    if isinstance(n, MissingFigure) or _has_conflict(cells, row, MEAN) or _has_conflict(cells, row, SD):
        return mean, sd, n
    if isinstance(mean, Figure) and isinstance(sd, MissingFigure):
        sd = _sd_of_group(cells, row, n) or sd
    if isinstance(mean, MissingFigure) and isinstance(sd, MissingFigure):
        mean, sd = _from_median(cells, row, n) or (mean, sd)
    return mean, sd, n


def _sd_of_group(cells: Cells, row: str, n: Figure) -> Found | None:
    se, low, high = (cells.figure(row, field) for field in (SE, CI_LOW, CI_HIGH))
    if se:
        return _converted_figure(
            lambda: conversions.sd_from_se(se.value, int(n.value)), Formula.SD_FROM_SE, (se, n), row, SD
        )
    if low and high:
        return _converted_figure(
            lambda: conversions.sd_from_ci(low.value, high.value, int(n.value)),
            Formula.SD_FROM_CI,
            (low, high, n),
            row,
            SD,
        )
    return None


def _from_median(cells: Cells, row: str, n: Figure) -> tuple[Found, Found] | None:
    read = {field: figure for field in (LEAST, Q1, MEDIAN, Q3, MOST) if (figure := cells.figure(row, field))}
    for fields, formula, convert in _MEDIANS:
        if read.keys() >= set(fields):
            inputs = tuple(read[field] for field in fields)
            group = partial(convert, *(figure.value for figure in inputs), int(n.value))
            return _mean_and_sd(group, formula, (*inputs, n), row)
    return None


def _mean_and_sd(
    convert: Callable[[], GroupMean], formula: Formula, inputs: tuple[Figure, ...], row: str
) -> tuple[Found, Found]:
    return (
        _converted_figure(lambda: convert().mean, formula, inputs, row, MEAN),
        _converted_figure(lambda: convert().sd, formula, inputs, row, SD),
    )


def _converted_figure(
    convert: Callable[[], float], formula: Formula, inputs: tuple[Figure, ...], row: str, field: str
) -> Found:
    try:
        value = convert()
    except Unusable as why:
        return MissingFigure(row=row, field=field, why=str(why))
    return Figure(
        value=value, printed=repr(value), state=CellState.DERIVED, row=row, field=field, formula=formula, inputs=inputs
    )


def _figure_of_group(cells: Cells, row: str, field: str) -> Found:
    figure = cells.figure(row, field)
    if figure is not None:
        return figure
    if _has_conflict(cells, row, field):
        return MissingFigure(
            row=row,
            field=field,
            why=notice("analysis.several_values", "Several values stand in this cell; a person has to choose."),
        )
    return MissingFigure(row=row, field=field, why=notice("analysis.no_number", "There is no number in this cell."))


def _has_conflict(cells: Cells, row: str, field: str) -> bool:
    return cells.state(row, field) is CellState.CONFLICTING
