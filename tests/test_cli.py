"""The command line as its users meet it: real processes, real exit codes, a database of the test's own."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg
import pytest

from ingather.cli import main
from ingather.cli.doctor import checks, surroundings
from ingather.cli.interrupts import interrupted_afterwards
from ingather.engine.engine import Engine
from tests.conftest import database

ROOT = Path(__file__).resolve().parent.parent
NOWHERE = "postgresql://harvester:s3cret@127.0.0.1:1/hay"

JOBS = """
import asyncio, os
from ingather import Ingather, Reject

app = Ingather()
empty = Ingather()
number = 3

@app.handler("nap", max_attempts=1)
async def nap(item):
    await asyncio.sleep(item.payload.get("s", 0))
    if item.payload.get("bad"):
        raise Reject("a bad [red]apple[/red]")
    return os.getpid()

@app.gather("nap")
async def count(batch):
    return {"naps": len([1 async for _ in batch.results()])}
"""


class Cli:
    """Runs `ingather` in a folder with the module jobs, against the test's database."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        (folder / "jobs.py").write_text(JOBS)
        outside = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "NO_COLOR", "FORCE_COLOR"}}
        self.env = outside | {"DATABASE_URL": url, "INGATHER_HOME": str(folder / "home"), "INGATHER_LEASE": "1"}

    def argv(self, *args: object) -> list[str]:
        return [sys.executable, "-m", "ingather.cli", *map(str, args)]

    def run(self, *args: object, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(*args),
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def within(self, *args: object) -> subprocess.CompletedProcess[str]:
        """The same without a process of its own: a hundred of them would take a minute."""
        argv = [str(arg) for arg in args]
        output, complained = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with mock.patch.dict(os.environ, self.env), redirect_stdout(output), redirect_stderr(complained):
            code = main(argv)
        output.seek(0)
        complained.seek(0)
        return subprocess.CompletedProcess(argv, code, output.read(), complained.read())

    def done(self, *args: object) -> str:
        """What it says on stdout, when all goes well."""
        ran = self.within(*args)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def json(self, *args: object) -> Any:
        return json.loads(self.done(*args, "--json"))

    def refused(self, code: int, *args: object, **env: str) -> str:
        """The one sentence on stderr, when it does not."""
        ran = self.run(*args, **env) if env or "work" in args else self.within(*args)
        assert ran.returncode == code, (ran.returncode, ran.stdout, ran.stderr)
        assert ran.stdout == ""
        assert ran.stderr.startswith("ingather: ")
        assert len(ran.stderr.splitlines()) == 1, ran.stderr
        return ran.stderr

    @contextmanager
    def working(self, *options: object) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            self.argv("work", "jobs:app", *options), cwd=self.folder, env=self.env, stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=20)


@pytest.fixture
def cli(tmp_path: Path, url: str) -> Cli:
    return Cli(tmp_path, url)


@pytest.fixture
def naps(app: Engine) -> Engine:
    """The test's own engine, which knows the kind of the module jobs but never runs it."""

    @app.handler("nap", max_attempts=1)
    async def nap(item: object) -> None: ...

    @app.gather("nap")
    async def count(batch: object) -> None: ...

    return app


