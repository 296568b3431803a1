"""Draws a pool as a forest plot: every study with its interval and weight, and the two pooled estimates. Pure SVG."""

import math
from collections.abc import Iterator
from typing import Final

from ingather.extraction.analysis.comparisons import Comparison
from ingather.extraction.analysis.effects import Measure, shown
from ingather.extraction.analysis.picture_labels import ENGLISH, PictureLabels
from ingather.extraction.analysis.pooling import Pooled
from ingather.extraction.analysis.pools import Pool, PoolLine
from ingather.extraction.analysis.svg import attribute, drawing, text_at

# Sizes in pixels of a drawing that fits the width of a page.
WIDTH: Final = 960
LINE_HEIGHT: Final = 24
# Where the columns begin: names of studies, what their groups had, the axis, and effect with weight in figures.
NAMES, GROUPS, AXIS, FIGURES = 12, 250, 480, 740
AXIS_WIDTH: Final = 240
# The largest square, of a study with all the weight; its area is the weight.
LARGEST_SQUARE: Final = 18
# How far beyond the outermost interval the axis goes, as a part of its length; further intervals end in an arrow.
MARGIN: Final = 0.04
TICKS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)  # of an axis of ratios
# An axis that spans more than this ratio has powers of ten alone: more names would stand in each other.
WIDE_AXIS: Final = 500


