"""Writes requirements.lock: every package that `dev.py` installs, in one version each, with the hashes of its files.

`python tools/lock.py` chooses the newest versions that pyproject.toml allows, for every Python and system that it
supports. It needs `uv` on the path (`pip install uv`).
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
EXTRAS = ("embedded", "typed", "workbench", "s3", "dev")
# These build the package itself. With their hashes known, nothing is fetched for the build alone.
BUILD = "hatchling>=1.27\neditables>=0.5\n"


def main() -> int:
    uv = shutil.which("uv")
    if uv is None:
        sys.exit("`uv` is not on the path: `pip install uv` and try again.")
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder) / "build.in"
        build.write_text(BUILD)
        extras = [part for extra in EXTRAS for part in ("--extra", extra)]
        sources = [str(ROOT / "pyproject.toml"), str(build), *extras]
        form = ["--universal", "--python-version", "3.11", "--generate-hashes"]
        plain = ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet"]
        return subprocess.run([uv, "pip", "compile", *sources, *form, *plain, "-o", LOCK], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
