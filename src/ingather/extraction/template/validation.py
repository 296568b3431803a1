"""What must be true of a whole template, whoever made it: a file, the database, or an edit."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.expressions import (
    Expression,
    ExpressionError,
    How,
    ValueKind,
    kind_of_expression,
    parse_expression,
)
from ingather.extraction.template.model import CheckRule, Field, FieldType, Label, Scope, Template, UnitOf
from ingather.names import NAME, is_visible
from ingather.notice import notice

# The largest template of this project has about a hundred fields in a dozen sections. More than four times as many
# would be asked in dozens of calls for each document, and no table could show them.
MOST_FIELDS: Final = 400
MOST_SECTIONS: Final = 60
# Each check runs once for every row of its scope, in every document.
MOST_CHECKS: Final = 200
MOST_OPTIONS: Final = 100  # a list to choose from that is longer is a text
LONGEST_LABEL: Final = 200  # characters; labels are headers of columns
LONGEST_INSTRUCTION: Final = 2_000  # characters; every call repeats the instructions of its fields
LONGEST_MESSAGE: Final = 500  # characters; a message is read in a list
LONGEST_UNIT: Final = 100  # characters; units stand beside numbers

OPTION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,61}\*?")
PLACE: Final = re.compile(r"\{([^{}]*)\}")

CHOICES: Final = frozenset({FieldType.ENUM, FieldType.MULTI_ENUM})

# A check can do this with the answers of a field. Fields with several answers take no part.
KINDS: Final[Mapping[FieldType, ValueKind]] = {
    FieldType.INT: ValueKind.NUMBER,
    FieldType.FLOAT: ValueKind.NUMBER,
    FieldType.PERCENT: ValueKind.NUMBER,
    FieldType.QUANTITY: ValueKind.NUMBER,
    FieldType.DATE: ValueKind.DATE,
    FieldType.TEXT: ValueKind.TEXT,
    FieldType.ENUM: ValueKind.TEXT,
    FieldType.ID: ValueKind.TEXT,
}

# Which rows a row belongs to, so that a check of the one may name fields of the other.
REACH: Final[Mapping[Scope, frozenset[Scope]]] = {
    Scope.STUDY: frozenset({Scope.STUDY}),
    Scope.ARM: frozenset({Scope.STUDY, Scope.ARM}),
    Scope.OUTCOME: frozenset({Scope.STUDY, Scope.OUTCOME}),
    Scope.ARM_RESULT: frozenset({Scope.STUDY, Scope.ARM, Scope.OUTCOME, Scope.ARM_RESULT}),
    Scope.CONTRAST: frozenset({Scope.STUDY, Scope.OUTCOME, Scope.CONTRAST}),
    Scope.DOMAIN: frozenset({Scope.STUDY, Scope.DOMAIN}),
    Scope.QUESTION: frozenset({Scope.STUDY, Scope.QUESTION}),
}


def validate_template(template: Template) -> Template:
    """The template itself, where all is well with it. Raises TemplateError at the first thing that is not."""
    name = notice("template.the_template", "The template {id}", id=f"{template.id!r}")
    validate_id(template.id, notice("template.a_template", "A template"))
    _validate_label(template.label, name, LONGEST_LABEL, notice("template.label", "label"))
    _validate_label(template.description, name, LONGEST_INSTRUCTION, notice("template.description", "description"))
    _validate_line(template.note, name, LONGEST_INSTRUCTION, notice("template.note", "note"))
    _validate_line(template.based_on, name, LONGEST_LABEL, notice("template.based_on", "based_on"))
    _validate_at_most(template.fields, MOST_FIELDS, name, notice("template.fields", "fields"))
    _validate_at_most(template.sections, MOST_SECTIONS, name, notice("template.sections", "sections"))
    _validate_at_most(template.checks, MOST_CHECKS, name, notice("template.checks", "checks"))
    _validate_each_once((scope.value for scope in template.scopes), name, notice("template.scope", "scope"))
    _validate_each_once((section.id for section in template.sections), name, notice("template.section", "section"))
    _validate_each_once((field.id for field in template.fields), name, notice("template.field", "field"))
    _validate_each_once((check.id for check in template.checks), name, notice("template.check", "check"))
    for section in template.sections:
        validate_id(section.id, notice("template.a_section", "A section"))
        _validate_label(
            section.label,
            notice("template.the_section", "The section {id}", id=f"{section.id!r}"),
            LONGEST_LABEL,
            notice("template.label", "label"),
        )
    if Scope.QUESTION in template.scopes and not template.questions:
        raise TemplateError(
            notice(
                "template.questions_of_project",
                "{name} has the scope {scope}, which belongs to the questions of a project.",
                name=name,
                scope=Scope.QUESTION,
            )
        )
    known = {field.id: field for field in template.fields}
    sections = {section.id for section in template.sections}
    for field in template.fields:
        _validate_field(field, known, sections, template.scopes)
    for check in template.checks:
        _validate_check(check, known, template.scopes)
    return template


def validate_id(id: str, what: str) -> None:
    if not NAME.fullmatch(id):
        raise TemplateError(
            notice(
                "template.id_id_starts_small_letter",
                "{what} has the id {id}; an id starts with a small letter and holds up to 63 small letters, "
                "digits and underscores.",
                what=what,
                id=f"{id[:80]!r}",
            )
        )


def _validate_field(field: Field, known: Mapping[str, Field], sections: set[str], scopes: tuple[Scope, ...]) -> None:
    name = notice("template.the_field", "The field {id}", id=f"{field.id!r}")
    validate_id(field.id, notice("template.a_field", "A field"))
    if field.section not in sections:
        raise TemplateError(f"{name} stands in the section {field.section!r}, which the template does not have.")
    if field.scope not in scopes:
        raise TemplateError(
            notice(
                "template.scope_template_not_list_scopes",
                "{name} has the scope {scope}, which the template does not list in its scopes.",
                name=name,
                scope=field.scope,
            )
        )
    _validate_label(field.label, name, LONGEST_LABEL, notice("template.label", "label"))
    _validate_line(field.instruction, name, LONGEST_INSTRUCTION, notice("template.instruction", "instruction"))
    _validate_options(field, name)
    _unit_to_validate(field, name, known)


def _validate_options(field: Field, name: str) -> None:
    if field.type in CHOICES and not field.options:
        raise TemplateError(
            notice(
                "template.type_needs_options_choose",
                "{name} is of type {type} and needs options to choose from.",
                name=name,
                type=field.type,
            )
        )
    if field.options and field.type not in CHOICES:
        raise TemplateError(
            notice(
                "template.options_but_type_make_enum",
                "{name} has options, but is of type {type}; make it an enum or drop them.",
                name=name,
                type=field.type,
            )
        )
    _validate_at_most(field.options, MOST_OPTIONS, name, notice("template.options", "options"))
    _validate_each_once((option.id.casefold() for option in field.options), name, notice("template.option", "option"))
    for option in field.options:
        if not OPTION_ID.fullmatch(option.id):
            raise TemplateError(
                notice(
                    "template.option_use_letters_digits_underscores",
                    "{name} has the option {option}; use letters, digits and underscores.",
                    name=name,
                    option=f"{option.id[:80]!r}",
                )
            )
        _validate_label(
            option.label,
            name,
            LONGEST_LABEL,
            notice("template.label_of_option", "label of the option {id}", id=option.id),
        )


def _unit_to_validate(field: Field, name: str, known: Mapping[str, Field]) -> None:
    match field.unit:
        case UnitOf(field=other) if other == field.id or other not in known:
            raise TemplateError(
                notice(
                    "template.takes_unit_no_other_field",
                    "{name} takes its unit from {field}, which is no other field of the template.",
                    name=name,
                    field=f"{other[:80]!r}",
                )
            )
        case UnitOf(field=other) if known[other].scope not in REACH[field.scope] | _contrast_reach_to_validate(
            field.scope
        ):
            raise TemplateError(
                notice(
                    "template.takes_unit_whose_rows_not",
                    "{name} takes its unit from {field}, whose rows it does not belong to.",
                    name=name,
                    field=f"{other!r}",
                )
            )
        case str() as unit:
            _validate_unit(unit, name)
        case tuple() as units:
            _validate_each_once(units, name, notice("template.unit", "unit"))
            for unit in units:
                _validate_unit(unit, name)


def _contrast_reach_to_validate(scope: Scope) -> frozenset[Scope]:
    return frozenset({Scope.ARM}) if scope == Scope.CONTRAST else frozenset()


def _validate_unit(unit: str, name: str) -> None:
    if not unit.strip():
        raise TemplateError(
            notice(
                "template.empty_unit_leave_out_instead", "{name} has an empty unit; leave it out instead.", name=name
            )
        )
    _validate_line(unit, name, LONGEST_UNIT, notice("template.unit", "unit"))


def _validate_check(check: CheckRule, known: Mapping[str, Field], scopes: tuple[Scope, ...]) -> None:
    name = notice("template.the_check", "The check {id}", id=f"{check.id!r}")
    validate_id(check.id, notice("template.a_check", "A check"))
    if check.scope not in scopes:
        raise TemplateError(
            notice(
                "template.scope_template_not_list_scopes",
                "{name} has the scope {scope}, which the template does not list in its scopes.",
                name=name,
                scope=check.scope,
            )
        )
    _validate_label(check.message, name, LONGEST_MESSAGE, notice("template.message", "message"))
    used = _validate_expression(check.expression, check.scope, known, name)
    if check.when:
        _validate_expression(check.when, check.scope, known, name)
    here = {use.field for use in used.uses if use.how == How.HERE}
    for text in (check.message.en, check.message.zh):
        for place in PLACE.findall(text):
            if place not in here:
                raise TemplateError(f"{name} shows {{{place[:80]}}} in its message, which its expression does not use.")


def _validate_expression(text: str, scope: Scope, known: Mapping[str, Field], name: str) -> Expression:
    try:
        expression = parse_expression(text)
        for use in expression.uses:
            if use.field not in known:
                raise ExpressionError(f"names {use.field[:80]!r}, which is no field of the template")  # noqa: TRY301
            _validate_reach(use.field, use.how, known[use.field].scope, scope)
        kinds = {field.id: KINDS[field.type] for field in known.values() if field.type in KINDS}
        if kind_of_expression(expression, kinds) != ValueKind.TRUTH:
            raise ExpressionError("is no comparison; it must be true or false")  # noqa: TRY301
    except ExpressionError as problem:
        raise TemplateError(f"{name} has an expression that {problem}.") from None
    return expression


def _validate_reach(field: str, how: How, its_scope: Scope, scope: Scope) -> None:
    match how:
        case How.HERE if its_scope not in REACH[scope]:
            raise ExpressionError(
                f"names {field!r} of the scope {its_scope}, which a row of {scope} does not belong to"
            )
        case How.SUM if its_scope in {scope, Scope.STUDY}:
            raise ExpressionError(f"sums {field!r}, of which there is only one for a row of {scope}")
        case How.ARM if (scope, its_scope) != (Scope.CONTRAST, Scope.ARM_RESULT):
            raise ExpressionError("uses first or second for something other than a result of a contrast's arms")
        case How.OTHER if its_scope != scope:
            raise ExpressionError(f"names other.{field}, but {field!r} is not of the scope {scope}")


def _validate_at_most(things: tuple[object, ...], most: int, name: str, what: str) -> None:
    if len(things) > most:
        raise TemplateError(
            notice(
                "template.most",
                "{name} has {count} {what}; {most} is the most there may be.",
                name=name,
                count=f"{len(things):,}",
                what=what,
                most=most,
            )
        )


def _validate_each_once(ids: Iterable[str], name: str, what: str) -> None:
    for one, count in Counter(ids).items():
        if count > 1:
            raise TemplateError(
                notice(
                    "template.times_each_must_id_own",
                    "{name} has the {what} {id} {count} times; each must have an id of its own.",
                    name=name,
                    what=what,
                    id=f"{one[:80]!r}",
                    count=count,
                )
            )


def _validate_label(label: Label, name: str, longest: int, what: str) -> None:
    _validate_line(label.en, name, longest, what)
    _validate_line(label.zh, name, longest, what)


def _validate_line(text: str, name: str, longest: int, what: str) -> None:
    if len(text) > longest:
        raise TemplateError(
            notice(
                "template.characters_most",
                "{name} has a {what} of {count} characters; {most} is the most it may have.",
                name=name,
                what=what,
                count=f"{len(text):,}",
                most=f"{longest:,}",
            )
        )
    if not is_visible(text, may_have_lines=True):
        raise TemplateError(
            notice(
                "template.control_character_type_words_instead",
                "{name} has a control character in its {what}; type the words instead of pasting them.",
                name=name,
                what=what,
            )
        )
