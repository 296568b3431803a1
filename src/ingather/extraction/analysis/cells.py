"""One number of a study as an analysis takes it: its value, how it is printed, and how far it may be trusted. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Final

from ingather.extraction.analysis.conversions import Formula
from ingather.extraction.findings import BELIEVED, CellPlace, DocumentResult, Finding, State, Value, Verdict

_NUMBER: Final = re.compile(r"[-\u2212]?\d+(?:[.\u00b7]\d+)?")


class CellState(StrEnum):
    """How a number stands in the mirror of states, from the one that needs no look to the one that has no value."""

    REVIEWED = "reviewed"
    VERIFIED = "verified"
    DERIVED = "derived"  # computed from other numbers by a formula
    ASSUMED = "assumed"  # an analyst's choice, such as a correlation that no paper prints
    UNBOUND = "unbound"  # its quote stands in the paper; that the value is what it says is not established
    UNVERIFIED = "unverified"
    CONFLICTING = "conflicting"  # several values stand in one cell
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number with its proof. A derived one has the formula and the figures that went into it, and no quote."""

    value: float
    printed: str
    state: CellState
    row: str
    field: str
    quote: str = ""
    page: int | None = None
    cell: CellPlace | None = None
    formula: Formula | None = None
    inputs: tuple["Figure", ...] = ()

    def parts(self) -> Iterator["Figure"]:
        """Itself, then everything that went into it, and what went into that."""
        yield self
        for one in self.inputs:
            yield from one.parts()

    def sources(self) -> Iterator["Figure"]:
        """The numbers that were read or assumed, and not computed."""
        return (one for one in self.parts() if not one.inputs)


class Cells:
    """The cells of one document, by row and field."""

    def __init__(self, document: DocumentResult) -> None:
        self._findings: dict[tuple[str, str], list[Finding]] = {}
        for finding in document.findings:
            self._findings.setdefault((finding.row, finding.field), []).append(finding)

    def state(self, row: str, field: str) -> CellState:
        found = self._reported(row, field)
        if not found:
            return CellState.MISSING
        if len({_key_of_parts(finding.value) for finding in found}) > 1:
            return CellState.CONFLICTING
        return min((_cell_state(finding) for finding in found), key=list(CellState).index)

    def is_not_applicable(self, row: str, field: str) -> bool:
        """Whether the paper, or a person, says that there is no such thing."""
        found = self._findings.get((row, field), [])
        return bool(found) and all(finding.state is State.NOT_APPLICABLE for finding in found)

    def text(self, row: str, field: str) -> str:
        """The one answer of a cell as text; nothing where there is none, or more than one."""
        found = self._reported(row, field)
        values = {_key_of_parts(finding.value) for finding in found}
        return values.pop() if len(values) == 1 else ""

    def figure(self, row: str, field: str) -> Figure | None:
        """The one number of a cell; nothing where there is none, or more than one."""
        found = self._reported(row, field)
        state = self.state(row, field)
        if state in {CellState.MISSING, CellState.CONFLICTING}:
            return None
        finding = min(found, key=lambda one: list(CellState).index(_cell_state(one)))
        if isinstance(finding.value, bool) or not isinstance(finding.value, int | float):
            return None
        return _figure_of_finding(finding, state, float(finding.value), printed(finding))

    def as_figure(self, row: str, field: str, *, value: float, printed: str) -> Figure | None:
        """The number that stands in the text of a cell, such as the P in `P = 0.03`; nothing where texts differ."""
        state = self.state(row, field)
        if state in {CellState.MISSING, CellState.CONFLICTING}:
            return None
        return _figure_of_finding(self._reported(row, field)[0], state, value, printed)

    def has_conflict(self, row: str, field: str) -> bool:
        """Whether several values stand in the cell."""
        return self.state(row, field) is CellState.CONFLICTING

    def _reported(self, row: str, field: str) -> list[Finding]:
        return [
            finding
            for finding in self._findings.get((row, field), [])
            if finding.state is State.REPORTED and finding.value is not None
        ]


def _figure_of_finding(finding: Finding, state: CellState, value: float, printed: str) -> Figure:
    return Figure(
        value=value,
        printed=printed,
        state=state,
        row=finding.row,
        field=finding.field,
        quote=finding.quote,
        page=finding.pages[0] if finding.pages else None,
        cell=finding.standing_cell,
    )


def study_of(document: DocumentResult, cells: Cells) -> str:
    """The study's id, or the name of its file where nobody has given one."""
    return cells.text("", "study_id") or document.study or PurePath(document.file_name).stem


def study_key(document: DocumentResult, cells: Cells) -> str:
    """What the reports of one study have in common: its number, or else the name that they were given."""
    if document.study_id:
        return f"study {document.study_id}"
    given = cells.text("", "study_id")
    return given.casefold() if given else f"document {document.document_id}"


def printed(finding: Finding) -> str:
    """A number with the digits that the paper prints, so that 19.0 stays 19.0; as it was typed if a person gave it."""
    own = _own_text(finding)
    for text in _NUMBER.findall(own):
        plain = str(text.replace("\u2212", "-").replace("\u00b7", "."))
        if isinstance(finding.value, int | float) and float(plain) == finding.value:
            return plain
    return repr(finding.value)


def _own_text(finding: Finding) -> str:
    """The value's own characters, where the quote stands on its page character by character, or those of its cell."""
    if finding.cell is not None and finding.source != "reviewer":
        return finding.quote
    if len(finding.spans) != 1 or len(finding.value_spans) != 1 or finding.source == "reviewer":
        return ""
    span, own = finding.spans[0], finding.value_spans[0]
    is_inside = span.page == own.page and span.start <= own.start and own.end <= span.end
    if not is_inside or len(finding.quote) != span.end - span.start:
        return ""
    return finding.quote[own.start - span.start : own.end - span.start]


def _cell_state(finding: Finding) -> CellState:
    if finding.is_reviewed:
        return CellState.REVIEWED
    if finding.is_outdated:
        return CellState.UNVERIFIED
    if finding.verdict in BELIEVED:
        return CellState.VERIFIED
    return CellState.UNBOUND if finding.verdict is Verdict.UNBOUND else CellState.UNVERIFIED


def _key_of_parts(value: Value) -> str:
    return "; ".join(value) if isinstance(value, list) else str(value)


def worst(states: Iterable[CellState]) -> CellState:
    """The state that a reader should know of, among several."""
    return max(states, key=list(CellState).index)
