"""`ingather tables` prints and writes what was read in one paper, whole or not at all."""

import csv
import json
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

from ingather.cli import main
from tests.library.test_tables import three_lines


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(three_lines().pdf())
    return path


def test_the_answer_as_json_has_the_documented_form(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", str(paper), "--json"]) == 0
    [table] = json.loads(capsys.readouterr().out)
    assert table.keys() == {"page", "label", "caption", "footnotes", "is_picture", "cells"}
    cell = next(cell for cell in table["cells"] if cell["text"] == "9.0 (2.8)")
    assert {key: value for key, value in cell.items() if key != "box"} == {
        "row": 3,
        "column": 2,
        "row_span": 1,
        "column_span": 1,
        "text": "9.0 (2.8)",
        "row_path": ["Falls"],
        "column_path": ["Intervention (n = 40)", "Mean (SD)"],
        "is_header": False,
        "page": 0,
    }
    left, top, right, bottom = cell["box"]
    assert 315 < left < right < 365
    assert 140 < top < bottom < 153


def test_files_for_people_hold_the_cells(paper: Path, tmp_path: Path) -> None:
    book, sheet = tmp_path / "t.xlsx", tmp_path / "t.csv"
    assert main(["tables", str(paper), "--xlsx", str(book), "--csv", str(sheet)]) == 0
    rows = list(csv.reader(sheet.read_text("utf-8-sig").splitlines()))
    assert rows[0] == ["Table 1. Losses by arm"]
    assert ["Falls", "14", "9.0 (2.8)", "<0.001"] in rows
    [cells] = [CalamineWorkbook.from_path(book).get_sheet_by_index(0).to_python()]
    assert ["Falls", "14", "9.0 (2.8)", "<0.001"] in cells


def test_a_text_without_tables_gives_an_empty_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "paper.txt"
    text.write_text("Of 120 patients, 60 were randomised.")
    assert main(["tables", str(text), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["none.pdf"], 2, "There is no file"),
        (["{paper}", "--csv", "{folder}/t.txt"], 2, "does not say what to write"),
        (["{paper}", "--xlsx", "{folder}/none/t.xlsx"], 2, "there is no such folder"),
        (["{folder}/page.pdf"], 1, "web page"),
        (["{folder}/page.csv", "--csv", "{folder}/page.csv"], 2, "the paper itself"),
    ],
)
def test_misuse_is_a_sentence_and_leaves_nothing(
    paper: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, sentence: str
) -> None:
    (paper.parent / "page.pdf").write_text("<html>sign in</html>")
    (paper.parent / "page.csv").write_text("a,b")
    before = sorted(paper.parent.iterdir())
    assert main(["tables", *(one.format(paper=paper, folder=paper.parent) for one in arguments)]) == code
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error
    assert sorted(paper.parent.iterdir()) == before


def test_a_cell_that_looks_like_a_formula_is_text_in_a_spreadsheet(tmp_path: Path) -> None:
    text = tmp_path / "paper.md"
    text.write_text("| a | b |\n|---|---|\n| =1+1 | 2 |\n")
    assert main(["tables", str(text), "--csv", str(tmp_path / "t.csv")]) == 0
    assert "'=1+1" in (tmp_path / "t.csv").read_text("utf-8-sig")
