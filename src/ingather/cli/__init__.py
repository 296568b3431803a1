"""The command line: looks, operates, works. Every misuse is one sentence on stderr, never a traceback."""

import logging
import os
import signal
import sys
from collections.abc import Sequence

from ingather.cli.interrupts import interrupted_afterwards

# Exit codes: those of a shell for Ctrl-C (128 + 2) and for a reader that left (128 + 13), 2 as argparse has it.
DONE, FAILED, MISUSED, INTERRUPTED, READER_LEFT = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 work failed, 2 wrong usage.

    What it needs is loaded within: Ctrl-C is no error, also in the first second.
    """
    _prepare_streams()
    try:
        return _run_command(argv)
    except KeyboardInterrupt:
        # A second one neither disturbs the tidying up nor complains: a database of our own is still to be stopped.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our answer has seen enough. What is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by whoever started us (`>&-`): what we do must not depend on somebody listening.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        # A terminal that cannot show a character should get a question mark, not end the command.
        getattr(sys, name).reconfigure(errors="replace")


def _run_command(argv: Sequence[str] | None) -> int:
    with interrupted_afterwards():
        import psycopg  # noqa: PLC0415

        from ingather.cli.parser import command_parser  # noqa: PLC0415
        from ingather.embedded import EmbeddedError  # noqa: PLC0415
        from ingather.engine.errors import IngatherError, UsageError  # noqa: PLC0415
        from ingather.engine.verdict import describe_raised  # noqa: PLC0415

    arguments = command_parser().parse_args(argv)
    if arguments.command is None:
        command_parser().print_help()
        return MISUSED
    # `work` speaks through its log; the other commands say what matters themselves.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    try:
        code = arguments.run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        return _complain_on_stderr(str(error), MISUSED)
    except (IngatherError, EmbeddedError) as error:
        return _complain_on_stderr(str(error), FAILED)
    except psycopg.Error as error:
        return _complain_on_stderr(f"The database could not do this: {' '.join(str(error).split())}", FAILED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  # a bug of ours is still one sentence, with the place to look at
        known = describe_raised(error, "bug")
        return _complain_on_stderr(f"Unexpected {known['type']} at {known.get('where')}: {error}", FAILED)
    return int(code or DONE)


def _complain_on_stderr(sentence: str, code: int) -> int:
    from ingather.cli.output import output_on_one_line  # noqa: PLC0415

    sys.stderr.write(f"ingather: {output_on_one_line(sentence)}\n")
    return code
