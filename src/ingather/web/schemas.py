"""The wire: what goes in and out, in snake_case. Whatever is not named here is refused."""

import unicodedata
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

LARGEST_ID = 2**63 - 1
_JOINERS = "\u200c\u200d"  # part of the spelling in several scripts
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def _digits(value: object) -> object:
    """Ids in addresses are plain digits: not 1_000, not ٣, not 1.0."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= 19):
            raise ValueError("an id is a whole number")
        return int(value)
    return value


def _visible(value: str) -> str:
    """One line of what people can see. Format characters would turn names around, or hide in them."""
    composed = unicodedata.normalize("NFC", value)
    seen = (char for char in composed if char in _JOINERS or unicodedata.category(char) not in _UNSEEN)
    cleaned = " ".join("".join(seen).split())
    if not cleaned:
        raise ValueError("a name has characters that can be seen")
    return cleaned


# As a number in a body, and as digits in an address.
BodyId = Annotated[int, Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Id = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Cursor = Annotated[int, BeforeValidator(_digits), Field(ge=0, le=LARGEST_ID, strict=True)]
Limit = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=500, strict=True)]
# An id, and behind it a name where names are the order: a page goes on there, also when what it ended with is gone.
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,19}( .+)?$", max_length=300), Field(examples=["7"])]
# A name, where names are the order.
NameMark = Annotated[str, StringConstraints(max_length=200)]
# Of what may be a megabyte each.
FewAtOnce = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=50, strict=True)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(_visible), Field(examples=["Stiff necks"])
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x20-\x7e]+$")]
TemplateId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
FieldId = TemplateId
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$"), Field(examples=["extract_document"])]


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Notice(Wire):
    """A sentence for people. `message` is English; whoever has the text of `id` in another language fills in `params`.

    An empty `id` is a sentence of somebody else's, such as a provider's: it is shown as it is.
    """

    id: str
    params: "dict[str, str | int | float | Notice]"
    message: str


class ProblemPart(Wire):
    """One thing that is wrong with a request, and where."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    place: Annotated[str, Field(alias="in")]
    detail: str


class Problem(Wire):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    notice: Notice | None = None
    errors: list[ProblemPart] = []


class Health(Wire):
    status: Literal["ok", "ready"]


# --- who -------------------------------------------------------------------------------------------------------------


class SignIn(Wire):
    word: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Me(Wire):
    account_id: int
    name: str
    is_operator: bool
    scope: str
    roles: dict[int, str]


class NewToken(Wire):
    name: Name
    scope: Literal["read", "write", "operate"] = "write"
    days: Annotated[int, Field(ge=1, le=3650, strict=True)] = 90
    project_id: BodyId | None = None


class Token(Wire):
    token_id: int
    name: str
    hint: str
    scope: str
    project_id: int | None
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class Tokens(Wire):
    tokens: list[Token]
    next: int | None


class MadeToken(Wire):
    token_id: int
    token: str
    expires_at: datetime


# --- projects and templates ------------------------------------------------------------------------------------------


class NewProject(Wire):
    name: Name


class Project(Wire):
    project_id: int
    name: str
    role: str
    created_at: datetime


class Projects(Wire):
    projects: list[Project]
    next: int | None


class Member(Wire):
    account_id: int
    name: str
    role: Literal["owner", "reviewer", "reader"]


class Members(Wire):
    members: list[Member]
    next: str | None


class SetMember(Wire):
    account: Name
    role: Literal["owner", "reviewer", "reader"]


class Words(Wire):
    en: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    zh: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class TemplateSummary(Wire):
    template_id: str
    version: int
    label: Words
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
    label: Words


class UnitOfField(Wire):
    """The unit is what another field says."""

    field: str


class TemplateField(Wire):
    """One question. What has its usual value is left out: `ai` is true, `computed` and `human_or_protocol` false."""

    id: str
    label: Words
    type: str
    scope: str
    tier: str
    instruction: str
    unit: str | list[str] | UnitOfField | None = None
    ai: bool = True
    computed: bool = False
    human_or_protocol: bool = False
    enum: list[TemplateOption] = []


class TemplateSection(Wire):
    id: str
    label: Words
    fields: list[TemplateField]


class TemplateCheck(Wire):
    id: str
    scope: str
    level: str
    when: str = ""
    expression: str
    message: Words


class Template(Wire):
    """A template in full. A version, once used, never changes."""

    id: str
    version: int
    builtin: bool = False
    based_on: str = ""
    label: Words
    description: dict[str, str]
    note: str = ""
    scopes: list[str]
    sections: list[TemplateSection]
    checks: list[TemplateCheck]


class CloneTemplate(Wire):
    template_id: TemplateId
    label: Words


