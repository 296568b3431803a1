"""From plain data to a template: every part is looked at, and the first that is wrong is told in a sentence."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.model import (
    CheckRule,
    Field,
    FieldType,
    Label,
    Level,
    Option,
    Scope,
    Section,
    Template,
    Tier,
    Unit,
    UnitOf,
)
from ingather.extraction.template.review_questions import ReviewQuestions
from ingather.extraction.template.validation import validate_template
from ingather.names import visible
from ingather.notice import notice

MOST_UNITS: Final = 50  # a number that may have more units is a quantity
MOST_CUES: Final = 200  # each is a pattern that is searched in every quote of its field: more would cost time, not help
LONGEST_CUE: Final = 200  # characters; a longer one would stand in no quote
TEMPLATE_KEYS: Final = frozenset(
    "id version builtin based_on label description note scopes sections checks questions".split()  # noqa: SIM905
)
SECTION_KEYS: Final = frozenset({"id", "label", "fields"})
FIELD_KEYS: Final = frozenset(
    "id label type scope tier instruction unit ai computed human_or_protocol cues rivals enum".split()  # noqa: SIM905
)
CHECK_KEYS: Final = frozenset({"id", "scope", "level", "when", "expression", "message"})

E = TypeVar("E", bound=StrEnum)


def read_template(data: object) -> Template:
    top = _mapping_of_template(data, "A template", TEMPLATE_KEYS)
    name = f"The template {_text_of_template(top, 'id', 'A template')!r}"
    version = top.get("version", 1)
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= 1_000_000_000:
        raise TemplateError(f"{name} has the version {version!r}; a version is a number from 1.")
    sections: list[Section] = []
    fields: list[Field] = []
    for part in _list_of_template(top, "sections", name):
        section, its_fields = _section_read(part, name)
        sections.append(section)
        fields.extend(its_fields)
    return validate_template(
        Template(
            id=_text_of_template(top, "id", name),
            version=version,
            label=_label_of_template(top, "label", name),
            description=_label_of_template(top, "description", name, optional=True),
            scopes=tuple(
                _choice_of_template(Scope, scope, "scope", name) for scope in _list_of_template(top, "scopes", name)
            ),
            sections=tuple(sections),
            fields=tuple(fields),
            checks=tuple(_check_read(part, name) for part in _list_of_template(top, "checks", name, optional=True)),
            note=_text_of_template(top, "note", name, optional=True),
            based_on=_text_of_template(top, "based_on", name, optional=True),
            builtin=_flag_of_template(top, "builtin", name, usual=False),
            questions=ReviewQuestions.from_dict(top["questions"]) if "questions" in top else None,
        )
    )


def _section_read(data: object, name: str) -> tuple[Section, list[Field]]:
    part = _mapping_of_template(data, f"A section of {_lower_first(name)}", SECTION_KEYS)
    section = Section(
        id=_text_of_template(part, "id", "A section"), label=_label_of_template(part, "label", "A section")
    )
    return section, [
        read_field(field, section.id) for field in _list_of_template(part, "fields", f"The section {section.id!r}")
    ]


def read_field(data: object, section: str) -> Field:
    """One field from plain data. Its place in a template is looked at when it is added to one."""
    part = _mapping_of_template(data, f"A field of the section {section!r}", FIELD_KEYS)
    name = f"The field {_text_of_template(part, 'id', 'A field')!r}"
    return Field(
        id=_text_of_template(part, "id", name),
        label=_label_of_template(part, "label", name),
        section=section,
        type=_choice_of_template(FieldType, part.get("type"), "type", name),
        scope=_choice_of_template(Scope, part.get("scope"), "scope", name),
        tier=_choice_of_template(Tier, part.get("tier", "core"), "tier", name),
        instruction=_text_of_template(part, "instruction", name, optional=True),
        unit=_unit_read(part.get("unit"), name),
        options=tuple(_option_read(option, name) for option in _list_of_template(part, "enum", name, optional=True)),
        cues=_cues_read(part, "cues", name),
        rivals=_cues_read(part, "rivals", name),
        ai=_flag_of_template(part, "ai", name, usual=True),
        computed=_flag_of_template(part, "computed", name, usual=False),
        human_or_protocol=_flag_of_template(part, "human_or_protocol", name, usual=False),
    )


def _option_read(data: object, name: str) -> Option:
    part = _mapping_of_template(data, f"An option of {_lower_first(name)}", frozenset({"id", "label", "cues"}))
    option = f"An option of {_lower_first(name)}"
    return Option(
        id=_text_of_template(part, "id", option),
        label=_label_of_template(part, "label", name),
        cues=_cues_read(part, "cues", option),
    )


def _cues_read(part: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    cues = _list_of_template(part, key, name, optional=True)
    if len(cues) > MOST_CUES or not all(isinstance(cue, str) and 0 < len(cue.strip()) <= LONGEST_CUE for cue in cues):
        raise TemplateError(
            notice(
                "template.cues_short_texts",
                "{name} needs a list of short texts under {key}: up to {most}, of up to {longest} characters each.",
                name=name,
                key=f"{key!r}",
                most=MOST_CUES,
                longest=LONGEST_CUE,
            )
        )
    return tuple(str(cue) for cue in cues)


def _unit_read(data: object, name: str) -> Unit:
    match data:
        case None:
            return None
        case str():
            return data
        case {"field": str() as field, **rest} if not rest:
            return UnitOf(field=field)
        case list() if data and len(data) <= MOST_UNITS and all(isinstance(unit, str) for unit in data):
            return tuple(str(unit) for unit in data)
    raise TemplateError(
        f"{name} has a unit that cannot be read; it is a text, a list of up to {MOST_UNITS} texts, "
        "or {field: the id of the field that says it}."
    )


def _check_read(data: object, name: str) -> CheckRule:
    part = _mapping_of_template(data, f"A check of {_lower_first(name)}", CHECK_KEYS)
    check = f"The check {_text_of_template(part, 'id', 'A check')!r}"
    return CheckRule(
        id=_text_of_template(part, "id", check),
        scope=_choice_of_template(Scope, part.get("scope"), "scope", check),
        level=_choice_of_template(Level, part.get("level", "warn"), "level", check),
        when=_text_of_template(part, "when", check, optional=True),
        expression=_text_of_template(part, "expression", check),
        message=_label_of_template(part, "message", check),
    )


def _lower_first(name: str) -> str:
    return name[0].lower() + name[1:]


def _mapping_of_template(data: object, name: str, keys: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise TemplateError(f"{name} must be a mapping of keys to values, not {type(data).__name__}.")
    for key in data:
        if key not in keys:
            raise TemplateError(f"{name} has the key {shown_when_reading(key)}, which means nothing here.")
    return data


def _list_of_template(part: Mapping[str, Any], key: str, name: str, *, optional: bool = False) -> Sequence[object]:
    value = part.get(key, [] if optional else None)
    if not isinstance(value, list):
        raise TemplateError(f"{name} needs a list under {key!r}.")
    return value


def _text_of_template(part: Mapping[str, Any], key: str, name: str, *, optional: bool = False) -> str:
    value = part.get(key, "" if optional else None)
    if not isinstance(value, str) or not (value or optional):
        raise TemplateError(
            notice("template.needs_text_under", "{name} needs a text under {key}.", name=name, key=f"{key!r}")
        )
    return value


def _flag_of_template(part: Mapping[str, Any], key: str, name: str, *, usual: bool) -> bool:
    value = part.get(key, usual)
    if not isinstance(value, bool):
        raise TemplateError(f"{name} needs true or false under {key!r}.")
    return value


def _label_of_template(part: Mapping[str, Any], key: str, name: str, *, optional: bool = False) -> Label:
    """Words in both languages; a single text, or one language alone, stands for both."""
    match part.get(key, "" if optional else None):
        case str() as text if text or optional:
            return Label(en=text, zh=text)
        case {"en": str() as en, "zh": str() as zh, **rest} if not rest and (optional or (en and zh)):
            return Label(en=en, zh=zh)
        case {"en": str() as only, **rest} | {"zh": str() as only, **rest} if not rest and (optional or only):
            return Label(en=only, zh=only)
    raise TemplateError(
        notice(
            "template.needs_words_under_such_en",
            "{name} needs words under {key}, such as {en: Age, zh: 年龄}.",
            name=name,
            key=f"{key!r}",
        )
    )


def _choice_of_template(kind: type[E], value: object, key: str, name: str) -> E:
    try:
        return kind(str(value))
    except ValueError:
        known = ", ".join(kind)
        raise TemplateError(f"{name} has the {key} {shown_when_reading(value)}; it is one of {known}.") from None


def shown_when_reading(value: object) -> str:
    """A value as it may stand in a sentence: short, and without what a terminal would act upon."""
    text = repr(value)[:60] if isinstance(value, str | int | float | None) else type(value).__name__
    return visible(text)
