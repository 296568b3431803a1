"""From the link in the terminal to a file with proof: what a reviewer does on the first day."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.bench import Running
from tests.browser.steps import change_value, choose_papers, extract, start

PAPERS = ("rct_veratrol.pdf", "rct_cordil.pdf")


def test_a_reviewer_gets_from_the_link_to_an_export(stranger: Page, workbench: Running, downloads: Path) -> None:
    page = stranger
    page.goto(workbench.link())
    page.wait_for_url(f"{workbench.address}/")
    assert "#" not in page.url

    page.get_by_role("link", name="My first review").click()
    page.get_by_role("link", name="New extraction").first.click()
    begin = page.get_by_role("button", name="Start extraction")
    expect(begin).to_be_disabled()
    expect(page.get_by_text("Select at least one document.")).to_be_visible()
    choose_papers(page, PAPERS)
    expect(page.get_by_test_id("bill-documents")).to_have_text("2")
    page.reload()
    expect(page.get_by_test_id("bill-documents")).to_have_text("2")
    expect(page.get_by_role("radio", name="RCT data extraction")).to_be_checked()
    task = start(page)

    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    page.reload()
    expect(page.get_by_test_id("count-completed")).to_contain_text("2")
    expect(page.get_by_role("log")).to_contain_text("rct_cordil.pdf")

    page.get_by_role("link", name="Open the table").click()
    page.wait_for_url(f"**/tasks/{task}/table")
    cell = page.locator('[data-cell="1~~doi"], [data-cell="0~~doi"]').filter(has_text="10.5555/fict.2021.0101")
    expect(cell).to_be_visible()
    page.reload()
    cell.click()
    expect(page.get_by_test_id("value")).to_have_text("10.5555/fict.2021.0101")
    expect(page.get_by_test_id("verdict")).to_contain_text("verified")
    box, sheet = page.locator(".box").first, page.locator(".sheet canvas")
    expect(box).to_be_visible()
    assert_inside(page, box.bounding_box(), sheet.bounding_box())
    page.reload()
    expect(page.get_by_test_id("value")).to_have_text("10.5555/fict.2021.0101")

    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Excel workbook").click()
    download.value.save_as(downloads / "made.xlsx")
    assert (downloads / "made.xlsx").read_bytes().startswith(b"PK")
    expect(page.get_by_label("Methods paragraph")).to_have_value(re.compile("from 2 reports .* no language model"))


def assert_inside(page: Page, inner: object, outer: object) -> None:
    assert isinstance(inner, dict), page.url
    assert isinstance(outer, dict), page.url
    assert outer["x"] <= inner["x"], page.url
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"], page.url
    assert inner["width"] > 20, page.url


def test_the_drawer_is_walked_with_keys_and_left_with_the_back_button(page: Page, finished: int) -> None:
    page.goto(f"/tasks/{finished}/table?scope=contrast&filter=attention")
    first = page.locator("[data-cell]").first
    first.wait_for()
    page.locator(".cell:not(.cell-faint)[data-cell]").first.click()
    page.locator(".sheet canvas").wait_for()
    title = page.locator(".details h2")
    before = title.inner_text()
    page.keyboard.press("j")
    expect(title).not_to_have_text(before)
    page.keyboard.press("k")
    expect(title).to_have_text(before)
    page.keyboard.press("g")
    page.keyboard.press("Shift+?")
    expect(page.get_by_text("next / previous document")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("next / previous document")).to_be_hidden()
    page.go_back()
    expect(page.get_by_role("complementary", name="Evidence")).to_be_hidden()
    assert page.url.endswith("filter=attention")


def test_a_broken_rule_is_told_beside_the_values_that_break_it(page: Page, workbench: Running) -> None:
    task = workbench.extract(["rct_cordil.pdf"])
    change_value(page, f"/tasks/{task}/table?scope=contrast&filter=all&cell=0~contrast/1~c_p", "0.001")
    expect(page.locator(".verdict-flag")).to_contain_text("disagree about whether 1 is excluded")


def test_a_document_that_failed_says_why_and_can_be_tried_again(page: Page) -> None:
    task = extract(page, ["rct_scan.pdf", "rct_veratrol.pdf"])
    why = "This looks like a scan"
    expect(page.get_by_test_id("count-error")).to_contain_text("1")
    expect(page.get_by_role("region", name="Documents").get_by_text(why)).to_be_visible()
    expect(page.get_by_role("region", name="What failed")).to_contain_text("rct_scan.pdf")
    lines = page.get_by_role("log").get_by_text(why)
    expect(lines).to_have_count(1)
    page.get_by_role("button", name="Retry 1 failed").click()
    expect(lines).to_have_count(2)
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished, some failed")
    page.goto(f"/tasks/{task}/table")
    expect(page.get_by_role("row").get_by_text(why)).to_be_visible()


def test_whoever_is_not_signed_in_is_asked_for_a_link_and_comes_back(stranger: Page, workbench: Running) -> None:
    stranger.goto("/engine/workers")
    stranger.wait_for_url("**/sign-in")
    expect(stranger.get_by_text("ingather link", exact=True)).to_be_visible()
    stranger.goto(workbench.link())
    stranger.wait_for_url("**/engine/workers")
    expect(stranger.get_by_text("extract_document")).to_be_visible()


def test_a_link_that_was_used_is_refused_in_words(stranger: Page, workbench: Running, finished: int) -> None:
    assert finished > 0, "somebody has signed in"
    stranger.goto(workbench.first_link)
    expect(stranger.get_by_role("alert")).to_contain_text("used already")
    assert "#" not in stranger.url
