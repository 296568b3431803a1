"""A workbench behind a real server: on a database of the test's own, or on one that a module shares."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingather.engine.engine import Engine
from tests.conftest import cloned
from tests.extraction.desk import Bench
from tests.web.site import Office, Site, opened

_numbers = itertools.count()


@pytest.fixture
def office(url: str, tmp_path: Path) -> Iterator[Office]:
    engine = Engine(url, lease=1)
    yield Office(Bench(engine, tmp_path / "files").open())
    engine.close()


@pytest.fixture
def site(office: Office) -> Iterator[Site]:
    with opened(office) as site:
        yield site


@pytest.fixture(scope="module")
def shared_url(server: str, worker_id: str) -> Iterator[str]:
    """A database for all tests of a module that do not mind each other."""
    with cloned(server, worker_id, f"web_{next(_numbers)}") as url:
        yield url


@pytest.fixture(scope="module")
def shared(shared_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for all tests of a module that do not mind each other."""
    engine = Engine(shared_url, lease=1)
    with opened(Office(Bench(engine, tmp_path_factory.mktemp("files")).open())) as site:
        yield site
    engine.close()
