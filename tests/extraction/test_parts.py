"""How a document is cut for a model that cannot take it whole. Nothing may fall between two parts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingather.extraction.conversation.parts import LONGEST_PIECE, PagePiece, document_parts
from ingather.extraction.provider import estimate_tokens

TERMS = "\n" + "word " * 400
BODY = [f"Abstract\n120 people.{TERMS}", f"Methods\nBy computer.{TERMS}", f"Results\nPain fell by 2.1.{TERMS}"]
LIST = "References\n" + "\n".join(f"{n}. Somebody et al. Something. J Things 2001." for n in range(40))


def text(found: list[list[PagePiece]]) -> str:
    return "".join(piece.text for part in found for piece in part)


def tokens(part: list[PagePiece]) -> int:
    return sum(estimate_tokens(piece.text) for piece in part)


def test_a_document_within_the_budget_is_one_part_as_it_is() -> None:
    assert document_parts([*BODY, LIST], 60_000) == [
        [PagePiece(page=n, text=page) for n, page in enumerate([*BODY, LIST])]
    ]


def test_the_list_of_references_goes_first() -> None:
    pages = [*BODY, LIST]
    [part] = document_parts(pages, sum(map(estimate_tokens, pages)) - 50)
    assert [piece.page for piece in part] == [0, 1, 2], "the page with nothing else on it is gone"


@pytest.mark.parametrize(
    "after",
    [
        "Appendix\nDoses by week.",
        "Appendix A\nDoses by week.",
        "Table 1. Characteristics of 120 people.",
        "Table 2\nPain at 12 weeks: 2.1",
        "Supplementary Table S1: Harms.",
        "Figure 1. Flow of 120 people.",
        "Tables\nTable 1",
        "Funding\nNobody paid.",
        "Acknowledgments\nTo all.",
        "表 2 结局指标",
        "附录\n剂量",
    ],
)
def test_what_follows_the_references_stays(after: str) -> None:
    pages = [*BODY, f"{LIST}\n{after}"]
    [part] = document_parts(pages, sum(map(estimate_tokens, pages)) - 50)
    assert part[-1] == PagePiece(page=len(pages) - 1, text=after)


@pytest.mark.parametrize(
    "heading",
    ["References", "REFERENCES", "7. References", "Bibliography:", "Literature cited", "参考文献", "参 考 文 献"],
)
def test_a_list_of_references_is_known_by_its_heading(heading: str) -> None:
    pages = [*BODY, LIST.replace("References", heading, 1)]
    [part] = document_parts(pages, sum(map(estimate_tokens, pages)) - 50)
    assert heading not in text([part])


def test_a_heading_early_on_is_no_reason_to_drop_the_paper() -> None:
    pages = ["References\nare in the supplement.", "word " * 4_000]
    assert text(document_parts(pages, 2_000)) == "".join(pages)


def test_only_the_last_list_of_references_goes() -> None:
    pages = ["Contents\nReferences\nAppendix", *BODY, LIST]
    [part] = document_parts(pages, sum(map(estimate_tokens, pages)) - 50)
    assert "Contents\nReferences\nAppendix" in text([part])


def test_parts_begin_with_sections_where_they_can() -> None:
    sections = [f"{name}\n{'word ' * 1_000}" for name in ("Abstract", "Methods", "Results", "Discussion")]
    found = document_parts(sections, 1_500)
    assert [part[0].text.split("\n")[0] for part in found] == ["Abstract", "Methods", "Results", "Discussion"]


def test_a_section_may_begin_in_the_middle_of_a_page() -> None:
    page = f"Methods\n{'word ' * 1_000}\nResults\n{'word ' * 1_000}"
    found = document_parts([page], 1_500)
    assert [(part[0].page, part[0].text.split("\n")[0]) for part in found] == [(0, "Methods"), (0, "Results")]


@pytest.mark.parametrize("budget", [600, 2_000, 7_000])
@pytest.mark.parametrize("page", ["word " * 9_000, "患者随机分组。" * 3_000, "line of a table 12.5\n" * 2_000])
def test_no_part_is_larger_than_the_budget_and_nothing_is_lost(page: str, budget: int) -> None:
    found = document_parts([page, page], budget)
    assert max(map(tokens, found)) <= budget
    assert text(found) == page * 2
    assert [piece.page for part in found for piece in part] == sorted(piece.page for part in found for piece in part)


def test_no_number_is_cut_in_two() -> None:
    page = " ".join(str(n) for n in range(100_000, 110_000))
    cuts = [part[-1].text[-1] for part in document_parts([page], 600)[:-1]]
    assert set(cuts) == {" "}


def test_a_text_without_any_place_to_cut_is_cut_all_the_same() -> None:
    found = document_parts(["x" * (3 * LONGEST_PIECE)], 1_000)
    assert len(text(found)) == 3 * LONGEST_PIECE
    assert max(map(tokens, found)) <= 1_000


@given(st.lists(st.text(st.sampled_from("ab \n.文"), max_size=300), max_size=4), st.integers(0, 200))
def test_without_references_every_character_is_in_one_part(pages: list[str], budget: int) -> None:
    found = document_parts(pages, budget)
    by_page = dict.fromkeys(range(len(pages)), "")
    for piece in (piece for part in found for piece in part):
        by_page[piece.page] += piece.text
    assert [re.sub(r"\s", "", by_page[n]) for n in by_page] == [re.sub(r"\s", "", page) for page in pages]


def test_a_document_without_pages_is_one_empty_part() -> None:
    assert document_parts([], 100) == [[]]
