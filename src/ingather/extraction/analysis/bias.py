"""Judgements of the risk of bias (RoB 2) as robvis reads them, with the state of each. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingather.extraction.analysis.cells import Cells, CellState, study_of
from ingather.extraction.findings import DocumentResult
from ingather.extraction.judgements import rob2

# The columns of robvis, and the fields of the template that stand in them.
COLUMNS: Final = {
    **{f"D{number}": domain.field for number, domain in enumerate(rob2.DOMAINS, 1)},
    "Overall": "rob2_overall",
}
# Judgements as robvis spells them.
SPELLED: Final = {rob2.LOW: "Low", rob2.SOME: "Some concerns", rob2.HIGH: "High"}
NO_JUDGEMENT: Final = "No information"


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasRow:
    """One result that was judged: a judgement for each column, and how far each may be trusted."""

    study: str
    document_id: int
    ordinal: int
    about: str
    row: str
    judgements: dict[str, str]
    states: dict[str, CellState]


def bias_of(document: DocumentResult) -> Iterator[BiasRow]:
    """One for each result whose risk of bias was asked for; a judgement that there is not is said to be none."""
    cells = Cells(document)
    study = study_of(document, cells)
    for row in document.rows:
        judged = {column: cells.text(row.key, field) for column, field in COLUMNS.items()}
        if row.scope == "domain" and any(judged.values()):
            yield BiasRow(
                study=study,
                document_id=document.document_id,
                ordinal=document.ordinal,
                about=row.label,
                row=row.key,
                judgements={column: SPELLED.get(value, NO_JUDGEMENT) for column, value in judged.items()},
                states={column: cells.state(row.key, field) for column, field in COLUMNS.items()},
            )
