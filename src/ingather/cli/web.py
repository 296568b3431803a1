"""`ingather serve` and `run_web_command`: the workbench in the browser."""

import errno
import logging
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Self

import uvicorn

import ingather
from ingather.cli.accounts import local_account_of_command
from ingather.cli.crew import CrewMember
from ingather.cli.output import output_hint, output_sentence
from ingather.cli.work import set_up_log_of_work
from ingather.engine.errors import UsageError
from ingather.library import blobs, ingest
from ingather.settings import Settings
from ingather.web import accounts
from ingather.web.accounts import Account
from ingather.web.app import LOOPBACK, create_app
from ingather.web.connections import configured_connections
from ingather.web.limits import RequestLimits
from ingather.web.rooms import Rooms
from ingather.workbench import Workbench

log = logging.getLogger("ingather.run")

SAMPLES = "Sample papers"
# How often `run_web_command` looks whether its worker died. Longer leaves work undone for longer after a crash.
RESTART_POLL_S = 2.0
# How long `run_web_command` waits for its worker to stop before it kills it. The worker's own grace is shorter.
STOP_S = 30.0
# A client that takes none of the sent bytes for this long is disconnected, and what it held is released.
OPEN_REQUESTS_S = 60.0


# How long requests under way may take when the server is stopped. Longer delays every restart by as much; live views
# never end by themselves.
SHUTDOWN_S = 3


def serve_web_command(arguments: Namespace) -> int:
    """The web alone; workers run elsewhere."""
    with _serve_web_until_signal():
        bench = Workbench()
        bench.engine.check()
        blobs.check(bench.library.blobs)
        ingest.schedule(bench.library)
        with _listening_socket_of_web(arguments) as server:
            set_up_log_of_work()
            output_hint(f"Serving {_address_of_web(server)}. For a link that signs in: {_link_to_web(server)}")
            _serve_web(bench, server)
    return 0


def run_web_command(arguments: Namespace) -> int:
    """Database, tables, web, a worker and sample papers: everything, on one machine, until Ctrl-C."""
    # The socket first: the database takes a second to start, and a port in use should be reported at once.
    with _serve_web_until_signal(), _listening_socket_of_web(arguments) as server:
        bench = Workbench()
        blobs.check(bench.library.blobs)
        bench.engine.migrate()
        ingest.schedule(bench.library)
        account = local_account_of_command(bench)
        if not arguments.no_samples:
            _add_samples_for_web(bench, account)
        set_up_log_of_work()
        secret = bench.engine.database.run(accounts.create_account_link(account))
        endpoint = bench.extraction.endpoint
        model = endpoint.model if endpoint else "none; the embedded extractor answers"
        output_sentence(f"Ingather {version('ingather')}. Model: {model}.")
        output_sentence(f"Open {_address_of_web(server)}/sign-in#{secret} (works once, for 15 minutes).")
        output_sentence(f"For another link: {_link_to_web(server)}")
        with _WorkerBesideWeb(arguments.concurrency):
            _serve_web(bench, server)
    output_sentence("Stopped.")
    return 0


class _StopSignal(BaseException):
    """SIGTERM or SIGINT arrived."""


@contextmanager
def _serve_web_until_signal() -> Iterator[None]:
    """Run the block until SIGTERM or Ctrl-C. Then it ends like any other block, so what it started is stopped.

    The web server raises a signal again when it is done. Without a handler
    that would end the process, and leave the worker and the database running.
    """

    numbers = (signal.SIGTERM, signal.SIGINT)

    def stop(*_: object) -> None:
        # A second Ctrl-C must not interrupt the stopping.
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise _StopSignal

    for number in numbers:
        signal.signal(number, stop)
    with suppress(_StopSignal):
        yield


