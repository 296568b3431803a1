"""A worker's statements with their parameters, as PostgreSQL wants them written. Pure.

Numbers travel as arrays in their text form and documents as lines of one text:
both are quicker to make than the driver's own, item by item.
"""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ingather.engine import statements as sql
from ingather.engine.outbox import Ended, Hold, PutBack, result_of, took_of
from ingather.engine.script import Statement

# A shorter time counts as none: the column holds whole milliseconds.
SHORTEST_TOOK_S: Final = 0.001
NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


def parameters_to_settle(worker_id: int, ended: list[Ended]) -> Statement:
    """Outcomes of which some may be stored already."""
    return Statement(sql.SETTLE, _settling_parameters(worker_id, ended))


def parameters_to_settle_fresh(worker_id: int, ended: list[Ended]) -> Statement:
    """Outcomes of which none was stored before; refused as a whole if one was."""
    return Statement(sql.SETTLE_FRESH, _settling_parameters(worker_id, ended))


def parameters_to_settle_run(worker_id: int, run: list[Ended]) -> Statement:
    """Neighbours of one lease that all completed."""
    token, first_id, *_ = run[0]
    took_ms = sparse_milliseconds_as_parameter(list(map(took_of, run)))
    return parameters_to_settle_range(
        worker_id, token, first_id, len(run), took_ms, b"\n".join(map(result_of, run)).decode()
    )


def parameters_to_settle_range(
    worker_id: int, token: int, first_id: int, items: int, took_ms: str, results: str
) -> Statement:
    """`parameters_to_settle_run` of a run that is already written out."""
    params = {
        "worker_id": worker_id,
        "token": token,
        "first_id": first_id,
        "items": items,
        "took_ms": took_ms,
        "results": results,
    }
    return Statement(sql.SETTLE_RUN, params)


def parameters_for_ours_already(ended: list[Ended]) -> Statement:
    """Which of these items ended under the token given here."""
    tokens, ids, *_ = zip(*ended, strict=True)
    return Statement(sql.OURS_ALREADY, {"ids": list(ids), "token_of": list(tokens)})


def parameters_to_put_back(put_backs: list[PutBack]) -> Statement:
    tokens, ids, delays_s, attempts, losses, errors = zip(*put_backs, strict=True) if put_backs else ((),) * 6
    params = {
        "tokens": array_as_parameter(set(tokens)),
        "token_of": array_as_parameter(tokens),
        "ids": array_as_parameter(ids),
        "delays_s": array_as_parameter(delays_s),
        "attempts": array_as_parameter(attempts),
        "losses": array_as_parameter(losses),
        "errors": b"\n".join(errors).decode(),
    }
    return Statement(sql.PUT_BACK, params)


def parameters_to_hold(held: Hold) -> Statement:
    return Statement(sql.BLOCK_QUEUE, {"queue": held.queue, "delay_s": held.delay_s})


def parameters_for_ripe(batch_ids: Iterable[int]) -> Statement:
    return Statement(sql.RIPE, {"batch_ids": list(batch_ids)})


def parameters_to_lock_queue(queue: str) -> Statement:
    return Statement(sql.LOCK_QUEUE, {"queue": queue})


def parameters_to_claim(
    worker_id: int,
    *,
    queue: str,
    kinds: Collection[str],
    k: int,
    token: int,
    free: int = 0,
    from_waiting: int = 0,
    after_share: str = "",
    afters: Mapping[str, int] = NOTHING,
    is_locked: bool = False,
    is_of_one_share: bool = False,
) -> Statement:
    """Claim k items, of which `from_waiting` may come from `waiting`. The first `free` of them start at once. Fresh
    ones are those of the share behind `after_share`, and of its batches those behind the one in `afters`; then, unless
    one share is enough, those of the others."""
    params = {
        "worker_id": worker_id,
        "queue": queue,
        "kinds": list(kinds),
        "k": k,
        "free": max(0, free),
        "kw": from_waiting,
        "after_share": after_share,
        "shares": list(afters),
        "afters": list(afters.values()),
        "token": token,
    }
    if is_locked:
        return Statement(sql.CLAIM_LIMITED, params)
    return Statement(sql.CLAIM_FROM_SHARE if is_of_one_share else sql.CLAIM, params)


def parameters_for_outlook(queues: Collection[str], kinds: Collection[str]) -> Statement:
    return Statement(sql.OUTLOOK, {"queues": list(queues), "kinds": list(kinds)})


def _settling_parameters(worker_id: int, ended: list[Ended]) -> dict[str, Any]:
    tokens, ids, states, took_s, results, errors = zip(*ended, strict=True)
    return {
        "worker_id": worker_id,
        "tokens": array_as_parameter(set(tokens)),
        "token_of": array_as_parameter(tokens),
        "ids": array_as_parameter(ids),
        "states": array_as_parameter(states),
        "took_ms": _milliseconds_as_parameter(took_s),
        "results": b"\n".join(results).decode(),
        "errors": b"\n".join(errors).decode(),
    }


def _milliseconds_as_parameter(seconds: Iterable[float]) -> str:
    return array_as_parameter([int(1000 * each) for each in seconds])


def sparse_milliseconds_as_parameter(took_s: list[float]) -> str:
    """From the first to the last that took any, counted from 1: `[7:8]={3,1}`. Most runs have none."""
    places = [place for place, seconds in enumerate(took_s) if seconds >= SHORTEST_TOOK_S]
    if not places:
        return "{}"
    first, last = places[0], places[-1]
    return f"[{first + 1}:{last + 1}]={_milliseconds_as_parameter(took_s[first : last + 1])}"


def array_as_parameter(values: Iterable[Any]) -> str:
    """A PostgreSQL array in its text form."""
    return f"{{{','.join(map(str, values))}}}"
