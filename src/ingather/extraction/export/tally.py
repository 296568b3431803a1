"""How each answer stands, and how many stand so: what colours the tables and fills the Settings sheet."""

from collections import Counter
from enum import StrEnum

from ingather.extraction.findings import DocumentResult, Finding, State, Verdict


class Mark(StrEnum):
    """How a cell wants to be seen."""

    PLAIN = "plain"
    ATTENTION = "attention"  # a person should look
    ABSENT = "absent"  # a word about the answer, no value of the document
    FAILED = "failed"


BELIEVED = frozenset({Verdict.VERIFIED, Verdict.VERIFIED_FUZZY})


def is_computed(finding: Finding) -> bool:
    """Whether the value follows from other answers, so that there is no quote to check."""
    return finding.source == "computed" and finding.verdict is Verdict.NO_QUOTE


def mark_of(finding: Finding) -> Mark:
    """How a reader should look at a finding."""
    match finding.state:
        case State.REPORTED:
            return Mark.PLAIN if finding.verdict in BELIEVED or is_computed(finding) else Mark.ATTENTION
        case State.UNCLEAR:
            return Mark.ATTENTION
        case State.FAILED:
            return Mark.FAILED
        case _:
            return Mark.ABSENT


class Tally:
    """Counts over documents as they pass by."""

    def __init__(self) -> None:
        self.documents: Counter[str] = Counter()
        self.states: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()  # of reported values only
        self.sources: Counter[str] = Counter()
        self.computed = 0

    def add(self, document: DocumentResult) -> None:
        self.documents[document.state] += 1
        for finding in document.findings:
            self.states[finding.state] += 1
            self.sources[finding.source] += 1
            if finding.state is not State.REPORTED:
                continue
            if is_computed(finding):
                self.computed += 1
            else:
                self.verdicts[finding.verdict] += 1

    @property
    def reported(self) -> int:
        return self.states[State.REPORTED]

    @property
    def believed(self) -> int:
        return sum(self.verdicts[verdict] for verdict in BELIEVED)

    @property
    def not_verified(self) -> int:
        return self.reported - self.believed - self.computed
