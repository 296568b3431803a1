"""A review by two people in the browser: invited, blind to each other, 30 conflicts settled, agreement by hand."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect

from tests.browser.bench import API, SAMPLES, Running
from tests.browser.conftest import Complaints, watched

# Twelve reports; of each, five cells that both judge.
FIELDS = ["title", "n_randomised", "countries", "design", "funding_type"]
REPORTS = 12
CONFLICTS = 30


class Review:
    """A project of its own with a finished task of twelve reports, and two people who were invited on screen."""

    def __init__(self, workbench: Running, browser: Browser, complaints: Complaints) -> None:
        self.workbench = workbench
        self.browser = browser
        self.complaints = complaints
        self.contexts: list[BrowserContext] = []
        self.project = int(workbench.post("/projects", {"name": "Stiff necks, twice"})["project_id"])
        body = {"project_id": self.project, "name": "Reports"}
        self.knowledge_base = int(workbench.post("/knowledge-bases", body)["knowledge_base_id"])
        self.task = 0

    def extract(self) -> None:
        papers = sorted(one for one in SAMPLES.glob("*.pdf") if one.stem != "rct_scan")[:REPORTS]
        for paper in papers:
            files = {"files": (paper.name, paper.read_bytes())}
            path = f"{API}/knowledge-bases/{self.knowledge_base}/documents"
            self.workbench.client.post(path, files=files).raise_for_status()
        listed = self.workbench.get(f"/knowledge-bases/{self.knowledge_base}/documents", limit=100)["documents"]
        new_task = {
            "project_id": self.project,
            "template_id": "rct",
            "document_ids": [one["document_id"] for one in listed],
            "field_ids": FIELDS,
        }
        self.task = int(self.workbench.post("/extraction/tasks", new_task)["task_id"])

    def newcomer(self) -> Page:
        context = self.browser.new_context(base_url=self.workbench.address, locale="en-GB")
        self.contexts.append(context)
        return watched(context, self.complaints)

    def join(self, owner: Page, name: str) -> Page:
        """As an owner invites, and as somebody who has the link and nothing else joins."""
        owner.get_by_role("button", name="Make a link").click()
        link = owner.get_by_test_id("invitation").inner_text()
        # Who has no account is asked for a name once the server has said that nobody is signed in.
        self.complaints.forgive("401")
        page = self.newcomer()
        page.goto(link)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Stiff necks, twice")
        assert "#" not in page.url
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Join", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Stiff necks, twice")
        return page

    def vote(self, page: Page, ordinal: int, field: str, action: str, note: str = "") -> None:
        """A decision as the page of that person sends it."""
        answer = page.request.post(
            f"{API}/extraction/tasks/{self.task}/results/{ordinal}/reviews",
            headers={"origin": self.workbench.address},
            data={"field": field, "action": action, "note": note},
        )
        assert answer.status == 201, answer.text()


@pytest.fixture
def review(workbench: Running, browser: Browser, complaints: Complaints, signed_in: StorageState) -> Iterator[Review]:
    del signed_in  # the link that was printed signs in first
    made = Review(workbench, browser, complaints)
    yield made
    for context in made.contexts:
        context.close()


def plan() -> list[tuple[int, str, str, str]]:
    """What Ann and Ben say of each cell: sixty cells, in thirty of which they differ."""
    says = ("not_reported", "unclear")
    cells = [(ordinal, field) for ordinal in range(REPORTS) for field in FIELDS]
    planned = []
    for at, (ordinal, field) in enumerate(cells):
        one = says[at % 3 == 0]
        other = says[at % 3 != 0] if at % 2 == 0 else one
        planned.append((ordinal, field, one, other))
    return planned


def kappa_by_hand(pairs: list[tuple[str, str]]) -> float:
    """Observed less expected agreement, by what both could agree on at most."""
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(first[answer] * second[answer] for answer in first) / n**2
    return (observed - expected) / (1 - expected)


def test_two_people_review_twelve_reports_and_a_third_settles_thirty_conflicts(page: Page, review: Review) -> None:
    review.extract()
    page.goto(f"/projects/{review.project}")
    page.get_by_role("link", name="People").click()
    page.get_by_role("radio", name="Two people independently").click()
    expect(page.get_by_role("radio", name="Two people independently")).to_be_checked()
    expect(page.get_by_role("checkbox", name="They see what was extracted")).to_be_checked()
    ann, ben = review.join(page, "Ann"), review.join(page, "Ben")
    page.goto(f"/projects/{review.project}/people")
    expect(page.get_by_role("region", name="Members").get_by_role("row")).to_have_count(4)
    page.goto(f"/tasks/{review.task}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")

    # The owner shares the reports out; the owner takes none.
    page.goto(f"/tasks/{review.task}/reviewers")
    page.get_by_label(re.compile("^Share of (?!Ann|Ben)")).fill("0")
    page.get_by_role("button", name="Share out").click()
    expect(page.get_by_text("24 places were given.")).to_be_visible()

    # Ann decides. Ben has the same cell open and sees nothing of it, and then decides the same.
    cell = f"/tasks/{review.task}/table?cell=0~~title"
    ann.goto(cell)
    ben.goto(cell)
    for who in (ann, ben):
        expect(who.get_by_test_id("review").get_by_role("status")).to_contain_text("Nobody has reviewed this yet.")
    planned = plan()
    say_first(ann, planned[0][2])
    expect(ann.locator("[data-cell='0~~title']")).to_have_attribute("data-review", planned[0][2])
    assert ben.locator("[data-cell='0~~title']").get_attribute("data-review") is None
    expect(ben.get_by_test_id("review").get_by_role("status")).to_contain_text("Nobody has reviewed this yet.")
    expect(ben.get_by_label("Here now")).to_contain_text("Ann")

    # The second cell they agree about: both see it the moment the second decides, without a reload.
    ordinal, field, one, other = planned[1]
    assert one == other
    review.vote(ann, ordinal, field, one)
    review.vote(ben, ordinal, field, other)
    for who in (ann, ben):
        expect(who.locator(f"[data-cell='{ordinal}~~{field}']")).to_have_attribute("data-review", one)

    for at, (ordinal, field, one, other) in enumerate(planned):
        if at not in (0, 1):
            review.vote(ann, ordinal, field, one, f"Ann about {field}")
        if at != 1:
            review.vote(ben, ordinal, field, other, f"Ben about {field}")

    # One queue over all tabs has the rest.
    ben.goto(f"/tasks/{review.task}/queue")
    expect(ben.get_by_test_id("left")).to_contain_text("cells left")
    expect(ben.get_by_role("region", name="Two reviewers differ")).to_be_visible()
    settle_all(page, review)
    see_agreement(page, review, planned)


def test_a_link_that_is_not_whole_or_was_used_says_so(stranger: Page) -> None:
    stranger.goto("/join")
    expect(stranger.get_by_role("alert")).to_contain_text("The link is not whole")
    stranger.goto("/join#guess")
    stranger.reload()
    expect(stranger.get_by_role("alert")).to_be_visible()


def say_first(page: Page, action: str) -> None:
    page.keyboard.press({"not_reported": "n", "unclear": "u"}[action])


def settle_all(page: Page, review: Review) -> None:
    """Every conflict, by keyboard: the reason, and whose decision is right."""
    page.goto(f"/tasks/{review.task}/conflicts")
    panel = page.get_by_test_id("settle")
    expect(panel).to_contain_text(f"1 of {CONFLICTS}")
    expect(panel.get_by_role("group", name="Ann")).to_be_visible()
    expect(panel.get_by_role("group", name="Ben")).to_contain_text("Ben about")
    # Without a reason nothing is settled.
    page.keyboard.press("1")
    expect(page.get_by_role("alert")).to_contain_text("Write the reason")
    page.keyboard.press("Escape")
    for left in range(CONFLICTS, 0, -1):
        expect(panel).to_contain_text(f" of {left}")
        page.keyboard.press("m")
        expect(page.get_by_label("Reason, kept with the decision")).to_be_focused()
        page.keyboard.type("As the methods say.")
        page.keyboard.press("Enter")
        page.keyboard.press("2" if left % 2 else "1")
    expect(page.get_by_role("heading", name="No open conflicts")).to_be_visible()


def see_agreement(page: Page, review: Review, planned: list[tuple[int, str, str, str]]) -> None:
    """The page shows what a calculation by hand gives, and settling has changed nothing of it."""
    page.goto(f"/tasks/{review.task}/agreement")
    fields = page.get_by_role("table", name="Field")
    for at, field in enumerate(FIELDS):
        pairs = [(one, other) for _, name, one, other in planned if name == field]
        agreed = sum(one == other for one, other in pairs)
        row = fields.get_by_role("row").nth(at + 1)
        expect(row).to_contain_text(f"{REPORTS}")
        expect(row).to_contain_text(f"{100 * agreed / len(pairs):.1f} %")
        expect(row).to_contain_text(f"{kappa_by_hand(pairs):.3f}")
    whole = page.get_by_role("table", name="Section").get_by_role("row").last
    expect(whole).to_contain_text("50.0 %")
    history: Any = review.workbench.get(f"/extraction/tasks/{review.task}/results/0/reviews", field="title", row="")
    assert [one["by"] for one in history["reviews"]][:2] == ["Ann", "Ben"]
    exported = page.request.get(f"{API}/extraction/tasks/{review.task}/export?format=json").text()
    assert json.loads(exported)["documents"]
    assert exported.count("As the methods say.") >= CONFLICTS


def test_words_that_are_pointed_at_on_the_page_become_the_value_with_their_place(
    page: Page, workbench: Running
) -> None:
    task = workbench.extract(["rct_veratrol.pdf"])
    page.goto(f"/tasks/{task}/table?cell=0~~n_randomised")
    # The place of the value is marked on the page; somebody draws around it by hand.
    mark = page.locator(".sheet .box-value").first
    expect(mark).to_be_visible()
    box = mark.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] - 2, box["y"] - 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 2, box["y"] + box["height"] + 2, steps=4)
    page.mouse.up()
    value = page.get_by_test_id("value").inner_text()
    # An area belongs to the page on which it was drawn: on the next page nobody is asked about it.
    take = page.get_by_role("button", name="Take as the value")
    expect(take).to_be_visible()
    expect(page.get_by_test_id("drawn")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(take).to_have_count(0)
    expect(page.get_by_test_id("drawn")).to_have_count(0)
    page.get_by_role("button", name="Previous page").click()
    page.get_by_role("button", name="Take as the value").click()
    expect(page.get_by_test_id("passage")).to_be_visible()
    expect(page.get_by_test_id("value")).to_contain_text(value.split()[0])
    [finding] = [
        one
        for one in workbench.get(f"/extraction/tasks/{task}/results/0")["findings"]
        if one["field"] == "n_randomised"
    ]
    assert str(finding["value"]) in finding["review"]["passage"]["text"].replace(",", "")
    assert finding["review"]["by"]
