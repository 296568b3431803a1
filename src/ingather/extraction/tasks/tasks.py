"""Tasks: the verbs as scripts, so that each is one transaction."""

from collections.abc import Sequence
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import orjson

from ingather.engine import verbs
from ingather.engine.errors import KeyReused, NotReady
from ingather.engine.item import Offspring
from ingather.engine.model import Progress
from ingather.engine.script import Script, Statement
from ingather.extraction.errors import NotFound
from ingather.extraction.reviewing import assignments, reviews, votes
from ingather.extraction.task import Spent, Status, Task, UnderWay, Wait, WaitReason
from ingather.extraction.tasks import statements as sql
from ingather.extraction.tasks.projects import find_project, keep_version
from ingather.extraction.tasks.request import FrozenRequest, TaskRequest
from ingather.extraction.template import Template
from ingather.library.port import Snapshot
from ingather.notice import error_notice, notice, notice_fields, noticed


def start(frozen: FrozenRequest, work: Offspring) -> Script[tuple[int, bool]]:
    """The batch and the task, with a follow-up the reviews of the task before, in one commit.

    False beside the id: this key had its task already.
    """
    assert work.request is not None
    request, follow_up = frozen.request, frozen.request.follow_up
    yield from find_project(request.project_id)
    batch_id, is_new = yield from verbs.scatter(work.request, work.lines)
    if not is_new:
        return _same_request((yield Statement(sql.TASK_OF_BATCH, {"batch_id": batch_id})), request), False
    template_sha256 = yield from keep_version(frozen.template)
    [(task_id,)] = yield Statement(
        sql.ADD_TASK,
        {
            "project_id": request.project_id,
            "batch_id": batch_id,
            "template_sha256": template_sha256,
            "base_url": frozen.base_url,
            "model": frozen.model,
            "context": request.context,
            "spend_cap": request.spend_cap,
            "request_sha256": request.sha256,
            "follows_id": follow_up.task_id if follow_up else None,
            "again": orjson.dumps(follow_up.again).decode() if follow_up else None,
        },
    )
    yield Statement(
        sql.ADD_TASK_DOCUMENTS,
        {
            "task_id": task_id,
            "document_ids": [document.document_id for document in frozen.documents],
            "sha256s": [document.sha256 for document in frozen.documents],
            "file_names": [document.file_name for document in frozen.documents],
        },
    )
    if follow_up is not None:
        yield from reviews.copy_reviews(follow_up.task_id, task_id)
        yield from assignments.copy(follow_up.task_id, task_id)
        yield from votes.copy(follow_up.task_id, task_id)
    return task_id, True


def started(request: TaskRequest, key: str) -> Script[int | None]:
    """The task that was started with this key, if there is one."""
    rows = yield Statement(sql.TASK_OF_KEY, {"key": key})
    return _same_request(rows, request) if rows else None


def _same_request(found: Sequence[Any], request: TaskRequest) -> int:
    [(task_id, was)] = found
    if was != request.sha256:
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
    return _task_of_row(rows[0])


def task_of_batch(batch_id: int) -> Script[Task]:
    rows = yield Statement(sql.FIND_TASK_OF_BATCH, {"batch_id": batch_id})
    if not rows:
        raise NotFound(f"There is no task for batch {batch_id}.")
    return _task_of_row(rows[0])


def projects_of_batch(batch_id: int) -> Script[list[int]]:
    return [project_id for (project_id,) in (yield Statement(sql.PROJECTS_OF_BATCH, {"batch_id": batch_id}))]


def batches_of_projects(
    project_ids: list[int], *, state: str | None, kind: str | None, before: int | None, limit: int
) -> Script[list[int]]:
    """The batches of these projects' tasks, newest first."""
    params = {"project_ids": project_ids, "state": state, "kind": kind, "before": before, "limit": limit}
    return [batch_id for (batch_id,) in (yield Statement(sql.BATCHES_OF_PROJECTS, params))]


def list_tasks(project_id: int, *, before: int, limit: int) -> Script[list[Task]]:
    params: dict[str, Any] = {"project_id": project_id, "state": None, "before": before, "limit": limit}
    params |= {"is_archived": None, "search": ""}
    return [_task_of_row(row) for row in (yield Statement(sql.LIST_TASKS, params))]


def _task_of_row(row: Sequence[Any]) -> Task:
    *columns, pause_notice = row
    found = Task(**dict(zip(_TASK_FIELDS, columns, strict=True)))
    return (
        found if found.pause_reason is None else replace(found, pause_reason=noticed(found.pause_reason, pause_notice))
    )


def _spent_of_row(row: Sequence[Any]) -> Spent:
    return Spent(**dict(zip(_SPENT_FIELDS, row, strict=True)))


def _task_and_spent(row: Sequence[Any]) -> tuple[Task, Spent]:
    return _task_of_row(row[:_TASK_COLUMNS]), _spent_of_row(row[_TASK_COLUMNS:])


_TASK_FIELDS = [field.name for field in fields(Task)]
_SPENT_FIELDS = [field.name for field in fields(Spent)]
_TASK_COLUMNS = len(_TASK_FIELDS) + 1  # the notice of the pause stands beside its text


def delete(task_id: int, batch_id: int) -> Script[None]:
    """Remove a task with its findings, reviews and calls. Only one that has ended: nobody works on it any more."""
    if not (yield from verbs.remove(batch_id)):
        raise NotReady(
            notice("task.still_open", "Task {id} has not ended. Cancel it first, then delete it.", id=task_id)
        )
    yield Statement(sql.DELETE_TASK, {"task_id": task_id})


