"""What the server says, which speaks English, on pages that speak Chinese."""
# ruff: noqa: RUF001  a Chinese sentence has Chinese commas

import re

from playwright.sync_api import Page, expect

from ingather.notice import notice, notice_to_json
from tests.browser.bench import Running
from tests.browser.conftest import Complaints
from tests.browser.steps import change_value, speak_chinese


def test_a_failure_is_told_in_chinese_wherever_it_is_told(page: Page, workbench: Running) -> None:
    speak_chinese(page)
    page.goto(f"/tasks/{workbench.extract(['rct_scan.pdf'])}")
    why = "这看起来是扫描件：各页都是图像，没有文字。请先对它做文字识别（OCR）"
    for where in ("文献", "失败原因", "日志"):
        expect(page.get_by_role("region", name=where)).to_contain_text(why)
    page.get_by_role("link", name="打开表格").click()
    expect(page.get_by_role("row").get_by_text(why)).to_be_visible()


def test_a_broken_rule_is_told_in_the_chinese_of_its_template(page: Page, workbench: Running) -> None:
    task = workbench.extract(["rct_cordil.pdf"])
    speak_chinese(page)
    change_value(page, f"/tasks/{task}/table?scope=contrast&filter=all&cell=0~contrast/1~c_p", "0.001")
    sentence = re.compile(r"^\s*P 值（[\d<.]+）与置信区间（[\d.]+ 至 [\d.]+）对是否排除 1 的结论不一致。$")
    expect(page.locator(".verdict-flag")).to_have_text(sentence)


def test_a_value_that_is_none_is_refused_in_chinese(page: Page, workbench: Running, complaints: Complaints) -> None:
    task = workbench.extract(["rct_veratrol.pdf"])
    speak_chinese(page)
    page.goto(f"/tasks/{task}/table?filter=all&cell=0~~n_randomised")
    page.get_by_role("button", name="修改").click()
    page.get_by_label("文献中的值").fill("a dozen")
    page.get_by_role("button", name="保存").click()
    expect(page.get_by_role("alert")).to_contain_text("'a dozen' 不是数字。")
    complaints.forgive("422")


def test_what_is_not_there_is_said_in_chinese(page: Page, complaints: Complaints) -> None:
    speak_chinese(page)
    page.goto("/tasks/987654")
    expect(page.get_by_role("alert")).to_contain_text("没有任务 987654。")
    complaints.forgive("404")


def test_a_sentence_keeps_what_others_have_written_in_it(page: Page, complaints: Complaints) -> None:
    speak_chinese(page)
    refusal = notice("task.no_project", "There is no project {id}.", id="<b>.*</b>")
    page.route(
        "**/api/v1/projects",
        lambda route: route.fulfill(status=400, json={"detail": refusal, "notice": notice_to_json(refusal)}),
    )
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("没有项目 <b>.*</b>。")
    complaints.forgive("400")


def test_a_sentence_without_a_notice_is_shown_as_it_is(page: Page, complaints: Complaints) -> None:
    speak_chinese(page)
    page.route("**/api/v1/projects", lambda route: route.fulfill(status=400, json={"detail": "There is no project 7."}))
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("There is no project 7.")
    complaints.forgive("400")


def test_only_readers_of_chinese_load_it(page: Page) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert [url for url in requested if "/notices-" in url] == []
    speak_chinese(page)
    page.wait_for_load_state("networkidle")
    assert len([url for url in requested if "/notices-" in url]) == 1
