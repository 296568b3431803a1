"""Who was compared with whom, on which outcome, when, with which numbers; and what keeps a comparison out. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any, Final

from ingather.extraction.analysis.cells import Cells, CellState, Figure, study_of, worst
from ingather.extraction.analysis.conversions import GroupMean, Unusable
from ingather.extraction.analysis.effects import (
    Effect,
    GroupEvents,
    Measure,
    binary_effect,
    continuous_effect,
    reported_effect,
)
from ingather.extraction.analysis.groups import EVENTS, MEAN, MEDIAN, PERCENT, MissingFigure, read_events, read_mean
from ingather.extraction.findings import DocumentResult, Row
from ingather.notice import notice

# Roles of arms, as the templates have them. A group of the first kind is compared with each of the second.
INTERVENTIONS: Final = frozenset({"experimental", "dose_variant"})
CONTROLS: Final = frozenset({"active_comparator", "placebo", "sham", "usual_care", "no_treatment", "waitlist"})
PRINTED_MEASURES: Final = frozenset(Measure)


class ComparisonKind(StrEnum):
    """What the numbers of a comparison are."""

    BINARY = "binary"  # events and people of both groups
    CONTINUOUS = "continuous"  # mean, SD and people of both groups
    REPORTED = "reported"  # an effect with its interval, as the paper prints it


_NAMES: Final = {ComparisonKind.CONTINUOUS: ("mean", "sd", "n"), ComparisonKind.BINARY: ("events", "n")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One comparison of one study, ready for an analysis. `figures` are its numbers by the column they stand in.

    `shared_by` counts the comparisons of this outcome and time that use the
    same control group: pooled together, they count its people that often.
    `question` is the comparison as the review asks for it, and nothing where
    the paper's own arms are compared.
    """

    study: str
    document_id: int
    ordinal: int
    outcome: str
    timepoint: str
    intervention: str
    comparator: str
    kind: ComparisonKind
    figures: dict[str, Figure]
    effects: dict[Measure, Effect]
    shared_by: int = 1
    question: str = ""

    @property
    def state(self) -> CellState:
        """The worst state among its numbers."""
        return worst(figure.state for figure in self.figures.values())

    @property
    def is_reviewed(self) -> bool:
        """Whether a person has looked at every number that was read, also at those that others are computed from."""
        return all(
            part.state is CellState.REVIEWED for figure in self.figures.values() for part in figure.inputs or (figure,)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedComparison:
    """A comparison that is not sound enough for an analysis, with the cell that a person can mend."""

    study: str
    document_id: int
    ordinal: int
    about: str
    row: str
    field: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyNumbers:
    """All comparisons of one document, and those that were refused."""

    comparisons: tuple[Comparison, ...]
    refused: tuple[RefusedComparison, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """The result of one arm for one outcome at one time."""

    row: str
    arm: str
    role: str


def comparisons_of(document: DocumentResult) -> StudyNumbers:
    reading = _Reading(document)
    found = [*reading.of_questions(), *reading.of_groups(), *reading.of_effects()]
    return StudyNumbers(
        comparisons=tuple(one for one in found if isinstance(one, Comparison)),
        refused=tuple(one for one in found if isinstance(one, RefusedComparison)),
    )


class _Reading:
    """Reads the comparisons of one document from its rows."""

    def __init__(self, document: DocumentResult) -> None:
        self._document = document
        self._cells = Cells(document)
        self._labels = {row.key: row.label for row in document.rows}
        self._study = study_of(document, self._cells)

    def of_groups(self) -> Iterator[Comparison | RefusedComparison]:
        at_once: defaultdict[tuple[str, str, str], list[_Group]] = defaultdict(list)
        for row in self._rows("arm_result"):
            refused = self._refused_row(row, "r_timepoint", needs_arm=True)
            if refused:
                yield refused
                continue
            when, kind = self._time(row.key, "r_timepoint"), self._cells.text(row.key, "r_value_kind")
            arm = row.parts["arm"]
            group = _Group(row=row.key, arm=self._label(arm), role=self._cells.text(arm, "arm_role"))
            if not group.role:
                yield self._refused(
                    row,
                    arm,
                    "arm_role",
                    notice("analysis.no_role", "Nothing says whether this group is compared, or compared to."),
                )
                continue
            at_once[row.parts["outcome"], when, kind].append(group)
        for (outcome, when, _), groups in at_once.items():
            yield from self._paired(self._label(outcome), when, groups)

    def of_questions(self) -> Iterator[Comparison | RefusedComparison]:
        """The review's own questions: both arms stand in one row, so nothing has to be paired."""
        rows = self._rows("question")
        for row in rows:
            kind = ComparisonKind(row.parts["kind"])
            figures = self._figures_of(row, kind)
            if isinstance(figures, RefusedComparison):
                yield figures
                continue
            try:
                effects = _effects(kind, figures)
            except Unusable as why:
                yield self._refused(row, row.key, "", str(why))
                continue
            same = ("outcome", "timepoint", "comparator")
            yield Comparison(
                **self._origin(),
                outcome=row.parts["outcome"],
                timepoint=row.parts["timepoint"],
                intervention=row.parts["intervention"],
                comparator=row.parts["comparator"],
                kind=kind,
                figures=figures,
                effects=effects,
                shared_by=sum(all(one.parts[name] == row.parts[name] for name in same) for one in rows),
                question=f"{row.parts['intervention']} / {row.parts['comparator']}",
            )

    def _figures_of(self, row: Row, kind: ComparisonKind) -> dict[str, Figure] | RefusedComparison:
        """All numbers of a question, or the first that is not there."""
        figures: dict[str, Figure] = {}
        for side in ("1", "2"):
            for name in _NAMES[kind]:
                field = f"question_{name}_{side}"
                figure = self._cells.figure(row.key, field)
                if figure is None:
                    return self._refused(
                        row,
                        row.key,
                        field,
                        notice("analysis.no_single_number", "There is no single number in this cell."),
                    )
                figures[name + side] = figure
        return figures

    def of_effects(self) -> Iterator[Comparison | RefusedComparison]:
        for row in self._rows("contrast"):
            measure = self._cells.text(row.key, "c_measure")
            refused = self._refused_row(row, "c_timepoint", needs_arm=False)
            if refused:
                yield refused
            elif not (arms := self._cells.text(row.key, "c_arms")):
                yield self._refused(
                    row, row.key, "c_arms", notice("analysis.no_arms", "Nothing says who was compared with whom.")
                )
            elif measure not in PRINTED_MEASURES:
                yield self._refused(
                    row,
                    row.key,
                    "c_measure",
                    notice("analysis.no_measure", "This measure is none that can be pooled here."),
                )
            else:
                yield self._effect(row, arms, Measure(measure))

    def _effect(self, row: Row, arms: str, measure: Measure) -> Comparison | RefusedComparison:
        fields = {"estimate": "c_estimate", "ci_low": "c_ci_low", "ci_high": "c_ci_high", "ci_level": "c_ci_level"}
        figures = {name: self._cells.figure(row.key, field) for name, field in fields.items()}
        for name, figure in figures.items():
            if figure is None:
                return self._refused(
                    row,
                    row.key,
                    fields[name],
                    notice("analysis.no_single_number", "There is no single number in this cell."),
                )
        given = {name: figure for name, figure in figures.items() if figure is not None}
        try:
            effect = reported_effect(measure, *(given[name].value for name in fields))
        except Unusable as why:
            return self._refused(row, row.key, "c_estimate", str(why))
        intervention, _, comparator = arms.partition(" vs ")
        return Comparison(
            **self._origin(),
            outcome=self._label(row.parts["outcome"]),
            timepoint=self._time(row.key, "c_timepoint"),
            intervention=intervention.strip(),
            comparator=comparator.strip(),
            kind=ComparisonKind.REPORTED,
            figures=given,
            effects={measure: effect},
        )

    def _paired(self, outcome: str, when: str, groups: list[_Group]) -> Iterator[Comparison | RefusedComparison]:
        interventions = [group for group in groups if group.role in INTERVENTIONS]
        controls = [group for group in groups if group.role in CONTROLS]
        if not interventions or not controls:
            about = f"{outcome}, {when}: {', '.join(group.arm for group in groups)}"
            why = (
                notice("analysis.no_control", "There is no group to compare with.")
                if interventions
                else notice("analysis.no_intervention", "There is no group that is compared.")
            )
            yield RefusedComparison(**self._origin(), about=about, row=groups[0].row, field="", why=why)
        for one, two in product(interventions, controls):
            found = self._numbers(one, two)
            if isinstance(found, MissingFigure):
                about = f"{outcome}, {when}: {one.arm} vs {two.arm}"
                yield RefusedComparison(**self._origin(), about=about, row=found.row, field=found.field, why=found.why)
                continue
            kind, figures, effects = found
            yield Comparison(
                **self._origin(),
                outcome=outcome,
                timepoint=when,
                intervention=one.arm,
                comparator=two.arm,
                kind=kind,
                figures=figures,
                effects=effects,
                shared_by=len(interventions),
            )

    def _numbers(
        self, one: _Group, two: _Group
    ) -> tuple[ComparisonKind, dict[str, Figure], dict[Measure, Effect]] | MissingFigure:
        has_means = any(self._cells.figure(group.row, field) for group in (one, two) for field in (MEAN, MEDIAN))
        has_events = any(self._cells.figure(group.row, field) for group in (one, two) for field in (EVENTS, PERCENT))
        kind = ComparisonKind.CONTINUOUS if has_means and not has_events else ComparisonKind.BINARY
        names = _NAMES[kind]
        read = read_mean if kind is ComparisonKind.CONTINUOUS else read_events
        figures: dict[str, Figure] = {}
        for side, group in (("1", one), ("2", two)):
            for name, figure in zip(names, read(self._cells, group.row), strict=True):
                if isinstance(figure, MissingFigure):
                    return figure
                figures[name + side] = figure
        try:
            return kind, figures, _effects(kind, figures)
        except Unusable as why:
            return MissingFigure(row=one.row, field="", why=str(why))

    def _refused_row(self, row: Row, time_field: str, *, needs_arm: bool) -> RefusedComparison | None:
        if "outcome" not in row.parts:
            return self._refused(row, row.key, "", notice("analysis.no_outcome", "Nothing says which outcome this is."))
        if needs_arm and "arm" not in row.parts:
            return self._refused(row, row.key, "", notice("analysis.no_group", "Nothing says which group this is."))
        if not self._time(row.key, time_field) and not self._cells.is_not_applicable(row.key, time_field):
            return self._refused(
                row, row.key, time_field, notice("analysis.no_time", "Nothing says when this was measured.")
            )
        return None

    def _refused(self, row: Row, key: str, field: str, why: str) -> RefusedComparison:
        return RefusedComparison(**self._origin(), about=row.label, row=key, field=field, why=why)

    def _origin(self) -> dict[str, Any]:
        document = self._document
        return {"study": self._study, "document_id": document.document_id, "ordinal": document.ordinal}

    def _rows(self, scope: str) -> list[Row]:
        return [row for row in self._document.rows if row.scope == scope]

    def _label(self, key: str) -> str:
        return self._labels.get(key) or key

    def _time(self, row: str, field: str) -> str:
        return self._cells.text(row, field)


def _effects(kind: ComparisonKind, figures: dict[str, Figure]) -> dict[Measure, Effect]:
    """Every effect that these numbers give. A ratio that they say nothing of is left out where a difference exists."""
    if kind is ComparisonKind.CONTINUOUS:
        means = [
            GroupMean(
                n=int(figures["n" + side].value), mean=figures["mean" + side].value, sd=figures["sd" + side].value
            )
            for side in ("1", "2")
        ]
        return {measure: continuous_effect(measure, *means) for measure in (Measure.MD, Measure.SMD)}
    groups = [GroupEvents(events=figures["events" + side].value, n=figures["n" + side].value) for side in ("1", "2")]
    effects = {Measure.RD: binary_effect(Measure.RD, *groups)}
    for measure in (Measure.RR, Measure.OR):
        try:
            effects[measure] = binary_effect(measure, *groups)
        except Unusable:
            continue
    return effects
