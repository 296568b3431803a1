"""The numbers of one group for one outcome, as reported or converted from what is reported. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
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


MaybeFigure = Figure | MissingFigure
GroupNumbers = dict[str, MaybeFigure]
"""The numbers of one group by name: `events` and `n`, or `mean`, `sd` and `n`."""


def read_events(cells: Cells, row: str) -> GroupNumbers:
    """Events and people of a group; events from the percentage where that fits one count."""
    n = _figure_of_group(cells, row, N)
    events = _figure_of_group(cells, row, EVENTS)
    percent = cells.figure(row, PERCENT)
    if isinstance(events, Figure) or percent is None or isinstance(n, MissingFigure) or cells.has_conflict(row, EVENTS):
        return {"events": events, "n": n}
    count = converted_figure(
        lambda: float(conversions.events_from_percent(percent.printed, int(n.value))),
        Formula.EVENTS_FROM_PERCENT,
        (percent, n),
        row,
        EVENTS,
    )
    return {"events": count, "n": n}


def read_mean(cells: Cells, row: str) -> GroupNumbers:
    """Mean, SD and people of a group; converted from SE, interval, or median and quartiles where that is printed."""
    n = _figure_of_group(cells, row, N)
    mean, sd = _figure_of_group(cells, row, MEAN), _figure_of_group(cells, row, SD)
    if isinstance(n, MissingFigure) or cells.has_conflict(row, MEAN) or cells.has_conflict(row, SD):
        return {"mean": mean, "sd": sd, "n": n}
    if isinstance(mean, Figure) and isinstance(sd, MissingFigure):
        sd = _sd_of_group(cells, row, n) or sd
    if isinstance(mean, MissingFigure) and isinstance(sd, MissingFigure):
        mean, sd = _from_median(cells, row, n) or (mean, sd)
    return {"mean": mean, "sd": sd, "n": n}


def _sd_of_group(cells: Cells, row: str, n: Figure) -> MaybeFigure | None:
    se, low, high = (cells.figure(row, field) for field in (SE, CI_LOW, CI_HIGH))
    if se:
        return converted_figure(
            lambda: conversions.sd_from_se(se.value, int(n.value)), Formula.SD_FROM_SE, (se, n), row, SD
        )
    if low and high:
        return converted_figure(
            lambda: conversions.sd_from_ci(low.value, high.value, int(n.value)),
            Formula.SD_FROM_CI,
            (low, high, n),
            row,
            SD,
        )
    return None


def _from_median(cells: Cells, row: str, n: Figure) -> tuple[MaybeFigure, MaybeFigure] | None:
    read = {field: figure for field in (LEAST, Q1, MEDIAN, Q3, MOST) if (figure := cells.figure(row, field))}
    for fields, formula, convert in _MEDIANS:
        if read.keys() >= set(fields):
            inputs = tuple(read[field] for field in fields)
            group = partial(convert, *(figure.value for figure in inputs), int(n.value))
            return _mean_and_sd(group, formula, (*inputs, n), row)
    return None


def _mean_and_sd(
    convert: Callable[[], GroupMean], formula: Formula, inputs: tuple[Figure, ...], row: str
) -> tuple[MaybeFigure, MaybeFigure]:
    return (
        converted_figure(lambda: convert().mean, formula, inputs, row, MEAN),
        converted_figure(lambda: convert().sd, formula, inputs, row, SD),
    )


def converted_figure(
    convert: Callable[[], float], formula: Formula, inputs: tuple[Figure, ...], row: str, field: str
) -> MaybeFigure:
    try:
        value = convert()
    except Unusable as why:
        return MissingFigure(row=row, field=field, why=str(why))
    return Figure(
        value=value, printed=repr(value), state=CellState.DERIVED, row=row, field=field, formula=formula, inputs=inputs
    )


def combined_numbers(groups: Sequence[GroupNumbers]) -> GroupNumbers:
    """Several groups as one, as if nobody had divided them; the first number that is not there, where one is not."""
    if len(groups) == 1:
        return groups[0]
    if missing := [one for numbers in groups for one in numbers.values() if isinstance(one, MissingFigure)]:
        return dict.fromkeys(groups[0], missing[0])
    figures = [{name: one for name, one in numbers.items() if isinstance(one, Figure)} for numbers in groups]
    first, inputs = figures[0], tuple(one for numbers in figures for one in numbers.values())
    if "events" in first:
        values = {name: sum(numbers[name].value for numbers in figures) for name in first}
    else:
        both = reduce(conversions.combined, map(_group_mean, figures))
        values = {"mean": both.mean, "sd": both.sd, "n": float(both.n)}
    return {name: _combined_figure(value, first[name], inputs) for name, value in values.items()}


def _group_mean(figures: dict[str, Figure]) -> GroupMean:
    return GroupMean(n=int(figures["n"].value), mean=figures["mean"].value, sd=figures["sd"].value)


def _combined_figure(value: float, like: Figure, inputs: tuple[Figure, ...]) -> Figure:
    printed = str(int(value)) if value.is_integer() else repr(value)
    return Figure(
        value=value, printed=printed, state=CellState.DERIVED, row=like.row, field=like.field,
        formula=Formula.COMBINED_ARMS, inputs=inputs,
    )  # fmt: skip


def _figure_of_group(cells: Cells, row: str, field: str) -> MaybeFigure:
    figure = cells.figure(row, field)
    if figure is not None:
        return figure
    if cells.has_conflict(row, field):
        return MissingFigure(
            row=row,
            field=field,
            why=notice("analysis.several_values", "Several values stand in this cell; a person has to choose."),
        )
    return MissingFigure(row=row, field=field, why=notice("analysis.no_number", "There is no number in this cell."))
