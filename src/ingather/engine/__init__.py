"""The engine: durable batch tasks on PostgreSQL. Knows no document, no prompt, no model and no HTTP.

The names below are what it shows to everybody. They are loaded when first
used: a sentinel process should not carry what it never touches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ingather.engine.batch import Batch, Stream
    from ingather.engine.cron import Cron
    from ingather.engine.database import Database
    from ingather.engine.engine import Engine
    from ingather.engine.item import Item, Offspring
    from ingather.engine.item_context import ItemLogFilter
    from ingather.engine.model import Failure, ItemRecord, Progress, Queue, ScatterOptions, ScheduleRecord, WorkerRecord
    from ingather.engine.registry import Registry
    from ingather.engine.worker import Worker

# Where each name is defined.
HOMES: Final = {
    "Batch": "batch",
    "Cron": "cron",
    "Database": "database",
    "Engine": "engine",
    "Failure": "model",
    "Item": "item",
    "ItemLogFilter": "item_context",
    "ItemRecord": "model",
    "Offspring": "item",
    "Progress": "model",
    "Queue": "model",
    "Registry": "registry",
    "ScatterOptions": "model",
    "ScheduleRecord": "model",
    "Stream": "batch",
    "Worker": "worker",
    "WorkerRecord": "model",
}

__all__ = [
    "Batch",
    "Cron",
    "Database",
    "Engine",
    "Failure",
    "Item",
    "ItemLogFilter",
    "ItemRecord",
    "Offspring",
    "Progress",
    "Queue",
    "Registry",
    "ScatterOptions",
    "ScheduleRecord",
    "Stream",
    "Worker",
    "WorkerRecord",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'ingather.engine' has no attribute {name!r}")
    return getattr(import_module(f"ingather.engine.{HOMES[name]}"), name)