def until(is_so: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        # A process that ended but was not yet waited for is gone too.
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


# --- usage -----------------------------------------------------------------------------------------------------------


def test_it_says_its_version_and_lists_its_commands(cli: Cli) -> None:
    assert cli.run("--version").stdout.startswith("ingather 0.")
    shown = cli.run("--help").stdout
    for command in ("migrate", "work", "batch", "queue", "schedule", "worker", "doctor", "db", "prune"):
        assert command in shown


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["bake"], "bake"),
        (["batch"], "COMMAND"),
        (["batch", "show"], "ID"),
        (["batch", "show", "one"], "whole number"),
        (["batch", "show", "0"], "less than 1"),
        (["batch", "show", "99999999999999999999"], "too big"),
        (["batch", "ls", "--state", "ajar"], "ajar"),
        (["batch", "ls", "--limit", "0"], "less than 1"),
        (["queue", "set", "default", "--rate", "60/q"], "60/m"),
        (["queue", "set", "default", "--max-running", "many"], "whole number"),
        (["prune", "--keep", "long"], "30d"),
        (["prune"], "--keep"),
        (["work", "jobs:app", "--grace", "-1"], "seconds"),
        (["work", "jobs:app", "--processes", "0"], "less than 1"),
    ],
)
def test_bad_arguments_are_one_sentence_and_exit_code_2(
    args: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(args)
    output, complained = capsys.readouterr()
    assert (ended.value.code, output, len(complained.splitlines())) == (2, "", 1)
    assert complaint in complained


def test_an_unknown_batch_is_wrong_usage(cli: Cli) -> None:
    for verb in ("show", "watch", "cancel", "pause", "resume", "retry"):
        assert "no batch 42" in cli.refused(2, "batch", verb, 42)


def test_bad_names_and_numbers_are_wrong_usage(cli: Cli) -> None:
    assert "lower-case" in cli.refused(2, "queue", "set", "No Queue", "--max-running", 1)
    assert "1,000,000" in cli.refused(2, "queue", "set", "default", "--max-running", 0)
    assert "--max-running" in cli.refused(2, "queue", "set", "default")
    assert "no queue" in cli.refused(2, "queue", "pause", "nowhere")
    assert "never fires" in cli.refused(2, "schedule", "preview", "0 0 30 2 *")
    assert "time zone" in cli.refused(2, "schedule", "preview", "0 3 * * *", "--tz", "Mars/Olympus")
    assert "INGATHER_LEASE" in cli.refused(2, "batch", "ls", INGATHER_LEASE="soon")
    assert "10,000" in cli.refused(2, "work", "jobs:app", "--concurrency", 10_001)


# --- the database ----------------------------------------------------------------------------------------------------


def test_an_unreachable_database_is_exit_code_1_and_never_shows_the_password(tmp_path: Path) -> None:
    for command in (["batch", "ls"], ["migrate"], ["work", "jobs:app"]):
        output = Cli(tmp_path, NOWHERE).refused(1, *command)
        assert "127.0.0.1:1/hay" in output
        assert "s3cret" not in output


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("nonsense", "does not begin with postgresql://"),
        ("s3cret", "does not begin with postgresql://"),
        ("mysql://harvester:s3cret@host/hay", "does not begin with postgresql://"),
        ("postgresql://[", "cannot be read"),
        ("postgresql://harvester:s3cret@[::1/hay", "cannot be read"),
        ("postgresql://harvester:s3cret@127.0.0.1/hay?colour=blue", "cannot be read"),
        ("postgresql://127.0.0.1:notaport/hay", "port"),
        ("postgresql://harvester:s3cret@127.0.0.1:70000/hay", "port"),
        ("postgresql://harvester:s3/cret@host:1/hay", "port"),
        ("postgresql://h:s3@cret@host/hay", "@"),
    ],
)
def test_an_address_that_is_none_is_wrong_usage_and_never_shows_the_password(
    tmp_path: Path, wrong: str, why: str
) -> None:
    cli = Cli(tmp_path, wrong)
    for command in (["batch", "ls"], ["migrate"], ["doctor"], ["token", "ls"], ["link"], ["db", "url"]):
        output = cli.refused(2, *command)
        assert output.startswith("ingather: DATABASE_URL is not a PostgreSQL address: ")
        assert why in output
        assert "postgresql://user:password@host:5432/database" in output
        assert "s3" not in output
        assert "cret" not in output


def test_an_option_with_a_value_that_there_is_not_is_wrong_usage_too(tmp_path: Path) -> None:
    output = Cli(tmp_path, f"{NOWHERE}?sslmode=perhaps").refused(2, "batch", "ls")
    assert "one of its options has a value that there is not" in output
    assert "s3cret" not in output


