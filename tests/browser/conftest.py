"""A browser in front of a running workbench. Whatever a page complains about fails its test."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.bench import PAGES, Running, running
from tests.browser.chromium import FLAGS, NoBrowser, find
from tests.conftest import cloned
from tools import node

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed.")

from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect  # noqa: E402  after the check

# How long a page may take is no question of these tests; a busy machine should not fail them.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process, since starting the workbench is most of the work."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group("browser"))


# Not of the session: while Playwright runs, no test in this process can run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        chromium = find()
        # Playwright's own Node may lack libraries on a minimal system.
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node.node()))
    except (NoBrowser, OSError, subprocess.CalledProcessError) as error:
        pytest.skip(str(error))
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.path), args=list(FLAGS), env={**os.environ, **chromium.environment}
        )
        yield browser
        browser.close()


def require_pages() -> None:
    if not PAGES.exists() or "pages were not built" in PAGES.read_text():
        pytest.skip("The pages are not built: `pip install -e .` builds them.")


@pytest.fixture(scope="package")
def workbench(server: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all tests: each uses a project or a task of its own."""
    require_pages()
    with cloned(server, worker_id, "browser") as url, running(url, tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture(scope="package")
def signed_in(workbench: Running) -> StorageState:
    """The cookie of a session. Signing in anew for every test would be too often for the server."""
    return workbench.sign_in()


class Complaints(list[str]):
    """What a console said, errors and warnings."""

    def __init__(self) -> None:
        super().__init__()
        self._forgiven: list[str] = []

    def forgive(self, part: str) -> None:
        """What a test provokes. The page may ask once more, and be refused once more, before it is closed."""
        self._forgiven.append(part)

    @property
    def unforgiven(self) -> list[str]:
        return [one for one in self if not any(part in one for part in self._forgiven)]


def watched(context: BrowserContext, complaints: Complaints) -> Page:
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
    return page


@pytest.fixture
def complaints() -> Complaints:
    """What the console of `page` said. A test that provokes complaints forgives them."""
    return Complaints()


@pytest.fixture
def page(browser: Browser, workbench: Running, signed_in: StorageState, complaints: Complaints) -> Iterator[Page]:
    """A page of somebody who is signed in. Its console must stay silent."""
    context = browser.new_context(
        base_url=workbench.address,
        storage_state=signed_in,
        locale="en-GB",
        viewport={"width": 1280, "height": 800},
        accept_downloads=True,
    )
    yield watched(context, complaints)
    context.close()
    assert complaints.unforgiven == []


@pytest.fixture(scope="package")
def finished(workbench: Running, signed_in: StorageState) -> int:
    """A task that is done, for all tests that only look: `rct_cordil.pdf` is its first document."""
    del signed_in  # the link that was printed signs in first
    return workbench.extract(["rct_cordil.pdf", "rct_veratrol.pdf", "rct_chinese.pdf"])


@pytest.fixture
def stranger(browser: Browser, workbench: Running) -> Iterator[Page]:
    """A page of somebody who is not signed in: what the server refuses is written in the console, and that is right."""
    context = browser.new_context(base_url=workbench.address, locale="en-GB")
    complaints = Complaints()
    complaints.forgive("401")
    yield watched(context, complaints)
    context.close()
    assert complaints.unforgiven == []


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path