class _WebServer(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle the first signal only: at a second one uvicorn would break off its own shutdown, with an error."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


def _serve_web(bench: Workbench, server: socket.socket) -> None:
    settings = Settings.from_environment()
    rooms = Rooms(engine=bench.engine, library=bench.library, extraction=bench.extraction)
    limits = RequestLimits()
    app = create_app(rooms, version=version("ingather"), hosts=(*LOOPBACK, *settings.hosts), limits=limits)
    _WebServer(configured_connections(app, limits, shutdown_s=SHUTDOWN_S)).run(sockets=[server])


def _listening_socket_of_web(arguments: Namespace) -> socket.socket:
    """The socket, bound and listening."""
    settings = Settings.from_environment()
    host = arguments.host or settings.host
    port = settings.port if arguments.port is None else arguments.port
    if host not in {"127.0.0.1", "localhost", "::1"} and not settings.hosts:
        raise UsageError(
            f"To serve on {host}, say under which names: INGATHER_HOSTS=review.example.org. Without, another site "
            "could point its own name here."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP outright: without, asyncio does not switch off Nagle's algorithm, and every answer takes 40 ms more.
    server = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Disconnects a client that stopped reading, which releases its file and its slot.
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * OPEN_REQUESTS_S))
    try:
        server.bind((host, port))
    except (OSError, UnicodeError) as error:
        server.close()
        reason = error.strerror if isinstance(error, OSError) else "it is not a name"
        advice = (
            " Choose another with --port." if isinstance(error, OSError) and error.errno == errno.EADDRINUSE else ""
        )
        raise UsageError(f"Cannot serve on {host} port {port}: {reason}.{advice}") from error
    # From now on whoever clicks early waits a moment instead of being refused.
    server.listen(128)
    return server


def _address_of_web(server: socket.socket) -> str:
    """Where to open it. Served on all addresses, it answers under the names it was given and no other."""
    host, port = server.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104  # compared, not bound to
        host = Settings.from_environment().hosts[0]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _link_to_web(server: socket.socket) -> str:
    """The command for another sign-in link, for a shell without the environment of this process."""
    settings = Settings.from_environment()
    command = Path(sys.executable).with_name("ingather")
    is_on_path = shutil.which("ingather") == str(command)
    argv = ["ingather" if is_on_path or not command.exists() else str(command), "link"]
    if (address := _address_of_web(server)) != f"http://{settings.host}:{settings.port}":
        argv += ["--address", address]
    home = os.environ.get("INGATHER_HOME")
    return (f"INGATHER_HOME={shlex.quote(home)} " if home else "") + shlex.join(argv)


class _WorkerBesideWeb:
    """The worker of `ingather run` in a process of its own: restarted if it dies, stopped with everything else."""

    def __init__(self, concurrency: int) -> None:
        self._argv = [
            *(sys.executable, "-m", "ingather.cli", "work", "ingather.workbench:app"),
            # With --parent the worker also stops if this process is killed, or stops at the moment it starts it.
            *("--concurrency", str(concurrency), "--parent", str(os.getpid())),
        ]
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        self._member = CrewMember(self._argv)
        self._thread = threading.Thread(target=self._watch, name="ingather worker watch", daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._is_over.wait(RESTART_POLL_S):
            if self._member.restart_if_dead() is not None:
                # The web server stays useful without a worker, so a worker that cannot start is tried again.
                self._member.plan_restart()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        process = self._member.process
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()


def _add_samples_for_web(bench: Workbench, account: Account) -> None:
    """Add the sample papers on the first start."""
    papers = sorted(_samples_for_web().glob("*.pdf"))
    if bench.extraction.list_projects() or not papers:
        return
    project = bench.extraction.create_project("My first review")
    bench.engine.database.run(accounts.set_role_of_account(project.id, account.id, accounts.Role.OWNER))
    knowledge_base = bench.library.create_knowledge_base(SAMPLES, project_id=project.id)
    for paper in papers:
        with paper.open("rb") as stream:
            bench.library.upload(knowledge_base.id, stream, paper.name)


def _samples_for_web() -> Path:
    """In the package once it is built; beside its source in a checkout."""
    inside = Path(ingather.__file__).parent
    packaged = inside / "samples"
    return packaged if packaged.is_dir() else inside.parents[1] / "samples"
