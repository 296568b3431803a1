"""Everything as JSON, one document at a time and one per line."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, BinaryIO

from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.tally import Tally
from ingather.extraction.export.text import time_of, without_surrogates
from ingather.extraction.findings import DocumentResult, TaskSummary

SHAPE = "ingather.results"
SHAPE_VERSION = 2  # since 2, `state` and `value` of a finding are what stands after review


def write_json(out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult]) -> None:
    """Nothing is cut or worded; pages and characters count from 0, as they do in the data."""
    head = {"shape": SHAPE, "shape_version": SHAPE_VERSION, "summary": summary, "template": template.to_dict()}
    out.write(_json_bytes(head)[:-1] + b',"documents":[')
    separator, tally = b"\n", Tally()
    for document in results:
        tally.add(document)
        out.write(separator + _json_bytes(document))
        separator = b",\n"
    out.write(b'\n],"reviewed":' + _json_bytes(tally.reviews()) + b"}\n")


def _json_bytes(value: Any) -> bytes:
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def plain(value: Any) -> Any:
    """Data as JSON has it. What JSON cannot say is said in words (NaN) or with U+FFFD (a lone surrogate)."""
    match value:
        case str():
            return without_surrogates(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case None | bool() | int():
            return value
        case Mapping():
            return {without_surrogates(str(key)): plain(inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(inner) for inner in value]
        case datetime():
            return time_of(value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return without_surrogates(str(value))