def delete_project(project_id: int) -> Script[None]:
    """Remove a project with its tasks and templates. What other rooms keep for it, they remove before."""
    for task_id, batch_id in (yield Statement(sql.LOCK_TASKS_OF_PROJECT, {"project_id": project_id})):
        yield from delete(task_id, batch_id)
    yield Statement(sql.DELETE_PROJECT, {"project_id": project_id})


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


def all_documents(task_id: int) -> Script[list[Snapshot]]:
    """The documents of a task as they were when it started, in their order."""
    return [
        Snapshot(document_id=document_id, file_name=file_name, sha256=sha256, size=0)
        for document_id, sha256, file_name in (yield Statement(sql.ALL_DOCUMENTS, {"task_id": task_id}))
    ]


def find_result(task: Task, ordinal: int) -> Script[dict[str, Any] | None]:
    """What a completed document's item has left; None where it ended otherwise, or was pruned."""
    rows = yield Statement(sql.FIND_RESULT, {"batch_id": task.batch_id, "ordinal": ordinal})
    return orjson.loads(rows[0][0]) if rows else None


def find_parser(task: Task, ordinal: int) -> Script[str | None]:
    """The parser whose text a document's findings were found in; None where there are none yet."""
    rows = yield Statement(sql.FIND_PARSER, {"batch_id": task.batch_id, "ordinal": ordinal})
    return rows[0][0] if rows else None


def documents(task_id: int, ordinals: list[int]) -> Script[dict[int, tuple[int, str, str]]]:
    rows = yield Statement(sql.DOCUMENTS, {"task_id": task_id, "ordinals": ordinals})
    return {ordinal: (document_id, sha256, file_name) for ordinal, document_id, sha256, file_name in rows}


def pause(task: Task, reason: str) -> Script[None]:
    """Let no more documents start, and keep the reason."""
    yield Statement(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": reason, "notice": _stored_notice(reason)})
    yield from verbs.pause(task.batch_id, paused=True)


def _stored_notice(reason: str) -> str | None:
    fields = notice_fields(reason)
    return None if fields is None else orjson.dumps(fields).decode()


def resume(task: Task) -> Script[None]:
    yield Statement(sql.SET_PAUSE_REASON, {"task_id": task.id, "reason": None, "notice": None})
    yield from verbs.pause(task.batch_id, paused=False)


def name_task(task_id: int, name: str | None) -> Script[None]:
    yield Statement(sql.NAME_TASK, {"task_id": task_id, "name": name})


def archive_task(task_id: int, *, is_archived: bool) -> Script[None]:
    yield Statement(sql.ARCHIVE_TASK, {"task_id": task_id, "is_archived": is_archived})


def set_spend_cap(task_id: int, spend_cap: Decimal | None) -> Script[None]:
    yield Statement(sql.SET_SPEND_CAP, {"task_id": task_id, "spend_cap": spend_cap})


def status(task_id: int) -> Script[Status]:
    """A task with its counts and its costs. Changes nothing."""
    for row in (yield Statement(sql.FIND_STATUS, {"task_id": task_id})):
        known = _TASK_COLUMNS + len(_SPENT_FIELDS)
        task, cost = _task_and_spent(row[:known])
        for progress in (yield from verbs.progress([task.batch_id])):
            answers, characters, longest_s, *obstacles = row[known:]
            under_way = UnderWay(answers=answers, characters=characters, longest_s=longest_s) if answers else None
            wait = _wait_of_task(progress, obstacles)
            return Status(task=task, progress=progress, spent=cost, wait=wait, under_way=under_way)
    raise NotFound(notice("task.no_task", "There is no task {id}.", id=task_id))


def _wait_of_task(progress: Progress, obstacles: Sequence[Any]) -> Wait | None:
    """What keeps an open task from going on. While documents are under way it waits only for a silence of the provider,
    or for their return from a worker that died."""
    is_queue_paused, silent_until, has_worker, held_until, held_by = obstacles
    if progress.state != "open" or progress.paused or has_worker is None:
        return None
    if silent_until is not None and progress.pending:
        return Wait(why=WaitReason.SILENCE, until=silent_until)
    if not has_worker:
        return Wait(why=WaitReason.NO_WORKER)
    if progress.running:
        return None
    if is_queue_paused:
        return Wait(why=WaitReason.QUEUE_PAUSED)
    return Wait(why=WaitReason.HELD_BACK, until=held_until, sentence=error_notice(held_by)) if held_until else None


def statuses(
    project_id: int, *, state: str | None, is_archived: bool | None, search: str, before: int, limit: int
) -> Script[tuple[list[Status], int | None]]:
    """A page of a project's tasks, newest first, and what `before` takes for the next one. Changes nothing."""
    params: dict[str, Any] = {"project_id": project_id, "state": state, "before": before, "limit": limit}
    params |= {"is_archived": is_archived, "search": search}
    page = [_task_and_spent(row) for row in (yield Statement(sql.LIST_TASKS_AND_SPENT, params))]
    found = yield from verbs.progress([task.batch_id for task, _ in page])
    known = {progress.batch_id: progress for progress in found}
    listed = [
        Status(task=task, progress=known[task.batch_id], spent=cost) for task, cost in page if task.batch_id in known
    ]
    return listed, page[-1][0].id if len(page) == limit else None


def spent(task_id: int) -> Script[Spent]:
    [row] = yield Statement(sql.SPENT, {"task_id": task_id})
    return _spent_of_row(row)


def call_seconds(project_id: int, model: str) -> Script[float | None]:
    """How long the model took lately to answer, in this project; None before its first call."""
    [(seconds,)] = yield Statement(sql.CALL_SECONDS, {"project_id": project_id, "model": model})
    return None if seconds is None else float(seconds)
