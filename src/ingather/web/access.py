"""Who is asking, and may they? What a caller may not see is not there: 404, never 403."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from ingather.extraction.task import Status, Task
from ingather.library.port import DocumentRecord, KnowledgeBase
from ingather.notice import notice
from ingather.web import accounts
from ingather.web.accounts import Caller, Role
from ingather.web.edge import SESSION_COOKIE
from ingather.web.problems import Refused
from ingather.web.rooms import Rooms

# In the middle of a sentence; each language has its own.
ROLE_NAMES = {
    Role.OWNER: notice("web.owner", "owner"),
    Role.ADJUDICATOR: notice("web.adjudicator", "adjudicator"),
    Role.REVIEWER: notice("web.reviewer", "reviewer"),
    Role.READER: notice("web.reader", "reader"),
}


# Dependencies that do not wait are `async def`: the framework would send others to a thread and back.
async def rooms_for_access(request: Request) -> Rooms:
    found = request.app.state.rooms
    assert isinstance(found, Rooms)
    return found


Here = Annotated[Rooms, Depends(rooms_for_access)]


async def find_caller_for_access(request: HTTPConnection, here: Rooms) -> Caller | None:
    """The account behind a token, or else behind a session: a request that names one has no use for the other."""
    authorization = request.headers.get("authorization")
    session = request.cookies.get(SESSION_COOKIE)
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return await here.engine.database.aplay(accounts.caller_of_token(token.strip()))
    elif session:
        return await here.engine.database.aplay(accounts.caller_of_session(session))
    return None


async def caller_with_access(request: Request, here: Here) -> Caller:
    found = await find_caller_for_access(request, here)
    if found is None:
        raise Refused(
            401,
            notice(
                "web.sign_link_ingather_run_printed",
                "Sign in with the link that `ingather run` printed, or send an API token.",
            ),
            {"WWW-Authenticate": "Bearer"},
        )
    return found


Who = Annotated[Caller, Depends(caller_with_access)]


async def operator_with_access(who: Who) -> Caller:
    if not who.may_operate:
        raise Refused(403, notice("web.only_operators", "Only operators may do this."))
    return who


Operator = Annotated[Caller, Depends(operator_with_access)]


def need_access(who: Caller, role: Role, project_id: int, missing: str = "") -> None:
    """That role in the project. To those outside it, it is not there, nor is anything in it: `missing` says what."""
    if not who.may_read(project_id):
        raise Refused(404, missing or notice("task.no_project", "There is no project {id}.", id=project_id))
    if not who.may(role, project_id):
        raise Refused(
            403,
            notice(
                "web.takes_project_token_write",
                "This takes a {role} of the project, and a token that may write.",
                role=ROLE_NAMES[role],
            ),
        )


def need_all_of_owner(who: Caller, project_id: int) -> None:
    """An owner in person, or with a token for all that they have: who leaks a token for one project keeps that one."""
    need_access(who, Role.OWNER, project_id)
    if who.only_project is not None:
        raise Refused(
            403,
            notice(
                "web.token_of_project_no_members",
                "A token for a single project can neither say who is in it nor delete it.",
            ),
        )


async def status_for_access(here: Rooms, who: Caller, task_id: int) -> Status:
    """A task as it stands, for whoever may look at it."""
    status = await here.extraction.astatus(task_id)
    need_access(who, Role.READER, status.task.project_id, notice("task.no_task", "There is no task {id}.", id=task_id))
    return status


def task_for_access(here: Rooms, who: Caller, task_id: int, role: Role = Role.READER) -> Task:
    task = here.extraction.task(task_id)
    need_access(who, role, task.project_id, notice("task.no_task", "There is no task {id}.", id=task_id))
    return task


def knowledge_base_for_access(
    here: Rooms, who: Caller, knowledge_base_id: int, role: Role = Role.READER
) -> KnowledgeBase:
    found = here.library.knowledge_base(knowledge_base_id)
    need_access(
        who,
        role,
        found.project_id,
        notice(
            "library.no_knowledge_base_been_deleted",
            "There is no knowledge base {id}. It may have been deleted.",
            id=f"{knowledge_base_id}",
        ),
    )
    return found


def document_for_access(here: Rooms, who: Caller, document_id: int, role: Role = Role.READER) -> DocumentRecord:
    found = here.library.document(document_id)
    need_access(
        who,
        role,
        found.project_id,
        notice(
            "library.no_document_been_deleted", "There is no document {id}. It may have been deleted.", id=document_id
        ),
    )
    return found
