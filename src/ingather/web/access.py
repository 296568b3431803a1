"""Who is asking, and may they? What a caller may not see is not there: 404, never 403."""

from typing import Annotated

from fastapi import Depends, Request

from ingather.engine import verbs
from ingather.engine.script import Script
from ingather.extraction import tasks
from ingather.extraction.errors import NotFound
from ingather.extraction.extraction import Status
from ingather.extraction.tasks import Task
from ingather.library.port import DocumentRecord, KnowledgeBase
from ingather.web import accounts
from ingather.web.accounts import Caller, Role
from ingather.web.edge import SESSION_COOKIE
from ingather.web.problems import Refused
from ingather.web.rooms import Rooms
from ingather.web.schemas import LARGEST_ID


def rooms(request: Request) -> Rooms:
    found = request.app.state.rooms
    assert isinstance(found, Rooms)
    return found


Here = Annotated[Rooms, Depends(rooms)]


def caller(request: Request, here: Here) -> Caller:
    """The account behind a token, or else behind a session: a request that names one has no use for the other."""
    authorization = request.headers.get("authorization")
    session = request.cookies.get(SESSION_COOKIE)
    found = None
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            found = here.engine.run(accounts.caller_of_token(token.strip()))
    elif session:
        found = here.engine.run(accounts.caller_of_session(session))
    if found is None:
        raise Refused(
            401,
            "Sign in with the link that `ingather run` printed, or send an API token.",
            {"WWW-Authenticate": "Bearer"},
        )
    return found


Who = Annotated[Caller, Depends(caller)]


def operator(who: Who) -> Caller:
    if not who.may_operate:
        raise Refused(403, "Only operators may do this.")
    return who


Operator = Annotated[Caller, Depends(operator)]


def need(who: Caller, role: Role, project_id: int) -> None:
    """That role in the project. To those outside it, the project is not there."""
    if not who.may_read(project_id):
        raise Refused(404, f"There is no project {project_id}.")
    if not who.may(role, project_id):
        raise Refused(403, f"This takes a {role.value} of the project, and a token that may write.")


def _status(task_id: int) -> Script[Status]:
    """A task with its counts and its costs, in one transaction."""
    task = yield from tasks.find_task(task_id)
    found = yield from verbs.progress([task.batch_id])
    if not found:
        raise NotFound(f"There is no task {task_id}.")
    return Status(task=task, progress=found[0], spent=(yield from tasks.spent(task_id)))


def status_for(here: Rooms, who: Caller, task_id: int) -> Status:
    """A task as it stands, for whoever may look at it."""
    status = here.engine.run(_status(task_id))
    if not who.may_read(status.task.project_id):
        raise Refused(404, f"There is no task {task_id}.")
    return status


def _statuses(project_id: int, before: int, limit: int) -> Script[tuple[list[Status], int | None]]:
    page = yield from tasks.list_tasks(project_id, before=before, limit=limit)
    found = yield from verbs.progress([task.batch_id for task in page])
    known = {progress.batch_id: progress for progress in found}
    listed = []
    for task in page:
        if task.batch_id in known:
            spent = yield from tasks.spent(task.id)
            listed.append(Status(task=task, progress=known[task.batch_id], spent=spent))
    return listed, page[-1].id if len(page) == limit else None


def statuses(here: Rooms, project_id: int, *, before: int | None, limit: int) -> tuple[list[Status], int | None]:
    """The tasks of a project, newest first, and what `before` takes for the next page."""
    return here.engine.run(_statuses(project_id, before or LARGEST_ID, limit))


def task_for(here: Rooms, who: Caller, task_id: int, role: Role = Role.READER) -> Task:
    task = here.extraction.task(task_id)
    if not who.may_read(task.project_id):
        raise Refused(404, f"There is no task {task_id}.")
    need(who, role, task.project_id)
    return task


def knowledge_base_for(here: Rooms, who: Caller, knowledge_base_id: int, role: Role = Role.READER) -> KnowledgeBase:
    found = here.library.knowledge_base(knowledge_base_id)
    if not who.may_read(found.space):
        raise Refused(404, f"There is no knowledge base {knowledge_base_id}. It may have been deleted.")
    need(who, role, found.space)
    return found


def document_for(here: Rooms, who: Caller, document_id: int, role: Role = Role.READER) -> DocumentRecord:
    found = here.library.document(document_id)
    if not who.may_read(found.space):
        raise Refused(404, f"There is no document {document_id}. It may have been deleted.")
    need(who, role, found.space)
    return found
