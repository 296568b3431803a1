"""The tables of a paper as a model is shown them: structure, and a short id for each cell with numbers. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.outcome_match import outcome_query_of
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion
from ingather.extraction.numbers.terms import terms_of, weight_of_terms
from ingather.extraction.numbers.view import TableView, ViewEntry
from ingather.extraction.provider import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCell:
    """A cell with its id, such as `t2r5c3`: table, row and column."""

    id: str
    view: TableView
    entry: ViewEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class CellIndex:
    """The text that a model is given, the cells it may name, and how many tables had no room."""

    text: str
    cells: dict[str, IndexedCell]
    left_out: int


def index_cells(paper: NumbersPaper, questions: Sequence[NumbersQuestion], room_tokens: int | None = None) -> CellIndex:
    """Tables whose labels are nearest to the questions' words come first; what has no room is left out whole."""
    texts: list[str] = []
    cells: dict[str, IndexedCell] = {}
    used, left_out = 0, 0
    for number, view in _index_nearest_first(paper, questions):
        found = [
            IndexedCell(id=f"t{number}r{entry.cell.row}c{entry.cell.column}", view=view, entry=entry)
            for entry in view.entries
        ]
        text = "\n".join(_index_lines(f"t{number}", view, found))
        tokens = estimate_tokens([text])
        if room_tokens is not None and used + tokens > room_tokens:
            left_out += 1
            continue
        used += tokens
        texts.append(text)
        cells |= {cell.id: cell for cell in found}
    return CellIndex(text="\n\n".join(texts), cells=cells, left_out=left_out)


def _index_nearest_first(paper: NumbersPaper, questions: Sequence[NumbersQuestion]) -> list[tuple[int, TableView]]:
    wanted = {
        term for question in questions for one in question.wordings for term in outcome_query_of(one.outcome).terms
    }

    def nearness(numbered: tuple[int, TableView]) -> float:
        table = numbered[1].table
        own = {term for text in (table.caption, *(cell.text for cell in table.cells)) for term in terms_of(text)}
        return -weight_of_terms(wanted & own)

    return sorted(enumerate(paper.views, 1), key=nearness)


def _index_lines(name: str, view: TableView, cells: Sequence[IndexedCell]) -> Iterator[str]:
    table = view.table
    yield f"{name}: {' '.join(f'{table.label} {table.caption}'.split())}"
    yield from (f"note: {' '.join(note.split())}" for note in table.footnotes)
    headers = {cell.entry.cell.column: _indexed_path(cell.entry.columns) for cell in cells}
    yield "; ".join(f"c{column} = {header}" for column, header in sorted(headers.items()))
    rows: dict[int, list[IndexedCell]] = {}
    for cell in cells:
        rows.setdefault(cell.entry.cell.row, []).append(cell)
    for row, found in sorted(rows.items()):
        values = " | ".join(f"{cell.id}: {' '.join(cell.entry.cell.text.split())}" for cell in found)
        yield f"{_indexed_path(found[0].entry.rows) or f'r{row}'} | {values}"


def _indexed_path(labels: Sequence[TableLabel]) -> str:
    return " > ".join(" ".join(label.text.split()) for label in labels)
