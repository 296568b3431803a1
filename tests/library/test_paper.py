"""One paper is read from a file, without a database, or a sentence says why not."""

from pathlib import Path

import pytest

from ingather.engine.errors import UsageError
from ingather.library.errors import PaperUnreadable, UnknownPaper
from ingather.library.paper import read_paper


def test_a_paper_gives_its_pages(tmp_path: Path) -> None:
    paper = tmp_path / "trial.txt"
    paper.write_text("Of 120 patients, 60 were randomised.")
    reading = read_paper(paper)
    assert [page.text for page in reading.pages] == ["Of 120 patients, 60 were randomised."]
    assert reading.problem is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("none.pdf", "There is no file"), (".", "is a folder"), ("x" * 5_000, "File name too long"), ("a\0b", "null")],
)
def test_a_file_that_is_not_there_is_a_misuse(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(UnknownPaper, match=sentence) as complaint:
        read_paper(tmp_path / name)
    assert isinstance(complaint.value, UsageError)


def test_a_file_that_gives_no_pages_says_why(tmp_path: Path) -> None:
    paper = tmp_path / "page.pdf"
    paper.write_bytes(b"<html>sign in</html>")
    with pytest.raises(PaperUnreadable, match="web page") as complaint:
        read_paper(paper)
    assert not isinstance(complaint.value, UsageError)
