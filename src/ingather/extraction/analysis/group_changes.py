"""The change of one group from baseline, from its values before and after and an assumed correlation. Pure."""

from ingather.extraction.analysis import conversions
from ingather.extraction.analysis.cells import Cells, CellState, Figure
from ingather.extraction.analysis.conversions import Formula
from ingather.extraction.analysis.groups import MEAN, SD, GroupNumbers, MissingFigure, converted_figure, read_mean

CORRELATION = "correlation"


def read_change(cells: Cells, row: str, baseline: str, correlation: float) -> GroupNumbers:
    """Mean and SD of the change, and the people of the final value; the correlation is among the inputs."""
    final, before = read_mean(cells, row), read_mean(cells, baseline)
    mean, sd, n = (final[name] for name in ("mean", "sd", "n"))
    mean_before, sd_before = before["mean"], before["sd"]
    if (
        isinstance(mean, MissingFigure)
        or isinstance(sd, MissingFigure)
        or isinstance(mean_before, MissingFigure)
        or isinstance(sd_before, MissingFigure)
    ):
        missing = next(one for one in (mean, sd, mean_before, sd_before) if isinstance(one, MissingFigure))
        return {"mean": missing, "sd": missing, "n": n}
    assumed = Figure(value=correlation, printed=repr(correlation), state=CellState.ASSUMED, row="", field=CORRELATION)
    change = mean.value - mean_before.value
    spread = sd_before.value, sd.value
    return {
        "mean": converted_figure(lambda: change, Formula.MEAN_OF_CHANGE, (mean, mean_before), row, MEAN),
        "sd": converted_figure(
            lambda: conversions.sd_of_change(*spread, correlation),
            Formula.SD_OF_CHANGE,
            (sd_before, sd, assumed),
            row,
            SD,
        ),
        "n": n,
    }
