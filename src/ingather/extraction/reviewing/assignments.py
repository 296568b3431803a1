"""Who looks at which document: sides given by hand or by share, taken with a first vote, and handed over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from ingather.engine.errors import NotReady, UsageError
from ingather.engine.script import Script, Statement
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.notice import notice

Side = int
# Two people look at each document independently. A third would need another measure of agreement.
SIDES: Final = (1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A person on one side of a document of a task."""

    ordinal: int
    side: Side
    account_id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerShare:
    """A person and the part of the documents they take, beside the parts of the others."""

    account_id: int
    name: str
    share: int


ASSIGNMENTS: Final[LiteralString] = """
select ordinal, side, account_id, name
  from ingather.assignment
 where task_id = %(task_id)s and ended_at is null and (%(ordinals)s::int[] is null or ordinal = any(%(ordinals)s))
 order by ordinal, side
"""

# Ended ones too: whoever was on a side of a document has seen its votes.
SIDES_EVER: Final[LiteralString] = """
select ordinal, side, account_id from ingather.assignment where task_id = %(task_id)s and ordinal = any(%(ordinals)s)
"""

# All that changes sides or votes of a document takes this lock first, in the order of the documents.
LOCK_DOCUMENTS: Final[LiteralString] = """
select ordinal from ingather.task_document
 where task_id = %(task_id)s and ordinal = any(%(ordinals)s)
 order by ordinal
   for no key update
"""

END_SIDES: Final[LiteralString] = """
update ingather.assignment set ended_at = clock_timestamp()
 where task_id = %(task_id)s and ordinal = any(%(ordinals)s) and side = %(side)s and ended_at is null
"""

ADD_SIDES: Final[LiteralString] = """
insert into ingather.assignment (task_id, ordinal, side, account_id, name)
select %(task_id)s, ordinal, %(side)s, %(account_id)s, %(name)s from unnest(%(ordinals)s::int[]) as wanted(ordinal)
"""

ALL_ORDINALS: Final[LiteralString] = """
select ordinal from ingather.task_document where task_id = %(task_id)s order by ordinal
"""

# A follow-up begins with the documents of the task it follows, under the same ordinals.
COPY_ASSIGNMENTS: Final[LiteralString] = """
insert into ingather.assignment (task_id, ordinal, side, account_id, name, assigned_at, ended_at)
select %(task_id)s, ordinal, side, account_id, name, assigned_at, ended_at
  from ingather.assignment where task_id = %(follows_id)s order by id
"""


def assignments(task_id: int, ordinals: Sequence[int] | None = None) -> Script[list[Assignment]]:
    """Who has which side now, in the order of the documents."""
    rows = yield Statement(ASSIGNMENTS, {"task_id": task_id, "ordinals": None if ordinals is None else list(ordinals)})
    return [Assignment(ordinal=row[0], side=row[1], account_id=row[2], name=row[3]) for row in rows]


def lock_documents(task_id: int, ordinals: Sequence[int]) -> Script[None]:
    yield Statement(LOCK_DOCUMENTS, {"task_id": task_id, "ordinals": list(ordinals)})


def side_of(task_id: int, ordinal: int, by: Reviewer, *, claims: bool) -> Script[Side | None]:
    """The side of a person in a document, under its lock. `claims`: a free side is theirs from now on.

    Refused where both sides are others', or where they were on the other side
    before and so know its votes.
    """
    held = yield from assignments(task_id, [ordinal])
    mine = [one.side for one in held if one.account_id == by.account_id]
    if mine or not claims:
        return mine[0] if mine else None
    free = [side for side in SIDES if side not in {one.side for one in held}]
    if not free:
        names = " / ".join(one.name for one in held)
        raise NotReady(
            notice("review.two_others", "{names} review this document. A third decision has no place.", names=names)
        )
    assert by.account_id is not None
    yield from assign(task_id, [ordinal], free[0], by.account_id, by.name)
    return free[0]