@pytest.mark.parametrize(
    "command",
    [
        ["work", "jobs:app"],
        ["work", "jobs:app", "--processes", "2"],
        ["run", "--port", "0"],
        ["serve", "--port", "0"],
        ["extract", "jobs.py", "--template", "rct", "--out", "table.csv"],
    ],
)
def test_what_would_run_for_long_refuses_such_an_address_at_once(tmp_path: Path, command: list[str]) -> None:
    ran = Cli(tmp_path, "postgresql://harvester:s3cret@127.0.0.1:notaport/hay").run(*command)
    assert (ran.returncode, ran.stdout) == (2, "")
    complaints = [line for line in ran.stderr.splitlines() if line.startswith("ingather: ")]
    assert complaints
    assert all("not a PostgreSQL address" in line for line in complaints)
    assert "s3cret" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_tables_newer_than_the_code_are_refused(cli: Cli, db: psycopg.Connection) -> None:
    db.execute("insert into ingather.migration (version, name, oldest) values (9000, 'the_future', 9000)")
    assert "Upgrade ingather" in cli.refused(1, "batch", "ls")
    assert "Upgrade ingather" in cli.refused(1, "work", "jobs:app")
    ran = cli.run("doctor", "--json")
    assert ran.returncode == 1
    assert finding(json.loads(ran.stdout), "schema")["level"] == "wrong"


def test_migrate_makes_the_tables_once(cli: Cli, db: psycopg.Connection) -> None:
    db.execute("drop schema ingather cascade")
    assert "ingather migrate" in cli.refused(1, "batch", "ls")
    assert cli.json("migrate")["applied"]
    assert cli.json("migrate")["applied"] == []
    assert "Nothing to do" in cli.done("migrate")


