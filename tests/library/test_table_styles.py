"""Tables are read whatever a house does with captions, rules, blanks and page ends."""

from pathlib import Path

from ingather.library.parse.tables.ink import typed_rules_as_ink
from ingather.library.parse.tables.marks import Rule, Token
from scores.table_truth import tables_of
from tests.library.test_tables import Paper, cell, tables, texts

XS = (52, 225, 320, 430)
ROWS = (
    ("Deaths", "3", "12.4 (3.1)", "0.04"),
    ("Falls", "14", "9.0 (2.8)", "<0.001"),
    ("Fractures", "1", "11.2 (4.0)", "0.70"),
)


def prose(paper: Paper, y: float, lines: int, x: float = 52) -> None:
    for number in range(lines):
        paper.write(x, y + 13 * number, "Participants were visited at home by a nurse every week", size=10)


def test_a_caption_below_a_table_without_rules_is_its_caption() -> None:
    paper = Paper()
    paper.row(120, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for number, row in enumerate(ROWS):
        paper.row(134 + 14 * number, XS, row)
    paper.write(52, 180, "Table 1. Losses by arm")
    prose(paper, 220, 6)
    [table] = tables(paper.pdf())
    assert table.caption == "Table 1. Losses by arm"
    assert texts(table)[1:] == [list(row) for row in ROWS]


def test_rules_below_each_header_alone_do_not_narrow_the_table() -> None:
    paper = Paper()
    paper.write(52, 100, "Table 1. Losses by arm")
    paper.row(120, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for left, right in ((52, 218), (224, 312), (318, 424), (428, 500)):
        paper.rule(124, left, right)
    for number, row in enumerate(ROWS):
        paper.row(136 + 14 * number, XS, row)
    prose(paper, 220, 6)
    [table] = tables(paper.pdf())
    assert texts(table) == [["Outcome", "Events", "Mean (SD)", "P"], *map(list, ROWS)]
    assert cell(table, "9.0 (2.8)").column_path == ("Mean (SD)",)


def test_rules_below_two_headers_that_touch_are_each_headers_own() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 124, 170):
        paper.rule(y)
    xs = (52, 180, 260, 340, 420)
    paper.row(107, (200, 365), ("Intervention", "Control"))
    for left, right in ((176, 336), (336, 500)):
        paper.rule(110, left, right)
    paper.row(120, xs, ("Outcome", "Events", "Mean", "Events", "Mean"))
    paper.row(138, xs, ("Deaths", "3", "12.4", "4", "10.1"))
    paper.row(156, xs, ("Falls", "14", "9.0", "11", "9.9"))
    [table] = tables(paper.pdf())
    assert cell(table, "12.4").column_path == ("Intervention", "Mean")
    assert cell(table, "11").column_path == ("Control", "Events")


def test_headers_at_the_left_of_columns_whose_cells_stand_at_the_right_are_theirs() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 112, 160):
        paper.rule(y)
    paper.row(107, (180, 300, 420), ("n", "Mean", "SD"))
    for y, row in ((126, ("Deaths", "58", "54.7", "3.1")), (142, ("Falls", "47", "46.1", "2.2"))):
        paper.write(52, y, row[0])
        for right, text in zip((290, 410, 530), row[1:], strict=True):
            paper.write(right - 4.5 * len(text), y, text)
    [table] = tables(paper.pdf())
    assert texts(table)[1:] == [["Deaths", "58", "54.7", "3.1"], ["Falls", "47", "46.1", "2.2"]]
    assert [cell(table, text).column_path for text in ("58", "54.7", "3.1")] == [("n",), ("Mean",), ("SD",)]


