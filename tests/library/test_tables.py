"""Tables are read from pages: every cell in its place, with the labels and headers that speak of it."""

from collections.abc import Sequence
from io import BytesIO

from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from ingather.library.parse.formats import read
from ingather.library.parse.limits import Limits
from ingather.library.table import Cell, Table
from ingather.library.table_json import pack_tables, unpack_tables

LIMITS = Limits(seconds=30)


def tables(data: bytes) -> tuple[Table, ...]:
    found = read(data, LIMITS, suffix=".pdf")
    assert found.problem is None, found.sentence
    return found.tables


def texts(table: Table) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell.text)
    return [rows[number] for number in sorted(rows)]


def cell(table: Table, text: str) -> Cell:
    [found] = [cell for cell in table.cells if cell.text == text]
    return found


class Paper:
    """A page to set tables on, 595 points wide and 842 high; places are counted from its top left corner."""

    def __init__(self) -> None:
        self._buffer = BytesIO()
        self.canvas = Canvas(self._buffer, pagesize=(595, 842), invariant=1)

    def write(self, x: float, y: float, text: str, *, size: float = 9, font: str = "Times-Roman") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, 842 - y, text)

    def row(self, y: float, xs: Sequence[float], cells: Sequence[str], *, size: float = 9) -> None:
        for x, text in zip(xs, cells, strict=True):
            self.write(x, y, text, size=size)

    def rule(self, y: float, left: float = 50, right: float = 545) -> None:
        self.canvas.line(left, 842 - y, right, 842 - y)

    def pdf(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self._buffer.getvalue()


def three_lines() -> Paper:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 124, 180):
        paper.rule(y)
    paper.write(230, 107, "Intervention (n = 40)")
    paper.rule(110, 220, 370)
    paper.row(120, (52, 225, 320, 430), ("Outcome", "Events", "Mean (SD)", "P"))
    paper.row(136, (52, 225, 320, 430), ("Deaths", "3", "12.4 (3.1)", "0.04"))
    paper.row(150, (52, 225, 320, 430), ("Falls", "14", "9.0 (2.8)", "<0.001"))
    paper.row(164, (52, 225, 320, 430), ("Fractures", "1", "11.2 (4.0)", "0.70"))
    return paper


def test_a_table_of_three_lines_is_read_with_its_header_tree() -> None:
    [table] = tables(three_lines().pdf())
    assert (table.label, table.caption, table.page) == ("Table 1", "Table 1. Losses by arm", 0)
    assert texts(table)[2:] == [
        ["Deaths", "3", "12.4 (3.1)", "0.04"],
        ["Falls", "14", "9.0 (2.8)", "<0.001"],
        ["Fractures", "1", "11.2 (4.0)", "0.70"],
    ]
    found = cell(table, "9.0 (2.8)")
    assert found.row_path == ("Falls",)
    assert found.column_path == ("Intervention (n = 40)", "Mean (SD)")
    assert cell(table, "0.70").column_path == ("P",)
    assert cell(table, "Intervention (n = 40)").column_span == 2


def test_a_cell_knows_where_its_characters_stand() -> None:
    [table] = tables(three_lines().pdf())
    box = cell(table, "14").box
    assert box is not None
    left, top, right, bottom = box
    assert 225 <= left < right <= 235
    assert 143 <= top < bottom <= 151


def test_tables_travel_as_bytes_and_come_back_the_same() -> None:
    found = tables(three_lines().pdf())
    back = unpack_tables(pack_tables(found))
    assert [texts(table) for table in back] == [texts(table) for table in found]
    assert [cell.column_path for cell in back[0].cells] == [cell.column_path for cell in found[0].cells]
