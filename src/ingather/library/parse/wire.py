"""A Reading as bytes, from the child to its parent. The parent believes nothing: what does not add up is refused.

head        length of the rest of the answer's head, then JSON: problem, sentence, hidden, notes, number of pages
each page   width, height, length of the text in bytes and in characters, the text in UTF-8, its boxes
tables      as `table_json` packs them, to the end
"""

import json
import math
import struct

from ingather.library.parse.clean import FORBIDDEN
from ingather.library.reading import Hidden, Page, Problem, Reading
from ingather.library.table import Table
from ingather.library.table_json import pack_tables, unpack_tables
from ingather.notice import notice_from_json, notice_to_json

# A notice inside a notice inside a notice: "{first} {rest}" with a file's kind in it. More would only help an attacker.
MOST_NESTED = 4
_HEAD = struct.Struct("<I")
_PAGE = struct.Struct("<ddII")


class Garbled(Exception):
    """The bytes are no Reading."""


def pack_reading_for_wire(reading: Reading) -> bytes:
    head = json.dumps(
        {
            "problem": reading.problem,
            "sentence": notice_to_json(reading.sentence),
            "hidden": [[run.page, run.text, run.reason] for run in reading.hidden],
            "notes": reading.notes,
            "pages": len(reading.pages),
        }
    ).encode()
    parts = [_HEAD.pack(len(head)), head]
    for page in reading.pages:
        text = page.text.encode()
        parts += (_PAGE.pack(page.width, page.height, len(text), len(page.text)), text, page.boxes)
    if reading.tables:
        parts.append(pack_tables(reading.tables))
    return b"".join(parts)


def unpack_reading_from_wire(answer: bytes, parser: str) -> Reading:
    """The Reading in an answer, or Garbled."""
    try:
        (length,) = _HEAD.unpack_from(answer)
        head = json.loads(answer[_HEAD.size : _HEAD.size + length])
        at, pages = _HEAD.size + length, []
        for _ in range(head["pages"]):
            page, at = _page_from_wire(answer, at)
            pages.append(page)
        reading = Reading(
            parser=parser,
            problem=Problem(head["problem"]) if head["problem"] is not None else None,
            sentence=_sentence_from_wire(head["sentence"]),
            pages=tuple(pages),
            hidden=tuple(
                Hidden(page=int(n), text=_text_from_wire(t), reason=_text_from_wire(r)) for n, t, r in head["hidden"]
            ),
            notes=tuple(_text_from_wire(note) for note in head["notes"]),
            tables=_tables_from_wire(answer[at:], len(pages)),
        )
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise Garbled from error
    if (reading.problem is None) is not bool(reading.pages):
        raise Garbled
    return reading


def _page_from_wire(answer: bytes, at: int) -> tuple[Page, int]:
    width, height, size, length = _PAGE.unpack_from(answer, at)
    start = at + _PAGE.size
    end = start + size + 8 * length
    text = _text_from_wire(answer[start : start + size].decode())
    if end > len(answer) or len(text) != length or not (math.isfinite(width) and math.isfinite(height)):
        raise Garbled
    return Page(text=text, width=width, height=height, boxes=answer[start + size : end]), end


def _tables_from_wire(packed: bytes, pages: int) -> tuple[Table, ...]:
    tables = unpack_tables(packed) if packed else ()
    for table in tables:
        for text in (table.label, table.caption, *table.footnotes):
            _text_from_wire(text)
        for cell in table.cells:
            _text_from_wire(cell.text)
        if max((table.page, *(cell.page for cell in table.cells))) >= pages:
            raise Garbled
    return tables


def _sentence_from_wire(value: object) -> str:
    """A sentence for people, a notice where it was one: plain text in every part, and nested no deeper than ours."""
    if value is None:
        return ""
    _check_notice_from_wire(value, MOST_NESTED)
    return notice_from_json(value)  # type: ignore[arg-type]  # it was checked


def _check_notice_from_wire(value: object, depth: int) -> None:
    if not (isinstance(value, dict) and value.keys() == {"id", "params", "message"} and depth > 0):
        raise Garbled
    if not isinstance(value["params"], dict):
        raise Garbled
    for text in (value["id"], value["message"], *value["params"]):
        _text_from_wire(text)
    for param in value["params"].values():
        if isinstance(param, dict):
            _check_notice_from_wire(param, depth - 1)
        elif isinstance(param, str):
            _text_from_wire(param)
        elif isinstance(param, bool) or not isinstance(param, int | float) or not math.isfinite(param):
            raise Garbled


def _text_from_wire(value: object) -> str:
    if not isinstance(value, str) or FORBIDDEN.search(value):
        raise Garbled
    return value
