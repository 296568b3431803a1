"""The workbench as people start it: `ingather run`, on a database of its own."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "src" / "ingather" / "web" / "pages" / "index.html"
SAMPLES = ROOT / "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where it answers, and the link that it printed."""

    address: str
    first_link: str
    environment: dict[str, str]

    def link(self) -> str:
        """Another sign-in link; each works once."""
        argv = [sys.executable, "-m", "ingather.cli", "link", "--address", self.address]
        told = subprocess.run(argv, env=self.environment, capture_output=True, text=True, check=True, timeout=60)
        return told.stdout.strip()


def _wait_for(address: str, process: subprocess.Popen[str]) -> None:
    """The link is printed a moment before the server answers."""
    while process.poll() is None:
        try:
            httpx.get(f"{address}/healthz", timeout=5).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return


@contextmanager
def running(url: str, home: Path) -> Iterator[Running]:
    """Server and worker, with the sample papers, until the block ends."""
    environment = os.environ | {"DATABASE_URL": url, "INGATHER_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    for name in ("INGATHER_LLM_MODEL", "INGATHER_LLM_BASE_URL", "INGATHER_HOSTS"):
        environment.pop(name, None)
    argv = [sys.executable, "-m", "ingather.cli", "run", "--port", "0"]
    with (home / "log.txt").open("w") as log:
        process = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=home)
    stop = threading.Timer(60, process.kill)
    stop.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"(http://[^/]+)/sign-in#\S+", line):
                _wait_for(found[1], process)
                stop.cancel()
                yield Running(address=found[1], first_link=found[0], environment=environment)
                break
        else:
            raise RuntimeError("`ingather run` ended early:\n" + (home / "log.txt").read_text())
    finally:
        stop.cancel()
        process.terminate()
        process.wait(40)
