"""What a careful reader would complain about: contrast and labels, slow first looks, and text that is not text."""

import re
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, FilePayload, Page, StorageState, expect

from tests.browser.bench import Running
from tests.browser.conftest import PATIENCE_MS, Complaints
from tests.browser.steps import choose_papers, new_knowledge_base, new_project

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# Bad input of every kind that a name can be; what a file system could not hold is not here.
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "![x](http://evil.example/x.png)",
    "javascript:alert(1)",
    "=HYPERLINK('http://evil.example')",
    "' OR 1=1--",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)} `x`",
)


def every_page(finished: int) -> list[tuple[str, str]]:
    """Addresses, and what is seen there once there is something to see."""
    return [
        ("/", ".card-link"),
        ("/projects/1", ".list a"),
        ("/projects/1/setup", ".document"),
        ("/projects/1/questions", ".card"),
        ("/projects/1/studies", ".study"),
        ("/projects/1/templates/rct", ".editor-section"),
        (f"/tasks/{finished}", ".log-line"),
        (f"/tasks/{finished}/table?filter=all", "[data-cell]"),
        (f"/tasks/{finished}/table?filter=all&cell=0~~title", ".box"),
        (f"/tasks/{finished}/analysis", ".list"),
        (f"/tasks/{finished}/read-back", "h1"),
        ("/engine/batches", ".list"),
        ("/engine/queues", ".list"),
        ("/engine/workers", ".list"),
        ("/engine/schedules", ".list"),
        ("/nowhere", "h1, .empty"),
    ]


