"""Strangers who take all they can get: connections, memory, threads, lines of the log."""

import logging
import os
import re
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from ingather.engine.engine import Engine
from ingather.web.app import create_app
from ingather.web.bodies import ANYBODYS_JSON, LARGE_AT_ONCE
from ingather.web.connections import ComplainSeldom
from ingather.web.limits import RequestLimits
from tests.engine.workshop import until
from tests.extraction.desk import Bench
from tests.web.site import API, Office, Site, opened, rooms_of, served

# Short enough for a test, and long enough for a machine that is busy.
HASTE = RequestLimits(headers_s=1.0, body_s=1.0, slowest=1_000_000)


@pytest.fixture
def hasty(office: Office) -> Iterator[Site]:
    with opened(office, HASTE) as site:
        yield site


def connect(address: str) -> socket.socket:
    host, _, port = address.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def begun(site: Site, path: str, *headers: str, length: int = 500_000) -> socket.socket:
    """A request whose body does not come."""
    client = connect(site.address)
    fixed = (f"Host: {site.address[7:]}", f"Content-Length: {length}", "Connection: close")
    lines = [f"POST {API}{path} HTTP/1.1", *fixed, *headers, "", ""]
    client.sendall("\r\n".join(lines).encode())
    return client


def status(client: socket.socket) -> int:
    """Of the answer, once it is whole and the server has hung up."""
    answer = b""
    while chunk := client.recv(65_536):
        answer += chunk
    return int(answer.split()[1]) if answer else 0


def test_half_requests_stop_nobody_and_fill_no_log(url: str, tmp_path: Path) -> None:
    environment = os.environ | {"DATABASE_URL": url, "INGATHER_HOME": str(tmp_path)}
    with ExitStack() as stack:
        process = subprocess.Popen(
            ["sh", "-c", 'ulimit -n 400; exec "$0" -m ingather.cli serve --port 0', sys.executable],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        stack.callback(process.communicate)
        stack.callback(process.kill)
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
        assert found is not None
        address = found[0]
        with httpx.Client(base_url=address) as client:
            until(lambda: client.get("/readyz").status_code == 200, 60)
            for n in range(600):
                half = stack.enter_context(closing(connect(address)))
                half.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127" if n % 2 else b"POST / HTTP/1.1\r\n")
        # The server is besieged when this one comes.
        with httpx.Client(base_url=address, timeout=30) as late:
            assert [late.get(path).status_code for path in ("/readyz", "/healthz")] == [200, 200]
        process.kill()
        assert len(process.stderr.read().splitlines()) < 20


def test_headers_that_do_not_come_are_not_waited_for(hasty: Site) -> None:
    with closing(connect(hasty.address)) as half, closing(connect(hasty.address)) as silent:
        half.sendall(b"GET /healthz HTTP/1.1\r\nX-A: ")
        assert (half.recv(1), silent.recv(1)) == (b"", b"")


def test_headers_that_come_byte_by_byte_have_no_more_time_than_others(hasty: Site) -> None:
    with closing(connect(hasty.address)) as slow, pytest.raises(OSError, match=r"reset|[Bb]roken pipe"):
        drip(slow)


def drip(client: socket.socket) -> None:
    for _ in range(10_000):
        client.sendall(b"X")
        threading.Event().wait(0.01)


def test_a_second_request_on_a_connection_has_a_deadline_too(hasty: Site) -> None:
    whole = f"GET /healthz HTTP/1.1\r\nHost: {hasty.address[7:]}\r\n\r\n".encode()
    with closing(connect(hasty.address)) as client:
        client.sendall(whole)
        answer = b""
        while not answer.endswith(b"}"):
            answer += client.recv(65_536)
        client.sendall(whole[:20])
        assert client.recv(1) == b""


def test_a_body_that_does_not_come_is_not_waited_for(hasty: Site) -> None:
    token = hasty.office.token("owner")
    sent = begun(hasty, "/session", "Content-Type: application/json", length=100)
    knowledge_base = hasty.office.bench.knowledge_base
    form = "Content-Type: multipart/form-data; boundary=b"
    upload = begun(
        hasty, f"/knowledge-bases/{knowledge_base}/documents", form, f"Authorization: Bearer {token}", length=10_000
    )
    upload.sendall(b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF')
    with closing(sent), closing(upload):
        assert (status(sent), status(upload)) == (408, 408)


def test_bodies_of_strangers_take_little_memory(site: Site) -> None:
    waiting = [begun(site, "/session", "Content-Type: application/json") for _ in range(40)]
    for client in waiting:
        client.sendall(b" " * (ANYBODYS_JSON + 1))
    for client in waiting:
        with closing(client):
            assert status(client) == 401


def test_large_bodies_wait_for_each_other(site: Site) -> None:
    token = site.office.token("owner")
    headers = ("Content-Type: application/json", f"Authorization: Bearer {token}")
    waiting = [begun(site, "/extraction/tasks", *headers) for _ in range(LARGE_AT_ONCE + 1)]
    for client in waiting:
        client.sendall(b" " * (ANYBODYS_JSON + 1))
    with ThreadPoolExecutor(len(waiting)) as threads:
        # All but one are still being read; that one is answered, and then the others send the rest.
        [refused], _, _ = select.select(waiting, [], [], 30)
        answers = threads.map(status, waiting)
        for client in waiting:
            if client is not refused:
                client.sendall(b" " * (500_000 - ANYBODYS_JSON - 1))
        assert sorted(answers) == [400] * LARGE_AT_ONCE + [503]


def test_the_same_complaint_is_written_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    seldom = ComplainSeldom()
    now = [1_000.0]
    monkeypatch.setattr("ingather.web.connections.time.monotonic", lambda: now[0])

    def passes(text: str, *args: object) -> bool:
        return seldom.filter(logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, text, args, None))

    assert [passes("Invalid request of %s", name) for name in "abc"] == [True, False, False]
    assert passes("Something else")
    now[0] += 61
    assert passes("Invalid request of %s", "d")


def test_readiness_is_known_at_once_when_the_database_says_nothing(tmp_path: Path) -> None:
    """A server that accepts connections and is silent, and requests that wait for it in every thread."""
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        engine = Engine(f"postgresql://somebody@127.0.0.1:{silent.getsockname()[1]}/nothing")
        question = f"GET {API}/me HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ingather_session=x\r\n\r\n".encode()
        app = create_app(rooms_of(Bench(engine, tmp_path)), version="0")
        with served(app) as address, ExitStack() as stack, httpx.Client(base_url=address, timeout=60) as client:
            for _ in range(50):
                stuck = stack.enter_context(closing(connect(address)))
                stuck.sendall(question)
            answer = client.get("/readyz")
            assert answer.status_code == 503
            # The driver gives up after 10 s; a busy machine needs a moment more than the one that is promised.
            assert answer.elapsed.total_seconds() < 9
            assert client.get("/healthz").status_code == 200
