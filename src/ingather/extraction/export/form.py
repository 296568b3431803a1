"""What an export needs to know of a template, and no more."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class FieldLike(Protocol):
    """One question of a template."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> Mapping[str, str]: ...
    @property
    def section(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def unit(self) -> str | Sequence[str] | None: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def instruction(self) -> str: ...


class TemplateLike(Protocol):
    """The questions asked of every document of a task."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def label(self) -> Mapping[str, str]: ...
    @property
    def fields(self) -> Sequence[FieldLike]: ...


def label_of(thing: FieldLike | TemplateLike, language: str) -> str:
    """Its name in this language, else in English, else its id."""
    return thing.label.get(language) or thing.label.get("en") or thing.id
