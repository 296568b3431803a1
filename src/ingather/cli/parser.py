"""What can be typed, and which function it calls."""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any, NoReturn

from ingather.cli import batches, database, doctor, fleet, quantities, work
from ingather.cli.interrupts import interrupted_afterwards
from ingather.cli.output import one_line
from ingather.engine.errors import UsageError
from ingather.engine.worker import GRACE_S
from ingather.names import NAME

EPILOG = """\
The database is the one of DATABASE_URL, and without that an embedded PostgreSQL that starts by itself in INGATHER_HOME.
Exit codes: 0 done, 1 work failed, 2 wrong usage.
"""


class Parser(argparse.ArgumentParser):
    """argparse, with its complaints in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """argparse reads `--keep=--` as --keep without a value, and a type is not asked about that."""
        given = sys.argv[1:] if args is None else list(args)
        for text in given:
            if text.startswith("-") and text.endswith("=--"):
                self.error(f"argument {text.removesuffix('=--')}: '--' is no value")
        found, others = self.parse_known_args(given, namespace)
        # argparse takes a command's papers in one place only; those that stand after an option are papers, too.
        if hasattr(found, "papers"):
            found.papers += [text for text in others if not text.startswith("-")]
            others = [text for text in others if text.startswith("-")]
        if others:
            self.error(f"unrecognized arguments: {' '.join(map(repr, others))}")
        return found

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"ingather: {one_line(message[:1].upper() + message[1:])}. See `{self.prog} --help`.\n")


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="ingather", description="Durable batch tasks on PostgreSQL.", epilog=EPILOG)
    top.add_argument("--version", action="version", version=f"ingather {version('ingather')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    text = "bring the tables up to date; safe while workers run"
    migrate = _add_command(commands, "migrate", database.migrate, text, json=True)
    migrate.add_argument("--engine", action="store_true", help="the engine's tables only, not the workbench's")
    _add_work(commands)
    _add_extract(commands)
    _add_follow_up(commands)
    _add_numbers(commands)
    _add_tables(commands)
    _add_web(commands)
    _add_batch(_command_group(commands, "batch", "look at batches and steer them"))
    _add_queue(_command_group(commands, "queue", "look at queues and limit them"))
    _add_schedule(_command_group(commands, "schedule", "look at schedules"))
    workers = _command_group(commands, "worker", "look at workers")
    _add_command(workers, "ls", fleet.list_workers, "every registered worker and what it holds", json=True)
    _add_command(
        commands, "doctor", doctor.examine, "is everything in order? Exit code 1 if something is wrong", json=True
    )
    model = _command_group(commands, "model", "the model that answers")
    _add_command(
        model,
        "try",
        _later("models", "try_it"),
        "is it there, how fast and how large is it, does it hold to a form; a handful of small calls",
        json=True,
    )
    db = _command_group(commands, "db", "the embedded database")
    _add_command(db, "url", database.show_url, 'the address, for `psql "$(ingather db url)"`', json=True)
    _add_command(db, "start", database.start, "start it and let it run until `ingather db stop`", json=True)
    _add_command(db, "stop", database.stop, "stop it now, whoever uses it", json=True)
    prune = _add_command(commands, "prune", database.prune, "remove batches that closed long ago", json=True)
    prune.add_argument(
        "--keep", type=quantities.duration, required=True, metavar="AGE", help="keep what closed within this, as 30d"
    )
    return top


def _add_work(commands: Any) -> None:
    command = _add_command(commands, "work", work.work, "run a worker until SIGTERM or Ctrl-C")
    command.add_argument("app", metavar="MODULE:APP", help="where the Ingather is, such as jobs:app for app in jobs.py")
    command.add_argument("--concurrency", type=_whole_argument, default=10, metavar="N", help="items at once (10)")
    command.add_argument(
        "--queue", nargs="+", action="extend", default=None, metavar="NAME", help="only these queues (all)"
    )
    command.add_argument("--processes", type=_whole_argument, default=1, metavar="N", help="worker processes (1)")
    command.add_argument(
        "--grace",
        type=_grace_argument,
        default=GRACE_S,
        metavar="SECONDS",
        help=f"time to finish when stopped ({GRACE_S:g})",
    )
    # Given to workers by whoever starts several: they stop when that process is gone.
    command.add_argument("--parent", type=int, default=None, help=argparse.SUPPRESS)


def _add_extract(commands: Any) -> None:
    command = _add_command(
        commands,
        "extract",
        _later("extract", "extract"),
        "papers and a template in, a table of proved findings out",
        json=True,
    )
    command.add_argument("papers", nargs="+", metavar="PAPER", help="PDF, text or Markdown files")
    command.add_argument(
        "--template", type=_printable_argument, required=True, metavar="ID", help="what to ask: rct, cohort, qc"
    )
    command.add_argument("--out", required=True, metavar="FILE", help="the table: .xlsx, .csv, .json, .html or .zip")
    command.add_argument("--all-fields", action="store_true", help="the extended fields too, not only the core ones")
    _add_choice(command)
    command.add_argument("--context", default="", metavar="TEXT", help="what the review is about, for the model")
    command.add_argument("--language", choices=["en", "zh"], default="en", help="of the table's headings (en)")


def _add_numbers(commands: Any) -> None:
    text = "events and N, or mean, SD and N, of both arms: a review's questions to one paper, without a database"
    command = _add_command(commands, "numbers", _later("numbers", "numbers"), text, json=True)
    command.add_argument("paper", metavar="PAPER", help="a PDF, text or Markdown file")
    command.add_argument("--questions", required=True, metavar="FILE", help="JSON: a list of questions")
    command.add_argument("--no-model", action="store_true", help="rules only, also where a model is set up")


def _add_tables(commands: Any) -> None:
    text = "the tables of one paper as they were read, cell by cell, without a database"
    command = _add_command(commands, "tables", _later("tables", "tables"), text, json=True)
    command.add_argument("paper", metavar="PAPER", help="a PDF, text or Markdown file")
    command.add_argument("--xlsx", metavar="FILE", help="write them there as an Excel workbook, a sheet for each")
    command.add_argument("--csv", metavar="FILE", help="write them there as CSV, one below the other")


def _add_choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("--field", nargs="+", action="extend", default=[], metavar="ID", help="these fields")
    command.add_argument(
        "--section", nargs="+", action="extend", default=[], metavar="ID", help="the core fields of these sections"
    )


def _add_follow_up(commands: Any) -> None:
    command = _add_command(
        commands,
        "follow-up",
        _later("follow_up", "follow_up"),
        "ask a finished task again: fields, what failed, other instructions, papers that join",
        json=True,
    )
    command.add_argument("task", type=_id_argument, metavar="TASK", help="the task that has ended, by its number")
    command.add_argument("papers", nargs="*", metavar="PAPER", help="papers that join, under the same template")
    command.add_argument("--out", required=True, metavar="FILE", help="the table: .xlsx, .csv, .json, .html or .zip")
    _add_choice(command)
    command.add_argument(
        "--only", choices=["failed", "missing"], help="cells that failed, or all without an answer (none)"
    )
    command.add_argument(
        "--instruction",
        nargs=2,
        action="append",
        default=[],
        metavar=("FIELD", "TEXT"),
        help="ask this field with another instruction",
    )
    command.add_argument("--language", choices=["en", "zh"], default="en", help="of the table's headings (en)")


def _add_web(commands: Any) -> None:
    run = _add_command(
        commands, "run", _later("web", "run"), "everything on this machine: database, web, worker, samples"
    )
    serve = _add_command(commands, "serve", _later("web", "serve"), "the web alone; workers run elsewhere")
    for command in (run, serve):
        command.add_argument(
            "--host", type=_printable_argument, help="address to serve on (INGATHER_HOST, or 127.0.0.1)"
        )
        command.add_argument("--port", type=quantities.port, help="port; 0 takes a free one (INGATHER_PORT, or 8400)")
    run.add_argument("--concurrency", type=_whole_argument, default=10, metavar="N", help="items at once (10)")
    run.add_argument("--no-samples", action="store_true", help="no sample papers on the first start")
    link = _add_command(commands, "link", _later("accounts", "link"), "a link that signs a browser in, once", json=True)
    link.add_argument("--account", type=_printable_argument, metavar="NAME", help="for this account (yours)")
    link.add_argument(
        "--address", type=_printable_argument, metavar="URL", help="where it is served (http://127.0.0.1:8400)"
    )
    account = _command_group(commands, "account", "who may sign in")
    add = _add_command(account, "add", _later("accounts", "add_account"), "make an account", json=True)
    add.add_argument("name", type=_printable_argument, metavar="NAME")
    add.add_argument("--operator", action="store_true", help="may steer the engine")
    _add_command(account, "ls", _later("accounts", "list_accounts"), "every account", json=True)
    for verb, run_it, text in (
        ("disable", "disable_account", "end its sessions, links and tokens, and let it do nothing any more"),
        ("enable", "enable_account", "let a disabled account sign in again"),
        ("sign-out", "end_sessions", "end its sessions in every browser"),
        ("delete", "delete_account", "remove it; its reviews stay, with its name"),
    ):
        steered = _add_command(account, verb, _later("accounts", run_it), text, json=True)
        steered.add_argument("name", type=_printable_argument, metavar="NAME")
    token = _command_group(commands, "token", "tokens for scripts")
    create = _add_command(token, "create", _later("accounts", "create_token"), "a token, shown this once", json=True)
    create.add_argument("--name", type=_printable_argument, required=True, help="what it is for")
    create.add_argument("--account", type=_printable_argument, metavar="NAME", help="of this account (yours)")
    create.add_argument("--scope", choices=["read", "write", "operate"], default="write", help="what it may do (write)")
    create.add_argument("--days", type=_whole_argument, default=90, metavar="N", help="how long it lasts (90)")
    create.add_argument(
        "--project", type=_id_argument, metavar="ID", help="only in this project (all of the account's)"
    )
    _add_command(token, "ls", _later("accounts", "list_tokens"), "every token, without the token", json=True)
    revoke = _add_command(token, "revoke", _later("accounts", "revoke_token"), "end a token now", json=True)
    revoke.add_argument("id", type=_id_argument, metavar="ID")


def _later(module: str, name: str) -> Callable[[argparse.Namespace], int]:
    """A command whose libraries are an extra, and slow to load for those who want something else."""

    def run(arguments: argparse.Namespace) -> int:
        try:
            with interrupted_afterwards():
                command = getattr(import_module(f"ingather.cli.{module}"), name)
        except ModuleNotFoundError as error:
            raise UsageError(
                f"This needs a library that is not installed ({error.name}): pip install 'ingather[workbench]'."
            ) from error
        return int(command(arguments))

    return run


def _add_batch(group: Any) -> None:
    ls = _add_command(group, "ls", batches.list_batches, "batches, newest first", json=True)
    ls.add_argument("--state", choices=["open", "closed"], help="only these")
    ls.add_argument("--kind", type=_kind_argument, metavar="KIND", help="only this kind")
    ls.add_argument("--limit", type=_limit_argument, default=50, metavar="N", help="how many (50)")
    ls.add_argument("--before", type=_id_argument, metavar="ID", help="older than this batch: the next page")
    show = _add_command(group, "show", batches.show, "counts, times, result and the first failures", json=True)
    show.add_argument("id", type=_id_argument, metavar="ID")
    show.add_argument("--limit", type=_limit_argument, default=10, metavar="N", help="how many failures (10)")
    show.add_argument(
        "--after", type=_id_argument, default=0, metavar="ITEM", help="failures after this item: the next page"
    )
    watch = _add_command(
        group, "watch", batches.watch, "follow it until it is closed and gathered; 1 if not all completed", json=True
    )
    watch.add_argument("id", type=_id_argument, metavar="ID")
    for verb, run, text in (
        ("cancel", batches.cancel, "end what is not finished and close it"),
        ("pause", batches.pause, "let no more of its items start"),
        ("resume", batches.resume, "let its items start again"),
        ("retry", batches.retry, "run its failed items again, with all their attempts"),
    ):
        _add_command(group, verb, run, text, json=True).add_argument("id", type=_id_argument, metavar="ID")


def _add_queue(group: Any) -> None:
    _add_command(group, "ls", fleet.list_queues, "every queue with its limits and load", json=True)
    limits = _add_command(group, "set", fleet.set_queue, "limit a queue over the whole fleet", json=True)
    limits.add_argument("name", metavar="NAME")
    limits.add_argument(
        "--max-running", type=quantities.count_or_none, default=..., metavar="N", help="items at once; none lifts it"
    )
    limits.add_argument(
        "--rate", type=quantities.rate_or_none, default=..., metavar="RATE", help="60/m, 10/s, 1000/h; none lifts it"
    )
    for verb, run, text in (
        ("pause", fleet.pause_queue, "let nothing start from it"),
        ("resume", fleet.resume_queue, "let it go on; also lifts a wait that a handler asked for"),
    ):
        _add_command(group, verb, run, text, json=True).add_argument("name", metavar="NAME")


def _add_schedule(group: Any) -> None:
    _add_command(group, "ls", fleet.list_schedules, "every schedule and when it fires next", json=True)
    preview = _add_command(group, "preview", fleet.preview, "when a cron expression would fire", json=True)
    preview.add_argument("cron", metavar="CRON", help='five fields, such as "0 3 * * *"')
    preview.add_argument("--tz", default="UTC", metavar="ZONE", help="time zone, such as Asia/Shanghai (UTC)")
    preview.add_argument("--seconds", action="store_true", help="six fields, seconds first")
    preview.add_argument("--limit", type=_limit_argument, default=5, metavar="N", help="how many firings (5)")


def _command_group(commands: Any, name: str, text: str) -> Any:
    group = commands.add_parser(name, help=text, description=_help_sentence(text))
    return group.add_subparsers(dest="subcommand", metavar="COMMAND", title="commands", required=True)


def _add_command(commands: Any, name: str, run: Any, text: str, *, json: bool = False) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=_help_sentence(text))
    command.set_defaults(run=run)
    if json:
        command.add_argument("--json", action="store_true", help="the answer as JSON, and nothing else")
    return command


def _help_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _whole_argument(text: str) -> int:
    number = quantities.whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _limit_argument(text: str) -> int:
    number = _whole_argument(text)
    if number > 10_000:
        raise argparse.ArgumentTypeError("a page has 10,000 rows at most")
    return number


def _id_argument(text: str) -> int:
    number = _whole_argument(text)
    if number >= 2**63:
        raise argparse.ArgumentTypeError(f"{text} is too big for an id")
    return number


def _printable_argument(text: str) -> str:
    if not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} has characters in it that no name has")
    return text


def _kind_argument(text: str) -> str:
    """A kind that no batch can have is a mistake, not an empty list."""
    if not NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a kind: lower-case letters, digits and underscores")
    return text


def _grace_argument(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86,400")
    return seconds
