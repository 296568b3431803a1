"""What happened in a task, line by line: calls to the model and documents that ended. A reader can go on later."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString

from ingather.engine.engine import Engine
from ingather.engine.script import Script, Statement
from ingather.engine.statements.readers import ENDED_ITEMS
from ingather.extraction.conversation.listing import AGAIN
from ingather.notice import error_notice, notice

# Lines of one read. The stream of events sends them before it reads again.
MOST_AT_ONCE = 500
# Larger numbers in an event id are not ours; this keeps sums in the statement within a bigint.
LARGEST = 2**62
_PLACE = re.compile(r"([0-9]{1,19})-([0-9]{1,19})-([0-9]{1,19})")

# Lines in the order of the transactions that wrote them, which is the only order in which nothing comes late: neither
# the clock nor a sequence says who commits first. A line is settled once no transaction older than its own is under
# way; what comes after one that is not settled has to wait for it. `xmin` has 32 bits and wraps around; the counter
# it is taken from has 64. A call's number is drawn a moment before its transaction gets its own, hence the thousand.
LINES_AFTER: Final[LiteralString] = (
    """
with now as materialized (
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint as upper
), line as (
    select c.xmin::text::bigint as low, 0 as is_end, c.id, c.called_at as at, c.ordinal, c.outcome as what,
           c.step, jsonb_build_object('message', c.sentence) || case when c.notice is null then '{}'
               else jsonb_build_object('notice', c.notice) end as detail
      from ingather.model_call c
     where c.task_id = %(task_id)s and c.id > %(call)s - 1000
    union all
    select e.xid, 1, e.item_id, e.finished_at, e.ordinal, e.state, '', e.error
      from ingather.task t
      join """
    + ENDED_ITEMS
    + """ e on e.batch_id = t.batch_id
     where t.id = %(task_id)s
), placed as (
    select line.*, horizon, (upper & ~4294967295::bigint) + low
           - case when (upper & ~4294967295::bigint) + low >= upper then 4294967296 else 0 end as xid
      from line, now
)
select p.xid, p.is_end, p.id, p.at, p.ordinal, d.file_name, p.what, p.step, p.detail, p.xid < p.horizon
  from placed p
  join ingather.task_document d on d.task_id = %(task_id)s and d.ordinal = p.ordinal
 where p.xid > %(xid)s
    or (p.xid = %(xid)s and case when p.is_end = 1 then p.id > %(item)s else %(item)s = 0 and p.id > %(call)s end)
 order by p.xid, p.is_end, p.id
 limit %(limit)s
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
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
        self.is_behind = True
        """Whether the last read left lines for the next one."""
        place = _PLACE.fullmatch(after)
        self._xid, self._call, self._item = (min(int(part), LARGEST) for part in place.groups()) if place else (0, 0, 0)

    def read(self, *, is_last: bool = False) -> list[JournalLine]:
        """The lines since the last read, as far as they are settled; when no more will come, all there are."""
        rows = self._engine.database.run(self._rows())
        lines = []
        self.is_behind = len(rows) == MOST_AT_ONCE
        for xid, is_end, row_id, at, ordinal, file_name, what, step, error, is_settled in rows:
            if not is_settled and not is_last:
                self.is_behind = True
                break
            self._xid, self._item = xid, row_id if is_end else 0
            if not is_end:
                self._call = row_id
            place = f"{self._xid}-{self._call}-{self._item}"
            detail = _detail(step, error)
            lines.append(JournalLine(id=place, at=at, ordinal=ordinal, file_name=file_name, what=what, detail=detail))
        return lines

    def _rows(self) -> Script[Sequence[Any]]:
        params = {"task_id": self._task_id, "xid": self._xid, "call": self._call, "item": self._item}
        return (yield Statement(LINES_AFTER, params | {"limit": MOST_AT_ONCE}))


def _detail(step: str, error: Mapping[str, Any] | None) -> str:
    """The text of a line: the step of a call, and the error of the call or of the document."""
    sentence = error_notice(error)
    if not step:
        return sentence
    name = step.removesuffix(AGAIN)
    step = notice("model.step_again", "{step}, again", step=name) if name != step else step
    return notice("model.step_and_sentence", "{step}: {sentence}", step=step, sentence=sentence) if sentence else step
