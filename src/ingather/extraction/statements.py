"""Every SQL text of extraction, one per verb."""

from typing import Final, LiteralString

CREATE_PROJECT: Final[LiteralString] = """
insert into ingather.project (name) values (%(name)s) returning id, name, created_at
"""

LIST_PROJECTS: Final[LiteralString] = """
select id, name, created_at from ingather.project order by id
"""

FIND_PROJECT: Final[LiteralString] = """
select id, name, created_at from ingather.project where id = %(project_id)s
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

# Whoever changes a template says which version was changed: of two at the same moment, one must look again.
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
 where t.project_id = %(project_id)s
 order by t.id
"""

ADD_TASK: Final[LiteralString] = """
insert into ingather.task
       (project_id, batch_id, template_sha256, base_url, model, context, spend_cap, request_sha256)
values (%(project_id)s, %(batch_id)s, %(template_sha256)s, %(base_url)s, %(model)s, %(context)s, %(spend_cap)s,
        %(request_sha256)s)
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

_TASK: Final[LiteralString] = """
select t.id, t.project_id, p.name, t.batch_id, t.template_sha256, v.template_id, v.version, t.base_url, t.model,
       t.context, t.spend_cap, t.pause_reason, t.created_at
  from ingather.task t
  join ingather.project p on p.id = t.project_id
  join ingather.template_version v on v.sha256 = t.template_sha256
"""

FIND_TASK: Final[LiteralString] = _TASK + " where t.id = %(task_id)s"

FIND_TASK_OF_BATCH: Final[LiteralString] = _TASK + " where t.batch_id = %(batch_id)s"

LIST_TASKS: Final[LiteralString] = (
    _TASK
    + """ where t.project_id = %(project_id)s and t.id < %(before)s
 order by t.id desc
 limit %(limit)s"""
)

PROJECTS_OF_BATCH: Final[LiteralString] = """
select project_id from ingather.task where batch_id = %(batch_id)s
"""

SET_PAUSE_REASON: Final[LiteralString] = """
update ingather.task set pause_reason = %(reason)s where id = %(task_id)s
"""

SET_SPEND_CAP: Final[LiteralString] = """
update ingather.task set spend_cap = %(spend_cap)s where id = %(task_id)s
"""

FIND_DOCUMENT: Final[LiteralString] = """
select document_id, sha256, file_name from ingather.task_document
 where task_id = %(task_id)s and ordinal = %(ordinal)s::bigint
"""

DOCUMENTS: Final[LiteralString] = """
select ordinal, document_id, sha256, file_name from ingather.task_document
 where task_id = %(task_id)s and ordinal = any(%(ordinals)s)
"""

# Before every call, in one look: the answer if it was paid for already, how long the provider wants silence, and what
# the task has spent. The sum grows with the task, so only a task with a cap pays for it.
BEFORE_CALL: Final[LiteralString] = """
select (select array[outcome, answer] from ingather.model_call
         where request_sha256 = %(request_sha256)s and answer is not null
         order by outcome = 'ok' desc, id
         limit 1),
       (select extract(epoch from blocked_until - clock_timestamp())::float8 from ingather.queue
         where name = %(queue)s),
       case when t.spend_cap is not null
            then (select coalesce(sum(cost), 0) from ingather.model_call where task_id = t.id) end,
       t.spend_cap, t.pause_reason
  from ingather.task t
 where t.id = %(task_id)s
"""

ADD_CALL: Final[LiteralString] = """
insert into ingather.model_call
       (task_id, ordinal, step, request_sha256, outcome, sentence, answer, model, prompt_tokens, cached_tokens,
        completion_tokens, cost, currency, took_ms)
values (%(task_id)s, %(ordinal)s, %(step)s, %(request_sha256)s, %(outcome)s, %(sentence)s, %(answer)s, %(model)s,
        %(prompt_tokens)s, %(cached_tokens)s, %(completion_tokens)s, %(cost)s, %(currency)s, %(took_ms)s)
"""

SPENT: Final[LiteralString] = """
select count(*), coalesce(sum(prompt_tokens), 0)::bigint, coalesce(sum(cached_tokens), 0)::bigint,
       coalesce(sum(completion_tokens), 0)::bigint, sum(cost), min(currency), count(*) filter (where cost is null)
  from ingather.model_call
 where task_id = %(task_id)s
"""
