"""The request for a task: what the caller gave, and what is frozen because of it. Pure."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import orjson

from ingather.engine.errors import UsageError
from ingather.extraction.task import Task
from ingather.extraction.tasks.follow_up import FollowUp
from ingather.extraction.template import Template
from ingather.library.port import Snapshot
from ingather.notice import notice


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """The parameters of a new task, as the caller gave them: two requests with one idempotency key must agree in them.

    It holds ids, so that the same request finds its task also when a document
    was deleted, or the template changed, since the task started.
    """

    project_id: int
    template_id: str
    document_ids: tuple[int, ...]
    field_ids: tuple[str, ...] | None
    context: str
    spend_cap: Decimal | None
    follow_up: FollowUp | None = None

    @property
    def sha256(self) -> str:
        parts = [
            self.project_id,
            self.template_id,
            self.document_ids,
            None if self.field_ids is None else sorted(self.field_ids),
            self.context,
            None if self.spend_cap is None else str(self.spend_cap),
        ]
        if self.follow_up is not None:
            parts.append([self.follow_up.task_id, self.follow_up.again, self.follow_up.instructions])
        # Not by orjson, which refuses half characters: this text comes from outside and is not checked yet.
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenRequest:
    """A request with all that the task keeps to: its template version, its documents, and the model that answers.

    `kept_ids` are documents of a follow-up that nothing is asked about.
    """

    request: TaskRequest
    template: Template
    documents: tuple[Snapshot, ...]
    kept_ids: frozenset[int] = frozenset()
    base_url: str | None
    model: str | None


def fingerprint(template: Template) -> str:
    """A template version by its content."""
    return hashlib.sha256(orjson.dumps(template.to_dict(), option=orjson.OPT_SORT_KEYS)).hexdigest()


def follow_up_request(
    wanted: FollowUp, before: Task, known: Sequence[Snapshot], spend_cap: Decimal | None = None
) -> TaskRequest:
    """The request of a follow-up: about all documents of the earlier task, unless some are named."""
    have = {one.document_id for one in known}
    meant = wanted.document_ids or tuple(one.document_id for one in known)
    if not (wanted.field_ids or wanted.only or wanted.instructions or set(meant) - have):
        raise UsageError(
            notice(
                "follow_up.asks_nothing",
                "This would ask nothing. Name fields, cells that failed or are missing, an instruction, or papers that "
                "join.",
            )
        )
    return TaskRequest(
        project_id=before.project_id,
        template_id=before.template_id,
        document_ids=tuple(dict.fromkeys(meant)),
        field_ids=wanted.field_ids,
        context=before.context,
        spend_cap=spend_cap,
        follow_up=wanted,
    )
