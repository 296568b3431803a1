"""Boxes of characters joined to rectangles line by line, and packed without loss."""

import struct
from collections.abc import Sequence

from ingather.library.places import UNITS_PER_POINT, lines, pack, passage, printed_lines, unpack
from ingather.library.port import PageArea, Passage, PrintedLine
from ingather.library.reading import Page

Box = tuple[float, float, float, float]


def placed(text: str, boxes: Sequence[Box | None]) -> Page:
    """A page whose boxes are given in points; None for a character without a place."""
    assert len(text) == len(boxes)
    numbers = [round(4 * number) for box in boxes for number in (box or (0, 0, 0, 0))]
    return Page(text=text, width=595.28, height=841.89, boxes=struct.pack(f"<{len(numbers)}H", *numbers))


def typeset(lines: list[str], *, left: float = 72, top: float = 100, advance: float = 6, leading: float = 14) -> Page:
    """Lines of letters 8 points high; spaces have a place too, line breaks have none."""
    boxes: list[Box | None] = []
    for number, line in enumerate(lines):
        y = top + number * leading
        boxes += [(left + i * advance, y, left + (i + 1) * advance, y + 8) for i in range(len(line))]
        boxes.append(None)
    return placed("".join(f"{line}\n" for line in lines), boxes)


def place(page: Page, part: str | tuple[int, int]) -> list[Box]:
    """The rectangles of a part of a page, as (left, top, right, bottom)."""
    start, end = (page.text.index(part), page.text.index(part) + len(part)) if isinstance(part, str) else part
    rects = lines(page.text, page.boxes, start, end, width=page.width, height=page.height)
    return [(rect.left, rect.top, rect.right, rect.bottom) for rect in rects]


def test_a_quote_within_a_line_is_one_rectangle() -> None:
    assert place(typeset(["of 120 patients"]), "120") == [(90, 100, 108, 108)]


def test_a_quote_over_three_lines_is_three_rectangles() -> None:
    page = typeset(["we enrolled 120", "patients in two", "centres in 2019"])
    assert place(page, "120\npatients in two\ncentres") == [
        (144, 100, 162, 108),
        (72, 114, 162, 122),
        (72, 128, 114, 136),
    ]


def test_lines_are_told_apart_without_line_breaks_in_the_text() -> None:
    page = typeset(["random", "ised to"])
    joined = Page(
        text=page.text.replace("\n", ""),
        width=page.width,
        height=page.height,
        boxes=page.boxes[: 8 * 6] + page.boxes[8 * 7 : 8 * 14],
    )
    assert place(joined, "randomised") == [(72, 100, 108, 108), (72, 114, 96, 122)]


def test_a_chinese_line_with_low_and_flat_characters_is_one_rectangle() -> None:
    # 一 is a flat stroke in the middle, 。 a small ring below: neither overlaps the other in height.
    text = "共纳入一。例患者\uff0c均随访"
    heights = {"一": (105.0, 106.0), "。": (108.0, 111.0), "\uff0c": (108.5, 112.0)}
    boxes: list[Box | None] = []
    for number, char in enumerate(text):
        top, bottom = heights.get(char, (100.0, 110.0))
        boxes.append((72 + 11.0 * number, top, 72 + 11.0 * number + 10, bottom))
    page = placed(text, boxes)
    assert place(page, "一。") == [(105, 105, 126, 111)]
    assert place(page, "纳入一。例患者\uff0c均") == [(83, 100, 181, 112)]


def test_an_index_and_a_comma_do_not_break_a_line() -> None:
    text = "x²,g"
    page = placed(text, [(72, 104, 77, 108), (77, 99.5, 80, 103), (80, 107, 82, 109.5), (82, 104, 87, 110.5)])
    assert place(page, text) == [(72, 99.5, 87, 110.5)]


def test_a_quote_from_the_foot_of_a_column_to_the_head_of_the_next_is_two_rectangles() -> None:
    left, right = typeset(["the end"], top=700), typeset(["goes on"], left=320, top=80)
    page = Page(text=left.text + right.text, width=left.width, height=left.height, boxes=left.boxes + right.boxes)
    assert place(page, "end\ngoes") == [(96, 700, 114, 708), (320, 80, 344, 88)]


def test_text_without_places_has_no_rectangles() -> None:
    assert place(placed("plain", [None] * 5), "plain") == []
    assert place(Page(text="plain", width=595.28, height=841.89, boxes=b""), "plain") == []
    assert place(typeset(["abc"]), (1, 1)) == []


def test_boxes_are_the_same_after_packing() -> None:
    boxes = typeset(["a line of letters", "and another"]).boxes
    assert unpack(pack(boxes)) == boxes
    assert unpack(pack(b"")) == b""
    assert len(pack(boxes)) < len(boxes) / 2


def test_lines_come_with_the_size_of_their_type_and_marks_do_not_count() -> None:
    page = placed(
        "Big 1\nab\n2\n", [(0, 0, 9, 20)] * 3 + [None, (40, 0, 44, 9), None] + [(0, 30, 5, 38)] * 2 + [None] * 3
    )

    assert printed_lines(page.text, page.boxes) == [
        PrintedLine(start=0, end=5, size=20.0),
        PrintedLine(start=6, end=8, size=8.0),
    ]


def test_a_passage_is_what_stands_in_an_area_and_nothing_of_the_other_column() -> None:
    """Two columns whose lines run into each other in the text, each character four points wide and ten high."""
    text = "left one right one\nleft two right two"
    boxes = bytearray()
    for at, char in enumerate(text):
        line, column = (0, at) if at < text.index("\n") else (1, at - text.index("\n") - 1)
        box = (0, 0, 0, 0) if char.isspace() else (4 * column, 12 * line, 4 * column + 4, 12 * line + 10)
        boxes += struct.pack("<4H", *(UNITS_PER_POINT * edge for edge in box))
    left = passage(text, bytes(boxes), PageArea(page=3, left=0, top=0, right=34, bottom=30))
    assert left == Passage(page=3, start=0, end=text.index(" right two"), text="left one left two")
    first = passage(text, bytes(boxes), PageArea(page=0, left=0, top=0, right=17, bottom=11))
    assert first == Passage(page=0, start=0, end=4, text="left")
    assert passage(text, bytes(boxes), PageArea(page=0, left=300, top=0, right=400, bottom=11)) is None
