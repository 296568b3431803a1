"""Projects, their members, and templates."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from ingather.web.schemas.forms import FieldId, Name, TemplateId, Wire

RoleName = Literal["owner", "adjudicator", "reviewer", "reader"]


class NewProject(Wire):
    name: Name


class ProjectView(Wire):
    project_id: int
    name: str
    role: str
    created_at: datetime


class Projects(Wire):
    projects: list[ProjectView]
    next: int | None


class MemberView(Wire):
    account_id: int
    name: str
    role: RoleName


class Members(Wire):
    members: list[MemberView]
    next: str | None


class SetMember(Wire):
    account: Name
    role: RoleName


class LabelView(Wire):
    en: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    zh: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class TemplateSummary(Wire):
    template_id: str
    version: int
    label: LabelView
    description: dict[str, str]
    is_builtin: bool
    based_on: str
    fields: int
    core_fields: int


class Templates(Wire):
    templates: list[TemplateSummary]
    next: str | None


class TemplateOption(Wire):
    id: str
    label: LabelView
    cues: list[str] = []  # noqa: RUF012  # pydantic copies a default


class UnitOfField(Wire):
    """The unit is what another field says."""

    field: str


class TemplateField(Wire):
    """One question. What has its usual value is left out: `ai` is true, `computed` and `human_or_protocol` false."""

    id: str
    label: LabelView
    type: str
    scope: str
    tier: str
    instruction: str
    unit: str | list[str] | UnitOfField | None = None
    ai: bool = True
    computed: bool = False
    human_or_protocol: bool = False
    cues: list[str] = []  # noqa: RUF012
    rivals: list[str] = []  # noqa: RUF012
    enum: list[TemplateOption] = []  # noqa: RUF012  # pydantic copies a default


QuestionName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
OtherNames = Annotated[list[QuestionName], Field(max_length=20)]


class NamedArmView(Wire):
    name: QuestionName
    other_names: OtherNames = []  # noqa: RUF012  # pydantic copies a default


class ComparisonView(Wire):
    """What the review compares with what. The id stays for ever: answers hang on it."""

    id: TemplateId
    intervention: NamedArmView
    comparator: NamedArmView


class OutcomeView(Wire):
    """An outcome that the review wants of each comparison; `timepoint` is the preferred time, where there is one."""

    id: TemplateId
    name: QuestionName
    other_names: OtherNames = []  # noqa: RUF012
    kind: Literal["binary", "continuous"]
    direction: Literal["higher_better", "lower_better", "neutral"] = "neutral"
    timepoint: Annotated[str, StringConstraints(max_length=200)] = ""


class ReviewQuestionsView(Wire):
    """Every outcome is asked of every comparison."""

    comparisons: list[ComparisonView]
    outcomes: list[OutcomeView]


class ProjectQuestions(ReviewQuestionsView):
    revision: int


class ChangeQuestions(Wire):
    """The questions as they should be, and the revision that was seen: 0 where nobody has written any."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "comparisons": [
                        {
                            "id": "c1",
                            "intervention": {"name": "aspirin", "other_names": ["acetylsalicylic acid"]},
                            "comparator": {"name": "placebo"},
                        }
                    ],
                    "outcomes": [
                        {"id": "stroke", "name": "stroke", "kind": "binary", "timepoint": "12 months"},
                        {"id": "pain", "name": "pain", "kind": "continuous", "direction": "lower_better"},
                    ],
                    "seen": 0,
                }
            ]
        },
    )

    comparisons: Annotated[list[ComparisonView], Field(max_length=100)] = []  # noqa: RUF012
    outcomes: Annotated[list[OutcomeView], Field(max_length=200)] = []  # noqa: RUF012
    seen: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 0


class TemplateSection(Wire):
    id: str
    label: LabelView
    fields: list[TemplateField]


class TemplateCheck(Wire):
    id: str
    scope: str
    level: str
    when: str = ""
    expression: str
    message: LabelView


class TemplateView(Wire):
    """A template in full. A version, once used, never changes."""

    id: str
    version: int
    builtin: bool = False
    based_on: str = ""
    label: LabelView
    description: dict[str, str]
    note: str = ""
    scopes: list[str]
    sections: list[TemplateSection]
    checks: list[TemplateCheck]
    questions: ReviewQuestionsView | None = None


class CloneTemplate(Wire):
    template_id: TemplateId
    label: LabelView


class ChangeTemplate(Wire):
    """Fields to add, or to put in place of those with the same id, and fields to remove."""

    fields: Annotated[list[dict[str, Any]], Field(max_length=400)] = []  # noqa: RUF012  # pydantic copies a default
    section: str = "custom"
    remove: Annotated[list[FieldId], Field(max_length=400)] = []  # noqa: RUF012  # pydantic copies a default
