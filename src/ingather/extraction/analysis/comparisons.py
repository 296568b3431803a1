"""Comparisons: who was compared with whom, on which outcome, when, with which numbers; and refused ones. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ingather.extraction.analysis.cells import Cells, CellState, Figure, study_key, study_of, worst
from ingather.extraction.analysis.conversions import GroupMean, Unusable
from ingather.extraction.analysis.effects import Effect, GroupEvents, Measure, binary_effect, continuous_effect
from ingather.extraction.findings import DocumentResult, Row
from ingather.notice import notice

# States of numbers that a person stands behind.
_SEEN: Final = frozenset({CellState.REVIEWED, CellState.ASSUMED})


class ComparisonKind(StrEnum):
    """What the numbers of a comparison are."""

    BINARY = "binary"  # events and people of both groups
    CONTINUOUS = "continuous"  # mean, SD and people of both groups
    REPORTED = "reported"  # an effect with its interval, as the paper prints it


# The numbers of each of the two groups.
NUMBERS_OF_KIND: Final = {ComparisonKind.CONTINUOUS: ("mean", "sd", "n"), ComparisonKind.BINARY: ("events", "n")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One comparison of one study, ready for an analysis. `figures` are its numbers by the column they stand in.

    `study_key` is the same for all documents of a study. `is_change` says that
    the numbers are changes from baseline, `is_adjusted` that a model adjusted
    them. `question` is the comparison as the review asks for it, and nothing
    where the paper's own arms are compared.
    """

    study: str
    study_key: str
    document_id: int
    ordinal: int
    outcome: str
    timepoint: str
    intervention: str
    comparator: str
    kind: ComparisonKind
    figures: dict[str, Figure]
    effects: dict[Measure, Effect]
    question: str = ""
    is_change: bool = False
    is_adjusted: bool = False

    @property
    def state(self) -> CellState:
        """The worst state among its numbers."""
        return worst(figure.state for figure in self.figures.values())

    @property
    def is_reviewed(self) -> bool:
        """Whether a person has looked at every number that was read, also at those that others are computed from."""
        return all(part.state in _SEEN for figure in self.figures.values() for part in figure.sources())

    @property
    def computed(self) -> dict[str, Figure]:
        """Those of its numbers that no paper prints."""
        return {name: figure for name, figure in self.figures.items() if figure.formula}


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


class StudyRows:
    """The rows of one document as comparisons are made of them."""

    def __init__(self, document: DocumentResult) -> None:
        self.cells = Cells(document)
        self._document = document
        self._labels = {row.key: row.label for row in document.rows}
        self._study = study_of(document, self.cells)

    def rows(self, scope: str) -> list[Row]:
        return [row for row in self._document.rows if row.scope == scope]

    def label(self, key: str) -> str:
        return self._labels.get(key) or key

    def comparison(self, **what: Any) -> Comparison:
        return Comparison(**self._origin(), study_key=study_key(self._document, self.cells), **what)

    def refused(self, about: str, row: str, field: str, why: str) -> RefusedComparison:
        return RefusedComparison(**self._origin(), about=about, row=row, field=field, why=why)

    def unsound(self, row: Row, time_field: str, *, needs_arm: bool) -> RefusedComparison | None:
        """The refusal of a row that does not say which outcome, group or time it stands for."""
        if "outcome" not in row.parts:
            why = notice("analysis.no_outcome", "Nothing says which outcome this is.")
            return self.refused(row.label, row.key, "", why)
        if needs_arm and "arm" not in row.parts:
            why = notice("analysis.no_group", "Nothing says which group this is.")
            return self.refused(row.label, row.key, "", why)
        if not self.cells.text(row.key, time_field) and not self.cells.is_not_applicable(row.key, time_field):
            why = notice("analysis.no_time", "Nothing says when this was measured.")
            return self.refused(row.label, row.key, time_field, why)
        return None

    def _origin(self) -> dict[str, Any]:
        document = self._document
        return {"study": self._study, "document_id": document.document_id, "ordinal": document.ordinal}


Found = Comparison | RefusedComparison


def comparisons_of_questions(rows: StudyRows) -> Iterator[Found]:
    """The review's own questions: both arms stand in one row, so nothing has to be paired."""
    for row in rows.rows("question"):
        kind = ComparisonKind(row.parts["kind"])
        figures = _figures_of_question(rows, row, kind)
        if isinstance(figures, RefusedComparison):
            yield figures
            continue
        try:
            effects = effects_of(kind, figures)
        except Unusable as why:
            yield rows.refused(row.label, row.key, "", str(why))
            continue
        yield rows.comparison(
            **{name: row.parts[name] for name in ("outcome", "timepoint", "intervention", "comparator")},
            kind=kind,
            figures=figures,
            effects=effects,
            question=f"{row.parts['intervention']} / {row.parts['comparator']}",
        )


def _figures_of_question(rows: StudyRows, row: Row, kind: ComparisonKind) -> dict[str, Figure] | RefusedComparison:
    """All numbers of a question, or the first that is not there."""
    figures: dict[str, Figure] = {}
    for side in ("1", "2"):
        for name in NUMBERS_OF_KIND[kind]:
            field = f"question_{name}_{side}"
            figure = rows.cells.figure(row.key, field)
            if figure is None:
                return rows.refused(row.label, row.key, field, no_single_number())
            figures[name + side] = figure
    return figures


def no_single_number() -> str:
    return notice("analysis.no_single_number", "There is no single number in this cell.")


def effects_of(kind: ComparisonKind, figures: dict[str, Figure]) -> dict[Measure, Effect]:
    """Every effect that these numbers give. A ratio that they say nothing of is left out where a difference exists."""
    value = {name: figure.value for name, figure in figures.items()}
    if kind is ComparisonKind.CONTINUOUS:
        one, two = (
            GroupMean(n=int(value["n" + side]), mean=value["mean" + side], sd=value["sd" + side]) for side in ("1", "2")
        )
        return {measure: continuous_effect(measure, one, two) for measure in (Measure.MD, Measure.SMD)}
    groups = [GroupEvents(events=value["events" + side], n=value["n" + side]) for side in ("1", "2")]
    effects = {Measure.RD: binary_effect(Measure.RD, *groups)}
    for measure in (Measure.RR, Measure.OR):
        try:
            effects[measure] = binary_effect(measure, *groups)
        except Unusable:
            continue
    return effects
