"""How far two independent reviewers agree: per cent and Cohen's kappa, each with its 95 % interval. Pure.

Intervals: Wilson's for a share; for the kappa of one field the large-sample
standard error of Fleiss, Cohen and Everitt (1969); for several fields together
the pooled kappa of De Vries and others (2008) with a jackknife by document,
since the cells of one document are not independent of each other.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingather.extraction.analysis.distributions import normal_quantile
from ingather.extraction.template import Template

Rating = tuple[Hashable, Hashable]
"""What side 1 and side 2 say of one cell."""

RatedCell = tuple[int, Rating]
"""The document of a cell, and what both sides say of it."""

# Two-sided 95 %, as reviews report it.
LEVEL = 0.975


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number with its interval; the ends are None where the data give none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement about the cells of a field, a section, or the whole task. `kappa` is None where chance alone agrees."""

    name: str
    cells: int
    agreed: int
    share: Interval | None
    kappa: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementTable:
    """Agreement by field, by section and in all. Fields and sections without a cell that both judged are left out."""

    fields: tuple[Agreement, ...]
    sections: tuple[Agreement, ...]
    whole: Agreement


def wilson_interval(right: int, of: int) -> Interval | None:
    """A share with Wilson's score interval; None of nothing."""
    if of == 0:
        return None
    z, share = normal_quantile(LEVEL), right / of
    middle, spread = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    return Interval(value=share, low=max(0.0, (middle - spread) / scale), high=min(1.0, (middle + spread) / scale))


def kappa(ratings: Sequence[Rating]) -> Interval | None:
    """Cohen's kappa. None where both sides say one and the same of every cell: chance alone would agree."""
    n = len(ratings)
    if n == 0:
        return None
    observed, expected = observed_and_expected(ratings)
    if expected >= 1:
        return None
    value = (observed - expected) / (1 - expected)
    first, second = (Counter(one[side] for one in ratings) for side in (0, 1))
    by_pair = Counter(ratings)
    # Fleiss, Cohen and Everitt, formula 13: the variance that holds for any kappa, not only for 0.
    on = sum(
        by_pair[one, one] / n * ((1 - expected) - (first[one] + second[one]) / n * (1 - observed)) ** 2
        for one in first.keys() | second.keys()
    )
    off = (1 - observed) ** 2 * sum(
        times / n * ((second[one] + first[other]) / n) ** 2 for (one, other), times in by_pair.items() if one != other
    )
    rest = (observed * expected - 2 * expected + observed) ** 2
    variance = max(0.0, on + off - rest) / (n * (1 - expected) ** 4)
    return _interval(value, math.sqrt(variance)) if n > 1 else Interval(value=value, low=None, high=None)


def observed_and_expected(ratings: Sequence[Rating]) -> tuple[float, float]:
    """The share of cells that both say the same of, and the share that chance would give."""
    n = len(ratings)
    first, second = (Counter(one[side] for one in ratings) for side in (0, 1))
    return sum(one == other for one, other in ratings) / n, sum(first[one] * second[one] for one in first) / (n * n)


def pooled_kappa(by_field: Iterable[Sequence[Rating]]) -> float | None:
    """One kappa of several fields: their observed and expected agreement, weighted by cells, before the quotient."""
    found = [(len(ratings), *observed_and_expected(ratings)) for ratings in by_field if ratings]
    cells = sum(n for n, _, _ in found)
    if not cells:
        return None
    observed = sum(n * share for n, share, _ in found) / cells
    expected = sum(n * share for n, _, share in found) / cells
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def agreement_table(template: Template, by_field: Mapping[str, Sequence[RatedCell]]) -> AgreementTable:
    """Agreement about the rated cells of each field, in the order of the template."""
    fields = [_of_field(field.id, by_field[field.id]) for field in template.fields if field.id in by_field]
    sections = []
    for section in template.sections:
        own = [by_field[one.id] for one in template.fields if one.section == section.id and one.id in by_field]
        if own:
            sections.append(_of_fields(section.id, own))
    return AgreementTable(fields=tuple(fields), sections=tuple(sections), whole=_of_fields("", list(by_field.values())))


def agreement_lines(table: AgreementTable) -> Iterator[tuple[str, str]]:
    """Agreement as an export has it: all cells together, then each section and each field by its id."""
    if table.whole.cells == 0:
        return
    yield "agreement of two reviewers", _line(table.whole)
    for kind, found in (("section", table.sections), ("field", table.fields)):
        for one in found:
            yield f"agreement, {kind} {one.name}", _line(one)


def _line(found: Agreement) -> str:
    share = _printed(found.share, 100, 1, " %") if found.share else ""
    agreed = f"{found.agreed:,} of {found.cells:,} cells, {share}"
    return f"{agreed}; kappa {_printed(found.kappa, 1, 3, '')}" if found.kappa else f"{agreed}; no kappa"


def _printed(found: Interval, scale: int, digits: int, unit: str) -> str:
    value = f"{scale * found.value:.{digits}f}{unit}"
    if found.low is None or found.high is None:
        return value
    return f"{value} (95 % CI {scale * found.low:.{digits}f} to {scale * found.high:.{digits}f})"


def _of_field(name: str, cells: Sequence[RatedCell]) -> Agreement:
    agreed = _agreed(cells)
    return Agreement(
        name=name,
        cells=len(cells),
        agreed=agreed,
        share=wilson_interval(agreed, len(cells)),
        kappa=kappa([rating for _, rating in cells]),
    )


def _of_fields(name: str, by_field: Sequence[Sequence[RatedCell]]) -> Agreement:
    cells = sum(map(len, by_field))
    agreed = sum(map(_agreed, by_field))
    return Agreement(
        name=name, cells=cells, agreed=agreed, share=wilson_interval(agreed, cells), kappa=_jackknifed(by_field)
    )


def _agreed(cells: Sequence[RatedCell]) -> int:
    return sum(one == other for _, (one, other) in cells)


def _jackknifed(by_field: Sequence[Sequence[RatedCell]]) -> Interval | None:
    """The pooled kappa, with the interval that leaving out one document after the other gives."""
    value = pooled_kappa([rating for _, rating in cells] for cells in by_field)
    if value is None:
        return None
    without = [
        pooled_kappa([rating for ordinal, rating in cells if ordinal != left_out] for cells in by_field)
        for left_out in {ordinal for cells in by_field for ordinal, _ in cells}
    ]
    known = [one for one in without if one is not None]
    if len(known) < 2 or len(known) < len(without):
        return Interval(value=value, low=None, high=None)
    mean = sum(known) / len(known)
    spread = math.sqrt((len(known) - 1) / len(known) * sum((one - mean) ** 2 for one in known))
    return _interval(value, spread)


def _interval(value: float, error: float) -> Interval:
    z = normal_quantile(LEVEL)
    return Interval(value=value, low=max(-1.0, value - z * error), high=min(1.0, value + z * error))
