"""Whatever is typed: argument lists made up by a machine from the real parser, against a real database.

Every one ends with 0, 1 or 2; a complaint is one line that names what was wrong; `--json` is JSON or nothing.
"""

import argparse
import io
import json
import os
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from ingather import embedded
from ingather.cli import crew, extract, main, watching, work
from ingather.cli.doctor import checks
from ingather.cli.parser import command_parser
from ingather.embedded import EmbeddedError
from ingather.engine.engine import Engine
from ingather.engine.errors import IngatherError, Reject, UsageError

NOWHERE = "postgresql://harvester:s3cret@127.0.0.1:1/hay"
CTRL_C = 130
FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)

# --- what may be typed -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of the parser: the words that lead to it, and what it takes."""

    names: tuple[str, ...]
    options: tuple[argparse.Action, ...]
    places: tuple[argparse.Action, ...]


def _commands(of: argparse.ArgumentParser, names: tuple[str, ...] = ()) -> Iterator[Command]:
    options: list[argparse.Action] = []
    places: list[argparse.Action] = []
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from _commands(inner, (*names, name))
        else:
            (options if action.option_strings else places).append(action)
    yield Command(names=names, options=tuple(options), places=tuple(places))


# They serve until somebody stops them: nothing for a test within this process.
NEVER_RUN = {"run", "serve"}
COMMANDS = [command for command in _commands(command_parser()) if not NEVER_RUN & {*command.names}]
# A group such as `batch` knows nothing but its help.
RUNNABLE = [command for command in COMMANDS if len(command.options) > 1]
OPTIONS = sorted({text for command in COMMANDS for option in command.options for text in option.option_strings})

# Arguments by their name in the usage line. A name with @ stands for a batch of the scene.
FITTING = {
    "ID": ["@open", "@failed", "@closed", "9223372036854775807"],
    "ITEM": ["1", "9223372036854775807"],
    "N": ["1", "7", "none"],
    "NAME": ["default", "other", "nowhere"],
    "KIND": ["nap", "other"],
    "AGE": ["0s", "30d", "5217w", "999999w"],
    "RATE": ["60/m", "30/10s", "none", "5/0s", "5/99999d"],
    "CRON": ["0 3 * * *", "*/10 * * * * *", "0 0 29 2 *", "0 0 30 2 *"],
    "ZONE": ["UTC", "Asia/Shanghai", "Europe", "right/UTC"],
    "SECONDS": ["0", "1.5"],
    "PAPER": ["paper.txt", "paper.txt", "no.pdf", "."],
    "FILE": ["table.csv", "table.xlsx", "table.pdf", "no/table.csv", "x" * 250 + ".csv", "a\0b.csv"],
    "TEXT": ["sleep in adults", "a\0b", "\udcff"],
    "MODULE:APP": ["jobs:empty", "jobs:number", "jobs:gone", "barn:app", "jobs.py:app", ":", "..jobs:app", "a\0b:app"],
}
HOSTILE = [
    "", " ", "-", "--", "---", "-1", "-0", "0", "00", "+1", "1.5", "1e400", "nan", "-inf", "0x10", "1_000", "٣", "²",
    "9" * 19, "9" * 31, "9" * 5_000, "x" * 70_000, "\0", "a\0b", "\ud800", "\udcff", "a\nb\r\nc", "\x1b[2J", "\u2028",
    "é", "'", '"', "`id`", "$(id)", "'; drop table ingather.batch; --", "%s", "%(batch_id)s", "{}", "[red]", "\\",
    "../../x", "/dev/null", "~", "@file", "--json", "--json=1", "--help=1", "--keep", "--keep=--", "=--", "-x=--",
    "none", "null", "true", "None", "ls", "batch", "open", "* * * * *", "99 * * * *", "*/" + "9" * 90 + " * * * *",
]  # fmt: skip
# No colon, so that `work` is led to no module but those named above.
TEXT = st.text(st.characters(exclude_characters=":"), max_size=12)
JUNK = st.sampled_from(HOSTILE) | TEXT | st.integers().map(str) | st.floats().map(str)


def _value(action: argparse.Action) -> st.SearchStrategy[str]:
    known = ["rct", "none"] if action.dest == "template" else FITTING.get(str(action.metavar), ["1"])
    fitting: list[str] = list(action.choices or known)
    return st.sampled_from(fitting) | st.sampled_from(fitting) | JUNK


