"""The tasks of a project have names, are found by them, and are put away and taken out again."""

from playwright.sync_api import Page, expect

from tests.browser.bench import Running


def test_a_task_is_named_found_put_away_and_taken_out(page: Page, workbench: Running, finished: int) -> None:
    project = workbench.get(f"/extraction/tasks/{finished}")["project_id"]
    page.goto(f"/projects/{project}")
    page.get_by_role("button", name=f"Change Task {finished}", exact=True).click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Name of the task").fill("Pilot of May")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    named = page.get_by_role("link", name="Pilot of May")
    expect(named).to_be_visible()

    page.get_by_label("Name, template or number").fill("pilot of")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Name, template or number").fill("nothing like that")
    expect(page.get_by_text("No task is called like that.")).to_be_visible()
    page.get_by_label("Name, template or number").fill("")

    page.get_by_role("button", name="Change Pilot of May").click()
    page.get_by_role("menuitem", name="Archive", exact=True).click()
    expect(named).to_have_count(0)
    page.get_by_label("Archived").check()
    page.get_by_role("button", name="Change Pilot of May").click()
    page.get_by_role("menuitem", name="Take out of the archive").click()
    expect(named).to_have_count(0)
    page.get_by_label("Archived").uncheck()
    expect(named).to_be_visible()
    # Other tests know the task by its number.
    workbench.client.patch(f"/api/v1/extraction/tasks/{finished}", json={"name": None}).raise_for_status()
