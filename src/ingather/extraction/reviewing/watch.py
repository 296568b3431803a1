"""Which documents of a task were judged since the last look, for pages that follow what colleagues decide."""

from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, LiteralString

from ingather.engine.database import Database
from ingather.engine.script import Script, Statement
from ingather.extraction.reviewing import statements as sql
from ingather.extraction.reviewing.vote_statements import NEW_PAIRS

# The first look reports what was judged this long before it. A page reads its results a few seconds before it begins
# to watch; what was judged in between must not be missed. Longer only makes it read some documents twice.
RECENT = timedelta(seconds=60)
# A review whose id is this far behind the newest may still become visible. Fewer could miss one that commits late;
# more makes each look read more rows.
LOOK_BACK_IDS = 1_000
# Looks that are remembered. The next one goes back to the oldest of them, so that a slow transaction is not missed
# behind thousands of reviews that were accepted at once. More reads those thousands again for longer.
LOOKS = 10


class ReviewWatch:
    """Looks again and again at what everybody may see of one task's reviews. Belongs to one viewer.

    A vote alone is nothing to see; it is once both sides have judged a cell.
    """

    def __init__(self, database: Database, task_id: int) -> None:
        self._database = database
        self._trails = [_Trail(task_id, sql.NEW_REVIEWS), _Trail(task_id, NEW_PAIRS)]

    async def look(self) -> list[int]:
        """The ordinals of the documents that were judged since the last look."""
        found: set[int] = set()
        for trail in self._trails:
            found |= trail.follow(await self._database.arun(trail.script()))
        return sorted(found)


class _Trail:
    """New rows of one table, each reported once."""

    def __init__(self, task_id: int, statement: LiteralString) -> None:
        self._task_id = task_id
        self._statement: LiteralString = statement
        self._newest: deque[int] = deque(maxlen=LOOKS)
        self._seen: set[int] = set()

    def script(self) -> Script[Sequence[Any]]:
        after = self._newest[0] if self._newest else None
        params = {"task_id": self._task_id, "after": after, "back": LOOK_BACK_IDS, "recent": RECENT}
        return (yield Statement(self._statement, params))

    def follow(self, rows: Sequence[Any]) -> set[int]:
        is_first = not self._newest
        found = [(number, ordinal, is_recent) for _, number, ordinal, is_recent in rows if number is not None]
        new = {
            ordinal for number, ordinal, is_recent in found if number not in self._seen and (is_recent or not is_first)
        }
        self._newest.append(rows[0][0])
        self._seen = {number for number, _, _ in found}
        return new