@st.composite
def argument_lists(draw: st.DrawFn) -> list[str]:
    """A command, more or less as it should be typed."""
    command = draw(st.sampled_from(RUNNABLE) | st.sampled_from(COMMANDS))
    given: list[list[str]] = [[draw(_value(place))] for place in command.places if draw(st.integers(0, 9))]
    for option in command.options:
        if not draw(st.booleans() if option.required else st.integers(0, 2).map(lambda n: n == 0)):
            continue
        name = option.option_strings[-1]
        if option.nargs == 0:
            # Help ends everything at once, so it should be rare.
            given += [[name]] * (draw(st.integers(0, 9)) == 0 or name not in {"--help", "--version"})
        else:
            value = draw(_value(option))
            given.append(draw(st.sampled_from([[name, value], [name, value], [f"{name}={value}"], [name]])))
    if not draw(st.integers(0, 3)):
        given.append([draw(JUNK | st.sampled_from(OPTIONS))])
    if draw(st.booleans()):
        given.append(["--json"])
    names = [*command.names, *(text for part in draw(st.permutations(given)) for text in part)]
    return names if draw(st.integers(0, 9)) else draw(st.permutations(names))


# --- the scene -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: object
    output: str
    complained: str


class Scene:
    """A database with an open, a closed and a failed batch, and a folder in which nothing but the home may appear."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder
        self.env = {"DATABASE_URL": engine.url, "INGATHER_HOME": str(folder / "home")}
        self.ids: dict[str, str] = {}

        @engine.handler("nap", max_attempts=1)
        async def nap(item: Any) -> object:
            if item.payload["is_bad"]:
                raise Reject("a \x1b[31mbad\x1b[0m 'apple'\nwith [red]stripes[/red]")
            return item.payload

    def prepare(self) -> None:
        """Steering changes batches and pruning removes them; the next command should find them all the same."""
        failed = self.engine.scatter("nap", [{"is_bad": True}, {"is_bad": False}])
        closed = self.engine.scatter("nap", [{"is_bad": False}])
        self.engine.resume_queue("default")
        self.engine.set_queue("default", max_running=None, rate=None)
        self.engine.worker().drain()
        waiting = self.engine.scatter("nap", [{"is_bad": False}] * 3, queue="other")
        self.ids = {"@open": str(waiting.id), "@failed": str(failed.id), "@closed": str(closed.id)}

    def type(self, argv: list[str], **env: str) -> Ended:
        output, complained = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        code: object
        with mock.patch.dict(os.environ, self.env | env), redirect_stdout(output), redirect_stderr(complained):
            try:
                code = main([self.ids.get(text, text) for text in argv])
            except SystemExit as ended:
                code = ended.code
        return Ended(code, *(stream.buffer.getvalue().decode() for stream in (output, complained)))


@pytest.fixture
def scene(app: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """What would run for long ends at once: a watch by Ctrl-C, a crew and a server by a refusal."""

    def press_ctrl_c(_: float) -> Never:
        raise KeyboardInterrupt

    def refuse_crew(_: object) -> Never:
        raise UsageError("There is no crew in this scene, whatever --processes says.")

    async def refuse_work(*_: object) -> Never:
        raise IngatherError("There is no worker in this scene, so `extract` goes no further.")

    def refuse_server(*_: object, **__: object) -> Never:
        raise EmbeddedError("There is no embedded server in this scene, whatever `db start` says.")

    monkeypatch.setattr(watching, "time", SimpleNamespace(sleep=press_ctrl_c, monotonic=lambda: 0.0))
    monkeypatch.setattr(crew, "run_crew", refuse_crew)
    monkeypatch.setattr(extract, "work_on_extract", refuse_work)
    monkeypatch.setattr(embedded, "start", refuse_server)
    # It would end this very process once it finds that another than --parent started it.
    monkeypatch.setattr(work, "_follow_parent_of_work", lambda _: None)
    monkeypatch.setattr(checks, "LOOK_AGAIN_S", 0)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("INGATHER_")]:
        monkeypatch.delenv(name)
    (tmp_path / "paper.txt").write_text("Forty adults slept for eight hours.")
    (tmp_path / "jobs.py").write_text("from ingather import Ingather\nempty = Ingather()\nnumber = 3\n")
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield Scene(app, tmp_path)
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.modules.pop("jobs", None)


def check(argv: list[str], ended: Ended) -> None:
    """What holds for every argument list."""
    wants_help = not argv or {"-h", "--help", "--version"} & set(argv)
    assert ended.code in (0, 1, 2) or (ended.code == CTRL_C and "watch" in argv)
    if "--json" in argv and not wants_help:
        lines = ended.output.splitlines()
        assert len(lines) <= 1 or "watch" in argv
        for line in lines:
            json.loads(line, parse_constant=pytest.fail)
    if ended.code in (1, 2) and ended.output == "":
        *hints, complaint = ended.complained.splitlines(keepends=True)
        # How far it got is said first.
        assert not hints or "extract" in argv
        check_complaint(complaint, argv)
    elif ended.code == 2:
        assert ended.output.startswith("usage: ingather")
    else:
        assert "ingather: " not in ended.complained


def check_complaint(complained: str, argv: Iterable[str] = ()) -> None:
    assert complained.startswith("ingather: ")
    assert complained.endswith("\n")
    sentence = complained[:-1]
    assert not [one for one in sentence if unicodedata.category(one) in {"Cc", "Cs", "Zl", "Zp"}]
    assert 20 < len(sentence) < 1_200
    for phrase in ("Traceback", "Unexpected ", "The database could not do this", "[]", "timedelta"):
        assert phrase not in sentence or any(phrase in typed for typed in argv)


# --- the properties --------------------------------------------------------------------------------------------------


@FUZZ
@given(argv=argument_lists())
@example(argv=["batch", "ls", "--kind", "a\0b"])
@example(argv=["batch", "ls", "--kind", "\udcff", "--json"])
@example(argv=["worker", "ls", "a\nb"])
@example(argv=["work", "a\x1b[31mb:app"])
@example(argv=["batch", "x" * 100_000])
@example(argv=["prune", "--keep=--"])
@example(argv=["schedule", "preview", "0 3 * * *", "--tz=--"])
@example(argv=["prune", "--keep", "999999w"])
@example(argv=["queue", "set", "default", "--rate", "5/0s"])
def test_whatever_is_typed_ends_with_an_exit_code_and_in_sentences(scene: Scene, argv: list[str]) -> None:
    if not scene.ids:
        scene.prepare()
    ended = scene.type(argv)
    check(argv, ended)
    assert {path.name for path in scene.folder.iterdir()} - {"home"} == {"jobs.py", "paper.txt"}
    if ended.code == 0 and {"prune", "cancel", "retry"} & set(argv):
        scene.prepare()


@settings(FUZZ, max_examples=40)
@given(argv=argument_lists())
def test_without_a_database_it_ends_with_an_exit_code_and_in_sentences_too(scene: Scene, argv: list[str]) -> None:
    ended = scene.type(argv, DATABASE_URL=NOWHERE)
    check(argv, ended)
    if argv[:2] != ["db", "url"]:
        assert "s3cret" not in ended.output + ended.complained


# --- what it found, each once more by name ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["batch", "ls", "--kind", "No Kind"], "'No Kind' is not a kind"),
        (["batch", "ls", "--kind", "\udcff"], "'\\udcff' is not a kind"),
        (["prune", "--keep=--"], "--keep: '--' is no value"),
        (["work", "jobs:empty", "--queue=--"], "--queue: '--' is no value"),
        (["prune", "--keep", "5219w"], "more than 100 years"),
        (["queue", "set", "default", "--rate", "5/0s"], "1 second to 1 day"),
        (["queue", "set", "default", "--rate", "1000001/s"], "1 to 1,000,000 items"),
        (["worker", "ls", ""], "arguments: ''"),
        (["extract", "x" * 5_000, "--template", "rct", "--out", "t.csv"], "File name too long"),
        (["extract", "paper.txt", "--template", "rct", "--out", "x" * 300 + ".csv"], "File name too long"),
        (["extract", "paper.txt", "--template", "rct", "--out", "a\0b.csv"], "cannot be the name of a file"),
        (["extract", "paper.txt", "--template", "a\0b", "--out", "t.csv"], "--template: 'a\\x00b'"),
        (["worker", "ls", "a\nb"], "arguments: 'a\\nb'"),
        (["work", "a\x1bb:app"], "no module a\\x1bb in"),
    ],
)
def test_a_wrong_argument_is_named_in_the_complaint(scene: Scene, argv: list[str], names: str) -> None:
    ended = scene.type(argv)
    assert (ended.code, ended.output) == (2, "")
    check_complaint(ended.complained)
    assert names in ended.complained


def test_a_preview_ends_where_the_calendar_ends(scene: Scene) -> None:
    ended = scene.type(["schedule", "preview", "0 0 29 2 *", "--limit", "3000", "--json"])
    assert ended.code == 0
    assert json.loads(ended.output)["firings"][-1] == "9996-02-29T00:00:00+00:00"


def test_words_of_a_handler_do_not_steer_the_terminal(scene: Scene) -> None:
    scene.prepare()
    shown = scene.type(["batch", "show", "@failed"]).output
    assert "a \\x1b[31mbad\\x1b[0m 'apple' with [red]stripes[/red]" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stdout_or_stderr_is_no_reason_to_fail(tmp_path: Path, closed: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "ingather.cli", "schedule", "preview", "0 3 * * *", "--json"],
        env=os.environ | {"INGATHER_HOME": str(tmp_path)},
        capture_output=True,
        preexec_fn=lambda: os.close(closed),
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert bool(ran.stdout) == (closed != 1)
