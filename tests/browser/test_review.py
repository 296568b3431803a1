"""Reviewing in the browser, by keyboard alone: every decision, its undoing, and what becomes of it in the exports."""

import json
import re
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, StorageState, expect
from python_calamine import CalamineWorkbook

from tests.browser.bench import Running
from tests.browser.conftest import PATIENCE_MS, Complaints
from tests.browser.steps import extract
from tests.engine.workshop import until


@pytest.fixture(scope="module")
def task(browser: Browser, workbench: Running, signed_in: StorageState) -> int:
    context = browser.new_context(base_url=workbench.address, storage_state=signed_in, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    number = extract(page, ["rct_cordil.pdf", "rct_veratrol.pdf"])
    context.close()
    return number


def cell(page: Page, place: str) -> Locator:
    return page.locator(f"[data-cell='{place}']")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("complementary").get_by_role("heading", level=2)).to_have_text(name)


def expect_status(page: Page, text: str) -> None:
    expect(page.get_by_test_id("review").get_by_role("status")).to_contain_text(text)


def exported(page: Page, task: int, format: str, folder: Path) -> Path:
    path = folder / f"results.{format}"
    path.write_bytes(page.request.get(f"/api/v1/extraction/tasks/{task}/export?format={format}").body())
    return path


def test_a_reviewer_needs_no_mouse(page: Page, task: int, complaints: Complaints) -> None:
    keys = page.keyboard
    page.goto(f"/tasks/{task}/table")
    progress = page.get_by_test_id("reviewed")
    expect(progress).to_contain_text("0 of ")

    # From the table: the second column of the first document.
    page.locator(".grid").focus()
    keys.press("ArrowRight")
    keys.press("Enter")
    heading(page, "Title")
    expect_status(page, "Nobody has reviewed this yet.")

    # Accepted with a note; the next cell comes by itself.
    keys.press("m")
    keys.type("As on page 1")
    keys.press("Enter")
    keys.press("a")
    heading(page, "Publication year")
    expect(cell(page, "0~~title")).to_have_attribute("data-review", "accepted")
    expect(progress).to_contain_text("1 of ")

    # Undone from there, which goes back to it; done again.
    keys.press("z")
    heading(page, "Title")
    expect_status(page, "Nobody has reviewed this yet.")
    keys.press("a")
    heading(page, "Publication year")

    # A number that is none, then one.
    keys.press("e")
    keys.type("last year")
    keys.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is no")
    complaints.forgive("422")
    heading(page, "Publication year")
    keys.press("Control+a")
    keys.type("1999")
    keys.press("Enter")
    heading(page, "Journal / source")
    expect(cell(page, "0~~publication_year")).to_contain_text("1999")

    # Refused, not reported, unclear: each moves on.
    keys.press("r")
    heading(page, "DOI")
    expect(cell(page, "0~~journal").locator(".mark-verified, .mark-verified_fuzzy")).to_have_count(0)
    expect(cell(page, "0~~journal").locator(".mark-rejected")).to_have_count(1)
    keys.press("n")
    heading(page, "Report type")
    keys.press("u")
    expect(cell(page, "0~~journal")).to_have_attribute("data-review", "rejected")
    expect(cell(page, "0~~doi")).to_have_attribute("data-review", "not_reported")
    expect(cell(page, "0~~doi").locator(".mark-verified")).to_have_count(0)
    expect(progress).to_contain_text("5 of ")

    # An option by its digit.
    page.goto(f"/tasks/{task}/table?cell=1~~design")
    heading(page, "Trial design")
    keys.press("e")
    # The options have the keys: a letter typed there is no command.
    expect(page.get_by_role("group", name="Choose").get_by_role("button").first).to_be_focused()
    keys.press("j")
    keys.press("r")
    heading(page, "Trial design")
    expect(page.get_by_role("group", name="Choose")).to_be_visible()
    keys.press("2")
    expect(cell(page, "1~~design")).to_contain_text("Crossover")
    keys.press("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)


def test_decisions_are_there_after_a_reload_and_in_the_exports(page: Page, task: int, downloads: Path) -> None:
    page.goto(f"/tasks/{task}/table?cell=0~~publication_year")
    expect_status(page, "Edited by ")
    expect(page.get_by_test_id("value")).to_contain_text("1999")
    expect(page.get_by_test_id("extracted")).to_contain_text("2020")
    # The extracted value was looked up in the paper, not the one that a person gave instead.
    expect(page.get_by_test_id("verdict")).to_have_text("given by a person")
    expect(page.get_by_test_id("extracted")).to_contain_text("verified")
    expect(page.get_by_test_id("history").get_by_role("listitem")).to_have_count(1)
    page.goto(f"/tasks/{task}/table?cell=0~~title")
    expect(page.get_by_test_id("history").get_by_role("listitem")).to_have_count(3)
    expect(page.get_by_test_id("history")).to_contain_text("As on page 1")
    expect(page.get_by_test_id("history")).to_contain_text("Taken back")

    stored = json.loads(exported(page, task, "json", downloads).read_text())
    [year] = [one for one in stored["documents"][0]["findings"] if one["field"] == "publication_year"]
    assert (year["value"], year["extracted"]["value"], year["review"]["action"]) == (1999, 2020, "edited")
    assert (stored["reviewed"]["reviewed"], stored["reviewed"]["edited"]) == (6, 2)
    book = CalamineWorkbook.from_path(str(exported(page, task, "xlsx", downloads)))
    rows = book.get_sheet_by_name("Audit").to_python()
    assert len(rows) == 1 + 8  # six that count, one that was taken back, and its taking back
    assert 1999 in [value for row in rows for value in row]


def test_decisions_outlive_a_page_that_is_left_at_once(page: Page, task: int, workbench: Running) -> None:
    page.goto(f"/tasks/{task}/table?scope=arm&filter=unreviewed")
    page.locator(".grid [data-cell]:not(.cell-faint)").first.click()
    progress = page.get_by_test_id("reviewed")
    before = int(progress.inner_text().split()[0])
    # The server takes its time, so that the first is still under way when the page is left, and the others wait for it.
    with psycopg.connect(workbench.environment["DATABASE_URL"]) as conn:
        conn.execute("lock table ingather.review in exclusive mode")
        for _ in range(4):
            here = page.get_by_test_id("review").get_attribute("data-at")
            page.keyboard.press("u")
            expect(page.locator(f".review:not([data-at='{here}'])")).to_be_visible()
        page.goto("about:blank")
    url = f"/api/v1/extraction/tasks/{task}/export?format=json"
    until(lambda: page.request.get(url).json()["reviewed"]["reviewed"] == before + 4)
    page.goto(f"/tasks/{task}/table")
    expect(progress).to_contain_text(f"{before + 4} of ")


def test_filters_and_progress_follow_and_the_open_cell_stays(page: Page, task: int) -> None:
    page.goto(f"/tasks/{task}/table?filter=reviewed")
    expect(page.locator(".cell:not(.cell-faint)[data-review]").first).to_be_visible()
    page.goto(f"/tasks/{task}/table?scope=contrast&filter=attention")
    attention = page.locator(".grid [data-cell]:not(.cell-faint)")
    expect(attention.first).to_be_visible()
    attention.first.click()
    title = page.get_by_role("complementary").get_by_role("heading", level=2)
    expect(title).to_be_visible()
    while not page.locator(".review-done").count():
        here = page.get_by_test_id("review").get_attribute("data-at")
        page.keyboard.press("u")
        expect(page.locator(f".review:not([data-at='{here}']), .review-done").first).to_be_visible()
    expect_status(page, "All of this list is reviewed.")
    expect(title).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Nothing here needs your attention")).to_be_visible()


def test_what_is_verified_is_accepted_together_and_the_export_says_what_is_left(page: Page, task: int) -> None:
    page.goto(f"/tasks/{task}/table?document=1")
    page.get_by_role("button", name=re.compile(r"Accept \d+ verified")).press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Look at a sample")
    dialog.get_by_role("button", name=re.compile(r"Accept \d+ verified")).press("Enter")
    expect(dialog).to_contain_text("want a look at each")
    page.keyboard.press("Escape")
    expect(cell(page, "1~~title")).to_have_attribute("data-review", "accepted")
    page.get_by_role("button", name="Export").press("Enter")
    expect(page.get_by_test_id("unreviewed")).to_contain_text("unreviewed")
    expect(page.get_by_label("Methods paragraph")).to_have_value(
        re.compile(r"were reviewed by a person: \d+ accepted; 2 edited")
    )


def test_a_colleague_who_was_quicker_is_named_and_what_they_said_is_shown(
    page: Page, task: int, complaints: Complaints
) -> None:
    # A page that follows would show it before anybody can be slower.
    page.route("**/reviews/events", lambda route: route.abort())
    complaints.forgive("ERR_FAILED")
    page.goto(f"/tasks/{task}/table?cell=0~~n_randomised")
    expect_status(page, "Nobody has reviewed this yet.")
    answer = page.request.post(
        f"/api/v1/extraction/tasks/{task}/results/0/reviews",
        headers={"origin": page.url.split("/tasks")[0]},
        data={"field": "n_randomised", "action": "rejected", "note": "<img src=x onerror=alert(1)>"},
    )
    assert answer.status == 201, answer.text()
    page.keyboard.press("a")
    expect(page.get_by_role("alert")).to_contain_text("has reviewed this value meanwhile (rejected)")
    expect_status(page, "Rejected by ")
    expect_status(page, "<img src=x onerror=alert(1)>")
    complaints.forgive("409")


def judge(page: Page, task: int, place: str, action: str) -> None:
    """As another window does, or a colleague."""
    ordinal, row, field = place.split("~")
    answer = page.request.post(
        f"/api/v1/extraction/tasks/{task}/results/{ordinal}/reviews",
        headers={"origin": page.url.split("/tasks")[0]},
        data={"field": field, "row": row, "action": action},
    )
    assert answer.status == 201, answer.text()


def test_an_open_page_follows_what_a_colleague_decides(page: Page, workbench: Running) -> None:
    task = workbench.extract(["rct_veratrol.pdf"])
    page.goto(f"/tasks/{task}/table?cell=0~~title")
    expect_status(page, "Nobody has reviewed this yet.")
    judge(page, task, "0~~title", "rejected")
    expect_status(page, "Rejected by ")
    expect(page.get_by_test_id("history").get_by_role("listitem")).to_have_count(1)
    judge(page, task, "0~~doi", "unclear")
    expect(cell(page, "0~~doi")).to_have_attribute("data-review", "unclear")


def test_nothing_of_a_colleague_is_replaced_without_a_reason(page: Page, workbench: Running) -> None:
    task = workbench.extract(["rct_veratrol.pdf"])
    page.goto(f"/tasks/{task}/table")
    judge(page, task, "0~~title", "rejected")
    with psycopg.connect(workbench.environment["DATABASE_URL"]) as conn:
        conn.execute("update ingather.review set reviewer = 'Bob' where task_id = %s", [task])
    page.goto(f"/tasks/{task}/table?cell=0~~title")
    expect_status(page, "Rejected by Bob")
    page.keyboard.press("n")
    expect(page.get_by_role("alert")).to_contain_text("Bob has decided this")
    expect(page.get_by_label("Note, kept with the decision")).to_be_focused()
    expect(cell(page, "0~~title")).to_have_attribute("data-review", "rejected")
    page.keyboard.type("No title is printed.")
    page.keyboard.press("Enter")
    expect(cell(page, "0~~title")).to_have_attribute("data-review", "not_reported")
    page.goto(f"/tasks/{task}/table?cell=0~~title")
    expect(page.get_by_test_id("history")).to_contain_text("No title is printed.")


def test_a_on_a_cell_without_an_answer_says_so_and_goes_on(page: Page, workbench: Running) -> None:
    task = workbench.extract(["rct_veratrol.pdf"])
    page.goto(f"/tasks/{task}/table?filter=open")
    page.locator(".grid [data-cell]:not(.cell-faint)").first.click()
    panel = page.get_by_test_id("review")
    here = panel.get_attribute("data-at")
    assert here
    page.keyboard.press("a")
    expect(page.locator(f".review:not([data-at='{here}'])")).to_be_visible()
    expect_status(page, "has no answer to accept")
    expect(cell(page, here)).not_to_have_attribute("data-review", "accepted")


def test_a_reader_sees_reviews_and_no_buttons(page: Page, task: int) -> None:
    def as_reader(route: Route) -> None:
        answer = route.fetch()
        stored = answer.json()
        stored["roles"] = dict.fromkeys(stored["roles"], "reader")
        route.fulfill(response=answer, json=stored)

    page.route("**/api/v1/me", as_reader)
    page.goto(f"/tasks/{task}/table?cell=0~~publication_year")
    expect_status(page, "Edited by ")
    expect(page.get_by_role("button", name="Reject")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile(r"Accept"))).to_have_count(0)
    page.keyboard.press("r")
    expect_status(page, "Edited by ")


