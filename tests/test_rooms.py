"""What import-linter cannot see of the rooms: a list that must be whole, clocks and files used without an import."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.sources import parsed

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"

# They read a clock, a file or the environment; packaged data comes through `importlib.resources`.
IMPURE_CALLS = {"now", "today", "utcnow", "open", "getenv", "read_text", "read_bytes", "write_text", "write_bytes"}


def contract(name: str) -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    found: list[dict[str, Any]] = [one for one in settings["contracts"] if one["name"] == name]
    return found[0]


def test_no_contract_has_a_list_of_exceptions() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert [one["name"] for one in settings["contracts"] if "ignore_imports" in one] == []


def test_extraction_is_kept_from_every_module_of_the_library_but_its_port() -> None:
    forbidden = contract("extraction knows the library's port and nothing else of it")["forbidden_modules"]
    library = SOURCE / "ingather" / "library"
    modules = {path.stem for path in library.glob("*.py")} | {
        path.parent.name for path in library.glob("*/__init__.py")
    }
    assert sorted(forbidden) == sorted(f"ingather.library.{name}" for name in modules - {"__init__", "port"})


# The tables of the engine, as its own migrations make them.
ENGINE_TABLES = "|".join(
    sorted(
        set(
            re.findall(
                r"create table ingather\.(\w+)",
                "".join(path.read_text("utf-8") for path in (SOURCE / "ingather/engine/migrations").glob("*.sql")),
            )
        )
    )
)
ITEM_ARITHMETIC = r"(?:id|item_id)\W+(?:<<|>>) ?20\b|\b1048575\b"


@pytest.mark.parametrize("room", ["app.py", "cli", "embedded", "settings.py", "web", "workbench.py"])
def test_a_room_above_the_engine_knows_neither_its_tables_nor_what_its_ids_are_made_of(room: str) -> None:
    path = SOURCE / "ingather" / room
    modules = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert ENGINE_TABLES
    known = re.compile(rf"(?:from|join|update|into)\s+ingather\.(?:{ENGINE_TABLES})\b|{ITEM_ARITHMETIC}")
    assert {one.name: found for one in modules if (found := known.findall(one.read_text("utf-8")))} == {}


def pure_modules() -> list[Path]:
    """The modules of both contracts."""
    names = [
        *contract("pure rooms know no database, clock, network or process")["source_modules"],
        *contract("pure modules use no database, clock, network or process")["source_modules"],
    ]
    paths = [SOURCE.joinpath(*name.split(".")) for name in names]
    return [
        found
        for path in paths
        for found in (sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")])
    ]


@pytest.mark.parametrize("path", pure_modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_pure_module_reads_no_clock_and_no_file(path: Path) -> None:
    text = path.read_text("utf-8")
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)
    }
    found = called & IMPURE_CALLS
    if "from importlib.resources import files" in text:
        found -= {"read_text", "read_bytes", "open"}
    assert found == set()
