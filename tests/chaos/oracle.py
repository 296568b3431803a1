"""The oracle: a transition log that triggers write, and the rules that every item's history must keep.

End states can look right after a wrong history, so the checks read the log:
who claimed which items, who ended or returned them, under which token, in the
order in which it was committed.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import psycopg

SETUP = """
create schema chaos;
create sequence chaos.worker_id;  -- what a broken twin takes its workers' ids from
create table chaos.log (
    seq   bigint generated always as identity primary key,
    xid   xid8 not null default pg_current_xact_id(),
    at    timestamptz not null default clock_timestamp(),
    what  text not null,
    token bigint,
    first bigint,
    last  bigint,
    ids   bigint[],
    state text
);

create function chaos.note() returns trigger language plpgsql as $$
begin
    case tg_table_name || ' ' || tg_op
        when 'lease INSERT' then
            insert into chaos.log (what, token, first, last, state)
            values ('claim', new.token, new.first_id, new.last_id, new.queue);
            if new.queue like 'narrow%' then
                perform pg_sleep(0.005);  -- as on a slow disk: who does not take turns should meet another
            end if;
        when 'lease UPDATE' then
            insert into chaos.log (what, token, first, last, ids)
            values ('keep', new.token, new.first_id, new.last_id, new.returned);
        when 'lease DELETE' then
            insert into chaos.log (what, token, first, last) values ('free', old.token, old.first_id, old.last_id);
        when 'waiting INSERT' then
            insert into chaos.log (what, first) values ('wait', new.item_id);
        when 'waiting DELETE' then
            insert into chaos.log (what, first) values ('unwait', old.item_id);
        when 'outcome INSERT' then
            insert into chaos.log (what, token, first, state) values ('end', new.token, new.item_id, new.state);
        when 'outcome DELETE' then
            insert into chaos.log (what, first) values ('unend', old.item_id);
        when 'outcome UPDATE' then
            insert into chaos.log (what, first) values ('rewrite', old.item_id);
        when 'batch UPDATE' then
            if old.state <> new.state then
                insert into chaos.log (what, first, last, state) values ('batch', new.id, new.version, new.state);
            end if;
        else
            raise exception 'what is % %?', tg_table_name, tg_op;
    end case;
    return null;
end $$;

create trigger chaos after insert or update or delete on ingather.lease for each row execute function chaos.note();
create trigger chaos after insert or delete on ingather.waiting for each row execute function chaos.note();
create trigger chaos after insert or update or delete on ingather.outcome for each row execute function chaos.note();
create trigger chaos after update on ingather.batch for each row execute function chaos.note();
"""


@dataclass
class Findings:
    """What the oracle saw, and every broken rule with the item or batch it was broken on."""

    transitions: int = 0
    broken: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def blame(self, rule: str, what: str) -> None:
        self.broken[rule].append(what)


def check(conn: psycopg.Connection[Any], limits: dict[str, int]) -> Findings:
    """Read the whole log and the final tables; say what does not hold."""
    found = Findings()
    # The database may end idle sessions quickly, and between two of these questions there is work to do.
    conn.execute("set idle_session_timeout = 0")
    for queue, limit in limits.items():
        _check_limit(conn, found, queue, limit)
    _check_histories(conn, found)
    _check_batches(conn, found)
    _check_ends(conn, found)
    return found


def _check_histories(conn: psycopg.Connection[Any], found: Findings) -> None:
    events: dict[int, list[tuple[int, str, int | None]]] = defaultdict(list)
    rows = conn.execute(
        "select xid::text::bigint, what, token, first, last, ids from chaos.log where what <> 'batch' order by seq"
    )
    for xid, what, token, first, last, ids in rows:
        found.transitions += 1
        if what in {"claim", "free"}:
            for item_id in range(first, last + 1):
                events[item_id].append((xid, what, token))
        elif what == "keep":
            for item_id in ids:
                events[item_id].append((xid, "returned", token))
        else:
            events[first].append((xid, what, token))
    fresh = {
        item_id
        for first, last in conn.execute("select id << 20, last_id from ingather.segment").fetchall()
        for item_id in range(first, last + 1)
    }
    for item_id, history in events.items():
        follow(item_id, history, found, is_fresh=item_id in fresh)


def follow(  # noqa: PLR0912  # one branch a kind of transition
    item_id: int, history: list[tuple[int, str, int | None]], found: Findings, *, is_fresh: bool
) -> None:
    """Walk through one item's life, a transaction at a time."""
    state: str = "fresh" if is_fresh else "unborn"
    held: int | None = None
    for xid, transaction in _by_transaction(history):
        what = {name for _, name, _ in transaction}
        tokens = {name: token for _, name, token in transaction}
        if "rewrite" in what:
            found.blame("an outcome is never rewritten", f"item {item_id}")
        if "claim" in what:
            if state not in {"fresh", "waiting"} or ("unwait" in what) != (state == "waiting"):
                found.blame("only a pending item is claimed", f"item {item_id} was {state} in transaction {xid}")
            state, held = "leased", tokens["claim"]
        elif "end" in what:
            if tokens["end"] == 0:
                if state == "ended":
                    found.blame("an item ends once", f"item {item_id}")
            elif state != "leased" or held != tokens["end"]:
                found.blame(
                    "only the holder of the lease ends an item", f"item {item_id} was {state} in transaction {xid}"
                )
            state, held = "ended", None
        elif "wait" in what:
            if "unend" in what:
                is_legal = state == "ended"
            elif "free" in what or "returned" in what:
                # A worker may give up several leases at once, some of which the item had left before.
                left = {token for _, name, token in transaction if name in {"free", "returned"}}
                is_legal = state == "leased" and held in left
            else:
                is_legal = state in {"fresh", "unborn"}
            if not is_legal:
                found.blame("only what was held, failed or new waits", f"item {item_id} was {state} in {xid}")
            state, held = "waiting", None
        elif "unwait" in what:
            if state != "waiting":
                found.blame("only a waiting item stops waiting", f"item {item_id} was {state}")
            state = "dropped"
        elif state == "leased" and (xid, "free", held) in transaction:
            state = "dropped"
    if state not in {"ended", "dropped"} or (state == "dropped" and is_fresh):
        found.blame("nothing is lost", f"item {item_id} is still {state}")