class ChangeTemplate(Wire):
    """Fields to add, or to put in place of those with the same id, and fields to remove."""

    fields: Annotated[list[dict[str, Any]], Field(max_length=400)] = []
    section: str = "custom"
    remove: Annotated[list[FieldId], Field(max_length=400)] = []


# --- the library -----------------------------------------------------------------------------------------------------


class NewKnowledgeBase(Wire):
    project_id: BodyId
    name: Name


class KnowledgeBase(Wire):
    knowledge_base_id: int
    project_id: int
    name: str
    documents: int
    created_at: datetime


class KnowledgeBases(Wire):
    knowledge_bases: list[KnowledgeBase]
    next: int | None


class Document(Wire):
    document_id: int
    knowledge_base_id: int
    file_name: str
    sha256: str
    size: int
    added_at: datetime
    job_id: int
    state: str
    problem: str | None
    sentence: Notice | None
    page_count: int
    hidden_characters: int
    notes: list[Notice]


class Documents(Wire):
    documents: list[Document]
    next: str | None


class Uploaded(Wire):
    document: Document
    job_id: int
    is_duplicate: bool


class RefusedFile(Wire):
    file_name: str
    detail: Notice


class Uploads(Wire):
    uploads: list[Uploaded]
    refused: list[RefusedFile]


class Rectangle(Wire):
    left: float
    top: float
    right: float
    bottom: float
    page_width: float
    page_height: float


# --- tasks -----------------------------------------------------------------------------------------------------------


class NewTask(Wire):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"project_id": 1, "template_id": "rct", "document_ids": [1, 2], "idempotency_key": "monday"}]
        },
    )

    project_id: BodyId
    template_id: TemplateId
    document_ids: Annotated[list[BodyId], Field(max_length=10_000)]
    field_ids: Annotated[list[FieldId], Field(max_length=400)] | None = None
    context: Annotated[str, StringConstraints(max_length=4_000)] = ""
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None = None
    idempotency_key: Key | None = None


class StartedTask(Wire):
    task_id: int


class AskEstimate(Wire):
    project_id: BodyId
    template_id: TemplateId
    document_ids: Annotated[list[BodyId], Field(max_length=10_000)]
    field_ids: Annotated[list[FieldId], Field(max_length=400)] | None = None
    context: Annotated[str, StringConstraints(max_length=4_000)] = ""


class Range(Wire):
    low: float
    high: float


class Money(Wire):
    low: float
    high: float
    currency: str


class Estimate(Wire):
    """What a task would take. `cost` is null where no price is known, and where no model is asked.

    `documents` are those it is about: not the unreadable ones, and not those
    unread as long as nothing is known of any.
    """

    documents: int
    unread: int
    unreadable: int
    calls: Range
    tokens_in: Range
    tokens_out: Range
    cost: Money | None
    seconds: Range


class Price(Wire):
    """Per million tokens."""

    input: float
    cached: float | None
    output: float
    currency: str
    as_of: date


class Model(Wire):
    """Who answers. Without a model it is the embedded extractor; a key is never told."""

    model: str | None
    host: str | None
    at_once: int | None
    price: Price | None


class AskTest(Wire):
    project_id: BodyId


class ModelTest(Wire):
    """What came of a few tiny calls. `rung` says how firmly the model can be held to a form, where it answered."""

    is_usable: bool
    sentence: Notice
    rung: str | None
    answered_as: str
    is_listed: bool | None
    calls: int
    took_s: float


class Counts(Wire):
    pending: int
    running: int
    completed: int
    error: int
    cancelled: int


class Spent(Wire):
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str | None
    unpriced: int


class Wait(Wire):
    """Why nothing happens in a task that nobody paused."""

    why: Literal["no_worker", "queue_paused", "silence", "held_back"]
    until: datetime | None
    sentence: Notice | None


class Task(Wire):
    task_id: int
    project_id: int
    batch_id: int
    template_id: str
    template_version: int
    extractor: str
    is_embedded: bool
    state: Literal["open", "closed"]
    paused: bool
    pause_reason: Notice | None
    wait: Wait | None
    total: int
    counts: Counts
    percent: float
    spent: Spent
    spend_cap: float | None
    created_at: datetime
    closed_at: datetime | None


class Tasks(Wire):
    tasks: list[Task]
    next: int | None


class SpendCap(Wire):
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None


class Span(Wire):
    page: int
    start: int
    end: int


Value = str | int | float | list[str] | None
ReviewAction = Literal["accepted", "edited", "not_reported", "not_applicable", "unclear", "rejected", "withdrawn"]


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are no values of a field")  # noqa: TRY004  pydantic's way of refusing
    return value


GivenValue = Annotated[Value, BeforeValidator(_no_bool)]


class StandingReview(Wire):
    """The review that counts in a cell. One that is outdated judged something else, and nothing follows from it."""

    revision: int
    action: ReviewAction
    value: Value
    note: str
    by: str
    at: datetime
    is_outdated: bool


