"""A Chromium to test with: one that is installed, or one from npm that needs no system packages."""

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tools import node

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PACKAGE = "@sparticuz/chromium@147.0.0"
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", "--disable-gpu")


class NoBrowser(Exception):
    """There is no Chromium here, and none can be had. The sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chromium:
    path: Path
    environment: dict[str, str] = field(default_factory=dict)


def find() -> Chromium:
    """The installed one, the one kept from the last time, or a fresh one. Raises NoBrowser."""
    given = os.environ.get("INGATHER_TEST_CHROMIUM")
    if given:
        return Chromium(path=Path(given))
    for name in NAMES:
        if found := shutil.which(name):
            return Chromium(path=Path(found))
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ingather-test-chromium" / PACKAGE[-7:]
    if not (kept / "chromium").exists():
        _unpack(kept)
    environment = {"LD_LIBRARY_PATH": str(kept / "lib"), "FONTCONFIG_FILE": str(kept / "fonts.conf")}
    return Chromium(path=kept / "chromium", environment=environment)


def _unpack(kept: Path) -> None:
    try:
        import brotli  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise NoBrowser("No Chromium is installed, and `brotli` is not there to unpack one from npm.") from None
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as work:
        package = _fetch(Path(work))
        made = Path(work) / "made"
        made.mkdir()
        (made / "chromium").write_bytes(brotli.decompress((package / "bin" / "chromium.br").read_bytes()))
        (made / "chromium").chmod(0o755)
        for name in ("al2023", "fonts", "swiftshader"):
            packed = brotli.decompress((package / "bin" / f"{name}.tar.br").read_bytes())
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(made, filter="data")
        # Fonts of the machine too: the package has Open Sans alone. Without its own path, every text counts as hidden.
        folders = f"<dir>{kept}/fonts</dir><dir>/usr/share/fonts</dir>"
        (made / "fonts.conf").write_text(
            f'<?xml version="1.0"?><fontconfig>{folders}<cachedir>{kept}/cache</cachedir></fontconfig>'
        )
        try:
            made.rename(kept)
        except OSError:
            if not (kept / "chromium").exists():
                raise


def _fetch(work: Path) -> Path:
    try:
        npm, environment = node.npm()
    except (OSError, subprocess.CalledProcessError):
        raise NoBrowser("No Chromium is installed, and there is no npm to fetch one with.") from None
    argv = [*npm, "pack", "--silent", PACKAGE]
    done = subprocess.run(argv, cwd=work, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoBrowser("No Chromium is installed, and npm could not fetch one.")
    with tarfile.open(next(work.glob("*.tgz"))) as archive:
        archive.extractall(work, filter="data")
    return work / "package"
