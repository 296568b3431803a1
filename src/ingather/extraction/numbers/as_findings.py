"""Answers to the review's questions as rows and findings: reviewed, exported and pooled like everything else. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import (
    EMBEDDED,
    ArmRole,
    DocumentArm,
    Finding,
    Reason,
    Row,
    Span,
    State,
    Value,
    Verdict,
)
from ingather.extraction.numbers.answer import AnswerState, NumberPlace, NumbersAnswer
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.extraction.template import ARMS_FIELD, ReviewQuestions, Scope
from ingather.extraction.template.question_fields import KIND_NUMBERS, SIDES, number_question_field
from ingather.extraction.template.review_questions import NamedArm, OutcomeKind, ReviewComparison, ReviewOutcome
from ingather.notice import notice

ROLE_NAMES: Final = {
    ArmRole.INTERVENTION: "intervention",
    ArmRole.COMPARATOR: "comparator",
    ArmRole.OTHER: "in no comparison",
    ArmRole.OPEN: "by its words",
}
_NOT_NAMED: Final = notice(
    "numbers.not_named", "The labels of these cells say less of the outcome than the rules ask for."
)
_SIZE_ELSEWHERE: Final = notice("numbers.size_elsewhere", "The size of the arm, as the paper gives it elsewhere.")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """One question of the review in the words in which it is answered, and its row."""

    question: NumbersQuestion
    row: Row
    kind: OutcomeKind


def rows_as_findings(questions: ReviewQuestions) -> list[QuestionRow]:
    """Every outcome of every comparison."""
    return [_row_as_finding(comparison, outcome) for comparison, outcome in questions.pairs]


def _row_as_finding(comparison: ReviewComparison, outcome: ReviewOutcome) -> QuestionRow:
    key = f"question/{comparison.id}/{outcome.id}"
    intervention, comparator = comparison.intervention.name, comparison.comparator.name
    what = f"{outcome.name}, {outcome.timepoint}" if outcome.timepoint else outcome.name
    return QuestionRow(
        question=NumbersQuestion(
            id=key,
            outcome=outcome.name,
            intervention=_all_names_as_finding(comparison.intervention),
            comparator=_all_names_as_finding(comparison.comparator),
            kind=NumbersKind(outcome.kind.value),
            other_names=outcome.other_names,
            timepoint=outcome.timepoint,
        ),
        row=Row(
            scope=Scope.QUESTION.value,
            key=key,
            label=f"{what}: {intervention} / {comparator}",
            parts={
                "outcome": outcome.name,
                "timepoint": outcome.timepoint,
                "intervention": intervention,
                "comparator": comparator,
                "kind": outcome.kind.value,
            },
        ),
        kind=outcome.kind,
    )


def _all_names_as_finding(arm: NamedArm) -> str:
    return "; ".join((arm.name, *arm.other_names))


def arms_as_finding(arms: Sequence[DocumentArm]) -> Finding:
    """The inventory of arms as the answer to a field, a line for each arm."""
    return Finding(
        field=ARMS_FIELD,
        row="",
        state=State.REPORTED if arms else State.UNCLEAR,
        value=arm_lines_as_finding(arms) if arms else None,
        quote="",
        verdict=Verdict.NO_QUOTE,
        spans=(),
        source=EMBEDDED,
    )


def arm_lines_as_finding(arms: Sequence[DocumentArm]) -> list[str]:
    """Each arm on a line: its name, its N, its other names, its role."""
    lines = []
    for arm in arms:
        size = f" (N = {arm.n})" if arm.n else ""
        others = f", also {' / '.join(arm.other_names)}" if arm.other_names else ""
        lines.append(f"{arm.name}{size}{others}: {ROLE_NAMES[arm.role]}")
    return lines


def answer_as_findings(row: QuestionRow, answer: NumbersAnswer, *, model: str | None) -> Iterator[Finding]:
    """A finding for each number of both arms; those of another kind are not applicable."""
    source = model if model and answer.is_by_model else EMBEDDED
    places = {(place.side, place.name): place for place in answer.places}
    kinds_numbers = KIND_NUMBERS[row.kind]
    for side in SIDES:
        arm = getattr(answer, side)
        for name in kinds_numbers:
            place = places.get((side, name))
            if answer.state is AnswerState.REPORTED:
                yield _reported_as_finding(row.row.key, side, name, getattr(arm, name), place, answer, source)
            else:
                yield _open_as_finding(row.row.key, side, name, place, answer, source)


def _reported_as_finding(
    key: str, side: str, name: str, printed: str | None, place: NumberPlace | None, answer: NumbersAnswer, source: str
) -> Finding:
    verdict, reason, note = Verdict.VERIFIED, None, answer.why if place and not place.is_printed else ""
    if place is None:
        verdict, reason, note = Verdict.UNBOUND, Reason.ELSEWHERE, _SIZE_ELSEWHERE if name == "n" else answer.why
    elif not place.is_printed:
        verdict, reason = Verdict.UNBOUND, Reason.OTHER_MEASURE
    elif not answer.is_named:
        verdict, reason, note = Verdict.UNBOUND, Reason.NO_SUBJECT, _NOT_NAMED
    return Finding(
        field=number_question_field(name, side),
        row=key,
        state=State.REPORTED,
        value=_value_as_finding(printed, name),
        quote=place.quote if place else "",
        verdict=verdict,
        spans=_spans_as_finding(place),
        source=source,
        note=note,
        reason=reason,
        cell=place.cell if place else None,
    )


def _open_as_finding(
    key: str, side: str, name: str, place: NumberPlace | None, answer: NumbersAnswer, source: str
) -> Finding:
    """No value. Where cells were looked at, they are shown; where nothing was found, nothing is."""
    is_seen = answer.state is AnswerState.UNCLEAR and place is not None
    return Finding(
        field=number_question_field(name, side),
        row=key,
        state=State.UNCLEAR,
        value=None,
        quote=place.quote if is_seen and place else "",
        verdict=Verdict.VERIFIED if is_seen else Verdict.NO_QUOTE,
        spans=_spans_as_finding(place) if is_seen else (),
        source=source if answer.state is AnswerState.UNCLEAR else EMBEDDED,
        note=answer.why,
        cell=place.cell if is_seen and place else None,
    )


def _spans_as_finding(place: NumberPlace | None) -> tuple[Span, ...]:
    if place is None or place.cell is not None:
        return ()
    return (Span(page=place.page, start=place.start, end=place.end),)


def _value_as_finding(printed: str | None, name: str) -> Value:
    plain = (printed or "").replace(",", "").replace("\u2212", "-")
    return int(plain) if name in {"events", "n"} else float(plain)
