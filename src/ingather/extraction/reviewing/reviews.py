"""Reviews in the database, as scripts: read in the order in which they were written, and only ever added."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from ingather.engine.codec import encode_result
from ingather.engine.script import Script, Statement
from ingather.extraction.cell_json import cell_from_json, cell_to_json
from ingather.extraction.findings import Action, Reread, Review
from ingather.extraction.reviewing import statements as sql
from ingather.extraction.reviewing.deciding import Judged, decision_outrun
from ingather.library.port import Passage

# Where the id of a review and what was read anew stand in a row of the statements.
_ID, _REREAD = 10, 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """The person who judges. The name is stored with the review; the id belongs to the accounts of the web."""

    name: str
    account_id: int | None = None


ReadReread = Callable[[dict[str, Any]], Reread]
"""What was read anew, from the form in which the results of tasks are stored."""


def reviews_of_documents(task_id: int, ordinals: Sequence[int], read: ReadReread) -> Script[dict[int, list[Review]]]:
    found: dict[int, list[Review]] = {}
    for row in (yield Statement(sql.REVIEWS, {"task_id": task_id, "ordinals": list(ordinals)})):
        review = _review_of_row(row)
        if row[_REREAD] is not None:
            review = replace(review, reread=read(orjson.loads(row[_REREAD])))
        found.setdefault(review.ordinal, []).append(review)
    return found


def page_of_reviews(
    task_id: int, ordinal: int, *, field: str | None, row: str | None, after: int, limit: int
) -> Script[tuple[list[Review], int | None]]:
    """A page of reviews of a document, of one of its fields or of one cell, and the `after` of the next page."""
    params = {"task_id": task_id, "ordinal": ordinal, "field": field, "row_key": row, "after": after, "limit": limit}
    rows = yield Statement(sql.PAGE_OF_REVIEWS, params)
    return [_review_of_row(found) for found in rows], rows[-1][_ID] if len(rows) == limit else None


def add_review(task_id: int, judged: Sequence[Judged], by: Reviewer) -> Script[int]:
    """Write reviews and return their number. A cell that somebody else has judged since it was read is left out.

    There is at least one, and all of them have the action, value, note, cell
    and what was read anew of the first.
    """
    first = judged[0]
    written = yield Statement(
        sql.ADD_REVIEWS,
        {
            "task_id": task_id,
            "ordinals": [one.ordinal for one in judged],
            "row_keys": [one.row for one in judged],
            "fields": [one.field for one in judged],
            "revisions": [one.revision for one in judged],
            "finding_sha256s": [one.finding_sha256 for one in judged],
            "action": first.action.value,
            "value": None if first.value is None else orjson.dumps(first.value).decode(),
            "note": first.note,
            "reviewer": by.name,
            "account_id": by.account_id,
            "cell": None if first.cell is None else encode_result(cell_to_json(first.cell)).decode(),
            "passage": stored_passage(first.passage),
            "reread": None if first.reread is None else encode_result(first.reread).decode(),
        },
    )
    return len(written)


def add_all(task_id: int, judged: Sequence[Judged], by: Reviewer) -> Script[int]:
    """Write reviews of any content, all of them or, where somebody else has judged one of the cells, none."""
    for one in judged:
        if not (yield from add_review(task_id, [one], by)):
            raise decision_outrun([])
    return len(judged)


def copy_reviews(follows_id: int, task_id: int) -> Script[None]:
    """The reviews of a task, for the follow-up that begins with its documents."""
    yield Statement(sql.COPY_REVIEWS, {"follows_id": follows_id, "task_id": task_id})


def _review_of_row(row: Sequence[Any]) -> Review:
    ordinal, key, field, revision, action, value, note, reviewer, reviewed_at, finding_sha256, *_, cell, passage = row
    return Review(
        ordinal=ordinal,
        row=key,
        field=field,
        revision=revision,
        action=Action(action),
        value=None if value is None else orjson.loads(value),
        note=note,
        reviewer=reviewer,
        reviewed_at=reviewed_at,
        finding_sha256=finding_sha256,
        cell=None if cell is None else cell_from_json(orjson.loads(cell)),
        passage=passage_of_json(passage),
    )


def stored_passage(passage: Passage | None) -> str | None:
    return None if passage is None else encode_result(asdict(passage)).decode()


def passage_of_json(stored: str | None) -> Passage | None:
    return None if stored is None else Passage(**orjson.loads(stored))
