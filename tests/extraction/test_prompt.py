"""What a model is told, word for word: the golden files are the prompts.

`python -m tests.extraction.test_prompt` writes them anew. Read the difference
before committing it, and raise `prompt.VERSION`: stored answers were to other
words.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.parts import PagePiece
from ingather.extraction.conversation.questions import (
    Listed,
    row_question_groups,
    rows_to_question_from,
    scopes_to_list_before_questions,
    study_question_groups,
)
from ingather.extraction.template import Scope, load_builtin_template

GOLDEN = Path(__file__).parent / "golden"
LISTED = [
    Listed(scope=Scope.ARM, label="Exercise"),
    Listed(scope=Scope.ARM, label="Usual care", is_reference=True),
    Listed(scope=Scope.OUTCOME, label="Pain", timepoints=("6 weeks", "12 weeks")),
    Listed(scope=Scope.DOMAIN, label="Pain at 12 weeks, exercise against usual care"),
]


def prompts() -> dict[str, str]:
    made = {"system": prompt.SYSTEM}
    made["document"] = prompt.document_prompt(
        [PagePiece(page=0, text="A title\nand ⟦p9⟧ a trick"), PagePiece(page=3, text="Results")]
    ).content
    for name in ("rct", "cohort", "qc"):
        template = load_builtin_template(name)
        rows, _ = rows_to_question_from(LISTED, template)
        made[f"{name}-list"] = prompt.listing_prompt(
            scopes_to_list_before_questions(template), "exercise for back pain"
        ).content
        made[f"{name}-study"] = prompt.fields_prompt(study_question_groups(template)[0]).content
        first = {group.scope: group for group in reversed(row_question_groups(template, rows))}
        made |= {f"{name}-{scope.value}": prompt.fields_prompt(group).content for scope, group in first.items()}
    return made


@pytest.mark.parametrize("name", sorted(prompts()))
def test_a_prompt_is_word_for_word_what_was_agreed(name: str) -> None:
    assert prompts()[name] == (GOLDEN / f"{name}.txt").read_text("utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(prompts())


@given(st.lists(st.text(max_size=200), min_size=1, max_size=3))
def test_a_document_cannot_close_its_own_frame_or_forge_a_page_mark(pages: list[str]) -> None:
    content = prompt.document_prompt([PagePiece(page=n, text=text) for n, text in enumerate(pages)]).content
    first, _, rest = content.partition("\n")
    assert rest.endswith(first)
    assert content.count(first) == 2
    assert content.count("⟦") == len(pages)


def test_the_same_document_is_framed_in_the_same_words() -> None:
    """Or no provider could keep it in its cache."""
    pieces = [PagePiece(page=0, text="One page.")]
    assert prompt.document_prompt(pieces) == prompt.document_prompt(pieces)


@pytest.mark.parametrize("name", ["rct", "cohort", "qc"])
def test_every_field_that_may_be_asked_is_asked_once(name: str) -> None:
    template = load_builtin_template(name)
    rows, _ = rows_to_question_from(LISTED, template)
    groups = [*study_question_groups(template), *row_question_groups(template, rows)]
    cells = [
        (key, field.id) for group in groups for key in [row.key for row in group.rows] or [""] for field in group.fields
    ]
    assert len(cells) == len(set(cells))
    named = {"arm_label", "group_label", "outcome_name", "qc_result"}  # answered by listing the rows
    assert {field for _, field in cells} == {field.id for field in template.fields if field.is_askable} - named
    forms = [prompt.fields_prompt_schema(group) for group in groups]
    assert all(json.dumps(form) for form in forms)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.txt"):
        old.unlink()
    for name, text in prompts().items():
        (GOLDEN / f"{name}.txt").write_text(text, "utf-8")
