"""What an application sees is what it may use: exported, documented, typed, and twinned for event loops."""

import dataclasses
import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ingather
import ingather.engine
from ingather.engine.model import ScatterOptions

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")

CLASSES = sorted(
    name
    for name in ingather.__all__
    if inspect.isclass(getattr(ingather, name)) and not issubclass(getattr(ingather, name), Exception)
)

# Methods that touch the database and have one form only, each with the reason.
ALONE = {
    "Batch.results": "a Stream is read by `for` and by `async for`",
    "Batch.items": "a Stream is read by `for` and by `async for`",
    "Batch.children": "a Stream is read by `for` and by `async for`",
    "Worker.run": "it is the whole of a process; in a loop one writes `async with`",
    "Worker.start": "it needs a loop of its own",
    "Worker.stop": "it needs a loop of its own",
}
# Methods that touch no database.
PURE = {
    "Batch.id",
    "Cron.parse",
    "Cron.next_after",
    "Cron.firings",
    "Ingather.batch",
    "Ingather.gather",
    "Ingather.handler",
    "Ingather.on_failure",
    "Ingather.resource",
    "Ingather.typed",
    "Ingather.worker",
    "Item.add",
    "ItemLogFilter.filter",
    "Item.scatter",
    "ProcessResource.close",
    "TypedKind.batch",
    "Worker.state",
}


def sections(text: str, level: str) -> dict[str, str]:
    parts = re.split(rf"^{level} (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(name: str) -> set[str]:
    """The names in the headings below a class's heading."""
    return {each for heading in sections(of_class(name), "###") for each in re.findall(r"`(\w+)`", heading)}


def of_class(name: str) -> str:
    return sections(REFERENCE, "##")[f"`{name}`"]


def methods(name: str) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, those of its parents included."""
    for member, value in inspect.getmembers(getattr(ingather, name)):
        is_code = inspect.isfunction(value) or inspect.ismethod(value) or isinstance(value, property)
        if not member.startswith("_") and is_code:
            yield member, value


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_name_has_a_docstring_and_a_heading(name: str) -> None:
    assert getattr(ingather, name).__doc__
    if name == ScatterOptions.__name__:
        return
    assert [member for member, value in methods(name) if not inspect.getdoc(value)] == []
    assert {member for member, _ in methods(name)} <= documented(name)


@pytest.mark.parametrize("name", CLASSES)
def test_every_heading_names_something_that_exists(name: str) -> None:
    known = {member for member, _ in methods(name)} | attributes(name)
    assert documented(name) <= known


def ours_of(name: str) -> list[type]:
    return [parent for parent in getattr(ingather, name).__mro__ if parent.__module__.startswith("ingather")]


def attributes(name: str) -> set[str]:
    """What instances carry besides methods."""
    source = "".join(inspect.getsource(parent) for parent in ours_of(name))
    return set(re.findall(r"self\.([a-z]\w*)\b[^=\n]* = ", source))


@pytest.mark.parametrize("name", [name for name in CLASSES if dataclasses.is_dataclass(getattr(ingather, name))])
def test_every_field_of_a_record_is_named(name: str) -> None:
    fields = {field.name for field in dataclasses.fields(getattr(ingather, name))}
    assert {field for field in fields if f"`{field}`" not in of_class(name)} == set()


@pytest.mark.parametrize("name", CLASSES)
def test_every_attribute_of_an_instance_is_named(name: str) -> None:
    assert {each for each in attributes(name) if f"`{each}`" not in of_class(name)} - documented(name) == set()


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_says_what_it_takes_and_returns(name: str) -> None:
    untyped = set()
    for member, value in methods(name):
        function: Any = value.fget if isinstance(value, property) else value
        signature = inspect.signature(function)
        taken = [each for each in signature.parameters.values() if each.name not in {"self", "cls"}]
        if signature.return_annotation is signature.empty or any(each.annotation is each.empty for each in taken):
            untyped.add(member)
    assert untyped == set()


def test_nothing_but_classes_is_exported() -> None:
    """A function or a constant would need a rule of its own here."""
    assert [name for name in ingather.__all__ if not inspect.isclass(getattr(ingather, name))] == []


def test_every_option_of_a_scatter_is_one_of_scatter_itself() -> None:
    options = set(typing.get_type_hints(ScatterOptions))
    assert options == set(inspect.signature(ingather.Ingather.scatter).parameters) - {
        "self",
        "kind",
        "payloads",
        "labels",  # one for each payload, so it goes with them
        "conn",
    }
    assert {option for option in options if f"`{option}`" not in of_class("ScatterOptions")} == set()


@pytest.mark.parametrize("name", CLASSES)
def test_whatever_waits_for_the_database_has_a_twin_with_the_same_arguments(name: str) -> None:
    known = dict(methods(name))
    for member, value in known.items():
        full = f"{name}.{member}"
        if isinstance(value, property) or full in PURE or full in ALONE or inspect.iscoroutinefunction(value):
            continue
        twin = known.get("await_" if member == "wait" else f"a{member}")
        assert twin is not None, f"{full} has no twin"
        assert inspect.iscoroutinefunction(twin), full
        ours, theirs = (inspect.signature(each).parameters for each in (value, twin))
        assert list(ours) == list(theirs), full
        assert [each.default for each in ours.values()] == [each.default for each in theirs.values()], full


def test_the_exceptions_to_the_rule_exist() -> None:
    for full in ALONE.keys() | PURE:
        name, _, member = full.partition(".")
        assert member in dict(methods(name)) or member in attributes(name), full


@pytest.mark.parametrize("name", CLASSES)
def test_whatever_a_method_takes_or_returns_is_exported(name: str) -> None:
    """A caller must be able to write down the type of what it holds."""
    exported = {getattr(ingather, each) for each in ingather.__all__}
    exported |= {getattr(ingather.engine, each) for each in ingather.engine.__all__}
    hidden = set()
    for member, value in methods(name):
        function = value.fget if isinstance(value, property) else value
        for hint in typing.get_type_hints(function, localns=vars(ingather.engine)).values():
            hidden |= {(member, found) for found in classes_in(hint) if found not in exported}
    assert hidden == set()


def classes_in(hint: Any) -> Iterator[type]:
    if inspect.isclass(hint) and hint.__module__.startswith("ingather"):
        yield hint
    for inner in typing.get_args(hint):
        yield from classes_in(inner)


def test_the_engine_exports_what_it_names() -> None:
    assert sorted(ingather.engine.__all__) == sorted(ingather.engine.HOMES)
    for name in ingather.engine.__all__:
        assert getattr(ingather.engine, name).__name__ == name
    assert {name for name in ingather.engine.__all__ if name not in ingather.__all__} == {
        "Database",
        "Engine",
        "Offspring",
        "Registry",
    }


def test_an_option_that_there_is_not_is_refused(url: str) -> None:
    app = ingather.engine.Engine(url)
    app.handler("read")(print)
    with pytest.raises(TypeError, match="prioritty"):
        app.submit("read", 1, prioritty=3)  # type: ignore[call-arg]
