"""Liveness, readiness and metrics. Liveness and readiness need no sign-in."""

import logging

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from ingather.engine.errors import IngatherError
from ingather.engine.script import Script, Statement
from ingather.web.access import Here, Operator
from ingather.web.problems import problem
from ingather.web.schemas.forms import Health

log = logging.getLogger("ingather.web")

router = APIRouter(tags=["health"])


@router.get("/healthz")
def healthz() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/readyz", response_model=Health)
def readyz(here: Here) -> Response | Health:
    """The database answers, and its tables fit."""
    try:
        here.engine.database.run(_anything())
    except IngatherError as error:
        # Anybody may call this route, so the address of the database and its error go to the log only.
        log.warning("not ready: %s", error)
        return problem(503, "The database does not answer, or its tables do not fit.", {"Retry-After": "5"})
    return Health(status="ready")


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
