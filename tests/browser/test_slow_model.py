"""A slow model in front of a browser: its page shows that something happens for as long as it does."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.browser.bench import Running, running
from tests.browser.conftest import require_pages
from tests.browser.steps import choose_papers, start
from tests.conftest import cloned
from tests.provider.reader import answer
from tests.provider.server import Provider
from tests.provider.streaming import Streaming

# A module starts a workbench of its own, which takes a minute where other tests run.
pytestmark = pytest.mark.timeout(300)
# A tenth of what a slow model takes: a minute before the first token, then two tokens a second.
SLOW = {"streaming": Streaming(first_s=6, tokens_a_second=20)}


@pytest.fixture(scope="module")
def workbench(server: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """As everywhere, with a model that is slow."""
    require_pages()
    home = tmp_path_factory.mktemp("home")
    with (
        Provider(script=SLOW, answerer=answer) as provider,
        cloned(server, worker_id, "browser_slow") as url,
        running(url, home, INGATHER_LLM_BASE_URL=provider.base_url, INGATHER_LLM_MODEL="test-model") as found,
    ):
        yield found


@pytest.fixture(scope="module")
def signed_in(workbench: Running) -> StorageState:
    return workbench.sign_in()


def test_a_page_never_looks_dead_while_a_slow_model_reads_and_writes(page: Page, workbench: Running) -> None:
    page.goto("/projects/1/setup?template=qc")
    choose_papers(page, ["rct_conflict.pdf"])
    task = start(page)
    # Looked at eight times within two seconds, by the page's own clock: a busy machine slows both alike.
    page.evaluate(
        """() => {
            window.seen = [];
            setInterval(() => window.seen.push(document.querySelector(".progress-card")?.innerText ?? ""), 250);
        }"""
    )
    writing = page.get_by_test_id("writing")
    expect(writing).to_contain_text("read")
    expect(writing).to_contain_text("tokens")
    expect(writing).to_contain_text(re.compile(r"about (\d{3,}|[6-9]\d) tokens"))
    seen = page.evaluate("() => window.seen")
    expect(page.get_by_role("heading", level=1)).to_contain_text("running")
    still = longest = 0
    for before, now in pairwise(seen):
        still = still + 1 if before == now else 0
        longest = max(longest, still)
    assert longest < 8
    workbench.post(f"/extraction/tasks/{task}/cancel", {})