def _by_transaction(
    history: list[tuple[int, str, int | None]],
) -> list[tuple[int, list[tuple[int, str, int | None]]]]:
    """Together what was committed together: a lease the item has left may be logged between two lines of a claim."""
    grouped: dict[int, list[tuple[int, str, int | None]]] = defaultdict(list)
    for event in history:
        grouped[event[0]].append(event)
    return list(grouped.items())


def _check_limit(conn: psycopg.Connection[Any], found: Findings, queue: str, limit: int) -> None:
    """Running items of a limited queue, recounted after every transition.

    A claim sees the room that others made once they have committed, and they wrote to the log before that; so in the
    order of the log there is never more running than the claim itself could see.
    """
    running: set[tuple[int, int]] = set()
    for what, token, first, last, ids, claimed_in in conn.execute(
        """select what, token, first, last, ids, state from chaos.log
            where what in ('claim', 'free', 'keep', 'end') order by seq"""
    ):
        if what == "claim" and claimed_in == queue:
            running.update((item_id, token) for item_id in range(first, last + 1))
            if len(running) > limit:
                found.blame("limits hold", f"{len(running)} running in {queue}, which may run {limit}")
        elif what == "keep":
            running.difference_update((item_id, token) for item_id in ids)
        elif what == "free":
            running.difference_update((item_id, token) for item_id in range(first, last + 1))
        elif what == "end":
            running.discard((first, token))


def _check_batches(conn: psycopg.Connection[Any], found: Findings) -> None:
    """Closed once per version; never open at the end; the kept counts equal a recount."""
    for batch_id, version, closes in conn.execute(
        "select first, last, count(*) from chaos.log where what = 'batch' and state = 'closed' group by 1, 2"
    ):
        if closes != 1:
            found.blame("a batch closes once per version", f"batch {batch_id} version {version}: {closes} times")
    recount = """
        select b.id, b.state, b.total, b.completed, b.error, b.cancelled,
               count(o.item_id) filter (where o.state = 'c'), count(o.item_id) filter (where o.state = 'e'),
               count(o.item_id) filter (where o.state = 'x'), count(*)
          from ingather.batch b
          join ingather.segment s on s.batch_id = b.id
          join ingather.payload p on p.item_id between s.id << 20 and s.last_id
          left join ingather.outcome o on o.item_id = p.item_id
         group by b.id
    """
    for batch_id, state, total, *counts in conn.execute(recount):
        kept, counted, items = counts[:3], counts[3:6], counts[6]
        if state != "closed":
            found.blame("every batch closes", f"batch {batch_id} is {state}: {counted} of {total}")
        elif kept != counted or items != total:
            found.blame(
                "kept counts equal a recount", f"batch {batch_id}: {kept} of {total}, counted {counted} of {items}"
            )


def _check_ends(conn: psycopg.Connection[Any], found: Findings) -> None:
    """Nothing is left over, and every gather ended: most with a result, some killed three times like any item."""
    for table in ("lease", "waiting", "tally"):
        [(left,)] = conn.execute(f"select count(*) from ingather.{table}").fetchall()
        if left:
            found.blame("nothing is left over", f"{left} rows in {table}")
    for (batch_id,) in conn.execute(
        """select b.id from ingather.batch b left join ingather.outcome o on o.item_id = b.gather_id
            where b.gathers and b.state = 'closed' and o.item_id is null"""
    ):
        found.blame("every closed batch is gathered", f"batch {batch_id}")
    [(deadlocks,)] = conn.execute(
        "select deadlocks from pg_stat_database where datname = current_database()"
    ).fetchall()
    if deadlocks:
        found.blame("no deadlocks", f"{deadlocks}")
