"""`ingather extract`, as a program: from papers to a table, interrupted, repeated, with papers that cannot be read."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from python_calamine import CalamineWorkbook

from ingather.engine.engine import Engine
from ingather.extraction.tasks.pipeline import KIND
from tests.engine.workshop import until
from tests.extraction.desk import paper
from tests.provider.reader import answer
from tests.provider.server import Provider

SAMPLES = Path(__file__).parents[1] / "samples"


class Shell:
    """Runs the command on a database and files of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": url,
            "INGATHER_HOME": str(folder),
            "INGATHER_LEASE": "2",
        }

    def start(self, *args: object) -> subprocess.Popen[str]:
        argv = [sys.executable, "-m", "ingather.cli", "extract", *map(str, args)]
        return subprocess.Popen(
            argv, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )

    def run(self, *args: object) -> tuple[int, str, str]:
        process = self.start(*args)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err


@pytest.fixture
def shell(url: str, tmp_path: Path) -> Shell:
    return Shell(url, tmp_path)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(script={"latency_s": 0.1}, answerer=answer) as made:
        yield made


def papers(folder: Path, count: int) -> list[Path]:
    made = []
    for n in range(count):
        path = folder / f"paper{n}.txt"
        path.write_text(paper(n), "utf-8")
        made.append(path)
    return made


def test_papers_become_a_table_and_those_that_cannot_be_read_are_named(shell: Shell) -> None:
    out = shell.folder / "results.xlsx"
    code, output, _ = shell.run(SAMPLES / "rct_cordil.pdf", SAMPLES / "rct_scan.pdf", "--template", "rct", "--out", out)
    assert code == 1
    assert "1 of 2 documents" in output
    assert "rct_scan.pdf" in output
    assert "scan" in output
    sheets = CalamineWorkbook.from_path(out).sheet_names
    assert {"Studies", "Arms", "Evidence", "Dictionary", "Settings"} <= set(sheets)


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_and_run_again_it_goes_on_and_pays_nothing_twice(
    shell: Shell, provider: Provider, blow: signal.Signals
) -> None:
    shell.environment |= {"INGATHER_LLM_BASE_URL": provider.base_url, "INGATHER_LLM_MODEL": "test-model"}
    shell.environment |= {"INGATHER_LLM_API_KEY": "sk-canary-0123456789abcdef", "INGATHER_MODEL_AT_ONCE": "3"}
    given = (*papers(shell.folder, 6), "--template", "rct", "--out", shell.folder / "out.json")
    process = shell.start(*given)
    until(lambda: len(provider.calls) >= 12, 60)
    process.send_signal(blow)
    _, complaint = process.communicate(timeout=60)
    if blow == signal.SIGINT:
        assert process.returncode == 130
        assert "Run the same command again" in complaint
    assert not (shell.folder / "out.json").exists()
    code, _, complaint = shell.run(*given)
    assert code == 0, complaint
    assert "Going on with task" in complaint
    table = json.loads((shell.folder / "out.json").read_text())
    assert [document["state"] for document in table["documents"]] == ["completed"] * 6
    calls: dict[str, int] = {}
    for call in provider.calls:
        calls[call.body_sha] = calls.get(call.body_sha, 0) + 1
    # Calls under way when it was interrupted were never answered; nothing else is asked twice.
    assert sum(times - 1 for times in calls.values()) <= 3
    before = len(provider.calls)
    assert shell.run(*given)[0] == 0
    assert len(provider.calls) == before, "asked a third time, everything is there"


def test_the_order_of_the_papers_does_not_matter_and_a_copy_is_read_once(shell: Shell) -> None:
    first, second = papers(shell.folder, 2)
    copy = shell.folder / "copy.txt"
    copy.write_bytes(first.read_bytes())
    options = ("--template", "rct", "--out", "o.json", "--json")
    code, out, _ = shell.run(first, second, *options)
    task = json.loads(out)["task_id"]
    code, out, complaint = shell.run(second, first, copy, *options)
    assert (code, json.loads(out)["task_id"]) == (0, task)
    assert "copy.txt is the same file as paper0.txt" in complaint
    assert "2 of 2 documents were done" in complaint


