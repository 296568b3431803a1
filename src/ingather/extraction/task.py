"""The nouns of tasks: a project, a task, what it has spent, and what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

import orjson

from ingather.engine.model import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A review: its own templates and its tasks."""

    id: int
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One extraction run, with what it froze at its start. Without a model, the embedded extractor answers.

    A follow-up begins with the results of the task `follows_id` and asks what
    `again` says, as JSON. `name` is what people call it; one that is archived
    they have put away.
    """

    id: int
    project_id: int
    project: str
    batch_id: int
    template_sha256: str
    template_id: str
    template_version: int
    base_url: str | None
    model: str | None
    context: str
    spend_cap: Decimal | None
    pause_reason: str | None
    created_at: datetime
    follows_id: int | None = None
    again: str | None = None
    name: str | None = None
    archived_at: datetime | None = None

    @property
    def asks_anew(self) -> bool:
        """Whether a question is put once more although an earlier task has an answer: it may have made no sense."""
        return self.again is not None and orjson.loads(self.again).get("only") is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a task's calls have cost so far. `cost` is None where no price is known; `unpriced` calls are not in it."""

    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: Decimal | None
    currency: str | None
    unpriced: int


class WaitReason(StrEnum):
    """Why nothing happens in a task that nobody paused."""

    NO_WORKER = "no_worker"
    QUEUE_PAUSED = "queue_paused"
    SILENCE = "silence"  # the provider wants no calls until then
    HELD_BACK = "held_back"  # every document that is left is to be tried again later; the sentence says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What a task waits for, and until when, where that is known."""

    why: WaitReason
    until: datetime | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """The answers that are being written: how many, how long they are together, and how long the longest takes."""

    answers: int
    characters: int
    longest_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A task as it stands."""

    task: Task
    progress: Progress
    spent: Spent
    wait: Wait | None = None
    under_way: UnderWay | None = None
