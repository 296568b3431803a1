"""The database itself: its tables, the embedded server, and the removal of what is old."""

from argparse import Namespace
from collections.abc import Collection
from contextlib import closing
from importlib.util import find_spec
from typing import Final

from ingather import embedded
from ingather.app import Ingather
from ingather.cli.output import output_hint, output_json, output_sentence
from ingather.cli.quantities import show_duration
from ingather.engine import reports
from ingather.engine.connection import check_connection_url
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.migrations import ALL_ROOMS, ENGINE_ALONE, latest_migration
from ingather.engine.migrations import migrate as bring_up_to_date
from ingather.settings import Settings

# A library that the extra `workbench` brings and the engine does not.
WORKBENCH_NEEDS: Final = "fastapi"


def migrate_database_command(arguments: Namespace) -> None:
    rooms = ENGINE_ALONE if arguments.engine else rooms_of_database()
    applied = bring_up_to_date(Ingather().url, rooms)
    version = latest_migration(rooms)
    if arguments.json:
        output_json({"applied": applied, "version": version})
    elif applied:
        output_sentence(f"Applied {', '.join(applied)}. The tables are at version {version}.")
    else:
        output_sentence(f"Nothing to do: the tables are at version {version}.")


def rooms_of_database() -> Collection[str]:
    """Whose tables this installation needs: the engine's alone where the workbench's libraries are not installed."""
    return ALL_ROOMS if find_spec(WORKBENCH_NEEDS) is not None else ENGINE_ALONE


def show_database_url_command(arguments: Namespace) -> None:
    settings = Settings.from_environment()
    url = settings.database_url or embedded.url_if_running(settings.home)
    if url is None:
        raise DatabaseUnavailable(
            f"The embedded database of {settings.home} is not running. Start it with `ingather db start`."
        )
    check_connection_url(url)
    _answer_database_url(url, arguments)


def start_database_command(arguments: Namespace) -> None:
    settings = Settings.from_environment()
    with embedded.start(settings.home, keep=True, chosen=settings.postgres) as server:
        bring_up_to_date(server.url, rooms_of_database())
        _answer_database_url(server.url, arguments)
    if settings.database_url:
        output_hint("DATABASE_URL is set, so the other commands use that database and not this one.")


def _answer_database_url(url: str, arguments: Namespace) -> None:
    if arguments.json:
        output_json({"url": url})
    else:
        output_sentence(url)


def stop_database_command(arguments: Namespace) -> None:
    home = Settings.from_environment().home
    was_running = embedded.stop(home)
    if arguments.json:
        output_json({"stopped": was_running})
    else:
        output_sentence("Stopped." if was_running else f"The embedded database of {home} was not running.")


def prune_database_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        old = app.database.run(reports.report_old_batches(arguments.keep))
        app.prune(arguments.keep)
        # A batch that another process holds, or that still waits for its gather, stays for the next time.
        pruned = max(old - app.database.run(reports.report_old_batches(arguments.keep)), 0)
    if arguments.json:
        output_json({"pruned": pruned})
    else:
        output_sentence(f"{pruned:,} batches that closed more than {show_duration(arguments.keep)} ago were removed.")
