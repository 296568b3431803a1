#!/usr/bin/env python3
"""What one can do here, with Python 3.11 or newer and nothing else.

python3 dev.py setup             make .venv and install Ingather and its tools in it; the others do that by themselves
python3 dev.py run [ARGS]        the workbench with sample papers: database, web and worker, until Ctrl-C
python3 dev.py tour              the engine: 1,000 items, two workers, one of them killed halfway
python3 dev.py test [ARGS]       every promise once; `--all` tests, long ones too; `--server URL` the engine's on
                                 a server of yours; other ARGS go to pytest, for example `-k sweep -x`
python3 dev.py check             formatting, lint, types, which room may import which, and types and lint of the pages
python3 dev.py chaos [ARGS]      the engine under fire, and an oracle: `--seconds 60 --seed 1 --break NAME`;
                                 its database under fire: `--failover MODE` or `--outage NAME`, `--times 50`
python3 dev.py bench [ARGS]      us and our peers, measured side by side: `--all`, `--quick`, `--json`
python3 dev.py fuzz [--minutes]  the HTTP API under made-up requests, for as long as you like
python3 dev.py scores --board FOLDER   how well real papers with known answers are read
python3 dev.py shots [NAMES]     every screen of the workbench into docs/screens, from a real run
python3 dev.py schema [--check]  write docs/schema.sql from the migrations, or say whether it is up to date
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "ingather-setup"
PACKAGE = ".[embedded,workbench,s3,dev]"
# Every package that PACKAGE needs, in one version each, with the hashes of its files; tools/lock.py writes it.
LOCK = ROOT / "requirements.lock"


def setup(_args: list[str]) -> int:
    """Makes .venv ready. Costs a moment when nothing has changed since the last time."""
    with one_at_a_time():
        wanted = f"{ROOT}\n{fingerprint()}\n"
        found = STAMP.read_text() if STAMP.exists() else ""
        if found == wanted and works("import pytest"):
            return 0
        # A .venv that was moved or half made is made anew: its scripts would lead elsewhere or nowhere.
        was_moved = bool(found) and not found.startswith(f"{ROOT}\n")
        if was_moved or not works("import pip"):
            make_venv()
        install()
        STAMP.write_text(wanted)
    return 0


def fingerprint() -> str:
    """Of all that an installation is made of, besides our own Python, which is used where it stands."""
    seen = hashlib.sha256()
    pages = [path for path in (ROOT / "ui").rglob("*") if path.is_file() and "node_modules" not in path.parts]
    for path in (ROOT / "pyproject.toml", LOCK, ROOT / "hatch_build.py", *sorted(pages)):
        if "__pycache__" not in path.parts:
            seen.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return seen.hexdigest()


def run(args: list[str]) -> int:
    """In a home of its own beside this file, so that trying it out touches nothing else."""
    os.environ.setdefault("INGATHER_HOME", str(ROOT / ".home"))
    return setup([]) or call([VENV / "bin" / "ingather", "run", *args])


def tour(args: list[str]) -> int:
    return setup([]) or call([PYTHON, "-m", "examples.tour", *args])


def test(args: list[str]) -> int:
    """One process more than there are cores, since many tests wait more than they compute; `-n 0` among the arguments
    runs them one after the other."""
    processes = min((os.cpu_count() or 1) + 1, 8)
    if "--server" in args:
        place = args.index("--server")
        server = args[place + 1] if place + 1 < len(args) else ""
        if not server.startswith(("postgresql://", "postgres://")):
            sys.exit("`--server` takes the address of a PostgreSQL: postgresql://user:password@host:5432/postgres")
        os.environ["INGATHER_TEST_SERVER"] = server
        args = [*args[:place], *args[place + 2 :], "--all"]
        # The engine is what meets other servers; two processes, since a server allows a hundred connections by default.
        args, processes = [*args, "tests/engine"], 2
    if "--all" in args:
        args = [arg for arg in args if arg != "--all"]
    elif not any(arg.startswith(("tests/", "-m")) for arg in args):
        args = ["-m", "not long", *args]
    return setup([]) or call([PYTHON, "-m", "pytest", "-n", str(processes), "--dist", "loadgroup", *args])


def check(_args: list[str]) -> int:
    setup([])
    steps: dict[str, list[str | Path]] = {
        "formatting": [PYTHON, "-m", "ruff", "format", "--check", "."],
        "lint": [PYTHON, "-m", "ruff", "check", "."],
        "types": [PYTHON, "-m", "mypy"],
        "rooms": [VENV / "bin" / "lint-imports"],
        "pages": [PYTHON, ROOT / "tools" / "node.py", "check"],
    }
    failed = []
    for name, argv in steps.items():
        say(f"== {name}")
        if call(argv) != 0:
            failed.append(name)
    say(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return 1 if failed else 0


def chaos(args: list[str]) -> int:
    return setup([]) or call([PYTHON, "-m", "tests.chaos", *args])


def bench(args: list[str]) -> int:
    return setup([]) or call([PYTHON, "-m", "bench", *args])


def fuzz(args: list[str]) -> int:
    return setup([]) or call([PYTHON, "-m", "tests.web.fuzz", *args])


def scores(args: list[str]) -> int:
    return setup([]) or call([PYTHON, "-m", "scores", *args])


def shots(args: list[str]) -> int:
    return setup([]) or call([PYTHON, ROOT / "tools" / "screenshots.py", *args])


def schema(args: list[str]) -> int:
    return setup([]) or call([PYTHON, ROOT / "tools" / "schema.py", *args])


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "setup": setup,
    "run": run,
    "tour": tour,
    "test": test,
    "check": check,
    "chaos": chaos,
    "bench": bench,
    "fuzz": fuzz,
    "scores": scores,
    "shots": shots,
    "schema": schema,
}


def make_venv() -> None:
    uv = shutil.which("uv")
    if importlib.util.find_spec("ensurepip"):
        refusal = quietly("Making .venv", [sys.executable, "-m", "venv", "--clear", VENV])
    elif uv:
        argv: list[str | Path] = [uv, "venv", "--quiet", "--clear", "--seed", "--python", sys.executable, VENV]
        refusal = quietly("Making .venv", argv)
    else:
        sys.exit(
            "Python's own `venv` is incomplete here: install it (on Debian: apt install python3-venv) and try again."
        )
    if refusal is not None:
        sys.exit(f"{refusal}\nMaking .venv failed; the lines above say why.")


def install() -> None:
    """What LOCK names, held against its hashes; where that cannot be had here, what pyproject.toml allows."""
    what = "Installing Ingather and its tools"
    refusal = attempt(what, ["--require-hashes", "--requirement", LOCK])
    if refusal is None:
        editable: list[str | Path] = ["--no-deps", "--no-build-isolation", "--editable", ROOT]
        refusal = attempt("Building Ingather and its pages", editable)
        if refusal is not None:
            sys.exit(f"{refusal}\nBuilding Ingather failed; the lines above say why.")
    elif "DO NOT MATCH THE HASHES" in refusal.upper():
        sys.exit(f"{refusal}\nA package is not the one that {LOCK.name} names: nothing of it was installed.")
    else:
        say(
            f"Not all of {LOCK.name} can be had here; versions are chosen by pyproject.toml, without hashes.",
            to=sys.stderr,
        )
        if refusal := attempt(what, ["--editable", PACKAGE]):
            sys.exit(f"{refusal}\n{what} failed; the lines above say why.")


def attempt(what: str, args: list[str | Path]) -> str | None:
    """Installs into .venv; what the installer said if it failed."""
    uv = shutil.which("uv")
    # uv does not read pip's configuration, so where only pip knows the way to the packages, pip has the last word.
    if uv and quietly(what, [uv, "pip", "install", "--quiet", "--python", PYTHON, *args]) is None:
        return None
    return quietly(what, [PYTHON, "-m", "pip", "install", "--quiet", *args])


def works(code: str) -> bool:
    try:
        return subprocess.run([PYTHON, "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def call(argv: list[str | Path]) -> int:
    """Runs a command to its end. Ctrl-C reaches it too: then it is left to say goodbye in its own time. Being told to
    stop is passed on."""
    with subprocess.Popen(argv, cwd=ROOT) as process:
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def quietly(what: str, argv: list[str | Path]) -> str | None:
    """Runs a command with one line of progress, beside the output, which a program may read. The answer is the end of
    what it said if it failed."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            if sys.stderr.isatty():
                say(f"\r{what} … {time.monotonic() - began:.0f} s", end="", to=sys.stderr)
            time.sleep(0.1)
        say(f"{chr(13) if sys.stderr.isatty() else ''}{what} … {time.monotonic() - began:.0f} s", to=sys.stderr)
        if process.returncode == 0:
            return None
        output.seek(0)
        return "\n".join(output.read().decode(errors="replace").splitlines()[-30:]) or "It said nothing."


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Keeps a second terminal from making the same .venv at the same moment."""
    with (ROOT / "pyproject.toml").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def say(text: str, end: str = "\n", to: TextIO = sys.stdout) -> None:
    to.write(text + end)
    to.flush()


def main(argv: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(f"Ingather needs Python 3.11 or newer, and this is {sys.version.split()[0]}.")
    if not argv or argv[0] in {"-h", "--help", "help"}:
        say((__doc__ or "").rstrip())
        return 0 if argv else 2
    command = COMMANDS.get(argv[0])
    if command is None:
        sys.exit(f"There is no `{argv[0]}` here. There is: {', '.join(COMMANDS)}.")
    # Programs run here are started hundreds of times by tests, and would be compiled anew each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        return command(argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
