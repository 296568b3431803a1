"""Ingather: scatter the papers, gather the evidence.

Names are loaded when first used: a sentinel process should not carry what it
never touches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingather.app import Ingather
    from ingather.engine.batch import Batch
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
    from ingather.engine.model import Item, ItemRecord, Progress

_HOMES = {
    "Ingather": "app",
    "Batch": "engine.batch",
    "Item": "engine.model",
    "ItemRecord": "engine.model",
    "Progress": "engine.model",
}

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "BatchClosed",
    "BatchTooBig",
    "DatabaseUnavailable",
    "EmptyBatch",
    "Failed",
    "Ingather",
    "IngatherError",
    "Item",
    "ItemRecord",
    "KeyReused",
    "LeaseLost",
    "NotReady",
    "PayloadRefused",
    "Progress",
    "Reject",
    "RetryLater",
    "SchemaMismatch",
    "SchemaOutdated",
    "SchemaTooNew",
    "ShuttingDown",
    "UnknownBatch",
    "UnknownKind",
    "UsageError",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ingather' has no attribute {name!r}")
    return getattr(import_module(f"ingather.{_HOMES.get(name, 'engine.errors')}"), name)
