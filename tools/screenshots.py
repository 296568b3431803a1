"""Makes docs/screens/*.png: every screen of the workbench, from a real run on the sample papers.

python tools/screenshots.py

A Chinese font is fetched from npm where the machine has none.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from ingather import embedded

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.bench import Running, running  # noqa: E402  they stand beside us, not in the package
from tests.browser.chromium import FLAGS, Chromium, find, node  # noqa: E402
from tests.browser.steps import choose_papers, new_project, new_shelf, start  # noqa: E402

SCREENS = ROOT / "docs" / "screens"
FONT = "@expo-google-fonts/noto-sans-sc"
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
    """Takes pictures of a running workbench."""

    def __init__(self, browser: Browser, workbench: Running, state: StorageState) -> None:
        self._browser, self._workbench, self._state = browser, workbench, state

    def take(self, name: str, steps: Callable[[Page], None], *, dark: bool = False, width: int = 1440) -> None:
        context = self._browser.new_context(
            base_url=self._workbench.address,
            storage_state=self._state,
            locale="en-GB",
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            viewport={"width": width, "height": 900},
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        steps(page)
        page.wait_for_timeout(1_500)
        page.screenshot(path=SCREENS / f"{name}.png")
        context.close()
        sys.stdout.write(f"{name}.png\n")


def chinese_font(chromium: Chromium) -> None:
    """Into the folder of the browser that was unpacked; an installed browser uses the fonts of its machine."""
    fonts = chromium.path.parent / "fonts"
    npm = shutil.which("npm")
    if not fonts.is_dir() or npm is None or (fonts / "NotoSansSC.ttf").exists():
        return
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([npm, "pack", "--silent", FONT], cwd=work, check=True, capture_output=True)
        with tarfile.open(next(Path(work).glob("*.tgz"))) as archive:
            archive.extractall(work, filter="data")
        for weight, name in (("400Regular", "NotoSansSC.ttf"), ("700Bold", "NotoSansSC-Bold.ttf")):
            shutil.copy(next(Path(work).rglob(f"NotoSansSC_{weight}.ttf")), fonts / name)


def task_of(page: Page) -> int:
    page.goto("/projects/1/setup")
    choose_papers(page, PAPERS)
    number = start(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("finished", timeout=60_000)
    return number


def setup(page: Page) -> None:
    page.goto("/projects/1/setup")
    choose_papers(page, ["rct_veratrol.pdf", "rct_scan.pdf", "rct_hidden.pdf", "rct_cordil.pdf"])


def fields(page: Page) -> None:
    page.goto("/projects/1/setup")
    page.get_by_role("button", name="Show the fields").click()
    page.get_by_text("Study ID").first.wait_for()


def beginning(page: Page) -> None:
    new_project(page, "Exercise for chronic pain")
    new_shelf(page, "Included studies")
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


def main() -> int:
    SCREENS.mkdir(parents=True, exist_ok=True)
    chromium = find()
    chinese_font(chromium)
    if found := node():
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(found))
    with (
        tempfile.TemporaryDirectory() as home,
        embedded.start(Path(home) / "database") as database,
        running(database.url, Path(home)) as workbench,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=str(chromium.path), args=list(FLAGS), env={**os.environ, **chromium.environment}
        )
        context = browser.new_context(base_url=workbench.address, locale="en-GB")
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto("/sign-in")
        page.get_by_text("ingather link", exact=True).wait_for()
        page.set_viewport_size({"width": 1440, "height": 900})
        page.screenshot(path=SCREENS / "sign-in.png")
        page.goto(workbench.first_link)
        page.wait_for_url(f"{workbench.address}/")
        task = task_of(page)
        camera = Camera(browser, workbench, context.storage_state())
        take_all(camera, task)
        browser.close()
    return 0


def take_all(camera: Camera, task: int) -> None:
    table = f"/tasks/{task}/table"
    drawer = address(f"{table}?cell=10~~countries", ".box")
    camera.take("setup", setup)
    camera.take("setup-fields", fields)
    camera.take("setup-empty", beginning)
    camera.take("editor", editor)
    camera.take("projects", address("/", ".card-link"))
    camera.take("project", address("/projects/1", ".list a"))
    camera.take("progress", address(f"/tasks/{task}", ".log-line"))
    camera.take("table", address(table, "[data-cell]"))
    camera.take("table-wide", address(f"{table}?scope=contrast", "[data-cell]"), width=1920)
    camera.take("table-attention", address(f"{table}?scope=contrast&filter=attention", "[data-cell]"))
    camera.take("drawer", drawer)
    camera.take("drawer-flag", address(f"{table}?scope=contrast&filter=attention&cell=5~contrast/1~c_p", ".box"))
    camera.take("drawer-1280", drawer, width=1280)
    camera.take("drawer-dark", drawer, dark=True)
    camera.take("table-chinese", in_chinese(address(f"{table}?cell=2~~title", ".box")))
    camera.take("setup-chinese", in_chinese(address("/projects/1/setup", ".document")))
    camera.take("export", exported(task))
    for part in ("batches", "queues", "workers", "schedules"):
        camera.take(f"engine-{part}", address(f"/engine/{part}", ".card"))


if __name__ == "__main__":
    sys.exit(main())
