"""SQL about studies and their reports, one text per verb.

Lock order: project, reference_source, study, report, study_event. Every verb that changes studies takes the project's
row first, so two people who merge at once come one after the other.
"""

from typing import Final, LiteralString

HOLD_PROJECT: Final[LiteralString] = """
select id from ingather.project where id = %(project_id)s for no key update
"""

# Reports of files, each with a study of its own, where the project has none for the content yet. The project's row is
# held, so nobody adds the same file meanwhile.
ADD_FILES: Final[LiteralString] = """
with new as materialized (
    select row_number() over (order by given.place) as number, given.sha256, given.file_name
      from unnest(%(sha256s)s::text[], %(file_names)s::text[]) with ordinality as given(sha256, file_name, place)
     where not exists (select from ingather.report r
                        where r.project_id = %(project_id)s and r.sha256 = given.sha256)
),
made as (
    insert into ingather.study (project_id) select %(project_id)s from new returning id
),
numbered as (
    select id, row_number() over (order by id) as number from made
)
insert into ingather.report (project_id, study_id, sha256, file_name)
select %(project_id)s, numbered.id, new.sha256, new.file_name
  from new join numbered using (number)
returning sha256, file_name
"""

# Files that tasks of the project have and nobody has made a report of: tasks that were started by a program.
FILES_OF_TASKS: Final[LiteralString] = """
select distinct on (d.sha256) d.sha256, d.file_name
  from ingather.task t
  join ingather.task_document d on d.task_id = t.id
 where t.project_id = %(project_id)s
   and not exists (select from ingather.report r where r.project_id = t.project_id and r.sha256 = d.sha256)
 order by d.sha256, d.task_id
"""

ADD_RECORDS: Final[LiteralString] = """
with new as materialized (
    select row_number() over (order by given.place) as number, given.record, given.registry_record
      from unnest(%(records)s::jsonb[], %(registry_records)s::jsonb[])
           with ordinality as given(record, registry_record, place)
),
made as (
    insert into ingather.study (project_id) select %(project_id)s from new returning id
),
numbered as (
    select id, row_number() over (order by id) as number from made
)
insert into ingather.report (project_id, study_id, source_id, record, registry_record)
select %(project_id)s, numbered.id, %(source_id)s, new.record, new.registry_record
  from new join numbered using (number)
returning id
"""

ADD_SOURCE: Final[LiteralString] = """
insert into ingather.reference_source (project_id, name, kind, file_name, format, records, unreadable, imported_by)
values (%(project_id)s, %(name)s, %(kind)s, %(file_name)s, %(format)s, %(records)s, %(unreadable)s::jsonb, %(by)s)
returning id
"""

SOURCES: Final[LiteralString] = """
select id, name, kind, file_name, format, records, unreadable::text, imported_by, imported_at
  from ingather.reference_source
 where project_id = %(project_id)s
 order by id
"""

SET_CLUES: Final[LiteralString] = """
update ingather.report set clues = %(clues)s::jsonb
 where project_id = %(project_id)s and sha256 = %(sha256)s and clues is null
returning id
"""

HAS_CLUES: Final[LiteralString] = """
select id from ingather.report where project_id = %(project_id)s and sha256 = %(sha256)s and clues is not null
"""

_REPORT: Final[LiteralString] = """
select r.id, r.study_id, r.sha256, r.file_name, r.record::text, r.clues::text, r.type, r.source_id, r.same_as,
       r.excluded_at, r.exclusion_reason, r.registry_record is not null
  from ingather.report r
"""

REPORTS: Final[LiteralString] = _REPORT + " where r.project_id = %(project_id)s order by r.id"

REPORTS_BY_ID: Final[LiteralString] = (
    _REPORT + " where r.project_id = %(project_id)s and r.id = any(%(ids)s::bigint[]) order by r.id"
)

STUDIES: Final[LiteralString] = """
select id, name from ingather.study where project_id = %(project_id)s and merged_into is null order by id
"""

PROJECT_OF_STUDY: Final[LiteralString] = "select project_id from ingather.study where id = %(study_id)s"

APART: Final[LiteralString] = """
select a.one_id, a.other_id
  from ingather.reports_apart a join ingather.report r on r.id = a.one_id
 where r.project_id = %(project_id)s
"""