def test_a_table_goes_on_in_the_next_column_of_text() -> None:
    paper = Paper()
    prose(paper, 60, 40)
    paper.write(52, 600, "Table 1. Losses by arm")
    xs = (52, 150, 210)
    paper.row(620, xs, ("Outcome", "Events", "Mean"))
    for number in range(12):
        paper.row(636 + 14 * number, xs, (f"Loss {number}", f"{number}", f"{number}.5"))
    for number in range(5):
        paper.row(60 + 14 * number, [x + 260 for x in xs], (f"Gain {number}", f"{number}", f"{number}.7"))
    prose(paper, 160, 40, 312)
    [table] = tables(paper.pdf())
    assert texts(table)[-1] == ["Gain 4", "4", "4.7"]
    assert len(texts(table)) == 18
    assert cell(table, "3.7").column_path == ("Mean",)
    assert cell(table, "3.7").row_path == ("Gain 3",)


def test_a_caption_that_ends_a_page_names_the_table_of_the_next_one() -> None:
    paper = Paper()
    prose(paper, 60, 50)
    paper.write(52, 780, "Table 1. Losses by arm")
    paper.canvas.showPage()
    paper.row(60, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    paper.rule(64)
    for number, row in enumerate(ROWS):
        paper.row(76 + 14 * number, XS, row)
    [table] = tables(paper.pdf())
    assert table.caption == "Table 1. Losses by arm"
    assert cell(table, "9.0 (2.8)").column_path == ("Mean (SD)",)
    assert cell(table, "9.0 (2.8)").page == 1


def test_words_of_type_with_wide_blanks_are_one_cell() -> None:
    paper = Paper()
    paper.canvas.setFont("Times-Roman", 9)

    def write(x: float, y: float, text: str) -> None:
        paper.canvas.drawString(x, 842 - y, text, wordSpace=2.2)

    write(52, 90, "Table 1. Losses by arm and by year of life of those who took part")
    for y in (96, 112, 160):
        paper.rule(y)
    for x, text in ((52, "Kind of loss"), (225, "New drug arm"), (360, "No drug at all")):
        write(x, 107, text)
    for y, row in ((126, ("All of the deaths", "58 of 120", "54 of 118")), (142, ("Falls at home", "47", "46"))):
        for x, text in zip((52, 225, 360), row, strict=True):
            write(x, y, text)
    [table] = tables(paper.pdf())
    assert table.label == "Table 1"
    assert texts(table)[0] == ["Kind of loss", "New drug arm", "No drug at all"]
    assert cell(table, "58 of 120").column_path == ("New drug arm",)


def test_the_board_knows_the_labels_over_a_row_where_the_article_says_them(tmp_path: Path) -> None:
    article = tmp_path / "a.xml"
    article.write_text(
        "<article><body><table-wrap><label>Table 1</label><table><thead><tr><td/><td>n</td></tr></thead><tbody>"
        "<tr><td>Sex</td><td/></tr><tr><td>\u2003Male</td><td>4</td></tr><tr><td>Age</td><td>61</td></tr>"
        "</tbody></table></table-wrap></body></article>",
        "utf-8",
    )
    [table] = tables_of(article)
    assert {cell.text: cell.row_path for cell in table.cells} == {
        "n": None,
        "Sex": None,
        "Male": None,
        "4": ("Sex", "Male"),
        "Age": None,
        "61": ("Age",),
    }


def test_columns_called_alike_twice_begin_a_second_group() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 130, 176):
        paper.rule(y)
    xs = (52, 150, 215, 280, 345, 410, 475)
    # Both upper headers begin at the left of their columns, so that their places alone do not tell how wide they are.
    paper.row(107, (150, 345), ("Intervention", "Control"))
    paper.row(126, xs, ("Outcome", "Events", "Mean", "SD", "Events", "Mean", "SD"))
    paper.row(144, xs, ("Deaths", "3", "12.4", "1.1", "4", "10.1", "0.2"))
    paper.row(162, xs, ("Falls", "14", "9.0", "1.2", "11", "9.9", "0.3"))
    [table] = tables(paper.pdf())
    assert cell(table, "1.1").column_path == ("Intervention", "SD")
    assert cell(table, "10.1").column_path == ("Control", "Mean")
    assert cell(table, "0.2").column_path == ("Control", "SD")


