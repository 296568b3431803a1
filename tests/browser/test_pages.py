"""What every page owes its reader: both languages, empty states in words, and text that is only ever text."""

import io
import re
from pathlib import Path

from playwright.sync_api import Page, expect
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from tests.browser.bench import SAMPLES
from tests.browser.conftest import Complaints
from tests.browser.steps import new_knowledge_base, new_project, speak_chinese, start, upload

# The texts of the program, without what people, documents and templates say, which stays as it is.
OWN_TEXTS = """() => {
  const copy = document.querySelector("#content").cloneNode(true);
  const others = ".grid-row, .details-value, blockquote, .document, .log-line, .study";
  copy.querySelectorAll(others).forEach((one) => one.remove());
  return copy.textContent;
}"""
HOSTILE = "<img src=x onerror=alert(1)>"


def test_all_pages_speak_chinese_and_keep_to_it(page: Page, finished: int) -> None:
    speak_chinese(page)
    for address, heading in (
        ("/", "项目"),
        ("/projects/1", "My first review"),
        ("/projects/1/setup", "新建提取"),
        ("/projects/1/questions", "数值问题"),
        ("/projects/1/studies", "研究"),
        (f"/tasks/{finished}", "随机对照试验数据提取 已完成"),
        (f"/tasks/{finished}/table?cell=2~~title", "随机对照试验数据提取 已完成"),
        (f"/tasks/{finished}/analysis", "分析"),
        (f"/tasks/{finished}/read-back", "读回编辑过的导出文件"),
        ("/engine/queues", "引擎"),
    ):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        seen = page.evaluate(OWN_TEXTS)
        assert not re.search(r"\b(the|of|and|is|are|not)\b", seen), seen
    assert page.locator("html").get_attribute("lang") == "zh-Hans"


def test_the_analysis_says_what_was_left_out_and_leads_to_the_cell_that_mends_it(page: Page, finished: int) -> None:
    page.goto(f"/tasks/{finished}/table")
    page.get_by_role("link", name="4 Analysis").click()
    expect(page.get_by_role("heading", name=re.compile("comparisons? left out"))).to_be_visible()
    row = page.locator("tbody tr", has=page.get_by_text("Nothing says when this was measured."))
    row.get_by_role("link").first.click()
    page.wait_for_url(re.compile(r"/table\?scope=(arm_result|contrast)&document=\d+&cell="))
    expect(page.locator(".drawer")).to_be_visible()


def test_a_new_project_says_how_to_begin_and_takes_files(page: Page) -> None:
    new_project(page, "Begun from nothing")
    expect(page.get_by_text("There is no knowledge base yet")).to_be_visible()
    new_knowledge_base(page, "Papers")
    expect(page.get_by_text("This knowledge base is empty")).to_be_visible()
    upload(page, SAMPLES / "rct_kneebrace.pdf", SAMPLES / "rct_scan.pdf")
    expect(page.get_by_text("scan, no text")).to_be_visible()
    expect(page.get_by_test_id("bill-documents")).to_have_text("2")
    expect(page.get_by_text("cannot be read and will be reported as failed")).to_be_visible()


def test_hostile_names_and_texts_are_shown_as_they_are(page: Page, tmp_path: Path) -> None:
    new_project(page, f"{HOSTILE} project")
    new_knowledge_base(page, f"{HOSTILE} knowledge_base")
    paper = tmp_path / f"{HOSTILE}.pdf"
    paper.write_bytes(hostile_paper())
    upload(page, paper)
    expect(page.locator(".document-name", has_text=f"{HOSTILE}.pdf").last).to_be_visible()
    task = start(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    expect(page.get_by_role("log")).to_contain_text(f"{HOSTILE}.pdf")
    page.goto(f"/tasks/{task}/table")
    expect(page.get_by_role("rowheader")).to_contain_text(HOSTILE)
    page.goto("/")
    expect(page.get_by_role("heading", name=f"{HOSTILE} project")).to_be_visible()
    assert page.locator("img").count() == 0


def hostile_paper() -> bytes:
    """A page whose title is an attack on whoever shows it."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for at, line in enumerate((f"{HOSTILE}: a randomised trial", "In this trial 40 patients were randomised.")):
        canvas.drawString(72, 750 - 30 * at, line)
    canvas.save()
    return out.getvalue()


def test_a_template_is_cloned_and_given_a_field(page: Page) -> None:
    new_project(page, "With a template of its own")
    page.get_by_role("button", name="Clone and edit").click()
    page.get_by_role("dialog").get_by_role("button", name="Clone and edit").click()
    page.get_by_role("button", name="Add a field").first.click()
    form = page.get_by_role("dialog")
    form.get_by_label("Label (English)").fill("Season of recruitment")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_text("season_of_recruitment")).to_be_visible()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    page.get_by_role("link", name="Back to the setup").click()
    expect(page.get_by_role("radio", name=re.compile("copy"))).to_be_checked()


def test_the_engine_shows_its_parts_and_a_queue_is_paused_and_resumed(page: Page) -> None:
    page.goto("/engine")
    expect(page.get_by_role("tab", name="Queues")).to_be_visible()
    expect(page.get_by_text("read_document")).to_have_count(0)
    page.get_by_role("checkbox", name="Uploads too").check()
    expect(page.get_by_text("read_document").first).to_be_visible()
    page.get_by_role("tab", name="Queues").click()
    # The rows of the batches, which name their queues too, may stand for a moment longer.
    row = page.get_by_role("row").filter(has_text="reading").filter(has_not_text="read_document")
    row.get_by_role("button", name="Pause").click()
    expect(row).to_contain_text("paused")
    row.get_by_role("button", name="Resume").click()
    expect(row).to_contain_text("works")
    page.get_by_role("tab", name="Schedules").click()
    expect(page.get_by_text("sweep_files").first).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(page: Page, complaints: Complaints) -> None:
    complaints.forgive("404")
    page.goto("/nowhere")
    expect(page.get_by_text("There is no page at this address.")).to_be_visible()


def test_a_refusal_is_shown_with_a_way_to_try_again(page: Page, complaints: Complaints) -> None:
    page.route("**/api/v1/projects", lambda route: route.fulfill(status=400, json={"detail": "Not just now."}))
    page.goto("/")
    expect(page.get_by_role("alert")).to_contain_text("Not just now.")
    complaints.forgive("400")
    page.unroute("**/api/v1/projects")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("link", name="My first review")).to_be_visible()
