"""A review's own questions in tasks: asked, answered by outcome and arm, reviewed, hung on other arms, and pooled."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import IngatherError, UsageError
from ingather.extraction.errors import Outrun
from ingather.extraction.findings import Action, ArmRole, DocumentArm, Finding, Reason, State, Verdict
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.tasks.follow_up import FollowUp
from ingather.extraction.template import ReviewQuestions, Template, TemplateError
from tests.extraction.desk import Bench, paper
from tests.extraction.test_task import Scene, drain
from tests.provider.reader import answer as read_answer

ANNA, BEN = Reviewer(name="Anna"), Reviewer(name="Ben")
TABLE = """
A trial of aspirin against placebo in people with atrial fibrillation.

Table 1. Outcomes of paper {n}.

| | Aspirin (n = 4{n}) | Placebo (n = 44) |
|---|---|---|
| Stroke | 12 | 9 |
| Pain score, mean (SD) | 8.2 (3.1) | 7.9 (2.8) |
"""
GROUPS = """
People were divided into two groups.

Table 1. Outcomes.

| | Group A (n = 45) | Group B (n = 44) |
|---|---|---|
| Stroke, n (%) | 12 (26.7) | 9 (20.5) |
"""
QUESTIONS = ReviewQuestions.from_dict(
    {
        "comparisons": [
            {
                "id": "c1",
                "intervention": {"name": "acetylsalicylic acid", "other_names": ["aspirin"]},
                "comparator": {"name": "placebo"},
            }
        ],
        "outcomes": [
            {
                "id": "stroke",
                "name": "apoplexy",
                "other_names": ["stroke"],
                "kind": "binary",
                "direction": "lower_better",
            },
            {"id": "pain", "name": "pain score", "kind": "continuous"},
            {"id": "death", "name": "death", "kind": "binary"},
        ],
    }
)
STROKE, PAIN, DEATH = "question/c1/stroke", "question/c1/pain", "question/c1/death"


def table_paper(n: int = 5) -> str:
    return TABLE.format(n=n).replace("| Stroke | 12 | 9 |", "| Stroke, n | 12 | 9 |")


def started(bench: Bench, texts: list[str], questions: ReviewQuestions = QUESTIONS) -> int:
    if questions:
        bench.extraction.change_questions(bench.project, questions, seen=0)
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add(texts), field_ids=["title"])
    drain(bench)
    return task.id


def cells(bench: Bench, task_id: int, row: str, ordinal: int = 0) -> dict[str, Finding]:
    return {one.field: one for one in bench.extraction.result(task_id, ordinal).findings if one.row == row}


def values(bench: Bench, task_id: int, row: str, ordinal: int = 0) -> dict[str, Any]:
    found = cells(bench, task_id, row, ordinal)
    return {field.removeprefix("question_"): one.value for field, one in found.items()}


@pytest.fixture
def bench(url: str, tmp_path: Path) -> Iterator[Bench]:
    engine = Engine(url, lease=1)
    yield Bench(engine, tmp_path).open()
    engine.close()


@pytest.fixture
def scene(url: str, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(url, tmp_path)
    yield made
    made.close()


def test_each_question_is_a_row_with_the_numbers_of_both_arms_and_their_cells(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    assert values(bench, task, STROKE) == {"events_1": 12, "n_1": 45, "events_2": 9, "n_2": 44}
    assert values(bench, task, PAIN) == {"mean_1": 8.2, "sd_1": 3.1, "n_1": 45, "mean_2": 7.9, "sd_2": 2.8, "n_2": 44}
    events = cells(bench, task, STROKE)["question_events_2"]
    assert events.cell is not None
    assert (events.verdict, events.quote, events.cell.row_path) == (Verdict.VERIFIED, "9", ("Stroke, n",))
    assert (events.cell.label, events.cell.column_path) == ("Table 1", ("Placebo (n = 44)",))
    size = cells(bench, task, STROKE)["question_n_2"].cell
    assert size is not None
    assert (size.row, size.column) == (0, 2)


def test_what_no_table_gives_is_said_per_question(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    found = cells(bench, task, DEATH)
    assert {one.state for one in found.values()} == {State.UNCLEAR}
    assert all(one.is_open and "No table and no sentence" in one.note for one in found.values())


def test_without_questions_nothing_is_added(bench: Bench) -> None:
    task = started(bench, [table_paper()], ReviewQuestions())
    found = bench.extraction.result(task, 0)
    assert [one.field for one in found.findings] == ["title"]
    assert found.arms == ()


def test_a_task_keeps_the_questions_it_started_with(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    assert bench.extraction.questions(bench.project) == (QUESTIONS, 1)
    assert bench.extraction.change_questions(bench.project, ReviewQuestions(), seen=1) == 2
    template = bench.extraction.template_of(bench.extraction.task(task))
    assert template.questions == QUESTIONS


def test_of_two_who_change_the_questions_at_once_one_must_look_again(bench: Bench) -> None:
    bench.extraction.change_questions(bench.project, QUESTIONS, seen=0)
    for seen in (0, 7):
        with pytest.raises(Outrun, match="meanwhile"):
            bench.extraction.change_questions(bench.project, ReviewQuestions(), seen=seen)
    assert bench.extraction.questions(bench.project) == (QUESTIONS, 1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"comparisons": [{"id": "C 1", "intervention": {"name": "a"}, "comparator": {"name": "b"}}]}, "is none"),
        ({"comparisons": [{"id": "c1", "intervention": {"name": " "}, "comparator": {"name": "b"}}]}, "1 to 200"),
        ({"outcomes": [{"id": "o1", "name": "a", "kind": "ordinal"}]}, "binary / continuous"),
        ({"outcomes": [{"id": "o1", "name": "a", "kind": "binary"}] * 2}, "the id 'o1'"),
        ({"outcomes": [{"id": "o1", "name": "a", "kind": "binary", "other_names": [*ascii_lowercase]}]}, "at most 20"),
        ({"outcomes": "stroke"}, "are lists"),
        ({"questions": []}, "another form"),
    ],
)  # fmt: skip
def test_questions_that_make_no_sense_are_refused_with_a_sentence(change: dict[str, Any], says: str) -> None:
    with pytest.raises(TemplateError, match=re.escape(says)):
        ReviewQuestions.from_dict(change)


def test_too_many_questions_are_refused() -> None:
    many = {
        "comparisons": [{"id": f"c{n}", "intervention": {"name": "a"}, "comparator": {"name": "b"}} for n in range(10)],
        "outcomes": [{"id": f"o{n}", "name": "x", "kind": "binary"} for n in range(21)],
    }
    with pytest.raises(TemplateError, match="at most 200"):
        ReviewQuestions.from_dict(many)


def test_numbers_are_accepted_corrected_and_refused_like_any_finding(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    review = bench.extraction.review
    review(task, 0, Decision(row=STROKE, field="question_events_1", action=Action.ACCEPTED), ANNA)
    review(task, 0, Decision(row=STROKE, field="question_n_1", action=Action.EDITED, value="46"), ANNA)
    review(task, 0, Decision(row=STROKE, field="question_n_2", action=Action.REJECTED), ANNA)
    review(task, 0, Decision(row=DEATH, field="question_events_1", action=Action.EDITED, value=3), ANNA)
    found = cells(bench, task, STROKE)
    assert found["question_events_1"].is_reviewed
    assert (found["question_n_1"].value, found["question_n_1"].extracted is not None) == (46, True)
    assert found["question_n_2"].state is State.REJECTED
    assert cells(bench, task, DEATH)["question_events_1"].value == 3


def test_a_check_speaks_of_events_that_exceed_n(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    edited = Decision(row=STROKE, field="question_n_1", action=Action.EDITED, value=10)
    found = bench.extraction.review(task, 0, edited, ANNA)
    assert [(flag.rule, flag.row) for flag in found.flags] == [("question_events_1_within_n", STROKE)]


def test_a_finished_review_gives_pools_and_an_analysis_set_without_retyping(bench: Bench) -> None:
    task = started(bench, [table_paper(5), table_paper(6)])
    accepted, _ = bench.extraction.accept_verified(task, [0, 1], ANNA)
    assert accepted >= 20
    found, _ = bench.extraction.analysis(task, only_reviewed=True)
    assert {(pool.outcome, len(pool.lines)) for pool in found.pools} == {
        ("apoplexy: acetylsalicylic acid / placebo", 2),
        ("pain score: acetylsalicylic acid / placebo", 2),
    }
    assert all(one.is_reviewed for one in found.comparisons)
    # The outcome that nothing was found of is refused, with the cell to mend.
    assert {(one.row, one.field) for one in found.refused} == {(DEATH, "question_events_1")}
    out = io.BytesIO()
    bench.extraction.export(task, "analysis", out, only_reviewed=True)
    with zipfile.ZipFile(out) as archive:
        proof = archive.read("proof.csv").decode("utf-8-sig")
        comparisons = archive.read("comparisons.csv").decode("utf-8-sig")
    assert "Table 1" in proof
    assert "Placebo (n = 44)" in proof
    assert comparisons.count("apoplexy") == 2


def test_exports_have_the_questions_and_a_sheet_by_outcome_and_arm(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    out = io.BytesIO()
    bench.extraction.export(task, "csv-tables", out)
    with zipfile.ZipFile(out) as archive:
        sheets = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    lines = sheets["questions.csv"].splitlines()
    assert "Outcome,Time,Intervention,Comparator,question_events_1" in lines[0]
    assert "apoplexy,,acetylsalicylic acid,placebo,12,not applicable,not applicable,45,9" in lines[1]
    assert "death,,acetylsalicylic acid,placebo,not found" in lines[3]
    assert "apoplexy (stroke); binary; lower_better" in sheets["settings.csv"]
    assert "acetylsalicylic acid (aspirin) / placebo" in sheets["settings.csv"]
    plain = io.BytesIO()
    bench.extraction.export(task, "json", plain)
    assert Template.from_dict(json.loads(plain.getvalue())["template"]).questions == QUESTIONS


def test_two_comparisons_of_one_outcome_are_not_pooled_together(bench: Bench) -> None:
    plain = QUESTIONS.to_dict()
    plain["comparisons"] = [*plain["comparisons"], {**plain["comparisons"][0], "id": "c2"}]
    plain["comparisons"][1]["intervention"] = {"name": "aspirin", "other_names": []}
    task = started(bench, [table_paper(5), table_paper(6)], ReviewQuestions.from_dict(plain))
    strokes = [pool for pool in bench.extraction.analysis(task)[0].pools if pool.outcome.startswith("apoplexy")]
    assert {pool.outcome for pool in strokes} == {
        "apoplexy: acetylsalicylic acid / placebo",
        "apoplexy: aspirin / placebo",
    }


# --- arms -------------------------------------------------------------------------------------------------------------

MENDED = [
    DocumentArm(name="Group A", role=ArmRole.COMPARATOR, n="45"),
    DocumentArm(name="Group B", role=ArmRole.INTERVENTION, n="44"),
]


def test_the_arms_of_a_document_are_listed_with_role_n_and_names(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    arms = bench.extraction.result(task, 0).arms
    assert [(arm.name, arm.role, arm.n) for arm in arms] == [
        ("Aspirin", ArmRole.INTERVENTION, "45"),
        ("Placebo", ArmRole.COMPARATOR, "44"),
    ]
    assert cells(bench, task, "")["question_arms"].value == [
        "Aspirin (N = 45): intervention",
        "Placebo (N = 44): comparator",
    ]


def test_mending_the_arms_hangs_the_numbers_anew(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    assert values(bench, task, STROKE)["events_1"] is None
    bench.extraction.mend_arms(task, 0, MENDED, ANNA)
    assert values(bench, task, STROKE) == {"events_1": 9, "n_1": 44, "events_2": 12, "n_2": 45}
    found = bench.extraction.result(task, 0)
    assert found.arms == tuple(MENDED)
    assert not cells(bench, task, STROKE)["question_events_1"].is_reviewed
    [review] = bench.extraction.reviews(task, 0)
    assert (review.field, review.action, review.reviewer) == ("question_arms", Action.EDITED, "Anna")


def test_taking_a_list_of_arms_back_brings_back_what_stood_before(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    before = bench.extraction.result(task, 0).findings
    bench.extraction.mend_arms(task, 0, MENDED, ANNA)
    bench.extraction.review(task, 0, Decision(row="", field="question_arms", action=Action.WITHDRAWN, seen=1), ANNA)
    assert bench.extraction.result(task, 0).findings == before
    assert len(bench.extraction.reviews(task, 0)) == 2


def test_a_review_of_a_number_speaks_for_no_other_number_after_mending(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    bench.extraction.mend_arms(task, 0, MENDED, ANNA)
    bench.extraction.review(task, 0, Decision(row=STROKE, field="question_events_1", action=Action.ACCEPTED), ANNA)
    swapped = [
        DocumentArm(name="Group A", role=ArmRole.INTERVENTION),
        DocumentArm(name="Group B", role=ArmRole.COMPARATOR),
    ]
    bench.extraction.mend_arms(task, 0, swapped, ANNA, seen=1)
    found = cells(bench, task, STROKE)["question_events_1"]
    assert (found.value, found.is_outdated, found.is_reviewed) == (12, True, False)


def test_of_two_who_mend_the_arms_at_once_one_must_look_again(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    bench.extraction.mend_arms(task, 0, MENDED, ANNA)
    with pytest.raises(Outrun, match="Anna"):
        bench.extraction.mend_arms(task, 0, [MENDED[0]], BEN)


@pytest.mark.parametrize(
    ("arms", "says"),
    [
        ([], "1 to 20"),
        ([DocumentArm(name=" ")], "cannot be the name"),
        ([DocumentArm(name="Aspirin"), DocumentArm(name="B", other_names=("aspirin",))], "there twice"),
        ([DocumentArm(name="Aspirin", n="many")], "no number of people"),
    ],
)
def test_a_list_of_arms_that_makes_no_sense_is_refused(bench: Bench, arms: list[DocumentArm], says: str) -> None:
    task = started(bench, [GROUPS])
    with pytest.raises(UsageError, match=says):
        bench.extraction.mend_arms(task, 0, arms, ANNA)


def test_arms_are_not_edited_as_lines_of_text(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    with pytest.raises(UsageError, match="as a list"):
        bench.extraction.review(
            task, 0, Decision(row="", field="question_arms", action=Action.EDITED, value=["A"]), ANNA
        )


def test_a_follow_up_takes_numbers_and_mended_arms_over(bench: Bench) -> None:
    task = started(bench, [GROUPS])
    bench.extraction.mend_arms(task, 0, MENDED, ANNA)
    after, _ = bench.extraction.start_follow_up(FollowUp(task_id=task, field_ids=("n_randomised",)))
    drain(bench)
    assert values(bench, after.id, STROKE)["events_1"] == 9
    assert bench.extraction.result(after.id, 0).arms == tuple(MENDED)


# --- models ----------------------------------------------------------------------------------------------------------

CELL = re.compile(r"(t\d+r\d+c\d+): ([^|\n]*)")


def naming(one: str, two: str, **typed: Any) -> Any:
    """A model that answers the interview as usual, and names the cells with these texts, or these ids, for stroke."""

    def answer(body: dict[str, Any]) -> Any:
        text = "\n".join(str(message["content"]) for message in body["messages"])
        if "name the cells" not in text:
            return read_answer(body)
        ids = {value.strip(): name for name, value in CELL.findall(text)}
        empty = dict.fromkeys(("events", "n", "mean", "sd"))
        sides = {
            side: {"cells": [ids.get(cell, cell)], **empty, **typed.get(side, {})}
            for side, cell in (("intervention", one), ("comparator", two))
        }
        return {"answers": [{"id": STROKE, "state": "reported", **sides}]}

    return answer


# The row below says some of this and too little for the rules, so a model alone can answer.
STRONG = ReviewQuestions.from_dict(
    QUESTIONS.to_dict()
    | {"outcomes": [{"id": "stroke", "name": "disabling ischaemic stroke confirmed by imaging", "kind": "binary"}]}
)
LOSS = """
A trial of aspirin against placebo.

