"""What tests of the web share: a workbench behind a real server, and people who may do more or less in it."""

import asyncio
import io
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from ingather.engine.engine import Engine
from ingather.web import accounts
from ingather.web.accounts import Account, Role, TokenScope
from ingather.web.app import create_app
from ingather.web.connections import configured_connections
from ingather.web.edge import SESSION_COOKIE
from ingather.web.limits import RequestLimits
from ingather.web.rooms import Rooms
from tests.extraction.desk import Bench

API = "/api/v1"
HOUR = timedelta(hours=1)
ROLES = {"owner": Role.OWNER, "reviewer": Role.REVIEWER, "reader": Role.READER}


class Office:
    """A bench with one project, three members, an outsider with a project of their own, and an operator."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.engine = bench.engine
        names = ("owner", "reviewer", "reader", "outsider", "operator")
        self.people = {name: self._account(name) for name in names}
        for name, role in ROLES.items():
            self.engine.database.run(accounts.set_role_of_account(bench.project, self.people[name].id, role))
        self.theirs = bench.extraction.create_project("Theirs").id
        self.engine.database.run(accounts.set_role_of_account(self.theirs, self.people["outsider"].id, Role.OWNER))
        self.their_knowledge_base = bench.library.create_knowledge_base("Their papers", project_id=self.theirs).id

    def _account(self, name: str) -> Account:
        return self.engine.database.run(accounts.add_account(name, is_operator=name == "operator"))

    def link_secret(self, name: str) -> str:
        """The secret of a sign-in link."""
        return self.engine.database.run(accounts.create_account_link(self.people[name]))

    def session(self, name: str) -> str:
        session = self.engine.database.run(accounts.sign_in_account(self.link_secret(name)))
        assert session is not None
        return session

    def token(self, name: str, scope: TokenScope = TokenScope.WRITE, *, project_id: int | None = None) -> str:
        made = accounts.create_token(self.people[name], "a script", scope=scope, lasts=HOUR, project_id=project_id)
        return self.engine.database.run(made)[0]

    def add(self, texts: Iterable[str], *, knowledge_base: int | None = None) -> list[int]:
        """Documents, in the project or in another knowledge base."""
        library = self.bench.library
        return [
            library.upload(
                knowledge_base or self.bench.knowledge_base, io.BytesIO(text.encode()), f"paper {n}.txt"
            ).document.id
            for n, text in enumerate(texts)
        ]

    def start(self, documents: list[int], **options: Any) -> int:
        task, _ = self.bench.extraction.start_task(self.bench.project, "rct", documents, **options)
        return task.id

    def work(self) -> None:
        """Until there is nothing left to do."""
        self.engine.worker(concurrency=20).drain()


class Site:
    """An office under a real address."""

    def __init__(self, office: Office, app: FastAPI, address: str) -> None:
        self.office = office
        self.app = app
        self.address = address

    def anybody(self, **headers: str) -> httpx.Client:
        """Somebody without any right, not even a browser's headers."""
        return httpx.Client(base_url=self.address + API, headers=headers, timeout=30)

    def browser(self, name: str) -> httpx.Client:
        """A person who is signed in, in a browser on our own page."""
        client = self.anybody(origin=self.address, **{"sec-fetch-site": "same-origin"})
        client.cookies.set(SESSION_COOKIE, self.office.session(name), domain="127.0.0.1")
        return client

    def script(self, name: str, scope: TokenScope = TokenScope.WRITE, *, project_id: int | None = None) -> httpx.Client:
        return self.anybody(authorization=f"Bearer {self.office.token(name, scope, project_id=project_id)}")


def rooms_of(bench: Bench) -> Rooms:
    return Rooms(engine=bench.engine, library=bench.library, extraction=bench.extraction)


@contextmanager
def served(app: FastAPI, limits: RequestLimits | None = None) -> Iterator[str]:
    """The app behind uvicorn, as `ingather serve` sets it up, on a free port of this machine; gives its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(configured_connections(app, limits or RequestLimits(), shutdown_s=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        listener.listen(100)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def opened(office: Office, limits: RequestLimits | None = None) -> Iterator[Site]:
    app = create_app(rooms_of(office.bench), version="0", limits=limits)
    with served(app, limits) as address:
        yield Site(office, app, address)


@contextmanager
def working(url: str, folder: Path, bench: type[Bench] = Bench) -> Iterator[None]:
    """A worker beside the server, with an engine of its own, until the block is left."""
    over = threading.Event()

    async def work() -> None:
        engine = Engine(url, lease=1)
        async with bench(engine, folder).engine.worker(concurrency=4):
            await asyncio.to_thread(over.wait)
        await engine.aclose()

    thread = threading.Thread(target=lambda: asyncio.run(work()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)