def draw(pool: Pool, labels: PictureLabels = ENGLISH) -> str:
    """The drawing as SVG. A study whose numbers nobody has reviewed, or that are computed, is marked by its state."""
    axis = _Axis(pool)
    pooled = [
        (name, found) for name, found in ((labels["common"], pool.common), (labels["random"], pool.random)) if found
    ]
    top = 64
    parts = [*_forest_head(pool, labels)]
    weights = pool.random.weights if pool.random else tuple(100.0 for _ in pool.lines)
    for place, (line, weight) in enumerate(zip(pool.lines, weights, strict=True)):
        parts += _forest_study(line, weight, axis, top + place * LINE_HEIGHT)
    bottom = top + len(pool.lines) * LINE_HEIGHT
    for place, (name, found) in enumerate(pooled):
        parts += _forest_diamond(name, found, pool.measure, axis, bottom + 6 + place * LINE_HEIGHT)
    bottom += 6 + len(pooled) * LINE_HEIGHT
    parts += axis.lines(top - LINE_HEIGHT // 2, bottom)
    height = bottom + 56
    if pool.random:
        parts.append(text_at(NAMES, height - 12, _heterogeneity_line(pool.random, labels), size=12))
    return drawing(WIDTH, height, f"{labels[pool.measure]}: {pool.outcome}", "".join(parts))


class _Axis:
    """Where an effect stands on the drawing."""

    def __init__(self, pool: Pool) -> None:
        self.is_ratio = pool.measure.is_ratio
        ends = [end for line in pool.lines for end in line.effect.interval()] + [0.0]
        low, high = min(ends), max(ends)
        if self.is_ratio:  # beyond a hundredth and a hundredfold an arrow says enough
            low, high = max(low, math.log(TICKS[0])), min(high, math.log(TICKS[-1]))
        room = (high - low or 1.0) * MARGIN
        self.low, self.high = low - room, high + room

    def x(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return AXIS + AXIS_WIDTH * (inside - self.low) / (self.high - self.low)

    def lines(self, top: float, bottom: float) -> Iterator[str]:
        """The line of no effect, and the scale below."""
        yield _line_from(self.x(0), top, self.x(0), bottom, "#888")
        yield _line_from(AXIS, bottom, AXIS + AXIS_WIDTH, bottom, "#333")
        for value, name in self._ticks():
            yield _line_from(self.x(value), bottom, self.x(value), bottom + 5, "#333")
            yield text_at(self.x(value), bottom + 19, name, anchor="middle", size=11)

    def _ticks(self) -> list[tuple[float, str]]:
        if self.is_ratio:
            is_wide = self.high - self.low > math.log(WIDE_AXIS)
            ticks = [tick for tick in TICKS if self.low <= math.log(tick) <= self.high]
            return [(math.log(one), f"{one:g}") for one in ticks if not is_wide or math.log10(one).is_integer()]
        step = 10 ** math.floor(math.log10(self.high - self.low))
        while (self.high - self.low) / step < 4:
            step /= 2
        while (self.high - self.low) / step > 8:
            step *= 2
        first = math.ceil(self.low / step)
        return [(tick * step, f"{tick * step:.6g}") for tick in range(first, math.floor(self.high / step) + 1)]


def _forest_head(pool: Pool, labels: PictureLabels) -> Iterator[str]:
    parts = (pool.outcome, pool.timepoint, labels["change"] if pool.question.is_change else "")
    caption = _short_caption(", ".join(part for part in parts if part), 80)
    yield text_at(NAMES, 22, f"{caption}: {labels[pool.measure]}", weight="bold", size=15)
    yield text_at(NAMES, 44, labels["study"], weight="bold")
    yield text_at(GROUPS, 44, labels[pool.kind], weight="bold")
    yield text_at(FIGURES, 44, labels["effect"], weight="bold")
    yield text_at(WIDTH - 12, 44, labels["weight"], weight="bold", anchor="end")


def _forest_study(line: PoolLine, weight: float, axis: _Axis, y: float) -> Iterator[str]:
    comparison, effect = line.comparison, line.effect
    mark = "".join(sign for sign, is_set in _marks(line) if is_set)
    yield f'<g data-cell="{attribute(_cell_of_study(comparison))}">'
    yield text_at(NAMES, y + 4, f"{_short_caption(comparison.study, 28)} {mark}".rstrip())
    yield text_at(GROUPS, y + 4, _forest_groups(line), size=12)
    low, high = effect.interval()
    yield _line_from(axis.x(low), y, axis.x(high), y, "#333")
    if low < axis.low:
        yield _axis_arrow(axis.x(low), y, -1)
    if high > axis.high:
        yield _axis_arrow(axis.x(high), y, 1)
    side = max(3.0, LARGEST_SQUARE * math.sqrt(weight / 100))
    center = axis.x(effect.estimate)
    yield (
        f'<rect x="{center - side / 2:.2f}" y="{y - side / 2:.2f}" width="{side:.2f}" height="{side:.2f}" '
        'fill="#175e54"/>'
    )
    yield text_at(FIGURES, y + 4, _interval_shown(effect.measure, effect.estimate, low, high), size=12)
    yield text_at(WIDTH - 12, y + 4, f"{weight:.1f} %", anchor="end", size=12)
    yield "</g>"


def _marks(line: PoolLine) -> tuple[tuple[str, bool], ...]:
    comparison = line.comparison
    return ("*", not comparison.is_reviewed), ("†", bool(comparison.computed)), ("‡", line.formula is not None)


def _cell_of_study(comparison: Comparison) -> str:
    """The cell of the table where the first number of a study stands: document, row and field."""
    figure = next(iter(comparison.figures.values()))
    return f"{comparison.ordinal}~{figure.row}~{figure.field}"


def _forest_diamond(name: str, pooled: Pooled, measure: Measure, axis: _Axis, y: float) -> Iterator[str]:
    points = (
        (axis.x(pooled.low), y),
        (axis.x(pooled.estimate), y - 7),
        (axis.x(pooled.high), y),
        (axis.x(pooled.estimate), y + 7),
    )
    yield text_at(NAMES, y + 4, name, weight="bold")
    yield f'<polygon points="{" ".join(f"{x:.2f},{at:.2f}" for x, at in points)}" fill="#b3541e"/>'
    yield text_at(
        FIGURES, y + 4, _interval_shown(measure, pooled.estimate, pooled.low, pooled.high), size=12, weight="bold"
    )


def _forest_groups(line: PoolLine) -> str:
    figures = line.comparison.figures
    if "events1" in figures:
        return " v ".join(f"{figures['events' + side].printed}/{figures['n' + side].printed}" for side in ("1", "2"))
    if "mean1" in figures:
        return " v ".join(
            f"{_rounded(figures['mean' + side].printed)} ({_rounded(figures['sd' + side].printed)}), "
            f"{figures['n' + side].printed}"
            for side in ("1", "2")
        )
    return ""


def _heterogeneity_line(pooled: Pooled, labels: PictureLabels) -> str:
    figures = labels["heterogeneity"].format(
        q=f"{pooled.q:.2f}", p=_p_shown(pooled.q_p), i2=f"{pooled.i2:.1f}", tau2=f"{pooled.tau2:.4g}"
    )
    return f"{figures} {labels['marks']}"


def _interval_shown(measure: Measure, estimate: float, low: float, high: float) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*(shown(measure, value) for value in (estimate, low, high)))


def _p_shown(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _rounded(printed: str) -> str:
    """A computed number with as many digits as help; a printed one as it is."""
    return printed if len(printed) <= 8 else f"{float(printed):.2f}"


def _short_caption(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _line_from(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{colour}"/>'


def _axis_arrow(x: float, y: float, direction: int) -> str:
    back = x - 7 * direction
    return f'<polygon points="{x:.2f},{y:.2f} {back:.2f},{y - 4:.2f} {back:.2f},{y + 4:.2f}" fill="#333"/>'