def test_the_embedded_database_is_started_found_healthy_and_stopped(cli: Cli) -> None:
    elsewhere = cli.env.pop("DATABASE_URL")
    assert "not running" in cli.refused(1, "db", "url")
    url = cli.run("db", "start").stdout.strip()
    try:
        assert cli.run("db", "url").stdout.strip() == url
        assert cli.run("batch", "ls", "--json").stdout == "[]\n"
        healthy = cli.run("doctor")
        assert healthy.returncode == 0, healthy.stdout
        assert "Nothing is wrong" in healthy.stdout
        steps = subprocess.run(
            [sys.executable, ROOT / "examples" / "first_steps.py"],
            env=cli.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert steps.stdout == "MAKE HAY WHILE THE SUN SHINES\n", steps.stderr
        assert cli.run("db", "url", DATABASE_URL=elsewhere).stdout.strip() == elsewhere
    finally:
        assert cli.run("db", "stop").stdout == "Stopped.\n"
    assert cli.run("db", "stop", "--json").stdout == '{"stopped": false}\n'


def test_prune_removes_what_closed_long_ago_and_keeps_the_rest(cli: Cli, naps: Engine, db: psycopg.Connection) -> None:
    old, new = naps.scatter("nap", [{}]), naps.scatter("nap", [{}])
    with cli.working():
        old.wait(20)
        new.wait(20)
    db.execute("update ingather.batch set closed_at = closed_at - interval '31 days' where id = %s", [old.id])

    assert cli.json("prune", "--keep", "30d") == {"pruned": 1}
    assert [batch["batch_id"] for batch in cli.json("batch", "ls")] == [new.id]


# --- looking and steering --------------------------------------------------------------------------------------------


def test_batches_are_listed_newest_first_and_page_by_page(cli: Cli, naps: Engine) -> None:
    assert cli.run("batch", "ls").stderr == "No batches.\n"
    first, second, third = (naps.scatter("nap", [{}] * size).id for size in (1, 2, 1234))

    page = cli.run("batch", "ls", "--limit", 2)
    assert [line.split()[0] for line in page.stdout.splitlines()] == ["batch", str(third), str(second)]
    assert "1,234" in page.stdout
    assert f"--before {second}" in page.stderr
    [last] = cli.json("batch", "ls", "--limit", 2, "--before", second)
    assert (last["batch_id"], last["total"], last["pending"], last["state"]) == (first, 1, 1, "open")
    assert cli.json("batch", "ls", "--state", "closed") == []
    assert cli.json("batch", "ls", "--kind", "other") == []


def test_a_finished_batch_is_shown_with_its_result_and_why_items_failed(cli: Cli, naps: Engine) -> None:
    batch = naps.scatter("nap", [{"bad": number < 3} for number in range(10)])
    with cli.working():
        watched = cli.run("batch", "watch", batch.id)
    assert watched.returncode == 1, "three items failed"
    assert "7 of 10 completed, 3 error" in watched.stdout
    assert '{"naps": 7}' in watched.stdout

    shown = cli.done("batch", "show", batch.id, "--limit", 2)
    assert '"naps": 7' in shown
    assert "Failures: 3 rejected (Reject)" in shown
    assert shown.count("a bad [red]apple[/red]") == 2, "words of a handler are no markup"
    reported = cli.json("batch", "show", batch.id)
    assert reported["result"] == {"naps": 7}
    assert reported["failure_reasons"] == [{"reason": "rejected", "type": "Reject", "items": 3}]
    assert [failure["ordinal"] for failure in reported["failures"]] == [0, 1, 2]
    after = reported["failures"][1]["item_id"]
    assert [f["ordinal"] for f in cli.json("batch", "show", batch.id, "--after", after)["failures"]] == [2]

    assert cli.json("batch", "retry", batch.id)["retried"] == 3
    assert cli.json("batch", "show", batch.id)["version"] == 2


def test_a_watch_ends_with_the_batch_and_says_so_line_by_line(cli: Cli, naps: Engine) -> None:
    batch = naps.scatter("nap", [{"s": 0.05}] * 60)
    with cli.working("--concurrency", 5):
        watched = cli.run("batch", "watch", batch.id, "--json")
    assert watched.returncode == 0, watched.stderr
    lines = [json.loads(line) for line in watched.stdout.splitlines()]
    for line in lines:
        assert sum(line[s] for s in ("pending", "running", "completed", "error", "cancelled")) == line["total"]
    assert (lines[-1]["state"], lines[-1]["completed"], lines[-1]["gather"]) == ("closed", 60, "completed")


def test_a_watch_says_when_nobody_works_and_leaves_quietly_on_ctrl_c(cli: Cli, naps: Engine) -> None:
    batch = naps.scatter("nap", [{}])
    watching = subprocess.Popen(
        cli.argv("batch", "watch", batch.id),
        cwd=cli.folder,
        env=cli.env,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that were started in the background may have been told to ignore Ctrl-C, and would pass that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert watching.stderr is not None
    assert "no worker handles kind nap" in watching.stderr.readline()
    watching.send_signal(signal.SIGINT)
    assert watching.communicate(timeout=60)[1] == ""
    assert watching.returncode == 130


def test_batches_are_paused_resumed_and_cancelled(cli: Cli, naps: Engine) -> None:
    batch = naps.scatter("nap", [{}] * 5)
    assert "5 items wait" in cli.done("batch", "pause", batch.id)
    assert cli.json("batch", "show", batch.id)["paused"] is True
    assert "goes on" in cli.done("batch", "resume", batch.id)
    assert cli.json("batch", "show", batch.id)["paused"] is False
    assert cli.json("batch", "cancel", batch.id)["cancelled"] == 5
    assert "closed before" in cli.done("batch", "cancel", batch.id)
    assert "no failed items" in cli.done("batch", "retry", batch.id)


def test_queues_are_limited_paused_and_freed(cli: Cli, naps: Engine) -> None:
    naps.scatter("nap", [{}] * 3)
    assert cli.done("queue", "set", "default", "--max-running", 7, "--rate", "60/m") == (
        "Queue default: max running 7, rate 60/m.\n"
    )
    [queue] = cli.json("queue", "ls")
    assert (queue["max_running"], queue["rate_items"], queue["rate_window_s"], queue["pending"]) == (7, 60, 60, 3)
    assert "60/m" in cli.done("queue", "ls")
    assert cli.json("queue", "set", "default", "--rate", "10/s")["max_running"] == 7
    assert cli.json("queue", "set", "default", "--max-running", "none", "--rate", "none")["rate_items"] is None
    assert "3 items wait" in cli.done("queue", "pause", "default")
    assert cli.json("queue", "ls")[0]["state"] == "paused"
    assert cli.json("queue", "resume", "default")["paused"] is False


def test_schedules_show_their_next_firings(cli: Cli, naps: Engine) -> None:
    naps.schedule("nightly", cron="0 3 * * *", tz="Asia/Shanghai", kind="nap", payload={})
    [schedule] = cli.json("schedule", "ls")
    assert (schedule["name"], schedule["cron"], schedule["tz"]) == ("nightly", "0 3 * * *", "Asia/Shanghai")
    assert all(moment.endswith("19:00:00+00:00") for moment in schedule["next_at"])
    assert len(schedule["next_at"]) == 3
    assert "nightly" in cli.done("schedule", "ls")
    preview = cli.done("schedule", "preview", "0 3 * * *", "--tz", "Asia/Shanghai", "--limit", 2)
    assert preview.count("03:00:00 CST") == 2
    assert len(cli.json("schedule", "preview", "*/10 * * * * *", "--seconds")["firings"]) == 5


def test_colours_are_for_terminals_only(cli: Cli, naps: Engine) -> None:
    naps.scatter("nap", [{}])
    assert "\x1b" not in cli.run("batch", "ls").stdout
    plain, coloured = (on_a_terminal(cli, env) for env in ({"NO_COLOR": "1"}, {}))
    assert "nap" in plain
    assert "\x1b[36m" not in plain
    assert "\x1b[36m" in coloured


def test_columns_that_a_narrow_terminal_leaves_out_are_named(cli: Cli, naps: Engine) -> None:
    naps.scatter("nap", [{}])
    assert "Too narrow here for: " in on_a_terminal(cli, {"COLUMNS": "60"}, stderr=True)
    assert on_a_terminal(cli, {"COLUMNS": "400"}, stderr=True) == ""


def on_a_terminal(cli: Cli, env: dict[str, str], *, stderr: bool = False) -> str:
    """What the listing writes to a terminal; or what it writes beside it, for the person."""
    ours, theirs = os.openpty()
    env = cli.env | {"TERM": "xterm", "COLUMNS": "80"} | env
    with subprocess.Popen(cli.argv("batch", "ls"), env=env, stdout=theirs, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        os.close(theirs)
        output = b""
        with suppress(OSError):  # the other end is closed once it has ended
            while chunk := os.read(ours, 65_536):
                output += chunk
        beside = process.stderr.read()
        os.close(ours)
    assert process.returncode == 0
    return (beside if stderr else output).decode()


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, naps: Engine) -> None:
    for _ in range(300):
        naps.scatter("nap", [{}])
    listing = subprocess.Popen(
        cli.argv("batch", "ls", "--limit", 300, "--json"),
        cwd=cli.folder,
        env=cli.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout is not None
    listing.stdout.close()
    assert listing.stderr is not None
    assert listing.stderr.read() == b""
    assert listing.wait(10) == 141


# --- work ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("jobs", "MODULE:APP"),
        ("jobs.py:app", "jobs:app"),
        ("barn:app", "no module barn"),
        ("barn.loft:app", "no module barn"),
        ("jobs:ap", "It has jobs:app"),
        ("jobs:number", "not an Ingather"),
        ("jobs:empty", "no handlers"),
    ],
)
def test_an_app_that_cannot_be_found_is_a_sentence(tmp_path: Path, name: str, complaint: str) -> None:
    assert complaint in Cli(tmp_path, NOWHERE).refused(2, "work", name)


def test_a_worker_that_is_told_to_stop_while_its_module_loads_leaves_without_a_word(tmp_path: Path) -> None:
    cli = Cli(tmp_path, NOWHERE)
    (tmp_path / "slow.py").write_text("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(60)\n")
    with subprocess.Popen(
        cli.argv("work", "slow:app"), cwd=tmp_path, env=cli.env, stderr=subprocess.PIPE, text=True
    ) as process:
        until((tmp_path / "begun").exists, 30)
        process.send_signal(signal.SIGTERM)
        _, reported = process.communicate(timeout=30)
    assert (process.returncode, reported) == (0, "")


def test_a_module_that_does_not_load_says_which_line_is_to_blame(tmp_path: Path) -> None:
    cli = Cli(tmp_path, NOWHERE)
    (cli.folder / "torn.py").write_text("import ingather\n\nimport no_such_thing\n")
    output = cli.refused(1, "work", "torn:app")
    assert "no_such_thing" in output
    assert "torn.py, line 3" in output


def test_a_worker_told_to_stop_leaves_with_0_and_its_items_run_elsewhere_at_once(cli: Cli, naps: Engine) -> None:
    batch = naps.scatter("nap", [{"s": 5 if number < 2 else 0.01} for number in range(6)])
    with cli.working("--concurrency", 10, "--grace", 0.2) as worker:
        until(lambda: batch.progress().completed == 4)
        worker.terminate()
        output = worker.communicate(timeout=60)[1]
    assert worker.returncode == 0, output
    assert "working on nap from all queues, 10 at once" in output
    assert "stopped" in output
    seen = batch.progress()
    assert (seen.pending, seen.running) == (2, 0)
    with cli.working("--grace", 0):
        until(lambda: batch.progress().running == 2)
        assert [worker["state"] for worker in cli.json("worker", "ls")] == ["alive"]
        assert "nap" in cli.done("worker", "ls")


def test_a_worker_serves_only_the_queues_it_is_given(cli: Cli, naps: Engine) -> None:
    fast, slow = naps.scatter("nap", [{}], queue="fast"), naps.scatter("nap", [{}], queue="slow")
    with cli.working("--queue", "fast", "other"):
        fast.wait(20)
    assert slow.progress().pending == 1


def worker_pids(engine: Engine) -> set[int]:
    return {worker.pid for worker in engine.workers()}


def test_a_crew_replaces_a_killed_worker_and_stops_gracefully(cli: Cli, naps: Engine) -> None:
    with cli.working("--processes", 2, "--concurrency", 2) as crew:
        until(lambda: len(worker_pids(naps)) == 2)
        before = worker_pids(naps)
        batch = naps.scatter("nap", [{"s": 0.05}] * 60)
        until(lambda: batch.progress().completed > 10)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(worker_pids(naps) - before) == 1)
        assert batch.wait(20).completed == 60
        after = worker_pids(naps)
        crew.terminate()
        output = crew.communicate(timeout=20)[1]
    assert crew.returncode == 0, output
    assert f"worker process {victim} was killed by signal 9" in output
    assert worker_pids(naps) == set()
    assert all(is_gone(pid) for pid in after)


