"""Who has a page of a task open, and the cell they look at. As scripts."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, LiteralString

from ingather.engine.script import Script, Statement

# A page says every ten seconds that it is open. After three that did not come, its person is gone: fewer would let a
# slow line blink, more would show people who have left.
PRESENT_FOR = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """Somebody with a page of a task open. `place` is the cell as pages write it in their address, or empty."""

    account_id: int
    name: str
    place: str


COME: Final[LiteralString] = """
insert into ingather.presence (task_id, account_id, place) values (%(task_id)s, %(account_id)s, %(place)s)
    on conflict (task_id, account_id) do update set place = excluded.place, seen_at = clock_timestamp()
"""

LEAVE: Final[LiteralString] = """
delete from ingather.presence where task_id = %(task_id)s and account_id = %(account_id)s
"""

PRESENT: Final[LiteralString] = """
select p.account_id, a.name, p.place
  from ingather.presence p join ingather.account a on a.id = p.account_id
 where p.task_id = %(task_id)s and p.seen_at > clock_timestamp() - %(lasts)s and not a.is_disabled
 order by a.name
"""


def come(task_id: int, account_id: int, place: str) -> Script[None]:
    yield Statement(COME, {"task_id": task_id, "account_id": account_id, "place": place})


def leave(task_id: int, account_id: int) -> Script[None]:
    yield Statement(LEAVE, {"task_id": task_id, "account_id": account_id})


def present(task_id: int) -> Script[list[Present]]:
    rows = yield Statement(PRESENT, {"task_id": task_id, "lasts": PRESENT_FOR})
    return [Present(account_id=row[0], name=row[1], place=row[2]) for row in rows]
