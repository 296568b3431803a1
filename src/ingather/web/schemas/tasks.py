"""Extraction tasks: what starts one, what it would take, and how far it is."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from ingather.web.schemas.forms import BodyId, FieldId, Key, NoticeView, TemplateId, Wire


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
    total: int
    counts: CountsView
    percent: float
    spent: SpentView
    spend_cap: float | None
    created_at: datetime
    closed_at: datetime | None


class Tasks(Wire):
    tasks: list[TaskView]
    next: int | None


class SpendCap(Wire):
    spend_cap: Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=4)] | None
