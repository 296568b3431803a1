"""SQL about votes: those of a side, how one is added, and what becomes of a cell that both sides have judged."""

from typing import Final, LiteralString

_VOTE: Final[LiteralString] = """
select v.id, v.ordinal, v.row_key, v.field, v.side, v.revision, v.action, v.value::text, v.note, v.reviewer,
       v.account_id, v.finding_sha256, v.outcome::text, v.voted_at, v.cell::text, v.passage::text
  from ingather.vote v
"""

# With an account: those of the side that it has in the document now, and no other.
VOTES: Final[LiteralString] = (
    _VOTE
    + """
 where v.task_id = %(task_id)s and v.ordinal = any(%(ordinals)s::int[])
   and (%(account_id)s::bigint is null
        or exists (select from ingather.assignment a
                    where a.task_id = v.task_id and a.ordinal = v.ordinal and a.side = v.side
                      and a.account_id = %(account_id)s and a.ended_at is null))
 order by v.ordinal, v.id
"""
)

VOTES_BY_ID: Final[LiteralString] = _VOTE + " where v.id = any(%(ids)s::bigint[])"

ADD_VOTE: Final[LiteralString] = """
insert into ingather.vote
       (task_id, ordinal, row_key, field, side, revision, action, value, note, reviewer, account_id, finding_sha256,
        outcome, cell, passage)
values (%(task_id)s, %(ordinal)s, %(row_key)s, %(field)s, %(side)s, %(revision)s, %(action)s, %(value)s::jsonb,
        %(note)s, %(reviewer)s, %(account_id)s, %(finding_sha256)s, %(outcome)s::jsonb, %(cell)s::jsonb,
        %(passage)s::jsonb)
returning id
"""

ADD_PAIR: Final[LiteralString] = """
insert into ingather.vote_pair (task_id, ordinal, row_key, field, first_id, second_id, is_agreed)
values (%(task_id)s, %(ordinal)s, %(row_key)s, %(field)s, %(first_id)s, %(second_id)s, %(is_agreed)s)
"""

# The document's lock is held, so nobody else releases votes of this cell; a review of it that was taken back keeps its
# revision.
RELEASE_VOTES: Final[LiteralString] = """
insert into ingather.review
       (task_id, ordinal, row_key, field, revision, action, value, note, reviewer, account_id, finding_sha256,
        reviewed_at, cell, passage)
select v.task_id, v.ordinal, v.row_key, v.field,
       (select coalesce(max(r.revision), 0) from ingather.review r
         where (r.task_id, r.ordinal, r.row_key, r.field)
             = (%(task_id)s, %(ordinal)s, %(row_key)s, %(field)s)) + row_number() over (order by v.id),
       v.action, v.value, v.note, v.reviewer, v.account_id, v.finding_sha256, v.voted_at, v.cell,
       v.passage
  from ingather.vote v
 where v.id = any(%(ids)s::bigint[])
 order by v.id
"""

SETTLE_PAIR: Final[LiteralString] = """
update ingather.vote_pair set settled_at = clock_timestamp(), settled_by = %(name)s
 where id = %(id)s and not is_agreed and settled_at is null
returning id
"""

PAIRS: Final[LiteralString] = """
select p.id, p.ordinal, p.row_key, p.field, p.first_id, p.second_id, p.is_agreed, p.settled_at, p.settled_by,
       d.file_name
  from ingather.vote_pair p join ingather.task_document d on (d.task_id, d.ordinal) = (p.task_id, p.ordinal)
 where p.task_id = %(task_id)s and p.id > %(after)s
   and (%(ordinals)s::int[] is null or p.ordinal = any(%(ordinals)s::int[]))
   and not (%(conflicts_only)s and p.is_agreed)
   and not (%(open_only)s and p.settled_at is not null)
 order by p.id
 limit %(limit)s
"""

COUNT_OPEN_CONFLICTS: Final[LiteralString] = """
select count(*) from ingather.vote_pair where task_id = %(task_id)s and not is_agreed and settled_at is null
"""

COUNT_VOTES: Final[LiteralString] = """
with standing as (
    select task_id, ordinal, row_key, field, side
      from ingather.vote
     where task_id = %(task_id)s
     group by task_id, ordinal, row_key, field, side
    having sum(case when action = 'withdrawn' then -1 else 1 end) > 0
)
select a.ordinal, a.side, a.account_id, a.name, count(s.field),
       count(s.field) filter (where exists (select from ingather.vote_pair p
                                             where (p.task_id, p.ordinal, p.row_key, p.field)
                                                 = (s.task_id, s.ordinal, s.row_key, s.field)))
  from ingather.assignment a
  left join standing s on (s.task_id, s.ordinal, s.side) = (a.task_id, a.ordinal, a.side)
 where a.task_id = %(task_id)s and a.ended_at is null
 group by a.ordinal, a.side, a.account_id, a.name
 order by a.ordinal, a.side
"""

# A follow-up begins with the documents of the task it follows, under the same ordinals. Votes stay their side's own.
COPY_VOTES: Final[LiteralString] = """
insert into ingather.vote
       (task_id, ordinal, row_key, field, side, revision, action, value, note, reviewer, account_id, finding_sha256,
        outcome, cell, passage, voted_at)
select %(task_id)s, ordinal, row_key, field, side, revision, action, value, note, reviewer, account_id,
       finding_sha256, outcome, cell, passage, voted_at
  from ingather.vote where task_id = %(follows_id)s order by id
"""

COPY_PAIRS: Final[LiteralString] = """
insert into ingather.vote_pair
       (task_id, ordinal, row_key, field, first_id, second_id, is_agreed, paired_at, settled_at, settled_by)
select %(task_id)s, p.ordinal, p.row_key, p.field, one.id, two.id, p.is_agreed, p.paired_at, p.settled_at, p.settled_by
  from ingather.vote_pair p
  join ingather.vote first on first.id = p.first_id
  join ingather.vote second on second.id = p.second_id
  join ingather.vote one on (one.task_id, one.ordinal, one.row_key, one.field, one.side, one.revision)
                          = (%(task_id)s, p.ordinal, p.row_key, p.field, 1, first.revision)
  join ingather.vote two on (two.task_id, two.ordinal, two.row_key, two.field, two.side, two.revision)
                          = (%(task_id)s, p.ordinal, p.row_key, p.field, 2, second.revision)
 where p.task_id = %(follows_id)s
 order by p.id
"""

# Ids are drawn a moment before their transactions commit, so the look goes a little back; whoever looks remembers.
NEW_PAIRS: Final[LiteralString] = """
with newest as materialized (
    select coalesce(max(id), 0) as id from ingather.vote_pair
)
select newest.id, p.id, p.ordinal, p.paired_at > clock_timestamp() - %(recent)s::interval
  from newest
  left join ingather.vote_pair p
    on p.task_id = %(task_id)s and p.id > coalesce(%(after)s::bigint, newest.id) - %(back)s::bigint
"""
