"""Every SQL text of the library. The column `space` holds the id of the project (see ADR 26).

Lock order: knowledge base, blob, the engine's rows in their own order, document, reading, page.
"""

from typing import Final, LiteralString

from ingather.engine.statements.readers import BATCHES, PAGE_OF_BATCHES

# --- knowledge bases -----------------------------------------------------------------------------------------------

NEW_KNOWLEDGE_BASE: Final[LiteralString] = """
insert into ingather.knowledge_base (space, name) values (%(project_id)s, %(name)s)
returning id, space, name, 0::bigint, created_at
"""

KNOWLEDGE_BASES: Final[LiteralString] = """
select k.id, k.space, k.name, (select count(*) from ingather.document d where d.knowledge_base_id = k.id), k.created_at
  from ingather.knowledge_base k
 where (%(id)s::bigint is null or k.id = %(id)s)
   and (%(project_ids)s::bigint[] is null or k.space = any(%(project_ids)s))
   and k.id > %(after)s
 order by k.id
 limit %(limit)s
"""

RENAME_KNOWLEDGE_BASE: Final[LiteralString] = """
update ingather.knowledge_base set name = %(name)s where id = %(id)s returning id
"""

DELETE_KNOWLEDGE_BASE: Final[LiteralString] = """
delete from ingather.knowledge_base where id = %(id)s returning id
"""

DELETE_KNOWLEDGE_BASES: Final[LiteralString] = """
delete from ingather.knowledge_base where space = %(project_id)s
"""

# --- documents -----------------------------------------------------------------------------------------------------

# It cannot be deleted while a document is being added to it.
HOLD_KNOWLEDGE_BASE: Final[LiteralString] = """
select id from ingather.knowledge_base where id = %(knowledge_base_id)s for key share
"""

# Locks the row also when it is there already: a sweep that wants these bytes waits, or we wait for it.
KEEP_BLOB: Final[LiteralString] = """
insert into ingather.blob (sha256, size) values (%(sha256)s, %(size)s)
    on conflict (sha256) do update set kept_at = clock_timestamp()
"""

# A job that is over and left no reading came to nothing; its key is used up. One that found a scan may find text in it
# the next time, when something that recognises text was installed.
IS_JOB_SPENT: Final[LiteralString] = (
    """
select b.state = 'closed'
       and not exists (select from ingather.reading
                        where sha256 = %(sha256)s and parser = any(%(parsers)s::text[])
                          and problem is distinct from 'no_text_layer')
  from """
    + BATCHES
    + """ b
 where b.id = %(job_id)s
"""
)

NEW_DOCUMENT: Final[LiteralString] = """
insert into ingather.document (knowledge_base_id, sha256, file_name, job_id)
values (%(knowledge_base_id)s, %(sha256)s, %(file_name)s, %(job_id)s)
    on conflict (knowledge_base_id, sha256) do nothing
returning id
"""

SAME_DOCUMENT: Final[LiteralString] = """
update ingather.document set job_id = %(job_id)s
 where knowledge_base_id = %(knowledge_base_id)s and sha256 = %(sha256)s
returning id
"""

# If there are several readings, the first of the current parsers', else the newest. While a document's own job is open,
# a reading from before it does not count: it was made for another project, and says nothing to this one.
_RECORD: Final[LiteralString] = (
    """
select d.id, k.space, d.knowledge_base_id, d.file_name, d.sha256, b.size, d.added_at, d.job_id,
       coalesce(j.state = 'open', false), r.problem, r.sentence, r.page_count, r.hidden_characters, r.notes,
       r.notice
  from ingather.document d
  join ingather.knowledge_base k on k.id = d.knowledge_base_id
  join ingather.blob b on b.sha256 = d.sha256
  left join """
    + BATCHES
    + """ j on j.id = d.job_id
  left join lateral (
      select * from ingather.reading
       where sha256 = d.sha256
       order by array_position(%(parsers)s::text[], parser), id desc
       limit 1
  ) r on j.state is distinct from 'open' or r.read_at >= j.created_at
"""
)

_LISTED: Final[LiteralString] = (
    _RECORD
    + """
 where d.knowledge_base_id = %(knowledge_base_id)s
   and (%(search)s = '' or strpos(lower(d.file_name), lower(%(search)s)) > 0)
   and (%(state)s::text is null
        or %(state)s = case when r.sentence is null then case when j.state = 'open' then 'unread' else 'failed' end
                            when r.problem is null then 'readable' else 'problem' end)
"""
)

DOCUMENTS_NEWEST: Final[LiteralString] = (
    _LISTED
    + """
   and (%(after)s::bigint is null or d.id < %(after)s)
 order by d.id desc
 limit %(limit)s
"""
)

DOCUMENTS_OLDEST: Final[LiteralString] = (
    _LISTED
    + """
   and (%(after)s::bigint is null or d.id > %(after)s)
 order by d.id
 limit %(limit)s
"""
)

# No index orders by name: the knowledge base is sorted whole for every page.
DOCUMENTS_BY_NAME: Final[LiteralString] = (
    _LISTED
    + """
   and (%(after)s::bigint is null
        or (lower(d.file_name), d.id) > (lower(%(after_name)s), %(after)s))
 order by lower(d.file_name), d.id
 limit %(limit)s
"""
)

