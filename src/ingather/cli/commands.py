"""How a command is added: its name, its help, and the function that it calls, loaded when it is needed."""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from ingather.cli.interrupts import interrupted_afterwards
from ingather.cli.output import output_on_one_line
from ingather.engine.errors import UsageError


class CommandLine(argparse.ArgumentParser):
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
        self.exit(2, f"ingather: {output_on_one_line(message[:1].upper() + message[1:])}. See `{self.prog} --help`.\n")


def command_loaded_later(module: str, name: str) -> Callable[[argparse.Namespace], int]:
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


def command_group(commands: Any, name: str, text: str) -> Any:
    group = commands.add_parser(name, help=text, description=_help_of_command(text))
    return group.add_subparsers(dest="subcommand", metavar="COMMAND", title="commands", required=True)


def add_command(commands: Any, name: str, run: Any, text: str, *, json: bool = False) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=_help_of_command(text))
    command.set_defaults(run=run)
    if json:
        command.add_argument("--json", action="store_true", help="the answer as JSON, and nothing else")
    return command


def _help_of_command(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
