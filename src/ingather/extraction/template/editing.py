"""Changing templates: each verb returns a new template, looked at as a whole, and leaves the old one as it was."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ingather.extraction.template.builtin import BUILTIN_IDS
from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.expressions import parse_expression
from ingather.extraction.template.model import (
    CheckRule,
    Field,
    Label,
    Section,
    Template,
    Tier,
    UnitOf,
    ids_in_template_model,
)
from ingather.extraction.template.validation import validate_id, validate_template
from ingather.notice import notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What another version of a template asks that this one did not, by id, in the order of the template.

    A field has changed where its question has: label, type, scope, instruction,
    unit, options or who answers it. Another section or tier leaves its
    answers as good as they were.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    added_checks: tuple[str, ...]
    changed_checks: tuple[str, ...]
    removed_checks: tuple[str, ...]

    @property
    def to_run(self) -> tuple[str, ...]:
        """The fields whose answers are not there yet, or no longer fit."""
        return self.added + self.changed


def cloned_template(template: Template, id: str, label: Label) -> Template:
    """A copy that may be changed, as version 1 of a template of its own."""
    validate_id(id, "A template")
    if id in BUILTIN_IDS or id == template.id:
        raise TemplateError(f"The id {id!r} is taken; give the clone an id of its own.")
    return validate_template(
        replace(template, id=id, version=1, label=label, based_on=f"{template.id} {template.version}", builtin=False)
    )


def add_section(template: Template, section: Section) -> Template:
    """With one more section, the last, for fields to be added to."""
    _check_changeable(template)
    return validate_template(replace(template, sections=(*template.sections, section)))


def add_field(template: Template, field: Field, *, after: str | None = None) -> Template:
    """With one more field: after the field `after` of its section, otherwise the last of its section."""
    _check_changeable(template)
    if after is not None and template.field(after).section != field.section:
        raise TemplateError(f"The field {after!r} stands in another section than {field.section!r}.")
    fields = list(template.fields)
    neighbours = [
        i for i, other in enumerate(fields) if (other.id == after if after else other.section == field.section)
    ]
    if neighbours:
        fields.insert(neighbours[-1] + 1, field)
    else:
        fields.append(field)
    return validate_template(replace(template, fields=_in_sections(template, fields)))


def change_field(template: Template, field: Field) -> Template:
    """With `field` in the place of the one that has its id. An id itself is never changed: answers hang on it."""
    _check_changeable(template)
    template.field(field.id)
    fields = [field if other.id == field.id else other for other in template.fields]
    return validate_template(replace(template, fields=_in_sections(template, fields)))


def fields_of_sections(template: Template, section_ids: Collection[str]) -> list[str]:
    """The core fields of these sections, by id; all of those of a section that has no core ones."""
    known = {section.id for section in template.sections}
    if unknown := [name for name in section_ids if name not in known]:
        raise TemplateError(
            notice(
                "template.no_such_section",
                "The template {template} has no section {sections}. It has {known}.",
                template=template.id,
                sections=", ".join(unknown),
                known=", ".join(section.id for section in template.sections),
            )
        )
    chosen: list[str] = []
    for name in dict.fromkeys(section_ids):
        fields = [field for field in template.fields if field.section == name]
        core = [field for field in fields if field.tier is Tier.CORE]
        chosen += [field.id for field in core or fields]
    return chosen


def with_instructions(template: Template, instructions: Mapping[str, str]) -> Template:
    """The same template with other instructions, for one run: it is stored by its content, and stays what it is."""
    fields = [
        replace(field, instruction=instructions[field.id]) if field.id in instructions else field
        for field in template.fields
    ]
    return validate_template(replace(template, fields=tuple(fields)))


def remove_field(template: Template, field_id: str) -> Template:
    """Without that field, and without the checks that name it.

    A check is about its fields and has nothing to say once one is gone, so it
    goes along: `checks_of_template_edited` tells before which those are, `difference_of_templates` after.
    A field that says the unit of others is not removed: their numbers would
    be left without a meaning.
    """
    _check_changeable(template)
    template.field(field_id)
    dependents = [field.id for field in template.fields if field.unit == UnitOf(field=field_id)]
    if dependents:
        raise TemplateError(
            notice(
                "template.field_says_unit_change_remove",
                "The field {field} says the unit of {fields}; change or remove those first.",
                field=f"{field_id!r}",
                fields=", ".join(dependents),
            )
        )
    return _keep_fields(template, {field.id for field in template.fields} - {field_id})


def template_with_fields_selected(template: Template, field_ids: Collection[str]) -> Template:
    """The same template with these fields only, for a run that asks less.

    Fields that say the unit of a chosen one come along; checks that name a
    field left out, and sections left empty, do not. A selection of a built-in
    is as unchangeable as the whole.
    """
    chosen = {template.field(field_id).id for field_id in field_ids}
    if not chosen:
        raise TemplateError(notice("template.selection_needs_least_field", "A selection needs at least one field."))
    units = {field.unit.field for field in template.fields if field.id in chosen and isinstance(field.unit, UnitOf)}
    kept = _keep_fields(template, chosen | units)
    used = {field.section for field in kept.fields}
    return replace(kept, sections=tuple(section for section in kept.sections if section.id in used))


def checks_of_template_edited(template: Template, field_id: str) -> tuple[CheckRule, ...]:
    """The checks that name a field, and would go with it."""
    return tuple(check for check in template.checks if field_id in fields_named(check))


def fields_named(check: CheckRule) -> frozenset[str]:
    """The fields a check needs, in its condition or its expression."""
    texts = (check.when, check.expression) if check.when else (check.expression,)
    return frozenset(field for text in texts for field in parse_expression(text).fields)


def difference_of_templates(old: Template, new: Template) -> Difference:
    """What changed from one version to another."""
    questions = (
        {field.id: _moved_question(field) for field in old.fields},
        {field.id: _moved_question(field) for field in new.fields},
    )
    rules = {check.id: check for check in old.checks}, {check.id: check for check in new.checks}
    added, changed, removed = _compared_settings(*questions)
    added_checks, changed_checks, removed_checks = _compared_settings(*rules)
    return Difference(
        added=added,
        changed=changed,
        removed=removed,
        added_checks=added_checks,
        changed_checks=changed_checks,
        removed_checks=removed_checks,
    )


def _compared_settings(old: Mapping[str, object], new: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    return (
        tuple(key for key in new if key not in old),
        tuple(key for key in new if key in old and new[key] != old[key]),
        tuple(key for key in old if key not in new),
    )


def _moved_question(field: Field) -> Field:
    return replace(field, section="", tier=Tier.CORE)


def _keep_fields(template: Template, field_ids: set[str]) -> Template:
    return validate_template(
        replace(
            template,
            fields=tuple(field for field in template.fields if field.id in field_ids),
            checks=tuple(check for check in template.checks if fields_named(check) <= field_ids),
        )
    )


def _in_sections(template: Template, fields: list[Field]) -> tuple[Field, ...]:
    """The fields section by section, as a file keeps them; one of an unknown section goes last and is refused."""
    order = ids_in_template_model(template.sections)
    return tuple(sorted(fields, key=lambda field: order.index(field.section) if field.section in order else len(order)))


def _check_changeable(template: Template) -> None:
    if template.builtin:
        raise TemplateError(
            notice(
                "template.template_comes_program_stays_clone",
                "The template {id} comes with the program and stays as it is; clone it first.",
                id=f"{template.id!r}",
            )
        )