Table 1. Outcomes.

| | Aspirin (n = 45) | Placebo (n = 44) |
|---|---|---|
| Stroke | 12 (26.7) | 9 (20.5) |
| Bleeding | 3 (6.7) | 4 (9.1) |

Table 2. Other outcomes.

| | Aspirin (n = 45) | Placebo (n = 44) |
|---|---|---|
| Nausea | 5 (11.1) | 7 (15.9) |
"""


def test_the_numbers_of_a_task_are_read_from_the_cells_that_a_model_names(scene: Scene) -> None:
    bench, provider = scene(answerer=naming("12 (26.7)", "9 (20.5)"))
    task = started(bench, [LOSS], STRONG)
    found = cells(bench, task, STROKE)
    assert {name.removeprefix("question_"): one.value for name, one in found.items()} == {
        "events_1": 12, "n_1": 45, "events_2": 9, "n_2": 44,
    }  # fmt: skip
    assert {one.source for one in found.values()} == {"test-model"}
    # The labels say too little of the outcome for anybody to believe it without a look.
    assert {(one.verdict, one.reason) for one in found.values()} == {(Verdict.UNBOUND, Reason.NO_SUBJECT)}
    # The call is in the ledger like every other one.
    assert bench.extraction.status(task).spent.calls == len(provider.calls)


@pytest.mark.parametrize(
    ("answerer", "says"),
    [
        (naming("t1r9c1", "9 (20.5)"), "not there"),
        (naming("12 (26.7)", "7 (15.9)"), "several tables"),
        (naming("9 (20.5)", "12 (26.7)"), "other arm"),
        (naming("5 (11.1)", "7 (15.9)"), "do not name the outcome"),
        (naming("12 (26.7)", "9 (20.5)", intervention={"events": "13"}), "typed events = '13'"),
    ],
    ids=["unknown cell", "other table", "other arm", "other outcome", "contradicting number"],
)
def test_a_cell_that_the_labels_contradict_answers_nothing(scene: Scene, answerer: Any, says: str) -> None:
    bench, _ = scene(answerer=answerer)
    task = started(bench, [LOSS], STRONG)
    found = cells(bench, task, STROKE)
    assert {one.value for one in found.values()} == {None}, "the rules alone must not answer this one"
    assert all(says in one.note for one in found.values())


def test_mending_the_arms_reads_a_models_cells_again_and_asks_nobody(scene: Scene) -> None:
    bench, provider = scene(answerer=naming("12 (26.7)", "9 (20.5)"))
    task = started(bench, [GROUPS])
    assert values(bench, task, STROKE)["events_1"] is None
    calls = len(provider.calls)
    mended = [
        DocumentArm(name="Group A", role=ArmRole.INTERVENTION),
        DocumentArm(name="Group B", role=ArmRole.COMPARATOR),
    ]
    bench.extraction.mend_arms(task, 0, mended, ANNA)
    assert values(bench, task, STROKE) == {"events_1": 12, "n_1": 45, "events_2": 9, "n_2": 44}
    assert len(provider.calls) == calls


def test_an_answer_that_cannot_be_read_leaves_the_question_to_the_rules(scene: Scene) -> None:
    def answer(body: dict[str, Any]) -> Any:
        text = "\n".join(str(message["content"]) for message in body["messages"])
        return read_answer(body) if "name the cells" not in text else {"answers": "none"}

    bench, _ = scene(answerer=answer)
    task = started(bench, [table_paper(), paper(1)])
    assert values(bench, task, STROKE)["events_1"] == 12
    assert bench.extraction.status(task).progress.completed == 2


def test_an_estimate_counts_the_calls_for_questions(scene: Scene) -> None:
    bench, _ = scene()
    documents = bench.add([table_paper(), table_paper(6)])
    for document in documents:
        bench.library.read(bench.library.document(document).sha256)
    without, _, _ = bench.extraction.estimate(bench.project, "rct", documents, field_ids=["title"])
    bench.extraction.change_questions(bench.project, QUESTIONS, seen=0)
    counted, _, _ = bench.extraction.estimate(bench.project, "rct", documents, field_ids=["title"])
    assert (counted.calls.low, counted.calls.high) == (without.calls.low, without.calls.high + 2)
    assert counted.tokens_in.high > without.tokens_in.high


def test_a_cell_of_the_papers_table_is_taken_as_a_value_with_the_cell_as_its_evidence(bench: Bench) -> None:
    task = started(bench, [table_paper()])
    decision = Decision(row=DEATH, field="question_events_2", action=Action.EDITED)
    bench.extraction.take_cell(task, 0, decision, (0, 1, 2), ANNA)
    found = cells(bench, task, DEATH)["question_events_2"]
    assert (found.value, found.is_reviewed) == (9, True)
    assert found.standing_cell is not None
    assert (found.standing_cell.row_path, found.standing_cell.column_path) == (("Stroke, n",), ("Placebo (n = 44)",))
    out = io.BytesIO()
    bench.extraction.export(task, "csv", out, only_reviewed=True)
    assert "Placebo (n = 44)" in out.getvalue().decode("utf-8-sig")


@pytest.mark.parametrize(
    ("field", "row", "column", "value"),
    [
        ("question_n_1", 0, 1, 45),
        ("question_mean_1", 2, 1, 8.2),
        ("question_sd_1", 2, 1, 3.1),
    ],
)
def test_a_taken_cell_gives_the_part_that_the_field_asks_for(
    bench: Bench, field: str, row: int, column: int, value: float
) -> None:
    task = started(bench, [table_paper()])
    bench.extraction.take_cell(task, 0, Decision(row=PAIN, field=field, action=Action.EDITED), (0, row, column), ANNA)
    assert cells(bench, task, PAIN)[field].value == value


@pytest.mark.parametrize(
    ("at", "says"), [((0, 9, 1), "no such cell"), ((3, 0, 0), "no such cell"), ((0, 1, 0), "holds no value")]
)
def test_a_cell_that_is_not_there_or_holds_no_number_is_refused(
    bench: Bench, at: tuple[int, int, int], says: str
) -> None:
    task = started(bench, [table_paper()])
    with pytest.raises(IngatherError, match=says):
        bench.extraction.take_cell(task, 0, Decision(row=PAIN, field="question_mean_1", action=Action.EDITED), at, ANNA)
