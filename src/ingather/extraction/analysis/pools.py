"""The comparisons of all studies that ask the same question, pooled where there are two or more. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ingather.extraction.analysis.comparisons import Comparison, ComparisonKind
from ingather.extraction.analysis.conversions import Formula, GroupMean, Unusable, share_of_control
from ingather.extraction.analysis.effects import Effect, GroupEvents, Measure, binary_effect, continuous_effect
from ingather.extraction.analysis.pooling import Pooled, pool_common, pool_random

# The measures that numbers of a kind give, the usual one first.
MEASURES: Final[dict[ComparisonKind, tuple[Measure, ...]]] = {
    ComparisonKind.BINARY: (Measure.RR, Measure.OR, Measure.RD),
    ComparisonKind.CONTINUOUS: (Measure.MD, Measure.SMD),
    ComparisonKind.REPORTED: tuple(Measure),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLine:
    """One study of a pool: its comparison and its effect. `formula` is set where its control is divided."""

    comparison: Comparison
    effect: Effect
    formula: Formula | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The studies of one outcome at one time, by one measure. `common` and `random` are none for a single study."""

    outcome: str
    timepoint: str
    kind: ComparisonKind
    measure: Measure
    lines: tuple[PoolLine, ...]
    common: Pooled | None
    random: Pooled | None
    left_out: tuple[Comparison, ...]
    """Comparisons whose numbers say nothing of this measure: a ratio where nobody had the event."""


def pools_of(comparisons: Iterable[Comparison]) -> Iterator[Pool]:
    """A pool for each outcome, time and measure, in the order in which they first appear."""
    questions: defaultdict[tuple[str, str, str, ComparisonKind], list[Comparison]] = defaultdict(list)
    for comparison in comparisons:
        outcome, when = comparison.outcome.casefold(), comparison.timepoint.casefold()
        questions[outcome, when, comparison.question.casefold(), comparison.kind].append(comparison)
    for (_, _, _, kind), alike in questions.items():
        for measure in MEASURES[kind]:
            if any(measure in comparison.effects for comparison in alike):
                yield _pool_of_comparisons(kind, measure, alike)


def _pool_of_comparisons(kind: ComparisonKind, measure: Measure, comparisons: list[Comparison]) -> Pool:
    usable = [comparison for comparison in comparisons if measure in comparison.effects]
    lines = tuple(_line_of_pool(comparison, measure, usable) for comparison in usable)
    effects = [line.effect for line in lines]
    first = comparisons[0]
    return Pool(
        outcome=f"{first.outcome}: {first.question}" if first.question else first.outcome,
        timepoint=comparisons[0].timepoint,
        kind=kind,
        measure=measure,
        lines=lines,
        common=pool_common(effects) if len(effects) > 1 else None,
        random=pool_random(effects) if len(effects) > 1 else None,
        left_out=tuple(comparison for comparison in comparisons if measure not in comparison.effects),
    )


def _line_of_pool(comparison: Comparison, measure: Measure, pooled: list[Comparison]) -> PoolLine:
    """Where several comparisons of a pool share one control group, each counts its part of it."""
    sharing = [
        other
        for other in pooled
        if (other.document_id, other.comparator) == (comparison.document_id, comparison.comparator)
    ]
    if len(sharing) < 2 or comparison.kind is ComparisonKind.REPORTED:
        return PoolLine(comparison=comparison, effect=comparison.effects[measure])
    try:
        effect = _with_part_of_control(comparison, measure, len(sharing))
    except Unusable:  # too few people are left for it: their whole control counts, and `shared_by` says so
        return PoolLine(comparison=comparison, effect=comparison.effects[measure])
    return PoolLine(comparison=comparison, effect=effect, formula=Formula.SHARED_CONTROL)


def _with_part_of_control(comparison: Comparison, measure: Measure, count: int) -> Effect:
    value = {name: figure.value for name, figure in comparison.figures.items()}
    if comparison.kind is ComparisonKind.BINARY:
        control = GroupEvents(events=share_of_control(value["events2"], count), n=share_of_control(value["n2"], count))
        return binary_effect(measure, GroupEvents(events=value["events1"], n=value["n1"]), control)
    one, two = (
        GroupMean(n=int(value["n" + side]), mean=value["mean" + side], sd=value["sd" + side]) for side in ("1", "2")
    )
    return continuous_effect(measure, one, replace(two, n=math.floor(share_of_control(two.n, count))))
