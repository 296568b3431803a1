"""A template: the questions asked of every document, in sections, and the checks that their answers must pass."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.review_questions import ReviewQuestions
from ingather.notice import notice


class FieldType(StrEnum):
    """What an answer to a field looks like."""

    TEXT = "text"  # one line
    LONGTEXT = "longtext"
    INT = "int"
    FLOAT = "float"
    PERCENT = "percent"  # 12.4 means 12.4 %
    DATE = "date"  # YYYY, YYYY-MM or YYYY-MM-DD, as precise as reported
    QUANTITY = "quantity"  # a number and its unit, such as `12 weeks`
    ID = "id"  # a DOI, a PMID, a registration number
    ENUM = "enum"
    MULTI_ENUM = "multi_enum"
    MULTI_TEXT = "multi_text"


class Scope(StrEnum):
    """What a field is asked of: once per study, or once per row."""

    STUDY = "study"
    ARM = "arm"
    OUTCOME = "outcome"
    ARM_RESULT = "arm_result"  # outcome, time and arm
    CONTRAST = "contrast"  # outcome, time and a pair of arms
    DOMAIN = "domain"  # a result whose risk of bias is judged
    QUESTION = "question"  # an outcome of a comparison that the review asks for: both arms in one row


class Tier(StrEnum):
    CORE = "core"  # asked unless switched off
    EXTENDED = "extended"  # asked when switched on


class Level(StrEnum):
    """How sure a check is: an error cannot be true of any study, a warning deserves a look."""

    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """The same words in English and Chinese."""

    en: str
    zh: str

    def to_dict(self) -> dict[str, Any]:
        return {"en": self.en, "zh": self.zh}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOf:
    """The unit is what another field says, such as the unit in which the outcome is reported."""

    field: str


Unit = str | tuple[str, ...] | UnitOf | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer a field of type enum may have. The id is kept; the label is shown.

    `cues` are words by which a sentence carries this choice. Without any, the
    ones that come with the program count, or else the words of the label.
    """

    id: str
    label: Label
    cues: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"id": self.id, "label": self.label.to_dict()}
        return plain | {"cues": list(self.cues)} if self.cues else plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading under which fields stand together."""

    id: str
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One question. The id stays for ever: another name is another label, not another id.

    `ai` is false for what only people write, `computed` is true for what a
    rule derives from other answers, and `human_or_protocol` for what the
    review's protocol settles. None of the three is asked of a model.

    `cues` are words by which a sentence speaks of this field, `rivals` words
    that make a figure beside them another quantity (`ingather.extraction.proof.cues`).
    """

    id: str
    label: Label
    section: str
    type: FieldType
    scope: Scope
    tier: Tier = Tier.CORE
    instruction: str = ""
    unit: Unit = None
    options: tuple[Option, ...] = ()
    cues: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    ai: bool = True
    computed: bool = False
    human_or_protocol: bool = False

    @property
    def is_askable(self) -> bool:
        """Whether a model, or our own rules, may answer it from the document. Questions are answered from cells."""
        is_open = self.ai and not self.computed and not self.human_or_protocol
        return is_open and self.scope is not Scope.QUESTION

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a template file; what has its usual value is left out, and so is the section."""
        data: dict[str, Any] = {
            "id": self.id,
            "label": self.label.to_dict(),
            "type": self.type.value,
            "scope": self.scope.value,
            "tier": self.tier.value,
            "instruction": self.instruction,
        }
        match self.unit:
            case UnitOf(field=field):
                data["unit"] = {"field": field}
            case tuple():
                data["unit"] = list(self.unit)
            case str():
                data["unit"] = self.unit
        if not self.ai:
            data["ai"] = False
        if self.computed:
            data["computed"] = True
        if self.human_or_protocol:
            data["human_or_protocol"] = True
        if self.cues:
            data["cues"] = list(self.cues)
        if self.rivals:
            data["rivals"] = list(self.rivals)
        if self.options:
            data["enum"] = [option.to_dict() for option in self.options]
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRule:
    """What must be true of the answers of a row, as data: an expression over fields, and what to say where it is false.

    Where `when` is false, or an answer it needs is missing, the rule says
    nothing. The message may name fields in braces; their values stand there.
    """

    id: str
    scope: Scope
    level: Level
    expression: str
    message: Label
    when: str = ""

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self.id, "scope": self.scope.value, "level": self.level.value}
        if self.when:
            data["when"] = self.when
        return data | {"expression": self.expression, "message": self.message.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The questions asked of every document of a task. A version, once used, never changes."""

    id: str
    version: int
    label: Label
    description: Label
    scopes: tuple[Scope, ...]
    sections: tuple[Section, ...]
    fields: tuple[Field, ...]
    checks: tuple[CheckRule, ...] = ()
    note: str = ""
    based_on: str = ""  # the id and version this one was cloned from, such as `rct 1`
    builtin: bool = False
    questions: ReviewQuestions | None = None  # those of the project when the task started

    @staticmethod
    def from_dict(data: object) -> "Template":
        """Read a template from plain data, as a file or the database keeps it. Raises TemplateError."""
        from ingather.extraction.template.reading import read_template  # noqa: PLC0415  reading needs these types

        return read_template(data)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `from_dict` gives back an equal template."""
        data: dict[str, Any] = {"id": self.id, "version": self.version}
        if self.builtin:
            data["builtin"] = True
        if self.based_on:
            data["based_on"] = self.based_on
        data |= {"label": self.label.to_dict(), "description": self.description.to_dict()}
        if self.note:
            data["note"] = self.note
        data["scopes"] = [scope.value for scope in self.scopes]
        data["sections"] = [
            {
                "id": section.id,
                "label": section.label.to_dict(),
                "fields": [field.to_dict() for field in self.fields if field.section == section.id],
            }
            for section in self.sections
        ]
        data["checks"] = [check.to_dict() for check in self.checks]
        if self.questions is not None:
            data["questions"] = self.questions.to_dict()
        return data

    def field(self, id: str) -> Field:
        for field in self.fields:
            if field.id == id:
                return field
        raise TemplateError(
            notice("template.template_no_field", "The template {id} has no field {field}.", id=self.id, field=f"{id!r}")
        )

    def fields_of(self, scope: str, *, tier: str | None = None) -> tuple[Field, ...]:
        """The fields of a scope in their order; with a tier, only those of that tier."""
        return tuple(field for field in self.fields if field.scope == scope and tier in {None, field.tier})

    def with_version(self, version: int) -> "Template":
        """The same template as version `version`: for whoever stores it and counts versions."""
        if isinstance(version, bool) or version < 1:
            raise TemplateError(f"A version is a number from 1, not {version!r}.")
        return replace(self, version=version)


def ids_in_template_model(things: Iterable[Field | Section | CheckRule | Option]) -> list[str]:
    return [thing.id for thing in things]