def test_what_did_not_reach_the_server_is_taken_back_in_words(page: Page, task: int, complaints: Complaints) -> None:
    page.goto(f"/tasks/{task}/table?filter=unreviewed&scope=outcome")
    page.locator(".grid [data-cell]:not(.cell-faint)").first.click()
    panel = page.get_by_test_id("review")
    first = panel.get_attribute("data-at")
    expect_status(page, "Nobody has reviewed this yet.")
    # The first decision hangs until a second is made; then both are cut off. The first is where to go on.
    sent: list[Route] = []

    def cut(route: Route) -> None:
        if route.request.method != "POST":
            route.fallback()
            return
        sent.append(route)
        if len(sent) > 1:
            route.abort()

    page.route("**/reviews", cut)
    page.keyboard.press("u")
    expect(page.locator(f".review:not([data-at='{first}'])")).to_be_visible()
    page.keyboard.press("u")
    expect(cell(page, str(first))).to_have_attribute("data-review", "unclear")
    sent[0].abort()
    expect(page.get_by_role("alert")).to_contain_text("The server could not be reached")
    expect(panel).to_have_attribute("data-at", str(first))
    expect_status(page, "Nobody has reviewed this yet.")
    page.unroute("**/reviews")

    # A laptop without a network still reaches a server of its own.
    page.evaluate("window.dispatchEvent(new Event('offline'))")
    with page.expect_response(lambda answer: answer.url.endswith("/reviews") and answer.request.method == "POST"):
        page.keyboard.press("u")
    expect(page.locator(f".review:not([data-at='{first}'])")).to_be_visible()
    page.keyboard.press("z")
    expect(panel).to_have_attribute("data-at", str(first))
    expect(page.get_by_test_id("history").get_by_role("listitem")).to_have_count(2)
    complaints.forgive("ERR_FAILED")


def test_options_are_chosen_with_enter_and_nothing_of_the_head_is_cut_on_a_tablet(page: Page, task: int) -> None:
    page.set_viewport_size({"width": 820, "height": 1180})
    page.goto(f"/tasks/{task}/table")
    page.locator("[data-cell]").first.wait_for()
    for button in page.locator(".table-title > button").all():
        assert button.locator(".mantine-Button-label").evaluate("(one) => one.scrollWidth <= one.clientWidth")
    bar = page.locator(".table-bar > *").evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)")
    assert max(bar) <= 1
    page.goto(f"/tasks/{task}/table?cell=0~~report_type")
    heading(page, "Report type")
    page.keyboard.press("e")
    option = page.get_by_role("group", name="Choose").get_by_role("button").nth(1)
    chosen = option.locator("span span").last.inner_text()
    option.focus()
    page.keyboard.press("Enter")
    expect(cell(page, "0~~report_type")).to_contain_text(chosen)
