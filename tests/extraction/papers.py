"""Tables and papers for tests of the numbers: rows of texts, as a reader of tables would give them."""

from collections.abc import Sequence

from ingather.extraction.numbers.answer import NumbersAnswer
from ingather.extraction.numbers.answering import answer_numbers
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.library.port import Cell, Table


def a_table(
    *rows: Sequence[str],
    caption: str = "Outcomes.",
    notes: Sequence[str] = (),
    headers: int = 1,
    label: str = "Table 1",
) -> Table:
    """A table. The first rows are headers; an empty one of them goes on with the one left of it.

    A row with a label alone is a group; rows below it whose label begins with a space are its children.
    """
    cells: list[Cell] = []
    group: tuple[str, ...] = ()
    for at, row in enumerate(rows):
        is_header = at < headers
        name = row[0].strip()
        if not is_header:
            if name and not any(text.strip() for text in row[1:]):
                group = (name,)
            elif not row[0].startswith(" "):
                group = ()
        path = (*group, name) if name and (name,) != group else group
        for column, text in enumerate(row):
            if not text.strip():
                continue
            cells.append(
                Cell(
                    row=at, column=column, text=text.strip(), is_header=is_header, page=0,
                    row_path=() if is_header or column == 0 else path,
                    column_path=() if is_header else _above(rows[:headers], column),
                    box=(column, at, column + 1, at + 1),
                )
            )  # fmt: skip
    return Table(page=0, label=label, caption=f"{label}. {caption}", footnotes=tuple(notes), cells=tuple(cells))


def _above(headers: Sequence[Sequence[str]], column: int) -> tuple[str, ...]:
    path = []
    for level, row in enumerate(headers):
        at = min(column, len(row) - 1)
        while level < len(headers) - 1 and at > 0 and not row[at].strip():
            at -= 1
        if at and row[at].strip():
            path.append(row[at].strip())
    return tuple(path)


def ask_paper(
    outcome: str, *tables: Table, kind: NumbersKind = NumbersKind.BINARY, intervention: str = "Aspirin",
    comparator: str = "placebo", text: str = "",
) -> NumbersAnswer:  # fmt: skip
    """The answer of the rules to one question of a paper with these tables and this text."""
    question = NumbersQuestion(id="1", outcome=outcome, intervention=intervention, comparator=comparator, kind=kind)
    return answer_numbers([question], NumbersPaper([text], tables))[0]


def numbers_in(answer: NumbersAnswer) -> tuple[str | None, ...]:
    """Events and N, or mean, SD and N, of both arms; empty where nothing is reported."""
    sides = (answer.intervention, answer.comparator)
    return tuple(one for side in sides for one in (side.events, side.mean, side.sd, side.n) if one is not None)
