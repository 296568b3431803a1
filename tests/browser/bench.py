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
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from playwright.sync_api import StorageState

API = "/api/v1"
ROOT = Path(__file__).parents[2]
PAGES = ROOT / "src" / "ingather" / "web" / "pages" / "index.html"
SAMPLES = ROOT / "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where it answers, and the link that it printed."""

    address: str
    first_link: str
    environment: dict[str, str]
    client: httpx.Client
    """Asks as a browser does that is signed in, once it is."""

    def link(self) -> str:
        """Another sign-in link; each works once."""
        argv = [sys.executable, "-m", "ingather.cli", "link", "--address", self.address]
        done = subprocess.run(argv, env=self.environment, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    def sign_in(self) -> "StorageState":
        """By the link that was printed, which works once; gives what a browser would keep of it."""
        self.client.post(f"{API}/session", json={"secret": self.first_link.partition("#")[2]}).raise_for_status()
        cookies: list[Any] = [
            {
                "name": cookie.name,
                "value": cookie.value,
                "domain": "127.0.0.1",
                "path": "/",
                "expires": -1,
                "httpOnly": True,
                "secure": False,
                "sameSite": "Lax",
            }
            for cookie in self.client.cookies.jar
        ]
        return {"cookies": cookies, "origins": []}

    def extract(self, names: list[str], template: str = "rct") -> int:
        """A task on some of the sample papers, from its start to its end, as a script would do it."""
        listed = self.get("/knowledge-bases/1/documents", limit=100)["documents"]
        ids = {document["file_name"]: document["document_id"] for document in listed}
        new_task = {"project_id": 1, "template_id": template, "document_ids": [ids[name] for name in names]}
        task = int(self.post("/extraction/tasks", new_task)["task_id"])
        while self.get(f"/extraction/tasks/{task}")["state"] == "open":
            time.sleep(0.1)
        return task

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(API + path, params=query).raise_for_status().json()

    def post(self, path: str, body: Any) -> Any:
        return self.client.post(API + path, json=body).raise_for_status().json()


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
def running(url: str, home: Path, **settings: str) -> Iterator[Running]:
    """Server and worker, with the sample papers, until the block ends. Without more settings, without a model."""
    environment = os.environ | {"DATABASE_URL": url, "INGATHER_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    for name in ("INGATHER_LLM_MODEL", "INGATHER_LLM_BASE_URL", "INGATHER_LLM_API_KEY", "INGATHER_HOSTS"):
        environment.pop(name, None)
    environment |= settings
    argv = [sys.executable, "-m", "ingather.cli", "run", "--port", "0"]
    with (home / "log.txt").open("w") as log:
        process = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=home)
    stop = threading.Timer(180, process.kill)
    stop.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"(http://[^/]+)/sign-in#\S+", line):
                _wait_for(found[1], process)
                stop.cancel()
                headers = {"origin": found[1], "sec-fetch-site": "same-origin"}
                with httpx.Client(base_url=found[1], headers=headers, timeout=60) as client:
                    yield Running(address=found[1], first_link=found[0], environment=environment, client=client)
                break
        else:
            raise RuntimeError("`ingather run` ended early:\n" + (home / "log.txt").read_text())
    finally:
        stop.cancel()
        process.terminate()
        process.wait(40)
