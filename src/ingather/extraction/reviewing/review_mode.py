"""How a project reviews: alone, with a check by a second person, or twice and independently."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, LiteralString

from ingather.engine.errors import NotReady
from ingather.engine.script import Script, Statement
from ingather.notice import notice


class ReviewMode(StrEnum):
    """How many people decide about a cell, and what they see of each other."""

    SINGLE = "single"
    CHECKED = "checked"  # a second person confirms or changes what the first has decided
    INDEPENDENT = "independent"  # two people, blind to each other until both have decided; conflicts are settled


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    """The mode of a project. `shows_extractor`: whether two independent people see what was extracted.

    Without it their cells start empty, and what was extracted is shown once
    both have decided.
    """

    mode: ReviewMode = ReviewMode.SINGLE
    shows_extractor: bool = True

    @property
    def is_independent(self) -> bool:
        return self.mode is ReviewMode.INDEPENDENT

    @property
    def hides_extractor(self) -> bool:
        return self.is_independent and not self.shows_extractor


FIND_MODE: Final[LiteralString] = """
select mode, shows_extractor from ingather.review_mode where project_id = %(project_id)s
"""

# A voter holds the project's row in share mode, so no vote comes between the count and the change.
LOCK_MODE: Final[LiteralString] = """
select id from ingather.project where id = %(project_id)s for no key update
"""

SHARE_MODE: Final[LiteralString] = """
select id from ingather.project where id = %(project_id)s for share
"""

CHANGE_MODE: Final[LiteralString] = """
insert into ingather.review_mode (project_id, mode, shows_extractor)
values (%(project_id)s, %(mode)s, %(shows_extractor)s)
    on conflict (project_id) do update
   set mode = excluded.mode, shows_extractor = excluded.shows_extractor, changed_at = clock_timestamp()
"""

# Cells with a vote that stands and that the other side has not judged, and conflicts that nobody has settled. Every
# withdrawal takes one vote back.
OPEN_VOTES: Final[LiteralString] = """
with standing as (
    select v.task_id, v.ordinal, v.row_key, v.field
      from ingather.vote v join ingather.task t on t.id = v.task_id
     where t.project_id = %(project_id)s
     group by v.task_id, v.ordinal, v.row_key, v.field, v.side
    having sum(case when v.action = 'withdrawn' then -1 else 1 end) > 0
)
select (select count(*) from standing s
         where not exists (select from ingather.vote_pair p
                            where (p.task_id, p.ordinal, p.row_key, p.field)
                                = (s.task_id, s.ordinal, s.row_key, s.field))),
       (select count(*) from ingather.vote_pair p join ingather.task t on t.id = p.task_id
         where t.project_id = %(project_id)s and not p.is_agreed and p.settled_at is null)
"""


def find_mode(project_id: int) -> Script[ReviewSettings]:
    rows = yield Statement(FIND_MODE, {"project_id": project_id})
    return ReviewSettings(mode=ReviewMode(rows[0][0]), shows_extractor=rows[0][1]) if rows else ReviewSettings()


def hold_mode(project_id: int) -> Script[ReviewSettings]:
    """The mode, which nobody changes until the transaction is over."""
    yield Statement(SHARE_MODE, {"project_id": project_id})
    return (yield from find_mode(project_id))


def change_mode(project_id: int, wanted: ReviewSettings) -> Script[None]:
    """Change how a project reviews. Refused while somebody's vote waits for the other: the change would disclose it."""
    yield Statement(LOCK_MODE, {"project_id": project_id})
    before = yield from find_mode(project_id)
    if before == wanted:
        return
    if before.is_independent:
        [(waiting, conflicts)] = yield Statement(OPEN_VOTES, {"project_id": project_id})
        if waiting or conflicts:
            raise NotReady(
                notice(
                    "review.votes_wait",
                    "{waiting} decisions wait for the second reviewer and {conflicts} conflicts are open. "
                    "Finish these first: a change now would show one reviewer what the other has decided.",
                    waiting=waiting,
                    conflicts=conflicts,
                )
            )
    yield Statement(
        CHANGE_MODE,
        {"project_id": project_id, "mode": wanted.mode.value, "shows_extractor": wanted.shows_extractor},
    )
