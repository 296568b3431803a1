"""How a cell stands at a glance: one mark for it, and whether a person should look. Pure.

Tables on the screen and in files show the same marks, because both take them
from here.
"""

from enum import StrEnum
from typing import Final

from ingather.extraction.findings import BELIEVED, EMBEDDED, REVIEWER, Action, DocumentResult, Finding, State, Verdict


class CellMark(StrEnum):
    """What stands in a cell, in one mark: what a person said of it, or else what the code says of what was found."""

    VERIFIED = "verified"
    VERIFIED_FUZZY = "verified_fuzzy"
    UNBOUND = "unbound"
    QUOTE_NOT_FOUND = "quote_not_found"
    NUMBER_MISMATCH = "number_mismatch"
    POLARITY_MISMATCH = "polarity_mismatch"
    UNSUPPORTED_VALUE = "unsupported_value"
    NO_QUOTE = "no_quote"
    NOT_REPORTED = "not_reported"
    NOT_APPLICABLE = "not_applicable"
    UNCLEAR = "unclear"
    OPEN = "open"  # our own rules did not look
    FAILED = "failed"
    COMPUTED = "computed"  # it follows from other answers
    GIVEN = "given"  # by a person
    REJECTED = "rejected"


class Attention(StrEnum):
    """Why a person should look at a cell, the most urgent first."""

    DISAGREED = "disagreed"  # two reviewers differ, and nobody has settled it
    CONTRADICTED = "contradicted"  # nearly these words stand in the document, and they say something else
    UNPROVEN = "unproven"  # the quote does not hold, nothing usable came, or a review judged something else
    RULE_BROKEN = "rule_broken"


_VERDICTS: Final = {verdict: CellMark(verdict) for verdict in Verdict}
# A person's refusal is no verified value, whatever the code says of the quote.
_REFUSALS: Final = {
    action: CellMark(action) for action in (Action.REJECTED, Action.NOT_REPORTED, Action.NOT_APPLICABLE, Action.UNCLEAR)
}
_CONTRADICTED: Final = frozenset({CellMark.NUMBER_MISMATCH, CellMark.POLARITY_MISMATCH})
# The quote does not hold, or nothing usable came.
_WRONG: Final = frozenset(mark for verdict, mark in _VERDICTS.items() if verdict not in BELIEVED) | {
    CellMark.FAILED,
    CellMark.UNCLEAR,
}


def is_cell_computed(finding: Finding) -> bool:
    """Whether the value follows from other answers, so that there is no quote to check."""
    return finding.source == "computed" and finding.verdict is Verdict.NO_QUOTE


def mark_of_cell(finding: Finding) -> CellMark:
    if finding.review is not None and finding.is_reviewed and finding.review.action in _REFUSALS:
        return _REFUSALS[finding.review.action]
    is_given = finding.source == REVIEWER
    if is_given and (finding.extracted is None or finding.state is State.REPORTED):
        return CellMark.GIVEN
    was = finding.extracted if is_given and finding.extracted else finding
    match was.state:
        case State.FAILED:
            return CellMark.FAILED
        case State.NOT_APPLICABLE:
            return CellMark.NOT_APPLICABLE
        case State.NOT_REPORTED:
            return _wrong_verdict_of_cell(finding) or CellMark.NOT_REPORTED
        case State.UNCLEAR if was.source == EMBEDDED and not finding.quote:
            return CellMark.OPEN
        case State.UNCLEAR:
            return _wrong_verdict_of_cell(finding) or CellMark.UNCLEAR
        case _:
            return CellMark.COMPUTED if is_cell_computed(finding) else _VERDICTS[finding.verdict]


def _wrong_verdict_of_cell(finding: Finding) -> CellMark | None:
    """The verdict on the quote of an answer without a value, where the quote does not hold."""
    return _VERDICTS[finding.verdict] if finding.quote and finding.verdict not in BELIEVED else None


def attention_of_cell(finding: Finding, *, is_flagged: bool) -> Attention | None:
    """Why a person should look; nothing, where nobody has to. What was reviewed needs no other look."""
    if finding.is_reviewed:
        return None
    mark = mark_of_cell(finding)
    if mark in _CONTRADICTED:
        return Attention.CONTRADICTED
    if finding.is_outdated or mark in _WRONG:
        return Attention.UNPROVEN
    return Attention.RULE_BROKEN if is_flagged else None


class FlaggedCells:
    """The cells of a document that broken rules name.

    A flag of a row that has no such field (arms that do not add up) concerns
    the field in every row.
    """

    def __init__(self, found: DocumentResult) -> None:
        self._named = {(flag.row, field) for flag in found.flags for field in flag.fields}
        elsewhere = self._named - {(finding.row, finding.field) for finding in found.findings}
        self._in_every_row = {field for _, field in elsewhere}

    def __contains__(self, place: tuple[str, str]) -> bool:
        return place in self._named or place[1] in self._in_every_row
