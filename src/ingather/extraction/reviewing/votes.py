"""Votes of two independent reviewers in the database: cast on one side, paired once both are there, and settled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from ingather.engine.codec import encode_result
from ingather.engine.script import Script, Statement
from ingather.extraction.cell_json import cell_from_json, cell_to_json
from ingather.extraction.findings import Action, CellPlace, Review, State, Value
from ingather.extraction.reviewing import vote_statements as sql
from ingather.extraction.reviewing.assignments import Side
from ingather.extraction.reviewing.deciding import Judged
from ingather.extraction.reviewing.reviews import Reviewer, passage_of_json, stored_passage
from ingather.extraction.reviewing.standing import Place

Outcome = tuple[State, Value]
"""State and value of a cell as one side leaves it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A judgement of a cell by one of two independent reviewers, with what the cell says after it."""

    id: int
    side: Side
    review: Review
    outcome: Outcome
    account_id: int

    @property
    def place(self) -> Place:
        return self.review.row, self.review.field


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePair:
    """A cell that both sides have judged. One that is not agreed is a conflict until somebody has settled it."""

    id: int
    ordinal: int
    row: str
    field: str
    first: Vote
    second: Vote
    is_agreed: bool
    file_name: str
    settled_by: str | None = None
    settled_at: datetime | None = None

    @property
    def place(self) -> Place:
        return self.row, self.field

    @property
    def is_open(self) -> bool:
        return not self.is_agreed and self.settled_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesCast:
    """A person on a side of a document: the cells they have judged, and how many of them both sides have judged."""

    ordinal: int
    side: Side
    account_id: int
    name: str
    cells: int
    paired: int


def of_documents(task_id: int, ordinals: Sequence[int], account_id: int | None = None) -> Script[dict[int, list[Vote]]]:
    """Votes by document, as they were written: all, or those of the sides that an account has now."""
    params = {"task_id": task_id, "ordinals": list(ordinals), "account_id": account_id}
    found: dict[int, list[Vote]] = {}
    for row in (yield Statement(sql.VOTES, params)):
        vote = _vote_of_row(row)
        found.setdefault(vote.review.ordinal, []).append(vote)
    return found


def standing_votes(votes: Iterable[Vote]) -> dict[tuple[Place, Side], Vote]:
    """The vote that counts in each cell on each side: each withdrawal takes one back."""
    kept: dict[tuple[Place, Side], list[Vote]] = {}
    for vote in votes:
        stack = kept.setdefault((vote.place, vote.side), [])
        if vote.review.action is not Action.WITHDRAWN:
            stack.append(vote)
        elif stack:
            stack.pop()
    return {at: stack[-1] for at, stack in kept.items() if stack}


def add(task_id: int, side: Side, judged: Judged, outcome: Outcome, by: Reviewer) -> Script[int]:
    """Write a vote and return its id. Under the lock of its document."""
    [(vote_id,)] = yield Statement(
        sql.ADD_VOTE,
        {
            "task_id": task_id,
            "ordinal": judged.ordinal,
            "row_key": judged.row,
            "field": judged.field,
            "side": side,
            "revision": judged.revision,
            "action": judged.action.value,
            "value": None if judged.value is None else orjson.dumps(judged.value).decode(),
            "note": judged.note,
            "reviewer": by.name,
            "account_id": by.account_id,
            "finding_sha256": judged.finding_sha256,
            "outcome": orjson.dumps([outcome[0].value, outcome[1]]).decode(),
            "cell": _stored_cell(judged.cell),
            "passage": stored_passage(judged.passage),
        },
    )
    return int(vote_id)


def pair(task_id: int, ordinal: int, place: Place, ids: tuple[int, int], *, is_agreed: bool) -> Script[None]:
    """Both sides have judged a cell. Where they agree, both votes are its reviews from now on."""
    params = {"task_id": task_id, "ordinal": ordinal, "row_key": place[0], "field": place[1]}
    yield Statement(sql.ADD_PAIR, params | {"first_id": ids[0], "second_id": ids[1], "is_agreed": is_agreed})
    if is_agreed:
        yield from release(task_id, ordinal, place, ids)


def release(task_id: int, ordinal: int, place: Place, ids: tuple[int, int]) -> Script[None]:
    """Write both votes as reviews of their cell, each with its maker and its time."""
    yield Statement(
        sql.RELEASE_VOTES,
        {"task_id": task_id, "ordinal": ordinal, "row_key": place[0], "field": place[1], "ids": list(ids)},
    )


def settle_pair(pair_id: int, by: Reviewer) -> Script[bool]:
    """Whether the conflict was open until now."""
    return bool((yield Statement(sql.SETTLE_PAIR, {"id": pair_id, "name": by.name})))


def pairs(
    task_id: int,
    *,
    ordinals: Sequence[int] | None = None,
    open_only: bool = False,
    conflicts_only: bool = False,
    after: int = 0,
    limit: int | None = None,
) -> Script[list[VotePair]]:
    """The cells that both sides have judged, in the order in which that happened."""
    params = {
        "task_id": task_id,
        "ordinals": None if ordinals is None else list(ordinals),
        "open_only": open_only,
        "conflicts_only": conflicts_only or open_only,
        "after": after,
        "limit": limit,
    }
    rows = yield Statement(sql.PAIRS, params)
    ids = sorted({one for row in rows for one in row[4:6]})
    known = {row[0]: _vote_of_row(row) for row in (yield Statement(sql.VOTES_BY_ID, {"ids": ids}))} if ids else {}
    return [
        VotePair(
            id=row[0],
            ordinal=row[1],
            row=row[2],
            field=row[3],
            first=known[row[4]],
            second=known[row[5]],
            is_agreed=row[6],
            settled_at=row[7],
            settled_by=row[8],
            file_name=row[9],
        )
        for row in rows
    ]


def count_votes(task_id: int) -> Script[list[VotesCast]]:
    """How far everybody is in each of their documents."""
    rows = yield Statement(sql.COUNT_VOTES, {"task_id": task_id})
    return [
        VotesCast(ordinal=row[0], side=row[1], account_id=row[2], name=row[3], cells=row[4], paired=row[5])
        for row in rows
    ]


def count_open_conflicts(task_id: int) -> Script[int]:
    [(found,)] = yield Statement(sql.COUNT_OPEN_CONFLICTS, {"task_id": task_id})
    return int(found)


def copy(follows_id: int, task_id: int) -> Script[None]:
    """Votes and pairs of a task, for the follow-up that begins with its documents."""
    yield Statement(sql.COPY_VOTES, {"follows_id": follows_id, "task_id": task_id})
    yield Statement(sql.COPY_PAIRS, {"follows_id": follows_id, "task_id": task_id})


def _stored_cell(cell: CellPlace | None) -> str | None:
    return None if cell is None else encode_result(cell_to_json(cell)).decode()


def _vote_of_row(row: Sequence[Any]) -> Vote:
    vote_id, ordinal, key, field, side, revision, action, value, note, reviewer, account_id, sha256, outcome = row[:13]
    voted_at, cell, passage = row[13:]
    state, left = orjson.loads(outcome)
    review = Review(
        ordinal=ordinal,
        row=key,
        field=field,
        revision=revision,
        action=Action(action),
        value=None if value is None else orjson.loads(value),
        note=note,
        reviewer=reviewer,
        reviewed_at=voted_at,
        finding_sha256=sha256,
        cell=None if cell is None else cell_from_json(orjson.loads(cell)),
        passage=passage_of_json(passage),
    )
    return Vote(id=vote_id, side=side, review=review, outcome=(State(state), left), account_id=account_id)
