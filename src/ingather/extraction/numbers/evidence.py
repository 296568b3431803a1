"""The evidence of an answer: the cells and the sentences that its numbers were read from, or that were looked at."""

from collections.abc import Iterable, Sequence

from ingather.extraction.numbers.answer import NumbersEvidence
from ingather.extraction.numbers.from_sentences import SentenceAnswer
from ingather.extraction.numbers.from_tables import TableCandidate
from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.meaning import Figures
from ingather.extraction.numbers.paper import NumbersPaper


def evidence_of_sentence(found: SentenceAnswer, paper: NumbersPaper) -> NumbersEvidence:
    one = found.sentence
    return NumbersEvidence(page=one.page, quote=one.text, boxes=paper.place(one.page, one.start, one.end))


def evidence_of_cells(found: Iterable[TableCandidate]) -> tuple[NumbersEvidence, ...]:
    return tuple(
        one
        for candidate in found
        for figures in (candidate.intervention, candidate.comparator)
        for one in _evidence_of_arm(candidate, figures)
    )


def _evidence_of_arm(candidate: TableCandidate, figures: Figures) -> Iterable[NumbersEvidence]:
    table = candidate.cells.view.table
    for entry in figures.cells:
        yield NumbersEvidence(
            page=entry.cell.page,
            table=table.label or table.caption[:60] or None,
            row=_evidence_path(entry.rows) or None,
            column=_evidence_path(entry.columns) or None,
            quote=entry.cell.text,
            boxes=(entry.cell.box,) if entry.cell.box else (),
        )


def _evidence_path(labels: Sequence[TableLabel]) -> str:
    return " > ".join(label.text for label in labels)
