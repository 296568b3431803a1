"""SQL about projects, templates and tasks, one text per verb."""

from typing import Final, LiteralString

from ingather.engine.statements.readers import BATCHES, OBSTACLES, OUTCOME_AT, PAGE_OF_BATCHES

# Other rooms may join this to their own tables: a row for each project.
PROJECTS: Final[LiteralString] = "(select id, name from ingather.project)"

LOCK_PROJECT: Final[LiteralString] = """
select id from ingather.project where id = %(project_id)s for no key update
"""

CREATE_PROJECT: Final[LiteralString] = """
insert into ingather.project (name) values (%(name)s) returning id, name, created_at
"""

# If two programs make it at the same moment, one of them does.
ADD_OWN_PROJECT: Final[LiteralString] = """
insert into ingather.project (name, made_for) values (%(name)s, %(made_for)s) on conflict (made_for) do nothing
"""

FIND_OWN_PROJECT: Final[LiteralString] = """
select id, name, created_at from ingather.project where made_for = %(made_for)s
"""

LIST_PROJECTS: Final[LiteralString] = """
select id, name, created_at
  from ingather.project
 where (%(ids)s::bigint[] is null or id = any(%(ids)s)) and id > %(after)s
 order by id
 limit %(limit)s
"""

FIND_PROJECT: Final[LiteralString] = """
select id, name, created_at from ingather.project where id = %(project_id)s
"""

FIND_QUESTIONS: Final[LiteralString] = """
select body::text, revision from ingather.review_questions where project_id = %(project_id)s
"""

# A change of the questions names the revision that was seen: of two people who saw the same, one must look again.
ADD_QUESTIONS: Final[LiteralString] = """
insert into ingather.review_questions (project_id, revision, body)
values (%(project_id)s, 1, %(body)s::jsonb)
    on conflict (project_id) do nothing
returning revision
"""

CHANGE_QUESTIONS: Final[LiteralString] = """
update ingather.review_questions
   set body = %(body)s::jsonb, revision = revision + 1, changed_at = clock_timestamp()
 where project_id = %(project_id)s and revision = %(seen)s
returning revision
"""

# A version is known by its content, so keeping it again is nothing new.
KEEP_TEMPLATE_VERSION: Final[LiteralString] = """
insert into ingather.template_version (sha256, template_id, version, body)
values (%(sha256)s, %(template_id)s, %(version)s, %(body)s::jsonb)
    on conflict (sha256) do nothing
"""

FIND_TEMPLATE_VERSION: Final[LiteralString] = """
select body::text from ingather.template_version where sha256 = %(sha256)s
"""

ADD_TEMPLATE: Final[LiteralString] = """
insert into ingather.template (id, project_id, sha256) values (%(template_id)s, %(project_id)s, %(sha256)s)
    on conflict (id) do nothing
returning id
"""

# A change of a template names the version that was changed: if two come at the same moment, one must look again.
CHANGE_TEMPLATE: Final[LiteralString] = """
update ingather.template set sha256 = %(sha256)s, changed_at = clock_timestamp()
 where id = %(template_id)s and sha256 = %(was)s
returning id
"""

REMOVE_TEMPLATE: Final[LiteralString] = """
delete from ingather.template where id = %(template_id)s returning id
"""

FIND_TEMPLATE: Final[LiteralString] = """
select v.body::text, t.project_id
  from ingather.template t join ingather.template_version v using (sha256)
 where t.id = %(template_id)s
"""

LIST_TEMPLATES: Final[LiteralString] = """
select v.body::text, t.project_id
  from ingather.template t join ingather.template_version v using (sha256)
 where t.project_id = %(project_id)s and t.id > %(after)s
 order by t.id
 limit %(limit)s
"""

# Its documents, calls, reviews and money set aside go with it. Whoever needs it meanwhile waits, and finds nothing.
DELETE_TASK: Final[LiteralString] = """
delete from ingather.task where id = %(task_id)s
"""

