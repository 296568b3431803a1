"""Projects, their templates and their tasks: the verbs as scripts, so that each is one transaction."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import orjson

from ingather.engine import verbs
from ingather.engine.errors import KeyReused
from ingather.engine.model import Offspring, Progress
from ingather.engine.script import Script, Statement
from ingather.extraction.errors import NotFound
from ingather.extraction.tasks import statements as sql
from ingather.extraction.template import Template
from ingather.library.port import Snapshot
from ingather.notice import error_notice, notice, notice_fields, noticed


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A review: its own templates and its tasks."""

    id: int
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One extraction run, with what it froze at its start. Without a model, the embedded extractor answers."""

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


class Why(StrEnum):
    """Why nothing happens in a task that nobody paused."""

    NO_WORKER = "no_worker"
    QUEUE_PAUSED = "queue_paused"
    SILENCE = "silence"  # the provider wants no calls until then
    HELD_BACK = "held_back"  # every document that is left is to be tried again later; the sentence says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What a task waits for, and until when, where that is known."""

    why: Why
    until: datetime | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A task as it stands."""

    task: Task
    progress: Progress
    spent: Spent
    wait: Wait | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a caller asks for, as it was said: two requests with one idempotency key must agree in it.

    By ids, because the same words must find the same task when a document has
    been deleted, or a template changed, since it started.
    """

    project_id: int
    template_id: str
    document_ids: tuple[int, ...]
    field_ids: tuple[str, ...] | None
    context: str
    spend_cap: Decimal | None

    @property
    def sha256(self) -> str:
        told = [
            self.project_id,
            self.template_id,
            self.document_ids,
            None if self.field_ids is None else sorted(self.field_ids),
            self.context,
            None if self.spend_cap is None else str(self.spend_cap),
        ]
        # Not by orjson: these are words from outside, not checked yet, and it refuses half characters.
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A wish, with all that the task will do because of it."""

    wish: Wish
    template: Template
    documents: tuple[Snapshot, ...]
    base_url: str | None
    model: str | None


def fingerprint(template: Template) -> str:
    """A template version by its content."""
    return hashlib.sha256(orjson.dumps(template.to_dict(), option=orjson.OPT_SORT_KEYS)).hexdigest()


# --- projects --------------------------------------------------------------------------------------------------------


def create_project(name: str) -> Script[Project]:
    [row] = yield Statement(sql.CREATE_PROJECT, {"name": name})
    return _project(row)


def own_project(made_for: str, name: str) -> Script[Project]:
    """The project that a program has for itself, made when it is first asked for."""
    if not (rows := (yield Statement(sql.FIND_OWN_PROJECT, {"made_for": made_for}))):
        yield Statement(sql.ADD_OWN_PROJECT, {"made_for": made_for, "name": name})
        rows = yield Statement(sql.FIND_OWN_PROJECT, {"made_for": made_for})
    return _project(rows[0])


def list_projects(ids: list[int] | None, *, after: int, limit: int | None) -> Script[list[Project]]:
    rows = yield Statement(sql.LIST_PROJECTS, {"ids": ids, "after": after, "limit": limit})
    return [_project(row) for row in rows]


def find_project(project_id: int) -> Script[Project]:
    rows = yield Statement(sql.FIND_PROJECT, {"project_id": project_id})
    if not rows:
        raise NotFound(notice("task.no_project", "There is no project {id}.", id=project_id))
    return _project(rows[0])


def _project(row: Sequence[Any]) -> Project:
    return Project(id=row[0], name=row[1], created_at=row[2])


# --- templates -------------------------------------------------------------------------------------------------------


def _keep_version(template: Template) -> Script[str]:
    sha256 = fingerprint(template)
    body = orjson.dumps(template.to_dict()).decode()
    kept = {"sha256": sha256, "template_id": template.id, "version": template.version, "body": body}
    yield Statement(sql.KEEP_TEMPLATE_VERSION, kept)
    return sha256


def add_template(project_id: int, template: Template) -> Script[bool]:
    """False where the id is taken."""
    yield from find_project(project_id)
    if (yield from find_template(template.id)) is not None:
        return False
    sha256 = yield from _keep_version(template)
    added = {"template_id": template.id, "project_id": project_id, "sha256": sha256}
    return bool((yield Statement(sql.ADD_TEMPLATE, added)))


def change_template(before: Template, after: Template) -> Script[bool]:
    """False where somebody else has changed it meanwhile."""
    sha256 = yield from _keep_version(after)
    changed = {"template_id": after.id, "sha256": sha256, "was": fingerprint(before)}
    return bool((yield Statement(sql.CHANGE_TEMPLATE, changed)))


def remove_template(template_id: str) -> Script[bool]:
    return bool((yield Statement(sql.REMOVE_TEMPLATE, {"template_id": template_id})))


def find_template(template_id: str) -> Script[tuple[Template, int] | None]:
    """A project's template and the project."""
    rows = yield Statement(sql.FIND_TEMPLATE, {"template_id": template_id})
    return (Template.from_dict(orjson.loads(rows[0][0])), rows[0][1]) if rows else None


