"""Tables are read whatever a house does with rules, sizes of type, and the heads and feet of its pages."""

from tests.library.test_table_styles import ROWS, XS, prose
from tests.library.test_tables import Paper, cell, tables, texts

JUSTIFIED = ("Changes", "from", "baseline", "were", "not", "great", "for", "any", "outcome")


def test_rows_set_smaller_than_their_header_are_of_its_table() -> None:
    paper = Paper()
    prose(paper, 60, 4)
    paper.write(50, 130, "Table 1. Losses by arm")
    for y in (136, 152, 210):
        paper.rule(y)
    paper.row(147, XS, ("Outcome", "Events", "Mean (SD)", "P"), size=9)
    paper.write(52, 163, "Losses", size=8)
    for number, row in enumerate(ROWS):
        paper.row(176 + 13 * number, XS, row, size=8)
    [table] = tables(paper.pdf())
    assert texts(table) == [["Outcome", "Events", "Mean (SD)", "P"], ["Losses"], *map(list, ROWS)]


def test_a_row_of_figures_that_fills_its_line_is_no_text() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Viability by layer")
    for y in (96, 112):
        paper.rule(y)
    xs = (52, 120, 235, 350, 465)
    paper.row(107, xs, ("Layer", "Baseline", "First visit", "Second visit", "Third visit"))
    figures = "75.54 \u00b1 17.28 (53 to 85)"
    for number, name in enumerate(("Outer layer", "Middle layer", "Inner layer")):
        paper.row(126 + 14 * number, xs, (name, *[f"{number}{figures}"] * 4))
    prose(paper, 200, 6)
    [table] = tables(paper.pdf())
    assert len(texts(table)) == 4
    assert texts(table)[1][0] == "Outer layer"


def test_a_rule_over_some_columns_groups_the_headers_below_it_even_if_they_begin_with_figures() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by dose")
    for y in (96, 124, 170):
        paper.rule(y)
    xs = (52, 180, 260, 350, 430)
    paper.row(107, (215, 390), ("At rest", "At peak"))
    for left, right in ((178, 320), (348, 490)):
        paper.rule(110, left, right)
    paper.row(120, xs, ("Outcome", "40 mg", "120 mg", "40 mg", "120 mg"))
    paper.row(138, xs, ("Deaths", "3", "12.4", "4", "10.1"))
    paper.row(156, xs, ("Falls", "14", "9.0", "11", "9.9"))
    [table] = tables(paper.pdf())
    assert cell(table, "12.4").column_path == ("At rest", "120 mg")
    assert cell(table, "4").column_path == ("At peak", "40 mg")


def test_lines_between_two_rules_are_one_row_where_every_row_is_ruled() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    paper.rule(96)
    paper.row(107, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    paper.rule(111)
    rows = []
    for number, (name, events, mean, p) in enumerate((*ROWS, *ROWS[:2])):
        top = 122 + 26 * number
        paper.write(320, top, mean.split()[0])
        paper.row(top + 11, XS, (name, events, mean.split()[1], p))
        paper.rule(top + 15)
        rows.append([name, events, mean, p])
    [table] = tables(paper.pdf())
    assert texts(table)[1:] == rows


def test_titles_and_feet_of_pages_stand_between_no_rows() -> None:
    paper = Paper()
    rows = [
        (f"Outcome {number}{number % 7 // 6 * ' at the last visit'}", str(number), f"{number}.5", f"0.{number}")
        for number in range(1, 60)
    ]
    for first in (0, 40):
        paper.write(50, 40, "Journal of Losses 2014, 15:223")
        paper.write(480, 40, "Page 2 of 11")
        if not first:
            paper.write(50, 90, "Table 1. Losses by arm")
        for y in (96, 112):
            paper.rule(y)
        paper.row(107, XS, ("Outcome", "Events", "Mean", "P"))
        for number, row in enumerate(rows[first : first + 40]):
            paper.row(124 + 16 * number, XS, row)
        if not first:
            paper.write(52, 124 + 16 * 40, "Losses")
        paper.write(290, 815, "7")
        paper.write(480, 826, "www.example.org")
        paper.canvas.showPage()
    [table] = tables(paper.pdf())
    assert texts(table)[1:41] == [list(row) for row in rows[:40]]
    assert texts(table)[41] == ["Losses"]
    assert texts(table)[42:] == [list(row) for row in rows[40:]]


def test_a_header_alone_over_the_labels_and_more_is_over_all_columns() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 128, 170):
        paper.rule(y)
    paper.write(52, 107, "Losses of each participant from the first to the last visit of the study")
    paper.row(122, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for number, row in enumerate(ROWS[:2]):
        paper.row(140 + 14 * number, XS, row)
    [table] = tables(paper.pdf())
    assert cell(table, "<0.001").column_path == (
        "Losses of each participant from the first to the last visit of the study",
        "P",
    )


def test_a_level_of_confidence_and_a_dash_are_no_figures_of_the_header() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    xs = (52, 180, 260, 350, 430)
    paper.row(107, (200, 370), ("Intervention", "Control"))
    for left, right in ((178, 320), (348, 490)):
        paper.rule(110, left, right)
    paper.row(120, xs, ("Outcome", "Mean", "(95% CI)", "Mean", "(95% CI)"))
    paper.row(138, xs, ("Consent", "-", "t(66) = 0.9", "-", "1.5"))
    paper.row(152, xs, ("Deaths", "3.1", "(2.0, 12.4)", "4.2", "(2.9, 10.1)"))
    paper.row(166, xs, ("Falls", "14.0", "(9.0, 20.2)", "11.2", "(9.9, 12.0)"))
    [table] = tables(paper.pdf())
    assert cell(table, "3.1").column_path == ("Intervention", "Mean")
    assert cell(table, "1.5").column_path == ("Control", "(95% CI)")


def test_cells_over_two_columns_do_not_hide_the_white_space_between_their_headers() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 112, 200):
        paper.rule(y)
    xs = (52, 180, 230, 350, 400)
    paper.row(107, xs[1:], ("n (%)", "95% CI", "n (%)", "95% CI"))
    for number, name in enumerate(("Deaths", "Falls", "Fractures")):
        paper.row(126 + 14 * number, xs, (name, f"{number}1 (6.4)", "(5.3, 9.2)", f"{number}2 (4.5)", "(2.2, 6.5)"))
    paper.row(168, (52, 205, 375), ("Participants at risk", "48", "23"))
    paper.row(182, (52, 205, 375), ("Participants at home", "31", "17"))
    [table] = tables(paper.pdf())
    assert texts(table)[2] == ["Falls", "11 (6.4)", "(5.3, 9.2)", "12 (4.5)", "(2.2, 6.5)"]
    assert cell(table, "11 (6.4)").column_path == ("n (%)",)


