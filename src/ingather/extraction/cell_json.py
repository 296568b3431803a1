"""The place of a cell as JSON, as results and reviews store it, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ingather.extraction.findings import CellPlace
from ingather.library.port import Box


def cell_to_json(cell: CellPlace) -> dict[str, Any]:
    return asdict(cell)


def cell_from_json(stored: Mapping[str, Any]) -> CellPlace:
    return CellPlace(
        table=stored["table"],
        label=stored["label"],
        page=stored["page"],
        row=stored["row"],
        column=stored["column"],
        row_path=tuple(stored["row_path"]),
        column_path=tuple(stored["column_path"]),
        box=None if stored["box"] is None else _box(stored["box"]),
        row_boxes=tuple(map(_box, stored["row_boxes"])),
        column_boxes=tuple(map(_box, stored["column_boxes"])),
    )


def _box(stored: Sequence[float]) -> Box:
    left, top, right, bottom = stored
    return left, top, right, bottom