def list_templates(project_id: int, *, after: str, limit: int | None) -> Script[list[Template]]:
    rows = yield Statement(sql.LIST_TEMPLATES, {"project_id": project_id, "after": after, "limit": limit})
    return [Template.from_dict(orjson.loads(body)) for body, _ in rows]


# --- tasks -----------------------------------------------------------------------------------------------------------


def start(request: Request, work: Offspring) -> Script[tuple[int, bool]]:
    """The batch and the task, in one commit. False beside the id: this key had its task already."""
    assert work.request is not None
    wish = request.wish
    yield from find_project(wish.project_id)
    batch_id, is_new = yield from verbs.scatter(work.request, work.lines)
    if not is_new:
        return _same((yield Statement(sql.TASK_OF_BATCH, {"batch_id": batch_id})), wish), False
    template_sha256 = yield from _keep_version(request.template)
    [(task_id,)] = yield Statement(
        sql.ADD_TASK,
        {
            "project_id": wish.project_id,
            "batch_id": batch_id,
            "template_sha256": template_sha256,
            "base_url": request.base_url,
            "model": request.model,
            "context": wish.context,
            "spend_cap": wish.spend_cap,
            "request_sha256": wish.sha256,
        },
    )
    yield Statement(
        sql.ADD_TASK_DOCUMENTS,
        {
            "task_id": task_id,
            "document_ids": [document.document_id for document in request.documents],
            "sha256s": [document.sha256 for document in request.documents],
            "file_names": [document.file_name for document in request.documents],
        },
    )
    return task_id, True


def started(wish: Wish, key: str) -> Script[int | None]:
    """The task that was started with this key, if there is one."""
    rows = yield Statement(sql.TASK_OF_KEY, {"key": key})
    return _same(rows, wish) if rows else None


def _same(found: Sequence[Any], wish: Wish) -> int:
    [(task_id, was)] = found
    if was != wish.sha256:
        raise KeyReused(
            notice(
                "task.idempotency_key_belongs_another_task",
                "This idempotency key belongs to another task. Use a new one for each task.",
            )
        )
    return int(task_id)


def find_task(task_id: int) -> Script[Task]:
    rows = yield Statement(sql.FIND_TASK, {"task_id": task_id})
    if not rows:
        raise NotFound(notice("task.no_task", "There is no task {id}.", id=task_id))
    return _task(rows[0])


def task_of_batch(batch_id: int) -> Script[Task]:
    rows = yield Statement(sql.FIND_TASK_OF_BATCH, {"batch_id": batch_id})
    if not rows:
        raise NotFound(f"There is no task for batch {batch_id}.")
    return _task(rows[0])


def projects_of_batch(batch_id: int) -> Script[list[int]]:
    return [project_id for (project_id,) in (yield Statement(sql.PROJECTS_OF_BATCH, {"batch_id": batch_id}))]


def batches_of_projects(
    project_ids: list[int], *, state: str | None, kind: str | None, before: int | None, limit: int
) -> Script[list[int]]:
    """The batches of these projects' tasks, newest first."""
    asked = {"project_ids": project_ids, "state": state, "kind": kind, "before": before, "limit": limit}
    return [batch_id for (batch_id,) in (yield Statement(sql.BATCHES_OF_PROJECTS, asked))]


def list_tasks(project_id: int, *, before: int, limit: int) -> Script[list[Task]]:
    asked = {"project_id": project_id, "state": None, "before": before, "limit": limit}
    return [_task(row) for row in (yield Statement(sql.LIST_TASKS, asked))]


def _task(row: Sequence[Any]) -> Task:
    *columns, pause_notice = row
    found = Task(**dict(zip(_TASK_FIELDS, columns, strict=True)))
    return (
        found if found.pause_reason is None else replace(found, pause_reason=noticed(found.pause_reason, pause_notice))
    )


def _spent(row: Sequence[Any]) -> Spent:
    return Spent(**dict(zip(_SPENT_FIELDS, row, strict=True)))


def _task_and_spent(row: Sequence[Any]) -> tuple[Task, Spent]:
    return _task(row[:_TASK_COLUMNS]), _spent(row[_TASK_COLUMNS:])


_TASK_FIELDS = [field.name for field in fields(Task)]
_SPENT_FIELDS = [field.name for field in fields(Spent)]
_TASK_COLUMNS = len(_TASK_FIELDS) + 1  # the notice of the pause stands beside its text


