"""The engine for operators: jobs, batches, queues, workers, schedules. Members look at what is theirs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response

from ingather.engine import verbs
from ingather.engine.errors import UnknownBatch
from ingather.engine.model import Progress
from ingather.engine.script import Script
from ingather.extraction.tasks import tasks
from ingather.extraction.tasks.pipeline import KIND as TASK_KIND
from ingather.library import documents
from ingather.library.library import KIND as UPLOAD_KIND
from ingather.names import NAME
from ingather.notice import error_notice, notice
from ingather.web import shapes
from ingather.web.access import Here, Operator, Who
from ingather.web.accounts import Caller
from ingather.web.problems import Refused
from ingather.web.rooms import Rooms
from ingather.web.schemas.engine import (
    Batches,
    BatchView,
    Items,
    ItemView,
    JobView,
    Queues,
    Schedules,
    Workers,
)
from ingather.web.schemas.forms import Cursor, Done, Id, Kind, Limit, NameMark

router = APIRouter(tags=["engine"])

QueueName = Annotated[str, Path(pattern=f"^{NAME.pattern}$")]
ScheduleName = Annotated[str, Path(min_length=1, max_length=100)]


@router.get("/jobs/{job_id}")
def show_job_route(job_id: Id, here: Here, who: Who) -> JobView:
    """A single background job, such as the reading of an upload.

    What came of it is for those whose project it is; operators see how far it is.
    """
    try:
        progress, projects = here.engine.database.run(_batch_of_fleet_and_projects(job_id))
    except UnknownBatch:
        raise _no_job_in_fleet(job_id) from None
    is_theirs = any(who.may_read(project_id) for project_id in projects)
    if progress.total != 1 or not (is_theirs or who.is_operator):
        raise _no_job_in_fleet(job_id)
    [item] = here.engine.batch(job_id).page(limit=1)
    if projects and not is_theirs:
        return JobView(job_id=job_id, kind=progress.kind, state=item.state, result=None, problem=None)
    problem = shapes.optional_sentence_shape(error_notice(item.error))
    # Where cells start empty, findings are read as results of their task alone, which knows what each person may see.
    hides = progress.kind == TASK_KIND and any(
        here.extraction.review_settings(project_id).hides_extractor for project_id in projects
    )
    result = None if hides else item.result
    return JobView(job_id=job_id, kind=progress.kind, state=item.state, result=result, problem=problem)


@router.get("/engine/batches")
def list_batches_route(
    here: Here,
    who: Who,
    state: Literal["open", "closed"] | None = None,
    kind: Kind | None = None,
    without: Kind | None = None,
    before: Id | None = None,
    limit: Limit = 50,
) -> Batches:
    """Batches, newest first: all for operators, those of their projects for members. `without` leaves a kind out."""
    page, following = here.engine.database.run(_page_of_fleet_batches(who, state, kind, without, before, limit))
    return Batches(batches=[shapes.batch_shape(batch) for batch in page], next=following)


@router.get("/engine/batches/{batch_id}")
def show_batch_route(batch_id: Id, here: Here, who: Who) -> BatchView:
    return shapes.batch_shape(_batch_of_fleet_for(here, who, batch_id)[0])


@router.get("/engine/batches/{batch_id}/items")
def list_items_route(
    batch_id: Id,
    here: Here,
    who: Who,
    state: Literal["pending", "running", "completed", "error", "cancelled"] | None = None,
    after: Cursor = 0,
    limit: Limit = 50,
) -> Items:
    """Items in their order, also those in one state; `after` takes `next` of the page before, or an item's id less one.

    Why they failed is for those whose project it is: it may quote what they
    work on. Operators see which, when, and after how many attempts.
    """
    _, projects = _batch_of_fleet_for(here, who, batch_id)
    may_see_reasons = not projects or any(who.may_read(project_id) for project_id in projects)
    page = here.engine.batch(batch_id).page(state=state, after=after, limit=limit)
    return Items(
        items=[
            ItemView(
                item_id=item.id,
                ordinal=item.ordinal,
                state=item.state,
                attempt=item.attempt,
                lost=item.lost,
                problem=shapes.optional_sentence_shape(error_notice(item.error)) if may_see_reasons else None,
                finished_at=item.finished_at,
            )
            for item in page
        ],
        next=page[-1].id if len(page) == limit else None,
    )


@router.post("/engine/batches/{batch_id}/{verb}")
def steer_batch_route(
    batch_id: Id, verb: Literal["cancel", "pause", "resume", "retry"], here: Here, _: Operator
) -> Done:
    batch = here.engine.batch(batch_id)
    batch.progress()
    match verb:
        case "cancel":
            return Done(changed=int(batch.cancel()))
        case "pause":
            batch.pause()
        case "resume":
            batch.resume()
        case "retry":
            return Done(changed=batch.retry_failed())
    return Done(changed=1)


@router.post("/engine/batches/{batch_id}/items/{item_id}/retry")
def retry_item_route(batch_id: Id, item_id: Cursor, here: Here, _: Operator) -> Done:
    """Send one failed item back with all its attempts. `changed` is 0 where it has not failed."""
    return Done(changed=here.engine.batch(batch_id).retry_failed(item_id))


# Queues, workers and schedules are as many as operators set up: all are read, and returned page by page.


@router.get("/engine/queues")
def list_queues_route(here: Here, _: Who, after: NameMark = "", limit: Limit = 500) -> Queues:
    found = sorted((queue for queue in here.engine.queues() if queue.name > after), key=lambda queue: queue.name)
    page = [shapes.queue_shape(queue) for queue in found[:limit]]
    return Queues(queues=page, next=page[-1].name if len(page) == limit else None)


@router.post("/engine/queues/{name}/{verb}", status_code=204)
def steer_queue_route(name: QueueName, verb: Literal["pause", "resume"], here: Here, _: Operator) -> Response:
    if name not in {queue.name for queue in here.engine.queues()}:
        raise Refused(404, notice("web.no_queue", "There is no queue {name}.", name=f"{name!r}"))
    (here.engine.pause_queue if verb == "pause" else here.engine.resume_queue)(name)
    return Response(status_code=204)


@router.get("/engine/workers")
def list_workers_route(here: Here, who: Who, after: Cursor = 0, limit: Limit = 500) -> Workers:
    """The workers. On which machine they are is for operators."""
    found = [worker for worker in here.engine.workers() if worker.id > after]
    page = [shapes.worker_shape(worker, is_named=who.is_operator) for worker in found[:limit]]
    return Workers(workers=page, next=page[-1].worker_id if len(page) == limit else None)


@router.get("/engine/schedules")
def list_schedules_route(here: Here, _: Who, after: NameMark = "", limit: Limit = 500) -> Schedules:
    found = sorted((one for one in here.engine.schedules() if one.name > after), key=lambda one: one.name)
    page = [shapes.schedule_shape(one) for one in found[:limit]]
    return Schedules(schedules=page, next=page[-1].name if len(page) == limit else None)


@router.post("/engine/schedules/{name}/{verb}", status_code=204)
def steer_schedule_route(name: ScheduleName, verb: Literal["pause", "resume"], here: Here, _: Operator) -> Response:
    steer = here.engine.pause_schedule if verb == "pause" else here.engine.resume_schedule
    if not steer(name):
        raise Refused(404, notice("web.no_schedule", "There is no schedule {name}.", name=f"{name!r}"))
    return Response(status_code=204)


def _no_job_in_fleet(job_id: int) -> Refused:
    return Refused(404, f"There is no job {job_id}.")


def _batch_of_fleet_for(here: Rooms, who: Caller, batch_id: int) -> tuple[Progress, set[int]]:
    """A batch for whoever may know of it, and the projects it works for."""
    progress, projects = here.engine.database.run(_batch_of_fleet_and_projects(batch_id))
    if not who.is_operator and not any(who.may_read(project_id) for project_id in projects):
        raise UnknownBatch(_no_batch_in_fleet(batch_id))
    return progress, projects


def _no_batch_in_fleet(batch_id: int) -> str:
    return notice("engine.no_batch_been_pruned", "There is no batch {id}. It may have been pruned.", id=batch_id)


def _batch_of_fleet_and_projects(batch_id: int) -> Script[tuple[Progress, set[int]]]:
    """A batch and the projects it works for: one for a task's, any number for a file that several have."""
    found = yield from verbs.progress([batch_id])
    if not found:
        raise UnknownBatch(_no_batch_in_fleet(batch_id))
    return found[0], (yield from _projects_of_fleet_batch(batch_id))