def test_a_killed_crew_leaves_no_orphan(cli: Cli, naps: Engine) -> None:
    with cli.working("--processes", 2, "--concurrency", 2) as crew:
        until(lambda: len(worker_pids(naps)) == 2)
        workers = worker_pids(naps)
        crew.kill()
        crew.wait()
        until(lambda: all(is_gone(pid) for pid in workers))
    assert worker_pids(naps) == set(), "they left gracefully"


def test_a_crew_that_cannot_start_says_why_and_ends(tmp_path: Path) -> None:
    ran = Cli(tmp_path, NOWHERE).run("work", "jobs:empty", "--processes", 2)
    assert ran.returncode == 2
    assert "no handlers" in ran.stderr
    assert "Traceback" not in ran.stderr


# --- the doctor ------------------------------------------------------------------------------------------------------


def finding(reported: Any, check: str) -> dict[str, str]:
    return next(found for found in reported["findings"] if found["check"] == check)


def test_the_doctor_finds_what_is_wrong(cli: Cli, naps: Engine, db: psycopg.Connection) -> None:
    late = naps.scatter("nap", [{}] * 4)
    naps.scatter("nap", [{}]).pause()
    naps.schedule("hourly", cron="0 * * * *", kind="nap", payload={})
    db.execute("update ingather.schedule set next_at = next_at - interval '2 hours'")
    db.execute(
        "insert into ingather.worker (host, pid, kinds, lease, beat_at) "
        "values ('barn', 7, '{nap}', '1 s', clock_timestamp() - interval '1 h')"
    )
    db.execute(
        "insert into ingather.lease"
        " (token, first_id, last_id, batch_id, worker_id, open, starting, attempt, lost, is_gather, queue)"
        " values (1, 1, 3, %s, 999, 3, 3, 1, 0, false, 'default')",
        [late.id],
    )
    db.execute("insert into ingather.tally (batch_id, worker_id, completed) values (%s, 1, 4)", [late.id])
    db.execute("select setval('ingather.segment_id', 1)")
    db.execute("update pg_index set indisvalid = false where indexrelid = 'ingather.waiting_ready'::regclass")

    ran = cli.run("doctor", "--json")
    assert ran.returncode == 1
    reported = json.loads(ran.stdout)
    assert reported["ok"] is False
    verdicts = {found["check"]: found["level"] for found in reported["findings"]}
    assert verdicts.pop("disk") in {"ok", "note", "wrong"}  # the room on this machine's disk
    assert verdicts.pop("parser") in {"ok", "note", "wrong"}  # what this machine's kernel can close; judged elsewhere
    assert verdicts == {
        "server": "ok",
        "connection": "ok",
        "durability": "wrong",  # the server of the tests runs without fsync
        "clock": "ok",
        "oldest_transaction": "ok",
        "xid_age": "ok",
        "encoding": "ok",
        "settings": "ok",
        "replicas": "ok",
        "schema": "ok",
        "workers": "wrong",
        "leases": "wrong",
        "ids": "wrong",
        "closing": "wrong",
        "unserved_kinds": "wrong",
        "oldest_due": "ok",
        "stopped": "note",
        "schedules": "wrong",
        "dead_rows": "ok",
        "indexes": "wrong",
        "retention": "ok",
    }
    assert "nap (4 items)" in finding(reported, "unserved_kinds")["sentence"]
    assert "worker" in finding(reported, "workers")["sentence"]
    assert "the table segment went back" in finding(reported, "ids")["sentence"]
    assert f"batch {late.id}" in finding(reported, "closing")["sentence"]
    with mock.patch.object(checks, "LOOK_AGAIN_S", 0):
        lines = cli.within("doctor").stdout.splitlines()
    assert lines[1].split()[1] == "wrong", "what is wrong comes first"
    assert lines[-1].endswith("checks found something wrong.")