def template_version(sha256: str) -> Script[Template]:
    """What a task asks, as it was when it started."""
    [(body,)] = yield Statement(sql.FIND_TEMPLATE_VERSION, {"sha256": sha256})
    return Template.from_dict(orjson.loads(body))


def find_document(task_id: int, ordinal: int) -> Script[Snapshot]:
    rows = yield Statement(sql.FIND_DOCUMENT, {"task_id": task_id, "ordinal": ordinal})
    if not rows:
        raise NotFound(
            notice(
                "extraction.no_document_task",
                "There is no document {ordinal} in task {id}.",
                ordinal=ordinal,
                id=task_id,
            )
        )
    [(document_id, sha256, file_name)] = rows
    return Snapshot(document_id=document_id, file_name=file_name, sha256=sha256, size=0)


def find_parser(task: Task, ordinal: int) -> Script[str | None]:
    """The parser whose text a document's findings were found in; None where there are none yet."""
    rows = yield Statement(sql.FIND_PARSER, {"batch_id": task.batch_id, "ordinal": ordinal})
    return rows[0][0] if rows else None


def documents(task_id: int, ordinals: list[int]) -> Script[dict[int, tuple[int, str, str]]]:
    rows = yield Statement(sql.DOCUMENTS, {"task_id": task_id, "ordinals": ordinals})
    return {ordinal: (document_id, sha256, file_name) for ordinal, document_id, sha256, file_name in rows}


def pause(task: Task, reason: str) -> Script[None]:
    """Let no more documents start, and tell why."""
    yield Statement(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": reason, "notice": _stored(reason)})
    yield from verbs.pause(task.batch_id, paused=True)


def _stored(reason: str) -> str | None:
    fields = notice_fields(reason)
    return None if fields is None else orjson.dumps(fields).decode()


def resume(task: Task) -> Script[None]:
    yield Statement(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": None, "notice": None})
    yield from verbs.pause(task.batch_id, paused=False)


def set_spend_cap(task_id: int, spend_cap: Decimal | None) -> Script[None]:
    yield Statement(sql.SET_SPEND_CAP, {"task_id": task_id, "spend_cap": spend_cap})


def status(task_id: int) -> Script[Status]:
    """A task with its counts and its costs. It only looks."""
    for row in (yield Statement(sql.FIND_STATUS, {"task_id": task_id})):
        known = _TASK_COLUMNS + len(_SPENT_FIELDS)
        task, cost = _task_and_spent(row[:known])
        for progress in (yield from verbs.progress([task.batch_id])):
            return Status(task=task, progress=progress, spent=cost, wait=_wait(progress, row[known:]))
    raise NotFound(notice("task.no_task", "There is no task {id}.", id=task_id))


def _wait(progress: Progress, obstacles: Sequence[Any]) -> Wait | None:
    """What stands in the way of an open task. One that has documents under way waits for nothing but a silence, or for
    somebody to take them back from a worker that died."""
    is_queue_paused, silent_until, has_worker, held_until, held_by = obstacles
    if progress.state != "open" or progress.paused or has_worker is None:
        return None
    if silent_until is not None and progress.pending:
        return Wait(why=Why.SILENCE, until=silent_until)
    if not has_worker:
        return Wait(why=Why.NO_WORKER)
    if progress.running:
        return None
    if is_queue_paused:
        return Wait(why=Why.QUEUE_PAUSED)
    return Wait(why=Why.HELD_BACK, until=held_until, sentence=error_notice(held_by)) if held_until else None


def statuses(
    project_id: int, *, state: str | None = None, before: int, limit: int
) -> Script[tuple[list[Status], int | None]]:
    """A page of a project's tasks, newest first, and what `before` takes for the next one. It only looks."""
    asked = {"project_id": project_id, "state": state, "before": before, "limit": limit}
    page = [_task_and_spent(row) for row in (yield Statement(sql.LIST_TASKS_AND_SPENT, asked))]
    found = yield from verbs.progress([task.batch_id for task, _ in page])
    known = {progress.batch_id: progress for progress in found}
    listed = [
        Status(task=task, progress=known[task.batch_id], spent=cost) for task, cost in page if task.batch_id in known
    ]
    return listed, page[-1][0].id if len(page) == limit else None


def spent(task_id: int) -> Script[Spent]:
    [row] = yield Statement(sql.SPENT, {"task_id": task_id})
    return _spent(row)


def call_seconds(project_id: int, model: str) -> Script[float | None]:
    """How long the model took to answer lately, in this project; None where it was not asked yet."""
    [(seconds,)] = yield Statement(sql.CALL_SECONDS, {"project_id": project_id, "model": model})
    return None if seconds is None else float(seconds)
