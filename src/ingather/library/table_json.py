"""Tables as bytes, from the reader's child to its parent and into the database, and back. Pure.

JSON with every text once: the paths of the cells of one row repeat the same labels, so they are kept as numbers.
"""

import json
import math
from typing import Any

from ingather.library.table import Box, Cell, Table


class NoTables(ValueError):
    """The bytes are no tables."""


def pack_tables(tables: tuple[Table, ...]) -> bytes:
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    packed = [
        {
            "page": table.page,
            "label": number(table.label),
            "caption": number(table.caption),
            "footnotes": [number(note) for note in table.footnotes],
            "is_picture": table.is_picture,
            "cells": [_packed_cell(cell, number) for cell in table.cells],
        }
        for table in tables
    ]
    return json.dumps({"texts": list(texts), "tables": packed}, separators=(",", ":"), ensure_ascii=False).encode()


def table_objects(tables: tuple[Table, ...]) -> list[dict[str, Any]]:
    """Tables as they are shown to programs: every text where it belongs, boxes in points from the top left corner."""
    return [
        {
            "page": table.page,
            "label": table.label,
            "caption": table.caption,
            "footnotes": list(table.footnotes),
            "is_picture": table.is_picture,
            "cells": [_cell_object(cell) for cell in table.cells],
        }
        for table in tables
    ]


def _cell_object(cell: Cell) -> dict[str, Any]:
    return {
        "row": cell.row,
        "column": cell.column,
        "row_span": cell.row_span,
        "column_span": cell.column_span,
        "text": cell.text,
        "row_path": list(cell.row_path),
        "column_path": list(cell.column_path),
        "is_header": cell.is_header,
        "page": cell.page,
        "box": None if cell.box is None else [round(edge, 2) for edge in cell.box],
    }


def _packed_cell(cell: Cell, number: Any) -> list[Any]:
    return [
        cell.row, cell.column, cell.row_span, cell.column_span, number(cell.text),
        [number(text) for text in cell.row_path], [number(text) for text in cell.column_path],
        int(cell.is_header), cell.page, None if cell.box is None else [round(edge, 2) for edge in cell.box],
    ]  # fmt: skip


def unpack_tables(data: bytes) -> tuple[Table, ...]:
    """The tables in some bytes, or NoTables. Nothing is believed of a child that may have been misled by its file."""
    try:
        found = json.loads(data)
        texts = [_text_of_json(text) for text in found["texts"]]
        return tuple(_unpacked_table(table, texts) for table in found["tables"])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise NoTables("These bytes hold no tables.") from error


def _unpacked_table(packed: dict[str, Any], texts: list[str]) -> Table:
    return Table(
        page=_whole_of_json(packed["page"]),
        label=texts[_whole_of_json(packed["label"])],
        caption=texts[_whole_of_json(packed["caption"])],
        footnotes=tuple(texts[_whole_of_json(note)] for note in packed["footnotes"]),
        is_picture=bool(packed["is_picture"]),
        cells=tuple(_unpacked_cell(cell, texts) for cell in packed["cells"]),
    )


def _unpacked_cell(packed: list[Any], texts: list[str]) -> Cell:
    row, column, row_span, column_span, text, row_path, column_path, is_header, page, box = packed
    return Cell(
        row=_whole_of_json(row),
        column=_whole_of_json(column),
        row_span=_whole_of_json(row_span),
        column_span=_whole_of_json(column_span),
        text=texts[_whole_of_json(text)],
        row_path=tuple(texts[_whole_of_json(label)] for label in row_path),
        column_path=tuple(texts[_whole_of_json(label)] for label in column_path),
        is_header=bool(is_header),
        page=_whole_of_json(page),
        box=None if box is None else _box_of_json(box),
    )


def _whole_of_json(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value


def _text_of_json(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _box_of_json(value: list[Any]) -> Box:
    left, top, right, bottom = (float(edge) for edge in value)
    if not all(map(math.isfinite, (left, top, right, bottom))):
        raise ValueError(value)
    return left, top, right, bottom
