"""Projects, their templates and their tasks: the verbs as scripts, so that each is one transaction."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson

from ingather.engine import verbs
from ingather.engine.errors import KeyReused
from ingather.engine.model import Offspring, Progress
from ingather.engine.script import Ask, Script
from ingather.extraction import statements as sql
from ingather.extraction.errors import NotFound
from ingather.extraction.template import Template
from ingather.library.port import Snapshot


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A task as it stands."""

    task: Task
    progress: Progress
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """All that decides what a task does: two requests with one idempotency key must agree in it."""

    project_id: int
    template: Template
    documents: tuple[Snapshot, ...]
    base_url: str | None = None
    model: str | None = None
    context: str = ""
    spend_cap: Decimal | None = None

    @property
    def sha256(self) -> str:
        told = [
            self.project_id,
            fingerprint(self.template),
            [(document.document_id, document.sha256) for document in self.documents],
            self.base_url,
            self.model,
            self.context,
            None if self.spend_cap is None else str(self.spend_cap),
        ]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()


def fingerprint(template: Template) -> str:
    """A template version by its content."""
    return hashlib.sha256(orjson.dumps(template.to_dict(), option=orjson.OPT_SORT_KEYS)).hexdigest()


# --- projects --------------------------------------------------------------------------------------------------------


def create_project(name: str) -> Script[Project]:
    [row] = yield Ask(sql.CREATE_PROJECT, {"name": name})
    return _project(row)


def list_projects() -> Script[list[Project]]:
    return [_project(row) for row in (yield Ask(sql.LIST_PROJECTS))]


def find_project(project_id: int) -> Script[Project]:
    rows = yield Ask(sql.FIND_PROJECT, {"project_id": project_id})
    if not rows:
        raise NotFound(f"There is no project {project_id}.")
    return _project(rows[0])


def _project(row: Sequence[Any]) -> Project:
    return Project(id=row[0], name=row[1], created_at=row[2])


# --- templates -------------------------------------------------------------------------------------------------------


def _keep_version(template: Template) -> Script[str]:
    sha256 = fingerprint(template)
    body = orjson.dumps(template.to_dict()).decode()
    kept = {"sha256": sha256, "template_id": template.id, "version": template.version, "body": body}
    yield Ask(sql.KEEP_TEMPLATE_VERSION, kept)
    return sha256


def add_template(project_id: int, template: Template) -> Script[bool]:
    """False where the id is taken."""
    yield from find_project(project_id)
    if (yield from find_template(template.id)) is not None:
        return False
    sha256 = yield from _keep_version(template)
    added = {"template_id": template.id, "project_id": project_id, "sha256": sha256}
    return bool((yield Ask(sql.ADD_TEMPLATE, added)))


def change_template(before: Template, after: Template) -> Script[bool]:
    """False where somebody else has changed it meanwhile."""
    sha256 = yield from _keep_version(after)
    changed = {"template_id": after.id, "sha256": sha256, "was": fingerprint(before)}
    return bool((yield Ask(sql.CHANGE_TEMPLATE, changed)))


def remove_template(template_id: str) -> Script[bool]:
    return bool((yield Ask(sql.REMOVE_TEMPLATE, {"template_id": template_id})))


def find_template(template_id: str) -> Script[tuple[Template, int] | None]:
    """A project's template and the project."""
    rows = yield Ask(sql.FIND_TEMPLATE, {"template_id": template_id})
    return (Template.from_dict(orjson.loads(rows[0][0])), rows[0][1]) if rows else None


def list_templates(project_id: int) -> Script[list[Template]]:
    rows = yield Ask(sql.LIST_TEMPLATES, {"project_id": project_id})
    return [Template.from_dict(orjson.loads(body)) for body, _ in rows]


# --- tasks -----------------------------------------------------------------------------------------------------------


def start(request: Request, work: Offspring) -> Script[tuple[int, bool]]:
    """The batch and the task, in one commit. False beside the id: this key had its task already."""
    assert work.request is not None
    yield from find_project(request.project_id)
    batch_id, is_new = yield from verbs.scatter(work.request, work.lines)
    if not is_new:
        [(task_id, was)] = yield Ask(sql.TASK_OF_BATCH, {"batch_id": batch_id})
        if was != request.sha256:
            raise KeyReused("This idempotency key belongs to another task. Use a new one for each task.")
        return task_id, False
    template_sha256 = yield from _keep_version(request.template)
    [(task_id,)] = yield Ask(
        sql.ADD_TASK,
        {
            "project_id": request.project_id,
            "batch_id": batch_id,
            "template_sha256": template_sha256,
            "base_url": request.base_url,
            "model": request.model,
            "context": request.context,
            "spend_cap": request.spend_cap,
            "request_sha256": request.sha256,
        },
    )
    yield Ask(
        sql.ADD_TASK_DOCUMENTS,
        {
            "task_id": task_id,
            "document_ids": [document.document_id for document in request.documents],
            "sha256s": [document.sha256 for document in request.documents],
            "file_names": [document.file_name for document in request.documents],
        },
    )
    return task_id, True


