"""`ingather numbers`, as a command: one JSON answer, or one sentence and the right exit code."""

import json
from pathlib import Path

import pytest

from ingather.cli import main
from tests.library import bad_pdfs

QUESTION = {"id": "s", "outcome": "stroke", "intervention": "aspirin", "comparator": "placebo", "kind": "binary"}
TEXT = "Stroke occurred in 12/45 patients in the aspirin group and in 9/44 patients in the placebo group."


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INGATHER_LLM_BASE_URL", "INGATHER_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.json"
    file.write_text(json.dumps([QUESTION]), "utf-8")
    return file


@pytest.mark.parametrize("name", ["trial.txt", "trial.md"])
def test_the_answer_is_one_json_object_with_the_numbers_as_printed(
    tmp_path: Path, questions: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    paper = tmp_path / name
    paper.write_text(TEXT, "utf-8")
    assert main(["numbers", str(paper), "--questions", str(questions), "--no-model", "--json"]) == 0
    none = {"mean": None, "sd": None}
    assert json.loads(capsys.readouterr().out) == {
        "answers": [
            {
                "id": "s",
                "state": "reported",
                "why": "",
                "intervention": {"events": "12", "n": "45", **none},
                "comparator": {"events": "9", "n": "44", **none},
                "evidence": [{"page": 0, "table": None, "row": None, "column": None, "quote": TEXT, "boxes": []}],
            }
        ]
    }


def test_people_get_a_table(tmp_path: Path, questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper = tmp_path / "trial.txt"
    paper.write_text(TEXT, "utf-8")
    assert main(["numbers", str(paper), "--questions", str(questions), "--no-model"]) == 0
    shown = capsys.readouterr().out
    assert "12/45" in shown
    assert "9/44" in shown


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("not json", "not JSON"),
        (json.dumps([{**QUESTION, "kind": "ratio"}]), "'ratio'"),
        (json.dumps([QUESTION, QUESTION]), "Two questions have the id 's'"),
        (json.dumps([{**QUESTION, "time": "later"}]), "'time', which is not known"),
    ],
)
def test_questions_of_another_form_are_a_sentence_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, sentence: str
) -> None:
    file = tmp_path / "questions.json"
    file.write_text(given, "utf-8")
    assert main(["numbers", str(tmp_path / "trial.txt"), "--questions", str(file), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


def test_a_missing_file_is_misuse_and_a_scan_is_a_paper_that_cannot_be_read(
    tmp_path: Path, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ["numbers", str(tmp_path / "none.pdf"), "--questions", str(questions), "--no-model", "--json"]
    assert main(missing) == 2
    assert "There is no file" in capsys.readouterr().err
    assert main(["numbers", "x.pdf", "--questions", str(tmp_path / "none.json"), "--no-model"]) == 2
    assert "There is no file" in capsys.readouterr().err
    scan = tmp_path / "scan.pdf"
    scan.write_bytes(bad_pdfs.image_only())
    assert main(["numbers", str(scan), "--questions", str(questions), "--no-model", "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "gives no pages" in err
