"""SQL about calls to a model: permission, reservation, and the answer with its cost."""

from typing import Final, LiteralString

from ingather.engine.statements.readers import QUEUES

# Before every call, in one look: the answer if it was paid for already, how long the provider wants silence, whether
# there is a cap or a pause, and what the time is.
BEFORE_CALL: Final[LiteralString] = (
    """
select (select array[outcome, answer] from ingather.model_call
         where request_sha256 = %(request_sha256)s and answer is not null
         order by outcome = 'ok' desc, id
         limit 1),
       (select extract(epoch from blocked_until - clock_timestamp())::float8 from """
    + QUEUES
    + """ q
         where name = %(queue)s),
       t.spend_cap, t.pause_reason, t.pause_notice, clock_timestamp()
  from ingather.task t
 where t.id = %(task_id)s
"""
)

# Before SET_ASIDE and in its transaction, which counts in a snapshot of its own: of two who would both fit under the
# cap, one waits here and then sees the other.
HOLD_TASK: Final[LiteralString] = """
select id from ingather.task where id = %(task_id)s for no key update
"""

# Room for the most that a call may cost, beside what was spent and what others may spend this moment. Where that is
# too much for what is left, one call at a time goes on: so a cap is used up, and passed by less than one call.
# Only tasks with a cap pay for the sums, which grow with the task.
SET_ASIDE: Final[LiteralString] = """
with forgotten as (
    delete from ingather.set_aside where task_id = %(task_id)s and until <= clock_timestamp()
), under_way as materialized (
    select coalesce(sum(amount), 0) as amount, count(*) as calls
      from ingather.set_aside
     where task_id = %(task_id)s and until > clock_timestamp()
), spent as materialized (
    select coalesce(sum(cost), 0) as amount from ingather.model_call where task_id = %(task_id)s
), added as (
    insert into ingather.set_aside (task_id, amount, until)
    select t.id, %(most)s, clock_timestamp() + %(longest)s
      from ingather.task t, under_way, spent
     where t.id = %(task_id)s
       and (t.spend_cap is null
            or spent.amount + under_way.amount + %(most)s <= t.spend_cap
            or (under_way.calls = 0 and spent.amount < t.spend_cap))
    returning id
)
select (select id from added), under_way.calls from under_way
"""

GIVE_BACK: Final[LiteralString] = "delete from ingather.set_aside where id = %(aside)s"

# The amount set aside for the call goes in the commit that says what it cost.
ADD_CALL: Final[LiteralString] = """
with settled as (
    delete from ingather.set_aside where id = %(aside)s
)
insert into ingather.model_call
       (task_id, ordinal, step, request_sha256, outcome, sentence, notice, answer, model, prompt_tokens, cached_tokens,
        completion_tokens, cost, currency, took_ms)
values (%(task_id)s, %(ordinal)s, %(step)s, %(request_sha256)s, %(outcome)s, %(sentence)s, %(notice)s::jsonb,
        %(answer)s, %(model)s,
        %(prompt_tokens)s, %(cached_tokens)s, %(completion_tokens)s, %(cost)s, %(currency)s, %(took_ms)s)
"""

# A document has one call at a time, so a new call takes the place of one whose process died.
NOTE_UNDER_WAY: Final[LiteralString] = """
insert into ingather.answer_under_way as shown (task_id, ordinal, step, characters, sent_at)
values (%(task_id)s, %(ordinal)s, %(step)s, %(characters)s,
        clock_timestamp() - make_interval(secs => %(took_s)s::float8))
    on conflict (task_id, ordinal) do update
       set step = excluded.step, characters = excluded.characters, sent_at = excluded.sent_at,
           seen_at = clock_timestamp()
"""

END_UNDER_WAY: Final[LiteralString] = """
delete from ingather.answer_under_way where task_id = %(task_id)s and ordinal = %(ordinal)s
"""
