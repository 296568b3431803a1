"""Which reports are suggested to be of one study: by what they say, with reasons, and never against a person."""

from itertools import combinations

import pytest

from ingather.extraction.studies.likeness import SuggestionKind
from ingather.extraction.studies.report import Clues, ReportType, StudyReport
from ingather.extraction.studies.study_names import named, surname
from ingather.extraction.studies.suggestions import likenesses, suggestions
from tests.extraction.families import families

TITLE = "Stretching for stiff necks: a randomised controlled trial"


def report(number: int, **clues: object) -> StudyReport:
    return StudyReport(
        id=number, study_id=number, sha256=None, file_name="", clues=Clues.from_dict({"title": TITLE, **clues})
    )


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ({"doi": "10.1/A"}, {"doi": "10.1/a"}, SuggestionKind.SAME_REPORT),
        ({"pmid": "123456"}, {"pmid": "123456", "title": "x"}, SuggestionKind.SAME_REPORT),
        ({}, {"title": TITLE.upper() + "."}, SuggestionKind.SAME_REPORT),
        # A preprint and its article have one title and two DOIs: two reports of one study.
        ({"doi": "10.1101/1", "type": "preprint"}, {"doi": "10.1/a"}, SuggestionKind.SAME_STUDY),
        (
            {"registrations": ["NCT00000001"]},
            {"registrations": ["NCT 00000001"], "title": "Costs of stretching"},
            SuggestionKind.SAME_STUDY,
        ),
        (
            {"authors": ["Ole Hansen", "Kim Li", "A Roy"], "sample_size": 120},
            {"authors": ["Hansen O", "Li K"], "sample_size": 120, "title": "Sleep after stretching for stiff necks"},
            SuggestionKind.SAME_STUDY,
        ),
        (
            {"authors": ["Ole Hansen", "Kim Li"]},
            {
                "authors": ["Hansen O", "Li K"],
                "title": "Stretching for stiff necks: study protocol",
                "type": "protocol",
            },
            SuggestionKind.SAME_STUDY,
        ),
    ],
)
def test_reports_that_belong_together_are_suggested(
    one: dict[str, object], other: dict[str, object], kind: SuggestionKind
) -> None:
    [found] = suggestions([report(1, **one), report(2, **other)])
    assert (found.kind, found.report_ids) == (kind, (1, 2))
    assert found.pairs[0].reasons


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The same group and title, but registered as two trials.
        (
            {"authors": ["Ole Hansen"], "registrations": ["NCT00000001"]},
            {"authors": ["Ole Hansen"], "registrations": ["NCT00000002"]},
        ),
        # A pooled report names the numbers of two trials.
        (
            {"registrations": ["NCT00000001"], "title": "Yoga for backs"},
            {"registrations": ["NCT00000001", "NCT00000002"], "title": "Two trials of knees"},
        ),
        ({"authors": ["Ole Hansen"]}, {"authors": ["Kim Li"]}),
        ({"title": "Editorial"}, {"title": "Editorial"}),
        (
            {"authors": ["Ole Hansen", "Kim Li"], "sample_size": 120},
            {"authors": ["Ole Hansen", "Kim Li"], "sample_size": 400, "title": "Stretching for stiff necks at work"},
        ),
        ({"title": "Vitamin D for bones of women, part 1"}, {"title": "Vitamin D for bones of women, part 2"}),
    ],
)
def test_reports_that_only_look_alike_are_not(one: dict[str, object], other: dict[str, object]) -> None:
    assert suggestions([report(1, **one), report(2, **other)]) == []


def test_what_a_person_keeps_apart_is_never_suggested_again_nor_joined_over_a_third() -> None:
    reports = [report(number, doi="", registrations=["NCT00000001"], title=f"Report {number}") for number in (1, 2, 3)]
    [found] = suggestions(reports)
    assert found.report_ids == (1, 2, 3)
    for one in suggestions(reports, [(1, 3)]):
        assert not {1, 3} <= set(one.report_ids)


def test_reports_of_one_study_and_duplicates_are_not_suggested() -> None:
    first, second = report(1, doi="10.1/a"), report(2, doi="10.1/a")
    same_study = StudyReport(id=2, study_id=1, sha256=None, file_name="", clues=second.clues)
    assert suggestions([first, same_study]) == []
    duplicate = StudyReport(id=2, study_id=2, sha256=None, file_name="", clues=second.clues, same_as=1)
    assert suggestions([first, duplicate]) == []


# These seeds are not those that the rules were made on. Figures for papers are in docs/studies.md.
def test_made_up_families_are_found_with_few_mistakes() -> None:
    right = wrong = missed = 0
    for seed in range(100, 105):
        reports, truth = families(80, seed)
        true = {pair for pair in combinations(truth, 2) if truth[pair[0]] == truth[pair[1]]}
        found = {pair for one in suggestions(reports) for pair in combinations(one.report_ids, 2)}
        right, wrong, missed = right + len(found & true), wrong + len(found - true), missed + len(true - found)
    assert right / (right + wrong) >= 0.98
    assert right / (right + missed) >= 0.86


def test_ten_thousand_reports_with_common_names_are_compared() -> None:
    reports, _ = families(4_000, 7)
    assert len(likenesses(reports)) > 1_000


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Smith, John", "Smith"),
        ("Smith JA", "Smith"),
        ("John A. Smith", "Smith"),
        ("J. A. Smith2,3", "Smith"),
        ("van der Berg H", "van der Berg"),
        ("Hans van der Berg", "van der Berg"),
        ("John Smith Jr", "Smith"),
        ("张伟", "张伟"),
        ("Madonna", "Madonna"),
    ],
)
def test_a_printed_name_has_a_surname(author: str, name: str) -> None:
    assert surname(author) == name


def named_studies(*studies: tuple[int, str | None, dict[str, object]]) -> list[str]:
    return [one.name for one in named((number, name, [report(number, **clues)]) for number, name, clues in studies)]


def test_a_study_is_called_by_first_author_and_year_with_letters_where_two_would_clash() -> None:
    smith = {"authors": ["John Smith"], "year": 2021}
    assert named_studies((1, None, smith)) == ["Smith 2021"]
    assert named_studies((1, None, smith), (2, None, smith), (3, None, {"authors": ["Li K"], "year": 2020})) == [
        "Smith 2021a",
        "Smith 2021b",
        "Li 2020",
    ]
    # A name that a person gave stays as it is, and nobody else gets it.
    assert named_studies((1, "Smith 2021a", smith), (2, None, smith), (3, None, smith)) == [
        "Smith 2021a",
        "Smith 2021b",
        "Smith 2021c",
    ]
    assert named_studies((1, None, {"registrations": ["NCT00000001"]})) == ["NCT00000001"]


def test_the_earliest_full_report_gives_a_study_its_name() -> None:
    article = report(2, authors=["Ole Hansen"], year=2019)
    protocol = report(1, authors=["Kim Li"], year=2016, type="protocol")
    [study] = named([(1, None, [protocol, article])])
    assert (study.name, ReportType.PROTOCOL) == ("Hansen 2019", protocol.clues.type)
