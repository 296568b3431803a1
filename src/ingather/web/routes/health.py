"""Is it alive, is it ready, and what do its meters say? The only routes that anybody may ask."""

import logging

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from ingather.engine.errors import IngatherError
from ingather.engine.script import Script, Statement
from ingather.web import schemas as wire
from ingather.web.access import Here, Operator
from ingather.web.problems import problem

log = logging.getLogger("ingather.web")

router = APIRouter(tags=["health"])


@router.get("/healthz")
def healthz() -> wire.Health:
    """The process answers."""
    return wire.Health(status="ok")


@router.get("/readyz", response_model=wire.Health)
def readyz(here: Here) -> Response | wire.Health:
    """The database answers, and its tables fit."""
    try:
        here.engine.database.run(_anything())
    except IngatherError as error:
        # Anybody may ask this; where the database is and what it said is for the log.
        log.warning("not ready: %s", error)
        return problem(503, "The database does not answer, or its tables do not fit.", {"Retry-After": "5"})
    return wire.Health(status="ready")


def _anything() -> Script[None]:
    yield Statement("select 1")


@router.get("/metrics", response_model=None, response_class=PlainTextResponse)
def metrics(here: Here, _: Operator) -> Response:
    """Queues and workers for Prometheus, which needs an operator's token."""
    registry = CollectorRegistry()
    items = Gauge("ingather_items", "Items of open batches.", ["queue", "state"], registry=registry)
    limits = Gauge("ingather_queue_max_running", "The limit of a queue.", ["queue"], registry=registry)
    for queue in here.engine.queues():
        items.labels(queue.name, "pending").set(queue.pending)
        items.labels(queue.name, "running").set(queue.running)
        if queue.max_running is not None:
            limits.labels(queue.name).set(queue.max_running)
    Gauge("ingather_workers", "Registered workers.", registry=registry).set(len(here.engine.workers()))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
