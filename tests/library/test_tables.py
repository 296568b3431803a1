"""Tables are read from pages: every cell in its place, with the labels and headers that speak of it."""

from collections.abc import Sequence
from io import BytesIO

from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from ingather.library.parse.formats import read_in_its_format
from ingather.library.parse.limits import Limits
from ingather.library.table import Cell, Table
from ingather.library.table_json import pack_tables, unpack_tables
from tests.library.good_pdfs import grey_picture

LIMITS = Limits(seconds=30)


def tables(data: bytes) -> tuple[Table, ...]:
    found = read_in_its_format(data, LIMITS, suffix=".pdf")
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


def markdown(text: str) -> tuple[Table, ...]:
    found = read_in_its_format(text.encode(), LIMITS, suffix=".md")
    assert found.problem is None, found.sentence
    return found.tables


def test_a_table_of_markdown_has_headers_labels_and_no_boxes() -> None:
    [table] = markdown("**Table 1.** Deaths\n\n| Group | n (%) |\n|:--|--:|\n| A | 3 (4) |\n| B \\| C | **5** |\n")
    assert (table.label, table.caption) == ("Table 1", "Table 1. Deaths")
    found = cell(table, "5")
    assert (found.row_path, found.column_path, found.box) == (("B | C",), ("n (%)",), None)


def test_a_table_element_in_a_text_keeps_its_spans() -> None:
    [table] = markdown(
        "Table 2: Events\n<table><thead><tr><th rowspan=2>Arm<th colspan=2>Events</tr><tr><th>n<th>%</tr></thead>"
        "<tr><td>A<td>3<td>4.5</tr></table>\n"
    )
    assert cell(table, "4.5").column_path == ("Events", "%")
    assert cell(table, "4.5").row_path == ("A",)
    assert cell(table, "Arm").row_span == 2


def test_a_sentence_with_bars_is_no_table() -> None:
    assert markdown("P(A | B) was 0.3 and P(B | A) was 0.4.\nNothing else | was said.\n") == ()


def test_a_table_goes_on_over_pages_with_its_headers_only_once() -> None:
    paper = Paper()
    xs = (52, 250, 400)
    paper.write(50, 650, "Table 3. Pain by week")
    for y in (656, 674):
        paper.rule(y)
    paper.row(669, xs, ("Week", "Drug", "Placebo"))
    for n in range(8):
        paper.row(690 + 15 * n, xs, (f"Week {n}", f"{n}.1", f"{n}.2"))
    paper.canvas.showPage()
    for y in (50, 68):
        paper.rule(y)
    paper.row(63, xs, ("Week", "Drug", "Placebo"))
    for n in range(8, 12):
        paper.row(84 + 15 * (n - 8), xs, (f"Week {n}", f"{n}.1", f"{n}.2"))
    paper.rule(136)
    [table] = tables(paper.pdf())
    assert len(texts(table)) == 13
    last = cell(table, "11.2")
    assert (last.page, last.row_path, last.column_path) == (1, ("Week 11",), ("Placebo",))


def test_a_raised_mark_stays_with_its_cell() -> None:
    paper = three_lines()
    paper.write(229.7, 161, "a", size=6)
    [table] = tables(paper.pdf())
    assert "14" in [one.text for one in table.cells]
    assert "1a" in [one.text for one in table.cells]


def test_a_table_without_rules_is_read_from_its_white_space() -> None:
    paper = Paper()
    xs = (52, 250, 400)
    paper.write(50, 90, "Table 4. Losses", font="Times-Bold")
    for x, text in zip(xs, ("Reason", "Drug (n = 40)", "Placebo (n = 38)"), strict=True):
        paper.write(x, 110, text, font="Times-Bold")
    for n, reason in enumerate(("Moved away", "Withdrew", "Died")):
        paper.row(126 + 14 * n, xs, (reason, str(n + 1), str(n + 5)))
    paper.write(50, 220, "All others were followed up for a year, and none of them was lost in that time.", size=11)
    [table] = tables(paper.pdf())
    assert cell(table, "7").column_path == ("Placebo (n = 38)",)
    assert cell(table, "7").row_path == ("Died",)
    assert len(texts(table)) == 4


def test_a_turned_table_is_read_as_it_is_meant_and_its_boxes_stand_on_the_page() -> None:
    paper = Paper()
    canvas = paper.canvas
    canvas.saveState()
    canvas.translate(595, 0)
    canvas.rotate(90)  # what is drawn at x, y now stands at 595 - y, x
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(60, 500, "Table 5. A wide table that is turned, with a caption long enough")
    for y in (494, 478, 430):
        canvas.line(60, y, 700, y)
    for row, line in enumerate((("Arm", "Events", "Total"), ("Drug", "12", "45"), ("Placebo", "9", "44"))):
        for x, text in zip((62, 300, 500), line, strict=True):
            canvas.drawString(x, 484 - 18 * row, text)
    canvas.restoreState()
    [table] = tables(paper.pdf())
    found = cell(table, "44")
    assert (found.row_path, found.column_path) == (("Placebo",), ("Total",))
    assert found.box is not None
    left, top, right, bottom = found.box
    assert 135 <= left < right <= 150
    assert 842 - 515 <= top < bottom <= 842 - 498


def test_a_picture_of_a_table_is_said_to_be_one() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 6. Outcomes at one year")
    paper.canvas.drawImage(grey_picture(), 50, 842 - 300, 300, 200)
    paper.write(50, 340, "Text goes on below the picture of the table.")
    [table] = tables(paper.pdf())
    assert (table.label, table.is_picture, table.cells) == ("Table 6", True, ())


