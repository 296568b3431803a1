"""What stands after people have looked, and what they may say: pure, so the cases are the specification."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.errors import NotFound, Outrun
from ingather.extraction.findings import (
    FIRST_CHECKS,
    Action,
    DocumentResult,
    Finding,
    Flag,
    Review,
    Row,
    State,
    Value,
    Verdict,
)
from ingather.extraction.judgements.checks import run_template_checks
from ingather.extraction.judgements.judgements import compute_judgements
from ingather.extraction.proof.assess import RECOGNISED, assessed_in_order
from ingather.extraction.reviewing.deciding import Decision, Judged, decide_on_verified, decided_review
from ingather.extraction.reviewing.standing import fingerprint, reviewed, standing
from ingather.extraction.template import Template, load_builtin_template

RCT = load_builtin_template("rct")
QC = load_builtin_template("qc")
ROWS = (Row(scope="arm", key="arm/1", label="Drug", parts={}), Row(scope="arm", key="arm/2", label="Sham", parts={}))


def finding(field: str, value: Value, row: str = "", **more: Any) -> Finding:
    values: dict[str, Any] = {
        "field": field,
        "row": row,
        "state": State.REPORTED if value is not None else State.NOT_REPORTED,
        "value": value,
        "quote": "so it says",
        "verdict": Verdict.VERIFIED,
        "spans": (),
        "source": "test-model",
    }
    return Finding(**values | more)


def paper(*findings: Finding, template: Template = RCT, rows: tuple[Row, ...] = ROWS, **more: Any) -> DocumentResult:
    """As extraction leaves a document: judgements computed and checks run."""
    found = assessed_in_order(template, rows, [*findings, *compute_judgements(template, rows, findings)])
    values: dict[str, Any] = {
        "ordinal": 0,
        "document_id": 7,
        "file_name": "a.pdf",
        "sha256": "ab",
        "state": "completed",
        "rows": rows,
        "findings": tuple(found),
        "flags": tuple(run_template_checks(template, rows, found)),
    }
    return DocumentResult(**values | more)


class Desk:
    """A document and its reviews, one after the other."""

    def __init__(self, found: DocumentResult, template: Template = RCT) -> None:
        self.found = found
        self.template = template
        self.reviews: list[Review] = []

    def say(
        self, field: str, action: Action, value: object = None, row: str = "", by: str = "ann", **more: Any
    ) -> None:
        at = self.at(field, row)
        seen = more.pop("seen", at.review.revision if at and at.review else 0)
        decision = Decision(field=field, row=row, action=action, value=value, seen=seen, **more)
        judged = decided_review(self.template, self.found, self.reviews, decision, by=by)
        if judged:
            self.reviews.append(written(judged, by))

    def now(self) -> DocumentResult:
        return reviewed(self.template, self.found, self.reviews)

    def at(self, field: str, row: str = "") -> Finding | None:
        return next((one for one in self.now().findings if (one.field, one.row) == (field, row)), None)

    def stands(self, field: str, row: str = "") -> tuple[State, Value]:
        found = self.at(field, row)
        assert found
        return found.state, found.value


def written(judged: Judged, by: str) -> Review:
    return Review(
        ordinal=judged.ordinal,
        row=judged.row,
        field=judged.field,
        revision=judged.revision,
        action=judged.action,
        value=judged.value,
        note=judged.note,
        reviewer=by,
        reviewed_at=datetime(2026, 3, 1, tzinfo=UTC),
        finding_sha256=judged.finding_sha256,
    )


@pytest.fixture
def desk() -> Desk:
    return Desk(
        paper(finding("n_randomised", 100), finding("title", "A trial"), finding("arm_n_randomised", 50, "arm/1"))
    )


# --- what stands -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "value", "stands"),
    [
        (Action.ACCEPTED, None, (State.REPORTED, 100)),
        (Action.EDITED, "1,020", (State.REPORTED, 1020)),
        (Action.NOT_REPORTED, None, (State.NOT_REPORTED, None)),
        (Action.NOT_APPLICABLE, None, (State.NOT_APPLICABLE, None)),
        (Action.UNCLEAR, None, (State.UNCLEAR, None)),
        (Action.REJECTED, None, (State.REJECTED, None)),
    ],
)
def test_a_review_stands_instead_of_what_was_found_and_what_was_found_stays_beside_it(
    desk: Desk, action: Action, value: object, stands: tuple[State, Value]
) -> None:
    desk.say("n_randomised", action, value, note="Table 1")
    found = desk.at("n_randomised")
    assert found
    assert found.is_reviewed
    assert found.review
    assert (found.state, found.value) == stands
    assert (found.review.action, found.review.reviewer, found.review.note) == (action, "ann", "Table 1")
    assert (found.quote, found.verdict) == ("so it says", Verdict.VERIFIED)
    if action is Action.ACCEPTED:
        assert (found.extracted, found.source) == (None, "test-model")
    else:
        assert found.source == "reviewer"
        assert found.extracted
        assert (found.extracted.value, found.extracted.source) == (100, "test-model")


def test_taking_back_brings_back_the_review_before_and_then_what_was_found(desk: Desk) -> None:
    desk.say("n_randomised", Action.ACCEPTED)
    desk.say("n_randomised", Action.EDITED, 90, by="bob", note="Table 2")
    assert desk.stands("n_randomised") == (State.REPORTED, 90)
    desk.say("n_randomised", Action.WITHDRAWN, note="Table 2 is of another group.")
    now = desk.at("n_randomised")
    assert now
    assert now.review
    assert (now.value, now.review.action, now.review.reviewer) == (100, Action.ACCEPTED, "ann")
    desk.say("n_randomised", Action.WITHDRAWN)
    now = desk.at("n_randomised")
    assert now
    assert now.review is None
    assert now.value == 100
    assert [one.revision for one in desk.now().reviews] == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="no review here to take back"):
        desk.say("n_randomised", Action.WITHDRAWN)


def test_a_review_of_another_value_is_shown_as_outdated_and_never_applied(desk: Desk) -> None:
    desk.say("n_randomised", Action.EDITED, 90)
    again = paper(finding("n_randomised", 101), finding("title", "A trial"))
    [number] = [one for one in reviewed(RCT, again, desk.reviews).findings if one.field == "n_randomised"]
    assert (number.value, number.is_outdated, number.is_reviewed) == (101, True, False)
    assert number.review
    assert number.review.value == 90


def test_a_person_can_fill_a_cell_in_which_nothing_was_found(desk: Desk) -> None:
    assert desk.at("funding_source") is None
    desk.say("arm_n_randomised", Action.EDITED, 51, row="arm/2")
    desk.say("registration_id", Action.NOT_REPORTED)
    added = desk.at("arm_n_randomised", "arm/2")
    assert added
    assert (added.value, added.source, added.extracted) == (51, "reviewer", None)
    assert [one.field for one in desk.now().findings].index("registration_id") > 0
    desk.say("registration_id", Action.WITHDRAWN)
    assert desk.at("registration_id") is None
    desk.say("registration_id", Action.EDITED, "NCT01234567")
    assert desk.stands("registration_id") == (State.REPORTED, ["NCT01234567"])


def test_checks_are_run_over_what_stands() -> None:
    arms = [finding("arm_n_randomised", 50, row.key) for row in ROWS]
    desk = Desk(paper(finding("n_randomised", 120), *arms))
    [broken] = {flag.rule for flag in desk.found.flags}
    desk.say("n_randomised", Action.EDITED, 100)
    assert desk.now().flags == ()
    desk.say("n_randomised", Action.WITHDRAWN)
    assert {flag.rule for flag in desk.now().flags} == {broken}


@pytest.mark.parametrize("rule", ["order_in_quote", "recognised_text", "rows_left_out"])
def test_what_was_noticed_of_the_paper_itself_stays_flagged_whatever_people_say(rule: str) -> None:
    noticed = Flag(rule=rule, row="", fields=("title",), message="Look.")
    desk = Desk(replace(paper(finding("title", "A")), flags=(noticed,)))
    desk.say("title", Action.EDITED, "B")
    assert desk.now().flags == (noticed,)


# --- judgements that are computed ------------------------------------------------------------------------------------

D1 = {"rob2_1_1": "Y", "rob2_1_2": "Y", "rob2_1_3": "N"}
OTHERS = {
    "rob2_2_1": "N", "rob2_2_2": "N", "rob2_2_6": "Y", "rob2_3_1": "Y", "rob2_4_1": "N", "rob2_4_2": "N",
    "rob2_4_3": "N", "rob2_5_1": "Y", "rob2_5_2": "N", "rob2_5_3": "N",
}  # fmt: skip
RESULT = (Row(scope="domain", key="domain/1", label="Pain at 12 weeks", parts={}),)


@pytest.fixture
def bias() -> Desk:
    scope = QC.field("rob2_1_1").scope
    row = "" if scope == "study" else "domain/1"
    answers = [finding(field, value, row) for field, value in (D1 | OTHERS).items()]
    made = Desk(paper(*answers, template=QC, rows=RESULT), QC)
    assert made.stands("rob2_d1", row) == (State.REPORTED, "low")
    assert made.stands("rob2_overall", row) == (State.REPORTED, "low")
    return made


def row_of(desk: Desk) -> str:
    return next(one.row for one in desk.found.findings if one.field == "rob2_d1")


def test_a_judgement_follows_from_the_answers_that_stand(bias: Desk) -> None:
    row = row_of(bias)
    bias.say("rob2_1_2", Action.EDITED, "N", row)
    judged = bias.at("rob2_d1", row)
    assert judged
    assert (judged.value, judged.source) == ("high", "computed")
    assert judged.extracted
    assert judged.extracted.value == "low"
    assert bias.stands("rob2_overall", row) == (State.REPORTED, "high")
    bias.say("rob2_1_2", Action.REJECTED, row=row)
    assert bias.stands("rob2_d1", row)[0] is State.UNCLEAR


def test_an_accepted_judgement_is_outdated_once_its_answers_say_otherwise_and_counts_again_when_they_do_not(
    bias: Desk,
) -> None:
    row = row_of(bias)
    bias.say("rob2_d1", Action.ACCEPTED, row=row)
    bias.say("rob2_1_2", Action.EDITED, "N", row)
    judged = bias.at("rob2_d1", row)
    assert judged
    assert judged.is_outdated
    assert judged.value == "high"
    bias.say("rob2_1_2", Action.WITHDRAWN, row=row)
    judged = bias.at("rob2_d1", row)
    assert judged
    assert judged.is_reviewed
    assert judged.value == "low"


def test_the_overall_judgement_rests_on_domains_as_a_person_gave_them(bias: Desk) -> None:
    row = row_of(bias)
    bias.say("rob2_d3", Action.EDITED, "high", row, note="Half were lost.")
    assert bias.stands("rob2_overall", row) == (State.REPORTED, "high")
    bias.say("rob2_overall", Action.ACCEPTED, row=row)
    assert (found := bias.at("rob2_overall", row))
    assert found.is_reviewed
    bias.say("rob2_d3", Action.WITHDRAWN, row=row)
    assert (found := bias.at("rob2_overall", row))
    assert found.is_outdated
    assert found.value == "low"


def test_who_judges_what_has_become_another_value_meanwhile_must_look_again(bias: Desk) -> None:
    row = row_of(bias)
    bias.say("rob2_1_2", Action.EDITED, "N", row, by="bob")
    with pytest.raises(Outrun, match="follows from other answers"):
        bias.say("rob2_d1", Action.ACCEPTED, row=row, seen_value=("low",))
    bias.say("rob2_d1", Action.ACCEPTED, row=row, seen_value=("high",))


# --- what may be said ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "given", "sentence"),
    [
        ("n_randomised", "a few", "no number"),
        ("n_randomised", "12.5", "no whole number"),
        ("n_randomised", "10 to 20", "ways than one|number"),
        ("n_randomised", None, "say that it is not reported"),
        ("n_randomised", "not reported", "say that it is not reported"),
        ("n_randomised", "not applicable", "not applicable instead"),
        ("title", "", "say that it is not reported"),
        ("title", "x" * 3000, "3,000 characters"),
    ],
)
def test_a_value_that_is_none_of_its_field_is_refused_with_a_sentence(
    desk: Desk, field: str, given: object, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        desk.say(field, Action.EDITED, given)
    assert desk.reviews == []


def test_a_value_goes_with_an_edit_only_and_a_note_has_an_end(desk: Desk) -> None:
    with pytest.raises(UsageError, match="`edited` only"):
        desk.say("n_randomised", Action.ACCEPTED, 100)
    with pytest.raises(UsageError, match="2,000 characters"):
        desk.say("n_randomised", Action.ACCEPTED, note="n" * 2001)
    desk.say("n_randomised", Action.ACCEPTED, note=" a\x00b\ud800 ")
    assert desk.reviews[0].note == "ab"


def test_cells_that_are_not_in_the_task_are_not_there(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no field 'nope'"):
        desk.say("nope", Action.EDITED, 1)
    with pytest.raises(NotFound, match="no row 'arm/9'"):
        desk.say("arm_n_randomised", Action.EDITED, 1, row="arm/9")
    with pytest.raises(NotFound, match="no row 'arm/1'"):
        desk.say("n_randomised", Action.EDITED, 1, row="arm/1")
    for state in ("pending", "running", "error", "cancelled"):
        with pytest.raises(NotReady, match=state):
            Desk(replace(desk.found, state=state, findings=())).say("n_randomised", Action.EDITED, 1)


def test_there_must_be_something_to_accept_or_to_reject() -> None:
    failed = finding("title", None, state=State.FAILED, quote="", verdict=Verdict.NO_QUOTE)
    desk = Desk(paper(failed, finding("n_randomised", 1), finding("n_randomised", 2)))
    with pytest.raises(UsageError, match="no answer here to accept"):
        desk.say("title", Action.ACCEPTED)
    with pytest.raises(UsageError, match="no answer here to accept"):
        desk.say("registration_id", Action.ACCEPTED)
    with pytest.raises(UsageError, match="nothing here to reject"):
        desk.say("registration_id", Action.REJECTED)
    with pytest.raises(UsageError, match="several answers"):
        desk.say("n_randomised", Action.ACCEPTED)
    desk.say("n_randomised", Action.EDITED, 2)
    assert [one.value for one in desk.now().findings if one.field == "n_randomised"] == [2]


def test_an_edit_that_changes_nothing_is_an_acceptance(desk: Desk) -> None:
    desk.say("n_randomised", Action.EDITED, "100")
    assert desk.reviews[0].action is Action.ACCEPTED


def test_accepting_what_a_colleague_gave_says_the_same_in_ones_own_name(desk: Desk) -> None:
    desk.say("n_randomised", Action.EDITED, 90)
    desk.say("n_randomised", Action.ACCEPTED, by="bob")
    now = desk.at("n_randomised")
    assert now
    assert now.review
    assert (now.value, now.review.action, now.review.reviewer) == (90, Action.EDITED, "bob")
    assert now.extracted
    assert now.extracted.value == 100


@pytest.mark.parametrize(
    ("action", "value"),
    [
        (Action.REJECTED, None),
        (Action.EDITED, 80),
        (Action.NOT_REPORTED, None),
        (Action.WITHDRAWN, None),
    ],
)
def test_nothing_of_a_colleague_is_replaced_without_a_reason(desk: Desk, action: Action, value: Value) -> None:
    desk.say("n_randomised", Action.EDITED, 90)
    with pytest.raises(UsageError, match=r"ann has judged this value \(edited\). Write a note"):
        desk.say("n_randomised", action, value, by="bob")
    with pytest.raises(UsageError, match="Write a note"):
        desk.say("n_randomised", action, value, by="bob", note=" \n")
    assert desk.stands("n_randomised") == (State.REPORTED, 90)
    desk.say("n_randomised", action, value, by="bob", note="Table 2 counts 80.")
    assert desk.stands("n_randomised") != (State.REPORTED, 90)


def test_ones_own_review_and_one_that_counts_no_longer_are_replaced_without_a_reason(desk: Desk) -> None:
    desk.say("n_randomised", Action.EDITED, 90)
    desk.say("n_randomised", Action.REJECTED)
    desk.reviews[-1] = replace(desk.reviews[-1], finding_sha256="0" * 64)
    desk.say("n_randomised", Action.UNCLEAR, by="bob")
    assert desk.stands("n_randomised") == (State.UNCLEAR, None)


def test_of_two_who_saw_the_same_the_second_is_told_who_was_first(desk: Desk) -> None:
    desk.say("n_randomised", Action.REJECTED)
    with pytest.raises(Outrun, match=r"ann has reviewed this value meanwhile \(rejected\)"):
        desk.say("n_randomised", Action.ACCEPTED, by="bob", seen=0)
    with pytest.raises(Outrun):
        desk.say("n_randomised", Action.ACCEPTED, by="bob", seen=7)
    assert len(desk.reviews) == 1


def test_the_same_request_twice_is_one_review(desk: Desk) -> None:
    desk.say("n_randomised", Action.EDITED, 90, seen=0)
    desk.say("n_randomised", Action.EDITED, 90, seen=0)
    assert len(desk.reviews) == 1


def test_only_what_is_verified_unflagged_and_not_reviewed_is_accepted_at_once() -> None:
    arms = [finding("arm_n_randomised", 50, row.key) for row in ROWS]
    desk = Desk(
        paper(
            finding("n_randomised", 120),  # against the arms
            *arms,
            finding("title", "A trial"),
            finding("countries", ["Norway"], verdict=Verdict.VERIFIED_FUZZY),
            finding("trial_name", "X", verdict=Verdict.NUMBER_MISMATCH),
            finding("registration_id", None, quote="", verdict=Verdict.NO_QUOTE),
        )
    )
    desk.say("title", Action.UNCLEAR)
    flagged = {(flag.row, field) for flag in desk.found.flags for field in flag.fields}
    judged, left = decide_on_verified(desk.now())
    places = {(one.row, one.field) for one in judged}
    assert ("", "countries") in places
    assert not places & {("", "title"), ("", "trial_name"), ("", "registration_id"), ("", "n_randomised")}
    assert not places & flagged
    assert len(judged) + left + 1 == len({(one.row, one.field) for one in desk.found.findings})
    assert decide_on_verified(desk.now(), ["title"]) == ([], 0)


def test_nothing_is_accepted_at_once_where_a_flag_speaks_of_the_whole_document() -> None:
    found = replace(paper(finding("title", "A"), finding("n_randomised", 7)), flags=(RECOGNISED,))
    judged, left = decide_on_verified(found)
    assert judged == []
    assert left == len({(one.row, one.field) for one in found.findings})


def test_reviews_are_found_by_what_they_judged_and_nothing_else() -> None:
    one = finding("title", "A")
    assert fingerprint([one]) == fingerprint([replace(one, note="another")])
    for other in ([], [one, one], [replace(one, value="B")], [replace(one, quote="q")], [replace(one, source="x")]):
        assert fingerprint([one]) != fingerprint(other)
    assert standing([]) is None


def test_a_check_speaks_against_the_rows_of_another_kind_too() -> None:
    arms = [finding("arm_n_randomised", 50, row.key) for row in ROWS]
    found = paper(finding("n_randomised", 120), *arms)
    assert [flag.rule for flag in found.flags] == ["arms_add_up"]
    assert {one.field for one in decide_on_verified(found)[0]}.isdisjoint({"arm_n_randomised"})


@pytest.mark.parametrize("action", [Action.REJECTED, Action.UNCLEAR, Action.NOT_REPORTED, Action.NOT_APPLICABLE])
def test_a_domain_that_a_person_refused_makes_no_overall_judgement(bias: Desk, action: Action) -> None:
    row = row_of(bias)
    assert bias.stands("rob2_overall", row)[1] == "low"
    bias.say("rob2_d3", action, row=row)
    assert bias.stands("rob2_overall", row)[1] is None


def test_a_review_taken_back_twice_is_a_request_that_came_twice_or_a_colleague_who_was_quicker() -> None:
    desk = Desk(paper(finding("n_randomised", 100)))
    desk.say("n_randomised", Action.ACCEPTED, seen=0, by="ann")
    desk.say("n_randomised", Action.WITHDRAWN, seen=1, by="ann")
    desk.say("n_randomised", Action.WITHDRAWN, seen=1, by="ann")
    with pytest.raises(Outrun, match="ann has reviewed this value meanwhile"):
        desk.say("n_randomised", Action.WITHDRAWN, seen=1, by="bob")


def test_what_a_colleague_gave_for_nothing_can_be_rejected() -> None:
    desk = Desk(paper(finding("n_randomised", 100)))
    desk.say("title", Action.EDITED, "Mine", by="ann")
    desk.say("title", Action.REJECTED, by="bob", note="No title is printed.")
    assert desk.stands("title")[0] is State.REJECTED


def test_what_was_taken_back_can_be_accepted_together_with_the_rest() -> None:
    desk = Desk(paper(finding("n_randomised", 100)))
    desk.say("n_randomised", Action.NOT_REPORTED)
    desk.say("n_randomised", Action.WITHDRAWN)
    [judged], left = decide_on_verified(desk.now())
    assert (judged.field, judged.revision, left) == ("n_randomised", 3, 0)


def test_only_the_rows_that_are_meant_are_accepted_together() -> None:
    found = paper(*(finding("arm_n_randomised", 50, row.key) for row in ROWS))
    [judged], left = decide_on_verified(found, rows=[ROWS[0].key])
    assert (judged.row, left) == (ROWS[0].key, 0)


def test_values_that_are_not_bound_to_their_words_are_never_accepted_together() -> None:
    place = (finding("arm_n_randomised", 50, ROWS[0].key, verdict=Verdict.UNBOUND),)
    assert decide_on_verified(paper(*place)) == ([], 1)


def test_values_that_older_checks_verified_want_a_look_at_each() -> None:
    found = paper(finding("arm_n_randomised", 50, ROWS[0].key), checks_version=FIRST_CHECKS)
    assert decide_on_verified(found) == ([], 1)