def assign(task_id: int, ordinals: Sequence[int], side: Side, account_id: int, name: str) -> Script[None]:
    """Put a person on a side of documents; whoever was there is there no more. Refused for who knows the other side."""
    yield from lock_documents(task_id, ordinals)
    rows = yield Statement(SIDES_EVER, {"task_id": task_id, "ordinals": list(ordinals)})
    known = sorted({ordinal for ordinal, was, who in rows if who == account_id and was != side})
    if known:
        raise UsageError(
            notice(
                "review.knows_other_side",
                "{name} is or was the other reviewer of document {ordinal}, and may know what was decided there.",
                name=name,
                ordinal=known[0] + 1,
            )
        )
    params = {"task_id": task_id, "ordinals": list(ordinals), "side": side}
    yield Statement(END_SIDES, params)
    yield Statement(ADD_SIDES, params | {"account_id": account_id, "name": name})


def unassign(task_id: int, ordinals: Sequence[int], side: Side) -> Script[None]:
    """Make a side of documents free again. Its votes stay, for whoever takes it next."""
    yield from lock_documents(task_id, ordinals)
    yield Statement(END_SIDES, {"task_id": task_id, "ordinals": list(ordinals), "side": side})


def copy(follows_id: int, task_id: int) -> Script[None]:
    """Who looks at what in a task, for the follow-up that begins with its documents."""
    yield Statement(COPY_ASSIGNMENTS, {"follows_id": follows_id, "task_id": task_id})


def assign_by_share(
    task_id: int, people: Sequence[ReviewerShare], sides: int, groups: Mapping[int, int] | None = None
) -> Script[int]:
    """Share out what nobody has: each free side of each document. Returns how many sides were given.

    Documents of one group, such as the reports of a study, go to the same
    people.
    """
    ordinals = [ordinal for (ordinal,) in (yield Statement(ALL_ORDINALS, {"task_id": task_id}))]
    yield from lock_documents(task_id, ordinals)
    held = yield from assignments(task_id)
    rows = yield Statement(SIDES_EVER, {"task_id": task_id, "ordinals": ordinals})
    barred = {(ordinal, 3 - side, who) for ordinal, side, who in rows}
    wanted = shared_out(ordinals, people, sides, held, barred=barred, groups=groups)
    names = {one.account_id: one.name for one in people}
    for side in SIDES:
        for account_id, name in names.items():
            given = [one.ordinal for one in wanted if (one.side, one.account_id) == (side, account_id)]
            if given:
                yield from assign(task_id, given, side, account_id, name)
    return len(wanted)


def shared_out(
    ordinals: Sequence[int],
    people: Sequence[ReviewerShare],
    sides: int,
    held: Sequence[Assignment],
    *,
    barred: set[tuple[int, Side, int]] | None = None,
    groups: Mapping[int, int] | None = None,
) -> list[Assignment]:
    """The sides to give, so that everybody comes as near to their share as whole documents allow. Pure.

    Each side goes to whoever is furthest behind their share among those who
    may have it: nobody takes both sides of a document.
    """
    barred, groups = barred or set(), groups or {}
    whole = sum(one.share for one in people)
    if whole <= 0:
        raise UsageError(notice("review.no_shares", "Give at least one person a share above 0."))
    have = {one.account_id: sum(other.account_id == one.account_id for other in held) for one in people}
    on = {(one.ordinal, one.side): one.account_id for one in held}
    given: list[Assignment] = []
    of_group: dict[tuple[int, Side], int] = {}
    for ordinal in ordinals:
        for side in SIDES[:sides]:
            if (ordinal, side) in on:
                continue
            other = on.get((ordinal, 3 - side))
            may = [one for one in people if one.account_id != other and (ordinal, side, one.account_id) not in barred]
            may = [one for one in may if one.share > 0]
            if not may:
                continue
            group = (groups.get(ordinal, -1 - ordinal), side)
            behind = min(may, key=lambda one: ((have[one.account_id] + 1) / one.share, one.account_id))
            same = [one for one in may if one.account_id == of_group.get(group)]
            chosen = same[0] if same else behind
            of_group[group] = chosen.account_id
            on[ordinal, side] = chosen.account_id
            have[chosen.account_id] += 1
            given.append(Assignment(ordinal=ordinal, side=side, account_id=chosen.account_id, name=chosen.name))
    return given
