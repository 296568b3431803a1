"""A workbench behind a real server, on a database of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingather.engine.engine import Engine
from tests.extraction.desk import Bench
from tests.web.site import Office, Site, opened


@pytest.fixture
def office(url: str, tmp_path: Path) -> Iterator[Office]:
    engine = Engine(url, lease=1)
    yield Office(Bench(engine, tmp_path / "files").open())
    engine.close()


@pytest.fixture
def site(office: Office) -> Iterator[Site]:
    with opened(office) as site:
        yield site