# Into one study: the others keep their rows and say where their reports went.
MOVE_REPORTS: Final[LiteralString] = """
update ingather.report set study_id = %(study_id)s
 where project_id = %(project_id)s and id = any(%(ids)s::bigint[])
returning id
"""

ADD_STUDY: Final[LiteralString] = "insert into ingather.study (project_id) values (%(project_id)s) returning id"


NAME_STUDY: Final[LiteralString] = """
update ingather.study set name = %(name)s
 where project_id = %(project_id)s and id = %(study_id)s and merged_into is null
returning id
"""

# Each of `ids` is the report at its place in `heads` once more; null takes that back. Whatever was the same as one of
# them follows it there.
SET_SAME_AS: Final[LiteralString] = """
with followed as (
    update ingather.report r set same_as = given.head
      from unnest(%(ids)s::bigint[], %(heads)s::bigint[]) as given(id, head)
     where r.project_id = %(project_id)s and r.same_as = given.id
)
update ingather.report r set same_as = given.head
  from unnest(%(ids)s::bigint[], %(heads)s::bigint[]) as given(id, head)
 where r.project_id = %(project_id)s and r.id = given.id
"""

# The reports of several studies at once, each to the study at its place in `into`.
MOVE_STUDIES: Final[LiteralString] = """
with moved as (
    update ingather.report r set study_id = given.target
      from unnest(%(study_ids)s::bigint[], %(into)s::bigint[]) as given(id, target)
     where r.project_id = %(project_id)s and r.study_id = given.id
)
update ingather.study s set merged_into = given.target
  from unnest(%(study_ids)s::bigint[], %(into)s::bigint[]) as given(id, target)
 where s.project_id = %(project_id)s and s.id = given.id
"""

SET_EXCLUDED: Final[LiteralString] = """
update ingather.report set excluded_at = %(stage)s, exclusion_reason = %(reason)s
 where project_id = %(project_id)s and id = any(%(ids)s::bigint[])
returning id
"""

SET_TYPE: Final[LiteralString] = """
update ingather.report set type = %(type)s where project_id = %(project_id)s and id = %(report_id)s returning id
"""

SET_APART: Final[LiteralString] = """
insert into ingather.reports_apart (one_id, other_id)
select * from unnest(%(ones)s::bigint[], %(others)s::bigint[])
    on conflict do nothing
"""

UNSET_APART: Final[LiteralString] = """
delete from ingather.reports_apart where one_id = any(%(ids)s::bigint[]) and other_id = any(%(ids)s::bigint[])
"""

ADD_EVENTS: Final[LiteralString] = """
insert into ingather.study_event (project_id, study_id, action, details, by_name, account_id)
select %(project_id)s, given.study_id, given.action, given.details::jsonb, %(by)s, %(account_id)s
  from unnest(%(study_ids)s::bigint[], %(actions)s::text[], %(details)s::text[]) with ordinality
       as given(study_id, action, details, place)
 order by given.place
"""

EVENTS: Final[LiteralString] = """
select e.id, e.study_id, e.action, e.by_name, e.at, e.details::text
  from ingather.study_event e
 where e.project_id = %(project_id)s
   and (%(study_id)s::bigint is null or e.study_id = %(study_id)s)
   and e.id < %(before)s
 order by e.id desc
 limit %(limit)s
"""

# The studies that the files of a task are of. Another report with the same content in the project is the same report.
STUDIES_OF_FILES: Final[LiteralString] = """
select r.sha256, r.study_id from ingather.report r
 where r.project_id = %(project_id)s and r.sha256 = any(%(sha256s)s::text[])
"""

# Reports are only ever added, clues are written once, and every decision of a person is an event: where these numbers
# are the same, so are the names.
STAMP: Final[LiteralString] = """
select count(*), count(clues), coalesce(max(id), 0),
       (select coalesce(max(id), 0) from ingather.study_event where project_id = %(project_id)s)
  from ingather.report
 where project_id = %(project_id)s
"""

REGISTRY_RECORDS: Final[LiteralString] = """
select registry_record::text from ingather.report
 where project_id = %(project_id)s and study_id = %(study_id)s and registry_record is not null
 order by id
"""
