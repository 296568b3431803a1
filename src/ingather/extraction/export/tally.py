"""How each answer stands, and how many stand so: what colours the tables and fills the Settings sheet."""

from collections import Counter
from enum import StrEnum
from typing import Final

from ingather.extraction.cell_marks import CellMark, attention_of_cell, is_cell_computed, mark_of_cell
from ingather.extraction.findings import BELIEVED, REVIEWER, Action, DocumentResult, Finding, State


class Emphasis(StrEnum):
    """How a cell wants to be seen."""

    PLAIN = "plain"
    ATTENTION = "attention"  # a person should look
    ABSENT = "absent"  # a word about the answer, no value of the document
    FAILED = "failed"


_ABSENT: Final = frozenset({CellMark.NOT_REPORTED, CellMark.NOT_APPLICABLE, CellMark.OPEN})


def emphasis_of(finding: Finding) -> Emphasis:
    """How a reader should look at a finding. What a person has looked at needs no other look."""
    if finding.is_reviewed:
        return Emphasis.PLAIN if finding.state is State.REPORTED else Emphasis.ABSENT
    if finding.state is State.FAILED and not finding.is_outdated:
        return Emphasis.FAILED
    if attention_of_cell(finding, is_flagged=False):
        return Emphasis.ATTENTION
    return Emphasis.ABSENT if mark_of_cell(finding) in _ABSENT else Emphasis.PLAIN


class Tally:
    """Counts over documents as they pass by."""

    def __init__(self) -> None:
        self.documents: Counter[str] = Counter()
        self.checks: Counter[int] = Counter()  # documents, by the version of the checks that judged them
        self.states: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()  # of reported values only, as extracted
        self.sources: Counter[str] = Counter()
        self.actions: Counter[str] = Counter()  # of reviews that count
        self.outdated = 0
        self.computed = 0
        self.not_verified = 0  # neither by the code nor by a person
        self.not_reviewed = 0

    def add(self, document: DocumentResult) -> None:
        self.documents[document.state] += 1
        if document.findings:
            self.checks[document.checks_version] += 1
        for finding in document.findings:
            self.states[finding.state] += 1
            self.sources[finding.source] += 1
            self.outdated += finding.is_outdated
            if finding.review and finding.is_reviewed:
                self.actions[finding.review.action] += 1
            if finding.state is not State.REPORTED:
                continue
            self.not_reviewed += not finding.is_reviewed
            if is_cell_computed(finding):
                self.computed += 1
            elif finding.source != REVIEWER:
                self.verdicts[finding.verdict] += 1
                self.not_verified += finding.verdict not in BELIEVED and not finding.is_reviewed

    @property
    def reported(self) -> int:
        return self.states[State.REPORTED]

    @property
    def believed(self) -> int:
        return sum(self.verdicts[verdict] for verdict in BELIEVED)

    @property
    def answers(self) -> int:
        return self.states.total()

    @property
    def reviewed(self) -> int:
        return self.actions.total()

    def reviews(self) -> dict[str, int]:
        """How much of all this a person has looked at."""
        return {
            "answers": self.answers,
            "reviewed": self.reviewed,
            "unreviewed": self.answers - self.reviewed,
            "unreviewed_values": self.not_reviewed,
            "outdated": self.outdated,
            **{action.value: self.actions[action] for action in Action if action is not Action.WITHDRAWN},
        }