def test_a_table_with_a_caption_of_its_own_goes_on_with_none_and_one_that_says_continued_does() -> None:
    paper = Paper()
    xs = (52, 250, 400)
    for number, caption in enumerate(("Table 1. Pain", "Table 1 (continued). Pain", "Table 2. Falls")):
        if number:
            paper.canvas.showPage()
        paper.write(50, 50, caption, size=10)
        for y in (56, 74, 200):
            paper.rule(y)
        paper.row(69, xs, ("Week", "Drug", "Placebo"))
        for n in range(4):
            paper.row(90 + 15 * n, xs, (f"Week {number}-{n}", f"{number}.{n}1", f"{number}.{n}2"))
    first, second = tables(paper.pdf())
    assert [len(texts(first)), len(texts(second))] == [9, 5]
    assert cell(first, "1.32").page == 1
    assert second.label == "Table 2"


def test_rows_that_stand_no_further_apart_than_lines_end_where_their_brackets_close() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 3. Strength before and after")
    for y in (96, 112, 184):
        paper.rule(y)
    xs = (52, 180, 300, 430)
    paper.row(107, xs, ("Outcome", "Before", "After", "Change (95% CI)"))
    lines = (
        ("Knee (kg)", "207.9 \u00b1", "237.2 \u00b1", "12.9 (7.4;"),
        ("", "30.2", "51.0", "18.6)"),
        ("Hip (kg)", "93.8 \u00b1", "99.8 \u00b1", "6.6 (2.2;"),
        ("", "11.2", "10.2", "11.2)"),
        ("Jump (m)", "0.37 \u00b1", "0.40 \u00b1", "8.6 (4.2;"),
        ("", "0.05", "0.06", "13.1)"),
    )
    for number, line in enumerate(lines):
        for x, text in zip(xs, line, strict=True):
            if text:
                paper.write(x, 122 + 11 * number, text)
    [table] = tables(paper.pdf())
    assert texts(table)[1:] == [
        ["Knee (kg)", "207.9 \u00b1 30.2", "237.2 \u00b1 51.0", "12.9 (7.4; 18.6)"],
        ["Hip (kg)", "93.8 \u00b1 11.2", "99.8 \u00b1 10.2", "6.6 (2.2; 11.2)"],
        ["Jump (m)", "0.37 \u00b1 0.05", "0.40 \u00b1 0.06", "8.6 (4.2; 13.1)"],
    ]


def test_a_header_that_wraps_beside_one_above_others_does_not_narrow_it() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 2. Adverse events")
    for y in (96, 134, 170):
        paper.rule(y)
    paper.row(107, (52, 180, 400), ("System organ class,", "Never treated", "Treated before"))
    paper.write(52, 117, "preferred term")
    xs = (180, 260, 330, 400, 480)
    paper.row(121, xs, ("Drug 150 mg", "Drug 300 mg", "Placebo", "Drug 300 mg", "Placebo"))
    paper.row(130, xs, ("(n = 6)", "(n = 12)", "(n = 7)", "(n = 5)", "(n = 2)"))
    paper.row(146, (52, *xs), ("Any", "5 (83.3)", "6 (50.0)", "4 (57.1)", "3 (60.0)", "1 (50.0)"))
    paper.row(162, (52, *xs), ("Fever", "1 (16.7)", "2 (16.6)", "0", "2 (40.0)", "0"))
    [table] = tables(paper.pdf())
    assert cell(table, "6 (50.0)").column_path == ("Never treated", "Drug 300 mg (n = 12)")
    assert cell(table, "4 (57.1)").column_path == ("Never treated", "Placebo (n = 7)")
    assert cell(table, "1 (50.0)").column_path == ("Treated before", "Placebo (n = 2)")


def test_a_header_ends_at_the_rule_that_leaves_out_the_labels() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 2. Responders after some weeks")
    paper.rule(96)
    paper.rule(130, 176)
    paper.rule(186)
    bold = "Times-Bold"
    paper.write(52, 107, "Outcome", font=bold)
    paper.write(180, 107, "Responders, %", font=bold)
    paper.write(400, 107, "Number needed to treat", font=bold)
    xs = (180, 290, 400, 490)
    for x, text in zip(xs, ("2", "4", "2", "4"), strict=True):
        paper.write(x, 123, text, font=bold)
    paper.row(144, (52, *xs), ("At least 15%", "70", "71", "3.5", "4.1"))
    paper.row(160, (52, *xs), ("At least 30%", "54", "56", "3.7", "3.9"))
    paper.row(176, (52, *xs), ("At least 50%", "35", "40", "4.6", "4.4"))
    [table] = tables(paper.pdf())
    assert cell(table, "71").column_path == ("Responders, %", "4")
    assert cell(table, "3.7").column_path == ("Number needed to treat", "2")


def test_a_group_over_all_columns_of_a_ruled_table_is_no_header() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 6. Cells in blood")
    ys = (96, 112, 128, 144, 160)
    for y in ys:
        paper.rule(y, 50, 450)
    for x in (50, 150, 450):
        paper.canvas.line(x, 842 - ys[0], x, 842 - ys[-1])
    for x in (250, 350):
        paper.canvas.line(x, 842 - 96, x, 842 - 112)
        paper.canvas.line(x, 842 - 128, x, 842 - 160)
    xs = (52, 155, 255, 355)
    paper.row(107, xs, ("Weeks", "White cells", "Lymphocytes", "B cells"))
    paper.write(220, 123, "Smokers (placebo, n = 27)")
    paper.row(139, xs, ("0", "7.62", "41.96", "10.19"))
    paper.row(155, xs, ("12", "7.11", "40.02", "9.87"))
    [table] = tables(paper.pdf())
    assert cell(table, "41.96").column_path == ("Lymphocytes",)
    assert not cell(table, "Smokers (placebo, n = 27)").is_header
