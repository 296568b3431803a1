"""A template that asks the review's questions too: their fields, one row per question with both arms side by side."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingather.extraction.template.model import CheckRule, Field, FieldType, Label, Level, Scope, Section, Template
from ingather.extraction.template.review_questions import OutcomeKind, ReviewQuestions
from ingather.extraction.template.validation import validate_template

ARMS_SECTION: Final = Section(id="question_arms_section", label=Label(en="Arms of the tables", zh="表格中的组别"))
# The arms of a document as its tables name them: one field of the study.
ARMS_FIELD: Final = "question_arms"
# Each arm of a question, and the end of its fields' ids: 1 and 2, as analyses number groups.
SIDES: Final = {"intervention": "1", "comparator": "2"}
_SECTIONS: Final = {
    "intervention": Section(id="question_intervention", label=Label(en="Intervention", zh="干预组")),
    "comparator": Section(id="question_comparator", label=Label(en="Comparator", zh="对照组")),
}
_NUMBERS: Final = {
    "events": (FieldType.INT, Label(en="Events", zh="事件数"), "People with the event in this arm, as printed."),
    "mean": (FieldType.FLOAT, Label(en="Mean", zh="均值"), "The mean of this arm, as printed."),
    "sd": (FieldType.FLOAT, Label(en="SD", zh="标准差"), "The standard deviation, never a standard error."),
    "n": (FieldType.INT, Label(en="N", zh="例数"), "People that the numbers of this arm are about."),
}
KIND_NUMBERS: Final = {OutcomeKind.BINARY: ("events", "n"), OutcomeKind.CONTINUOUS: ("mean", "sd", "n")}


def number_question_field(name: str, side: str) -> str:
    """The id of the field that holds this number of this arm."""
    return f"question_{name}_{SIDES[side]}"


QUESTION_FIELDS: Final = frozenset(
    {ARMS_FIELD, *(number_question_field(name, side) for name in _NUMBERS for side in SIDES)}
)


def template_with_question_fields(template: Template, questions: ReviewQuestions | None) -> Template:
    """The template with the fields of the questions behind its own; unchanged where there are none."""
    if not questions:
        return template
    kinds = {outcome.kind for outcome in questions.outcomes}
    names = [name for name in _NUMBERS if any(name in KIND_NUMBERS[kind] for kind in kinds)]
    return validate_template(
        replace(
            template,
            scopes=(*template.scopes, Scope.QUESTION),
            sections=(*template.sections, ARMS_SECTION, *_SECTIONS.values()),
            fields=(
                *template.fields,
                _arms_of_question_fields(),
                *(_number_question_field(name, side) for side in SIDES for name in names),
            ),
            checks=(*template.checks, *_checks_of_question_fields(names)),
            questions=questions,
        )
    )


def template_without_question_fields(template: Template) -> Template:
    """The template's own fields and checks."""
    if template.questions is None:
        return template
    mine = {ARMS_SECTION.id, *(section.id for section in _SECTIONS.values())}
    return replace(
        template,
        scopes=tuple(scope for scope in template.scopes if scope is not Scope.QUESTION),
        sections=tuple(section for section in template.sections if section.id not in mine),
        fields=tuple(field for field in template.fields if field.id not in QUESTION_FIELDS),
        checks=tuple(check for check in template.checks if check.scope is not Scope.QUESTION),
        questions=None,
    )


def _arms_of_question_fields() -> Field:
    return Field(
        id=ARMS_FIELD,
        label=Label(en="Arms", zh="组别"),
        section=ARMS_SECTION.id,
        type=FieldType.MULTI_TEXT,
        scope=Scope.STUDY,
        instruction="The arms as the tables name them, each with its role, its N and its other names.",
        ai=False,
    )


def _number_question_field(name: str, side: str) -> Field:
    field_type, label, instruction = _NUMBERS[name]
    return Field(
        id=number_question_field(name, side),
        label=label,
        section=_SECTIONS[side].id,
        type=field_type,
        scope=Scope.QUESTION,
        instruction=instruction,
        unit="participants" if name == "n" else None,
    )


def _checks_of_question_fields(names: list[str]) -> Iterator[CheckRule]:
    for side in SIDES:
        events, sd, n = (number_question_field(name, side) for name in ("events", "sd", "n"))
        if "events" in names:
            yield CheckRule(
                id=f"{events}_within_n",
                scope=Scope.QUESTION,
                level=Level.ERROR,
                expression=f"{events} <= {n}",
                message=Label(
                    en=f"Events ({{{events}}}) exceed the number of people ({{{n}}}).",
                    zh=f"事件数（{{{events}}}）大于人数（{{{n}}}）。",  # noqa: RUF001
                ),
            )
        if "sd" in names:
            yield CheckRule(
                id=f"{sd}_not_negative",
                scope=Scope.QUESTION,
                level=Level.ERROR,
                expression=f"{sd} >= 0",
                message=Label(
                    en=f"An SD cannot be negative; it says {{{sd}}}.",
                    zh=f"标准差不能为负，现为 {{{sd}}}。",  # noqa: RUF001
                ),
            )
