"""What an export needs to know of a template, and no more."""

from collections.abc import Sequence
from typing import Any, Protocol

from ingather.extraction.findings import Value


class LabelLike(Protocol):
    """The same words in both languages."""

    @property
    def en(self) -> str: ...
    @property
    def zh(self) -> str: ...


class Labelled(Protocol):
    """An option or a section."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> LabelLike: ...


class UnitOfLike(Protocol):
    """The unit is what another field says."""

    @property
    def field(self) -> str: ...


class FieldLike(Labelled, Protocol):
    """One question of a template."""

    @property
    def section(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def unit(self) -> str | tuple[str, ...] | UnitOfLike | None: ...
    @property
    def options(self) -> Sequence[Labelled]: ...
    @property
    def instruction(self) -> str: ...


class TemplateLike(Labelled, Protocol):
    """The questions asked of every document of a task."""

    @property
    def version(self) -> int: ...
    @property
    def sections(self) -> Sequence[Labelled]: ...
    @property
    def fields(self) -> Sequence[FieldLike]: ...

    def to_dict(self) -> dict[str, Any]: ...


def label_of(thing: Labelled, language: str) -> str:
    """Its name in this language, else in English, else its id."""
    return (thing.label.zh if language == "zh" else "") or thing.label.en or thing.id


def chosen(field: FieldLike, value: Value, language: str) -> Value:
    """A value as people read it: the labels of the options it names."""
    if not field.options:
        return value
    labels = {option.id: label_of(option, language) for option in field.options}
    match value:
        case str():
            return labels.get(value, value)
        case list():
            return [labels.get(item, item) for item in value]
        case _:
            return value


def unit_of(field: FieldLike) -> str:
    """The unit as the template has it: a unit, a choice of units, or the field that says it."""
    match field.unit:
        case None:
            return ""
        case str():
            return field.unit
        case tuple():
            return " / ".join(field.unit)
        case other:
            return f"→ {other.field}"
