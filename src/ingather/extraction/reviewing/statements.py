"""SQL about reviews: those of a document, a page of them, what is new, and how one is added."""

from typing import Final, LiteralString

_REVIEW: Final[LiteralString] = """
select ordinal, row_key, field, revision, action, value::text, note, reviewer, reviewed_at, finding_sha256, id,
       reread::text, cell::text, passage::text
  from ingather.review
"""

# In the order in which they were written.
REVIEWS: Final[LiteralString] = (
    _REVIEW
    + """
 where task_id = %(task_id)s and ordinal = any(%(ordinals)s::int[])
 order by ordinal, id
"""
)

PAGE_OF_REVIEWS: Final[LiteralString] = (
    _REVIEW
    + """
 where task_id = %(task_id)s and ordinal = %(ordinal)s and id > %(after)s
   and (%(field)s::text is null or field = %(field)s)
   and (%(row_key)s::text is null or row_key = %(row_key)s)
 order by id
 limit %(limit)s
"""
)

# Ids are drawn a moment before their transactions commit, and so become visible out of order: the look goes a little
# back behind the newest id it saw, and whoever looks remembers what it has seen.
NEW_REVIEWS: Final[LiteralString] = """
with newest as materialized (
    select coalesce(max(id), 0) as id from ingather.review
)
select newest.id, r.id, r.ordinal, r.reviewed_at > clock_timestamp() - %(recent)s::interval
  from newest
  left join ingather.review r
    on r.task_id = %(task_id)s and r.id > coalesce(%(after)s::bigint, newest.id) - %(back)s::bigint
"""

# The revision is the next one to those that the writer has read. Of two who read the same, one finds it taken and
# writes nothing: a judgement is never put on top of another that its maker has not seen.
ADD_REVIEWS: Final[LiteralString] = """
insert into ingather.review
       (task_id, ordinal, row_key, field, revision, action, value, note, reviewer, account_id, finding_sha256, reread,
        cell, passage)
select %(task_id)s, judged.ordinal, judged.row_key, judged.field, judged.revision, %(action)s, %(value)s::jsonb,
       %(note)s, %(reviewer)s, %(account_id)s, judged.finding_sha256, %(reread)s::jsonb, %(cell)s::jsonb,
       %(passage)s::jsonb
  from unnest(%(ordinals)s::int[], %(row_keys)s::text[], %(fields)s::text[], %(revisions)s::int[],
              %(finding_sha256s)s::text[]) as judged(ordinal, row_key, field, revision, finding_sha256)
 order by judged.ordinal, judged.row_key, judged.field
    on conflict (task_id, ordinal, row_key, field, revision) do nothing
returning ordinal
"""

# A follow-up begins with the documents of the task it follows, under the same ordinals. Each review keeps its maker and
# its time, and speaks of a cell for as long as the cell says what was judged.
COPY_REVIEWS: Final[LiteralString] = """
insert into ingather.review
       (task_id, ordinal, row_key, field, revision, action, value, note, reviewer, account_id, finding_sha256,
        reviewed_at, reread, cell, passage)
select %(task_id)s, ordinal, row_key, field, revision, action, value, note, reviewer, account_id, finding_sha256,
       reviewed_at, reread, cell, passage
  from ingather.review
 where task_id = %(follows_id)s
 order by id
"""