def test_groups_below_a_header_are_no_headers_where_every_row_is_ruled() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    paper.rule(96)
    lines = [("Outcome", "Events", "Mean (SD)", "P"), ("Losses",), ("At the last visit",), *ROWS]
    for number, row in enumerate(lines):
        for x, text in zip(XS, row, strict=False):
            paper.write(x, 108 + 15 * number, text, font="Times-Bold" if number < 3 else "Times-Roman")
        paper.rule(111 + 15 * number)
    [table] = tables(paper.pdf())
    assert [one.text for one in table.cells if one.is_header] == ["Outcome", "Events", "Mean (SD)", "P"]


def test_a_justified_line_is_no_row() -> None:
    paper = Paper()
    for number in range(4):
        for place, text in enumerate(JUSTIFIED):
            paper.write(52 + 27.5 * place * 2, 60 + 13 * number, text, size=10)
    paper.write(52, 130, "Table 1. Losses by arm")
    for y in (136, 152, 200):
        paper.rule(y)
    paper.row(147, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for number, row in enumerate(ROWS):
        paper.row(166 + 13 * number, XS, row)
    [table] = tables(paper.pdf())
    assert texts(table)[1:] == [list(row) for row in ROWS]


def test_labels_that_stand_as_near_as_lines_are_parted_by_the_cells_beside_them() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by visit")
    for y in (96, 112, 300):
        paper.rule(y)
    paper.row(107, XS[:3], ("Visit", "Intervention", "Control"))
    y = 124
    for group in ("Pulse", "Pressure", "Weight"):
        paper.write(52, y, group)
        y += 11
        for visit in ("After sternotomy", "After preconditioning"):
            first, second = visit.split()
            paper.row(y, (58, *XS[1:3]), (first, f"{y}.1", f"{y}.2"))
            paper.write(58, y + 10, second)
            y += 21
        paper.row(y, (58, *XS[1:3]), ("After CPB", f"{y}.1", f"{y}.2"))
        y += 11
    [table] = tables(paper.pdf())
    labels = [one.text for one in table.cells if one.column == 0 and not one.is_header]
    rows = ["After sternotomy", "After preconditioning", "After CPB"]
    assert labels == ["Pulse", *rows, "Pressure", *rows, "Weight", *rows]


def test_the_second_line_of_a_label_in_brackets_has_no_row_of_its_own() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Viability by layer")
    for y in (96, 112, 240):
        paper.rule(y)
    paper.row(107, XS[:3], ("Layer", "Baseline", "Last visit"))
    for number, name in enumerate(("outer", "middle", "inner", "lower")):
        top = 126 + 28 * number
        paper.row(top, XS[:3], (f"Layer ({name}", f"7{number}.54 \u00b1 17.28", f"3{number}.08 \u00b1 20.97"))
        paper.row(top + 11, XS[:3], ("layer)", f"5{number}.5 (22.9)", f"3{number}.1 (26.5)"))
    [table] = tables(paper.pdf())
    assert [row[0] for row in texts(table)[1:]] == [
        f"Layer ({name} layer)" for name in ("outer", "middle", "inner", "lower")
    ]
    assert texts(table)[1][1] == "70.54 \u00b1 17.28 50.5 (22.9)"


def test_a_label_in_the_middle_above_a_title_at_the_left_names_a_narrow_table() -> None:
    paper = Paper()
    paper.write(290, 90, "Table 1", font="Helvetica-Bold")
    paper.write(52, 108, "Losses of participants by arm, in the first year of the study", size=10)
    for y in (120, 136, 180):
        paper.rule(y, right=260)
    paper.row(131, (54, 160, 210), ("Outcome", "Events", "P"))
    paper.row(150, (54, 160, 210), ("Deaths", "3", "0.04"))
    paper.row(166, (54, 160, 210), ("Falls", "14", "0.70"))
    [table] = tables(paper.pdf())
    assert table.caption == "Table 1 Losses of participants by arm, in the first year of the study"
    assert texts(table)[1:] == [["Deaths", "3", "0.04"], ["Falls", "14", "0.70"]]


def test_a_legend_above_the_caption_of_a_figure_is_no_table() -> None:
    paper = Paper()
    for y in (100, 130):
        paper.rule(y, left=110, right=260)
    paper.row(112, (115, 200), ("95% CI", "95% CI"))
    paper.row(124, (115, 200), ("Arm 1", "Arm 2"))
    paper.write(52, 150, "Figure 3. Losses by arm")
    prose(paper, 180, 8)
    assert tables(paper.pdf()) == ()


def test_a_table_that_goes_on_in_the_next_column_with_its_label_is_one_table() -> None:
    paper = Paper()
    for x, label in ((50, "Table 1. Losses by arm"), (310, "Table 1. Continued")):
        paper.write(x, 60, label)
        for y in (66, 82, 130):
            paper.rule(y, left=x, right=x + 230)
        paper.row(77, (x + 2, x + 120, x + 180), ("Outcome", "Events", "P"))
        for number in range(3):
            paper.row(96 + 13 * number, (x + 2, x + 120, x + 180), (f"Outcome {x + number}", f"{number}", f"0.{x}"))
    [table] = tables(paper.pdf())
    assert [row[0] for row in texts(table)[1:]] == [f"Outcome {n}" for n in (50, 51, 52, 310, 311, 312)]


def test_a_table_without_a_number_has_its_caption() -> None:
    paper = Paper()
    paper.write(50, 90, "Table.", font="Times-Bold")
    paper.write(95, 90, "Losses by arm")
    for y in (96, 112, 165):
        paper.rule(y)
    paper.row(107, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for number, row in enumerate(ROWS):
        paper.row(126 + 14 * number, XS, row)
    [table] = tables(paper.pdf())
    assert (table.label, table.caption) == ("Table", "Table. Losses by arm")


def test_boxes_that_hold_two_rows_of_figures_each_are_two_rows() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Search by group")
    edges = (50, 150, 250, 350, 450)
    for y in (96, 112, 144, 176):
        paper.rule(y, right=450)
    for x in edges:
        paper.canvas.line(x, 842 - 96, x, 842 - 176)
    xs = (152, 252, 352)
    paper.row(107, (52, *xs), ("Outcome", "Group", "n", "Mean"))
    for y, name in ((124, "Recall"), (156, "Precision")):
        paper.write(52, y, name)
        paper.row(y, xs, ("Control", "34", f"0.{y}"))
        paper.row(y + 13, xs, ("Experimental", "30", f"0.{y + 1}"))
    [table] = tables(paper.pdf())
    assert [cell(table, text).row for text in ("0.124", "0.125", "0.156", "0.157")] == [1, 2, 3, 4]
    assert cell(table, "0.157").column_path == ("Mean",)


def test_words_of_a_cell_that_stand_apart_are_one_cell() -> None:
    paper = Paper()
    paper.write(50, 90, "Table 1. Losses by arm")
    for y in (96, 112, 165):
        paper.rule(y)
    paper.row(107, XS, ("Outcome", "Events", "Mean (SD)", "P"))
    for number, row in enumerate(ROWS):
        paper.row(122 + 10 * number, XS, row)
    paper.row(152, (52, 225, 236, 320, 430), ("Admissions", "61", "(61%)", "8.1 (1.2)", "0.03"))
    [table] = tables(paper.pdf())
    assert texts(table)[-1] == ["Admissions", "61 (61%)", "8.1 (1.2)", "0.03"]
