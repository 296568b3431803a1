"""What happened in a task, line by line: calls to the model and documents that ended. Read on from where one was."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingather.engine.engine import Engine
from ingather.engine.script import Ask, Script
from ingather.extraction import statements as sql

MOST_AT_ONCE = 500
_PLACE = re.compile(r"(\d{1,19})-(\d{1,19})-(\d{1,19})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that happened. `what` is `ok` or an error's kind for a call, or the state in which a document ended."""

    id: str
    at: datetime
    ordinal: int
    file_name: str
    what: str
    detail: str


class Journal:
    """Reads a task's lines in the order they became visible. `after` is the id of the last line that was seen."""

    def __init__(self, engine: Engine, task_id: int, *, after: str = "") -> None:
        self._engine = engine
        self._task_id = task_id
        place = _PLACE.fullmatch(after)
        self._call, self._micros, self._item = (
            (min(int(part), 2**62) for part in place.groups()) if place else (0, 0, 0)
        )

    def read(self) -> list[Line]:
        """The lines since the last read."""
        calls, ends = self._engine.run(self._rows())
        lines = []
        for call_id, at, ordinal, file_name, what, detail in calls:
            self._call = call_id
            lines.append(self._line(at, ordinal, file_name, what, detail))
        for item_id, micros, at, ordinal, file_name, what, detail in ends:
            self._micros, self._item = micros, item_id
            lines.append(self._line(at, ordinal, file_name, what, detail or ""))
        return lines

    def _rows(self) -> Script[tuple[Sequence[Any], Sequence[Any]]]:
        asked = {"task_id": self._task_id, "limit": MOST_AT_ONCE}
        calls = yield Ask(sql.CALLS_AFTER, asked | {"after": self._call})
        ends = yield Ask(sql.ENDS_AFTER, asked | {"micros": self._micros, "item_id": self._item})
        return calls, ends

    def _line(self, at: datetime, ordinal: int, file_name: str, what: str, detail: str) -> Line:
        place = f"{self._call}-{self._micros}-{self._item}"
        return Line(id=place, at=at, ordinal=ordinal, file_name=file_name, what=what, detail=detail)
