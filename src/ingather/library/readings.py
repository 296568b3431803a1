"""Readings and their pages in the database, as scripts: written once for a file and a parser, then only read."""

import zlib
from collections.abc import Iterable

import orjson

from ingather.engine.errors import NotReady
from ingather.engine.script import Script, Statement
from ingather.library import places
from ingather.library import statements as sql
from ingather.library.errors import UnknownFile, UnknownPage
from ingather.library.port import Hidden, Length, PageArea, Passage, PrintedLine, Problem, ReadingSummary, Rect
from ingather.library.reading import OCR, Page, Reading
from ingather.library.table import Table
from ingather.library.table_json import pack_tables, unpack_tables
from ingather.notice import edited, notice, notice_fields, noticed

# Pages travel by the hundred: a book's worth of boxes need not be one message.
PAGES_AT_ONCE = 100


def find(sha256: str, parser: str) -> Script[ReadingSummary | None]:
    rows = yield Statement(sql.READING, {"sha256": sha256, "parser": parser})
    if not rows:
        return None
    [(_, _, problem, sentence, page_count, hidden, notes, read_at, fields)] = rows
    return ReadingSummary(
        sha256=sha256,
        parser=parser,
        problem=None if problem is None else Problem(problem),
        sentence=noticed(sentence, fields),
        page_count=page_count,
        hidden=tuple(Hidden(**one) for one in orjson.loads(hidden)),
        notes=tuple(notes),
        read_at=read_at,
        is_recognised=parser.endswith(f"+{OCR}"),
    )


def was_read_before(sha256: str, parser: str, job_id: int) -> Script[bool]:
    """Whether the file had been read when this job was submitted."""
    params = {"sha256": sha256, "parser": parser, "job_id": job_id}
    return bool((yield Statement(sql.READ_BEFORE_JOB, params)))


def name_of(sha256: str) -> Script[str]:
    """The name these bytes first came with; empty when no document has them any more."""
    rows = yield Statement(sql.NAME_OF, {"sha256": sha256})
    if not rows:
        raise no_file(sha256)
    return str(rows[0][0])


def store(sha256: str, reading: Reading) -> Script[ReadingSummary]:
    """Keep a reading, unless there is one by the same parser already. Returns the one that is kept."""
    sentence = edited(reading.sentence, _storable)
    fields = notice_fields(sentence)
    kept = yield Statement(
        sql.NEW_READING,
        {
            "sha256": sha256,
            "parser": reading.parser,
            "problem": reading.problem,
            "sentence": sentence,
            "notice": None if fields is None else orjson.dumps(fields).decode(),
            "page_count": len(reading.pages),
            "hidden_characters": sum(len(hidden.text) for hidden in reading.hidden),
            "hidden": orjson.dumps([_hidden_as_json(hidden) for hidden in reading.hidden]).decode(),
            "notes": [_storable(note) for note in reading.notes],
            "tables": zlib.compress(pack_tables(reading.tables)),
        },
    )
    if kept:
        [(reading_id,)] = kept
        for first in range(0, len(reading.pages), PAGES_AT_ONCE):
            yield _new_pages(reading_id, first, reading.pages[first : first + PAGES_AT_ONCE])
    found = yield from find(sha256, reading.parser)
    assert found is not None
    return found


def texts(sha256: str, parser: str | None, current: list[str]) -> Script[list[str]]:
    rows = yield Statement(sql.TEXTS, {"sha256": sha256, "parser": parser, "current": current})
    if not rows:
        raise _not_read(sha256)
    return [text for (text,) in rows if text is not None]


def tables(sha256: str, parser: str | None, current: list[str]) -> Script[list[Table]]:
    rows = yield Statement(sql.TABLES, {"sha256": sha256, "parser": parser, "current": current})
    if not rows:
        raise _not_read(sha256)
    [(packed,)] = rows
    return [] if packed is None else list(unpack_tables(zlib.decompress(packed)))


def lengths(sha256s: list[str], current: list[str]) -> Script[dict[str, Length]]:
    rows = yield Statement(sql.LENGTHS, {"sha256s": sha256s, "current": current})
    return {sha256: Length(characters=characters, bytes=size) for sha256, characters, size in rows}


def printed_lines(sha256: str, page: int, parser: str | None, current: list[str]) -> Script[list[PrintedLine]]:
    rows = yield Statement(sql.PLACES, {"sha256": sha256, "parser": parser, "current": current, "page": page})
    if not rows or rows[0][0] is None:
        return []
    [(text, boxes, _, _)] = rows
    return places.printed_lines(text, places.unpack(boxes))


def passage(sha256: str, area: PageArea, parser: str | None, current: list[str]) -> Script[Passage | None]:
    params = {"sha256": sha256, "parser": parser, "current": current}
    rows = yield Statement(sql.PLACES, params | {"page": area.page if 0 <= area.page < 2**31 else -1})
    if not rows or rows[0][0] is None:
        return None
    [(text, boxes, _, _)] = rows
    return places.passage(text, places.unpack(boxes), area)


def rectangles(
    sha256: str, page: int, start: int, end: int, parser: str | None, current: list[str]
) -> Script[list[Rect]]:
    params = {"sha256": sha256, "parser": parser, "current": current}
    rows = yield Statement(sql.PLACES, params | {"page": page if 0 <= page < 2**31 else -1})
    if not rows:
        raise _not_read(sha256)
    [(text, boxes, width, height)] = rows
    if text is None:
        raise UnknownPage(f"The file {sha256[:12]}… has no page {page}; pages are counted from 0.")
    if not 0 <= start <= end <= len(text):
        raise UnknownPage(f"Page {page} has the characters 0 to {len(text):,}; {start} to {end} is no part of that.")
    return places.lines(text, places.unpack(boxes), start, end, width=width, height=height)


def no_file(sha256: str) -> UnknownFile:
    return UnknownFile(
        notice(
            "library.no_file_of_that_content",
            "There is no file {sha256} in the library. It may have been deleted.",
            sha256=f"{sha256[:12]}…",
        )
    )


def _not_read(sha256: str) -> NotReady:
    return NotReady(
        notice(
            "library.file_not_read_yet",
            "The file {sha256} has not been read yet. Wait for its job, or read it now.",
            sha256=f"{sha256[:12]}…",
        )
    )


def _new_pages(reading_id: int, first: int, pages: Iterable[Page]) -> Statement:
    columns = {
        "numbers": [number for number, _ in enumerate(pages, first)],
        "widths": [page.width for page in pages],
        "heights": [page.height for page in pages],
        "texts": [_storable(page.text) for page in pages],
        "boxes": [places.pack(page.boxes) for page in pages],
    }
    return Statement(sql.NEW_PAGES, {"reading_id": reading_id, **columns})


def _hidden_as_json(hidden: Hidden) -> dict[str, object]:
    return {"page": hidden.page, "text": _storable(hidden.text), "reason": _storable(hidden.reason)}


def _storable(text: str) -> str:
    """What PostgreSQL cannot keep, replaced one for one: every character keeps its place."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text) if _is_torn(text) else text


def _is_torn(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
