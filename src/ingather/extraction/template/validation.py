"""What must be true of a whole template, whoever made it: a file, the database, or an edit."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from ingather.extraction.judgements.expressions import Expression, ExpressionError, How, Kind, kind_of, parse
from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.model import CheckRule, Field, FieldType, Label, Scope, Template, UnitOf

MOST_FIELDS: Final = 400
MOST_SECTIONS: Final = 60
MOST_CHECKS: Final = 200
MOST_OPTIONS: Final = 100
LONGEST_LABEL: Final = 200
LONGEST_INSTRUCTION: Final = 2_000
LONGEST_MESSAGE: Final = 500
LONGEST_UNIT: Final = 100

ID: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
OPTION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,61}\*?")
PLACE: Final = re.compile(r"\{([^{}]*)\}")

CHOICES: Final = frozenset({FieldType.ENUM, FieldType.MULTI_ENUM})

# What a check can do with the answers of a field. Fields with several answers take no part.
KINDS: Final[Mapping[FieldType, Kind]] = {
    FieldType.INT: Kind.NUMBER,
    FieldType.FLOAT: Kind.NUMBER,
    FieldType.PERCENT: Kind.NUMBER,
    FieldType.QUANTITY: Kind.NUMBER,
    FieldType.DATE: Kind.DATE,
    FieldType.TEXT: Kind.TEXT,
    FieldType.ENUM: Kind.TEXT,
    FieldType.ID: Kind.TEXT,
}

# Which rows a row belongs to, so that a check of the one may name fields of the other.
REACH: Final[Mapping[Scope, frozenset[Scope]]] = {
    Scope.STUDY: frozenset({Scope.STUDY}),
    Scope.ARM: frozenset({Scope.STUDY, Scope.ARM}),
    Scope.OUTCOME: frozenset({Scope.STUDY, Scope.OUTCOME}),
    Scope.ARM_RESULT: frozenset({Scope.STUDY, Scope.ARM, Scope.OUTCOME, Scope.ARM_RESULT}),
    Scope.CONTRAST: frozenset({Scope.STUDY, Scope.OUTCOME, Scope.CONTRAST}),
    Scope.DOMAIN: frozenset({Scope.STUDY, Scope.DOMAIN}),
}


def validate(template: Template) -> Template:
    """The template itself, where all is well with it. Raises TemplateError at the first thing that is not."""
    name = f"The template {template.id!r}"
    check_id(template.id, "A template")
    _words(template.label, name, LONGEST_LABEL, "label")
    _words(template.description, name, LONGEST_INSTRUCTION, "description")
    _line(template.note, name, LONGEST_INSTRUCTION, "note")
    _line(template.based_on, name, LONGEST_LABEL, "based_on")
    _at_most(template.fields, MOST_FIELDS, name, "fields")
    _at_most(template.sections, MOST_SECTIONS, name, "sections")
    _at_most(template.checks, MOST_CHECKS, name, "checks")
    _once((scope.value for scope in template.scopes), name, "scope")
    _once((section.id for section in template.sections), name, "section")
    _once((field.id for field in template.fields), name, "field")
    _once((check.id for check in template.checks), name, "check")
    for section in template.sections:
        check_id(section.id, "A section")
        _words(section.label, f"The section {section.id!r}", LONGEST_LABEL, "label")
    known = {field.id: field for field in template.fields}
    sections = {section.id for section in template.sections}
    for field in template.fields:
        _field(field, known, sections, template.scopes)
    for check in template.checks:
        _check(check, known, template.scopes)
    return template


def check_id(id: str, what: str) -> None:
    if not ID.fullmatch(id):
        raise TemplateError(
            f"{what} has the id {id[:80]!r}; an id starts with a small letter and holds up to 63 small letters, "
            "digits and underscores."
        )


def _field(field: Field, known: Mapping[str, Field], sections: set[str], scopes: tuple[Scope, ...]) -> None:
    name = f"The field {field.id!r}"
    check_id(field.id, "A field")
    if field.section not in sections:
        raise TemplateError(f"{name} stands in the section {field.section!r}, which the template does not have.")
    if field.scope not in scopes:
        raise TemplateError(f"{name} has the scope {field.scope}, which the template does not list in its scopes.")
    _words(field.label, name, LONGEST_LABEL, "label")
    _line(field.instruction, name, LONGEST_INSTRUCTION, "instruction")
    if field.type in CHOICES and not field.options:
        raise TemplateError(f"{name} is of type {field.type} and needs options to choose from.")
    if field.options and field.type not in CHOICES:
        raise TemplateError(f"{name} has options, but is of type {field.type}; make it an enum or drop them.")
    _at_most(field.options, MOST_OPTIONS, name, "options")
    _once((option.id.casefold() for option in field.options), name, "option")
    for option in field.options:
        if not OPTION_ID.fullmatch(option.id):
            raise TemplateError(f"{name} has the option {option.id[:80]!r}; use letters, digits and underscores.")
        _words(option.label, name, LONGEST_LABEL, f"label of the option {option.id}")
    match field.unit:
        case UnitOf(field=other) if other == field.id or other not in known:
            raise TemplateError(f"{name} takes its unit from {other[:80]!r}, which is no other field of the template.")
        case UnitOf(field=other) if known[other].scope not in REACH[field.scope] | _contrast_reach(field.scope):
            raise TemplateError(f"{name} takes its unit from {other!r}, whose rows it does not belong to.")
        case str() as unit:
            _unit(unit, name)
        case tuple() as units:
            _once(units, name, "unit")
            for unit in units:
                _unit(unit, name)


def _contrast_reach(scope: Scope) -> frozenset[Scope]:
    return frozenset({Scope.ARM}) if scope == Scope.CONTRAST else frozenset()


def _unit(unit: str, name: str) -> None:
    if not unit.strip():
        raise TemplateError(f"{name} has an empty unit; leave it out instead.")
    _line(unit, name, LONGEST_UNIT, "unit")


def _check(check: CheckRule, known: Mapping[str, Field], scopes: tuple[Scope, ...]) -> None:
    name = f"The check {check.id!r}"
    check_id(check.id, "A check")
    if check.scope not in scopes:
        raise TemplateError(f"{name} has the scope {check.scope}, which the template does not list in its scopes.")
    _words(check.message, name, LONGEST_MESSAGE, "message")
    used = _expression(check.expression, check.scope, known, name)
    if check.when:
        _expression(check.when, check.scope, known, name)
    here = {use.field for use in used.uses if use.how == How.HERE}
    for text in (check.message.en, check.message.zh):
        for place in PLACE.findall(text):
            if place not in here:
                raise TemplateError(f"{name} shows {{{place[:80]}}} in its message, which its expression does not use.")


def _expression(text: str, scope: Scope, known: Mapping[str, Field], name: str) -> Expression:
    try:
        expression = parse(text)
        for use in expression.uses:
            if use.field not in known:
                raise ExpressionError(f"names {use.field[:80]!r}, which is no field of the template")  # noqa: TRY301
            _reach(use.field, use.how, known[use.field].scope, scope)
        kinds = {field.id: KINDS[field.type] for field in known.values() if field.type in KINDS}
        if kind_of(expression, kinds) != Kind.TRUTH:
            raise ExpressionError("is no comparison; it must be true or false")  # noqa: TRY301
    except ExpressionError as problem:
        raise TemplateError(f"{name} has an expression that {problem}.") from None
    return expression


def _reach(field: str, how: How, its_scope: Scope, scope: Scope) -> None:
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


def _at_most(things: tuple[object, ...], most: int, name: str, what: str) -> None:
    if len(things) > most:
        raise TemplateError(f"{name} has {len(things):,} {what}; {most} is the most there may be.")


def _once(ids: Iterable[str], name: str, what: str) -> None:
    for one, count in Counter(ids).items():
        if count > 1:
            raise TemplateError(f"{name} has the {what} {one[:80]!r} {count} times; each must have an id of its own.")


def _words(label: Label, name: str, longest: int, what: str) -> None:
    _line(label.en, name, longest, what)
    _line(label.zh, name, longest, what)


def _line(text: str, name: str, longest: int, what: str) -> None:
    if len(text) > longest:
        raise TemplateError(f"{name} has a {what} of {len(text):,} characters; {longest:,} is the most it may have.")
    # Cf would hide text or turn its direction; Cs cannot be stored. A line break is fine in longer texts.
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co"} and c != "\n" for c in text):
        raise TemplateError(f"{name} has a control character in its {what}; type the words instead of pasting them.")
