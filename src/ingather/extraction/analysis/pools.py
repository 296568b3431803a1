"""The comparisons of all studies that ask the same question, pooled where there are two or more. Pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
class PoolMember:
    """A comparison in a pool. `parts` are how many comparisons there count the people of its groups 1 and 2."""

    comparison: Comparison
    parts: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolQuestion:
    """What several studies answer: an outcome at a time, as final values or as change. `number` counts from 1.

    `repeated` are comparisons whose people are counted already: the same
    groups of a study, in another report or adjusted.
    """

    number: int
    outcome: str
    timepoint: str
    kind: ComparisonKind
    is_change: bool
    members: tuple[PoolMember, ...]
    repeated: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLine:
    """One study of a pool: its comparison and its effect. `formula` is set where a group is divided."""

    comparison: Comparison
    effect: Effect
    formula: Formula | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The studies of one question, by one measure. `common` and `random` are none for a single study."""

    question: PoolQuestion
    measure: Measure
    lines: tuple[PoolLine, ...]
    common: Pooled | None
    random: Pooled | None
    left_out: tuple[Comparison, ...]
    """Comparisons that say nothing of this measure: a ratio where nobody had the event, a part with too few people."""

    @property
    def outcome(self) -> str:
        return self.question.outcome

    @property
    def timepoint(self) -> str:
        return self.question.timepoint

    @property
    def kind(self) -> ComparisonKind:
        return self.question.kind


def pool_questions(comparisons: Iterable[Comparison]) -> list[PoolQuestion]:
    """The questions that are answered, in the order in which they first appear."""
    alike: defaultdict[tuple[str, str, str, ComparisonKind, bool, str], list[Comparison]] = defaultdict(list)
    for one in comparisons:
        measure = next(iter(one.effects)) if one.kind is ComparisonKind.REPORTED else ""
        key = one.outcome.casefold(), one.timepoint.casefold(), one.question.casefold()
        alike[*key, one.kind, one.is_change, measure].append(one)
    return [_question_of_comparisons(number, found) for number, found in enumerate(alike.values(), 1)]


def pools_of(comparisons: Iterable[Comparison]) -> Iterator[Pool]:
    """A pool for each question and measure."""
    for question in pool_questions(comparisons):
        for measure in MEASURES[question.kind]:
            if any(measure in member.comparison.effects for member in question.members):
                yield _pool_of_question(question, measure)


def _question_of_comparisons(number: int, found: list[Comparison]) -> PoolQuestion:
    counted: dict[tuple[str, str, str], Comparison] = {}
    repeated: list[Comparison] = []
    for one in sorted(found, key=lambda one: one.is_adjusted):  # the sort is stable: else in the order of documents
        groups = one.study_key, one.intervention.casefold(), one.comparator.casefold()
        if groups in counted:
            repeated.append(one)
        else:
            counted[groups] = one
    uses: Counter[tuple[str, str]] = Counter()
    for study, intervention, comparator in counted:
        uses[study, intervention] += 1
        uses[study, comparator] += 1
    first = found[0]
    return PoolQuestion(
        number=number,
        outcome=f"{first.outcome}: {first.question}" if first.question else first.outcome,
        timepoint=first.timepoint,
        kind=first.kind,
        is_change=first.is_change,
        members=tuple(
            PoolMember(
                comparison=comparison,
                # A printed effect has no people to divide.
                parts=(1, 1)
                if first.kind is ComparisonKind.REPORTED
                else (uses[study, intervention], uses[study, comparator]),
            )
            for (study, intervention, comparator), comparison in counted.items()
        ),
        repeated=tuple(repeated),
    )


def _pool_of_question(question: PoolQuestion, measure: Measure) -> Pool:
    usable = [member for member in question.members if measure in member.comparison.effects]
    found = {id(member): _line_of_pool(member, measure) for member in usable}
    lines = tuple(line for line in found.values() if line)
    effects = [line.effect for line in lines]
    return Pool(
        question=question,
        measure=measure,
        lines=lines,
        common=pool_common(effects) if len(effects) > 1 else None,
        random=pool_random(effects) if len(effects) > 1 else None,
        left_out=tuple(one.comparison for one in question.members if not found.get(id(one))),
    )


def _line_of_pool(member: PoolMember, measure: Measure) -> PoolLine | None:
    """Where several comparisons of a pool use one group, each counts its part; nothing where that is too small."""
    comparison = member.comparison
    if member.parts == (1, 1):
        return PoolLine(comparison=comparison, effect=comparison.effects[measure])
    try:
        effect = _with_parts_of_groups(member, measure)
    except Unusable:
        return None
    return PoolLine(comparison=comparison, effect=effect, formula=Formula.SHARED_CONTROL)


def _with_parts_of_groups(member: PoolMember, measure: Measure) -> Effect:
    value = {name: figure.value for name, figure in member.comparison.figures.items()}
    sides = list(zip("12", member.parts, strict=True))
    if member.comparison.kind is ComparisonKind.BINARY:
        one, two = (
            GroupEvents(
                events=share_of_control(value["events" + side], part), n=share_of_control(value["n" + side], part)
            )
            for side, part in sides
        )
        return binary_effect(measure, one, two)
    first, second = (
        GroupMean(
            n=math.floor(share_of_control(value["n" + side], part)), mean=value["mean" + side], sd=value["sd" + side]
        )
        for side, part in sides
    )
    return continuous_effect(measure, first, second)