class Review(Wire):
    """One of all reviews of a document; revisions of a cell count from 1."""

    row: str
    field: str
    revision: int
    action: ReviewAction
    value: Value
    note: str
    by: str
    at: datetime


class Reviews(Wire):
    reviews: list[Review]
    next: int | None


class NewReview(Wire):
    """A judgement of one cell, and what its maker saw there: the revision of the review that stood, 0 for none."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"field": "n_randomised", "action": "accepted", "seen": 0},
                {"field": "arm_n", "row": "arm/1", "action": "edited", "value": 61, "note": "Table 1", "seen": 0},
                {"field": "n_randomised", "action": "withdrawn", "seen": 1},
            ]
        },
    )

    field: FieldId
    row: Annotated[str, StringConstraints(max_length=500)] = ""
    action: ReviewAction
    value: Annotated[GivenValue, Field(description="With `edited` only; read by the type of the field.")] = None
    note: Annotated[str, StringConstraints(max_length=2_000)] = ""
    seen: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 0
    seen_value: Annotated[
        GivenValue, Field(description="If given, the review counts only where this still stands.")
    ] = None


RowKey = Annotated[str, StringConstraints(max_length=500)]


class AcceptVerified(Wire):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ordinals": [0, 1, 2]}]})

    ordinals: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_ID, strict=True)]], Field(min_length=1, max_length=500)
    ]
    field_ids: Annotated[list[FieldId], Field(max_length=400)] | None = None
    rows: Annotated[
        list[list[RowKey]] | None,
        Field(max_length=500, description="For each of the documents the rows that are meant; without, all of them."),
    ] = None

    @model_validator(mode="after")
    def _match(self) -> Self:
        if self.rows is not None and len(self.rows) != len(self.ordinals):
            raise ValueError("`rows` has one list for each of the `ordinals`.")
        return self


class Accepted(Wire):
    """How many values were accepted, and how many answers are left that want a look at each."""

    accepted: int
    left: int


class Extracted(Wire):
    """What a finding said before a person, or an answer that a person gave, changed it."""

    state: str
    value: Value
    source: str


class Finding(Wire):
    """What stands in a cell. Quote and verdict speak of what was extracted.

    `value_spans` are where the value itself stands within the quote,
    `subject_spans` the words that make it this value. `reason` says why a
    value is `unbound`.
    """

    field: str
    row: str
    state: str
    value: Value
    quote: str
    verdict: str
    spans: list[Span]
    value_spans: list[Span]
    subject_spans: list[Span]
    reason: str | None
    source: str
    note: Notice | None
    extracted: Extracted | None
    review: StandingReview | None


class Row(Wire):
    scope: str
    key: str
    label: str
    parts: dict[str, str]


class Flag(Wire):
    rule: str
    row: str
    fields: list[str]
    message: Notice


class Result(Wire):
    ordinal: int
    document_id: int
    file_name: str
    sha256: str
    state: str
    problem: Notice | None
    rows: list[Row]
    findings: list[Finding]
    flags: list[Flag]
    checks_version: int


class Results(Wire):
    results: list[Result]
    next: int | None


class Done(Wire):
    """How many documents, batches or items a command reached."""

    changed: int


# --- the engine ------------------------------------------------------------------------------------------------------


class Job(Wire):
    job_id: int
    kind: str
    state: str
    result: Any
    problem: Notice | None


class Batch(Wire):
    batch_id: int
    kind: str
    queue: str
    state: str
    paused: bool
    total: int
    counts: Counts
    percent: float
    created_at: datetime
    closed_at: datetime | None


class Batches(Wire):
    batches: list[Batch]
    next: int | None


class Failure(Wire):
    """An item that failed. `problem` is null for those whose project it is not."""

    item_id: int
    ordinal: int
    attempt: int
    lost: int
    problem: Notice | None
    finished_at: datetime | None


class Failures(Wire):
    failures: list[Failure]
    next: int | None


class Queue(Wire):
    name: str
    max_running: int | None
    rate_items: int | None
    rate_window_s: float | None
    paused: bool
    blocked_until: datetime | None
    running: int
    pending: int


class Queues(Wire):
    queues: list[Queue]
    next: str | None


class Worker(Wire):
    worker_id: int
    host: str
    pid: int
    kinds: list[str]
    started_at: datetime
    beat_at: datetime
    lease_s: float
    running: int


class Workers(Wire):
    workers: list[Worker]
    next: int | None


class Schedule(Wire):
    name: str
    kind: str
    cron: str
    timezone: str
    paused: bool
    next_at: datetime | None
    last_at: datetime | None


class Schedules(Wire):
    schedules: list[Schedule]
    next: str | None