# No task is started in it from here on: a new one refers to the project.
LOCK_TASKS_OF_PROJECT: Final[LiteralString] = """
with project as materialized (
    select id from ingather.project where id = %(project_id)s for update
)
select t.id, t.batch_id from ingather.task t join project p on p.id = t.project_id order by t.batch_id
"""

DELETE_PROJECT: Final[LiteralString] = """
delete from ingather.project where id = %(project_id)s
"""

ADD_TASK: Final[LiteralString] = """
insert into ingather.task
       (project_id, batch_id, template_sha256, base_url, model, context, spend_cap, request_sha256, follows_id, again)
values (%(project_id)s, %(batch_id)s, %(template_sha256)s, %(base_url)s, %(model)s, %(context)s, %(spend_cap)s,
        %(request_sha256)s, %(follows_id)s, %(again)s::jsonb)
returning id
"""

ADD_TASK_DOCUMENTS: Final[LiteralString] = """
insert into ingather.task_document (task_id, ordinal, document_id, sha256, file_name)
select %(task_id)s, place - 1, document_id, sha256, file_name
  from unnest(%(document_ids)s::bigint[], %(sha256s)s::text[], %(file_names)s::text[]) with ordinality
       as frozen(document_id, sha256, file_name, place)
"""

TASK_OF_BATCH: Final[LiteralString] = """
select id, request_sha256 from ingather.task where batch_id = %(batch_id)s
"""

TASK_OF_KEY: Final[LiteralString] = (
    """
select t.id, t.request_sha256
  from """
    + BATCHES
    + """ b join ingather.task t on t.batch_id = b.id
 where b.idempotency_key = %(key)s
"""
)

_TASK_COLUMNS: Final[LiteralString] = """
select t.id, t.project_id, p.name, t.batch_id, t.template_sha256, v.template_id, v.version, t.base_url, t.model,
       t.context, t.spend_cap, t.pause_reason, t.created_at, t.follows_id, t.again::text, t.name, t.archived_at,
       t.pause_notice
"""

_TASK_TABLES: Final[LiteralString] = """
  from ingather.task t
  join ingather.project p on p.id = t.project_id
  join ingather.template_version v on v.sha256 = t.template_sha256
"""

# A call that was refused costs nothing: only one that gave an answer or used tokens can lack a price.
_SPENT: Final[LiteralString] = """
select count(*), coalesce(sum(prompt_tokens), 0)::bigint, coalesce(sum(cached_tokens), 0)::bigint,
       coalesce(sum(completion_tokens), 0)::bigint, sum(cost), min(currency),
       count(*) filter (where cost is null and (answer is not null or prompt_tokens + completion_tokens > 0))
  from ingather.model_call
"""

_TASK: Final[LiteralString] = _TASK_COLUMNS + _TASK_TABLES

# Beside a task, what it has cost.
_AND_SPENT: Final[LiteralString] = "cross join lateral (" + _SPENT + " where task_id = t.id) s"

_PAGE_OF_TASKS: Final[LiteralString] = (
    """
 where t.project_id = %(project_id)s and t.id < %(before)s
   and (%(is_archived)s::boolean is null or (t.archived_at is not null) = %(is_archived)s)
   and (%(search)s = '' or strpos(lower(coalesce(t.name, '')), lower(%(search)s)) > 0
        or strpos(lower(v.template_id), lower(%(search)s)) > 0 or t.id::text = %(search)s)
   and (%(state)s::text is null
        or exists (select from """
    + BATCHES
    + """ b where b.id = t.batch_id and b.state = %(state)s))
 order by t.id desc
 limit %(limit)s
"""
)

# This says what stands in the way of the task's batch while it is open.
_OBSTACLES: Final[LiteralString] = (
    "select is_queue_paused, blocked_until, has_worker, held_until, held_by from "
    + OBSTACLES
    + " obstacle where obstacle.batch_id = t.batch_id"
)

