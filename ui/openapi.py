"""Prints the description of the API as JSON, for the types of the pages. Answers that are no success are left out."""

import json
import sys
from typing import TYPE_CHECKING, Any, cast

from ingather.web.app import create_app

if TYPE_CHECKING:
    from ingather.web.rooms import Rooms


def description() -> dict[str, Any]:
    """The routes are described without a database behind them: nothing is asked of the rooms."""
    schema = create_app(cast("Rooms", None), version="1").openapi()
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"] = {
                status: answer for status, answer in operation["responses"].items() if status.startswith("2")
            }
    return schema


if __name__ == "__main__":
    json.dump(description(), sys.stdout, indent=1, sort_keys=True)
