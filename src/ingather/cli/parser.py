"""What can be typed, and which function it calls."""

import argparse
from importlib.metadata import version
from typing import Any

from ingather.cli import batches, database, doctor, fleet, quantities, work
from ingather.cli.commands import CommandLine, add_command, command_group, command_loaded_later
from ingather.cli.typed_arguments import (
    grace_argument,
    id_argument,
    kind_argument,
    limit_argument,
    port_argument,
    printable_argument,
    whole_argument,
)  # fmt: skip
from ingather.engine.worker import GRACE_S

EPILOG = """\
The database is the one of DATABASE_URL, and without that an embedded PostgreSQL that starts by itself in INGATHER_HOME.
Exit codes: 0 done, 1 work failed, 2 wrong usage.
"""


def command_parser() -> argparse.ArgumentParser:
    top = CommandLine(prog="ingather", description="Durable batch tasks on PostgreSQL.", epilog=EPILOG)
    top.add_argument("--version", action="version", version=f"ingather {version('ingather')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    text = "bring the tables up to date; safe while workers run"
    migrate = add_command(commands, "migrate", database.migrate_database_command, text, json=True)
    migrate.add_argument("--engine", action="store_true", help="the engine's tables only, not the workbench's")
    _add_work(commands)
    _add_extract(commands)
    _add_follow_up(commands)
    _add_numbers(commands)
    _add_tables(commands)
    _add_web(commands)
    _add_account(commands)
    _add_token(commands)
    _add_batch(command_group(commands, "batch", "look at batches and steer them"))
    _add_queue(command_group(commands, "queue", "look at queues and limit them"))
    _add_schedule(command_group(commands, "schedule", "look at schedules"))
    workers = command_group(commands, "worker", "look at workers")
    add_command(workers, "ls", fleet.list_fleet_workers_command, "every registered worker and what it holds", json=True)
    add_command(
        commands,
        "doctor",
        doctor.doctor_command,
        "is everything in order? Exit code 1 if something is wrong",
        json=True,
    )
    _add_model(command_group(commands, "model", "the model that answers"))
    _add_database(command_group(commands, "db", "the embedded database"))
    prune = add_command(
        commands, "prune", database.prune_database_command, "remove batches that closed long ago", json=True
    )
    prune.add_argument(
        "--keep",
        type=quantities.duration_quantity,
        required=True,
        metavar="AGE",
        help="keep what closed within this, as 30d",
    )
    return top


def _add_work(commands: Any) -> None:
    command = add_command(commands, "work", work.work_command, "run a worker until SIGTERM or Ctrl-C")
    command.add_argument("app", metavar="MODULE:APP", help="where the Ingather is, such as jobs:app for app in jobs.py")
    command.add_argument("--concurrency", type=whole_argument, default=10, metavar="N", help="items at once (10)")
    command.add_argument(
        "--queue", nargs="+", action="extend", default=None, metavar="NAME", help="only these queues (all)"
    )
    command.add_argument("--processes", type=whole_argument, default=1, metavar="N", help="worker processes (1)")
    command.add_argument(
        "--grace",
        type=grace_argument,
        default=GRACE_S,
        metavar="SECONDS",
        help=f"time to finish when stopped ({GRACE_S:g})",
    )
    command.add_argument(
        "--child-items", type=whole_argument, default=None, metavar="N", help="items of a child process"
    )
    command.add_argument(
        "--child-memory", type=whole_argument, default=None, metavar="MB", help="memory of a child process"
    )
    command.add_argument(
        "--metrics", type=port_argument, default=None, metavar="PORT", help="serve /metrics, /healthz and /readyz there"
    )
    # Given to workers by whoever starts several: each takes the first free port of so many.
    command.add_argument("--metrics-ports", type=whole_argument, default=1, help=argparse.SUPPRESS)
    # Given to workers by whoever starts several: they stop when that process is gone.
    command.add_argument("--parent", type=int, default=None, help=argparse.SUPPRESS)


def _add_extract(commands: Any) -> None:
    command = add_command(
        commands,
        "extract",
        command_loaded_later("extract", "extract_command"),
        "papers and a template in, a table of proved findings out",
        json=True,
    )
    command.add_argument("papers", nargs="+", metavar="PAPER", help="PDF, text or Markdown files")
    command.add_argument(
        "--template", type=printable_argument, required=True, metavar="ID", help="what to ask: rct, cohort, qc"
    )
    command.add_argument("--out", required=True, metavar="FILE", help="the table: .xlsx, .csv, .json, .html or .zip")
    command.add_argument("--all-fields", action="store_true", help="the extended fields too, not only the core ones")
    _add_choice(command)
    command.add_argument("--context", default="", metavar="TEXT", help="what the review is about, for the model")
    command.add_argument("--language", choices=["en", "zh"], default="en", help="of the table's headings (en)")


def _add_numbers(commands: Any) -> None:
    text = "events and N, or mean, SD and N, of both arms: a review's questions to one paper, without a database"
    command = add_command(commands, "numbers", command_loaded_later("numbers", "numbers_command"), text, json=True)
    command.add_argument("paper", metavar="PAPER", help="a PDF, text or Markdown file")
    command.add_argument("--questions", required=True, metavar="FILE", help="JSON: a list of questions")
    command.add_argument("--no-model", action="store_true", help="rules only, also where a model is set up")


def _add_tables(commands: Any) -> None:
    text = "the tables of one paper as they were read, cell by cell, without a database"
    command = add_command(commands, "tables", command_loaded_later("tables", "tables_command"), text, json=True)
    command.add_argument("paper", metavar="PAPER", help="a PDF, text or Markdown file")
    command.add_argument("--xlsx", metavar="FILE", help="write them there as an Excel workbook, a sheet for each")
    command.add_argument("--csv", metavar="FILE", help="write them there as CSV, one below the other")


def _add_choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("--field", nargs="+", action="extend", default=[], metavar="ID", help="these fields")
    command.add_argument(
        "--section", nargs="+", action="extend", default=[], metavar="ID", help="the core fields of these sections"
    )


def _add_follow_up(commands: Any) -> None:
    command = add_command(
        commands,
        "follow-up",
        command_loaded_later("follow_up", "follow_up_command"),
        "ask a finished task again: fields, what failed, other instructions, papers that join",
        json=True,
    )
    command.add_argument("task", type=id_argument, metavar="TASK", help="the task that has ended, by its number")
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
    run = add_command(
        commands,
        "run",
        command_loaded_later("web", "run_web_command"),
        "everything on this machine: database, web, worker, samples",
    )
    serve = add_command(
        commands, "serve", command_loaded_later("web", "serve_web_command"), "the web alone; workers run elsewhere"
    )
    for command in (run, serve):
        command.add_argument(
            "--host", type=printable_argument, help="address to serve on (INGATHER_HOST, or 127.0.0.1)"
        )
        command.add_argument(
            "--port", type=quantities.port_quantity, help="port; 0 takes a free one (INGATHER_PORT, or 8400)"
        )
    run.add_argument("--concurrency", type=whole_argument, default=10, metavar="N", help="items at once (10)")
    run.add_argument("--no-samples", action="store_true", help="no sample papers on the first start")


def _add_account(commands: Any) -> None:
    account = command_group(commands, "account", "who may sign in")
    add = add_command(
        account, "add", command_loaded_later("accounts", "add_account_command"), "make an account", json=True
    )
    add.add_argument("name", type=printable_argument, metavar="NAME")
    add.add_argument("--operator", action="store_true", help="may steer the engine")
    add_command(account, "ls", command_loaded_later("accounts", "list_accounts_command"), "every account", json=True)
    for verb, run_it, text in (
        ("disable", "disable_account_command", "end its sessions, links and tokens, and let it do nothing any more"),
        ("enable", "enable_account_command", "let a disabled account sign in again"),
        ("sign-out", "end_account_sessions_command", "end its sessions in every browser"),
        ("delete", "delete_account_command", "remove it; its reviews stay, with its name"),
    ):
        steered = add_command(account, verb, command_loaded_later("accounts", run_it), text, json=True)
        steered.add_argument("name", type=printable_argument, metavar="NAME")
    link = add_command(
        commands,
        "link",
        command_loaded_later("accounts", "link_account_command"),
        "a link that signs a browser in, once",
        json=True,
    )
    link.add_argument("--account", type=printable_argument, metavar="NAME", help="for this account (yours)")
    link.add_argument(
        "--address", type=printable_argument, metavar="URL", help="where it is served (http://127.0.0.1:8400)"
    )


def _add_token(commands: Any) -> None:
    token = command_group(commands, "token", "tokens for scripts")
    create = add_command(
        token,
        "create",
        command_loaded_later("accounts", "create_account_token_command"),
        "a token, shown this once",
        json=True,
    )
    create.add_argument("--name", type=printable_argument, required=True, help="what it is for")
    create.add_argument("--account", type=printable_argument, metavar="NAME", help="of this account (yours)")
    create.add_argument("--scope", choices=["read", "write", "operate"], default="write", help="what it may do (write)")
    create.add_argument("--days", type=whole_argument, default=90, metavar="N", help="how long it lasts (90)")
    create.add_argument("--project", type=id_argument, metavar="ID", help="only in this project (all of the account's)")
    add_command(
        token,
        "ls",
        command_loaded_later("accounts", "list_account_tokens_command"),
        "every token, without the token",
        json=True,
    )
    revoke = add_command(
        token, "revoke", command_loaded_later("accounts", "revoke_account_token_command"), "end a token now", json=True
    )
    revoke.add_argument("id", type=id_argument, metavar="ID")


def _add_batch(group: Any) -> None:
    ls = add_command(group, "ls", batches.list_batches_command, "batches, newest first", json=True)
    ls.add_argument("--state", choices=["open", "closed"], help="only these")
    ls.add_argument("--kind", type=kind_argument, metavar="KIND", help="only this kind")
    ls.add_argument("--limit", type=limit_argument, default=50, metavar="N", help="how many (50)")
    ls.add_argument("--before", type=id_argument, metavar="ID", help="older than this batch: the next page")
    show = add_command(
        group, "show", batches.show_batch_command, "counts, times, result and the first failures", json=True
    )
    show.add_argument("id", type=id_argument, metavar="ID")
    show.add_argument("--limit", type=limit_argument, default=10, metavar="N", help="how many failures (10)")
    show.add_argument(
        "--after", type=id_argument, default=0, metavar="ITEM", help="failures after this item: the next page"
    )
    watch = add_command(
        group,
        "watch",
        batches.watch_batch_command,
        "follow it until it is closed and gathered; 1 if not all completed",
        json=True,
    )
    watch.add_argument("id", type=id_argument, metavar="ID")
    for verb, run, text in (
        ("cancel", batches.cancel_batch_command, "end what is not finished and close it"),
        ("pause", batches.pause_batch_command, "let no more of its items start"),
        ("resume", batches.resume_batch_command, "let its items start again"),
        ("retry", batches.retry_batch_command, "run its failed items again, with all their attempts"),
    ):
        add_command(group, verb, run, text, json=True).add_argument("id", type=id_argument, metavar="ID")


def _add_queue(group: Any) -> None:
    add_command(group, "ls", fleet.list_fleet_queues_command, "every queue with its limits and load", json=True)
    limits = add_command(group, "set", fleet.set_fleet_queue_command, "limit a queue over the whole fleet", json=True)
    limits.add_argument("name", metavar="NAME")
    limits.add_argument(
        "--max-running",
        type=quantities.count_quantity_or_none,
        default=...,
        metavar="N",
        help="items at once; none lifts it",
    )
    limits.add_argument(
        "--rate",
        type=quantities.rate_quantity_or_none,
        default=...,
        metavar="RATE",
        help="60/m, 10/s, 1000/h; none lifts it",
    )
    for verb, run, text in (
        ("pause", fleet.pause_fleet_queue_command, "let nothing start from it"),
        ("resume", fleet.resume_fleet_queue_command, "let it go on; also lifts a wait that a handler asked for"),
    ):
        add_command(group, verb, run, text, json=True).add_argument("name", metavar="NAME")


def _add_schedule(group: Any) -> None:
    add_command(group, "ls", fleet.list_fleet_schedules_command, "every schedule and when it fires next", json=True)
    preview = add_command(
        group, "preview", fleet.preview_fleet_schedule_command, "when a cron expression would fire", json=True
    )
    preview.add_argument("cron", metavar="CRON", help='five fields, such as "0 3 * * *"')
    preview.add_argument("--tz", default="UTC", metavar="ZONE", help="time zone, such as Asia/Shanghai (UTC)")
    preview.add_argument("--seconds", action="store_true", help="six fields, seconds first")
    preview.add_argument("--limit", type=limit_argument, default=5, metavar="N", help="how many firings (5)")


def _add_model(group: Any) -> None:
    add_command(
        group,
        "try",
        command_loaded_later("models", "try_model_command"),
        "is it there, how fast and how large is it, does it hold to a form; a handful of small calls",
        json=True,
    )


def _add_database(group: Any) -> None:
    add_command(
        group, "url", database.show_database_url_command, 'the address, for `psql "$(ingather db url)"`', json=True
    )
    add_command(
        group, "start", database.start_database_command, "start it and let it run until `ingather db stop`", json=True
    )
    add_command(group, "stop", database.stop_database_command, "stop it now, whoever uses it", json=True)
