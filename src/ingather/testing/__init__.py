"""The testing kit: a database for every test, work that is drained in the test, a clock that can be moved, and faults
on demand.

pytest finds `plugin.py` by itself. Names are loaded when first used: a test run
that needs none of this should not carry the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingather.testing.by_hand import Ran, arun_by_hand, make_item, run_by_hand
    from ingather.testing.kit import Kit, Scattered

_HOMES = {
    "Kit": "kit",
    "Ran": "by_hand",
    "Scattered": "kit",
    "arun_by_hand": "by_hand",
    "make_item": "by_hand",
    "run_by_hand": "by_hand",
}

__all__ = ["Kit", "Ran", "Scattered", "arun_by_hand", "make_item", "run_by_hand"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ingather.testing' has no attribute {name!r}")
    return getattr(import_module(f"ingather.testing.{_HOMES[name]}"), name)
