"""The pytest plugin: fixtures for tests of applications. pytest finds it by itself."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ingather.testing.kit import Kit
    from ingather.testing.servers import Databases

SERVER_HELP = (
    "The address of a PostgreSQL server for tests with ingather_kit, whose user may make and drop databases. Without "
    "it the embedded one is started for the run."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("ingather").addoption("--ingather-server", metavar="URL", help=SERVER_HELP)
    parser.addini("ingather_server", SERVER_HELP)


@pytest.fixture(scope="session")
def ingather_databases(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Databases]":
    """The databases of this run: one server, one template."""
    from ingather.testing.servers import databases  # noqa: PLC0415  # runs without the fixture are spared the engine

    # The processes of pytest-xdist share a server, each with a template of its own.
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ingather-server"
    with databases(
        pytestconfig.getoption("--ingather-server") or pytestconfig.getini("ingather_server") or None, home
    ) as made:
        yield made


@pytest.fixture(scope="session")
def ingather_template(ingather_databases: "Databases") -> str:
    """The address of the database that each test has a copy of. Override it to make tables of your own there."""
    return ingather_databases.template_url


@pytest.fixture
def ingather_url(ingather_databases: "Databases", ingather_template: str) -> Iterator[str]:
    """The address of this test's database: the engine's tables, all empty, and what the template has besides."""
    assert ingather_template  # made before the first copy of it
    yield ingather_databases.fresh()
    ingather_databases.clear()


@pytest.fixture
def ingather_kit(ingather_url: str) -> "Iterator[Kit]":
    """The testing kit, on this test's database."""
    from ingather.testing.kit import Kit  # noqa: PLC0415  # as above

    kit = Kit(ingather_url)
    yield kit
    kit.close()