def test_the_doctor_sees_what_stands_around_the_work(naps: Engine, url: str, db: psycopg.Connection) -> None:
    name = db.info.dbname
    db.execute(f"alter database {name} set search_path = evil, pg_catalog")
    db.execute(f"alter database {name} set client_encoding = 'LATIN1'")
    naps.scatter("nap", [{}])
    db.execute("update ingather.batch set state = 'closed', closed_at = clock_timestamp() - interval '3 days'")
    with psycopg.connect(url, autocommit=True) as conn:
        examined = checks.ExaminedDatabase(conn)
        level, sentence = surroundings.surrounding_settings(examined)
        assert (level, "search_path = evil, pg_catalog" in sentence, "LATIN1" in sentence) == ("note", True, True)
        assert surroundings.surrounding_retention(examined, timedelta(days=4))[0] == "ok"
        assert surroundings.surrounding_retention(examined, timedelta(days=2))[0] == "wrong"
        with mock.patch.object(surroundings, "TOO_LITTLE_ROOM", 1.0):
            assert surroundings.surrounding_disk(examined)[0] == "wrong"


def test_the_doctor_sees_a_database_without_or_with_a_narrow_encoding(server: str, db: psycopg.Connection) -> None:
    for encoding, level in (("SQL_ASCII", "wrong"), ("LATIN1", "note")):
        name = f"{db.info.dbname}_{encoding.lower()}"
        db.execute(f"create database {name} encoding '{encoding}' locale 'C' template template0")
        with psycopg.connect(database(server, name), autocommit=True, client_encoding="UTF8") as conn:
            assert surroundings.surrounding_encoding(checks.ExaminedDatabase(conn))[0] == level
        db.execute(f"drop database {name} with (force)")


