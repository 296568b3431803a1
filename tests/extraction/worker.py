"""A worker of the tests' workbench, as a process that can be killed. Arguments: database, folder, model's address."""

import sys
from pathlib import Path

from ingather.engine.engine import Engine
from ingather.extraction.provider import Endpoint
from tests.extraction.desk import Bench

KEY = "sk-canary-3f9a8b7c6d5e4f3a2b1c"


def endpoint(address: str) -> Endpoint:
    return Endpoint.of(address, "test-model", KEY)


if __name__ == "__main__":
    url, folder, address = sys.argv[1:]
    Bench(Engine(url, lease=2), Path(folder), endpoint(address)).engine.worker(concurrency=10).run()
