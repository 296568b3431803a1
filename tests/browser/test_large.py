"""A thousand documents with all fields, from the database to the screen: only what is seen is drawn."""

import getpass
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Page, StorageState, expect

from ingather.engine.engine import Engine
from ingather.extraction.extraction import Extraction
from ingather.extraction.tasks import pipeline, tasks
from ingather.extraction.tasks.request import FrozenRequest, TaskRequest
from ingather.extraction.template import load_builtin_template
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.library import Library
from ingather.library.port import Snapshot
from ingather.web import accounts
from tests.browser.bench import SAMPLES, Running, running
from tests.browser.conftest import require_pages
from tests.conftest import cloned

MANY = 1_000


@pytest.fixture(scope="module")
def workbench(server: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """As everywhere, with a task of a thousand documents in it."""
    require_pages()
    home = tmp_path_factory.mktemp("home")
    with cloned(server, worker_id, "browser_large") as url:
        # In a thread: Playwright has an event loop in this one, and a worker needs its own.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(fill, url, str(home / "files")).result()
        with running(url, home, INGATHER_BLOBS=str(home / "files")) as found:
            yield found


@pytest.fixture(scope="module")
def signed_in(workbench: Running) -> StorageState:
    return workbench.sign_in()


def fill(url: str, folder: str) -> None:
    """One paper is extracted in earnest; then a thousand like it are settled with what was found in it."""
    engine = Engine(url, lease=5)
    library = Library(engine, blobs_from(folder))
    ingest.register(library)
    extraction = Extraction(engine, library)
    project = extraction.create_project("Large").id
    engine.database.run(
        accounts.set_role_of_account(
            project, engine.database.run(accounts.laptop_account(getpass.getuser())).id, accounts.Role.OWNER
        )
    )
    knowledge_base = library.create_knowledge_base("Papers", project_id=project).id
    with (SAMPLES / "rct_veratrol.pdf").open("rb") as paper:
        document = library.upload(knowledge_base, paper, "rct_veratrol.pdf").document
    whole = load_builtin_template("rct")
    fields = [field.id for field in whole.fields]
    one, _ = extraction.start_task(project, "rct", [document.id], field_ids=fields)
    engine.worker(concurrency=4).drain()
    [item] = engine.batch(one.batch_id).page(limit=1)
    engine.close()

    copier = Engine(url, lease=5)

    async def found_already(_: Any) -> Any:
        return item.result

    copier.handler(pipeline.KIND, queue=pipeline.QUEUE)(found_already)
    copies = tuple(
        Snapshot(document_id=document.id, file_name=f"paper {n:04}.pdf", sha256=document.sha256, size=document.size)
        for n in range(MANY)
    )
    request = TaskRequest(
        project_id=project,
        template_id="rct",
        field_ids=tuple(fields),
        document_ids=(document.id,),
        context="",
        spend_cap=None,
    )
    frozen = FrozenRequest(request=request, template=whole, documents=copies, base_url=None, model=None)
    plan = copier.registry.offspring(pipeline.KIND, [{"document_id": document.id}] * MANY, queue=pipeline.QUEUE)
    copier.database.run(tasks.start(frozen, plan))
    copier.worker(concurrency=20).drain()
    copier.close()


SCROLL = """async () => {
  const grid = document.querySelector(".grid");
  const frames = [];
  let most = 0;
  let last = performance.now();
  for (let at = 0; at < 90; at++) {
    grid.scrollTop += 400;
    grid.scrollLeft += at % 2 ? 150 : 100;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
    most = Math.max(most, document.querySelectorAll("[data-cell]").length);
  }
  frames.sort((one, other) => one - other);
  return { median: frames[45], worst: frames[88], most };
}"""


# With the time it takes to put a thousand documents in.
@pytest.mark.timeout(300)
def test_a_thousand_studies_cost_the_page_no_more_than_those_in_sight(page: Page) -> None:
    began = time.monotonic()
    page.goto("/tasks/2/table?filter=all")
    page.locator("[data-cell]").first.wait_for()
    first = time.monotonic() - began
    # A decision that is made while the rest is on its way is still there when it has come.
    page.locator("[data-cell='0~~title']").click()
    expect(page.get_by_test_id("review")).to_have_attribute("data-at", "0~~title")
    page.keyboard.press("u")
    expect(page.get_by_test_id("review")).not_to_have_attribute("data-at", "0~~title")
    page.keyboard.press("Escape")
    expect(page.get_by_text("1,000 of 1,000 rows")).to_be_visible(timeout=180_000)
    expect(page.locator("[data-cell='0~~title']")).to_have_attribute("data-review", "unclear")
    print(f"\nfirst cells after {first:.1f} s, all results after {time.monotonic() - began:.1f} s")
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        page.locator(".grid").evaluate("(grid) => grid.scrollTo(0, 0)")
        drawn = page.evaluate(SCROLL)
        nodes = page.evaluate("document.querySelectorAll('*').length")
        frames = f"frames median {drawn['median']:.0f} ms, p98 {drawn['worst']:.0f} ms"
        print(f"{width} wide: {frames}, {drawn['most']} cells at most, {nodes} elements on the page")
        assert 0 < drawn["most"] < 1_000
        assert nodes < 5_000
        page.locator(".grid").evaluate("(grid) => grid.scrollTo(grid.scrollWidth, grid.scrollHeight)")
        expect(page.get_by_text("paper 0999.pdf", exact=True)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_progress_lists_a_thousand_documents_and_draws_a_few(page: Page) -> None:
    page.goto("/tasks/2")
    expect(page.get_by_test_id("count-completed")).to_contain_text("1,000")
    expect(page.locator(".task-document").first).to_be_visible()
    assert page.locator(".task-document").count() < 60
    assert page.locator(".log-line").count() < 120
