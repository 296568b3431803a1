"""A review's own questions from end to end: written, answered by outcome and arm, compared with the page, mended."""

import time
from dataclasses import dataclass

import pytest

from tests.browser.bench import API, SAMPLES, Running

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed.")

from playwright.sync_api import Page, StorageState, expect  # noqa: E402  after the check

RESPONSE = "question/c1/o1"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProject:
    """A project with one paper: other tests keep theirs without questions."""

    id: int
    document: int


@pytest.fixture(scope="module")
def project(workbench: Running, signed_in: StorageState) -> OwnProject:
    del signed_in  # the link that was printed signs in first
    project = workbench.post("/projects", {"name": "Migraine"})["project_id"]
    base = workbench.post("/knowledge-bases", {"project_id": project, "name": "Trials"})["knowledge_base_id"]
    file = ("rct_veratrol.pdf", (SAMPLES / "rct_veratrol.pdf").read_bytes())
    path = f"{API}/knowledge-bases/{base}/documents"
    workbench.client.post(path, files={"files": file}).raise_for_status()
    [document] = workbench.get(f"/knowledge-bases/{base}/documents")["documents"]
    return OwnProject(id=project, document=document["document_id"])


def extracted(workbench: Running, project: OwnProject) -> int:
    new_task = {
        "project_id": project.id,
        "template_id": "rct",
        "document_ids": [project.document],
        "field_ids": ["title"],
    }
    task = int(workbench.post("/extraction/tasks", new_task)["task_id"])
    while workbench.get(f"/extraction/tasks/{task}")["state"] == "open":
        time.sleep(0.1)
    return task


def add_outcome(page: Page, number: int, name: str) -> None:
    page.get_by_role("button", name="Add an outcome").click()
    page.get_by_role("group", name=f"Outcome {number}").get_by_label("Outcome", exact=False).first.fill(name)


def test_questions_are_written_answered_from_cells_compared_and_mended(
    page: Page, workbench: Running, project: OwnProject
) -> None:
    # The questions of the review, on a page of the project.
    page.goto(f"/projects/{project.id}")
    page.get_by_role("link", name="Questions about numbers").click()
    page.get_by_role("button", name="Add a comparison").click()
    comparison = page.get_by_role("group", name="Comparison 1")
    comparison.get_by_label("Intervention", exact=False).first.fill("veratrol")
    comparison.get_by_label("Comparator", exact=False).first.fill("placebo")
    add_outcome(page, 1, "response")
    add_outcome(page, 2, "death")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: 2 questions are asked of each paper.")).to_be_visible()

    # A row for each question, both arms side by side; what no table gives is said.
    task = extracted(workbench, project)
    page.goto(f"/tasks/{task}/table?scope=question")
    number = page.locator(f"[data-cell='0~{RESPONSE}~question_events_1']")
    expect(number).to_contain_text("78")
    expect(page.locator(f"[data-cell='0~{RESPONSE}~question_n_2']")).to_contain_text("151")
    expect(page.locator("[data-cell='0~question/c1/o2~question_events_1']")).to_contain_text("Not found")

    # The drawer marks the cell, its row label and its header.
    number.click()
    for mark in ("box-cell", "box-row", "box-header"):
        expect(page.locator(f".{mark}")).to_have_count(1)
    expect(page.get_by_test_id("from-cell")).to_contain_text("Response")

    # The table as it was read, beside the page with its area marked; a click takes a cell.
    page.get_by_text("Tables", exact=True).click()
    table = page.get_by_test_id("read-table")
    expect(table).to_contain_text("61/151 (40.4)")
    table.get_by_role("button", name="61/151 (40.4)").click()
    expect(page.get_by_test_id("review").get_by_role("status")).to_contain_text("Edited")
    expect(number).to_contain_text("61")
    page.keyboard.press("z")
    expect(number).to_contain_text("78")

    # The arms, exchanged: the numbers change places, and no model is there to ask.
    page.get_by_text("Details", exact=True).click()
    arms = page.get_by_test_id("arms")
    expect(arms).to_contain_text("Veratrol")
    arms.get_by_role("button", name="Confirm or mend").click()
    for at, role in ((1, "comparator"), (2, "intervention")):
        page.get_by_role("group", name=f"Arm {at}").get_by_label("Role").click()
        page.get_by_role("option", name=role, exact=True).click()
    arms.get_by_role("button", name="Save the arms").click()
    expect(number).to_contain_text("49")
    expect(page.locator(f"[data-cell='0~{RESPONSE}~question_events_2']")).to_contain_text("78")


def test_the_page_of_questions_speaks_chinese(page: Page, project: OwnProject) -> None:
    page.goto(f"/projects/{project.id}/questions")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("数值问题")
    expect(page.get_by_role("button", name="添加结局")).to_be_visible()
