"""What docs/recipes.md says is held together: a thing that is added in one place is asked for in all others."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from ingather.extraction.export import FORMATS
from ingather.extraction.template import Field, FieldType, Label, Option, Scope, coerce_value
from ingather.extraction.template.field_types import TRAITS
from ingather.extraction.template.validation import KINDS
from ingather.web.routes import tasks

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "ui" / "src"

# For each type an answer as a model gives it, and the value that it becomes.
SAMPLES: dict[FieldType, tuple[str, object]] = {
    FieldType.TEXT: ("usual care", "usual care"),
    FieldType.LONGTEXT: ("Walking,\nthree times a week", "Walking,\nthree times a week"),
    FieldType.INT: ("1,234", 1234),
    FieldType.FLOAT: ("12.4", 12.4),
    FieldType.PERCENT: ("12.4 %", 12.4),
    FieldType.DATE: ("March 2019", "2019-03"),
    FieldType.QUANTITY: ("12 weeks", "12 weeks"),
    FieldType.ID: ("NCT01234567", "NCT01234567"),
    FieldType.ENUM: ("Yes", "yes"),
    FieldType.MULTI_ENUM: ("Yes; No", ["yes", "no"]),
    FieldType.MULTI_TEXT: ("fatigue; sleep", ["fatigue", "sleep"]),
}
# Answers that no check can compare: several at once, and prose.
NOT_COMPARED = {FieldType.LONGTEXT, FieldType.MULTI_ENUM, FieldType.MULTI_TEXT}


def text(path: Path) -> str:
    return path.read_text("utf-8")


def listed(source: str, name: str) -> list[str]:
    """The strings of a list in TypeScript: `const NAME = ["a", "b"] as const`."""
    found = re.search(rf"\b{name} = \[(.*?)\] as const", source, re.DOTALL)
    assert found, f"there is no list {name}"
    return re.findall(r'"([^"]+)"', found[1])


# --- a field type --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", list(FieldType))
def test_a_type_of_field_is_known_wherever_it_has_to_be(type: FieldType) -> None:
    assert type in TRAITS
    assert (type in KINDS) is not (type in NOT_COMPARED)
    assert re.search(rf"^\| .*`{type}`", text(ROOT / "docs" / "templates.md"), re.MULTILINE)
    for language in ("en", "zh"):
        types = re.search(r"\btypes: \{(.*?)\n\s*\},", text(PAGES / "texts" / f"{language}.ts"), re.DOTALL)
        assert types
        assert re.search(rf"\b{type}: ", types[1])


def test_the_pages_know_the_types_of_field() -> None:
    assert listed(text(PAGES / "api" / "template.ts"), "FIELD_TYPES") == [one.value for one in FieldType]


@pytest.mark.parametrize("type", list(FieldType))
def test_an_answer_becomes_a_value_of_its_type(type: FieldType) -> None:
    yes, no = Option(id="yes", label=Label(en="Yes", zh="是")), Option(id="no", label=Label(en="No", zh="否"))
    options = (yes, no) if type in {FieldType.ENUM, FieldType.MULTI_ENUM} else ()
    label = Label(en="Field", zh="字段")
    field = Field(id="f", label=label, section="s", type=type, scope=Scope.STUDY, options=options)
    raw, value = SAMPLES[type]
    assert coerce_value(field, raw) == value


# --- an export format ----------------------------------------------------------------------------------------------


def test_every_place_knows_the_same_formats() -> None:
    hint = get_type_hints(tasks.export_task_route)["format"]
    assert get_origin(hint) is Literal
    assert list(get_args(hint)) == list(FORMATS)
    assert listed(text(PAGES / "pages" / "table" / "export.tsx"), "FORMATS") == list(FORMATS)
    documented = re.findall(r"^\| `([a-z-]+)` \|", text(ROOT / "docs" / "exports.md"), re.MULTILINE)
    assert [name for name in documented if name in FORMATS] == list(FORMATS)
    [route] = re.findall(r"^\| `GET \S+/export\?format=` \| (.*)$", text(ROOT / "docs" / "http.md"), re.MULTILINE)
    assert [name for name in re.findall(r"`([a-z-]+)`", route) if name in FORMATS] == list(FORMATS)
    for language in ("en", "zh"):
        known = text(PAGES / "texts" / f"{language}.ts")
        assert [name for name in FORMATS if not re.search(rf'^\s*"?{name}"?: ', known, re.MULTILINE)] == []


# --- a page --------------------------------------------------------------------------------------------------------


def test_every_page_is_visited_by_a_browser_test() -> None:
    paths = re.findall(r'path: "([^"]+)"', text(PAGES / "router.tsx"))
    visits = "".join(text(path) for path in sorted((ROOT / "tests" / "browser").glob("*.py")))
    # A test names the fixed parts of `/tasks/:taskId/table`.
    fixed = {path: [part for part in path.split("/") if part and not part.startswith((":", "*"))] for path in paths}
    assert {path for path, names in fixed.items() if not all(f"/{name}" in visits for name in names)} == set()


# --- a module ------------------------------------------------------------------------------------------------------


def test_the_page_of_modules_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "tools/modules.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