def test_the_doctor_sees_commits_that_wait_for_a_replica_that_is_not_there() -> None:
    """What the server says, put in its place: a server whose every commit waits would hold up all other tests."""

    def of(names: str, commit: str, synchronous: int, others: int) -> str:
        answer = mock.Mock(rows=lambda _: [(names, commit, synchronous, others)])
        return surroundings.surrounding_replicas(answer)[0]

    assert of("*", "on", 0, 1) == "wrong"
    assert of("*", "on", 1, 1) == "ok"
    assert of("*", "local", 0, 0) == "ok"
    assert of("", "on", 0, 1) == "note"
    assert of("", "on", 0, 0) == "ok"


def test_the_doctor_names_a_transaction_that_holds_everybody_up(cli: Cli, url: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(checks, "OLD_TRANSACTION_S", 0.0)
    monkeypatch.setattr(checks, "ANCIENT_TRANSACTION_S", 0.0)
    with psycopg.connect(url, application_name="forgotten") as sleeper, psycopg.connect(url, autocommit=True) as conn:
        sleeper.execute("select 1")
        # Other tests on this server have transactions too; theirs come to an end.
        until(lambda: "forgotten" in checks.check_oldest_transaction(checks.ExaminedDatabase(conn))[1])
        assert checks.check_oldest_transaction(checks.ExaminedDatabase(conn))[0] == "wrong"


def test_a_doctor_who_may_not_look_does_not_say_that_all_is_well(cli: Cli, db: psycopg.Connection) -> None:
    db.execute("drop table ingather.schedule")
    with mock.patch.dict(checks.OF_THE_SERVER, {"durability": lambda _: ("ok", "")}):
        ran = cli.within("doctor", "--json")
    assert ran.returncode == 1
    assert finding(json.loads(ran.stdout), "schedules")["level"] == "unknown"


def test_the_doctor_of_an_unreachable_database_says_just_that(tmp_path: Path) -> None:
    ran = Cli(tmp_path, NOWHERE).run("doctor", "--json")
    assert ran.returncode == 1
    [found] = json.loads(ran.stdout)["findings"]
    assert (found["check"], found["level"]) == ("server", "wrong")
    assert "s3cret" not in ran.stdout + ran.stderr


# --- examples --------------------------------------------------------------------------------------------------------


def test_the_tour_loses_a_worker_and_nothing_else(cli: Cli, naps: Engine) -> None:
    toured = subprocess.run(
        [sys.executable, "-m", "examples.tour", "200"],
        cwd=ROOT,
        env=cli.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert toured.returncode == 0, toured.stdout + toured.stderr
    assert "kill -9" in toured.stdout
    assert "Every sheaf was counted exactly once." in toured.stdout
    assert naps.workers() == []


def test_ctrl_c_while_modules_are_loaded_is_raised_once_they_are() -> None:
    loaded = []

    def load() -> None:
        with interrupted_afterwards():
            signal.raise_signal(signal.SIGINT)
            loaded.append("module")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert loaded == ["module"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
