"""The engine for operators: jobs, batches, queues, workers, schedules. Members look at what is theirs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response

from ingather.engine.model import Progress
from ingather.web import schemas as wire
from ingather.web import shapes
from ingather.web.access import Here, Operator, Who
from ingather.web.accounts import Caller
from ingather.web.problems import Refused
from ingather.web.rooms import Rooms

router = APIRouter(tags=["engine"])

QueueName = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
ScheduleName = Annotated[str, Path(min_length=1, max_length=100)]


@router.get("/jobs/{job_id}")
def show_job(job_id: wire.Id, here: Here, who: Who) -> wire.Job:
    """A single background job, such as the reading of an upload."""
    progress = _batch_for(here, who, job_id)
    if progress.total != 1:
        raise Refused(404, f"There is no job {job_id}.")
    [item] = here.engine.batch(job_id).page(limit=1)
    problem = str((item.error or {}).get("message", ""))
    return wire.Job(job_id=job_id, kind=progress.kind, state=item.state, result=item.result, problem=problem)


@router.get("/engine/batches")
def list_batches(
    here: Here,
    who: Who,
    state: Literal["open", "closed"] | None = None,
    before: wire.Id | None = None,
    limit: wire.Limit = 50,
) -> wire.Batches:
    """Batches, newest first: all for operators, those of their projects for members."""
    page = here.engine.batches(state=state, before=before, limit=limit)
    seen = [batch for batch in page if _may_see(here, who, batch)]
    return wire.Batches(
        batches=[shapes.batch(batch) for batch in seen], next=page[-1].batch_id if len(page) == limit else None
    )


@router.get("/engine/batches/{batch_id}")
def show_batch(batch_id: wire.Id, here: Here, who: Who) -> wire.Batch:
    return shapes.batch(_batch_for(here, who, batch_id))


@router.post("/engine/batches/{batch_id}/{verb}")
def steer_batch(
    batch_id: wire.Id, verb: Literal["cancel", "pause", "resume", "retry"], here: Here, _: Operator
) -> wire.Done:
    batch = here.engine.batch(batch_id)
    batch.progress()
    match verb:
        case "cancel":
            return wire.Done(changed=int(batch.cancel()))
        case "pause":
            batch.pause()
        case "resume":
            batch.resume()
        case "retry":
            return wire.Done(changed=batch.retry_failed())
    return wire.Done(changed=1)


@router.get("/engine/queues")
def list_queues(here: Here, _: Who) -> list[wire.Queue]:
    return shapes.queues(here.engine)


@router.post("/engine/queues/{name}/{verb}", status_code=204)
def steer_queue(name: QueueName, verb: Literal["pause", "resume"], here: Here, _: Operator) -> Response:
    if name not in {queue.name for queue in here.engine.queues()}:
        raise Refused(404, f"There is no queue {name!r}.")
    (here.engine.pause_queue if verb == "pause" else here.engine.resume_queue)(name)
    return Response(status_code=204)


@router.get("/engine/workers")
def list_workers(here: Here, _: Who) -> list[wire.Worker]:
    return [shapes.worker(worker) for worker in here.engine.workers()]


@router.get("/engine/schedules")
def list_schedules(here: Here, _: Who) -> list[wire.Schedule]:
    return [shapes.schedule(schedule) for schedule in here.engine.schedules()]


@router.post("/engine/schedules/{name}/{verb}", status_code=204)
def steer_schedule(name: ScheduleName, verb: Literal["pause", "resume"], here: Here, _: Operator) -> Response:
    steer = here.engine.pause_schedule if verb == "pause" else here.engine.resume_schedule
    if not steer(name):
        raise Refused(404, f"There is no schedule {name!r}.")
    return Response(status_code=204)


def _batch_for(here: Rooms, who: Caller, batch_id: int) -> Progress:
    progress = here.engine.batch(batch_id).progress()
    if not _may_see(here, who, progress):
        raise Refused(404, f"There is no batch {batch_id}.")
    return progress


def _may_see(here: Rooms, who: Caller, batch: Progress) -> bool:
    if who.is_operator:
        return True
    project_ids = {*here.extraction.projects_of_batch(batch.batch_id), *here.library.spaces_of_job(batch.batch_id)}
    return any(who.may_read(project_id) for project_id in project_ids)
