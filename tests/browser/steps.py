"""What people do in the workbench, by what they see on it."""

import re
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Page, expect


def choose_papers(page: Page, names: Iterable[str]) -> None:
    for name in names:
        page.get_by_role("checkbox", name=name, exact=True).check()


def start(page: Page) -> int:
    """Start what is set up; the task's number."""
    page.get_by_role("button", name="Start extraction").click()
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    return int(page.url.rsplit("/", 1)[1])


def extract(page: Page, names: Iterable[str]) -> int:
    """A task on some of the sample papers, from the first click to the end."""
    page.goto("/projects/1/setup")
    choose_papers(page, names)
    number = start(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    return number


def speak_chinese(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="中文").click()


def change_value(page: Page, cell: str, value: str) -> None:
    """What a reviewer types into a cell of the table; `cell` is its address."""
    page.goto(cell)
    expect(page.get_by_test_id("review")).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator(".review-editor input")).to_be_focused()
    page.keyboard.type(value)
    page.keyboard.press("Enter")
    expect(page.locator(".review-editor")).to_be_hidden()
    page.goto(cell)


def new_project(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Name of the project").fill(name)
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile(r"/projects/\d+/setup"))


def new_knowledge_base(page: Page, name: str) -> None:
    page.get_by_role("button", name="New knowledge base").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create").click()


def upload(page: Page, *files: Path) -> None:
    page.locator("input[type=file]").set_input_files(list(files))
