"""What a handler starts ends with its process: at its deadline, when it is cancelled, and however its worker dies."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ingather.engine.engine import Engine
from ingather.engine.item import Item
from tests.engine.workshop import nursery_of, until

# Much longer than any test: a subprocess that is gone was killed.
LONG_S = 600


def is_alive(pid: int) -> bool:
    """A process that ended and waits for its parent to ask is not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def build(url: str) -> Engine:
    app = Engine(url, lease=1)

    @app.handler("convert", timeout=1, max_attempts=1)
    def convert(item: Item) -> None:
        run_long(item.payload)

    @app.handler("patient", timeout=LONG_S, max_attempts=1)
    def patient(item: Item) -> None:
        run_long(item.payload)

    @app.handler("crash", timeout=LONG_S, max_attempts=1)
    def crash(item: Item) -> None:
        run_long(item.payload, and_then=lambda: os.kill(os.getpid(), signal.SIGKILL))

    return app


def run_long(note: str, and_then: Callable[[], object] = lambda: None) -> None:
    """Start a program that would run for long, through a shell as people do; write down who they are."""
    shell = subprocess.Popen(f"sleep {LONG_S} & echo $! > {note}.new && mv {note}.new {note}; wait", shell=True)
    until(lambda: Path(note).exists())
    and_then()
    shell.wait()


def pid_in(note: Path) -> int:
    until(note.exists)
    return int(note.read_text())


@pytest.fixture
def app(url: str) -> Iterator[Engine]:
    engine = build(url)
    yield engine
    engine.close()


@pytest.mark.parametrize("kind", ["convert", "crash"])
def test_a_program_ends_with_the_handler_that_started_it(app: Engine, tmp_path: Path, kind: str) -> None:
    note = tmp_path / "pid"
    app.submit(kind, str(note))

    async def scene() -> None:
        async with app.worker(concurrency=1):
            pid = await asyncio.to_thread(pid_in, note)
            await asyncio.to_thread(until, lambda: not is_alive(pid))
        await app.aclose()

    asyncio.run(scene())


def test_a_program_ends_with_the_batch_that_is_cancelled(app: Engine, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    batch = app.submit("patient", str(note))

    async def scene() -> None:
        async with app.worker(concurrency=1):
            pid = await asyncio.to_thread(pid_in, note)
            await batch.acancel()
            await asyncio.to_thread(until, lambda: not is_alive(pid))
        await app.aclose()

    asyncio.run(scene())


def test_a_program_ends_with_a_worker_that_stops(app: Engine, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    app.submit("patient", str(note))

    async def scene() -> int:
        worker = app.worker(concurrency=1)
        await worker.start()
        pid = await asyncio.to_thread(pid_in, note)
        await worker.stop(grace=0.1)
        await app.aclose()
        return pid

    pid = asyncio.run(scene())
    until(lambda: not is_alive(pid))


def test_a_program_that_a_handler_started_can_be_ended_by_it(app: Engine) -> None:
    """The handler's own process takes no SIGTERM; programs are not to inherit that."""

    @app.handler("ends")
    def ends(item: Item) -> int:
        program = subprocess.Popen(["sleep", str(LONG_S)])
        program.terminate()
        return program.wait()

    batch = app.submit("ends", 1)
    app.worker(concurrency=1).drain()
    assert batch.result() == -signal.SIGTERM


@contextmanager
def worker_process(url: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-m", __name__, url], start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def kill_nursery(process: subprocess.Popen[bytes]) -> None:
    os.kill(nursery_of(process.pid), signal.SIGUSR1)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process that its parent died")
@pytest.mark.parametrize("end", [kill, kill_group, kill_nursery])
def test_a_program_ends_with_a_worker_that_is_killed(
    app: Engine, url: str, tmp_path: Path, end: Callable[[subprocess.Popen[bytes]], Any]
) -> None:
    note = tmp_path / "pid"
    app.submit("patient", str(note))
    with worker_process(url) as process:
        pid = pid_in(note)
        end(process)
        until(lambda: not is_alive(pid))


if __name__ == "__main__":
    build(sys.argv[1]).worker(concurrency=1).run()
