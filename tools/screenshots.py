"""Makes docs/screens/*.png: every screen of the workbench, from a real run on the sample papers.

python3 dev.py shots             all of them
python3 dev.py shots setup table some

A Chinese font is fetched from npm where the machine has none.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from ingather import embedded

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.bench import Running, running  # noqa: E402  they stand beside us, not in the package
from tests.browser.chromium import FLAGS, Chromium, find  # noqa: E402
from tests.browser.steps import choose_papers, new_knowledge_base, new_project, start  # noqa: E402
from tests.provider.reader import answer  # noqa: E402
from tests.provider.server import Provider  # noqa: E402
from tools import node  # noqa: E402

SCREENS = ROOT / "docs" / "screens"
FONT = "@expo-google-fonts/noto-sans-sc"
DESK = (1440, 900)
WIDE = (1920, 1080)
TABLET = (820, 1180)
PHONE = (390, 844)
PAPERS = (
    "cohort_coffee.pdf",
    "letter_brief.pdf",
    "rct_chinese.pdf",
    "rct_cluster_handwash.pdf",
    "rct_conflict.pdf",
    "rct_cordil.pdf",
    "rct_crossover_sleep.pdf",
    "rct_hidden.pdf",
    "rct_kneebrace.pdf",
    "rct_scan.pdf",
    "rct_veratrol.pdf",
)


class Camera:
    """Takes pictures of a running workbench: all there are, or those whose names were asked for."""

    def __init__(self, browser: Browser, workbench: Running, wanted: Collection[str]) -> None:
        self._browser, self._workbench, self._wanted = browser, workbench, wanted
        self._state = workbench.sign_in()

    def take(
        self,
        name: str,
        steps: Callable[[Page], None],
        *,
        dark: bool = False,
        size: tuple[int, int] = DESK,
        is_signed_in: bool = True,
    ) -> None:
        if self._wanted and name not in self._wanted:
            return
        context = self._browser.new_context(
            base_url=self._workbench.address,
            locale="en-GB",
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            viewport={"width": size[0], "height": size[1]},
            storage_state=self._state if is_signed_in else None,
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        steps(page)
        page.wait_for_timeout(1_000)
        page.screenshot(path=SCREENS / f"{name}.png")
        context.close()
        sys.stdout.write(f"{name}.png\n")
        sys.stdout.flush()


def chinese_font(chromium: Chromium) -> None:
    """Into the folder of the browser that was unpacked; an installed browser uses the fonts of its machine."""
    fonts = chromium.path.parent / "fonts"
    if not fonts.is_dir() or (fonts / "NotoSansSC.ttf").exists():
        return
    npm, environment = node.npm()
    with tempfile.TemporaryDirectory() as work:
        argv = [*npm, "pack", "--silent", FONT]
        subprocess.run(argv, cwd=work, env=environment, check=True, capture_output=True)
        with tarfile.open(next(Path(work).glob("*.tgz"))) as archive:
            archive.extractall(work, filter="data")
        for weight, name in (("400Regular", "NotoSansSC.ttf"), ("700Bold", "NotoSansSC-Bold.ttf")):
            shutil.copy(next(Path(work).rglob(f"NotoSansSC_{weight}.ttf")), fonts / name)


def setup(page: Page) -> None:
    page.goto("/projects/1/setup")
    choose_papers(page, ["rct_veratrol.pdf", "rct_scan.pdf", "rct_hidden.pdf", "rct_cordil.pdf"])


def fields(page: Page) -> None:
    page.goto("/projects/1/setup")
    page.get_by_role("button", name="Show the fields").click()
    page.get_by_text("Study ID").first.wait_for()


def beginning(page: Page) -> None:
    new_project(page, "Exercise for chronic pain")
    new_knowledge_base(page, "Included studies")
    page.get_by_text("This knowledge base is empty").scroll_into_view_if_needed()


def editor(page: Page) -> None:
    page.goto("/projects/1/setup")
    page.get_by_role("button", name="Clone and edit").click()
    page.get_by_role("dialog").get_by_role("button", name="Clone and edit").click()
    page.get_by_role("button", name="Change a field: Title").click()
    page.get_by_label("Label (English)").wait_for()


def address(path: str, wait_for: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(path)
        page.locator(wait_for).first.wait_for()

    return go


def exported(task: int) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(f"/tasks/{task}/table")
        page.get_by_role("button", name="Export").click()
        page.get_by_label("Methods paragraph").wait_for()

    return go


def in_chinese(steps: Callable[[Page], None]) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.add_init_script("localStorage.setItem('ingather-language', 'zh')")
        steps(page)

    return go


def reviewed(workbench: Running, task: int) -> None:
    """A review under way: what is verified in three papers is accepted, some values are changed or refused."""
    reviews = f"/extraction/tasks/{task}"
    workbench.post(f"{reviews}/reviews/accept-verified", {"ordinals": [0, 2, 5]})
    for ordinal, field, action, more in (
        (10, "title", "accepted", {}),
        (10, "publication_year", "edited", {"value": "2020", "note": "Online first; the issue is of 2021."}),
        (10, "journal", "rejected", {}),
        (10, "doi", "accepted", {}),
        (10, "report_type", "edited", {"value": "full_article"}),
        (1, "title", "edited", {"value": "Zinc lozenges for the common cold"}),
        (3, "countries", "accepted", {}),
        (4, "doi", "not_reported", {}),
    ):
        body = {"field": field, "action": action, **more}
        workbench.post(f"{reviews}/results/{ordinal}/reviews", body)


def edited(path: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(path)
        page.locator(".box").first.wait_for()
        page.keyboard.press("e")
        page.locator(".review-editor").wait_for()

    return go


def decided(path: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(path)
        page.locator(".box").first.wait_for()
        page.get_by_test_id("history").wait_for()

    return go


def in_the_middle(page: Page) -> None:
    """A task of a model that takes its time, caught while it runs."""
    page.goto("/projects/1/setup")
    choose_papers(page, PAPERS)
    page.get_by_label("Spend cap in USD").fill("0.5")
    start(page)
    page.get_by_role("link", name="Open in the table").first.wait_for()


def paused(page: Page) -> None:
    page.goto("/projects/1/setup?template=cohort")
    choose_papers(page, PAPERS)
    start(page)
    page.get_by_text("answers so far").first.wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused. Answers").wait_for()


def tested(page: Page) -> None:
    page.goto("/projects/1/setup")
    page.get_by_role("button", name="Select all that can be read").click()
    page.get_by_role("button", name="Test the connection").click()
    page.get_by_text("answers to a JSON schema").wait_for()
    expect(page.get_by_test_id("bill-cost")).to_contain_text("USD")
    page.get_by_role("region", name="Who answers").scroll_into_view_if_needed()


def main(wanted: list[str]) -> int:
    SCREENS.mkdir(parents=True, exist_ok=True)
    chromium = find()
    chinese_font(chromium)
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node.node()))
    with (
        tempfile.TemporaryDirectory() as work,
        Provider(script={"latency_s": [0.8, 1.6]}, answerer=answer) as provider,
        embedded.start(Path(work) / "one") as one,
        embedded.start(Path(work) / "other") as other,
        running(one.url, home(work, "plain")) as plain,
        running(
            other.url,
            home(work, "model"),
            INGATHER_LLM_BASE_URL=provider.base_url,
            INGATHER_LLM_MODEL="gpt-4.1-mini",
            INGATHER_LLM_API_KEY="sk-of-a-model-that-is-not-one",
            INGATHER_MODEL_AT_ONCE="3",
        ) as modelled,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=str(chromium.path), args=list(FLAGS), env={**os.environ, **chromium.environment}
        )
        take_plain(Camera(browser, plain, wanted), plain)
        take_modelled(Camera(browser, modelled, wanted))
        browser.close()
    return 0


def home(work: str, name: str) -> Path:
    made = Path(work) / name
    made.mkdir()
    return made


def take_plain(camera: Camera, workbench: Running) -> None:
    """Without a model: what everybody sees who tries it out."""
    task = workbench.extract(list(PAPERS))
    reviewed(workbench, task)
    table = f"/tasks/{task}/table"
    drawer = address(f"{table}?filter=all&cell=10~~countries", ".box")
    camera.take("sign-in", address("/sign-in", ".sign-in-card h1"), is_signed_in=False)
    camera.take("setup", setup)
    camera.take("setup-dark", setup, dark=True)
    camera.take("setup-wide", setup, size=WIDE)
    camera.take("setup-tablet", setup, size=TABLET)
    camera.take("setup-phone", setup, size=PHONE)
    camera.take("setup-chinese", in_chinese(address("/projects/1/setup", ".document")))
    camera.take("setup-fields", fields)
    camera.take("setup-empty", beginning)
    camera.take("editor", editor)
    camera.take("projects", address("/", ".card-link"))
    camera.take("project", address("/projects/1", ".list a"))
    camera.take("progress", address(f"/tasks/{task}", ".log-line"))
    camera.take("progress-chinese", in_chinese(address(f"/tasks/{task}", ".log-line")))
    camera.take("progress-tablet", address(f"/tasks/{task}", ".log-line"), size=TABLET)
    camera.take("progress-phone", address(f"/tasks/{task}", ".log-line"), size=PHONE)
    camera.take("table", address(f"{table}?filter=all", "[data-cell]"))
    camera.take("table-wide", address(f"{table}?filter=all&scope=contrast", "[data-cell]"), size=WIDE)
    camera.take("table-attention", address(f"{table}?scope=contrast&filter=attention", "[data-cell]"))
    camera.take("table-tablet", address(f"{table}?filter=all", "[data-cell]"), size=TABLET)
    camera.take("table-phone", address(f"{table}?filter=all", "[data-cell]"), size=PHONE)
    camera.take("drawer", drawer)
    camera.take("drawer-tablet", drawer, size=TABLET)
    camera.take("drawer-phone", drawer, size=PHONE)
    camera.take("drawer-flag", address(f"{table}?scope=contrast&filter=attention&cell=5~contrast/1~c_p", ".box"))
    camera.take("drawer-review", decided(f"{table}?cell=10~~publication_year"))
    camera.take("drawer-edit", edited(f"{table}?cell=10~~design"), dark=True)
    camera.take("drawer-1280", drawer, size=(1280, 800))
    camera.take("drawer-dark", drawer, dark=True)
    camera.take("table-chinese", in_chinese(address(f"{table}?filter=all&cell=2~~title", ".box")))
    camera.take("export", exported(task))
    for part in ("batches", "queues", "workers", "schedules"):
        camera.take(f"engine-{part}", address(f"/engine/{part}", ".card"))
    camera.take("engine-dark", address("/engine/batches", ".card"), dark=True)


def take_modelled(camera: Camera) -> None:
    """With a model: what it will take, and a task while it runs."""
    camera.take("setup-model", tested)
    camera.take("progress-running", in_the_middle)
    camera.take("progress-paused", paused, dark=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
