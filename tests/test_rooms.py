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


def tables_by_room() -> dict[str, str]:
    """The room of each table, view and sequence, as its own migrations make them."""
    return {
        name: path.parts[-3]
        for path in sorted((SOURCE / "ingather").glob("*/migrations/*.sql"))
        for name in re.findall(r"create (?:table|view|sequence) ingather\.(\w+)", path.read_text("utf-8"))
    }


TABLES = tables_by_room()
# How an item's id is made of its segment and its place, in any spelling.
ITEM_ARITHMETIC = re.compile(
    r"\bid\b\W*(?:<<|>>)\s*20\b|_id\b\W*(?:<<|>>)\s*20\b|[&%*/]\s*1_?048_?57[56]\b|0x[fF]{5}\b"
)


def foreign_tables(text: str, room: str) -> set[str]:
    """The tables of other rooms that a text names."""
    return {name for name in re.findall(r"\bingather\.(\w+)", text) if TABLES.get(name, room) != room}


def modules_with_rooms() -> list[tuple[str, Path]]:
    paths = sorted((SOURCE / "ingather").rglob("*.py"))
    return [(path.relative_to(SOURCE / "ingather").parts[0], path) for path in paths]


def test_every_room_keeps_its_tables_to_itself() -> None:
    """Others join what the room gives them, such as `ingather.engine.statements.readers`."""
    assert set(TABLES.values()) == {"engine", "library", "extraction", "web"}
    found = {
        path.relative_to(SOURCE).as_posix(): names
        for room, path in modules_with_rooms()
        if (names := foreign_tables(path.read_text("utf-8"), room))
    }
    assert found == {}


def test_nobody_but_the_engine_knows_what_the_id_of_an_item_is_made_of() -> None:
    found = {
        path.relative_to(SOURCE).as_posix(): arithmetic
        for room, path in modules_with_rooms()
        if room != "engine" and (arithmetic := ITEM_ARITHMETIC.findall(path.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "text", ["select from ingather.batch b", "delete\n  from\n ingather.outcome", "exists(select 1 from ingather.item)"]
)
def test_a_table_of_another_room_is_found_however_it_is_written(text: str) -> None:
    assert foreign_tables(text, "extraction")
    assert not foreign_tables(text, "engine")


@pytest.mark.parametrize("text", ["s.id << 20", "(item_id >> 20)", "o.item_id & 1048575", "segment_id<<20"])
def test_arithmetic_of_ids_is_found_however_it_is_written(text: str) -> None:
    assert ITEM_ARITHMETIC.search(text)


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