def offences(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds, in words, by these rules or by all. Its source is given to the page by the debugger, past the
    page's own policy."""
    page.evaluate(AXE)
    # Colours are judged once a dialog has faded in.
    page.wait_for_function(
        "() => [...document.querySelectorAll('[role=dialog]')].every((one) => getComputedStyle(one).opacity === '1')"
    )
    # A dialog is looked at alone: the page behind it was, and is out of reach while it is open. Its head is a
    # <header> of the component library, which axe takes for a second one of the page.
    measured = page.evaluate(
        """(only) => {
          const dialog = document.querySelector("[role=dialog]");
          const rules = { "landmark-no-duplicate-banner": { enabled: dialog === null } };
          const asked = only ? { runOnly: only } : { rules };
          return axe.run(dialog ?? document, { resultTypes: ["violations"], ...asked });
        }""",
        rules,
    )
    return [
        f"{page.url} {found['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else node['html'][:200]}"
        for found in measured["violations"]
        for node in found["nodes"]
    ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(
    browser: Browser, workbench: Running, signed_in: StorageState, finished: int, scheme: str
) -> None:
    context = browser.new_context(
        base_url=workbench.address,
        storage_state=signed_in,
        locale="en-GB",
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        viewport={"width": 1280, "height": 900},
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    found: list[str] = []
    # The scheme changes only the colours among all that axe looks at.
    rules = ["color-contrast"] if scheme == "dark" else None
    for address, sign in every_page(finished):
        page.goto(address)
        page.locator(sign).first.wait_for()
        found += offences(page, rules)
    page.goto("/projects/1/setup")
    choose_papers(page, ["rct_scan.pdf", "rct_hidden.pdf"])
    page.get_by_role("button", name="Show the fields").click()
    found += offences(page, rules)
    page.get_by_role("button", name="Clone and edit").click()
    page.get_by_role("dialog").get_by_role("button", name="Clone and edit").wait_for()
    found += offences(page, rules)
    context.clear_cookies()
    page.goto("/sign-in")
    page.get_by_text("ingather link", exact=True).wait_for()
    found += offences(page, rules)
    context.close()
    assert found == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("width", [390, 820, 1280, 1920])
def test_no_page_is_wider_than_the_screen(page: Page, finished: int, width: int, complaints: Complaints) -> None:
    complaints.forgive("404")  # an address that leads nowhere is among them
    page.set_viewport_size({"width": width, "height": 844})
    for address, sign in every_page(finished):
        page.goto(address)
        page.locator(sign).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        for control in page.locator("header.top a, header.top button").all():
            box = control.bounding_box()
            assert box is not None, address
            assert box["x"] >= 0, address
            assert box["x"] + box["width"] <= width, address
        if width == 390:
            assert offences(page) == []


def test_on_a_phone_a_value_is_read_beside_its_page_and_can_be_decided(page: Page, finished: int) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/tasks/{finished}/table?filter=all")
    grid = page.get_by_role("grid")
    expect(grid.locator("[data-cell]").first).to_be_visible()
    assert grid.evaluate("grid => grid.scrollWidth > grid.clientWidth")
    grid.locator("[data-cell='0~~title']").click()
    expect(page.locator(".box").first).to_be_in_viewport()
    expect(page.get_by_test_id("value")).to_be_in_viewport()
    for name in ("Previous", "Next", "Accept", "Edit", "Not reported", "Close"):
        expect(page.get_by_role("button", name=name).first).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_test_id("value")).to_be_hidden()


def test_the_setup_is_there_in_a_moment_and_nothing_jumps(page: Page) -> None:
    """Measured in the browser, on the loopback: from the click to the first document that can be chosen."""
    page.add_init_script(
        """
        window.seen = { shift: 0 };
        new PerformanceObserver((list) => {
          for (const one of list.getEntries()) if (!one.hadRecentInput) window.seen.shift += one.value;
        }).observe({ type: "layout-shift", buffered: true });
        new MutationObserver(() => {
          if (window.seen.at === undefined && document.querySelector(".document")) window.seen.at = performance.now();
        }).observe(document, { childList: true, subtree: true });
        """
    )
    took = []
    for _ in range(3):
        page.goto("/projects/1/setup")
        page.locator(".document").first.wait_for()
        page.wait_for_timeout(500)
        seen = page.evaluate("window.seen")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        took.append((round(seen["at"]), round(paint), round(seen["shift"], 3)))
    print(f"setup: first document, first paint (ms), layout shift: {took}")
    # A busy machine may take long, so this only tells a page that waits for something it should not.
    assert min(at for at, _, _ in took) < 5_000
    assert min(shift for _, _, shift in took) < 0.1


def test_pages_of_papers_are_drawn_by_what_is_loaded_for_it_and_not_before(page: Page, finished: int) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto("/projects/1/setup")
    page.locator(".document").first.wait_for()
    page.goto(f"/tasks/{finished}/table?filter=all")
    page.locator("[data-cell]").first.wait_for()
    is_drawing = re.compile(r"/assets/pdf[.-]|/file$")
    assert [url for url in requested if is_drawing.search(url)] == []
    page.goto(f"/tasks/{finished}/table?filter=all&cell=0~~title")
    page.locator(".box").first.wait_for()
    assert any("/assets/pdf" in url for url in requested)


def test_every_hostile_name_is_text_wherever_it_is_shown(page: Page) -> None:
    name = HOSTILE[0] + " \u202efdp.exe"
    new_project(page, name)
    new_knowledge_base(page, HOSTILE[1])
    expect(page.get_by_text("This knowledge base is empty")).to_be_visible()
    papers: list[FilePayload] = [
        {"name": f"{hostile.replace('/', '-')}.txt", "mimeType": "text/plain", "buffer": f"{n} {hostile}".encode()}
        for n, hostile in enumerate(HOSTILE)
    ]
    page.locator("input[type=file]").set_input_files(papers)
    expect(page.get_by_test_id("bill-documents")).to_have_text(str(len(HOSTILE)))
    listed = page.locator(".document .document-name")
    expect(listed).to_have_count(len(HOSTILE))
    assert set(listed.all_inner_texts()) == {f"{one.replace('/', '-')}.txt" for one in HOSTILE}
    page.get_by_label("Question, population").fill(" ".join(HOSTILE))
    page.get_by_role("button", name="Start extraction").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished")
    expect(page.locator(".task-document .document-name").first).to_have_text(f"{HOSTILE[0]}.txt")
    page.get_by_role("link", name="Open the table").click()
    expect(page.get_by_role("rowheader").first).to_contain_text(HOSTILE[0])
    assert page.locator("img, a[href^='javascript'], script:not([src])").count() == 0


def test_files_dropped_on_the_page_are_added_once(page: Page) -> None:
    new_project(page, "Dropped files")
    new_knowledge_base(page, "Dropped")
    zone = page.get_by_text("This knowledge base is empty")
    expect(zone).to_be_visible()
    for _ in range(2):
        dropped = page.evaluate_handle(
            """(texts) => {
              const carried = new DataTransfer();
              texts.forEach((text, at) => carried.items.add(new File([text], `dropped ${at}.txt`)));
              return carried;
            }""",
            ["A randomised trial of 40 adults.", "A cohort of 2,000 nurses."],
        )
        card = page.locator(".card").filter(has=page.get_by_label("Knowledge base", exact=True))
        card.dispatch_event("dragover", {"dataTransfer": dropped})
        expect(page.get_by_text("Drop the files to add them")).to_be_visible()
        card.dispatch_event("drop", {"dataTransfer": dropped})
        expect(page.get_by_test_id("bill-documents")).to_have_text("2")
        expect(page.get_by_text("Adding")).to_be_hidden()
    expect(page.locator(".document").get_by_text("duplicate")).to_have_count(2)
    expect(page.locator(".upload").get_by_text("was here already")).to_have_count(2)


def test_the_start_button_says_why_it_cannot_be_pressed(page: Page, complaints: Complaints) -> None:
    page.goto("/projects/1/setup")
    reason = page.locator(".bill-reason")
    expect(reason).to_have_text("Select at least one document.")
    choose_papers(page, ["rct_scan.pdf"])
    expect(reason).to_have_text("None of the selected documents can be read. Select others.")
    choose_papers(page, ["rct_cordil.pdf"])
    expect(page.get_by_role("button", name="Start extraction")).to_be_enabled()
    me = page.request.get("/api/v1/me").json()
    page.route("**/api/v1/me", lambda route: route.fulfill(json=me | {"roles": {"1": "reader"}}))
    page.reload()
    expect(reason).to_contain_text("You may only look at this project.")
    page.route("**/extraction/templates/rct", lambda route: route.fulfill(status=400, json={"detail": "Not now."}))
    page.reload()
    expect(reason).to_contain_text("could not be loaded")
    complaints.forgive("400")


def test_the_keyboard_alone_reaches_the_start_button_and_shows_where_it_is(page: Page) -> None:
    page.goto("/projects/1/setup")
    page.locator(".document").first.wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.get_by_role("checkbox", name="rct_cordil.pdf", exact=True).focus()
    page.keyboard.press("Space")
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.textContent")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        ring = page.evaluate("getComputedStyle(document.activeElement).borderColor")
        assert outline != "none" or ring, focused
        if focused == "Start extraction":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
