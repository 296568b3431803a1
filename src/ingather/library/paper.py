"""One paper from a file on this machine, read without a database: its pages and its tables."""

import os
from pathlib import Path

from ingather.library.errors import PaperUnreadable, UnknownPaper
from ingather.library.parse import Limits, parse_in_jail
from ingather.library.reading import Reading


def read_paper(path: str | os.PathLike[str], limits: Limits | None = None) -> Reading:
    """The pages and tables of a PDF, text or Markdown file. A child process reads it, within limits.

    Raises `UnknownPaper` where there is no such file, and `PaperUnreadable`
    where the file gives no pages, such as a scan.
    """
    file = Path(path)
    try:
        file.lstat()
    except FileNotFoundError:
        raise UnknownPaper(f"There is no file {str(file)!r}.") from None
    except (OSError, ValueError) as error:
        # A name too long, or with a NUL in it: the system does not even look it up.
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnknownPaper(f"{str(file)[:200]!r} cannot be the name of a file: {reason}.") from error
    if file.is_dir():
        raise UnknownPaper(f"{str(file)!r} is a folder. Name one file in it.")
    if not file.is_file():
        raise UnknownPaper(f"{str(file)!r} is no file.")
    try:
        reading = parse_in_jail(file, limits)
    except OSError as error:
        raise UnknownPaper(f"{str(file)!r} cannot be read: {error.strerror}.") from error
    if reading.problem is not None:
        raise PaperUnreadable(f"{str(file)!r} gives no pages. {reading.sentence}")
    return reading