SPENT: Final[LiteralString] = _SPENT + " where task_id = %(task_id)s"

FIND_TASK: Final[LiteralString] = _TASK + " where t.id = %(task_id)s"

# Runs twice a second for each open live view: everything in one statement, planned once, as PROGRESS is.
# Answers that grew lately; older rows are of processes that died.
_UNDER_WAY: Final[LiteralString] = """
 left join lateral (
     select count(*) as answers, sum(w.characters)::bigint as characters,
            max(extract(epoch from clock_timestamp() - w.sent_at))::float8 as longest_s
       from ingather.answer_under_way w
      where w.task_id = t.id and w.seen_at > clock_timestamp() - interval '10 s'
 ) w on true
"""

FIND_STATUS: Final[LiteralString] = (
    _TASK_COLUMNS
    + ", s.*, w.*, o.*"
    + _TASK_TABLES
    + _AND_SPENT
    + " left join lateral ("
    + _OBSTACLES
    + ") o on true"
    + _UNDER_WAY
    + " where t.id = (select %(task_id)s::bigint)"
)

FIND_TASK_OF_BATCH: Final[LiteralString] = _TASK + " where t.batch_id = %(batch_id)s"

LIST_TASKS: Final[LiteralString] = _TASK + _PAGE_OF_TASKS

LIST_TASKS_AND_SPENT: Final[LiteralString] = _TASK_COLUMNS + ", s.*" + _TASK_TABLES + _AND_SPENT + _PAGE_OF_TASKS

BATCHES_OF_PROJECTS: Final[LiteralString] = (
    """
select b.id
  from ingather.task t join """
    + BATCHES
    + """ b on b.id = t.batch_id
 where t.project_id = any(%(project_ids)s::bigint[])
"""
    + PAGE_OF_BATCHES
)

PROJECTS_OF_BATCH: Final[LiteralString] = """
select project_id from ingather.task where batch_id = %(batch_id)s
"""

SET_PAUSE_REASON: Final[LiteralString] = """
update ingather.task set pause_reason = %(reason)s, pause_notice = %(notice)s::jsonb where id = %(task_id)s
"""

NAME_TASK: Final[LiteralString] = """
update ingather.task set name = %(name)s where id = %(task_id)s
"""

ARCHIVE_TASK: Final[LiteralString] = """
update ingather.task
   set archived_at = case when %(is_archived)s then coalesce(archived_at, clock_timestamp()) end
 where id = %(task_id)s
"""

SET_SPEND_CAP: Final[LiteralString] = """
update ingather.task set spend_cap = %(spend_cap)s where id = %(task_id)s
"""

FIND_DOCUMENT: Final[LiteralString] = """
select document_id, sha256, file_name from ingather.task_document
 where task_id = %(task_id)s and ordinal = %(ordinal)s::bigint
"""

# The text that a result's places count in belongs to the parser that made it.
FIND_PARSER: Final[LiteralString] = "select o.result ->> 'parser' from " + OUTCOME_AT + " o"

FIND_RESULT: Final[LiteralString] = "select o.result::text from " + OUTCOME_AT + " o where o.is_completed"

ALL_DOCUMENTS: Final[LiteralString] = """
select document_id, sha256, file_name from ingather.task_document where task_id = %(task_id)s order by ordinal
"""

DOCUMENTS: Final[LiteralString] = """
select ordinal, document_id, sha256, file_name from ingather.task_document
 where task_id = %(task_id)s and ordinal = any(%(ordinals)s)
"""

# Only the last three tasks count: what a provider did last year says little.
CALL_SECONDS: Final[LiteralString] = """
select avg(c.took_ms) / 1000.0
  from ingather.model_call c
 where c.outcome = 'ok' and c.task_id in (
       select id from ingather.task
        where project_id = %(project_id)s and model = %(model)s
        order by id desc
        limit 3)
"""
