"""Liveness, readiness and metrics. Liveness and readiness need no sign-in."""

import asyncio
import logging

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from ingather.engine.errors import IngatherError
from ingather.engine.reports import report_oldest_due
from ingather.engine.script import Script, Statement
from ingather.web.access import Here, Operator
from ingather.web.problems import problem_response
from ingather.web.rooms import Rooms
from ingather.web.schemas.forms import Health

log = logging.getLogger("ingather.web")

# The watchers of a fleet give up on an answer after a second. A database that takes longer than this is not ready.
PATIENCE_S = 0.8

router = APIRouter(tags=["health"])


# Both are `async def`: when the database hangs, requests that wait for it hold all threads.
@router.get("/healthz")
async def healthz_route() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/readyz", response_model=Health)
async def readyz_route(request: Request, here: Here) -> Response | Health:
    """The database answers, and its tables fit. This is known within a second, whatever happens."""
    state = request.app.state
    # One question at a time is on its way, however many want to know: anybody may call this.
    probe: asyncio.Task[bool] | None = getattr(state, "probe", None)
    if probe is None or probe.done():
        probe = state.probe = asyncio.create_task(_is_healthy_and_ready(here))
    # Not `wait_for`, which would wait until the driver has given up on a server that says nothing.
    await asyncio.wait({probe}, timeout=PATIENCE_S)
    if not probe.done() or not probe.result():
        return problem_response(503, "The database does not answer, or its tables do not fit.", {"Retry-After": "5"})
    return Health(status="ready")


async def _is_healthy_and_ready(here: Rooms) -> bool:
    try:
        await here.engine.database.aplay(_select_one_for_health())
    except IngatherError as error:
        # Anybody may call this route, so the address of the database and its error go to the log only.
        log.warning("not ready: %s", error)
        return False
    return True


def _select_one_for_health() -> Script[None]:
    yield Statement("select 1")


@router.get("/metrics", response_model=None, response_class=PlainTextResponse)
def metrics_route(here: Here, _: Operator) -> Response:
    """Queues and workers for Prometheus, which needs an operator's token."""
    registry = CollectorRegistry()
    items = Gauge("ingather_items", "Items of open batches.", ["queue", "state"], registry=registry)
    limits = Gauge("ingather_queue_max_running", "The limit of a queue.", ["queue"], registry=registry)
    for queue in here.engine.queues():
        items.labels(queue.name, "pending").set(queue.pending)
        items.labels(queue.name, "running").set(queue.running)
        if queue.max_running is not None:
            limits.labels(queue.name).set(queue.max_running)
    oldest = Gauge("ingather_queue_oldest_seconds", "Age of the oldest due item.", ["queue"], registry=registry)
    for name, age_s in here.engine.database.run(report_oldest_due()):
        oldest.labels(name).set(age_s)
    Gauge("ingather_workers", "Registered workers.", registry=registry).set(len(here.engine.workers()))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
