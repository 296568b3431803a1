"""Extraction tasks: what starts one, what it would take, and how far it is."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from ingather.extraction.cell_marks import CellMark
from ingather.web.schemas.forms import BodyId, FieldId, Key, Name, NoticeView, TemplateId, Wire


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
    section_ids: Annotated[list[FieldId], Field(max_length=100)] | None = None
    context: Annotated[str, StringConstraints(max_length=4_000)] = ""
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None = None
    idempotency_key: Key | None = None


class NewInstruction(Wire):
    field: FieldId
    instruction: Annotated[str, StringConstraints(max_length=2_000)]


class NewFollowUp(Wire):
    """What to ask again. Nothing of it: only documents that join are asked.

    `only`: `failed` cells, or all that are `missing` (failed, not reported,
    unclear). `document_ids`: those that are meant, with those that join;
    without, all of the earlier task.
    """

    field_ids: Annotated[list[FieldId], Field(max_length=400, default_factory=list)]
    section_ids: Annotated[list[FieldId], Field(max_length=100, default_factory=list)]
    only: Literal["failed", "missing"] | None = None
    instructions: Annotated[list[NewInstruction], Field(max_length=400, default_factory=list)]
    document_ids: Annotated[list[BodyId], Field(max_length=10_000, min_length=1)] | None = None
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None = None
    idempotency_key: Key | None = None


class ComparedAnswer(Wire):
    state: str
    value: str | int | float | list[str] | None
    verdict: str
    source: str
    mark: CellMark
    quote: str


class ComparedCell(Wire):
    """A cell that says something else than in the earlier task; null where there was, or is, nothing."""

    row: str
    field: str
    before: ComparedAnswer | None
    after: ComparedAnswer | None


class ComparedDocument(Wire):
    ordinal: int
    document_id: int
    file_name: str
    is_new: bool
    cells: list[ComparedCell]


class Differences(Wire):
    differences: list[ComparedDocument]
    next: int | None


class StartedTask(Wire):
    task_id: int


class AskEstimate(Wire):
    project_id: BodyId
    template_id: TemplateId
    document_ids: Annotated[list[BodyId], Field(max_length=10_000)]
    field_ids: Annotated[list[FieldId], Field(max_length=400)] | None = None
    context: Annotated[str, StringConstraints(max_length=4_000)] = ""


class RangeView(Wire):
    low: float
    high: float


class Money(Wire):
    low: float
    high: float
    currency: str


class EstimateView(Wire):
    """What a task would take. `cost` is null where no price is known, and where no model is asked.

    `documents` are those it is about: not the unreadable ones, and not those
    unread as long as nothing is known of any.
    """

    documents: int
    unread: int
    unreadable: int
    calls: RangeView
    tokens_in: RangeView
    tokens_out: RangeView
    cost: Money | None
    seconds: RangeView


class FollowUpEstimateView(EstimateView):
    """What a follow-up would take. `cells`: those that are asked again of documents that the earlier task has."""

    cells: int


class PriceView(Wire):
    """Per million tokens."""

    input: float
    cached: float | None
    output: float
    currency: str
    as_of: date


class ModelView(Wire):
    """Who answers. Without a model it is the embedded extractor; a key is never told."""

    model: str | None
    host: str | None
    at_once: int | None
    price: PriceView | None


class AskTest(Wire):
    project_id: BodyId


class ModelTest(Wire):
    """What came of a few tiny calls. `rung` says how firmly the model can be held to a form, where it answered."""

    is_usable: bool
    sentence: NoticeView
    rung: str | None
    answered_as: str
    is_listed: bool | None
    calls: int
    took_s: float


class CountsView(Wire):
    pending: int
    running: int
    completed: int
    error: int
    cancelled: int


class SpentView(Wire):
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str | None
    unpriced: int


class WaitView(Wire):
    """Why nothing happens in a task that nobody paused."""

    why: Literal["no_worker", "queue_paused", "silence", "held_back"]
    until: datetime | None
    sentence: NoticeView | None


class WritingView(Wire):
    """Answers that are being written at this moment, with their tokens as far as can be told, and for how long."""

    answers: int
    tokens: int
    seconds: float


class TaskView(Wire):
    task_id: int
    project_id: int
    batch_id: int
    template_id: str
    template_version: int
    extractor: str
    is_embedded: bool
    context: str
    state: Literal["open", "closed"]
    paused: bool
    pause_reason: NoticeView | None
    wait: WaitView | None
    writing: WritingView | None
    total: int
    counts: CountsView
    percent: float
    spent: SpentView
    spend_cap: float | None
    follows: int | None
    name: str | None
    archived_at: datetime | None
    created_at: datetime
    closed_at: datetime | None


class Tasks(Wire):
    tasks: list[TaskView]
    next: int | None


class SpendCap(Wire):
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None


class ChangeTask(Wire):
    """What people call a task, and whether they have put it away. What is left out stays."""

    name: Name | None = None
    is_archived: bool | None = None
