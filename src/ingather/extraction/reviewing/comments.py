"""What people say to each other about a cell: kept with it, with mentions, open until somebody resolves it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString

from ingather.engine.errors import UsageError
from ingather.engine.script import Script, Statement
from ingather.extraction.errors import NotFound
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.names import visible_lines
from ingather.notice import notice

# Characters of a comment: a paragraph, like a note.
LONGEST_COMMENT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A remark about one cell. `mentions` are accounts; it is open until `resolved_by` says who has resolved it."""

    id: int
    task_id: int
    ordinal: int
    file_name: str
    row: str
    field: str
    account_id: int
    author: str
    text: str
    mentions: tuple[int, ...]
    made_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None


# A remark about a cell that two people review independently could give a decision away: until both have judged the
# cell it is shown to its author, and to adjudicators who are on neither side of the document.
_SEEN: Final[LiteralString] = """
  from ingather.cell_comment c
  join ingather.task_document d on (d.task_id, d.ordinal) = (c.task_id, c.ordinal)
  join ingather.task t on t.id = c.task_id
  left join ingather.review_mode m on m.project_id = t.project_id
 where (coalesce(m.mode, 'single') <> 'independent'
        or c.account_id = %(viewer)s
        or exists (select from ingather.vote_pair p
                    where (p.task_id, p.ordinal, p.row_key, p.field) = (c.task_id, c.ordinal, c.row_key, c.field))
        or exists (select from ingather.review r
                    where (r.task_id, r.ordinal, r.row_key, r.field) = (c.task_id, c.ordinal, c.row_key, c.field))
        or (t.project_id = any(%(overrules)s::bigint[])
            and not exists (select from ingather.assignment a
                             where (a.task_id, a.ordinal, a.account_id) = (c.task_id, c.ordinal, %(viewer)s))))
"""

_COMMENT: Final[LiteralString] = """
select c.id, c.task_id, c.ordinal, d.file_name, c.row_key, c.field, c.account_id, c.author, c.text, c.mentions,
       c.made_at, c.resolved_at, c.resolved_by
"""

COMMENTS: Final[LiteralString] = (
    _COMMENT
    + _SEEN
    + """
   and c.task_id = %(task_id)s and c.id > %(after)s
   and (%(ordinal)s::int is null or c.ordinal = %(ordinal)s)
 order by c.id
 limit %(limit)s
"""
)

MENTIONS: Final[LiteralString] = (
    _COMMENT
    + _SEEN
    + """
   and %(viewer)s = any(c.mentions) and c.resolved_at is null and t.project_id = any(%(project_ids)s::bigint[])
   and c.id > %(after)s
 order by c.id
 limit %(limit)s
"""
)

ADD_COMMENT: Final[LiteralString] = """
insert into ingather.cell_comment (task_id, ordinal, row_key, field, account_id, author, text, mentions)
values (%(task_id)s, %(ordinal)s, %(row_key)s, %(field)s, %(account_id)s, %(author)s, %(text)s,
        %(mentions)s::bigint[])
returning id
"""

LAST_COMMENT_AT: Final[LiteralString] = """
select max(greatest(made_at, resolved_at)) from ingather.cell_comment where task_id = %(task_id)s
"""

RESOLVE_COMMENT: Final[LiteralString] = (
    """
update ingather.cell_comment
   set resolved_at = case when %(is_resolved)s then clock_timestamp() end,
       resolved_by = case when %(is_resolved)s then %(name)s end
 where id = %(id)s and task_id = %(task_id)s and id in (select c.id """
    + _SEEN
    + """)
returning id
"""
)


def last_comment_at(task_id: int) -> Script[datetime | None]:
    """When something was said or resolved in a task last. It says neither where nor what."""
    rows = yield Statement(LAST_COMMENT_AT, {"task_id": task_id})
    found: datetime | None = rows[0][0]
    return found


def comments(
    task_id: int, viewer: int, overrules: Collection[int], *, ordinal: int | None, after: int, limit: int
) -> Script[list[Comment]]:
    """Those that a person may see, the oldest first. `overrules` are the projects in which they are an adjudicator."""
    params = {"task_id": task_id, "viewer": viewer, "overrules": list(overrules)}
    rows = yield Statement(COMMENTS, params | {"ordinal": ordinal, "after": after, "limit": limit})
    return [_comment_of_row(row) for row in rows]


def mentions(
    viewer: int, project_ids: Collection[int], overrules: Collection[int], *, after: int, limit: int
) -> Script[list[Comment]]:
    """Open comments that mention a person, in these projects."""
    params = {"viewer": viewer, "project_ids": list(project_ids), "overrules": list(overrules)}
    rows = yield Statement(MENTIONS, params | {"after": after, "limit": limit})
    return [_comment_of_row(row) for row in rows]


def add_comment(
    task_id: int, ordinal: int, row: str, field: str, text: str, mentioned: Collection[int], by: Reviewer
) -> Script[int]:
    text = visible_lines(text).strip()
    if not 1 <= len(text) <= LONGEST_COMMENT:
        raise UsageError(
            notice("review.comment_length", "A comment has 1 to {most} characters.", most=f"{LONGEST_COMMENT:,}")
        )
    params = {"task_id": task_id, "ordinal": ordinal, "row_key": row, "field": field, "text": text}
    by_whom = {"account_id": by.account_id, "author": by.name, "mentions": sorted(set(mentioned))}
    [(comment_id,)] = yield Statement(ADD_COMMENT, params | by_whom)
    return int(comment_id)


def resolve_comment(
    task_id: int, comment_id: int, by: Reviewer, overrules: Collection[int], *, is_resolved: bool
) -> Script[None]:
    params = {"task_id": task_id, "id": comment_id, "is_resolved": is_resolved, "name": by.name}
    if not (yield Statement(RESOLVE_COMMENT, params | {"viewer": by.account_id, "overrules": list(overrules)})):
        raise NotFound(notice("review.no_comment", "There is no comment {id} here.", id=comment_id))


def _comment_of_row(row: Sequence[Any]) -> Comment:
    names = ("id", "task_id", "ordinal", "file_name", "row", "field", "account_id", "author", "text", "mentions",
             "made_at", "resolved_at", "resolved_by")  # fmt: skip
    return Comment(**dict(zip(names, row, strict=True)) | {"mentions": tuple(row[9])})
