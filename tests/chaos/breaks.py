"""Broken twins of the engine, to show that the harness can fail. Applied in the worker processes of a chaos run."""

from collections.abc import Callable

from ingather.engine import connection, outbox, round_trip, settling, verbs
from ingather.engine import statements as sql
from ingather.engine.item import Item
from ingather.engine.script import Script, Statement
from ingather.engine.verbs import Closed, closing


def _replace(statement: str, old: str, new: str) -> None:
    text = getattr(sql, statement)
    assert old in text, f"{statement} no longer holds {old!r}"
    _set(statement, text.replace(old, new))


def _set(statement: str, text: str) -> None:
    setattr(sql, statement, text)


def settle_without_lease() -> None:
    """A late worker may write: whatever it says of an item goes in, over what is there."""
    for statement in ("SETTLE", "SETTLE_FRESH"):
        _set(statement, _UNGUARDED)
    setattr(outbox, "MOST_RUNS", 0)  # noqa: B010  # a constant for the type checker; everything is settled item by item


_UNGUARDED = """
        with done as (
            select token, item_id, state, took_ms, nullif(result, '')::jsonb as result,
                   nullif(error, '')::jsonb as error
              from rows from (unnest(%(token_of)s::bigint[]), unnest(%(ids)s::bigint[]), unnest(%(states)s::"char"[]),
                              unnest(%(took_ms)s::integer[]), string_to_table(%(results)s, E'\\n'),
                              string_to_table(%(errors)s, E'\\n'))
                     as d(token, item_id, state, took_ms, result, error)
        ), ended as (
            insert into ingather.outcome (item_id, token, worker_id, took_ms, attempt, lost, state, result, error)
            select d.item_id, d.token, %(worker_id)s, d.took_ms, 1, 0, d.state, d.result, d.error from done d
                on conflict (item_id) do update set token = excluded.token, result = excluded.result
            returning token, item_id, state
        ), counted as (
            insert into ingather.tally as t (batch_id, worker_id, completed, error)
            select s.batch_id, %(worker_id)s, count(*) filter (where e.state = 'c'),
                   count(*) filter (where e.state = 'e')
              from ended e join ingather.segment s on s.id = e.item_id >> 20 group by s.batch_id
                on conflict (batch_id, worker_id) do update
               set completed = t.completed + excluded.completed, error = t.error + excluded.error
        ), used as (
            select token, count(*) as items from done group by token
        ), shrunk as (
            update ingather.lease l set open = l.open - u.items from used u where l.token = u.token and l.open > u.items
        ), freed as (
            delete from ingather.lease l using used u where l.token = u.token and l.open <= u.items
        )
        select count(*) from ended
"""


def put_back_without_returned() -> None:
    """An item that went back stays covered by its lease, so saying it twice puts it back twice."""
    _replace("PUT_BACK", "and d.item_id <> all (h.returned)", "")
    _replace("PUT_BACK", ", returned = h.returned || g.ids", "")


def sweep_forgets_outcomes() -> None:
    """The sweep returns finished items of a range, too."""
    _replace(
        "TAKE_BACK", "and not exists (select from ingather.outcome o where o.item_id = item_id.item_id offset 0)", ""
    )


def sweep_forgets_items() -> None:
    """The sweep returns only the first unfinished item of a range."""
    _replace(
        "TAKE_BACK", "where item_id <> all (g.returned)", "where item_id = g.first_id and item_id <> all (g.returned)"
    )


def no_sweep() -> None:
    """Nobody takes back what dead workers held."""

    def nothing(*_: object, **__: object) -> Script[None]:
        yield Statement("select 1")

    setattr(verbs, "take_back", nothing)  # noqa: B010  # the type checker rightly objects to the plain form


def count_then_close() -> None:
    """Ripe batches are closed by id, without a lock and without a second look."""

    def close(batch_ids: list[int]) -> Script[Closed]:
        closed = yield Statement(
            """update ingather.batch b
                  set state = 'closed', closed_at = clock_timestamp(), completed = b.total, error = 0, cancelled = 0,
                      gather_id = case when gathers then nextval('ingather.segment_id') << 20 end
                where id = any(%(batch_ids)s) returning id, gather_id, queue""",
            {"batch_ids": batch_ids},
        )
        for batch_id, gather_id, queue in closed:
            if gather_id:
                yield Statement(
                    """insert into ingather.waiting (item_id, batch_id, run_at, attempt, lost, is_gather, queue)
                       values (%(g)s, %(b)s, clock_timestamp(), 0, 0, true, %(q)s)""",
                    {"g": gather_id, "b": batch_id, "q": queue},
                )
        yield Statement("delete from ingather.tally where batch_id = any(%(batch_ids)s)", {"batch_ids": batch_ids})
        return Closed([batch_id for batch_id, gather_id, _ in closed if gather_id], [], [])

    for module in (verbs, closing):
        setattr(module, "close", close)  # noqa: B010  # the type checker rightly objects to the plain form


def limit_before_lock() -> None:
    """The room in a limited queue is counted without taking turns."""
    _set("LOCK_QUEUE", "select 1 where %(queue)s::text is not null")


def claim_without_lock() -> None:
    """The cursor is read without its lock and moved to where this claim thinks it is."""
    for name in ("CLAIM", "CLAIM_FROM_SHARE", "CLAIM_LIMITED"):
        _replace(name, "and s.queue is not null and not s.parked\n       for no key update skip locked", "")


def worker_ids_from_a_sequence() -> None:
    """A worker's id is drawn from a sequence, which goes back with its database."""
    _replace("REGISTER", "(host,", "(id, host,")
    _replace("REGISTER", "(%(host)s,", "(nextval('chaos.worker_id'), %(host)s,")


def item_keys_are_ids() -> None:
    """What a handler gives to services outside is the item's id, which comes again with its database."""
    setattr(Item, "key", property(lambda item: str(item.id)))  # noqa: B010  # read-only for the type checker


def connection_states_nothing() -> None:
    """A connection keeps whatever operators set for its database or role."""
    getattr(connection, "_NEEDED").clear()  # noqa: B009  # the type checker rightly objects to the plain form


def refused_data_is_tried_again() -> None:
    """What the database refuses to hold is taken for a failure that passes."""

    def refusal_is_about_data(error: Exception) -> bool:
        return False

    for module in (settling, round_trip):
        setattr(module, "refusal_is_about_data", refusal_is_about_data)  # noqa: B010  # the type checker rightly objects to the plain form


def scatter_without_key() -> None:
    """A scatter whose reply was lost is sent again as if it were new."""


BREAKS: dict[str, Callable[[], None]] = {
    breaking.__name__: breaking
    for breaking in (
        settle_without_lease,
        put_back_without_returned,
        sweep_forgets_outcomes,
        sweep_forgets_items,
        no_sweep,
        count_then_close,
        limit_before_lock,
        claim_without_lock,
        worker_ids_from_a_sequence,
        item_keys_are_ids,
        connection_states_nothing,
        refused_data_is_tried_again,
        scatter_without_key,
    )
}