def test_where_a_rule_stands_below_each_row_type_says_where_the_header_ends() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    paper.rule(96)
    bold = "Times-Bold"
    for x, text in ((180, "Intervention"), (340, "Control")):
        paper.write(x, 107, text, font=bold)
    for x, text in zip((180, 260, 340, 420), ("n", "Mean", "n", "Mean"), strict=True):
        paper.write(x, 121, text, font=bold)
    for number in range(6):
        paper.row(
            135 + 14 * number, (52, 180, 260, 340, 420), (f"Loss {number}", "4", f"{number}.1", "6", f"{number}.2")
        )
    for number in range(8):
        paper.rule(111 + 14 * number)
    [table] = tables(paper.pdf())
    assert cell(table, "3.1").column_path == ("Intervention", "Mean")
    assert cell(table, "3.2").column_path == ("Control", "Mean")


def test_rows_of_dots_typed_as_rules_are_rules_and_no_headers() -> None:
    paper = Paper()
    paper.write(52, 90, "Table 1. Losses by arm")
    for y in (96, 190):
        paper.rule(y, 52, 480)
    paper.row(107, (52, 225), ("Outcome", "Intervention"))
    paper.write(225, 111, "." * 100, size=9)
    paper.row(121, XS, ("", "Events", "Mean (SD)", "P"))
    paper.write(52, 126, "." * 180, size=9)
    for number, row in enumerate(ROWS):
        paper.row(140 + 14 * number, XS, row)
    [table] = tables(paper.pdf())
    assert cell(table, "9.0 (2.8)").column_path == ("Intervention", "Mean (SD)")
    assert texts(table)[2:] == [list(row) for row in ROWS]


def test_dots_that_lead_from_a_label_to_its_figure_are_no_rule() -> None:
    row = token("." * 40, 100, 190)
    assert typed_rules_as_ink([token("Deaths", 52, 98), row, token("3", 192, 196)])[1] == []
    assert typed_rules_as_ink([token("Deaths", 52, 70), row]) == ([token("Deaths", 52, 70)], [Rule(98.5, 100, 190)])


def token(text: str, left: float, right: float) -> Token:
    return Token(text, (left, 97, right, 100), base=100, size=9, font="Times-Roman", has_blank_before=True)


def test_a_raised_mark_does_not_pull_a_row_into_the_one_above() -> None:
    paper = Paper()
    paper.write(52, 90, "Table 1. Losses by arm")
    for y in (96, 112, 210):
        paper.rule(y, 52, 480)
    paper.row(107, XS, ("Outcome", "Events", "Mean (SD)", "P"), size=8)
    labels = ("Deaths", "Falls", "Weight by area, kg/m", "Volume by area, ml/m", "Fractures", "Strokes or attacks")
    for number, label in enumerate(labels):
        y = 126 + 12 * number
        paper.row(y, XS, (label, f"{number + 3}", f"{number + 12}.4 (3.1)", f"0.0{number + 1}"), size=8)
        if label.endswith("/m"):
            paper.write(52 + paper.canvas.stringWidth(label, "Times-Roman", 8), y - 3, "2", size=5)
    paper.write(52, 196, "without lasting harm", size=8)
    for number in range(2):
        paper.write(
            52, 220 + 10 * number, "Events are counted from the first visit to the last one, by a nurse " * 2, size=8
        )
    [table] = tables(paper.pdf())
    assert [row[0] for row in texts(table)[3:5]] == ["Weight by area, kg/m2", "Volume by area, ml/m2"]
    assert [row[1] for row in texts(table)[1:]] == ["3", "4", "5", "6", "7", "8"]
    assert texts(table)[-1][0] == "Strokes or attacks without lasting harm"
