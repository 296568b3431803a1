"""Which paper it is: from the whole first page, and never the masthead or another paper."""

import pytest

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.rules.coverage import PART_NOT_READ, SPOKEN_OF
from ingather.extraction.rules.kind import NOT_A_COHORT, NOT_A_TRIAL
from ingather.extraction.template.builtin import load_builtin_template
from ingather.library.port import PrintedLine

PROSE = "The study was planned with care, and these lines are about nothing that a rule would look for. " * 14


def answers(page: str, sizes: dict[str, float] | None = None, template: str = "rct") -> dict[str, Answer]:
    """The answers for one page; `sizes` gives the type of lines that begin so, and 9 points are all others."""
    printed, start = [], 0
    for line in page.split("\n") if sizes is not None else ():
        size = next((size for head, size in (sizes or {}).items() if line.startswith(head)), 9.0)
        printed.append(PrintedLine(start=start, end=start + len(line), size=size))
        start += len(line) + 1
    _, found = extract_by_rules(load_builtin_template(template).fields, [page], first_page=printed)
    return {answer.field: answer for answer in found if not answer.row}


def lines(*first: str) -> str:
    return "\n".join((*first, *(f"{PROSE[n : n + 90]}" for n in range(0, 900, 90))))


def test_the_title_is_what_is_set_largest_and_a_masthead_is_none() -> None:
    page = lines(
        "The Journal of Made-Up Medicine", "ORIGINAL ARTICLE", "Lozenges and the common cold: a", "randomised trial†",
        "A. Body and N. Body",
    )  # fmt: skip
    sizes = {"The Journal": 30.0, "ORIGINAL": 20.0, "Lozenges": 18.0, "randomised trial": 18.0}

    found = answers(page, sizes)["title"]

    assert found.value == "Lozenges and the common cold: a randomised trial"
    assert found.quote.startswith("Lozenges and the common cold: a\nrandomised trial")


def test_a_page_in_one_size_of_type_has_no_title() -> None:
    assert answers(lines("Some words about this and that"), {})["title"].state is not State.REPORTED


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ("10.5555/abc.123", "J Made Up 2011;3:5. doi: 10.5555/abc.123."),
        ("10.5555/S0140-6736(15)00257-3", "http://dx.doi.org/10.5555/\nS0140-6736(15)00257-3"),
        ("10.5555/abc.123", "See page 7 for the editorial (doi: 10.5555/abc.999).\ndoi:10.5555/abc.123"),
        ("10.5555/abc.123", "Cite this article as: https://doi.org/10.5555/abc.123 and data at 10.5061/dryad.1"),
    ],
)
def test_the_doi_is_that_of_the_paper(expected: str, line: str) -> None:
    assert answers(lines("A title of some words", line))["doi"].value == expected


def test_two_dois_alike_are_unclear() -> None:
    page = lines("A title of some words", "doi:10.5555/abc.123", "doi:10.5555/xyz.456")

    assert answers(page)["doi"].state is State.UNCLEAR


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["NCT01234567"], "Abstract\nMethods: We gave zinc. Registered at ClinicalTrials.gov (NCT 01234567)."),
        (["ISRCTN12345678"], "Abstract\nResults: It was well. Trial registration: ISRCTN12345678"),
        (["2008-007149-30", "NCT02369081"],
         "Abstract\nFunding: None. Registered: EudraCT number 2008-007149-30, and number NCT02369081."),
    ],
)  # fmt: skip
def test_registrations_are_those_of_the_study(expected: list[str], text: str) -> None:
    assert answers(lines(text))["registration_id"].value == expected


def test_the_registration_of_another_study_is_none() -> None:
    page = lines("Abstract\nMethods: We gave zinc.", "Methods", "Ongoing trials such as ZINC (NCT01234567) differ.")

    assert answers(page)["registration_id"].state is not State.REPORTED


def test_a_review_is_recognised_and_no_field_of_a_trial_is_answered() -> None:
    text = "We pooled 9 trials. 3269 people were randomised."
    page = f"# Zinc for the common cold: a systematic review\n## Abstract\n{text} {PROSE}"

    found = answers(page)

    assert (found["n_randomised"].state, found["n_randomised"].note) == (State.UNCLEAR, NOT_A_TRIAL)
    assert "systematic review" in found["n_randomised"].quote


def test_a_trial_is_no_cohort() -> None:
    page = f"# Zinc for the common cold: a randomised trial\n## Abstract\nPatients were randomised. {PROSE}"

    assert answers(page, template="cohort")["cohort_type"].note == NOT_A_COHORT


def test_headings_of_markdown_open_the_parts_of_a_paper() -> None:
    methods = f"{PROSE}\nThe list was computer-generated for randomisation."
    page = f"# Zinc and colds: a randomised trial\n\n## Methods\n\n{methods}\n\n## Results\n\nWell."

    assert answers(page)["sequence_method"].value == "computer"


def test_silence_is_a_finding_only_where_the_part_was_read_and_does_not_speak_of_it() -> None:
    read = f"# Zinc and colds: a randomised trial\n## Methods\n{PROSE}\n## Results\n{PROSE}"

    assert answers(read)["blind_participants"].state is State.NOT_REPORTED
    assert answers(read.replace("## Methods", ""))["blind_participants"].note == PART_NOT_READ
    spoken = answers(read + "\nMasking was hard to keep up.")["blind_participants"]
    assert (spoken.state, spoken.note, spoken.quote) == (State.UNCLEAR, SPOKEN_OF, "Masking was hard to keep up.")


def test_words_of_a_flow_chart_are_no_sentences() -> None:
    chart = "Assessed for eligibility (n = 500)\nExcluded (n = 300)\nRandomised (n = 200)\nZinc (n = 100)\n"
    page = f"## Methods\n{lines()}\n{chart}Figure 1. Flow of patients.\n{lines()}"

    assert all("(n = 300)" not in answer.quote for answer in answers(page).values())
