"""The documents keep up with the code: headings, links, names, and samples that run.

A block that opens with ```python run is run in an empty folder with an empty database. If a block that opens with
```text out follows it, that is what it must print.
"""

import argparse
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import pytest

import ingather
from ingather.cli.parser import command_parser
from ingather.engine import errors
from ingather.web.app import create_app

if TYPE_CHECKING:
    from ingather.web.rooms import Rooms

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OPERATIONS = ROOT / "docs" / "operations.md"
ENGINE = ROOT / "src" / "ingather" / "engine"

FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SAMPLE = re.compile(r"^```python run\n(.*?)^```$(?:\s*^```text out\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def headings(path: Path) -> list[str]:
    prose = FENCED.sub("", path.read_text("utf-8"))
    return [line.lstrip("#").strip() for line in prose.splitlines() if line.startswith("#")]


def section(path: Path, heading: str) -> str:
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#+ |\Z)", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{name_of(path)} has no heading {heading}"
    return found[1]


def anchor(heading: str) -> str:
    """The address that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# --- headings ------------------------------------------------------------------------------------------------------


def settings() -> list[str]:
    source = (ROOT / "src" / "ingather" / "settings.py").read_text("utf-8")
    return sorted(set(re.findall(r'"(DATABASE_URL|INGATHER_[A-Z_]+)"', source)))


@pytest.mark.parametrize("variable", settings())
def test_every_setting_has_a_heading_and_a_line_in_the_readme(variable: str) -> None:
    assert f"`{variable}`" in headings(OPERATIONS)
    assert f"`{variable}`" in (ROOT / "README.md").read_text("utf-8")


def error_classes() -> list[str]:
    drawn = {name for name, value in inspect.getmembers(errors, inspect.isclass) if value.__module__ == errors.__name__}
    exported = {name for name in ingather.__all__ if inspect.isclass(getattr(ingather, name))}
    return sorted(drawn | {name for name in exported if issubclass(getattr(ingather, name), Exception)})


@pytest.mark.parametrize("error", error_classes())
def test_every_error_has_a_heading(error: str) -> None:
    assert f"`{error}`" in headings(ROOT / "docs" / "errors.md")


def test_every_reason_stored_with_an_item_is_explained() -> None:
    source = "".join(path.read_text("utf-8") for path in ENGINE.glob("*.py"))
    written = re.findall(r'"reason": "(\w+)"|reason = "(\w+)"|describe\(\w+, "(\w+)"\)', source)
    reasons = {"timeout", "exhausted", "failed"} | {each for reasons_of in written for each in reasons_of if each}
    explained = section(ROOT / "docs" / "errors.md", "Reasons stored with an item")
    assert {reason for reason in reasons if f"| `{reason}` |" not in explained} == set()


def commands(of: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Every command that can be typed; groups of commands are not."""
    groups = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield of
    for group in groups:
        for command in group.choices.values():
            yield from commands(command)


@pytest.mark.parametrize("command", [pytest.param(command, id=command.prog) for command in commands(command_parser())])
def test_every_command_has_a_heading_and_every_option_a_word(command: argparse.ArgumentParser) -> None:
    described = section(OPERATIONS, f"`{command.prog}`")
    shown = [action for action in command._actions if action.help != argparse.SUPPRESS]
    options = {option for action in shown for option in action.option_strings if option.startswith("--")}
    assert {option for option in options - {"--help", "--json"} if option not in described} == set()


def routes() -> set[tuple[str, str]]:
    described = create_app(cast("Rooms", None), version="1").openapi()["paths"]
    return {(method.upper(), path.removeprefix("/api/v1")) for path, methods in described.items() for method in methods}


def routes_of(line: str) -> set[tuple[str, str]]:
    """The routes that a line names. `/pause` behind `/tasks/{id}/cancel` is short for `/tasks/{id}/pause`."""
    paths = re.findall(r"(?:^|[ `/])((?:/[\w{}.-]+)+)", line)
    base = next((path.rpartition("/")[0] for path in paths if path.count("/") > 1), "")
    methods = re.findall(r"\b(GET|POST|PUT|PATCH|DELETE)\b", line)
    return {(method, each) for method in methods for path in paths for each in (path, base + path)}


def test_every_route_is_on_the_page_about_http() -> None:
    page = FENCED.sub("", (ROOT / "docs" / "http.md").read_text("utf-8"))
    assert routes() - {route for line in page.splitlines() for route in routes_of(line)} == set()


# --- links and names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    dead = []
    for link in LINK.findall(FENCED.sub("", path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, place = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (place and place not in map(anchor, headings(target))):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("path", [ROOT / "ARCHITECTURE.md", ROOT / "docs" / "states.md"], ids=name_of)
def test_every_statement_that_is_named_exists(path: Path) -> None:
    source = "".join(path.read_text("utf-8") for path in ENGINE.rglob("*.py"))
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`", path.read_text("utf-8"))) - {"COPY", "LISTEN", "NOTIFY"}
    assert {name for name in named if not re.search(rf"^{name}\b.* = ", source, re.MULTILINE)} == set()


def test_the_architecture_knows_every_file_of_the_engine() -> None:
    described = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    files = {path.name for path in ENGINE.glob("*.py")} - {"__init__.py"}
    assert {file for file in files if f"`{file}`" not in described} == set()


def decisions() -> list[Path]:
    return [path for path in sorted((ROOT / "docs" / "adr").glob("*.md")) if path.name != "README.md"]


@pytest.mark.parametrize("path", decisions(), ids=name_of)
def test_every_decision_has_a_status_and_a_place_in_the_list(path: Path) -> None:
    _, status, *_ = path.read_text("utf-8").split("\n\n")
    assert status.startswith(("**Status.** Accepted", "**Status.** Superseded by "))
    assert f"]({path.name})" in (ROOT / "docs" / "adr" / "README.md").read_text("utf-8")


# --- samples -------------------------------------------------------------------------------------------------------


def test_the_readme_shows_the_first_steps_as_they_are() -> None:
    first_steps = (ROOT / "examples" / "first_steps.py").read_text("utf-8")
    assert f"```python run\n{first_steps}```" in (ROOT / "README.md").read_text("utf-8")


class Sample(NamedTuple):
    code: str
    output: str | None


def samples() -> Iterator[object]:
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        for found in SAMPLE.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield pytest.param(Sample(found[1], found[2]), id=f"{name_of(path)}:{line}")


@pytest.mark.parametrize("sample", list(samples()))
def test_the_samples_run(sample: Sample, url: str, tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("INGATHER_")}
    done = subprocess.run(
        [sys.executable, "-c", sample.code],
        env=clean | {"DATABASE_URL": url},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if sample.output is not None:
        assert done.stdout == sample.output


# --- attacks and rules ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "head"), [("security.md", "| attack"), ("checklist.md", "| rule")])
def test_every_row_that_claims_a_test_has_one_that_exists(page: str, head: str) -> None:
    rows = [line for line in (ROOT / "docs" / page).read_text("utf-8").splitlines() if line.startswith("| ")]
    described = {line: re.findall(r"`(test_\w+)`", line) for line in rows if not line.startswith(head)}
    assert all(described.values()), [line for line, names in described.items() if not names]
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    made = set(re.findall(r"def (test_\w+)\(", sources))
    assert {name for names in described.values() for name in names} <= made
