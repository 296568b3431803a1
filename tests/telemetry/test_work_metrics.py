"""`ingather work --metrics`, as it is typed: real processes, each on a port of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from ingather.engine.engine import Engine

# Two runs on one machine should not meet, and the port is theirs to choose.
BASE_PORT = 20_000 + os.getpid() % 20_000

JOBS = """
from ingather import Ingather, Item

app = Ingather()


@app.handler("work")
async def work(item: Item) -> int:
    return item.payload
"""


def completed_on(port: str) -> int:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        found = re.search(r'items_total\{queue="default",kind="work",state="completed"\} (\d+)', answer.read().decode())
    return int(found[1]) if found else 0


@pytest.mark.parametrize("processes", [1, 2])
def test_every_process_of_a_command_serves_its_own_metrics(
    tmp_path: Path, url: str, app: Engine, processes: int
) -> None:
    (tmp_path / "jobs.py").write_text(JOBS)
    command = [sys.executable, "-m", "ingather.cli", "work", "jobs:app", "--metrics", str(BASE_PORT)]
    with subprocess.Popen(
        [*command, "--processes", str(processes)],
        cwd=tmp_path,
        env=os.environ | {"DATABASE_URL": url},
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        ports: list[str] = []
        try:
            while len(ports) < processes:
                line = running.stderr.readline()
                assert line, f"it ended with {running.poll()}"
                ports += re.findall(r"metrics on port (\d+)", line)
            app.handler("work")(lambda item: None)
            batch = app.scatter("work", range(50))
            batch.wait(timeout=120)
            # The last outcome may be stored a moment before its worker has heard of that.
            until = time.monotonic() + 60
            while (counted := sum(map(completed_on, ports))) < 50 and time.monotonic() < until:
                pass
        finally:
            running.send_signal(signal.SIGTERM)
            running.stderr.read()
    assert running.returncode == 0
    assert len(set(ports)) == processes
    assert counted == 50


def test_a_port_that_cannot_be_had_is_a_sentence(tmp_path: Path, url: str) -> None:
    (tmp_path / "jobs.py").write_text(JOBS)
    for port, sentence in (("70000", "65,535"), ("0", "less than 1")):
        ended = subprocess.run(
            [sys.executable, "-m", "ingather.cli", "work", "jobs:app", "--metrics", port],
            cwd=tmp_path,
            env=os.environ | {"DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 2
        assert sentence in ended.stderr
        assert "Traceback" not in ended.stderr
