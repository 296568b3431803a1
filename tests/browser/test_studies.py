"""Studies on their page: references come in, papers find their records, and people put together and take apart."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.bench import API, Running
from tests.browser.steps import speak_chinese

RECORD = """TY  - JOUR
TI  - {title}
AU  - {author}
PY  - {year}
DO  - 10.1000/j.{n}
AB  - Registered as NCT0000000{trial}.
ER  -

"""
# Twelve reports of nine studies: the first three trials are told twice, under one registration number each.
TITLES = [
    ("Stretching for stiff necks: a randomised trial", "Berg, Anna", 2019, 1),
    ("Yoga for aching knees: a randomised trial", "Li, Bo", 2020, 2),
    ("Music for short sleep: a randomised trial", "Roe, Cy", 2021, 3),
    ("Walking after heart attacks: a randomised trial", "Sato, Dan", 2018, 4),
    ("Zinc against colds of children: a randomised trial", "Haddad, Eve", 2017, 5),
    ("Lutein for tired eyes: a randomised trial", "Novak, Fay", 2016, 6),
    ("Ginger for sea sickness: a randomised trial", "Berg, Anna", 2019, 7),
    ("Massage of sore shoulders: a randomised trial", "Costa, Gil", 2015, 8),
    ("Iron for pale runners: a randomised trial", "Kim, Hae", 2014, 9),
    ("Costs of the necks that were stretched", "Berg, Anna", 2021, 1),
    ("Sleep of people with knees in pain", "Li, Bo", 2022, 2),
    ("Two years later: who still sleeps with music", "Roe, Cy", 2023, 3),
]


def ris() -> str:
    return "".join(
        RECORD.format(title=title, author=author, year=year, trial=trial, n=n)
        for n, (title, author, year, trial) in enumerate(TITLES)
    )


def test_references_come_in_and_twelve_reports_become_nine_studies(
    page: Page, workbench: Running, signed_in: object, tmp_path: Path
) -> None:
    project = workbench.post("/projects", {"name": "Nine studies"})["project_id"]
    base = workbench.post("/knowledge-bases", {"project_id": project, "name": "Papers"})["knowledge_base_id"]
    paper = f"{TITLES[0][0]}\nAnna Berg, Bo Li\n\nAbstract\nWe randomised 80 adults with stiff necks (NCT00000001)."
    files = {"files": ("necks.txt", paper.encode())}
    workbench.client.post(f"{API}/knowledge-bases/{base}/documents", files=files).raise_for_status()
    found = tmp_path / "found.ris"
    found.write_text(ris() + "TY  - JOUR\nJO  - A journal without a title\nER  -\n")

    page.goto(f"/projects/{project}")
    page.get_by_role("link", name="Studies", exact=True).click()
    page.get_by_role("button", name="Import references").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(found)
    dialog.get_by_label("Searched in").fill("MEDLINE")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("12 records taken in.")
    expect(dialog.get_by_role("status")).to_contain_text("Line 97: It has no title, no DOI and no PubMed number.")
    dialog.get_by_role("button", name="Close", exact=True).last.click()

    # The paper finds its record, and then the reports of one registration number find each other.
    suggestions = page.get_by_role("region", name="Seem to belong together")
    expect(suggestions).to_contain_text("Both have the same title.")
    suggestions.get_by_role("button", name="One report", exact=True).first.click()
    for _ in range(3):
        kept = suggestions.locator("article").count()
        suggestions.get_by_role("button", name="One study", exact=True).first.click()
        expect(suggestions.locator("article")).to_have_count(kept - 1)
    studies = page.get_by_role("region", name="Studies").locator(".study")
    expect(studies).to_have_count(9)
    # Two studies of one author and year have letters.
    expect(studies.locator(".study-head b").filter(has_text=re.compile("^Berg 2019[ab]$"))).to_have_count(2)

    # A report is taken out of its study, and is not suggested again.
    necks = studies.filter(has_text="Costs of the necks")
    necks.get_by_role("checkbox", name="Costs of the necks that were stretched").check()
    page.get_by_role("button", name="Split off").click()
    expect(studies).to_have_count(10)
    expect(suggestions).to_have_count(0)

    cats = studies.filter(has_text="Iron for pale runners")
    cats.get_by_role("checkbox", name="Kim 2014").check()
    page.get_by_role("button", name="Exclude", exact=True).click()
    page.get_by_role("dialog").get_by_label("Reason").fill("No trial")
    page.get_by_role("dialog").get_by_role("button", name="Exclude").click()
    expect(cats).to_contain_text("excluded at screening: No trial")
    expect(page.get_by_role("region", name="Flow of the review")).to_contain_text("10 records have no paper yet.")

    page.get_by_role("button", name="Rename Sato 2018").click()
    page.get_by_label("Name of the study").fill("WALK-1")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(studies.filter(has_text="WALK-1")).to_have_count(1)
    page.get_by_label("Name, title, file or DOI").fill("walking")
    expect(studies).to_have_count(1)

    speak_chinese(page)
    page.goto(f"/projects/{project}/studies")
    expect(page.get_by_role("heading", level=1)).to_have_text("研究")
