"""Ingather: scatter the papers, gather the evidence.

Names are loaded when first used: a sentinel process should not carry what it
never touches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingather.app import Ingather
    from ingather.engine.batch import Batch, Stream
    from ingather.engine.cron import Cron
    from ingather.engine.errors import (
        BatchClosed,
        BatchTooBig,
        DatabaseUnavailable,
        EmptyBatch,
        Failed,
        IngatherError,
        KeyReused,
        LeaseLost,
        NotReady,
        PayloadRefused,
        Reject,
        RetryLater,
        SchemaMismatch,
        SchemaOutdated,
        SchemaTooNew,
        ShuttingDown,
        UnknownBatch,
        UnknownKind,
        UsageError,
    )
    from ingather.engine.item import Item
    from ingather.engine.item_context import ItemLogFilter
    from ingather.engine.model import Failure, ItemRecord, Progress, Queue, ScatterOptions, ScheduleRecord, WorkerRecord
    from ingather.engine.observer import WorkerState
    from ingather.engine.process_resource import ProcessResource
    from ingather.engine.typed_kind import TypedKind
    from ingather.engine.worker import Worker

_HOMES = {
    "Batch": "engine.batch",
    "Cron": "engine.cron",
    "Failure": "engine.model",
    "Ingather": "app",
    "Item": "engine.item",
    "ItemLogFilter": "engine.item_context",
    "ItemRecord": "engine.model",
    "ProcessResource": "engine.process_resource",
    "Progress": "engine.model",
    "Queue": "engine.model",
    "ScatterOptions": "engine.model",
    "ScheduleRecord": "engine.model",
    "Stream": "engine.batch",
    "TypedKind": "engine.typed_kind",
    "Worker": "engine.worker",
    "WorkerRecord": "engine.model",
    "WorkerState": "engine.observer",
}

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "BatchClosed",
    "BatchTooBig",
    "Cron",
    "DatabaseUnavailable",
    "EmptyBatch",
    "Failed",
    "Failure",
    "Ingather",
    "IngatherError",
    "Item",
    "ItemLogFilter",
    "ItemRecord",
    "KeyReused",
    "LeaseLost",
    "NotReady",
    "PayloadRefused",
    "ProcessResource",
    "Progress",
    "Queue",
    "Reject",
    "RetryLater",
    "ScatterOptions",
    "ScheduleRecord",
    "SchemaMismatch",
    "SchemaOutdated",
    "SchemaTooNew",
    "ShuttingDown",
    "Stream",
    "TypedKind",
    "UnknownBatch",
    "UnknownKind",
    "UsageError",
    "Worker",
    "WorkerRecord",
    "WorkerState",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ingather' has no attribute {name!r}")
    return getattr(import_module(f"ingather.{_HOMES.get(name, 'engine.errors')}"), name)
