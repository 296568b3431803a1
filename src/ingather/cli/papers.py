"""What commands about papers share: the file of a paper, one paper read, and an answer written whole or not at all."""

import secrets
import tempfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import BinaryIO

from ingather.engine.errors import IngatherError, UsageError
from ingather.library.paper import read_paper
from ingather.library.reading import Reading


def path_of_paper(name: str) -> Path:
    """Refuses what the system would not even look up: a name too long, or with a NUL in it."""
    path = Path(name)
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{name[:200]!r} cannot be the name of a file: {reason}.") from error
    return path


def paper_at_path(name: str) -> Reading:
    """The paper in a file. Exit code 2 where there is no such file, 1 where it cannot be read, such as a scan."""
    return read_paper(name)


def ending_for_paper_output(out: Path, endings: Iterable[str]) -> str | None:
    """How the name ends, of these: the longest that fits, since `.analysis.zip` is another kind than `.zip`."""
    name = out.name.lower()
    fitting = [ending for ending in endings if name.endswith(ending) and name != ending]
    return max(fitting, key=len, default=None)


def out_path_for_paper(name: str, endings: Collection[str]) -> Path:
    """Where an answer goes; refused before any work is done if its name ends otherwise or it cannot be written."""
    out = path_of_paper(name)
    if ending_for_paper_output(out, endings) is None:
        raise UsageError(f"{name!r} does not say what to write. Let the name end in one of {', '.join(endings)}.")
    if out.is_dir():
        raise UsageError(f"{name!r} is a folder.")
    folder = out.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"{name!r} cannot be written: there is no such folder.")
    try:
        # Only trying shows it: rights say little to an administrator, or of a disk that is full or read-only.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise UsageError(f"{name!r} cannot be written: {error.strerror}.") from error
    return out


def write_paper_output_whole(out: Path, write: Callable[[BinaryIO], None], *, kept: str = "") -> None:
    """To a file beside it first, so that an old answer is not lost to half a new one. `kept` ends the complaint."""
    # Not by `tempfile`, whose files nobody else may read; and a name that nobody could have put a link under.
    half = out.absolute().parent / f".half-written-{secrets.token_hex(8)}"
    try:
        with half.open("xb") as file:
            write(file)
        half.replace(out)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise IngatherError(f"{str(out)!r} cannot be written: {error.strerror}.{kept}") from error
    except BaseException:
        half.unlink(missing_ok=True)
        raise
