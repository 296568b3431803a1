"""Is it alive, is it ready, and what do its meters say? The only routes that anybody may ask."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from ingather.engine.errors import IngatherError
from ingather.web.access import Here, Operator
from ingather.web.problems import problem

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=None)
def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", response_model=None)
def readyz(here: Here) -> Response | dict[str, str]:
    """The database answers, and its tables fit."""
    try:
        here.engine.queues()
    except IngatherError as error:
        return problem(503, str(error), {"Retry-After": "5"})
    return {"status": "ready"}


@router.get("/metrics", response_model=None)
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
