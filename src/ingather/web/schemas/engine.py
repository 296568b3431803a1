"""Jobs, batches, queues, workers and schedules, for operators."""

from datetime import datetime
from typing import Any

from ingather.web.schemas.forms import NoticeView, Wire
from ingather.web.schemas.tasks import CountsView


class JobView(Wire):
    job_id: int
    kind: str
    state: str
    result: Any
    problem: NoticeView | None


class BatchView(Wire):
    batch_id: int
    kind: str
    queue: str
    state: str
    paused: bool
    total: int
    counts: CountsView
    percent: float
    created_at: datetime
    closed_at: datetime | None


class Batches(Wire):
    batches: list[BatchView]
    next: int | None


class ItemView(Wire):
    """An item as it stands. `problem`, of one that failed, is null for those whose project it is not."""

    item_id: int
    ordinal: int
    state: str
    attempt: int
    lost: int
    problem: NoticeView | None
    finished_at: datetime | None


class Items(Wire):
    items: list[ItemView]
    next: int | None


class QueueView(Wire):
    name: str
    max_running: int | None
    rate_items: int | None
    rate_window_s: float | None
    paused: bool
    blocked_until: datetime | None
    running: int
    pending: int


class Queues(Wire):
    queues: list[QueueView]
    next: str | None


class WorkerView(Wire):
    worker_id: int
    host: str
    pid: int
    kinds: list[str]
    started_at: datetime
    beat_at: datetime
    lease_s: float
    running: int


class Workers(Wire):
    workers: list[WorkerView]
    next: int | None


class ScheduleView(Wire):
    name: str
    kind: str
    cron: str
    timezone: str
    paused: bool
    next_at: datetime | None
    last_at: datetime | None


class Schedules(Wire):
    schedules: list[ScheduleView]
    next: str | None
