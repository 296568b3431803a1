"""`ingather follow-up` and the choice of fields and sections, as they are typed."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingather.cli import main
from tests.extraction.desk import paper
from tests.provider.reader import answer
from tests.provider.server import Provider


@pytest.fixture
def home(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("INGATHER_HOME", str(tmp_path / "home"))
    for n in (1, 2, 3):
        (tmp_path / f"paper {n}.txt").write_text(paper(n))
    return tmp_path


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def fields_of(home: Path, name: str) -> set[str]:
    [document, *_] = json.loads((home / name).read_text())["documents"]
    return {one["field"] for one in document["findings"]}


def test_fields_and_sections_are_chosen_and_a_finished_task_is_asked_again(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Provider(answerer=answer) as provider:
        monkeypatch.setenv("INGATHER_LLM_BASE_URL", provider.base_url)
        monkeypatch.setenv("INGATHER_LLM_MODEL", "test-model")
        out = str(home / "first.json")
        papers = [str(home / f"paper {n}.txt") for n in (1, 2)]
        choice = ["--field", "n_randomised", "title"]
        first = typed(capsys, "extract", *papers, "--template", "rct", "--out", out, *choice)
        assert fields_of(home, "first.json") == {"n_randomised", "title"}
        before = len(provider.calls)
        again = ["--instruction", "title", "The title as printed."]
        follow = ["follow-up", str(first["task_id"]), str(home / "paper 3.txt"), "--out", str(home / "second.json")]
        second = typed(capsys, *follow, *again)
        assert (second["total"], second["completed"]) == (3, 3)
        assert len(provider.calls) - before == 3, "the changed field of two papers, and the third paper"
        # The same command once more finds its task and asks nothing.
        assert typed(capsys, *follow, *again)["task_id"] == second["task_id"]
        assert len(provider.calls) - before == 3


def test_papers_may_stand_behind_the_options(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    first = typed(capsys, "extract", "paper 1.txt", "--template", "rct", "--out", "a.json", "paper 2.txt")
    assert first["total"] == 2
    second = typed(capsys, "follow-up", str(first["task_id"]), "--out", "b.json", "paper 3.txt")
    assert second["total"] == 3


def test_a_follow_up_that_would_ask_nothing_is_refused_and_starts_no_task(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    first = typed(capsys, "extract", "paper 1.txt", "--template", "rct", "--out", "a.json")
    assert main(["follow-up", str(first["task_id"]), "--out", "b.json"]) == 2
    assert "This would ask nothing." in capsys.readouterr().err
    assert not (home / "b.json").exists()
    assert main(["follow-up", str(first["task_id"] + 1), "--only", "failed", "--out", "b.json"]) == 2
    assert "There is no task" in capsys.readouterr().err


def test_a_section_that_is_not_there_is_named_with_those_that_are(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["extract", str(home / "paper 1.txt"), "--template", "rct", "--out", str(home / "x.csv")]
    assert main([*arguments, "--section", "nope"]) != 0
    assert "allocation" in capsys.readouterr().err
    assert not (home / "x.csv").exists()
    assert main([*arguments, "--section", "allocation"]) == 0
