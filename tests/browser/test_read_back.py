"""From a finished review over a spreadsheet to a pooled estimate, and back to a cell, as an analyst does it."""

import csv
import io
import os
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed.")

from playwright.sync_api import Page, expect

from tests.browser.bench import API, Running
from tests.web.test_analysis import EVENTS, TRIALS

# Screenshots for people who want to look at these pages; nothing depends on them.
SHOTS = os.environ.get("INGATHER_SHOTS")


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


@pytest.fixture
def task(workbench: Running, page: Page) -> int:
    """Two trials of the same question, read by rules."""
    files = [("files", (f"trial_{at}.md", text.encode(), "text/markdown")) for at, text in enumerate(TRIALS)]
    sent = workbench.client.post(f"{API}/knowledge-bases/1/documents", files=files).raise_for_status().json()
    ids = [one["document"]["document_id"] for one in sent["uploads"]]
    for job in sent["uploads"]:
        while workbench.get(f"/jobs/{job['job_id']}")["state"] not in {"completed", "error"}:
            page.wait_for_timeout(100)
    body = {"project_id": 1, "template_id": "rct", "document_ids": ids}
    number = int(workbench.post("/extraction/tasks", body)["task_id"])
    while workbench.get(f"/extraction/tasks/{number}")["state"] == "open":
        page.wait_for_timeout(100)
    return number


def exported(page: Page, task: int) -> list[list[str]]:
    answer = page.request.get(f"{API}/extraction/tasks/{task}/export", params={"format": "csv"})
    return list(csv.reader(io.StringIO(answer.body().decode("utf-8-sig"), newline="")))


def as_analyst(table: list[list[str]]) -> None:
    """What an analyst types into the exported table: roles, a time, and the events of both groups."""
    at = {name: place for place, name in enumerate(table[0])}
    events = {str(document + 1): iter(pair) for document, pair in enumerate(EVENTS)}
    given: dict[str, Any] = {"r_timepoint": "30 days", "r_n": "120"}
    for row in table[1:]:
        field = row[at["Field id"]]
        if field == "arm_role":
            row[at["Value"]] = "experimental" if "early" in row[at["Row label"]] else "usual_care"
        elif field == "r_events":
            row[at["Value"]] = str(next(events[row[at["Document"]]]))
        elif field in given:
            row[at["Value"]] = given[field]
        elif field == "title":
            row[at["Value"]] = "2-Sep"


def save(table: list[list[str]], path: Path) -> Path:
    """As a spreadsheet of a country with decimal commas saves it."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows(table)
    return path


def test_an_edited_export_becomes_a_pooled_estimate(page: Page, task: int, tmp_path: Path) -> None:
    page.goto(f"/tasks/{task}/table")
    page.get_by_role("button", name="Export").click()
    shot(page, "export")
    page.get_by_role("link", name="Read an edited export back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Read an edited export back")
    table = exported(page, task)
    as_analyst(table)
    page.locator("input[type=file]").set_input_files(save(table, tmp_path / "evidence.csv"))
    expect(page.get_by_role("heading", name=re.compile("proposed changes"))).to_be_visible()
    made_a_date = page.get_by_text("A spreadsheet has made a date of this cell: 2-Sep.")
    expect(made_a_date.first).to_be_visible()
    shot(page, "proposals")
    page.get_by_role("button", name=re.compile(r"Accept \d+ changes")).click()
    expect(page.get_by_text("written in your name")).to_be_visible()
    page.get_by_role("link", name="To the analysis").click()
    pool = page.locator(".pool", has=page.get_by_role("heading", name=re.compile("infection", re.IGNORECASE)))
    expect(pool.get_by_text("2 studies")).to_be_visible()
    expect(pool.get_by_text("Random effects")).to_be_visible()
    shot(page, "analysis")
    # A square of the plot leads to the number behind it, and its quote.
    pool.locator("[data-cell] text").first.click()
    page.wait_for_url(re.compile(r"/table\?scope=arm_result&cell="))
    expect(page.locator(".drawer")).to_be_visible()


def test_the_analyst_chooses_and_the_methods_follow(page: Page, task: int) -> None:
    page.goto(f"/tasks/{task}/analysis")
    expect(page.locator(".methods")).to_contain_text("No answer was reviewed by a person")
    page.get_by_label("Only what a person has reviewed").check()
    expect(page.locator(".methods")).to_contain_text("Only answers that a person had reviewed")
    link = page.get_by_role("link", name="Numbers for R")
    expect(link).to_have_attribute("href", re.compile("only_reviewed=true.*shared=split"))
    page.get_by_text("combine the others").click()
    page.get_by_label("Correlation of baseline and final values").fill("0.5")
    expect(link).to_have_attribute("href", re.compile(r"shared=combine&correlation=0\.5"))
    expect(page.locator("svg", has_text="Flow of studies")).to_be_visible()
