"""The sample papers, and how the embedded extractor reads them."""

from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pytest

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.rules import NO_TEXT, extract_by_rules
from ingather.extraction.template.builtin import BUILTIN_IDS, load_builtin_template
from ingather.extraction.template.values import coerce_value
from ingather.library.parse import parse_in_jail
from tests.extraction.scores import SETS, judge, page_texts, papers, plain, total
from tools.samples import FOLDERS, made

PAPERS = [pytest.param(path, right, id=path.stem) for folder in SETS.values() for path, right in papers(folder)]
READABLE = [paper for paper in PAPERS if paper.id != "rct_scan"]


def raw(content: bytes | Path) -> list[str]:
    """Every page's text as the file holds it, hidden or not."""
    with pypdfium2.PdfDocument(content) as document:
        return [page.get_textpage().get_text_range() for page in document]


def read(path: Path, template: str) -> tuple[list[Row], list[Answer]]:
    return extract_by_rules(load_builtin_template(template).fields, page_texts(path))


def reported(path: Path, template: str) -> dict[str, Any]:
    return {answer.field: answer.value for answer in read(path, template)[1] if answer.state is State.REPORTED}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_files_are_what_their_sources_make(folder: Path) -> None:
    sources = dict(made(folder))

    assert {path.name for path in sources} == {path.name for path in folder.glob("*.pdf")}
    for path, content in sources.items():
        # Another version of the libraries may write other bytes; the words must be the same.
        assert path.read_bytes() == content or raw(path) == raw(content), path.name


def test_there_are_enough_samples_and_they_are_small() -> None:
    assert len(list(SETS["samples"].glob("*.pdf"))) >= 12
    assert len(list(SETS["held_out"].glob("*.pdf"))) >= 4
    for folder in SETS.values():
        assert all(path.stat().st_size < 60_000 for path in folder.glob("*.pdf"))


@pytest.mark.parametrize(("path", "right"), READABLE)
def test_every_page_says_that_the_study_is_fictional(path: Path, right: dict[str, Any]) -> None:
    for page in page_texts(path):
        assert "Fictional sample" in page or "虚构样例" in page


@pytest.mark.parametrize(("path", "right"), PAPERS)
def test_the_right_answers_name_fields_of_the_template_and_words_of_the_text(path: Path, right: dict[str, Any]) -> None:
    text = plain("".join(page_texts(path)))
    for template, scopes in right.items():
        known = {(field.id, field.scope.value) for field in load_builtin_template(template).fields}
        for scope, entries in scopes.items():
            for entry in entries if isinstance(entries, list) else [entries]:
                for name, expected in entry.items():
                    if name == "arm":
                        continue
                    assert (name, scope) in known
                    assert plain(expected.get("phrase", "")) in text, (name, expected)


# The figures that were reached when these were written: see docs/embedded-extractor.md.
@pytest.mark.parametrize(("name", "least_recall"), [("samples", 0.88), ("held_out", 0.78)])
def test_what_it_reports_is_right_and_it_finds_most(name: str, least_recall: float) -> None:
    scores, mistakes = judge(SETS[name])

    assert total(scores).precision >= 0.9, mistakes
    for template in {template for template, _ in scores}:
        assert total(scores, template).precision >= 0.9, mistakes
    assert total(scores).recall >= least_recall, mistakes


@pytest.mark.parametrize("template", BUILTIN_IDS)
@pytest.mark.parametrize(("path", "right"), PAPERS)
def test_every_quote_stands_in_its_page_and_every_value_is_one_of_its_field(
    path: Path, right: dict[str, Any], template: str
) -> None:
    pages = page_texts(path)
    rows, answers = read(path, template)
    fields = load_builtin_template(template)
    keys = {row.key for row in rows} | {""}

    for answer in answers:
        assert answer.row in keys
        assert fields.field(answer.field).is_askable
        if answer.state is State.REPORTED:
            assert answer.page is not None
            assert 0 < len(answer.quote) <= 300
            assert coerce_value(fields.field(answer.field), answer.value) == answer.value
        else:
            assert answer.value is None
        if answer.quote:
            assert answer.page is not None
            assert answer.quote in pages[answer.page]


@pytest.mark.parametrize("template", BUILTIN_IDS)
def test_hidden_instructions_change_nothing(template: str) -> None:
    folder = SETS["samples"]

    assert parse_in_jail(folder / "rct_hidden.pdf").hidden
    assert read(folder / "rct_hidden.pdf", template) == read(folder / "rct_hidden_clean.pdf", template)


def test_the_hidden_text_would_have_been_believed_had_it_been_read() -> None:
    folder = SETS["samples"]

    _, answers = extract_by_rules(load_builtin_template("rct").fields, raw(folder / "rct_hidden.pdf"))

    assert answers != read(folder / "rct_hidden_clean.pdf", "rct")[1]


def test_nothing_is_said_of_a_scan() -> None:
    rows, answers = read(SETS["samples"] / "rct_scan.pdf", "rct")

    assert rows == []
    assert {(answer.state, answer.note) for answer in answers} == {(State.UNCLEAR, NO_TEXT)}


def test_a_letter_that_reports_next_to_nothing_is_not_filled_in() -> None:
    assert set(reported(SETS["samples"] / "letter_brief.pdf", "rct")) == {"title", "publication_year", "journal"}


def test_numbers_that_do_not_agree_are_unclear_and_quoted() -> None:
    _, answers = read(SETS["samples"] / "rct_conflict.pdf", "rct")

    number = next(answer for answer in answers if answer.field == "n_randomised")

    assert (number.state, number.value) == (State.UNCLEAR, None)
    assert "240 patients were randomised" in number.quote
