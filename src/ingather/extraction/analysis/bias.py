"""Judgements of the risk of bias (RoB 2) as robvis reads them, with their state; and their picture. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.analysis.cells import Cells, CellState, study_of
from ingather.extraction.analysis.svg import attribute, content, drawing, text_at
from ingather.extraction.findings import DocumentResult
from ingather.extraction.judgements import rob2

# The columns of robvis, and the fields of the template that stand in them.
COLUMNS: Final = {
    **{f"D{number}": domain.field for number, domain in enumerate(rob2.DOMAINS, 1)},
    "Overall": "rob2_overall",
}
# Judgements as robvis spells them, with the colour and the sign of each: colour alone does not reach everybody.
SPELLED: Final = {rob2.LOW: "Low", rob2.SOME: "Some concerns", rob2.HIGH: "High"}
NO_JUDGEMENT: Final = "No information"
LOOKS: Final = {
    "Low": ("#2b8a3e", "+"),
    "Some concerns": ("#e0a800", "-"),
    "High": ("#c92a2a", "x"),
    NO_JUDGEMENT: ("#868e96", "?"),
}
# Sizes in pixels: a line of the picture, the names of studies, a column of dots, and a dot.
LINE_HEIGHT, NAMES, COLUMN, RADIUS = 30, 300, 72, 11


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


def draw_bias(rows: Sequence[BiasRow]) -> str:
    """Traffic lights: a line for each result, a dot for each domain; dots that nobody has reviewed have a ring."""
    width, height = NAMES + COLUMN * len(COLUMNS) + 12, 40 + LINE_HEIGHT * len(rows) + 34
    parts = [
        text_at(NAMES + COLUMN * (place + 0.5), 24, column, anchor="middle", weight="bold")
        for place, column in enumerate(COLUMNS)
    ]
    for line, row in enumerate(rows):
        y = 40 + LINE_HEIGHT * (line + 0.5)
        parts.append(text_at(12, y + 4, row.study if len(row.study) <= 40 else f"{row.study[:39]}…"))
        for place, column in enumerate(COLUMNS):
            parts += _judgement_dot(NAMES + COLUMN * (place + 0.5), y, row, column)
    legend = ", ".join(f"{sign} {name.lower()}" for name, (_, sign) in LOOKS.items()) + "; ring: not reviewed"
    parts.append(text_at(12, height - 12, legend))
    return drawing(width, height, "Risk of bias", "".join(parts))


def _judgement_dot(x: float, y: float, row: BiasRow, column: str) -> Iterator[str]:
    judgement = row.judgements[column]
    colour, sign = LOOKS[judgement]
    ring = "" if row.states[column] is CellState.REVIEWED else ' stroke="#333" stroke-dasharray="3 2"'
    title = content(f"{row.study}, {column}: {judgement}")
    cell = attribute(f"{row.ordinal}~{row.row}~{COLUMNS[column]}")
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{colour}"{ring}><title>{title}</title></circle>'
    yield f'<g data-cell="{cell}">{circle}</g>'
    yield text_at(x, y + 5, sign, anchor="middle", weight="bold", colour="white")
