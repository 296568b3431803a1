"""An app with handlers of every temper, and worker processes of it, for tests that need real ones."""

import asyncio
import contextlib
import importlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import Reject, RetryLater
from ingather.engine.item import Item


def build(url: str, **options: Any) -> Engine:
    app = Engine(url, **options)

    @app.handler("echo")
    async def echo(item: Item) -> Any:
        return item.payload

    @app.handler("nap")
    async def nap(item: Item) -> Any:
        """Sleeps, and says who it was."""
        await asyncio.sleep(item.payload["s"])
        return {"pid": os.getpid(), "session": os.getsid(0), "attempt": item.attempt, "lost": item.lost}

    @app.handler("nap_aside")
    def nap_aside(item: Item) -> Any:
        time.sleep(item.payload["s"])
        return {"pid": os.getpid()}

    @app.handler("block", timeout=1, max_attempts=2)
    async def block(item: Item) -> Any:
        """Holds the whole loop, and with a pattern like this one Python's lock too."""
        if item.payload.get("with") == "regex":
            re.match(r"(a+)+$", "a" * item.payload["length"] + "b")
        else:
            time.sleep(item.payload["s"])  # noqa: ASYNC251  # that is the misbehaviour
        return "awake"

    @app.handler("poison")
    async def poison(item: Item) -> Any:
        if item.payload.get("kills"):
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(item.payload.get("s", 0))
        return "fine"

    @app.handler("learn")
    async def learn(item: Item) -> Any:
        """Imports what it needs when it needs it, beside the loop, as one does with packages that take long."""
        sys.path.append(item.payload["folder"])
        return (await asyncio.to_thread(importlib.import_module, item.payload["module"])).LESSON

    @app.handler("limited", queue="narrow")
    async def limited(item: Item) -> Any:
        await asyncio.sleep(item.payload.get("s", 0.005))

    @app.handler("throttled", queue="provider")
    async def throttled(item: Item) -> Any:
        """The first to come is told to wait, and with it the queue."""
        if item.payload.get("is_first") and _is_first_visit(item.payload["flag"]):
            raise RetryLater(2, queue=True)
        return time.time()

    @app.handler("refuse")
    async def refuse(item: Item) -> Any:
        raise Reject("never")

    @app.gather("nap")
    async def gather_naps(batch: Batch) -> Any:
        return {"naps": len([1 async for _ in batch.results()])}

    return app


def _is_first_visit(flag: str) -> bool:
    if Path(flag).exists():
        return False
    Path(flag).touch()
    return True


@contextlib.contextmanager
def worker_process(
    url: str, *, concurrency: int = 10, lease: float = 2, is_away: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """A real worker in a process and session of its own. `is_away` puts its clock two hours ahead."""
    arguments = [url, str(concurrency), str(lease), str(int(is_away))]
    process = subprocess.Popen([sys.executable, __file__, *arguments], start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT)
            process.kill()
        process.wait()


def sentinel_of(pid: int) -> int:
    """The sentinel of a worker process: its child that runs the module of that name."""
    return next(child for child, command in children_of(pid) if b"ingather.engine.sentinel" in command)


def nursery_of(pid: int) -> int:
    """The nursery of a worker process: its child that was forked, and so has its own command line."""
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    return next(child for child, command in children_of(pid) if command == own)


def children_of(pid: int) -> Iterator[tuple[int, bytes]]:
    """Child processes and their command lines."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid:
                    yield int(entry.name), (entry / "cmdline").read_bytes()


def until(condition: Callable[[], Any], seconds: float = 60, look_s: float = 0.01) -> Any:
    """Wait for something that other processes bring about; returns what it became. Patience costs nothing where all is
    well, and a busy machine needs it."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(look_s)
    return found


if __name__ == "__main__":
    url, concurrency, lease, is_away = sys.argv[1:]
    if int(is_away):
        real_time = time.time
        time.time = lambda: real_time() + 7200
    build(url, lease=float(lease)).worker(concurrency=int(concurrency)).run()
