"""`ingather run`: what it starts, it stops."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from ingather.cli.web import _listening_socket_of_web
from tests.engine.workshop import until


@contextmanager
def running(url: str, folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"DATABASE_URL": url, "INGATHER_HOME": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-m", "ingather.cli", *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def workers_of(url: str) -> list[int]:
    """The worker processes that this database knows, as far as they are alive."""
    import psycopg

    with psycopg.connect(url) as conn:
        pids = [pid for (pid,) in conn.execute("select pid from ingather.worker").fetchall()]
    return [pid for pid in pids if is_alive(pid)]


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_whoever_stops_ingather_run_stops_its_worker_too(url: str, tmp_path: Path, number: signal.Signals) -> None:
    with running(url, tmp_path, "run", "--port", "0", "--no-samples") as process:
        assert process.stdout is not None
        printed = process.stdout.readline() + process.stdout.readline()
        found = re.search(r"Open (http://127\.0\.0\.1:\d+)/sign-in#(\S+) ", printed)
        assert found is not None, printed
        [worker] = until(lambda: workers_of(url), 60)
        with httpx.Client(base_url=found[1], headers={"origin": found[1]}) as browser:
            until(lambda: browser.get("/healthz").status_code == 200)
            assert browser.post("/api/v1/session", json={"secret": found[2]}).status_code == 204
            assert browser.get("/api/v1/me").json()["is_operator"] is True
            assert "server" not in browser.get("/api/v1/me").headers
        process.send_signal(number)
        assert process.wait(40) == (-number if number is signal.SIGKILL else 0)
        until(lambda: not is_alive(worker))


def test_the_command_for_another_link_works_in_any_shell(url: str, tmp_path: Path) -> None:
    home = tmp_path / "a home"
    with running(url, home, "run", "--port", "0", "--no-samples") as process:
        assert process.stdout is not None
        _, first, another = (process.stdout.readline() for _ in range(3))
        command = another.removeprefix("For another link: ").strip()
        assert command.startswith(f"INGATHER_HOME='{home}' ")
        shell = {name: value for name, value in os.environ.items() if not name.startswith("INGATHER_")}
        answer = subprocess.run(
            ["sh", "-c", command],
            env=shell | {"DATABASE_URL": url},
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
        )
        printed = re.compile(r"(http://127\.0\.0\.1:\d+/sign-in#)(\S+)")
        [(address, secret)], [(same, new)] = printed.findall(first), printed.findall(answer.stdout)
        assert (same, new != secret) == (address, True)


@pytest.mark.parametrize("seconds", [0.2, 0.6, 1.2])
def test_ctrl_c_in_the_first_moments_is_no_error(url: str, tmp_path: Path, seconds: float) -> None:
    with running(url, tmp_path, "run", "--port", "0", "--no-samples") as process:
        time.sleep(seconds)  # there is nothing to wait for: any moment will do
        process.send_signal(signal.SIGINT)
        _, output = process.communicate(timeout=40)
        # Python itself ends by the signal as long as none of our code runs.
        assert process.returncode in {0, 130, -signal.SIGINT}
        if process.returncode != -signal.SIGINT:
            assert "Traceback" not in output
            assert workers_of(url) == []


@pytest.mark.parametrize("gap", [0.05, 0.1, 0.4])
def test_ctrl_c_pressed_again_and_again_changes_nothing(url: str, tmp_path: Path, gap: float) -> None:
    with running(url, tmp_path, "run", "--port", "0", "--no-samples") as process:
        until(lambda: workers_of(url), 60)
        for _ in range(4):
            process.send_signal(signal.SIGINT)
            time.sleep(gap)
        output, complained = process.communicate(timeout=40)
        assert process.returncode == 0
        assert "Stopped." in output
        assert "Traceback" not in complained
        assert workers_of(url) == []


def test_whoever_takes_nothing_of_what_is_sent_is_hung_up_on() -> None:
    with _listening_socket_of_web(Namespace(host="127.0.0.1", port=0)) as server:
        patience_ms = server.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        assert patience_ms == 60_000
        with socket.create_connection(server.getsockname()):
            served, _ = server.accept()
            with served:
                assert served.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == patience_ms


def test_a_port_that_is_taken_and_a_wide_address_are_refused_at_once(url: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with running(url, tmp_path, "serve", "--port", port) as process:
            assert process.wait(40) == 2
            assert re.search(r"Cannot serve on .* Choose another with --port\.", process.communicate()[1])
    with running(url, tmp_path, "serve", "--host", "0.0.0.0", "--port", "0") as process:
        assert process.wait(40) == 2
        assert "INGATHER_HOSTS" in process.communicate()[1]
