"""docs/states.md and the code, held together in both directions."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from ingather.engine import statements, verbs
from tests.engine.test_states import SAME, TABLE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "states.md").read_text("utf-8")

# A statement that writes one of these changes a state. The others count and plan.
STATE = {"batch", "segment", "lease", "waiting", "outcome", "worker", "queue"}
PENDING = {"fresh", "due", "later"}


def modules() -> dict[str, dict[str, str]]:
    """Every statement by its module."""
    return {
        one.name: {
            name: text
            for name, text in vars(importlib.import_module(f"{statements.__name__}.{one.name}")).items()
            if name.isupper() and isinstance(text, str) and not name.startswith("_")  # a part of a statement
        }
        for one in pkgutil.iter_modules(statements.__path__)
    }


def written_by(text: str) -> set[str]:
    return set(re.findall(r"(?:insert into|update|delete from)\s+ingather\.(\w+)", text))


def test_every_statement_that_changes_a_state_is_on_the_page() -> None:
    changing = {name for found in modules().values() for name, text in found.items() if written_by(text) & STATE}
    assert {name for name in changing if f"`{name}`" not in PAGE} == set()


def test_every_statement_on_the_page_is_in_the_code() -> None:
    known = {name for found in modules().values() for name in found}
    assert set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+|[A-Z]{4,})`", PAGE)) - known == set()


def drawn(heading: str) -> set[tuple[str, str]]:
    """The arrows of a drawing, without those to its beginning and its end."""
    drawing = PAGE.partition(f"## {heading}\n")[2].partition("```mermaid\n")[2].partition("```")[0]
    return set(re.findall(r"(?m)^ *(\w+) --> (\w+):", drawing))


def listed(heading: str) -> set[tuple[str, str]]:
    """The arrows of the table under a drawing."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    rows = re.findall(r"(?m)^\| ([\w, ]+) \| (\w+) \|", section)
    found = {(state, after) for states, after in rows for state in states.split(", ")}
    return found - {("from", "to")}


def test_the_drawing_and_the_table_of_an_item_have_the_same_arrows() -> None:
    assert drawn("An item") == listed("An item")


def test_the_drawing_and_the_table_of_a_batch_have_the_same_arrows() -> None:
    # A retry of an open batch changes items and not its state: the table says so, and the drawing has no arrow for it.
    assert drawn("A batch") == listed("A batch") - {("open", "open")}


def test_the_arrows_of_an_item_are_those_that_the_verbs_draw() -> None:
    moves = {
        ("pending" if state in PENDING else state.partition(",")[0], after)
        for _, ends in TABLE.values()
        for state, (after, _) in ends.items()
        if after != SAME
    }
    assert moves == drawn("An item")


def test_every_verb_on_a_batch_is_tried_in_every_state() -> None:
    """A verb is on a batch if its script takes the id of one.

    What a handler scatters belongs to its settle; what was removed has no state to look at.
    """
    on_a_batch = {
        name
        for name in verbs.__all__
        if callable(verb := getattr(verbs, name)) and next(iter(inspect.signature(verb).parameters), "") == "batch_id"
    }
    assert on_a_batch - {"settle_with_offspring", "remove"} - set(TABLE) == set()
