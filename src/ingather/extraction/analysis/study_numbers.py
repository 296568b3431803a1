"""All comparisons of one document: those of the review's questions, of its groups, and those it prints. Pure."""

from dataclasses import dataclass

from ingather.extraction.analysis.choices import Choices
from ingather.extraction.analysis.comparisons import (
    Comparison,
    RefusedComparison,
    StudyRows,
    comparisons_of_questions,
)
from ingather.extraction.analysis.group_pairs import comparisons_of_groups
from ingather.extraction.analysis.printed_effects import comparisons_of_effects
from ingather.extraction.findings import DocumentResult

USUAL: Choices = Choices()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyNumbers:
    """All comparisons of one document, and those that were refused."""

    comparisons: tuple[Comparison, ...]
    refused: tuple[RefusedComparison, ...]


def comparisons_of(document: DocumentResult, choices: Choices = USUAL) -> StudyNumbers:
    rows = StudyRows(document)
    found = [*comparisons_of_questions(rows), *comparisons_of_groups(rows, choices), *comparisons_of_effects(rows)]
    return StudyNumbers(
        comparisons=tuple(one for one in found if isinstance(one, Comparison)),
        refused=tuple(one for one in found if isinstance(one, RefusedComparison)),
    )
