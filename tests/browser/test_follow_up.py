"""A task that has ended is asked once more from its pages, and its differences are decided."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.browser.bench import Running, running
from tests.browser.conftest import require_pages
from tests.conftest import cloned
from tests.engine.workshop import until
from tests.provider.reader import answer
from tests.provider.server import Provider

# A module starts a workbench of its own, which takes a minute where other tests run.
pytestmark = pytest.mark.timeout(300)

PAPERS = ("rct_cordil.pdf", "rct_veratrol.pdf")
JOINS = "rct_kneebrace.pdf"
FIELDS = ("title", "n_randomised", "design")


class Model:
    """Reads as the stand-in does, but says a number of its own once it has changed its mind."""

    randomised: str | None = None

    def __call__(self, body: dict[str, Any]) -> Any:
        filled: Any = answer(body)
        for cell in filled.get("answers", ()):
            if cell["field"] == "n_randomised" and self.randomised is not None:
                cell.update(state="reported", value=self.randomised, quote=f"{self.randomised} people were randomised")
        return filled


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def provider(model: Model) -> Iterator[Provider]:
    with Provider(script={}, answerer=model) as provider:
        yield provider


@pytest.fixture(scope="module")
def workbench(
    server: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory, provider: Provider
) -> Iterator[Running]:
    """As everywhere, with a model."""
    require_pages()
    settings = {"INGATHER_LLM_BASE_URL": provider.base_url, "INGATHER_LLM_MODEL": "gpt-4.1-mini"}
    home = tmp_path_factory.mktemp("home")
    with cloned(server, worker_id, "browser_follow_up") as url, running(url, home, **settings) as found:
        yield found


@pytest.fixture(scope="module")
def signed_in(workbench: Running) -> StorageState:
    return workbench.sign_in()


@pytest.fixture(scope="module")
def first(workbench: Running) -> int:
    """A task that has ended, of three fields."""
    listed = workbench.get("/knowledge-bases/1/documents", limit=100)["documents"]
    ids = [one["document_id"] for one in listed if one["file_name"] in PAPERS]
    wanted = {"project_id": 1, "template_id": "rct", "document_ids": ids, "field_ids": list(FIELDS)}
    task = int(workbench.post("/extraction/tasks", wanted)["task_id"])
    until(lambda: workbench.get(f"/extraction/tasks/{task}")["state"] == "closed")
    return task


def questions(provider: Provider) -> list[dict[str, Any]]:
    """What was asked about papers; before a task, the model is also greeted."""
    return [call.body for call in provider.calls if len(call.body["messages"]) > 1]


def chosen_field(page: Page, task: int) -> None:
    page.goto(f"/tasks/{task}")
    page.get_by_role("link", name="Ask again").click()
    fields = page.get_by_role("region", name="Fields to ask once more")
    fields.get_by_role("button", name=re.compile("^Participants")).click()
    fields.get_by_role("checkbox", name=re.compile(r"^Randomised \(total\)")).check()


def test_one_field_is_asked_again_and_each_difference_is_taken_or_kept(
    page: Page, first: int, model: Model, provider: Provider
) -> None:
    chosen_field(page, first)
    start_button = page.get_by_role("complementary").get_by_role("button", name="Ask again")
    page.get_by_label("Instruction for Randomised (total)").fill("Everybody, in all arms.")
    # Two papers, one field: two cells, two calls, and a price before anything is sent.
    expect(page.get_by_test_id("bill-cells")).to_have_text("2")
    expect(page.get_by_test_id("bill-calls")).to_have_text("2")
    expect(page.get_by_test_id("bill-cost")).to_contain_text("USD")
    calls = len(questions(provider))
    model.randomised = "4711"
    start_button.click()
    page.wait_for_url(re.compile(rf"/tasks/(?!{first}\b)\d+$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    assert len(questions(provider)) - calls == 2

    expect(page.get_by_text(f"This task follows task {first}")).to_be_visible()
    page.get_by_role("link", name="See the differences").click()
    page.wait_for_url("**/differences")
    expect(page.get_by_text(f"2 cells say something else than in task {first}; 0 decided")).to_be_visible()
    kept, taken = (page.get_by_role("region", name=name) for name in PAPERS)
    # Value, verdict and quote of both stand beside each other.
    expect(kept).to_contain_text("4711 people were randomised")
    expect(kept).to_contain_text("quote not found in the document")
    expect(kept.locator("blockquote")).to_have_count(2)
    before = kept.locator(".difference-value").first.inner_text()
    kept.get_by_role("button", name="Keep the old one").click()
    expect(kept.get_by_test_id("decided")).to_contain_text(before)
    expect(page.get_by_text("1 decided")).to_be_visible()
    page.get_by_role("button", name="Take all 1 that nobody has reviewed").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Take all")).click()
    expect(taken.get_by_test_id("decided")).to_contain_text("4711")
    page.get_by_label("Only what is not decided").check()
    expect(kept).to_be_hidden()
    page.reload()
    expect(page.get_by_text("2 decided")).to_be_visible()
    expect(kept.get_by_test_id("decided")).to_contain_text(before)
    model.randomised = None


def test_a_paper_joins_a_finished_task_and_only_it_is_asked(page: Page, first: int, provider: Provider) -> None:
    page.goto(f"/tasks/{first}/follow-up")
    page.get_by_role("group", name=re.compile("^Papers that join")).get_by_label(JOINS, exact=True).check()
    expect(page.get_by_test_id("bill-cells")).to_have_text("0")
    expect(page.get_by_test_id("bill-joins")).to_have_text("1")
    calls = len(questions(provider))
    page.get_by_role("complementary").get_by_role("button", name="Ask again").click()
    page.wait_for_url(re.compile(rf"/tasks/(?!{first}\b)\d+$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    expect(page.get_by_test_id("count-completed")).to_contain_text("3")
    papers = {body["messages"][1]["content"][:500] for body in questions(provider)[calls:]}
    assert len(papers) == 1, papers
    assert "brace" in papers.pop()


def test_what_has_nothing_to_ask_cannot_be_started_and_says_so_in_chinese(page: Page, first: int) -> None:
    page.goto(f"/tasks/{first}/follow-up")
    status = page.get_by_role("complementary").get_by_role("status")
    expect(status).to_have_text("Choose what to ask, or papers that join.")
    page.get_by_label("Ask those again in which no usable answer was had").check()
    expect(status).to_have_text("No cell is like that: there is nothing to ask.")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="中文").click()
    expect(status).to_contain_text("没有这样的单元格")
    expect(page.get_by_role("complementary").get_by_role("button", name="再次提问")).to_be_disabled()