def find_task(task_id: int) -> Script[Task]:
    rows = yield Ask(sql.FIND_TASK, {"task_id": task_id})
    if not rows:
        raise NotFound(f"There is no task {task_id}.")
    return _task(rows[0])


def task_of_batch(batch_id: int) -> Script[Task]:
    rows = yield Ask(sql.FIND_TASK_OF_BATCH, {"batch_id": batch_id})
    if not rows:
        raise NotFound(f"There is no task for batch {batch_id}.")
    return _task(rows[0])


def projects_of_batch(batch_id: int) -> Script[list[int]]:
    return [project_id for (project_id,) in (yield Ask(sql.PROJECTS_OF_BATCH, {"batch_id": batch_id}))]


def list_tasks(project_id: int, *, before: int, limit: int) -> Script[list[Task]]:
    asked = {"project_id": project_id, "before": before, "limit": limit}
    return [_task(row) for row in (yield Ask(sql.LIST_TASKS, asked))]


def _task(row: Sequence[Any]) -> Task:
    return Task(**{field.name: value for field, value in zip(fields(Task), row, strict=True)})


def template_version(sha256: str) -> Script[Template]:
    """What a task asks, as it was when it started."""
    [(body,)] = yield Ask(sql.FIND_TEMPLATE_VERSION, {"sha256": sha256})
    return Template.from_dict(orjson.loads(body))


def find_document(task_id: int, ordinal: int) -> Script[Snapshot]:
    rows = yield Ask(sql.FIND_DOCUMENT, {"task_id": task_id, "ordinal": ordinal})
    if not rows:
        raise NotFound(f"There is no document {ordinal} in task {task_id}.")
    [(document_id, sha256, file_name)] = rows
    return Snapshot(document_id=document_id, file_name=file_name, sha256=sha256, size=0)


def documents(task_id: int, ordinals: list[int]) -> Script[dict[int, tuple[int, str, str]]]:
    rows = yield Ask(sql.DOCUMENTS, {"task_id": task_id, "ordinals": ordinals})
    return {ordinal: (document_id, sha256, file_name) for ordinal, document_id, sha256, file_name in rows}


def pause(task: Task, reason: str) -> Script[None]:
    """Let no more documents start, and tell why."""
    yield Ask(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": reason})
    yield from verbs.pause(task.batch_id, paused=True)


def resume(task: Task) -> Script[None]:
    yield Ask(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": None})
    yield from verbs.pause(task.batch_id, paused=False)


def set_spend_cap(task_id: int, spend_cap: Decimal | None) -> Script[None]:
    yield Ask(sql.SET_SPEND_CAP, {"task_id": task_id, "spend_cap": spend_cap})


def status(task_id: int) -> Script[Status]:
    """A task with its counts and its costs, in one transaction."""
    task = yield from find_task(task_id)
    found = yield from verbs.progress([task.batch_id])
    if not found:
        raise NotFound(f"There is no task {task_id}.")
    return Status(task=task, progress=found[0], spent=(yield from spent(task_id)))


def statuses(project_id: int, *, before: int, limit: int) -> Script[tuple[list[Status], int | None]]:
    """A page of a project's tasks, newest first, and what `before` takes for the next one."""
    page = yield from list_tasks(project_id, before=before, limit=limit)
    found = yield from verbs.progress([task.batch_id for task in page])
    known = {progress.batch_id: progress for progress in found}
    listed = []
    for task in page:
        if task.batch_id in known:
            cost = yield from spent(task.id)
            listed.append(Status(task=task, progress=known[task.batch_id], spent=cost))
    return listed, page[-1].id if len(page) == limit else None


def spent(task_id: int) -> Script[Spent]:
    [row] = yield Ask(sql.SPENT, {"task_id": task_id})
    calls, prompt_tokens, cached_tokens, completion_tokens, cost, currency, unpriced = row
    return Spent(
        calls=calls,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
        completion_tokens=completion_tokens,
        cost=cost,
        currency=currency,
        unpriced=unpriced,
    )
