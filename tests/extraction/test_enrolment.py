"""People enrolled count as randomised in the abstract of a randomised trial, and nowhere else."""

from ingather.extraction.findings import EMBEDDED, Answer, Finding, Reason, State, Verdict
from ingather.extraction.proof.assess import assess
from ingather.extraction.template.builtin import load_builtin_template

TEMPLATE = load_builtin_template("rct")
ENROLLED = "Between 2004 and 2006, 259 patients were enrolled and 240 were evaluable."
RANDOMISED = "Zinc and placebo were compared in a randomised trial of adults with a cold. "
OPEN = "Zinc was given to adults with a cold, and we saw what became of them. "


def found(pages: list[str], value: int = 259) -> Finding:
    answer = Answer(field="n_randomised", state=State.REPORTED, value=value, quote=ENROLLED, page=len(pages) - 1)
    findings, _flags = assess(TEMPLATE, pages, [], [answer], source=EMBEDDED)
    return next(one for one in findings if one.field == "n_randomised")


def test_people_enrolled_are_those_randomised_where_the_abstract_says_that_it_is_a_randomised_trial() -> None:
    assert found([RANDOMISED + ENROLLED]).verdict is Verdict.VERIFIED


def test_those_evaluable_are_not_those_randomised() -> None:
    assert found([RANDOMISED + ENROLLED], value=240).verdict is Verdict.UNBOUND


def test_people_enrolled_prove_nothing_where_nothing_says_that_they_were_randomised() -> None:
    finding = found([OPEN + ENROLLED])

    assert (finding.verdict, finding.reason) == (Verdict.UNBOUND, Reason.NO_CUE)


def test_people_enrolled_prove_nothing_in_a_part_of_a_trial() -> None:
    assert found([RANDOMISED + "This is a substudy. " + ENROLLED]).verdict is Verdict.UNBOUND


def test_people_enrolled_prove_nothing_in_the_results_of_a_whole_paper() -> None:
    body = "Adults were seen every week by the same nurse. " * 160
    pages = [f"Abstract\n{RANDOMISED}\nIntroduction\n{body}", f"Results\n{ENROLLED}"]

    assert found(pages).verdict is Verdict.UNBOUND
