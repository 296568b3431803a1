"""Which item a line of a log is about: known wherever a handler runs, in its tasks, threads and child processes."""

import logging
from contextvars import ContextVar
from typing import Final

from ingather.engine.item import Item

# The item whose handler runs in this context. A gather runs as an item without a payload.
running_item: Final[ContextVar[Item | None]] = ContextVar("ingather_item", default=None)

# The names in a record, and those of an item.
FIELDS: Final = {"item_id": "id", "item_key": "key", "batch_id": "batch_id", "kind": "kind", "attempt": "attempt"}


class ItemLogFilter(logging.Filter):
    """Adds `item_id`, `item_key`, `batch_id`, `kind` and `attempt` to every log record; None outside of a handler.

    `item_label` is the same for people: ` [item 12]`, or nothing.

    For a handler of `logging`, so that it sees the records of all libraries:
    `logging.getLogger().handlers[0].addFilter(ItemLogFilter())`.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        item = running_item.get()
        for name, attribute in FIELDS.items():
            # The worker's own records about an item bring them along.
            if not hasattr(record, name):
                setattr(record, name, getattr(item, attribute, None) or None)
        item_id = getattr(record, "item_id", None)
        record.item_label = f" [item {item_id}]" if item_id is not None else ""
        return True
