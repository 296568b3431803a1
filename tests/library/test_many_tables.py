"""Tables of a long supplement are read within the limits, and no damage to a file makes their reader fail."""

import random
from pathlib import Path

import pytest

from ingather.library.parse import Limits, parse_in_jail
from ingather.library.parse.formats import read_in_its_format
from tests.library.test_tables import Paper, three_lines

PAGES = 200
ROWS = 48
XS = (52, 150, 215, 280, 345, 410, 475, 515)


def supplement(pages: int) -> bytes:
    """Pages full of tables in small type, each with two levels of headers."""
    paper = Paper()
    for page in range(pages):
        paper.write(50, 50, f"Table S{page + 1}. Results by centre, part {page + 1}", size=8)
        for y in (56, 80, 80 + 14 * ROWS):
            paper.rule(y)
        paper.write(215, 65, "Intervention (n = 140)", size=7)
        paper.rule(68, 150, 340)
        paper.row(77, XS, ("Centre", "Events", "Total", "Mean", "SD", "Events", "Total", "P"), size=7)
        for row in range(ROWS):
            cells = (f"Centre {page}-{row}", *(f"{(row * 7 + n * 13 + page) % 97}.{n}" for n in range(7)))
            paper.row(90 + 14 * row, XS, cells, size=7)
        if page + 1 < pages:
            paper.canvas.showPage()
    return paper.pdf()


@pytest.mark.long
def test_a_supplement_full_of_tables_is_read_within_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "supplement.pdf"
    path.write_bytes(supplement(PAGES))
    reading = parse_in_jail(path)
    assert reading.problem is None, reading.sentence
    assert len(reading.tables) == PAGES
    assert {len([cell for cell in table.cells if not cell.is_header]) for table in reading.tables} == {8 * ROWS}


def test_no_damage_to_a_page_with_tables_makes_their_reader_fail() -> None:
    dice = random.Random(19)
    paper = three_lines()
    paper.canvas.setPageCompression(0)
    whole = paper.pdf()
    found = 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(dice.choice((1, 3, 10, 40))):
            at = dice.randrange(len(data))
            match dice.randrange(4):
                case 0:
                    data[at] = dice.randrange(256)
                case 1:
                    del data[at : at + dice.randrange(40)]
                case 2:
                    data[at:at] = data[max(at - 60, 0) : at]
                case _:
                    digits = [n for n, byte in enumerate(data) if 48 <= byte < 58]
                    data[dice.choice(digits)] = dice.choice(b"0123456789-.")
        reading = read_in_its_format(bytes(data), Limits(seconds=5, pages=50), suffix=".pdf")
        found += bool(reading.tables)
        assert not [note for note in reading.notes if "ables" in note]
    assert found > 20


def test_type_without_size_on_a_damaged_page_leaves_out_no_tables() -> None:
    paper = Paper()
    paper.canvas.setPageCompression(0)
    paper.write(50, 50, "Table S1. Results by centre")
    for y in (56, 80, 300):
        paper.rule(y)
    for row in range(12):
        paper.row(77 + 14 * row, XS, (f"Centre {row}", *(f"{row + n}.5" for n in range(7))))
    upright, flat = b"BT 1 0 0 1 ", b"BT 0 0 3 -4 "
    parts = paper.pdf().split(upright)
    for damaged in (1, 2, 20):  # the caption, the first cell and one of the third row
        data = upright.join(parts[:damaged]) + flat + upright.join(parts[damaged:])
        reading = read_in_its_format(data, Limits(pages=50), suffix=".pdf")
        assert reading.pages
        assert not [note for note in reading.notes if "ables" in note]