def test_a_task_that_pauses_itself_says_why_and_one_that_was_cancelled_is_begun_anew(shell: Shell, url: str) -> None:
    given = (*papers(shell.folder, 2), "--template", "rct", "--out", "o.json", "--json")
    with Provider(script=[{"do": "unauthorized_401", "times": 1}], answerer=answer) as provider:
        shell.environment |= {"INGATHER_LLM_BASE_URL": provider.base_url, "INGATHER_LLM_MODEL": "test-model"}
        shell.environment |= {"INGATHER_LLM_API_KEY": "sk-canary-0123456789abcdef", "INGATHER_MODEL_AT_ONCE": "1"}
        code, out, complaint = shell.run(*given)
        assert (code, out) == (1, "")
        assert "key" in complaint
        assert "run the same command again to go on" in complaint
        assert "None" not in complaint
        assert "sk-canary" not in complaint
        engine = Engine(url)
        [paused] = engine.batches(kind=KIND)
        assert engine.batch(paused.batch_id).cancel()
        engine.close()
        code, out, complaint = shell.run(*given)
    seen = json.loads(out)
    assert (code, seen["completed"], seen["cancelled"]) == (0, 2, 0), complaint


def test_it_says_what_it_waits_for(shell: Shell) -> None:
    """A silence that is too long to be waited for in place."""
    given = (*papers(shell.folder, 1), "--template", "rct", "--out", "o.json")
    with Provider(script=[{"do": "rate_limit", "times": 1, "retry_after": 6}], answerer=answer) as provider:
        shell.environment |= {"INGATHER_LLM_BASE_URL": provider.base_url, "INGATHER_LLM_MODEL": "test-model"}
        code, _, complaint = shell.run(*given)
    assert code == 0
    assert re.search(r"Waiting until \d\d:\d\d:\d\d: the provider asked for silence", complaint)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["nowhere.pdf", "--template", "rct", "--out", "o.xlsx"], "There is no file 'nowhere.pdf'"),
        (
            ["paper0.txt", "--template", "nope", "--out", "o.xlsx"],
            "no template 'nope'. Those that come with the program: rct",
        ),
        (["paper0.txt", "--template", "rct", "--out", "o.doc"], "does not say what to write"),
        (["paper0.txt", "--template", "rct", "--out", "missing/o.xlsx"], "no such folder"),
        (["paper0.txt", "--template", "rct", "--out", "/proc/o.xlsx"], "'/proc/o.xlsx' cannot be written"),
        ([".", "--template", "rct", "--out", "o.xlsx"], "'.' is a folder. Name the files in it: *.pdf."),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_done(shell: Shell, args: list[str], sentence: str) -> None:
    papers(shell.folder, 1)
    code, out, err = shell.run(*args)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


def test_json_is_all_there_is_on_stdout_and_papers_go_to_no_project_of_others(shell: Shell, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("insert into ingather.project (name) values ('Command line')")
    code, out, _ = shell.run(*papers(shell.folder, 2), "--template", "cohort", "--out", "o.csv", "--json")
    complaint: dict[str, Any] = json.loads(out)
    assert code == 0
    assert (complaint["total"], complaint["completed"], complaint["failures"]) == (2, 2, [])
    with psycopg.connect(url) as db:
        [(made_for,)] = db.execute(
            "select p.made_for from ingather.task t join ingather.project p on p.id = project_id"
        )
    assert made_for == "command_line"


def test_a_link_that_somebody_put_where_the_table_is_written_is_not_followed(shell: Shell) -> None:
    """In a folder that others may write to, such as /tmp."""
    theirs = shell.folder / "theirs.txt"
    theirs.write_text("precious", "utf-8")
    process = shell.start(*papers(shell.folder, 1), "--template", "rct", "--out", "o.csv")
    (shell.folder / f".half-written-{process.pid}").symlink_to(theirs)
    process.communicate(timeout=100)
    assert process.returncode == 0
    assert theirs.read_text("utf-8") == "precious"
    assert not (shell.folder / "o.csv").is_symlink()