DOCUMENT: Final[LiteralString] = _RECORD + " where d.id = %(id)s"

DELETE_DOCUMENT: Final[LiteralString] = "delete from ingather.document where id = %(id)s returning id"

SNAPSHOTS: Final[LiteralString] = """
select d.id, d.file_name, d.sha256, b.size
  from ingather.document d
  join ingather.knowledge_base k on k.id = d.knowledge_base_id
  join ingather.blob b on b.sha256 = d.sha256
 where d.id = any(%(ids)s::bigint[])
   and (%(project_id)s::bigint is null or k.space = %(project_id)s)
"""

# Which of these files a document of the project still names.
PRESENT: Final[LiteralString] = """
select distinct d.sha256
  from ingather.document d join ingather.knowledge_base k on k.id = d.knowledge_base_id
 where d.sha256 = any(%(sha256s)s::text[]) and k.space = %(project_id)s
"""

# The jobs that read documents of these projects, newest first.
JOBS_OF_PROJECTS: Final[LiteralString] = (
    """
select distinct b.id
  from ingather.document d
  join ingather.knowledge_base k on k.id = d.knowledge_base_id
  join """
    + BATCHES
    + """ b on b.id = d.job_id
 where k.space = any(%(project_ids)s::bigint[])
"""
    + PAGE_OF_BATCHES
)

PROJECTS_OF_JOB: Final[LiteralString] = """
select distinct k.space
  from ingather.document d join ingather.knowledge_base k on k.id = d.knowledge_base_id
 where d.job_id = %(job_id)s
"""

# --- readings ------------------------------------------------------------------------------------------------------

READING: Final[LiteralString] = """
select sha256, parser, problem, sentence, page_count, hidden::text, notes, read_at, notice
  from ingather.reading
 where sha256 = %(sha256)s and parser = %(parser)s
"""

READ_BEFORE_JOB: Final[LiteralString] = (
    """
select 1
  from ingather.reading r join """
    + BATCHES
    + """ b on b.id = %(job_id)s
 where r.sha256 = %(sha256)s and r.parser = %(parser)s and r.read_at < b.created_at
"""
)

NAME_OF: Final[LiteralString] = """
select coalesce((select file_name from ingather.document where sha256 = b.sha256 order by id limit 1), '')
  from ingather.blob b
 where b.sha256 = %(sha256)s
"""

# Two that read the same file at once meet here; the second leaves what the first wrote.
NEW_READING: Final[LiteralString] = """
insert into ingather.reading
       (sha256, parser, problem, sentence, notice, page_count, hidden_characters, hidden, notes, tables)
values (%(sha256)s, %(parser)s, %(problem)s, %(sentence)s, %(notice)s::jsonb, %(page_count)s, %(hidden_characters)s,
        %(hidden)s::jsonb, %(notes)s, %(tables)s)
    on conflict (sha256, parser) do nothing
returning id
"""

NEW_PAGES: Final[LiteralString] = """
insert into ingather.page (reading_id, number, width, height, text, boxes)
select %(reading_id)s, new.*
  from unnest(%(numbers)s::integer[], %(widths)s::double precision[], %(heights)s::double precision[],
              %(texts)s::text[], %(boxes)s::bytea[]) as new(number, width, height, text, boxes)
"""

_OF_READING: Final[LiteralString] = """
with r as (
    select id from ingather.reading
     where sha256 = %(sha256)s and (%(parser)s::text is null or parser = %(parser)s)
     order by array_position(%(current)s::text[], parser), id desc
     limit 1
)
"""

# One row without a page says that the file was read and gave none.
TEXTS: Final[LiteralString] = (
    _OF_READING
    + """
select p.text from r left join ingather.page p on p.reading_id = r.id order by p.number
"""
)

TABLES: Final[LiteralString] = (
    _OF_READING
    + """
select t.tables from r join ingather.reading t on t.id = r.id
"""
)

# Unpacks every text it counts, so it is for a few hundred files at a time.
LENGTHS: Final[LiteralString] = """
with r as (
    select distinct on (sha256) id, sha256
      from ingather.reading
     where sha256 = any(%(sha256s)s::text[])
     order by sha256, array_position(%(current)s::text[], parser), id desc
)
select r.sha256, coalesce(sum(length(p.text)), 0)::bigint, coalesce(sum(octet_length(p.text)), 0)::bigint
  from r left join ingather.page p on p.reading_id = r.id
 group by r.sha256
"""

PLACES: Final[LiteralString] = (
    _OF_READING
    + """
select p.text, p.boxes, p.width, p.height
  from r left join ingather.page p on p.reading_id = r.id and p.number = %(page)s
"""
)

# --- sweeping ------------------------------------------------------------------------------------------------------

UNUSED_BLOBS: Final[LiteralString] = """
select b.sha256
  from ingather.blob b
 where b.kept_at < clock_timestamp() - %(keep)s
   and not exists (select from ingather.document where sha256 = b.sha256)
 order by b.sha256
"""

# The foreign keys decide: this fails as long as a document, or a task's snapshot, refers to the row.
FORGET_BLOB: Final[LiteralString] = """
delete from ingather.blob where sha256 = %(sha256)s and kept_at < clock_timestamp() - %(keep)s returning sha256
"""