def _projects_of_fleet_batch(batch_id: int) -> Script[set[int]]:
    of_tasks = yield from tasks.projects_of_batch(batch_id)
    of_documents = yield from documents.projects_of_job(batch_id)
    return {*of_tasks, *of_documents}


def _page_of_fleet_batches(
    who: Caller, state: str | None, kind: str | None, without: str | None, before: int | None, limit: int
) -> Script[tuple[list[Progress], int | None]]:
    """A page of batches, and what `before` takes for the next one: also where one of them is pruned this moment."""
    if who.is_operator:
        found = yield from verbs.batch_ids(state=state, kind=kind, before=before, limit=limit, without=without)
    else:
        theirs = list(who.roles)
        of_rooms: set[int] = set()
        # Batches of tasks are of one kind, and those of uploads of another.
        if without != TASK_KIND:
            of_tasks = yield from tasks.batches_of_projects(theirs, state=state, kind=kind, before=before, limit=limit)
            of_rooms.update(of_tasks)
        if without != UPLOAD_KIND:
            jobs = yield from documents.jobs_of_projects(theirs, state=state, kind=kind, before=before, limit=limit)
            of_rooms.update(jobs)
        found = sorted(of_rooms, reverse=True)[:limit]
    return (yield from verbs.progress(found)), found[-1] if len(found) == limit else None
